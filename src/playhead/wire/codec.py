"""JSON text to values and back, without losing anything.

Law: the only module that calls a JSON library. It knows nothing of messages or requests.

msgspec does the work: it is as fast as any and reads integers of any size exactly. Three things it refuses
are read by the standard library instead, because recordings and clients of other languages contain them:
lone surrogates, NaN and Infinity, and a byte order mark. NaN and Infinity are written by it too: msgspec would
make them null.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any, TypeAlias

import jiter
import msgspec

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"
"""A JSON value."""

JsonObject: TypeAlias = dict[str, Any]
"""A JSON object whose members are still to be looked at; the codec is where `Any` enters."""

_ENCODER = msgspec.json.Encoder()
_CANONICAL = msgspec.json.Encoder(order="sorted")
_RAW_MEMBERS = msgspec.json.Decoder(dict[str, msgspec.Raw])


class JsonError(ValueError):
    """The text is not JSON. The message says what was met and where."""


def decode(text: bytes | str) -> Any:
    """The value of a JSON text.

    Raises `JsonError` for anything that is no JSON text, nesting beyond Python's recursion limit included.
    """
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError):
        pass
    except RecursionError:
        raise JsonError("the JSON is nested too deeply") from None
    try:
        return json.loads(text.removeprefix("\ufeff") if isinstance(text, str) else text)
    except RecursionError:
        raise JsonError("the JSON is nested too deeply") from None
    except ValueError as error:
        raise JsonError(str(error)) from None


def decode_part(text: bytes | str, *, strings: bool = False) -> Any:
    """What a JSON text tells that is cut anywhere: the values before the cut; `{}` where it tells nothing.

    With `strings` a string that is cut counts as far as it goes. This is how the SDK reads the input of a call while it
    arrives (anthropic 2.14.0, `lib/streaming/_messages.py`; with `strings` where fine-grained streaming is asked for).
    """
    try:
        data = text.encode() if isinstance(text, str) else text
        return jiter.from_json(data, partial_mode="trailing-strings" if strings else True) if data.strip() else {}
    except ValueError:
        return {}


def decode_object(text: bytes | str) -> JsonObject:
    """The object of a JSON text. Raises `JsonError` where the text is no JSON or holds no object."""
    value = decode(text)
    if not isinstance(value, dict):
        raise JsonError(f"a JSON object is needed, this is {kind(value)}")
    return value


def encode(value: object) -> bytes:
    """Compact JSON in UTF-8. Lone surrogates are written as escapes, as `json` writes them."""
    try:
        text = _ENCODER.encode(value)
    except (UnicodeError, msgspec.EncodeError):
        return json.dumps(value, separators=(",", ":")).encode()
    return text if _is_exact(value, text) else json.dumps(value, separators=(",", ":")).encode()


def encode_text(value: object) -> str:
    """`encode` as text."""
    return encode(value).decode()


def canonical(value: object) -> bytes:
    """Compact JSON with sorted keys: equal bytes mean equal values; unequal bytes prove nothing (1.0 and 1)."""
    try:
        text = _CANONICAL.encode(value)
    except (UnicodeError, msgspec.EncodeError):
        return json.dumps(value, separators=(",", ":"), sort_keys=True).encode()
    return text if _is_exact(value, text) else json.dumps(value, separators=(",", ":"), sort_keys=True).encode()


def _is_exact(value: object, text: bytes) -> bool:
    """Whether each null in the text is one in the value, and none a NaN or an infinity."""
    return b"null" not in text or not _holds(value, lambda number: not math.isfinite(number))


def by_value(value: Json) -> Json:
    """The value with each whole float as an integer (1.0 as 1), so that equal numbers have equal canonical bytes."""
    if isinstance(value, float):
        return _whole(value)
    if not isinstance(value, dict | list) or not _holds(value, float.is_integer):
        return value
    made: Json = json.loads(encode(value), parse_float=lambda text: _whole(float(text)))
    return made


def _whole(number: float) -> int | float:
    return int(number) if number.is_integer() else number


_NO_FLOATS = frozenset({str, int, bool, type(None)})


def _holds(value: object, is_wanted: Callable[[float], bool]) -> bool:
    """Whether there is such a float anywhere in the value."""
    # a list that grows while it is read: a value may be nested as deeply as it can be read
    open_values = [value]
    for item in open_values:
        if type(item) in _NO_FLOATS:
            continue
        if isinstance(item, dict):
            open_values.extend(item.values())
        elif isinstance(item, list | tuple):
            open_values.extend(item)
        elif isinstance(item, float) and is_wanted(item):
            return True
    return False


def members(text: bytes) -> dict[str, memoryview]:
    """The members of a JSON object with their values still as text. Raises `JsonError`."""
    try:
        return {key: memoryview(raw) for key, raw in _RAW_MEMBERS.decode(text).items()}
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise JsonError(str(error)) from None


_KINDS: dict[type, str] = {
    dict: "an object",
    list: "an array",
    str: "a string",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    type(None): "null",
}


def kind(value: object) -> str:
    """What JSON calls the value, with its article: `"an array"`, `"null"`."""
    return _KINDS.get(type(value), f"a Python {type(value).__name__}")

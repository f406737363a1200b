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
import re
from collections.abc import Callable, Sequence
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
_RAW_ITEMS = msgspec.json.Decoder(list[msgspec.Raw])
_SCANNER = json.JSONDecoder()

_SHORT = 4096
"""Bytes in which an item is looked for on its own."""

_ENDING = frozenset(", \t\r\n")

_BLANKS = rb"[ \t\r\n]*"
_NAME = re.compile(rb'("[^"\\]*+(?:\\.[^"\\]*+)*+")' + _BLANKS + b":" + _BLANKS, re.DOTALL)
_OPENING = re.compile(_BLANKS + rb"([\[{])" + _BLANKS)
_GOES_ON = re.compile(_BLANKS + b"," + _BLANKS)
_CLOSING = {
    b"[": re.compile(_BLANKS + rb"\]" + _BLANKS + rb"\Z"),
    b"{": re.compile(_BLANKS + rb"\}" + _BLANKS + rb"\Z"),
}
"""By the bracket that was opened, what closes it at the end of a text."""


class JsonError(ValueError):
    """The text is not JSON. The message says what was met and where."""


def decode(text: bytes | str | memoryview) -> Any:
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
        return json.loads(text.removeprefix("\ufeff") if isinstance(text, str) else bytes(text))
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
    return _encoded(value, _ENCODER)


def encode_each(values: Sequence[object]) -> list[bytes]:
    """`encode` of each of these values."""
    try:
        text = _ENCODER.encode_lines(values)
    except (UnicodeError, msgspec.EncodeError, RecursionError):
        return [*map(encode, values)]
    lines = text.split(b"\n")[:-1]
    if b"null" not in text:
        return lines
    return [encode(value) if b"null" in line else line for value, line in zip(values, lines, strict=True)]


def encode_text(value: object) -> str:
    """`encode` as text."""
    return encode(value).decode()


def canonical(value: object) -> bytes:
    """Compact JSON with sorted keys: equal bytes mean equal values; unequal bytes prove nothing (1.0 and 1)."""
    return _encoded(value, _CANONICAL)


def _encoded(value: object, encoder: msgspec.json.Encoder) -> bytes:
    try:
        text = encoder.encode(value)
        nulls = text.count(b"null")
        # what is no number is written as null, too: where a member is known to be null for each, there is none
        if not nulls or (isinstance(value, dict) and [*value.values()].count(None) == nulls):
            return text
        if not _holds(value, _is_not_finite):
            return text
    except (UnicodeError, msgspec.EncodeError):
        pass
    except RecursionError:
        return _written(value, sort=encoder is _CANONICAL)
    try:
        return json.dumps(value, separators=(",", ":"), sort_keys=encoder is _CANONICAL).encode()
    except RecursionError:
        return _written(value, sort=encoder is _CANONICAL)


def _is_not_finite(number: float) -> bool:
    return not math.isfinite(number)


def _written(value: object, *, sort: bool) -> bytes:
    """The same for what is nested more deeply than functions can call one another: piece by piece."""
    pieces: list[bytes] = []
    todo: list[tuple[bytes, object]] = [(b"", value)]  # a text, and a value to write after it
    while todo:
        before, item = todo.pop()
        pieces.append(before)
        if isinstance(item, dict):
            names = sorted(item) if sort else [*item]
            inner = [(encode({name: 0})[1:-2], item[name]) for name in names]
        elif isinstance(item, list | tuple):
            names, inner = [], [(b"", one) for one in item]
        else:
            pieces.append(b"" if item is _NOTHING else encode(item))
            continue
        opening, closing = (b"{", b"}") if isinstance(item, dict) else (b"[", b"]")
        todo.append((closing, _NOTHING))
        for number in range(len(inner) - 1, -1, -1):
            name, one = inner[number]
            todo.append(((b"," if number else opening) + name, one))
        if not inner:
            pieces.append(opening)
    return b"".join(pieces)


_NOTHING = object()


def by_value(value: Json) -> Json:
    """The value with each whole float as an integer (1.0 as 1), so that equal numbers have equal canonical bytes."""
    if isinstance(value, float):
        return _whole(value)
    if not isinstance(value, dict | list) or not _holds(value, float.is_integer):
        return value
    made: list[Any] = [value]
    places: list[tuple[Any, Any]] = [(made, 0)]
    for holder, place in places:  # a list that grows while it is read, as in `_holds`
        item = holder[place]
        if isinstance(item, float):
            holder[place] = _whole(item)
        elif isinstance(item, dict | list | tuple):
            copy: Any = dict(item) if isinstance(item, dict) else list(item)
            holder[place] = copy
            places.extend((copy, key) for key in (copy if isinstance(copy, dict) else range(len(copy))))
    whole: Json = made[0]
    return whole


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


def member_places(text: bytes) -> dict[str, tuple[int, int]]:
    """Where in the text of a JSON object the value of each member begins and ends.

    Raises `JsonError` where the text is no JSON object, and where a name stands twice: then no place is certain.
    """
    places: dict[str, tuple[int, int]] = {}
    at = _opened(text, b"{")
    try:
        found = _RAW_MEMBERS.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        end_of = _scanner(text)
        while not _CLOSING[b"{"].match(text, at):
            name = _name(text, at)
            key, start = decode(name[1]), name.end()
            if key in places:
                raise JsonError("a name stands twice") from None
            places[key] = start, end_of(start)
            at = _after(text, places[key][1], b"{")
        return places
    for key, raw in found.items():
        # of equal names the last one's value is kept: it need not be the one that stands here
        name, value = _name(text, at), memoryview(raw)
        start = name.end()
        same = name[1] == b'"%b"' % key.encode() or decode(name[1]) == key
        if not same or not text.startswith(value, start):
            raise JsonError("a name stands twice")
        at = start + len(value)
        places[key] = start, at
        goes_on = _GOES_ON.match(text, at)
        at = at if goes_on is None else goes_on.end()
    if not _CLOSING[b"{"].match(text, at):
        raise JsonError("a name stands twice")
    return places


def _name(text: bytes, at: int) -> re.Match[bytes]:
    """The name that stands at a place, up to where its value begins."""
    name = _NAME.match(text, at)
    if name is None:
        raise JsonError("a name is missing")
    return name


def first_end(text: bytes, start: int, stop: int) -> int | None:
    """Where the first item ends of an array whose inside goes from `start` to `stop`, in a text that is known to be
    JSON; None where it is long, and `item_ends` tells it as fast.
    """
    piece = text[start : min(stop, start + _SHORT)].decode("latin-1")
    try:
        end: int = _SCANNER.raw_decode(piece, len(piece) - len(piece.lstrip()))[1]
    except (ValueError, RecursionError):
        return None
    # what ends with the piece may go on behind it; so may 12, where the piece has no more of 12.5 than 12.
    return start + end if piece[end : end + 1] in _ENDING else None


def item_ends(text: bytes, offset: int = 0) -> list[int]:
    """Where in the text of a JSON array each item ends, with `offset` added. Raises `JsonError` where the text is no
    JSON array.
    """
    ends: list[int] = []
    try:
        sizes = [len(memoryview(item)) for item in _RAW_ITEMS.decode(text)]
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        at, end_of = _opened(text, b"["), _scanner(text)
        while not _CLOSING[b"["].match(text, at):
            end = end_of(at)
            ends.append(end + offset)
            at = _after(text, end, b"[")
        return ends
    if len(text) == sum(sizes) + len(sizes) + 1:
        # with nothing between them but commas, as clients write it
        for size in sizes:
            offset += size + 1
            ends.append(offset)
        return ends
    at = _opened(text, b"[")
    for size in sizes:
        at += size
        ends.append(at + offset)
        goes_on = _GOES_ON.match(text, at)
        at = at if goes_on is None else goes_on.end()
    return ends


def _opened(text: bytes, bracket: bytes) -> int:
    opening = _OPENING.match(text)
    if opening is None or opening[1] != bracket:
        raise JsonError(f"the text does not begin with {bracket.decode()}")
    return opening.end()


def _after(text: bytes, end: int, bracket: bytes) -> int:
    """Where the next value begins, or the end of what the bracket opened stands."""
    goes_on = _GOES_ON.match(text, end)
    if goes_on is None:
        if not _CLOSING[bracket].match(text, end):
            raise JsonError("a comma or the end is missing")
        return end
    if _CLOSING[bracket].match(text, goes_on.end()):
        raise JsonError("nothing follows a comma")
    return goes_on.end()


def _scanner(text: bytes) -> Callable[[int], int]:
    """A function that tells the end of a value by its beginning, for what `decode` reads and msgspec refuses: NaN, lone
    surrogates.
    """
    characters = text.decode("latin-1")  # one for each byte: the places are the same

    def end_of(start: int) -> int:
        try:
            return _SCANNER.raw_decode(characters, start)[1]
        except (ValueError, RecursionError) as error:
            raise JsonError(str(error)) from None

    return end_of


def is_deeper(value: object, levels: int) -> bool:
    """Whether arrays and objects are nested in the value, itself counted, more than that many levels deep."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(levels):
        if not level:
            return False
        level = [
            child
            for item in level
            for child in (item.values() if isinstance(item, dict) else item)
            if isinstance(child, dict | list)
        ]
    return bool(level)


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

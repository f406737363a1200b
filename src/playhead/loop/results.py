"""From what a tool returned or raised to the content of its `tool_result`: always something that can be sent.

Pure functions of values.  Content is a string; a non-empty list of real content blocks is the one exception.
Source: docs, agents-and-tools/tool-use/handle-tool-calls.
"""

from __future__ import annotations

import base64
import dataclasses
import enum
import json
import math
from collections.abc import Callable, Iterable, Mapping, Set

from playhead.loop.blocks import Block, dump_model, field, has_field, plain, well_formed
from playhead.loop.errors import ToolCallError

# The keys that make a dict a content block of a result, by its type.  A list counts as blocks only if every
# item is one; anything else is data and goes as JSON, so that data which happens to have a "type" is not
# mistaken.
_BLOCK_KEYS: Mapping[str, Mapping[str, type]] = {
    "text": {"text": str},
    "image": {"source": dict},
    "document": {"source": dict},
    "search_result": {"source": str, "title": str, "content": list},
    "tool_reference": {"tool_name": str},
}


def result_block(call: object, content: str | list[Block], *, is_error: bool = False) -> Block:
    """The `tool_result` that answers `call`, a `tool_use` block."""
    block: Block = {"type": "tool_result", "tool_use_id": field(call, "id"), "content": content}
    if field(call, "toolset_name") is not None:  # the API wants it back with a toolset member's result
        block["toolset_name"] = field(call, "toolset_name")
    return {**block, "is_error": True} if is_error else block


def content_of_result(value: object) -> str | list[Block]:
    """A tool's value as content: a string as it is, content blocks as blocks, everything else as JSON.

    JSON keeps UTF-8; None is `null`; what JSON cannot say becomes text: see `jsonable`.  Raises what JSON
    raises for a value that contains itself.
    """
    if isinstance(value, enum.Enum):
        value = value.value
    if isinstance(value, str):
        return well_formed(value)
    blocks = _content_blocks(value)
    if blocks is not None:
        return blocks
    if isinstance(value, bytes | bytearray | memoryview):
        return str(jsonable(value))
    return json.dumps(jsonable(value), ensure_ascii=False, allow_nan=False)


def content_of_failure(error: Exception) -> str:
    """What Claude is told about a failure: never empty, the exception's type and text.

    A ToolError (the SDK's, or any of that name) and our own errors about the call are texts already.
    """
    kinds = {kind.__name__ for kind in type(error).__mro__}
    try:
        text = well_formed(str(error)).strip()
    except Exception:  # noqa: BLE001  # a broken __str__ must not hide that the tool failed
        text = ""
    if text and (isinstance(error, ToolCallError) or "ToolError" in kinds):
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def jsonable(value: object) -> object:
    """`value` as JSON data.  A number that is not finite becomes its name, bytes their UTF-8 text (or
    base64), a set a list, an enum member its value, a dataclass or SDK object its fields, an unknown object
    its `str()`.
    """
    if value is None or isinstance(value, bool):
        return value
    for kinds, convert in _CONVERSIONS:
        if isinstance(value, kinds):
            return convert(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {item.name: jsonable(getattr(value, item.name)) for item in dataclasses.fields(value)}
    dumped = dump_model(value)
    return jsonable(dumped) if dumped is not None else well_formed(str(value))


def _number(value: object) -> object:
    assert isinstance(value, float)
    if math.isfinite(value):
        return float(value)
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _text_of_bytes(value: object) -> object:
    assert isinstance(value, bytes | bytearray | memoryview)
    raw = bytes(value)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return base64.b64encode(raw).decode("ascii")


def _object(value: object) -> object:
    assert isinstance(value, Mapping)
    return {_key(key): jsonable(item) for key, item in value.items()}


def _key(key: object) -> str:
    """A key as JSON writes it: `None` is `null`, `True` is `true`."""
    converted = jsonable(key)
    return converted if isinstance(converted, str) else json.dumps(converted, ensure_ascii=False)


def _array(value: object) -> object:
    assert isinstance(value, Iterable)
    return [jsonable(item) for item in value]


def _sorted_array(value: object) -> object:
    """A set has no order; without one of its own, the same result would read differently in each process."""
    assert isinstance(value, Set)
    return sorted((jsonable(item) for item in value), key=json.dumps)


_CONVERSIONS: tuple[tuple[type | tuple[type, ...], Callable[..., object]], ...] = (
    (enum.Enum, lambda member: jsonable(member.value)),
    (str, well_formed),
    (int, int),
    (float, _number),
    ((bytes, bytearray, memoryview), _text_of_bytes),
    (Mapping, _object),
    ((list, tuple), _array),
    (Set, _sorted_array),
)


def _content_blocks(value: object) -> list[Block] | None:
    """The value as content blocks, or None if it is not a list made of them alone."""
    if not isinstance(value, list | tuple) or not value or not all(map(_is_content_block, value)):
        return None
    kinds = {field(block, "type") for block in value}
    if "search_result" in kinds and len(kinds) > 1:  # the API refuses the mixture
        return None
    copied = plain(list(value))
    return copied if isinstance(copied, list) else None


def _is_content_block(value: object) -> bool:
    kind = field(value, "type") if isinstance(value, Mapping) or has_field(value, "model_dump") else None
    keys = _BLOCK_KEYS.get(kind) if isinstance(kind, str) else None
    if keys is None or not all(isinstance(field(value, name), kind) for name, kind in keys.items()):
        return False
    return kind != "text" or bool(field(value, "text").strip())

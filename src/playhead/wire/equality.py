"""When two JSON values, or two messages, are the same.

Law: pure comparison; no opinion on whether a difference is allowed.

Numbers compare by exact value: `1.0` equals `1`, `2**53 + 1` does not equal `2.0**53`. A boolean is no number.
Messages are compared in a plain form that leaves out what the SDKs add or drop when they send a reply back
(nulls, `caller`, `cache_control`, the `citations` of a text, a string in place of one text block); inside a tool's
`input` and its `input_schema`, which are the user's own data, nothing is left out. The `citations` of a document or of
a tool are a setting, and count.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from playhead.wire.codec import by_value, canonical

IGNORED_IN_ECHO = frozenset({"cache_control", "caller", "parsed_output"})
"""Members of a block that may differ between a reply and its echo, or between two sendings of one message."""

IGNORED_IN_TEXT = IGNORED_IN_ECHO | {"citations"}
"""The same for a text block: what it cites only replies say, and clients drop it (recorded: Bedrock, LangChain)."""

_DATA = frozenset({"input", "input_schema", "input_examples"})
_DEEPEST = 50
"""How many levels of a message can be the API's own; what is nested deeper is data. It knows some ten."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The first place where two values differ: its JSON path and what stands there on either side."""

    path: str
    left: object
    right: object


MISSING = type("Missing", (), {"__repr__": lambda self: "(absent)", "__slots__": ()})()
"""Stands in a `Difference` for a member or item that one side lacks."""


def same(left: object, right: object) -> bool:
    """Whether two JSON values are equal."""
    return left is right or canonical(left) == canonical(right) or first_difference(left, right) is None


def first_difference(left: object, right: object, path: str = "$") -> Difference | None:
    """The first difference in document order of `left`, or None."""
    return next(_differences(left, right, path), None)


_Place: TypeAlias = "tuple[_Place, str] | None"
"""A place as the place around it and a step of the path: paths are long, and only that of a difference is written."""


def _differences(left: object, right: object, path: str) -> Iterator[Difference]:
    # a stack instead of calls: values may be nested more deeply than Python calls
    open_values: list[tuple[object, object, _Place]] = [(left, right, None)]
    while open_values:
        left, right, place = open_values.pop()
        inner: list[tuple[object, object, _Place]] = []
        if isinstance(left, Mapping) and isinstance(right, Mapping):
            keys = [*left, *(key for key in right if key not in left)]
            inner = [(left.get(key, MISSING), right.get(key, MISSING), (place, f".{key}")) for key in keys]
        elif isinstance(left, list) and isinstance(right, list):
            numbers = range(max(len(left), len(right)))
            inner = [(_item(left, number), _item(right, number), (place, f"[{number}]")) for number in numbers]
        elif isinstance(left, bool) is not isinstance(right, bool) or not _equal(left, right):
            yield Difference(path + _written(place), left, right)
        open_values.extend(reversed(inner))


def _written(place: _Place) -> str:
    steps: list[str] = []
    while place is not None:
        place, step = place
        steps.append(step)
    return "".join(reversed(steps))


def _equal(left: object, right: object) -> bool:
    return left == right or _both_nan(left, right)


def _both_nan(left: object, right: object) -> bool:
    # NaN is unequal to itself; as a text, and so as what was said, it is not
    return isinstance(left, float) and isinstance(right, float) and left != left and right != right


def _item(values: Sequence[object], index: int) -> object:
    return values[index] if index < len(values) else MISSING


def same_words(sent: object, content: list[object]) -> bool:
    """Whether content that was sent is a reply's, where that holds nothing but strings, as nearly all replies do.

    A lone text may be sent as a string.
    """
    if isinstance(sent, str):
        return len(content) == 1 and content[0] == {"type": "text", "text": sent}
    if not isinstance(sent, list) or sent != content:
        return False
    for block in sent:
        if not isinstance(block, dict):
            return False
        for value in block.values():
            if type(value) is not str:
                return False
    return True


def plain_message(message: object) -> object:
    """A message without what may differ between two sendings of it."""
    if not isinstance(message, dict):
        return message
    return {"role": message.get("role"), "content": plain_content(message.get("content"))}


def plain_content(content: object, level: int = 0) -> object:
    """Content as a list of plain blocks; blank text, which the API refuses to take back, is left out.

    `level` counts the blocks around it.
    """
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content.strip() else []
    if content is None:
        return []
    if not isinstance(content, list):
        return content
    return [_plain(block, level) for block in content if not is_blank_text(block)]


def is_blank_text(block: object) -> bool:
    """A text block with nothing but white space."""
    if not isinstance(block, dict) or block.get("type") != "text":
        return False
    text = block.get("text")
    return isinstance(text, str) and not text.strip()


def _plain(value: object, level: int = 0) -> object:
    if isinstance(value, dict):
        if level > _DEEPEST:
            return by_value(value)
        kind = value.get("type")
        ignored = IGNORED_IN_TEXT if kind == "text" else IGNORED_IN_ECHO
        plain = {
            # most members are strings: a call for each of them is what made this slow
            key: member if type(member) is str else by_value(member) if key in _DATA else _plain(member, level + 1)
            for key, member in value.items()
            if member is not None and key not in ignored and not (key == "content" and kind == "tool_result")
        }
        if kind == "tool_result" and value.get("content") is not None:
            plain["content"] = plain_content(value["content"], level + 1)
        return plain
    if isinstance(value, list):
        return by_value(value) if level > _DEEPEST else [_plain(item, level + 1) for item in value]
    return by_value(value) if isinstance(value, float) else value


def same_message(left: object, right: object) -> bool:
    """Whether two messages say the same, whatever `plain_message` leaves out."""
    return left is right or same(plain_message(left), plain_message(right))


def same_content(left: object, right: object) -> bool:
    """Whether two contents (a string, or a list of blocks) say the same."""
    return left is right or same(plain_content(left), plain_content(right))


def plain_settings(value: object) -> object:
    """Tools or a system prompt without nulls and cache marks; one text block equals its string."""
    if isinstance(value, str):
        return [{"type": "text", "text": value}] if value else None
    return _plain(value) or None


def same_settings(left: object, right: object) -> bool:
    """Whether two `tools` or two `system` values are the same; absent, null and empty are alike."""
    return left is right or same(plain_settings(left), plain_settings(right))


def shallow(value: object, levels: int = _DEEPEST) -> object:
    """The value with what is nested more than so many levels deep as its JSON text: equal where the value is."""
    if not isinstance(value, dict | list | tuple):
        return value
    if not levels:
        return canonical(by_value(value if isinstance(value, dict) else list(value))).decode()
    if isinstance(value, dict):
        return {key: shallow(member, levels - 1) for key, member in value.items()}
    return [shallow(item, levels - 1) for item in value]

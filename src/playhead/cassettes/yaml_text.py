"""JSON values written as YAML that people read and edit: long text in blocks, small things on one line.

Law: pure; knows YAML and nothing of recordings. What is written reads back as the same value, with `yaml_document` and
with any YAML 1.1 or 1.2 reader.

A library's emitter quotes every text that has a tab, an emoji or a blank at a line's end, which is what tool output is
made of; that is why this is ours.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator

_WIDTH = 100
"""How long a mapping or list may be to stand on one line."""

_DEPTH = 100
_LONGEST_KEY = 1000  # a reader looks no further for the colon

_UNPRINTABLE = re.compile(r"[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_PLAIN = re.compile(r"[A-Za-z_/][A-Za-z0-9_./@+()-]*(?: [A-Za-z0-9_./@+(-][A-Za-z0-9_./@+()-]*)*\Z")
_WORDS = frozenset("null true false yes no on off y n".split())
"""Words that a reader of YAML takes for something else than text."""


class Unwritable(ValueError):
    """A value that YAML cannot carry: a lone surrogate, an infinity, too deep a nesting."""


def item(value: object, indent: int = 0) -> str:
    """A list's item with its dash. Raises `Unwritable`."""
    return _items([value], indent, 0)


def member(name: str, value: object, indent: int = 0) -> str:
    """A mapping's member. Raises `Unwritable`."""
    return f"{' ' * indent}{_key(name)}:{_after(value, indent, 0)}"


def _after(value: object, indent: int, depth: int, *, key: bool = True) -> str:
    """What stands after a key's colon or a dash, up to the end of its last line."""
    if isinstance(value, str):
        return f" {_block(value, indent)}" if _is_block(value) else f" {_scalar(value)}\n"
    if depth > _DEPTH:
        raise Unwritable(f"it is nested more than {_DEPTH} deep")
    if not isinstance(value, dict | list):
        return f" {_scalar(value)}\n"
    line = _line(value, _WIDTH)
    if line is not None:
        return f" {line}\n"
    if isinstance(value, dict):
        return "\n" + _members(value, indent + 2, depth + 1)
    # under a key, the dash alone sets a list apart: text in it is indented less
    return "\n" + _items(value, indent if key else indent + 2, depth + 1)


def _members(value: dict[str, object], indent: int, depth: int) -> str:
    pad = " " * indent
    return "".join(f"{pad}{_key(name)}:{_after(item, indent, depth)}" for name, item in value.items())


def _items(values: list[object], indent: int, depth: int) -> str:
    return "".join(_item(value, indent, depth) for value in values)


def _item(value: object, indent: int, depth: int) -> str:
    pad = " " * indent
    if isinstance(value, dict) and value and _line(value, _WIDTH) is None:
        # the first member stands beside the dash
        return f"{pad}- {_members(value, indent + 2, depth + 1)[indent + 2 :]}"
    return f"{pad}-{_after(value, indent, depth, key=False)}"


def _line(value: object, room: int) -> str | None:
    """A value on one line, None where it is too long or has text of several lines."""
    parts = []
    for part in _flow(value):
        room -= len(part)
        if room < 0:
            return None
        parts.append(part)
    return "".join(parts)


_TOO_LONG = " " * (_WIDTH + 1)


def _flow(value: object, depth: int = 0) -> Iterator[str]:
    if depth > 3:
        yield _TOO_LONG
    elif isinstance(value, dict):
        yield "{"
        for position, (name, inner) in enumerate(value.items()):
            yield f"{', ' if position else ''}{_key(name)}: "
            yield from _flow(inner, depth + 1)
        yield "}"
    elif isinstance(value, list):
        yield "["
        for position, inner in enumerate(value):
            if position:
                yield ", "
            # an item of a list is a line of its own, so that adding one is one line in a diff
            yield _TOO_LONG if isinstance(inner, dict | list) else ""
            yield from _flow(inner, depth + 1)
        yield "]"
    elif isinstance(value, str) and (len(value) > _WIDTH or "\n" in value):
        yield _TOO_LONG
    else:
        yield _scalar(value)


def _is_block(text: str) -> bool:
    return "\n" in text and not _UNPRINTABLE.search(text)


def _block(text: str, indent: int) -> str:
    """A literal block: the text line by line, as it is."""
    lines = text.split("\n")
    keep = ""
    if lines[-1]:
        keep = "-"
    else:
        lines.pop()
        if not lines[-1]:
            keep = "+"
    explicit = "2" if text[0] in " \n\t" else ""
    pad = " " * (indent + 2)
    return f"|{explicit}{keep}\n" + "".join(f"{pad}{line}\n" if line else "\n" for line in lines)


def _key(name: object) -> str:
    if not isinstance(name, str) or len(name) > _LONGEST_KEY:
        raise Unwritable("a key is too long")
    return _scalar(name)


def _scalar(value: object) -> str:
    if isinstance(value, str):
        if len(value) <= _WIDTH and _PLAIN.match(value) and value.lower() not in _WORDS:
            return value
        return _quoted(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return _whole(value)
    if isinstance(value, float) and math.isfinite(value):
        text = repr(value)
        # without a point, YAML 1.1 takes a number with an exponent for text
        return text if "e" not in text or "." in text else text.replace("e", ".0e")
    raise Unwritable(f"{value!r} is no JSON value that YAML can carry")


def _whole(value: int) -> str:
    try:
        return str(value)
    except ValueError:
        raise Unwritable("an integer has too many digits") from None


def _quoted(text: str) -> str:
    if _SURROGATE.search(text):
        raise Unwritable("a text has a lone surrogate")
    quoted = json.dumps(text, ensure_ascii=False)
    return _UNPRINTABLE.sub(_escaped, quoted) if _UNPRINTABLE.search(quoted) else quoted


def _escaped(match: re.Match[str]) -> str:
    return f"\\u{ord(match.group()):04x}"

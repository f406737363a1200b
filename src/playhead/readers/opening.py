"""How a file begins: enough of its JSON to tell one format from another.

Law: looks at the head of a source only, and knows no format.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from playhead.readers.source import Source
from playhead.wire.codec import JsonError, JsonObject, decode

# a string that the head cuts runs to its end
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[{}\[\]]', re.DOTALL)
_BOM = b"\xef\xbb\xbf"


def opening(source: Source) -> bytes:
    """The head without a byte order mark and leading white space."""
    return source.head.removeprefix(_BOM).lstrip()


def first_lines(source: Source, count: int = 20) -> Iterator[JsonObject]:
    """The first objects of a file of JSON lines; none where the first line is no object."""
    head = opening(source)
    if not head.startswith(b"{"):
        return
    lines = [line for line in head.split(b"\n", count * 2)[: count * 2] if line.strip()]
    if not source.is_short and len(lines) < count * 2:
        lines = lines[:-1]  # the head may end within it
    for line in lines[:count]:
        try:
            value = decode(line)
        except JsonError:
            return
        if not isinstance(value, dict):
            return
        yield value


def first_item(source: Source) -> JsonObject | None:
    """The first object of a JSON array; None where the file is no array of objects, or it exceeds the head."""
    head = opening(source)
    if not re.match(rb"\[\s*\{", head):
        return None
    return _object_at(head, head.index(b"{"))


def _object_at(head: bytes, start: int) -> JsonObject | None:
    depth = 0
    for token in _TOKEN.finditer(head, start):
        mark = token.group()[:1]
        if mark in b"{[":
            depth += 1
        elif mark in b"}]":
            depth -= 1
            if depth == 0:
                try:
                    value = decode(head[start : token.end()])
                except JsonError:
                    return None
                return value if isinstance(value, dict) else None
    return None


def first_keys(source: Source) -> list[str]:
    """The names of the members of a JSON object, as far as the head shows them."""
    head = opening(source)
    if not head.startswith(b"{"):
        return []
    # a line or a file that can be decoded is decoded: that is far faster than to look through its tokens
    for line in first_lines(source, 1):
        return [*line]
    if source.is_short:
        try:
            return [*decode(head)]
        except JsonError:
            pass
    return _keys_at(head)


def _keys_at(head: bytes) -> list[str]:
    keys: list[str] = []
    depth = 0
    for token in _TOKEN.finditer(head):
        mark = token.group()[:1]
        if mark in b"{[":
            depth += 1
        elif mark in b"}]":
            depth -= 1
            if depth == 0:
                break
        elif depth == 1 and head[token.end() : token.end() + 16].lstrip().startswith(b":"):
            keys.append(token.group()[1:-1].decode(errors="replace"))
    return keys

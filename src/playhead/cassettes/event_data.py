"""Where the data of a stream's events stands in its bytes, and bytes with some of it replaced.

Law: pure; bytes and places, nothing of Claude. The grammar is that of `wire.sse`, which gives no places.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

_LINE = re.compile(rb"([^\r\n]*)(\r\n|\n|\r|\Z)")


class EventData(NamedTuple):
    """The data of an event, its lines joined by LF, and where it stands; `broken` where no blank line ends it."""

    start: int
    end: int
    data: bytes
    broken: bool = False


class Edit(NamedTuple):
    """Bytes that are to stand from `start` to `end`."""

    start: int
    end: int
    new: bytes


def event_texts(body: bytes) -> tuple[list[EventData], list[EventData]]:
    """The data of each event, and every other line that is not blank: names, comments, ids."""
    events: list[EventData] = []
    others: list[EventData] = []
    lines: list[tuple[int, int]] = []
    for match in _LINE.finditer(body):
        start, end = match.span(1)
        if start == end:
            if lines:
                events.append(_event(body, lines, broken=match.end() == len(body) and not match[2]))
                lines = []
        elif body.startswith(b"data:", start, end):
            begin = start + 5
            lines.append((begin + body.startswith(b" ", begin, end), end))
        else:
            others.append(EventData(start, end, body[start:end]))
    if lines:
        events.append(_event(body, lines, broken=True))
    return events, others


def _event(body: bytes, lines: Sequence[tuple[int, int]], *, broken: bool) -> EventData:
    data = b"\n".join(body[start:end] for start, end in lines)
    return EventData(lines[0][0], lines[-1][1], data, broken)


def edited(body: bytes, ends: Sequence[int], edits: Sequence[Edit]) -> tuple[bytes, tuple[int, ...]]:
    """The bytes with these edits, none overlapping another, and where the pieces end then.

    A piece that ended within what was replaced ends at most where the new bytes do.
    """
    ordered = sorted(edits)
    parts: list[bytes] = []
    at = 0
    for edit in ordered:
        parts += (body[at : edit.start], edit.new)
        at = edit.end
    parts.append(body[at:])
    shifts = [0, *accumulate(len(edit.new) - (edit.end - edit.start) for edit in ordered)]
    starts = [edit.start for edit in ordered]
    return b"".join(parts), tuple(_moved(end, ordered, starts, shifts) for end in ends)


def _moved(end: int, edits: Sequence[Edit], starts: Sequence[int], shifts: Sequence[int]) -> int:
    count = bisect_right(starts, end)
    if count and end < edits[count - 1].end:
        edit = edits[count - 1]
        return edit.start + shifts[count - 1] + min(end - edit.start, len(edit.new))
    return end + shifts[count]

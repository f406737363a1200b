"""Edits in a text that may have come in pieces, or that may be JSON.

Law: pure; knows pieces, edits and how JSON writes strings, and nothing of secrets.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from playhead.cassettes.places import is_sealed
from playhead.wire.codec import encode_text


class Edit(NamedTuple):
    """What stands from `start` to `end` is to be `text`."""

    start: int
    end: int
    text: str


def applied(pieces: Sequence[str], edits: Sequence[Edit]) -> list[str]:
    """The pieces of a text with it edited: as many pieces as before.

    The new text stands in the first piece that held any of the old, and the rest of the old is cut from the others.
    The edits are in order and do not overlap.
    """
    if not edits:
        return [*pieces]
    result: list[str] = []
    waiting = iter(edits)
    edit: Edit | None = next(waiting)
    begin = 0
    for number, piece in enumerate(pieces):
        end = begin + len(piece)
        last = number == len(pieces) - 1
        parts: list[str] = []
        at = begin
        while edit is not None and (edit.start < end or last):
            if edit.start >= begin:
                parts += (piece[at - begin : edit.start - begin], edit.text)
            at = max(at, min(edit.end, end))
            if edit.end > end:
                break
            edit = next(waiting, None)
        result.append("".join((*parts, piece[at - begin :])))
        begin = end
    return result


def difference(old: str, new: str) -> Edit | None:
    """The one edit that makes the old text the new one; None where they are equal."""
    if old == new:
        return None
    start = _shared(old, new)
    end = _shared(old[start:][::-1], new[start:][::-1])
    return Edit(start, len(old) - end, new[start : len(new) - end])


def _shared(one: str, other: str) -> int:
    """How many characters both begin with, by halving: comparing slices costs next to nothing."""
    least, most = 0, min(len(one), len(other))
    while least < most:
        middle = (least + most + 1) // 2
        if one[:middle] == other[:middle]:
            least = middle
        else:
            most = middle - 1
    return least


@dataclass(frozen=True, slots=True)
class Part:
    """A string within a text: what it says, the key it stands under, and how its places are those of the text.

    From each of `places` on, a place in the string is so many characters (`shifts`) further on in the text.
    """

    text: str
    key: str | None = None
    places: tuple[int, ...] = (0,)
    shifts: tuple[int, ...] = (0,)
    is_json: bool = False

    def edit(self, edit: Edit) -> Edit:
        """An edit of the string as one of the text."""
        text = encode_text(edit.text)[1:-1] if self.is_json else edit.text
        return Edit(self._origin(edit.start), self._origin(edit.end), text)

    def _origin(self, place: int) -> int:
        return place + self.shifts[bisect_right(self.places, place) - 1]


def whole(text: str) -> Iterator[Part]:
    """A text that is one string."""
    yield Part(text)


_STRING = re.compile(r'"([^"\\]*+(?:\\.[^"\\]*+)*+)("?)', re.DOTALL)
_COLON = re.compile(r"\s*:\s*")
_ESCAPE = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\[^u]", re.DOTALL)
_SHORT = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


def json_strings(text: str) -> Iterator[Part]:
    """The strings of a JSON text that may end anywhere: keys, and values with their keys, sealed ones left out."""
    key: tuple[str, int] | None = None
    for match in _STRING.finditer(text):
        colon = _COLON.match(text, match.end()) if match[2] else None
        under = key[0] if key is not None and key[1] == match.start() else None
        part = _part(match[1], match.start(1), under if colon is None else None)
        key = None if colon is None else (part.text, colon.end())
        if not is_sealed(part.key, part.text):
            yield part


def _part(written: str, start: int, key: str | None) -> Part:
    if "\\" not in written:
        return Part(written, key, (0,), (start,), is_json=True)
    said: list[str] = []
    places, shifts = [0], [start]
    at = length = 0
    for match in _ESCAPE.finditer(written):
        char = _char(match[0])
        said += (written[at : match.start()], char)
        length += match.start() - at + len(char)
        at = match.end()
        places.append(length)
        shifts.append(start + at - length)
    return Part("".join((*said, written[at:])), key, tuple(places), tuple(shifts), is_json=True)


def _char(escape: str) -> str:
    if len(escape) == 12:
        high, low = int(escape[2:6], 16), int(escape[8:], 16)
        return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
    return chr(int(escape[2:], 16)) if len(escape) == 6 else _SHORT.get(escape[1], escape[1])

"""Which earlier request body is a new one most like?

Law: compares bytes; parses nothing. Bodies of many conversations are kept, and only those are compared whose first
message begins as the new one's does.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from msgspec import Struct, structs

from playhead.wire.codec import JsonObject, item_ends
from playhead.wire.history import Sent
from playhead.wire.value import Value

REMEMBERED = 64
"""How many bodies are kept as bytes: the newest of each conversation, of so many conversations."""

NEAR = 8
"""How many of its last messages a client may send otherwise, without cache marks say, and still go on with a body."""

LITTLE = 4096
"""So many bytes are parsed sooner than the body is found that had them before."""

PROBED = 64
"""Bytes at the beginning and the end of a conversation's first message that are looked at before the rest."""

_OPENING = re.compile(rb'"messages"[ \t\r\n]*:[ \t\r\n]*\[')


class Ends(Struct):
    """Where the first of a body's messages end, as many as somebody has asked for.

    Hardly ever does anybody ask: a loop that goes on and on needs to know where the last one ends, and no more.
    """

    known: array[int]


class Text(Value, frozen=True):
    """A body as bytes: its messages begin after `head`, at `start`, the last of them ends at `stop`, and their bracket
    closes at `end`, where `tail` begins. `opening` is how the first of them begins. `since` is a place in
    them: what follows it is compared first, since a mark that has moved shows there.
    """

    raw: bytes
    start: int
    since: int
    stop: int
    end: int
    places: Ends
    head: bytes
    tail: bytes
    opening: bytes

    @property
    def ends(self) -> array[int]:
        """Where each of the messages ends, counted from `start`.

        Raises `JsonError` where they are nested too deeply to be told apart from here.
        """
        known = self.places.known
        if known[-1] < self.stop - self.start:
            comma = self.raw.index(b",", self.start + known[-1])
            known = known[:]
            known.extend(item_ends(b"[" + self.raw[comma + 1 : self.stop] + b"]", comma - self.start))
            self.places.known = known
        return known

    @property
    def size(self) -> int:
        """The length of the messages with their brackets."""
        return self.end - self.start + 2


class Reading(Value, frozen=True):
    """A request body as data.

    `sent` tells which of its messages are those of earlier bodies, `fresh` is the body without all that earlier bodies
    had. `weight` is the length in bytes of what a model would read: messages, system and tools. `text` is what the next
    body is compared with, None where the bytes cannot serve.
    """

    body: JsonObject
    sent: Sent | None = None
    fresh: Mapping[str, object] = MappingProxyType({})
    weight: int = 0
    text: Text | None = None


class Nearest(Value, frozen=True):
    """The earlier body that a new one is most like: the new one's messages begin at `start`, `shared` of them are the
    same, None where all of the earlier one's are.

    With `same_head`, so is what stands before them. `number` is that of the earlier one.
    """

    number: int
    earlier: Reading
    text: Text
    start: int
    shared: int | None
    same_head: bool


class Recent:
    """The newest bodies, by what stands before their messages and how the first of them begins."""

    def __init__(self) -> None:
        self.newest: tuple[Reading, Text] | None = None
        """The body that was added last, unless it was removed."""
        self._number = 0
        self._places: dict[int, tuple[bytes, bytes]] = {}
        self._by_head: dict[bytes, dict[int, dict[bytes, dict[int, Reading]]]] = {}

    def add(self, reading: Reading, text: Text) -> None:
        """Takes in a body; the oldest is forgotten where there are too many."""
        self._number += 1
        self._places[self._number] = text.head, text.opening
        by_opening = self._by_head.setdefault(text.head, {}).setdefault(len(text.opening), {})
        by_opening.setdefault(text.opening, {})[self._number] = reading
        self.newest = reading, text
        if len(self._places) > REMEMBERED:
            self.remove(next(iter(self._places)))

    def renew(self, reading: Reading) -> None:
        """Puts a body in the place of the newest, all of whose messages it has."""
        text = reading.text
        assert text is not None
        self._by_head[text.head][len(text.opening)][text.opening][self._number] = reading
        self.newest = reading, text

    def remove(self, number: int) -> None:
        """Forgets a body."""
        head, opening = self._places.pop(number)
        by_size = self._by_head[head]
        by_opening = by_size[len(opening)]
        gone = by_opening[opening].pop(number)
        if self.newest is not None and self.newest[0] is gone:
            self.newest = None
        if not by_opening[opening]:
            del by_opening[opening]
        if not by_opening:
            del by_size[len(opening)]
        if not by_size:
            del self._by_head[head]

    def nearest(self, raw: bytes) -> Nearest | None:
        """The earlier body with which this one has most messages in common, of several the longest.

        Raises `JsonError` where it cannot be told where an earlier one's messages end.
        """
        alike = [*self._opening_alike(raw)]
        if not alike:
            return None
        alike.sort(key=_length, reverse=True)
        whole = next((at for at, one in enumerate(alike) if has_all(raw, one.start, one.text)), None)
        best, most = None, 0
        if whole is not None:
            best = alike[whole]
            most = 0 if best.earlier.sent is None else best.earlier.sent.last.count
            if not outgrows(raw, best.text):
                return best
        for one in alike[:whole]:  # a longer one may have still more, and have been sent otherwise in the end
            if _ends_alike(raw, one.start, one.text):
                count = _common(raw, one.start, one.text, most)
                if count > most:
                    best, most = structs.replace(one, shared=count), count
        return best

    def _opening_alike(self, raw: bytes) -> Iterator[Nearest]:
        """The bodies whose first message begins as this one's."""
        searched: int | None = None
        for head, by_size in self._by_head.items():
            same, start = raw.startswith(head), len(head)
            if not same:
                searched = start = _messages_start(raw) if searched is None else searched
            if not start:
                continue
            for size, by_opening in by_size.items():
                for number, reading in by_opening.get(raw[start : start + size], {}).items():
                    if reading.text is not None:
                        yield Nearest(number, reading, reading.text, start, None, same)


def _length(one: Nearest) -> tuple[int, int]:
    """By how long its messages are, and then by its number."""
    return one.text.stop - one.text.start, one.number


def outgrows(raw: bytes, text: Text) -> bool:
    """Whether a body is so much longer than one that it has all of that another may well have more of it."""
    return len(raw) > 2 * len(text.raw) + LITTLE


def has_all(raw: bytes, start: int, text: Text) -> bool:
    """Whether a body whose messages begin at `start` seems to have all of a text's."""
    view, since = memoryview(text.raw), text.since
    # where a mark has moved the last messages show it: then the long beginning is compared elsewhere, and once
    return raw.startswith(view[since : text.stop], start + since - text.start) and raw.startswith(
        view[text.start : since], start
    )


def _messages_start(raw: bytes) -> int:
    """Where the messages seem to begin; 0 where that cannot be seen."""
    opening = _OPENING.search(raw)
    return 0 if opening is None else opening.end()


def _ends_alike(raw: bytes, start: int, text: Text) -> bool:
    """Whether the first message may be the same: where its beginning tells conversations not apart, its end does."""
    end = text.places.known[0]
    place = max(0, end - PROBED)
    return raw.startswith(text.raw[text.start + place : text.start + end], start + place)


def _common(raw: bytes, start: int, text: Text, most: int) -> int:
    """How many of a text's messages this body begins with, if more than `most`; otherwise 0."""
    theirs, ends = memoryview(text.raw)[text.start : text.end], text.ends
    low, high = most, len(ends)  # so many may be the same
    # nearly always all but the last few are: that is asked first, so that the long beginning is compared once
    for guess in (high - NEAR, most + 1, high):
        if low < guess <= high:
            begin = ends[low - 1] if low > most else 0
            if raw.startswith(theirs[begin : ends[guess - 1]], start + begin):
                low = guess
            else:
                high = guess - 1
    if low == most:
        return 0
    while low < high:
        middle = (low + high + 1) // 2
        if raw.startswith(theirs[ends[low - 1] : ends[middle - 1]], start + ends[low - 1]):
            low = middle
        else:
            high = middle - 1
    return low

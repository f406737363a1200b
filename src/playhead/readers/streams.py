"""Recorded stream events as exchanges without a request.

Law: knows where one stream ends and the next begins; what events mean is `playhead.wire.stream`'s. Events are taken in
one at a time, and kept only where they are wanted: a long recording has far more of them than its messages are large.

A stream ends with `message_stop` or `error`. A second `message_start` inside it opens a new stream where it names
another message, because the first was cut; the same message again is a duplicate, which the SDK ignores.
"""

from __future__ import annotations

from collections.abc import Iterable

from playhead.readers.source import MAX_KEPT, Source
from playhead.wire.codec import JsonObject
from playhead.wire.exchange import Exchange
from playhead.wire.stream import Accumulator
from playhead.wire.tables import EVENTS

_LAST = ("message_stop", "error")
_QUIET = ("ping",)


def is_event(value: object) -> bool:
    """Whether this is the data of an event of the Messages API."""
    return isinstance(value, dict) and value.get("type") in EVENTS


def keeps_events(source: Source) -> bool:
    """Whether the events of this recording are kept: one rule for the whole file, however many streams it holds."""
    return not source.exceeds(MAX_KEPT)


class Stream:
    """One stream while it is read: what its events have made so far."""

    __slots__ = ("_events", "_made", "_opened", "_over", "_said")

    def __init__(self, *, keep: bool) -> None:
        self._made = Accumulator()
        self._events: list[JsonObject] | None = [] if keep else None
        self._opened: list[object] = []  # the id of its message, once that has started
        self._over = False
        self._said = False

    @property
    def said(self) -> bool:
        """Whether there was anything but pings."""
        return self._said

    def ends_before(self, event: JsonObject) -> bool:
        """Whether this event opens another stream. What follows an end without a start of its own belongs to it."""
        if event.get("type") != "message_start":
            return False
        return self._over or bool(self._opened and self._opened[0] != _identity(event))

    def add(self, event: JsonObject) -> None:
        """Takes in an event."""
        kind = event.get("type")
        if self._events is not None:
            self._events.append(event)
        if kind == "message_start" and not self._opened:
            self._opened.append(_identity(event))
        self._over = self._over or kind in _LAST
        self._said = self._said or kind not in _QUIET
        self._made.add(event)

    def answer(self) -> dict[str, object]:
        """The fields of its exchange: the accumulated message, whether it ended as it should, its error."""
        self._made.close()
        return {
            "status": 200,
            "response": self._made.message,
            "complete": self._made.complete,
            "error": self._made.error,
            "events": None if self._events is None else tuple(self._events),
        }


def _identity(event: JsonObject) -> object:
    message = event.get("message")
    return message.get("id") if isinstance(message, dict) else None


def stream_exchanges(events: Iterable[JsonObject], *, keep: bool = True) -> tuple[Exchange, ...]:
    """The exchanges of all streams; a rest of nothing but pings is none. `keep` says whether they have the events."""
    found: list[Exchange] = []
    stream = Stream(keep=keep)
    for event in events:
        if stream.ends_before(event):
            found += _exchange(stream)
            stream = Stream(keep=keep)
        stream.add(event)
    found += _exchange(stream)
    return tuple(found)


def _exchange(stream: Stream) -> list[Exchange]:
    return [Exchange(**stream.answer())] if stream.said else []  # type: ignore[arg-type]

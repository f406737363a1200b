"""Recorded stream events as exchanges without a request.

Law: knows where one stream ends and the next begins; what events mean is `playhead.wire.stream`'s.

A stream ends with `message_stop` or `error`. A second `message_start` inside it opens a new stream where it names
another message, because the first was cut; the same message again is a duplicate, which the SDK ignores.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from playhead.wire.codec import JsonObject
from playhead.wire.exchange import Exchange
from playhead.wire.stream import Accumulator, accumulate
from playhead.wire.tables import EVENTS

_LAST = ("message_stop", "error")
_QUIET = ("ping",)


def is_event(value: object) -> bool:
    """Whether this is the data of an event of the Messages API."""
    return isinstance(value, dict) and value.get("type") in EVENTS


def split_streams(events: Iterable[JsonObject]) -> Iterator[list[JsonObject]]:
    """The events of each stream."""
    current: list[JsonObject] = []
    over = False
    for event in events:
        kind = event.get("type")
        begins = kind == "message_start" and (over or _other_message(current, event))
        # what follows an end without a start of its own (a late ping, say) still belongs to it
        if begins and current:
            yield current
            current, over = [], False
        current.append(event)
        over = over or kind in _LAST
    if current:
        yield current


def _other_message(current: list[JsonObject], event: JsonObject) -> bool:
    opened = next((_identity(earlier) for earlier in current if earlier.get("type") == "message_start"), None)
    return opened is not None and opened != _identity(event)


def _identity(event: JsonObject) -> object:
    message = event.get("message")
    return message.get("id") if isinstance(message, dict) else None


def stream_exchange(events: list[JsonObject]) -> Exchange:
    """The exchange of one stream: its accumulated message, whether it ended as it should, its error."""
    made: Accumulator = accumulate(events)
    return Exchange(status=200, response=made.message, complete=made.complete, error=made.error, events=tuple(events))


def stream_exchanges(events: Iterable[JsonObject]) -> tuple[Exchange, ...]:
    """The exchanges of all streams; a rest of nothing but pings is none."""
    return tuple(
        stream_exchange(stream)
        for stream in split_streams(events)
        if any(event.get("type") not in _QUIET for event in stream)
    )

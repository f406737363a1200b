"""What can be wrong with the bytes of an answer that says 200: a table of damages.

Law: pure functions from events, or from a JSON body, to bytes; data that programs and documents read. Where a stream
merely ends too early, it is cut; here it comes to its end and is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from playhead.wire.codec import JsonObject, encode
from playhead.wire.sse import encode_event
from playhead.wire.stream import accumulate, pieces_of, stream_of

EVENT_STREAM = "text/event-stream; charset=utf-8"
JSON = "application/json"
_HTML = b"<html><head><title>502 Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>\n"

Events = Sequence[JsonObject]
OnStream = Callable[[Events, int], list[bytes]]
OnBody = Callable[[JsonObject], bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """One way for an answer to be wrong.

    `on_stream` makes the pieces of a stream from its events and the place where the damage is to be (a position among
    the events); `on_body` makes a JSON answer's body from its message. None where it makes no sense for that answer.
    `content_types` are those of a stream and of a body. `placed` says that the place matters.
    """

    name: str
    what: str
    on_stream: OnStream | None = None
    on_body: OnBody | None = None
    content_types: tuple[str, str] = (EVENT_STREAM, JSON)
    placed: bool = False


def middle(events: Events) -> int:
    """Where a damage is put unless it is told: the first event that brings a piece of content, else the second."""
    deltas = (at for at, event in enumerate(events) if _is_delta(event))
    return next(deltas, min(1, len(events) - 1))


def _is_delta(event: JsonObject) -> bool:
    # an empty piece of input opens every call; damage there would show in nothing
    return bool(event["type"] == "content_block_delta" and event["delta"].get("partial_json") != "")


def _without(kind: str) -> OnStream:
    """The stream without its first event of a type."""

    def drop(events: Events, at: int) -> list[bytes]:
        first = next((place for place, event in enumerate(events) if event["type"] == kind), len(events))
        return pieces_of([event for place, event in enumerate(events) if place != first])

    return drop


def _with(*added: JsonObject) -> OnStream:
    """The stream with further events before the one at the place."""
    return lambda events, at: pieces_of([*events[:at], *added, *events[at:]])


def _replaced(data: Callable[[bytes], bytes]) -> OnStream:
    """The stream with other data in the event at the place."""

    def replace(events: Events, at: int) -> list[bytes]:
        pieces = pieces_of(events)
        pieces[at] = encode_event(str(events[at]["type"]), data(encode(events[at])))
        return pieces

    return replace


def _whole(body: bytes) -> OnStream:
    return lambda events, at: [body]


def _repeated_start(events: Events, at: int) -> list[bytes]:
    return pieces_of([events[0], *events])


def _after_the_end(events: Events, at: int) -> list[bytes]:
    return pieces_of([*events, *(event for event in events if event["type"].startswith("content_block"))])


def _gap(events: Events, at: int) -> list[bytes]:
    return pieces_of([{**event, "index": event["index"] + 1} if "index" in event else event for event in events])


def _unnamed(events: Events, at: int) -> list[bytes]:
    return [b"data: " + encode(event) + b"\n\n" for event in events]


def _unknown_block(events: Events, at: int) -> list[bytes]:
    """A block of a type that nobody knows, after all others."""
    index = sum(event["type"] == "content_block_start" for event in events)
    block = {"type": "content_block_start", "index": index, "content_block": {"type": "future_block", "data": "x"}}
    end = next((place for place, event in enumerate(events) if event["type"] == "message_delta"), len(events))
    return pieces_of([*events[:end], block, {"type": "content_block_stop", "index": index}, *events[end:]])


def _message_body(events: Events, at: int) -> list[bytes]:
    """What the answer would be if nobody had asked for a stream."""
    return [encode(accumulate(events).message)]


def _unreadable(data: bytes) -> bytes:
    return data[: max(1, len(data) - 2)]


def _not_utf8(data: bytes) -> bytes:
    """Puts the bytes inside the last string, so that a reader that forgives them finds whole JSON."""
    end = data.rfind(b'"')
    return data[:end] + b"\xff\xfe" + data[end:]


def _as_stream(message: JsonObject) -> bytes:
    return b"".join(stream_of(message))


_UNKNOWN_EVENT: JsonObject = {"type": "some_future_event", "value": 1}
_UNKNOWN_DELTA: JsonObject = {
    "type": "content_block_delta",
    "index": 0,
    "delta": {"type": "some_future_delta", "value": "x"},
}

_DAMAGES = (
    Damage(
        name="malformed_json",
        what="data that is cut JSON",
        on_stream=_replaced(_unreadable),
        on_body=lambda message: _unreadable(encode(message)),
        placed=True,
    ),
    Damage(
        name="invalid_utf8",
        what="bytes that are no UTF-8",
        on_stream=_replaced(_not_utf8),
        on_body=lambda message: _not_utf8(encode(message)),
        placed=True,
    ),
    Damage(
        name="empty_data",
        what="an event with empty data",
        on_stream=_replaced(lambda data: b""),
        placed=True,
    ),
    Damage(name="unknown_event", what="an event of an unknown type", on_stream=_with(_UNKNOWN_EVENT), placed=True),
    Damage(name="unknown_delta", what="a delta of an unknown type", on_stream=_with(_UNKNOWN_DELTA), placed=True),
    Damage(name="unknown_block", what="a block of an unknown type", on_stream=_unknown_block),
    Damage(name="missing_message_start", what="no message_start", on_stream=_without("message_start")),
    Damage(name="missing_block_start", what="no content_block_start", on_stream=_without("content_block_start")),
    Damage(name="missing_block_stop", what="no content_block_stop", on_stream=_without("content_block_stop")),
    Damage(name="missing_message_delta", what="no message_delta", on_stream=_without("message_delta")),
    Damage(name="missing_message_stop", what="no message_stop", on_stream=_without("message_stop")),
    Damage(name="duplicate_message_start", what="message_start twice", on_stream=_repeated_start),
    Damage(name="events_after_end", what="blocks again after message_stop", on_stream=_after_the_end),
    Damage(name="index_gap", what="block indexes that begin at 1", on_stream=_gap),
    Damage(name="unnamed_events", what="events without their `event:` line", on_stream=_unnamed),
    Damage(
        name="wrong_content_type",
        what="another content type than the body has",
        on_stream=lambda events, at: pieces_of(events),
        on_body=encode,
        content_types=(JSON, "text/plain; charset=utf-8"),
    ),
    Damage(name="empty_body", what="no body", on_stream=_whole(b""), on_body=lambda message: b""),
    Damage(
        name="html",
        what="a web page, as a proxy sends it",
        on_stream=_whole(_HTML),
        on_body=lambda message: _HTML,
        content_types=("text/html", "text/html"),
    ),
    Damage(
        name="wrong_shape",
        what="JSON that is no message",
        on_stream=_whole(b'{"ok":true}'),
        on_body=lambda message: b'{"ok":true}',
        content_types=(JSON, JSON),
    ),
    Damage(
        name="json_for_stream",
        what="a JSON body where a stream was asked for",
        on_stream=_message_body,
        content_types=(JSON, JSON),
    ),
    Damage(
        name="stream_for_json",
        what="a stream where JSON was asked for",
        on_body=_as_stream,
        content_types=(EVENT_STREAM, EVENT_STREAM),
    ),
)

DAMAGES: Mapping[str, Damage] = MappingProxyType({damage.name: damage for damage in _DAMAGES})
"""Every damage by its name."""

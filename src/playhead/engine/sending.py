"""A message or a fault made into an answer's bytes, and what the client can have understood of them.

Law: pure. Damage comes first, then the cut, then the writes and their times, as on a real way. What is understood is
what the SDK reads (anthropic 2.14.0, `_streaming.py`, `_response.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType

from playhead.engine.compose import body_of
from playhead.engine.http import FOR_EVER, Fault, Outgoing, Timeouts, json_answer, no_answer
from playhead.errors import ScriptError
from playhead.rules.checker import error_body
from playhead.script.faults import USUAL, Break, Chunks, Delivery, Drop, Fail, Raw, Sent, usual_message
from playhead.wire.codec import JsonError, JsonObject, decode_object
from playhead.wire.damage import DAMAGES, EVENT_STREAM, JSON, Damage, middle
from playhead.wire.sse import EventDecoder, ServerSentEvent
from playhead.wire.stream import Accumulator, event_bytes, event_data, events_of, stream_of
from playhead.wire.tables import ERROR_STATUS
from playhead.wire.value import Value

_FAULTS: Mapping[str, Fault | None] = {"reset": "read", "close": "close", "timeout": "timeout", "end": None}
_WAITED: Mapping[str, str] = {"timeout": "read", "connect_timeout": "connect", "write_timeout": "write"}
"""For which of its timeouts a client waits before it gives up."""


class Sending(Value, frozen=True):
    """What goes out, and the fields of the exchange that tell what came of it."""

    outgoing: Outgoing
    seen: Mapping[str, object]


class Asked(Value, frozen=True):
    """What of a request decides how its answer travels."""

    request_id: str
    stream: bool = False
    timeouts: Timeouts = FOR_EVER


@dataclass(slots=True, kw_only=True)
class _Body:
    """A body on its way: in pieces that may be written apart, and how it ends."""

    pieces: list[bytes]
    content_type: str
    fault: Fault | None = None
    changed: bool = False


def send(message: JsonObject, sent: Sent, asked: Asked, texts: Mapping[int, str] = MappingProxyType({})) -> Sending:
    """A message on its way to the client. `texts` are inputs to be streamed to the letter.

    Raises `ScriptError` for a damage that this kind of answer cannot have.
    """
    delivery = sent.delivery or USUAL
    if sent.broken is not None and sent.broken.how == "error" and not asked.stream:
        return _refused(sent.broken, asked)
    pieces = stream_of(message, piece=delivery.pieces, texts=texts) if asked.stream else [body_of(message, texts)]
    body = _Body(pieces=pieces, content_type=EVENT_STREAM if asked.stream else JSON)
    if sent.damage is not None:
        events = [*events_of(message, piece=delivery.pieces, texts=texts)] if asked.stream else []
        _damage(body, DAMAGES[sent.damage], message, events, sent.at)
    if delivery.newline != "\n" and body.content_type == EVENT_STREAM:
        body.pieces = [piece.replace(b"\n", delivery.newline.encode()) for piece in body.pieces]
    if sent.broken is not None:
        _cut(body, sent.broken, _share(message, delivery, sent.broken) if not asked.stream else None)
    return _sending(body, message, delivery, asked)


def send_at_once(message: JsonObject, asked: Asked, texts: Mapping[int, str] = MappingProxyType({})) -> Sending:
    """A message that travels as JSON, whole and unharmed."""
    headers = {"content-type": JSON, "request-id": asked.request_id}
    outgoing = Outgoing(status=200, headers=headers, chunks=(body_of(message, texts),))
    return Sending(outgoing=outgoing, seen={"status": 200, "response_headers": headers, "response": message})


def _damage(body: _Body, damage: Damage, message: JsonObject, events: Sequence[JsonObject], at: int | None) -> None:
    streams = bool(events)
    made: list[bytes] | None = None
    if streams and damage.on_stream is not None:
        made = damage.on_stream(events, middle(events) if at is None else min(at, len(events) - 1))
    elif not streams and damage.on_body is not None:
        made = [damage.on_body(message)]
    if made is None:
        answers, asks = ("a JSON answer", "a stream") if streams else ("a stream", "none")
        raise ScriptError(f"damage({damage.name!r}) is one of {answers}, and the request asks for {asks}")
    content_type = damage.content_types[0 if streams else 1]
    if made == body.pieces and content_type == body.content_type:
        raise ScriptError(f"damage({damage.name!r}) finds nothing in this reply that it could damage: give it content")
    body.pieces, body.content_type, body.changed = made, content_type, True


def _share(message: JsonObject, delivery: Delivery, broken: Break) -> float | None:
    """The share of a JSON body that comes before the break: that of the events which a stream of it would have."""
    if broken.events is None:
        return None
    total = sum(1 for _ in events_of(message, piece=delivery.pieces))
    return min(1.0, broken.events / total)


def _cut(body: _Body, broken: Break, share: float | None) -> None:
    """Leaves what comes before the break; `share` tells it for a body that has no events."""
    size = sum(map(len, body.pieces))
    if broken.bytes is not None:
        keep = broken.bytes
    elif share is not None:
        keep = int(size * share)
    elif len(body.pieces) == 1:
        keep = size // 2
    else:
        count = len(body.pieces) // 2 if broken.events is None else broken.events
        keep = sum(map(len, body.pieces[:count]))
    kept = []
    for piece in body.pieces:
        kept.append(piece[: max(0, keep)])
        keep -= len(piece)
    body.pieces, body.changed = [piece for piece in kept if piece], True
    if broken.how == "error":
        body.pieces.append(event_bytes(_error_event(broken.error)))
    else:
        body.fault = _FAULTS[broken.how]


def _error_event(error: str) -> JsonObject:
    return {"type": "error", "error": {"type": error, "message": usual_message(error)}}


def _refused(broken: Break, asked: Asked) -> Sending:
    """What is an error event in a stream is an HTTP error where none was asked for."""
    error = {"type": broken.error, "message": usual_message(broken.error)}
    headers = MappingProxyType({"retry-after-ms": "1"})
    return send_fault(Fail(status=ERROR_STATUS[broken.error], error=error, headers=headers), asked)


def _sending(body: _Body, message: JsonObject, delivery: Delivery, asked: Asked) -> Sending:
    chunks = split(body.pieces, delivery.chunks)
    waits = (0.0, *[delivery.pace] * (len(chunks) - 1)) if delivery.pace and chunks else ()
    headers = {"content-type": body.content_type, "request-id": asked.request_id}
    if asked.stream:
        headers["cache-control"] = "no-cache"
    headers.update(delivery.headers)
    patience = asked.timeouts.read
    if patience is not None and delivery.delay > patience:
        return _nothing("timeout", patience)
    fault, changed = body.fault, body.changed
    if patience is not None and delivery.pace > patience and len(chunks) > 1:
        chunks, waits, fault, changed = chunks[:1], (), "timeout", True
    outgoing = Outgoing(
        status=200,
        headers=headers,
        chunks=tuple(chunks),
        waits=waits,
        delay=delivery.delay,
        fault=fault,
        late=_patience("timeout", asked.timeouts) if fault == "timeout" else 0.0,
    )
    whole: Mapping[str, object] = {"status": 200, "response_headers": headers, "response": message}
    return Sending(outgoing=outgoing, seen=understood(outgoing, stream=asked.stream) if changed else whole)


def _patience(how: str, timeouts: Timeouts) -> float:
    """The seconds after which a client takes it that nothing more comes; one that waits for ever is told at once."""
    return getattr(timeouts, _WAITED[how]) or 0.0 if how in _WAITED else 0.0


def _nothing(fault: Fault, late: float) -> Sending:
    return Sending(outgoing=no_answer(fault, late), seen={"status": None, "complete": False})


def split(pieces: Sequence[bytes], chunks: Chunks) -> list[bytes]:
    """The writes in which a body leaves; nothing is lost, and no write is empty."""
    if chunks == "event":
        return [*pieces]
    body = b"".join(pieces)
    if chunks == "whole":
        return [body] if body else []
    if chunks == "byte":
        chunks = 1
    ends = range(chunks, len(body), chunks) if isinstance(chunks, int) else chunks
    places = sorted({0, len(body), *(end for end in ends if end < len(body))})
    return [body[start:end] for start, end in pairwise(places)]


def send_fault(step: Fail | Drop | Raw, asked: Asked) -> Sending:
    """An answer that is no message: an HTTP error, a connection that fails, bytes as they stand."""
    if isinstance(step, Drop):
        return _nothing(step.how, _patience(step.how, asked.timeouts))
    if isinstance(step, Raw):
        headers = {"request-id": asked.request_id, **step.headers}
        outgoing = Outgoing(status=step.status, headers=headers, chunks=step.chunks)
        return Sending(outgoing=outgoing, seen=understood(outgoing, stream=asked.stream))
    error = step.error
    body = error_body(error["type"], error["message"], asked.request_id, **error.get("details", {}))
    answer = json_answer(step.status, body, asked.request_id, **step.headers)
    seen = {"status": step.status, "response_headers": answer.headers, "error": body["error"]}
    return Sending(outgoing=answer, seen=seen)


def understood(answer: Outgoing, *, stream: bool = False) -> Mapping[str, object]:
    """What a client that asked for a stream, or for none, can read from an answer's bytes, as fields of an exchange.

    Of a stream: the message as far as it came. What the content type says is not looked at.
    """
    told: dict[str, object] = {"status": answer.status, "response_headers": answer.headers}
    refused = answer.status >= 400
    if stream and not refused:
        return {**told, **_of_stream(answer)}
    try:
        value = decode_object(answer.body)
    except JsonError:
        return {**told, "complete": False}
    error = value.get("error")
    if refused or value.get("type") == "error":
        return {**told, "error": error if isinstance(error, dict) else {"type": "api_error", "message": str(error)}}
    return {**told, "response": value, "complete": answer.fault is None and isinstance(value.get("content"), list)}


def _of_stream(answer: Outgoing) -> dict[str, object]:
    body, made = answer.body, Accumulator()
    try:
        body.decode()
        readable = True
    except UnicodeDecodeError as error:
        # a reader decodes line by line: the event in which these bytes stand is the first that it cannot read
        body, readable = body[: error.start], False
    ended, taken = False, []
    for event in _events(body):
        if event.name in ("", "ping") or not event.data:
            continue  # nobody looks at these
        try:
            data = event_data(event)
        except JsonError:
            readable = False
            break
        taken.append({**data, "type": "error"} if event.name == "error" else data)
        made.add(taken[-1])
        ended = ended or data.get("type") == "message_stop"
        if made.error is not None:
            break
    made.close()
    whole = ended and readable and made.message is not None and made.error is None and not made.left_out
    return {
        "response": made.message,
        "complete": whole and answer.fault is None,
        "error": made.error,
        "events": tuple(taken),
    }


def _events(body: bytes) -> list[ServerSentEvent]:
    """The events whose blank line has come. A CR at the very end ends its line, whether or not an LF were to follow."""
    decoder = EventDecoder()
    events = decoder.feed(body)
    return events + decoder.feed(b"\n") if body.endswith(b"\r") else events

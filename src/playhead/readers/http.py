"""A recorded HTTP call to an exchange, or to the reason why it is none.

Law: the one place where recorded bodies become requests, messages, errors and events; formats only find the parts.

A call to Claude on Bedrock or Vertex is told as the call to `/v1/messages` that it stands for, the way the SDK's own
clients for these clouds translate, undone: `model` and `stream` from the URL, `anthropic_version` and `anthropic_beta`
from the body to the headers. `path` is then `/v1/messages`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from playhead.readers.body import BodyError, unpack
from playhead.readers.call import Call, Unreadable
from playhead.readers.depth import TOO_DEEP, is_too_deep
from playhead.readers.vendors import Endpoint, endpoint
from playhead.wire.codec import JsonError, JsonObject, decode
from playhead.wire.event_stream import FrameError, is_event_stream
from playhead.wire.event_stream import events as event_stream_events
from playhead.wire.exchange import Exchange
from playhead.wire.reading import Bodies
from playhead.wire.recent import Reading
from playhead.wire.sse import decode_events
from playhead.wire.stream import accumulate
from playhead.wire.tables import ERROR_STATUS


def exchange_of(call: Call, number: int = 1, bodies: Bodies | None = None) -> Exchange | str:
    """The exchange that a call is, with that number, or the reason to pass it over.

    `bodies` has read the requests before it in the recording, so that what this one resends is the same objects. Raises
    `Unreadable` for a Claude call whose body is damaged.
    """
    asking = f"{call.place}.request.body"
    request = _Body.read(call.request_body, call.request_headers or {}, asking, bodies or Bodies())
    answer = _Body.read(call.response_body, call.response_headers, f"{call.place}.response.body")
    first = answer.events[0] if answer.events else answer.value
    found = endpoint(call, request.value, first)
    if isinstance(found, str):
        return found
    for body in (request, answer):
        if body.problem:
            raise Unreadable(body.place, body.problem)
    if is_too_deep(request.value if request.reading is None else request.reading.fresh):
        raise Unreadable(request.place, TOO_DEEP)
    asked, headers = _asked(found, request.value, call.request_headers)
    return Exchange(
        number=number,
        method=call.method.upper(),
        path=found.path,
        headers=headers,
        request=asked,
        sent=None if request.reading is None else request.reading.sent,
        response_headers=call.response_headers,
        **_answered(found, call.status, answer),  # type: ignore[arg-type]
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Body:
    """A body that has been looked at: its JSON value, or the events of a stream, or neither, and what is wrong with it.

    `whole` is False where a stream was cut inside an event. What is wrong matters only once the call is Claude's. A
    request's object is a `reading` as well.
    """

    place: str
    value: object = None
    events: tuple[JsonObject, ...] = ()
    text: str = ""
    whole: bool = True
    problem: str = ""
    reading: Reading | None = None

    @classmethod
    def read(cls, body: object, headers: Mapping[str, str], place: str, bodies: Bodies | None = None) -> _Body:
        if body is None or body == "" or body == b"":
            return cls(place=place)
        try:
            # an AWS event stream is whole as it is, and might be taken for what the header promises
            framed = isinstance(body, bytes) and is_event_stream(body)
            plain = body if framed else unpack(body, headers.get("content-encoding", "").lower())
        except BodyError as error:
            return cls(place=place, problem=str(error))
        if bodies is not None and isinstance(plain, dict):
            return cls.of(bodies.take(plain), place)
        if not isinstance(plain, str | bytes):
            return cls(place=place, value=plain)
        start = plain[:64].lstrip()
        if bodies is not None and start[:1] in ("{", b"{"):
            return _read_object(plain, place, bodies)
        for looks_like, reader in _READERS:
            if looks_like(start, plain):
                return reader(plain, place)
        return cls(place=place, text=_text(plain[:2000]))

    @classmethod
    def of(cls, reading: Reading, place: str) -> _Body:
        return cls(place=place, value=reading.body, reading=reading)


def _text(body: str | bytes) -> str:
    return body if isinstance(body, str) else body.decode("utf-8", "replace")


def _bytes(body: str | bytes) -> bytes:
    return body.encode("utf-8", "surrogatepass") if isinstance(body, str) else body


def _looks_like_json(start: str | bytes, body: str | bytes) -> bool:
    return start[:1] in ("{", "[", b"{", b"[")


def _read_json(body: str | bytes, place: str) -> _Body:
    try:
        return _Body(place=place, value=decode(body))
    except JsonError as error:
        return _no_json(body, place, error)


def _read_object(body: str | bytes, place: str, bodies: Bodies) -> _Body:
    """A request's body, of which only what is new is parsed."""
    try:
        return _Body.of(bodies.read(_bytes(body)), place)
    except JsonError as error:
        return _no_json(body, place, error)


def _no_json(body: str | bytes, place: str, error: JsonError) -> _Body:
    # a text that only begins like JSON ("[REDACTED]", JSON lines) is a body that tells nothing
    problem = "" if _is_redacted(body) else f"the body is no JSON: {error}"
    return _Body(place=place, text=_text(body[:2000]), problem=problem)


def _is_redacted(body: str | bytes) -> bool:
    text = _text(body[:64]).lstrip()
    return text[1:2].isalpha() or "}\n{" in _text(body)


def _looks_like_events(start: str | bytes, body: str | bytes) -> bool:
    head = start if isinstance(start, str) else start.decode("latin-1")
    return head.startswith(("event:", "data:", ":", "id:", "retry:", "\ufeffevent:"))


def _read_events(body: str | bytes, place: str) -> _Body:
    stream = _bytes(body)
    data = [event.data for event in decode_events(stream)] if b"\r" in stream else _data_of_plain_stream(stream)
    # gateways end a stream as OpenAI does
    data = [one for one in data if one and one.strip() != b"[DONE]"]
    try:
        values = decode(b"[" + b",".join(data) + b"]")
    except JsonError:
        return _read_damaged_events(data, place)
    if len(values) != len(data):
        return _read_damaged_events(data, place)
    return _Body(place=place, events=_objects(values))


def _data_of_plain_stream(stream: bytes) -> list[bytes]:
    """The data of each event, read quickly where each is `event:` and one `data:` line, as the API writes them."""
    found: list[bytes] = []
    for block in stream.split(b"\n\n"):
        name, separator, data = block.partition(b"\ndata: ")
        if not separator or b"\n" in data or b"\n" in name or not name.startswith(b"event: "):
            if not block.strip(b"\n"):
                continue
            return [event.data for event in decode_events(stream)]
        found.append(data)
    return found


def _objects(values: object) -> tuple[JsonObject, ...]:
    return tuple(value for value in values if isinstance(value, dict)) if isinstance(values, list) else ()


def _read_damaged_events(data: list[bytes], place: str) -> _Body:
    """The events up to one that is no JSON. The last may have been cut; an unreadable one before it is damage."""
    values: list[object] = []
    for number, one in enumerate(data, 1):
        try:
            values.append(decode(one))
        except JsonError as error:
            problem = "" if number == len(data) else f"the data of event {number} is no JSON: {error}"
            return _Body(place=place, events=_objects(values), whole=False, problem=problem)
    return _Body(place=place, events=_objects(values))


def _looks_like_frames(start: str | bytes, body: str | bytes) -> bool:
    return isinstance(body, bytes) and is_event_stream(body)


def _read_frames(body: str | bytes, place: str) -> _Body:
    try:
        return _Body(place=place, events=tuple(event_stream_events(_bytes(body))))
    except FrameError as error:
        return _Body(place=place, problem=str(error))


_READERS: tuple[tuple[Callable[[str | bytes, str | bytes], bool], Callable[[str | bytes, str], _Body]], ...] = (
    (_looks_like_json, _read_json),
    (_looks_like_events, _read_events),
    (_looks_like_frames, _read_frames),
)


def _asked(
    found: Endpoint, request: object, headers: Mapping[str, str] | None
) -> tuple[JsonObject | None, Mapping[str, str] | None]:
    """Request and headers as the Messages API has them."""
    if not isinstance(request, dict):
        return None, headers
    if not found.cloud:
        return request, headers
    body = {"model": found.model, **request}
    version, betas = body.pop("anthropic_version", None), body.pop("anthropic_beta", None)
    if found.streams:
        body["stream"] = True
    moved = {}
    if isinstance(version, str):
        moved["anthropic-version"] = version
    if isinstance(betas, list):
        moved["anthropic-beta"] = ",".join(str(beta) for beta in betas)
    return body, None if headers is None else {**headers, **moved}


def _answered(found: Endpoint, status: int | None, answer: _Body) -> dict[str, object]:
    """The fields of an `Exchange` that tell its answer."""
    if answer.events:
        made = accumulate(answer.events)
        return {
            "status": status,
            "response": made.message,
            # streams of other endpoints (`/v1/complete`) have an end of their own
            "complete": answer.whole and (made.complete or not found.messages),
            "error": made.error,
            "events": answer.events,
        }
    value = answer.value if isinstance(answer.value, dict) else None
    if (status or 200) >= 400 or (value is not None and value.get("type") == "error"):
        return {"status": status, "error": _error(status, value, answer.text)}
    return {"status": status, "response": value}


_ERROR_TYPES = {status: name for name, status in ERROR_STATUS.items()}


def _error(status: int | None, value: JsonObject | None, text: str) -> JsonObject:
    """The `error` object of an answer; of an answer that has none, one with its text."""
    error = None if value is None else value.get("error")
    if isinstance(error, dict):
        return error
    message = error or (value or {}).get("message") or text
    return {"type": _ERROR_TYPES.get(status or 500, "api_error"), "message": str(message)}

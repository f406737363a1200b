"""Stream events to a message, and a message to stream events.

Law: pure; both directions follow the tables, and what these do not know is kept as it came.

Accumulation equals the SDK's (anthropic 2.14.0, `lib/streaming/_messages.py` and `_beta_messages.py`) for every stream
that ends well. It differs on purpose where a stream is damaged: the SDK hands out a tool input parsed from the part
that arrived; here `complete` is False, and `unparsed` keeps the text that is no JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType, NoneType
from typing import Any

from playhead.wire.codec import JsonError, JsonObject, decode, encode, encode_each, encode_text
from playhead.wire.sse import ServerSentEvent, encode_event
from playhead.wire.tables import BLOCKS, USAGE_AT_END, USAGE_AT_START
from playhead.wire.value import Value

EventData = JsonObject
"""The data of one event: an object with a `type`."""

MOST_PROBLEMS = 20
"""How many problems of one stream are told one by one."""


class Accumulator:
    """Takes a stream's events in order; `message` is what they have made so far.

    `problems` lists, as sentences, the events that did not fit the grammar, the first of them and how many more there
    were. Such an event changes nothing, save that a block which starts under a wrong index is kept, as the SDK keeps
    it. `left_out` counts those with which the SDK cannot go on.
    """

    def __init__(self) -> None:
        self.message: JsonObject | None = None
        self.error: JsonObject | None = None
        self.complete = False
        self.unparsed: dict[int, str] = {}
        self.left_out = 0
        self._problems: list[str] = []
        self._more = 0
        self._partial: dict[int, list[str]] = {}

    @property
    def problems(self) -> list[str]:
        return [*self._problems, f"and {self._more:,} more"] if self._more else [*self._problems]

    def _note(self, problem: str) -> None:
        # a stream that went wrong once is often wrong in every event, and a recording may hold millions
        if len(self._problems) < MOST_PROBLEMS:
            self._problems.append(problem)
        else:
            self._more += 1

    def add(self, event: EventData) -> None:
        """Takes one event's data."""
        kind = event.get("type")
        handler = _HANDLERS.get(kind) if isinstance(kind, str) else None
        if handler is None:
            return  # the grammar grows: unknown events are allowed anywhere
        if self.message is None and kind not in ("message_start", "error", "ping"):
            self._note(f"{kind} before message_start")
            return
        try:
            handler(self, event)
        except (KeyError, IndexError, TypeError, ValueError, AttributeError):
            self._note(f"{kind} with members missing or of the wrong kind")
            self.left_out += 1

    def close(self) -> None:
        """Says that the stream is over: inputs still open are parsed as far as they are JSON."""
        for index in [*self._partial]:
            self._parse_input(index)

    def _start(self, event: EventData) -> None:
        if self.message is not None:
            self._note("a second message_start")
            return
        message = event["message"]
        content = [_own(block) for block in message.get("content") or []]
        self.message = {**message, "content": content, "usage": dict(message.get("usage") or {})}

    def _block_start(self, event: EventData) -> None:
        assert self.message is not None
        block = _own(event["content_block"])
        # the last hop's block names the model that served the reply
        model = block["to"]["model"] if block.get("type") == "fallback" else self.message.get("model")
        expected = len(self._content)
        if event.get("index", expected) != expected:
            self._note(f"content_block_start with index {str(event['index'])[:40]}, {expected} is next")
        self._content.append(block)
        if "model" in self.message or model is not None:
            self.message["model"] = model

    def _block_delta(self, event: EventData) -> None:
        index, delta = event["index"], event["delta"]
        block = self._block(index)
        merge = _DELTAS.get(delta["type"])
        if delta["type"] == "input_json_delta":
            piece = delta["partial_json"]
            if not isinstance(piece, str):
                raise TypeError(piece)
            self._partial.setdefault(index, []).append(piece)
        elif merge is not None:
            merge(block, delta)

    def _block_stop(self, event: EventData) -> None:
        self._block(event["index"])
        self._parse_input(event["index"])

    def _message_delta(self, event: EventData) -> None:
        assert self.message is not None
        message, delta = self.message, event["delta"]
        counts = {key: count for key, count in (event.get("usage") or {}).items() if count is not None}
        for key in ("stop_reason", "stop_sequence", "stop_details"):
            if key in delta or key in message:
                message[key] = delta.get(key)
        for key, value in delta.items():
            if value is not None:
                message[key] = value
        for key in ("context_management", "input_transformations"):
            if event.get(key) is not None:
                message[key] = event[key]
        # counts are cumulative: they replace; a null or absent one leaves what message_start said
        message["usage"].update(counts)

    def _stop(self, event: EventData) -> None:
        self.complete = not self._partial and self.error is None
        self.close()

    def _error(self, event: EventData) -> None:
        error = event.get("error")
        self.error = error if isinstance(error, dict) else {"type": "api_error", "message": str(error)}

    def _ping(self, event: EventData) -> None:
        """Carries nothing."""

    @property
    def _content(self) -> list[JsonObject]:
        assert self.message is not None
        content: list[JsonObject] = self.message["content"]
        return content

    def _block(self, index: int) -> JsonObject:
        if index < 0:
            raise IndexError(index)  # Python would count from the end
        return self._content[index]

    def _parse_input(self, index: int) -> None:
        text = "".join(self._partial.pop(index, ()))
        if not text:
            return  # no piece, or only empty ones: the input stays what content_block_start said, `{}`
        try:
            self._content[index]["input"] = decode(text)
        except JsonError:
            self.unparsed[index] = text


_HANDLERS: Mapping[str, Callable[[Accumulator, EventData], None]] = {
    "message_start": Accumulator._start,
    "content_block_start": Accumulator._block_start,
    "content_block_delta": Accumulator._block_delta,
    "content_block_stop": Accumulator._block_stop,
    "message_delta": Accumulator._message_delta,
    "message_stop": Accumulator._stop,
    "error": Accumulator._error,
    "ping": Accumulator._ping,
}


def _own(block: JsonObject) -> JsonObject:
    """A block that deltas may change: they replace its members, and add to the list of its citations."""
    own = dict(block)
    if isinstance(own.get("citations"), list):
        own["citations"] = [*own["citations"]]
    return own


def _append_text(block: JsonObject, delta: JsonObject) -> None:
    _append(block, "text", delta["text"])


def _append_thinking(block: JsonObject, delta: JsonObject) -> None:
    _append(block, "thinking", delta["thinking"])


def _append(block: JsonObject, member: str, piece: object) -> None:
    if not isinstance(piece, str):
        raise TypeError(piece)
    text = block.get(member) or ""
    if not isinstance(text, str):
        raise TypeError(text)
    # CPython grows a string in place while nothing else holds it; else each delta would copy all the text before it
    block[member] = None
    text += piece
    block[member] = text


def _set_signature(block: JsonObject, delta: JsonObject) -> None:
    block["signature"] = delta["signature"]


def _append_citation(block: JsonObject, delta: JsonObject) -> None:
    citation = delta["citation"]
    if not block.get("citations"):
        block["citations"] = []
    block["citations"].append(citation)


def _set_compaction(block: JsonObject, delta: JsonObject) -> None:
    block.update({key: value for key, value in delta.items() if key != "type"})


_DELTAS: Mapping[str, Callable[[JsonObject, JsonObject], None]] = {
    "text_delta": _append_text,
    "thinking_delta": _append_thinking,
    "signature_delta": _set_signature,
    "citations_delta": _append_citation,
    "compaction_delta": _set_compaction,
}


def accumulate(events: Iterable[EventData]) -> Accumulator:
    """All events of one stream taken in."""
    accumulator = Accumulator()
    for event in events:
        accumulator.add(event)
    accumulator.close()
    return accumulator


def event_data(event: ServerSentEvent) -> EventData:
    """The data of an event as an object. Raises `JsonError`, naming the event."""
    try:
        data = decode(event.data)
    except JsonError as error:
        raise JsonError(f"the data of event {event.name or '(unnamed)'!r} is no JSON: {error}") from None
    if not isinstance(data, dict):
        raise JsonError(f"the data of event {event.name or '(unnamed)'!r} is no JSON object")
    return data


def events_of(
    message: JsonObject, *, piece: int | None = 0, texts: Mapping[int, str] = MappingProxyType({})
) -> Iterator[EventData]:
    """The events of a stream that accumulates to `message`.

    `piece` is the number of characters in one delta of text or JSON; 0 puts each member into one delta, None cuts it
    into a few, as a model writes it. `texts` gives for a block's position the JSON text of its input, where it is to be
    streamed to the letter. The order and the fields are those of recorded streams: `ping` after the first block's
    start, the final usage in `message_delta`.
    """
    for part in _parts(message, piece, texts):
        if isinstance(part, dict):
            yield part
        else:
            yield from map(part.event, part.values)


def stream_of(
    message: JsonObject, *, piece: int | None = 0, texts: Mapping[int, str] = MappingProxyType({})
) -> list[bytes]:
    """The same as bytes, each event for itself: what nearly all of them hold besides a few words is written once."""
    made: list[bytes] = []
    for part in _parts(message, piece, texts):
        if isinstance(part, dict):
            made.append(event_bytes(part))
            continue
        begun, _, end = event_bytes(part.event(0)).rpartition(b"0")
        made += [begun + value + end for value in encode_each(part.values)]
    return made


class _Deltas(Value, frozen=True):
    """Deltas of one type that bring a block's member, one value after the other."""

    index: int
    type: str
    member: str
    values: Sequence[object]

    def event(self, value: object) -> EventData:
        delta = {"type": self.type, self.member: value}
        return {"type": "content_block_delta", "index": self.index, "delta": delta}


def _parts(message: JsonObject, piece: int | None, texts: Mapping[int, str]) -> Iterator[EventData | _Deltas]:
    """The events of a message's stream; those of a member that comes in pieces as one."""
    content = message.get("content")
    blocks: list[Any] = content if isinstance(content, list) else []
    yield {"type": "message_start", "message": _opening(message, blocks)}
    for index, block in enumerate(blocks):
        streamed = _streamed(block) if isinstance(block, dict) else {}
        yield {"type": "content_block_start", "index": index, "content_block": _emptied(block, streamed)}
        if index == 0:
            yield {"type": "ping"}
        if "compaction_delta" in streamed.values():
            delta = {"type": "compaction_delta", **{member: block[member] for member in streamed}}
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        else:
            for member, kind in streamed.items():
                name, pieces = _PIECES[kind]
                if member == "input" and index in texts:
                    yield _Deltas(index, kind, name, _json_pieces(texts[index], piece))
                else:
                    yield _Deltas(index, kind, name, pieces(block[member], piece))
        yield {"type": "content_block_stop", "index": index}
    yield {"type": "message_delta", **_closing(message)}
    yield {"type": "message_stop"}


def _opening(message: JsonObject, blocks: list[Any]) -> JsonObject:
    """The message as `message_start` shows it. What only the end tells is absent, save nulls: no delta brings them."""
    opening = {
        key: value for key, value in message.items() if value is None or key not in ("container", "context_management")
    }
    opening |= {"content": [], "stop_reason": None, "stop_sequence": None}
    if "stop_details" in opening:
        opening["stop_details"] = None
    refused = next(filter(None, map(_refused_by, blocks)), None)
    if refused is not None:
        opening["model"] = refused
    usage = message.get("usage")
    if isinstance(usage, dict):
        opening["usage"] = _usage_at_start(usage)
    return opening


def _refused_by(block: Any) -> str | None:
    """The model that a reply began with, where this block hands it on to another."""
    began = block.get("from") if isinstance(block, dict) and block.get("type") == "fallback" else None
    model = began.get("model") if isinstance(began, dict) else None
    return model if isinstance(model, str) else None


def _usage_at_start(usage: JsonObject) -> JsonObject:
    told = {key: value for key, value in usage.items() if value is None or key not in USAGE_AT_END}
    if isinstance(told.get("output_tokens"), int):
        told["output_tokens"] = min(1, told["output_tokens"])
    return told


def _usage_at_end(usage: JsonObject) -> JsonObject:
    return {
        key: value
        for key, value in usage.items()
        if key not in USAGE_AT_START and (value is not None or key not in USAGE_AT_END)
    }


def _closing(message: JsonObject) -> JsonObject:
    delta = {key: message.get(key) for key in ("stop_reason", "stop_sequence")}
    if "stop_details" in message:
        delta["stop_details"] = message["stop_details"]
    if message.get("container") is not None:
        delta["container"] = message["container"]
    usage = message.get("usage")
    told = _usage_at_end(usage) if isinstance(usage, dict) else usage
    closing: JsonObject = {"delta": delta, "usage": told or {"output_tokens": 0}}
    if message.get("context_management") is not None:
        closing["context_management"] = message["context_management"]
    return closing


_EMPTY: Mapping[str, type] = {
    "text": str,
    "citations": list,
    "thinking": str,
    "signature": str,
    "input": dict,
    "content": NoneType,
    "encrypted_content": NoneType,
}
"""What a streamed member is before its first delta: the empty value of this type."""


def _streamed(block: JsonObject) -> Mapping[str, str]:
    """The members of this block that deltas bring, each with their type. A null, say, has no pieces."""
    known = BLOCKS.get(str(block.get("type")))
    if known is None or not known.streamed:
        return {}
    return {
        member: delta
        for member, delta in known.streamed.items()
        if member in block and (delta in _WHOLE or isinstance(block[member], _EMPTY[member]))
    }


def _emptied(block: Any, streamed: Mapping[str, str]) -> Any:
    """The block as `content_block_start` shows it: what deltas will bring is still empty."""
    if not isinstance(block, dict):
        return block
    return {key: _EMPTY[key]() if key in streamed else value for key, value in block.items()}


_SMALLEST = 12
_FEW = 8


def _cut(text: str, size: int | None) -> list[str]:
    if size is None:
        size = max(_SMALLEST, -(-len(text) // _FEW))
    step = size if size > 0 else max(len(text), 1)
    return [text[start : start + step] for start in range(0, len(text), step)]


def _json_pieces(text: str, size: int | None) -> list[str]:
    # the API opens every input with an empty piece, and an empty input has nothing else
    return ["", *_cut(text, size)]


_WHOLE = ("compaction_delta", "input_json_delta")
"""Deltas that bring a value of any kind."""

_PIECES: Mapping[str, tuple[str, Callable[[Any, int | None], Sequence[object]]]] = {
    "text_delta": ("text", _cut),
    "thinking_delta": ("thinking", _cut),
    "signature_delta": ("signature", lambda value, size: [value]),
    "citations_delta": ("citation", lambda value, size: value or []),
    "input_json_delta": (
        "partial_json",
        lambda value, size: _json_pieces("" if value == {} else encode_text(value), size),
    ),
}
"""By the type of delta the name under which the pieces of a member come, and how they are cut."""


def event_bytes(event: EventData) -> bytes:
    """One event as the bytes of a stream."""
    return encode_event(str(event.get("type", "")), encode(event))


def pieces_of(events: Sequence[EventData]) -> list[bytes]:
    """Each of some events as the bytes of a stream."""
    each = zip(events, encode_each(events), strict=True)
    return [encode_event(str(event.get("type", "")), data) for event, data in each]


def stream_bytes(events: Iterable[EventData]) -> bytes:
    """Events as the bytes of a stream."""
    return b"".join(pieces_of([*events]))

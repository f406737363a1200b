"""The answers of real recordings as they came over the wire, for tests and benches. Not tests themselves.

An answer is sound where a client can have read it whole: JSON that is a message, or a stream that is grammatical and
ends. What is not sound says why.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from playhead.errors import RecordingError
from playhead.files import read_pieces
from playhead.readers.body import BodyError, unpack, unzipped
from playhead.readers.call import Beside, Call, Unreadable
from playhead.readers.document import fitting, is_json, is_yaml, parse_yaml
from playhead.readers.http import exchange_of
from playhead.readers.source import Source
from playhead.readers.table import SHAPES, session_from
from playhead.wire.codec import JsonError, JsonObject, decode_object, encode
from playhead.wire.event_stream import is_event_stream
from playhead.wire.exchange import Exchange
from playhead.wire.sse import EventDecoder
from playhead.wire.stream import Accumulator, event_data, stream_bytes

WIRE, DATA, FRAMES, EVENTS, MESSAGE = "bytes", "JSON value", "AWS frames", "events", "message"
"""What a recording kept of an answer: its bytes, or what they meant, of which bytes are made here."""

NO_JSON = "a tool input in it is no JSON"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A recorded answer of the Messages API.

    `body` are its bytes, made of what was `kept` where that is no bytes. `chunks` are its pieces where the recording
    tells them. `message` is what our readers make of it. `unsound` says why no client can have read a message from it;
    empty where one can. `letters` are tool inputs that are no JSON, by the block's position.
    """

    name: str
    format: str
    kept: str
    body: bytes
    streamed: bool
    message: JsonObject
    chunks: tuple[bytes, ...] = ()
    unsound: str = ""
    letters: tuple[tuple[int, str], ...] = ()

    @property
    def features(self) -> frozenset[str]:
        """What is particular about it, as words."""
        told = [self.format, f"{self.kept} {'stream' if self.streamed else 'JSON'}", str(self.message["stop_reason"])]
        told += [f"{block['type']} {key}" for block in self.message["content"] for key in block]
        told += [f"{key} {value is None}" for key, value in self.message.items()]
        told += [f"usage {key} {value is None}" for key, value in self.message["usage"].items()]
        return frozenset(told)


def corpus() -> Path | None:
    """The folder of real recordings, `$PLAYHEAD_SHARED/corpus`; None where there is none."""
    folder = Path(os.environ.get("PLAYHEAD_SHARED", "")) / "corpus"
    return folder if os.environ.get("PLAYHEAD_SHARED") and (folder / "manifest.tsv").is_file() else None


def files(folder: Path) -> list[dict[str, str]]:
    """The rows of the manifest, in its order."""
    with (folder / "manifest.tsv").open(encoding="utf-8") as manifest:
        return list(csv.DictReader(manifest, delimiter="\t"))


def varied(found: Iterable[Answer], more: int) -> list[Answer]:
    """Small answers that have every feature between them, and so many others, the same ones each time."""
    ordered = sorted(found, key=lambda answer: (len(answer.body), answer.name))
    chosen, others, seen = [], [], set[str]()
    for answer in ordered:
        (others if answer.features <= seen else chosen).append(answer)
        seen |= answer.features
    # the largest are left to the full run
    others = others[: len(others) * 9 // 10]
    return chosen + others[:: max(1, len(others) // max(1, more))]


def answers(folder: Path, rows: Iterable[dict[str, str]]) -> Iterator[Answer]:
    """The answers in these files to calls for a message. A file that cannot be read has none; others test that."""
    for row in rows:
        path = folder / row["repo"].replace("/", "+") / row["path"]
        try:
            yield from _of_file(row["id"], path)
        except (RecordingError, Unreadable):
            continue


def _of_file(name: str, path: Path) -> Iterator[Answer]:
    source = Source(name=str(path), begin=lambda: unzipped(read_pieces(path)))
    document = source.json if is_json(source) else parse_yaml(source) if is_yaml(source) else None
    shape = fitting(SHAPES, document) if document is not None else None
    if shape is None:
        session = session_from(source)
        alone = len(session.exchanges) == 1 and session.format in ("raw-sse", "bare-response-json")
        # an editor may have taken a stream's last blank line away
        whole = source.data.rstrip(b"\n") + b"\n\n" if alone else None
        for exchange in session.exchanges:
            if exchange.is_message:
                place = f"{name} {exchange.number}"
                yield _of_exchange(place, str(session.format), exchange, whole)
        return
    pieces = _pieces(document)
    for call in shape.calls(document):
        whole = replace(
            call, request_body=_beside(call.request_body, path), response_body=_beside(call.response_body, path)
        )
        exchange = exchange_of(whole)
        if isinstance(exchange, Exchange) and exchange.is_message:
            yield _of_call(f"{name} {call.place}", shape.name, whole, exchange, pieces.get(call.place, ()))


def _beside(body: object, path: Path) -> object:
    if not isinstance(body, Beside):
        return body
    found = path.parent / body.name
    return found.read_bytes() if found.is_file() else None


def _pieces(document: object) -> dict[str, tuple[bytes, ...]]:
    """The pieces of each stream, by the call's place, in the one format that keeps them (Braintrust's cassettes)."""
    found = {}
    entries = document.get("entries") if isinstance(document, dict) else None
    for index, entry in enumerate(entries if isinstance(entries, list) else ()):
        body = entry["response"].get("body") if isinstance(entry.get("response"), dict) else None
        if isinstance(body, dict) and body.get("kind") == "sse":
            found[f"entries[{index}]"] = tuple(f"{chunk}\n\n".encode() for chunk in body["chunks"])
    return found


def _of_call(name: str, form: str, call: Call, exchange: Exchange, chunks: tuple[bytes, ...]) -> Answer:
    body = call.response_body
    if isinstance(body, bytes) and is_event_stream(body):
        return _judged(name, form, FRAMES, stream_bytes(exchange.events or ()), exchange)
    try:
        plain = unpack(body, call.response_headers.get("content-encoding", "").lower())
    except BodyError:
        plain = b""
    if isinstance(plain, str):
        plain = plain.encode("utf-8", "surrogatepass")
    if isinstance(plain, bytes):
        return _judged(name, form, WIRE, plain, exchange, chunks if b"".join(chunks) == plain else ())
    return _judged(name, form, DATA, b"" if plain is None else encode(plain), exchange)


def _of_exchange(name: str, form: str, exchange: Exchange, body: bytes | None) -> Answer:
    if body is not None:
        return _judged(name, form, WIRE, body, exchange)
    if exchange.events:
        return _judged(name, form, EVENTS, stream_bytes(exchange.events), exchange)
    made = b"" if exchange.response is None else encode(exchange.response)
    return _judged(name, form, MESSAGE, made, exchange)


def _judged(name: str, form: str, kept: str, body: bytes, exchange: Exchange, chunks: tuple[bytes, ...] = ()) -> Answer:
    answer = Answer(
        name=name,
        format=form,
        kept=kept,
        body=body,
        streamed=exchange.events is not None,
        message=exchange.response or {},
        chunks=chunks,
    )
    if not body:
        return replace(answer, unsound="the recording has no body")
    if exchange.error is not None:
        return replace(answer, unsound="it is an error")
    if not answer.streamed:
        return replace(answer, unsound=_wrong_json(body))
    made = Accumulator()
    wrong = _wrong_stream(body, made)
    return replace(answer, unsound=wrong, letters=tuple(made.unparsed.items()))


def _wrong_json(body: bytes) -> str:
    try:
        return _wrong_message(decode_object(body))
    except JsonError:
        return "its body is no JSON object"


_MEMBERS: Sequence[tuple[str, type]] = (("id", str), ("usage", dict), ("content", list), ("stop_reason", str))


def _wrong_message(message: JsonObject | None) -> str:
    """Why this is no message as the API sends it; empty where it is one."""
    if message is None or (message.get("type"), message.get("role")) != ("message", "assistant"):
        return "it is no message of the assistant"
    for member, kind in _MEMBERS:
        if not isinstance(message.get(member), kind):
            return f"its message has no {member}"
    if "stop_sequence" not in message:
        return "its message has no stop_sequence"
    if not all(isinstance(block, dict) and isinstance(block.get("type"), str) for block in message["content"]):
        return "its content is no list of blocks"
    return ""


def _wrong_stream(body: bytes, made: Accumulator) -> str:
    """Why these bytes are no whole stream; empty where they are. The accumulator takes its events."""
    decoder = EventDecoder()
    kind = ""
    for event in decoder.feed(body):
        if event.name == "ping":
            continue
        try:
            data = event_data(event)
        except JsonError:
            return "the data of an event is no JSON object"
        kind = str(data.get("type"))
        if event.name != kind:
            return "an event has another name than its data"
        made.add(data)
    rest = decoder.close()
    made.close()
    if rest:
        return "it is cut inside an event"
    if made.problems:
        return f"it is against the grammar: {made.problems[0]}"
    if kind != "message_stop":
        return "it does not end with message_stop"
    if made.unparsed:
        return NO_JSON
    return _wrong_message(made.message)

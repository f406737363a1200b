"""Exchanges of any recording as interactions of a cassette.

Law: pure. Other recordings tell what was said, not every byte of it: the bodies made here say the same in the JSON that
the SDKs write. What a recording does not know of a request cannot be written, and is counted.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from playhead.cassettes.bodies import Shelf
from playhead.cassettes.interaction import Answer, Interaction
from playhead.cassettes.style import COMPACT
from playhead.wire.codec import JsonObject, encode
from playhead.wire.exchange import Exchange
from playhead.wire.stream import events_of, stream_bytes
from playhead.wire.tables import ERROR_STATUS

_JSON = {"content-type": "application/json"}
_STREAM = {"content-type": "text/event-stream; charset=utf-8"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Converted:
    """The interactions, and how many exchanges have no request that could be sent again; when it was recorded."""

    interactions: tuple[Interaction, ...]
    recorded: str | None = None
    unknown: int = 0


def interactions_of(exchanges: Iterable[Exchange]) -> Converted:
    """The interactions that these exchanges are."""
    shelf, made, unknown = Shelf(), [], 0
    for exchange in exchanges:
        if exchange.request is None or exchange.known is not None:
            unknown += 1
            continue
        raw = COMPACT.encode(exchange.request).encode("utf-8", "surrogatepass")
        made.append(
            Interaction(
                method=exchange.method,
                path=exchange.path,
                headers=exchange.headers or {},
                body=shelf.put(raw),
                answer=_answer(exchange),
            )
        )
    return Converted(interactions=tuple(made), unknown=unknown)


def _answer(exchange: Exchange) -> Answer:
    headers = {
        name: text
        for name, text in exchange.response_headers.items()
        if name not in ("content-type", "content-length", "content-encoding", "transfer-encoding")
    }
    status = exchange.status or 0
    if exchange.events is not None:
        return Answer(status=status or 200, headers={**headers, **_STREAM}, body=stream_bytes(exchange.events))
    if exchange.error is not None and exchange.response is None:
        body: JsonObject = {"type": "error", "error": exchange.error}
        told = ERROR_STATUS.get(str(exchange.error.get("type")), 400)
        return Answer(status=status or told, headers={**headers, **_JSON}, body=encode(body))
    if exchange.response is None:
        return Answer(status=status, headers=headers, fault=None if status else "close")
    if not exchange.complete:
        return _cut(exchange.response, headers)
    return Answer(status=status or 200, headers={**headers, **_JSON}, body=encode(exchange.response))


def _cut(message: JsonObject, headers: dict[str, str]) -> Answer:
    """A stream that brought so much of a message and no more."""
    events = [event for event in events_of(message) if event["type"] not in ("message_delta", "message_stop")]
    return Answer(headers={**headers, **_STREAM}, body=stream_bytes(events), fault="close")

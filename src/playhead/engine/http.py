"""A request and an answer as bytes, between the doors and the engine.

Law: values; no HTTP library, no I/O.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from playhead.wire.codec import encode
from playhead.wire.stream import events_of, stream_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """A request: `path` may carry a query, `headers` have lower-case names."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """An answer: status, headers, and the body in the pieces in which it is to leave."""

    status: int
    headers: Mapping[str, str]
    chunks: tuple[bytes, ...]

    @property
    def body(self) -> bytes:
        return b"".join(self.chunks)


def json_answer(status: int, value: object, request_id: str, **headers: str) -> Outgoing:
    """An answer with a JSON body."""
    return Outgoing(
        status=status,
        headers={"content-type": "application/json", "request-id": request_id, **headers},
        chunks=(encode(value),),
    )


def stream_answer(
    message: dict[str, object], request_id: str, texts: Mapping[int, str] = MappingProxyType({})
) -> Outgoing:
    """A message as a stream, in one write."""
    return Outgoing(
        status=200,
        headers={
            "content-type": "text/event-stream; charset=utf-8",
            "cache-control": "no-cache",
            "request-id": request_id,
        },
        chunks=(stream_bytes(events_of(message, texts=texts)),),
    )

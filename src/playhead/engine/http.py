"""A request and an answer as bytes, between the doors and the engine.

Law: values; no HTTP library, no I/O, no decisions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from playhead.wire.codec import encode
from playhead.wire.value import Value

Fault = Literal["connect", "read", "write", "timeout", "connect_timeout", "write_timeout", "close"]
"""How a connection fails; each door knows what that is in its world."""


class Timeouts(Value, frozen=True):
    """The seconds that a client waits for a connection, for more bytes, until its own are taken; None is for ever."""

    connect: float | None = None
    read: float | None = None
    write: float | None = None


FOR_EVER = Timeouts()


class Incoming(Value, frozen=True, kw_only=True):
    """A request: `path` may carry a query, `headers` have lower-case names."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    timeouts: Timeouts = FOR_EVER


class Outgoing(Value, frozen=True, kw_only=True):
    """An answer: status, headers, and the body in the pieces in which it is to leave.

    `waits` are the seconds before each piece; empty where nothing is waited for. `delay` is the time in seconds
    before the answer begins. `fault` is what happens after the last piece, in place of the end, and `late` seconds
    after it; with status 0 it happens in place of the answer.
    """

    status: int
    headers: Mapping[str, str]
    chunks: tuple[bytes, ...]
    waits: tuple[float, ...] = ()
    delay: float = 0.0
    fault: Fault | None = None
    late: float = 0.0

    @property
    def body(self) -> bytes:
        return b"".join(self.chunks)

    @property
    def whole(self) -> bytes | None:
        """The body of an answer that leaves at once, as almost every one does; None for any other."""
        if len(self.chunks) > 1 or self.waits or self.fault is not None:
            return None
        return self.chunks[0] if self.chunks else b""


def no_answer(fault: Fault, delay: float = 0.0) -> Outgoing:
    """A connection that fails before there is an answer."""
    return Outgoing(status=0, headers={}, chunks=(), delay=delay, fault=fault)


def json_answer(status: int, value: object, request_id: str, /, **headers: str) -> Outgoing:
    """An answer with a JSON body."""
    return Outgoing(
        status=status,
        headers={"content-type": "application/json", "request-id": request_id, **headers},
        chunks=(encode(value),),
    )

"""The recording door: a transport that passes everything on and tells what passed.

Law: bytes only, as `sdk.py`. What comes is handed to the client at once, piece by piece; whatever goes wrong while
recording is the recorder's to keep, and never changes what the client gets.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import suppress
from typing import Any, Protocol

from playhead.cassettes.encodings import Damaged, decoder_of
from playhead.cassettes.interaction import Answer
from playhead.doors.sdk import response_of
from playhead.doors.transport import TransportBase, module_of
from playhead.engine.http import Incoming, Outgoing


class Sink(Protocol):
    """Takes what passes: `began` when a request comes, `ended` when its answer is over; neither raises.

    `known` gives the answer to a request that need not pass, None where it must.
    """

    def known(self, incoming: Incoming) -> Outgoing | None: ...

    def began(self, incoming: Incoming) -> int: ...

    def ended(self, number: int, incoming: Incoming, answer: Answer) -> None: ...


class Tee(TransportBase):
    """A transport over another one, the network where none is given. Serves sync and async clients.

    An `upstream` is a transport of the client's own module, or a fake's, which serves all.
    """

    def __init__(self, sink: Sink, upstream: object = None) -> None:
        super().__init__()
        self._sink = sink
        self._upstream = upstream
        self._opened: dict[tuple[str, bool], Any] = {}

    def handle_request(self, request: Any) -> Any:
        """The transport interface of a sync client."""
        module = module_of(request.__class__)
        incoming = self.incoming(request, request.read())
        known = self._sink.known(incoming)
        if known is not None:
            return response_of(module, request, known)
        passing = _Passing(self._sink, incoming)
        try:
            response = self._transport(module, later=False).handle_request(request)
        except BaseException as error:
            passing.end(_fault(error))
            raise
        passing.answered(response)
        if not passing.over:
            response.stream = _stream(module, response.stream, passing)
        return response

    async def handle_async_request(self, request: Any) -> Any:
        """The transport interface of an async client."""
        module = module_of(request.__class__)
        incoming = self.incoming(request, await request.aread())
        known = self._sink.known(incoming)
        if known is not None:
            return response_of(module, request, known)
        passing = _Passing(self._sink, incoming)
        try:
            response = await self._transport(module, later=True).handle_async_request(request)
        except BaseException as error:
            passing.end(_fault(error))
            raise
        passing.answered(response)
        if not passing.over:
            response.stream = _stream(module, response.stream, passing)
        return response

    def _transport(self, module: Any, *, later: bool) -> Any:
        if self._upstream is not None:
            return self._upstream
        key = (module.__name__, later)
        opened = self._opened.get(key)
        if opened is None:
            opened = self._opened[key] = module.AsyncHTTPTransport() if later else module.HTTPTransport()
        return opened

    def close(self) -> None:
        """Closes the connections to the network."""
        for (_, later), transport in [*self._opened.items()]:
            if not later:
                transport.close()

    async def aclose(self) -> None:
        """Closes the connections to the network."""
        for (_, later), transport in [*self._opened.items()]:
            if later:
                await transport.aclose()


class _Passing:
    """One call on its way: collects what came, decoded, and tells it once."""

    def __init__(self, sink: Sink, incoming: Incoming) -> None:
        self._sink, self._incoming = sink, incoming
        self._number = sink.began(incoming)
        self._began = time.monotonic()
        self._status = 0
        self._headers: Mapping[str, str] = {}
        self._decoder: Any = None
        self._pieces: list[bytes] = []
        self._times: list[int] = []
        self.over = False

    def answered(self, response: Any) -> None:
        """The status and the headers have come."""
        self._status = response.status_code
        headers = {name.decode("latin-1").lower(): text.decode("latin-1") for name, text in response.headers.raw}
        self._decoder = decoder_of(headers.get("content-encoding", ""))
        if self._decoder is not None:
            headers.pop("content-encoding", None)
        self._headers = headers
        if response.is_closed:
            # made with its content, and decoded: nobody will read it from the stream
            self._decoder = None
            self.piece(response.content)
            self.end(None)

    def piece(self, data: bytes) -> None:
        """A piece of the body has come; a client that stops here has got it."""
        if self._decoder is not None:
            try:
                data = self._decoder.feed(data)
            except Damaged:
                self._decoder = None  # the client finds that out for itself
                return
        if data:
            self._pieces.append(data)
            self._times.append(round((time.monotonic() - self._began) * 1000))

    @property
    def is_error(self) -> bool:
        """Whether this is an HTTP error whose body nobody has begun to read."""
        return self._status >= 400 and not self._pieces and not self.over

    def end(self, fault: str | None) -> None:
        """Nothing more comes."""
        if self.over:
            return
        self.over = True
        streamed = self._headers.get("content-type", "").startswith("text/event-stream")
        ends, total = [], 0
        for piece in self._pieces[:-1]:
            total += len(piece)
            ends.append(total)
        answer = Answer(
            status=self._status,
            headers=self._headers,
            body=b"".join(self._pieces),
            ends=tuple(ends) if streamed else (),
            times=tuple(self._times) if streamed else (),
            fault=fault,
        )
        self._pieces = []
        self._sink.ended(self._number, self._incoming, answer)


def _stream(module: Any, inner: Any, passing: _Passing) -> Any:
    """The body as it comes; a client takes only streams of its own module's types."""

    class Passed(module.SyncByteStream, module.AsyncByteStream):  # type: ignore[misc]
        def __iter__(self) -> Iterator[bytes]:
            try:
                for data in inner:
                    passing.piece(data)
                    yield data
            except BaseException as error:
                passing.end(_fault(error))
                raise
            passing.end(None)

        async def __aiter__(self) -> AsyncIterator[bytes]:
            try:
                async for data in inner:
                    passing.piece(data)
                    yield data
            except BaseException as error:
                passing.end(_fault(error))
                raise
            passing.end(None)

        def close(self) -> None:
            if passing.is_error:  # a client that tries again reads no error; what it said is part of the session
                with suppress(Exception):
                    deque(self, maxlen=0)
            passing.end("abandoned")
            if hasattr(inner, "close"):
                inner.close()

        async def aclose(self) -> None:
            if passing.is_error:
                with suppress(Exception):
                    async for _ in self:
                        pass
            passing.end("abandoned")
            if hasattr(inner, "aclose"):
                await inner.aclose()

    return Passed()


_FAULTS: Mapping[str, str] = {
    "ConnectTimeout": "connect_timeout",
    "PoolTimeout": "connect_timeout",
    "ReadTimeout": "timeout",
    "WriteTimeout": "write_timeout",
    "ConnectError": "connect",
    "ReadError": "read",
    "WriteError": "write",
    "RemoteProtocolError": "close",
    "GeneratorExit": "abandoned",
    "CancelledError": "abandoned",
    "KeyboardInterrupt": "abandoned",
}
"""What an exception of a transport tells of the connection, by its class in httpx and httpx2."""


def _fault(error: BaseException) -> str:
    names = [kind.__name__ for kind in type(error).__mro__]
    return next((_FAULTS[name] for name in names if name in _FAULTS), "read")

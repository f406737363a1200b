"""The SDK's door: a transport for httpx and httpx2 clients, sync and async.

Law: imports neither of them, since it cannot know which one a client uses (the SDK's 0.x speaks through httpx, 1.0 and
later through httpx2); the module is taken from each request. Bytes only: decisions are the engine's.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any

from playhead.doors.transport import TransportBase, incoming_of, module_of
from playhead.engine.http import Fault, Incoming, Outgoing


def _no_time(seconds: float) -> None:
    """Waits under a clock that costs no real time."""


class Transport(TransportBase):
    """Give it to a client as `transport=`: `httpx2.Client(transport=fake.transport)`, or the SDK's own
    `DefaultHttpxClient(transport=fake.transport)`. One transport serves sync and async clients, from any thread.

    `sleep` is called with the seconds of each pause that an answer makes; what it returns is awaited where it can be.
    """

    def __init__(self, answer: Callable[[Incoming], Outgoing], sleep: Callable[[float], object] = _no_time) -> None:
        self._answer = answer
        self._sleep = sleep

    def handle_request(self, request: Any) -> Any:
        """The transport interface of a sync client."""
        module = module_of(request)
        answer = self._answer(incoming_of(request, request.read()))
        if answer.delay:
            self._sleep(answer.delay)
        return _response(module, request, answer, self._sleep)

    async def handle_async_request(self, request: Any) -> Any:
        """The transport interface of an async client. Waits only where a `sleep` that can be awaited is given."""
        module = module_of(request)
        answer = self._answer(incoming_of(request, await request.aread()))
        if answer.delay:
            await _slept(self._sleep(answer.delay))
        return _response(module, request, answer, self._sleep)


def _response(module: Any, request: Any, answer: Outgoing, sleep: Callable[[float], object]) -> Any:
    if answer.fault is not None and not answer.status:
        raise _error(module, answer.fault, request)
    # a stream, not `content=`: a response that is closed before it is read has no `elapsed`, and the SDK asks for it
    stream = module.ByteStream(answer.body) if answer.plain else _stream(module, request, answer, sleep)
    return module.Response(answer.status, headers=dict(answer.headers), stream=stream, request=request)


def _stream(module: Any, request: Any, answer: Outgoing, sleep: Callable[[float], object]) -> Any:
    """A body that comes in pieces, with pauses, or breaks; a client takes only streams of its own module's types."""
    waits = answer.waits or (0.0,) * len(answer.chunks)

    class Pieces(module.SyncByteStream, module.AsyncByteStream):  # type: ignore[misc]
        def __iter__(self) -> Iterator[bytes]:
            for wait, chunk in zip(waits, answer.chunks, strict=True):
                if wait:
                    sleep(wait)
                yield chunk
            if answer.fault is not None:
                raise _error(module, answer.fault, request)

        async def __aiter__(self) -> AsyncIterator[bytes]:
            for wait, chunk in zip(waits, answer.chunks, strict=True):
                if wait:
                    await _slept(sleep(wait))
                yield chunk
            if answer.fault is not None:
                raise _error(module, answer.fault, request)

    return Pieces()


async def _slept(pause: object) -> None:
    if inspect.isawaitable(pause):
        await pause


_ERRORS: Mapping[Fault, tuple[str, str]] = {
    "connect": ("ConnectError", "[Errno 111] Connection refused"),
    "read": ("ReadError", "[Errno 104] Connection reset by peer"),
    "write": ("WriteError", "[Errno 32] Broken pipe"),
    "timeout": ("ReadTimeout", "The read operation timed out"),
    "connect_timeout": ("ConnectTimeout", "timed out"),
    "write_timeout": ("WriteTimeout", "The write operation timed out"),
    "close": ("RemoteProtocolError", "peer closed connection without sending complete message body"),
}
"""What each fault is in httpx and httpx2: the class of the exception, and its words."""


def _error(module: Any, fault: Fault, request: Any) -> Exception:
    name, words = _ERRORS[fault]
    error: Exception = getattr(module, name)(words, request=request)
    return error

"""The SDK's door: a transport for httpx and httpx2 clients, sync and async.

Law: imports neither of them, since it cannot know which one a client uses (the SDK's 0.x speaks through httpx, 1.0 and
later through httpx2); the module is taken from each request. Bytes only: decisions are the engine's.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from playhead.doors.transport import TransportBase, module_of
from playhead.engine.http import Fault, Incoming, Outgoing

Pause = Callable[[float, bool], Awaitable[object] | None]
"""Called with the seconds of a pause, and whether the client can await what comes back; it does so then."""


def _no_time(seconds: float, awaits: bool) -> None:
    """Waits under a clock that costs no real time."""


class Transport(TransportBase):
    """Give it to a client as `transport=`: `httpx2.Client(transport=fake.transport)`, or the SDK's own
    `DefaultHttpxClient(transport=fake.transport)`. One transport serves sync and async clients, from any thread.

    `pause` is called for each pause that an answer makes.
    """

    def __init__(self, answer: Callable[[Incoming], Outgoing], pause: Pause = _no_time) -> None:
        super().__init__()
        self._answer = answer
        self._pause = pause

    def handle_request(self, request: Any) -> Any:
        """The transport interface of a sync client."""
        module = module_of(request.__class__)
        answer = self._answer(self.incoming(request, request.read()))
        if answer.delay:
            self._pause(answer.delay, False)
        return response_of(module, request, answer, self._pause)

    async def handle_async_request(self, request: Any) -> Any:
        """The transport interface of an async client. Waits only where a pause can be awaited."""
        module = module_of(request.__class__)
        answer = self._answer(self.incoming(request, await request.aread()))
        if answer.delay:
            await _paused(self._pause(answer.delay, True))
        return response_of(module, request, answer, self._pause)


def response_of(module: Any, request: Any, answer: Outgoing, pause: Pause = _no_time) -> Any:
    """An answer as a response of the client's own module. Raises that module's errors where the connection fails."""
    if answer.fault is not None and not answer.status:
        raise _error(module, _UNANSWERED.get(answer.fault, _ERRORS[answer.fault]), request)
    # a stream, not `content=`: a response that is closed before it is read has no `elapsed`, and the SDK asks for it
    whole = answer.whole
    stream = _pieces(module)(request, answer, pause) if whole is None else module.ByteStream(whole)
    return module.Response(answer.status, headers=answer.headers, stream=stream, request=request)


@lru_cache(maxsize=4)
def _pieces(module: Any) -> Any:
    """The type of a body that comes in pieces, with pauses, or breaks; a client takes only its own module's streams."""

    class Pieces(module.SyncByteStream, module.AsyncByteStream):  # type: ignore[misc]
        def __init__(self, request: Any, answer: Outgoing, pause: Pause) -> None:
            self._request, self._answer, self._pause = request, answer, pause
            self._waits = answer.waits or (0.0,) * len(answer.chunks)

        def __iter__(self) -> Iterator[bytes]:
            for wait, chunk in zip(self._waits, self._answer.chunks, strict=True):
                if wait:
                    self._pause(wait, False)
                yield chunk
            if self._answer.fault is not None:
                if self._answer.late:
                    self._pause(self._answer.late, False)
                raise _error(module, _ERRORS[self._answer.fault], self._request)

        async def __aiter__(self) -> AsyncIterator[bytes]:
            for wait, chunk in zip(self._waits, self._answer.chunks, strict=True):
                if wait:
                    await _paused(self._pause(wait, True))
                yield chunk
            if self._answer.fault is not None:
                if self._answer.late:
                    await _paused(self._pause(self._answer.late, True))
                raise _error(module, _ERRORS[self._answer.fault], self._request)

    return Pieces


async def _paused(pause: Awaitable[object] | None) -> None:
    if pause is not None:
        await pause


_ERRORS: Mapping[Fault, tuple[str, str]] = {
    "connect": ("ConnectError", "[Errno 111] Connection refused"),
    "read": ("ReadError", "[Errno 104] Connection reset by peer"),
    "write": ("WriteError", "[Errno 32] Broken pipe"),
    "timeout": ("ReadTimeout", "The read operation timed out"),
    "connect_timeout": ("ConnectTimeout", "timed out"),
    "write_timeout": ("WriteTimeout", "The write operation timed out"),
    "close": (
        "RemoteProtocolError",
        "peer closed connection without sending complete message body (incomplete chunked read)",
    ),
}
"""What each fault is in httpx and httpx2: the class of the exception, and its words."""

_UNANSWERED: Mapping[Fault, tuple[str, str]] = {
    "close": ("RemoteProtocolError", "Server disconnected without sending a response."),
}
"""The same where it comes in place of an answer."""


def _error(module: Any, known: tuple[str, str], request: Any) -> Exception:
    name, words = known
    error: Exception = getattr(module, name)(words, request=request)
    return error

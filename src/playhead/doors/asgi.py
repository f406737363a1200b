"""The server's door: an ASGI application over anything that answers requests, for clients that take a base URL.

Law: ASGI and bytes only; decisions are the engine's, and which server runs the application is not known here. Pauses
are handed to `pause`, as at the SDK's door; a connection that is to break is handed to `breaks`, since ASGI has no word
for it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from functools import lru_cache
from typing import Any, TypeAlias

from playhead.engine.http import Incoming, Outgoing, json_answer
from playhead.errors import RequestLimitReached
from playhead.rules.checker import error_body

Message: TypeAlias = MutableMapping[str, Any]
Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
Application: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]
Breaks: TypeAlias = Callable[[Scope, bool], Awaitable[None]]
"""Breaks the connection of a scope: with a reset, or by closing it in the middle of what it was saying."""

LARGEST = 32 * 2**20
"""How many bytes a body may have (platform.claude.com/docs/en/api/errors, request size limits)."""

_TOO_LARGE = "Request exceeds the maximum size"
_UNREAD = "req_unread"
_LINGERS = 4
"""How many times the largest body is read and thrown away, so that a client which is still sending reads its answer."""

_NO_LENGTH = frozenset({204, 304})


class BrokenConnection(Exception):
    """What is raised to a server that gives no other way to break a connection."""


async def raise_to_server(scope: Scope, reset: bool) -> None:
    """Breaks a connection where nothing is known of the server: it closes it when its application fails."""
    raise BrokenConnection("this answer breaks off, as the script says")


class Door:
    """An ASGI application that lets `answer` answer.

    `pause` gets each pause of an answer, in seconds, and whether its result can be awaited; `control` sees each request
    before anybody else and may answer it.
    """

    def __init__(
        self,
        answer: Callable[[Incoming], Outgoing],
        pause: Callable[[float, bool], Awaitable[object] | None],
        control: Callable[[Scope, bytes], Outgoing | None] = lambda scope, body: None,
        breaks: Breaks = raise_to_server,
        largest: int = LARGEST,
    ) -> None:
        self._answer = answer
        self._pause = pause
        self._control = control
        self._breaks = breaks
        self._largest = largest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await lifespan(receive, send)
            return  # there are no web sockets here; the server refuses them
        headers = headers_of(scope["headers"])
        body = await body_of(scope, headers, receive, self._largest)
        if isinstance(body, bytes):
            outgoing = self._control(scope, body) or self._asked(incoming_of(scope, headers, body))
            await self._sent(outgoing, scope, receive, send)
        elif body is not None:
            await refuse(body, scope, receive, send)

    def _asked(self, incoming: Incoming) -> Outgoing:
        try:
            return self._answer(incoming)
        except RequestLimitReached as error:
            # nothing can be raised in a client that is somewhere else; the verdict says it too
            told = error_body("invalid_request_error", f"Playhead: {error}", "req_limit")
            return json_answer(400, told, "req_limit", **{"x-should-retry": "false"})

    async def _sent(self, answer: Outgoing, scope: Scope, receive: Receive, send: Send) -> None:
        if answer.delay:
            await self._wait(answer.delay)
        if not answer.status:
            await self._fails(answer, scope, receive)
            return
        whole = answer.whole
        if whole is not None:
            await _send_whole(answer, whole, scope, send)
            return
        length = None if answer.waits or answer.fault is not None else sum(map(len, answer.chunks))
        await send({"type": "http.response.start", "status": answer.status, "headers": _headers(answer, length)})
        for number, chunk in enumerate(() if _is_bodiless(answer, scope) else answer.chunks):
            if answer.waits and answer.waits[number]:
                await self._wait(answer.waits[number])
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
        if answer.fault is not None:
            await self._fails(answer, scope, receive)
            return
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _fails(self, answer: Outgoing, scope: Scope, receive: Receive) -> None:
        """The end of an answer that has none: the client waits in vain, or the connection breaks."""
        if answer.fault in ("timeout", "connect_timeout", "write_timeout"):
            while (await receive())["type"] != "http.disconnect":
                pass  # until the client has had enough
            return
        await self._breaks(scope, answer.fault != "close")

    async def _wait(self, seconds: float) -> None:
        pause = self._pause(seconds, True)
        if pause is not None:
            await pause


def incoming_of(scope: Scope, headers: Mapping[str, str], body: bytes) -> Incoming:
    """A request as the engine takes it."""
    path = _target(scope.get("raw_path") or scope["path"].encode(), scope.get("query_string") or b"")
    # a copy, since a script's function may do with it what it likes
    return Incoming(method=scope["method"], path=path, headers=dict(headers), body=body)


@lru_cache(maxsize=128)
def _target(path: bytes, query: bytes) -> str:
    path = path.partition(b"?")[0]  # servers do not agree on whether the query is a part of it
    return (path + b"?" + query if query else path).decode("latin-1")


def headers_of(pairs: Iterable[Iterable[bytes]]) -> Mapping[str, str]:
    """Header names in lower case, and values. The same headers are the same mapping: it is to be read only."""
    return _decoded(tuple(map(tuple, pairs)))


@lru_cache(maxsize=128)
def _decoded(pairs: tuple[tuple[bytes, ...], ...]) -> Mapping[str, str]:
    # a client sends the same each time, but for the length of the body, and short bodies have few lengths
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in pairs}


async def body_of(
    scope: Scope, headers: Mapping[str, str], receive: Receive, largest: int = LARGEST
) -> bytes | Outgoing | None:
    """The body of a request; the API's refusal of one that is too large, None where the client has gone."""
    if scope["method"] == "PRI" or scope.get("http_version") == "0.9":  # PRI is how HTTP/2 begins
        return _refused(505, "invalid_request_error", "This server speaks HTTP/1.1")
    told = headers.get("content-length", "0")
    if told.isdecimal() and int(told) > largest:
        return _refused(413, "request_too_large", _TOO_LARGE)
    pieces: list[bytes] = []
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        piece = message.get("body", b"")
        size += len(piece)
        if size > largest:
            return _refused(413, "request_too_large", _TOO_LARGE)
        more = message.get("more_body", False)
        if not more and not pieces:
            return bytes(piece)  # as nearly always: all of it at once
        pieces.append(piece)
    return b"".join(pieces)


def _refused(status: int, kind: str, message: str) -> Outgoing:
    body = error_body(kind, message, _UNREAD)
    return json_answer(status, body, _UNREAD, connection="close", **{"x-should-retry": "false"})


def _headers(answer: Outgoing, length: int | None) -> list[tuple[bytes, bytes]]:
    """An answer's headers; the length of its body, where that is known, unless it is a stream."""
    headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in answer.headers.items()]
    if length is not None and answer.status not in _NO_LENGTH and not _is_stream(answer):
        headers.append((b"content-length", str(length).encode()))
    return headers


def _is_bodiless(answer: Outgoing, scope: Scope) -> bool:
    return scope["method"] == "HEAD" or answer.status in _NO_LENGTH


def _is_stream(answer: Outgoing) -> bool:
    return "text/event-stream" in answer.headers.get("content-type", "")


async def answer_with(answer: Outgoing, scope: Scope, send: Send) -> None:
    """Sends an answer whole and at once."""
    await _send_whole(answer, answer.body, scope, send)


async def _send_whole(answer: Outgoing, body: bytes, scope: Scope, send: Send) -> None:
    await send({"type": "http.response.start", "status": answer.status, "headers": _headers(answer, len(body))})
    body = b"" if _is_bodiless(answer, scope) else body
    await send({"type": "http.response.body", "body": body, "more_body": False})


async def refuse(answer: Outgoing, scope: Scope, receive: Receive, send: Send) -> None:
    """Sends an answer to a request that was not read to its end.

    A connection that is closed while its client sends is reset, and the answer lost with it: the rest is taken in
    before the end, up to a limit.
    """
    body = answer.body
    await send({"type": "http.response.start", "status": answer.status, "headers": _headers(answer, len(body))})
    body = b"" if _is_bodiless(answer, scope) else body
    await send({"type": "http.response.body", "body": body, "more_body": True})
    left, more = _LINGERS * LARGEST, True
    while more and left > 0:
        message = await receive()
        more = message["type"] != "http.disconnect" and message.get("more_body", False)
        left -= len(message.get("body", b""))
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def lifespan(receive: Receive, send: Send, at_the_end: Callable[[], Awaitable[None]] | None = None) -> None:
    """Goes along with a server's start and stop."""
    while True:
        message = await receive()
        over = message["type"] == "lifespan.shutdown"
        if over and at_the_end is not None:
            await at_the_end()
        await send({"type": f"{message['type']}.complete"})
        if over:
            return

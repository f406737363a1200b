"""Raw connections to a served fake, for what no HTTP client would send; and what a server holds open."""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from http.client import HTTPResponse
from itertools import count
from typing import Any, NamedTuple

from playhead import FakeClaude, say
from playhead.serving import Serving

Json = dict[str, Any]
PATIENCE = 20.0
"""Seconds after which something hangs."""

_NUMBERS = count(1)


class Answer(NamedTuple):
    """What came back; status 0 where the connection was closed without an answer."""

    status: int
    body: bytes
    headers: Json

    @property
    def error(self) -> Json:
        """The error, once its shape is found to be the API's."""
        told = json.loads(self.body)
        assert set(told) == {"type", "error", "request_id"}
        assert told["type"] == "error"
        assert {"type", "message"} <= set(told["error"])
        assert self.headers["request-id"] == told["request_id"]
        return dict(told["error"])


def hosted(**options: Any) -> Serving:
    """A server that answers every conversation with one reply, and leaves the verdict to the test."""
    chosen = {"conversations": "any", "max_requests": 1_000_000, "sleep": None, **options}
    return Serving(lambda: FakeClaude(lambda request: say("Hello!"), **chosen), judge=False)


def port_of(server: Serving) -> int:
    return int(server.url.rpartition(":")[2])


def connected(server: Serving, *pieces: bytes) -> socket.socket:
    """A connection on which some bytes were sent."""
    connection = socket.create_connection(("127.0.0.1", port_of(server)), timeout=PATIENCE)
    for piece in pieces:
        connection.sendall(piece)
    return connection


def request(
    body: bytes = b"", method: str = "POST", path: bytes = b"/v1/messages", headers: Iterable[str] = (), **more: str
) -> bytes:
    """The bytes of a request, whole; None leaves a header out."""
    usual = {
        "host": "127.0.0.1",
        "x-api-key": "any",
        "anthropic-version": "2023-06-01",
        "content-type": "application/json",
        "content-length": str(len(body)),
        "connection": "close",
    }
    told = {**usual, **{name.replace("_", "-"): value for name, value in more.items()}}
    lines = [f"{name}: {value}" for name, value in told.items() if value] + [*headers]
    head = "\r\n".join(lines).encode("latin-1")
    return method.encode() + b" " + path + b" HTTP/1.1\r\n" + head + b"\r\n\r\n" + body


def asking(words: str | None = None, **more: Any) -> bytes:
    """A good body, each with words of its own unless they are given."""
    messages = [{"role": "user", "content": words or f"number {next(_NUMBERS)}"}]
    return json.dumps({"model": "claude-opus-5-5", "max_tokens": 99, "messages": messages, **more}).encode()


class Answers:
    """The answers on one connection, one after the other: what was read beyond one is the next one's."""

    def __init__(self, connection: socket.socket) -> None:
        self._file = connection.makefile("rb")
        self._close, self._file.close = self._file.close, lambda: None  # type: ignore[method-assign]

    def makefile(self, mode: str) -> Any:
        return self._file

    def close(self) -> None:
        self._close()


def answer_on(connection: Any, method: str = "POST") -> Answer:
    """The next answer on a connection."""
    response = HTTPResponse(connection, method=method)
    try:
        response.begin()
        body = response.read()
        return Answer(response.status, body, {name.lower(): value for name, value in response.getheaders()})
    except (ConnectionError, OSError) as error:
        if isinstance(error, TimeoutError):
            raise
        return Answer(0, b"", {})
    finally:
        response.close()


def answered(server: Serving, *pieces: bytes, method: str = "POST") -> Answer:
    """The answer to some bytes; they may be refused before all are taken."""
    with connected(server) as connection:
        try:
            for piece in pieces:
                connection.sendall(piece)
        except (BrokenPipeError, ConnectionResetError):
            pass
        return answer_on(connection, method)


def still_good(server: Serving) -> None:
    """A good request is answered rightly."""
    answer = answered(server, request(asking()))
    assert answer.status == 200, answer
    assert json.loads(answer.body)["content"] == [{"type": "text", "text": "Hello!"}]


def seen(server: Serving) -> int:
    """How many requests the fake has seen."""
    return len(server.fake.session.exchanges)


def until(holds: Callable[[], bool], what: str) -> None:
    """Waits until something holds: connections are torn down in a thread of the server's."""
    ends = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < ends, what
        time.sleep(0.002)


def open_files() -> int:
    return len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0


@contextmanager
def nothing_leaks(server: Serving) -> Iterator[None]:
    """Descriptors, threads, connections and tasks are after the block what they were before it."""
    running = server._server._server
    assert running is not None
    until(lambda: running.started, "the server does not start")
    state = running.server_state
    until(lambda: not state.connections and not state.tasks, "connections are left from before")
    files, threads = open_files(), threading.active_count()
    yield
    until(lambda: not state.connections, f"{len(state.connections)} connections are left")
    until(lambda: not state.tasks, f"{len(state.tasks)} tasks are left")
    until(lambda: open_files() <= files, f"{open_files()} descriptors are open, {files} were")
    assert threading.active_count() == threads

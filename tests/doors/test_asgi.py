"""The server's door, without a server: ASGI messages in, ASGI messages out."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable
from typing import Any

import pytest

from playhead.doors.asgi import BrokenConnection, Door
from playhead.engine.http import Incoming, Outgoing, no_answer
from playhead.errors import RequestLimitReached

Json = dict[str, Any]


def scope(method: str = "POST", path: str = "/v1/messages", query: bytes = b"", **headers: str) -> Json:
    pairs = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": query,
        "headers": pairs,
        "client": ("127.0.0.1", 5),
    }


class Client:
    """Sends the pieces of a body, then goes away; keeps what is sent back."""

    def __init__(self, *pieces: bytes) -> None:
        self._pieces = [*pieces] or [b""]
        self.sent: list[Json] = []

    async def receive(self) -> Json:
        if not self._pieces:
            return {"type": "http.disconnect"}
        piece = self._pieces.pop(0)
        return {"type": "http.request", "body": piece, "more_body": bool(self._pieces)}

    async def send(self, message: Any) -> None:
        self.sent.append(dict(message))

    @property
    def body(self) -> bytes:
        return b"".join(message.get("body", b"") for message in self.sent[1:])


def ask(answer: Any, client: Client, **how: Any) -> list[float]:
    """Lets the door answer a client; the pauses that it makes."""
    pauses: list[float] = []

    async def nap(seconds: float) -> None:
        pauses.append(seconds)

    def pause(seconds: float, awaits: bool) -> Awaitable[object]:
        assert awaits
        return nap(seconds)

    asked = how.pop("scope", scope())
    asyncio.run(Door(answer, pause, **how)(asked, client.receive, client.send))
    return pauses


def test_a_request_and_an_answer() -> None:
    """Method, path with its query, headers and body arrive, whole; status, headers and body go back."""
    seen: list[Incoming] = []

    def answer(incoming: Incoming) -> Outgoing:
        seen.append(incoming)
        return Outgoing(status=201, headers={"X-One": "1"}, chunks=(b"abc",))

    client = Client(b'{"a":', b"1}")
    assert ask(answer, client, scope=scope(query=b"beta=true", x_api_key="k")) == []
    (incoming,) = seen
    assert (incoming.method, incoming.path, incoming.body) == ("POST", "/v1/messages?beta=true", b'{"a":1}')
    assert incoming.headers == {"x-api-key": "k"}
    assert client.sent[0] == {
        "type": "http.response.start",
        "status": 201,
        "headers": [(b"x-one", b"1"), (b"content-length", b"3")],
    }
    assert client.body == b"abc"
    assert client.sent[-1]["more_body"] is False


def test_pieces_and_pauses() -> None:
    """Each piece is a message of its own, after its pause."""
    outgoing = Outgoing(status=200, headers={}, chunks=(b"a", b"b"), waits=(0.0, 0.5), delay=2.0)
    client = Client()
    assert ask(lambda incoming: outgoing, client) == [2.0, 0.5]
    assert [message.get("body") for message in client.sent[1:]] == [b"a", b"b", b""]
    assert b"content-length" not in dict(client.sent[0]["headers"])


@pytest.mark.parametrize(("fault", "reset"), [("read", True), ("write", True), ("connect", True), ("close", False)])
@pytest.mark.parametrize("begun", [True, False])
def test_a_connection_that_breaks(fault: Any, reset: bool, begun: bool) -> None:
    """The server is told how; what was to come before it has been sent, and no end."""
    outgoing = Outgoing(status=200, headers={}, chunks=(b"a",), fault=fault) if begun else no_answer(fault)
    client, broken = Client(), []

    async def breaks(asked: Any, hard: bool) -> None:
        broken.append((asked["client"], hard))

    ask(lambda incoming: outgoing, client, breaks=breaks)
    assert broken == [(("127.0.0.1", 5), reset)]
    assert client.body == (b"a" if begun else b"")
    assert all(message.get("more_body", True) for message in client.sent)


def test_a_server_that_cannot_break_connections_sees_a_failure() -> None:
    """It closes the connection then."""
    with pytest.raises(BrokenConnection, match="as the script says"):
        ask(lambda incoming: no_answer("read"), Client())


@pytest.mark.parametrize("fault", ["timeout", "connect_timeout", "write_timeout"])
def test_a_client_that_waits_in_vain(fault: Any) -> None:
    """Nothing comes until it goes."""
    client = Client()
    ask(lambda incoming: no_answer(fault), client)
    assert client.sent == []
    assert asyncio.run(client.receive())["type"] == "http.disconnect"


@pytest.mark.parametrize("told", [True, False])
def test_a_body_that_is_too_large(told: bool) -> None:
    """The API's refusal, and nothing is asked of the engine; who tells the size need not send it."""
    client = Client() if told else Client(b"x" * 60, b"x" * 60)
    asked = scope(content_length="101") if told else scope()
    ask(lambda incoming: pytest.fail("asked"), client, scope=asked, largest=100)
    assert client.sent[0]["status"] == 413
    assert json.loads(client.body)["error"] == {
        "type": "request_too_large",
        "message": "Request exceeds the maximum size",
    }
    assert (b"connection", b"close") in client.sent[0]["headers"]


def test_the_cap_on_requests_is_answered() -> None:
    """In a process of its own no client can be stopped by an exception."""

    def answer(incoming: Incoming) -> Outgoing:
        raise RequestLimitReached(7)

    client = Client()
    ask(answer, client)
    assert client.sent[0]["status"] == 400
    assert (b"x-should-retry", b"false") in client.sent[0]["headers"]
    assert "7 requests" in json.loads(client.body)["error"]["message"]


def test_who_only_looks_gets_no_body() -> None:
    """The answer to a HEAD says what would come."""
    client = Client()
    ask(lambda incoming: Outgoing(status=200, headers={}, chunks=(b"abc",)), client, scope=scope("HEAD", "/"))
    assert client.body == b""
    assert dict(client.sent[0]["headers"])[b"content-length"] == b"3"


@pytest.mark.parametrize("status", [204, 304])
@pytest.mark.parametrize("chunks", [(b"abc",), (b"a", b"bc")], ids=["whole", "in-pieces"])
def test_an_answer_that_has_no_body(status: int, chunks: tuple[bytes, ...]) -> None:
    """HTTP gives these none: whatever the script says, a client would take it for the next answer."""
    client = Client()
    ask(lambda incoming: Outgoing(status=status, headers={}, chunks=chunks), client)
    assert (client.sent[0]["headers"], client.body) == ([], b"")


def test_headers_are_a_requests_own() -> None:
    """The same ones are read once; what is done with them shows in no other request."""
    seen: list[dict[str, str]] = []

    def answer(incoming: Incoming) -> Outgoing:
        seen.append(dict(incoming.headers))
        assert isinstance(incoming.headers, dict)
        incoming.headers.clear()
        return Outgoing(status=200, headers={}, chunks=(b"a", b"b"))

    for key in ("k", "k", "other"):
        client = Client()
        ask(answer, client, scope=scope(X_Api_Key=key, content_length="0"))
        assert dict(client.sent[0]["headers"])[b"content-length"] == b"2"
    assert seen == [{"x-api-key": key, "content-length": "0"} for key in ("k", "k", "other")]


def test_a_server_that_starts_and_stops() -> None:
    """The lifespan protocol is gone along with; a web socket is left to the server, which refuses it."""
    events = iter([{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}])
    sent: list[str] = []

    async def receive() -> Json:
        return next(events)

    async def send(message: Any) -> None:
        sent.append(message["type"])

    door = Door(lambda incoming: pytest.fail("asked"), lambda seconds, awaits: None)
    asyncio.run(door({"type": "lifespan"}, receive, send))
    asyncio.run(door({"type": "websocket"}, receive, send))
    assert sent == ["lifespan.startup.complete", "lifespan.shutdown.complete"]

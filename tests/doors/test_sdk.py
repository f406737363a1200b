"""The SDK's door: requests of httpx and httpx2 to bytes, and answers back."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable
from types import ModuleType
from typing import Any, get_args

import httpx2
import pytest

from playhead import FakeClaude, SetupError, say
from playhead.doors.sdk import Transport
from playhead.engine.http import FOR_EVER, Fault, Incoming, Outgoing, Timeouts, no_answer

BODY = b'{"model":"claude-opus-5-5","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}'
URL = "https://api.anthropic.com/v1/messages?beta=true"

HEADERS = {"x-api-key": "k", "anthropic-version": "2023-06-01"}


def transport(seen: list[Incoming], *chunks: bytes) -> Transport:
    def answer(incoming: Incoming) -> Outgoing:
        seen.append(incoming)
        return Outgoing(status=201, headers={"x-one": "1"}, chunks=chunks)

    return Transport(answer)


def test_a_sync_client() -> None:
    """Method, path with its query, headers in lower case and body arrive; status, headers and body come back."""
    seen: list[Incoming] = []
    with httpx2.Client(transport=transport(seen, b"a", "é".encode())) as client:
        response = client.post(URL, content=b"body", headers={"X-Mixed-Case": "Kept As Is"})
    assert (response.status_code, response.headers["x-one"], response.text) == (201, "1", "aé")
    assert response.elapsed.total_seconds() >= 0
    (incoming,) = seen
    assert (incoming.method, incoming.path, incoming.body) == ("POST", "/v1/messages?beta=true", b"body")
    assert incoming.headers["x-mixed-case"] == "Kept As Is"
    assert incoming.headers["host"] == "api.anthropic.com"
    assert all(name == name.lower() for name in incoming.headers)


HEADER_PAIRS: tuple[list[tuple[bytes, bytes]], ...] = (
    [],
    [(b"A", b"")],
    [(b"Content-Length", b"17")],
    [(b"Host", b"x"), (b"Content-Length", b"17")],
    [(b"Host", b"x"), (b"Content-Length", b"17"), (b"X-A", b"1")],
    [(b"Host", b"x"), (b"content-length", b"18"), (b"X-A", "é".encode("latin-1"))],
    [(b"A", b""), (b"Content-Length", b"")],
    [(b"Vary", b"Content-Length"), (b"A", b"c")],
    [(b"Vary", b"Content-Length"), (b"A", b"c"), (b"Content-Length", b"7")],
    [(b"A", b"1\n2"), (b"Content-Length", b"7")],
    [(b"A", b"1\n2\n3"), (b"Content-Length", b"7")],
)


@pytest.mark.parametrize("pairs", HEADER_PAIRS, ids=str)
def test_headers_as_they_are(pairs: list[tuple[bytes, bytes]]) -> None:
    """Each value under its name in lower case, wherever the length stands and whatever a value reads like."""
    seen: list[Incoming] = []
    request = httpx2.Request("POST", URL, headers=pairs, stream=httpx2.ByteStream(b""))
    transport(seen).handle_request(request)
    given = {name.decode().lower(): value.decode("latin-1") for name, value in request.headers.raw}
    assert seen[0].headers == given
    assert given.items() >= {name.decode().lower(): value.decode("latin-1") for name, value in pairs}.items()


def test_headers_of_one_request_after_another() -> None:
    """Each request has its own, whichever of them, or none, the ones before had."""
    one, two, both = [(b"A", b"1"), (b"B", b"2")], [(b"A", b"1"), (b"B", b"3")], [(b"B", b"3"), (b"A", b"1")]
    heads = [one, two, one, both, [], one[:1], [*one, *two], [(b"C", b"4"), *one], one, [], both]
    seen: list[Incoming] = []
    door = transport(seen)
    for pairs in heads:
        request = httpx2.Request("POST", URL, headers=pairs, stream=httpx2.ByteStream(b""))
        request.headers = httpx2.Headers(pairs)  # without those that the client adds
        door.handle_request(request)
    read = [{name.decode().lower(): value.decode() for name, value in pairs} for pairs in heads]
    assert [incoming.headers for incoming in seen] == read


def test_an_async_client() -> None:
    """The same for an async client, from the same transport."""
    seen: list[Incoming] = []
    door = transport(seen, b"ab")

    async def main() -> httpx2.Response:
        async with httpx2.AsyncClient(transport=door) as client:
            return await client.post(URL, content=b"body")

    response = asyncio.run(main())
    with httpx2.Client(transport=door) as client:
        assert client.post(URL, content=b"body").content == response.content == b"ab"
    assert len(seen) == 2
    assert seen[0].body == seen[1].body == b"body"


@pytest.mark.parametrize("pieces", [[b""], [b"one"], [b"o", b"n", b"e"]], ids=["empty", "whole", "in pieces"])
def test_a_body_that_is_sent_as_a_stream(pieces: list[bytes]) -> None:
    """A request body from a generator is read whole."""
    seen: list[Incoming] = []
    with httpx2.Client(transport=transport(seen)) as client:
        client.post(URL, content=iter(pieces))
    assert seen[0].body == b"".join(pieces)


def test_an_answer_can_be_streamed() -> None:
    """The body of an answer may be read in pieces, and once only, as from a network."""
    with (
        httpx2.Client(transport=transport([], b"one", b"two")) as client,
        client.stream("GET", URL) as response,
    ):
        assert b"".join(response.iter_bytes(chunk_size=2)) == b"onetwo"


def test_closing_holds_nothing() -> None:
    """One client's close leaves the transport open for the next."""
    door = transport([], b"x")
    for _ in range(2):
        with httpx2.Client(transport=door) as client:
            assert client.get(URL).content == b"x"


def test_a_fake_under_a_plain_client() -> None:
    """`fake.transport` serves a client that knows nothing of the SDK."""
    fake = FakeClaude([say("Hi")])
    with httpx2.Client(transport=fake.transport, headers=HEADERS) as client:
        message = client.post(URL, content=BODY).json()
    assert message["content"] == [{"type": "text", "text": "Hi"}]
    fake.assert_ok()


class Stray:
    """A request of a library that is no HTTP client of the SDK's."""

    def read(self) -> bytes:
        return b""


class Homeless(Stray):
    """A request of a module that is not loaded."""


Homeless.__module__ = "nowhere.models"


@pytest.mark.parametrize(("request_type", "name"), [(Stray, __name__.partition(".")[0]), (Homeless, "nowhere")])
def test_requests_of_other_libraries(request_type: type[Stray], name: str) -> None:
    """They are refused with the module's name and the way in, before anything is answered."""
    seen: list[Incoming] = []
    with pytest.raises(SetupError, match=rf"got a request of {name}; it serves clients of httpx and httpx2: use fake"):
        transport(seen).handle_request(request_type())
    assert seen == []


def test_the_module_is_taken_from_the_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """A request of `httpx` gets a response of `httpx`: a stand-in, since only one of the two is installed."""
    stand_in = ModuleType("httpx")
    stand_in.ByteStream = type("ByteStream", (httpx2.ByteStream,), {})  # type: ignore[attr-defined]
    stand_in.Response = type("Response", (httpx2.Response,), {"__module__": "httpx"})  # type: ignore[attr-defined]
    request_type = type("Request", (httpx2.Request,), {"__module__": "httpx._models"})
    monkeypatch.setitem(sys.modules, "httpx", stand_in)
    response = transport([], b"x").handle_request(request_type("POST", URL, content=b"body"))
    assert type(response).__module__ == "httpx"
    assert response.read() == b"x"


def told(answer: Outgoing, pauses: list[float] | None = None) -> Transport:
    """A transport that gives one answer, and notes the pauses."""

    def pause(seconds: float, awaits: bool) -> Awaitable[object] | None:
        if pauses is not None:
            pauses.append(seconds)
        return asyncio.sleep(0) if awaits else None

    return Transport(lambda incoming: answer, pause)


def pieces_of(door: Transport, pieces: list[bytes]) -> None:
    """The body as it comes, read by a sync client."""
    with httpx2.Client(transport=door) as client, client.stream("GET", URL) as response:
        pieces.extend(response.iter_raw())


def later_pieces_of(door: Transport, pieces: list[bytes]) -> None:
    """The same, by an async client."""

    async def main() -> None:
        async with httpx2.AsyncClient(transport=door) as client, client.stream("GET", URL) as response:
            async for piece in response.aiter_raw():
                pieces.append(piece)

    asyncio.run(main())


READERS = [pieces_of, later_pieces_of]
WRITES = (b"\xc3", b"\xb6\r", b"\n", b"x" * 9)


def answer_of(*chunks: bytes, **members: Any) -> Outgoing:
    return Outgoing(status=200, headers={}, chunks=chunks, **members)


@pytest.mark.parametrize("read", READERS, ids=["sync", "async"])
def test_each_write_arrives_for_itself(read: Any) -> None:
    """The pieces of a body are handed out as they are written, with a pause before each that has one."""
    pauses: list[float] = []
    pieces: list[bytes] = []
    read(told(answer_of(*WRITES), pauses), pieces)
    assert (pieces, pauses) == ([*WRITES], [])
    read(told(answer_of(*WRITES, waits=(0.0, 1.5, 0.0, 2.0), delay=0.25), pauses), pieces)
    assert (pieces, pauses) == ([*WRITES, *WRITES], [0.25, 1.5, 2.0])


@pytest.mark.parametrize("read", READERS, ids=["sync", "async"])
@pytest.mark.parametrize("fault", get_args(Fault))
def test_a_body_that_breaks(read: Any, fault: Fault) -> None:
    """Everything before the fault arrives, then the time passes that it takes, then the HTTP library's own error."""
    pauses: list[float] = []
    pieces: list[bytes] = []
    with pytest.raises(ERRORS[fault]) as caught:
        read(told(answer_of(*WRITES, fault=fault, late=7.0), pauses), pieces)
    assert (pieces, pauses) == ([*WRITES], [7.0])
    assert caught.value.request.url == URL


ERRORS: dict[Fault, type[httpx2.TransportError]] = {
    "connect": httpx2.ConnectError,
    "read": httpx2.ReadError,
    "write": httpx2.WriteError,
    "timeout": httpx2.ReadTimeout,
    "connect_timeout": httpx2.ConnectTimeout,
    "write_timeout": httpx2.WriteTimeout,
    "close": httpx2.RemoteProtocolError,
}


@pytest.mark.parametrize("read", READERS, ids=["sync", "async"])
@pytest.mark.parametrize("fault", get_args(Fault))
def test_a_connection_that_fails(read: Any, fault: Fault) -> None:
    """In place of an answer comes the HTTP library's own error, after the time that it takes."""
    pauses: list[float] = []
    with pytest.raises(ERRORS[fault]) as caught:
        read(told(no_answer(fault, 5.0), pauses), [])
    assert type(caught.value) is ERRORS[fault]
    assert str(caught.value).strip()
    assert pauses == [5.0]


def test_a_server_that_closes_says_when() -> None:
    """Before an answer and in the middle of one are two errors of the same class, told apart by their words."""
    with pytest.raises(httpx2.RemoteProtocolError, match="Server disconnected without sending a response"):
        pieces_of(told(no_answer("close")), [])
    with pytest.raises(httpx2.RemoteProtocolError, match="peer closed connection without sending complete"):
        pieces_of(told(answer_of(b"x", fault="close")), [])


@pytest.mark.parametrize(
    ("timeout", "timeouts"),
    [
        (None, FOR_EVER),
        (5.0, Timeouts(connect=5.0, read=5.0, write=5.0)),
        (httpx2.Timeout(600, connect=5.0), Timeouts(connect=5.0, read=600, write=600)),
        (httpx2.Timeout(None, read=1.0), Timeouts(read=1.0)),
    ],
    ids=["none", "one for all", "the SDK's", "of reading only"],
)
def test_the_clients_timeouts(timeout: Any, timeouts: Timeouts) -> None:
    """They are read from each request."""
    seen: list[Incoming] = []
    with httpx2.Client(transport=transport(seen), timeout=timeout) as client:
        client.get(URL)
        client.get(URL, timeout=3.0)
    assert [incoming.timeouts for incoming in seen] == [timeouts, Timeouts(3.0, 3.0, 3.0)]


def test_a_request_of_no_client() -> None:
    """One that was built by hand has no timeouts, and is answered all the same."""
    seen: list[Incoming] = []
    response = transport(seen, b"x").handle_request(httpx2.Request("POST", URL, content=b"body"))
    assert response.read() == b"x"
    assert seen[0].timeouts == FOR_EVER

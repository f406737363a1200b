"""The SDK's door: requests of httpx and httpx2 to bytes, and answers back."""

from __future__ import annotations

import asyncio
import sys
from types import ModuleType

import httpx2
import pytest

from playhead import FakeClaude, SetupError, say
from playhead.doors.sdk import Transport
from playhead.engine.http import Incoming, Outgoing

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

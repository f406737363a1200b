"""An exchange: one request and its answer."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from playhead.wire.exchange import Exchange
from playhead.wire.history import Sent, grown

Json = dict[str, Any]

PATHS = {
    "/v1/messages": ("/v1/messages", True),
    "/v1/messages/": ("/v1/messages", True),
    "/v1/messages?beta=true": ("/v1/messages", True),
    "https://api.anthropic.com/v1/messages?beta=true": ("/v1/messages", True),
    "/proxy/anthropic/v1/messages": ("/v1/messages", True),
    "/v1/messages/count_tokens": ("/v1/messages/count_tokens", False),
    "/v1/messages/count_tokens?beta=true": ("/v1/messages/count_tokens", False),
    "/v1/messages/batches": ("/v1/messages/batches", False),
    "/v1/models": ("/v1/models", False),
}


@pytest.mark.parametrize("path", PATHS)
def test_endpoints(path: str) -> None:
    """The endpoint is the API's path, whatever host, prefix or query stands around it."""
    exchange = Exchange(path=path)
    assert (exchange.endpoint, exchange.is_message) == PATHS[path]


FAILED = {
    "fine": ({"status": 200, "response": {}}, False),
    "nothing-known": ({}, False),
    "http-error": ({"status": 529}, True),
    "http-error-with-its-body": ({"status": 400, "error": {"type": "invalid_request_error"}}, True),
    "error-event": ({"status": 200, "response": {}, "error": {"type": "overloaded_error"}}, True),
    "broken-stream": ({"status": 200, "response": {}, "complete": False}, True),
    "redirect": ({"status": 302}, False),
}


@pytest.mark.parametrize(("fields", "failed"), FAILED.values(), ids=FAILED)
def test_failed(fields: Json, failed: bool) -> None:
    """An exchange failed when the client did not get a whole message."""
    assert Exchange(**fields).failed is failed


@pytest.mark.parametrize("odd", [None, {}, {"messages": None, "content": None}, {"messages": "x", "content": "x"}])
def test_what_is_not_there_is_empty(odd: Json | None) -> None:
    """Messages and content can be walked, whatever a recording lacks or got wrong."""
    exchange = Exchange(request=odd, response=odd)
    assert (exchange.messages, exchange.content, exchange.calls(), exchange.stop_reason) == ([], [], [], None)


def test_calls() -> None:
    """The client's calls of a reply, and none of the server's."""
    content = [{"type": "text"}, {"type": "tool_use", "id": "a"}, {"type": "server_tool_use", "id": "b"}, "x"]
    exchange = Exchange(response={"content": content, "stop_reason": "tool_use"})
    assert exchange.calls() == [{"type": "tool_use", "id": "a"}]
    assert exchange.stop_reason == "tool_use"


@pytest.mark.parametrize(
    ("exchange", "knows"),
    [
        (Exchange(), False),
        (Exchange(request={}), True),
        (Exchange(request={}, known=frozenset({"tools"})), True),
        (Exchange(request={"tools": []}, known=frozenset({"messages"})), False),
    ],
    ids=["no-request", "whole-request", "a-known-part", "an-unknown-part"],
)
def test_what_a_recording_tells(exchange: Exchange, knows: bool) -> None:
    """Absence is known where the whole request is, or where the recording says so."""
    assert exchange.knows("tools") is knows


def test_an_exchange_is_a_value() -> None:
    """Equal by its fields, and not to be changed."""
    assert Exchange(number=2) == Exchange(number=2)
    with pytest.raises(AttributeError):
        Exchange().number = 2  # type: ignore[misc]
    with pytest.raises(TypeError):
        Exchange().results["x"] = 1  # type: ignore[index]
    with pytest.raises(TypeError):
        hash(Exchange())
    assert Exchange() != "Exchange()"


def test_how_messages_are_held_is_no_part_of_an_exchange() -> None:
    """Exchanges that say the same are equal and look the same, whether or not they know what was sent before."""
    messages: list[object] = [{"role": "user", "content": "hi"}]
    body: Json = {"messages": messages}
    last = grown(None, messages)
    assert last is not None
    known, plain = Exchange(request=body, sent=Sent(messages, last)), Exchange(request=body)
    assert known.history is last
    assert known == plain
    assert repr(known) == repr(plain)
    assert structs.replace(known, status=200).history is last

"""One request: what is sent, and what is not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import anthropic
import pytest

from playhead.loop import (
    DEFAULT_MAX_TOKENS,
    DEFAULT_MODEL,
    SyncAsyncMismatch,
    Tools,
    achat,
    arun_conversation,
    chat,
    run_conversation,
)

from .conftest import Wire, reply, text

MESSAGES = [{"role": "user", "content": "hi"}]
SCHEMA = {"name": "f", "input_schema": {"type": "object"}}
Make = Callable[..., Wire]


def sync_chat(wire: Wire, *args: Any, **options: Any) -> Any:
    return chat(wire.client, MESSAGES, *args, **options)


def async_chat(wire: Wire, *args: Any, **options: Any) -> Any:
    return asyncio.run(achat(wire.async_client, MESSAGES, *args, **options))


CHATS = [pytest.param(sync_chat, id="sync"), pytest.param(async_chat, id="async")]
Chat = Callable[..., Any]


@pytest.mark.parametrize("chat_with", CHATS)
def test_absent_options_are_not_sent(chat_with: Chat, wire: Make) -> None:
    """Only what every request needs; None and an empty list of tools count as absent."""
    played = wire(reply(text("Hi")), reply(text("Hi")))
    message = chat_with(played)
    chat_with(played, [], system=None, temperature=None, tool_choice=None)
    bare = {"model": DEFAULT_MODEL, "max_tokens": DEFAULT_MAX_TOKENS, "messages": MESSAGES}
    assert played.bodies == [bare, bare]
    assert message.content[0].text == "Hi"
    assert message.usage.input_tokens == 1


@pytest.mark.parametrize("chat_with", CHATS)
@pytest.mark.parametrize("streamed", [False, True])
def test_given_options_are_sent(chat_with: Chat, streamed: bool, wire: Make) -> None:
    """Each at its place in the body; sampling too, which newer SDKs have no parameter for."""
    played = wire(reply(text("Hi")))
    options: dict[str, Any] = {
        "model": "claude-haiku-4-5-20991231",
        "max_tokens": 0,
        "system": "Be brief.",
        "stop_sequences": ["END"],
        "temperature": 0.0,
        "thinking": {"type": "adaptive"},
        "tool_choice": {"type": "auto"},
        "metadata": {"user_id": "u"},
    }
    listener = {"on_text": lambda piece: None} if streamed else {}
    chat_with(played, [SCHEMA], **options, extra_body={"novel": 1}, extra_headers={"x-a": "b"}, **listener)
    stream = {"stream": True} if streamed else {}
    assert played.bodies == [{**options, **stream, "messages": MESSAGES, "tools": [SCHEMA], "novel": 1}]


def test_a_registry_is_sent_as_its_schemas(wire: Make) -> None:
    """The tools of a registry, in order."""
    played = wire(reply(text("Hi")))
    chat(played.client, MESSAGES, Tools([(SCHEMA, print)]))
    assert played.bodies[0]["tools"] == [SCHEMA]


def test_the_beta_client_is_a_client_too(wire: Make) -> None:
    """`client.beta` has the same two methods; its betas go into the header."""
    played = wire(reply(text("Hi"), stop_reason="compaction"))
    message = chat(played.client.beta, MESSAGES, betas=["compact-2026-01-12"])
    assert message.stop_reason == "compaction"


def test_messages_are_not_changed(wire: Make) -> None:
    """`chat` only reads the history."""
    messages = [{"role": "user", "content": "hi"}]
    chat(wire(reply(text("Hi"))).client, messages)
    assert messages == MESSAGES


async def show(piece: str) -> None: ...


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        pytest.param(
            lambda wire: chat(wire.client, "hi"),
            TypeError,
            "messages is a list.*got str",
            id="text",
        ),  # type: ignore[arg-type]
        pytest.param(
            lambda wire: chat(wire.client, [], stream=True),  # type: ignore[call-arg]
            TypeError,
            "pass on_text= or on_event=",
            id="stream",
        ),
        pytest.param(
            lambda wire: chat(wire.client, [], on_text=show),
            SyncAsyncMismatch,
            "'show' is async",
            id="async-callback",
        ),
        pytest.param(
            lambda wire: chat(wire.async_client, []),
            SyncAsyncMismatch,
            "pass an Anthropic",
            id="async-client",
        ),
        pytest.param(
            lambda wire: run_conversation(wire.async_client, [], on_text=print),
            SyncAsyncMismatch,
            "pass an Anthropic",
            id="async-client-streamed",
        ),
        pytest.param(
            lambda wire: asyncio.run(arun_conversation(wire.client, [], on_text=print)),
            SyncAsyncMismatch,
            "pass an AsyncAnthropic",
            id="sync-client-streamed",
        ),
    ],
)
def test_mix_ups_are_named_before_anything_is_sent(
    call: Callable[[Wire], object], error: type[Exception], words: str, wire: Make
) -> None:
    """Wrong arguments, and async where sync is meant."""
    played = wire()
    with pytest.raises(error, match=words):
        call(played)
    assert played.bodies == []


def test_a_sync_client_in_the_async_chat_is_named(wire: Make) -> None:
    """It is found when the answer is no awaitable."""
    with pytest.raises(SyncAsyncMismatch, match="pass an AsyncAnthropic"):
        asyncio.run(achat(wire(reply(text("Hi"))).client, MESSAGES))


@pytest.mark.parametrize("chat_with", CHATS)
def test_api_errors_pass_through(chat_with: Chat, wire: Make) -> None:
    """They are the SDK's own."""
    body = {"type": "error", "error": {"type": "invalid_request_error", "message": "messages: nope"}}
    with pytest.raises(anthropic.BadRequestError, match="messages: nope"):
        chat_with(wire((400, body)))

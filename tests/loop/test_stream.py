"""A stream is shown as it comes and believed only when it is whole."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import anthropic
import pytest

from playhead.loop import StreamIncomplete, achat, chat

from .conftest import Wire, reply, sse, text, tool_use

MESSAGE = reply(text("Hello, wörld"), tool_use("f", a=[1, 2.5]), stop_reason="tool_use")
MESSAGES = [{"role": "user", "content": "hi"}]


def sync_chat(wire: Wire, **options: Any) -> Any:
    return chat(wire.client, MESSAGES, **options)


def async_chat(wire: Wire, **options: Any) -> Any:
    return asyncio.run(achat(wire.async_client, MESSAGES, **options))


CHATS = [pytest.param(sync_chat, id="sync"), pytest.param(async_chat, id="async")]
Chat = Callable[..., Any]
Make = Callable[..., Wire]


@pytest.mark.parametrize("chat_with", CHATS)
def test_callbacks_see_text_and_events_and_the_message_is_whole(chat_with: Chat, wire: Make) -> None:
    """on_text gets each piece of text, on_event everything; the message equals the one sent in one piece."""
    pieces: list[str] = []
    kinds: list[str] = []
    message = chat_with(wire(MESSAGE), on_text=pieces.append, on_event=lambda event: kinds.append(event.type))
    assert "".join(pieces) == "Hello, wörld"
    assert kinds[0] == "message_start"
    assert kinds[-1] == "message_stop"
    assert message.stop_reason == "tool_use"
    assert message.content[1].input == {"a": [1, 2.5]}


def test_async_callbacks_are_awaited(wire: Make) -> None:
    """The async loop takes both kinds."""
    pieces: list[str] = []

    async def show(piece: str) -> None:
        await asyncio.sleep(0)
        pieces.append(piece)

    async_chat(wire(MESSAGE), on_text=show)
    assert "".join(pieces) == "Hello, wörld"


COUNT = sse(MESSAGE).count(b"event: ")


@pytest.mark.parametrize("chat_with", CHATS)
@pytest.mark.parametrize("events", range(COUNT))
def test_a_stream_that_ends_early_is_incomplete(chat_with: Chat, events: int, wire: Make) -> None:
    """Wherever it ends before message_stop; what arrived is in the error."""
    with pytest.raises(StreamIncomplete, match="ended before message_stop") as caught:
        chat_with(wire(sse(MESSAGE, events=events)), on_text=lambda piece: None)
    assert (caught.value.message is None) == (events == 0)
    assert caught.value.messages == MESSAGES


@pytest.mark.parametrize("chat_with", CHATS)
@pytest.mark.parametrize("partial", ['{"a": 1, "b": "un', '{"a": 2', "[1]", '{"a"'])
def test_tool_input_that_was_cut_is_not_believed(chat_with: Chat, partial: str, wire: Make) -> None:
    """The SDK parses cut JSON as if it were whole; here it comes back as what it is."""
    message = chat_with(wire(sse(MESSAGE, tool_json=partial)), on_text=lambda piece: None)
    assert message.content[1].input == {"INVALID_JSON": partial}


@pytest.mark.parametrize("chat_with", CHATS)
def test_no_tool_json_is_an_empty_input(chat_with: Chat, wire: Make) -> None:
    """A call without arguments streams an empty string."""
    message = chat_with(wire(sse(MESSAGE, tool_json="")), on_text=lambda piece: None)
    assert message.content[1].input == {}


@pytest.mark.parametrize("chat_with", CHATS)
def test_an_error_event_is_the_sdk_s_error(chat_with: Chat, wire: Make) -> None:
    """It passes through as it is."""
    error = b'{"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}'
    event = b"event: error\ndata: " + error + b"\n\n"
    with pytest.raises(anthropic.APIStatusError, match="busy"):
        chat_with(wire(sse(MESSAGE, events=4) + event), on_text=lambda piece: None)

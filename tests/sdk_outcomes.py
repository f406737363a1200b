"""What the SDK makes of an answer: six ways to ask for one, and what came of it in one line."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

import anthropic

from playhead import Exchange, FakeClaude, call, say, turn

REPLY = turn(say("Let me look."), call("get_tide", port="Brest", days=25))
TOOLS: Any = [{"name": "get_tide", "description": "The tide.", "input_schema": {"type": "object"}}]
ASK: dict[str, Any] = {
    "model": "claude-opus-5-5",
    "max_tokens": 64,
    "tools": TOOLS,
    "messages": [{"role": "user", "content": "How high is the tide?"}],
}
CONTENT = ["Let me look.", ("get_tide", {"port": "Brest", "days": 25})]


def create(client: anthropic.Anthropic) -> str:
    """`messages.create(...)`."""
    return message(client.messages.create(**ASK))


def raw(client: anthropic.Anthropic) -> str:
    """`messages.create(..., stream=True)`."""
    seen: list[str] = []
    try:
        for event in client.messages.create(**ASK, stream=True):
            seen.append(event.type)
    except Exception as error:  # noqa: BLE001  # what it raises is what is asked
        return events(seen, error)
    return events(seen)


def helper(client: anthropic.Anthropic) -> str:
    """`messages.stream(...)`, read to its end."""
    with client.messages.stream(**ASK) as stream:
        return message(stream.get_final_message())


async def create_later(client: anthropic.AsyncAnthropic) -> str:
    """`create`, async."""
    return message(await client.messages.create(**ASK))


async def raw_later(client: anthropic.AsyncAnthropic) -> str:
    """`raw`, async."""
    seen: list[str] = []
    try:
        async for event in await client.messages.create(**ASK, stream=True):
            seen.append(event.type)
    except Exception as error:  # noqa: BLE001  # as above
        return events(seen, error)
    return events(seen)


async def helper_later(client: anthropic.AsyncAnthropic) -> str:
    """`helper`, async."""
    async with client.messages.stream(**ASK) as stream:
        return message(await stream.get_final_message())


WAYS: Mapping[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "create": (create, create_later),
    "raw": (raw, raw_later),
    "helper": (helper, helper_later),
}


def message(value: Any) -> str:
    """The content that was handed out, `whole` where it is all of the reply."""
    if not isinstance(value, anthropic.types.Message):
        return f"{type(value).__name__} {str(value)[:14]!r}"
    blocks: Any = value.content
    if blocks is None:  # the SDK promises a list, and checks nothing
        return "a message without content"
    content = [
        block.text if block.type == "text" else (block.name, block.input) if block.type == "tool_use" else block.type
        for block in blocks
    ]
    if (content, value.stop_reason) == (CONTENT, "tool_use"):
        return "whole"
    return f"{content} {value.stop_reason}"


def events(seen: list[str], error: Exception | None = None) -> str:
    """How many events came, and whether the last of them was `message_stop`."""
    end = "" if "message_stop" in seen else ", no end"
    return f"{len(seen)} events{end}" if error is None else f"{len(seen)} events, {raised(error)}"


def raised(error: Exception) -> str:
    """An error's class, and the API's words where there are some; others' words change with their versions."""
    body: Any = error.body if isinstance(error, anthropic.APIStatusError) else None
    words = body["error"]["message"] if isinstance(body, dict) else None
    return f"{type(error).__name__}: {_short(words)}" if words else type(error).__name__


def _short(text: str) -> str:
    return text if len(text) <= 48 else f"{text[:47]}…"


def outcome(fake: FakeClaude, way: str, *, later: bool = False, **options: Any) -> str:
    """What the SDK makes of what the fake answers, asked in one of the `WAYS`; `later` asks it async."""
    ask, ask_later = WAYS[way]
    try:
        told = asyncio.run(ask_later(fake.async_client(**options))) if later else ask(fake.client(**options))
    except Exception as error:  # noqa: BLE001  # as above
        told = raised(error)
    requests = len(fake.session.exchanges)
    return f"{told} ({requests} requests)" if requests != 1 else str(told)


def seen(exchange: Exchange) -> str:
    """What the fake says of an answer: status, the error, and the content that came, with what is missing of it."""
    if exchange.status is None:
        return "no answer"
    words = [str(exchange.status)]
    if exchange.error is not None:
        words.append(str(exchange.error["type"]))
    if exchange.response is not None:
        blocks: Any = exchange.response.get("content")
        content = blocks and [
            block["text"]
            if block["type"] == "text"
            else (block["name"], block["input"])
            if block["type"] == "tool_use"
            else block["type"]
            for block in blocks
        ]
        whole = (content, exchange.stop_reason) == (CONTENT, "tool_use")
        words.append("whole" if whole else f"{content} {exchange.stop_reason}")
    if not exchange.complete:
        words.append("incomplete")
    return " ".join(words)

"""A loop as one writes it by hand: no Playhead in it, only a client that it is given."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import anthropic

LIMIT = 10


class NoAnswer(Exception):
    """The loop ended without an answer; the text says why."""


def answer(
    client: anthropic.Anthropic,
    question: str,
    tools: list[Any],
    functions: dict[str, Callable[..., object]],
) -> str:
    """Asks Claude, runs the tools it calls, and returns what it says in the end."""
    messages: list[Any] = [{"role": "user", "content": question}]
    for _ in range(LIMIT):
        reply = client.messages.create(model="claude-opus-5-5", max_tokens=1024, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": reply.content})
        if reply.stop_reason == "end_turn":
            return "".join(block.text for block in reply.content if block.type == "text")
        if reply.stop_reason != "tool_use":
            raise NoAnswer(f"the reply stopped with {reply.stop_reason}")
        results = [run(block, functions) for block in reply.content if block.type == "tool_use"]
        messages.append({"role": "user", "content": results})
    raise NoAnswer(f"no answer after {LIMIT} requests")


def run(call: Any, functions: dict[str, Callable[..., object]]) -> dict[str, object]:
    """The result of one call; a failure is a result too, so that Claude can mend it."""
    result = {"type": "tool_result", "tool_use_id": call.id}
    try:
        value = functions[call.name](**call.input)
    except Exception as error:  # noqa: BLE001 - whatever a tool raises is for Claude to read
        return {**result, "content": f"{type(error).__name__}: {error}", "is_error": True}
    return {**result, "content": value if isinstance(value, str) else json.dumps(value)}

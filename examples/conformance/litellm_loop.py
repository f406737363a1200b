"""LiteLLM: the loop of its pages on function calling, over `litellm.completion`: search it with `--served`.

The loop is ours, as LiteLLM has none: what is looked at is how it translates OpenAI's messages to Claude's and back.
It calls the API with a client of its own that reads `ANTHROPIC_API_BASE` and `ANTHROPIC_BASE_URL`.
"""

from __future__ import annotations

import json
from typing import Any

import litellm

MODEL = "anthropic/claude-opus-5-5"
LIMIT = 20


class TooManyTurns(Exception):
    """The limit of the loop."""


class NoAnswer(Exception):
    """The reply was cut, or refused."""


def loop(client: Any, messages: Any, tools: Any, functions: Any) -> Any:
    """Asks, runs what is called, and asks again."""
    history = [*messages]
    offered = [function(tool) if "input_schema" in tool else tool for tool in tools]
    for _ in range(LIMIT):
        choice = litellm.completion(model=MODEL, messages=history, tools=offered, num_retries=2).choices[0]
        if choice.finish_reason not in ("stop", "tool_calls"):
            raise NoAnswer(choice.finish_reason)
        history.append(choice.message)
        calls = [] if choice.finish_reason == "stop" else choice.message.tool_calls or []
        if not calls:
            return choice.message.content
        history += [result(call, functions) for call in calls]
    raise TooManyTurns(f"no answer after {LIMIT} requests")


def function(tool: Any) -> dict[str, Any]:
    """A tool as OpenAI writes it."""
    own = {"name": tool["name"], "description": tool["description"], "parameters": tool["input_schema"]}
    return {"type": "function", "function": own}


def result(call: Any, functions: Any) -> dict[str, str]:
    """The result of a call. OpenAI's form has no place that says it failed."""
    try:
        value = functions[call.function.name](**json.loads(call.function.arguments))
        content = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    except Exception as error:  # noqa: BLE001 - whatever it is, the model is told
        content = f"{type(error).__name__}: {error}"
    return {"role": "tool", "tool_call_id": call.id, "content": content}

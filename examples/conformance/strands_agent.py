"""Strands: an `Agent` over `AnthropicModel`, which makes its own client and streams: search it with `--served`."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from strands import Agent
from strands.models.anthropic import AnthropicModel
from strands.tools.tools import PythonAgentTool

MODEL = "claude-opus-5-5"
LIMIT = 20


class NoAnswer(Exception):
    """The reply was cut, refused, or one too many."""


def loop(client: Any, messages: Any, tools: Any, functions: Any) -> Any:
    """Runs the agent to its end."""
    own: Any = [made(tool, functions[tool["name"]]) for tool in tools if tool["name"] in functions]
    others = [tool for tool in tools if tool["name"] not in functions]
    more: Any = {"anthropic_tools": others} if others else {}
    model = AnthropicModel(model_id=MODEL, max_tokens=1024, **more)
    agent = Agent(model=model, tools=own, messages=said(messages[:-1]), callback_handler=None)
    answer = agent(said(messages[-1:])[0]["content"], limits={"turns": LIMIT})
    if answer.stop_reason not in ("end_turn", "stop_sequence"):
        raise NoAnswer(f"the reply ended with {answer.stop_reason}")
    return str(answer)


def made(tool: Any, function: Callable[..., object]) -> PythonAgentTool:
    """A tool with the schema that was given; its results are text or JSON, as they are there."""

    def run(use: Any, **context: Any) -> Any:
        value = function(**use["input"])
        content = {"text": value} if isinstance(value, str) else {"json": json.loads(json.dumps(value))}
        return {"toolUseId": use["toolUseId"], "status": "success", "content": [content]}

    spec: Any = {
        "name": tool["name"],
        "description": tool["description"],
        "inputSchema": {"json": tool["input_schema"]},
    }
    return PythonAgentTool(tool["name"], spec, run)


def said(messages: Any) -> Any:
    """The conversation in the framework's own terms."""
    return [{"role": message["role"], "content": blocks(message["content"])} for message in messages]


def blocks(content: Any) -> list[dict[str, str]]:
    """The texts of a message."""
    return [{"text": content}] if isinstance(content, str) else [{"text": block["text"]} for block in content]

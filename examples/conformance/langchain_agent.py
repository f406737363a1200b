"""LangChain: `create_agent` (LangGraph) over `ChatAnthropic`, which makes its own client: search it with `--served`.

What a tool raises is told to the model by `ToolErrorMiddleware`, and `ModelCallLimitMiddleware` ends what has no end;
without the first an exception of a tool ends the run, without the second there are 9,999 steps. `reuse_last_container`
names the container again in which code waits.
"""

from __future__ import annotations

from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import ModelCallLimitMiddleware, ToolErrorMiddleware
from langchain_anthropic import ChatAnthropic
from langchain_core.tools import StructuredTool

MODEL = "claude-opus-5-5"
LIMIT = 20


class NoAnswer(Exception):
    """The reply was cut, or paused."""


def loop(client: Any, messages: Any, tools: Any, functions: Any) -> Any:
    """Runs the agent to its end."""
    return whole(agent(tools, functions).invoke({"messages": messages})["messages"][-1])


def streaming(client: Any, messages: Any, tools: Any, functions: Any) -> Any:
    """The same, the replies streamed."""
    last = None
    for state in agent(tools, functions, streaming=True).stream({"messages": messages}, stream_mode="values"):
        last = state["messages"][-1]
    return whole(last)


async def aloop(client: Any, messages: Any, tools: Any, functions: Any) -> Any:
    """The same, async."""
    return whole((await agent(tools, functions).ainvoke({"messages": messages}))["messages"][-1])


def agent(tools: Any, functions: Any, **settings: Any) -> Any:
    """An agent with these tools; those that Anthropic runs are passed on as they are."""
    model = ChatAnthropic(model=MODEL, max_tokens=1024, reuse_last_container=True, **settings)
    own = [
        StructuredTool.from_function(
            functions[tool["name"]],
            name=tool["name"],
            description=tool["description"],
            args_schema=tool["input_schema"],
        )
        if tool["name"] in functions
        else tool
        for tool in tools
    ]
    errors = ToolErrorMiddleware(lambda error, request: f"{type(error).__name__}: {error}")
    limit = ModelCallLimitMiddleware(run_limit=LIMIT, exit_behavior="error")
    return create_agent(model, tools=own, middleware=[errors, limit])


def whole(message: Any) -> str:
    """What was answered. The framework hands out a text that was cut like any other, and says so beside it."""
    stop_reason = message.response_metadata["stop_reason"]
    if stop_reason not in ("end_turn", "stop_sequence"):
        raise NoAnswer(f"the reply ended with {stop_reason}")
    return str(message.text)

"""Agno: an `Agent` over the client that it is given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agno.agent import Agent
from agno.models.anthropic import Claude
from agno.models.message import Message
from agno.tools.function import Function

MODEL = "claude-opus-5-5"
LIMIT = 20


def loop(client: Any, messages: Any, tools: Any, functions: Any) -> Any:
    """Runs the agent to its end."""
    return agent(tools, functions, client=client).run(said(messages)).content


async def aloop(client: Any, messages: Any, tools: Any, functions: Any) -> Any:
    """The same, async."""
    return (await agent(tools, functions, async_client=client).arun(said(messages))).content


def streaming(client: Any, messages: Any, tools: Any, functions: Any) -> Any:
    """The same, the replies streamed."""
    events = agent(tools, functions, client=client).run(said(messages), stream=True)
    return "".join(str(event.content) for event in events if event.event == "RunContent")


def agent(tools: Any, functions: Any, **client: Any) -> Agent:
    """An agent with these tools; those that Anthropic runs are passed on as they are."""
    own = [made(tool, functions[tool["name"]]) if tool["name"] in functions else tool for tool in tools]
    return Agent(model=Claude(id=MODEL, **client), tools=own, tool_call_limit=LIMIT, telemetry=False)


def made(tool: Any, function: Callable[..., object]) -> Function:
    """A tool with the schema that was given."""

    def run(**arguments: Any) -> object:
        return function(**arguments)

    return Function(
        name=tool["name"],
        description=tool["description"],
        parameters=tool["input_schema"],
        entrypoint=run,
        skip_entrypoint_processing=True,
    )


def said(messages: Any) -> list[Message]:
    """The conversation in the framework's own terms."""
    return [Message(role=message["role"], content=text(message)) for message in messages]


def text(message: Any) -> str:
    """The text of a message, which is one string there."""
    content = message["content"]
    return content if isinstance(content, str) else "\n".join(block["text"] for block in content)

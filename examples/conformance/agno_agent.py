"""Agno: an `Agent` over the client that it is given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agno.agent import Agent
from agno.models.anthropic import Claude
from agno.models.message import Message
from agno.run.base import RunStatus
from agno.tools.function import Function

MODEL = "claude-opus-5-5"
LIMIT = 20


class Failed(Exception):
    """The run failed, which the framework says in its status alone."""


def loop(client: Any, messages: Any, tools: Any, functions: Any) -> Any:
    """Runs the agent to its end."""
    return whole(agent(tools, functions, client=client).run(said(messages)))


async def aloop(client: Any, messages: Any, tools: Any, functions: Any) -> Any:
    """The same, async."""
    return whole(await agent(tools, functions, async_client=client).arun(said(messages)))


def streaming(client: Any, messages: Any, tools: Any, functions: Any) -> Any:
    """The same, the replies streamed."""
    texts = []
    for event in agent(tools, functions, client=client).run(said(messages), stream=True):
        if event.event == "RunError":
            raise Failed(event.content)
        if event.event == "RunContent":
            texts.append(str(event.content))
    return "".join(texts)


def whole(answer: Any) -> Any:
    """What was answered."""
    if answer.status != RunStatus.completed:
        raise Failed(answer.content)
    return answer.content


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

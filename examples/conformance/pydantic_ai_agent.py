"""Pydantic AI: an `Agent` over the client it is given. What a tool raises becomes `ToolFailed`, as its pages advise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic_ai import Agent, Tool
from pydantic_ai.capabilities import NativeTool
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.native_tools import CodeExecutionTool, WebSearchTool
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.usage import UsageLimits

MODEL = "claude-opus-5-5"
LIMIT = 20
NATIVE: dict[str, Any] = {"web_search": WebSearchTool, "code_execution": CodeExecutionTool}
"""The framework's own names for tools that Anthropic runs."""


class NoAnswer(Exception):
    """The reply was cut."""


async def loop(client: Any, messages: Any, tools: Any, functions: Any) -> Any:
    """Runs the agent to its end."""
    answer = await agent(client, tools, functions).run(
        prompt(messages), message_history=history(messages), usage_limits=UsageLimits(request_limit=LIMIT)
    )
    return whole(answer)


async def streaming(client: Any, messages: Any, tools: Any, functions: Any) -> Any:
    """The same, the replies streamed."""
    limits = UsageLimits(request_limit=LIMIT)
    given: Any = {"message_history": history(messages), "usage_limits": limits}
    output = None
    async with agent(client, tools, functions).run_stream_events(prompt(messages), **given) as events:
        async for event in events:
            if event.event_kind == "agent_run_result":
                output = whole(event.result)
    return output


def whole(answer: Any) -> Any:
    """What was answered. The framework hands out a text that was cut like any other, and says so beside it."""
    if answer.response.finish_reason != "stop":
        raise NoAnswer(f"the reply ended with {answer.response.finish_reason}")
    return answer.output


def agent(client: Any, tools: Any, functions: Any) -> Agent:
    """An agent with these tools, and those of Anthropic's that are among them."""
    return Agent(
        AnthropicModel(MODEL, provider=AnthropicProvider(anthropic_client=client)),
        tools=[made(tool, functions[tool["name"]]) for tool in tools if tool["name"] in functions],
        capabilities=[NativeTool(NATIVE[tool["name"]]()) for tool in tools if tool["name"] in NATIVE],
    )


def made(tool: Any, function: Callable[..., object]) -> Tool:
    """A tool with the schema that was given."""

    def run(**arguments: Any) -> object:
        try:
            return function(**arguments)
        except Exception as error:
            raise ToolFailed(str(error)) from error

    return Tool.from_schema(run, name=tool["name"], description=tool["description"], json_schema=tool["input_schema"])


def history(messages: Any) -> list[ModelMessage]:
    """What was said before the last message, in the framework's own terms."""
    said: list[ModelMessage] = []
    for message in messages[:-1]:
        if message["role"] == "user":
            said.append(ModelRequest(parts=[UserPromptPart(content=texts(message))]))
        else:
            said.append(ModelResponse(parts=[TextPart(content=text) for text in texts(message)]))
    return said


def prompt(messages: Any) -> list[str]:
    """The last message."""
    return texts(messages[-1])


def texts(message: Any) -> list[str]:
    """The texts of a message."""
    content = message["content"]
    return [content] if isinstance(content, str) else [block["text"] for block in content]

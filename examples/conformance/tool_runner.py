"""The SDK's own loop, `client.beta.messages.tool_runner`: sync, async, streaming, and without a thread on the server.

Its tools return text or content blocks, so that other values are made JSON here, as whoever uses it has to.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from anthropic import beta_async_tool, beta_tool

MODEL = "claude-opus-5-5"
LIMIT = 20


def text_of(value: object) -> str:
    """A tool's value as the text of its result."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def options(messages: Any, tools: Any, functions: Any, make: Callable[[Any, Any], Any]) -> dict[str, Any]:
    """The arguments of `tool_runner`; what Anthropic runs is passed on as it is."""
    own = [make(tool, functions[tool["name"]]) if tool["name"] in functions else tool for tool in tools]
    return {"model": MODEL, "max_tokens": 1024, "max_iterations": LIMIT, "messages": messages, "tools": own}


def sync_tool(tool: Any, function: Callable[..., object]) -> Any:
    """One of the SDK's tools, with the schema that was given."""

    def run(**arguments: Any) -> str:
        return text_of(function(**arguments))

    return beta_tool(run, name=tool["name"], description=tool["description"], input_schema=tool["input_schema"])


def async_tool(tool: Any, function: Callable[..., object]) -> Any:
    """The same for the async client."""

    async def run(**arguments: Any) -> str:
        return text_of(function(**arguments))

    return beta_async_tool(run, name=tool["name"], description=tool["description"], input_schema=tool["input_schema"])


def loop(client: Any, messages: Any, tools: Any, functions: Any) -> Any:
    """The history is kept by the server, as is the default."""
    return client.beta.messages.tool_runner(**options(messages, tools, functions, sync_tool)).until_done()


def without_thread(client: Any, messages: Any, tools: Any, functions: Any) -> Any:
    """The history is sent each time."""
    given = options(messages, tools, functions, sync_tool)
    return client.beta.messages.tool_runner(**given, thread=False).until_done()


def streaming(client: Any, messages: Any, tools: Any, functions: Any) -> Any:
    """The replies are streamed."""
    given = options(messages, tools, functions, sync_tool)
    message = None
    for stream in client.beta.messages.tool_runner(**given, stream=True):
        message = stream.get_final_message()
    return message


async def aloop(client: Any, messages: Any, tools: Any, functions: Any) -> Any:
    """With the async client."""
    return await client.beta.messages.tool_runner(**options(messages, tools, functions, async_tool)).until_done()


async def aloop_without_thread(client: Any, messages: Any, tools: Any, functions: Any) -> Any:
    """With the async client, the history sent each time."""
    given = options(messages, tools, functions, async_tool)
    return await client.beta.messages.tool_runner(**given, thread=False).until_done()

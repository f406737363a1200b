"""CrewAI: an `Agent` of its own, without a crew, over its native client, which it makes itself: search it `--served`.

The conversation is rewritten by the framework: role, goal and backstory become a system prompt.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Callable
from typing import Any

os.environ.update(CREWAI_DISABLE_TELEMETRY="true", CREWAI_TRACING_ENABLED="false", OTEL_SDK_DISABLED="true")

from crewai import LLM, Agent
from crewai.tools import BaseTool
from crewai.utilities.pydantic_schema_utils import create_model_from_schema
from pydantic import PrivateAttr

MODEL = "anthropic/claude-opus-5-5"
LIMIT = 20


class Tool(BaseTool):
    """A tool whose function is given."""

    _function: Callable[..., object] = PrivateAttr()

    def _run(self, **arguments: Any) -> object:
        return self._function(**arguments)


def made(tool: Any, function: Callable[..., object]) -> Tool:
    """A tool with a model made of the schema that was given."""
    schema = create_model_from_schema(copy.deepcopy(tool["input_schema"]))  # which changes what it is given
    own = Tool(name=tool["name"], description=tool["description"], args_schema=schema)
    own._function = function
    return own


def loop(client: Any, messages: Any, tools: Any, functions: Any) -> Any:
    """Runs the agent to its end."""
    agent = Agent(
        role="Helper",
        goal="Help.",
        backstory="You help.",
        llm=LLM(model=MODEL, max_tokens=1024),
        tools=[made(tool, functions[tool["name"]]) for tool in tools if tool["name"] in functions],
        max_iter=LIMIT,
        verbose=False,
    )
    return agent.kickoff([*messages]).raw

"""Tools for loops that are rehearsed without tools of their own, and what tools do when they are called.

Law: plain values and functions; what a tool returns depends on its name and input alone, so that the same script means
the same each time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from playhead.script.source import Made, literal
from playhead.wire.codec import JsonObject, encode_text

Function = Callable[..., Any]


class ToolFailed(Exception):
    """What a tool raises that is told to fail."""


@dataclass(frozen=True, slots=True)
class Returns:
    """What a tool does in a rehearsal: it returns this value, whatever it is given."""

    value: object

    def __call__(self, **arguments: object) -> object:
        return self.value

    def source(self, *, short: bool = False) -> str:
        """The call that makes it."""
        return f"returns({literal(self.value, short=short)})"

    __repr__ = source

    def option(self, tool: str) -> tuple[str, str]:
        """The same as an option of `playhead conform`."""
        return "--returns", f"{tool}={encode_text(self.value)}"


@dataclass(frozen=True, slots=True)
class Raises:
    """What a tool does in a rehearsal: it raises `ToolFailed` with this message, whatever it is given."""

    message: str

    def __call__(self, **arguments: object) -> object:
        raise ToolFailed(self.message)

    def source(self, *, short: bool = False) -> str:
        """The call that makes it."""
        return Made("raises", (self.message,)).source(short=short)

    __repr__ = source

    def option(self, tool: str) -> tuple[str, str]:
        """The same as an option of `playhead conform`."""
        return "--raises", f"{tool}={self.message}"


def returns(value: object) -> Returns:
    """A tool that returns this value, for `check_loop(..., functions={"look_up": returns({"found": True})})`."""
    return Returns(value)


def raises(message: str) -> Raises:
    """A tool that raises an exception with this message."""
    return Raises(message)


Outcome = Returns | Raises


def _schema(properties: JsonObject, *required: str) -> JsonObject:
    return {"type": "object", "properties": properties, **({"required": [*required]} if required else {})}


TOOLS: Sequence[JsonObject] = (
    {
        "name": "look_up",
        "description": "Looks up what is known about a key.",
        "input_schema": _schema({"key": {"type": "string"}}, "key"),
    },
    {"name": "ping", "description": "Says whether the service is there.", "input_schema": _schema({})},
    {
        "name": "measure",
        "description": "Converts a measured value.",
        "input_schema": _schema(
            {"value": {"type": "number"}, "count": {"type": "integer"}, "unit": {"type": "string"}}, "value"
        ),
    },
    {
        "name": "store",
        "description": "Stores a record.",
        "input_schema": _schema(
            {"record": {"type": "object"}, "tags": {"type": "array", "items": {"type": "string"}}}, "record"
        ),
    },
)
"""What a loop is rehearsed with that brings no tools: one argument, none, numbers, nested values."""

SERVER_TOOLS: Sequence[JsonObject] = (
    {"type": "web_search_20250305", "name": "web_search"},
    {"type": "code_execution_20260120", "name": "code_execution"},
)
"""Tools that Anthropic runs."""


def functions_for(tools: Sequence[Mapping[str, Any]]) -> Mapping[str, Function]:
    """A function for each client tool: it takes what the tool's schema names and returns a short text, which tells its
    name and input apart from any other.
    """
    named = {str(tool["name"]): tool for tool in tools if is_run_by_client(tool)}
    return MappingProxyType({name: _function(name, tool["input_schema"]) for name, tool in named.items()})


def is_run_by_client(tool: Mapping[str, Any]) -> bool:
    """Whether it is a tool with a schema of its own, which the client runs."""
    return isinstance(tool.get("input_schema"), Mapping) and tool.get("type", "custom") == "custom"


def _function(name: str, schema: Mapping[str, Any]) -> Function:
    known, needed = schema.get("properties") or {}, schema.get("required") or ()
    closed = "properties" in schema or schema.get("additionalProperties") is False

    def function(**arguments: Any) -> str:
        missing = [key for key in needed if key not in arguments]
        if missing:
            raise TypeError(f"{name}() missing a required keyword-only argument: {missing[0]!r}")
        further = [key for key in arguments if key not in known] if closed else []
        if further:
            raise TypeError(f"{name}() got an unexpected keyword argument {further[0]!r}")
        digest = hashlib.blake2b(repr(arguments).encode("utf-8", "backslashreplace"), digest_size=4).hexdigest()
        return f"{name} says {digest}"

    function.__name__ = function.__qualname__ = name if name.isidentifier() else "function"
    return function

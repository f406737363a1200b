"""One tool: the schema that is sent, what is called with the input, and how both are made of what is given.

Knows no registry and no conversation.  What is wrong with a tool is said here, by its name, when it is made.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from playhead.loop.blocks import plain
from playhead.loop.errors import SyncAsyncMismatch, ToolDefinitionError, UnknownTool
from playhead.loop.schema import Signature, signature_of

Functions = Mapping[str, Callable[..., object]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """The schema as sent and, unless the API runs the tool itself, what is called with the input."""

    schema: dict[str, Any]
    function: Callable[..., object] | None = None
    signature: Signature | None = None
    takes_dict: bool = False  # an SDK tool object: called with the input as one dict
    is_async: bool = False

    @property
    def name(self) -> str:
        """The name Claude calls it by; a toolset, which has none, goes by its MCP server or its type."""
        return str(next(filter(None, map(self.schema.get, ("name", "mcp_server_name", "type")))))

    def by_keyword(self) -> Callable[..., object] | None:
        """What runs it, as a function of keyword arguments; None if it does not run here."""
        function = self.function
        if function is None or not self.takes_dict:
            return function
        return lambda **arguments: function(arguments)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call that was checked and is ready to run: no part of it is shared with the history."""

    tool: Tool
    arguments: dict[str, object]

    def run(self) -> object:
        """Call the tool, return its value.  Raises what it raises, and SyncAsyncMismatch if it is async."""
        if self.tool.is_async:
            raise needs_async(self.tool)
        value = self._start()
        if inspect.isawaitable(value):  # a sync function that hands out a coroutine: only calling it tells
            discard(value)
            raise needs_async(self.tool)
        return value

    async def arun(self) -> object:
        """The same for the async loop: an async tool is awaited, a sync one simply called."""
        value = self._start()
        return await value if inspect.isawaitable(value) else value

    def _start(self) -> object:
        function = self.tool.by_keyword()
        if function is None:  # the registry binds no such call
            raise UnknownTool(self.tool.name, ())
        return function(**self.arguments)


def tool_from(source: object, functions: Functions | None = None) -> Tool:
    """A tool from a typed function, a (schema, function) pair, an SDK tool object, or a schema dict.

    With `functions` a schema dict finds its function there, or has none; without, only a tool that the API
    runs may have none.  Raises ToolDefinitionError.
    """
    if isinstance(source, Mapping):
        function = (functions or {}).get(str(source.get("name")))
        if functions is None and "input_schema" in source:
            raise ToolDefinitionError(
                f"tool {source.get('name')!r} has an input_schema, so it is yours to run: give its function, "
                "as a pair (schema, function) or with tools.add(schema, function)"
            )
        return tool_from_schema(source, function)
    if isinstance(source, tuple) and len(source) == 2:
        return tool_from_schema(*source)
    to_dict, call = getattr(source, "to_dict", None), getattr(source, "call", None)
    if callable(to_dict) and callable(
        call,
    ):  # an SDK tool is known by its methods; it may be callable as well
        return Tool(schema=_checked(to_dict()), function=call, takes_dict=True, is_async=_is_async(call))
    if callable(source):
        return tool_from_function(source)
    raise ToolDefinitionError(
        "a tool is a typed function, a (schema, function) pair, an SDK tool object or the schema dict of a "
        f"tool that the API runs; got {type(source).__name__}: {source!r:.80}"
    )


def tool_from_function(
    function: Callable[..., object],
    *,
    name: str | None = None,
    description: str | None = None,
    fields: Mapping[str, object] | None = None,
) -> Tool:
    """A tool from a typed function; `fields` go into its schema beside the ones that are made here."""
    signature = signature_of(function, name=name, description=description)
    schema = _checked({**signature.schema, **(fields or {})})
    return Tool(schema=schema, function=function, signature=signature, is_async=_is_async(function))


def tool_from_schema(schema: Mapping[str, Any], function: Callable[..., object] | None) -> Tool:
    """A tool from its schema and what runs it (None: nothing here)."""
    checked = _checked(schema)
    if function is not None and not callable(function):
        raise ToolDefinitionError(
            f"the function of tool {checked.get('name')!r} is not callable: {function!r:.80}",
        )
    return Tool(schema=checked, function=function, is_async=_is_async(function))


def _checked(schema: object) -> dict[str, Any]:
    """A plain copy of a tool dict.  Only what every tool needs is checked; the rest is the API's to judge."""
    if not isinstance(schema, Mapping) or not (schema.get("name") or schema.get("type")):
        raise ToolDefinitionError(
            f"a tool schema is a dict with a name (or a server tool's type), got {schema!r:.120}",
        )
    if "input_schema" not in schema and schema.get("type", "custom") == "custom":
        raise ToolDefinitionError(
            f"tool {schema.get('name')!r} has no input_schema; one without parameters has "
            '{"type": "object", "properties": {}}'
        )
    try:
        copied: Any = plain(schema)
    except TypeError as error:
        raise ToolDefinitionError(
            f"the schema of tool {schema.get('name')!r} is not JSON: {error}",
        ) from error
    return dict(copied)


def _is_async(function: object) -> bool:
    """Whether calling it gives a coroutine: an async function, or an object with an async __call__."""
    inner = getattr(function, "__call__", None)  # noqa: B004  # what it is like is asked, not whether it is there
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(inner)


def needs_async(tool: Tool) -> SyncAsyncMismatch:
    """The error for an async tool in the sync loop."""
    return SyncAsyncMismatch(
        f"tool {tool.name!r} is async; run it with arun_conversation, arun_tools or tools.arun",
    )


def discard(value: object) -> None:
    """Close a coroutine that will not run, so that Python does not warn about it as well."""
    close = getattr(value, "close", None)
    if callable(close):
        close()

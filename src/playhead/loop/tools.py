"""The registry: which tools are sent, and which one runs when Claude calls it.

What to do with a tool's result or failure is not known here.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias, TypeVar, overload

from playhead.loop.blocks import INVALID_JSON
from playhead.loop.entry import Call, Functions, Tool, needs_async, tool_from, tool_from_function, tool_from_schema
from playhead.loop.errors import InvalidInput, ToolDefinitionError, UnknownTool
from playhead.loop.inputs import check_input

# What `tools=` takes: a registry, or any mixture of what `Tools(sources)` takes.
Source: TypeAlias = "Tools | Iterable[Any] | None"

Function = TypeVar("Function", bound=Callable[..., object])


class Tools:
    """The tools of a conversation, by name.

    `sources` may mix: typed functions; `(schema, function)` pairs; the SDK's own tool objects
    (`anthropic.beta_tool`, `beta_async_tool`, its built-in ones); another `Tools`; and schema dicts of tools
    that the API runs (`web_search`, `code_execution`, ...).  With `functions`, a mapping from name to
    callable, schema dicts find their function there; one that is not in it is sent, and answered with an
    error when called.

    As a decorator it registers a typed function and returns it unchanged:

        tools = Tools()

        @tools
        def get_weather(city: str, unit: Literal["C", "F"] = "C") -> str:
            '''The weather right now.'''

    Iterating gives the schemas as sent; `in` and `len` are about names.  Raises ToolDefinitionError.
    """

    def __init__(self, sources: Source = (), *, functions: Functions | None = None) -> None:
        self._tools: dict[str, Tool] = {}
        for tool in _read(sources, functions):
            self._register(tool)

    # ------------------------------------------------------------------------------------------ registering

    @overload
    def tool(
        self,
        function: Function,
        /,
        *,
        name: str | None = ...,
        description: str | None = ...,
        **fields: object,
    ) -> Function: ...
    @overload
    def tool(
        self, /, *, name: str | None = ..., description: str | None = ..., **fields: object
    ) -> Callable[[Function], Function]: ...
    def tool(
        self,
        function: Callable[..., object] | None = None,
        /,
        *,
        name: str | None = None,
        description: str | None = None,
        **fields: object,
    ) -> Callable[..., object]:
        """Register a typed function; a decorator with or without arguments.

        `fields` go into the tool's schema beside name, description and input_schema (`strict=True`,
        `cache_control`).
        """

        def register(function: Callable[..., object]) -> Callable[..., object]:
            self._register(tool_from_function(function, name=name, description=description, fields=fields))
            return function

        return register if function is None else register(function)

    __call__ = tool

    def add(self, schema: Mapping[str, Any], function: Callable[..., object] | None = None) -> None:
        """Register a tool schema with the function that runs it; without one if the API runs the tool."""
        self._register(tool_from(schema) if function is None else tool_from_schema(schema, function))

    def _register(self, tool: Tool) -> None:
        if tool.name in self._tools:
            raise ToolDefinitionError(
                f"there are two tools named {tool.name!r}; the API wants each name once",
            )
        self._tools[tool.name] = tool

    # ---------------------------------------------------------------------------------------------- reading

    @property
    def schemas(self) -> list[Any]:
        """The tool dicts to send, as they were registered: equal on each call, and yours to change."""
        return [copy.deepcopy(tool.schema) for tool in self._tools.values()]

    @property
    def functions(self) -> dict[str, Callable[..., object]]:
        """Name to callable, of the tools that run here; each takes keyword arguments and checks nothing."""
        runnable = ((name, tool.by_keyword()) for name, tool in self._tools.items())
        return {name: function for name, function in runnable if function is not None}

    @property
    def entries(self) -> tuple[Tool, ...]:
        """The tools themselves, in order."""
        return tuple(self._tools.values())

    def expect_sync(self, names: Iterable[str] | None = None) -> None:
        """Raise SyncAsyncMismatch if one of these tools (default: any) is async, before any has run."""
        for name in self._tools if names is None else names:
            tool = self._tools.get(name)
            if tool is not None and tool.is_async:
                raise needs_async(tool)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.schemas)

    def __len__(self) -> int:
        return len(self._tools)

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    def __repr__(self) -> str:
        return f"Tools({', '.join(self._tools)})"

    # ---------------------------------------------------------------------------------------------- running

    def bind(self, name: str, input: object) -> Call:
        """Check a call and make it ready to run; nothing runs yet.  Raises UnknownTool or InvalidInput."""
        tool = self._tools.get(name)
        if tool is None or tool.function is None:
            raise UnknownTool(name, self.functions)
        if isinstance(input, dict) and input.keys() == {INVALID_JSON}:
            raise InvalidInput(name, [f"$: the input is not a JSON object: {input[INVALID_JSON]!r:.200}"])
        arguments = copy.deepcopy(check_input(tool.schema, input))
        return Call(tool=tool, arguments=tool.signature.arguments(arguments) if tool.signature else arguments)

    def run(self, name: str, input: object) -> object:
        """Run one tool with its input as keyword arguments and return its value.

        Raises UnknownTool, InvalidInput, SyncAsyncMismatch for an async tool, and whatever the tool raises.
        """
        return self.bind(name, input).run()

    async def arun(self, name: str, input: object) -> object:
        """The same, awaiting an async tool."""
        return await self.bind(name, input).arun()


def as_tools(source: Source) -> Tools:
    """The registry itself, or one made of what was given; None gives an empty one."""
    return source if isinstance(source, Tools) else Tools(source)


def schemas_of(source: Source) -> list[Any]:
    """The tool dicts to send for `tools=`; schemas alone are enough here, since nothing will be run."""
    return [copy.deepcopy(tool.schema) for tool in _read(source, {})]


def _read(source: Source, functions: Functions | None) -> Iterator[Tool]:
    """The tools of everything `tools=` takes, in order."""
    if isinstance(source, Tools):
        yield from source.entries
        return
    if isinstance(source, Mapping | str) or not isinstance(source, Iterable | None):
        raise ToolDefinitionError(
            f"tools is a Tools registry or a list of tools, got {type(source).__name__}: {source!r:.80}. "
            "Put a single tool into a list."
        )
    for one in source or ():
        if isinstance(one, Tools):
            yield from one.entries
        else:
            yield tool_from(one, functions)

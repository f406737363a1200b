"""The registry: what can be registered, what is sent, what runs."""

from __future__ import annotations

import asyncio
import sys
from subprocess import run
from typing import Any

import anthropic
import pytest
from anthropic.lib.tools import BetaBuiltinFunctionTool

from playhead.loop import InvalidInput, SyncAsyncMismatch, Tools, UnknownTool, run_tool
from playhead.loop.tools import as_tools, schemas_of

SEARCH = {"type": "web_search_20250305", "name": "web_search"}
PAIR_SCHEMA = {"name": "pair", "input_schema": {"type": "object", "properties": {"a": {"type": "integer"}}}}


def add(a: int, b: int = 1) -> int:
    """Add two numbers."""
    return a + b


async def slow(a: int) -> int:
    """Take one's time."""
    await asyncio.sleep(0)
    return a


@anthropic.beta_tool
def sdk_tool(a: int) -> str:
    """An SDK tool."""
    return f"sdk {a}"


@anthropic.beta_async_tool
async def sdk_async_tool(a: int) -> str:
    """An async SDK tool."""
    return f"async sdk {a}"


class Memory(BetaBuiltinFunctionTool):
    """An SDK built-in tool: a type, a name, no input_schema."""

    def to_dict(self) -> Any:
        return {"type": "memory_20250818", "name": "memory"}

    def call(self, input: object) -> str:
        return f"remembered {input}"


def test_decorators_return_the_function_and_register_it() -> None:
    """All spellings; the extra fields go into the schema."""
    tools = Tools()
    assert tools(add) is add

    @tools.tool
    def one(a: int) -> int:
        """First."""
        return a

    @tools.tool(name="second", description="Second.", strict=True)
    def two(a: int) -> int:
        return a

    assert (one(1), two(2)) == (1, 2)
    assert [schema["name"] for schema in tools] == ["add", "one", "second"]
    assert tools.schemas[2]["description"] == "Second."
    assert tools.schemas[2]["strict"] is True
    assert "second" in tools
    assert "two" not in tools
    assert len(tools) == 3
    assert repr(tools) == "Tools(add, one, second)"


@pytest.mark.parametrize(
    ("source", "name", "value"),
    [
        pytest.param(add, "add", 4, id="function"),
        pytest.param((PAIR_SCHEMA, lambda a: a * 2), "pair", 6, id="schema-and-function"),
        pytest.param(sdk_tool, "sdk_tool", "sdk 3", id="sdk-tool"),
        pytest.param(Tools([add]), "add", 4, id="another-registry"),
    ],
)
def test_every_kind_of_source_runs(source: object, name: str, value: object) -> None:
    """Whatever it was made of, a tool is sent and run by its name."""
    tools = Tools([source])
    assert [schema["name"] for schema in tools.schemas] == [name]
    assert tools.run(name, {"a": 3}) == run_tool(name, {"a": 3}, [source]) == value
    assert tools.functions[name](a=3) == value


def test_sdk_built_in_tools_run() -> None:
    """A built-in has no schema to check against and is called with its input."""
    tools = Tools([Memory()])
    assert tools.schemas == [{"type": "memory_20250818", "name": "memory"}]
    assert tools.run("memory", {"command": "view"}) == "remembered {'command': 'view'}"
    assert tools.functions["memory"](command="view") == "remembered {'command': 'view'}"


@pytest.mark.parametrize("source", [slow, sdk_async_tool], ids=["function", "sdk-tool"])
def test_async_tools_are_awaited_by_arun_and_refused_by_run(source: object) -> None:
    """The sync side says which function to use instead."""
    tools = Tools([source])
    name = tools.schemas[0]["name"]
    assert str(asyncio.run(tools.arun(name, {"a": 3}))).endswith("3")
    with pytest.raises(SyncAsyncMismatch, match="arun_conversation"):
        tools.run(name, {"a": 3})


def test_a_function_that_hands_out_a_coroutine_is_found_when_called() -> None:
    """Nothing is left behind that Python would warn about."""
    tools = Tools([(PAIR_SCHEMA, lambda a: slow(a))])
    with pytest.raises(SyncAsyncMismatch, match="'pair' is async"):
        tools.run("pair", {"a": 1})
    assert asyncio.run(tools.arun("pair", {"a": 1})) == 1


def test_arun_runs_sync_tools_too() -> None:
    """The async loop takes both kinds."""
    assert asyncio.run(Tools([add]).arun("add", {"a": 1})) == 2


def test_server_tools_are_sent_and_never_run() -> None:
    """A schema without input_schema needs no function, and has none."""
    tools = Tools([SEARCH])
    tools.add({"type": "mcp_toolset", "mcp_server_name": "one"})
    tools.add({"type": "mcp_toolset", "mcp_server_name": "two"})
    assert tools.schemas[0] == SEARCH
    assert len(tools) == 3
    assert tools.functions == {}
    with pytest.raises(UnknownTool, match="No tool can be run here"):
        tools.run("web_search", {})


def test_functions_are_found_by_name() -> None:
    """With `functions`, schemas may lack one: they are sent, and unknown when called."""
    tools = Tools([PAIR_SCHEMA, {**PAIR_SCHEMA, "name": "other"}], functions={"pair": lambda a: a})
    assert len(tools.schemas) == 2
    assert tools.run("pair", {"a": 1}) == 1
    with pytest.raises(UnknownTool, match="Known tools: pair"):
        tools.run("other", {"a": 1})


def test_schemas_are_equal_each_time_and_copies() -> None:
    """Nobody can change what will be sent."""
    tools = Tools([add, SEARCH])
    first = tools.schemas
    first[0]["input_schema"]["properties"].clear()
    assert tools.schemas != first
    assert tools.schemas == tools.schemas == list(tools) == schemas_of(tools) == schemas_of([add, SEARCH])


def test_schemas_alone_are_enough_to_send() -> None:
    """`chat` runs nothing, so a schema without a function is fine there."""
    assert schemas_of([PAIR_SCHEMA]) == [PAIR_SCHEMA]
    assert schemas_of(None) == []


def test_as_tools_keeps_a_registry() -> None:
    """The caller's own registry, not a copy; nothing becomes an empty one."""
    tools = Tools()
    assert as_tools(tools) is tools
    assert len(as_tools(None)) == 0


def test_unknown_names_suggest_the_nearest() -> None:
    """The known names and the likeliest one."""
    with pytest.raises(UnknownTool) as caught:
        Tools([add, sdk_tool]).run("ad", {})
    assert str(caught.value) == "There is no tool named 'ad'. Did you mean 'add'? Known tools: add, sdk_tool."


def test_broken_json_input_is_said_to_be_broken() -> None:
    """Input that was wrapped because it is no object is not taken for arguments."""
    with pytest.raises(InvalidInput, match=r"not a JSON object: '\{\"a\": 1'"):
        Tools([add]).run("add", {"INVALID_JSON": '{"a": 1'})


def test_a_tool_cannot_change_its_caller_s_input() -> None:
    """The tool gets a copy."""

    def spoil(items: list[int]) -> int:
        items.append(99)
        return len(items)

    given = {"items": [1]}
    assert Tools([spoil]).run("spoil", given) == 2
    assert given == {"items": [1]}


def test_the_room_is_light_to_import() -> None:
    """Importing it, and making the date tools, loads neither SDK nor HTTP nor jsonschema."""
    heavy = "anthropic, httpx, httpx2, jsonschema, hypothesis"
    code = (
        "import sys, playhead.loop; playhead.loop.date_tools([]).schemas; "
        f"found = [name for name in {heavy.split(', ')!r} if name in sys.modules]; "
        "sys.exit(str(found) if found else 0)"
    )
    result = run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr

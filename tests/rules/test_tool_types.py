"""The table of tool types against the SDK that is installed."""

from __future__ import annotations

from typing import Any, get_args, get_type_hints

from anthropic.types import ServerToolUseBlockParam, ToolUnionParam
from anthropic.types.beta import BetaToolUnionParam

from playhead.rules.tool_types import FIXED_NAMES, MCP_TOOLSET, SERVER_TOOL_NAMES, TOOLSETS


def literals(hint: Any) -> tuple[str, ...]:
    """The strings of a Literal, within Required or Optional too."""
    parts = get_args(hint)
    if all(isinstance(part, str) for part in parts):
        return tuple(parts)
    return tuple(word for part in parts if get_args(part) for word in literals(part))


def sdk_types() -> dict[str, str | None]:
    """Each tool type of the SDK and the name that it has."""
    known: dict[str, str | None] = {}
    for param in {*get_args(ToolUnionParam), *get_args(BetaToolUnionParam)}:
        hints = get_type_hints(param)
        names = literals(hints["name"]) if "name" in hints else ()
        known.update(dict.fromkeys(literals(hints["type"]), names[0] if names else None))
    return known


def test_every_type_of_the_sdk_is_in_the_table() -> None:
    """A new SDK with a new tool fails here, so that the table is looked at."""
    ours: dict[str, str | None] = {**FIXED_NAMES, **dict.fromkeys((*TOOLSETS, MCP_TOOLSET, "custom"))}
    theirs = sdk_types()
    assert {type_: name for type_, name in theirs.items() if ours.get(type_, "?") != name} == {}


def test_the_names_of_server_tools() -> None:
    """The API's list is the SDK's."""
    assert literals(get_type_hints(ServerToolUseBlockParam)["name"]) == SERVER_TOOL_NAMES

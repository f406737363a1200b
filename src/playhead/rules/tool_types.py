"""The kinds of tools that a request may list, and what is fixed for each.

Law: data and plain look-ups. A type that is not in the table is newer than it: nothing is said about such a tool.

Source: the Python SDK 2.14.0 (`types/*_tool_*_param.py`, `types/tool_*_param.py` and the same under `types/beta`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from playhead.rules.rule import RequestView
from playhead.wire.codec import JsonObject

_TYPES_BY_NAME: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "advisor": ("advisor_20260301",),
        "bash": ("bash_20241022", "bash_20250124"),
        "code_execution": (
            "code_execution_20250522",
            "code_execution_20250825",
            "code_execution_20260120",
            "code_execution_20260521",
        ),
        "computer": ("computer_20241022", "computer_20250124", "computer_20251124"),
        "memory": ("memory_20250818",),
        "str_replace_editor": ("text_editor_20241022", "text_editor_20250124"),
        "str_replace_based_edit_tool": ("text_editor_20250429", "text_editor_20250728"),
        "tool_search_tool_bm25": ("tool_search_tool_bm25_20251119", "tool_search_tool_bm25"),
        "tool_search_tool_regex": ("tool_search_tool_regex_20251119", "tool_search_tool_regex"),
        "web_fetch": ("web_fetch_20250910", "web_fetch_20260209", "web_fetch_20260309", "web_fetch_20260318"),
        "web_search": ("web_search_20250305", "web_search_20260209", "web_search_20260318"),
    }
)

FIXED_NAMES: Mapping[str, str] = MappingProxyType(
    {type_: name for name, types in _TYPES_BY_NAME.items() for type_ in types}
)
"""The name that a tool of each type has."""

TOOLSETS: Mapping[str, str] = MappingProxyType(
    {"browser_toolset_20260801": "browser", "computer_toolset_20260801": "computer"}
)
"""Entries that stand for a family of tools, and the family's name; they have no name of their own."""

MCP_TOOLSET = "mcp_toolset"

CODE_NAMES = frozenset({"code_execution", "bash_code_execution", "text_editor_code_execution"})
"""The server tools that a code execution tool brings."""

SERVER_TOOL_NAMES = (
    "web_search",
    "web_fetch",
    "code_execution",
    "bash_code_execution",
    "text_editor_code_execution",
    "tool_search_tool_regex",
    "tool_search_tool_bm25",
)
"""The tools that Anthropic runs, in the order in which the API lists them."""

ADVISOR = "advisor"
"""One more of them, in beta."""

_DATED = re.compile(r"(?P<family>[a-z_]+)_(?P<date>\d{8})\Z")
_RUNS_ON_CODE = frozenset({"web_search", "web_fetch"})
_CODE_SINCE = 20260209  # from then on web tools filter what they find by running code


def entries(view: RequestView) -> Iterator[tuple[int, JsonObject]]:
    """The tools that are objects, each with its place in the array."""
    tools = view.body.get("tools")
    for index, tool in enumerate(tools if isinstance(tools, list) else ()):
        if isinstance(tool, dict):
            yield index, tool


def custom(view: RequestView) -> Iterator[tuple[int, JsonObject]]:
    """The user's own tools: those without a type, or of type `custom`."""
    return ((index, tool) for index, tool in entries(view) if tool.get("type") in (None, "custom"))


def kind(tool: JsonObject) -> str:
    """A tool's type; empty where it has none that is a string."""
    type_ = tool.get("type")
    return type_ if isinstance(type_, str) else ""


def is_known(tool: JsonObject) -> bool:
    """Whether the tool's type is one that these tables hold."""
    type_ = tool.get("type")
    return type_ is None or kind(tool) in {"custom", MCP_TOOLSET, *TOOLSETS, *FIXED_NAMES}


def callers(tool: JsonObject) -> Sequence[str]:
    """Who may call the tool, where it says so."""
    named = tool.get("allowed_callers")
    return [caller for caller in named if isinstance(caller, str)] if isinstance(named, list) else ()


def called_by_code(tool: JsonObject) -> bool:
    """Whether code that Claude writes may call the tool, by the tool's own words."""
    return any(caller.startswith("code_execution_") for caller in callers(tool))


def is_dynamic_web_tool(tool: JsonObject) -> bool:
    """Whether this is a web tool of the generation that runs code to filter what it finds."""
    match = _DATED.match(kind(tool))
    return bool(match and match["family"] in _RUNS_ON_CODE and int(match["date"]) >= _CODE_SINCE)


def runs_code(tool: JsonObject) -> bool:
    """Whether the tool is code execution, or runs on it."""
    return kind(tool).startswith("code_execution_") or called_by_code(tool) or is_dynamic_web_tool(tool)


def may_hide_tools(view: RequestView) -> bool:
    """Whether there may be tools besides those that can be seen, so that none can be called missing."""
    tools = view.body.get("tools")
    if not view.knows("tools") or not isinstance(tools, list | None):
        return True
    if any(not isinstance(tool, dict) or not is_known(tool) for tool in tools or ()):
        return True
    return view.held or has_inline_tools(view)


def has_inline_tools(view: RequestView) -> bool:
    """Whether messages bring tools of their own: `tool_addition` may carry a definition (beta inline-tools)."""
    return view.may_hold(("tool_addition",)) and any(
        isinstance(block, dict) and block.get("type") == "tool_addition"
        for message in view.messages
        for block in _blocks(message)
    )


def _blocks(message: object) -> Sequence[object]:
    content = message.get("content") if isinstance(message, dict) else None
    return content if isinstance(content, list) else ()

"""What cannot be a tool is said by name when it is declared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from playhead.loop import ToolDefinitionError, Tools
from playhead.loop.entry import tool_from

PAIR_SCHEMA: dict[str, Any] = {"name": "pair", "input_schema": {"type": "object"}}


def add(a: int, b: int = 1) -> int:
    """Add two numbers."""
    return a + b


class AsyncCallable:
    """An object whose call is async."""

    async def __call__(self, a: int) -> int:
        return a


@pytest.mark.parametrize(
    ("make", "words"),
    [
        pytest.param(lambda: Tools([add, add]), "two tools named 'add'", id="twice"),
        pytest.param(
            lambda: Tools([PAIR_SCHEMA]),
            "'pair' has an input_schema, so it is yours to run",
            id="no-function",
        ),
        pytest.param(
            lambda: Tools().add(PAIR_SCHEMA),
            r"tools\.add\(schema, function\)",
            id="add-no-function",
        ),
        pytest.param(lambda: Tools().add(PAIR_SCHEMA, 5), "'pair' is not callable: 5", id="not-callable"),  # type: ignore[arg-type]
        pytest.param(lambda: Tools().add({"name": "f"}, add), "'f' has no input_schema", id="no-schema"),
        pytest.param(lambda: Tools().add({}, add), "a dict with a name", id="nothing"),
        pytest.param(lambda: Tools([5]), "got int: 5", id="number"),
        pytest.param(lambda: Tools({"add": add}), "tools is a Tools registry or a list", id="mapping"),  # type: ignore[arg-type]
        pytest.param(lambda: Tools(add), "Put a single tool into a list", id="one-function"),  # type: ignore[arg-type]
        pytest.param(
            lambda: Tools().add({**PAIR_SCHEMA, "x": {1}}, add),
            "'pair' is not JSON",
            id="not-json",
        ),
    ],
)
def test_wrong_declarations_are_named(make: Callable[[], object], words: str) -> None:
    """What cannot work is said when it is registered."""
    with pytest.raises(ToolDefinitionError, match=words):
        make()


@pytest.mark.parametrize(
    ("schema", "name"),
    [
        pytest.param({"type": "web_search_20250305", "name": "web_search"}, "web_search", id="named"),
        pytest.param({"type": "mcp_toolset", "mcp_server_name": "docs"}, "docs", id="mcp-server"),
        pytest.param({"type": "browser_toolset_20260801"}, "browser_toolset_20260801", id="type"),
    ],
)
def test_every_entry_has_a_name_to_go_by(schema: dict[str, Any], name: str) -> None:
    """Toolsets have none of their own."""
    assert tool_from(schema).name == name


def test_an_async_call_method_is_seen() -> None:
    """Not only async functions are async."""
    assert tool_from((PAIR_SCHEMA, AsyncCallable())).is_async
    assert not tool_from((PAIR_SCHEMA, add)).is_async

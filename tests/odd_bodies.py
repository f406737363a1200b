"""A body with one block of nearly every kind, and the same with a value that does not belong there at each place."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
BODY: dict[str, Any] = {
    "model": "claude-opus-5-5",
    "max_tokens": 2048,
    "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
    "tools": [
        {"name": "add", "description": "Adds.", "input_schema": {"type": "object", "required": ["a"]}},
        {"type": "code_execution_20250825", "name": "code_execution"},
        {"type": "mcp_toolset", "mcp_server_name": "tides"},
    ],
    "mcp_servers": [{"type": "url", "name": "tides", "url": "https://tides.example"}],
    "tool_choice": {"type": "auto"},
    "container": {"id": "container_1", "skills": [{"type": "anthropic", "skill_id": "pdf"}]},
    "stop_sequences": ["END"],
    "metadata": {"user_id": "u"},
    "messages": [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "hi"},
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}},
                {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "x"}},
            ],
        },
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "so", "signature": "sig_abc123"},
                {"type": "server_tool_use", "id": "srvtoolu_1", "name": "code_execution", "input": {"code": "1"}},
                {
                    "type": "code_execution_tool_result",
                    "tool_use_id": "srvtoolu_1",
                    "content": {"type": "code_execution_result", "stdout": "", "stderr": "", "return_code": 0},
                },
                {"type": "mcp_tool_use", "id": "mcptoolu_1", "name": "low", "server_name": "tides", "input": {}},
                {"type": "mcp_tool_result", "tool_use_id": "mcptoolu_1", "is_error": False, "content": []},
                {"type": "tool_use", "id": "toolu_1", "name": "add", "input": {"a": 1}, "caller": {"type": "direct"}},
                {"type": "tool_use", "id": "toolu_2", "name": "add", "input": {"a": 2}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "text", "text": "1"}]},
                {"type": "tool_result", "tool_use_id": "toolu_2", "content": "2"},
            ],
        },
    ],
}
ODD: tuple[Any, ...] = ([], {}, ["a"], {"type": []}, None, 1, True, "")
MOVED = ({"type": "tool_result", "tool_use_id": [], "content": ""}, {"type": "server_tool_use", "id": {}, "name": []})
"""Blocks that may stand anywhere but are sound nowhere."""


def odd_bodies() -> Iterator[dict[str, Any]]:
    """The body with each odd value at each place, one at a time, and with each of the moved blocks in each message."""
    for path in _paths(BODY):
        for value in ODD:
            body = copy.deepcopy(BODY)
            at: Any = body
            for step in path[:-1]:
                at = at[step]
            at[path[-1]] = copy.deepcopy(value)
            yield body
    for index in range(len(BODY["messages"])):
        for block in MOVED:
            body = copy.deepcopy(BODY)
            body["messages"][index]["content"].append(dict(block))
            yield body


def _paths(value: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in steps:
        yield (*before, step)
        yield from _paths(inner, (*before, step))

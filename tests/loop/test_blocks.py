"""Reading messages whatever they are made of; copies that can be sent."""

from __future__ import annotations

import copy
import json
from typing import Any

import anthropic.types
import anthropic.types.beta
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.loop.blocks import blocks_of, client_calls, plain

from .conftest import reply, text, tool_use


def test_only_client_calls_are_calls() -> None:
    """Server and MCP tools are the API's to run."""
    server = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
    mcp = {"type": "mcp_tool_use", "id": "mcptoolu_1", "name": "f", "server_name": "s", "input": {}}
    assert client_calls([text("a"), server, mcp, tool_use("f")]) == [tool_use("f")]


@pytest.mark.parametrize(
    ("message", "count"),
    [
        pytest.param(reply(text("a"), text("b")), 2, id="message"),
        pytest.param({"role": "user", "content": "a"}, 1, id="string"),
        pytest.param(
            {"type": "tool_result", "tool_use_id": "t", "content": [text("a"), text("b")]},
            1,
            id="block",
        ),
        pytest.param(anthropic.types.Message.construct(id=None), 0, id="a-200-of-the-wrong-shape"),
        pytest.param(
            anthropic.types.beta.BetaCompactionBlock.construct(type="compaction", content="s"),
            1,
            id="sdk-block",
        ),
    ],
)
def test_blocks_of(message: object, count: int) -> None:
    """A block that has content of its own is not taken for a message."""
    assert len(blocks_of(message)) == count


def test_sdk_fields_go_by_the_api_s_names() -> None:
    """`from` is `from_` in Python."""
    block = anthropic.types.beta.BetaFallbackBlock.construct(**{"type": "fallback", "from": {"model": "a"}})
    assert plain(block) == {"type": "fallback", "from": {"model": "a"}}


SENDABLE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(SENDABLE)
def test_a_copy_of_json_is_the_same_json(value: Any) -> None:
    """Values and types stay: 3.0 does not become 3."""
    before = copy.deepcopy(value)
    assert json.dumps(plain(value)) == json.dumps(before)

"""Blocks of some types are found wherever they stand."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from playhead.rules.block_search import adds, blocks_of_types, first_new, having_member
from playhead.rules.blocks import block_views
from playhead.rules.rule import RequestView
from playhead.testing.strategies import json_values
from playhead.wire.turns import merged_turns

BLOCK = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "image", "tool_result", "document"]) | json_values()},
    optional={"content": json_values() | st.lists(st.just({"type": "image"}), max_size=2), "mark": json_values()},
)
MESSAGES = st.lists(
    st.fixed_dictionaries({"role": st.sampled_from(["user", "assistant"]), "content": st.lists(BLOCK, max_size=3)})
    | json_values(),
    max_size=4,
)


@given(MESSAGES, st.integers(0, 4))
def test_the_same_as_looking_at_every_block(messages: list[Any], start: int) -> None:
    """Only faster."""
    view = RequestView(body={"messages": messages})
    every = list(block_views(messages, start))
    types = ("image", "document")
    assert list(blocks_of_types(view, types, start)) == [block for block in every if block.type in types]
    assert adds(view, types) is any(block.type in types for block in block_views(messages))


@given(MESSAGES)
def test_members_are_found_in_results_too(messages: list[Any]) -> None:
    """The positions are those of the messages."""
    view = RequestView(body={"messages": messages})
    own = {
        block.place[0] for block in block_views(messages) if "mark" in block.data and block.within != "mcp_tool_result"
    }
    assert set(having_member(view, "mark")) == own


def test_where_the_new_messages_begin() -> None:
    """An incremental check begins with an assistant turn, a whole one with the first message."""
    messages = [{"role": role, "content": "a"} for role in ("system", "user", "assistant", "user")]
    whole = RequestView(body={"messages": messages}, turns=merged_turns(messages))
    part = RequestView(body={"messages": messages}, turns=merged_turns(messages, start=2, number=1))
    assert (first_new(whole), first_new(part), first_new(RequestView(body={}))) == (0, 2, 0)

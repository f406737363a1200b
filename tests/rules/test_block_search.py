"""Blocks of some types are found wherever they stand."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from playhead.rules.block_search import adds, blocks_of_types, first_new, marked
from playhead.rules.blocks import block_views
from playhead.rules.places import Places
from playhead.rules.requests import RequestRules
from playhead.rules.rule import RequestView
from playhead.testing.strategies import json_values
from playhead.wire.turns import merged_turns

BLOCK = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "image", "tool_result", "document"]) | json_values()},
    optional={
        "content": json_values() | st.lists(st.just({"type": "image"}), max_size=2),
        "cache_control": json_values(),
    },
)
MESSAGES = st.lists(
    st.fixed_dictionaries({"role": st.sampled_from(["user", "assistant"]), "content": st.lists(BLOCK, max_size=3)})
    | json_values(),
    max_size=4,
)


def views(messages: list[Any]) -> list[RequestView]:
    """The same request without and with the places of its blocks, as a checker notes them."""
    view, places = RequestView(body={"messages": messages}), Places()
    RequestRules(()).judge(view, places=places)
    return [view, structs.replace(view, places=places)]


@given(MESSAGES, st.integers(0, 4))
def test_the_same_as_looking_at_every_block(messages: list[Any], start: int) -> None:
    """Only faster, where the places are known and where they are not."""
    every = list(block_views(messages, start))
    for types in (("image", "document"), ("image",), ("text", "image"), ("tool_result",)):
        for view in views(messages):
            found = list(blocks_of_types(view, types, start))
            assert found == [block for block in every if block.type in types]
            assert adds(view, types) is any(block.type in types for block in block_views(messages))


@given(MESSAGES)
def test_marks_are_found_in_results_too(messages: list[Any]) -> None:
    """The positions are those of the messages."""
    own = {block.place[0] for block in block_views(messages) if "cache_control" in block.data}
    null = {block.place[0] for block in block_views(messages) if block.data.get("cache_control") is not None}
    without, with_places = views(messages)
    assert list(marked(without)) == sorted(own)
    assert list(marked(with_places)) == sorted(null)


def test_where_the_new_messages_begin() -> None:
    """An incremental check begins with an assistant turn, a whole one with the first message."""
    messages = [{"role": role, "content": "a"} for role in ("system", "user", "assistant", "user")]
    whole = RequestView(body={"messages": messages}, turns=merged_turns(messages))
    part = RequestView(body={"messages": messages}, turns=merged_turns(messages, start=2, number=1))
    assert (first_new(whole), first_new(part), first_new(RequestView(body={}))) == (0, 2, 0)

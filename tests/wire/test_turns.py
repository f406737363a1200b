"""Messages merged into turns as the API merges them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.wire.turns import MergedTurn, PlacedBlock, blocks_of, merged_turns

Json = dict[str, Any]


def user(*content: Json) -> Json:
    return {"role": "user", "content": list(content)}


def text(words: str) -> Json:
    return {"type": "text", "text": words}


def call(identifier: str) -> Json:
    return {"type": "tool_use", "id": identifier, "name": "add", "input": {}}


def result(identifier: str) -> Json:
    return {"type": "tool_result", "tool_use_id": identifier, "content": "3"}


def shape(turns: tuple[MergedTurn, ...]) -> list[tuple[int, str, tuple[int, ...], int]]:
    return [(turn.number, turn.role, turn.messages, len(turn.blocks)) for turn in turns]


def test_neighbours_of_a_role_are_one_turn() -> None:
    """Turns are counted merged, and remember the array positions of their messages."""
    messages = [
        {"role": "user", "content": "a"},
        {"role": "user", "content": "b"},
        {"role": "assistant", "content": [text("c"), call("t1")]},
        user(result("t1")),
        user(result("t2"), text("d")),
        {"role": "assistant", "content": "e"},
    ]
    assert shape(merged_turns(messages)) == [
        (0, "user", (0, 1), 2),
        (1, "assistant", (2,), 2),
        (2, "user", (3, 4), 3),
        (3, "assistant", (5,), 1),
    ]


def test_a_block_knows_both_its_places() -> None:
    """The path counts array positions, `position` the blocks of the merged turn."""
    (turn,) = merged_turns([{"role": "user", "content": "a"}, user(text("b"), result("t"))])
    assert [(block.path, block.position, block.type) for block in turn.blocks] == [
        ("$.messages[0].content", 0, "text"),
        ("$.messages[1].content[0]", 1, "text"),
        ("$.messages[1].content[1]", 2, "tool_result"),
    ]
    assert turn.path == "$.messages[0]"


def test_system_messages_take_no_part() -> None:
    """A system message in the middle neither is a turn nor parts two messages of one role."""
    messages = [user(text("a")), {"role": "system", "content": "now"}, user(text("b")), {"role": "tool"}, 7, None]
    assert shape(merged_turns(messages)) == [(0, "user", (0, 2), 2)]


@pytest.mark.parametrize(
    ("message", "blocks"),
    [
        ({"role": "user", "content": "hi"}, [PlacedBlock(text("hi"), 4, None, 0)]),
        ({"role": "user", "content": ""}, []),
        ({"role": "user", "content": []}, []),
        ({"role": "user"}, []),
        ({"role": "user", "content": None}, []),
        ({"role": "user", "content": {"type": "text"}}, []),
        ({"role": "user", "content": ["x", text("y"), 3]}, [PlacedBlock(text("y"), 4, 1, 0)]),
        ("hi", []),
    ],
    ids=["string", "empty-string", "empty-list", "absent", "null", "object", "no-blocks-among-them", "no-message"],
)
def test_blocks_of_a_message(message: object, blocks: list[PlacedBlock]) -> None:
    """String content is one text block, nothing is no block, and what is no block is passed over."""
    assert list(blocks_of(message, 4)) == blocks


def test_an_empty_message_stands_before_nothing() -> None:
    """An empty string between a call and its result adds no block before the result."""
    turns = merged_turns([{"role": "user", "content": ""}, user(result("t1"), result("t2"), text("x"), result("t3"))])
    assert [block.data["tool_use_id"] for block in turns[0].leading_results] == ["t1", "t2"]
    assert [block.position for block in turns[0].of_type("tool_result")] == [0, 1, 3]
    assert [block.type for block in turns[0].of_type("text", "image")] == ["text"]


MESSAGES = st.lists(
    st.fixed_dictionaries(
        {
            "role": st.sampled_from(["user", "assistant", "system"]),
            "content": st.sampled_from(["", "a", [], [text("a")], [text("a"), call("t")]]),
        }
    ),
    max_size=8,
)


@given(MESSAGES)
def test_turns_hold_everything_once(messages: list[Json]) -> None:
    """Law: roles alternate, numbers count, and each block stands in exactly one turn, in order."""
    turns = merged_turns(messages)
    assert [turn.number for turn in turns] == list(range(len(turns)))
    assert all(one.role != two.role for one, two in pairwise(turns))
    assert [index for turn in turns for index in turn.messages] == [
        index for index, message in enumerate(messages) if message["role"] != "system"
    ]
    assert [block.data for turn in turns for block in turn.blocks] == [
        block.data for message in messages if message["role"] != "system" for block in blocks_of(message)
    ]
    for turn in turns:
        assert [block.position for block in turn.blocks] == list(range(len(turn.blocks)))


@given(MESSAGES)
def test_turns_from_the_middle_on(messages: list[Json]) -> None:
    """Law: merging from the first message of any turn on gives the same turns as merging all."""
    turns = merged_turns(messages)
    for turn in turns:
        assert merged_turns(messages, start=turn.messages[0], number=turn.number) == turns[turn.number :]
    assert merged_turns(messages, start=len(messages)) == ()

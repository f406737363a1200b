"""What the strategies draw: all that they promise, and nothing that is impossible."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from drawing import examples, smallest
from playhead.script.steps import reply
from playhead.testing.strategies import reply_blocks, reply_messages
from playhead.wire.codec import Json, JsonObject
from playhead.wire.tables import BLOCKS, STOP_REASONS

REPLY_BLOCKS = [name for name, known in BLOCKS.items() if known.replies]


@pytest.fixture(scope="module")
def drawn() -> list[JsonObject]:
    return examples(reply_messages(max_blocks=12), 150)


@pytest.fixture(scope="module")
def inputs() -> list[Json]:
    return [block["input"] for block in examples(reply_blocks("tool_use"), 300)]


def values(value: Json) -> Iterator[Json]:
    """A value and all that is in it."""
    yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from values(item)


def blocks(messages: list[JsonObject]) -> Iterator[JsonObject]:
    for message in messages:
        yield from message["content"]


def test_a_reply_is_one_that_a_script_takes(drawn: list[JsonObject]) -> None:
    """No message that is drawn is refused, and none is changed."""
    for message in drawn:
        assert reply(message).message == message


@pytest.mark.parametrize("name", REPLY_BLOCKS)
def test_each_block_has_what_it_must_have(name: str) -> None:
    """There is a strategy for every type of block that replies hold, with all its members."""
    for block in examples(reply_blocks(name), 5):
        assert block["type"] == name
        assert {*BLOCKS[name].required} <= block.keys()


def test_replies_hold_blocks_of_all_types(drawn: list[JsonObject]) -> None:
    """No type is left out: a few hundred blocks are nearly all of them."""
    found = {block["type"] for block in blocks(drawn)}
    assert found <= {*REPLY_BLOCKS}
    assert len(found) >= len(REPLY_BLOCKS) - 3


@pytest.mark.parametrize("reason", STOP_REASONS)
def test_each_stop_reason_is_drawn(reason: str) -> None:
    """Replies stop for every known reason."""
    assert smallest(reply_messages(), lambda message: message["stop_reason"] == reason)


WANTED: dict[str, Callable[[Json], bool]] = {
    "a number beyond 2**53": lambda value: isinstance(value, int) and abs(value) > 2**53,
    "a float": lambda value: isinstance(value, float) and not value.is_integer(),
    "a float that looks like an integer": lambda value: isinstance(value, float) and value.is_integer(),
    "a nested null": lambda value: isinstance(value, list | dict) and None in [*values(value)],
    "an empty object": lambda value: value == {},
    "empty text": lambda value: value == "",
    "text beyond ASCII": lambda value: isinstance(value, str) and not value.isascii(),
}


@pytest.mark.parametrize("is_wanted", WANTED.values(), ids=WANTED)
def test_inputs_hold_what_is_hard_to_carry(inputs: list[Json], is_wanted: Callable[[Json], bool]) -> None:
    """Inputs of calls hold each kind of value that a careless codec loses."""
    assert any(map(is_wanted, (inner for value in inputs for inner in values(value))))

"""Steps as Python: whole, so that they can be pasted, and short, so that they fit on a line."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import playhead
from playhead import call, say, think, turn
from playhead.script.script import as_item
from playhead.script.source import Made, by_name, literal
from playhead.script.steps import Block
from playhead.testing.strategies import json_values, scripts

NAMES = {name: getattr(playhead, name) for name in ("call", "say", "think", "turn", "block")}


@settings(deadline=None)
@given(json_values())
def test_a_literal_is_the_value(value: Any) -> None:
    """Python reads back what was written, text with any character included."""
    assert eval(literal(value)) == value
    assert repr(eval(literal(value))) == repr(value)


@settings(deadline=None)
@given(scripts(["add", "not an identifier", "class"]))
def test_a_script_can_be_pasted(script: list[Any]) -> None:
    """Every turn is made again by its source, thinking with its signature and inputs of any kind."""
    for step in script:
        assert as_item(eval(step.source(), NAMES), "it") == step
        assert repr(step) == step.source()


@settings(deadline=None)
@given(scripts(["add"]), st.text(max_size=200))
def test_short_is_short(script: list[Any], text: str) -> None:
    """A block is a line of bounded length, whatever it holds."""
    for block in [
        say(text),
        think(text),
        call("f", {text: text}),
        *(block for step in script for block in step.blocks),
    ]:
        assert len(str(block)) <= 72
        assert "\n" not in str(block)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "None"),
        (True, "True"),
        (1.5, "1.5"),
        ("a\nb", '"a\\nb"'),
        ({"a": [None, {"b": False}]}, '{"a": [None, {"b": False}]}'),
        ("x" * 60, '"' + "x" * 47 + '…"'),
        ([1] * 60, "[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, …]"),
        (say("a"), 'say("a")'),
    ],
    ids=repr,
)
def test_values_as_python(value: object, shown: str) -> None:
    """Short where they are long, and else as they are."""
    assert literal(value, short=True) == shown


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"a": 1, "_b": 2}, True),
        ({}, True),
        ({"a b": 1}, False),
        ({"class": 1}, False),
        ({"1a": 1}, False),
        ({"\U0001d4a9": 1}, False),
        ({"__debug__": 1}, False),
    ],
    ids=repr,
)
def test_what_can_be_a_keyword(values: dict[str, object], named: bool) -> None:
    """Names that Python takes as keywords of a call."""
    assert by_name(values) is named


def test_a_call_drops_what_has_no_room() -> None:
    """Whole arguments are left out, and the call still looks like one."""
    made = Made("f", ("a" * 30, "b" * 30), {"c": 1})
    assert made.source(short=True) == f'f("{"a" * 30}", …)'
    assert made.source() == f'f("{"a" * 30}", "{"b" * 30}", c=1)'


def test_a_block_of_another_kind_is_written_out() -> None:
    """What no step makes is a block(...)."""
    data = {"type": "tool_use", "name": "x", "input": {}, "caller": {"type": "direct"}}
    step = Block(data=data)
    assert eval(step.source(), NAMES) == step
    assert turn(step, say("a")).source() == f'turn(block({literal(data)}), say("a"))'

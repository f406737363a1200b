"""What the rules across exchanges ask of calls."""

from __future__ import annotations

from typing import Any

import pytest

from made_sessions import (
    ADD,
    NOW,
    Json,
    Q,
    call,
    call_block,
    exchange,
    finish,
    reply,
    result,
    sent,
    session,
    start,
    stream,
    text,
    text_block,
)
from playhead.rules.calls import (
    input_fault,
    is_streamed,
    offered,
    raised_text,
    result_text,
    server_calls,
    unparsed_inputs,
    without_input,
)
from playhead.wire.exchange import Exchange
from playhead.wire.turns import PlacedBlock


def made(response: Json, **members: object) -> Exchange:
    return session(exchange(sent(Q, **members), response)).exchanges[0]


def schema(**properties: object) -> Json:
    return {"name": "f", "input_schema": {"type": "object", "properties": properties}}


INPUTS: dict[str, tuple[Json, dict[str, Any] | str | None, str | None]] = {
    "it-fits": (ADD, {"a": 1, "b": 2}, None),
    "what-may-be-null": (ADD, {"a": 1, "b": None}, None),
    "a-whole-float-is-an-integer": (ADD, {"a": 1.0}, None),
    "something-more": (ADD, {"a": 1, "c": "?"}, None),
    "one-missing": (ADD, {"b": 1}, "whose input lacks a"),
    "a-word-for-a-number": (ADD, {"a": "1"}, "whose input has another kind of a than the schema asks for"),
    "half-an-integer": (ADD, {"a": 1.5}, "whose input has another kind of a than the schema asks for"),
    "true-for-a-number": (ADD, {"a": True}, "whose input has another kind of a than the schema asks for"),
    "a-list-for-one-of-two": (ADD, {"a": 1, "b": []}, "whose input has another kind of b than the schema asks for"),
    "a-string": (ADD, "a=1", "whose input is no object"),
    "nothing": (ADD, None, "whose input is no object"),
    "no-schema": ({"name": "f"}, {"a": 1}, None),
    "no-properties": ({"name": "f", "input_schema": {"type": "object"}}, {"a": 1}, None),
    "a-type-that-nobody-knows": (schema(a={"type": "novel"}), {"a": 1}, None),
    "no-type": (schema(a={"description": "?"}), {"a": 1}, None),
    "a-type-that-is-none": (schema(a={"type": 7}), {"a": 1}, None),
    "an-object": (
        schema(a={"type": "object"}),
        {"a": []},
        "whose input has another kind of a than the schema asks for",
    ),
    "an-array": (schema(a={"type": "array"}), {"a": []}, None),
    "a-boolean": (
        schema(a={"type": "boolean"}),
        {"a": 0},
        "whose input has another kind of a than the schema asks for",
    ),
}


@pytest.mark.parametrize(("tool", "given", "fault"), INPUTS.values(), ids=INPUTS)
def test_what_is_wrong_with_an_input(tool: Json, given: object, fault: str | None) -> None:
    """Required members and the kinds at the top; whatever else a schema says is not looked at."""
    asked = {"type": "tool_use", "id": "t1", "name": tool["name"], "input": given}
    assert input_fault(made(reply(asked), tools=[tool]), asked) == fault


def test_an_input_of_a_tool_that_is_not_known() -> None:
    """Nothing can be said but that an input is an object."""
    asked = call("t1", "other", a="?")
    assert input_fault(made(reply(asked)), asked) is None
    assert input_fault(Exchange(), {**asked, "input": []}) == "whose input is no object"


def test_which_tools_are_offered() -> None:
    """By name; not known where the recording does not tell, or where a toolset stands among them."""
    assert set(offered(made(reply())) or ()) == {"add", "now"}
    assert offered(made(reply(), tools=None)) is None
    assert offered(made(reply(), tools=[ADD, {"type": "mcp_toolset"}])) is None
    assert offered(Exchange(request={"messages": []}, known=frozenset({"messages"}))) is None


def test_calls_that_anthropic_runs() -> None:
    """Those of the server and of its connectors, by id."""
    search = {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {}}
    find = {"type": "mcp_tool_use", "id": "mcp_1", "name": "find", "input": {}}
    assert list(server_calls(made(reply(search, call(), find)))) == ["srv_1", "mcp_1"]


def test_what_a_result_says() -> None:
    """A string, or the text of its blocks."""
    blocks = {
        "3": result("t1", "3"),
        "ab": result("t1", [text("a"), {"type": "image"}, text("b")]),
        "": result("t1", None),
    }
    for said, block in blocks.items():
        assert result_text(PlacedBlock(block, 0, 0, 0)) == said


def test_what_a_tool_raised() -> None:
    """Only the one shape that says so."""
    assert raised_text({"raised": "boom"}) == "boom"
    assert raised_text({"raised": None}) == "None"
    for outcome in ({"raised": "boom", "more": 1}, {}, "raised", None):
        assert raised_text(outcome) is None


STREAM = stream(
    start(),
    text_block(0, "I look."),
    call_block(1, call("whole"), '{"a": ', "1}"),
    call_block(2, call("cut"), '{"a": 1'),
    call_block(3, call("none")),
    call_block(4, NOW | {"type": "tool_use", "id": "odd"}, "nonsense"),
    finish("tool_use"),
)


def test_inputs_of_a_stream() -> None:
    """What is no JSON, and what came without a single character; the rest is whole."""
    streamed = made(STREAM)
    assert unparsed_inputs(streamed) == {"cut": '{"a": 1', "odd": "nonsense"}
    assert without_input(streamed) == ["none"]


def test_a_stream_without_its_events() -> None:
    """That an answer was streamed is told by the request as well; empty inputs are then all that is known."""
    empty = {**call("t1", "now"), "input": {}}
    asked = made(reply(empty, call("t2")), stream=True)
    assert is_streamed(asked)
    assert (without_input(asked), unparsed_inputs(asked)) == (["t1"], {})
    assert not is_streamed(made(reply(empty)))
    assert without_input(made(reply(empty))) == ()


def test_events_that_make_no_sense() -> None:
    """Pieces without a call, and pieces that are no text, are passed over."""
    odd = [
        {"type": "content_block_delta", "index": 7, "delta": {"type": "input_json_delta", "partial_json": "{"}},
        {"type": "content_block_start", "index": 0, "content_block": None},
        *call_block(1, call("t1"), '{"a": 1}'),
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": 7}},
        {"type": "content_block_delta", "index": 1},
    ]
    assert unparsed_inputs(Exchange(events=tuple(odd))) == {}

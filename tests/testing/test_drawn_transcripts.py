"""Histories that are drawn: nothing is found in them, they hold what loops send, and shrink."""

from __future__ import annotations

from collections.abc import Callable

import jsonschema
import pytest

from drawing import examples, smallest
from playhead import SetupError, check_request
from playhead.testing.strategies import transcripts
from playhead.wire.codec import JsonObject

WEATHER: JsonObject = {
    "name": "get_weather",
    "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}


@pytest.fixture(scope="module")
def drawn() -> list[JsonObject]:
    return examples(transcripts(), 200)


def blocks(body: JsonObject, kind: str) -> list[JsonObject]:
    contents = [message["content"] for message in body["messages"] if isinstance(message["content"], list)]
    return [block for content in contents for block in content if block["type"] == kind]


def test_nothing_is_wrong_with_them(drawn: list[JsonObject]) -> None:
    """The rules find advice at most."""
    for body in drawn:
        assert [found for found in check_request(body) if found.level != "warn"] == []


def test_each_call_has_its_result(drawn: list[JsonObject]) -> None:
    """By our own count, not by the rules': the results of a turn are those of its calls, in the next message."""
    for body in drawn:
        for said, answered in zip(body["messages"][1::2], body["messages"][2::2], strict=True):
            asked = [block["id"] for block in said["content"] if block["type"] == "tool_use"]
            content = answered["content"] if isinstance(answered["content"], list) else []
            assert asked == [block["tool_use_id"] for block in content if block["type"] == "tool_result"]


WANTED: dict[str, Callable[[JsonObject], object]] = {
    "one message": lambda body: len(body["messages"]) == 1,
    "a long history": lambda body: len(body["messages"]) > 6,
    "thinking": lambda body: blocks(body, "thinking") and body["thinking"],
    "parallel calls": lambda body: any(
        isinstance(message["content"], list) and [b["type"] for b in message["content"]].count("tool_use") > 1
        for message in body["messages"]
    ),
    "an error": lambda body: any(block.get("is_error") for block in blocks(body, "tool_result")),
    "a result without content": lambda body: any("content" not in block for block in blocks(body, "tool_result")),
    "a result of blocks": lambda body: any(
        isinstance(block.get("content"), list) for block in blocks(body, "tool_result")
    ),
    "a system prompt": lambda body: "system" in body,
    "a stream": lambda body: body.get("stream"),
}


@pytest.mark.parametrize("wanted", WANTED.values(), ids=WANTED)
def test_they_hold_what_loops_send(drawn: list[JsonObject], wanted: Callable[[JsonObject], object]) -> None:
    """All that a history may hold is drawn."""
    assert any(map(wanted, drawn))


def test_inputs_fit_the_tools_given() -> None:
    """With tools given, these are offered and called, and each input fits."""
    judge = jsonschema.Draft202012Validator(WEATHER["input_schema"])
    found = examples(transcripts([WEATHER, "list"], min_turns=1, min_calls=1), 30)
    assert {name for body in found for name in [tool["name"] for tool in body["tools"]]} == {"get_weather", "list"}
    called = [block for body in found for block in blocks(body, "tool_use")]
    assert {block["name"] for block in called} == {"get_weather", "list"}
    assert all(judge.is_valid(block["input"]) for block in called if block["name"] == "get_weather")


OPENING = {"role": "user", "content": "0"}
SMALLEST: dict[str, tuple[Callable[[JsonObject], object], list[JsonObject]]] = {
    "a transcript": (lambda body: True, [OPENING]),
    "a call": (
        lambda body: blocks(body, "tool_use"),
        [
            OPENING,
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "name": "get_weather", "input": {"city": ""}, "id": "toolu_0_0"}],
            },
            {"role": "user", "content": [{"type": "tool_result", "content": "", "tool_use_id": "toolu_0_0"}]},
        ],
    ),
}


@pytest.mark.parametrize(("wanted", "simplest"), SMALLEST.values(), ids=SMALLEST)
def test_the_smallest(wanted: Callable[[JsonObject], object], simplest: list[JsonObject]) -> None:
    """One message; one call and its result."""
    found = smallest(transcripts([WEATHER]), wanted)
    assert found == {"model": "claude-opus-5-5", "max_tokens": 1024, "messages": simplest, "tools": [WEATHER]}


def test_what_cannot_be_drawn_is_told() -> None:
    """One sentence, when the strategy is made."""
    with pytest.raises(SetupError, match="need the tools to call"):
        transcripts([])
    with pytest.raises(SetupError, match="this is no JSON Schema"):
        transcripts([{"name": "a", "input_schema": {"type": "strnig"}}])
    with pytest.raises(SetupError, match="min_turns is from 0 to max_turns, which is 4, not 5"):
        transcripts(min_turns=5)

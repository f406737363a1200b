"""Values that are nested more deeply than functions can call one another."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playhead.engine.engine import Engine, Settings
from playhead.engine.http import Incoming
from playhead.rules.checker import api_error, check, check_request
from playhead.rules.rule import Violation
from playhead.script.script import as_script
from playhead.script.steps import say
from playhead.wire.codec import encode
from playhead.wire.session import Session

Json = dict[str, Any]

AROUND: dict[str, Callable[[object], object]] = {
    "arrays": lambda inner: [inner],
    "objects": lambda inner: {"properties": inner},
    "schemas": lambda inner: {"type": "object", "properties": {"a": inner}, "required": ["a"]},
    "any-of": lambda inner: {"anyOf": [inner, {"type": "null"}]},
    "items": lambda inner: {"type": "array", "items": inner},
    "results": lambda inner: {"type": "tool_result", "tool_use_id": "t1", "content": [inner]},
    "searches": lambda inner: {"type": "search_result", "content": [inner], "title": "a", "source": "b"},
    "documents": lambda inner: {"type": "document", "source": {"type": "content", "content": [inner]}},
    "texts": lambda inner: {"type": "text", "text": "a", "citations": [inner]},
    "edits": lambda inner: {"edits": [inner], "type": "clear_tool_uses_20250919"},
}
CALL: Json = {"type": "tool_use", "id": "t1", "name": "add", "input": {}}
ASKED: list[Json] = [{"role": "user", "content": "hi"}]
ANSWERED: list[Json] = [
    *ASKED,
    {"role": "assistant", "content": [CALL]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "3"}]},
]
BODY: Json = {"model": "claude-opus-5-5", "max_tokens": 9, "messages": ANSWERED}


def with_input(deep: object) -> Json:
    call = {**CALL, "input": {"a": deep}}
    return {**BODY, "messages": [*ASKED, {"role": "assistant", "content": [call]}, ANSWERED[2]]}


PARTS: dict[str, Callable[[object], Json]] = {
    "input": with_input,
    "block": lambda deep: {**BODY, "messages": [*ANSWERED, {"role": "user", "content": [deep]}]},
    "reply": lambda deep: {**BODY, "messages": [*ASKED, {"role": "assistant", "content": [deep]}, *ASKED]},
    "content": lambda deep: {**BODY, "messages": [{"role": "user", "content": deep}]},
    "message": lambda deep: {**BODY, "messages": [*ANSWERED, deep]},
    "messages": lambda deep: {**BODY, "messages": deep},
    "schema": lambda deep: {**BODY, "tools": [{"name": "add", "input_schema": deep}]},
    "strict-schema": lambda deep: {**BODY, "tools": [{"name": "add", "strict": True, "input_schema": deep}]},
    "format": lambda deep: {**BODY, "output_config": {"format": {"type": "json_schema", "schema": deep}}},
    "examples": lambda deep: {
        **BODY,
        "tools": [{"name": "add", "input_schema": {"type": "object"}, "input_examples": [{"a": deep}]}],
    },
    "system": lambda deep: {**BODY, "system": [deep]},
    "context": lambda deep: {**BODY, "context_management": deep},
    "metadata": lambda deep: {**BODY, "metadata": {"user_id": deep}},
    "thread": lambda deep: {**BODY, "thread": {"type": "continue", "previous_message_id": deep}},
    "unknown": lambda deep: {**BODY, "tide": deep},
}


def deep_value(around: str, levels: int, inside: object = "low") -> object:
    value = inside
    for _ in range(levels):
        value = AROUND[around](value)
    return value


def rules(violations: tuple[Violation, ...]) -> list[str]:
    return [violation.rule for violation in violations]


DEEP = [
    *((part, around, 300) for part in PARTS for around in ("arrays", "objects", "schemas", "results")),
    *((part, "objects", 10_000) for part in PARTS),
    *(("block", around, 10_000) for around in AROUND),
]


@pytest.mark.parametrize(("part", "around", "levels"), DEEP)
def test_a_deep_request_is_judged(part: str, around: str, levels: int) -> None:
    """Alone and in a session, whatever holds it and wherever it stands, and in the reply as well."""
    body = PARTS[part](deep_value(around, levels))
    refused = {violation.rule for violation in check_request(body) if violation.level == "reject"}
    assert (api_error(body) is not None) is bool(refused)
    no = {"status": 400, "error": {"type": "invalid_request_error", "message": "no"}}
    exchanges = [
        {"request": body, "response": no},
        {"request": body, "response": {"content": [deep_value(around, levels)], "stop_reason": "end_turn"}},
        {"request": PARTS[part](deep_value(around, levels, "high")), "response": {"content": [], "id": "m"}},
    ]
    session = Session.from_exchanges(exchanges, end={"how": "returned", "error": None, "shown": None})
    told = check(session)
    assert {violation.rule for violation in told if violation.exchange == 1 and violation.level == "reject"} == refused
    assert session.conversations


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("levels", [300, 700, 10_000])
def test_a_deep_request_is_answered(part: str, levels: int) -> None:
    """A fake answers it like any other, or says that it is no JSON that can be read."""
    engine = Engine(as_script(lambda request: say("ok")), Settings(limit=9, strict=False, share="any"))
    headers = {"x-api-key": "k", "anthropic-version": "2023-06-01"}
    for inside in ("low", "low", "high"):
        raw = encode(PARTS[part](deep_value("objects", levels, inside)))
        answer = engine.answer(Incoming(method="POST", path="/v1/messages", headers=headers, body=raw))
        if levels == 10_000:
            assert answer.status == 400
            assert b"nested too deeply" in answer.body
        else:
            assert answer.status in (200, 400, 404)
    assert len(engine.session.exchanges) == 3
    assert engine.session.turns is not None


def test_a_change_far_down_is_seen() -> None:
    """An edit ten thousand levels down a tool's input is an edit."""
    start, edited = (with_input(deep_value("objects", 10_000, inside)) for inside in ("low", "high"))
    reply = {"content": [{"type": "text", "text": "ok"}], "stop_reason": "end_turn"}
    more = [{"role": "assistant", "content": reply["content"]}, *ASKED]
    for second, found in ((start, []), (edited, ["history-append-only"])):
        session = Session.from_exchanges(
            [
                {"request": start, "response": reply},
                {"request": {**second, "messages": [*copy.copy(second["messages"]), *more]}, "response": reply},
            ]
        )
        assert rules(check(session)) == found


@settings(max_examples=20, deadline=None)
@given(
    st.sampled_from([*PARTS]),
    st.lists(st.tuples(st.sampled_from([*AROUND]), st.integers(1, 3_000)), min_size=1, max_size=3),
    st.sampled_from(["low", 1.0, None, {}, [], {"$ref": "#"}, {"type": "text", "text": ""}]),
)
def test_any_shape_at_any_depth(part: str, layers: list[tuple[str, int]], inside: object) -> None:
    """Law: nothing that JSON can hold raises, up to ten thousand levels and in any mixture of shapes."""
    value: object = inside
    for around, levels in layers:
        value = deep_value(around, levels, value)
    body = PARTS[part](value)
    check_request(body)
    session = Session.from_exchanges([{"request": body, "response": {"content": [value]}}, {"request": body}])
    check(session)
    assert len(session.links) == 2

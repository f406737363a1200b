"""The normal form: what means the same is equal there, what does not is not."""

from __future__ import annotations

from typing import Any

import pytest

from playhead.cassettes.normal import Rules, normal_envelope, normal_message, normal_reply, sent_path
from playhead.wire.codec import canonical, encode

RULES = Rules.of()
CALL = {"type": "tool_use", "id": "toolu_1", "name": "add", "input": {"a": 1, "b": None}}


def user(content: object) -> dict[str, Any]:
    return {"role": "user", "content": content}


def result(**members: object) -> dict[str, Any]:
    return user([{"type": "tool_result", "tool_use_id": "toolu_1", **members}])


SAME_MESSAGES: dict[str, tuple[object, object]] = {
    "key order": ({"role": "user", "content": "hi"}, {"content": "hi", "role": "user"}),
    "a text and a text block": (user("hi"), user([{"type": "text", "text": "hi"}])),
    "cache_control": (
        user([{"type": "text", "text": "hi"}]),
        user([{"type": "text", "text": "hi", "cache_control": {"type": "ephemeral"}}]),
    ),
    "null and absent": (user([{"type": "text", "text": "hi", "citations": None}]), user("hi")),
    "citations of an echo": (user([{"type": "text", "text": "hi", "citations": [{"a": 1}]}]), user("hi")),
    "caller": (
        {"role": "assistant", "content": [CALL]},
        {"role": "assistant", "content": [{**CALL, "caller": {"type": "direct"}}]},
    ),
    "1.0 and 1 in an input": (
        {"role": "assistant", "content": [{**CALL, "input": {"a": 1}}]},
        {"role": "assistant", "content": [{**CALL, "input": {"a": 1.0}}]},
    ),
    "a result's text and its block": (result(content="ok"), result(content=[{"type": "text", "text": "ok"}])),
    "a result without content": (result(), result(content=[])),
    "a result with an empty text": (result(), result(content="")),
    "is_error false": (result(content="x"), result(content="x", is_error=False)),
    "blank text": (user([{"type": "text", "text": " "}, {"type": "text", "text": "hi"}]), user("hi")),
}


@pytest.mark.parametrize(("one", "other"), SAME_MESSAGES.values(), ids=SAME_MESSAGES)
def test_messages_that_mean_the_same(one: object, other: object) -> None:
    """Equal in the normal form."""
    assert encode(one) != encode(other)
    assert canonical(normal_message(one, 0, RULES)) == canonical(normal_message(other, 0, RULES))


OTHER_MESSAGES: dict[str, tuple[object, object]] = {
    "a word": (user("hi"), user("ho")),
    "white space": (user("hi"), user("hi ")),
    "the role": (user("hi"), {"role": "assistant", "content": "hi"}),
    "null in an input": (
        {"role": "assistant", "content": [CALL]},
        {"role": "assistant", "content": [{**CALL, "input": {"a": 1}}]},
    ),
    "cache_control in an input": (
        {"role": "assistant", "content": [{**CALL, "input": {"cache_control": 1}}]},
        {"role": "assistant", "content": [{**CALL, "input": {}}]},
    ),
    "true and 1": (
        {"role": "assistant", "content": [{**CALL, "input": {"a": True}}]},
        {"role": "assistant", "content": [{**CALL, "input": {"a": 1}}]},
    ),
    "is_error": (result(content="x"), result(content="x", is_error=True)),
    "a document with citations": (
        user([{"type": "document", "source": {}, "citations": {"enabled": True}}]),
        user([{"type": "document", "source": {}}]),
    ),
    "one text and two": (user("ab"), user([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}])),
    "a member that the API refuses": (user("hi"), {**user("hi"), "id": "msg_1"}),
    "order of blocks": (
        user([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]),
        user([{"type": "text", "text": "b"}, {"type": "text", "text": "a"}]),
    ),
    "no object": ("hi", user("hi")),
}


@pytest.mark.parametrize(("one", "other"), OTHER_MESSAGES.values(), ids=OTHER_MESSAGES)
def test_messages_that_do_not(one: object, other: object) -> None:
    """Told apart in the normal form."""
    assert canonical(normal_message(one, 0, RULES)) != canonical(normal_message(other, 0, RULES))


TOOL = {"name": "add", "input_schema": {"type": "object", "properties": {"caller": {"type": "string"}}}}
SAME_ENVELOPES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "metadata": ({"model": "m", "metadata": {"user_id": "a"}}, {"model": "m"}),
    "messages": ({"model": "m", "messages": [1]}, {"model": "m", "messages": [2]}),
    "no stream": ({"model": "m", "stream": False}, {"model": "m"}),
    "empty": ({"model": "m", "tools": [], "system": "", "stop_sequences": None}, {"model": "m"}),
    "a system prompt": ({"system": "Be brief."}, {"system": [{"type": "text", "text": "Be brief."}]}),
    "cache marks": (
        {"tools": [TOOL], "system": "s"},
        {
            "tools": [{**TOOL, "cache_control": {"type": "ephemeral"}}],
            "system": [{"type": "text", "text": "s", "cache_control": {"type": "ephemeral"}}],
            "cache_control": {"type": "ephemeral"},
        },
    ),
    "numbers": ({"temperature": 1}, {"temperature": 1.0}),
}


@pytest.mark.parametrize(("one", "other"), SAME_ENVELOPES.values(), ids=SAME_ENVELOPES)
def test_envelopes_that_mean_the_same(one: dict[str, Any], other: dict[str, Any]) -> None:
    """Equal in the normal form."""
    assert canonical(normal_envelope(one, RULES)) == canonical(normal_envelope(other, RULES))


OTHER_ENVELOPES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "model": ({"model": "a"}, {"model": "b"}),
    "stream": ({"stream": True}, {}),
    "a schema's member": ({"tools": [TOOL]}, {"tools": [{**TOOL, "input_schema": {"type": "object"}}]}),
    "an output schema's member": (
        {"output_config": {"format": {"schema": {"properties": {"citations": {}}}}}},
        {"output_config": {"format": {"schema": {"properties": {}}}}},
    ),
    "temperature": ({"temperature": 0}, {}),
    "messages that are no list": ({"messages": "a"}, {"messages": "b"}),
    "order of tools": ({"tools": [TOOL, {"name": "b"}]}, {"tools": [{"name": "b"}, TOOL]}),
}


@pytest.mark.parametrize(("one", "other"), OTHER_ENVELOPES.values(), ids=OTHER_ENVELOPES)
def test_envelopes_that_do_not(one: dict[str, Any], other: dict[str, Any]) -> None:
    """Told apart in the normal form."""
    assert canonical(normal_envelope(one, RULES)) != canonical(normal_envelope(other, RULES))


def test_volatile_rules_reach_every_text_and_place() -> None:
    """In messages by their position, in the envelope, in a tool's input."""
    rules = Rules.of(["dates", "$.messages[1]", "$.tools[*].description", "$.messages[*].content[0].name"])
    dated = {"role": "assistant", "content": [{**CALL, "input": {"on": ["2025-01-01"]}}]}
    assert normal_message(dated, 0, rules) == {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "toolu_1", "input": {"on": ["<date>"]}}],
    }
    assert normal_message(dated, 1, rules) is None
    tools = [{"name": "now", "description": "a"}]
    assert normal_envelope({"tools": tools, "system": "On 2025-01-01."}, rules) == {
        "tools": [{"name": "now"}],
        "system": [{"type": "text", "text": "On <date>."}],
    }


def test_a_reply_is_what_it_says() -> None:
    """Neither its id nor what it cost; of an answer that is no message, all counts."""
    message = {"id": "msg_1", "content": [{"type": "text", "text": "a", "citations": None}], "stop_reason": "end_turn"}
    again = {**message, "id": "msg_2", "usage": {"output_tokens": 5}}
    assert normal_reply(message, RULES) == normal_reply(again, RULES)
    assert normal_reply({"input_tokens": 5}, RULES) != normal_reply({"input_tokens": 6}, RULES)


SENT = {
    "system": "s",
    "messages": [
        user("hi"),
        user([{"type": "text", "text": " "}, {"type": "tool_result", "content": "x"}, {"type": "text", "text": "y"}]),
    ],
}
PATHS: list[tuple[tuple[str | int, ...], str]] = [
    (("system", 0, "text"), "$.system"),
    (("messages", 0, "content", 0, "text"), "$.messages[0].content"),
    (("messages", 0, "role"), "$.messages[0].role"),
    (("messages", 1, "content", 0, "content", 0, "text"), "$.messages[1].content[1].content"),
    (("messages", 1, "content", 1, "text"), "$.messages[1].content[2].text"),
    (("messages", 1, "content", 2), "$.messages[1].content[3]"),
    (("messages", 2), "$.messages[2]"),
    (("tools", 0, "name"), "$.tools[0].name"),
]


@pytest.mark.parametrize(("steps", "path"), PATHS, ids=[path for _, path in PATHS])
def test_a_path_stands_in_what_was_sent(steps: tuple[str | int, ...], path: str) -> None:
    """A text that is a block in the normal form is named as the text; blank blocks are counted."""
    assert sent_path(steps, SENT) == path

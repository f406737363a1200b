"""The history holds everything Claude said, as plain data that can be sent again."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import anthropic.types
import pytest
from anthropic.types import ParsedMessage, ParsedTextBlock
from hypothesis import given
from hypothesis import strategies as st

from playhead.loop import add_assistant_message, add_user_message, text_from_message

from .conftest import reply, text, tool_use

EVERYTHING = [
    {"type": "thinking", "thinking": "hm", "signature": "sig=="},
    {"type": "redacted_thinking", "data": "opaque"},
    {"type": "text", "text": "Let me look.", "citations": None},
    {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}},
    {
        "type": "web_search_tool_result",
        "tool_use_id": "srvtoolu_1",
        "content": [{"type": "web_search_result", "url": "u", "title": "t", "encrypted_content": "e"}],
    },
    {"type": "hologram", "beam": {"deep": [1, 2.0, None]}},
    {"type": "tool_use", "id": "toolu_1", "name": "add", "input": {"a": 3.0, "b": 2**60}, "future": "field"},
]


def sdk_message(*content: dict[str, Any], **fields: Any) -> anthropic.types.Message:
    return anthropic.types.Message.construct(**reply(*content, **fields))


@pytest.mark.parametrize(
    "given_message",
    [
        pytest.param(sdk_message(*EVERYTHING, stop_reason="tool_use"), id="sdk-message"),
        pytest.param(reply(*EVERYTHING), id="response-dict"),
        pytest.param({"role": "assistant", "content": EVERYTHING}, id="message-dict"),
        pytest.param(sdk_message(*EVERYTHING).content, id="sdk-blocks"),
        pytest.param(EVERYTHING, id="dict-blocks"),
        pytest.param(tuple(EVERYTHING), id="tuple-of-blocks"),
    ],
)
def test_stores_everything_claude_said(given_message: object) -> None:
    """Every block with every field, known or not, comes back with the same values and types."""
    messages: list[Any] = []
    assert add_assistant_message(messages, given_message) is None
    assert json.dumps(messages, sort_keys=True) == json.dumps(
        [{"role": "assistant", "content": EVERYTHING}], sort_keys=True
    )


@pytest.mark.parametrize(
    ("message", "content"),
    [
        pytest.param("Hello", "Hello", id="text"),
        pytest.param([text("a"), text(" ")], [text("a"), text(" ")], id="blocks-exactly-as-given"),
        pytest.param(text("a"), [text("a")], id="one-block"),
        pytest.param(
            {"type": "tool_result", "tool_use_id": "t", "content": "3"},
            [{"type": "tool_result", "tool_use_id": "t", "content": "3"}],
            id="one-block-with-content-is-no-message",
        ),
        pytest.param({"role": "user", "content": "hi"}, "hi", id="message-dict"),
        pytest.param(sdk_message(text("said")), [text("said")], id="sdk-message"),
    ],
)
def test_user_message_takes_text_blocks_and_messages(message: object, content: object) -> None:
    """Every form of user content ends up as the content of one user message."""
    messages: list[Any] = [{"role": "user", "content": "before"}]
    assert add_user_message(messages, message) is None
    assert messages == [{"role": "user", "content": "before"}, {"role": "user", "content": content}]


@pytest.mark.parametrize(
    ("message", "stored"),
    [
        pytest.param(sdk_message(), [], id="empty-end-turn"),
        pytest.param(sdk_message(text("\n\n")), [], id="only-blank-text"),
        pytest.param("  ", [], id="blank-string"),
        pytest.param(
            sdk_message(text(" "), tool_use("f")),
            [{"role": "assistant", "content": [tool_use("f")]}],
            id="blank-text-beside-a-call",
        ),
    ],
)
def test_what_the_api_would_refuse_is_not_stored(message: object, stored: list[Any]) -> None:
    """Blank text is dropped, and a reply of which nothing remains appends nothing."""
    messages: list[Any] = []
    add_assistant_message(messages, message)
    assert messages == stored


def test_parsed_output_is_not_sent_back() -> None:
    """`parsed_output`, which the SDK adds and the API refuses, is left out of objects and of dicts."""
    block = ParsedTextBlock[Any].construct(type="text", text="{}", parsed_output={"a": 1})
    message = ParsedMessage[Any].construct(**{**reply(), "content": [block]})
    messages: list[Any] = []
    add_assistant_message(messages, message)
    add_assistant_message(messages, [text("x", parsed_output={"a": 1})])
    assert [message["content"] for message in messages] == [[text("{}")], [text("x")]]


def test_nothing_is_shared_with_what_was_given() -> None:
    """Changing the caller's objects afterwards does not change the history."""
    call = tool_use("f", a=[1])
    messages: list[Any] = []
    add_assistant_message(messages, [call])
    call["input"]["a"].append(2)
    assert messages[0]["content"][0]["input"] == {"a": [1]}


def test_input_that_is_no_object_is_wrapped() -> None:
    """The API wants an object as input in history, whatever came."""
    messages: list[Any] = []
    add_assistant_message(messages, [{**tool_use("f"), "input": "{broken"}])
    assert messages[0]["content"][0]["input"] == {"INVALID_JSON": "{broken"}


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        pytest.param(lambda: add_user_message("hi", []), TypeError, "messages is the list", id="swapped"),  # type: ignore[arg-type]
        pytest.param(lambda: add_user_message([], []), ValueError, "needs content", id="no-results"),
        pytest.param(lambda: add_user_message([], ""), ValueError, "needs content", id="empty-text"),
        pytest.param(lambda: add_user_message([], 5), TypeError, "a content block is", id="a-number"),
        pytest.param(
            lambda: add_assistant_message([], [SimpleNamespace(type="text")]),
            TypeError,
            "JSON data",
            id="alien",
        ),
    ],
)
def test_mix_ups_are_named(call: Any, error: type[Exception], words: str) -> None:
    """What cannot be stored is an error that says what was expected."""
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        pytest.param(sdk_message(text("It is "), tool_use("f"), text("3.")), "It is 3.", id="sdk-message"),
        pytest.param([text("a"), text("b")], "ab", id="blocks"),
        pytest.param({"role": "user", "content": "plain"}, "plain", id="string-content"),
        pytest.param(sdk_message(), "", id="nothing"),
    ],
)
def test_text_from_message_joins_all_text(message: object, expected: str) -> None:
    """All text blocks, nothing else, nothing between."""
    assert text_from_message(message) == expected


def test_text_from_message_takes_a_separator() -> None:
    """For those who want lines."""
    assert text_from_message([text("a"), text("b")], "\n") == "a\nb"


ANY_TEXT = st.text(st.characters(codec=None))  # lone surrogates too
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=5), JSON, max_size=4))
def test_whatever_is_stored_can_be_sent(fields: dict[str, Any]) -> None:
    """Lone surrogates and numbers that are not finite never make a history that cannot be encoded."""
    messages: list[Any] = []
    add_assistant_message(messages, [{**fields, "type": "novel"}])
    json.dumps(messages, ensure_ascii=False, allow_nan=False).encode()

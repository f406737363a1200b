"""A request as a script's functions see it."""

from __future__ import annotations

import pytest

from playhead import Request


def request_of(**body: object) -> Request:
    return Request(body=body, headers={}, path="/v1/messages", number=1, turn=1)


def test_an_empty_body_has_nothing() -> None:
    """Every property has an empty value where the body lacks what it shows."""
    request = request_of()
    assert (request.messages, request.tools, request.stream, request.text, request.results) == ([], [], False, "", {})


@pytest.mark.parametrize("value", [None, "x", 5, {}], ids=repr)
def test_members_of_the_wrong_kind_are_as_if_absent(value: object) -> None:
    """A broken request reaches a function as an empty one, not as an error inside the fake."""
    request = request_of(messages=value, tools=value, stream=value)
    assert (request.messages, request.tools, request.stream, request.text, request.results) == ([], [], False, "", {})


def test_what_the_last_message_says() -> None:
    """`text` joins its text blocks, `results` are its tool results by id; earlier messages do not show."""
    first = {"role": "user", "content": "earlier"}
    result = {"type": "tool_result", "tool_use_id": "toolu_0001", "content": "5"}
    last = {"role": "user", "content": [result, {"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}
    request = request_of(messages=[first, last], tools=[{"name": "t"}], stream=True)
    assert request.text == "ab"
    assert request.results == {"toolu_0001": result}
    assert request.messages == [first, last]
    assert request.tools == [{"name": "t"}]
    assert request.stream


def test_string_content_is_text() -> None:
    """A plain string is the text."""
    assert request_of(messages=[{"role": "user", "content": "hello"}]).text == "hello"

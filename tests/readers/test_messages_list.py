"""Conversations saved as their messages."""

from __future__ import annotations

import json

import pytest

from playhead.errors import RecordingError
from playhead.readers.messages_list import FORMAT
from playhead.readers.source import Source

CALL = {"type": "tool_use", "id": "t1", "name": "get_tide", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "t1", "content": "2.1 m"}
MESSAGES = [
    {"role": "user", "content": "Tides?", "ts": 1},
    {"role": "assistant", "content": [CALL], "id": "msg_1", "ts": 2},
    {"role": "user", "content": [{**RESULT, "name": "get_tide"}]},
    {"role": "assistant", "content": "High."},
]


def source(value: object) -> Source:
    return Source.of("messages.json", json.dumps(value, indent=1).encode())


@pytest.mark.parametrize("value", [MESSAGES, {"version": 1, "messages": MESSAGES}], ids=["array", "object"])
def test_each_reply_is_an_exchange(value: object):
    """The request of a reply holds the messages before it, without what the agent added to them."""
    assert FORMAT.matches(source(value))
    first, second = FORMAT.read(source(value)).exchanges
    assert first.request == {"messages": [{"role": "user", "content": "Tides?"}]}
    assert first.response == {"type": "message", "role": "assistant", "content": [CALL], "id": "msg_1"}
    assert second.messages[2] == {"role": "user", "content": [RESULT]}
    assert second.messages[0] is first.messages[0]
    assert second.known == frozenset({"messages"})
    assert second.content == [{"type": "text", "text": "High."}]


def test_messages_are_not_repaired():
    """A list is what its loop keeps: a missing result stays missing, so that a rule can find it."""
    broken = [*MESSAGES[:2], {"role": "user", "content": "Well?"}, MESSAGES[3]]
    assert FORMAT.read(source(broken)).exchanges[1].messages == [
        {"role": "user", "content": "Tides?"},
        {"role": "assistant", "content": [CALL]},
        {"role": "user", "content": "Well?"},
    ]


def test_the_system_prompt_is_known_where_it_is_told():
    """A `system` text and system messages at the beginning are the system prompt; one in the middle is a message."""
    told = FORMAT.read(source({"system": "Be brief.", "messages": MESSAGES})).exchanges[0]
    first = FORMAT.read(source([{"role": "system", "content": "Be brief."}, *MESSAGES])).exchanges[0]
    assert told.request == first.request == {"system": "Be brief.", "messages": [{"role": "user", "content": "Tides?"}]}
    assert told.known == frozenset({"messages", "system"})
    middle = [MESSAGES[0], {"role": "system", "content": "Now German."}, *MESSAGES[1:2]]
    assert [message["role"] for message in FORMAT.read(source(middle)).exchanges[0].messages] == ["user", "system"]


def test_replies_in_a_row_are_one():
    """Two assistant messages without anything between are one reply."""
    doubled = [MESSAGES[0], {"role": "assistant", "content": "Wait."}, MESSAGES[1]]
    (exchange,) = FORMAT.read(source(doubled)).exchanges
    assert exchange.content == [{"type": "text", "text": "Wait."}, CALL]


def test_blocks_of_the_agents_own():
    """A block that the API does not have becomes text where it holds text, and is counted."""
    blocks = [{"type": "file", "path": "a", "content": "b"}, {"type": "mark"}, {**RESULT, "content": [{"query": "q"}]}]
    found = FORMAT.read(source([{"role": "user", "content": blocks}, MESSAGES[3]]))
    assert found.exchanges[0].messages[0]["content"] == [
        {"type": "text", "text": "b"},
        {**RESULT, "content": '[{"query":"q"}]'},
    ]
    assert sum(found.skipped.values()) == 2


def test_a_request_body_alone():
    """A saved request without a reply is an exchange without an answer, known as a whole."""
    body = {"model": "claude-sonnet-5", "max_tokens": 9, "messages": MESSAGES[:1]}
    (exchange,) = FORMAT.read(source(body)).exchanges
    assert exchange.request == body
    assert exchange.response is None
    assert exchange.known is None


@pytest.mark.parametrize(
    "value",
    [
        [{"role": "user", "content": "a"}, {"role": "assistant", "content": None, "tool_calls": []}],
        [{"role": "user", "content": "a"}, {"role": "tool", "content": "b"}],
        [{"type": "message_start"}],
        {"request": {"messages": []}},
        [],
    ],
)
def test_other_files_are_not_taken(value: object):
    """Messages in another vendor's shape, events and recordings of requests are no such lists."""
    assert not FORMAT.matches(source(value))


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (MESSAGES[:1], "no reply"),
        ([MESSAGES[0], 5], r"\$\.messages\[1\]"),
        ({"messages": [{"role": "robot"}]}, r"\$\.messages\[0\]"),
    ],
)
def test_what_cannot_be_read_is_named(value: object, reason: str):
    """A list without a reply, or with something else in it, is an error that says where."""
    with pytest.raises(RecordingError, match=reason):
        FORMAT.read(source(value))

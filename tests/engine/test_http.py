"""Answers as bytes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playhead.engine.http import Outgoing, json_answer
from playhead.engine.sending import Asked, send
from playhead.script.faults import Sent
from playhead.script.steps import reply
from playhead.wire.sse import EventDecoder
from playhead.wire.stream import accumulate, event_data

MESSAGE: dict[str, object] = {
    "id": "msg_0001",
    "type": "message",
    "role": "assistant",
    "model": "claude-opus-5-5",
    "content": [
        {"type": "text", "text": "Grüße, 世界 🎉\r\n\u2028 end"},
        {"type": "tool_use", "id": "toolu_0001", "name": "add", "input": {"a": "é\n", "b": [1, 2.5]}},
    ],
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {"input_tokens": 5, "output_tokens": 9},
}


def streamed() -> Outgoing:
    return send(MESSAGE, Sent(reply=reply(MESSAGE)), Asked("req_0001", stream=True)).outgoing


def test_a_json_answer() -> None:
    """Status, content type, request id, further headers, and compact UTF-8."""
    answer = json_answer(404, {"a": "é"}, "req_0007", **{"x-should-retry": "false"})
    assert answer == Outgoing(
        status=404,
        headers={"content-type": "application/json", "request-id": "req_0007", "x-should-retry": "false"},
        chunks=('{"a":"é"}'.encode(),),
    )


def test_a_body_is_its_chunks_joined() -> None:
    """However it is to leave."""
    assert Outgoing(status=200, headers={}, chunks=(b"a", b"", b"bc")).body == b"abc"


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 10**6])
def test_a_streamed_message_arrives_whole_in_any_pieces(size: int) -> None:
    """The events make the message again whatever the pieces, split characters and CRLF included."""
    answer = streamed()
    decoder, events = EventDecoder(), []
    for start in range(0, len(answer.body), size):
        events += decoder.feed(answer.body[start : start + size])
    made = accumulate(event_data(event) for event in events)
    assert made.message == MESSAGE
    assert made.complete
    assert made.problems == []


def test_a_stream_is_one_write_with_the_apis_headers() -> None:
    """One chunk of server-sent events that begins with message_start and ends with message_stop."""
    answer = streamed()
    assert answer.status == 200
    assert answer.headers == {
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-cache",
        "request-id": "req_0001",
    }
    assert len(answer.chunks) == 1
    assert answer.body.startswith(b"event: message_start\ndata: {")
    assert answer.body.endswith(b'event: message_stop\ndata: {"type":"message_stop"}\n\n')


@settings(deadline=None)
@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner, max_size=3)))
def test_a_json_answer_holds_any_value(value: object) -> None:
    """What goes in comes out of a JSON parser."""
    assert json.loads(json_answer(200, value, "req_0001").body) == value

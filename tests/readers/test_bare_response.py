"""Answers saved without their requests."""

from __future__ import annotations

import json

import pytest

from playhead.errors import RecordingError
from playhead.readers.bare_response import FORMAT
from playhead.readers.source import Source

MESSAGE = {"id": "msg_1", "type": "message", "role": "assistant", "content": [], "stop_reason": "end_turn"}
ERROR = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}


def source(data: object) -> Source:
    return Source.of("answer.json", data if isinstance(data, bytes) else json.dumps(data, indent=1).encode())


def test_a_message():
    """A message is an exchange without a request."""
    assert FORMAT.matches(source(MESSAGE))
    (exchange,) = FORMAT.read(source(MESSAGE)).exchanges
    assert (exchange.status, exchange.request, exchange.response, exchange.complete) == (200, None, MESSAGE, True)


def test_an_error():
    """An error body is an exchange with its error and the status that goes with it."""
    assert FORMAT.matches(source(ERROR))
    (exchange,) = FORMAT.read(source(ERROR)).exchanges
    assert (exchange.status, exchange.error, exchange.response) == (529, ERROR["error"], None)


@pytest.mark.parametrize(
    "data",
    [[MESSAGE, ERROR, {"type": "other"}], b"\n".join(json.dumps(one).encode() for one in (MESSAGE, ERROR, {"a": 1}))],
    ids=["array", "lines"],
)
def test_several_answers(data: object):
    """An array, or lines, of answers; what is none is counted."""
    assert FORMAT.matches(source(data))
    found = FORMAT.read(source(data))
    assert [exchange.status for exchange in found.exchanges] == [200, 529]
    assert sum(found.skipped.values()) == 1


@pytest.mark.parametrize(
    "data",
    [
        {"type": "message_start", "message": MESSAGE},
        {"object": "chat.completion", "choices": []},
        {"type": "message", "timestamp": 1, "message": {"role": "user"}},
        {"request": {}, "response": MESSAGE},
        b"\xff\xfe",
    ],
)
def test_other_files_are_not_taken(data: object):
    """Events, other vendors' answers, agents' logs and recordings with a request are left to others."""
    assert not FORMAT.matches(source(data))


def test_a_large_message_is_recognised():
    """What tells a message stands before its content."""
    assert FORMAT.matches(source({**MESSAGE, "content": [{"type": "text", "text": "x" * 100_000}]}))


@pytest.mark.parametrize(
    "data", [b'{"type": "message", "role": "assistant", "con', b'{"type": "message", "role": "assistant"}']
)
def test_a_damaged_message(data: bytes):
    """A cut file, or a message without content, is an error in one sentence."""
    assert FORMAT.matches(source(data))
    with pytest.raises(RecordingError, match=r"answer\.json: "):
        FORMAT.read(source(data))

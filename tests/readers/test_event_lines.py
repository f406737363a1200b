"""Stream events saved as JSON."""

from __future__ import annotations

import json

import pytest

from playhead.errors import RecordingError
from playhead.readers.event_lines import LINES, LIST
from playhead.readers.source import Source
from playhead.wire.stream import events_of

MESSAGE = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "content": [{"type": "tool_use", "id": "t1", "name": "get_tide", "input": {"port": "Brest"}}],
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {"input_tokens": 3, "output_tokens": 9},
}
EVENTS = [*events_of(MESSAGE, piece=4)]
WRAPPED = [{"event": event["type"], "data": event} for event in EVENTS]
AS_TEXT = [{"event": event["type"], "data": json.dumps(event)} for event in EVENTS]


def lines(events: list[dict]) -> Source:
    return Source.of("events.txt", b"\n".join(json.dumps(event).encode() for event in events))


def array(events: list[dict]) -> Source:
    return Source.of("events.json", json.dumps(events, indent=2).encode())


@pytest.mark.parametrize("events", [EVENTS, WRAPPED, AS_TEXT], ids=["data", "wrapped", "data as text"])
def test_events_make_the_message(events: list[dict]):
    """Lines and arrays of events, wrapped or not, accumulate to the message that was streamed."""
    for format, source in ((LINES, lines(events)), (LIST, array(events))):
        assert format.matches(source)
        (exchange,) = format.read(source).exchanges
        assert exchange.response == MESSAGE
        assert exchange.complete
        assert exchange.events == tuple(EVENTS)


def test_several_streams():
    """Streams one after the other are exchanges one after the other."""
    assert len(LINES.read(lines([*EVENTS, *EVENTS])).exchanges) == 2


def test_what_is_no_event_is_counted():
    """A line without a type is passed over and counted."""
    found = LINES.read(lines([*EVENTS, {"note": 1}]))
    assert found.skipped == {"an item that is no stream event": 1}


def test_a_stream_that_was_cut():
    """A file that ends between two lines is a reply without its end."""
    (exchange,) = LINES.read(lines(EVENTS[:-2])).exchanges
    assert not exchange.complete


def test_a_cut_line_is_named():
    """A file that ends within a line is an error with its number."""
    with pytest.raises(RecordingError, match=r"events\.txt:2: "):
        LINES.read(Source.of("events.txt", lines(EVENTS[:2]).data[:-3]))


def test_other_files_are_not_taken():
    """Other JSON is left to others."""
    for value in ({"type": "message"}, {"id": "chatcmpl", "object": "chat.completion.chunk"}, {"data": "x"}):
        assert not LINES.matches(lines([value]))
        assert not LIST.matches(array([value]))

"""Where one stream ends and the next begins."""

from __future__ import annotations

from playhead.readers.streams import is_event, stream_exchanges
from playhead.wire.stream import events_of


def message(key: str) -> dict:
    content = [{"type": "text", "text": key}]
    return {
        "id": key,
        "role": "assistant",
        "content": content,
        "stop_reason": "end_turn",
        "usage": {"output_tokens": 1},
    }


ONE, TWO = [*events_of(message("one"))], [*events_of(message("two"))]


def test_streams_one_after_the_other():
    """A stream ends with `message_stop`; what follows without a start still belongs to it."""
    found = stream_exchanges([*ONE, {"type": "ping"}, *TWO])
    assert [exchange.events for exchange in found] == [(*ONE, {"type": "ping"}), tuple(TWO)]


def test_a_stream_that_was_cut_before_the_next():
    """The start of another message opens a stream, the same start again is a duplicate."""
    cut, whole = stream_exchanges([*ONE[:4], *TWO])
    assert (cut.complete, whole.complete) == (False, True)
    assert whole.content == [{"type": "text", "text": "two"}]
    assert len(stream_exchanges([ONE[0], *ONE])) == 1


def test_an_error_ends_a_stream():
    """After an error event the next start is a new stream, and the exchange has the error."""
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    failed, whole = stream_exchanges([*ONE[:4], error, *ONE])
    assert (failed.complete, failed.error) == (False, error["error"])
    assert whole.complete


def test_pings_alone_are_no_stream():
    """A rest of nothing but pings makes no exchange."""
    assert stream_exchanges([{"type": "ping"}]) == ()


def test_events_are_kept_only_where_they_are_wanted():
    """Without its events an exchange has the same message."""
    (kept,), (not_kept,) = stream_exchanges(ONE), stream_exchanges(ONE, keep=False)
    assert (kept.events, not_kept.events) == (tuple(ONE), None)
    assert (kept.response, kept.complete) == (not_kept.response, not_kept.complete)


def test_events_are_told_by_their_type():
    """Only the API's event types are events."""
    assert is_event({"type": "message_start"})
    assert not any(is_event(value) for value in ({"type": "message"}, {"type": ["ping"]}, {}, "ping", None))

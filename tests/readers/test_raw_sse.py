"""Bodies of streamed answers."""

from __future__ import annotations

import json

import pytest

from playhead.errors import RecordingError
from playhead.readers.raw_sse import FORMAT
from playhead.readers.source import Recording, Source
from playhead.wire.stream import events_of, stream_bytes

MESSAGE = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "content": [{"type": "text", "text": "Höchste Flut\u2028um 12."}],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 3, "output_tokens": 9},
}
BODY = stream_bytes(events_of(MESSAGE, piece=3))
CHUNK = b'data: {"id":"1","object":"chat.completion.chunk","choices":[]}\n\n'


def read(data: bytes) -> Recording:
    source = Source.of("answer.sse", data)
    assert FORMAT.matches(source)
    return FORMAT.read(source)


@pytest.mark.parametrize(
    "data",
    [
        BODY,
        BODY.replace(b"\n", b"\r\n"),
        BODY.replace(b"\n", b"\r"),
        b"\xef\xbb\xbf" + BODY,
        b": hello\n\n" + BODY,
        BODY.rstrip(b"\n"),
        BODY.replace(b"}\n\n", b"}    \n\n"),
        BODY + b"data: [DONE]\n\n",
        b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in events_of(MESSAGE)),
        BODY.replace(b'data: {"type":"ping"}', b"data: ping"),
    ],
    ids=["plain", "CRLF", "CR", "mark", "comment", "no last blank line", "padded", "DONE", "no names", "odd ping"],
)
def test_a_stream_is_read_whatever_its_bytes(data: bytes):
    """Line ends, padding, comments, a gateway's `[DONE]` and missing names change nothing."""
    (exchange,) = read(data).exchanges
    assert exchange.response == MESSAGE
    assert exchange.complete
    assert (exchange.request, exchange.status) == (None, 200)


def test_several_streams():
    """Streams one after the other are exchanges one after the other, also beyond the first piece that is read."""
    count = 2_000_000 // len(BODY)
    assert len(read(BODY * count).exchanges) == count


def test_a_stream_that_was_cut():
    """A cut file gives the reply as far as it came, without its end."""
    (exchange,) = read(BODY[: BODY.index(b"message_delta") + 40]).exchanges
    assert exchange.content == MESSAGE["content"]
    assert not exchange.complete


def test_an_error_in_the_stream():
    """An error event is the exchange's error."""
    error = {"type": "overloaded_error", "message": "Overloaded"}
    data = b"event: error\ndata: " + json.dumps({"type": "error", "error": error}).encode() + b"\n\n"
    (exchange,) = read(data).exchanges
    assert exchange.error == error


def test_other_vendors_are_counted():
    """Another vendor's stream has no exchanges and says why; its chunks beside ours are counted."""
    found = read(CHUNK * 2 + b"data: [DONE]\n\n")
    assert found.exchanges == ()
    assert sum(found.skipped.values()) == 3


def test_data_that_is_no_json():
    """Broken data before the end is an error that names the event."""
    with pytest.raises(RecordingError, match=r"event 2: the data of event 'content_block_start' is no JSON"):
        read(BODY.replace(b'data: {"type":"content_block_start"', b'data: {"type:"content_block_start"'))


@pytest.mark.parametrize("data", [b"event: hello\ndata: world\n\n", b"{}", b"interactions:\n- data: 1\n", b""])
def test_other_files_are_not_taken(data: bytes):
    """Streams of nobody we know, JSON and YAML are left to others."""
    assert not FORMAT.matches(Source.of("x", data))

"""Server-sent events, in whatever pieces they arrive."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.wire.sse import EventDecoder, ServerSentEvent, decode_events, encode_event

Event = tuple[str, bytes]

STREAMS: dict[str, tuple[bytes, list[Event]]] = {
    "lf": (b'event: a\ndata: {"x":1}\n\nevent: b\ndata: 2\n\n', [("a", b'{"x":1}'), ("b", b"2")]),
    "crlf": (b"event: a\r\ndata: 1\r\n\r\nevent: b\r\ndata: 2\r\n\r\n", [("a", b"1"), ("b", b"2")]),
    "cr": (b"event: a\rdata: 1\r\revent: b\rdata: 2\r\r", [("a", b"1"), ("b", b"2")]),
    "mixed-line-ends": (b"event: a\r\ndata: 1\n\r\nevent: b\rdata: 2\n\n", [("a", b"1"), ("b", b"2")]),
    "byte-order-mark": (b"\xef\xbb\xbfevent: a\ndata: 1\n\n", [("a", b"1")]),
    "byte-order-mark-only-at-the-start": (b"data: 1\n\n\xef\xbb\xbfdata: 2\n\n", [("", b"1")]),
    "comments": (b": hello\n\nevent: a\n: in between\ndata: 1\n\n:\n", [("a", b"1")]),
    "multi-line-data": (b"event: a\ndata: {\ndata:   1\ndata: }\n\n", [("a", b"{\n  1\n}")]),
    "no-space-after-the-colon": (b"event:a\ndata:1\n\n", [("a", b"1")]),
    "one-space-only-is-taken": (b"data:  1 \n\n", [("", b" 1 ")]),
    "colons-in-the-data": (b"data: a:b: c\n\n", [("", b"a:b: c")]),
    "empty-data": (b"event: a\ndata\n\nevent: b\ndata:\n\n", [("a", b""), ("b", b"")]),
    "no-name": (b"data: 1\n\n", [("", b"1")]),
    "no-data": (b"event: a\n\n", [("a", b"")]),
    "blank-lines": (b"\n\n\ndata: 1\n\n\n\n", [("", b"1")]),
    "other-fields": (b"id: 7\nretry: 10\nevent: a\nfoo: bar\nnonsense\ndata: 1\n\n", [("a", b"1")]),
    "the-last-name-counts": (b"event: a\nevent: b\ndata: 1\n\n", [("b", b"1")]),
    "line-separators-are-text": (
        'data: "a\u2028b\u2029c\u0085d\x0be\x0cf"\n\n'.encode(),
        [("", '"a\u2028b\u2029c\u0085d\x0be\x0cf"'.encode())],
    ),
    "characters-of-four-bytes": ('data: "\U0001f600é"\n\n'.encode(), [("", '"\U0001f600é"'.encode())]),
    "invalid-utf-8-is-kept": (b"data: \xff\xfe\n\n", [("", b"\xff\xfe")]),
    "unterminated-line": (b"data: 1\n\nevent: b\ndata: 2", [("", b"1"), ("b", b"2")]),
    "unterminated-event": (b"data: 1\n\nevent: b\ndata: 2\n", [("", b"1"), ("b", b"2")]),
    "ends-in-a-cr": (b"event: b\r\ndata: 2\r", [("b", b"2")]),
    "ends-in-the-cr-of-a-blank-line": (b"data: 2\n\r", [("", b"2")]),
    "a-name-left-alone": (b"data: 1\n\nevent: b", [("", b"1")]),
    "empty": (b"", []),
    "byte-order-mark-alone": (b"\xef\xbb\xbf", []),
    "half-a-byte-order-mark": (b"\xef\xbb", []),
}


def decoded(pieces: list[bytes]) -> list[Event]:
    decoder = EventDecoder()
    events = [event for piece in pieces for event in decoder.feed(piece)]
    return [(event.name, event.data) for event in [*events, *decoder.close()]]


def cut(body: bytes, size: int) -> list[bytes]:
    return [body[start : start + size] for start in range(0, len(body), size)]


@pytest.mark.parametrize(("body", "events"), STREAMS.values(), ids=STREAMS)
def test_whole(body: bytes, events: list[Event]) -> None:
    """Each shape of stream gives these events, read in one piece."""
    assert [(event.name, event.data) for event in decode_events(body)] == events


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7])
@pytest.mark.parametrize(("body", "events"), STREAMS.values(), ids=STREAMS)
def test_in_pieces_of_one_size(body: bytes, events: list[Event], size: int) -> None:
    """Byte by byte or in small pieces, which split characters, CRLF and marks, the events are the same."""
    assert decoded(cut(body, size)) == events


@pytest.mark.parametrize(("body", "events"), STREAMS.values(), ids=STREAMS)
def test_cut_once_anywhere(body: bytes, events: list[Event]) -> None:
    """Wherever one cut falls, an empty piece beside it included, nothing changes."""
    for place in range(len(body) + 1):
        assert decoded([body[:place], b"", body[place:]]) == events


@given(
    st.lists(st.sampled_from([b"data: x", b"event: e", b": c", b"", b"\n", b"\r", b"\r\n", b"data", b"\xc3\xa9"])),
    st.data(),
)
def test_any_bytes_in_any_pieces(parts: list[bytes], data: st.DataObject) -> None:
    """Law: the pieces never matter."""
    body = b"".join(parts)
    places = sorted(data.draw(st.lists(st.integers(0, len(body)), max_size=6)))
    pieces = [body[start:end] for start, end in zip([0, *places], [*places, len(body)], strict=True)]
    assert decoded(pieces) == decoded([body])


def test_an_event_comes_with_its_blank_line() -> None:
    """Events are handed out as soon as they are complete, not when the stream ends."""
    decoder = EventDecoder()
    assert decoder.feed(b"event: a\ndata: 1\n") == []
    assert decoder.feed(b"\nevent: b") == [ServerSentEvent("a", b"1")]
    assert decoder.feed(b"\ndata: 2\n\n") == [ServerSentEvent("b", b"2")]
    assert decoder.close() == []


NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8).filter(
    lambda name: not name.startswith(" ")
)
DATA = st.binary(max_size=40).map(lambda data: data.replace(b"\r", b""))


@given(st.lists(st.tuples(NAMES, DATA)))
def test_what_is_encoded_decodes_the_same(events: list[Event]) -> None:
    """Round trip, data with line feeds included."""
    body = b"".join(encode_event(name, data) for name, data in events)
    assert [(event.name, event.data) for event in decode_events(body)] == events


def test_encoded_as_the_api_writes_it() -> None:
    """The bytes of an event: its name, a line of data for each line, a blank line."""
    assert encode_event("ping", b'{"type":"ping"}') == b'event: ping\ndata: {"type":"ping"}\n\n'
    assert encode_event("a", b"1\n\n2") == b"event: a\ndata: 1\ndata: \ndata: 2\n\n"


def test_text_of_an_event() -> None:
    """The data as text, or the decoding error where it is none."""
    assert ServerSentEvent("a", "é".encode()).text == "é"
    with pytest.raises(UnicodeDecodeError):
        _ = ServerSentEvent("a", b"\xff").text

"""A message or a fault made into bytes: what is written when, and what a client can have understood."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from playhead import Delivery, ScriptError, cut, damage, deliver, drop, fail, raw, reply, turn
from playhead.engine.compose import Minted, compose
from playhead.engine.http import FOR_EVER, Outgoing, Timeouts
from playhead.engine.prompt import InputTokens
from playhead.engine.sending import Asked, Sending, send, send_at_once, send_fault, split, understood
from playhead.script.faults import Chunks, Sent
from playhead.script.request import Request
from playhead.testing.strategies import scripts
from playhead.wire.sse import EventDecoder
from playhead.wire.stream import accumulate, event_bytes, event_data, events_of
from playhead.wire.tables import ERROR_STATUS

ASKED = Request(body={"model": "m"}, headers={}, path="/v1/messages", number=1, turn=1)

MESSAGE: dict[str, Any] = {
    "id": "msg_0001",
    "type": "message",
    "role": "assistant",
    "model": "claude-opus-5-5",
    "content": [
        {"type": "text", "text": "Größe: 5 µm 🎉"},
        {"type": "tool_use", "id": "toolu_0001", "name": "add", "input": {"a": 12, "b": "ß"}},
    ],
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {"input_tokens": 5, "output_tokens": 9},
}
STEP: Any = reply(MESSAGE)
STREAM, PLAIN = Asked("req_0007", stream=True), Asked("req_0007")
EVENTS = [event_bytes(event) for event in events_of(MESSAGE, piece=None)]
DATA = [*events_of(MESSAGE, piece=None)]
WHOLE = b"".join(EVENTS)
AS_JSON = json.dumps(MESSAGE, separators=(",", ":"), ensure_ascii=False).encode()


def sending(step: Any, asked: Asked = STREAM, message: Any = MESSAGE) -> Sending:
    return send(message, step if isinstance(step, Sent) else Sent(reply=step), asked)


def read(answer: Outgoing) -> Any:
    """The message that a reader makes of the writes, one after the other."""
    decoder = EventDecoder()
    events = [event for chunk in answer.chunks for event in decoder.feed(chunk)] + decoder.close()
    return accumulate(map(event_data, events)).message


# Writes

CHUNKS = st.one_of(
    st.sampled_from(["whole", "event", "byte"]),
    st.integers(1, 40),
    st.lists(st.integers(0, 60), max_size=5).map(lambda offsets: tuple(sorted(offsets))),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.binary(min_size=1, max_size=20), max_size=5), CHUNKS)
def test_no_way_of_writing_loses_anything(pieces: list[bytes], chunks: Chunks) -> None:
    """Whatever the writes, they add up to the body, and none of them is empty."""
    written = split(pieces, chunks)
    assert b"".join(written) == b"".join(pieces)
    assert all(written)


@pytest.mark.parametrize(
    ("chunks", "written"),
    [
        ("whole", [b"abcdefg"]),
        ("event", [b"abc", b"de", b"fg"]),
        ("byte", [b"a", b"b", b"c", b"d", b"e", b"f", b"g"]),
        (1, [b"a", b"b", b"c", b"d", b"e", b"f", b"g"]),
        (3, [b"abc", b"def", b"g"]),
        (7, [b"abcdefg"]),
        (100, [b"abcdefg"]),
        ((2, 6), [b"ab", b"cdef", b"g"]),
        ((0, 2, 2, 7, 9), [b"ab", b"cdefg"]),
        ((), [b"abcdefg"]),
    ],
    ids=str,
)
def test_the_writes_of_a_body(chunks: Any, written: list[bytes]) -> None:
    """Whole, by events, by bytes, by so many bytes, or at offsets, of which some may lie outside."""
    assert split([b"abc", b"de", b"fg"], chunks) == written


@pytest.mark.parametrize("chunks", ["whole", "event", "byte", 5, (3, 4)], ids=str)
def test_an_empty_body_has_no_writes(chunks: Chunks) -> None:
    """Nothing is written where there is nothing."""
    assert split([], chunks) == []


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"], ids=repr)
@pytest.mark.parametrize("chunks", ["whole", "event", "byte", 2, 3, 7, 4096], ids=str)
def test_a_stream_says_the_same_however_it_is_written(chunks: Chunks, newline: str) -> None:
    """Split characters, split CRLFs and split events are put together again by who reads."""
    answer = sending(deliver(STEP, chunks=chunks, newline=newline)).outgoing
    assert answer.body == WHOLE.replace(b"\n", newline.encode())
    assert read(answer) == MESSAGE
    assert read(sending(deliver(STEP, chunks=chunks, newline=newline, pieces=1)).outgoing) == MESSAGE


@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=repr)
def test_a_stream_cut_into_two_writes_anywhere(newline: str) -> None:
    """Every byte is once the first of a write, those inside a character and between CR and LF among them."""
    body = WHOLE.replace(b"\n", newline.encode())
    inside_a_character = inside_a_line_end = 0
    for at in range(1, len(body)):
        answer = sending(deliver(STEP, chunks=(at,), newline=newline)).outgoing
        assert answer.chunks == (body[:at], body[at:])
        assert read(answer) == MESSAGE
        inside_a_character += 0x80 <= body[at] < 0xC0
        inside_a_line_end += body[at - 1 : at + 1] == b"\r\n"
    assert inside_a_character == 7
    assert inside_a_line_end == (0 if newline == "\n" else body.count(b"\r\n"))


@settings(max_examples=60, deadline=None)
@given(
    scripts(["add"], max_turns=1).map(lambda script: script[0]),
    CHUNKS,
    st.none() | st.integers(0, 9),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_any_reply_arrives_in_any_writes(step: Any, chunks: Chunks, pieces: int | None, newline: str) -> None:
    """Whatever Claude says, in whatever pieces: the reader has the message, and JSON is cut into the same."""
    message = compose(step, ASKED, tokens=InputTokens(1), minted=Minted()).message
    sent = deliver(step, chunks=chunks, pieces=pieces, newline=newline)
    assert read(sending(sent, STREAM, message).outgoing) == message
    assert json.loads(sending(sent, PLAIN, message).outgoing.body) == message


def test_newlines_are_of_streams_only() -> None:
    """A JSON body is the same whatever ends the lines of a stream; so is a page that a damage puts in its place."""
    assert sending(deliver(STEP, newline="\r\n"), PLAIN).outgoing.body == AS_JSON
    page = sending(damage(STEP, "html")).outgoing.body
    assert sending(deliver(damage(STEP, "html"), newline="\r")).outgoing.body == page


@pytest.mark.parametrize(
    ("options", "at_once"),
    [
        ({}, True),
        ({"pieces": 3}, True),
        ({"newline": "\r\n"}, True),
        ({"chunks": "byte"}, False),
        ({"chunks": 4096}, False),
        ({"delay": 1}, False),
        ({"pace": 1}, False),
        ({"headers": {"x-cache": "HIT"}}, False),
    ],
    ids=str,
)
def test_what_leaves_at_once_is_what_the_long_way_makes(options: dict[str, Any], at_once: bool) -> None:
    """Options that tell of streams alone change nothing of a JSON answer; with any other the long way is taken."""
    assert Delivery(**options).at_once is at_once
    if at_once:
        assert send_at_once(MESSAGE, PLAIN) == sending(deliver(STEP, **options), PLAIN)


def test_the_headers_of_an_answer() -> None:
    """Content type and request id, a stream's cache control, and what the step adds or changes."""
    assert sending(STEP).outgoing.headers == {
        "content-type": "text/event-stream; charset=utf-8",
        "request-id": "req_0007",
        "cache-control": "no-cache",
    }
    added = {"X-Cache": "HIT", "Request-Id": "req_other"}
    assert sending(deliver(STEP, headers=added), PLAIN).outgoing.headers == {
        "content-type": "application/json",
        "request-id": "req_other",
        "x-cache": "HIT",
    }


# Cuts


@pytest.mark.parametrize("how", ["reset", "close", "timeout", "end"])
@pytest.mark.parametrize("count", [0, 1, 2, 5, len(EVENTS) - 1, len(EVENTS), 99])
def test_a_stream_cut_after_events(count: int, how: Any) -> None:
    """The events before the cut leave whole, nothing after it."""
    answer = sending(cut(STEP, events=count, how=how)).outgoing
    assert answer.body == b"".join(EVENTS[:count])
    assert answer.fault == {"reset": "read", "close": "close", "timeout": "timeout", "end": None}[how]
    assert answer.status == 200


def test_a_stream_cut_at_any_byte() -> None:
    """Just so many bytes leave, wherever that is, however they are written."""
    for at in range(len(WHOLE) + 2):
        answer = sending(cut(deliver(STEP, chunks=64), bytes=at)).outgoing
        assert answer.body == WHOLE[:at]
        assert all(answer.chunks)


def test_a_cut_without_a_place_is_in_the_middle() -> None:
    """Half of the events, or half of the bytes where there are no events."""
    assert sending(cut(STEP)).outgoing.body == b"".join(EVENTS[: len(EVENTS) // 2])
    assert sending(cut(STEP), PLAIN).outgoing.body == AS_JSON[: len(AS_JSON) // 2]
    assert sending(cut(damage(STEP, "wrong_shape"))).outgoing.body == b'{"ok"'


@pytest.mark.parametrize("count", [0, 1, 4, len(EVENTS), 99])
def test_a_json_body_is_cut_at_the_same_share(count: int) -> None:
    """`events` of a body that has none: the share of the stream that would have come."""
    answer = sending(cut(STEP, events=count), PLAIN).outgoing
    assert answer.body == AS_JSON[: int(len(AS_JSON) * min(1, count / len(EVENTS)))]
    assert sending(cut(STEP, bytes=count), PLAIN).outgoing.body == AS_JSON[:count]


@pytest.mark.parametrize("error", ERROR_STATUS)
def test_a_cut_by_an_error(error: str) -> None:
    """In a stream an error event after the events before it, else the HTTP error of that type."""
    streamed = sending(cut(STEP, events=2, how="error", error=error))
    assert streamed.outgoing.body.startswith(b"".join(EVENTS[:2]) + b"event: error\ndata: ")
    assert streamed.outgoing.fault is None
    assert streamed.seen["error"]["type"] == error  # type: ignore[index]
    assert (streamed.seen["status"], streamed.seen["complete"]) == (200, False)
    refused = sending(cut(STEP, events=2, how="error", error=error), PLAIN)
    assert refused.outgoing.status == refused.seen["status"] == ERROR_STATUS[error]
    assert json.loads(refused.outgoing.body)["error"] == streamed.seen["error"]
    assert refused.outgoing.headers["retry-after-ms"] == "1"


def test_damage_comes_before_the_cut() -> None:
    """The cut counts what is left after the damage."""
    answer = sending(cut(damage(STEP, "missing_message_start"), events=2, how="end")).outgoing
    assert answer.body == b"".join(EVENTS[1:3])


@pytest.mark.parametrize(
    ("name", "asked", "sentence"),
    [
        ("index_gap", PLAIN, "damage('index_gap') is one of a stream, and the request asks for none"),
        ("stream_for_json", STREAM, "damage('stream_for_json') is one of a JSON answer, and the request asks for a"),
    ],
)
def test_damage_that_an_answer_cannot_have(name: str, asked: Asked, sentence: str) -> None:
    """It is the script's fault, and says what the request asks for."""
    with pytest.raises(ScriptError) as caught:
        sending(damage(STEP, name), asked)
    assert str(caught.value).startswith(sentence)


@pytest.mark.parametrize("name", ["index_gap", "missing_block_start", "missing_block_stop", "events_after_end"])
def test_damage_that_finds_nothing(name: str) -> None:
    """A reply without content has no blocks to damage: the script is told, rather than a whole answer sent."""
    empty = compose(turn(), ASKED, tokens=InputTokens(1), minted=Minted()).message
    with pytest.raises(ScriptError, match="finds nothing in this reply that it could damage: give it content"):
        sending(damage(turn(), name), STREAM, empty)


# Time


def times(step: Any, asked: Asked) -> tuple[int, float, tuple[float, ...], object, float]:
    answer = sending(step, asked).outgoing
    return answer.status, answer.delay, answer.waits, answer.fault, answer.late


SLOW = Delivery(chunks=(10, 20), delay=2, pace=0.5)


@pytest.mark.parametrize(
    ("delivery", "timeouts", "expected"),
    [
        (SLOW, FOR_EVER, (200, 2, (0.0, 0.5, 0.5), None, 0.0)),
        (SLOW, Timeouts(read=2), (200, 2, (0.0, 0.5, 0.5), None, 0.0)),
        (SLOW, Timeouts(read=1.9), (0, 1.9, (), "timeout", 0.0)),
        (SLOW, Timeouts(connect=0.1, write=0.1), (200, 2, (0.0, 0.5, 0.5), None, 0.0)),
        (Delivery(chunks=(10, 20), pace=3), Timeouts(read=3), (200, 0.0, (0.0, 3, 3), None, 0.0)),
        (Delivery(chunks=(10, 20), pace=3), Timeouts(read=2), (200, 0.0, (), "timeout", 2)),
        (Delivery(chunks=(10, 20), pace=3, delay=1), Timeouts(read=2), (200, 1, (), "timeout", 2)),
        (Delivery(pace=3), Timeouts(read=2), (200, 0.0, (0.0,), None, 0.0)),
        (Delivery(chunks="byte"), Timeouts(read=0.001), (200, 0.0, (), None, 0.0)),
    ],
    ids=[
        "who waits for ever gets it",
        "just in time",
        "a delay too long",
        "other timeouts do not count",
        "pauses just short enough",
        "pauses too long",
        "a delay, then pauses too long",
        "one write has no pauses",
        "no time, no timeout",
    ],
)
def test_the_clients_patience(delivery: Delivery, timeouts: Timeouts, expected: Any) -> None:
    """Each wait is held against the client's read timeout: no answer at all, or none after the first write."""
    for asked in (STREAM, PLAIN):
        assert times(Sent(reply=STEP, delivery=delivery), structs.replace(asked, timeouts=timeouts)) == expected


def test_what_comes_of_impatience() -> None:
    """The exchange has no status where nothing came, and what came of the first write otherwise."""
    late = sending(deliver(STEP, delay=9), structs.replace(STREAM, timeouts=Timeouts(read=1)))
    assert late.seen == {"status": None, "complete": False}
    slow = sending(deliver(STEP, chunks="event", pace=9), structs.replace(STREAM, timeouts=Timeouts(read=1)))
    assert slow.outgoing.chunks == (EVENTS[0],)
    assert slow.seen["response"] == {
        **MESSAGE,
        "content": [],
        "stop_reason": None,
        "usage": {**MESSAGE["usage"], "output_tokens": 1},
    }
    assert slow.seen["complete"] is False


@pytest.mark.parametrize(
    ("how", "late"),
    [
        ("connect", 0.0),
        ("read", 0.0),
        ("write", 0.0),
        ("close", 0.0),
        ("timeout", 20.0),
        ("connect_timeout", 10.0),
        ("write_timeout", 30.0),
    ],
)
def test_a_connection_that_fails(how: Any, late: float) -> None:
    """No answer, after the timeout that is meant where it is one; at once for a client that waits for ever."""
    timeouts = Timeouts(connect=10.0, read=20.0, write=30.0)
    failed = send_fault(drop(how), Asked("req_0001", timeouts=timeouts))
    assert failed.outgoing == Outgoing(status=0, headers={}, chunks=(), delay=late, fault=how)
    assert failed.seen == {"status": None, "complete": False}
    assert send_fault(drop(how), PLAIN).outgoing.delay == 0.0


@pytest.mark.parametrize(("timeouts", "late"), [(Timeouts(read=7), 7), (FOR_EVER, 0.0)], ids=["7 s", "for ever"])
def test_an_answer_that_stops_coming(timeouts: Timeouts, late: float) -> None:
    """A cut that lets the client wait takes as long as it is patient."""
    asked = structs.replace(STREAM, timeouts=timeouts)
    assert times(cut(STEP, how="timeout"), asked) == (200, 0.0, (), "timeout", late)
    assert times(cut(STEP, how="reset"), asked) == (200, 0.0, (), "read", 0.0)


# Errors and raw bytes


def test_an_http_error() -> None:
    """Status, the API's body with the request's id, and headers whatever they are called."""
    step = fail(429, error_code="ramp_limit_exceeded", headers={"status": "x", "value": "y", "request-id": "mine"})
    sent = send_fault(step, PLAIN)
    assert sent.outgoing.status == 429
    assert json.loads(sent.outgoing.body) == {
        "type": "error",
        "error": {**step.error, "details": {"error_code": "ramp_limit_exceeded"}},
        "request_id": "req_0007",
    }
    assert sent.outgoing.headers == {"content-type": "application/json", **step.headers}
    assert sent.seen == {"status": 429, "error": step.error, "response_headers": sent.outgoing.headers}


@pytest.mark.parametrize(
    ("step", "asked", "seen"),
    [
        (raw(AS_JSON), PLAIN, {"status": 200, "response": MESSAGE, "complete": True}),
        (raw(AS_JSON), STREAM, {"status": 200, "response": None, "complete": False, "error": None}),
        (raw(WHOLE), STREAM, {"status": 200, "response": MESSAGE, "complete": True, "error": None}),
        (raw(WHOLE), PLAIN, {"status": 200, "complete": False}),
        (raw(AS_JSON, content_type="text/plain"), PLAIN, {"status": 200, "response": MESSAGE, "complete": True}),
        (raw("<html>", status=502), PLAIN, {"status": 502, "complete": False}),
        (raw("<html>", status=502), STREAM, {"status": 502, "complete": False}),
        (
            raw('{"error": "nope"}', status=500),
            STREAM,
            {"status": 500, "error": {"type": "api_error", "message": "nope"}},
        ),
        (
            raw('{"type": "error", "error": {"type": "overloaded_error"}}'),
            PLAIN,
            {"status": 200, "error": {"type": "overloaded_error"}},
        ),
        (raw("[1]"), PLAIN, {"status": 200, "complete": False}),
        (raw('{"ok": true}'), PLAIN, {"status": 200, "response": {"ok": True}, "complete": False}),
        (raw("", status=204), PLAIN, {"status": 204, "complete": False}),
    ],
    ids=[
        "JSON",
        "JSON for a stream",
        "a stream",
        "a stream for JSON",
        "JSON called text",
        "a page as an error",
        "a page as an error of a stream",
        "an error of another shape",
        "an error that says 200",
        "an array",
        "no message",
        "nothing",
    ],
)
def test_raw_bytes_are_read_as_the_client_reads_them(step: Any, asked: Asked, seen: dict[str, Any]) -> None:
    """Events where a stream was asked for, else JSON; the content type decides nothing."""
    sent = send_fault(step, asked)
    assert sent.outgoing.body == b"".join(step.chunks)
    told = {name: value for name, value in sent.seen.items() if name != "events"}
    assert told == {**seen, "response_headers": sent.outgoing.headers}
    assert ("events" in sent.seen) == (asked.stream and step.status < 400)


def of(*parts: bytes) -> Any:
    return understood(Outgoing(status=200, headers={}, chunks=parts), stream=True)


def test_what_is_understood_of_a_stream() -> None:
    """The message as far as it came; whole only if it was told to be over and nothing in it was lost."""
    assert of(WHOLE)["complete"] is True
    assert of(*EVENTS[:-1]) == {
        "status": 200,
        "response_headers": {},
        "response": MESSAGE,
        "complete": False,
        "error": None,
        "events": (*(event for event in DATA if event["type"] not in ("ping", "message_stop")),),
    }
    assert of()["response"] is None
    assert of(EVENTS[0], b"event: error\ndata: {}\n\n", EVENTS[1])["error"] == {"type": "api_error", "message": "None"}
    assert of(EVENTS[0], b"event: error\ndata: {}\n\n", EVENTS[1])["response"]["content"] == []
    late = b'event: content_block_delta\ndata: {"type":"content_block_delta","index":7,"delta":{}}\n\n'
    assert of(*EVENTS[:-1], late, EVENTS[-1])["complete"] is False
    assert of(WHOLE, b"event: x\ndata: {\n\n")["complete"] is False


@pytest.mark.parametrize(
    "extra",
    [
        b": keep-alive\n\n",
        b"event: ping\ndata: {not read\n\n",
        b"data: {not read\n\n",
        b"event: message_start\n\n",
        b"\n\n",
    ],
    ids=["a comment", "a ping", "no name", "no data", "blank lines"],
)
def test_what_nobody_reads(extra: bytes) -> None:
    """Comments, pings, and events without a name or data are passed over, whatever is in them."""
    assert of(extra, *EVENTS[:4], extra, *EVENTS[4:], extra)["response"] == MESSAGE
    assert of(extra, *EVENTS[:4], extra, *EVENTS[4:], extra)["complete"] is True


def test_bytes_that_are_no_text() -> None:
    """Who reads line by line has all events before them, wherever they stand, in a ping or a comment too."""
    for extra in (b"event: ping\ndata: \xff\n\n", b": \xff\n\n", b"event: x\xff\n\n", b"\xc3"):
        told = of(*EVENTS[:4], extra, *EVENTS[4:])
        assert told == of(*EVENTS[:4]), extra
        assert told["complete"] is False
    assert of(WHOLE, b"\xff")["response"] == MESSAGE
    assert of(WHOLE, b"\xff")["complete"] is False


def test_an_end_that_breaks() -> None:
    """All events came, and then the connection broke: the client gets the error, so the answer was not whole."""
    sent = sending(cut(STEP, events=99))
    assert (sent.seen["response"], sent.seen["complete"]) == (MESSAGE, False)
    sent = sending(cut(STEP, events=99, how="end"))
    assert (sent.seen["response"], sent.seen["complete"]) == (MESSAGE, True)


@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"], ids=repr)
def test_the_last_line_end_counts(newline: bytes) -> None:
    """A CR at the very end ends its line, so that the last event is read whatever ends the lines."""
    assert of(WHOLE.replace(b"\n", newline))["complete"] is True

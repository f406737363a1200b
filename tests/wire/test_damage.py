"""What can be wrong with an answer's bytes: each damage does what its name says, and no more."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playhead.engine.compose import Minted, compose
from playhead.engine.prompt import InputTokens
from playhead.script.request import Request
from playhead.testing.strategies import scripts
from playhead.wire.codec import JsonError, encode
from playhead.wire.damage import DAMAGES, EVENT_STREAM, JSON, Damage, middle
from playhead.wire.sse import decode_events
from playhead.wire.stream import accumulate, event_bytes, event_data, events_of

ASKED = Request(body={"model": "m"}, headers={}, path="/v1/messages", number=1, turn=1)

MESSAGE: dict[str, Any] = {
    "id": "msg_0001",
    "type": "message",
    "role": "assistant",
    "model": "claude-opus-5-5",
    "content": [
        {"type": "text", "text": "Größe 🎉"},
        {"type": "tool_use", "id": "toolu_0001", "name": "add", "input": {"a": 1}},
    ],
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {"input_tokens": 5, "output_tokens": 9},
}
EVENTS = [*events_of(MESSAGE)]
WHOLE = [event_bytes(event) for event in EVENTS]
TYPES = [event["type"] for event in EVENTS]
ON_STREAM = [damage for damage in DAMAGES.values() if damage.on_stream is not None]
ON_BODY = [damage for damage in DAMAGES.values() if damage.on_body is not None]
PLACED = [damage for damage in ON_STREAM if damage.placed]


def named(damage: Damage) -> str:
    return damage.name


def streamed(name: str, at: int | None = None) -> list[bytes]:
    made = DAMAGES[name].on_stream
    assert made is not None
    return made(EVENTS, middle(EVENTS) if at is None else at)


def body(name: str) -> bytes:
    made = DAMAGES[name].on_body
    assert made is not None
    return made(MESSAGE)


def told(pieces: list[bytes]) -> list[str]:
    """The names of the events that a reader finds."""
    return [event.name for event in decode_events(b"".join(pieces))]


def test_the_reply_that_is_damaged() -> None:
    """Where the events of these tests stand."""
    assert list(enumerate(TYPES)) == [
        (0, "message_start"),
        (1, "content_block_start"),
        (2, "ping"),
        (3, "content_block_delta"),
        (4, "content_block_stop"),
        (5, "content_block_start"),
        (6, "content_block_delta"),
        (7, "content_block_delta"),
        (8, "content_block_stop"),
        (9, "message_delta"),
        (10, "message_stop"),
    ]


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=named)
def test_the_table(damage: Damage) -> None:
    """Each entry stands under its own name, says in a few words what it is, and damages something."""
    assert DAMAGES[damage.name] is damage
    assert damage.what == damage.what.strip() != ""
    assert damage.on_stream is not None or damage.on_body is not None
    assert not damage.placed or damage.on_stream is not None


@pytest.mark.parametrize("damage", PLACED, ids=named)
@pytest.mark.parametrize("at", range(len(EVENTS)))
def test_only_the_place_is_damaged(damage: Damage, at: int) -> None:
    """What stands before the place and after it is left as it was, to the byte."""
    made = streamed(damage.name, at)
    added = len(made) - len(WHOLE)
    assert made[:at] == WHOLE[:at]
    assert made[at] != WHOLE[at]
    assert made[at + 1 :] == WHOLE[at + 1 - added :]


def _no_json(pieces: list[bytes]) -> None:
    with pytest.raises(JsonError):
        event_data(decode_events(pieces[3])[0])


def _no_utf8(pieces: list[bytes]) -> None:
    with pytest.raises(UnicodeDecodeError):
        pieces[3].decode()
    # who forgives the bytes finds whole JSON with two characters too many
    (event,) = decode_events(pieces[3].decode(errors="replace").encode())
    assert event_data(event)["delta"]["text"] == "Größe 🎉\ufffd\ufffd"


def _empty(pieces: list[bytes]) -> None:
    assert pieces[3] == b"event: content_block_delta\ndata: \n\n"


EFFECTS: list[tuple[str, Callable[[list[bytes]], None] | list[str]]] = [
    ("malformed_json", _no_json),
    ("invalid_utf8", _no_utf8),
    ("empty_data", _empty),
    ("unknown_event", [*TYPES[:3], "some_future_event", *TYPES[3:]]),
    ("unknown_delta", [*TYPES[:3], "content_block_delta", *TYPES[3:]]),
    ("unknown_block", [*TYPES[:9], "content_block_start", "content_block_stop", *TYPES[9:]]),
    ("missing_message_start", TYPES[1:]),
    ("missing_block_start", [TYPES[0], *TYPES[2:]]),
    ("missing_block_stop", [*TYPES[:4], *TYPES[5:]]),
    ("missing_message_delta", [*TYPES[:9], TYPES[10]]),
    ("missing_message_stop", TYPES[:10]),
    ("duplicate_message_start", [TYPES[0], *TYPES]),
    ("events_after_end", [*TYPES, TYPES[1], *TYPES[3:9]]),
    ("index_gap", TYPES),
    ("unnamed_events", [""] * 11),
    ("wrong_content_type", TYPES),
    ("empty_body", []),
    ("html", []),
    ("wrong_shape", []),
    ("json_for_stream", []),
]


@pytest.mark.parametrize(("name", "effect"), EFFECTS, ids=[name for name, _ in EFFECTS])
def test_what_becomes_of_a_stream(name: str, effect: Callable[[list[bytes]], None] | list[str]) -> None:
    """The events that are left, or what is wrong with the first piece of content."""
    made = streamed(name)
    if callable(effect):
        effect(made)
    else:
        assert told(made) == effect


def test_every_damage_of_a_stream_is_tested() -> None:
    """The table above has them all."""
    assert [name for name, _ in EFFECTS] == [damage.name for damage in ON_STREAM]


def test_the_block_that_nobody_knows() -> None:
    """It comes after all others, under the next index."""
    content = accumulate(event_data(event) for event in decode_events(b"".join(streamed("unknown_block")))).message
    assert content is not None
    assert content["content"] == [*MESSAGE["content"], {"type": "future_block", "data": "x"}]


def test_indexes_that_begin_at_one() -> None:
    """Only the indexes are others."""
    shifted = [event_data(event) for event in decode_events(b"".join(streamed("index_gap")))]
    assert [event.get("index") for event in shifted] == [
        None if "index" not in event else event["index"] + 1 for event in EVENTS
    ]
    assert [{**event, "index": 0} for event in shifted] == [{**event, "index": 0} for event in EVENTS]


def test_json_where_a_stream_was_asked_for() -> None:
    """The very message that a request without `stream` would have got."""
    assert json.loads(b"".join(streamed("json_for_stream"))) == MESSAGE


BODIES: dict[str, Any] = {
    "malformed_json": json.JSONDecodeError,
    "invalid_utf8": UnicodeDecodeError,
    "wrong_content_type": MESSAGE,
    "empty_body": json.JSONDecodeError,
    "html": json.JSONDecodeError,
    "wrong_shape": {"ok": True},
    "stream_for_json": json.JSONDecodeError,
}


@pytest.mark.parametrize("name", BODIES)
def test_what_becomes_of_a_json_body(name: str) -> None:
    """What it reads as, or the error of whoever reads it."""
    expected = BODIES[name]
    if isinstance(expected, dict):
        assert json.loads(body(name)) == expected
    else:
        with pytest.raises(expected):
            json.loads(body(name))


def test_every_damage_of_a_body_is_tested() -> None:
    """The table above has them all; a stream for JSON is the stream itself."""
    assert list(BODIES) == [damage.name for damage in ON_BODY]
    assert body("stream_for_json") == b"".join(WHOLE)


CONTENT_TYPES = {
    "wrong_content_type": (JSON, "text/plain; charset=utf-8"),
    "html": ("text/html", "text/html"),
    "wrong_shape": (JSON, JSON),
    "json_for_stream": (JSON, JSON),
    "stream_for_json": (EVENT_STREAM, EVENT_STREAM),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=named)
def test_the_content_type(damage: Damage) -> None:
    """It is the usual one, unless that is what is wrong."""
    assert damage.content_types == CONTENT_TYPES.get(damage.name, (EVENT_STREAM, JSON))


@settings(max_examples=60, deadline=None)
@given(st.data(), scripts(["add"], max_turns=1).map(lambda script: script[0]), st.sampled_from([None, 0, 1, 5]))
def test_any_reply_can_be_damaged(data: st.DataObject, step: Any, piece: int | None) -> None:
    """Wherever it is put, in whatever reply: no damage fails, none leaves an empty piece or the message's own bytes."""
    message = compose(step, ASKED, tokens=InputTokens(1), minted=Minted()).message
    events = [*events_of(message, piece=piece)]
    whole = [event_bytes(event) for event in events]
    at = data.draw(st.integers(0, len(events) - 1))
    for damage in ON_STREAM:
        assert damage.on_stream is not None
        made = damage.on_stream(events, at)
        assert all(made) or damage.name == "empty_body"
        if message["content"] and damage.name != "wrong_content_type":
            assert made != whole
    for damage in ON_BODY:
        assert damage.on_body is not None
        assert damage.on_body(message) != encode(message) or damage.name == "wrong_content_type"


def test_where_a_damage_is_put() -> None:
    """At the first piece that shows: no empty piece of an input, and the second event where there is no content."""
    call = {**MESSAGE, "content": MESSAGE["content"][1:]}
    assert middle(EVENTS) == 3
    assert middle([*events_of(call)]) == 4
    assert middle([*events_of({**MESSAGE, "content": []})]) == 1
    assert middle([{"type": "message_stop"}]) == 0

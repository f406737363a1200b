"""Damaged transcripts and response-only recordings: a session or a `RecordingError`, nothing else."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator

import pytest

from playhead.errors import RecordingError
from playhead.readers import (
    bare_response,
    claude_code,
    claude_stream_json,
    event_lines,
    messages_list,
    pi_session,
    raw_sse,
)
from playhead.readers.source import Recording, Source, first_match
from playhead.wire.session import Session, number_exchanges
from playhead.wire.stream import events_of, stream_bytes

FORMATS = (
    claude_stream_json.FORMAT,
    claude_code.FORMAT,
    pi_session.FORMAT,
    *event_lines.FORMATS,
    bare_response.FORMAT,
    messages_list.FORMAT,
    raw_sse.FORMAT,
)

CALL = {"type": "tool_use", "id": "t1", "name": "get_tide", "input": {"port": "Brest"}}
RESULT = {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "2.1 m"}]}
MESSAGE = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-sonnet-5",
    "content": [{"type": "thinking", "thinking": "Hm.", "signature": "s"}, {"type": "text", "text": "Höher."}, CALL],
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {"input_tokens": 3, "output_tokens": 9},
}
EVENTS = [*events_of(MESSAGE, piece=5)]
ERROR = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}


def logged(kind: str, uuid: str, parent: str | None, message: dict, **members: object) -> dict:
    return {"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s", "message": message, **members}


SESSION = [
    {"type": "summary", "summary": "Tides", "leafUuid": "x"},
    logged("user", "u1", None, {"role": "user", "content": "Tides?"}),
    logged("assistant", "a1", "u1", {**MESSAGE, "content": MESSAGE["content"][:2]}, requestId="req_1"),
    logged("assistant", "a2", "a1", {**MESSAGE, "content": [CALL]}),
    logged("user", "u2", "a2", {"role": "user", "content": [RESULT]}, isSidechain=False),
    logged("assistant", "e1", "u2", {"model": "<synthetic>", "content": "API Error: 529 {}"}, isApiErrorMessage=True),
    logged("assistant", "a3", "u2", {**MESSAGE, "id": "msg_2", "content": [{"type": "text", "text": "High."}]}),
    logged("user", "u3", "a3", {"role": "user", "content": "[Request interrupted by user]"}),
]
OUTPUT = [
    {"type": "system", "subtype": "init", "session_id": "s", "mcp_servers": []},
    *({"type": "stream_event", "session_id": "s", "event": event} for event in EVENTS),
    {"type": "assistant", "session_id": "s", "parent_tool_use_id": None, "message": MESSAGE},
    {"type": "user", "session_id": "s", "message": {"role": "user", "content": [RESULT]}},
    {"type": "result", "session_id": "s", "stop_reason": "end_turn"},
]
PI = [
    {"type": "session", "cwd": "/", "id": "0"},
    {
        "type": "message",
        "id": "1",
        "parentId": "0",
        "message": {"role": "user", "content": [{"type": "text", "text": "a"}]},
    },
    {
        "type": "message",
        "message": {
            "role": "assistant",
            "model": "claude-sonnet-5",
            "content": [{"type": "toolCall", "id": "t1", "name": "get_tide", "arguments": {}}],
            "stopReason": "toolUse",
            "usage": {"input": 1},
        },
    },
    {"type": "message", "message": {"role": "toolResult", "toolCallId": "t1", "content": [], "isError": True}},
    {
        "type": "message",
        "message": {"role": "assistant", "model": "claude-x", "stopReason": "error", "errorMessage": "529 {}"},
    },
]
MESSAGES = [
    {"role": "user", "content": "a"},
    {"role": "assistant", "content": [CALL]},
    {"role": "user", "content": [RESULT]},
]

SAMPLES: dict[str, list[dict]] = {
    "session": SESSION,
    "output": OUTPUT,
    "pi": PI,
    "events": EVENTS,
    "answers": [MESSAGE, ERROR],
    "messages": MESSAGES,
}


def as_lines(items: list[dict]) -> bytes:
    return b"\n".join(json.dumps(item, ensure_ascii=False).encode() for item in items)


def as_array(items: list[dict]) -> bytes:
    return json.dumps(items, indent=1).encode()


def read(data: bytes) -> Recording | None:
    """What the formats of this part read in it, up to the conversations; None where they refuse it."""
    source = Source.of("x", data)
    known = first_match(FORMATS, source)
    if known is None:
        return None
    try:
        found = known.read(source)
    except RecordingError:
        return None
    assert Session(exchanges=number_exchanges(found.exchanges)).conversations is not None
    return found


def flips(data: bytes, chance: random.Random) -> bytes:
    """The data with a few bytes changed, removed or doubled, or cut."""
    changed = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(changed) or 1)
        match chance.randrange(4):
            case 0:
                changed[at : at + 1] = bytes([chance.randrange(256)])
            case 1:
                del changed[at : at + chance.randint(1, 30)]
            case 2:
                changed[at:at] = changed[at : at + chance.randint(1, 30)]
            case _:
                del changed[at:]
    return bytes(changed)


ODD = (
    None,
    True,
    -1,
    10**30,
    1.5,
    "",
    "x",
    [],
    {},
    [[]],
    [None],
    {"type": ["x"]},
    [{"type": {}}],
    {"content": 5},
    "\ud800",
)


def odd(value: object, chance: random.Random) -> object:
    """The value with one of its members, at any depth, replaced by something else."""
    if isinstance(value, dict) and value and chance.random() < 0.9:
        key = chance.choice([*value])
        return {**value, key: odd(value[key], chance)}
    if isinstance(value, list) and value and chance.random() < 0.9:
        at = chance.randrange(len(value))
        return [*value[:at], odd(value[at], chance), *value[at + 1 :]]
    return chance.choice(ODD)


def whole() -> Iterator[tuple[str, bytes]]:
    for name, items in SAMPLES.items():
        yield f"{name} lines", as_lines(items)
        yield f"{name} array", as_array(items)
    yield "loglines", json.dumps({"loglines": SESSION}).encode()
    yield "request body", json.dumps({"model": "claude-sonnet-5", "messages": MESSAGES}).encode()
    yield "stream", stream_bytes(EVENTS) * 2


WHOLE = dict(whole())
NOT_THESE = {"pi array", "messages lines"}


@pytest.mark.parametrize("name", sorted(WHOLE.keys() - NOT_THESE))
def test_the_samples_are_read(name: str):
    """Undamaged, each sample is recognised and holds exchanges."""
    found = read(WHOLE[name])
    assert found is not None
    assert found.exchanges


@pytest.mark.parametrize("name", sorted(WHOLE))
def test_flipped_and_cut_bytes(name: str):
    """Whatever bytes change, the outcome is a session or an error in one sentence."""
    chance = random.Random(f"bytes {name}")
    for _ in range(300):
        read(flips(WHOLE[name], chance))


@pytest.mark.parametrize("name", sorted(SAMPLES))
@pytest.mark.parametrize("write", [as_lines, as_array], ids=["lines", "array"])
def test_members_of_the_wrong_kind(name: str, write: Callable[[list[dict]], bytes]):
    """JSON that is whole, with members that are not what they should be, is read or refused as well."""
    chance = random.Random(f"members {name}")
    for _ in range(400):
        items = odd(odd(SAMPLES[name], chance), chance)
        read(json.dumps(items).encode() if not isinstance(items, list) or write is as_array else lines_of(items))


def lines_of(items: list) -> bytes:
    return b"\n".join(json.dumps(item).encode() for item in items)


@pytest.mark.parametrize("depth", [300, 900, 100_000])
def test_deep_nesting(depth: int):
    """Deeply nested JSON is read or refused, never a crash."""
    deep = b"[" * depth + b"]" * depth
    for data in WHOLE.values():
        for place in (b'"Brest"', b'"Tides?"', b'"a"', b'{"port": "Brest"}'):
            try:
                read(data.replace(place, deep, 1))
            except RecursionError:
                assert depth == 900  # `load` turns it into an error

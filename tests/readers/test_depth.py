"""Deeply nested values."""

from __future__ import annotations

import json

import pytest

from playhead.errors import RecordingError
from playhead.readers.depth import MAX_NESTING, is_too_deep
from playhead.readers.table import session_of
from playhead.rules.checker import check
from playhead.wire.codec import encode
from playhead.wire.session import Session
from readers.samples import MESSAGE, REQUEST, SAMPLES, as_json, as_yaml, vcrpy, vcrpy_interaction
from readers.test_damage import WHOLE


def nested(levels: int, inside: object = "low") -> object:
    """Arrays and objects in one another, that many."""
    value = inside
    for level in range(levels):
        value = {"tide": value} if level % 2 else [value]
    return value


@pytest.mark.parametrize("levels", [0, 1, 2, 99, 100, 101, 5000])
def test_levels_are_counted(levels: int) -> None:
    """Exactly the limit is allowed; counting needs no recursion."""
    assert is_too_deep(nested(levels)) == (levels > MAX_NESTING)
    assert not is_too_deep(nested(levels), levels)


def judged(session: Session) -> int:
    """How often the rules speak, once the session has been compared, followed and judged."""
    assert session.links is not None
    return len(check(session))


REQUESTS = {
    "input": lambda deep: {
        **REQUEST,
        "messages": [
            *REQUEST["messages"],  # type: ignore[misc]
            {"role": "assistant", "content": [{**MESSAGE["content"][0], "input": deep}]},  # type: ignore[index]
        ],
    },
    "schema": lambda deep: {**REQUEST, "tools": [{"name": "get_tide", "input_schema": deep}]},
    "content": lambda deep: {**REQUEST, "messages": [{"role": "user", "content": deep}]},
    "messages": lambda deep: {**REQUEST, "messages": deep},
    "unknown member": lambda deep: {**REQUEST, "tide": deep},
}


@pytest.mark.parametrize("part", REQUESTS)
@pytest.mark.parametrize("levels", [90, 400, 10_000])
def test_a_deep_request(part: str, levels: int) -> None:
    """A request is judged without a RecursionError up to the limit, and refused in one sentence beyond it."""
    body = encode(REQUESTS[part](nested(levels))).decode()
    data = as_json(vcrpy(vcrpy_interaction(body=body), vcrpy_interaction(body=body)))
    if levels < MAX_NESTING:
        assert judged(session_of(data, "x")) >= 0
        return
    reason = "it is nested more than the 100" if levels < 1_000 else "the body is no JSON: the JSON is nested too"
    with pytest.raises(RecordingError, match=rf"^x: interactions\[0\]\.request\.body: {reason}"):
        session_of(data, "x")


@pytest.mark.parametrize("levels", [80, 400])
def test_a_deep_answer(levels: int) -> None:
    """So is an answer, streamed or not, also where the depth comes from a tool's input in pieces."""
    deep = {"port": nested(levels)}
    message = {**MESSAGE, "content": [{**MESSAGE["content"][0], "input": deep}]}  # type: ignore[index]
    pieces = json.dumps(deep)
    stream = SAMPLES["raw sse"].decode().replace(json.dumps('{"port":"Höfn"}', ensure_ascii=False), json.dumps(pieces))
    assert len(stream) > len(pieces)
    for data in (as_json(message), as_yaml(vcrpy(vcrpy_interaction(string=stream))), stream.encode()):
        if levels < MAX_NESTING:
            assert judged(session_of(data, "x")) >= 0
        else:
            with pytest.raises(RecordingError, match=r"^x: .*nested more than the 100 levels deep"):
                session_of(data, "x")


@pytest.mark.parametrize("levels", [85, 150, 400, 900, 10_000])
@pytest.mark.parametrize("name", sorted(WHOLE))
def test_deep_lines(name: str, levels: int) -> None:
    """What a log or a list of messages holds is judged, or refused in one sentence; nothing else comes of it."""
    deep = encode(nested(levels))
    for place in (b'"Brest"', b'"Tides?"', b'"a"', b'{"port": "Brest"}'):
        found = read(WHOLE[name].replace(place, deep, 1))
        assert isinstance(found, Session) or ("\n" not in found and found.startswith("x"))


def read(data: bytes) -> Session | str:
    """The session in the data, judged, or the sentence that refuses it."""
    try:
        session = session_of(data, "x")
    except RecordingError as error:
        return str(error)
    judged(session)
    return session


def test_others_depth_does_not_matter() -> None:
    """Another vendor's call is counted, however deep its body."""
    body = json.dumps({"model": "gpt", "tide": nested(400)})
    other = vcrpy_interaction(body=body, uri="https://api.openai.com/v1/chat/completions")
    other["request"]["headers"] = {}  # type: ignore[index]
    assert session_of(as_json(vcrpy(other, vcrpy_interaction())), "x").skipped == {"calls to api.openai.com": 1}

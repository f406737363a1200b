"""A cassette's bytes: what is written reads back to the byte, and what is wrong is named with its line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playhead.cassettes.bodies import Shelf
from playhead.cassettes.document import CassetteError, read, write
from playhead.cassettes.interaction import Answer, Interaction
from playhead.cassettes.style import STYLES

U1 = {"role": "user", "content": "What date is it in 103 days?"}
CALL = {"type": "tool_use", "id": "toolu_1", "name": "now", "input": {"format": "%Y"}}
RESULT = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "a\n\tb\n"}]}


def message(*content: object, **members: object) -> dict[str, object]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-5-5",
        "content": list(content),
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 5, "output_tokens": 7},
        **members,
    }


def dumped(value: object, style: str = "compact") -> bytes:
    return STYLES[style].encode(value).encode()


def json_answer(value: object) -> Answer:
    return Answer(headers={"content-type": "application/json"}, body=dumped(value))


def session(*calls: tuple[bytes, Answer]) -> list[Interaction]:
    shelf = Shelf()
    return [Interaction(body=shelf.put(raw), answer=answer) for raw, answer in calls]


def body(messages: Sequence[object], style: str = "compact", **members: object) -> bytes:
    return dumped({"max_tokens": 64, "messages": list(messages), "model": "claude-opus-5-5", **members}, style)


def echoed(*order: str) -> dict[str, object]:
    return {"role": "assistant", "content": [{name: CALL[name] for name in order}]}


def same(one: Interaction, other: Interaction) -> bool:
    return (one.method, one.path, dict(one.headers), one.answer) == (
        other.method,
        other.path,
        dict(other.headers),
        other.answer,
    ) and one.body.to_bytes() == other.body.to_bytes()


def round_trip(interactions: list[Interaction]) -> str:
    """The text; what is read of it must be the same, and write the same text."""
    text = write(interactions)
    cassette = read(text)
    assert cassette.finished
    assert all(map(same, interactions, cassette.interactions))
    assert len(interactions) == len(cassette.interactions)
    assert write(cassette.interactions) == text
    return text.decode()


def test_a_loop_lists_only_what_each_request_adds() -> None:
    """The reply stands once, where it was received; the history and the envelope are not repeated."""
    text = round_trip(
        session(
            (body([U1]), json_answer(message(CALL))),
            (body([U1, echoed("type", "id", "name", "input"), RESULT]), json_answer(message())),
        )
    )
    assert text == (
        "version: 1\n"
        "format: playhead\n"
        "interactions:\n"
        "- request:\n"
        "    set: {max_tokens: 64, messages: null, model: claude-opus-5-5}\n"
        "    add:\n"
        '    - {role: user, content: "What date is it in 103 days?"}\n'
        "  response:\n"
        "    body:\n"
        "      id: msg_1\n"
        "      type: message\n"
        "      role: assistant\n"
        "      model: claude-opus-5-5\n"
        "      content:\n"
        '      - {type: tool_use, id: toolu_1, name: now, input: {format: "%Y"}}\n'
        "      stop_reason: tool_use\n"
        "      usage: {input_tokens: 5, output_tokens: 7}\n"
        "# end 1\n"
        "- request:\n"
        "    add:\n"
        "    - reply\n"
        "    - role: user\n"
        "      content:\n"
        "      - type: tool_result\n"
        "        tool_use_id: toolu_1\n"
        "        content: |\n"
        "          a\n"
        "          \tb\n"
        "  response:\n"
        "    body:\n"
        "      id: msg_1\n"
        "      type: message\n"
        "      role: assistant\n"
        "      model: claude-opus-5-5\n"
        "      content: []\n"
        "      stop_reason: tool_use\n"
        "      usage: {input_tokens: 5, output_tokens: 7}\n"
        "# end 2\n"
        "finished: 2\n"
    )


def test_the_order_in_which_a_client_echoes_is_kept_once() -> None:
    """The Python SDK writes a block's members in another order than the API."""
    sdk = echoed("id", "input", "name", "type")
    first = [U1, sdk, RESULT]
    text = round_trip(
        session(
            (body([U1]), json_answer(message(CALL))),
            (body(first), json_answer(message(CALL))),
            (body([*first, sdk, RESULT]), json_answer(message())),
        )
    )
    assert text.count("reply") == 2
    assert "    - reply:\n" in text or "- {reply:" in text
    assert "    - reply\n" in text


HISTORIES: dict[str, list[list[object]]] = {
    "cut-at-the-front": [[U1, RESULT, U1], [RESULT, U1]],
    "cut-at-the-end": [[U1, RESULT, U1], [U1, RESULT]],
    "edited": [[U1, RESULT, U1], [U1, {"role": "user", "content": "else"}, U1]],
    "a-fork": [[U1], [U1, RESULT], [U1, U1]],
    "a-fresh-start": [[U1], [RESULT]],
    "empty": [[], [U1]],
    "sent-again": [[U1], [U1]],
    "two-in-turn": [[U1], [RESULT], [U1, U1], [RESULT, RESULT], [U1, U1, U1]],
    "a-word-of-ours": [["reply"], ["reply", {"reply": 1}], ["reply", {"reply": 1}, {"json": "x"}]],
}


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("histories", HISTORIES.values(), ids=HISTORIES)
def test_any_history(histories: list[list[object]], style: str) -> None:
    """Whatever a client sends, the bytes come back."""
    round_trip(session(*((body(messages, style), json_answer(message())) for messages in histories)))


ENVELOPES: dict[str, list[dict[str, object]]] = {
    "a-member-more": [{}, {"tools": []}],
    "a-member-less": [{"tools": [], "system": "s"}, {"system": "s"}],
    "another-value": [{"system": "a"}, {"system": "b"}],
    "another-order": [{"a": 1, "b": 2}, {"b": 2, "a": 1}],
    "one-and-one-point-nought": [{"temperature": 1}, {"temperature": 1.0}],
}


@pytest.mark.parametrize("envelopes", ENVELOPES.values(), ids=ENVELOPES)
def test_any_change_of_the_envelope(envelopes: list[dict[str, object]]) -> None:
    """Set, gone, in another order."""
    round_trip(session(*((body([U1], "compact", **members), json_answer(message())) for members in envelopes)))


BODIES: dict[str, bytes] = {
    "odd-numbers": b'{"messages":[{"a":1E5,"b":1.50,"c":-0,"d":1e+16}],"x":1}',
    "odd-spaces": b'{ "messages" : [ {"a": 1} ] , "x" : 1 }',
    "a-key-twice": b'{"messages":[{"a":1,"a":2}],"x":1}',
    "escapes": b'{"messages":[{"a":"\\u00e9\\/"}],"x":"\\u003c"}',
    "a-surrogate": b'{"messages":[{"a":"\\ud800"}],"x":1}',
    "no-messages": b'{"x":1}',
    "no-object": b"[1]",
    "no-json": b"{",
    "empty": b"",
    "no-text": b"\xff\xfe\x00",
    "messages-twice": b'{"messages":[1],"x":1,"messages":[2]}',
    "deep": b'{"messages":[' + b"[" * 300 + b"]" * 300 + b'],"x":1}',
    "long-number": b'{"messages":[' + b"1" * 5000 + b"]}",
    "returns": b'{"messages":[{"a":"x\\r\\ny"}]}\r\n',
}


@pytest.mark.parametrize("raw", BODIES.values(), ids=BODIES)
def test_any_body(raw: bytes) -> None:
    """What is no usual JSON is kept as its text, or as bytes; a usual one may follow."""
    round_trip(session((raw, json_answer(message())), (body([U1]), json_answer(message())), (raw, Answer())))


ANSWERS: dict[str, Answer] = {
    "a-stream": Answer(
        headers={"content-type": "text/event-stream; charset=utf-8"},
        body=b'event: ping\ndata: {"type":"ping"}\n\nevent: x\ndata: \xc3\xa9\n\n',
        ends=(3, 14, 40),
        times=(0, 5, 5, 1200),
    ),
    "a-stream-with-returns": Answer(headers={"content-type": "text/event-stream"}, body=b"event: ping\r\ndata: {}\r\n"),
    "a-cut-stream": Answer(
        headers={"content-type": "text/event-stream"}, body=b"event: message_st\xc3", fault="read", times=(1,)
    ),
    "an-error": Answer(
        status=529,
        headers={"content-type": "application/json", "retry-after": "2"},
        body=dumped({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
    ),
    "no-answer": Answer(status=0, fault="connect"),
    "a-page": Answer(status=502, headers={"content-type": "text/html"}, body=b"<html>\n"),
    "spaced-json": Answer(headers={"content-type": "application/json"}, body=b'{"a": 1, "b": [1, 2]}'),
    "odd-json": Answer(headers={"content-type": "application/json"}, body=b'{"a" :1}'),
    "json-of-another-type": Answer(headers={"content-type": "application/json; charset=utf-8"}, body=b'{"a":1}'),
    "json-without-a-type": Answer(body=b'{"a":1}'),
    "a-list": Answer(headers={"content-type": "application/json"}, body=b"[1]"),
    "bytes": Answer(headers={"content-type": "application/vnd.amazon.eventstream"}, body=bytes(range(256))),
    "nothing": Answer(status=204),
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_any_answer(answer: Answer) -> None:
    """JSON as data, streams as text with the pieces and times in which they came, all else as it is."""
    round_trip(session((body([U1]), answer)))


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20) | st.sampled_from(
    ["a\nb\n", " x\n", "\tz", "1.0"]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
MESSAGES = st.lists(st.fixed_dictionaries({"role": st.just("user"), "content": JSON}), max_size=3)


@settings(deadline=None, max_examples=150)
@given(st.lists(st.tuples(st.integers(0, 4), MESSAGES, st.sampled_from([*STYLES]), JSON), min_size=1, max_size=5))
def test_any_session(turns: list[tuple[int, list[Any], str, Any]]) -> None:
    """Histories that go on, are cut and fork, in any style of JSON, with anything in them."""
    calls, history = [], []
    for kept, added, style, value in turns:
        history = [*history[:kept], *added]
        calls.append((body(history, style, system=value), json_answer(message(value))))
        history = [*history, {"role": "assistant", "content": [value]}]
    round_trip(session(*calls))


def test_one_message_is_one_edit() -> None:
    """A reply edited by hand changes what is received and what is sent back of it."""
    text = write(
        session(
            (body([U1]), json_answer(message(CALL))),
            (body([U1, echoed("type", "id", "name", "input"), RESULT]), json_answer(message())),
        )
    )
    assert text.count(b"toolu_1") == 2
    edited = read(text.replace(b'"%Y"', b'"%m"', 1))
    assert json.loads(edited.interactions[1].body.to_bytes())["messages"][1]["content"][0]["input"] == {"format": "%m"}


ERRORS: dict[str, tuple[str, str, str, int]] = {
    "version": ("version: 1", "version: 9", "this Playhead reads version 1, not 9", 1),
    "format": ("format: playhead", "format: vhs", "this is no Playhead cassette: 'playhead' is needed, not 'vhs'", 2),
    "an-unknown-field": ("    add:", "    adds:", "there is no such field: url, headers, after,", 6),
    "keep": ("    add:", "    keep: 3\n    add:", "interaction 0 has 0 messages, not 3", 6),
    "after": ("    add:", "    after: 7\n    add:", "there are 0 interactions before, not 7", 6),
    "a-status": (
        "    body:",
        "    status: ok\n    body:",
        "an HTTP status is needed, or 0 where nothing came, not 'ok'",
        9,
    ),
    "a-style": ("    add:", "    style: pretty\n    add:", "one of compact, compact-ascii,", 6),
    "the-end": ("finished: 2", "finished: 3", "it says 3 interactions, and there are 2", 39),
    "a-message-list": (
        "    - {role: user,",
        "      {role: user,",
        "the list of new messages is needed, not an object",
        6,
    ),
}


@pytest.mark.parametrize(("old", "new", "reason", "line"), ERRORS.values(), ids=ERRORS)
def test_an_edit_that_makes_no_sense(old: str, new: str, reason: str, line: int) -> None:
    """The error says the field, the line and what is needed."""
    text = write(
        session(
            (body([U1]), json_answer(message(CALL))),
            (body([U1, echoed("type", "id", "name", "input"), RESULT]), json_answer(message())),
        )
    ).decode()
    assert old in text
    with pytest.raises(CassetteError) as caught:
        read(text.replace(old, new, 1).encode())
    assert caught.value.reason.startswith(reason)
    assert (caught.value.line, bool(caught.value.field)) == (line, True)


def test_a_cassette_cut_anywhere_is_unfinished() -> None:
    """What came before the interaction that was being written can be read; its own words are not made up."""
    text = write(
        session(
            (body([U1]), json_answer(message(CALL))),
            (body([U1, echoed("type", "id", "name", "input"), RESULT]), json_answer(message())),
            (body([U1, RESULT]), Answer(headers={"content-type": "text/event-stream"}, body=b"event: a\ndata: b\n\n")),
        )
    )
    ends = [text.index(b"\n", at + 1) + 1 for at in range(len(text)) if text.startswith(b"\n# end ", at)]
    whole = read(text).interactions
    for length in range(len(text) - 1):
        try:
            cassette = read(text[:length])
        except CassetteError:
            assert length < len(b"version: 1\nformat: playhead\ninteractions:\n")
            continue
        assert not cassette.finished
        assert all(map(same, whole, cassette.interactions))
        assert len(cassette.interactions) == sum(1 for end in ends if end <= length)

"""Texts gathered from the deltas of a stream, and put back."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from playhead.cassettes.deltas import gather, put_back
from playhead.testing.strategies import scripts
from playhead.wire.stream import accumulate, events_of


def delta(index: int, **members: str) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": members}


EVENTS: list[Any] = [
    {"type": "message_start", "message": {"id": "msg_1", "content": []}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "a", "citations": None}},
    {"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "toolu_1", "input": {}}},
    delta(0, type="text_delta", text="b"),
    delta(1, type="input_json_delta", partial_json='{"x"'),
    delta(0, type="text_delta", text="c"),
    delta(1, type="input_json_delta", partial_json=": 1}"),
    delta(2, type="signature_delta", signature="s"),
    {**delta(2, type="thinking_delta", thinking="t"), "new": "member"},
    "no event",
]


def test_texts_are_gathered_by_block_and_member() -> None:
    """With what the block began with; JSON is told apart; the events are left with empty pieces, or as they were."""
    texts, rests = gather(EVENTS)
    assert [("".join(text.pieces), text.is_json, text.begins, text.member) for text in texts] == [
        ("abc", False, 1, "text"),
        ('{"x": 1}', True, 4, "partial_json"),
        ("s", False, 7, "signature"),
        ("t", False, 8, "thinking"),
    ]
    assert rests[0] is EVENTS[0]
    assert rests[1]["content_block"] == {"type": "text", "text": "", "citations": None}  # type: ignore[index]
    assert rests[3:8] == [None] * 5
    assert rests[8] == {**delta(2, type="thinking_delta", thinking=""), "new": "member"}
    assert rests[9] is EVENTS[9]


def test_several_messages_in_one_stream_are_told_apart() -> None:
    """An index counts within one message, and within one life of a block."""
    start = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    once = [{"type": "message_start", "message": {}}, start, delta(0, type="text_delta", text="a"), start]
    texts, _ = gather([*once, *once])
    assert ["".join(text.pieces) for text in texts] == ["a", "", "a", ""]


def test_only_what_changed_is_new() -> None:
    """A piece that stays leaves its event, and so does a rest that stays."""
    texts, rests = gather(EVENTS)
    pieces = [(text, ["x", *text.pieces[1:]]) if text.member == "text" else (text, text.pieces) for text in texts]
    changed = [{**rest, "new": "other"} if index == 8 else rest for index, rest in enumerate(rests)]  # type: ignore[dict-item]
    result = put_back(EVENTS, rests, changed, pieces)
    assert [index for index, (old, new) in enumerate(zip(EVENTS, result, strict=True)) if old is not new] == [1, 8]
    assert result[1]["content_block"] == {"type": "text", "text": "x", "citations": None}
    assert result[8] == {**delta(2, type="thinking_delta", thinking="t"), "new": "other"}


@given(scripts(["look_up"], max_turns=2), st.sampled_from([0, 1, 3]))
@settings(deadline=None)
def test_texts_that_do_not_change_put_back_the_same_events(script: list[Any], size: int) -> None:
    """Whatever a reply holds and however it is cut."""
    for turn in script:
        message = {"content": [block.data for block in turn.blocks], "usage": {}}
        events = [*events_of(message, piece=size)]
        texts, rests = gather(events)
        result = put_back(events, rests, rests, [(text, text.pieces) for text in texts])
        assert all(new is old for old, new in zip(events, result, strict=True))
        fresh = put_back(events, rests, [rest and {**rest} for rest in rests], [(text, text.pieces) for text in texts])  # type: ignore[dict-item]
        assert accumulate(fresh).message == accumulate(events).message

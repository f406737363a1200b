"""Real recorded replies, played by the fake to the real SDK, against the recorded bytes themselves.

A sample that has every feature of the corpus; `bench/replay_corpus.py` replays all of it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import pytest

from playhead.engine.sending import Asked, send
from playhead.script.faults import Delivery, Sent
from playhead.script.steps import reply
from playhead.wire.codec import JsonObject
from playhead.wire.sse import decode_events
from playhead.wire.stream import event_data, events_of
from recorded_answers import MESSAGE, NO_JSON, WIRE, Answer, answers, corpus, files, varied
from replaying import differences
from sdk_ways import Take, Way, difference, same, sent_raw, taken

FOLDER = corpus()
pytestmark = pytest.mark.skipif(FOLDER is None, reason="PLAYHEAD_SHARED does not name a folder with real recordings")


@pytest.fixture(scope="module")
def recorded() -> list[Answer]:
    assert FOLDER is not None
    return [*answers(FOLDER, files(FOLDER))]


@pytest.fixture(scope="module")
def sound(recorded: list[Answer]) -> list[Answer]:
    return [answer for answer in recorded if not answer.unsound]


def test_a_replay_is_what_was_recorded(sound: list[Answer]) -> None:
    """Whatever way a program takes it and however it travels, the SDK makes of a replay what it made of the bytes."""
    sample = varied(sound, 40)
    assert len(sample) > 80
    assert {answer.streamed for answer in sample} == {True, False}
    assert frozenset().union(*(answer.features for answer in sample)) == frozenset().union(
        *(answer.features for answer in sound)
    )
    assert [*itertools.chain.from_iterable(differences(answer, thorough=False) for answer in sample)] == []


def test_every_sound_reply_is_one_that_a_script_may_hold(recorded: list[Answer], sound: list[Answer]) -> None:
    """`reply()` refuses no message that the API has sent, and nearly all that was recorded off the wire is sound."""
    for answer in sound:
        assert reply(answer.message).message == answer.message, answer.name
    wire = [answer for answer in recorded if answer.kept != MESSAGE]
    assert sum(not answer.unsound for answer in wire) >= 0.95 * len(wire)


def outline(events: Iterable[JsonObject]) -> list[JsonObject]:
    """The events but for how a text is cut and when a ping comes, and for counts, which grow while a reply is made."""
    found: list[JsonObject] = []
    for event in events:
        kind = event["type"]
        if kind == "message_start":
            message = event["message"]
            shown = {**event, "message": {**message, "usage": sorted(message["usage"])}}
        elif kind == "content_block_delta":
            shown = {"type": kind, "index": event["index"], "delta": event["delta"]["type"]}
        else:
            shown = event
        if kind != "ping" and [shown] != found[-1:]:
            found.append(shown)
    return found


def with_early_counts(events: list[JsonObject], ours: list[JsonObject]) -> list[JsonObject]:
    """Older streams told only `output_tokens` at the end, as the start had told the others."""
    for event, own in zip(events, ours, strict=False):
        if event["type"] == own["type"] == "message_delta" and [*event["usage"]] == ["output_tokens"]:
            return [{**one, "usage": own["usage"]} if one is event else one for one in events]
    return events


def test_a_stream_is_built_as_recorded_ones_are(sound: list[Answer]) -> None:
    """Events come in the recorded order and have the recorded members, of the message, its blocks and its usage."""
    streams = [answer for answer in sound if answer.streamed and answer.kept == WIRE]
    different = []
    for answer in streams:
        ours = outline(events_of(answer.message))
        theirs = with_early_counts(outline(event_data(event) for event in decode_events(answer.body)), ours)
        if ours != theirs:
            different.append(f"{answer.name}: {difference(theirs, ours)}")
    assert len(different) <= 0.02 * len(streams), different


def test_an_input_that_is_no_json_reaches_the_client_to_the_letter(recorded: list[Answer]) -> None:
    """What `max_tokens` cut in the middle of a call is shown by the SDK as it was when it was recorded."""
    cut = [answer for answer in recorded if answer.unsound == NO_JSON]
    assert cut
    for answer in cut:
        sent = send(
            answer.message,
            Sent(reply=reply(answer.message), delivery=Delivery(pieces=3)),
            Asked("req_1", stream=True),
            dict(answer.letters),
        )
        ways = [Way(kind, beta) for kind in ("events", "helper") for beta in (False, True)]
        bodies = (answer.body, sent.outgoing.body)
        takes = [Take(sent_raw([body], streamed=True), way) for way in ways for body in bodies]
        messages = taken(takes)
        for way, one, other in zip(ways, messages[::2], messages[1::2], strict=True):
            assert same(one, other), f"{answer.name}: {way}: {difference(one, other)}"

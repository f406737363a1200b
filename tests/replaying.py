"""A recorded answer replayed by the fake: does a program get from it what it got from the recorded bytes?

Not a test itself. The recorded bytes go through the real SDK in pieces of every kind, and so does `reply(message)`, as
JSON, as a stream of events and through the stream helper, plain and beta, sync and async, on every way to travel. What
the SDK hands out must be equal to the letter, but for these, each of which the SDK does to the API's answers as well:

- the stream helper adds nulls (`sdk_ways.without_nulls`): they do not count where its message is compared with one of
  another way, nor for the few recorded streams that hold all in `message_start`, since it adds them at `message_delta`;
- the plain namespace's stream helper reads no beta fields (`sdk_ways.is_beta`), and older versions' helpers do not read
  all others (`sdk_ways.lost_by_the_helper`): what was recorded as JSON is not compared with what they make of it.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from playhead import reply
from playhead.wire.codec import JsonObject
from recorded_answers import Answer
from sdk_ways import (
    WAYS,
    Take,
    Way,
    chunkings,
    delivered,
    deliveries,
    difference,
    is_beta,
    lost_by_the_helper,
    same,
    sent_raw,
    taken,
    tools_of,
    without_nulls,
)

Original = dict[tuple[str, bool], JsonObject]
"""What the SDK makes of the recorded bytes, by kind of call and whether it is the beta namespace's."""


def differences(answer: Answer, *, thorough: bool) -> Iterator[str]:
    """Where a replay differs from the recording, as sentences; thorough means every way on every delivery."""
    tools, seed = tools_of(answer.message), zlib.crc32(answer.name.encode())
    original: Original = {}
    takes = [*_originals(answer, seed)]
    for take, message in zip(takes, taken(takes, tools), strict=True):
        first = original.setdefault((take.way.kind, take.way.beta), message)
        if not same(first, message):
            yield f"{answer.name}: {take.way} of the recorded bytes, cut otherwise: {difference(first, message)}"
    if answer.streamed and b"message_delta" not in answer.body:
        original = {key: message for key, message in original.items() if key[0] == "events"}
    takes = [*_replays(answer, seed, thorough=thorough)]
    for take, message in zip(takes, taken(takes, tools), strict=True):
        pair = _comparable(original, take.way, message)
        if pair is not None and not same(*pair):
            yield f"{answer.name}: {take.way} of {take.step}: {difference(*pair)}"


def _originals(answer: Answer, seed: int) -> Iterator[Take]:
    cut = [*chunkings(answer.body, seed, streamed=answer.streamed)]
    if answer.chunks:
        cut.append([*answer.chunks])
    for kind in ("events", "helper") if answer.streamed else ("json",):
        for beta in (False, True):
            for chunks in cut:
                yield Take(sent_raw(chunks, streamed=answer.streamed), Way(kind, beta))
            yield Take(sent_raw(cut[-1], streamed=answer.streamed), Way(kind, beta, later=True))


def _replays(answer: Answer, seed: int, *, thorough: bool) -> Iterator[Take]:
    step, travels = reply(answer.message), deliveries(seed, len(answer.body))
    for number, way in enumerate(WAYS):
        for delivery in travels if thorough else travels[(number + seed) % len(travels) :][:1]:
            yield Take(delivered(step, delivery), way)


def _comparable(original: Original, way: Way, message: JsonObject) -> tuple[JsonObject, JsonObject] | None:
    """What the recorded bytes and the replay gave, as they must be equal; None where the SDK itself loses something."""
    recorded = original.get((way.kind, way.beta))
    if way.kind == "helper" and recorded is not None:
        # what an older helper does not read at the end, stays the null of a stream's start, where that has one
        return (without_nulls(recorded), without_nulls(message)) if lost_by_the_helper() else (recorded, message)
    if recorded is None:
        recorded = next(original[kind, way.beta] for kind in ("json", "events") if (kind, way.beta) in original)
    if way.kind != "helper":
        return recorded, message
    if lost_by_the_helper() or (not way.beta and is_beta(recorded)):
        return None
    return without_nulls(recorded), without_nulls(message)

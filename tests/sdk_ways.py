"""The ways in which a program takes a reply from the real SDK, and what must be the same whichever it takes.

Not tests themselves. A way is a kind of call (`json`, the raw `events` of a stream, the `helper`), in the plain or the
beta namespace, sync or async.
"""

from __future__ import annotations

import asyncio
import functools
import itertools
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from playhead import Delivery, FakeClaude, deliver, raw
from playhead.script.steps import Step
from playhead.wire.codec import JsonObject, canonical
from playhead.wire.stream import Accumulator, accumulate

KINDS = ("json", "events", "helper")
ASK: JsonObject = {"model": "claude-opus-5-5", "max_tokens": 64, "messages": [{"role": "user", "content": "Tides?"}]}


class Way(NamedTuple):
    """How a reply is taken."""

    kind: str
    beta: bool = False
    later: bool = False

    def __str__(self) -> str:
        return f"{'async ' if self.later else ''}{'beta ' if self.beta else ''}{self.kind}"


WAYS = tuple(itertools.starmap(Way, itertools.product(KINDS, (False, True), (False, True))))


class Take(NamedTuple):
    """One request: which step answers it, and how its reply is taken."""

    step: Step
    way: Way


def _plain(message: Any) -> JsonObject:
    told: JsonObject = message.to_dict(mode="json", warnings=False)
    return told


def _json(messages: Any, asked: JsonObject) -> JsonObject:
    return _plain(messages.create(**asked))


def _events(messages: Any, asked: JsonObject) -> JsonObject:
    return accumulate(map(_plain, messages.create(**asked, stream=True))).message or {}


def _helper(messages: Any, asked: JsonObject) -> JsonObject:
    with messages.stream(**asked) as stream:
        return _plain(stream.get_final_message())


async def _json_later(messages: Any, asked: JsonObject) -> JsonObject:
    return _plain(await messages.create(**asked))


async def _events_later(messages: Any, asked: JsonObject) -> JsonObject:
    made = Accumulator()
    async for event in await messages.create(**asked, stream=True):
        made.add(_plain(event))
    return made.message or {}


async def _helper_later(messages: Any, asked: JsonObject) -> JsonObject:
    async with messages.stream(**asked) as stream:
        return _plain(await stream.get_final_message())


_SYNC: Mapping[str, Callable[[Any, JsonObject], JsonObject]] = {"json": _json, "events": _events, "helper": _helper}
_ASYNC: Mapping[str, Callable[[Any, JsonObject], Any]] = {
    "json": _json_later,
    "events": _events_later,
    "helper": _helper_later,
}


def taken(takes: Sequence[Take], tools: Sequence[str] = ()) -> list[JsonObject]:
    """The messages that the SDK hands out, in the order of the takes; the requests offer these tools."""
    return asyncio.run(_taken(takes, {**ASK, "tools": [_tool(name) for name in tools]} if tools else ASK))


def _tool(name: str) -> JsonObject:
    return {"name": name, "input_schema": {"type": "object"}}


async def _taken(takes: Sequence[Take], asked: JsonObject) -> list[JsonObject]:
    messages = []
    # what is asked is the same each time and means nothing here: only what is answered is looked at
    with FakeClaude([take.step for take in takes], strict=False, conversations="any") as fake:
        client, later = fake.client(max_retries=0), fake.async_client(max_retries=0)
        for take in takes:
            of = later if take.way.later else client
            namespace = of.beta.messages if take.way.beta else of.messages
            if take.way.later:
                messages.append(await _ASYNC[take.way.kind](namespace, asked))
            else:
                messages.append(_SYNC[take.way.kind](namespace, asked))
    return messages


def tools_of(message: JsonObject) -> tuple[str, ...]:
    """The names of the client's tools that a reply calls."""
    calls = (block for block in message["content"] if block["type"] == "tool_use")
    return tuple(dict.fromkeys(str(block["name"]) for block in calls))


def deliveries(seed: int, size: int) -> list[Delivery]:
    """Ways to travel: every kind of pieces and of writes, with random offsets for a body of about that size."""
    chance = random.Random(seed)
    offsets = tuple(sorted(chance.sample(range(1, max(size, 9)), k=min(7, max(size, 9) - 1))))
    return [
        Delivery(),
        Delivery(pieces=0, chunks="event"),
        Delivery(pieces=1, chunks=chance.randrange(2, 40)),
        Delivery(pieces=chance.randrange(2, 20), chunks=offsets),
        Delivery(pieces=None, chunks="byte", newline="\r\n"),
    ]


def delivered(step: Step, delivery: Delivery) -> Step:
    """The step on its way."""
    return deliver(
        step, pieces=delivery.pieces, chunks=delivery.chunks, newline=delivery.newline, headers=delivery.headers
    )


def chunkings(body: bytes, seed: int, *, streamed: bool) -> Iterator[list[bytes]]:
    """The body in one piece, event by event, byte by byte, and cut at random places."""
    yield [body]
    if streamed:
        yield [event for event in re.split(rb"(?<=\n\n)", body) if event]
    yield [body[place : place + 1] for place in range(len(body))]
    chance = random.Random(seed)
    places = sorted(chance.sample(range(1, len(body)), k=min(12, len(body) - 1)))
    yield [body[start:end] for start, end in itertools.pairwise([0, *places, len(body)])]


def sent_raw(chunks: Sequence[bytes], *, streamed: bool) -> Step:
    """These bytes as an answer."""
    return raw(chunks, content_type="text/event-stream; charset=utf-8" if streamed else "application/json")


def without_nulls(message: JsonObject) -> JsonObject:
    """A message without the null members of its own, its blocks and its usage.

    The stream helper adds such: it sets members of the message from the `message_delta` and of a compaction from its
    delta, also where these do not have them, and in older versions it sets every member that a block may have.
    """
    blocks = [_without_nulls(block) for block in message["content"]]
    return {**_without_nulls(message), "content": blocks, "usage": _without_nulls(message["usage"])}


def _without_nulls(value: JsonObject) -> JsonObject:
    return {key: member for key, member in value.items() if member is not None}


_LATE = (
    b'event: message_start\ndata: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant",'
    b'"model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}}\n\n'
    b'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"refusal","stop_sequence":null,'
    b'"stop_details":{"type":"refusal"},"container":{"id":"c"}},"usage":{"output_tokens":2,"input_tokens":3,'
    b'"cache_read_input_tokens":4,"output_tokens_details":{"thinking_tokens":5},"server_tool_use":{"web_search_requests":6}}'
    b'}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n'
)
_LATE_MEMBERS = ("stop_details", "container", "output_tokens_details", "server_tool_use", "cache_read_input_tokens")


@functools.cache
def lost_by_the_helper() -> tuple[str, ...]:
    """What this version's stream helper does not take from a `message_delta`, of what the API may tell there."""
    (message,) = taken([Take(sent_raw([_LATE], streamed=True), Way("helper"))])
    told = {**message, **message["usage"]}
    return tuple(name for name in _LATE_MEMBERS if told.get(name) is None)


def is_beta(message: JsonObject) -> bool:
    """Whether it has what the plain namespace's stream helper does not read."""
    types = {block["type"] for block in message["content"]}
    return bool(
        message.get("context_management")
        or {"iterations", "fallback_credit"} & message["usage"].keys()
        or types & {"compaction", "fallback", "mcp_tool_use"}
    )


def same(one: JsonObject, other: JsonObject) -> bool:
    """Equality of JSON to the letter: 1, 1.0 and true differ, the order of members does not count."""
    return one == other and canonical(one) == canonical(other)


def difference(one: object, other: object, path: str = "$") -> str:
    """The first place where two values differ, with what stands there; empty where none does."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in [*one, *(key for key in other if key not in one)]:
            if key not in one or key not in other:
                side, value = ("first", one[key]) if key in one else ("second", other[key])
                return f"{path}.{key} only in the {side}: {str(value)[:80]}"
            if found := difference(one[key], other[key], f"{path}.{key}"):
                return found
        return ""
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = enumerate(zip(one, other, strict=True))
        return next(filter(None, (difference(a, b, f"{path}[{index}]") for index, (a, b) in pairs)), "")
    return "" if type(one) is type(other) and one == other else f"{path}: {str(one)[:80]} / {str(other)[:80]}"

"""The examples of the catalogue in other clothes: what is said is the same, so that the verdicts are.

An earlier turn, another conversation in between, a stream in place of JSON, other ids, blocks in place of strings,
what the SDKs add to an echo, cache marks, requests that had to be sent twice: none of it makes a right session wrong,
nor hides one.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from playhead.rules.catalogue import Entry, load_catalogue
from playhead.rules.checker import check
from playhead.rules.rule import Violation
from playhead.wire.session import Session
from playhead.wire.stream import events_of

Json = dict[str, Any]
Clothes = Callable[[list[Json]], list[Json]]
HELLO: Json = {"role": "user", "content": "Hello."}
GREETING = [{"type": "text", "text": "Hello! What can I do?"}]


def requests(exchanges: list[Json]) -> list[Json]:
    return [exchange["request"] for exchange in exchanges]


def earlier(exchanges: list[Json]) -> list[Json]:
    """A turn before everything, resent with each request."""
    before = [HELLO, {"role": "assistant", "content": GREETING}]
    opening = {**copy.deepcopy(requests(exchanges)[0]), "messages": [HELLO]}
    opening.pop("tool_choice", None)
    for request in requests(exchanges):
        request["messages"] = [*before, *request["messages"]]
    greeted: Json = {"request": opening, "response": {"content": GREETING, "stop_reason": "end_turn"}}
    if any("tools_run" in exchange for exchange in exchanges):
        greeted["tools_run"] = []
    return [greeted, *exchanges]


def interleaved(exchanges: list[Json]) -> list[Json]:
    """A conversation about something else, one turn before each exchange."""
    mixed, history = [], [{"role": "user", "content": "Tell me a story."}]
    for number, exchange in enumerate(exchanges):
        told = [{"type": "text", "text": f"Part {number} of a story."}]
        request = {"model": "claude-haiku-4-5", "max_tokens": 50, "messages": list(history)}
        mixed += [{"request": request, "response": {"content": told, "stop_reason": "end_turn"}}, exchange]
        history += [{"role": "assistant", "content": told}, {"role": "user", "content": f"Go on, {number}."}]
    return mixed


def streamed(exchanges: list[Json]) -> list[Json]:
    """Each message as the events of a stream, in pieces of a few characters."""
    for exchange in exchanges:
        response = exchange.get("response") or {}
        if "content" in response:
            message = {"usage": {"input_tokens": 1, "output_tokens": 5}, "stop_sequence": None, **response}
            exchange["response"] = {"events": list(events_of(message, piece=7))}
            exchange["request"]["stream"] = True
    return exchanges


def renamed(exchanges: list[Json]) -> list[Json]:
    """Other ids of calls."""
    renamed: list[Json] = json.loads(json.dumps(exchanges).replace('"toolu_', '"call_'))
    return renamed


def in_blocks(exchanges: list[Json]) -> list[Json]:
    """Each content that is a string as one text block."""
    for request in requests(exchanges):
        for message in request["messages"]:
            if isinstance(message["content"], str):
                message["content"] = [{"type": "text", "text": message["content"]}]
    return exchanges


def as_sdks_do(exchanges: list[Json]) -> list[Json]:
    """Members in another order, and those that only replies have."""
    for exchange in exchanges:
        for message in exchange["request"]["messages"]:
            if isinstance(message["content"], list):
                message["content"] = [dict(reversed(block.items())) for block in message["content"]]
        for block in (exchange.get("response") or {}).get("content", []):
            if block["type"] == "text":
                block.setdefault("citations", None)
            elif block["type"] == "tool_use":
                block.setdefault("caller", {"type": "direct"})
    return exchanges


def marked(exchanges: list[Json]) -> list[Json]:
    """A cache mark on the last block of the user's, moving forward."""
    for request in requests(exchanges):
        last = next((m for m in reversed(request["messages"]) if m["role"] == "user"), None)
        blocks = last["content"] if last else None
        if isinstance(blocks, list) and blocks and blocks[-1]["type"] in ("text", "tool_result"):
            blocks[-1] = {**blocks[-1], "cache_control": {"type": "ephemeral"}}
    return exchanges


def retried(exchanges: list[Json]) -> list[Json]:
    """Each request is answered with 529 first, and then sent again as it was."""
    counted = any("tools_run" in exchange for exchange in exchanges)
    doubled = []
    for exchange in exchanges:
        overloaded = {"status": 529, "error": {"type": "overloaded_error", "message": "Overloaded"}}
        failed = {"request": copy.deepcopy(exchange["request"]), "response": overloaded}
        doubled += [{**failed, "tools_run": []} if counted else failed, exchange]
    return doubled


CLOTHES: dict[str, Clothes] = {
    "earlier": earlier,
    "interleaved": interleaved,
    "streamed": streamed,
    "renamed": renamed,
    "in-blocks": in_blocks,
    "as-sdks-do": as_sdks_do,
    "marked": marked,
    "retried": retried,
    "streamed-earlier": lambda exchanges: streamed(earlier(exchanges)),
    "earlier-interleaved": lambda exchanges: interleaved(earlier(exchanges)),
    "retried-interleaved": lambda exchanges: interleaved(retried(exchanges)),
}
# what is tried again, and when, is what these rules are about
ABOUT_RETRIES = {
    "api-error-surfaced",
    "poisoned-history-not-resent",
    "spend-cap-429-not-retried",
    "images-poison-history",
}
ABOUT_RETRIES |= {rule for rule in load_catalogue() if "retry" in rule}
# the marks are counted, and a pile of them is what the rule is about
ABOUT_MARKS = {"cache-breakpoints-not-accumulating"}

SESSIONS = [entry for entry in load_catalogue().values() if "session" in entry.fail]
CASES = [
    (entry, name)
    for entry in SESSIONS
    for name in CLOTHES
    if not (name.startswith("retried") and entry.id in ABOUT_RETRIES) and entry.id not in ABOUT_MARKS
]


def judged(example: Json, clothes: Clothes) -> tuple[Violation, ...]:
    exchanges = clothes(copy.deepcopy(example["session"]))
    return check(Session.from_exchanges(exchanges, end=example.get("end")))


@pytest.mark.parametrize(("entry", "name"), CASES, ids=[f"{entry.id}-{name}" for entry, name in CASES])
def test_a_fault_is_found_in_any_clothes(entry: Entry, name: str) -> None:
    """What is wrong with a session is wrong however it is told."""
    assert entry.id in {violation.rule for violation in judged(entry.fail, CLOTHES[name])}


@pytest.mark.parametrize(("entry", "name"), CASES, ids=[f"{entry.id}-{name}" for entry, name in CASES])
def test_what_is_right_is_right_in_any_clothes(entry: Entry, name: str) -> None:
    """Nothing that is put around a right session makes it fail."""
    assert [str(found) for found in judged(entry.ok, CLOTHES[name]) if found.level != "warn"] == []

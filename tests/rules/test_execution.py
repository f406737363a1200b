"""The rules on what the loop does with a reply."""

from __future__ import annotations

from typing import Any

import pytest

from playhead.rules.checker import check
from playhead.rules.rule import Violation, told_once
from playhead.wire.session import Session

Json = dict[str, Any]

Q = {"role": "user", "content": "Add."}
CALL = {"type": "tool_use", "id": "toolu_1", "name": "add", "input": {"a": 1}}
OTHER = {**CALL, "id": "toolu_2", "name": "sub"}
DONE = {"content": [{"type": "text", "text": "Done."}], "stop_reason": "end_turn"}


def body(*messages: Json) -> Json:
    return {"model": "claude-opus-5-5", "max_tokens": 9, "messages": list(messages)}


def reply(stop: str, *content: Json) -> Json:
    return {"content": list(content or (CALL,)), "stop_reason": stop}


def exchange(answer: Json, run: list[str] | None, *messages: Json) -> Json:
    return {"request": body(*(messages or (Q,))), "response": answer, "tools_run": run}


def answered(identifier: str = "toolu_1", **more: object) -> tuple[Json, Json, Json]:
    """A history in which the call was answered."""
    result = {"type": "tool_result", "tool_use_id": identifier, "content": "3", **more}
    return Q, {"role": "assistant", "content": [CALL]}, {"role": "user", "content": [result]}


def told(violations: tuple[Violation, ...]) -> list[tuple[str, str, str, str, int | None]]:
    return [(v.rule, v.level, v.path, v.message, v.exchange) for v in told_once(violations)]


@pytest.mark.parametrize("reason", ["max_tokens", "model_context_window_exceeded", "refusal"])
def test_a_call_of_a_cut_reply_was_run(reason: str) -> None:
    """Counted runs name the block of the reply; calls that were left alone are no fault."""
    session = Session.from_exchanges([exchange(reply(reason, OTHER, CALL), ["toolu_1"])])
    assert told(check(session)) == [
        (
            "max-tokens-no-tool-execution",
            "broken",
            "$response.content[1]",
            f"toolu_1 (add) was run; its reply stopped with {reason}",
            1,
        )
    ]
    assert check(session)[0].fix == (
        f"check stop_reason before running tools: after {reason} the last call may be cut although it parses; ask "
        "again with a higher max_tokens, or stop and say so"
    )


@pytest.mark.parametrize("reason", ["max_tokens", "model_context_window_exceeded", "refusal"])
def test_a_call_of_a_cut_reply_was_answered(reason: str) -> None:
    """Where runs were not counted, the result in the next request tells."""
    session = Session.from_exchanges([exchange(reply(reason), None), exchange(DONE, None, *answered())])
    assert told(check(session)) == [
        (
            "max-tokens-no-tool-execution",
            "broken",
            "$.messages[2].content[0]",
            f"a result for toolu_1 (add), which came in a reply that stopped with {reason}",
            2,
        )
    ]


PASSING: dict[str, list[Json]] = {
    "not-cut": [exchange(reply("tool_use"), ["toolu_1"]), exchange(DONE, [], *answered())],
    "cut-and-left-alone": [exchange(reply("max_tokens"), [])],
    "cut-and-asked-again": [exchange(reply("max_tokens"), []), exchange(DONE, [])],
    "cut-and-answered-with-an-error": [
        exchange(reply("max_tokens"), None),
        exchange(DONE, None, *answered(is_error=True)),
    ],
    "cut-not-run-and-answered-by-hand": [exchange(reply("max_tokens"), []), exchange(DONE, [], *answered())],
    "cut-and-its-text-kept": [
        exchange(reply("max_tokens", {"type": "text", "text": "It i"}), None),
        exchange(DONE, None, Q, {"role": "assistant", "content": "It i"}),
    ],
    "nothing-known": [exchange(reply("max_tokens"), None)],
    "paused": [exchange(reply("pause_turn"), ["toolu_1"])],
    "unknown-stop-reason": [exchange(reply("novel_reason"), ["toolu_1"])],
}


@pytest.mark.parametrize("exchanges", PASSING.values(), ids=PASSING)
def test_what_a_correct_loop_does(exchanges: list[Json]) -> None:
    """Whole replies are run; what was not run, or is answered with an error, is no fault."""
    assert [v for v in check(Session.from_exchanges(exchanges)) if v.rule == "max-tokens-no-tool-execution"] == []


UNKNOWN: dict[str, tuple[list[Json], list[tuple[str, str, int | None]]]] = {
    "run": ([exchange(reply("quota_reached"), ["toolu_1"])], [("broken", "$response.content[0]", 1)]),
    "one-of-two-run": (
        [exchange(reply("quota_reached", OTHER, CALL), ["toolu_1"])],
        [("broken", "$response.content[1]", 1)],
    ),
    "answered": (
        [exchange(reply("quota_reached"), None), exchange(DONE, None, *answered())],
        [("broken", "$.messages[2].content[0]", 2)],
    ),
    "left-alone": ([exchange(reply("quota_reached"), [])], []),
    "answered-with-an-error": (
        [exchange(reply("quota_reached"), None), exchange(DONE, None, *answered(is_error=True))],
        [],
    ),
    "no-stop-reason-at-all": ([exchange({"content": [CALL]}, ["toolu_1"])], []),
    "a-known-one": ([exchange(reply("tool_use"), ["toolu_1"]), exchange(DONE, [], *answered())], []),
    "text-only": ([exchange(reply("quota_reached", {"type": "text", "text": "Hm."}), [])], []),
}


@pytest.mark.parametrize(("exchanges", "expected"), UNKNOWN.values(), ids=UNKNOWN)
def test_calls_of_a_reply_with_an_unknown_stop_reason(
    exchanges: list[Json], expected: list[tuple[str, str, int | None]]
) -> None:
    """What is not known is no wish for tools."""
    found = check(Session.from_exchanges(exchanges))
    assert [(v.level, v.path, v.exchange) for v in found if v.rule == "unknown-stop-reason-stops"] == expected


HOLOGRAM = {"type": "hologram", "data": "x"}
CRASHES: dict[str, tuple[Json, str | None, bool]] = {
    "a-stop-reason": (reply("quota_reached", HOLOGRAM), "KeyError: 'quota_reached'", True),
    "a-block": (reply("end_turn", HOLOGRAM), "ValueError: unknown block type hologram", True),
    "a-block-beside-a-call": (
        reply("tool_use", HOLOGRAM, CALL),
        "AttributeError: 'dict' has no attribute 'text'",
        True,
    ),
    "a-stop-reason-that-ends-it": (reply("quota_reached", CALL), "unknown stop reason quota_reached", False),
    "no-word-on-it": (reply("end_turn", HOLOGRAM), None, False),
    "a-limit": (reply("tool_use", HOLOGRAM, CALL), "TurnLimitReached after 30 blocks", False),
    "nothing-new": (reply("end_turn", {"type": "text", "text": "Hm."}), "KeyError: 'x'", False),
}


@pytest.mark.parametrize(("response", "error", "crashed"), CRASHES.values(), ids=CRASHES)
def test_a_loop_that_fails_at_what_it_does_not_know(response: Json, error: str | None, crashed: bool) -> None:
    """To stop and say so is right; to fail with a look-up that was not expected is not."""
    made = Session.from_exchanges([exchange(response, [])], end={"how": "raised", "error": error})
    found = [v.path for v in check(made) if v.rule == "unknown-stop-reason-stops"]
    assert found == (["$response"] if crashed else [])

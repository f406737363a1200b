"""The rules on loops that do not get anywhere."""

from __future__ import annotations

import pytest

from made_sessions import (
    DONE,
    OVERLOADED,
    Q2,
    RETURNED,
    RUNNING,
    Found,
    Json,
    Q,
    call,
    exchange,
    of_rule,
    raised,
    reply,
    result,
    said,
    sent,
    session,
    showed,
    text,
    user,
)
from playhead.rules.checker import Checker, check
from playhead.wire.session import Session

CUT = reply(text("It is"), stop="max_tokens")
CUT_CALL = reply(call(), stop="model_context_window_exceeded")
FULL = reply(call())
PAUSED = reply(text("It is"), stop="pause_turn")


def asked(count: int, response: Json, last: Json | None = None, end: Json | None = None, **members: object) -> Session:
    """The same request so many times; the last one with other members."""
    exchanges = [exchange([Q], response) for _ in range(count)]
    return session(*exchanges, *([exchange(sent(Q, **members), last)] if last else []), end=end)


def rounds(*results: Json, calls: list[Json] | None = None, end: Json | None = None, **members: object) -> Session:
    """A tool loop: a call with each round, and the result that is sent for it."""
    history, exchanges = [Q], []
    made = calls or [call(f"t{number}") for number in range(len(results) + 1)]
    for number, asked_for in enumerate(made):
        exchanges.append(exchange(sent(*history, **members), reply(asked_for)))
        if number < len(results):
            history = [*history, said(asked_for), user({**results[number], "tool_use_id": asked_for["id"]})]
    return session(*exchanges, end=end)


BUSY = result("", "The disk is busy.", is_error=True)
FORCED = {"model": "claude-haiku-4-5", "tool_choice": {"type": "tool", "name": "add"}}
ANY = {"model": "claude-haiku-4-5", "tool_choice": {"type": "any"}}
FAILING: dict[str, dict[str, tuple[Session, list[Found]]]] = {
    "loop-bounded": {
        "still-calling": (session(exchange([Q], FULL), end=RUNNING), [("broken", "$", 1)]),
        "still-paused": (session(exchange([Q], PAUSED), end=RUNNING), [("broken", "$", 1)]),
        "the-last-was-never-answered": (
            session(exchange([Q], FULL), exchange([Q, said(call()), user(result())], None), end=RUNNING),
            [("broken", "$", 2)],
        ),
        "beside-another-that-is-done": (
            session(
                exchange([Q], FULL),
                exchange([Q2], DONE),
                exchange([Q, said(call()), user(result())], None),
                end=RUNNING,
            ),
            [("broken", "$", 3)],
        ),
        "asking-an-overloaded-api-for-ever": (asked(5, OVERLOADED, end=RUNNING), [("broken", "$", 5)]),
    },
    "max-tokens-retry-changes-something": {
        "a-third-time": (asked(3, CUT), [("broken", "$.max_tokens", 3)]),
        "a-fourth-time": (asked(4, CUT), [("broken", "$.max_tokens", 3)]),
        "with-a-call-that-was-cut": (asked(3, CUT_CALL), [("broken", "$.max_tokens", 3)]),
        "and-then-it-succeeds": (asked(2, CUT, DONE), [("broken", "$.max_tokens", 3)]),
        "the-part-that-came-shown-as-the-answer": (
            asked(1, CUT, end=showed(text="It is")),
            [("broken", "$response.stop_reason", 1)],
        ),
        "between-other-conversations": (
            session(
                exchange([Q], CUT), exchange([Q2], DONE), exchange([Q], CUT), exchange([Q2], DONE), exchange([Q], CUT)
            ),
            [("broken", "$.max_tokens", 5)],
        ),
    },
    "no-identical-call-loop": {
        "three-times": (rounds(BUSY, BUSY, BUSY), [("warn", "$.messages", 4)]),
        "forty-times-told-once": (rounds(*[BUSY] * 40), [("warn", "$.messages", 4)]),
        "without-is-error": (rounds(*[result("", "Error: busy")] * 3), [("warn", "$.messages", 4)]),
        "after-something-else": (
            rounds(result(), BUSY, BUSY, BUSY, calls=[call("a", a=5), *(call(f"t{n}") for n in range(4))]),
            [("warn", "$.messages", 5)],
        ),
    },
    "forced-tool-choice-reset": {
        "the-same-tool-with-its-result": (rounds(result(), **FORCED), [("warn", "$.tool_choice", 2)]),
        "the-same-tool-without-end": (
            rounds(result(), end=RUNNING, **FORCED),
            [("warn", "$.tool_choice", 2), ("broken", "$.tool_choice", 2)],
        ),
        "any-tool-without-end": (rounds(result(), end=RUNNING, **ANY), [("broken", "$.tool_choice", 2)]),
        "any-tool-three-times": (rounds(result(), result(), **ANY), [("warn", "$.tool_choice", 3)]),
    },
}
CASES = [(rule, case) for rule, cases in FAILING.items() for case in cases]


@pytest.mark.parametrize(("rule", "case"), CASES, ids=[f"{rule}-{case}" for rule, case in CASES])
def test_what_a_correct_loop_does_not_do(rule: str, case: str) -> None:
    """Each standstill is found by its rule, where it becomes one."""
    made, expected = FAILING[rule][case]
    assert of_rule(rule, made) == expected


PASSING: dict[str, Session] = {
    "waiting-for-the-user": session(exchange([Q], DONE), end=RUNNING),
    "returned": session(exchange([Q], FULL), end=RETURNED),
    "a-limit": session(exchange([Q], FULL), end=raised("TurnLimit")),
    "an-end-that-nobody-knows": session(exchange([Q], FULL)),
    "nothing-answered": session(exchange([Q], None), end=RUNNING),
    "nothing": session(end=RUNNING),
    "trying-an-overloaded-api-again": asked(3, OVERLOADED, end=RUNNING),
    "cut-twice-and-given-up": asked(2, CUT, end=raised("truncated")),
    "cut-twice-and-asked-with-more": asked(2, CUT, DONE, max_tokens=999),
    "cut-and-asked-without-thinking": asked(2, CUT, DONE, thinking={"type": "disabled"}),
    "cut-and-asked-another-model": asked(2, CUT, DONE, model="claude-sonnet-5"),
    "asked-to-go-on": session(
        exchange([Q], CUT),
        exchange([Q, said("It is"), user("Go on.")], CUT),
        exchange([Q, said("It is"), user("Go on."), said("It is"), user("Go on.")], DONE),
    ),
    "cut-and-shown-with-its-reason": asked(1, CUT, end=showed(text="It is", stop_reason="max_tokens")),
    "cut-and-told": asked(1, CUT, end={"how": "returned", "error": "cut", "shown": {"text": "It is"}}),
    "sampled-five-times": asked(5, DONE),
    "failed-twice": rounds(BUSY, BUSY),
    "failed-twice-and-then-otherwise": rounds(BUSY, BUSY, result("", "The disk is gone.", is_error=True)),
    "failed-with-another-input-each-time": rounds(BUSY, BUSY, BUSY, calls=[call(f"t{n}", a=n) for n in range(4)]),
    "failed-with-another-tool-between": rounds(
        BUSY, BUSY, result("", "12:00"), BUSY, calls=[call("t0"), call("t1"), call("n", "now"), call("t2"), call("t3")]
    ),
    "asked-again-until-it-is-ready": rounds(*[result("", "pending")] * 6),
    "forced-once": session(
        exchange(sent(Q, **FORCED), reply(call())),
        exchange(sent(Q, said(call()), user(result()), model=FORCED["model"], tool_choice={"type": "auto"}), DONE),
    ),
    "forced-to-another-tool": session(
        exchange(sent(Q, **FORCED), reply(call())),
        exchange(
            sent(Q, said(call()), user(result()), model=FORCED["model"], tool_choice={"type": "tool", "name": "now"}),
            reply(call("t2", "now")),
        ),
    ),
    "any-tool-and-then-the-output-tool": rounds(result(), calls=[call("t1"), call("t2", "now")], end=RETURNED, **ANY),
    "forced-for-each-question": session(
        exchange(sent(Q, **FORCED), reply(call())), exchange(sent(Q2, **FORCED), reply(call("t2")))
    ),
    "never-forced": rounds(result(), result(), end=RETURNED, tool_choice={"type": "auto"}),
}


@pytest.mark.parametrize("made", PASSING.values(), ids=PASSING)
def test_what_a_correct_loop_may_do(made: Session) -> None:
    """None of the rules of this topic has a word on it, not even a warning."""
    assert [str(violation) for violation in check(made) if violation.rule in FAILING] == []


def test_a_loop_that_had_to_be_stopped() -> None:
    """The cap on requests was reached: that is the violation, whatever else is known of the end."""
    found = Checker().on_end(session(exchange([Q], DONE)).exchanges, None, 100)
    assert [(v.rule, v.level, v.path, v.message, v.exchange) for v in found] == [
        ("loop-bounded", "broken", "$", "the loop sent more than 100 requests and had to be stopped", 1)
    ]
    assert found[0].fix == "give the loop a limit of turns, and raise an error that says so when it is reached"


def test_sentences() -> None:
    """What is told counts: requests, failures, calls."""
    made = {
        "loop-bounded": FAILING["loop-bounded"]["asking-an-overloaded-api-for-ever"][0],
        "no-identical-call-loop": FAILING["no-identical-call-loop"]["three-times"][0],
        "max-tokens-retry-changes-something": FAILING["max-tokens-retry-changes-something"]["a-third-time"][0],
    }
    found = {rule: next(v for v in check(its) if v.rule == rule) for rule, its in made.items()}
    assert {rule: violation.message for rule, violation in found.items()} == {
        "loop-bounded": "the loop was still running after 5 requests, the last 5 of which failed",
        "no-identical-call-loop": "add was called 3 times in a row with the same input and failed in the same way",
        "max-tokens-retry-changes-something": (
            "the request is sent again as it was, although its reply stopped with max_tokens each time"
        ),
    }

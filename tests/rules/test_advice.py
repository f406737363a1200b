"""Advice: what the API takes and what serves a conversation badly."""

from __future__ import annotations

import pytest

from made_sessions import (
    DONE,
    INVALID,
    OVERLOADED,
    Q2,
    Found,
    Json,
    Q,
    call,
    exchange,
    of_rule,
    reply,
    result,
    said,
    sent,
    session,
    text,
    thought,
    user,
)
from playhead.rules.advice import RULES
from playhead.rules.checker import check
from playhead.wire.session import Session

C, C2 = call("t1"), call("t2")
OPUS, HAIKU = {"model": "claude-opus-4-6"}, {"model": "claude-haiku-4-5"}
ADAPTIVE = {"type": "adaptive"}
BLANK = text("\n\n")


def two(first: Json, answer: Json, second: Json, then: Json = DONE) -> Session:
    return session(exchange(first, answer), exchange(second, then))


def turned(before: object, now: object, *, results: bool = True) -> Session:
    """A call under one thinking setting, and its result under another."""
    settings = [{"thinking": value} if value else {} for value in (before, now)]
    return two(
        sent(Q, **OPUS, **settings[0]),
        reply(thought(), C),
        sent(Q, said(thought(), C), user(result()) if results else Q2, **OPUS, **settings[1]),
    )


def single(*messages: Json) -> Session:
    return session(exchange([Q, *messages], DONE))


THOUGHT = said(thought(), text("It is 3."))
FAILING: dict[str, dict[str, tuple[Session, list[Found]]]] = {
    "model-stable-or-strip-thinking": {
        "a-smaller-model": (
            two(sent(Q, **OPUS), reply(thought(), text("It is 3.")), sent(Q, THOUGHT, Q2, **HAIKU)),
            [("warn", "$.messages[1].content[0]", 2)],
        ),
        "in-the-middle-of-a-turn": (
            two(sent(Q, **OPUS), reply(thought(), C), sent(Q, said(thought(), C), user(result()), **HAIKU)),
            [("warn", "$.messages[1].content[0]", 2)],
        ),
        "thinking-of-earlier": (
            session(
                exchange(sent(Q, **OPUS), reply(thought(), text("It is 3."))),
                exchange(sent(Q, THOUGHT, Q2, **OPUS), reply(text("7."))),
                exchange(sent(Q, THOUGHT, Q2, said("7."), user("Thanks."), **HAIKU), DONE),
            ),
            [("warn", "$.messages[1].content[0]", 3)],
        ),
    },
    "no-thinking-toggle-mid-turn": {
        "switched-off": (turned(ADAPTIVE, {"type": "disabled"}), [("warn", "$.thinking", 2)]),
        "left-out": (turned(ADAPTIVE, None), [("warn", "$.thinking", 2)]),
        "switched-on": (turned(None, ADAPTIVE), [("warn", "$.thinking", 2)]),
        "another-budget": (
            turned({"type": "enabled", "budget_tokens": 1024}, {"type": "enabled", "budget_tokens": 2048}),
            [("warn", "$.thinking", 2)],
        ),
    },
    "parallel-results-in-one-message": {
        "one-each": (
            single(said(C, C2), user(result("t1")), user(result("t2"))),
            [("warn", "$.messages[3].content[0]", 1)],
        ),
        "one-and-two": (
            single(said(C, C2, call("t3")), user(result("t1")), user(result("t2"), result("t3"))),
            [("warn", "$.messages[3].content[0]", 1)],
        ),
        "three-of-one": (
            single(said(C, C2, call("t3")), user(result("t1")), user(result("t2")), user(result("t3"))),
            [("warn", "$.messages[3].content[0]", 1), ("warn", "$.messages[4].content[0]", 1)],
        ),
    },
    "no-text-after-tool-results": {
        "a-remark": (single(said(C), user(result(), text("Here it is."))), [("warn", "$.messages[2].content[1]", 1)]),
        "after-two-results": (
            single(said(C, C2), user(result("t1"), result("t2"), text("Go on."))),
            [("warn", "$.messages[2].content[2]", 1)],
        ),
        "told-once": (
            session(
                exchange([Q, said(C), user(result(), text("Go on."))], reply(C2)),
                exchange([Q, said(C), user(result(), text("Go on.")), said(C2), user(result("t2"))], DONE),
            ),
            [("warn", "$.messages[2].content[1]", 1)],
        ),
    },
    "whitespace-response-not-stored": {
        "alone": (
            two(sent(Q), reply(BLANK), sent(Q, said(BLANK), Q2), INVALID),
            [("warn", "$.messages[1].content[0]", 2)],
        ),
        "beside-a-call": (
            two(sent(Q), reply(BLANK, C), sent(Q, said(BLANK, C), user(result())), INVALID),
            [("warn", "$.messages[1].content[0]", 2)],
        ),
        "after-text": (
            two(sent(Q), reply(text("Well."), text(" ")), sent(Q, said(text("Well."), text(" ")), Q2), INVALID),
            [("warn", "$.messages[1].content[1]", 2)],
        ),
        "as-a-string": (
            two(sent(Q), reply(BLANK), sent(Q, said("\n\n"), Q2), INVALID),
            [("warn", "$.messages[1].content", 2)],
        ),
    },
}
CASES = [(rule, case) for rule, cases in FAILING.items() for case in cases]


@pytest.mark.parametrize(("rule", "case"), CASES, ids=[f"{rule}-{case}" for rule, case in CASES])
def test_what_serves_a_conversation_badly(rule: str, case: str) -> None:
    """Each is found by its rule, at its place."""
    made, expected = FAILING[rule][case]
    assert of_rule(rule, made) == expected


PASSING: dict[str, Session] = {
    "one-model": two(sent(Q, **OPUS), reply(thought(), text("It is 3.")), sent(Q, THOUGHT, Q2, **OPUS)),
    "one-model-by-two-names": two(
        sent(Q, model="claude-haiku-4-5"),
        reply(thought(), text("It is 3.")),
        sent(Q, THOUGHT, Q2, model="claude-haiku-4-5-20251001"),
    ),
    "another-model-without-the-thinking": two(
        sent(Q, **OPUS), reply(thought(), text("It is 3.")), sent(Q, said("It is 3."), Q2, **HAIKU)
    ),
    "another-model-and-no-thinking-at-all": two(sent(Q, **OPUS), reply(C), sent(Q, said(C), user(result()), **HAIKU)),
    "another-model-after-a-failure": session(
        exchange(sent(Q, THOUGHT, Q2, **OPUS), OVERLOADED), exchange(sent(Q, THOUGHT, Q2, **HAIKU), DONE)
    ),
    "the-same-thinking": turned(ADAPTIVE, ADAPTIVE),
    "no-thinking": turned(None, None),
    "switched-off-with-the-next-question": turned(ADAPTIVE, {"type": "disabled"}, results=False),
    "results-together": single(said(C, C2), user(result("t1"), result("t2"))),
    "results-and-a-question-of-their-own": single(said(C), user(result()), Q2),
    "results-of-two-turns": single(said(C), user(result("t1")), said(C2), user(result("t2"))),
    "text-before": single(user(text("Well."), text("So."))),
    "an-image-after": single(said(C), user(result(), {"type": "search_result"})),
    "blank-text-left-out": two(sent(Q), reply(BLANK, C), sent(Q, said(C), user(result()))),
    "blank-text-that-the-client-wrote": session(exchange([Q, said(BLANK), Q2], INVALID)),
}
IDS = {rule.id for rule in RULES}


@pytest.mark.parametrize("made", PASSING.values(), ids=PASSING)
def test_what_needs_no_advice(made: Session) -> None:
    """None of the rules of this topic has a word on it."""
    assert [str(violation) for violation in check(made) if violation.rule in IDS] == []


def test_advice_is_a_warning() -> None:
    """Each of these may be on purpose."""
    assert {rule.level for rule in RULES} == {"warn"}
    assert set(FAILING) == IDS


def test_sentences() -> None:
    """What is told says what was and what is."""
    found = check(turned({"type": "enabled", "budget_tokens": 1024}, None))
    assert [v.message for v in found if v.rule == "no-thinking-toggle-mid-turn"] == [
        "thinking was enabled with 1024 tokens when the tool was called, and is not set with its result"
    ]
    switched = FAILING["model-stable-or-strip-thinking"]["in-the-middle-of-a-turn"][0]
    assert [v.message for v in check(switched) if v.rule == "model-stable-or-strip-thinking"] == [
        "thinking of claude-opus-4-6 goes to claude-haiku-4-5, in the middle of a tool turn; another model drops or "
        "refuses it"
    ]

"""The rules across exchanges, sorted by how the exchange before ended."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from made_sessions import DONE, Q2, Json, Q, call, exchange, reply, result, said, session, text, user
from playhead.rules.checker import check
from playhead.rules.rule import Finding, Rule, StepView
from playhead.rules.steps import OUTCOMES, UNSAID, StepRules, outcome
from playhead.wire.exchange import Exchange

ENDS: dict[str, tuple[Exchange, str]] = {
    "an-answer": (Exchange(status=200, response={"content": [], "stop_reason": "end_turn"}), "end_turn"),
    "tools": (Exchange(response={"content": [], "stop_reason": "tool_use"}), "tool_use"),
    "a-new-reason": (Exchange(response={"content": [], "stop_reason": "quota_reached"}), "novel"),
    "no-reason": (Exchange(response={"content": []}), "unsaid"),
    "no-answer-known": (Exchange(), "unsaid"),
    "an-error": (Exchange(status=500), "failed"),
    "an-error-event": (Exchange(status=200, response={"stop_reason": "end_turn"}, error={}), "failed"),
    "a-broken-stream": (Exchange(status=200, response={"stop_reason": None}, complete=False), "failed"),
}


@pytest.mark.parametrize(("ended", "expected"), ENDS.values(), ids=ENDS)
def test_how_an_exchange_ended(ended: Exchange, expected: str) -> None:
    """One word for it, whatever came."""
    assert outcome(ended) == expected
    assert expected in OUTCOMES


def seen(view: StepView) -> Iterator[Finding]:
    yield Finding(path="$", what="seen")


def rule(name: str, **where: object) -> Rule:
    return Rule(id=f"own-{name}", level="warn", fix="-", **{"step": seen, **where})  # type: ignore[arg-type]


RULES = (
    rule("always"),
    rule("failed", after=("failed",)),
    rule("tools", after=("tool_use", "unsaid")),
    rule("image", holding=("image",)),
    rule("echo", step=None, echo=seen),
    rule("calls", step=None, calls=seen),
)


def asked(first: Json, *messages: Json) -> list[str]:
    made = session(exchange([Q], first), exchange([Q, *messages], DONE))
    return [violation.rule.removeprefix("own-") for violation in check(made, only=RULES)]


def test_a_rule_is_asked_where_it_names_the_outcome() -> None:
    """All where it names none; and only if the conversation holds what it looks for."""
    turn = [said(call()), user(result())]
    assert asked(reply(call()), *turn) == ["always", "tools"]
    assert asked({"status": 500, "error": {}}, Q2) == ["always", "failed"]
    assert asked(DONE, said(text("It is 3.")), user({"type": "image", "source": {}})) == ["always", "image"]


def test_a_rule_on_echoes_is_asked_where_one_changed() -> None:
    """Nearly always a reply comes back as it was, and nobody need look closer."""
    assert "echo" not in asked(reply(call()), said(call()), user(result()))
    assert "echo" in asked(reply(call()), said(call("t1", a=2)), user(result()))


ANSWERED = [said(call("t1"), call("t2")), user(result("t1"), result("t2"))]
SIMPLE: dict[str, tuple[list[Json], Json, bool]] = {
    "each-once": (ANSWERED, {}, True),
    "runs-counted": (ANSWERED, {"tools_run": ["t1", "t2"]}, True),
    "one-left-out": ([ANSWERED[0], user(result("t1"))], {}, False),
    "one-twice": ([ANSWERED[0], user(result("t1"), result("t2"), result("t1"))], {}, False),
    "one-not-sent-back": ([said(call("t1")), ANSWERED[1]], {}, False),
    "one-with-a-string-as-input": ([said(call("t1"), {**call("t2"), "input": "{}"}), ANSWERED[1]], {}, False),
    "what-they-returned-is-known": (ANSWERED, {"results": {"t1": "3"}}, False),
    "the-user-did-something": (ANSWERED, {"user_event": "stop"}, False),
    "none-of-them": ([user("Go on.")], {}, False),
}


@pytest.mark.parametrize(("messages", "known", "simple"), SIMPLE.values(), ids=SIMPLE)
def test_a_rule_on_calls_is_asked_where_they_were_not_simply_answered(
    messages: list[Json], known: Json, simple: bool
) -> None:
    """Nearly always each call is answered once, and nobody need look closer."""
    first = exchange([Q], reply(call("t1"), call("t2")), **known)
    found = check(session(first, exchange([Q, *messages], DONE)), only=RULES)
    assert ("own-calls" in {violation.rule for violation in found}) is not simple


def test_a_reply_without_calls_needs_no_rule_on_calls() -> None:
    """There is nothing to answer."""
    assert "calls" not in asked(DONE, said(text("It is 3.")), Q2)


def test_rules_that_are_no_steps_are_left_out() -> None:
    """A rule on requests alone costs nothing here."""
    rules = StepRules([Rule(id="own-rule", level="warn", fix="-", request=lambda view: ())])
    assert rules.asked(Exchange(), UNSAID, frozenset()) == ()

"""Rules of one's own, and which rules apply."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from typing import Any

import pytest

import playhead
from playhead import FakeClaude, Session, SetupError, say
from playhead.plugins import as_rules, named_rules, rules_of
from playhead.rules.choice import all_rules, choose
from playhead.rules.own import rule
from playhead.rules.registry import RULES
from playhead.rules.rule import Finding, Rule

BODY: dict[str, Any] = {"model": "claude-opus-5-5", "max_tokens": 9, "messages": [{"role": "user", "content": "Hi"}]}


@rule("no-greetings", level="reject", fix="come to the {point}")
def no_greetings(request: Any) -> Iterator[tuple[str, str]]:
    """A rule as people write one: a path and a sentence."""
    if request.messages[-1].get("content") == "Hi":
        yield "$.messages[0].content", "a greeting costs tokens"


OWN = [no_greetings]
NOT_RULES = ["no-greetings"]


def loaded() -> list[Rule]:
    return OWN


def needs_more(one: object) -> list[Rule]:
    return OWN


def test_a_function_becomes_a_rule() -> None:
    """What it yields is a violation like any other."""
    (violation,) = playhead.check_request(BODY, rules=[no_greetings])
    assert (violation.rule, violation.level, violation.path) == ("no-greetings", "reject", "$.messages[0].content")
    assert violation.message == "a greeting costs tokens"
    assert violation.fix == "come to the {point}"


def test_the_fake_refuses_by_it() -> None:
    """A reject of one's own is a 400 with its sentence."""
    fake = FakeClaude([say("Hello")], rules=[no_greetings])
    with pytest.raises(Exception, match="a greeting costs tokens"):
        fake.client().messages.create(**BODY)
    assert [violation.rule for violation in fake.violations] == ["no-greetings"]


@pytest.mark.parametrize("where", ["step", "answer", "end"])
def test_rules_across_exchanges(where: Any) -> None:
    """The other three kinds see a step, an exchange, or the end."""

    @rule("always-wrong", on=where)
    def wrong(view: object) -> Iterator[Finding]:
        yield Finding(path="$", what=type(view).__name__)

    answer = {"content": [{"type": "text", "text": "Hello"}], "stop_reason": "end_turn"}
    again = [*BODY["messages"], {"role": "assistant", "content": answer["content"]}, {"role": "user", "content": "So?"}]
    session = Session.from_exchanges(
        [{"request": BODY, "response": answer}, {"request": {**BODY, "messages": again}, "response": answer}]
    )
    found = [its.message for its in playhead.check(session, only=[wrong])]
    assert set(found) == {{"step": "StepView", "answer": "Exchange", "end": "EndView"}[where]}


MISTAKES: dict[str, tuple[Callable[[], object], str]] = {
    "two arguments": (
        lambda: rule("my-rule")(lambda one, two: []),  # type: ignore[arg-type, misc]
        "(one, two) cannot be called with one argument",
    ),
    "no argument": (lambda: rule("my-rule")(loaded), "loaded() -> 'list[Rule]' cannot be called"),  # type: ignore[arg-type, misc]
    "no function": (lambda: rule("my-rule")(3), "needs a plain function, not 3"),  # type: ignore[arg-type]
    "an id that is none": (lambda: rule("MyRule")(lambda view: []), "words joined by hyphens"),
    "an id that exists": (lambda: rule("system-stable")(lambda view: []), "exists already"),
    "a level that is none": (
        lambda: rule("my-rule", level="fatal")(lambda view: []),  # type: ignore[arg-type]
        "one of reject, broken, warn, not 'fatal'",
    ),
    "a place that is none": (
        lambda: rule("my-rule", on="reqest")(lambda view: []),  # type: ignore[arg-type]
        "did you mean 'request'?",
    ),
    "no rule": (lambda: all_rules(["system-stable"]), "ignore=[...] takes rule ids"),
    "the same twice": (lambda: all_rules([no_greetings, no_greetings]), "there are two rules 'no-greetings'"),
    "an unknown id": (lambda: choose(ignore=["system-stabel"]), "did you mean 'system-stable'?"),
    "a string for a list": (lambda: choose(ignore="system-stable"), "write ['system-stable']"),
    "an unknown level": (lambda: choose(level="error"), "not 'error'"),
    "a plugin that needs arguments": (
        lambda: as_rules(needs_more, "the plugin"),
        "the plugin is a function that needs",
    ),
    "a plugin that gives no rules": (lambda: as_rules(NOT_RULES, "the plugin"), "should give a Rule"),
    "no colon": (lambda: named_rules("acme.rules"), "MODULE:NAME"),
    "no module": (lambda: named_rules("acme_no_such:RULES"), "cannot be loaded"),
    "no attribute": (lambda: named_rules("playhead.rules.registry:NOPE"), "cannot be loaded"),
    "an entry point that does not load": (
        lambda: rules_of(EntryPoint("acme", "acme_no_such:RULES", "playhead.rules")),
        "the rule plugin 'acme' of an unknown package (acme_no_such:RULES) cannot be loaded: ModuleNotFoundError",
    ),
}


@pytest.mark.parametrize(("act", "sentence"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_one_sentence(act: Callable[[], object], sentence: str) -> None:
    """What is wrong is told where it was written, by name and signature."""
    with pytest.raises(SetupError) as caught:
        act()
    assert sentence in str(caught.value)


@pytest.mark.parametrize("given", [no_greetings, OWN, tuple(OWN), loaded], ids=["rule", "list", "tuple", "function"])
def test_what_a_plugin_may_give(given: object) -> None:
    """A rule, several, or a function that returns them."""
    assert as_rules(given, "the plugin") == (no_greetings,)


def test_levels_choose_rules() -> None:
    """The weakest level that applies leaves out what is weaker."""
    assert {its.level for its in choose(level="reject")} == {"reject"}
    assert choose() == RULES
    assert no_greetings in choose([no_greetings])
    assert "system-stable" not in {its.id for its in choose(ignore=["system-stable"])}


def test_a_warning_fails_where_it_is_asked_to() -> None:
    """`level="warn"` makes warnings fail a rehearsal."""

    @rule("no-tools-please", level="warn")
    def no_tools(request: Any) -> Iterator[tuple[str, str]]:
        if request.tools:
            yield "$.tools", "tools are expensive"

    tools = [{"name": "get_tide", "input_schema": {"type": "object"}}]
    for level, fails in (("broken", False), ("warn", True)):
        fake = FakeClaude([say("Hello")], rules=[no_tools], level=level)  # type: ignore[arg-type]
        fake.client().messages.create(**BODY, tools=tools)
        assert (fake.failure() is not None) is fails

"""What a rehearsal comes to: which failures there are, and how they are told together."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from playhead import RuleViolations, ScriptError, ScriptNotFinished, ScriptOver, SeveralFailures, call, say, turn
from playhead.engine.engine import Engine, Settings
from playhead.engine.http import Incoming
from playhead.engine.verdict import as_one, failing, failures
from playhead.errors import PlayheadError
from playhead.rules.registry import RULES
from playhead.script.script import as_script

TOOLS = [{"name": "add", "input_schema": {"type": "object"}}]
ASK = {"role": "user", "content": "hi"}
HEADERS = {"x-api-key": "k", "anthropic-version": "2023-06-01"}


def engine_of(script: object, **options: Any) -> Engine:
    return Engine(as_script(script), Settings(**options))


def send(engine: Engine, *messages: object) -> Any:
    body = {"model": "claude-opus-5-5", "max_tokens": 9, "messages": messages, "tools": TOOLS}
    raw = json.dumps(body).encode()
    return json.loads(engine.answer(Incoming(method="POST", path="/v1/messages", headers=HEADERS, body=raw)).body)


def unanswered(engine: Engine) -> None:
    """Plays a call and leaves it without a result."""
    message = send(engine, ASK)
    send(engine, ASK, {"role": "assistant", "content": message["content"]}, ASK)


def kinds(failed: list[PlayheadError]) -> list[type]:
    return [type(failure) for failure in failed]


def test_all_is_well() -> None:
    """A script played to its end by a loop that keeps the rules fails nothing."""
    engine = engine_of([say("a")])
    send(engine, ASK)
    assert failures(engine) == []
    assert as_one([]) is None


def test_an_endless_script_is_never_unfinished() -> None:
    """A function has no steps that could be left over."""
    assert failures(engine_of(lambda request: say("a"))) == []


def test_steps_left_over() -> None:
    """The error carries the steps that were never asked for."""
    engine = engine_of([say("a"), say("b"), call("c")])
    send(engine, ASK)
    (failure,) = failures(engine)
    assert isinstance(failure, ScriptNotFinished)
    assert failure.steps == (turn(say("b")), turn(call("c")))


def test_requests_too_many() -> None:
    """The error counts them."""
    engine = engine_of([say("a")])
    for _ in range(3):
        send(engine, ASK)
    (failure,) = failures(engine)
    assert isinstance(failure, ScriptOver)
    assert failure.requests == 2


def test_a_violation_hides_steps_that_it_kept_from_being_played() -> None:
    """One cause, one failure: the steps left over are a note of the report."""
    engine = engine_of([call("add"), say("b")])
    unanswered(engine)
    (failure,) = failures(engine)
    assert isinstance(failure, RuleViolations)
    assert failure.violations == engine.violations
    assert "1 of 2 steps" in str(failure)


def test_everything_at_once() -> None:
    """Violations first, then the script's own faults, then requests too many; none hides another."""
    engine = engine_of([call("add"), call("sum")])
    unanswered(engine)
    send(engine, ASK)
    send(engine, ASK)
    failed = failures(engine)
    assert kinds(failed) == [RuleViolations, ScriptError, ScriptOver]
    together = as_one(failed)
    assert isinstance(together, SeveralFailures)
    assert together.failures == tuple(failed)


def test_one_failure_stands_for_itself() -> None:
    """A single failure is not wrapped."""
    failure = ScriptError("x")
    assert as_one([failure]) is failure


def test_expected_violations_fail_nothing() -> None:
    """Nor do the steps that an expected refusal left unplayed."""
    engine = engine_of([call("add"), say("b")])
    unanswered(engine)
    assert failing(engine) == [*engine.violations]
    assert failing(engine, engine.violations) == []
    assert failures(engine, engine.violations) == []


def test_warnings_fail_nothing() -> None:
    """Only what is surely wrong fails a test."""
    gentle = tuple(replace(rule, level="warn") for rule in RULES)
    engine = engine_of([call("add"), say("b")], rules=gentle)
    unanswered(engine)
    assert [violation.level for violation in engine.violations] == ["warn"]
    assert failures(engine) == []


@pytest.mark.parametrize(
    "play",
    [unanswered, lambda engine: None, lambda engine: [send(engine, ASK) for _ in range(4)]],
    ids=["a violation", "steps left over", "requests too many"],
)
def test_a_lenient_engine_fails_nothing(play: Any) -> None:
    """`strict=False`: whatever the loop does."""
    engine = engine_of([call("add"), say("b")], strict=False)
    play(engine)
    assert failures(engine) == []


def test_a_lenient_engine_fails_on_the_scripts_own_faults() -> None:
    """A script that is wrong is the test's fault, not the loop's."""
    engine = engine_of([call("sum")], strict=False)
    send(engine, ASK)
    assert kinds(failures(engine)) == [ScriptError]

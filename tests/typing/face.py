"""Typed uses of the public face. A type checker reads this file; nobody runs it.

`assert_type` says what a user's editor shows; `# type: ignore[code]` says what a checker must refuse, since an ignore
that is not needed is an error of its own.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal, assert_type

import anthropic
import httpx2

from playhead import (
    ApiError,
    CassetteNotFinished,
    Exchange,
    ExpectationNotMet,
    FakeClaude,
    PlayheadError,
    RecordingError,
    RehearsalFailed,
    Request,
    RequestLimitReached,
    RequestMismatch,
    Rule,
    RuleViolations,
    Script,
    ScriptError,
    ScriptNotFinished,
    ScriptOver,
    Session,
    SetupError,
    SeveralFailures,
    Violation,
    api_error,
    call,
    check,
    check_request,
    reply,
    say,
    think,
    turn,
)
from playhead.script.steps import Block, Reply, Turn


def steps() -> None:
    """What the makers of steps take and give."""
    assert_type(say("Hello"), Block)
    assert_type(call("add", a=1, b=[2, None]), Block)
    assert_type(call("add", {"a": 1}), Block)
    assert_type(think("hm", signature="s"), Block)
    assert_type(turn(say("a"), call("b"), stop_reason="max_tokens", usage={"output_tokens": 3}, model="m"), Turn)
    assert_type(reply({"content": []}, check=False), Reply)
    say(5)  # type: ignore[arg-type]
    say(text="Hello")  # type: ignore[call-arg]
    call()  # type: ignore[call-arg]
    call("add", 5)  # type: ignore[arg-type]
    turn("Hello")  # type: ignore[arg-type]
    turn(turn(say("a")))  # type: ignore[arg-type]
    reply("Hello")  # type: ignore[arg-type]


def answer(request: Request) -> Block | Turn:
    """A function as a script."""
    assert_type(request.text, str)
    assert_type(request.number, int)
    assert_type(request.stream, bool)
    if "toolu_0001" in request.results:
        return say(str(request.results["toolu_0001"]["content"]))
    return turn(say(request.text), call("add"))


async def later(request: Request) -> Block:
    """What no script may be."""
    return say("x")


def scripts() -> None:
    """What counts as a script."""
    FakeClaude([say("a"), turn(call("b")), reply({"content": []}), answer])
    FakeClaude((say("a"), say("b")))
    FakeClaude(say(text) for text in "abc")
    FakeClaude(answer)
    FakeClaude(lambda request: say(request.text))
    FakeClaude(Script(steps=(turn(say("a")),)))
    FakeClaude([])
    kept = [turn(say("a")), say("b"), reply({"content": []})]
    FakeClaude(kept)
    FakeClaude(say("a"))  # type: ignore[arg-type]
    FakeClaude("a")  # type: ignore[arg-type]
    FakeClaude(["a"])  # type: ignore[list-item]
    FakeClaude(later)  # type: ignore[arg-type]


def options(rule: Rule) -> None:
    """What a fake may be told."""
    FakeClaude([], strict=False, ignore=["system-stable"], rules=[rule], conversations="any", max_requests=5)
    FakeClaude([], ignore={"system-stable"}, conversations="one", max_requests=None)
    FakeClaude([], conversations="two")  # type: ignore[arg-type]
    FakeClaude([], rules=["system-stable"])  # type: ignore[list-item]
    FakeClaude([], False)  # type: ignore[call-arg]


def cassettes(path: Path) -> None:
    """What a replay may be told, and what its error carries."""
    assert_type(FakeClaude.from_cassette("a.yaml"), FakeClaude)
    FakeClaude.from_cassette(path, volatile="dates", strict=False, ignore=["system-stable"], conversations="one")
    FakeClaude.from_cassette(path, volatile=["dates", re.compile("x"), str.lower], sleep=print, accept="make record")
    FakeClaude.from_cassette(path, conversations="each")  # type: ignore[arg-type]
    FakeClaude.from_cassette(path, volatile=5)  # type: ignore[arg-type]
    FakeClaude.from_cassette(path, "dates")  # type: ignore[call-arg]
    try:
        FakeClaude.from_cassette(path).assert_ok()
    except RequestMismatch as error:
        assert_type(error.turn, int | None)
        assert_type(error.path, str | None)
        assert_type(error.recorded, str | None)
        assert_type(error.likely, str)


def uses() -> None:
    """What a fake gives."""
    with FakeClaude([say("a")]) as fake, fake.expect("tool-use-unanswered"):
        assert_type(fake, FakeClaude)
        assert_type(fake.client(max_retries=0), anthropic.Anthropic)
        assert_type(fake.async_client(), anthropic.AsyncAnthropic)
        anthropic.Anthropic(api_key="k", http_client=httpx2.Client(transport=fake.transport))
        anthropic.AsyncAnthropic(api_key="k", http_client=anthropic.DefaultAsyncHttpxClient(transport=fake.transport))
        functions = fake.watch({"add": max})
        functions["add"](1, 2)
        fake.expect(5)  # type: ignore[arg-type]
    assert_type(fake.session, Session)
    assert_type(fake.session.exchanges, tuple[Exchange, ...])
    assert_type(fake.violations, tuple[Violation, ...])
    assert_type(fake.failure(), PlayheadError | None)
    fake.session = Session()  # type: ignore[misc]
    fake.assert_ok()


def judging(session: Session) -> None:
    """Checking without a fake."""
    assert_type(check(session), tuple[Violation, ...])
    assert_type(check_request({"messages": []}), tuple[Violation, ...])
    error = api_error({"messages": []}, {"anthropic-version": "2023-06-01"})
    assert_type(error, ApiError | None)
    if error is not None:
        assert_type(error.message, str)
        assert_type(error.status, int)
    for violation in check(session):
        assert_type(violation.level, Literal["reject", "broken", "warn"])
        assert_type(violation.exchange, int | None)
        violation.path = "$"  # type: ignore[misc]
    check([])  # type: ignore[arg-type]


def errors() -> None:
    """Whose fault it is shows in the type."""
    failures: list[type[RehearsalFailed]] = [
        RuleViolations,
        ScriptNotFinished,
        ScriptOver,
        CassetteNotFinished,
        RequestMismatch,
        ExpectationNotMet,
        SeveralFailures,
    ]
    roots: list[type[PlayheadError]] = [*failures, ScriptError, SetupError, RecordingError]
    asserted: list[type[AssertionError]] = [*failures]
    cap: type[Exception] = RequestLimitReached  # type: ignore[assignment]
    print(roots, asserted, cap)  # noqa: T201

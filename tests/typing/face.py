"""Typed uses of the public face. A type checker reads this file; nobody runs it.

`assert_type` says what a user's editor shows; `# type: ignore[code]` says what a checker must refuse, since an ignore
that is not needed is an error of its own.
"""

from __future__ import annotations

import asyncio
import re
import time
from pathlib import Path
from typing import Literal, assert_type

import anthropic
import httpx2

from playhead import (
    ApiError,
    CassetteNotFinished,
    Delivery,
    Exchange,
    ExpectationNotMet,
    FakeClaude,
    PlayheadError,
    Recording,
    RecordingError,
    RehearsalFailed,
    Request,
    RequestLimitReached,
    RequestMismatch,
    Rule,
    RuleViolations,
    Script,
    ScriptError,
    ScriptFileError,
    ScriptNotFinished,
    ScriptOver,
    Session,
    SetupError,
    SeveralFailures,
    Violation,
    api_error,
    block,
    by_code,
    call,
    check,
    check_request,
    compact,
    cut,
    damage,
    deliver,
    drop,
    fail,
    fallback,
    mcp,
    mcp_listing,
    pause,
    raw,
    record,
    redacted,
    refuse,
    reply,
    say,
    search,
    server_call,
    server_result,
    think,
    truncated,
    turn,
    upload,
    when,
)
from playhead.cassettes.secrets import Pattern
from playhead.script.cases import Case
from playhead.script.faults import Drop, Fail, Raw, Sent
from playhead.script.steps import Block, Reply, Step, Turn


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


def replies() -> None:
    """Replies that pause, refuse, are cut, compact; what Anthropic's own tools do."""
    assert_type(say("a", citations=["https://a.example", {"url": "https://b.example"}]), Block)
    assert_type(call("add", '{"a": 1'), Block)
    assert_type(block({"type": "text", "text": "a"}), Block)
    assert_type(redacted(), Block)
    assert_type(upload("file_1"), Block)
    assert_type(fallback("claude-sonnet-5", by="claude-opus-5", category="bio"), Block)
    assert_type(pause(server_call("web_search", "tides")), Turn)
    assert_type(refuse("cyber", "No.", say("Sure"), details={"recommended_model": "m"}), Turn)
    assert_type(truncated(call("add", a=1), keep=3, stop_reason="model_context_window_exceeded"), Turn)
    assert_type(compact("so far", say("on"), tool_changes=[], encrypted_content="E"), Turn)
    assert_type(compact(None), Turn)
    assert_type(server_call("web_search", {"query": "q"}, ["https://a.example"]), Block)
    assert_type(server_call("bash_code_execution", "ls", error={"error_code": "unavailable"}), Block)
    assert_type(server_result("code_execution", {"stdout": "3", "return_code": 0}), Block)
    assert_type(search("q", ["https://a.example", {"url": "https://b.example"}]), Block)
    assert_type(mcp("server", "tool", {"a": 1}, "text"), Block)
    assert_type(mcp_listing("server", "tool", {"name": "other"}), Block)
    assert_type(by_code(None, call("f"), call("g")), Block)
    assert_type(turn(search("q"), say("a")).content, tuple[Block, ...])
    assert_type(say("a").source(), str)
    FakeClaude([pause(), refuse(), compact("so far"), truncated(say("a")), search("q")])
    call("add", 5)  # type: ignore[arg-type]
    pause("wait")  # type: ignore[arg-type]
    refuse(say("a"))  # type: ignore[arg-type]
    truncated(say("a"), keep="half")  # type: ignore[arg-type]
    search(["q"])  # type: ignore[arg-type]
    server_call("web_search", error=5)  # type: ignore[arg-type]
    by_code(call("f"))  # type: ignore[arg-type]


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


def faults() -> None:
    """What goes wrong: what the makers of faults take and give."""
    assert_type(fail(529), Fail)
    assert_type(
        fail(429, error_code="x", message="m", retry_after_ms=None, headers={"retry-after": "7"}, times=2), Fail
    )
    assert_type(drop(), Drop)
    assert_type(drop("connect_timeout", times=3), Drop)
    assert_type(cut(say("a")), Sent)
    assert_type(cut(turn(say("a")), events=3, how="end"), Sent)
    assert_type(cut(reply({"content": []}), bytes=3, how="reset"), Sent)
    assert_type(cut(say("a"), how="error", error="api_error"), Sent)
    assert_type(damage(say("a"), "malformed_json", at=3), Sent)
    assert_type(deliver(say("a"), pieces=3, chunks="byte", delay=1, pace=0.5, newline="\r\n", headers={"a": "b"}), Sent)
    assert_type(deliver(say("a"), chunks=(1, 2, 3)), Sent)
    assert_type(deliver(say("a"), chunks=7), Sent)
    assert_type(cut(damage(deliver(say("a")), "html")), Sent)
    assert_type(raw(b"bytes", status=502, content_type="text/html"), Raw)
    assert_type(raw("text"), Raw)
    assert_type(raw([b"a", b"b"]), Raw)
    steps: list[Step] = [fail(529), drop(), cut(say("a")), damage(say("a"), "html"), deliver(say("a")), raw(b"")]
    FakeClaude(steps)
    fail("529")  # type: ignore[arg-type]
    fail(529, 3)  # type: ignore[call-arg, arg-type]
    fail(529, headers={"retry-after": 7})  # type: ignore[dict-item]
    drop("conect")  # type: ignore[arg-type]
    cut("a")  # type: ignore[arg-type]
    cut(say("a"), 3)  # type: ignore[call-arg]
    cut(say("a"), how="slam")  # type: ignore[arg-type]
    deliver(say("a"), chunks="line")  # type: ignore[arg-type]
    deliver(say("a"), delay="1")  # type: ignore[arg-type]
    raw(5)  # type: ignore[arg-type]


def failing(request: Request) -> Step:
    """A function may return any step."""
    return fail(529) if request.attempt < 3 else cut(say(request.text), how="end")


def is_about_tides(request: Request) -> bool:
    """A test of a case."""
    return "tide" in request.text


def several() -> None:
    """Several scripts."""
    assert_type(when("tide", [say("a"), fail(529)]), Case)
    assert_type(when(is_about_tides, failing), Case)
    FakeClaude([when("tide", [say("a")]), when("", answer)])
    FakeClaude({"tide": [say("a")], "moon": [drop(), say("b")]})
    FakeClaude({"tide": failing, "moon": answer})
    FakeClaude({"tide": [say("a")], "moon": answer, "sun": Script(steps=(turn(say("a")),))})
    FakeClaude(when(text, [say(text)]) for text in ("tide", "moon"))
    FakeClaude([say("a")], conversations="each")
    when(5, [say("a")])  # type: ignore[arg-type]
    when("tide")  # type: ignore[call-arg]
    when("tide", say("a"))  # type: ignore[arg-type]
    when(later, [say("a")])  # type: ignore[arg-type]


def time_passes() -> None:
    """How replies travel, and what pauses cost."""
    fake = FakeClaude([say("a")], delivery=Delivery(pieces=3, chunks="event", delay=1, pace=0.1), sleep=time.sleep)
    FakeClaude([say("a")], delivery=None, sleep=asyncio.sleep)
    FakeClaude([say("a")], sleep=lambda seconds: None)
    assert_type(fake.waited, float)
    assert_type(Delivery().delay, float)
    assert_type(Delivery().pieces, int | None)
    fake.waited = 3.0  # type: ignore[misc]
    Delivery().delay = 3  # type: ignore[misc]
    FakeClaude([say("a")], delivery={"delay": 1})  # type: ignore[arg-type]
    FakeClaude([say("a")], sleep=0.5)  # type: ignore[arg-type]
    Delivery(3)  # type: ignore[call-arg]


def exchanges(exchange: Exchange) -> None:
    """What an exchange says of its answer."""
    assert_type(exchange.status, int | None)
    assert_type(exchange.complete, bool)
    assert_type(exchange.failed, bool)
    assert_type(exchange.retry_of, int | None)
    assert_type(exchange.response_headers["request-id"], str)


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


def script_files(path: Path, own: Rule) -> None:
    """What a fake that plays a file may be told, and what its error carries."""
    assert_type(FakeClaude.from_file("tides.yaml"), FakeClaude)
    FakeClaude.from_file(path, strict=False, ignore=["system-stable"], rules=[own], conversations="each", level="warn")
    FakeClaude.from_file(path, max_requests=3, threads=False, delivery=Delivery(pace=0.1), sleep=time.sleep, models=[])
    FakeClaude.from_file()  # type: ignore[call-arg]
    FakeClaude.from_file(5)  # type: ignore[arg-type]
    FakeClaude.from_file(path, strikt=False)  # type: ignore[call-arg]
    FakeClaude.from_file(path, conversations="two")  # type: ignore[arg-type]
    FakeClaude.from_file(path, delivery={"pace": 1})  # type: ignore[arg-type]
    try:
        FakeClaude.from_file(path)
    except ScriptFileError as error:
        assert_type(error.path, str)
        assert_type(error.line, int | None)
        assert_type(error.field, str | None)
        assert_type(error.reason, str)


def recordings(path: Path, mode: Literal["replay", "record", "rewrite"]) -> None:
    """What a recording may be told; its mode says what it is."""
    own = Pattern(name="acme-id", regex="ACME")
    assert_type(record(path), Recording)
    assert_type(record("a.yaml", mode="record", volatile="dates"), Recording)
    assert_type(record("a.yaml", mode="replay"), FakeClaude)
    assert_type(record(path, mode=mode), FakeClaude | Recording)
    with record(path, None, scrubbers=[str.lower, {"a": "b"}], patterns=(own,), known=["secret"], mode=mode) as either:
        assert_type(either.client(), anthropic.Anthropic)
        assert_type(either.async_client(), anthropic.AsyncAnthropic)
    record(path, mode="once")  # type: ignore[call-overload]
    record(path, scrubbers=5)  # type: ignore[call-overload]
    FakeClaude.from_cassette(path, scrubbers=str.lower, known=["secret"], allow_unplayed=True)


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
    roots: list[type[PlayheadError]] = [*failures, ScriptError, SetupError, ScriptFileError, RecordingError]
    asserted: list[type[AssertionError]] = [*failures]
    cap: type[Exception] = RequestLimitReached  # type: ignore[assignment]
    print(roots, asserted, cap)  # noqa: T201

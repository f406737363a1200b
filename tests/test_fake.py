"""FakeClaude under the real SDK."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anthropic
import httpx2
import pytest
from anthropic import beta_tool
from hypothesis import given, settings
from hypothesis import strategies as st

from playhead import (
    ExpectationNotMet,
    FakeClaude,
    Request,
    RequestLimitReached,
    Rule,
    RuleViolations,
    ScriptError,
    ScriptNotFinished,
    ScriptOver,
    SetupError,
    SeveralFailures,
    call,
    reply,
    say,
    think,
    turn,
)
from playhead.rules.rule import Finding, RequestView, StepView

MODEL = "claude-opus-5-5"
TOOLS: list[Any] = [{"name": "add", "description": "adds", "input_schema": {"type": "object"}}]
ASK: Any = {"role": "user", "content": "What is 1 + 2?"}
HEADERS = {"x-api-key": "k", "anthropic-version": "2023-06-01"}
BETAS = ["files-api-2025-04-14"]
SIMPLE: dict[str, Any] = {"model": MODEL, "max_tokens": 64, "messages": [ASK], "tools": TOOLS}


@pytest.fixture(autouse=True)
def no_sleep(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever sleeps here is backing off after an answer that must not be tried again."""

    def fail(seconds: float) -> None:
        raise AssertionError(f"something slept for {seconds} s")

    monkeypatch.setattr(time, "sleep", fail)


def add(a: int = 0, b: int = 0) -> str:
    """Adds."""
    return str(a + b)


def results_of(message: Any, functions: dict[str, Callable[..., Any]]) -> list[Any]:
    return [
        {"type": "tool_result", "tool_use_id": block.id, "content": functions[block.name](**block.input)}
        for block in message.content
        if block.type == "tool_use"
    ]


def loop(client: anthropic.Anthropic, functions: dict[str, Callable[..., Any]] | None = None, text: str = "") -> Any:
    """A plain loop without a fault. Returns the last message."""
    messages: list[Any] = [{"role": "user", "content": text or ASK["content"]}]
    while True:
        message = client.messages.create(model=MODEL, max_tokens=64, messages=messages, tools=TOOLS)
        messages.append({"role": "assistant", "content": message.content})
        if message.stop_reason != "tool_use":
            return message
        messages.append({"role": "user", "content": results_of(message, functions or {"add": add})})


async def async_loop(client: anthropic.AsyncAnthropic, text: str = "") -> Any:
    """The same, async."""
    messages: list[Any] = [{"role": "user", "content": text or ASK["content"]}]
    while True:
        message = await client.messages.create(model=MODEL, max_tokens=64, messages=messages, tools=TOOLS)
        messages.append({"role": "assistant", "content": message.content})
        if message.stop_reason != "tool_use":
            return message
        messages.append({"role": "user", "content": results_of(message, {"add": add})})
        await asyncio.sleep(0)


def forgetful(client: anthropic.Anthropic) -> None:
    """A loop that leaves a call unanswered. Raises what the SDK raises."""
    first = client.messages.create(**SIMPLE)
    client.messages.create(**{**SIMPLE, "messages": [ASK, {"role": "assistant", "content": first.content}, ASK]})


# Every way to ask


def _raw_stream(client: anthropic.Anthropic) -> Any:
    text, blocks = "", 0
    for event in client.messages.create(**SIMPLE, stream=True):
        if event.type == "content_block_start":
            blocks += 1
        if event.type == "content_block_delta" and event.delta.type == "text_delta":
            text += event.delta.text
    return text, blocks


def _parts(message: Any) -> Any:
    return "".join(block.text for block in message.content if block.type == "text"), len(message.content)


def _helper(stream: Any) -> Any:
    with stream as events:
        return _parts(events.get_final_message())


def _with_raw_response(client: anthropic.Anthropic) -> Any:
    raw = client.messages.with_raw_response.create(**SIMPLE)
    assert raw.headers["request-id"] == "req_0001"
    assert raw.elapsed.total_seconds() >= 0
    return _parts(raw.parse())


def _with_streaming_response(client: anthropic.Anthropic) -> Any:
    with client.messages.with_streaming_response.create(**SIMPLE) as raw:
        return _parts(raw.parse())


WAYS: dict[str, Callable[[anthropic.Anthropic], Any]] = {
    "messages.create": lambda client: _parts(client.messages.create(**SIMPLE)),
    "messages.create(stream=True)": _raw_stream,
    "messages.stream": lambda client: _helper(client.messages.stream(**SIMPLE)),
    "beta.messages.create": lambda client: _parts(client.beta.messages.create(**SIMPLE, betas=BETAS)),
    "beta.messages.stream": lambda client: _helper(client.beta.messages.stream(**SIMPLE)),
    "with_raw_response": _with_raw_response,
    "with_streaming_response": _with_streaming_response,
    "with_options": lambda client: _parts(client.with_options(max_retries=5, timeout=1).messages.create(**SIMPLE)),
    "copy": lambda client: _parts(client.copy(default_headers={"x-mine": "1"}).messages.create(**SIMPLE)),
    "post": lambda client: _parts(client.post("/v1/messages", body=SIMPLE, cast_to=anthropic.types.Message)),
}


@pytest.mark.parametrize("ask", WAYS.values(), ids=WAYS)
def test_every_way_to_ask(ask: Callable[[anthropic.Anthropic], Any]) -> None:
    """Each call of the SDK gets the scripted reply, and leaves the fake content."""
    with FakeClaude([turn(say("Hello, "), say("世界 🎉"), call("add", a=1))]) as fake:
        assert ask(fake.client()) == ("Hello, 世界 🎉", 3)
    assert len(fake.session.exchanges) == 1


async def _async_raw_stream(client: anthropic.AsyncAnthropic) -> Any:
    text, blocks = "", 0
    async for event in await client.messages.create(**SIMPLE, stream=True):
        if event.type == "content_block_start":
            blocks += 1
        if event.type == "content_block_delta" and event.delta.type == "text_delta":
            text += event.delta.text
    return text, blocks


async def _async_create(client: anthropic.AsyncAnthropic) -> Any:
    return _parts(await client.messages.create(**SIMPLE))


async def _async_helper(client: anthropic.AsyncAnthropic) -> Any:
    async with client.messages.stream(**SIMPLE) as events:
        return _parts(await events.get_final_message())


async def _async_beta(client: anthropic.AsyncAnthropic) -> Any:
    return _parts(await client.beta.messages.create(**SIMPLE))


async def _async_raw(client: anthropic.AsyncAnthropic) -> Any:
    raw = await client.with_options(timeout=3).messages.with_raw_response.create(**SIMPLE)
    return _parts(await raw.parse())


@pytest.mark.parametrize(
    "ask",
    [_async_create, _async_raw_stream, _async_helper, _async_beta, _async_raw],
    ids=["create", "create(stream=True)", "stream", "beta", "with_raw_response"],
)
def test_every_way_to_ask_async(ask: Callable[[anthropic.AsyncAnthropic], Coroutine[Any, Any, Any]]) -> None:
    """The async client gets the same."""
    with FakeClaude([turn(say("Hello, "), say("世界 🎉"), call("add", a=1))]) as fake:
        assert asyncio.run(ask(fake.async_client())) == ("Hello, 世界 🎉", 3)


def test_counting_tokens() -> None:
    """Both namespaces, sync and async, count the same and play no step."""
    with FakeClaude([say("x")]) as fake:
        client, later = fake.client(), fake.async_client()
        asked: dict[str, Any] = {"model": MODEL, "messages": [ASK], "tools": TOOLS}

        async def count() -> list[int]:
            plain, beta = await later.messages.count_tokens(**asked), await later.beta.messages.count_tokens(**asked)
            return [plain.input_tokens, beta.input_tokens]

        counts = [client.messages.count_tokens(**asked).input_tokens]
        counts += [client.beta.messages.count_tokens(**asked).input_tokens, *asyncio.run(count())]
        message = client.messages.create(**SIMPLE)
        assert counts == [message.usage.input_tokens] * 4
    assert len(fake.session.exchanges) == 5
    assert len(fake.session.turns) == 1


@pytest.mark.parametrize(
    "variables",
    [
        {"ANTHROPIC_BASE_URL": "http://gateway.invalid:1/claude"},
        {"ANTHROPIC_AUTH_TOKEN": "token"},
        {"ANTHROPIC_API_KEY": "key"},
    ],
    ids=lambda variables: next(iter(variables)),
)
def test_the_developers_environment_makes_no_difference(
    variables: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A gateway or a key in the environment leads nobody past the fake."""
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with FakeClaude([say("x")]) as fake:
        assert _parts(fake.client().messages.create(**SIMPLE)) == ("x", 1)


# The tool runner


def test_the_tool_runner_goes_on_without_threads() -> None:
    """It asks for a thread held by the server, is told that there are none, and sends the history."""

    @beta_tool
    def add(a: int, b: int) -> str:
        """Adds."""
        return str(a + b)

    with FakeClaude([call("add", a=1, b=2), call("add", a=3, b=3), say("6")], threads=False) as fake:
        runner = fake.client().beta.messages.tool_runner(model=MODEL, max_tokens=64, messages=[ASK], tools=[add])
        last = runner.until_done()
        assert last.content[0].text == "6"  # type: ignore[union-attr]
    bodies = [exchange.request or {} for exchange in fake.session.exchanges]
    assert [exchange.status for exchange in fake.session.exchanges] == [400, 200, 200, 200]
    assert "thread" in bodies[0]
    assert not any("thread" in body for body in bodies[1:])
    assert [len(body["messages"]) for body in bodies] == [1, 1, 3, 5]
    assert fake.session.exchanges[1].retry_of == 1


@pytest.mark.parametrize("streaming", [False, True], ids=["json", "stream"])
def test_the_tool_runner_without_threads(streaming: bool) -> None:
    """`thread=False` sends the full history from the start."""

    @beta_tool
    def add(a: int, b: int) -> str:
        """Adds."""
        return str(a + b)

    with FakeClaude([turn(call("add", a=1, b=2), call("add", a=3, b=3)), say("6")]) as fake:
        runner = fake.client().beta.messages.tool_runner(
            model=MODEL, max_tokens=64, messages=[ASK], tools=[add], thread=False, stream=streaming
        )
        runner.until_done()
    assert [len(exchange.messages) for exchange in fake.session.exchanges] == [1, 3]


def test_the_async_tool_runner() -> None:
    """The async runner recovers as well."""

    @anthropic.beta_async_tool
    async def add(a: int, b: int) -> str:
        """Adds."""
        return str(a + b)

    async def run(client: anthropic.AsyncAnthropic) -> Any:
        runner = client.beta.messages.tool_runner(model=MODEL, max_tokens=64, messages=[ASK], tools=[add])
        return await runner.until_done()

    with FakeClaude([call("add", a=1, b=2), say("3")]) as fake:
        assert asyncio.run(run(fake.async_client())).content[0].text == "3"


# One message, whatever the way

TEXT = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)
INPUT = st.dictionaries(
    TEXT,
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXT, lambda inner: st.lists(inner, max_size=2)
    ),
    max_size=3,
)
BLOCKS = st.one_of(
    TEXT.map(say),
    TEXT.map(think),
    INPUT.map(lambda value: call("add", value)),
    st.sampled_from(
        [
            {"type": "redacted_thinking", "data": "opaque=="},
            {"type": "server_tool_use", "name": "web_search", "input": {"query": "é"}},
            {"type": "text", "text": "cited", "citations": None},
        ]
    ),
)


@st.composite
def replies(draw: st.DrawFn) -> Any:
    """Turns and replies of all kinds of blocks."""
    blocks: list[Any] = draw(st.lists(BLOCKS, max_size=4))
    if all(not isinstance(block, dict) for block in blocks):
        return turn(*blocks)
    return reply({"content": [block if isinstance(block, dict) else block.data for block in blocks]})


def _stream_message(client: anthropic.Anthropic) -> Any:
    with client.messages.stream(**SIMPLE) as stream:
        return stream.get_final_message()


async def _later(client: anthropic.AsyncAnthropic, streaming: bool) -> Any:
    if not streaming:
        return await client.messages.create(**SIMPLE)
    async with client.messages.stream(**SIMPLE) as stream:
        return await stream.get_final_message()


@settings(max_examples=60, deadline=None)
@given(replies())
def test_a_reply_is_the_same_message_every_way(step: Any) -> None:
    """As JSON, through the stream helper, sync and async: one message, down to ids and usage."""

    def told(ask: Callable[[FakeClaude], Any]) -> Any:
        message = ask(FakeClaude([step])).to_dict()
        # the helper fills what the API leaves out: a parsed form of its own, and members that are null
        return {
            **{key: value for key, value in message.items() if value is not None},
            "content": [
                {key: value for key, value in block.items() if value is not None and key != "parsed_output"}
                for block in message["content"]
            ],
        }

    as_json = told(lambda fake: fake.client().messages.create(**SIMPLE))
    assert told(lambda fake: _stream_message(fake.client())) == as_json
    assert told(lambda fake: asyncio.run(_later(fake.async_client(), False))) == as_json
    assert told(lambda fake: asyncio.run(_later(fake.async_client(), True))) == as_json


@settings(max_examples=25, deadline=None)
@given(st.lists(replies().filter(lambda step: "server_tool_use" not in repr(step)), max_size=3))
def test_what_claude_said_can_be_sent_back(steps: list[Any]) -> None:
    """Every reply, echoed by the SDK's own types, breaks no rule: the loop without a fault is never blamed.

    Server tools are left out: a call of theirs without its result is one that no loop can go on from.
    """
    with FakeClaude([*steps, say("done")], conversations="any") as fake:
        client, messages = fake.client(), [ASK]
        for _ in [*steps, None]:
            message = client.messages.create(**{**SIMPLE, "messages": messages})
            results = results_of(message, {"add": lambda **arguments: "ok"})
            if message.content:  # a reply without content is not to be stored
                messages = [*messages, {"role": "assistant", "content": message.content}]
            messages = [*messages, {"role": "user", "content": results or "go on"}]


def test_two_runs_are_the_same() -> None:
    """Ids, usage and everything else of two runs are equal."""

    def run() -> list[Any]:
        fake = FakeClaude([turn(think("hm"), call("add", a=1)), call("add", b=2), say("3")])
        loop(fake.client())
        return [exchange.response for exchange in fake.session.exchanges]

    assert run() == run()


# Refusals


def test_a_refusal_reaches_the_loop_as_the_apis() -> None:
    """One request, no second try, the SDK's typed error with the API's wording, and the violation kept."""
    fake = FakeClaude([call("add"), say("never")])
    with pytest.raises(anthropic.BadRequestError) as caught:
        forgetful(fake.client(max_retries=5))
    assert caught.value.status_code == 400
    assert caught.value.response.headers["x-should-retry"] == "false"
    assert caught.value.body["error"]["message"] == (  # type: ignore[index]
        "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_0001. "
        "Each `tool_use` block must have a corresponding `tool_result` block in the next message."
    )
    assert caught.value.request_id == "req_0002"
    assert len(fake.session.exchanges) == 2
    (violation,) = fake.violations
    assert (violation.rule, violation.level, violation.exchange) == ("tool-use-unanswered", "reject", 2)
    with pytest.raises(RuleViolations):
        fake.assert_ok()


def test_a_refusal_of_a_stream() -> None:
    """Streams are refused before they begin."""
    fake = FakeClaude([say("x")])
    with pytest.raises(anthropic.BadRequestError), fake.client().messages.stream(**{**SIMPLE, "messages": []}):
        pass
    assert [violation.rule for violation in fake.violations] == ["req-messages-nonempty"]


def test_a_refusal_reaches_an_async_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """The async client does not try again either."""

    async def fail(*arguments: object) -> None:
        raise AssertionError("the async client backed off")

    async def run(client: anthropic.AsyncAnthropic) -> None:
        await client.messages.create(**{**SIMPLE, "messages": []})

    fake = FakeClaude([say("x")])
    monkeypatch.setattr("anyio.sleep", fail)
    with pytest.raises(anthropic.BadRequestError, match="at least one message is required"):
        asyncio.run(run(fake.async_client(max_retries=5)))
    assert len(fake.session.exchanges) == 1


def test_a_loop_that_swallows_everything() -> None:
    """The failure waits for the test's end."""
    fake = FakeClaude([call("add"), say("x")])
    with pytest.raises(RuleViolations, match="tool-use-unanswered"), fake, contextlib.suppress(Exception):
        forgetful(fake.client())


def test_a_script_that_is_over() -> None:
    """Every request too many is a 400 without a second try, and fails the test."""
    fake = FakeClaude([say("x")])
    client = fake.client()
    client.messages.create(**SIMPLE)
    for _ in range(2):
        with pytest.raises(anthropic.BadRequestError, match="the script is over: its one step was played"):
            client.messages.create(**SIMPLE)
    with pytest.raises(ScriptOver) as caught:
        fake.assert_ok()
    assert caught.value.requests == 2


def test_steps_that_were_not_played() -> None:
    """A loop that stops early fails the test, with the steps that are left."""
    with pytest.raises(ScriptNotFinished) as caught, FakeClaude([say("a"), say("b")]) as fake:
        loop(fake.client())
    assert caught.value.steps == (turn(say("b")),)


def test_an_unknown_endpoint() -> None:
    """A 404 without a second try; the test learns that the fake does not play it."""
    fake = FakeClaude([])
    with pytest.raises(anthropic.NotFoundError, match="Not Found"):
        fake.client().messages.batches.list()
    with pytest.raises(
        ScriptError, match="request 1 is GET /v1/messages/batches, and the fake plays POST /v1/messages, "
    ):
        fake.assert_ok()


def test_a_body_that_is_no_json() -> None:
    """A 400 as from the API."""
    fake = FakeClaude([])
    with httpx2.Client(transport=fake.transport, headers=HEADERS) as client:
        answer = client.post("https://api.anthropic.com/v1/messages", content=b"{")
    assert answer.status_code == 400
    assert answer.json()["error"]["type"] == "invalid_request_error"
    with pytest.raises(ScriptError, match="request 1 cannot be read"):
        fake.assert_ok()


def test_a_tool_that_is_not_offered() -> None:
    """The script's own fault is told as one, in the loop and at the end."""
    fake = FakeClaude([call("sum")])
    with pytest.raises(anthropic.BadRequestError, match="step 1 calls 'sum', but the request offers add"):
        loop(fake.client())
    with pytest.raises(ScriptError, match="mend the name in the script"):
        fake.assert_ok()


# The cap


def endless(request: Request) -> Any:
    """Claude never stops calling."""
    return call("add", a=request.number)


def test_the_cap_stops_a_loop_that_catches_every_exception() -> None:
    """What is raised is no Exception, so that not even this loop goes on."""
    fake = FakeClaude(endless, max_requests=5)

    def stubborn() -> None:
        while True:
            with contextlib.suppress(Exception):
                loop(fake.client())

    with pytest.raises(RequestLimitReached, match="more than 5 requests"):
        stubborn()
    assert len(fake.session.exchanges) == 5
    with pytest.raises(RuleViolations, match="loop-bounded"):
        fake.assert_ok()


def test_the_cap_stops_an_async_loop() -> None:
    """The same through asyncio."""
    fake = FakeClaude(endless, max_requests=5)
    with pytest.raises(RequestLimitReached):
        asyncio.run(async_loop(fake.async_client()))
    assert not isinstance(RequestLimitReached(5), Exception)


def test_the_cap_is_kept_where_gather_hides_it() -> None:
    """`gather(return_exceptions=True)` hands it out as a value; the test fails at its end all the same."""
    fake = FakeClaude(endless, max_requests=5, conversations="any")

    async def main() -> list[Any]:
        client = fake.async_client()
        return [*await asyncio.gather(async_loop(client, "a"), async_loop(client, "b"), return_exceptions=True)]

    assert [type(value) for value in asyncio.run(main())] == [RequestLimitReached, RequestLimitReached]
    with pytest.raises(RuleViolations, match="loop-bounded"):
        fake.assert_ok()


@pytest.mark.parametrize(
    ("script", "options", "limit"),
    [
        ([say("x")], {}, 100),
        ([say("x")] * 150, {}, 160),
        (endless, {}, 100),
        ([say("x")] * 150, {"max_requests": 2}, 2),
    ],
    ids=["short", "long", "function", "given"],
)
def test_the_size_of_the_cap(script: Any, options: dict[str, int], limit: int) -> None:
    """100, or ten more than the script holds, unless it is given."""
    fake = FakeClaude(script, strict=False, conversations="any", **options)  # type: ignore[arg-type]
    with httpx2.Client(transport=fake.transport, headers=HEADERS) as client:
        for _ in range(limit):
            client.post("https://api.anthropic.com/v1/messages", json=SIMPLE)
        with pytest.raises(RequestLimitReached) as caught:
            client.post("https://api.anthropic.com/v1/messages", json=SIMPLE)
    assert caught.value.limit == limit


# Options


def test_a_lenient_fake() -> None:
    """`strict=False` refuses nothing and fails nothing, and still tells."""
    with FakeClaude([call("add"), say("x"), say("never")], strict=False) as fake:
        forgetful(fake.client())
    assert [violation.rule for violation in fake.violations] == ["tool-use-unanswered"]


def test_an_ignored_rule() -> None:
    """`ignore=` switches a rule off, the others stay on."""
    with FakeClaude([call("add"), say("x")], ignore=["tool-use-unanswered"]) as fake:
        forgetful(fake.client())
    assert fake.violations == ()
    fake = FakeClaude([say("x")], ignore=["tool-use-unanswered"])
    with pytest.raises(anthropic.BadRequestError):
        fake.client().messages.create(**{**SIMPLE, "messages": []})


def _shouting(view: RequestView) -> Iterator[Finding]:
    if "!" in str(view.messages):
        yield Finding(path="$.messages", what="somebody shouts", values={"sign": "!"})


def _short_of_patience(step: StepView) -> Iterator[Finding]:
    if step.link.turn > 1:
        yield Finding(path="$", what="a second turn")


def test_a_rule_of_ones_own_that_refuses() -> None:
    """It is answered with its wording, and kept, like those of the API."""
    rule = Rule(
        id="no-shouting", level="reject", fix="leave out {sign}", wording=("calm down: {sign}",), request=_shouting
    )
    fake = FakeClaude([say("x")], rules=[rule])
    with pytest.raises(anthropic.BadRequestError, match="calm down: !"):
        loop(fake.client(), text="Now!")
    (violation,) = fake.violations
    assert (violation.rule, violation.fix) == ("no-shouting", "leave out !")


def test_a_rule_of_ones_own_about_steps() -> None:
    """A rule across exchanges that only blames."""
    rule = Rule(id="one-turn", level="broken", fix="stop", step=_short_of_patience)
    with pytest.raises(RuleViolations, match="a second turn"), FakeClaude([call("add"), say("x")], rules=[rule]) as it:
        loop(it.client())


# Functions as scripts


def test_a_function_answers_every_request() -> None:
    """It sees the request and may return any step."""

    def answer(request: Request) -> Any:
        if request.results:
            return say(f"It is {next(iter(request.results.values()))['content']}.")
        return turn(say("Let me see."), call("add", a=len(request.messages), b=2))

    with FakeClaude(answer) as fake:
        assert _parts(loop(fake.client())) == ("It is 3.", 1)


def test_a_function_among_steps() -> None:
    """It takes its turn in the order of the list."""
    with FakeClaude([call("add", a=1, b=2), lambda request: say(str([*request.results]))]) as fake:
        assert _parts(loop(fake.client())) == ("['toolu_0001']", 1)


def test_a_function_may_look_at_the_fake() -> None:
    """The session can be read from inside a script without a deadlock."""
    fake = FakeClaude(lambda request: say(f"{len(fake.session.exchanges)} {fake.violations}"))
    assert _parts(fake.client().messages.create(**SIMPLE)) == ("0 ()", 1)


def test_a_function_that_raises() -> None:
    """The loop gets a 400 with the error's text; the test gets the error as the cause of its own."""
    error = LookupError("no idea")

    def answer(request: Request) -> Any:
        raise error

    fake = FakeClaude([answer])
    with pytest.raises(anthropic.BadRequestError, match="step 1 raised LookupError: no idea"):
        loop(fake.client())
    with pytest.raises(ScriptError, match="step 1 raised LookupError: no idea") as caught:
        fake.assert_ok()
    assert caught.value.__cause__ is error
    assert len(fake.session.exchanges) == 1


# expect


def test_an_expected_violation_fails_nothing() -> None:
    """The refusal reaches the loop as ever, the steps it left over are forgiven, and the fake is content."""
    with (
        FakeClaude([call("add"), say("never")]) as fake,
        fake.expect("tool-use-unanswered"),
        pytest.raises(anthropic.BadRequestError),
    ):
        forgetful(fake.client())
    assert len(fake.violations) == 1


def test_only_what_is_expected_is_forgiven() -> None:
    """The same rule broken outside the block fails the test, before and after it."""
    fake = FakeClaude([say("x")])
    client = fake.client()

    def empty() -> None:
        with pytest.raises(anthropic.BadRequestError):
            client.messages.create(**{**SIMPLE, "messages": []})

    empty()
    with fake.expect("req-messages-nonempty"):
        empty()
    empty()
    with pytest.raises(RuleViolations) as caught:
        fake.assert_ok()
    assert [violation.exchange for violation in caught.value.violations] == [1, 3]  # type: ignore[attr-defined]


def test_a_violation_found_later_does_not_take_the_place_of_an_expected_one() -> None:
    """What is expected is the violation, not its place in a list that may still change."""
    fake = FakeClaude([turn(call("add"), stop_reason="max_tokens"), say("x")])
    functions = fake.watch({"add": add})
    with fake.expect("tool-use-unanswered"), pytest.raises(anthropic.BadRequestError):
        forgetful(fake.client())
    functions["add"]()
    with pytest.raises(RuleViolations) as caught:
        fake.assert_ok()
    assert [violation.rule for violation in caught.value.violations] == ["max-tokens-no-tool-execution"]  # type: ignore[attr-defined]


def test_an_expectation_that_is_not_met() -> None:
    """It says what was seen instead, and names its rule."""
    fake = FakeClaude([say("x")])
    with (
        pytest.raises(ExpectationNotMet, match="nothing else was violated either") as caught,
        fake.expect("tool-result-orphan"),
    ):
        pass
    assert caught.value.rule == "tool-result-orphan"
    with pytest.raises(anthropic.BadRequestError):
        fake.client().messages.create(**{**SIMPLE, "messages": []})
    with (
        pytest.raises(ExpectationNotMet, match="seen so far: req-messages-nonempty"),
        fake.expect("tool-result-orphan"),
    ):
        pass


def test_the_bodys_error_comes_before_an_unmet_expectation() -> None:
    """An error of the block passes, and what was met until then is still forgiven."""
    fake = FakeClaude([say("x")])
    with pytest.raises(anthropic.BadRequestError), fake.expect("req-messages-nonempty"):
        fake.client().messages.create(**{**SIMPLE, "messages": []})
    with pytest.raises(ZeroDivisionError), fake.expect("tool-result-orphan"):
        raise ZeroDivisionError
    fake.client().messages.create(**SIMPLE)
    fake.assert_ok()


# watch


def test_watched_functions_are_counted() -> None:
    """Each run is noted with the call that asked for it; the functions return what they did."""
    with FakeClaude([turn(call("add", a=1, b=2), call("add", a=1, b=2), call("add", a=5)), say("x")]) as fake:
        functions = fake.watch({"add": add})
        loop(fake.client(), functions)
    first, second = fake.session.exchanges
    assert first.tools_run == ("toolu_0001", "toolu_0002", "toolu_0003")
    assert first.results == {"toolu_0001": "3", "toolu_0002": "3", "toolu_0003": "5"}
    assert second.tools_run == ()


def test_a_tool_that_raises_is_counted() -> None:
    """The error passes through and is noted."""

    def fail(**arguments: Any) -> str:
        raise LookupError("gone")

    fake = FakeClaude([call("add")], strict=False)
    functions = fake.watch({"add": fail})
    with pytest.raises(LookupError, match="gone"):
        loop(fake.client(), functions)
    assert fake.session.exchanges[0].tools_run == ("toolu_0001",)
    assert fake.session.exchanges[0].results == {"toolu_0001": {"raised": "gone"}}


class _Adder:
    async def __call__(self, a: int, b: int) -> int:
        await asyncio.sleep(0)
        return a + b


async def _add_later(a: int, b: int) -> int:
    await asyncio.sleep(0)
    return a + b


async def _fail_later(a: int, b: int) -> int:
    await asyncio.sleep(0)
    raise LookupError("gone")


@pytest.mark.parametrize(
    ("function", "result"),
    [(_add_later, 3), (_Adder(), 3), (_fail_later, {"raised": "gone"})],
    ids=["function", "object", "raising"],
)
def test_async_functions_stay_async(function: Callable[..., Any], result: object) -> None:
    """They are counted when they have run, not when they are called."""
    fake = FakeClaude([call("add", a=1, b=2)], strict=False)
    watched = fake.watch({"add": function})["add"]
    fake.client().messages.create(**SIMPLE)
    assert inspect.iscoroutinefunction(watched)

    async def run() -> None:
        running = watched(a=1, b=2)
        assert fake.session.exchanges[0].tools_run == ()
        with contextlib.suppress(LookupError):
            await running

    asyncio.run(run())
    assert fake.session.exchanges[0].results == {"toolu_0001": result}


@pytest.mark.parametrize(
    ("changed", "results"),
    [({"b": None}, {"toolu_0001": "one", "toolu_0002": "two"}), ({"a": "text"}, {})],
    ids=["a default is added", "the input is another"],
)
def test_whose_a_result_is_where_the_input_was_changed(changed: dict[str, Any], results: dict[str, str]) -> None:
    """Tools that end in another order than they were asked for: what is run belongs to the call whose input is all in
    it; where any of several may be meant, nobody knows whose the result is.
    """
    fake = FakeClaude([turn(call("add", a=1), call("add", a=2))])
    watched = fake.watch({"add": lambda **given: "two" if given["number"] == 2 else "one"})["add"]
    fake.client().messages.create(**SIMPLE)
    for number in (2, 1):
        watched(number=number, **{"a": number, **changed})
    exchange = fake.session.exchanges[0]
    assert sorted(exchange.tools_run or ()) == ["toolu_0001", "toolu_0002"]
    assert exchange.results == results


def test_a_watched_function_is_still_itself() -> None:
    """Name, docstring and signature stay, and so do positional arguments, which are matched by their names."""
    fake = FakeClaude([turn(call("add", a=1, b=2), call("add", a=3, b=4))], strict=False)
    watched = fake.watch({"add": add})["add"]
    assert (watched.__name__, watched.__doc__) == ("add", "Adds.")
    assert inspect.signature(watched) == inspect.signature(add)
    fake.client().messages.create(**SIMPLE)
    assert watched(3, b=4) == "7"
    assert fake.session.exchanges[0].results == {"toolu_0002": "7"}


# Conversations


def test_one_conversation_means_one() -> None:
    """By default a fresh start is dropped history."""
    fake = FakeClaude([say("a"), say("b")])
    client = fake.client()
    loop(client, text="one")
    loop(client, text="two")
    with pytest.raises(RuleViolations, match="history-resent-in-full"):
        fake.assert_ok()


def test_any_number_of_conversations() -> None:
    """`conversations="any"` allows fresh starts, also interleaved ones, and tells them apart."""
    with FakeClaude(lambda request: say(f"to {request.text}"), conversations="any") as fake:
        client = fake.client()
        histories: dict[str, list[Any]] = {"a": [], "b": [], "c": []}
        for number in range(3):
            for name, messages in histories.items():
                messages.append({"role": "user", "content": f"{name}{number}"})
                message = client.messages.create(model=MODEL, max_tokens=64, messages=messages)
                assert _parts(message) == (f"to {name}{number}", 1)
                messages.append({"role": "assistant", "content": message.content})
    assert [len(conversation.turns) for conversation in fake.session.conversations] == [3, 3, 3]


# Threads


def test_every_thread_its_own_fake() -> None:
    """Eight fakes in eight threads never meet."""
    barrier = threading.Barrier(8)

    def run(number: int) -> tuple[int, str]:
        with FakeClaude([*[call("add", a=number)] * 5, say(f"thread {number}")]) as fake:
            client = fake.client()
            barrier.wait(timeout=30)
            text, _ = _parts(loop(client))
        return len(fake.session.exchanges), text

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(run, range(8)))
    assert results == [(6, f"thread {number}") for number in range(8)]


def test_one_fake_for_many_threads() -> None:
    """Eight conversations from eight threads: each gets whole answers, and no request is lost or counted twice."""

    def answer(request: Request) -> Any:
        if len(request.messages) < 9:
            return call("add", text=request.messages[0]["content"])
        return say(f"done with {request.messages[0]['content']}")

    with FakeClaude(answer, conversations="any") as fake:
        client = fake.client()
        with ThreadPoolExecutor(8) as pool:
            ended = list(pool.map(lambda n: _parts(loop(client, {"add": lambda text: text}, f"job {n}"))[0], range(8)))
    assert ended == [f"done with job {number}" for number in range(8)]
    assert [exchange.number for exchange in fake.session.exchanges] == list(range(1, 41))
    assert sorted(len(conversation.turns) for conversation in fake.session.conversations) == [5] * 8
    assert len({(exchange.response or {})["id"] for exchange in fake.session.exchanges}) == 40


def test_concurrent_async_loops() -> None:
    """The same with tasks of one event loop."""

    async def main(client: anthropic.AsyncAnthropic) -> list[Any]:
        return await asyncio.gather(*(async_loop(client, f"job {number}") for number in range(5)))

    with FakeClaude(lambda request: say("x") if request.results else call("add", a=1), conversations="any") as fake:
        assert [_parts(message) for message in asyncio.run(main(fake.async_client()))] == [("x", 1)] * 5
    assert len(fake.session.conversations) == 5


# The context manager


def test_leaving_judges() -> None:
    """A block that ends well is judged."""
    with pytest.raises(ScriptNotFinished), FakeClaude([say("x")]):
        pass


@pytest.mark.parametrize("error", [ZeroDivisionError("mine"), KeyboardInterrupt(), RequestLimitReached(3)], ids=repr)
def test_the_bodys_error_is_never_masked(error: BaseException) -> None:
    """It passes as the same object, with what the fake saw as a note."""
    fake = FakeClaude([call("add"), say("x")])
    with pytest.raises(anthropic.BadRequestError):
        forgetful(fake.client())
    with pytest.raises(type(error)) as caught, fake:
        raise error
    assert caught.value is error
    (note,) = error.__notes__
    assert note.startswith("What the fake Claude saw:\nRuleViolations: ")
    assert "tool-use-unanswered" in note


def test_an_error_without_violations_gets_no_note() -> None:
    """Steps left over after an error say nothing new."""
    with pytest.raises(ZeroDivisionError) as caught, FakeClaude([say("x")]):
        raise ZeroDivisionError
    assert not hasattr(caught.value, "__notes__")


def test_several_failures_come_together() -> None:
    """Everything that went wrong is in one error."""
    fake = FakeClaude([call("add")])
    client = fake.client()
    with pytest.raises(anthropic.BadRequestError):
        forgetful(client)
    with pytest.raises(anthropic.BadRequestError):
        client.messages.create(**SIMPLE)
    with pytest.raises(SeveralFailures) as caught:
        fake.assert_ok()
    assert [type(failure) for failure in caught.value.failures] == [RuleViolations, ScriptOver]
    assert isinstance(caught.value, AssertionError)


# Clients


class _StrangeClient:
    """Stands in for `httpx.Client`, which this SDK does not speak through."""


_StrangeClient.__module__ = "httpx"


@pytest.mark.parametrize("method", ["client", "async_client"])
def test_an_http_client_of_ones_own(method: str) -> None:
    """It would go past the fake: refused with the way to do it, and a client of the wrong module by name."""
    fake = FakeClaude([say("x")])
    kind = "AsyncClient" if method == "async_client" else "Client"
    advice = rf"http_client=httpx2\.{kind}\(transport=fake\.transport\)"
    with pytest.raises(SetupError, match=rf"makes its own http_client, which the fake answers: .*{advice}"):
        getattr(fake, method)(http_client=httpx2.Client())
    with pytest.raises(SetupError, match=rf"this anthropic speaks through httpx2, not httpx: .*{advice}"):
        getattr(fake, method)(http_client=_StrangeClient())
    assert getattr(fake, method)(http_client=None).api_key == "playhead-needs-no-key"


def test_a_client_built_as_advised() -> None:
    """The sentence's own way works."""
    with FakeClaude([say("x")]) as fake:
        client = anthropic.Anthropic(api_key="k", http_client=httpx2.Client(transport=fake.transport))
        assert _parts(client.messages.create(**SIMPLE)) == ("x", 1)


def test_options_of_a_client_are_the_sdks() -> None:
    """They are passed on."""
    client = FakeClaude([]).client(max_retries=7, api_key="mine", default_headers={"x-mine": "1"})
    assert (client.max_retries, client.api_key, client.default_headers["x-mine"]) == (7, "mine", "1")


def test_a_fake_outlives_its_clients() -> None:
    """A client may be closed and another one made; both are of one session."""
    with FakeClaude([call("add"), say("x")]) as fake:
        with fake.client() as client:
            message = client.messages.create(**SIMPLE)
        messages = [ASK, {"role": "assistant", "content": message.content}]
        messages.append({"role": "user", "content": results_of(message, {"add": add})})
        with fake.client() as client:
            client.messages.create(**{**SIMPLE, "messages": messages})
    assert len(fake.session.turns) == 2


def test_how_a_fake_shows_itself() -> None:
    """The script's size, and how far it is."""
    fake = FakeClaude([say("x"), say("y")])
    fake.client().messages.create(**SIMPLE)
    assert repr(fake) == "<FakeClaude: 2 steps, 1 played, 1 exchanges>"
    assert repr(FakeClaude(endless)) == "<FakeClaude: a function, 0 played, 0 exchanges>"

"""Attempts: what the SDK or the loop asks again is one turn, and plays each step once."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from typing import Any, get_args

import anthropic
import anyio
import httpx2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from playhead import FakeClaude, Request, RuleViolations, call, cut, damage, deliver, drop, fail, raw, say, turn
from playhead.script.faults import Connection
from sdk_outcomes import ASK, REPLY

FAILURES: Any = (anthropic.APIError, httpx2.RequestError, ValueError, AssertionError, IndexError)
"""What a careful loop catches: the SDK's errors, and all that its streams let through."""


@pytest.fixture(autouse=True)
def no_naps(monkeypatch: pytest.MonkeyPatch) -> None:
    """The SDK's back-off takes no time here."""

    async def nap(seconds: float) -> None:
        pass

    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    monkeypatch.setattr(anyio, "sleep", nap)


def create(client: anthropic.Anthropic, messages: list[Any]) -> Any:
    return client.messages.create(**{**ASK, "messages": messages})


def stream(client: anthropic.Anthropic, messages: list[Any]) -> Any:
    with client.messages.stream(**{**ASK, "messages": messages}) as events:
        message = events.get_final_message()
    if message.stop_reason is None:
        raise ValueError("the stream ended before the message did")
    return message


Ways = Callable[[anthropic.Anthropic, list[Any]], Any]
ways = pytest.mark.parametrize("way", [create, stream], ids=["create", "stream"])


def loop(client: anthropic.Anthropic, way: Ways, *, attempts: int = 1) -> Any:
    """A tool loop that tries each turn so many times before it gives up."""
    messages: list[Any] = [*ASK["messages"]]
    while True:
        for left in reversed(range(attempts)):
            try:
                message = way(client, messages)
                break
            except FAILURES:
                if not left:
                    raise
        messages.append({"role": "assistant", "content": message.content})
        results = [
            {"type": "tool_result", "tool_use_id": block.id, "content": "4.1 m"}
            for block in message.content
            if block.type == "tool_use"
        ]
        if not results:
            return message
        messages.append({"role": "user", "content": results})


def told(fake: FakeClaude) -> list[list[int]]:
    """The numbers of the exchanges of each turn."""
    return [[exchange.number for exchange in its.attempts] for its in fake.session.turns]


def retries(fake: FakeClaude) -> list[int | None]:
    return [exchange.retry_of for exchange in fake.session.exchanges]


@ways
def test_the_sdk_tries_again(way: Ways) -> None:
    """Its attempts are one turn, each an attempt of the one before; the steps are played once each, in order."""
    with FakeClaude([fail(529, times=2), REPLY, drop("close"), fail(500), say("done")]) as fake:
        assert loop(fake.client(), way).content[0].text == "done"
    assert told(fake) == [[1, 2, 3], [4, 5, 6]]
    assert retries(fake) == [None, 1, 2, None, 4, 5]
    assert [exchange.status for exchange in fake.session.exchanges] == [529, 529, 200, None, 500, 200]
    counts = [(exchange.headers or {})["x-stainless-retry-count"] for exchange in fake.session.exchanges]
    assert counts == ["0", "1", "2", "0", "1", "2"]


@ways
def test_the_loop_tries_again(way: Ways) -> None:
    """The same where the loop does it and the SDK does not: a request is known by what it holds."""
    with FakeClaude([fail(529, times=2), REPLY, drop("close"), fail(503), say("done")]) as fake:
        assert loop(fake.client(max_retries=0), way, attempts=3).content[0].text == "done"
    assert told(fake) == [[1, 2, 3], [4, 5, 6]]
    assert retries(fake) == [None, 1, 2, None, 4, 5]
    assert {(exchange.headers or {})["x-stainless-retry-count"] for exchange in fake.session.exchanges} == {"0"}


def test_both_try_again() -> None:
    """Three requests of the SDK's for each of the loop's two: six attempts, one turn."""
    with FakeClaude([fail(529, times=5), say("done")]) as fake:
        loop(fake.client(), create, attempts=2)
    assert told(fake) == [[1, 2, 3, 4, 5, 6]]
    assert retries(fake) == [None, 1, 2, 3, 4, 5]


BROKEN = {
    "reset": cut(REPLY),
    "closed": cut(REPLY, how="close"),
    "timed out": cut(REPLY, how="timeout"),
    "clean end": cut(REPLY, how="end"),
    "clean end of nothing": cut(REPLY, events=0, how="end"),
    "error event": cut(REPLY, how="error"),
    "too slow": deliver(REPLY, chunks="event", pace=601),
    "no JSON": damage(REPLY, "malformed_json"),
    "a web page": damage(REPLY, "html"),
    "JSON for a stream": damage(REPLY, "json_for_stream"),
    "no end": cut(REPLY, events=10, how="end"),
    "a block missing": damage(REPLY, "missing_block_start"),
    "raw bytes": raw(b"\x00"),
}


@pytest.mark.parametrize("step", BROKEN.values(), ids=BROKEN)
@pytest.mark.parametrize("first", [True, False], ids=["first turn", "second turn"])
def test_a_broken_stream_is_an_attempt(step: Any, first: bool) -> None:
    """However a stream broke, asking again is another attempt at the same turn, and no rule is broken by it."""
    script = [step, REPLY, say("done")] if first else [REPLY, step, say("done")]
    with FakeClaude(script) as fake:
        assert loop(fake.client(max_retries=0), stream, attempts=2).content[0].text == "done"
    assert told(fake) == ([[1, 2], [3]] if first else [[1], [2, 3]])
    assert retries(fake) == ([None, 1, None] if first else [None, None, 2])


def test_what_a_function_of_the_script_sees() -> None:
    """`attempt` counts the requests for the same step of the conversation, whoever made them; `turn` stays."""
    seen: list[tuple[int, int, int, int]] = []

    def answer(request: Request) -> Any:
        seen.append((request.number, request.conversation, request.turn, request.attempt))
        return fail(529) if request.attempt < 3 else REPLY if request.turn == 1 else say("done")

    with FakeClaude(answer) as fake:
        loop(fake.client(), create)
    assert seen == [(1, 1, 1, 1), (2, 1, 1, 2), (3, 1, 1, 3), (4, 1, 2, 1), (5, 1, 2, 2), (6, 1, 2, 3)]


def test_a_refused_request_is_an_attempt_too() -> None:
    """A request that the API would refuse plays nothing; put right, it is a request of its own."""
    fake = FakeClaude([say("a")])
    client = fake.client()
    for _ in range(2):
        with pytest.raises(anthropic.BadRequestError):
            create(client, [{"role": "user", "content": ""}])
    assert create(client, [{"role": "user", "content": "hi"}]).content[0].text == "a"
    assert retries(fake)[:2] == [None, 1]
    assert [exchange.status for exchange in fake.session.exchanges] == [400, 400, 200]


def test_asking_twice_is_no_attempt() -> None:
    """The same request after a whole answer gets the next step: nothing failed that could be tried again."""
    with FakeClaude([say("a"), say("b")]) as fake:
        texts = [create(fake.client(), ASK["messages"]).content[0].text for _ in range(2)]
    assert texts == ["a", "b"]
    assert retries(fake) == [None, None]


@pytest.mark.parametrize("conversations", ["one", "any", "each"])
def test_retries_in_every_kind_of_sharing(conversations: Any) -> None:
    """A retry stays in its conversation, however conversations share the script."""
    with FakeClaude([fail(529), REPLY, fail(503), say("done")], conversations=conversations) as fake:
        loop(fake.client(), create)
    assert told(fake) == [[1, 2], [3, 4]]
    assert len(fake.session.conversations) == 1


def test_too_few_retries() -> None:
    """A loop that gives up leaves the rest of the step: it is told how often it was still to come."""
    fake = FakeClaude([fail(529, times=5), say("never")])
    with contextlib.suppress(anthropic.OverloadedError):
        loop(fake.client(), create)
    assert len(fake.session.exchanges) == 3
    assert str(fake.failure()) == (
        "2 of 2 steps were never asked for\n"
        "    1   fail(529, times=5)   <- next, 2 more times\n"
        '    2   say("never")\n'
        "The loop stopped after exchange 3, which failed: 529 overloaded_error."
    )


def test_a_retry_of_another_conversation() -> None:
    """Two conversations that fail and try again in turns keep their own attempts apart."""

    async def main() -> None:
        client = fake.async_client()
        for _ in range(2):
            await asyncio.gather(*(client.messages.create(**asked(text)) for text in ("left", "right")))

    def asked(text: str) -> dict[str, Any]:
        return {**ASK, "messages": [{"role": "user", "content": text}]}

    script = [fail(529), turn(say("a"))]
    with FakeClaude({"left": script, "right": script}) as fake:
        asyncio.run(main())
    assert len(fake.session.exchanges) == 8
    for exchange in fake.session.exchanges:
        if exchange.retry_of is not None:
            assert exchange.messages == fake.session.exchanges[exchange.retry_of - 1].messages


def test_a_call_is_not_run_twice_for_a_retry() -> None:
    """A retry of the request that carries results runs no tool again: counted, each ran once."""
    runs: list[str] = []

    def get_tide(port: str, days: int) -> str:
        runs.append(port)
        return "4.1 m"

    with FakeClaude([call("get_tide", port="Brest", days=1), fail(529, times=2), say("done")]) as fake:
        functions = fake.watch({"get_tide": get_tide})
        client = fake.client()
        message = create(client, ASK["messages"])
        content = functions["get_tide"](**message.content[0].input)
        results = [{"type": "tool_result", "tool_use_id": message.content[0].id, "content": content}]
        history = [{"role": "assistant", "content": message.content}, {"role": "user", "content": results}]
        create(client, [*ASK["messages"], *history])
    assert runs == ["Brest"]
    assert [exchange.tools_run for exchange in fake.session.exchanges] == [("toolu_0001",), (), (), ()]


TRUSTED = {
    "cut within an input": cut(deliver(REPLY, pieces=4), events=15, how="end"),
    "cut after the input": cut(REPLY, events=9, how="end"),
    "cut before message_stop": cut(REPLY, events=11, how="end"),
}


@pytest.mark.parametrize("step", TRUSTED.values(), ids=TRUSTED)
def test_a_loop_that_trusts_a_stream_that_just_ended(step: Any) -> None:
    """The SDK raises nothing; running the call that came is what the verdict is about, wherever the stream ended."""

    def trusting(client: anthropic.Anthropic, messages: list[Any]) -> Any:
        with client.messages.stream(**{**ASK, "messages": messages}) as events:
            return events.get_final_message()

    fake = FakeClaude([step, say("done")])
    assert loop(fake.client(), trusting).content[0].text == "done"
    with pytest.raises(RuleViolations, match=r"which came in a reply that ended\n +without message_stop"):
        fake.assert_ok()
    assert [violation.rule for violation in fake.violations] == ["sse-missing-message-stop"]


def test_a_loop_that_sends_a_refused_request_again() -> None:
    """A 400 is no failure that passes: the same body again breaks a rule, be the 400 the script's or the fake's own."""
    fake = FakeClaude([fail(400), say("done")])
    loop(fake.client(max_retries=0), create, attempts=2)
    assert [violation.rule for violation in fake.violations] == ["poisoned-history-not-resent"]
    assert retries(fake) == [None, 1]


TIMES = st.integers(1, 3)
ANY_FAULT = st.one_of(
    # not 400: who sends again as it was what the API refused breaks a rule
    st.builds(lambda status, times: fail(status, times=times), st.sampled_from([408, 409, 429, 500, 503, 529]), TIMES),
    st.builds(lambda how, times: drop(how, times=times), st.sampled_from(get_args(Connection)), TIMES),
    st.just(raw("<html>", status=502)),
)
ENDINGS: Any = st.sampled_from(["reset", "close", "timeout", "end", "error"])
ANY_STREAM_FAULT = ANY_FAULT | st.one_of(
    st.builds(lambda count, how: cut(REPLY, events=count, how=how), st.integers(0, 9), ENDINGS),
    st.builds(
        lambda size, how: cut(REPLY, bytes=size, how=how), st.integers(0, 900), st.sampled_from(["reset", "end"])
    ),
    st.sampled_from(["malformed_json", "invalid_utf8", "missing_message_start", "missing_block_start"]).map(
        lambda name: damage(REPLY, name)
    ),
    st.sampled_from(["index_gap", "unnamed_events", "empty_body", "html", "wrong_shape", "json_for_stream"]).map(
        lambda name: damage(REPLY, name)
    ),
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(ANY_STREAM_FAULT, max_size=3), min_size=1, max_size=4), st.integers(0, 3))
def test_a_loop_that_gives_up_late_comes_through(faults: list[list[Any]], max_retries: int) -> None:
    """Whatever goes wrong, whoever tries again: each turn is one turn, each step is played once, no rule is broken."""
    replies = [*(call("get_tide", port="Brest", days=number) for number in range(len(faults) - 1)), say("done")]
    script = [step for before, reply in zip(faults, replies, strict=True) for step in (*before, reply)]
    attempts = [sum(getattr(step, "times", 1) for step in before) + 1 for before in faults]
    with FakeClaude(script) as fake:
        message = loop(fake.client(max_retries=max_retries), stream, attempts=sum(attempts))
    assert message.content[0].text == "done"
    assert [len(numbers) for numbers in told(fake)] == attempts
    assert retries(fake) == [
        None if first else number
        for number, first in enumerate(first for count in attempts for first in (True, *[False] * (count - 1)))
    ]
    assert fake.violations == ()

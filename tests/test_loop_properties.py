"""The reference loop over the fake, by property: whatever Claude says, the three invariants hold.

Every tool_use gets exactly one matching tool_result in the next user message; the full history and the tool schemas go
out with each call; the loop ends. The checks here are written anew, so that a fault in the rules cannot hide one in the
loop, and broken loops show that both would notice.
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st

from broken_loops import BUGS, Bug, run
from playhead import FakeClaude, RequestLimitReached, call, reply, say, turn
from playhead.loop import Tools, TurnLimitReached, arun_conversation, run_conversation
from playhead.script.steps import Reply, Turn
from playhead.testing.strategies import SAID, TEXT, json_values, scripts, tool_inputs
from playhead.wire.equality import same

NAMES = ("echo", "fail", "nested")
# that there is such a script is the point here; making it small would cost minutes
SEARCH = settings(max_examples=200, deadline=None, database=None, phases=[Phase.generate], derandomize=True)
SCHEMAS = [{"name": name, "description": f"tool {name}", "input_schema": {"type": "object"}} for name in NAMES]


def tools() -> Tools:
    """`echo` returns its input, `fail` raises, `nested` returns what is no string."""

    def echo(**given: Any) -> Any:
        return given

    def fail(**given: Any) -> Any:
        raise RuntimeError(f"cannot do {sorted(given)}")

    def nested(**given: Any) -> Any:
        return [given, None, 1.0, "é"]

    return Tools(SCHEMAS, functions={"echo": echo, "fail": fail, "nested": nested})


@st.composite
def unknown_tool_turns(draw: st.DrawFn) -> Reply:
    """A reply that calls a tool which nobody offered, perhaps beside one that exists."""
    names = draw(
        st.lists(st.sampled_from(["nope", "echo"]), min_size=1, max_size=3).filter(lambda names: "nope" in names)
    )
    serial = draw(st.integers(0, 10**9))
    content = [
        {"type": "tool_use", "id": f"toolu_u{serial}_{position}", "name": name, "input": draw(tool_inputs())}
        for position, name in enumerate(names)
    ]
    message = {"id": f"msg_u{serial}", "type": "message", "role": "assistant", "model": "claude-opus-5-5"}
    usage = {"input_tokens": 1, "output_tokens": 1}
    return reply(
        {**message, "content": content, "stop_reason": "tool_use", "stop_sequence": None, "usage": usage}, check=False
    )


@st.composite
def all_scripts(draw: st.DrawFn) -> list[Turn | Reply]:
    """Scripts with zero to many turns, one to many parallel calls, failing, unknown tools and any JSON."""
    steps: list[Turn | Reply] = list(draw(scripts(NAMES)))
    for _ in range(draw(st.integers(0, 2))):
        steps.insert(draw(st.integers(0, len(steps) - 1)), draw(unknown_tool_turns()))
    return steps


def require_invariants(fake: FakeClaude, opening: list[dict[str, Any]]) -> None:
    """The three invariants, read off the requests as they were sent."""
    requests = [exchange.request for exchange in fake.session.exchanges]
    replies = [exchange.response for exchange in fake.session.exchanges]
    before = opening
    for request, answer in zip(requests, replies, strict=True):
        assert request is not None
        assert answer is not None
        assert request["tools"] == SCHEMAS
        messages = request["messages"]
        assert same(messages[: len(before)], before)
        before = messages
    for earlier, later in zip(replies, requests[1:], strict=False):
        assert earlier is not None
        assert later is not None
        echo, results = later["messages"][-2:]
        called = [block for block in earlier["content"] if block["type"] == "tool_use"]
        assert echo["role"] == "assistant"
        assert [block for block in echo["content"] if block["type"] == "tool_use"] == called
        assert [block["type"] for block in results["content"]] == ["tool_result"] * len(called)
        assert [block["tool_use_id"] for block in results["content"]] == [block["id"] for block in called]
        for use, result in zip(called, results["content"], strict=True):
            assert isinstance(result["content"], str)
            assert result.get("is_error", False) is (use["name"] not in ("echo", "nested"))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(all_scripts(), SAID)
def test_the_sync_loop_keeps_the_invariants(script: list[Turn | Reply], question: str) -> None:
    """For any script the loop ends, and every request is right."""
    opening = [{"role": "user", "content": question}]
    with FakeClaude(script) as fake:
        messages = copy.deepcopy(opening)
        run_conversation(fake.client(), messages, tools())
    require_invariants(fake, opening)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(all_scripts(), st.booleans())
def test_the_async_loop_keeps_the_invariants(script: list[Turn | Reply], streamed: bool) -> None:
    """The async twin, with and without a stream, does the same."""
    opening = [{"role": "user", "content": "go on"}]
    heard: list[str] = []

    async def go(fake: FakeClaude) -> None:
        messages = copy.deepcopy(opening)
        await arun_conversation(fake.async_client(), messages, tools(), on_text=heard.append if streamed else None)

    with FakeClaude(script) as fake:
        asyncio.run(go(fake))
    require_invariants(fake, opening)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(all_scripts())
def test_streamed_and_whole_replies_make_the_same_requests(script: list[Turn | Reply]) -> None:
    """What the loop sends does not depend on how the reply came."""
    sent = []
    for on_text in (None, lambda text: None):
        with FakeClaude(script) as fake:
            run_conversation(fake.client(), [{"role": "user", "content": "go on"}], tools(), on_text=on_text)
        sent.append([{**(exchange.request or {}), "stream": None} for exchange in fake.session.exchanges])
    assert sent[0] == sent[1]


@pytest.mark.parametrize("limit", [1, 2, 7])
def test_the_loop_ends_when_claude_never_does(limit: int) -> None:
    """An endless chain of calls ends in a clear error after `max_turns` requests, with a history that can be sent."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "go on"}]
    endless = FakeClaude(lambda request: call("echo", again=request.number))
    with endless as fake, pytest.raises(TurnLimitReached, match=str(limit)):
        run_conversation(fake.client(), messages, tools(), max_turns=limit)
    assert len(fake.session.exchanges) == limit


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(TEXT, json_values(), max_size=4))
def test_a_tool_gets_exactly_what_claude_sent(arguments: dict[str, Any]) -> None:
    """Inputs reach the tool unchanged: unicode, big integers, floats, nulls."""
    got: list[dict[str, Any]] = []

    def keep(**given: Any) -> str:
        got.append(given)
        return "kept"

    schema = {"name": "keep", "input_schema": {"type": "object"}}
    with FakeClaude([call("keep", arguments), say("thanks")]) as fake:
        run_conversation(fake.client(), [{"role": "user", "content": "keep it"}], Tools([(schema, keep)]))
    assert got == [arguments]


def breaks(bug: Bug, script: list[Turn]) -> set[str]:
    """The rules that the fake sees broken when the loop with this bug meets the script."""
    fake = FakeClaude(script, max_requests=25)
    with contextlib.suppress(RequestLimitReached):
        run(bug, fake.client(), SCHEMAS)
    return {violation.rule for violation in fake.violations}


def directed(bug: Bug) -> st.SearchStrategy[Any]:
    """Scripts among which this bug shows; the rare ones need a family of their own."""
    if bug.name == "no limit":
        return st.just(lambda request: call("echo"))
    if bug.name == "runs tools of a cut reply":
        return scripts(NAMES).map(lambda script: [turn(call("echo", a=1), stop_reason="max_tokens"), *script])
    return scripts(NAMES)


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_each_broken_loop_is_caught(bug: Bug) -> None:
    """A search over scripts finds one that shows the bug, under the name of a rule that describes it."""
    found = find(
        directed(bug),
        lambda script: bool(breaks(bug, script) & set(bug.rules)),
        settings=SEARCH,
    )
    assert breaks(bug, found) & set(bug.rules)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(scripts(NAMES))
def test_the_same_loop_without_a_bug_is_not_blamed(script: list[Turn]) -> None:
    """The frame of the broken loops, with no bug in it, breaks nothing."""
    assert breaks(Bug("none", ()), script) == set()

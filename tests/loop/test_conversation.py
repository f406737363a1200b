"""The loop: every stop_reason, over the real SDK, sync, async and streamed."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import json
from collections.abc import Callable
from typing import Any

import anthropic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.loop import (
    ConversationStopped,
    Refused,
    ReplyTruncated,
    StreamIncomplete,
    SyncAsyncMismatch,
    Tools,
    TurnLimitReached,
    UnknownStopReason,
    add_user_message,
    arun_conversation,
    run_conversation,
)
from playhead.loop.conversation import NEXT

from .conftest import Wire, reply, sse, text, tool_use

Json = dict[str, Any]
Make = Callable[..., Wire]
Run = Callable[..., Any]


def sync_run(wire: Wire, *args: Any, **options: Any) -> Any:
    return run_conversation(wire.client, *args, **options)


def async_run(wire: Wire, *args: Any, **options: Any) -> Any:
    return asyncio.run(arun_conversation(wire.async_client, *args, **options))


def streamed(run: Run) -> Run:
    return lambda *args, **options: run(*args, on_text=lambda piece: None, **options)


WAYS = [
    pytest.param(sync_run, id="sync"),
    pytest.param(async_run, id="async"),
    pytest.param(streamed(sync_run), id="sync-streamed"),
    pytest.param(streamed(async_run), id="async-streamed"),
]
every_way = pytest.mark.parametrize("run", WAYS)


class Log:
    """Tools that note each execution."""

    def __init__(self) -> None:
        self.ran: list[Any] = []
        self.tools = Tools([self.add, self.fail])

    def add(self, a: int, b: int = 0) -> int:
        """Add."""
        self.ran.append(("add", a, b))
        return a + b

    def fail(self) -> None:
        """Fail."""
        self.ran.append("fail")
        raise RuntimeError("no luck")


def user(*content: Json) -> Json:
    return {"role": "user", "content": list(content)}


def assistant(*content: Json) -> Json:
    return {"role": "assistant", "content": list(content)}


def result(id: str, content: str, **fields: Any) -> Json:
    return {"type": "tool_result", "tool_use_id": id, "content": content, **fields}


def question() -> list[Any]:
    return [{"role": "user", "content": "1+2?"}]


THINKING = {"type": "thinking", "thinking": "sum", "signature": "sig"}
CALL = tool_use("add", "toolu_1", a=1, b=2)
ANSWER = reply(text("3"))


@every_way
def test_tools_run_and_the_answer_comes_back(run: Run, wire: Make) -> None:
    """History whole, results in one user message, the same tools and options on each request."""
    log = Log()
    calls = [THINKING, text("Let me add."), CALL, tool_use("fail", "toolu_2"), tool_use("ad", "toolu_3")]
    played = wire(reply(*calls, stop_reason="tool_use"), ANSWER)
    messages = question()
    message = run(played, messages, log.tools, system="Be brief.", max_tokens=100)
    assert message.content[0].text == "3"
    assert message.stop_reason == "end_turn"
    assert log.ran == [("add", 1, 2), "fail"]
    assert messages[:2] == [*question(), assistant(*calls)]
    results = messages[2]["content"]
    assert messages[2]["role"] == "user"
    assert results[:2] == [
        result("toolu_1", "3"),
        result("toolu_2", "RuntimeError: no luck", is_error=True),
    ]
    assert results[2]["is_error"] is True
    assert "Did you mean 'add'?" in results[2]["content"]
    assert messages[3] == assistant(text("3"))
    first, second = played.bodies
    assert first["messages"] == question()
    assert second["messages"] == messages[:3]
    assert {**second, "messages": 0} == {**first, "messages": 0}
    assert first["tools"] == log.tools.schemas


@every_way
def test_the_conversation_can_go_on(run: Run, wire: Make) -> None:
    """The same list serves the next question, with everything in it."""
    log = Log()
    played = wire(
        reply(CALL, stop_reason="tool_use"),
        ANSWER,
        reply(text("Yes."), stop_reason="stop_sequence"),
    )
    messages = question()
    run(played, messages, log.tools)
    add_user_message(messages, "Sure?")
    assert run(played, messages, log.tools).stop_reason == "stop_sequence"
    assert len(played.bodies[2]["messages"]) == 5
    assert played.bodies[2]["messages"] == messages[:-1]


@every_way
@pytest.mark.parametrize("stop_reason", ["pause_turn", "compaction"])
def test_paused_turns_are_resumed_as_they_are(run: Run, stop_reason: str, wire: Make) -> None:
    """The assistant turn goes back unchanged, with nothing after it."""
    search = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}}
    played = wire(reply(search, stop_reason=stop_reason), reply(search, stop_reason=stop_reason), ANSWER)
    messages = question()
    tools = [{"type": "web_search_20250305", "name": "web_search"}]
    run(played, messages, tools)
    assert [body["messages"] for body in played.bodies] == [
        question(),
        [*question(), assistant(search)],
        [*question(), assistant(search), assistant(search)],
    ]
    assert all(body["tools"] == tools for body in played.bodies)


STOPS = [
    pytest.param("max_tokens", ReplyTruncated, id="max_tokens"),
    pytest.param("model_context_window_exceeded", ReplyTruncated, id="model_context_window_exceeded"),
    pytest.param("refusal", Refused, id="refusal"),
    pytest.param("tea_break", UnknownStopReason, id="unknown"),
    pytest.param(None, UnknownStopReason, id="none"),
]


@every_way
@pytest.mark.parametrize(("stop_reason", "error"), STOPS)
def test_what_is_no_answer_is_raised(
    run: Run, stop_reason: str | None, error: type[ConversationStopped], wire: Make
) -> None:
    """Nothing runs, the reply is in the error, the history is as it was sent and can be sent again."""
    log = Log()
    played = wire(
        reply(CALL, stop_reason="tool_use"),
        reply(text("Par"), {**CALL, "id": "toolu_2"}, stop_reason=stop_reason),
    )
    messages = question()
    with pytest.raises(error) as caught:
        run(played, messages, log.tools)
    assert type(caught.value) is error
    assert caught.value.stop_reason == stop_reason
    assert caught.value.message is not None
    assert len(caught.value.message.content) == 2
    assert caught.value.messages is messages
    assert messages == played.bodies[-1]["messages"]
    assert log.ran == [("add", 1, 2)]


@every_way
def test_a_call_without_tool_use_stop_is_answered_not_run(run: Run, wire: Make) -> None:
    """A stop sequence inside a call, say: the reply is final and the history stays valid."""
    log = Log()
    messages = question()
    message = run(wire(reply(CALL, stop_reason="stop_sequence")), messages, log.tools)
    assert message.stop_reason == "stop_sequence"
    assert log.ran == []
    assert messages[-2] == assistant(CALL)
    assert messages[-1]["content"][0]["is_error"] is True
    assert messages[-1]["content"][0]["tool_use_id"] == "toolu_1"


@every_way
def test_tool_use_without_a_call_ends(run: Run, wire: Make) -> None:
    """There is nothing to run and nothing to send: no endless loop."""
    messages = question()
    message = run(wire(reply(text("Hm."), stop_reason="tool_use")), messages, Log().tools)
    assert message.stop_reason == "tool_use"
    assert messages == [*question(), assistant(text("Hm."))]


@every_way
@pytest.mark.parametrize("content", [[], [text(" \n")]], ids=["empty", "blank"])
def test_an_empty_answer_is_not_stored(run: Run, content: list[Json], wire: Make) -> None:
    """It is returned, but an empty assistant message has no place in a history."""
    messages = question()
    assert run(wire(reply(*content)), messages).stop_reason == "end_turn"
    assert messages == question()


@every_way
def test_the_turn_limit_is_an_error_and_leaves_a_valid_history(run: Run, wire: Make) -> None:
    """The last calls are not run but answered; the next run goes on from there."""
    log = Log()
    calls = [reply({**CALL, "id": f"toolu_{number}"}, stop_reason="tool_use") for number in range(3)]
    played = wire(*calls, ANSWER)
    messages = question()
    with pytest.raises(TurnLimitReached, match="after 3 replies") as caught:
        run(played, messages, log.tools, max_turns=3)
    assert len(log.ran) == 2
    assert caught.value.messages is messages
    assert caught.value.message is not None
    assert caught.value.message.content[0].id == "toolu_2"  # type: ignore[union-attr]
    last = messages[-1]["content"][0]
    assert (last["tool_use_id"], last["is_error"]) == ("toolu_2", True)
    assert "limit of 3 turns" in last["content"]
    assert run(played, messages, log.tools).stop_reason == "end_turn"


@every_way
def test_endless_pauses_are_bounded_too(run: Run, wire: Make) -> None:
    """Resuming counts as a turn."""
    played = wire(*[reply(text("..."), stop_reason="pause_turn")] * 2)
    with pytest.raises(TurnLimitReached):
        run(played, question(), max_turns=2)


@pytest.mark.parametrize("max_turns", [0, -1, 2.5, True, None])
def test_a_limit_must_be_a_number_of_turns(max_turns: Any, wire: Make) -> None:
    """Before anything is sent."""
    with pytest.raises(ValueError, match="at least 1; got"):
        run_conversation(wire().client, question(), max_turns=max_turns)


@every_way
@pytest.mark.parametrize(
    ("given_container", "later"),
    [
        pytest.param(None, "cntr_1", id="none-given"),
        pytest.param("cntr_0", "cntr_1", id="another"),
        pytest.param({"skills": [1]}, {"skills": [1], "id": "cntr_1"}, id="with-skills"),
    ],
)
def test_the_container_is_passed_back(run: Run, given_container: Any, later: Any, wire: Make) -> None:
    """Once a reply names one, every following request carries it."""
    container = {"id": "cntr_1", "expires_at": "2026-01-01T00:00:00Z"}
    played = wire(
        reply(CALL, stop_reason="tool_use", container=container),
        reply(CALL, stop_reason="tool_use"),
        ANSWER,
    )
    run(played, question(), Log().tools, container=given_container)
    assert [body.get("container") for body in played.bodies] == [given_container, later, later]


@every_way
@pytest.mark.parametrize("choice", [{"type": "any"}, {"type": "tool", "name": "add"}], ids=["any", "tool"])
def test_a_forced_choice_is_relaxed_after_the_call(run: Run, choice: Json, wire: Make) -> None:
    """Forced again and again, Claude could never answer."""
    choice = {**choice, "disable_parallel_tool_use": True}
    paused = reply(text("..."), stop_reason="pause_turn")
    played = wire(paused, reply(CALL, stop_reason="tool_use"), ANSWER)
    run(played, question(), Log().tools, tool_choice=choice)
    relaxed = {"type": "auto", "disable_parallel_tool_use": True}
    assert [body["tool_choice"] for body in played.bodies] == [choice, choice, relaxed]


@every_way
def test_api_errors_leave_the_history_as_sent(run: Run, wire: Make) -> None:
    """They pass through; the results of tools that ran are not lost and not run again."""
    log = Log()
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}
    played = wire(reply(CALL, stop_reason="tool_use"), (529, error), ANSWER)
    messages = question()
    with pytest.raises(anthropic.APIStatusError, match="busy"):
        run(played, messages, log.tools)
    assert messages == played.bodies[-1]["messages"]
    run(played, messages, log.tools)
    assert played.bodies[2] == played.bodies[1]
    assert log.ran == [("add", 1, 2)]


@pytest.mark.parametrize("run", WAYS[2:])
def test_a_cut_stream_runs_nothing(run: Run, wire: Make) -> None:
    """The call was complete, the message was not."""
    log = Log()
    whole = reply(CALL, stop_reason="tool_use")
    for events in range(sse(whole).count(b"event: ")):
        messages = question()
        with pytest.raises(StreamIncomplete) as caught:
            run(wire(sse(whole, events=events)), messages, log.tools)
        assert caught.value.messages is messages
        assert messages == question()
    assert log.ran == []


@pytest.mark.parametrize("run", WAYS[2:])
def test_tool_input_cut_in_a_stream_is_answered_with_an_error(run: Run, wire: Make) -> None:
    """It is not run as what the SDK made of it, and history keeps an object."""
    log = Log()
    cut = sse(reply(CALL, stop_reason="tool_use"), tool_json='{"a": 1, "b": 2')
    played = wire(cut, ANSWER)
    messages = question()
    run(played, messages, log.tools)
    assert log.ran == []
    assert messages[1]["content"][0]["input"] == {"INVALID_JSON": '{"a": 1, "b": 2'}
    assert messages[2]["content"][0]["is_error"] is True


def test_async_tools_are_run_by_the_async_loop(wire: Make) -> None:
    """And refused by the sync one before anything is sent."""

    async def add(a: int, b: int) -> int:
        await asyncio.sleep(0)
        return a + b

    messages = question()
    async_run(wire(reply(CALL, stop_reason="tool_use"), ANSWER), messages, [add])
    assert messages[2] == user(result("toolu_1", "3"))
    with pytest.raises(SyncAsyncMismatch, match="'add' is async"):
        sync_run(wire(), question(), [add])


def test_sdk_tools_are_taken(wire: Make) -> None:
    """What `tool_runner` takes works here, with the whole history sent."""

    @anthropic.beta_tool
    def add(a: int, b: int) -> str:
        """Add."""
        return str(a + b)

    played = wire(reply(CALL, stop_reason="tool_use"), ANSWER)
    messages = question()
    run_conversation(played.client, messages, [add])
    assert messages[2] == user(result("toolu_1", "3"))
    assert played.bodies[0]["tools"] == played.bodies[1]["tools"] == [add.to_dict()]


def test_an_interrupt_leaves_the_history_as_sent(wire: Make) -> None:
    """Control-C inside a tool: no unanswered call stays behind."""

    def stop() -> None:
        raise KeyboardInterrupt

    messages = question()
    with pytest.raises(KeyboardInterrupt):
        run_conversation(wire(reply(tool_use("stop"), stop_reason="tool_use")).client, messages, [stop])
    assert messages == question()


def test_a_tool_that_registers_tools_changes_nothing_sent(wire: Make) -> None:
    """One conversation, one list of tools."""
    tools = Tools()

    @tools
    def grow() -> str:
        tools.tool(lambda: None, name="another")
        return "grown"

    played = wire(reply(tool_use("grow"), stop_reason="tool_use"), ANSWER)
    run_conversation(played.client, question(), tools)
    assert played.bodies[0]["tools"] == played.bodies[1]["tools"]


def test_earlier_messages_are_never_touched(wire: Make) -> None:
    """The list is only appended to; its messages stay the very same objects with the same values."""
    messages: list[Any] = [user(text("hi")), assistant(text("hello")), *question()]
    before = copy.deepcopy(messages)
    same = list(messages)
    run_conversation(wire(ANSWER).client, messages)
    assert messages[:3] == before
    assert all(one is other for one, other in zip(messages, same, strict=False))


BLOCKS = st.one_of(
    st.builds(text, st.sampled_from(["hi", " ", ""])),
    st.builds(lambda a: tool_use("add", "x", a=a), st.one_of(st.integers(), st.text(max_size=3))),
    st.just(tool_use("fail", "x")),
    st.just(tool_use("unknown", "x")),
    st.just(THINKING),
    st.just({"type": "hologram", "beam": 1}),
)
REPLIES = st.builds(
    lambda content, stop_reason: reply(*content, stop_reason=stop_reason),
    st.lists(BLOCKS, max_size=4),
    st.sampled_from([*NEXT, "tea_break", "tool_use", "tool_use", "tool_use"]),
)


def numbered(replies: list[Json]) -> list[Json]:
    """Give every call an id of its own."""
    replies, number = copy.deepcopy(replies), 0
    for one in replies:
        for block in one["content"]:
            if block["type"] == "tool_use":
                number += 1
                block["id"] = f"toolu_{number}"
    return replies


def open_calls(messages: list[Json]) -> list[str]:
    """The calls that the next message does not answer, and answers without a call."""
    wrong: list[str] = []
    for index, message in enumerate(messages):
        calls = (block for block in message["content"] if block.get("type") == "tool_use")
        asked = [block["id"] for block in calls] if index else []
        following = messages[index + 1]["content"] if index + 1 < len(messages) else []
        answered = [block["tool_use_id"] for block in following if "tool_use_id" in block]
        wrong += [id for id in asked if asked != answered] + ([] if asked else answered)
    return wrong


@given(st.lists(REPLIES, min_size=6, max_size=6), st.booleans())
def test_whatever_claude_says_the_history_stays_valid(replies: list[Json], in_stream: bool) -> None:
    """Any replies in any order: bounded, every call answered at once, each request extends the last."""
    played = Wire(*numbered(replies))
    log = Log()
    messages = [user(text("1+2?"))]
    with contextlib.suppress(ConversationStopped):
        (streamed(sync_run) if in_stream else sync_run)(played, messages, log.tools, max_turns=5)
    assert 1 <= len(played.bodies) <= 5
    assert open_calls(messages) == []
    for earlier, later in zip(played.bodies, played.bodies[1:], strict=False):
        assert later["messages"][: len(earlier["messages"])] == earlier["messages"]
        assert open_calls(later["messages"]) == []
    assert messages[: len(played.bodies[-1]["messages"])] == played.bodies[-1]["messages"]
    json.dumps(messages, allow_nan=False)

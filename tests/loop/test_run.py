"""Every tool_use gets one result, in order, whatever its tool does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import anthropic.types
import pytest
from anthropic.lib.tools import ToolError

from playhead.loop import SyncAsyncMismatch, Tools, UnknownTool, arun_tools, run_tool, run_tools

from .conftest import reply, text, tool_use

RUNNERS = [
    pytest.param(run_tools, id="sync"),
    pytest.param(lambda message, tools: asyncio.run(arun_tools(message, tools)), id="async"),
]
Runner = Callable[[object, object], list[dict[str, Any]]]

tools = Tools()


@tools
def add(a: int, b: int = 0) -> int:
    return a + b


@tools
def fail(text: str = "no luck") -> None:
    raise RuntimeError(text)


@tools
def fail_with_blocks() -> None:
    raise ToolError([{"type": "text", "text": "try Paris"}])


@tools
def circular() -> list[Any]:
    loop: list[Any] = []
    loop.append(loop)
    return loop


@tools
def picture() -> list[dict[str, Any]]:
    return [{"type": "image", "source": {"type": "url", "url": "u"}}]


@tools
def interrupt() -> None:
    raise KeyboardInterrupt


def result(id: str, content: object, **fields: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, "content": content, **fields}


@pytest.mark.parametrize("runner", RUNNERS)
def test_one_result_per_call_in_order(runner: Runner) -> None:
    """Parallel calls, some of which fail, keep their order and their ids; server tools get none."""
    message = anthropic.types.Message.construct(
        **reply(
            text("Let me see."),
            tool_use("add", "toolu_1", a=1, b=2),
            {"type": "server_tool_use", "id": "srvtoolu_1", "name": "add", "input": {"a": 1}},
            tool_use("fail", "toolu_2"),
            {
                "type": "mcp_tool_use",
                "id": "mcptoolu_1",
                "name": "add",
                "server_name": "s",
                "input": {"a": 1},
            },
            tool_use("ad", "toolu_3"),
            tool_use("add", "toolu_4", b=2),
            tool_use("picture", "toolu_5"),
            stop_reason="tool_use",
        )
    )
    assert runner(message, tools) == [
        result("toolu_1", "3"),
        result("toolu_2", "RuntimeError: no luck", is_error=True),
        result(
            "toolu_3",
            "There is no tool named 'ad'. Did you mean 'add'? "
            "Known tools: add, fail, fail_with_blocks, circular, picture, interrupt.",
            is_error=True,
        ),
        result(
            "toolu_4",
            "The input does not fit the schema of tool 'add': $: 'a' is missing and required.",
            is_error=True,
        ),
        result("toolu_5", [{"type": "image", "source": {"type": "url", "url": "u"}}]),
    ]


@pytest.mark.parametrize("runner", RUNNERS)
@pytest.mark.parametrize(
    ("name", "words"),
    [
        pytest.param("fail_with_blocks", "try Paris", id="sdk-tool-error-is-its-text"),
        pytest.param(
            "circular",
            "The tool ran, but what it returned cannot be sent",
            id="result-contains-itself",
        ),
    ],
)
def test_failures_say_why(runner: Runner, name: str, words: str) -> None:
    """The text is for Claude."""
    (block,) = runner([tool_use(name)], tools)
    assert block["is_error"] is True
    assert block["content"].startswith(words)


@pytest.mark.parametrize("runner", RUNNERS)
@pytest.mark.parametrize("stop_reason", ["max_tokens", "model_context_window_exceeded", "refusal", None])
def test_calls_of_a_cut_reply_are_answered_without_running(runner: Runner, stop_reason: str | None) -> None:
    """The last call may be truncated and still parse; None is what a broken stream leaves."""
    ran: list[int] = []

    def note(a: int) -> None:
        ran.append(a)

    results = runner(reply(tool_use("note", "t1", a=1), stop_reason=stop_reason), [note])
    assert [(block["tool_use_id"], block["is_error"]) for block in results] == [("t1", True)]
    assert "may be incomplete" in results[0]["content"]
    assert ran == []


@pytest.mark.parametrize("runner", RUNNERS)
def test_a_message_without_stop_reason_is_run(runner: Runner) -> None:
    """A message dict from a history has none; the caller knows what it is."""
    message = {"role": "assistant", "content": [tool_use("add", a=1)]}
    assert runner(message, tools) == runner(message["content"], tools) == [result("toolu_1", "1")]


@pytest.mark.parametrize("runner", RUNNERS)
def test_a_reply_without_calls_has_no_results(runner: Runner) -> None:
    """Nothing to run, nothing to send."""
    assert runner(reply(text("Hi")), tools) == []


def test_a_toolset_member_s_result_names_the_toolset() -> None:
    """The API wants `toolset_name` back."""
    (block,) = run_tools([{**tool_use("click"), "toolset_name": "browser"}], tools)
    assert block["toolset_name"] == "browser"


def test_interrupts_are_not_swallowed() -> None:
    """Only Exception is a failure of a tool."""
    with pytest.raises(KeyboardInterrupt):
        run_tools([tool_use("add", a=1), tool_use("interrupt")], tools)


def test_an_async_tool_stops_the_sync_runner_before_anything_runs() -> None:
    """It is the program's mistake, so Claude is not told; and no other call has run."""
    ran: list[int] = []

    def note(a: int) -> None:
        ran.append(a)

    async def slow() -> None: ...

    with pytest.raises(SyncAsyncMismatch, match="'slow' is async"):
        run_tools([tool_use("note", a=1), tool_use("slow")], [note, slow])
    assert ran == []


def test_async_calls_run_concurrently_and_keep_their_order() -> None:
    """Each waits for the other, so they must overlap; the results stay in the order of the calls."""

    async def scenario() -> list[dict[str, Any]]:
        barrier = asyncio.Barrier(2)

        async def meet(name: str) -> str:
            await barrier.wait()
            await asyncio.sleep(0.01 if name == "first" else 0)
            return name

        message = [tool_use("meet", "t1", name="first"), tool_use("meet", "t2", name="second")]
        return await asyncio.wait_for(arun_tools(message, [meet]), 5)

    assert asyncio.run(scenario()) == [result("t1", "first"), result("t2", "second")]


def test_cancelling_leaves_no_tool_running() -> None:
    """When the caller is cancelled, so are the tools, and it is waited for them."""

    async def scenario() -> list[str]:
        log: list[str] = []

        async def forever(name: str) -> None:
            try:
                log.append(f"{name} begins")
                await asyncio.sleep(60)
            finally:
                log.append(f"{name} ends")

        calls = [tool_use("forever", "t1", name="a"), tool_use("forever", "t2", name="b")]
        task = asyncio.create_task(arun_tools(calls, [forever]))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return log

    assert sorted(asyncio.run(scenario())) == ["a begins", "a ends", "b begins", "b ends"]


def test_a_tool_cannot_change_the_reply() -> None:
    """The input it gets is a copy."""

    def spoil(items: list[int]) -> None:
        items.clear()

    message = anthropic.types.Message.construct(**reply(tool_use("spoil", items=[1]), stop_reason="tool_use"))
    run_tools(message, [spoil])
    assert message.content[0].input == {"items": [1]}  # type: ignore[union-attr]


def test_run_tool_returns_the_value_and_raises() -> None:
    """One tool, its value as it is; errors as they are."""
    assert run_tool("add", {"a": 1, "b": 2}, tools) == 3
    with pytest.raises(RuntimeError, match="oops"):
        run_tool("fail", {"text": "oops"}, tools)
    with pytest.raises(UnknownTool):
        run_tool("nothing", {}, tools)

"""The TypeScript SDK as a client of the server: a loop written by hand, and the SDK's tool runner."""

from __future__ import annotations

import os
import subprocess
from typing import Any

import pytest

from clients.installed import NODE, needs_typescript_sdk, run
from playhead import RuleViolations, call, cut, fail, say, serve, turn
from playhead.serving import Serving

pytestmark = needs_typescript_sdk()

CALLS = turn(call("get_tide", port="Brest"), call("get_tide", port="Saint-Malo"))
ANSWER = say("4.1 m and 9.8 m.")


def node(server: Serving, program: str, *options: str) -> subprocess.CompletedProcess[str]:
    return run(["node", NODE / program, *options], {**os.environ, **server.env})


def requests(server: Serving) -> list[Any]:
    return [exchange.messages for exchange in server.fake.session.exchanges]


def test_a_streaming_tool_loop() -> None:
    """Both calls are run and answered, and nothing is to be said against any request."""
    with serve([CALLS, ANSWER]) as server:
        done = node(server, "tool_loop.mjs")
        assert (done.stdout, done.stderr) == ("4.1 m and 9.8 m.\n", "")
        assert [block["content"] for block in requests(server)[1][-1]["content"]] == ["4.1 m", "9.8 m"]
        assert server.verdict()["violations"] == []


def test_a_loop_that_forgets_a_result() -> None:
    """The loop sees the API's refusal as an error of its SDK, once, and the verdict names the rule."""
    with pytest.raises(RuleViolations, match="tool-use-unanswered"):
        forget_a_result()


def forget_a_result() -> None:
    with serve([CALLS, ANSWER]) as server:
        done = node(server, "tool_loop.mjs", "--forgetful")
        assert done.returncode == 1
        assert "BadRequestError: 400" in done.stderr
        assert "tool_use` ids were found without `tool_result` blocks immediately after: toolu_0002" in done.stderr
        assert len(requests(server)) == 2


def test_an_overload_is_tried_again() -> None:
    """The SDK tries again what the server answers with a 529."""
    with serve([fail(529), CALLS, ANSWER]) as server:
        assert node(server, "tool_loop.mjs").stdout == "4.1 m and 9.8 m.\n"
        assert [exchange.retry_of for exchange in server.fake.session.exchanges] == [None, 1, None]


@pytest.mark.parametrize("how", ["reset", "end"])
def test_a_stream_that_breaks_off(how: Any) -> None:
    """A connection that breaks, or just ends, in the middle of a reply is an error in this SDK; none is hidden."""
    with serve([cut(say("4.1 m and 9.8 m."), events=3, how=how)]) as server:
        done = node(server, "tool_loop.mjs")
        assert done.returncode == 1
        assert done.stdout == ""
        assert [(exchange.status, exchange.complete) for exchange in server.fake.session.exchanges] == [(200, False)]


@pytest.mark.parametrize(
    ("options", "lengths"),
    [
        pytest.param((), [1, 1], id="threads"),
        pytest.param(("--stream",), [1, 1], id="threads-stream"),
        pytest.param(("--no-thread", "--stream"), [1, 3], id="no-threads-stream"),
    ],
)
def test_the_tool_runner(options: tuple[str, ...], lengths: list[int]) -> None:
    """The tool runner runs both calls; with threads the server holds what was said before."""
    with serve([CALLS, ANSWER]) as server:
        done = node(server, "tool_runner.mjs", *options)
        assert (done.stdout, done.stderr) == ("4.1 m and 9.8 m.\n", "")
        assert [len(messages) for messages in requests(server)] == lengths
        assert [block["content"] for block in requests(server)[-1][-1]["content"]] == ["4.1 m", "9.8 m"]
        assert server.verdict()["violations"] == []

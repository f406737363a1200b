"""A tool loop over the fake, for any version of the SDK: `python tests/doors/smoke.py` prints one line.

No test of the suite: it runs in environments that hold nothing but Playhead and one version of `anthropic`. What this
version lacks is skipped by what its client has, never by its number. Exit code 0 when all that it has works.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import anthropic

from playhead import FakeClaude, RequestLimitReached, RuleViolations, call, say, think, turn

MODEL = "claude-opus-5-5"
TOOLS: list[Any] = [{"name": "add", "description": "adds", "input_schema": {"type": "object"}}]
ASK: Any = {"role": "user", "content": "What is 1 + 2, and 3 + 4?"}
SCRIPT = [turn(think("two sums"), say("Let me see."), call("add", a=1, b=2), call("add", a=3, b=4)), say("3 und 7 ✓")]


class Lacking(Exception):
    """This version of the SDK has no such call."""


def needs(owner: object, name: str) -> None:
    if not hasattr(owner, name):
        raise Lacking(f"{type(owner).__name__}.{name} is not there")


def arguments(messages: list[Any]) -> dict[str, Any]:
    return {"model": MODEL, "max_tokens": 64, "tools": TOOLS, "messages": messages}


def follow_up(messages: list[Any], message: Any) -> list[Any]:
    """The history after a reply, with the results of its calls."""
    results = [
        {"type": "tool_result", "tool_use_id": block.id, "content": str(block.input["a"] + block.input["b"])}
        for block in message.content
        if block.type == "tool_use"
    ]
    return [*messages, {"role": "assistant", "content": message.content}, {"role": "user", "content": results}]


def streamed(namespace: Any, messages: list[Any]) -> Any:
    with namespace.stream(**arguments(messages)) as stream:
        return stream.get_final_message()


async def streamed_later(namespace: Any, messages: list[Any]) -> Any:
    async with namespace.stream(**arguments(messages)) as stream:
        return await stream.get_final_message()


def plain_loop(ask: Callable[[list[Any]], Any]) -> None:
    """Two turns: the calls, then the end."""
    first = ask([ASK])
    assert first.stop_reason == "tool_use", first
    assert [block.id for block in first.content if block.type == "tool_use"] == ["toolu_0001", "toolu_0002"], first
    last = ask(follow_up([ASK], first))
    assert last.content[0].text == "3 und 7 ✓", last
    assert last.id == "msg_0002", last


async def async_loop(ask: Callable[[list[Any]], Any]) -> None:
    first = await ask([ASK])
    last = await ask(follow_up([ASK], first))
    assert last.content[0].text == "3 und 7 ✓", last


def sync_json() -> None:
    with FakeClaude(SCRIPT) as fake:
        client = fake.client()
        plain_loop(lambda messages: client.messages.create(**arguments(messages)))


def sync_beta() -> None:
    with FakeClaude(SCRIPT) as fake:
        client = fake.client()
        plain_loop(lambda messages: client.beta.messages.create(**arguments(messages)))


def sync_stream() -> None:
    with FakeClaude(SCRIPT) as fake:
        client = fake.client()
        plain_loop(lambda messages: streamed(client.messages, messages))


def raw_stream() -> None:
    with FakeClaude([say("Hi")]) as fake:
        events = [*fake.client().messages.create(**arguments([ASK]), stream=True)]
        assert (events[0].type, events[-1].type) == ("message_start", "message_stop"), events


def async_json() -> None:
    with FakeClaude(SCRIPT) as fake:
        client = fake.async_client()
        asyncio.run(async_loop(lambda messages: client.messages.create(**arguments(messages))))


def async_stream() -> None:
    with FakeClaude(SCRIPT) as fake:
        client = fake.async_client()
        asyncio.run(async_loop(lambda messages: streamed_later(client.messages, messages)))


def count_tokens() -> None:
    with FakeClaude([]) as fake:
        client = fake.client()
        needs(client.messages, "count_tokens")
        assert client.messages.count_tokens(model=MODEL, messages=[ASK]).input_tokens > 0


def raw_response() -> None:
    with FakeClaude([say("Hi")]) as fake:
        raw = fake.client().messages.with_raw_response.create(**arguments([ASK]))
        assert raw.headers["request-id"] == "req_0001", raw.headers
        assert raw.elapsed.total_seconds() >= 0


def tool_runner() -> None:
    with FakeClaude(SCRIPT) as fake:
        messages = fake.client().beta.messages
        needs(messages, "tool_runner")
        needs(anthropic, "beta_tool")

        @anthropic.beta_tool
        def add(a: int, b: int) -> str:
            """Adds."""
            return str(a + b)

        runner = messages.tool_runner(model=MODEL, max_tokens=64, messages=[ASK], tools=[add])
        assert runner.until_done().content[0].text == "3 und 7 ✓"  # type: ignore[union-attr]


def refusal() -> None:
    """A 400 of the API's wording, in one request."""
    fake = FakeClaude(SCRIPT)
    client = fake.client()
    first = client.messages.create(**arguments([ASK]))
    history = [ASK, {"role": "assistant", "content": first.content}, {"role": "user", "content": "never mind"}]
    message = ""
    try:
        client.messages.create(**arguments(history))
    except anthropic.BadRequestError as error:
        message = error.message
    assert "`tool_use` ids were found without `tool_result` blocks" in message, message or "the request was answered"
    assert len(fake.session.exchanges) == 2, fake.session.exchanges
    assert isinstance(fake.failure(), RuleViolations), fake.failure()


def cap() -> None:
    """What is raised reaches the loop through everything that the SDK catches."""
    client = FakeClaude(lambda request: say("more"), max_requests=1).client()
    client.messages.create(**arguments([ASK]))
    try:
        client.messages.create(**arguments([ASK]))
    except RequestLimitReached:
        return
    raise AssertionError("the cap did not stop the loop")


CHECKS = (
    sync_json,
    sync_beta,
    sync_stream,
    raw_stream,
    async_json,
    async_stream,
    count_tokens,
    raw_response,
    tool_runner,
    refusal,
    cap,
)


def main() -> int:
    outcomes, failed = [], False
    for check in CHECKS:
        name = check.__name__.replace("_", " ")
        try:
            check()
            outcomes.append(f"{name} ok")
        except Lacking as lacking:
            outcomes.append(f"{name} skipped ({lacking})")
        except Exception as error:  # noqa: BLE001, a smoke test tells everything that is broken, in one line
            failed = True
            outcomes.append(f"{name} FAILED ({type(error).__name__}: {error})")
    module = anthropic.DefaultHttpxClient.__mro__[1].__module__.partition(".")[0]
    print(f"anthropic {anthropic.__version__} over {module} {version(module)}: {', '.join(outcomes)}")  # noqa: T201
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

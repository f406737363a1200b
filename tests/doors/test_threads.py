"""Conversations that the server holds, through the SDK's tool runner, which asks for them by default."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import anthropic
import pytest

from playhead import Exchange, FakeClaude, RuleViolations, call, fail, say

ASK: Any = {"role": "user", "content": "What is 1 + 2, and 3 + 4?"}
SCRIPT = (call("add", a=1, b=2), call("add", a=3, b=4), say("3 and 7"))
MODEL = "claude-opus-5-5"

if not hasattr(anthropic, "beta_tool") or not hasattr(anthropic.Anthropic(api_key="k").beta.messages, "thread"):
    pytest.skip("this version of the SDK has no message threads", allow_module_level=True)


@anthropic.beta_tool
def add(a: int, b: int) -> str:
    """Adds."""
    return str(a + b)


@anthropic.beta_async_tool(name="add")
async def add_later(a: int, b: int) -> str:
    """Adds."""
    return str(a + b)


def run(
    fake: FakeClaude, each: Callable[[int], None] = lambda number: None, *, stream: bool = False, **options: Any
) -> str:
    """The tool runner over a fake; `each` is called after every reply."""
    runner: Any = fake.client().beta.messages.tool_runner(
        model=MODEL, max_tokens=64, tools=[add], messages=[ASK], stream=stream, **options
    )
    last: Any = None
    for number, answer in enumerate(runner, 1):
        last = answer.get_final_message() if stream else answer
        each(number)
    return str(last.content[0].text)


async def run_later(fake: FakeClaude, *, stream: bool = False, **options: Any) -> str:
    runner: Any = fake.async_client().beta.messages.tool_runner(
        model=MODEL, max_tokens=64, tools=[add_later], messages=[ASK], stream=stream, **options
    )
    last: Any = None
    async for answer in runner:
        last = await answer.get_final_message() if stream else answer
    return str(last.content[0].text)


def threads_of(fake: FakeClaude) -> list[str | None]:
    return [(exchange.request or {}).get("thread", {}).get("type") for exchange in fake.session.exchanges]


def codes_of(fake: FakeClaude) -> list[str | None]:
    return [_code(exchange) for exchange in fake.session.exchanges]


def _code(exchange: Exchange) -> str | None:
    code: str | None = ((exchange.error or {}).get("details") or {}).get("error_code")
    return code


OPTIONS = pytest.mark.parametrize("options", [{}, {"thread": False}], ids=["threads", "no threads"])
STREAM = pytest.mark.parametrize("stream", [False, True], ids=["json", "stream"])


@STREAM
@OPTIONS
@pytest.mark.parametrize("later", [False, True], ids=["sync", "async"])
def test_the_runner_on_threads_and_off(options: dict[str, Any], stream: bool, later: bool) -> None:
    """The verdict is good either way; on a thread each request but the first sends only what is new."""
    with FakeClaude(SCRIPT) as fake:
        text = asyncio.run(run_later(fake, stream=stream, **options)) if later else run(fake, stream=stream, **options)
    assert text == "3 and 7"
    sent = [len(exchange.messages) for exchange in fake.session.exchanges]
    assert sent == ([1, 3, 5] if options else [1, 1, 1])
    assert threads_of(fake) == ([None] * 3 if options else ["create", "continue", "continue"])
    assert [turn.number for turn in fake.session.turns] == [1, 2, 3]


@STREAM
def test_a_thread_that_expired_is_replayed_in_full(stream: bool) -> None:
    """The runner gets a 404 and sends the whole history on a new thread, which continues the conversation."""
    with FakeClaude(SCRIPT) as fake:
        text = run(fake, lambda number: fake.expire_threads() if number == 2 else None, stream=stream)
    assert text == "3 and 7"
    assert codes_of(fake) == [None, None, "thread_not_found", None]
    assert threads_of(fake) == ["create", "continue", "continue", "create"]
    assert fake.session.exchanges[3].retry_of == 3
    assert len(fake.session.conversations) == 1


@STREAM
@pytest.mark.parametrize(
    ("failure", "then"),
    [
        pytest.param(fail(404, error_code="thread_not_found"), "create", id="thread_not_found"),
        pytest.param(fail(400, error_code="thread_already_continued"), "create", id="thread_already_continued"),
        pytest.param(fail(400, error_code="thread_continue_in_flight"), "create", id="thread_continue_in_flight"),
        pytest.param(
            fail(400, error_code="thread_unsupported_request", details={"unsupported": ["web_search"]}),
            None,
            id="thread_unsupported_request",
        ),
        pytest.param(fail(529), "continue", id="overloaded"),
    ],
)
def test_errors_that_the_runner_recovers_from(failure: Any, then: str | None, stream: bool) -> None:
    """Each is scripted, met, and left behind with a good verdict."""
    with FakeClaude([SCRIPT[0], failure, *SCRIPT[1:]]) as fake:
        assert run(fake, stream=stream) == "3 and 7"
    assert threads_of(fake)[:3] == ["create", "continue", then]


def test_a_server_that_holds_no_threads() -> None:
    """The runner goes on without one after a single refusal."""
    with FakeClaude(SCRIPT, threads=False) as fake:
        assert run(fake) == "3 and 7"
    assert threads_of(fake) == ["create", None, None, None]
    assert codes_of(fake) == ["thread_unsupported_request", None, None, None]


def _ask(client: anthropic.Anthropic, messages: list[Any], thread: Any, **members: Any) -> Any:
    return client.beta.messages.create(
        model=MODEL,
        max_tokens=64,
        messages=messages,
        extra_body={"thread": thread, **members},
        betas=["message-threads-2026-08-12"],
    )


TOOLS = [{"name": "add", "description": "Adds.", "input_schema": {"type": "object"}}]


def test_a_call_left_unanswered_on_a_thread_is_refused() -> None:
    """What the server holds counts: the call came in a reply that is not resent, and still needs its result."""
    fake = FakeClaude(SCRIPT)
    client = fake.client()
    first = _ask(client, [ASK], {"type": "create"}, tools=TOOLS)
    with pytest.raises(anthropic.BadRequestError, match="`tool_use` ids were found without `tool_result` blocks"):
        _ask(client, [ASK], {"type": "continue", "previous_message_id": first.id})
    failure = fake.failure()
    assert isinstance(failure, RuleViolations)
    assert next(violation.rule for violation in fake.violations) == "tool-use-unanswered"


def test_a_path_on_a_thread_is_that_of_what_was_sent() -> None:
    """Positions count the messages of the request, not those that the server holds."""
    fake = FakeClaude(SCRIPT)
    client = fake.client()
    first = _ask(client, [ASK], {"type": "create"}, tools=TOOLS)
    wrong = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_9", "content": "3"}]}
    with pytest.raises(anthropic.BadRequestError):
        _ask(client, [wrong], {"type": "continue", "previous_message_id": first.id})
    orphan = next(violation for violation in fake.violations if violation.rule == "tool-result-orphan")
    assert orphan.path.startswith("$.messages[0].content[0]")

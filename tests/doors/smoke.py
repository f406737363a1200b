"""What the fake can do, over any version of the SDK: `python tests/doors/smoke.py [--json]` prints what came of it.

It runs in environments that hold nothing but Playhead and one version of `anthropic`; the suite runs it on its own.
What a version lacks is skipped by what its client has, never by its number. Exit code 0 when all that it has works.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import sys
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from typing import Any

import anthropic
from pydantic import BaseModel

from playhead import (
    Delivery,
    FakeClaude,
    RequestLimitReached,
    RuleViolations,
    call,
    cut,
    damage,
    deliver,
    drop,
    fail,
    raw,
    say,
    think,
    turn,
    when,
)

MODEL = "claude-opus-5-5"
TOOLS: list[Any] = [{"name": "add", "description": "adds", "input_schema": {"type": "object"}}]
ASK: Any = {"role": "user", "content": "What is 1 + 2, and 3 + 4?"}
SCRIPT = [turn(think("two sums"), say("Let me see."), call("add", a=1, b=2), call("add", a=3, b=4)), say("3 und 7 ✓")]
HTTP = anthropic.DefaultHttpxClient.__mro__[1].__module__.partition(".")[0]
"""The HTTP module that this version speaks through."""


class Lacking(Exception):
    """This version of the SDK, or this fake, has no such thing."""


def needs(owner: object, name: str) -> Any:
    found = getattr(owner, name, None)
    if found is None:
        raise Lacking(f"{getattr(owner, '__name__', type(owner).__name__)}.{name} is not there")
    return found


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


def created(namespace: Any, messages: list[Any]) -> Any:
    return namespace.create(**arguments(messages))


def streamed(namespace: Any, messages: list[Any]) -> Any:
    with namespace.stream(**arguments(messages)) as stream:
        return stream.get_final_message()


async def created_later(namespace: Any, messages: list[Any]) -> Any:
    return await namespace.create(**arguments(messages))


async def streamed_later(namespace: Any, messages: list[Any]) -> Any:
    async with namespace.stream(**arguments(messages)) as stream:
        return await stream.get_final_message()


def events_of(namespace: Any) -> list[str]:
    return [event.type for event in namespace.create(**arguments([ASK]), stream=True)]


def ended(last: Any) -> None:
    assert last.content[0].text == "3 und 7 ✓", last


def in_two_turns(ask: Callable[[Any, list[Any]], Any], *, beta: bool = False, **options: Any) -> None:
    """A loop of two turns: the calls, then the end."""
    with FakeClaude(SCRIPT, **options) as fake:
        client = fake.client()
        namespace = client.beta.messages if beta else client.messages
        first = ask(namespace, [ASK])
        assert first.stop_reason == "tool_use", first
        assert [block.id for block in first.content if block.type == "tool_use"] == ["toolu_0001", "toolu_0002"], first
        last = ask(namespace, follow_up([ASK], first))
        ended(last)
        assert last.id == "msg_0002", last


def in_two_turns_later(ask: Callable[[Any, list[Any]], Any], *, beta: bool = False, **options: Any) -> None:
    async def loop() -> None:
        with FakeClaude(SCRIPT, **options) as fake:
            client = fake.async_client()
            namespace = client.beta.messages if beta else client.messages
            first = await ask(namespace, [ASK])
            ended(await ask(namespace, follow_up([ASK], first)))

    asyncio.run(loop())


BY_BYTE = Delivery(pieces=1, chunks="byte", newline="\r\n")


def raw_stream() -> None:
    with FakeClaude([say("Hi"), say("Hi")]) as fake:
        types = events_of(fake.client().messages)
        assert (types[0], types[-1]) == ("message_start", "message_stop"), types
        assert events_of(fake.client().beta.messages) == types


def raw_bytes() -> None:
    """Bytes that nobody else would send, as a stream and as an error."""
    body = b': a comment\n\nevent: message_stop\ndata: {"type":\ndata: "message_stop"}\n\n'
    with FakeClaude([raw([body[:30], body[30:]])]) as fake:
        assert events_of(fake.client().messages) == ["message_stop"]
    error = error_of([raw("<html>", status=418, content_type="text/html")], one)
    assert isinstance(error, anthropic.APIStatusError), error
    assert error.status_code == 418, error


def count_tokens() -> None:
    with FakeClaude([]) as fake:
        client = fake.client()
        for messages in (client.messages, client.beta.messages):
            assert needs(messages, "count_tokens")(model=MODEL, messages=[ASK]).input_tokens > 0


def models() -> None:
    fake = FakeClaude([])
    listed = needs(fake.client(), "models")
    try:
        page = listed.list()
    except anthropic.NotFoundError:
        raise Lacking("this fake lists no models") from None
    assert page.data, page
    assert listed.retrieve(page.data[0].id).id == page.data[0].id
    fake.assert_ok()


def raw_response() -> None:
    with FakeClaude([say("Hi")]) as fake:
        answer = fake.client().messages.with_raw_response.create(**arguments([ASK]))
        assert answer.headers["request-id"] == "req_0001", answer.headers
        assert answer.elapsed.total_seconds() >= 0
        assert answer.parse().content[0].text == "Hi"


def streaming_response() -> None:
    with FakeClaude([say("Hi"), say("Hi")]) as fake:
        messages = fake.client().messages
        with messages.with_streaming_response.create(**arguments([ASK])) as answer:
            assert json.loads(b"".join(answer.iter_bytes()))["content"][0]["text"] == "Hi"
        with messages.with_streaming_response.create(**arguments([ASK]), stream=True) as answer:
            lines = [*answer.iter_lines()]
        assert (lines[0], lines[-2]) == ("event: message_start", 'data: {"type":"message_stop"}'), lines


def failures_are_retried() -> None:
    """The SDK tries again by itself, twice, and no pause takes real time."""
    with FakeClaude([fail(529), fail(429), say("Hi")]) as fake:
        assert created(fake.client().messages, [ASK]).content[0].text == "Hi"
        assert [exchange.retry_of for exchange in fake.session.exchanges] == [None, 1, 2]
    with FakeClaude([fail(500, times=2), say("Hi")]) as fake:
        assert streamed(fake.client().messages, [ASK]).content[0].text == "Hi"
        assert len(fake.session.exchanges) == 3


def error_of(script: list[Any], ask: Callable[[Any], Any]) -> Exception | None:
    """What the SDK raises, without trying again; None where it raises nothing."""
    with FakeClaude(script) as fake:
        messages = fake.client(max_retries=0).messages
        try:
            ask(messages)
        except Exception as error:  # noqa: BLE001, which error it is, is what is asked
            return error
    return None


def one(messages: Any) -> Any:
    return created(messages, [ASK])


ERRORS = {
    400: "BadRequestError",
    401: "AuthenticationError",
    403: "PermissionDeniedError",
    404: "NotFoundError",
    409: "ConflictError",
    413: "RequestTooLargeError",
    429: "RateLimitError",
    500: "InternalServerError",
    529: "OverloadedError",
}


def errors_have_their_class() -> None:
    for status, name in ERRORS.items():
        error = error_of([fail(status, message="so it is")], one)
        assert isinstance(error, getattr(anthropic, name, anthropic.APIStatusError)), error
        assert (error.status_code, "so it is" in str(error)) == (status, True), error


def dropped_connections() -> None:
    for how in ("connect", "read", "timeout", "close"):
        error = error_of([drop(how)], one)
        assert isinstance(error, anthropic.APIConnectionError), error
        assert isinstance(error, anthropic.APITimeoutError) is (how == "timeout"), error


def cut_streams() -> None:
    """One that just ends looks whole, one that is reset raises the HTTP module's own error."""
    broken = sys.modules[HTTP]
    told: dict[Any, type[BaseException]] = {
        "end": type(None),
        "reset": broken.ReadError,
        "close": broken.RemoteProtocolError,
        "timeout": broken.ReadTimeout,
        "error": anthropic.APIStatusError,
    }
    for how, wanted in told.items():
        for ask in (events_of, lambda messages: streamed(messages, [ASK])):
            error = error_of([cut(say("Hello"), events=4, how=how)], ask)
            assert isinstance(error, wanted), f"{how}: {error!r}"


def damaged_streams() -> None:
    for name, wanted in {"malformed_json": ValueError, "invalid_utf8": UnicodeDecodeError}.items():
        error = error_of([damage(say("Hello"), name)], events_of)
        assert isinstance(error, wanted), f"{name}: {error!r}"
    for name in ("unknown_event", "unknown_delta", "unknown_block", "unnamed_events", "empty_body", "html"):
        error = error_of([damage(say("Hello"), name)], events_of)
        assert error is None, f"{name}: {error!r}"


def headers_of_a_delivery() -> None:
    with FakeClaude([deliver(say("Hi"), headers={"x-mine": "1"}, delay=30)]) as fake:
        answer = fake.client(timeout=60).messages.with_raw_response.create(**arguments([ASK]))
        assert (answer.headers["x-mine"], fake.waited) == ("1", 30.0), answer.headers


def conversations_in_threads() -> None:
    """Several conversations at once, each with the script that fits, over one client."""
    names = [f"conversation {letter}" for letter in "abcdefgh"]
    cases = [when(name, [call("add", a=1, b=number), say(f"{name} ends")]) for number, name in enumerate(names)]
    with FakeClaude(cases) as fake:
        client = fake.client()

        def loop(name: str) -> Any:
            messages = [{"role": "user", "content": name}]
            return created(client.messages, follow_up(messages, created(client.messages, messages)))

        with ThreadPoolExecutor(max_workers=len(names)) as pool:
            told = [message.content[0].text for message in pool.map(loop, names)]
        assert told == [f"{name} ends" for name in names], told
        assert len(fake.session.conversations) == len(names)


def sums() -> Any:
    @needs(anthropic, "beta_tool")
    def add(a: int, b: int) -> str:
        """Adds."""
        return str(a + b)

    return add


def runner_of(client: Any, tool: Any, **options: Any) -> Any:
    runner = needs(client.beta.messages, "tool_runner")
    for name in options:
        if name not in inspect.signature(runner).parameters:
            raise Lacking(f"tool_runner takes no {name}")
    return runner(model=MODEL, max_tokens=64, messages=[ASK], tools=[tool], **options)


def tool_runner() -> None:
    with FakeClaude(SCRIPT) as fake:
        ended(runner_of(fake.client(), sums()).until_done())


def tool_runner_without_threads() -> None:
    with FakeClaude(SCRIPT) as fake:
        ended(runner_of(fake.client(), sums(), thread=False).until_done())


def streaming_tool_runner() -> None:
    with FakeClaude(SCRIPT) as fake:
        streams = [stream.get_final_message() for stream in runner_of(fake.client(), sums(), stream=True)]
        assert [message.stop_reason for message in streams] == ["tool_use", "end_turn"], streams


def async_tool_runner() -> None:
    @needs(anthropic, "beta_async_tool")
    async def add(a: int, b: int) -> str:
        """Adds."""
        return str(a + b)

    async def loop() -> None:
        with FakeClaude([*SCRIPT]) as fake:
            ended(await runner_of(fake.async_client(), add).until_done())
        with FakeClaude([*SCRIPT]) as fake:
            last = None
            async for stream in runner_of(fake.async_client(), add, stream=True):
                last = await stream.get_final_message()
            ended(last)

    asyncio.run(loop())


class Sum(BaseModel):
    total: int


def parsed(namespace: Any) -> None:
    parse = needs(namespace, "parse")
    with warnings.catch_warnings():
        # some versions have deprecated this argument of the beta's, and later ones taken that back
        warnings.simplefilter("ignore", DeprecationWarning)
        message = parse(model=MODEL, max_tokens=64, messages=[ASK], output_format=Sum)
    assert message.parsed_output == Sum(total=3), message


def structured_output() -> None:
    with FakeClaude([say('{"total": 3}')]) as fake:
        parsed(fake.client().messages)


def beta_structured_output() -> None:
    with FakeClaude([say('{"total": 3}')]) as fake:
        parsed(fake.client().beta.messages)


def structured_stream() -> None:
    with FakeClaude([say('{"total": 3}')]) as fake:
        stream = fake.client().messages.stream
        if "output_format" not in inspect.signature(stream).parameters:
            raise Lacking("stream takes no output_format")
        with stream(model=MODEL, max_tokens=64, messages=[ASK], output_format=Sum) as events:
            assert events.get_final_message().parsed_output == Sum(total=3)


def refusal() -> None:
    """A 400 of the API's wording, in one request."""
    fake = FakeClaude(SCRIPT)
    client = fake.client()
    first = created(client.messages, [ASK])
    history = [ASK, {"role": "assistant", "content": first.content}, {"role": "user", "content": "never mind"}]
    message = ""
    try:
        created(client.messages, history)
    except anthropic.BadRequestError as error:
        message = error.message
    assert "`tool_use` ids were found without `tool_result` blocks" in message, message or "the request was answered"
    assert len(fake.session.exchanges) == 2, fake.session.exchanges
    assert isinstance(fake.failure(), RuleViolations), fake.failure()


def cap() -> None:
    """What is raised reaches the loop through everything that the SDK catches."""
    client = FakeClaude(lambda request: say("more"), max_requests=1).client()
    created(client.messages, [ASK])
    try:
        created(client.messages, [ASK])
    except RequestLimitReached:
        return
    raise AssertionError("the cap did not stop the loop")


CHECKS: dict[str, Callable[[], None]] = {
    "JSON": lambda: in_two_turns(created),
    "JSON, beta": lambda: in_two_turns(created, beta=True),
    "JSON, async": lambda: in_two_turns_later(created_later),
    "JSON, async beta": lambda: in_two_turns_later(created_later, beta=True),
    "JSON, byte by byte": lambda: in_two_turns(created, delivery=BY_BYTE),
    "stream helper": lambda: in_two_turns(streamed),
    "stream helper, beta": lambda: in_two_turns(streamed, beta=True),
    "stream helper, async": lambda: in_two_turns_later(streamed_later),
    "stream helper, async beta": lambda: in_two_turns_later(streamed_later, beta=True),
    "stream helper, byte by byte": lambda: in_two_turns(streamed, delivery=BY_BYTE),
    "stream helper, async byte by byte": lambda: in_two_turns_later(streamed_later, delivery=BY_BYTE),
    "raw stream": raw_stream,
    "raw bytes": raw_bytes,
    "raw response": raw_response,
    "streaming response": streaming_response,
    "count tokens": count_tokens,
    "models": models,
    "tool runner": tool_runner,
    "tool runner, thread=False": tool_runner_without_threads,
    "tool runner, streaming": streaming_tool_runner,
    "tool runner, async": async_tool_runner,
    "structured output": structured_output,
    "structured output, beta": beta_structured_output,
    "structured output, stream": structured_stream,
    "refusal": refusal,
    "failures are retried": failures_are_retried,
    "errors by status": errors_have_their_class,
    "dropped connections": dropped_connections,
    "cut streams": cut_streams,
    "damaged streams": damaged_streams,
    "delivery": headers_of_a_delivery,
    "conversations in threads": conversations_in_threads,
    "cap": cap,
}


def outcome(check: Callable[[], None]) -> tuple[str, str]:
    """`ok`, `skipped` or `FAILED`, and why."""
    try:
        check()
    except Lacking as lacking:
        return "skipped", str(lacking)
    except Exception as error:  # noqa: BLE001, a smoke test tells everything that is broken
        return "FAILED", f"{type(error).__name__}: {error}"
    return "ok", ""


def main() -> int:
    outcomes = {name: outcome(check) for name, check in CHECKS.items()}
    over = f"{HTTP} {version(HTTP)}"
    if "--json" in sys.argv:
        print(json.dumps({"sdk": anthropic.__version__, "over": over, "outcomes": outcomes}))  # noqa: T201
    else:
        print(f"anthropic {anthropic.__version__} over {over}")  # noqa: T201
        for name, (how, why) in outcomes.items():
            print(f"  {name}: {how}{f' ({why})' if why else ''}")  # noqa: T201
    return 1 if any(how == "FAILED" for how, _ in outcomes.values()) else 0


if __name__ == "__main__":
    sys.exit(main())

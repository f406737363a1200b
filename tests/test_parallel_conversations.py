"""Many conversations at once over one fake: each gets the replies of its own, whoever asks first."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anthropic
import pytest

from playhead import FakeClaude, Request, call, fail, say, turn, when

MODEL = "claude-opus-5-5"
TOOLS: Any = [
    {"name": name, "description": name, "input_schema": {"type": "object", "properties": {"n": {"type": "integer"}}}}
    for name in ("double", "square")
]


def double(n: int) -> str:
    """Twice as much."""
    return str(2 * n)


def square(n: int) -> str:
    """The square."""
    return str(n * n)


FUNCTIONS: dict[str, Callable[..., str]] = {"double": double, "square": square}


def body(messages: list[Any]) -> dict[str, Any]:
    return {"model": MODEL, "max_tokens": 64, "tools": TOOLS, "messages": messages}


def answered(message: Any) -> list[Any]:
    """The two messages that a reply with calls adds to a history."""
    results = [
        {"type": "tool_result", "tool_use_id": block.id, "content": FUNCTIONS[block.name](**block.input)}
        for block in message.content
        if block.type == "tool_use"
    ]
    return [{"role": "assistant", "content": message.content}, {"role": "user", "content": results}]


def ask(client: anthropic.Anthropic, text: str) -> str:
    """A tool loop. Returns the text of its last reply."""
    messages: list[Any] = [{"role": "user", "content": text}]
    while True:
        message = client.messages.create(**body(messages))
        if message.stop_reason != "tool_use":
            return "".join(block.text for block in message.content if block.type == "text")
        messages += answered(message)


async def ask_later(client: anthropic.AsyncAnthropic, text: str, chance: random.Random, stream: bool = False) -> str:
    """The same, async, in steps that interleave with all others by chance."""
    messages: list[Any] = [{"role": "user", "content": text}]
    while True:
        for _ in range(chance.randrange(4)):
            await asyncio.sleep(0)
        if stream:
            async with client.messages.stream(**body(messages)) as events:
                message: Any = await events.get_final_message()
        else:
            message = await client.messages.create(**body(messages))
        if message.stop_reason != "tool_use":
            return "".join(block.text for block in message.content if block.type == "text")
        messages += answered(message)


def all_at_once(count: int, run: Callable[[int], str]) -> list[str]:
    """What each of so many threads returns; all of them start together."""
    start = threading.Barrier(count)

    def begin(number: int) -> str:
        start.wait(timeout=30)
        return run(number)

    with ThreadPoolExecutor(count) as pool:
        return [*pool.map(begin, range(count))]


def gathered(fake: FakeClaude, texts: list[str], **options: Any) -> list[str]:
    """What each of many tasks returns, over one client."""

    async def main() -> list[str]:
        client = fake.async_client(**options)
        tasks = [ask_later(client, text, random.Random(text), stream=number % 5 == 0) for number, text in order]
        return [*await asyncio.gather(*tasks)]

    order = [*enumerate(texts)]
    return asyncio.run(main())


def own_script(number: int) -> list[Any]:
    """A script that is one conversation's alone: its numbers, failures in between, and its last words."""
    return [
        *([fail(529, times=number % 3)] if number % 3 else []),
        turn(say(f"First {number}."), call("double", n=number), call("square", n=number)),
        *([fail(429)] if number % 2 else []),
        call("square", n=number + 1000),
        lambda request: say(f"conversation {number}: {next(iter(request.results.values()))['content']}"),
    ]


def last_words(number: int) -> str:
    return f"conversation {number}: {(number + 1000) ** 2}"


def requests_of(number: int) -> int:
    return 3 + number % 3 + number % 2


def verify(fake: FakeClaude, count: int) -> None:
    """Nothing is wrong, and the session tells `count` conversations of the expected requests and attempts."""
    assert fake.failure() is None
    session = fake.session
    assert len(session.exchanges) == sum(map(requests_of, range(count)))
    assert len(session.conversations) == count
    for conversation in session.conversations:
        first: Any = conversation.exchanges[0].messages[0]
        number = int(first["content"].split()[-1])
        assert [len(its.attempts) for its in conversation.turns] == [1 + number % 3, 1 + number % 2, 1]
        for its in conversation.turns:
            assert [exchange.retry_of for exchange in its.attempts[1:]] == [
                exchange.number for exchange in its.attempts[:-1]
            ]


def as_mapping(count: int) -> Any:
    return {f"This is number {number}": own_script(number) for number in range(count)}


def as_cases(count: int) -> Any:
    """Functions in a shuffled order: nothing rests on where a case stands."""

    def is_number(number: int) -> Callable[[Request], bool]:
        return lambda request: request.text.split()[-1] == str(number)

    cases = [when(is_number(number), own_script(number)) for number in range(count)]
    random.Random(7).shuffle(cases)
    return cases


@pytest.mark.parametrize("scripts", [as_mapping, as_cases], ids=["mapping", "functions"])
def test_threads(scripts: Callable[[int], Any]) -> None:
    """Forty threads, each with a conversation of several turns, tools, refusals by overload and retries."""
    count = 40
    fake = FakeClaude(scripts(count), max_requests=1000)
    client = fake.client(max_retries=3)
    started = time.monotonic()
    texts = all_at_once(count, lambda number: ask(client, f"This is number {number}"))
    assert time.monotonic() - started < 60
    assert texts == [last_words(number) for number in range(count)]
    verify(fake, count)


@pytest.mark.parametrize("scripts", [as_mapping, as_cases], ids=["mapping", "functions"])
def test_tasks(scripts: Callable[[int], Any]) -> None:
    """A hundred and twenty tasks over one async client, every fifth of them streaming."""
    count = 120
    fake = FakeClaude(scripts(count), max_requests=1000)
    texts = gathered(fake, [f"This is number {number}" for number in range(count)], max_retries=3)
    assert texts == [last_words(number) for number in range(count)]
    verify(fake, count)


ONE_FOR_ALL: list[Any] = [
    call("double", n=3),
    fail(529),
    turn(call("square", n=4), call("double", n=5)),
    lambda request: say(
        f"{request.messages[0]['content']}: {sorted(its['content'] for its in request.results.values())}"
    ),
]


def test_one_script_for_each_of_many_threads() -> None:
    """`conversations="each"`: every conversation plays the whole script, whatever the others do meanwhile."""
    fake = FakeClaude(ONE_FOR_ALL, conversations="each", max_requests=1000)
    texts = all_at_once(32, lambda number: ask(fake.client(), f"thread {number}"))
    assert texts == [f"thread {number}: ['10', '16']" for number in range(32)]
    assert fake.failure() is None
    assert len(fake.session.exchanges) == 32 * 4


def test_one_script_for_each_of_many_tasks() -> None:
    """The same with tasks."""
    fake = FakeClaude(ONE_FOR_ALL, conversations="each", max_requests=1000)
    assert gathered(fake, [f"task {number}" for number in range(100)]) == [
        f"task {number}: ['10', '16']" for number in range(100)
    ]
    assert fake.failure() is None
    assert len(fake.session.exchanges) == 100 * 4


# Identical beginnings


def test_threads_that_all_begin_alike() -> None:
    """Equal first messages start a conversation each; what tells them apart from then on are the ids of their calls."""
    script = [call("double", n=3), call("square", n=4), say("done")]
    fake = FakeClaude(script, conversations="each", max_requests=1000)
    assert all_at_once(32, lambda number: ask(fake.client(), "the same")) == ["done"] * 32
    assert fake.failure() is None
    assert len(fake.session.exchanges) == 32 * 3


def test_tasks_that_all_begin_alike() -> None:
    """The same with tasks; a case is no different."""
    script = [call("double", n=3), fail(529), call("square", n=4), say("done")]
    for scripts in (script, {"same": script}):
        fake = FakeClaude(scripts, conversations="each", max_requests=1000)
        assert gathered(fake, ["the same"] * 100) == ["done"] * 100
        assert fake.failure() is None
        assert len(fake.session.exchanges) == 100 * 4


def test_one_after_the_other() -> None:
    """The same loop, run again and again over one fake."""
    fake = FakeClaude([call("double", n=3), fail(529), say("done")], conversations="each")
    assert [ask(fake.client(), "the same") for _ in range(5)] == ["done"] * 5
    assert fake.failure() is None


async def chat(client: anthropic.AsyncAnthropic, chance: random.Random) -> list[str]:
    """Three turns of text alone. Returns what Claude said."""
    messages: list[Any] = [{"role": "user", "content": "the same"}]
    said = []
    for _ in range(3):
        for _ in range(chance.randrange(4)):
            await asyncio.sleep(0)
        message: Any = await client.messages.create(**body(messages))
        said.append(message.content[0].text)
        messages += [{"role": "assistant", "content": message.content}, {"role": "user", "content": "go on"}]
    return said


def chats(count: int) -> tuple[FakeClaude, list[Any]]:
    fake = FakeClaude([say("a"), say("b"), say("c")], conversations="each", max_requests=1000)

    async def main() -> list[Any]:
        client = fake.async_client()
        return await asyncio.gather(*(chat(client, random.Random(at)) for at in range(count)), return_exceptions=True)

    return fake, asyncio.run(main())


def test_chats_that_are_all_alike() -> None:
    """Conversations that say the same to the letter, in parallel: each gets the whole script."""
    fake, said = chats(20)
    assert said == [["a", "b", "c"]] * 20
    assert fake.failure() is None


def test_chats_that_are_alike_one_after_the_other() -> None:
    """Where they do not even overlap, a chat that begins again plays the script again."""
    fake = FakeClaude([say("a"), say("b"), say("c")], conversations="each")

    async def main() -> list[list[str]]:
        return [await chat(fake.async_client(), random.Random(at)) for at in range(4)]

    assert asyncio.run(main()) == [["a", "b", "c"]] * 4
    assert fake.failure() is None


@pytest.mark.xfail(reason="a retry of one cannot be told from the start of another: nothing in the requests differs")
def test_beginnings_that_are_alike_and_fail() -> None:
    """A first step that fails, for conversations that begin alike in parallel: each gets the failure and the rest.

    No follower can do this, since a loop's own second attempt and another loop's first are the same bytes; so texts
    that differ are needed where a first step fails.
    """
    fake = FakeClaude([fail(529), call("double", n=3), say("done")], conversations="each", max_requests=1000)
    assert gathered(fake, ["the same"] * 20, max_retries=1) == ["done"] * 20
    assert fake.failure() is None

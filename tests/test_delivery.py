"""How replies travel, under the SDK: in pieces, with pauses that cost no time or are slept through."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

import anthropic
import httpx2
import pytest
from freezegun import freeze_time

from playhead import Delivery, FakeClaude, SetupError, SeveralFailures, cut, deliver, drop, say, turn
from sdk_outcomes import ASK, REPLY, create, create_later, helper, raw

later = pytest.mark.parametrize("later", [False, True], ids=["sync", "async"])
SLOW = Delivery(chunks="event", delay=2, pace=0.5)
"""A stream of 12 events: 2 seconds, then eleven half seconds."""


def ask(fake: FakeClaude, later: bool, **options: Any) -> None:
    """Reads a stream to its end."""

    async def main(client: anthropic.AsyncAnthropic) -> None:
        async for _ in await client.messages.create(**ASK, stream=True):
            pass

    if later:
        asyncio.run(main(fake.async_client(**options)))
    else:
        for _ in fake.client(**options).messages.create(**ASK, stream=True):
            pass


@later
def test_pauses_cost_no_time(later: bool) -> None:
    """An hour passes at once; what it would have taken can be read."""
    started = time.monotonic()
    with FakeClaude([REPLY], delivery=Delivery(chunks="event", delay=300, pace=300)) as fake:
        ask(fake, later)
        assert fake.waited == 300 * 13
    assert time.monotonic() - started < 60


@later
def test_a_sleep_gets_every_pause(later: bool) -> None:
    """Something like time.sleep is called with the seconds of each, in their order, sync and async."""
    slept: list[float] = []
    with FakeClaude([REPLY], delivery=SLOW, sleep=slept.append) as fake:
        ask(fake, later)
    assert slept == [2, *[0.5] * 12]
    assert fake.waited == sum(slept)


def test_real_sleep() -> None:
    """`sleep=time.sleep` really waits."""
    started = time.monotonic()
    with FakeClaude([REPLY], delivery=Delivery(delay=0.05), sleep=time.sleep) as fake:
        assert create(fake.client()) == "whole"
    assert time.monotonic() - started >= 0.05


def test_an_async_sleep_lets_others_run() -> None:
    """Something like asyncio.sleep is awaited: two conversations wait at the same time, not one after the other."""
    both = asyncio.Barrier(2)
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        await both.wait()  # until the other sleeps as well
        slept.append(seconds)

    async def main() -> None:
        client = fake.async_client()
        async with asyncio.timeout(30):
            await asyncio.gather(client.messages.create(**ASK), client.messages.create(**ASK))

    with FakeClaude([REPLY, REPLY], conversations="any", delivery=Delivery(delay=3), sleep=sleep) as fake:
        asyncio.run(main())
    assert slept == [3, 3]
    assert fake.waited == 6


@later
def test_a_frozen_clock_ticks(later: bool) -> None:
    """`sleep=frozen.tick`: the code under test sees the time pass that the answers take."""
    with freeze_time("2026-01-01 12:00:00", real_asyncio=True) as frozen:
        with FakeClaude([REPLY], delivery=SLOW, sleep=frozen.tick) as fake:
            ask(fake, later)
        assert datetime.now() == datetime(2026, 1, 1, 12, 0, 8)


@later
@pytest.mark.parametrize(
    "step",
    [drop("timeout"), deliver(REPLY, delay=9), cut(REPLY, how="timeout"), deliver(REPLY, chunks="event", pace=9)],
    ids=["no answer", "a delay", "a cut", "a slow stream"],
)
def test_a_timeout_takes_its_time(step: Any, later: bool) -> None:
    """The clock goes on for as long as the client is patient, whatever makes it give up."""
    slept: list[float] = []
    fake = FakeClaude([step], sleep=slept.append)
    with pytest.raises((anthropic.APITimeoutError, httpx2.ReadTimeout)):
        ask(fake, later, timeout=4, max_retries=0)
    assert slept == [4]
    assert fake.waited == 4
    assert not fake.session.exchanges[0].complete


def fails(seconds: float) -> None:
    raise OSError("no clock")


async def fails_later(seconds: float) -> None:
    raise OSError("no clock")


@pytest.mark.parametrize(
    ("sleep", "later", "sentence"),
    [
        (fails, False, "sleep raised OSError: no clock"),
        (fails, True, "sleep raised OSError: no clock"),
        (fails_later, True, "sleep raised OSError: no clock"),
        (
            asyncio.sleep,
            False,
            "sleep gave something to await, and a sync client asked: give time.sleep, or none",
        ),
    ],
    ids=["raises", "raises under an async client", "raises when awaited", "is async under a sync client"],
)
def test_a_sleep_that_cannot_be(sleep: Callable[[float], object], later: bool, sentence: str) -> None:
    """The loop gets its answer and never hears of it, since the SDK would hide it; the test does, once, at its end."""
    fake = FakeClaude([REPLY], delivery=SLOW, sleep=sleep)
    ask(fake, later)
    failure = fake.failure()
    assert type(failure) is SetupError
    assert str(failure) == sentence


@pytest.mark.parametrize("step", [deliver(say("a")), deliver(say("a"), pace=1), cut(say("a"), how="end")], ids=str)
def test_a_step_speaks_for_itself(step: Any) -> None:
    """What a step says of its delivery holds for all of it; a step that says nothing travels as the fake says."""
    fake = FakeClaude([step], delivery=Delivery(chunks=5, delay=7))
    raw(fake.client())
    assert fake.waited == (0 if step.delivery is not None else 7)


def test_only_replies_are_delivered() -> None:
    """Errors, connections that fail, and token counts come at once."""
    fake = FakeClaude([drop(), REPLY], delivery=Delivery(delay=7))
    client = fake.client(max_retries=0)
    with pytest.raises(anthropic.APIConnectionError):
        client.messages.create(**ASK)
    client.messages.count_tokens(**{name: value for name, value in ASK.items() if name != "max_tokens"})
    assert fake.waited == 0
    assert helper(client) == "whole"
    assert fake.waited == 7


def test_pieces_are_what_the_loop_sees() -> None:
    """A delta of text has so many characters."""
    fake = FakeClaude([turn(say("abcdefg"))], delivery=Delivery(pieces=3))
    with fake.client().messages.stream(**ASK) as stream:
        assert [*stream.text_stream] == ["abc", "def", "g"]


def test_failures_of_the_clock_stand_beside_others() -> None:
    """A clock that fails hides no step that was left over, and the other way round."""
    fake = FakeClaude([cut(REPLY, how="end"), say("never")], delivery=SLOW, sleep=fails)
    ask(fake, False)
    failure = fake.failure()
    assert failure is not None
    assert "sleep raised OSError" in str(failure)
    assert not isinstance(failure, SeveralFailures)  # one cause, one failure: the step is not blamed on the loop


@later
@pytest.mark.parametrize("step", [deliver(REPLY, chunks="event", pace=1), cut(deliver(REPLY, chunks=9))], ids=str)
def test_a_client_that_stops_reading(step: Any, later: bool) -> None:
    """Nothing is left behind that Python would warn of, and the pauses that nobody came to are not counted."""

    async def main() -> None:
        async with await fake.async_client().messages.create(**ASK, stream=True) as stream:
            async for _ in stream:
                break

    fake = FakeClaude([step])
    if later:
        asyncio.run(main())
    else:
        with fake.client().messages.create(**ASK, stream=True) as stream:
            for _ in stream:
                break
    gc.collect()
    assert fake.waited in (0, 1)
    assert fake.session.exchanges[0].status == 200


def test_a_request_that_is_cancelled() -> None:
    """A task that is cancelled in a pause is cancelled there; the exchange stays, and the loop may ask again."""

    async def main() -> str:
        client = fake.async_client()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await client.messages.create(**ASK)
        return await create_later(client)

    fake = FakeClaude([deliver(REPLY, delay=60), REPLY], sleep=asyncio.sleep)
    assert asyncio.run(main()) == "whole"
    assert [exchange.status for exchange in fake.session.exchanges] == [200, 200]
    fake.assert_ok()

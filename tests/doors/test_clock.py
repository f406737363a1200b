"""The clock of an answer's pauses: it counts, it sleeps where it is told to, and it raises nothing."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from playhead import SetupError
from playhead.doors.clock import Clock


def clock(sleep: Any, kept: list[SetupError] | None = None) -> Clock:
    problems: list[SetupError] = [] if kept is None else kept
    return Clock(sleep, problems.append)


@pytest.mark.parametrize("awaits", [False, True], ids=["sync", "async"])
def test_no_time_passes_without_a_sleep(awaits: bool) -> None:
    """The pauses only add up, and tenths stay tenths."""
    its = clock(None)
    for _ in range(10):
        assert its.pause(0.1, awaits) is None
    assert its.waited == 1.0


@pytest.mark.parametrize("awaits", [False, True], ids=["sync", "async"])
def test_a_sleep_that_is_called(awaits: bool) -> None:
    """Something like time.sleep gets the seconds of each pause, from either kind of client."""
    slept: list[float] = []
    its = clock(slept.append)
    assert [its.pause(seconds, awaits) for seconds in (0.5, 2)] == [None, None]
    assert slept == [0.5, 2]
    assert its.waited == 2.5


def test_a_sleep_that_is_awaited() -> None:
    """Something like asyncio.sleep is awaited by an async client before the answer goes on."""
    slept: list[float] = []

    async def sleep(seconds: float) -> str:
        await asyncio.sleep(0)
        slept.append(seconds)
        return "ignored"

    async def main() -> None:
        its, kept = clock(sleep, problems), len(slept)
        pause = its.pause(3, True)
        assert pause is not None
        assert len(slept) == kept  # not before it is awaited
        await pause

    problems: list[SetupError] = []
    asyncio.run(main())
    assert slept == [3]
    assert problems == []


@pytest.mark.parametrize("sleep", [asyncio.sleep, lambda seconds: _Awaitable()], ids=["a coroutine", "an awaitable"])
def test_a_sleep_that_a_sync_client_cannot_await(sleep: Any) -> None:
    """It is told what to give; no coroutine is left behind that nobody awaits, which would be a warning."""
    problems: list[SetupError] = []
    assert clock(sleep, problems).pause(1, False) is None
    assert [str(problem) for problem in problems] == [
        "sleep gave something to await, and a sync client asked: give time.sleep, or none"
    ]


class _Awaitable:
    """What can be awaited and is no coroutine."""

    def __await__(self) -> Any:
        yield


def test_a_sleep_that_raises() -> None:
    """The error is kept with its cause, the pause counts, and the answer goes on: sync, async, and when awaited."""
    error = OSError("no clock")
    problems: list[SetupError] = []

    def fail(seconds: float) -> None:
        raise error

    async def fail_later(seconds: float) -> None:
        raise error

    async def main() -> None:
        pause = clock(fail_later, problems).pause(1, True)
        assert pause is not None
        await pause

    its = clock(fail, problems)
    assert its.pause(1, False) is its.pause(1, True) is None
    asyncio.run(main())
    assert [str(problem) for problem in problems] == ["sleep raised OSError: no clock"] * 3
    assert all(problem.__cause__ is error for problem in problems)
    assert its.waited == 2


def test_what_ends_a_process_passes() -> None:
    """A test that interrupts itself in its sleep is interrupted, and a task that is cancelled there is cancelled."""

    def interrupt(seconds: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        clock(interrupt).pause(1, False)

    async def main() -> None:
        pause = clock(asyncio.sleep).pause(60, True)
        assert pause is not None
        task = asyncio.ensure_future(pause)
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())


def test_many_threads_lose_no_pause() -> None:
    """The sum is right however many add to it."""
    its = clock(None)
    threads = [threading.Thread(target=lambda: [its.pause(0.001, False) for _ in range(250)]) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert its.waited == 2.0

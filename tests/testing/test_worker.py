"""The thread in which loops run: what comes back, what is raised, and what is left behind."""

from __future__ import annotations

import threading
import time

import pytest

from playhead.testing.worker import Left, Worker

PATIENCE = 0.2


def still() -> int:
    return 0


def test_work_is_done_in_a_thread_of_its_own() -> None:
    """The same thread for all work, and none of the caller's."""
    worker: Worker[int] = Worker()
    first, second = (worker.run(threading.get_ident, patience=5, pulse=still) for _ in range(2))
    assert first == second != threading.get_ident()
    worker.close()


def test_what_the_work_raises_is_raised() -> None:
    """Any exception, `BaseException`s too, and the thread goes on afterwards."""
    worker: Worker[int] = Worker()

    def raises() -> int:
        raise SystemExit(3)

    with pytest.raises(SystemExit):
        worker.run(raises, patience=5, pulse=still)
    assert worker.run(lambda: 4, patience=5, pulse=still) == 4
    worker.close()


def test_work_that_does_nothing_for_long_is_left_behind_and_stopped() -> None:
    """Python of its own that never ends is asked to stop; new work has a new thread."""
    worker: Worker[int] = Worker()
    ended = threading.Event()

    def endless() -> int:
        try:
            while True:
                time.sleep(0.01)
        finally:
            ended.set()

    assert worker.run(endless, patience=PATIENCE, pulse=still) == Left(waits=False)
    assert ended.wait(5)
    assert worker.run(lambda: 5, patience=5, pulse=still) == 5
    worker.close()


def test_work_that_goes_on_is_waited_for() -> None:
    """As long as the pulse beats, patience does not end."""
    worker: Worker[int] = Worker()
    beats: list[int] = []

    def slow() -> int:
        for _ in range(6):
            time.sleep(PATIENCE / 2)
            beats.append(1)
        return 6

    assert worker.run(slow, patience=PATIENCE, pulse=lambda: len(beats)) == 6
    worker.close()


def test_work_may_give_its_thread_up() -> None:
    """What waits for ever says so itself, and nobody waits for it."""
    worker: Worker[int] = Worker()
    assert worker.run(lambda: worker.wait_for_ever() or 0, patience=60, pulse=still) == Left(waits=True)
    assert worker.run(lambda: 7, patience=5, pulse=still) == 7
    worker.close()

"""The clock by which an answer's pauses pass: a count of seconds, and the test's own sleep where it has one.

Law: no time passes here by itself, and nothing is raised. In a transport an error would become "Connection error.", so
what the test's sleep raises is handed to `complain`, and the answer goes on.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Awaitable, Callable

from playhead.errors import SetupError

Sleep = Callable[[float], object]


class Clock:
    """Counts pauses in `waited`, in seconds; each is also given to `sleep`, whose result is awaited if need be."""

    def __init__(self, sleep: Sleep | None, complain: Callable[[SetupError], object]) -> None:
        self._sleep = sleep
        self._complain = complain
        self._lock = threading.Lock()
        self._waited = 0.0

    @property
    def waited(self) -> float:
        with self._lock:
            return self._waited

    def pause(self, seconds: float, awaits: bool) -> Awaitable[object] | None:
        """Lets some seconds pass; `awaits` says that the caller can await what is returned."""
        with self._lock:
            self._waited = round(self._waited + seconds, 9)  # a sum of tenths stays one
        if self._sleep is None:
            return None
        try:
            pause = self._sleep(seconds)
        except Exception as error:  # noqa: BLE001  # see the law above
            self._failed(error)
            return None
        if not inspect.isawaitable(pause):
            return None
        if awaits:
            return self._awaited(pause)
        if inspect.iscoroutine(pause):
            pause.close()
        self._complain(SetupError("sleep gave something to await, and a sync client asked: give time.sleep, or none"))
        return None

    async def _awaited(self, pause: Awaitable[object]) -> None:
        try:
            await pause
        except Exception as error:  # noqa: BLE001  # see the law above
            self._failed(error)

    def _failed(self, error: Exception) -> None:
        found = SetupError(f"sleep raised {type(error).__name__}: {error}")
        found.__cause__ = error
        self._complain(found)

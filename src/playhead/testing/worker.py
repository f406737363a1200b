"""A thread in which loops run, that can be left behind: nothing a loop does may keep a search from going on.

Law: knows nothing of loops or fakes. Python cannot end a thread, so that one which never comes back is left where it
is; it is a daemon, and where it runs Python of its own it is asked to stop.
"""

from __future__ import annotations

import ctypes
import queue
import threading
from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

Value = TypeVar("Value")


class Left(NamedTuple):
    """What is known of work that was left behind: it `waits` for ever, by our own doing, or it did nothing for long."""

    waits: bool


class Worker(Generic[Value]):
    """Runs one piece of work at a time in a thread of its own."""

    def __init__(self) -> None:
        self._work: queue.SimpleQueue[Callable[[], Value] | None] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[Value | BaseException | Left] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def run(self, work: Callable[[], Value], *, patience: float, pulse: Callable[[], int]) -> Value | Left:
        """What the work returns; `Left` where it never will.

        The thread is given up where for `patience` seconds `pulse`, a count of what is done, stands still. Raises what
        the work raises.
        """
        if self._thread is None:
            self._thread = threading.Thread(target=self._serve, args=(self._work, self._done), daemon=True)
            self._thread.start()
        self._work.put(work)
        count = pulse()
        while True:
            try:
                value = self._done.get(timeout=patience)
            except queue.Empty:
                value = Left(waits=False)
                if pulse() != count:
                    count = pulse()
                    continue
            if isinstance(value, Left):
                self._leave(ask=not value.waits)
            if isinstance(value, BaseException):
                raise value
            return value

    def wait_for_ever(self) -> None:
        """Called within the work: gives the thread up, and never returns."""
        self.give_up()
        threading.Event().wait()

    def give_up(self) -> None:
        """Called within the work: gives the thread up; what called it is to wait for ever."""
        self._done.put(Left(waits=True))

    def close(self) -> None:
        """Lets the thread end."""
        if self._thread is not None:
            self._work.put(None)
            self._thread.join(1.0)
            self._thread = None

    @staticmethod
    def _serve(
        works: queue.SimpleQueue[Callable[[], Value] | None], done: queue.SimpleQueue[Value | BaseException | Left]
    ) -> None:
        while (work := works.get()) is not None:
            try:
                done.put(work())
            except BaseException as error:  # noqa: BLE001 - whatever it is, it belongs to who asked for the work
                done.put(error)

    def _leave(self, *, ask: bool) -> None:
        thread, self._thread = self._thread, None
        self._work, self._done = queue.SimpleQueue(), queue.SimpleQueue()
        if ask and thread is not None and thread.ident is not None:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(SystemExit))

"""Two drivers for one generator: how the sync and the async loop share every decision.

A generator yields what it wants done and is sent the outcome; an error in the doing is thrown into it at that
place.  The drivers decide nothing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from typing import TypeVar

Request = TypeVar("Request")
Result = TypeVar("Result")


def drive(steps: Generator[Request, object, Result], perform: Callable[[Request], object]) -> Result:
    """Run `steps` to its end and return its value; `perform` does each thing it asks for."""
    try:
        request = next(steps)
        while True:
            try:
                outcome = perform(request)
            except BaseException as error:  # noqa: BLE001  # the generator decides what to do with it
                request = steps.throw(error)
            else:
                request = steps.send(outcome)
    except StopIteration as done:
        result: Result = done.value
        return result


async def adrive(
    steps: Generator[Request, object, Result],
    perform: Callable[[Request], Awaitable[object]],
) -> Result:
    """The same, awaiting what `perform` returns."""
    try:
        request = next(steps)
        while True:
            try:
                outcome = await perform(request)
            except BaseException as error:  # noqa: BLE001  # as above
                request = steps.throw(error)
            else:
                request = steps.send(outcome)
    except StopIteration as done:
        result: Result = done.value
        return result

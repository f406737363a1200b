"""The two drivers do the same: values in, errors in at the place, result out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from typing import Any

import pytest

from playhead.loop.drive import adrive, drive


def sync(steps: Generator[Any, Any, Any], perform: Callable[[Any], Any]) -> Any:
    return drive(steps, perform)


def through_asyncio(steps: Generator[Any, Any, Any], perform: Callable[[Any], Any]) -> Any:
    async def aperform(request: Any) -> Any:
        await asyncio.sleep(0)
        return perform(request)

    return asyncio.run(adrive(steps, aperform))


DRIVERS = [pytest.param(sync, id="sync"), pytest.param(through_asyncio, id="async")]
Driver = Callable[[Generator[Any, Any, Any], Callable[[Any], Any]], Any]


@pytest.mark.parametrize("driver", DRIVERS)
def test_requests_are_performed_in_turn(driver: Driver) -> None:
    """What is yielded is performed, its outcome sent back, the value returned."""

    def steps() -> Generator[int, int, list[int]]:
        return [(yield 1), (yield 2)]

    assert driver(steps(), lambda request: request * 10) == [10, 20]


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("error", [ValueError("bad"), KeyboardInterrupt()], ids=["exception", "interrupt"])
def test_errors_arrive_where_they_happened(driver: Driver, error: BaseException) -> None:
    """The generator may catch an error, or let it through as it is."""

    def fails(_: object) -> None:
        raise error

    def catches() -> Generator[int, int, str]:
        try:
            yield 1
        except BaseException as caught:  # noqa: BLE001  # whatever it is
            return f"caught {type(caught).__name__}"
        return "nothing"

    def lets_through() -> Generator[int, int, None]:
        yield 1

    if isinstance(error, Exception):
        assert driver(catches(), fails) == "caught ValueError"
    with pytest.raises(type(error)):
        driver(lets_through(), fails)


def test_a_generator_may_need_nothing() -> None:
    """It ends before it yields."""

    def steps() -> Generator[int, object, int]:
        if False:
            yield 1
        return 5

    assert drive(steps(), lambda request: request) == 5

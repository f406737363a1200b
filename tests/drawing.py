"""Examples of what strategies draw, for tests that look at many of them, and the smallest."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st

Drawn = TypeVar("Drawn")


def examples(strategy: st.SearchStrategy[Drawn], count: int) -> list[Drawn]:
    """So many examples, always the same ones."""
    found: list[Drawn] = []

    @settings(
        phases=[Phase.generate],
        max_examples=count,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
    @given(strategy)
    def draw(value: Drawn) -> None:
        found.append(value)

    draw()
    return found


def smallest(strategy: st.SearchStrategy[Drawn], wanted: Callable[[Drawn], object] = lambda value: True) -> Drawn:
    """The simplest value that is wanted; the first that there is."""
    quiet = settings(
        phases=[Phase.generate, Phase.shrink],
        max_examples=2000,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=[*HealthCheck],
    )
    return find(strategy, lambda value: bool(wanted(value)), settings=quiet)

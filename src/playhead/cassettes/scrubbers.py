"""Users' scrubbers: functions and tables that change every string before anything is looked for in it.

Law: pure, as far as the user's functions are. An error says which scrubber it was and never repeats the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from playhead.errors import SetupError
from playhead.wire.codec import kind

Scrubber: TypeAlias = Callable[[str], str] | Mapping[str, str]
"""A function from a string to what is to stand in the file, or a table of literals and what stands for them."""


def scrubbing(scrubbers: Scrubber | Iterable[Scrubber]) -> Callable[[str], str] | None:
    """All scrubbers as one function, applied in their order; None where there are none. Raises `SetupError`."""
    several = (scrubbers,) if callable(scrubbers) or isinstance(scrubbers, Mapping) else tuple(scrubbers)
    steps = tuple(_step(scrubber) for scrubber in several)
    if not steps:
        return None

    def scrub(text: str) -> str:
        for step in steps:
            text = step(text)
        return text

    return scrub


def _step(scrubber: object) -> Callable[[str], str]:
    if isinstance(scrubber, Mapping):
        return _replacing(scrubber)
    if callable(scrubber):
        return _guarded(scrubber)
    raise SetupError(
        f"a scrubber is a function that takes a string and returns one, or a dict of literals and what is to stand for "
        f"them, not {kind(scrubber)}"
    )


def _replacing(table: Mapping[object, object]) -> Callable[[str], str]:
    for literal, replacement in table.items():
        if not isinstance(literal, str) or not isinstance(replacement, str) or not literal:
            raise SetupError(
                "a scrubber's dict maps strings that are not empty to strings; it has "
                f"{kind(literal) if literal != '' else 'an empty string'} that maps to {kind(replacement)}"
            )
    if not table:
        return str
    # the longest first: of two literals that begin alike it is the more telling
    literals = sorted(map(str, table), key=len, reverse=True)
    any_of = re.compile("|".join(map(re.escape, literals)))
    return lambda text: any_of.sub(lambda match: str(table[match[0]]), text)


def _guarded(function: Callable[[str], object]) -> Callable[[str], str]:
    name = getattr(function, "__qualname__", None) or type(function).__name__

    def step(text: str) -> str:
        try:
            scrubbed = function(text)
        except Exception as error:  # noqa: BLE001 - whatever a user's function raises
            raise SetupError(
                f"the scrubber {name} raised {type(error).__name__}{_line(error)} for a string of {len(text):,} "
                "characters; it gets every string of the traffic and must return those it does not know as they are"
            ) from None
        if not isinstance(scrubbed, str):
            raise SetupError(
                f"the scrubber {name} returned {kind(scrubbed)} for a string of {len(text):,} characters; it must "
                "return a string, the same one where there is nothing to scrub"
            )
        return scrubbed

    return step


def _line(error: BaseException) -> str:
    """Where the scrubber raised; its message is left out, for it may repeat the secret."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return "" if trace is None else f" at line {trace.tb_lineno}"

"""Violations as a person reads them.

Law: values to text; 80 columns, no colour.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence

from playhead.rules.registry import IDS
from playhead.rules.rule import LEVELS, Violation, told_once

WIDTH = 80
_LABEL = 8
_SHOWN = 100
"""Who has more faults than this does not read them all."""


def summary(violations: Iterable[Violation]) -> str:
    """The numbers by level: `1 reject, 2 broken`."""
    counts = Counter(violation.level for violation in violations)
    return ", ".join(f"{counts[level]} {level}" for level in LEVELS if counts[level]) or "no violations"


def headline(violations: Sequence[Violation]) -> str:
    """One sentence that says what kind of thing went wrong."""
    if any(violation.level == "reject" for violation in violations):
        return f"Claude's API would refuse this ({summary(violations)})"
    if any(violation.level == "broken" for violation in violations):
        return f"the API takes this conversation, but the loop is broken ({summary(violations)})"
    return f"the API takes this conversation ({summary(violations)})"


def report(violations: Sequence[Violation], notes: Sequence[str] = ()) -> str:
    """The whole report: a headline, each violation with where, what, the API's words, the fix; then the notes.

    A fault that two rules tell is shown once, and only the first hundred are.
    """
    violations = told_once(violations)
    parts = [headline(violations)]
    parts += [_violation(number, violation) for number, violation in enumerate(violations[:_SHOWN], 1)]
    if len(violations) > _SHOWN:
        parts.append(f"... and {len(violations) - _SHOWN} more")
    if notes:
        parts.append("\n".join(textwrap.fill(note, WIDTH) for note in notes))
    return "\n\n".join(parts)


def _violation(number: int, violation: Violation) -> str:
    title = f"{number:2}  {violation.level:<6}  {violation.rule}"
    place = _place(violation)
    lines = [title if not place else f"{title:<{WIDTH - len(place) - 1}} {place}"]
    lines += _row("at", violation.path)
    lines += _row("what", violation.message)
    if violation.api is not None:
        lines += _row("API", f"{violation.status or 400} {violation.api}")
    lines += _row("fix", violation.fix)
    if violation.rule in IDS:
        lines += _row("why", f"playhead rules {violation.rule}")
    return "\n".join(lines)


def _place(violation: Violation) -> str:
    if violation.exchange is None:
        return ""
    turn = f" · turn {violation.turn}" if violation.turn is not None else ""
    return f"exchange {violation.exchange}{turn}"


def _row(label: str, text: str) -> list[str]:
    indent = " " * (4 + _LABEL)
    wrapped = textwrap.wrap(
        text,
        WIDTH,
        initial_indent=f"    {label:<{_LABEL}}",
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return wrapped or [f"    {label}"]

"""Which rules apply: all there are and one's own, less those that are switched off.

Law: pure; names that do not exist are errors, with the nearest that does.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches

from playhead.errors import SetupError
from playhead.rules.registry import RULES
from playhead.rules.rule import LEVELS, Rule


def choose(own: Iterable[object] = (), ignore: Collection[str] = (), level: str = "warn") -> tuple[Rule, ...]:
    """The rules that apply. `level` is the weakest that does. Raises `SetupError`."""
    chosen = all_rules(own)
    off = known_ids(ignore, chosen)
    if level not in LEVELS:
        raise SetupError(f"level is one of {', '.join(LEVELS)}, not {level!r}")
    if not off and level == LEVELS[-1]:
        return chosen  # as every fake of a test suite asks
    strong = LEVELS[: LEVELS.index(level) + 1]
    return tuple(rule for rule in chosen if rule.id not in off and rule.level in strong)


def all_rules(own: Iterable[object] = ()) -> tuple[Rule, ...]:
    """The built-in rules and these. Raises `SetupError` for what is no rule, and for an id that stands twice."""
    added: list[Rule] = []
    given = [*own]
    ids = {rule.id for rule in RULES} if given else set()
    for rule in given:
        if not isinstance(rule, Rule):
            raise SetupError(f"rules are Rule values of your own, not {rule!r}; ignore=[...] takes rule ids")
        if rule.id in ids:
            raise SetupError(f"there are two rules {rule.id!r}; give yours an id of its own")
        ids.add(rule.id)
        added.append(rule)
    return (*RULES, *added) if added else RULES


def known_ids(ids: Collection[str], rules: Sequence[Rule]) -> tuple[str, ...]:
    """The ids, all of which exist. Raises `SetupError` naming the nearest."""
    if isinstance(ids, str):
        raise SetupError(f"rules are named in a list: write [{ids!r}]")
    known = {rule.id for rule in rules} if ids else set()
    for given in ids:
        if given not in known:
            near = get_close_matches(str(given), known, n=1)
            meant = f"did you mean {near[0]!r}?" if near else "`playhead rules` lists them"
            raise SetupError(f"there is no rule {given!r}: {meant}")
    return tuple(ids)

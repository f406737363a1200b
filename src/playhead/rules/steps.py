"""The rules on a request and the exchange it follows, sorted by how that exchange ended.

Law: pure; runs checks, decides nothing. After a reply that asks for tools nobody needs to ask the rules on errors. A
reply that came back as it was, as nearly always, needs none of the rules on echoes, and calls that were each answered
once need few of those on calls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from playhead.rules.echo import came_back_changed
from playhead.rules.rule import Finding, Rule, StepView
from playhead.wire.exchange import Exchange
from playhead.wire.tables import STOP_REASONS

FAILED = "failed"
"""An HTTP error, an error event, a broken stream or connection."""

NOVEL = "novel"
"""A stop reason that no table knows."""

UNSAID = "unsaid"
"""No stop reason: the answer, or this member of it, is not known."""

OUTCOMES = (*STOP_REASONS, FAILED, NOVEL, UNSAID)
"""How an exchange may end."""


def outcome(exchange: Exchange) -> str:
    """How an exchange ended, one of `OUTCOMES`."""
    if exchange.failed:
        return FAILED
    reason = exchange.stop_reason
    if reason is None:
        return UNSAID
    return reason if reason in STOP_REASONS else NOVEL


class StepRules:
    """The rules across exchanges, those that concern each outcome in their order."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        ours = [rule for rule in rules if rule.step or rule.echo or rule.calls]
        self._after: Mapping[str, tuple[Rule, ...]] = {
            name: tuple(rule for rule in ours if not rule.after or name in rule.after) for name in OUTCOMES
        }
        self._named = frozenset(kind for rule in ours for kind in rule.holding)
        self._chosen: dict[tuple[str, frozenset[str]], tuple[Rule, ...]] = {}

    def judge(self, view: StepView, parent: Exchange, held: Set[str]) -> list[tuple[Rule, Finding]]:
        """Everything found, in the order of the rules. `held` are the types of block in the conversation."""
        found: list[tuple[Rule, Finding]] = []
        changed: bool | None = None
        simple: bool | None = None
        for rule in self._asked(outcome(parent), self._named.intersection(held)):
            if rule.step is not None:
                for finding in rule.step(view):
                    found.append((rule, finding))
            if rule.calls is not None:
                simple = view.simply_answered if simple is None else simple
                if not simple:
                    for finding in rule.calls(view):
                        found.append((rule, finding))
            if rule.echo is not None:
                changed = came_back_changed(view, parent) if changed is None else changed
                if changed:
                    for finding in rule.echo(view):
                        found.append((rule, finding))
        return found

    def _asked(self, after: str, held: frozenset[str]) -> tuple[Rule, ...]:
        """The rules that concern an outcome where the conversation holds, of the types that rules name, these."""
        chosen = self._chosen.get((after, held))
        if chosen is None:
            chosen = tuple(rule for rule in self._after[after] if not rule.holding or not held.isdisjoint(rule.holding))
            self._chosen[after, held] = chosen
        return chosen

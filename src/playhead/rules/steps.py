"""The rules on a request and the exchange it follows, sorted by how that exchange ended.

Law: pure; runs checks, decides nothing. After a reply that asks for tools nobody needs to ask the rules on errors. A
reply that came back as it was, as nearly always, needs none of the rules on echoes, calls that were each answered once
none of those on calls, and a step that is ordinary in every way hardly any at all.
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
        self._chosen: dict[tuple[str, frozenset[str], bool, bool], tuple[Rule, ...]] = {}

    def asked(self, parent: Exchange, ended: str, held: Set[str], *, ordinary: bool = False) -> tuple[Rule, ...]:
        """The rules that concern a request after this exchange, which `ended` with one of `OUTCOMES`. `held` are the
        types of block in the conversation.

        An `ordinary` step goes on with the reply as it was and ordinary messages after it, all else being as before;
        where it is known what the tools returned, their results are looked at all the same.
        """
        named = self._named.intersection(held)
        if not ordinary:  # else the reply is among the messages
            named |= self._named.intersection([str(b.get("type")) for b in parent.content if isinstance(b, dict)])
        key = (ended, named, ordinary, bool(parent.results))
        chosen = self._chosen.get(key)
        return self._choose(*key) if chosen is None else chosen

    def _choose(self, after: str, held: frozenset[str], ordinary: bool, told: bool) -> tuple[Rule, ...]:
        chosen = self._chosen[after, held, ordinary, told] = tuple(
            rule
            for rule in self._after[after]
            if not (rule.holding and held.isdisjoint(rule.holding))
            and (not ordinary or (rule.ordinary and (rule.step or (told and rule.calls))))
        )
        return chosen


def judge(rules: Sequence[Rule], view: StepView, parent: Exchange) -> list[tuple[Rule, Finding]]:
    """Everything that these rules find, in their order."""
    found: list[tuple[Rule, Finding]] = []
    changed: bool | None = None
    simple: bool | None = None
    for rule in rules:
        if rule.step is not None:
            for finding in rule.step(view):
                found.append((rule, finding))
        if rule.calls is not None:
            simple = view.simply_answered if simple is None else simple
            if not simple:
                for finding in rule.calls(view):
                    found.append((rule, finding))
        if rule.echo is not None:
            changed = came_back_changed(view.exchange, view.link, parent) if changed is None else changed
            if changed:
                for finding in rule.echo(view):
                    found.append((rule, finding))
    return found

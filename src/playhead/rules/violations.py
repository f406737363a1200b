"""What rules found, made into violations, in the order in which the API reports faults.

Law: pure; findings in, violations out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set

from playhead.rules.rule import LEVELS, Finding, Rule, Violation
from playhead.wire.exchange import Exchange
from playhead.wire.follow import Link

MESSAGE = re.compile(r"\$\.messages\[(\d+)\]")
"""A path's message, if it leads into one."""


def told_before(pair: tuple[Rule, Finding]) -> bool:
    """Whether a finding is told once: it concerns one message alone, and the API would not refuse it each time."""
    rule, finding = pair
    return rule.request is None and (finding.level or rule.level) != "reject"


def new_ones(found: list[tuple[Rule, Finding]], known: int) -> list[tuple[Rule, Finding]]:
    """What was found, without what the API takes in messages that an earlier request had: that was told then.

    A refusal is told again with each request that brings it.
    """
    return [
        pair
        for pair in found
        if not told_before(pair) or not (place := MESSAGE.match(pair[1].path)) or int(place[1]) >= known
    ]


def key(violation: Violation) -> tuple[str, str, str]:
    return violation.rule, violation.path, violation.message


def ordered(found: Iterable[tuple[Rule, Finding]]) -> list[tuple[Rule, Finding]]:
    return sorted(found, key=_place_in_order)


def _place_in_order(pair: tuple[Rule, Finding]) -> tuple[int, int, tuple[int, ...]]:
    rule, finding = pair
    return LEVELS.index(finding.level or rule.level), rule.rank if finding.rank is None else finding.rank, finding.place


def violations_of(
    found: Sequence[tuple[Rule, Finding]], exchange: Exchange | None, link: Link | None = None
) -> tuple[Violation, ...]:
    if not found:
        return ()
    ids = frozenset(rule.id for rule, _ in found)
    return tuple(violation_of(rule, finding, exchange, link, ids) for rule, finding in ordered(found))


def violation_of(
    rule: Rule, finding: Finding, exchange: Exchange | None, link: Link | None, found: Set[str] = frozenset()
) -> Violation:
    level = finding.level or rule.level
    return Violation(
        rule=rule.id,
        level=level,
        path=finding.path,
        message=finding.what,
        fix=rule.fix.format_map(finding.values),
        api=_api_text(rule, finding),
        status=rule.status if level == "reject" else None,
        error_code=finding.error_code,
        exchange=exchange.number if exchange else None,
        turn=link.turn if link else None,
        conversation=link.conversation if link else None,
        same_as=next((other for other in finding.same_as if other in found), None),
    )


def _api_text(rule: Rule, finding: Finding) -> str | None:
    """The API's words; None where they are not known, for the rule or for this case of it."""
    wording = rule.wording[finding.wording] if rule.wording else ""
    return wording.format_map(finding.values) or None


def first_refusal(
    found: list[tuple[Rule, Finding]], exchange: Exchange | None, link: Link | None = None
) -> Violation | None:
    """The violation that the API would answer: of those it refuses, the first in its order."""
    refused = ordered(pair for pair in found if (pair[1].level or pair[0].level) == "reject") if found else ()
    return violation_of(*refused[0], exchange, link) if refused else None

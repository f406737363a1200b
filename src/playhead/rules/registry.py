"""All rules in one literal tuple.

Law: a list, in the order in which a reader would want to learn them.
"""

from __future__ import annotations

from playhead.rules import execution, history, pairing, request_fields
from playhead.rules.rule import Rule

RULES: tuple[Rule, ...] = (*request_fields.RULES, *pairing.RULES, *history.RULES, *execution.RULES)

IDS: frozenset[str] = frozenset(rule.id for rule in RULES)

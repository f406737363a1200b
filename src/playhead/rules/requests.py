"""The rules on one request, run each where it looks: the envelope, each new message, each new block, the whole.

Law: pure; runs checks, decides nothing. Nearly always nothing is found, so the loops are plain ones: a list or a
generator for each rule would cost as much as the rule.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from playhead.rules.blocks import block_views
from playhead.rules.places import CACHE_MARK, Places
from playhead.rules.rule import BlockCheck, Finding, MessageCheck, RequestCheck, RequestView, Rule

Found = list[tuple[Rule, Finding]]
_RequestChecks: TypeAlias = tuple[tuple[Rule, RequestCheck], ...]
_Kinds: TypeAlias = tuple[frozenset[str], frozenset[str] | None]
"""Which of the types that rules name the last turns hold, and which the conversation, None where all rules count."""


class RequestRules:
    """Rules sorted by where they look, so that a block meets only the rules of its type."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._envelope = tuple((rule, rule.envelope) for rule in rules if rule.envelope)
        self._message = {role: _for_role(rules, role) for role in (*_ROLES, None)}
        self._whole = tuple((rule, rule.request) for rule in rules if rule.request)
        self._named = frozenset(kind for rule, _ in self._whole for kind in (*rule.recent, *rule.holding))
        self._chosen: dict[_Kinds, _RequestChecks] = {}
        self._any_block, self._by_type = _by_type(rules)

    def judge(self, view: RequestView, start: int = 0, *, envelope: bool = True, places: Places | None = None) -> Found:
        """Everything found, unordered.

        What stands before `start`, and the envelope if not asked for, is known to be good. `places` says where blocks
        stand before `start`; where the others stand is put into it.
        """
        found: Found = []
        places = Places() if places is None else places
        self._blocks(view, start, found, places)
        self._messages(view, start, found)
        if envelope:
            for rule, judge in self._envelope:
                for finding in judge(view):
                    found.append((rule, finding))
        recent = self._named.intersection([kind for turn in view.turns for kind in turn.by_type])
        kinds = (recent, None if envelope else self._named.intersection(places.types))
        for rule, judge in self._chosen.get(kinds) or self._choose(kinds):
            for finding in judge(view):
                found.append((rule, finding))
        return found

    def _choose(self, kinds: _Kinds) -> _RequestChecks:
        """The rules on a whole request in which blocks of these types are recent, and, where they count, these held."""
        recent, held = kinds
        chosen = self._chosen[kinds] = tuple(
            (rule, judge)
            for rule, judge in self._whole
            if not (rule.recent and recent.isdisjoint(rule.recent))
            and not (rule.holding and held is not None and held.isdisjoint(rule.holding))
        )
        return chosen

    def _messages(self, view: RequestView, start: int, found: Found) -> None:
        messages = view.messages
        for index in range(start, len(messages)):
            message = messages[index]
            role = message.get("role") if isinstance(message, dict) else None
            for rule, judge in self._message[role if isinstance(role, str) and role in _ROLES else None]:
                for finding in judge(view, index, message):
                    found.append((rule, finding))

    def _blocks(self, view: RequestView, start: int, found: Found, places: Places) -> None:
        """Judges the blocks, and notes of which types they are, and which carry a cache mark."""
        for block in block_views(view.messages, start):
            kind = str(block.data.get("type"))
            counts = block.within != "mcp_tool_result"
            places.note(kind, block.place[0], counts=counts)
            if block.data.get(CACHE_MARK) is not None:
                places.note(CACHE_MARK, block.place[0], counts=counts)
            for rule, judge in self._by_type.get(kind, self._any_block):
                for finding in judge(view, block):
                    found.append((rule, finding))


_ROLES = ("user", "assistant", "system")


def _for_role(rules: Sequence[Rule], role: str | None) -> tuple[tuple[Rule, MessageCheck], ...]:
    """The rules on messages of a role; None stands for what is no role, which any rule may have a word on."""
    concerned = [rule for rule in rules if not rule.roles or role is None or role in rule.roles]
    return tuple((rule, rule.message) for rule in concerned if rule.message)


_BlockChecks: TypeAlias = tuple[tuple[Rule, BlockCheck], ...]


def _by_type(rules: Sequence[Rule]) -> tuple[_BlockChecks, Mapping[str, _BlockChecks]]:
    """The rules for blocks of any type, and for each type that a rule names all that concern it, in their order."""
    checks = [(rule, rule.block) for rule in rules if rule.block]
    types = {name for rule, _ in checks for name in rule.types}
    any_block = tuple((rule, judge) for rule, judge in checks if not rule.types)
    return any_block, {
        name: tuple((rule, judge) for rule, judge in checks if not rule.types or name in rule.types) for name in types
    }

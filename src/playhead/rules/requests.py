"""The rules on one request, run each where it looks: the envelope, each new message, each new block, the whole.

Law: pure; runs checks, decides nothing. Nearly always nothing is found, so the loops are plain ones: a list or a
generator for each rule would cost as much as the rule. Nearly all messages are ordinary, and few rules are asked there.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import NamedTuple, TypeAlias

from playhead.rules.blocks import blocks_in
from playhead.rules.ordinary import WORDS, are_ordinary, ordinary_types, ordinary_words, takes_turns
from playhead.rules.places import CACHE_MARK, Places
from playhead.rules.rule import BlockCheck, Finding, MessageCheck, RequestCheck, RequestView, Rule

Found = list[tuple[Rule, Finding]]
_RequestChecks: TypeAlias = tuple[tuple[Rule, RequestCheck], ...]
_Kinds: TypeAlias = tuple[frozenset[str], frozenset[str] | None, bool]
"""Which of the types that rules name the last turns hold, and which the conversation, None where all rules count; and
whether what is new is ordinary."""


class Judged(NamedTuple):
    """What was found, unordered, and whether what is new is ordinary."""

    found: Found
    ordinary: bool


class RequestRules:
    """Rules sorted by where they look, so that a block meets only the rules of its type."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._envelope = tuple((rule, rule.envelope) for rule in rules if rule.envelope)
        self._any = _MessageRules(rules)
        self._ordinary = _MessageRules([rule for rule in rules if rule.ordinary])
        self._looks_at_words = self._ordinary.look_at(WORDS)
        self._extent = tuple((rule, rule.extent) for rule in rules if rule.extent)
        self._many = min((rule.large[0] for rule, _ in self._extent), default=math.inf)
        self._large = min((rule.large[1] for rule, _ in self._extent), default=math.inf)
        self._whole = tuple((rule, rule.request) for rule in rules if rule.request)
        self._named = frozenset(kind for rule, _ in self._whole for kind in (*rule.recent, *rule.holding))
        self._named_words = self._named.intersection(WORDS)
        self._chosen: dict[_Kinds, _RequestChecks] = {}
        self._first_words_are_free = not self._choose((self._named_words, self._named_words, True))

    def judge(
        self,
        view: RequestView,
        start: int = 0,
        *,
        envelope: bool = True,
        places: Places | None = None,
        closed: int | None = None,
    ) -> Judged:
        """Judges a request.

        What stands before `start`, and the envelope if not asked for, is known to be good. `places` says where blocks
        stand before `start`; where the others stand is put into it. `closed` is the number of the last turn up to which
        all of the view's turns are known to be ordinary, with nothing left open.
        """
        found: Found = []
        places = Places() if places is None else places
        ordinary = self._messages(view, start, found, places) and are_ordinary(
            view.turns if closed is None else view.turns[closed + 1 - view.turns[0].number :]
        )
        if envelope:
            for rule, judge in self._envelope:
                for finding in judge(view):
                    found.append((rule, finding))
        if not self.is_small(len(view.messages), view.size):
            found += self.judge_extent(view)
        recent = self._named.intersection([kind for turn in view.turns for kind in turn.by_type])
        kinds = (recent, None if envelope else self._named.intersection(places.types), ordinary)
        for rule, judge in self._choose(kinds):
            for finding in judge(view):
                found.append((rule, finding))
        return Judged(found, ordinary)

    def are_mere_words(self, messages: Sequence[object], start: int, recent: Set[str], held: Set[str]) -> bool:
        """Whether the new messages of a request are ordinary words that no rule but those on its extent looks at: a
        first one of the user's, or, after `start` messages, one of Claude's and one of the user's.

        The envelope is good, and so are the messages before, which end with an ordinary one of the user's and leave
        nothing open; `recent` are the types of block in their last turns, `held` those in all messages.
        """
        if self._looks_at_words or not (ordinary_words(messages[-1], "user") and held >= WORDS):
            return False
        if not start:
            return self._first_words_are_free
        if not ordinary_words(messages[start], "assistant"):
            return False
        named = self._named_words if recent is WORDS or not recent else self._named.intersection(WORDS.union(recent))
        return not self._choose((named, self._named.intersection(held), True))

    def is_small(self, count: int, size: int | None) -> bool:
        """Whether so many messages, in a body of so many bytes, are less than any rule on the extent looks at."""
        return count <= self._many and (size or 0) <= self._large

    def judge_extent(self, view: RequestView) -> Found:
        """What is found in how much is sent."""
        count, size = len(view.messages), view.size or 0
        return [
            (rule, finding)
            for rule, judge in self._extent
            if count > rule.large[0] or size > rule.large[1]
            for finding in judge(view)
        ]

    def _choose(self, kinds: _Kinds) -> _RequestChecks:
        """The rules on a whole request in which blocks of these types are recent, and, where they count, these held."""
        chosen = self._chosen.get(kinds)
        if chosen is not None:
            return chosen
        recent, held, ordinary = kinds
        chosen = self._chosen[kinds] = tuple(
            (rule, judge)
            for rule, judge in self._whole
            if not (rule.recent and recent.isdisjoint(rule.recent))
            and not (rule.holding and held is not None and held.isdisjoint(rule.holding))
            and (rule.ordinary or not ordinary)
        )
        return chosen

    def _messages(self, view: RequestView, start: int, found: Found, places: Places) -> bool:
        """Judges the new messages, notes where their blocks stand, and says whether there are any, all ordinary."""
        messages = view.messages
        ordinary = start < len(messages)
        before = messages[start - 1] if start else None
        for index in range(start, len(messages)):
            message = messages[index]
            types = ordinary_types(message) if takes_turns(before, message) else ()
            for kind in types:
                places.note(kind, index)
            if types:
                self._ordinary.judge_ordinary(view, index, message, found, types)
            else:
                ordinary = False
                self._any.judge(view, index, message, found, places)
            before = message
        return ordinary


_ROLES = ("user", "assistant", "system")
_BlockChecks: TypeAlias = tuple[tuple[Rule, BlockCheck], ...]


class _MessageRules:
    """Rules on messages and blocks."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._message = {role: _for_role(rules, role) for role in (*_ROLES, None)}
        self._any_message = bool(self._message["user"] or self._message["assistant"])
        self._any_block, self._by_type = _by_type(rules)
        self._named = self._by_type.keys()

    def judge(self, view: RequestView, index: int, message: object, found: Found, places: Places | None = None) -> None:
        """Judges a message and its blocks, and notes of which types they are, and which carry a cache mark."""
        role = message.get("role") if isinstance(message, dict) else None
        for rule, judge in self._message[role if isinstance(role, str) and role in _ROLES else None]:
            for finding in judge(view, index, message):
                found.append((rule, finding))
        for block in blocks_in(message, index, last=index == len(view.messages) - 1):
            kind = str(block.data.get("type"))
            if places is not None:
                counts = block.within != "mcp_tool_result"
                places.note(kind, index, counts=counts)
                if block.data.get(CACHE_MARK) is not None:
                    places.note(CACHE_MARK, index, counts=counts)
            for rule, judge_block in self._by_type.get(kind, self._any_block):
                for finding in judge_block(view, block):
                    found.append((rule, finding))

    def judge_ordinary(
        self, view: RequestView, index: int, message: object, found: Found, types: Sequence[str]
    ) -> None:
        """The same for a message with blocks of these types, if any rule is left that looks at it."""
        if self.look_at(types):
            self.judge(view, index, message, found)

    def look_at(self, types: Iterable[str]) -> bool:
        """Whether any of the rules may look at an ordinary message with blocks of these types."""
        return bool(self._any_message or self._any_block or not self._named.isdisjoint(types))


def _for_role(rules: Sequence[Rule], role: str | None) -> tuple[tuple[Rule, MessageCheck], ...]:
    """The rules on messages of a role; None stands for what is no role, which any rule may have a word on."""
    concerned = [rule for rule in rules if not rule.roles or role is None or role in rule.roles]
    return tuple((rule, rule.message) for rule in concerned if rule.message)


def _by_type(rules: Sequence[Rule]) -> tuple[_BlockChecks, Mapping[str, _BlockChecks]]:
    """The rules for blocks of any type, and for each type that a rule names all that concern it, in their order."""
    checks = [(rule, rule.block) for rule in rules if rule.block]
    types = {name for rule, _ in checks for name in rule.types}
    any_block = tuple((rule, judge) for rule, judge in checks if not rule.types)
    return any_block, {
        name: tuple((rule, judge) for rule, judge in checks if not rule.types or name in rule.types) for name in types
    }

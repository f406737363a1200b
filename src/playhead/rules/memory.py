"""What is known to be good of the conversations so far, so that it is not judged again.

Law: pure; remembers verdicts, makes none. What is known holds on the same terms only: model, tools, betas.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from playhead.rules.ordinary import WORDS
from playhead.rules.places import Places
from playhead.wire.history import History, back_to
from playhead.wire.turns import MergedTurn, merged_turns
from playhead.wire.value import Value

_ENDS = 64
"""Of how many requests the last turns are kept at hand; those of others are merged and judged once more."""


class Good(Value, frozen=True):
    """From where the judging of a request goes on: nothing was found in the first `length` messages.

    The merged turn with this number, an assistant's, begins at `message`: it and those after it are looked at again,
    and are `tail` where they are at hand. `places` says where blocks stand, and may know of later messages too.

    `last` is the number of the last turn if that is the user's and leaves nothing open; `recent` are then the types of
    block in the turns that are looked at again.
    """

    length: int = 0
    message: int = 0
    turn: int = 0
    tail: tuple[MergedTurn, ...] = ()
    places: Places = Places()
    last: int | None = None
    recent: Set[str] = frozenset()

    def turns(self, messages: Sequence[object]) -> tuple[MergedTurn, ...]:
        """The last turns that are known to be good, and those of the new messages, which may go on with the last."""
        if self.tail and len(messages) > self.length:
            message = messages[self.length]
            role = message.get("role") if isinstance(message, dict) else None
            last = self.tail[-1]
            if role in ("user", "assistant") and role != last.role:
                return (*self.tail, *merged_turns(messages, start=self.length, number=last.number + 1))
        return merged_turns(messages, start=self.message, number=self.turn)


_NOTHING = Good()
_NONE: Set[str] = frozenset()


class Memory:
    """What was found good in one session, by the number of the terms."""

    def __init__(self) -> None:
        self._parts: dict[int, dict[History, Good]] = {}
        self._ends: dict[int, dict[History, Good]] = {}

    def before(self, history: History | None, terms: int) -> Good:
        """The longest part of a history that was found good on these terms."""
        ends, parts = self._ends.get(terms), self._parts.get(terms)
        if ends is None or parts is None:
            return _NOTHING
        while history is not None:
            good = ends.get(history) or parts.get(history)
            if good is not None:
                return good
            history = history.before
        return _NOTHING

    def note(
        self,
        history: History,
        terms: int,
        good: Good,
        turns: tuple[MergedTurn, ...],
        places: Places,
        first: int | None,
        ordinary: bool,
    ) -> None:
        """Notes from where what follows a request need not be judged again; `first` is where something was found.

        A request that goes on with all of this one's messages begins at the last assistant turn that something stands
        after; one that changes some of them, a cache mark say, at an assistant turn before the change.
        """
        parts, ends = self._parts.setdefault(terms, {}), self._ends.setdefault(terms, {})
        at: History | None = history
        begin: int | None = None
        for position in range(len(turns) - 1, -1, -1):
            turn = turns[position]
            if turn.role != "assistant":
                continue
            if begin is None and position < len(turns) - 1:
                begin = position
            start = turn.messages[0]
            if first is None or start < first:
                at = back_to(at, start + 1)
                if at is not None and at not in parts:
                    parts[at] = Good(start + 1, start, turn.number, (), places)
        if first is None:
            tail = turns[begin:] if begin is not None else ()
            message, number = (tail[0].messages[0], tail[0].number) if tail else (good.message, good.turn)
            last = turns[-1].number if ordinary else None
            recent = frozenset([kind for turn in tail for kind in turn.by_type]) if ordinary else _NONE
            ends[history] = Good(history.count, message, number, tail, places, last, recent)
            if len(ends) > _ENDS:
                del ends[next(iter(ends))]

    def note_words(self, history: History, terms: int, good: Good) -> None:
        """Notes that ordinary words of the user's follow what was good, after Claude's unless that was nothing."""
        ends = self._ends.get(terms)
        parts = self._parts.get(terms)
        if ends is None or parts is None:
            parts, ends = self._parts.setdefault(terms, {}), self._ends.setdefault(terms, {})
        known = FIRST_WORDS
        if good.last is not None:
            start, spoken, turn = good.length, history.before, good.last + 1
            if spoken is not None and spoken not in parts:
                parts[spoken] = Good(start + 1, start, turn, (), good.places)
            known = Good(history.count, start, turn, (), good.places, turn + 1, WORDS)
        ends[history] = known
        if len(ends) > _ENDS:
            del ends[next(iter(ends))]


def _first_words() -> Good:
    places = Places()
    places.note("text", 0)
    return Good(1, places=places, last=0)


FIRST_WORDS = _first_words()
"""What is known after ordinary words of the user's with which a conversation begins."""

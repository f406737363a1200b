"""Where in a conversation blocks of which types stand, so that nobody need look through all of it again.

Law: positions of messages only; what is done with them is the rules' matter.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence, Set

CACHE_MARK = "cache_control"
"""Stands among the types for a block that carries a cache mark."""

_EVERYWHERE = frozenset({"text", "tool_use", "tool_result"})
"""Types that nearly every message holds: where they are is not noted, only that they are."""


class Places:
    """The types of the blocks in some messages, and for each of them which messages hold one, in order."""

    __slots__ = ("_of", "_own", "types")

    def __init__(self, shared: dict[str, list[int]] | None = None) -> None:
        self._own = shared is None
        self._of: dict[str, list[int]] = {} if shared is None else shared
        self.types: Set[str] = self._of.keys()
        """All types that there are, `cache_control` where a block is marked."""

    @property
    def marked(self) -> Sequence[int]:
        """The positions of the messages with a cache mark, in order."""
        return self._of.get(CACHE_MARK, ())

    def note(self, kind: str, message: int, *, counts: bool = True) -> None:
        """Takes in that the message at this position holds such a block; it is not found again unless it `counts`."""
        of = self._of.get(kind)
        if kind in _EVERYWHERE:
            counts = False
        if of is None or (counts and not (of and of[-1] == message)):
            # nearly always a request holds nothing new of interest, and shares what is known of the one before it
            self._make_own()
            of = self._of.setdefault(kind, [])
            if counts:
                of.append(message)

    def before(self, message: int) -> Places:
        """The places before a message, to be gone on with. Types may be left that stood only after it."""
        earlier = Places(self._of)
        if any(of and of[-1] >= message for of in self._of.values()):
            earlier._make_own()
            for of in earlier._of.values():
                del of[bisect_left(of, message) :]
        return earlier

    def _make_own(self) -> None:
        if not self._own:
            self._of, self._own = {kind: [*of] for kind, of in self._of.items()}, True
            self.types = self._of.keys()

    def holding(self, kinds: Iterable[str]) -> Sequence[int] | None:
        """The positions of the messages that hold a block of any of these types; None where that was not noted."""
        kinds = [kind for kind in kinds if kind in self._of]
        if not _EVERYWHERE.isdisjoint(kinds):
            return None
        if len(kinds) == 1:
            return self._of[kinds[0]]
        return sorted({message for kind in kinds for message in self._of[kind]})

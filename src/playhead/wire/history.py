"""Histories as chains: the messages of a request up to one place, shared between the requests that begin alike.

Law: values that know what came before them, and nothing of who sent them. Two requests with the same `History` object
begin with the very same messages; what is known of it once, its digest say, is known for both.

A loop resends all it has said. Comparing, hashing or judging each request from its first message on costs the square
of a conversation; along a chain only what is new costs anything.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from msgspec import Struct

from playhead.wire.codec import canonical
from playhead.wire.equality import plain_message
from playhead.wire.value import Value


class History(Struct, eq=False):
    """Messages up to one place: the history `before`, and one `message` more; `count` of them in all.

    `first` is the history of the first message alone, None where this is it.
    """

    before: History | None
    message: object
    count: int
    first: History | None
    _digest: bytes = b""

    @classmethod
    def after(cls, before: History | None, message: object) -> History:
        """A history and one message more."""
        if before is None:
            return cls(None, message, 1, None)
        return cls(before, message, before.count + 1, before.first or before)

    @property
    def digest(self) -> bytes:
        """16 bytes that are equal where all messages say the same (`equality.same_message`)."""
        if not self._digest:
            unknown, at = [self], self.before
            while at is not None and not at._digest:
                unknown.append(at)
                at = at.before
            last = b"" if at is None else at._digest
            for one in reversed(unknown):
                last = one._digest = digest(last, one.message)
        return self._digest

    def __repr__(self) -> str:
        return f"<History of {self.count} messages>"


_UNMET: tuple[None, int] = None, 0
"""Stands for the only history of its kind where none was met."""

_Kind: TypeAlias = bytes | tuple[bytes, int]
"""By what two histories may be told apart without more: their first message, and their length if it is not 1."""


class Positions:
    """The position at which each history was met last, by what it says.

    A digest costs more than all else that following does. Only histories that begin with the same message and have the
    same length need be told apart by it: conversations that go on and on need none but that of their first message, and
    the only one there is needs not even that.
    """

    __slots__ = ("_by_digest", "_first", "_single")

    def __init__(self) -> None:
        self._first: History | None = None
        """The first message that was met of all: its digest is not made before there is another."""
        self._single: dict[_Kind, tuple[History, int] | None] = {}
        """By kind the only history that was met, None where there are several."""
        self._by_digest: dict[bytes, int] = {}

    def _begun(self, history: History) -> bytes:
        """What stands for the first message of a history."""
        first, known = history.first or history, self._first
        if known is None or first is known:
            return b""
        begun = first._digest or first.digest
        return b"" if begun == (known._digest or known.digest) else begun

    def _met(self, begun: bytes, history: History) -> int | None:
        single = self._single.get(_kind(begun, history.count), _UNMET)
        if single is None:
            return self._by_digest.get(history.digest)
        before, position = single
        if before is None or (before is not history and before.digest != history.digest):
            return None
        return position

    def get(self, history: History) -> int | None:
        """Where the history was met last; None where it was not."""
        return self._met(self._begun(history), history)

    def longest(self, history: History | None) -> History | None:
        """The longest part of a history that was met."""
        begun = b"" if history is None else self._begun(history)
        while history is not None and self._met(begun, history) is None:
            history = history.before
        return history

    def put(self, history: History, position: int) -> None:
        """Takes in where a history is met now."""
        if self._first is None:
            self._first = history.first or history
        kind = _kind(self._begun(history), history.count)
        single = self._single.get(kind, _UNMET)
        if single is not None:
            before, its = single
            if before is None:
                self._single[kind] = history, position
                return
            self._by_digest[before.digest] = its
            self._single[kind] = None
        self._by_digest[history.digest] = position

    def follows(self, history: History, last: History) -> bool:
        """Whether a history goes on from the last one with what was never met, and can go on from no other."""
        if (history.first or history) is not (last.first or last) or not self.is_single(last):
            return False
        begun, at = self._begun(history), history
        while at is not last:
            if at.before is None or self._met(begun, at) is not None:
                return False
            at = at.before
        return history is not last

    def is_single(self, history: History) -> bool:
        """Whether of this one's kind one history was met, this one or another, and once."""
        return self._single.get(_kind(self._begun(history), history.count)) is not None


def _kind(begun: bytes, count: int) -> _Kind:
    return begun if count == 1 else (begun, count)


class Sent(Value, frozen=True, eq=False):
    """The list of messages that one request sent, and the history that it is.

    Who makes the list longer or shorter, or puts another in its place, has another history: `history_of` then says
    None.
    """

    messages: list[object]
    last: History

    def __repr__(self) -> str:
        return f"<Sent: {self.last.count} messages>"

    def history_of(self, messages: object) -> History | None:
        """The history of these messages, if they are the ones that were sent."""
        sent, last = self.messages, self.last
        return last if messages is sent and len(sent) == last.count and sent[-1] is last.message else None


def resent(earlier: Sent | None, new: Sequence[object], count: int | None = None) -> Sent | None:
    """What is sent where the messages of an earlier request, the first `count` of them, are followed by new ones.

    None where that makes no messages.
    """
    # a script's function may have put more into the list since
    messages = [] if earlier is None else earlier.messages[: earlier.last.count if count is None else count]
    last = None if earlier is None else earlier.last
    if last is not None and last.count != len(messages):
        last = back_to(last, len(messages))
    last = grown(last, new)
    messages += new  # one copy is what a request's own list costs, and one is enough
    return None if last is None else Sent(messages, last)


def digest(last: bytes, message: object) -> bytes:
    """The digest of a message after a history with the digest `last`; of the message alone where that is empty."""
    return hashlib.blake2b(last + canonical(plain_message(message)), digest_size=16).digest()


def grown(history: History | None, messages: Iterable[object]) -> History | None:
    """A history and these messages after it."""
    for message in messages:
        history = History.after(history, message)
    return history


def back_to(history: History | None, count: int) -> History | None:
    """The part of a history that has so many messages; all of it where it has no more."""
    while history is not None and history.count > count:
        history = history.before
    return history

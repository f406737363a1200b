"""Histories as chains: the messages of a request up to one place, shared between the requests that begin alike.

Law: values that know what came before them, and nothing of who sent them. Two requests with the same `History` object
begin with the very same messages; what is known of it once, its digest say, is known for both.

A loop resends all it has said. Comparing, hashing or judging each request from its first message on costs the square
of a conversation; along a chain only what is new costs anything.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from msgspec import Struct

from playhead.wire.codec import canonical
from playhead.wire.equality import plain_message
from playhead.wire.value import Value


class History(Struct, eq=False, gc=False):
    """Messages up to one place: the history `before`, and one `message` more; `count` of them in all."""

    before: History | None
    message: object
    count: int
    _digest: bytes = b""

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
"""Stands for the only history of a length where none was met."""


class Positions:
    """The position at which each history was met last, by what it says.

    A digest costs more than all else that following does. Only histories of one length need be told apart by it, so a
    conversation that goes on and on needs none.
    """

    __slots__ = ("_by_digest", "_single")

    def __init__(self) -> None:
        self._single: dict[int, tuple[History, int] | None] = {}
        """By length the only history that was met, None where there are several."""
        self._by_digest: dict[bytes, int] = {}

    def get(self, history: History) -> int | None:
        """Where the history was met last; None where it was not."""
        single = self._single.get(history.count, _UNMET)
        if single is None:
            return self._by_digest.get(history.digest)
        before, position = single
        if before is None or (before is not history and before.digest != history.digest):
            return None
        return position

    def put(self, history: History, position: int) -> None:
        """Takes in where a history is met now."""
        single = self._single.get(history.count, _UNMET)
        if single is not None:
            before, its = single
            if before is None:
                self._single[history.count] = history, position
                return
            self._by_digest[before.digest] = its
            self._single[history.count] = None
        self._by_digest[history.digest] = position

    def follows(self, history: History, last: History) -> bool:
        """Whether a history goes on from the last one with what was never met, and can go on from no other."""
        if self._single.get(last.count) is None:
            return False
        at: History | None = history
        while at is not None and at is not last:
            if at.count in self._single and self.get(at) is not None:
                return False
            at = at.before
        return at is last and history is not last

    def is_single(self, history: History) -> bool:
        """Whether one history of this length was met, and once."""
        return self._single.get(history.count) is not None


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
    last, length = (None, 0) if earlier is None else (earlier.last, len(messages))
    if last is not None and last.count != length:
        last = back_to(last, length)
    for message in new:
        length += 1
        last = History(last, message, length)
    messages += new  # one copy is what a request's own list costs, and one is enough
    return None if last is None else Sent(messages, last)


def digest(last: bytes, message: object) -> bytes:
    """The digest of a message after a history with the digest `last`; of the message alone where that is empty."""
    return hashlib.blake2b(last + canonical(plain_message(message)), digest_size=16).digest()


def grown(history: History | None, messages: Iterable[object]) -> History | None:
    """A history and these messages after it."""
    for count, message in enumerate(messages, 1 if history is None else history.count + 1):
        history = History(history, message, count)
    return history


def back_to(history: History | None, count: int) -> History | None:
    """The part of a history that has so many messages; all of it where it has no more."""
    while history is not None and history.count > count:
        history = history.before
    return history

"""Exchanges followed into conversations: which earlier request does this one continue, repeat, or depart from?

Law: pure and incremental; each exchange is placed once, at a cost linear in what it adds. Places, judges nothing.

A request continues an earlier one when its messages begin with all of the earlier one's, whatever stood between:
comparing neighbours only would break interleaved conversations. To find it, every request has a digest of its
messages, chained message by message, so that one dictionary lookup for each new message finds the longest earlier
history. A request that extends nothing, yet carries calls or a reply of an earlier exchange, departs from it: the
history was dropped or edited. Server-held threads are followed by `previous_message_id`.
"""

from __future__ import annotations

import hashlib
import operator
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

from playhead.wire.codec import JsonObject, canonical
from playhead.wire.equality import plain_message, same_content, same_message
from playhead.wire.exchange import Exchange
from playhead.wire.turns import blocks_of

CREATE_ONLY = ("system", "tools")
"""What a thread keeps from its first request, and a later one must not send again."""

Key = TypeVar("Key", str, bytes)
Kind = Literal["start", "continues", "repeats", "departs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """Where a request stands.

    `parent` is the position of the exchange it continues, repeats or departs from; `shared` the number of leading
    messages it has in common with that one's request. `conversation` and `turn` count from 1. `held` says that the
    server holds a history that was not seen, so that nothing can be said about it.
    """

    kind: Kind
    conversation: int
    turn: int
    parent: int | None = None
    shared: int = 0
    held: bool = False


@dataclass(frozen=True, slots=True)
class _Placed:
    """An exchange in its place: the digest of its messages, and how many of them an earlier request began with."""

    exchange: Exchange
    link: Link
    digest: bytes
    known: int = 0


class Follower:
    """Places exchanges one at a time: `place` when a request has come, `settle` when its answer is known."""

    def __init__(self) -> None:
        self._placed: list[_Placed] = []
        self._by_digest: dict[bytes, list[int]] = {}
        self._by_last: dict[int, int] = {}
        self._by_call: dict[str, int | None] = {}
        self._by_reply: dict[bytes, int | None] = {}
        self._unread: list[int] = []
        self._by_message_id: dict[str, int] = {}
        self._conversations = 0
        self._latest: dict[int, int] = {}
        self._followers: dict[int, list[int]] = {}

    def exchange(self, position: int) -> Exchange:
        """The exchange at a position, with its answer if that is settled."""
        return self._placed[position].exchange

    def link(self, position: int) -> Link:
        """The link of the exchange at a position."""
        return self._placed[position].link

    @property
    def newest(self) -> int | None:
        """The position of the exchange that was placed last."""
        return len(self._placed) - 1 if self._placed else None

    def line(self, position: int | None) -> Iterator[tuple[Exchange, Link]]:
        """The exchange at a position, the one that it follows, and so on back to the first; none for None."""
        while position is not None:
            placed = self._placed[position]
            yield placed.exchange, placed.link
            position = placed.link.parent

    def followers(self, position: int) -> list[tuple[Exchange, Link]]:
        """The exchanges that follow the one at a position, in their order, and where they stand."""
        return [(its.exchange, its.link) for its in map(self._placed.__getitem__, self._followers.get(position, ()))]

    def all(self) -> Iterator[tuple[int, Exchange, Link]]:
        """Every exchange with its position and where it stands, in their order."""
        return ((at, its.exchange, its.link) for at, its in enumerate(self._placed))

    def leaves(self) -> tuple[tuple[Exchange, Link], ...]:
        """The exchanges that none follows, in their order, and where they stand."""
        return tuple((its.exchange, its.link) for at, its in enumerate(self._placed) if at not in self._followers)

    def replies(self) -> Iterator[Exchange]:
        """The exchanges so far, the latest first."""
        return (placed.exchange for placed in reversed(self._placed))

    def begins(self, messages: Sequence[object]) -> int | None:
        """The position of an exchange whose messages, the very same objects, begin these: nothing need be compared."""
        for count in range(len(messages), 0, -1):
            position = self._by_last.get(id(messages[count - 1]))
            if position is not None:
                theirs = self._placed[position].exchange.messages
                if len(theirs) == count and all(map(operator.is_, theirs, messages)):
                    return position
        return None

    def whole(self, exchange: Exchange) -> Exchange:
        """A request that continues a thread as it would be without one: with all that the server holds.

        Others, and those whose thread was not seen, stay as they are.
        """
        parent = self._by_message_id.get(continued(exchange) or "")
        if parent is None:
            return exchange
        before, body = self._placed[parent].exchange, dict(exchange.request or {})
        kept = {
            name: value for name, value in (before.request or {}).items() if name in CREATE_ONLY and name not in body
        }
        messages = [*before.messages, _reply(before), *exchange.messages]
        # it stays another request than one that sends all of this
        thread = {**body["thread"], "type": "create"}
        return replace(exchange, request={**body, **kept, "messages": messages, "thread": thread})

    def place(self, exchange: Exchange, *, like: int | None = None, alone: bool = False) -> Link:
        """Finds where a request stands and takes it in. What the server holds of it must be there: see `whole`.

        `like` is the position of an exchange whose messages are known to begin this one's. With `alone` there is one
        conversation only: a request that extends nothing departs from the latest.
        """
        messages = exchange.messages
        digests = self._digests(messages, self.begins(messages) if like is None else like)
        held = continued(exchange) is not None  # by the server, and whatever that is, it was not seen here
        known = self._known(digests)
        link = self._by_history(messages, digests, known)
        if not held and (link is None or link.kind == "continues"):
            link = self._departure(messages, link) or link
        if link is None and alone and not held and self._latest:
            link = self._departs_from(max(self._latest.values()), messages)
        if link is None:
            self._conversations += 1
            link = Link(kind="start", conversation=self._conversations, turn=1, held=held)
        position = len(self._placed)
        self._placed.append(_Placed(exchange, link, digests[-1] if digests else b"", known))
        if link.parent is not None:
            self._followers.setdefault(link.parent, []).append(position)
        if digests:
            self._by_digest.setdefault(digests[-1], []).append(position)
            self._by_last[id(messages[-1])] = position
        return link

    def settle(self, position: int, exchange: Exchange) -> None:
        """Takes in the answer to the request at this position."""
        self.amend(position, exchange)
        placed = self._placed[position]
        if exchange.error is not None or (exchange.status or 200) >= 400:
            return
        self._latest[placed.link.conversation] = position
        self._unread.append(position)
        identifier = (exchange.response or {}).get("id")
        if isinstance(identifier, str):
            self._by_message_id[identifier] = position

    def amend(self, position: int, exchange: Exchange) -> None:
        """Takes in what has become known of a settled exchange since: which tools the client ran on it."""
        placed = self._placed[position]
        if continued(exchange) is not None:
            exchange = replace(exchange, request=placed.exchange.request)
        self._placed[position] = _Placed(exchange, placed.link, placed.digest, placed.known)

    def known(self, position: int) -> int:
        """How many of the messages of a request an earlier one began with, whichever it was."""
        return self._placed[position].known

    def _known(self, digests: Sequence[bytes]) -> int:
        for count in range(len(digests), 0, -1):
            if digests[count - 1] in self._by_digest:
                return count
        return 0

    def _digests(self, messages: Sequence[object], like: int | None) -> list[bytes]:
        """The digest of each leading part of the messages, the empty one left out."""
        digests: list[bytes] = []
        last, start = b"", 0
        if like is not None and (known := self._placed[like].digest):
            start = len(self._placed[like].exchange.messages)
            last = known
            digests = [b""] * (start - 1) + [known]
        for message in messages[start:]:
            last = _digest(last, message)
            digests.append(last)
        return digests

    def _by_history(self, messages: Sequence[object], digests: Sequence[bytes], count: int) -> Link | None:
        """The longest earlier history that begins this one; `count` is its length."""
        if not count:
            return None
        found = self._by_digest[digests[count - 1]]
        if count == len(messages):
            return self._repeats(found, count)
        echoing = [p for p in found if self._echoes(p, messages, count)] if len(found) > 1 else []
        return self._continues((echoing or self._answered(found) or found)[-1], count)

    def _answered(self, positions: Sequence[int]) -> list[int]:
        return [position for position in positions if not self._placed[position].exchange.failed]

    def _echoes(self, position: int, messages: Sequence[object], count: int) -> bool:
        exchange = self._placed[position].exchange
        message = messages[count]
        return (
            bool(exchange.content)
            and isinstance(message, dict)
            and message.get("role") == "assistant"
            and same_content(exchange.content, message.get("content"))
        )

    def _repeats(self, found: Sequence[int], count: int) -> Link:
        before = self._placed[found[-1]].link
        return Link(kind="repeats", conversation=before.conversation, turn=before.turn, parent=found[-1], shared=count)

    def _continues(self, parent: int, count: int) -> Link:
        before = self._placed[parent].link
        return Link(
            kind="continues",
            conversation=before.conversation,
            turn=before.turn + 1,
            parent=parent,
            shared=count,
        )

    def _read_replies(self) -> None:
        """Takes in by which calls and words replies are known; only a departure asks, so it is put off till then."""
        for position in self._unread:
            exchange = self._placed[position].exchange
            for call in exchange.calls():
                if isinstance(call.get("id"), str) and not _PLACEHOLDER.search(call["id"]):
                    _note(self._by_call, call["id"], position)
            if exchange.content:
                _note(self._by_reply, _digest(b"", _reply(exchange)), position)
        self._unread.clear()

    def _departure(self, messages: Sequence[object], link: Link | None) -> Link | None:
        """The exchange whose calls or reply this request carries, although it does not resend its history."""
        if link is not None and link.parent == len(self._placed) - 1:
            return None  # it continues the newest of all: nothing came later that it could have left out
        self._read_replies()
        start = 0 if link is None else link.shared
        latest: int | None = None
        for index in range(start, len(messages)):
            for position in self._evidence(messages, index, link):
                if latest is None or position > latest:
                    latest = position
        if latest is None or (link is not None and (link.parent is None or latest <= link.parent)):
            return None
        return self._departs_from(latest, messages)

    def _evidence(self, messages: Sequence[object], index: int, link: Link | None) -> list[int]:
        found: list[int] = []
        message = messages[index]
        for block in blocks_of(message):
            key = block.data.get("id" if block.type == "tool_use" else "tool_use_id")
            position = self._by_call.get(key) if isinstance(key, str) else None
            if position is not None:
                found.append(position)
        if isinstance(message, dict) and message.get("role") == "assistant":
            position = self._by_reply.get(_digest(b"", message))
            if position is not None and self._stands(position, messages, index, link):
                found.append(position)
        return found

    def _stands(self, position: int, messages: Sequence[object], index: int, link: Link | None) -> bool:
        """Whether a message that equals the reply of an exchange is that reply, by where it stands: in its own place,
        or before it, because messages were left out: in the same conversation, or after the question it answers.
        """
        placed = self._placed[position]
        theirs = placed.exchange.messages
        if index in (0, len(theirs)):
            return True
        same = link is not None and link.conversation == placed.link.conversation
        return index < len(theirs) and (same or same_message(messages[index - 1], theirs[-1]))

    def _departs_from(self, parent: int, messages: Sequence[object]) -> Link:
        placed = self._placed[parent]
        theirs = placed.exchange.messages
        shared = 0
        for ours, other in zip(messages, theirs, strict=False):
            if _digest(b"", ours) != _digest(b"", other):
                break
            shared += 1
        return Link(
            kind="departs",
            conversation=placed.link.conversation,
            turn=placed.link.turn + 1,
            parent=parent,
            shared=shared,
        )


def continued(exchange: Exchange) -> str | None:
    """The id of the reply from which a request continues a thread that the server holds; None where it does not."""
    thread = (exchange.request or {}).get("thread")
    if not isinstance(thread, dict) or thread.get("type") != "continue":
        return None
    return str(thread.get("previous_message_id"))


_PLACEHOLDER = re.compile(r"redacted|scrubbed|\*{3}|x{6}", re.IGNORECASE)
"""What recorders put in the place of an id; two that are equal need not have been."""


def _note(table: dict[Key, int | None], key: Key, position: int) -> None:
    # what two replies share is no evidence for either
    table[key] = None if key in table else position


def _digest(last: bytes, message: object) -> bytes:
    return hashlib.blake2b(last + canonical(plain_message(message)), digest_size=16).digest()


def _reply(exchange: Exchange) -> JsonObject:
    return {"role": "assistant", "content": exchange.content}

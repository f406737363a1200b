"""Exchanges followed into conversations: which earlier request does this one continue, repeat, or depart from?

Law: pure and incremental; each exchange is placed once, at a cost linear in what it adds. Places, judges nothing.

A request continues an earlier one when its messages begin with all of the earlier one's, whatever stood between:
comparing neighbours only would break interleaved conversations. Histories are known by a digest, chained message by
message (`wire/history.py`), so that one dictionary lookup for each new message finds the longest earlier one. A request
that extends nothing, yet carries calls or a reply of an earlier exchange, departs from it: the history was dropped or
edited. Server-held threads are made whole by `previous_message_id`.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar

from msgspec import Struct, structs

from playhead.wire.codec import JsonObject
from playhead.wire.equality import same_message, same_words
from playhead.wire.exchange import Exchange
from playhead.wire.history import History, Positions, back_to, digest, grown
from playhead.wire.turns import blocks_of
from playhead.wire.value import Value

CREATE_ONLY = ("system", "tools")
"""What a thread keeps from its first request, and a later one must not send again."""

Key = TypeVar("Key", str, bytes)
Kind = Literal["start", "continues", "repeats", "departs"]


class Link(Value, frozen=True, kw_only=True):
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


class _Placed(Struct, frozen=True):
    """An exchange in its place, and how many of its messages an earlier request began with."""

    exchange: Exchange
    link: Link
    history: History | None
    known: int = 0


@dataclass(slots=True)
class _Alike:
    """Exchanges with the same history, by position: those that did not fail, and those whose reply is still to be read.

    `by_reply` holds those with the same reply that nothing may go on from yet, the latest last, and the latest of all.
    """

    whole: list[int]
    unread: list[int]
    by_reply: dict[bytes, tuple[list[int], int]] = field(default_factory=dict)


@dataclass(slots=True)
class _Telling(Generic[Key]):
    """At which position there is the one reply that is known by something, its words or a call's id."""

    places: dict[Key, int] = field(default_factory=dict)
    shared: set[Key] = field(default_factory=set)

    def note(self, key: Key, position: int) -> None:
        """Takes in by what a reply may be known: what two of them share is no evidence for either."""
        if key in self.places:
            del self.places[key]
            self.shared.add(key)
        elif key not in self.shared:
            self.places[key] = position


class Follower:
    """Places exchanges one at a time: `place` when a request has come, `settle` when its answer is known.

    With `each`, a conversation may begin with the very words of another: messages that were answered well and come
    again are no second attempt but another conversation.
    """

    def __init__(self, *, each: bool = False) -> None:
        self._each = each
        self._placed: list[_Placed] = []
        self._positions = Positions()
        self._alike: dict[bytes, _Alike] = {}
        self._by_last: dict[int, int] = {}
        self._by_call = _Telling[str]()
        self._by_reply = _Telling[bytes]()
        self._unread: list[int] = []
        self._by_message_id: dict[str, int] = {}
        self._conversations = 0
        self._latest: int | None = None
        self._gone_on: set[int] = set()
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
        """The position of an exchange whose messages, the very same objects, begin these: nothing need be compared.

        Those that told their own history are not looked for.
        """
        for count in range(len(messages), 0, -1):
            position = self._by_last.get(id(messages[count - 1]))
            if position is not None:
                theirs = self._placed[position].exchange.messages
                if len(theirs) == count and all(map(operator.is_, theirs, messages)):
                    return position
        return None

    def history(self, exchange: Exchange, *, like: int | None = None) -> History | None:
        """The messages of an exchange as a chain, as much of it as possible shared with exchanges that were placed.

        `like` is the position of one whose messages are known to begin this one's. None where there are no messages.
        """
        known = exchange.history
        if known is not None:
            return known
        messages = exchange.messages
        position = self.begins(messages) if like is None else like
        before = None if position is None else self._placed[position].history
        return grown(before, messages[before.count if before is not None else 0 :])

    def whole(self, exchange: Exchange) -> Exchange:
        """A request that continues a thread as it would be without one: with all that the server holds.

        Others, and those whose thread was not seen, stay as they are.
        """
        previous = continued(exchange) if "thread" in (exchange.request or ()) else None
        parent = self._by_message_id.get(previous) if previous else None
        if parent is None:
            return exchange
        before, body = self._placed[parent].exchange, dict(exchange.request or {})
        kept = {
            name: value for name, value in (before.request or {}).items() if name in CREATE_ONLY and name not in body
        }
        messages = [*before.messages, _reply(before), *exchange.messages]
        # it stays another request than one that sends all of this
        thread = {**body["thread"], "type": "create"}
        return structs.replace(exchange, request={**body, **kept, "messages": messages, "thread": thread})

    def place(self, exchange: Exchange, *, like: int | None = None, alone: bool = False) -> Link:
        """Finds where a request stands and takes it in. What the server holds of it must be there: see `whole`.

        `like` is as for `history`. With `alone` there is one conversation only: a request that extends nothing departs
        from the latest.
        """
        history = exchange.history
        link = None if history is None else self._goes_on(exchange, history)
        if link is not None:
            return link
        history = self.history(exchange, like=like) if history is None else history
        messages = exchange.messages
        held = continued(exchange) is not None  # by the server, and whatever that is, it was not seen here
        known = self._positions.longest(history)
        link = None if known is None else self._by_history(messages, known)
        if not held and (link is None or link.kind == "continues"):
            link = self._departure(messages, history, link) or link
        if link is None and alone and not held and self._latest is not None:
            link = self._departs_from(self._latest, history)
        if link is None:
            self._conversations += 1
            link = Link(kind="start", conversation=self._conversations, turn=1, held=held)
        self._take_in(exchange, link, history, known)
        return link

    def _goes_on(self, exchange: Exchange, history: History) -> Link | None:
        """Takes in a request that goes on from the newest exchange and can go on from no other, as nearly always."""
        newest = self._placed[-1].history if self._placed else None
        if newest is None or not self._positions.follows(history, newest):
            return None
        if "thread" in (exchange.request or ()) and continued(exchange) is not None:
            return None
        link = self._continues(len(self._placed) - 1, newest.count)
        self._take_in(exchange, link, history, newest)
        return link

    def _take_in(self, exchange: Exchange, link: Link, history: History | None, known: History | None) -> None:
        """Takes in a request; `known` is the longest part of its history that an earlier one had."""
        position = len(self._placed)
        self._placed.append(_Placed(exchange, link, history, 0 if known is None else known.count))
        if link.parent is not None:
            self._followers.setdefault(link.parent, []).append(position)
            if link.kind != "repeats":
                self._gone_on.add(link.parent)
        if history is None:
            return
        before = self._positions.get(history) if known is history else None
        if before is not None:
            # only where several requests say the same is there something to choose between
            alike = self._alike.get(history.digest)
            if alike is None:
                alike = self._alike[history.digest] = _Alike(whole=[before], unread=[before])
            alike.whole.append(position)
        self._positions.put(history, position)
        if exchange.sent is None or exchange.sent.last is not history:  # one that tells its own is found by that
            self._by_last[id(history.message)] = position

    def history_at(self, position: int) -> History | None:
        """The messages of the exchange at a position."""
        return self._placed[position].history

    def settle(self, position: int, exchange: Exchange) -> None:
        """Takes in the answer to the request at this position."""
        placed = self.amend(position, exchange)
        if exchange.error is not None or (exchange.status or 200) >= 400:
            return
        self._latest = position if self._latest is None else max(self._latest, position)
        self._unread.append(position)
        alike = self._alike_of(placed.history) if self._alike and placed.history is not None else None
        if alike is not None:
            alike.unread.append(position)
        identifier = (exchange.response or {}).get("id")
        if isinstance(identifier, str):
            self._by_message_id[identifier] = position

    def amend(self, position: int, exchange: Exchange) -> _Placed:
        """Takes in what has become known of a settled exchange since: which tools the client ran on it."""
        placed = self._placed[position]
        if exchange.request is not placed.exchange.request and continued(exchange) is not None:
            exchange = structs.replace(exchange, request=placed.exchange.request)
        self._placed[position] = made = _Placed(exchange, placed.link, placed.history, placed.known)
        return made

    def known(self, position: int) -> int:
        """How many of the messages of a request an earlier one began with, whichever it was."""
        return self._placed[position].known

    def _by_history(self, messages: Sequence[object], history: History) -> Link | None:
        """The longest earlier history that begins this one; `history` is as much of it as is known."""
        repeated: int | None = None
        at: History | None = history
        while at is not None:
            latest = self._positions.get(at)
            if latest is None:
                pass
            elif at.count < len(messages):
                parent = self._parent(at, latest, messages[at.count])
                if repeated is None or parent not in self._gone_on:
                    return self._continues(parent, at.count)
                return self._repeats(repeated, len(messages))
            elif not self._each or self._placed[latest].exchange.failed:
                return self._repeats(latest, at.count)
            else:
                repeated = latest
            at = at.before
        return None

    def _parent(self, same: History, latest: int, message: object) -> int:
        """Of the exchanges with the same history the one that this message goes on from.

        That is one whose reply it is, if possible one that nothing goes on from yet: parallel conversations may say
        the same for a while. Otherwise the latest that did not fail. The latest counts wherever there are several.
        """
        alike = self._alike_of(same)
        if alike is None:
            return latest
        self._read_alike(alike)
        echoed = alike.by_reply.get(digest(b"", message)) if _role(message) == "assistant" else None
        if echoed is not None:
            waiting, latest_of_these = echoed
            while waiting and waiting[-1] in self._gone_on:
                waiting.pop()
            return waiting[-1] if waiting else latest_of_these
        while alike.whole and self._placed[alike.whole[-1]].exchange.failed:
            alike.whole.pop()
        return alike.whole[-1] if alike.whole else latest

    def _alike_of(self, history: History) -> _Alike | None:
        """The exchanges with this history, where there are several."""
        return None if self._positions.is_single(history) else self._alike.get(history.digest)

    def _read_alike(self, alike: _Alike) -> None:
        """Takes in which replies there are now to requests that say the same."""
        for position in alike.unread:
            exchange = self._placed[position].exchange
            if exchange.content:
                reply = digest(b"", _reply(exchange))
                waiting = alike.by_reply[reply][0] if reply in alike.by_reply else []
                waiting.append(position)
                alike.by_reply[reply] = waiting, position
        alike.unread.clear()

    def _repeats(self, parent: int, count: int) -> Link:
        before = self._placed[parent].link
        return Link(kind="repeats", conversation=before.conversation, turn=before.turn, parent=parent, shared=count)

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
                    self._by_call.note(call["id"], position)
            if exchange.content:
                self._by_reply.note(digest(b"", _reply(exchange)), position)
        self._unread.clear()

    def _departure(self, messages: Sequence[object], history: History | None, link: Link | None) -> Link | None:
        """The exchange whose calls or reply this request carries, although it does not resend its history."""
        if link is not None and link.parent == len(self._placed) - 1:
            return None  # it continues the newest of all: nothing came later that it could have left out
        start = 0 if link is None else link.shared
        if link is not None and link.parent is not None and self._echoes(messages, start, link.parent):
            start += 1  # what is the parent's own reply tells of no other
        if not any(map(_may_tell, messages[start:])):
            return None
        self._read_replies()
        if not self._by_call.places and not self._by_reply.places:
            return None
        latest: int | None = None
        for index in range(start, len(messages)):
            for position in self._evidence(messages, index, link):
                if latest is None or position > latest:
                    latest = position
        if latest is None or (link is not None and (link.parent is None or latest <= link.parent)):
            return None
        return self._departs_from(latest, history)

    def _echoes(self, messages: Sequence[object], index: int, position: int) -> bool:
        """Whether the message with this index is the reply of an exchange, word for word."""
        message = messages[index] if index < len(messages) else None
        if not isinstance(message, dict) or message.get("role") != "assistant":
            return False
        return same_words(message.get("content"), self._placed[position].exchange.content)

    def _evidence(self, messages: Sequence[object], index: int, link: Link | None) -> list[int]:
        found: list[int] = []
        message = messages[index]
        for block in blocks_of(message) if self._by_call.places else ():
            key = block.data.get("id" if block.type == "tool_use" else "tool_use_id")
            position = self._by_call.places.get(key) if isinstance(key, str) else None
            if position is not None:
                found.append(position)
        if self._by_reply.places and _role(message) == "assistant":
            position = self._by_reply.places.get(digest(b"", message))
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

    def _departs_from(self, parent: int, history: History | None) -> Link:
        placed = self._placed[parent]
        return Link(
            kind="departs",
            conversation=placed.link.conversation,
            turn=placed.link.turn + 1,
            parent=parent,
            shared=_shared(placed.history, history),
        )


def _shared(theirs: History | None, ours: History | None) -> int:
    """How many messages two histories begin with that say the same."""
    count = min(0 if theirs is None else theirs.count, 0 if ours is None else ours.count)
    theirs, ours = back_to(theirs, count), back_to(ours, count)
    while theirs is not None and ours is not None and theirs.digest != ours.digest:
        theirs, ours = theirs.before, ours.before
    return 0 if ours is None else ours.count


def continued(exchange: Exchange) -> str | None:
    """The id of the reply from which a request continues a thread that the server holds; None where it does not, empty
    where it names no id."""
    thread = (exchange.request or {}).get("thread")
    if not isinstance(thread, dict) or thread.get("type") != "continue":
        return None
    previous = thread.get("previous_message_id")
    return previous if isinstance(previous, str) else ""


_PLACEHOLDER = re.compile(r"redacted|scrubbed|\*{3}|x{6}", re.IGNORECASE)
"""What recorders put in the place of an id; two that are equal need not have been."""


def _may_tell(message: object) -> bool:
    """Whether a message may hold what came of an earlier reply: it is that, or a result."""
    return not isinstance(message, dict) or message.get("role") != "user" or not isinstance(message.get("content"), str)


def _role(message: object) -> object:
    return message.get("role") if isinstance(message, dict) else None


def _reply(exchange: Exchange) -> JsonObject:
    return {"role": "assistant", "content": exchange.content}

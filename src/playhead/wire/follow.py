"""Exchanges followed into conversations: which earlier request does this one continue, repeat, or depart from?

Law: pure and incremental; each exchange is placed once, at a cost linear in what it adds. Places, judges nothing.

A request continues an earlier one when its messages begin with all of the earlier one's, whatever stood between:
comparing neighbours only would break interleaved conversations. To find it, every request has a digest of its
messages, chained message by message (`wire/history.py`), so that one dictionary lookup for each new message finds the
longest earlier history. A request that extends nothing, yet carries calls or a reply of an earlier exchange, departs
from it: the history was dropped or edited. Server-held threads are followed by `previous_message_id`.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeVar

from playhead.wire.codec import JsonObject
from playhead.wire.exchange import Exchange
from playhead.wire.history import History, back_to, digest, grown
from playhead.wire.turns import blocks_of

Key = TypeVar("Key", str, bytes)
Kind = Literal["start", "continues", "repeats", "departs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """Where a request stands.

    `parent` is the position of the exchange it continues, repeats or departs from; `shared` the number of leading
    messages it has in common with that one's request. `conversation` and `turn` count from 1. `held` says that the
    server holds the history, so that the request need not resend it.
    """

    kind: Kind
    conversation: int
    turn: int
    parent: int | None = None
    shared: int = 0
    held: bool = False


class _Placed(NamedTuple):
    exchange: Exchange
    link: Link
    history: History | None


@dataclass(slots=True)
class _Alike:
    """Exchanges with the same history, by position: those that did not fail, and those whose reply is still to be read.

    `by_reply` holds those with the same reply that nothing may go on from yet, the latest last, and the latest of all.
    """

    whole: list[int]
    unread: list[int]
    by_reply: dict[bytes, tuple[list[int], int]] = field(default_factory=dict)


class Follower:
    """Places exchanges one at a time: `place` when a request has come, `settle` when its answer is known.

    With `each`, a conversation may begin with the very words of another: messages that were answered well and come
    again are no second attempt but another conversation.
    """

    def __init__(self, *, each: bool = False) -> None:
        self._each = each
        self._placed: list[_Placed] = []
        self._by_digest: dict[bytes, int] = {}
        self._alike: dict[bytes, _Alike] = {}
        self._by_last: dict[int, int] = {}
        self._by_call: dict[str, int | None] = {}
        self._by_reply: dict[bytes, int | None] = {}
        self._unread: list[int] = []
        self._by_message_id: dict[str, int] = {}
        self._conversations = 0
        self._latest: dict[int, int] = {}
        self._gone_on: set[int] = set()

    def exchange(self, position: int) -> Exchange:
        """The exchange at a position, with its answer if that is settled."""
        return self._placed[position].exchange

    def link(self, position: int) -> Link:
        """The link of the exchange at a position."""
        return self._placed[position].link

    def begins(self, messages: Sequence[object]) -> int | None:
        """The position of an exchange whose messages, the very same objects, begin these: nothing need be compared."""
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

    def place(self, exchange: Exchange, *, like: int | None = None, alone: bool = False) -> Link:
        """Finds where a request stands and takes it in.

        `like` is as for `history`. With `alone` there is one conversation only: a request that extends nothing departs
        from the latest.
        """
        messages = exchange.messages
        history = self.history(exchange, like=like)
        link = self._held(exchange) or self._by_history(messages, history)
        if link is None or link.kind == "continues":
            link = self._departure(messages, history, link) or link
        if link is None and alone and self._latest:
            link = self._departs_from(max(self._latest.values()), history)
        if link is None:
            self._conversations += 1
            link = Link(kind="start", conversation=self._conversations, turn=1)
        self._take_in(exchange, link, history)
        return link

    def _take_in(self, exchange: Exchange, link: Link, history: History | None) -> None:
        position = len(self._placed)
        self._placed.append(_Placed(exchange, link, history))
        if link.parent is not None and link.kind != "repeats":
            self._gone_on.add(link.parent)
        if history is not None:
            before = self._by_digest.get(history.digest)
            if before is not None:
                # only where several requests say the same is there something to choose between
                alike = self._alike.get(history.digest)
                if alike is None:
                    alike = self._alike[history.digest] = _Alike(whole=[before], unread=[before])
                alike.whole.append(position)
            self._by_digest[history.digest] = position
            self._by_last[id(history.message)] = position

    def history_at(self, position: int) -> History | None:
        """The messages of the exchange at a position."""
        return self._placed[position].history

    def settle(self, position: int, exchange: Exchange) -> None:
        """Takes in the answer to the request at this position."""
        placed = self._placed[position]
        self._placed[position] = _Placed(exchange, placed.link, placed.history)
        if exchange.error is not None or (exchange.status or 200) >= 400:
            return
        self._latest[placed.link.conversation] = position
        self._unread.append(position)
        alike = None if placed.history is None else self._alike.get(placed.history.digest)
        if alike is not None:
            alike.unread.append(position)
        identifier = (exchange.response or {}).get("id")
        if isinstance(identifier, str):
            self._by_message_id[identifier] = position

    def _held(self, exchange: Exchange) -> Link | None:
        thread = (exchange.request or {}).get("thread")
        if not isinstance(thread, dict) or thread.get("type") != "continue":
            return None
        previous = thread.get("previous_message_id")
        parent = self._by_message_id.get(previous) if isinstance(previous, str) else None
        if parent is None:
            return None
        before = self._placed[parent].link
        return Link(kind="continues", conversation=before.conversation, turn=before.turn + 1, parent=parent, held=True)

    def _by_history(self, messages: Sequence[object], history: History | None) -> Link | None:
        """The longest earlier history that begins this one."""
        repeated: int | None = None
        at = history
        while at is not None:
            latest = self._by_digest.get(at.digest)
            if latest is None:
                pass
            elif at.count < len(messages):
                parent = self._parent(at.digest, latest, messages[at.count])
                if repeated is None or parent not in self._gone_on:
                    return self._continues(parent, at.count)
                return self._repeats(repeated, len(messages))
            elif not self._each or self._placed[latest].exchange.failed:
                return self._repeats(latest, at.count)
            else:
                repeated = latest
            at = at.before
        return None

    def _parent(self, same: bytes, latest: int, message: object) -> int:
        """Of the exchanges with the same history the one that this message goes on from.

        That is one whose reply it is, if possible one that nothing goes on from yet: parallel conversations may say
        the same for a while. Otherwise the latest that did not fail. The latest counts wherever there are several.
        """
        alike = self._alike.get(same)
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
                if isinstance(call.get("id"), str):
                    _note(self._by_call, call["id"], position)
            if exchange.content:
                _note(self._by_reply, digest(b"", _reply(exchange)), position)
        self._unread.clear()

    def _departure(self, messages: Sequence[object], history: History | None, link: Link | None) -> Link | None:
        """The exchange whose calls or reply this request carries, although it does not resend its history."""
        if link is not None and link.parent == len(self._placed) - 1:
            return None  # it continues the newest of all: nothing came later that it could have left out
        self._read_replies()
        start = 0 if link is None else link.shared
        latest: int | None = None
        for index in range(start, len(messages)):
            for position in self._evidence(messages[index], index):
                if latest is None or position > latest:
                    latest = position
        if latest is None or (link is not None and (link.parent is None or latest <= link.parent)):
            return None
        return self._departs_from(latest, history)

    def _evidence(self, message: object, index: int) -> list[int]:
        found: list[int] = []
        for block in blocks_of(message):
            key = block.data.get("id" if block.type == "tool_use" else "tool_use_id")
            position = self._by_call.get(key) if isinstance(key, str) else None
            if position is not None:
                found.append(position)
        if _role(message) == "assistant":
            position = self._by_reply.get(digest(b"", message))
            if position is not None and index in (0, len(self._placed[position].exchange.messages)):
                found.append(position)
        return found

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


def _note(table: dict[Key, int | None], key: Key, position: int) -> None:
    # what two replies share is no evidence for either
    table[key] = None if key in table else position


def _role(message: object) -> object:
    return message.get("role") if isinstance(message, dict) else None


def _reply(exchange: Exchange) -> JsonObject:
    return {"role": "assistant", "content": exchange.content}

"""Two sessions compared: where today's run first leaves the recording, conversation by conversation.

Law: pure; two sessions to a comparison. What was tried again is one turn: its last attempt counts.

Most often the model's side was replayed while the tools ran for real, so that a difference is one of the loop's or a
tool's. Where the model answered anew, its reply is the first that may differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from playhead.cassettes.consequence import Consequences
from playhead.cassettes.departure import Departure, departure, departure_at
from playhead.cassettes.matching import Asked, Chains, Nearest, Recorded
from playhead.cassettes.normal import Rules, normal_reply
from playhead.cassettes.volatile import VolatileLike
from playhead.wire.codec import JsonObject
from playhead.wire.exchange import Exchange
from playhead.wire.follow import Link
from playhead.wire.session import Session


class Incomparable(ValueError):
    """The sessions have nothing by which they could be compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Divergence:
    """Where one conversation leaves the recording.

    `conversation` and `turn` count in today's session, or in the recorded one where today's ends early; None for what
    is no part of a conversation. `recorded` and `today` are the numbers of the two exchanges, None where a side has
    none. `later` counts the exchanges that only follow from this one.
    """

    conversation: int | None
    turn: int | None
    recorded: int | None
    today: int | None
    what: Departure
    later: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """How many exchanges are the same, and where each conversation that is not leaves the recording."""

    same: int
    divergences: tuple[Divergence, ...]


@dataclass(frozen=True, slots=True)
class _Placed:
    """An exchange that counts, and where it stands."""

    exchange: Exchange
    link: Link | None

    @property
    def conversation(self) -> int | None:
        return self.link.conversation if self.link is not None else None

    @property
    def turn(self) -> int | None:
        return self.link.turn if self.link is not None else None


def compare(recorded: Session, today: Session, volatile: VolatileLike | Iterable[VolatileLike] = ()) -> Comparison:
    """Where today's run leaves the recording; `volatile` says what may differ.

    Raises `Incomparable` where one of them does not tell what was asked, and `SetupError` for rules that are none.
    """
    theirs, ours = _placed(recorded), _placed(today)
    for side, name in ((theirs, "the first"), (ours, "the second")):
        if not any(placed.exchange.request is not None for placed in side):
            raise Incomparable(f"{name} recording tells answers only, not what was asked: there is nothing to compare")
    return _Comparing(theirs, ours, Rules.of(volatile)).run()


def _placed(session: Session) -> tuple[_Placed, ...]:
    again = {exchange.retry_of for exchange in session.exchanges}
    return tuple(
        _Placed(exchange, link)
        for exchange, link in zip(session.exchanges, session.links, strict=True)
        if exchange.number not in again
    )


class _Comparing:
    """One comparison: the recording is played to today's requests, in their order."""

    def __init__(self, theirs: Sequence[_Placed], ours: Sequence[_Placed], rules: Rules) -> None:
        self._theirs, self._ours, self._rules = theirs, ours, rules
        known = [one.exchange.known for one in (*theirs, *ours) if one.exchange.known is not None]
        self._known = frozenset.intersection(*known) if known else None
        self._chains = Chains(rules)
        self._recorded = Recorded(self._ask(one.exchange) for one in theirs)
        self._consequences = Consequences()
        self._found: list[Divergence] = []
        # conversations of today's that have left the recording, and recorded ones from which some have
        self._left: set[int | None] = set()
        self._ended: set[int | None] = set()
        self._same = 0

    def run(self) -> Comparison:
        """Plays all."""
        for one in self._ours:
            self._compare(one, self._ask(one.exchange))
        self._unplayed()
        return Comparison(same=self._same, divergences=tuple(self._found))

    def _compare(self, one: _Placed, asked: Asked) -> None:
        position = self._recorded.next(asked.key)
        if position is not None:
            self._recorded.take(position)
        answered = None if position is None else self._answers(self._theirs[position].exchange, one.exchange)
        if position is not None and answered is None:
            self._same += 1
            return
        first = self._consequences.cause(asked, one.conversation)
        if first is not None and one.conversation in self._left:
            self._later(first)
            return
        nearest = self._recorded.nearest(asked) if position is None else Nearest(position, asked.node.count)
        theirs = None if nearest is None else self._theirs[nearest.position]
        self._left.add(one.conversation)
        if theirs is not None:
            self._ended.add(theirs.conversation)
        if first is not None:
            self._later(first)
            return
        self._consequences.note(asked, one.conversation, len(self._found), self._recorded, nearest)
        self._found.append(
            Divergence(
                conversation=one.conversation,
                turn=one.turn,
                recorded=None if theirs is None else theirs.exchange.number,
                today=one.exchange.number,
                what=answered or self._departed(one.exchange, asked, nearest),
            )
        )

    def _later(self, first: int) -> None:
        """One more that only follows from the divergence found so early."""
        self._found[first] = replace(self._found[first], later=self._found[first].later + 1)

    def _departed(self, exchange: Exchange, asked: Asked, nearest: Nearest | None) -> Departure:
        said = f"{exchange.method} {exchange.path}"
        if nearest is None:
            return _whole("(absent)", said, "endpoint", f"today's run asks for {said}, the recorded one did not")
        if self._recorded.knows(asked.key):
            return _whole("(absent)", said, "again", "today's run asks once more than the recorded one")
        theirs = self._body(self._theirs[nearest.position].exchange)
        left = departure(theirs or {}, self._body(exchange) or {}, self._rules)
        return left or _whole("(unknown)", said, "unknown", "one of the requests is not told")

    def _answers(self, theirs: Exchange, ours: Exchange) -> Departure | None:
        """The first difference of two answers to the same request; None where a side does not tell its own."""
        one, other = (self._answer(exchange) for exchange in (theirs, ours))
        if one is None or other is None:
            return None
        failed = theirs.failed or ours.failed
        likely = "one of the two answers failed" if failed else "the model answered something else"
        return departure_at("$response", one, other, self._rules, cause="failure" if failed else "reply", likely=likely)

    def _answer(self, exchange: Exchange) -> JsonObject | None:
        if exchange.error is not None:
            return {"error": exchange.error}
        return None if exchange.response is None else normal_reply(exchange.response, self._rules)

    def _unplayed(self) -> None:
        """Recorded conversations that today's run did not follow to their end, although it never left them."""
        ended: dict[int | None, int] = {}
        for position in self._recorded.unplayed:
            one = self._theirs[position]
            if one.conversation in self._ended:
                continue
            if one.conversation in ended:
                self._later(ended[one.conversation])
                continue
            ended[one.conversation] = len(self._found)
            said = f"{one.exchange.method} {one.exchange.path}"
            what = _whole(said, "(absent)", "shorter", "today's run ends before the recorded one")
            self._found.append(
                Divergence(
                    conversation=one.conversation, turn=one.turn, recorded=one.exchange.number, today=None, what=what
                )
            )

    def _ask(self, exchange: Exchange) -> Asked:
        return self._chains.ask(exchange.method, exchange.path, self._body(exchange))

    def _body(self, exchange: Exchange) -> JsonObject | None:
        """What both recordings tell of a request."""
        if exchange.request is None or self._known is None:
            return exchange.request
        return {name: value for name, value in exchange.request.items() if name in self._known}


def _whole(recorded: str, today: str, cause: str, likely: str) -> Departure:
    return Departure(path="$", recorded=recorded, today=today, cause=cause, likely=likely)

"""Plays a cassette: the recorded answer to each request, or why there is none.

Law: pure; knows recorded requests and their answers, judges nothing. Which recorded request is meant is found by
cassettes/matching.py; each is played once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

from playhead.cassettes.consequence import Consequences
from playhead.cassettes.departure import departure
from playhead.cassettes.interaction import Answer, Interaction
from playhead.cassettes.masking import Mask
from playhead.cassettes.matching import Asked as AskedKey
from playhead.cassettes.matching import Chains, Nearest, Recorded
from playhead.cassettes.normal import Rules
from playhead.cassettes.parsing import Cassette
from playhead.cassettes.volatile import VolatileLike
from playhead.engine.http import Outgoing
from playhead.engine.sending import Asked, Sending, send_fault, understood
from playhead.script.faults import Drop
from playhead.wire.codec import JsonError, JsonObject, decode_object
from playhead.wire.exchange import Exchange
from playhead.wire.follow import Link
from playhead.wire.session import Session

_TOLD = 10
"""How many mismatches are looked into; of more than these nobody reads."""

_OF_THE_WAY = ("content-encoding", "content-length", "transfer-encoding", "connection")
"""Headers that speak of the bytes as they travelled; the recorded content is decoded."""

_RETRIED = (408, 409, 429)
_ABANDONED = "abandoned"
_GAVE_UP: Mapping[str | None, str] = MappingProxyType({None: "close", _ABANDONED: "timeout"})
"""What a client meets where it got no answer and no fault is told."""


class Found(NamedTuple):
    """What a request means: the position of a recorded one, None where there is none."""

    asked: AskedKey
    position: int | None
    status: int | None = None
    body: JsonObject | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatch:
    """A request that no recorded one fits: the nearest, where they differ, and how many later ones follow from it.

    `asked` is its method and path. `place` is the nearest one's position, None where its endpoint was not recorded;
    `path` is None where the request came once more than it was recorded.
    """

    asked: str
    place: int | None = None
    path: str | None = None
    recorded: str | None = None
    today: str | None = None
    likely: str = ""
    volatile: tuple[str, ...] = ()
    later: int = 0


class Tape:
    """A cassette being played. `name` is the file in messages, `accept` how it is recorded again.

    With `hurry`, an answer that the SDK asks for again says that it need not wait: no time passes in a replay. Raises
    `SetupError` for volatile rules that are none. `mask` looks past secrets, today's and the placeholders for those
    that were recorded. With `allow_unplayed`, exchanges may be left over.
    """

    def __init__(
        self,
        cassette: Cassette,
        name: str,
        *,
        volatile: VolatileLike | Iterable[VolatileLike] = (),
        mask: Mask | None = None,
        accept: str | None = None,
        allow_unplayed: bool = False,
        hurry: bool = True,
    ) -> None:
        self.name = name
        self.accept = accept or f"record it again: {how_to_record(name)}"
        self.interactions: tuple[Interaction, ...] = cassette.interactions
        self.finished = cassette.finished
        self.mismatches: list[Mismatch] = []
        self._rules = Rules.of(volatile, mask)
        self._chains = Chains(self._rules)
        self._recorded = Recorded(map(self._chains.of_interaction, self.interactions))
        self._hurry, self._allow_unplayed = hurry, allow_unplayed
        self._consequences = Consequences()
        self._session: Session | None = None

    @property
    def played(self) -> int:
        """How many recorded exchanges have been asked for."""
        return len(self._recorded.played)

    @property
    def unplayed(self) -> tuple[int, ...]:
        """The positions of recorded exchanges that were never asked for."""
        return self._recorded.unplayed

    @property
    def left(self) -> tuple[int, ...]:
        """Those of them that should have been asked for."""
        return () if self._allow_unplayed else self.unplayed

    @property
    def session(self) -> Session:
        """The recording as a session, made on first use: only where something does not fit is it needed."""
        if self._session is None:
            exchanges = [_exchange(position, one) for position, one in enumerate(self.interactions)]
            self._session = Session(exchanges=tuple(exchanges))
        return self._session

    def find(self, exchange: Exchange, raw: bytes = b"") -> Found:
        """The recorded request that an exchange means; `raw` is looked at where its body was not read.

        Raises `SetupError` where a volatile function fails.
        """
        body = exchange.request if exchange.request is not None else _object(raw)
        self._rules.mask.learn(exchange.headers or {})
        asked = self._chains.ask(exchange.method, exchange.path, body, raw)
        position = self._recorded.next(asked.key)
        status = None if position is None else self.interactions[position].answer.status or None
        return Found(asked, position, status, body)

    def play(self, position: int, asked: Asked) -> Sending:
        """The recorded answer, as it came."""
        self._recorded.take(position)
        return sending(self.interactions[position].answer, asked, hurry=self._hurry)

    def miss(self, found: Found, exchange: Exchange, link: Link | None) -> Mismatch:
        """Takes in a request that no recorded one fits, and says why; one that follows from an earlier such request is
        only counted there.
        """
        conversation = None if link is None else link.conversation
        first = self._consequences.cause(found.asked, conversation)
        if first is None and len(self.mismatches) >= _TOLD:
            first = len(self.mismatches) - 1
        if first is not None:
            self.mismatches[first] = replace(self.mismatches[first], later=self.mismatches[first].later + 1)
            return self.mismatches[first]
        nearest = self._recorded.nearest(found.asked)
        self._consequences.note(found.asked, conversation, len(self.mismatches), self._recorded, nearest)
        self.mismatches.append(self._explained(found, nearest, f"{exchange.method} {exchange.path}"))
        return self.mismatches[-1]

    def where(self, position: int) -> str:
        """Where a recorded exchange stands, for people."""
        link = self.session.links[position]
        if link is None:
            return f"exchange {position + 1} ({self.interactions[position].method} {self.interactions[position].path})"
        several = len(self.session.conversations) > 1
        return f"turn {link.turn}" + (f" of conversation {link.conversation}" if several else "")

    def turn(self, position: int) -> int | None:
        """The turn of a recorded exchange, None where it is no part of a conversation."""
        link = self.session.links[position]
        return link.turn if link is not None else None

    def _explained(self, found: Found, nearest: Nearest | None, what: str) -> Mismatch:
        """Why nothing fits."""
        if nearest is None:
            return Mismatch(asked=what, likely=self._ends(f"the loop asks for {what} only now"))
        if self._recorded.knows(found.asked.key):
            return self._again(found.asked, what)
        theirs = _values(self.interactions[nearest.position])
        left = departure(theirs or {}, found.body or {}, self._rules)
        if left is None:
            return Mismatch(asked=what, place=nearest.position, path="$", likely="the body, which is no JSON object")
        return Mismatch(
            asked=what,
            place=nearest.position,
            path=left.path,
            recorded=left.recorded,
            today=left.today,
            likely=self._ends(left.likely) if left.cause == "longer" else left.likely,
            volatile=left.volatile,
        )

    def _again(self, asked: AskedKey, what: str) -> Mismatch:
        places = [at for at, known in enumerate(self._recorded.requests) if known.key == asked.key]
        times = "once" if len(places) == 1 else f"{len(places)} times"
        likely = f"the loop sends it once more than when it was recorded ({times}): a retry, or a second run"
        return Mismatch(asked=what, place=places[-1], likely=likely)

    def _ends(self, otherwise: str) -> str:
        """Why there is nothing more."""
        if self.finished:
            return otherwise
        return f"the recording was cut short after {counted(len(self.interactions), 'exchange')}"


def how_to_record(name: str) -> str:
    """How a cassette is recorded, where no command is known that does it."""
    return f'with playhead.record("{name}") as rec: ... rec.client()'


def sending(answer: Answer, asked: Asked, *, hurry: bool = False) -> Sending:
    """A recorded answer on its way: status, headers, pieces, times and fault as they were."""
    if not answer.status:
        how = _GAVE_UP.get(answer.fault, answer.fault)
        return send_fault(Drop(how=how), asked)  # type: ignore[arg-type]
    chunks, times = answer.chunks, answer.times
    timed = len(times) == len(chunks) > 1
    outgoing = Outgoing(
        status=answer.status,
        headers=_headers(answer, hurry=hurry),
        chunks=chunks,
        waits=(0.0, *((after - before) / 1000 for before, after in pairwise(times))) if timed else (),
        delay=times[0] / 1000 if times else 0.0,
        fault=None if answer.fault == _ABANDONED else answer.fault,  # type: ignore[arg-type]
    )
    return Sending(outgoing=outgoing, seen=understood(outgoing))


def _headers(answer: Answer, *, hurry: bool) -> Mapping[str, str]:
    headers = {name: value for name, value in answer.headers.items() if name not in _OF_THE_WAY}
    retried = answer.status in _RETRIED or answer.status >= 500
    if hurry and retried and headers.get("x-should-retry") != "false":
        headers.setdefault("retry-after-ms", "1")
    return headers


def _exchange(position: int, interaction: Interaction) -> Exchange:
    asked = Asked(f"req_{position + 1:04d}", stream=interaction.answer.streamed)
    return Exchange(
        number=position + 1,
        method=interaction.method,
        path=interaction.path,
        headers=interaction.headers,
        request=_values(interaction),
        **sending(interaction.answer, asked).seen,  # type: ignore[arg-type]
    )


def _values(interaction: Interaction) -> JsonObject | None:
    try:
        return interaction.body.values()
    except JsonError:
        return None


def _object(raw: bytes) -> JsonObject | None:
    try:
        return decode_object(raw) if raw else None
    except JsonError:
        return None


def counted(number: int, what: str) -> str:
    """A number and what it counts."""
    return f"{number} {what}{'' if number == 1 else 's'}"

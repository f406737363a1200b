"""A session: everything one test or one recording saw, in order, and the conversations in it.

Law: plain values; following is done once, on first use.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import UnionType

from msgspec import structs

from playhead.wire.codec import JsonError, JsonObject, decode_object, kind
from playhead.wire.exchange import NOTHING, Exchange
from playhead.wire.follow import Follower, Link
from playhead.wire.reading import Bodies
from playhead.wire.recent import Reading
from playhead.wire.stream import accumulate
from playhead.wire.tables import MESSAGES_PATH


@dataclass(frozen=True, slots=True)
class Turn:
    """The exchanges that are attempts of the same step of a conversation. `number` counts from 1."""

    number: int
    attempts: tuple[Exchange, ...]

    @property
    def exchange(self) -> Exchange:
        """The last attempt."""
        return self.attempts[-1]


@dataclass(frozen=True, slots=True)
class Conversation:
    """Turns that continue one another, in the order they were asked for; a fork has turns of the same number."""

    number: int
    turns: tuple[Turn, ...]

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        return tuple(exchange for turn in self.turns for exchange in turn.attempts)


@dataclass(frozen=True)
class Session:
    """Exchanges in order, possibly several interleaved conversations.

    `end` tells how the loop ended, where that is known: `{"how": "returned" | "raised" | "running", "error": text or
    None, "shown": object or None}`. `skipped` counts, by reason, what a recording held that was no Claude traffic.
    `format` names the kind of recording it was read from, `finished` is False where that was cut short.
    """

    exchanges: tuple[Exchange, ...] = ()
    end: Mapping[str, object] | None = None
    skipped: Mapping[str, int] = field(default_factory=dict)
    alone: bool = False
    format: str = ""
    finished: bool = True

    @classmethod
    def from_exchanges(
        cls,
        exchanges: Iterable[Mapping[str, object]],
        *,
        headers: Mapping[str, str] | None = None,
        end: Mapping[str, object] | None = None,
    ) -> Session:
        """A session from plain dicts, taken one at a time.

        Each has `request` and `response`, and may have `headers`, `path`, `tools_run`, `results`, `user_event`,
        `sent_at` and `answered_at` (seconds). A request is the body, or its JSON as bytes or text: of bytes only what
        no earlier request said is parsed. A response is a message (`id`, `type`, `role` and `usage` may be absent),
        `{"status", "error"}`, which may have `headers`, or `{"events": [...]}` with the events of a stream, each its
        data or `{"event", "data"}` (data an object or its JSON text). Raises `ValueError` naming the exchange that is
        something else.
        """
        built = []
        bodies = Bodies()
        for number, exchange in enumerate(exchanges, 1):
            _require(exchange, Mapping, f"exchange {number}", "a dict with request and response")
            _require(exchange.get("request"), Mapping | bytes | str | None, f"request of exchange {number}", "a dict")
            for member in ("response", "headers", "results"):
                _require(exchange.get(member), Mapping | None, f"{member} of exchange {number}", "a dict")
            _require(exchange.get("tools_run"), list | tuple | None, f"tools_run of exchange {number}", "a list of ids")
            part = "request"
            try:
                reading = _reading(exchange.get("request"), bodies)
                part = "response"
                built.append(_exchange(number, exchange, headers, reading))
            except JsonError as error:
                raise ValueError(f"the {part} of exchange {number} cannot be read: {error}") from None
        return cls(exchanges=with_retries(built), end=end)

    @cached_property
    def links(self) -> tuple[Link | None, ...]:
        """Where each exchange stands; None for what is no part of a conversation (token counts, other endpoints)."""
        follower = Follower()
        links: list[Link | None] = []
        position = 0
        for exchange in self.exchanges:
            if not exchange.is_message or exchange.request is None:
                links.append(None)
                continue
            links.append(follower.place(follower.whole(exchange), alone=self.alone))
            follower.settle(position, exchange)
            position += 1
        return tuple(links)

    @cached_property
    def conversations(self) -> tuple[Conversation, ...]:
        """The conversations, in the order in which they began."""
        followed = [(e, link) for e, link in zip(self.exchanges, self.links, strict=True) if link is not None]
        attempts: list[list[Exchange]] = []
        conversations: dict[int, list[tuple[int, list[Exchange]]]] = {}
        for exchange, link in followed:
            if link.kind == "repeats" and link.parent is not None:
                its = attempts[link.parent]  # another attempt at the same step; a fork is a turn of its own
            else:
                its = []
                conversations.setdefault(link.conversation, []).append((link.turn, its))
            its.append(exchange)
            attempts.append(its)
        return tuple(
            Conversation(number, tuple(Turn(turn, tuple(exchanges)) for turn, exchanges in turns))
            for number, turns in sorted(conversations.items())
        )

    @property
    def turns(self) -> tuple[Turn, ...]:
        """All turns of all conversations."""
        return tuple(turn for conversation in self.conversations for turn in conversation.turns)


def number_exchanges(exchanges: Iterable[Exchange]) -> tuple[Exchange, ...]:
    """The exchanges numbered from 1 in their order."""
    return tuple(structs.replace(exchange, number=number) for number, exchange in enumerate(exchanges, 1))


def is_retry(link: Link, parent: Exchange) -> bool:
    """Whether an exchange that stands so is another attempt: the same messages again after one that failed."""
    return link.kind == "repeats" and parent.failed


def with_retries(exchanges: Sequence[Exchange]) -> tuple[Exchange, ...]:
    """The exchanges with `retry_of` set where they attempt an earlier one again."""
    if not any(exchange.failed for exchange in exchanges):
        return tuple(exchanges)
    links = Session(exchanges=tuple(exchanges)).links
    followed = [exchange for exchange, link in zip(exchanges, links, strict=True) if link is not None]
    return tuple(
        structs.replace(exchange, retry_of=followed[link.parent].number)
        if link is not None and link.parent is not None and is_retry(link, followed[link.parent])
        else exchange
        for exchange, link in zip(exchanges, links, strict=True)
    )


def _require(value: object, wanted: type | UnionType, place: str, expected: str) -> None:
    if not isinstance(value, wanted):
        raise ValueError(f"{place} must be {expected}, not {kind(value)}")


def _reading(request: object, bodies: Bodies) -> Reading | None:
    if isinstance(request, bytes | str):
        return bodies.read(request if isinstance(request, bytes) else request.encode("utf-8", "surrogatepass"))
    return bodies.take(dict(request)) if isinstance(request, Mapping) else None


def _exchange(
    number: int, given: Mapping[str, object], headers: Mapping[str, str] | None, reading: Reading | None
) -> Exchange:
    response = given.get("response")
    own = given.get("headers")
    run, results = given.get("tools_run"), given.get("results")
    event = given.get("user_event")
    fields: dict[str, object] = {
        "number": number,
        "path": str(given.get("path") or MESSAGES_PATH),
        "headers": lower_names(own if isinstance(own, Mapping) else headers),
        "request": None if reading is None else reading.body,
        "sent": None if reading is None else reading.sent,
        "tools_run": tuple(str(call) for call in run) if isinstance(run, list | tuple) else None,
        "results": results if isinstance(results, Mapping) else NOTHING,
        "user_event": None if event is None else str(event),
        "sent_at": _seconds(given.get("sent_at")),
        "answered_at": _seconds(given.get("answered_at")),
        **answer_fields(response if isinstance(response, Mapping) else None),
    }
    return Exchange(**fields)  # type: ignore[arg-type]


def _seconds(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def lower_names(headers: Mapping[str, object] | None) -> dict[str, str] | None:
    """Headers with lower-case names, None where they are not known."""
    return None if headers is None else {str(name).lower(): str(value) for name, value in headers.items()}


def answer_fields(response: Mapping[str, object] | None) -> dict[str, object]:
    """The fields of an `Exchange` that tell its answer, from any of the shapes of a response."""
    if response is None:
        return {}
    events = response.get("events")
    if isinstance(events, list):
        return _streamed([_event(event) for event in events])
    error, status = response.get("error"), response.get("status")
    if "content" not in response and (error is not None or isinstance(status, int)):
        fields: dict[str, object] = {"status": status if isinstance(status, int) else None}
        if error is not None:
            message = {"type": "api_error", "message": str(error)}
            fields["error"] = dict(error) if isinstance(error, Mapping) else message
        headers = response.get("headers")
        if isinstance(headers, Mapping):
            fields["response_headers"] = lower_names(headers)
        return fields
    return {"status": 200, "response": dict(response)}


def _event(event: object) -> JsonObject:
    if not isinstance(event, Mapping):
        return {}
    data = event.get("data")
    if isinstance(data, str):
        return decode_object(data)
    return dict(data) if isinstance(data, Mapping) else dict(event)


def _streamed(events: list[JsonObject]) -> dict[str, object]:
    made = accumulate(events)
    return {
        "status": 200,
        "response": made.message,
        "complete": made.complete,
        "error": made.error,
        "events": tuple(events),
    }

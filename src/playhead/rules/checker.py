"""The checker: takes exchanges one at a time and says which rules they break.

Law: pure and incremental. `ask` judges a request when it has come, `answered` takes in its answer, `finish` the end.
The cost is linear in what a request adds: turns that were found good and came again as the same bytes are not judged
again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from playhead.rules.registry import RULES
from playhead.rules.rule import LEVELS, ApiError, EndView, Finding, RequestView, Rule, StepView, Violation
from playhead.wire.codec import JsonObject
from playhead.wire.exchange import Exchange
from playhead.wire.follow import Follower, Link
from playhead.wire.session import Session, lower_names
from playhead.wire.tables import COUNT_TOKENS_PATH, MESSAGES_PATH
from playhead.wire.turns import MergedTurn, merged_turns

_JUDGED = (MESSAGES_PATH, COUNT_TOKENS_PATH)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What `ask` found: where the request stands, its violations, and what the API would answer first."""

    link: Link | None
    position: int | None
    violations: tuple[Violation, ...]
    refusal: Violation | None = None


@dataclass(frozen=True, slots=True)
class _Judged:
    """What is kept of a judged request: whether it was good, the turns a follow-up is judged from, what was found."""

    good: bool
    message: int
    turn: int
    found: frozenset[tuple[str, str, str]]


class Checker:
    """Judges one session. `alone` says that it is one conversation by declaration."""

    def __init__(self, rules: Sequence[Rule] = RULES, *, alone: bool = False) -> None:
        self._request = tuple(rule for rule in rules if rule.request)
        self._step = tuple(rule for rule in rules if rule.step)
        self._answer = tuple(rule for rule in rules if rule.answer)
        self._end = tuple(rule for rule in rules if rule.end)
        self._alone = alone
        self._follower = Follower()
        self._judged: list[_Judged] = []

    def exchange(self, position: int) -> Exchange:
        """The exchange at a position, with its answer if that is known."""
        return self._follower.exchange(position)

    def link(self, position: int) -> Link:
        """Where the exchange at a position stands."""
        return self._follower.link(position)

    def ask(self, exchange: Exchange, *, like: int | None = None) -> Judgement:
        """Judges a request. `like` is the position of an earlier one whose messages begin this one's, byte for byte."""
        endpoint = exchange.endpoint
        if exchange.request is None or endpoint not in _JUDGED:
            return Judgement(link=None, position=None, violations=())
        if endpoint == COUNT_TOKENS_PATH:
            found = [*self._on_request(exchange, merged_turns(exchange.messages), counting=True)]
            return Judgement(
                link=None, position=None, violations=_violations(found, exchange), refusal=_first(found, exchange)
            )
        like = self._follower.begins(exchange.messages) if like is None else like
        link = self._follower.place(exchange, like=like, alone=self._alone)
        known = self._judged[like] if like is not None and self._judged[like].good else None
        start = known or _Judged(True, 0, 0, frozenset())
        turns = merged_turns(exchange.messages, start=start.message, number=start.turn)
        on_request = [*self._on_request(exchange, turns)]
        found = [*on_request, *self._on_step(exchange, link)]
        violations = _violations(found, exchange, link)
        fresh = self._fresh(violations, link)
        self._keep(violations, on_request, turns, start, fresh, link)
        return Judgement(
            link=link,
            position=len(self._judged) - 1,
            violations=fresh,
            refusal=_first(on_request, exchange, link),
        )

    def _on_request(
        self, exchange: Exchange, turns: tuple[MergedTurn, ...], *, counting: bool = False
    ) -> Iterator[tuple[Rule, Finding]]:
        view = RequestView(
            body=exchange.request or {},
            headers=exchange.headers,
            turns=turns,
            counting=counting,
            known=exchange.known,
        )
        for rule in self._request:
            assert rule.request is not None
            for finding in rule.request(view):
                yield rule, finding

    def _on_step(self, exchange: Exchange, link: Link) -> Iterator[tuple[Rule, Finding]]:
        if link.parent is None:
            return
        parent = self._follower.exchange(link.parent)
        view = StepView(exchange=exchange, link=link, parent=parent, alone=self._alone)
        for rule in self._step:
            assert rule.step is not None
            for finding in rule.step(view):
                yield rule, finding

    def _fresh(self, violations: tuple[Violation, ...], link: Link) -> tuple[Violation, ...]:
        """The violations that an earlier request of the conversation, which was accepted, did not have already."""
        known = self._inherited(link)
        return tuple(violation for violation in violations if _key(violation) not in known) if known else violations

    def _inherited(self, link: Link) -> frozenset[tuple[str, str, str]]:
        if link.parent is None or self._follower.exchange(link.parent).failed:
            return frozenset()
        return self._judged[link.parent].found

    def _keep(
        self,
        violations: tuple[Violation, ...],
        on_request: list[tuple[Rule, Finding]],
        turns: tuple[MergedTurn, ...],
        start: _Judged,
        fresh: tuple[Violation, ...],
        link: Link,
    ) -> None:
        anchor = next((turn for turn in reversed(turns[:-1]) if turn.role == "assistant"), None)
        message, turn = (anchor.messages[0], anchor.number) if anchor else (start.message, start.turn)
        found = (
            frozenset(map(_key, violations)) | self._inherited(link) if violations or fresh else self._inherited(link)
        )
        self._judged.append(_Judged(not on_request, message, turn, found))

    def answered(self, position: int, exchange: Exchange) -> None:
        """Takes in the answer to the request at this position."""
        self._follower.settle(position, exchange)

    def on_answer(self, exchange: Exchange) -> tuple[Violation, ...]:
        """The violations in what the client did with an answer, once that is known."""
        found = [(rule, finding) for rule in self._answer if rule.answer for finding in rule.answer(exchange)]
        return _violations(found, exchange)

    def on_end(
        self, exchanges: Sequence[Exchange], end: Mapping[str, object] | None, limit: int | None = None
    ) -> tuple[Violation, ...]:
        """The violations that show when all is over."""
        view = EndView(exchanges=exchanges, end=end, limit=limit)
        found = [(rule, finding) for rule in self._end if rule.end for finding in rule.end(view)]
        return _violations(found, exchanges[-1] if exchanges else None)


def _key(violation: Violation) -> tuple[str, str, str]:
    return violation.rule, violation.path, violation.message


def _ordered(found: Iterable[tuple[Rule, Finding]]) -> list[tuple[Rule, Finding]]:
    return sorted(found, key=lambda pair: (LEVELS.index(pair[0].level), pair[0].rank, pair[1].place))


def _violations(
    found: Sequence[tuple[Rule, Finding]], exchange: Exchange | None, link: Link | None = None
) -> tuple[Violation, ...]:
    return tuple(_violation(rule, finding, exchange, link) for rule, finding in _ordered(found)) if found else ()


def _violation(rule: Rule, finding: Finding, exchange: Exchange | None, link: Link | None) -> Violation:
    return Violation(
        rule=rule.id,
        level=rule.level,
        path=finding.path,
        message=finding.what,
        fix=rule.fix.format_map(finding.values),
        api=rule.wording[finding.wording].format_map(finding.values) if rule.wording else None,
        exchange=exchange.number if exchange else None,
        turn=link.turn if link else None,
        conversation=link.conversation if link else None,
    )


def _first(found: list[tuple[Rule, Finding]], exchange: Exchange | None, link: Link | None = None) -> Violation | None:
    """The violation that the API would answer: of those it refuses, the first in its order."""
    refused = _ordered(pair for pair in found if pair[0].level == "reject") if found else ()
    return _violation(*refused[0], exchange, link) if refused else None


def check(session: Session, *, rules: Sequence[Rule] = RULES) -> tuple[Violation, ...]:
    """Every violation in a session, in the order of its exchanges; one pass, linear in what is new."""
    checker = Checker(rules, alone=session.alone)
    violations: list[Violation] = []
    for exchange in session.exchanges:
        judgement = checker.ask(exchange)
        violations += judgement.violations
        if judgement.position is not None:
            checker.answered(judgement.position, exchange)
        violations += checker.on_answer(exchange)
    violations += checker.on_end(session.exchanges, session.end)
    return tuple(violations)


def check_request(
    body: JsonObject, headers: Mapping[str, str] | None = None, *, rules: Sequence[Rule] = RULES
) -> tuple[Violation, ...]:
    """Every violation in one request body. Without `headers`, rules about them are silent."""
    return tuple(replace(violation, exchange=None) for violation in _judge(body, headers, rules).violations)


def api_error(
    body: JsonObject, headers: Mapping[str, str] | None = None, *, rules: Sequence[Rule] = RULES
) -> ApiError | None:
    """What the API would answer to this request if it refuses it: the first fault in its order. None if it takes it."""
    refusal = _judge(body, headers, rules).refusal
    return refusal_error(refusal, rules) if refusal else None


def _judge(body: JsonObject, headers: Mapping[str, str] | None, rules: Sequence[Rule]) -> Judgement:
    if not isinstance(body, dict):
        raise TypeError(f"a request body is a dict, this is {type(body).__name__}")
    checker = Checker(rules)
    judgement = checker.ask(Exchange(request=body, headers=lower_names(headers)))
    return replace(judgement, violations=tuple(replace(v, turn=None, conversation=None) for v in judgement.violations))


def refusal_error(refusal: Violation, rules: Sequence[Rule] = RULES, request_id: str = "req_0001") -> ApiError:
    """The answer with which the API refuses a request for this violation."""
    rule = next(rule for rule in rules if rule.id == refusal.rule)
    text = refusal.api or f"{refusal.path}: {refusal.message}"
    return ApiError(
        status=rule.status,
        headers={"content-type": "application/json", "request-id": request_id, "x-should-retry": "false"},
        body=error_body(rule.error_type, text, request_id),
        rule=rule.id,
    )


def error_body(error_type: str, message: str, request_id: str, **details: object) -> JsonObject:
    """An error in the API's shape (platform.claude.com/docs/en/api/errors)."""
    error: JsonObject = {"type": error_type, "message": message}
    if details:
        error["details"] = details
    return {"type": "error", "error": error, "request_id": request_id}

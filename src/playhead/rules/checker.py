"""The checker: takes exchanges one at a time and says which rules they break.

Law: pure and incremental. `ask` judges a request when it has come, `answered` takes in its answer, `finish` the end.
The cost is linear in what a request adds: turns that were found good and came again as the same bytes are not judged
again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import NamedTuple

from playhead.rules.choice import choose
from playhead.rules.models import Model, Models, models_with
from playhead.rules.registry import RULES
from playhead.rules.requests import RequestRules
from playhead.rules.rule import LEVELS, ApiError, EndView, Finding, RequestView, Rule, StepView, Violation
from playhead.rules.steps import StepRules
from playhead.wire.codec import JsonObject, encode
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


class _Judged(NamedTuple):
    """What is kept of a judged request: what was good, the turns a follow-up is judged from, what was found.

    `messages` and `envelope` say of which part nothing was found, so that it need not be judged again when it comes
    again; there are `length` messages, the last turns of which are `tail`, and `seen` is what they hold.
    """

    messages: bool = True
    envelope: bool = True
    length: int = 0
    message: int = 0
    turn: int = 0
    tail: tuple[MergedTurn, ...] = ()
    found: frozenset[tuple[str, str, str]] = frozenset()
    seen: frozenset[str] = frozenset()


class Checker:
    """Judges one session. `alone` says that it is one conversation by declaration, `one_loop` that one loop made it."""

    def __init__(
        self,
        rules: Sequence[Rule] = RULES,
        *,
        alone: bool = False,
        one_loop: bool = False,
        models: Models | None = None,
    ) -> None:
        self._models = models or Models()
        self._ids = frozenset(rule.id for rule in rules)
        self._on_one = RequestRules(rules)
        self._steps = StepRules(rules)
        self._answer = tuple(rule for rule in rules if rule.answer)
        self._end = tuple(rule for rule in rules if rule.end)
        self._alone = alone
        self._one_loop = alone or one_loop
        self._follower = Follower()
        self._judged: list[_Judged] = []
        self._returned: set[str] = set()

    def exchange(self, position: int) -> Exchange:
        """The exchange at a position, with its answer if that is known."""
        return self._follower.exchange(position)

    def link(self, position: int) -> Link:
        """Where the exchange at a position stands."""
        return self._follower.link(position)

    def ask(self, exchange: Exchange, *, like: int | None = None, size: int | None = None) -> Judgement:
        """Judges a request. `like` is the position of an earlier one whose messages begin this one's, byte for byte;
        `size` the length of the body in bytes, where that is known.
        """
        endpoint = exchange.endpoint
        if exchange.request is None or endpoint not in _JUDGED:
            return Judgement(link=None, position=None, violations=())
        if endpoint == COUNT_TOKENS_PATH:
            found = self._on_one.judge(self._view(exchange, merged_turns(exchange.messages), None, size))
            return Judgement(
                link=None, position=None, violations=_violations(found, exchange), refusal=_first(found, exchange)
            )
        sent, exchange = exchange, self._follower.whole(exchange)
        held = len(exchange.messages) - len(sent.messages)
        like = self._follower.begins(exchange.messages) if like is None or held else like
        link = self._follower.place(exchange, like=like, alone=self._alone)
        earlier = self._judged[like] if like is not None else None
        start = earlier if earlier is not None and earlier.messages else _GOOD
        turns = _turns(exchange.messages, start)
        same = earlier is not None and like is not None and earlier.envelope and self._same_envelope(like, exchange)
        seen = set(start.seen)
        view = self._view(exchange, turns, seen, size)
        on_request = self._on_one.judge(view, start.length, envelope=not same, seen=seen)
        if on_request:
            on_request = _new(on_request, self._follower.known(len(self._judged)))
        found = self._told([*on_request, *self._on_step(exchange, link, seen)])
        if held:
            found = [(rule, replace(finding, path=_as_sent(finding.path, held))) for rule, finding in found]
        violations = _violations(found, exchange, link)
        inherited = self._inherited(link)
        self._judged.append(_judged(on_request, view, start, _keys(violations) | inherited))
        return Judgement(
            link=link,
            position=len(self._judged) - 1,
            violations=tuple(v for v in violations if _key(v) not in inherited) if inherited else violations,
            refusal=_first(found, exchange, link),
        )

    def _view(
        self, exchange: Exchange, turns: tuple[MergedTurn, ...], seen: set[str] | None, size: int | None
    ) -> RequestView:
        return RequestView(
            body=exchange.request or {},
            headers=exchange.headers,
            turns=turns,
            counting=exchange.endpoint == COUNT_TOKENS_PATH,
            known=exchange.known,
            models=self._models,
            status=_status(exchange),
            size=size,
            returned=self._returned,
            seen=seen,
        )

    def _same_envelope(self, like: int, exchange: Exchange) -> bool:
        return _same_envelope(self._follower.exchange(like), exchange)

    def _on_step(self, exchange: Exchange, link: Link, seen: set[str]) -> Sequence[tuple[Rule, Finding]]:
        if link.parent is None:
            return ()
        parent = self._follower.exchange(link.parent)
        view = StepView(
            exchange=exchange,
            link=link,
            parent=parent,
            alone=self._alone,
            one_loop=self._one_loop,
            models=self._models,
            so_far=self._follower,
        )
        held = seen.union([str(block.get("type")) for block in parent.content if isinstance(block, dict)])
        return self._steps.judge(view, parent, held)

    def _told(self, found: list[tuple[Rule, Finding]]) -> list[tuple[Rule, Finding]]:
        """What is left without faults told in the words of a rule that is switched off, and without a warning where
        the same rule says more of the same place.
        """
        if not found:
            return found
        stronger = {(rule.id, finding.path) for rule, finding in found if (finding.level or rule.level) != "warn"}
        return [
            (rule, finding)
            for rule, finding in found
            if (not finding.same_as or not self._ids.isdisjoint(finding.same_as))
            and not (finding.level == "warn" and (rule.id, finding.path) in stronger)
        ]

    def _inherited(self, link: Link) -> frozenset[tuple[str, str, str]]:
        if link.parent is None or self._follower.exchange(link.parent).failed:
            return frozenset()
        return self._judged[link.parent].found

    def answered(self, position: int, exchange: Exchange) -> None:
        """Takes in the answer to the request at this position."""
        self._follower.settle(position, exchange)
        self._returned.update(_sealed(exchange.content))

    def on_answer(self, exchange: Exchange) -> tuple[Violation, ...]:
        """The violations in what the client did with an answer, once that is known."""
        found = [(rule, finding) for rule in self._answer if rule.answer for finding in rule.answer(exchange)]
        return _violations(self._told(found), exchange)

    def ran(self, position: int, exchange: Exchange) -> None:
        """Takes in which tools the client has run on a settled exchange since."""
        self._follower.amend(position, exchange)

    def on_end(
        self,
        exchanges: Sequence[Exchange],
        end: Mapping[str, object] | None,
        limit: int | None = None,
        *,
        over: bool = True,
    ) -> tuple[Violation, ...]:
        """The violations that show when all is over, or, if it is not, those that a whole session shows so far."""
        view = EndView(exchanges=exchanges, end=end, limit=limit, over=over, so_far=self._follower)
        found = [(rule, finding) for rule in self._end if rule.end for finding in rule.end(view)]
        numbered = {exchange.number: exchange for exchange in exchanges} if found else {}
        last = exchanges[-1] if exchanges else None
        ids = frozenset(rule.id for rule, _ in found)
        return tuple(
            _violation(rule, finding, numbered.get(finding.exchange or 0, last), None, ids)
            for rule, finding in _ordered(self._told(found))
        )


_JUDGED_HEADERS = ("anthropic-version", "anthropic-beta", "x-api-key", "authorization")


def _status(exchange: Exchange) -> int | None:
    """The status of an answer that is known already; a message or an error without one tells it as well."""
    if exchange.status is not None:
        return exchange.status
    if exchange.response is not None:
        return 200
    return 400 if exchange.error is not None else None


def _same_envelope(earlier: Exchange, now: Exchange) -> bool:
    """Whether all but the messages is what the earlier request had, so that it need not be judged again."""
    before, body = earlier.request or {}, now.request or {}
    if len(before) != len(body) or any(before.get(key) is not body[key] for key in body if key != "messages"):
        return False
    theirs, ours = earlier.headers, now.headers
    if theirs is None or ours is None:
        return theirs is ours
    return all(theirs.get(name) == ours.get(name) for name in _JUDGED_HEADERS)


_GOOD = _Judged()

_MESSAGE = re.compile(r"\$\.messages\[(\d+)\]")


def _as_sent(path: str, held: int) -> str:
    """A path in what was sent, for one in the whole conversation, the first `held` messages of which the server has."""
    match = _MESSAGE.match(path)
    if match is None:
        return path
    position = int(match.group(1)) - held
    return f"$.messages[{position}]{path[match.end() :]}" if position >= 0 else "$.thread.previous_message_id"


def _turns(messages: Sequence[object], start: _Judged) -> tuple[MergedTurn, ...]:
    """The last turns that are known to be good, and those of the new messages, which may go on with the last."""
    if start.tail and len(messages) > start.length:
        message = messages[start.length]
        role = message.get("role") if isinstance(message, dict) else None
        last = start.tail[-1]
        if role in ("user", "assistant") and role != last.role:
            return (*start.tail, *merged_turns(messages, start=start.length, number=last.number + 1))
    return merged_turns(messages, start=start.message, number=start.turn)


def _judged(
    on_request: Sequence[tuple[Rule, Finding]],
    view: RequestView,
    start: _Judged,
    found: frozenset[tuple[str, str, str]],
) -> _Judged:
    """What a follow-up need not judge again; it begins at the last assistant turn that something stands after."""
    turns = view.turns
    begin = next((at for at in range(len(turns) - 2, -1, -1) if turns[at].role == "assistant"), None)
    anchor = turns[begin] if begin is not None else None
    in_messages = [finding.path.startswith("$.messages") for _, finding in on_request]
    again = [pair for pair, within in zip(on_request, in_messages, strict=True) if within and not _told_once(pair)]
    return _Judged(
        messages=not again,
        envelope=all(in_messages),
        length=len(view.messages),
        message=anchor.messages[0] if anchor else start.message,
        turn=anchor.number if anchor else start.turn,
        tail=turns[begin:] if begin is not None else (),
        found=found,
        seen=frozenset(view.seen or ()),
    )


def _told_once(pair: tuple[Rule, Finding]) -> bool:
    """Whether a finding concerns one message alone and is none that the API would refuse each time."""
    rule, finding = pair
    return rule.request is None and (finding.level or rule.level) != "reject"


_IN_MESSAGE = re.compile(r"\$\.messages\[(\d+)\]")


def _new(found: list[tuple[Rule, Finding]], known: int) -> list[tuple[Rule, Finding]]:
    """What was found, without what the API takes in messages that an earlier request had: that was told then.

    A refusal is told again with each request that brings it.
    """
    return [
        pair
        for pair in found
        if not _told_once(pair) or not (place := _IN_MESSAGE.match(pair[1].path)) or int(place[1]) >= known
    ]


def _keys(violations: Sequence[Violation]) -> frozenset[tuple[str, str, str]]:
    return frozenset(map(_key, violations)) if violations else frozenset()


def _key(violation: Violation) -> tuple[str, str, str]:
    return violation.rule, violation.path, violation.message


def _ordered(found: Iterable[tuple[Rule, Finding]]) -> list[tuple[Rule, Finding]]:
    return sorted(found, key=_place_in_order)


def _place_in_order(pair: tuple[Rule, Finding]) -> tuple[int, int, tuple[int, ...]]:
    rule, finding = pair
    return LEVELS.index(finding.level or rule.level), rule.rank if finding.rank is None else finding.rank, finding.place


def _violations(
    found: Sequence[tuple[Rule, Finding]], exchange: Exchange | None, link: Link | None = None
) -> tuple[Violation, ...]:
    if not found:
        return ()
    ids = frozenset(rule.id for rule, _ in found)
    return tuple(_violation(rule, finding, exchange, link, ids) for rule, finding in _ordered(found))


def _violation(
    rule: Rule, finding: Finding, exchange: Exchange | None, link: Link | None, found: Set[str] = frozenset()
) -> Violation:
    level = finding.level or rule.level
    return Violation(
        rule=rule.id,
        level=level,
        path=finding.path,
        message=finding.what,
        fix=rule.fix.format_map(finding.values),
        api=_api_text(rule, finding),
        status=rule.status if level == "reject" else None,
        error_code=finding.error_code,
        exchange=exchange.number if exchange else None,
        turn=link.turn if link else None,
        conversation=link.conversation if link else None,
        same_as=next((other for other in finding.same_as if other in found), None),
    )


def _api_text(rule: Rule, finding: Finding) -> str | None:
    """The API's words; None where they are not known, for the rule or for this case of it."""
    wording = rule.wording[finding.wording] if rule.wording else ""
    return wording.format_map(finding.values) or None


_SEALED = ("signature", "data", "encrypted_content", "encrypted_index", "encrypted_stdout")


def _sealed(value: object) -> Iterator[str]:
    """The strings in a reply that only the API can make."""
    if isinstance(value, list):
        for item in value:
            yield from _sealed(item)
    elif isinstance(value, dict):
        for name, member in value.items():
            if isinstance(member, str):
                if name in _SEALED:
                    yield member
            elif name != "input":
                yield from _sealed(member)


def _first(found: list[tuple[Rule, Finding]], exchange: Exchange | None, link: Link | None = None) -> Violation | None:
    """The violation that the API would answer: of those it refuses, the first in its order."""
    refused = _ordered(pair for pair in found if (pair[1].level or pair[0].level) == "reject") if found else ()
    return _violation(*refused[0], exchange, link) if refused else None


def check(
    session: Session,
    *,
    rules: Sequence[Rule] = (),
    ignore: Sequence[str] = (),
    only: Sequence[Rule] | None = None,
    models: Sequence[Model] | Models = (),
) -> tuple[Violation, ...]:
    """Every violation in a session, in the order of its exchanges; one pass, linear in what is new.

    `rules` are further rules of your own, `ignore` names rules to switch off; with `only`, these are all that is
    judged by. `models` are added to the table of models, or take the place of those of the same name;
    `Models(complete=True)` says that those known are all there are, so that any other is refused. Raises `SetupError`
    for a rule that does not exist.
    """
    chosen = choose(rules, ignore) if only is None else only
    one_loop = session.end is not None
    checker = Checker(chosen, alone=session.alone, one_loop=one_loop, models=models_with(models))
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
    body: JsonObject,
    headers: Mapping[str, str] | None = None,
    *,
    rules: Sequence[Rule] = (),
    ignore: Sequence[str] = (),
    only: Sequence[Rule] | None = None,
    models: Sequence[Model] | Models = (),
) -> tuple[Violation, ...]:
    """Every violation in one request body. Without `headers`, rules about them are silent. Otherwise as `check`."""
    chosen = choose(rules, ignore) if only is None else only
    return tuple(replace(violation, exchange=None) for violation in _judge(body, headers, chosen, models).violations)


def api_error(
    body: JsonObject,
    headers: Mapping[str, str] | None = None,
    *,
    rules: Sequence[Rule] = (),
    ignore: Sequence[str] = (),
    only: Sequence[Rule] | None = None,
    models: Sequence[Model] | Models = (),
) -> ApiError | None:
    """What the API would answer to this request if it refuses it: the first fault in its order. None if it takes it.

    Otherwise as `check_request`.
    """
    chosen = choose(rules, ignore) if only is None else only
    refusal = _judge(body, headers, chosen, models).refusal
    return refusal_error(refusal, chosen) if refusal else None


def _judge(
    body: JsonObject, headers: Mapping[str, str] | None, rules: Sequence[Rule], models: Sequence[Model] | Models
) -> Judgement:
    if not isinstance(body, dict):
        raise TypeError(f"a request body is a dict, this is {type(body).__name__}")
    checker = Checker(rules, models=models_with(models))
    judgement = checker.ask(Exchange(request=body, headers=lower_names(headers)), size=len(encode(body)))
    return replace(judgement, violations=tuple(replace(v, turn=None, conversation=None) for v in judgement.violations))


def refusal_error(refusal: Violation, rules: Sequence[Rule] = RULES, request_id: str = "req_0001") -> ApiError:
    """The answer with which the API refuses a request for this violation."""
    rule = next(rule for rule in rules if rule.id == refusal.rule)
    text = refusal.api or f"{refusal.path}: {refusal.message}"
    details = {"error_code": refusal.error_code} if refusal.error_code else {}
    return ApiError(
        status=rule.status,
        headers={"content-type": "application/json", "request-id": request_id, "x-should-retry": "false"},
        body=error_body(rule.error_type, text, request_id, **details),
        rule=rule.id,
    )


def error_body(error_type: str, message: str, request_id: str, /, **details: object) -> JsonObject:
    """An error in the API's shape (platform.claude.com/docs/en/api/errors)."""
    error: JsonObject = {"type": error_type, "message": message}
    if details:
        error["details"] = details
    return {"type": "error", "error": error, "request_id": request_id}

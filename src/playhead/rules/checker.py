"""The checker: takes exchanges one at a time and says which rules they break.

Law: pure and incremental. `ask` judges a request when it has come, `answered` takes in its answer, `on_end` the end.
The cost is linear in what a request adds: messages that were found good and come again as the same objects, on the same
terms, are not judged again. Every verdict is the one that judging the request from scratch would give.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from msgspec import Struct, structs

from playhead.rules.choice import choose
from playhead.rules.echo import came_back
from playhead.rules.memory import FIRST_WORDS, Good, Memory
from playhead.rules.models import TABLE, Model, Models, models_with
from playhead.rules.places import Places
from playhead.rules.registry import RULES
from playhead.rules.requests import Found, RequestRules
from playhead.rules.rule import ApiError, EndView, Finding, RequestView, Rule, StepView, Violation
from playhead.rules.signatures import sealed_in
from playhead.rules.steps import FAILED, StepRules, judge, outcome
from playhead.rules.terms import Terms, TermsTable
from playhead.rules.violations import (
    MESSAGE,
    first_refusal,
    key,
    new_ones,
    ordered,
    told_before,
    violation_of,
    violations_of,
)
from playhead.wire.codec import JsonObject, encode, is_deeper
from playhead.wire.equality import shallow
from playhead.wire.exchange import Exchange, endpoint_of
from playhead.wire.follow import Follower, Link
from playhead.wire.history import History
from playhead.wire.session import Session, lower_names
from playhead.wire.tables import COUNT_TOKENS_PATH, MESSAGES_PATH
from playhead.wire.turns import MergedTurn, merged_turns
from playhead.wire.value import Value

_JUDGED = (MESSAGES_PATH, COUNT_TOKENS_PATH)
_BRINGS_TOOLS = ("tool_addition",)
"""Blocks in view of which rules on the envelope are silent: without them it has to be judged again."""

_ENVELOPES = 1024
"""So many are known to be good; others are judged anew in each session."""

_NONE: frozenset[tuple[str, str, str]] = frozenset()


class Judgement(Value, frozen=True, kw_only=True):
    """What `ask` found: where the request stands, its violations, what the API would answer first, and the positions of
    the messages that hold a cache mark, in order, None where nobody looked.
    """

    link: Link | None
    position: int | None
    violations: tuple[Violation, ...]
    refusal: Violation | None = None
    marked: Sequence[int] | None = None


class _Looked(Value, frozen=True):
    """What is found in a request alone, and where its blocks stand.

    `envelope` numbers what it says besides its messages; `ordinary_from` is the position from which on all messages
    are known to be ordinary, None where there is none.
    """

    found: Found
    places: Places
    envelope: int
    ordinary_from: int | None = None


class _Tables(Struct, frozen=True):
    """Some rules, by what they look at; the envelopes found `good`, None where a rule is somebody's own."""

    ids: frozenset[str]
    requests: RequestRules
    steps: StepRules
    answer: tuple[Rule, ...]
    end: tuple[Rule, ...]
    good: set[int] | None


@lru_cache(maxsize=16)
def _tables(rules: tuple[Rule, ...]) -> _Tables:
    # making them costs more than a session of a few requests, and every test has a session of its own
    return _Tables(
        ids=frozenset(rule.id for rule in rules),
        requests=RequestRules(rules),
        steps=StepRules(rules),
        answer=tuple(rule for rule in rules if rule.answer),
        end=tuple(rule for rule in rules if rule.end),
        good=set() if frozenset(RULES).issuperset(rules) else None,
    )


class Checker:
    """Judges one session.

    `alone` says that it is one conversation by declaration, `each` that conversations may begin with the same words,
    `one_loop` that one loop made it.
    """

    def __init__(
        self,
        rules: Sequence[Rule] = RULES,
        *,
        alone: bool = False,
        each: bool = False,
        one_loop: bool = False,
        models: Models | None = None,
    ) -> None:
        self._models = models or TABLE
        tables = _tables(tuple(rules))
        self._ids, self._on_one, self._steps = tables.ids, tables.requests, tables.steps
        self._answer, self._end = tables.answer, tables.end
        self._alone = alone
        self._one_loop = alone or one_loop
        self._follower = Follower(each=each)
        self._found: list[frozenset[tuple[str, str, str]]] = []
        self._envelopes: list[int] = []
        self._terms = TermsTable()
        self._memory = Memory()
        # what is good in one session is so in all; a rule of one's own may look at more than it is shown
        self._good_envelopes = tables.good if tables.good is not None and self._models == TABLE else set[int]()
        self._returned: set[str] = set()

    def exchange(self, position: int) -> Exchange:
        """The exchange at a position, with its answer if that is known."""
        return self._follower.exchange(position)

    def link(self, position: int) -> Link:
        """Where the exchange at a position stands."""
        return self._follower.link(position)

    def ask(self, exchange: Exchange, *, like: int | None = None, size: int | None = None) -> Judgement:
        """Judges a request. `like` is the position of an earlier one whose messages begin this one's, byte for byte;
        an exchange that tells its `history` needs none. `size` is the length of the body in bytes, where that is known.
        """
        endpoint = endpoint_of(exchange.path)
        if exchange.request is None or endpoint not in _JUDGED:
            return Judgement(link=None, position=None, violations=())
        if endpoint == COUNT_TOKENS_PATH:
            found = self._on_request(exchange, self._follower.history(exchange, like=like), size).found
            told, refusal = violations_of(found, exchange), first_refusal(found, exchange)
            return Judgement(link=None, position=None, violations=told, refusal=refusal)
        sent = exchange
        if "thread" in exchange.request:
            exchange = self._follower.whole(exchange)
        held = 0 if exchange is sent else len(exchange.messages) - len(sent.messages)
        position = len(self._found)
        link = self._follower.place(exchange, like=None if held else like, alone=self._alone)
        parent = None if link.parent is None else self._follower.exchange(link.parent)
        ended = FAILED if parent is None else outcome(parent)
        inherited = _NONE if link.parent is None or ended is FAILED else self._found[link.parent]
        self._found.append(inherited)
        looked = self._on_request(exchange, self._follower.history_at(position), size)
        self._envelopes.append(looked.envelope)
        on_request = looked.found
        if on_request:
            on_request = new_ones(on_request, self._follower.known(position))
        on_step = () if parent is None else self._on_step(exchange, link, parent, ended, looked)
        if not on_request and not on_step:
            return Judgement(link=link, position=position, violations=(), marked=looked.places.marked)
        found = self._told([*on_request, *on_step])
        if held:
            found = [(rule, replace(finding, path=_as_sent(finding.path, held))) for rule, finding in found]
        violations = violations_of(found, exchange, link)
        if violations:
            self._found[position] = inherited.union(map(key, violations))
        return Judgement(
            link=link,
            position=position,
            violations=tuple(v for v in violations if key(v) not in inherited) if inherited else violations,
            refusal=first_refusal(found, exchange, link),
            marked=looked.places.marked,
        )

    def _on_request(self, exchange: Exchange, history: History | None, size: int | None) -> _Looked:
        """What is found in a request alone, looking only where it was not found good before."""
        status = _status(exchange)
        terms = self._terms.of(exchange, status)
        good = self._memory.before(history, terms.messages)
        if history is not None and history.count == good.length + (1 if good.last is None else 2):
            looked = self._on_words(exchange, history, terms, good, status, size)
            if looked is not None:
                return looked
        turns, places = good.turns(exchange.messages), good.places.before(good.length)
        view = self._view(exchange, status, size, places, turns)
        # that there are messages at all is asked with what stands around them
        new_envelope = not view.messages or terms.envelope not in self._good_envelopes
        if new_envelope and is_deeper({**view.body, "messages": None}, _DEEPEST):
            return self._on_shallow(view, terms.envelope)
        try:
            found, ordinary = self._on_one.judge(
                view, good.length, envelope=new_envelope, places=places, closed=good.last
            )
        except RecursionError:
            return self._on_shallow(view, terms.envelope)
        if new_envelope and not view.may_hold(_BRINGS_TOOLS) and all(_in_messages(finding) for _, finding in found):
            if len(self._good_envelopes) >= _ENVELOPES:
                self._good_envelopes.clear()
            self._good_envelopes.add(terms.envelope)
        if history is not None:
            again = [_message(one) for rule, one in found if _in_messages(one) and not told_before((rule, one))]
            first = min(again, default=None)
            self._memory.note(history, terms.messages, good, turns, places, first, ordinary)
        return _Looked(found, places, terms.envelope, good.length if ordinary else None)

    def _on_words(
        self, exchange: Exchange, history: History, terms: Terms, good: Good, status: int | None, size: int | None
    ) -> _Looked | None:
        """The same where all that is new is a few ordinary words; None where it is not."""
        if terms.envelope not in self._good_envelopes or (good.last is None and good.length):
            return None
        places = FIRST_WORDS.places if good.last is None else good.places
        messages = exchange.messages
        if not self._on_one.are_mere_words(messages, good.length, good.recent, places.types):
            return None
        found: Found = []
        if not self._on_one.is_small(len(messages), size):
            found = self._on_one.judge_extent(self._view(exchange, status, size, places))
        self._memory.note_words(history, terms.messages, good)
        return _Looked(found, places, terms.envelope, good.length)

    def _view(
        self,
        exchange: Exchange,
        status: int | None,
        size: int | None,
        places: Places,
        turns: tuple[MergedTurn, ...] = (),
    ) -> RequestView:
        return RequestView(
            body=exchange.request or {},
            headers=exchange.headers,
            turns=turns,
            counting=endpoint_of(exchange.path) == COUNT_TOKENS_PATH,
            known=exchange.known,
            models=self._models,
            status=status,
            size=size,
            returned=self._returned,
            places=places,
        )

    def _on_shallow(self, view: RequestView, envelope: int) -> _Looked:
        """The same where something is nested more deeply than a rule can follow: judged as text, and each time anew."""
        places = Places()
        return _Looked(self._on_one.judge(_shallow_view(view, places), places=places).found, places, envelope)

    def _on_step(
        self, exchange: Exchange, link: Link, parent: Exchange, ended: str, looked: _Looked
    ) -> Sequence[tuple[Rule, Finding]]:
        ordinary = (
            link.parent is not None
            and ended is not FAILED
            and looked.ordinary_from is not None
            and looked.ordinary_from <= link.shared
            and looked.envelope == self._envelopes[link.parent]
            and link.kind == "continues"
            and not link.held
            and parent.user_event is None
            and came_back(exchange, link, parent)
        )
        asked = self._steps.asked(parent, ended, looked.places.types, ordinary=ordinary)
        if not asked:
            return ()
        try:
            return self._judge_step(asked, exchange, link, parent)
        except RecursionError:
            return self._judge_step(asked, _shallow(exchange), link, _shallow(parent))

    def _judge_step(
        self, asked: Sequence[Rule], exchange: Exchange, link: Link, parent: Exchange
    ) -> Sequence[tuple[Rule, Finding]]:
        view = StepView(
            exchange=exchange,
            link=link,
            parent=parent,
            alone=self._alone,
            one_loop=self._one_loop,
            models=self._models,
            so_far=self._follower,
        )
        return judge(asked, view, parent)

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

    def answered(self, position: int, exchange: Exchange) -> None:
        """Takes in the answer to the request at this position."""
        self._follower.settle(position, exchange)
        self._returned.update(sealed_in(exchange.content))

    def on_answer(self, exchange: Exchange) -> tuple[Violation, ...]:
        """The violations in what the client did with an answer, once that is known."""
        try:
            return violations_of(self._judge_answer(exchange), exchange)
        except RecursionError:
            return violations_of(self._judge_answer(_shallow(exchange)), exchange)

    def _judge_answer(self, exchange: Exchange) -> Found:
        return self._told(
            [(rule, finding) for rule in self._answer if rule.answer for finding in rule.answer(exchange)]
        )

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
        try:
            found = self._judge_end(view)
        except RecursionError:
            found = self._judge_end(replace(view, exchanges=[*map(_shallow, exchanges)]))
        numbered = {exchange.number: exchange for exchange in exchanges} if found else {}
        last = exchanges[-1] if exchanges else None
        ids = frozenset(rule.id for rule, _ in found)
        return tuple(
            violation_of(rule, finding, numbered.get(finding.exchange or 0, last), None, ids)
            for rule, finding in ordered(self._told(found))
        )

    def _judge_end(self, view: EndView) -> Found:
        return [(rule, finding) for rule in self._end if rule.end for finding in rule.end(view)]


def _status(exchange: Exchange) -> int | None:
    """The status of an answer that is known already; a message or an error without one tells it as well."""
    if exchange.status is not None:
        return exchange.status
    if exchange.response is not None:
        return 200
    return 400 if exchange.error is not None else None


def _as_sent(path: str, held: int) -> str:
    """A path in what was sent, for one in the whole conversation, the first `held` messages of which the server has."""
    match = MESSAGE.match(path)
    if match is None:
        return path
    position = int(match.group(1)) - held
    return f"$.messages[{position}]{path[match.end() :]}" if position >= 0 else "$.thread.previous_message_id"


def _in_messages(finding: Finding) -> bool:
    return finding.path.startswith("$.messages")


def _message(finding: Finding) -> int:
    """The position of the message in which something was found; 0 where it is all of them."""
    place = MESSAGE.match(finding.path)
    return int(place[1]) if place else 0


_DEEPEST = 100
"""How deeply tools and other settings may be nested to be judged as they are. Real ones stay below 30."""


def _shallow_view(view: RequestView, places: Places) -> RequestView:
    body = shallow(view.body)
    body = body if isinstance(body, dict) else {}
    messages = body.get("messages")
    turns = merged_turns(messages if isinstance(messages, list) else ())
    return structs.replace(view, body=body, turns=turns, places=places)


def _shallow(exchange: Exchange) -> Exchange:
    """The same exchange without anything that is nested more deeply than a rule can follow; equal where it is."""
    request, response = shallow(exchange.request), shallow(exchange.response)
    return structs.replace(
        exchange,
        request=request if isinstance(request, dict) else None,
        response=response if isinstance(response, dict) else None,
        results={key: shallow(value) for key, value in exchange.results.items()},
    )


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
    return structs.replace(
        judgement, violations=tuple(replace(v, turn=None, conversation=None) for v in judgement.violations)
    )


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

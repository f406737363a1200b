"""The engine: takes requests, answers as the API would, and keeps what went wrong.

Law: no I/O, no clock, no randomness, no lock; the same requests in the same order get the same bytes. Doors bring the
bytes and hold the lock.

Order of work for a request: count it; find the endpoint; read the body; judge it; refuse it as the API would, or play
the next step. A refused request plays nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from msgspec import Struct, structs

from playhead.engine.compose import Minted, compose
from playhead.engine.http import Incoming, Outgoing, Timeouts, json_answer
from playhead.engine.mismatch import sentence
from playhead.engine.models import models_answer
from playhead.engine.offered import calls_tools, require_offered
from playhead.engine.player import Player, Players, Share
from playhead.engine.prompt import InputTokens, Prompts, read_prompt
from playhead.engine.sending import Asked, Sending, send, send_at_once, send_fault
from playhead.engine.tape import Found, Tape
from playhead.engine.threads import ThreadError, Threads
from playhead.errors import RequestLimitReached, ScriptError
from playhead.rules.checker import Checker, Judgement, error_body, refusal_error
from playhead.rules.models import Models
from playhead.rules.registry import RULES
from playhead.rules.rule import Level, Rule, Violation, told_once
from playhead.script.cases import Case
from playhead.script.faults import USUAL, Delivery, Drop, Fail, Raw, Sent
from playhead.script.request import Request
from playhead.script.script import Item, Script
from playhead.wire.cloud import as_the_api_has_it, cloud_of
from playhead.wire.codec import JsonError, JsonObject, encode
from playhead.wire.equality import same
from playhead.wire.exchange import Exchange, endpoint_of
from playhead.wire.reading import Bodies
from playhead.wire.recent import Reading
from playhead.wire.session import Session, is_retry
from playhead.wire.tables import COUNT_TOKENS_PATH, MESSAGES_PATH


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How an engine plays: `strict` refuses what the API refuses; `limit` is the cap.

    `share` says who plays the script; with `"one"` there is one conversation only. `failing` are the levels of
    violation that fail the rehearsal, `delivery` is how a reply travels unless its step says so.
    """

    strict: bool = True
    share: Share = "one"
    limit: int = 100
    rules: tuple[Rule, ...] = RULES
    models: Models = field(default_factory=Models)
    failing: tuple[Level, ...] = ("reject", "broken")
    delivery: Delivery = USUAL
    threads: bool = True

    @property
    def alone(self) -> bool:
        """Whether the session is one conversation by declaration."""
        return self.share == "one"


class _Call(Struct, frozen=True):
    """A judged request on its way to its endpoint."""

    exchange: Exchange
    body: JsonObject
    judgement: Judgement
    timeouts: Timeouts


class Engine:
    """Answers the requests of one rehearsal, from a script or from a cassette."""

    def __init__(self, script: Script | Sequence[Case] | Tape, settings: Settings) -> None:
        self.settings = settings
        self.tape = script if isinstance(script, Tape) else None
        self.players = Players(() if isinstance(script, Tape) else script, settings.share)
        self.exchanges: list[Exchange] = []
        self.errors: list[ScriptError] = []
        self.over: list[Player] = []
        self.refused: list[Violation] = []
        self.limit_reached = False
        self.watching = False
        self.end: Mapping[str, object] | None = None
        self.strays: list[str] = []
        self._found: list[Violation] = []
        self._checker = Checker(
            settings.rules, alone=settings.alone, each=settings.share == "each", models=settings.models
        )
        self._at_once = settings.delivery.at_once
        self._bodies = Bodies()
        self._places: dict[int, int] = {}
        self._minted = Minted()
        self.threads = Threads(enabled=settings.threads)
        self._prompts = Prompts()

    @property
    def session(self) -> Session:
        """What was seen so far."""
        return Session(exchanges=tuple(self.exchanges), end=self.end, alone=self.settings.alone)

    @property
    def violations(self) -> tuple[Violation, ...]:
        """Every violation so far, in the order of the exchanges."""
        return tuple(told_once(self.violations_by_rule))

    @property
    def violations_by_rule(self) -> tuple[Violation, ...]:
        """The same with what other rules say of the same faults, in their words."""
        found = [*self._found]
        if self.watching:
            for exchange in self.exchanges:
                found += self._checker.on_answer(exchange)
        if self.watching or self.limit_reached or self.end is not None:
            limit = self.settings.limit if self.limit_reached else None
            found += self._checker.on_end(self.exchanges, self.end, limit, over=self.end is not None)
        return tuple(sorted(found, key=lambda violation: violation.exchange or 0))

    def exchange(self, position: int) -> Exchange:
        """The exchange at a position among those that are followed."""
        return self._checker.exchange(position)

    def answer(self, incoming: Incoming) -> Outgoing:
        """The answer to a request. Raises `RequestLimitReached` once the cap is reached, and ever after."""
        if len(self.exchanges) >= self.settings.limit:
            self.limit_reached = True
            raise RequestLimitReached(self.settings.limit)
        if incoming.method == "GET" and self.tape is None and _MODELS in incoming.path:
            return self._models(incoming)
        endpoint = _ENDPOINTS.get((incoming.method, endpoint_of(incoming.path)))
        if endpoint is None:
            exchange = self._exchange(incoming)
            return self._unknown_endpoint(exchange) if self.tape is None else self._replay_unjudged(exchange, incoming)
        try:
            reading = self._bodies.read(incoming.body)
        except JsonError as error:
            return self._unreadable(self._exchange(incoming), error)
        exchange = self._exchange(incoming, reading)
        try:
            found = None if self.tape is None else self.tape.find(exchange)
            if found is not None:
                exchange = structs.replace(exchange, status=found.status)
            judgement = self._judge(exchange, len(incoming.body))
        except ScriptError as error:
            self.errors.append(error)
            return self._fail(exchange, None, 400, "invalid_request_error", f"Playhead: {error}")
        exchange = self._linked(exchange, judgement)
        if judgement.violations:
            self._found += judgement.violations
        call = _Call(exchange, exchange.request or {}, judgement, incoming.timeouts)
        refused = judgement.refusal is not None and self.settings.strict
        if found is not None and (found.position is not None or not refused):
            return self._replay(call, found)
        return self._refuse(exchange, judgement) if refused else endpoint(self, call)

    def ran(self, name: str, arguments: JsonObject, outcome: object) -> None:
        """Takes in that the client ran a tool: the call is the latest of that name and input not yet run.

        A loop may add defaults to an input, or change it: then it is one that is part of what the tool was run with,
        or one of that name. Where several are, nobody can tell whose the result is, since tools may run side by side.
        A call that was run before and of which no other is open is run again, after the newest answer.
        """
        for fits in _FITS:
            for position in range(len(self.exchanges) - 1, -1, -1):
                exchange = self.exchanges[position]
                ran = exchange.tools_run or ()
                calls = [call for call in exchange.calls() if call.get("name") == name]
                fitting = [str(call.get("id")) for call in calls if fits(call.get("input"), arguments)]
                opened = [identifier for identifier in fitting if identifier not in ran]
                if opened:
                    guessed = len(opened) > 1 or any(one in ran and one not in exchange.results for one in fitting)
                    known = fits is not _any or not guessed
                    self._note_run(position, opened[0], {opened[0]: outcome} if known else {})
                    return
            if fits is same and self._ran_again(name, arguments, outcome):
                return
        self.strays.append(name)

    def _ran_again(self, name: str, arguments: JsonObject, outcome: object) -> bool:
        """Notes a call that was run before, unless the newest reply has an open one of the same name."""
        replies = [exchange for exchange in reversed(self.exchanges) if exchange.calls()]
        named = [call for call in replies[0].calls() if call.get("name") == name] if replies else []
        if any(str(call.get("id")) not in (replies[0].tools_run or ()) for call in named):
            return False  # its input was changed on the way, more likely
        for exchange in replies:
            for call in exchange.calls():
                if call.get("name") == name and same(call.get("input"), arguments):
                    identifier = str(call.get("id"))
                    self._note_run(len(self.exchanges) - 1, identifier, {identifier: outcome})
                    return True
        return False

    def _note_run(self, position: int, identifier: str, results: Mapping[str, object]) -> None:
        exchange = self.exchanges[position]
        noted = structs.replace(
            exchange,
            tools_run=(*(exchange.tools_run or ()), identifier),
            results={**exchange.results, **results},
        )
        self.exchanges[position] = noted
        if exchange.number in self._places:
            self._checker.ran(self._places[exchange.number], noted)

    def _exchange(self, incoming: Incoming, reading: Reading | None = None) -> Exchange:
        body = reading.body if reading is not None else None
        headers, cloud = incoming.headers, cloud_of(incoming.path)
        if cloud is not None and body is not None:
            body, headers = as_the_api_has_it(cloud, body, headers)
        return Exchange(
            number=len(self.exchanges) + 1,
            method=incoming.method,
            path=incoming.path,
            headers=headers,
            request=body,
            sent=reading.sent if reading is not None else None,
            tools_run=() if self.watching else None,
        )

    def _judge(self, exchange: Exchange, size: int) -> Judgement:
        try:
            return self._checker.ask(exchange, size=size)
        except Exception as error:
            # a rule of the test's own: raised in a transport, its error would become "Connection error."
            raise ScriptError(
                f"a rule failed on request {exchange.number} with {type(error).__name__}: {error}"
            ) from error

    def _linked(self, exchange: Exchange, judgement: Judgement) -> Exchange:
        """The exchange with `retry_of`, once the players know where it stands."""
        link, position = judgement.link, judgement.position
        if link is None or position is None or link.parent is None:
            return exchange  # there is nothing that it could be an attempt of, or go on from
        if link.kind == "continues" and not self.players.each:
            return exchange
        parent = self._checker.exchange(link.parent) if link.kind == "repeats" else None
        again = parent is not None and is_retry(link, parent)
        self.players.follow(position, link, again=again)
        return structs.replace(exchange, retry_of=parent.number) if again and parent is not None else exchange

    def _play(self, call: _Call) -> Outgoing:
        """Answers with the next step of the script."""
        exchange, judgement = call.exchange, call.judgement
        refused = self.threads.refuse(call.body) if "thread" in call.body else None
        if refused is not None:
            return self._refuse_thread(exchange, judgement, refused)
        cloud = cloud_of(exchange.path)
        if cloud is not None and cloud.vendor == "bedrock" and cloud.stream:
            return self._no_event_stream(exchange, judgement)
        request = self._request(exchange, judgement)
        try:
            player = self.players.at(judgement.position, request)
            step = player.next(request)
            if step is None:
                return self._script_over(exchange, judgement, player)
            sending, minted = self._send(step, call, player, request)
        except ScriptError as error:
            self.errors.append(error)
            return self._fail(exchange, judgement, 400, "invalid_request_error", f"Playhead: {error}")
        self._minted = minted
        self._take_in(structs.replace(exchange, **sending.seen), judgement)
        return sending.outgoing

    def _replay(self, call: _Call, found: Found) -> Outgoing:
        """Answers with what was recorded."""
        assert self.tape is not None
        if found.position is None:
            mismatch = self.tape.miss(found, call.exchange, call.judgement.link)
            told = f"Playhead: {sentence(self.tape, mismatch)}"
            return self._fail(call.exchange, call.judgement, 400, "invalid_request_error", told)
        sending = self.tape.play(found.position, self._asked(call))
        self._take_in(structs.replace(call.exchange, **sending.seen), call.judgement)
        return sending.outgoing

    def _replay_unjudged(self, exchange: Exchange, incoming: Incoming) -> Outgoing:
        """The same for an endpoint that no rule knows; who only looks whether anybody is there need not be recorded."""
        assert self.tape is not None
        judgement = Judgement(link=None, position=None, violations=())
        try:
            found = self.tape.find(exchange, incoming.body)
        except ScriptError as error:
            self.errors.append(error)
            return self._fail(exchange, None, 400, "invalid_request_error", f"Playhead: {error}")
        if found.position is None and exchange.method == "HEAD":
            return self._unknown_endpoint(exchange)
        exchange = structs.replace(exchange, request=found.body)
        return self._replay(_Call(exchange, exchange.request or {}, judgement, incoming.timeouts), found)

    @staticmethod
    def _asked(call: _Call) -> Asked:
        streams = call.body.get("stream") is True
        return Asked(f"req_{call.exchange.number:04d}", stream=streams, timeouts=call.timeouts)

    def _request(self, exchange: Exchange, judgement: Judgement) -> Request:
        link = judgement.link
        return Request(
            body=exchange.request or {},
            headers=exchange.headers or {},
            path=exchange.path,
            number=exchange.number,
            turn=link.turn if link else 1,
            conversation=link.conversation if link else 1,
            attempt=1 if exchange.retry_of is None else self._attempt(exchange),
        )

    def _attempt(self, exchange: Exchange) -> int:
        """How often the same step was asked for, this time included."""
        count, before = 1, exchange.retry_of
        while before is not None:
            count, before = count + 1, self.exchanges[before - 1].retry_of
        return count

    def _send(self, step: Item, call: _Call, player: Player, request: Request) -> tuple[Sending, Minted]:
        """The answer that a step makes. Raises `ScriptError`."""
        body = call.body
        asked = self._asked(call)
        if isinstance(step, _FAULTS):
            return send_fault(step, asked), self._minted
        reply = step.reply if isinstance(step, Sent) else step
        if calls_tools(reply):
            require_offered(reply, self._tools(body, call.judgement), player.where, body.get("mcp_servers"))
        made = compose(reply, request, tokens=self._input_tokens(call), minted=self._minted)
        if "thread" in body:
            self.threads.hold(body, made.message)
        if reply is step and self._at_once and not asked.stream:
            return send_at_once(made.message, asked, made.texts), made.minted  # as nearly every answer
        usual = self.settings.delivery
        sent = step if isinstance(step, Sent) else Sent(reply=step, delivery=usual)
        sent = sent if sent.delivery is not None else replace(sent, delivery=usual)
        return send(made.message, sent, asked, made.texts), made.minted

    def _input_tokens(self, call: _Call) -> InputTokens:
        """What the prompt counts, and how much of it the cache holds: all of it, on a thread as well."""
        judgement, body = call.judgement, call.body
        if "thread" in body and judgement.position is not None:
            body = self._checker.exchange(judgement.position).request or {}
        return self._prompts.cost(body, judgement.position, judgement.link, judgement.marked)

    def _tools(self, body: JsonObject, judgement: Judgement) -> object:
        """The tools on offer; where the loop did not send them again, a fault of its own, those it sent before."""
        link = judgement.link
        while not body.get("tools") and link is not None and link.parent is not None:
            body = self._checker.exchange(link.parent).request or {}
            link = self._checker.link(link.parent)
        return body.get("tools")

    def _count(self, call: _Call) -> Outgoing:
        prompt = read_prompt(call.body, places=())
        answer: JsonObject = {"input_tokens": prompt.tokens}
        if "context_management" in call.body:
            answer["context_management"] = {"original_input_tokens": answer["input_tokens"]}
        sent = json_answer(200, answer, _request_id(call.exchange.number))
        counted = structs.replace(call.exchange, status=200, response_headers=sent.headers, response=answer)
        self._take_in(counted, call.judgement)
        return sent

    def _models(self, incoming: Incoming) -> Outgoing:
        number = len(self.exchanges) + 1
        status, answer = models_answer(incoming.path, self.settings.models, _request_id(number))
        sent = json_answer(
            status, answer, _request_id(number), **({"x-should-retry": "false"} if status >= 400 else {})
        )
        exchange = self._exchange(incoming)
        self.exchanges.append(
            structs.replace(exchange, status=status, error=answer.get("error"), response_headers=sent.headers)
        )
        return sent

    def _take_in(self, exchange: Exchange, judgement: Judgement) -> None:
        self.exchanges.append(exchange)
        if judgement.position is not None:
            self._places[exchange.number] = judgement.position
            self._checker.answered(judgement.position, exchange)

    def _refuse(self, exchange: Exchange, judgement: Judgement) -> Outgoing:
        assert judgement.refusal is not None
        self.refused.append(judgement.refusal)
        error = refusal_error(judgement.refusal, self.settings.rules, _request_id(exchange.number))
        refused = structs.replace(
            exchange, status=error.status, response_headers=error.headers, error=error.body["error"]
        )
        self._take_in(refused, judgement)
        return Outgoing(status=error.status, headers=error.headers, chunks=(encode(error.body),))

    def _script_over(self, exchange: Exchange, judgement: Judgement, player: Player) -> Outgoing:
        self.over.append(player)
        steps = len(player.script)
        played = f"all {steps} steps were played" if steps != 1 else "its one step was played"
        sentence = f"Playhead: the script is over: {played}, and the loop asks again; add a step, or end the loop"
        return self._fail(exchange, judgement, 400, "invalid_request_error", sentence)

    def _refuse_thread(self, exchange: Exchange, judgement: Judgement, refused: ThreadError) -> Outgoing:
        code = {} if refused.code is None else {"error_code": refused.code}
        return self._fail(exchange, judgement, refused.status, refused.type, refused.message, **code, **refused.details)

    def _no_event_stream(self, exchange: Exchange, judgement: Judgement) -> Outgoing:
        sentence = "the fake plays Bedrock's JSON answers, not its binary event streams: ask without streaming"
        self.errors.append(ScriptError(f"request {exchange.number}: {sentence}"))
        return self._fail(exchange, judgement, 400, "invalid_request_error", f"Playhead: {sentence}")

    def _unknown_endpoint(self, exchange: Exchange) -> Outgoing:
        # clients look whether anybody is there; whoever asks for more would get it from the API
        looking = exchange.method == "HEAD" or (exchange.method, exchange.endpoint) == ("GET", "")
        if not looking:
            self.errors.append(
                ScriptError(
                    f"request {exchange.number} is {exchange.method} {exchange.path}, and the fake plays "
                    f"POST {MESSAGES_PATH}, POST {COUNT_TOKENS_PATH} and GET {_MODELS}; it was answered with a 404"
                )
            )
        answer = self._fail(exchange, None, 404, "not_found_error", "Not Found")
        return structs.replace(answer, chunks=()) if exchange.method == "HEAD" else answer

    def _unreadable(self, exchange: Exchange, error: JsonError) -> Outgoing:
        sentence = f"The request body is not valid JSON: {error}"
        self.errors.append(ScriptError(f"request {exchange.number} cannot be read. {sentence}"))
        return self._fail(exchange, None, 400, "invalid_request_error", sentence)

    def _fail(
        self,
        exchange: Exchange,
        judgement: Judgement | None,
        status: int,
        error_type: str,
        message: str,
        **details: object,
    ) -> Outgoing:
        """An answer in the API's error shape that no client tries again."""
        request_id = _request_id(exchange.number)
        body = error_body(error_type, message, request_id, **details)
        answer = json_answer(status, body, request_id, **{"x-should-retry": "false"})
        failed = structs.replace(exchange, status=status, response_headers=answer.headers, error=body["error"])
        if judgement is None:
            self.exchanges.append(failed)
        else:
            self._take_in(failed, judgement)
        return answer


_MODELS = "/v1/models"
_FAULTS = (Fail, Drop, Raw)
_Endpoint = Callable[[Engine, _Call], Outgoing]
_ENDPOINTS: Mapping[tuple[str, str], _Endpoint] = {
    ("POST", MESSAGES_PATH): Engine._play,
    ("POST", COUNT_TOKENS_PATH): Engine._count,
}


def _part(asked: object, given: JsonObject) -> bool:
    """Whether a tool was given all that was asked for, and more: what a loop adds are defaults."""
    return isinstance(asked, dict) and all(key in given and same(value, given[key]) for key, value in asked.items())


def _any(asked: object, given: JsonObject) -> bool:
    return True


_FITS: tuple[Callable[[object, JsonObject], bool], ...] = (same, _part, _any)
"""How the input of a call may fit what a tool was run with, the nearest first."""


def _request_id(number: int) -> str:
    return f"req_{number:04d}"

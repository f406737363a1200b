"""The engine: takes requests, answers as the API would, and keeps what went wrong.

Law: no I/O, no clock, no randomness, no lock; the same requests in the same order get the same bytes. Doors bring the
bytes and hold the lock.

Order of work for a request: count it; find the endpoint; read the body; judge it; refuse it as the API would, or play
the next step. A refused request plays nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from playhead.engine.compose import Minted, compose, require_offered, tokens
from playhead.engine.http import Incoming, Outgoing, json_answer
from playhead.engine.mismatch import sentence
from playhead.engine.player import Player, Players, Share
from playhead.engine.sending import Asked, Sending, send, send_fault
from playhead.engine.tape import Found, Tape
from playhead.engine.threads import ThreadError, Threads
from playhead.errors import RequestLimitReached, ScriptError
from playhead.rules.checker import Checker, Judgement, error_body, refusal_error
from playhead.rules.models import Models
from playhead.rules.registry import RULES
from playhead.rules.rule import Level, Rule, Violation
from playhead.script.cases import Case
from playhead.script.faults import Delivery, Drop, Fail, Raw, Sent
from playhead.script.request import Request
from playhead.script.script import Item, Script
from playhead.wire.cloud import as_the_api_has_it, cloud_of
from playhead.wire.codec import JsonError, JsonObject, encode
from playhead.wire.equality import same
from playhead.wire.exchange import Exchange, endpoint_of
from playhead.wire.reading import Reading, read_next
from playhead.wire.session import Session, is_retry
from playhead.wire.tables import COUNT_TOKENS_PATH, MESSAGES_PATH

_REMEMBERED = 64
"""How many conversations' last bodies are kept as bytes; an older one is compared message by message instead."""


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
    delivery: Delivery = field(default_factory=Delivery)
    threads: bool = True

    @property
    def alone(self) -> bool:
        """Whether the session is one conversation by declaration."""
        return self.share == "one"


class _Call(NamedTuple):
    """A judged request on its way to its endpoint."""

    exchange: Exchange
    reading: Reading
    judgement: Judgement
    like: int | None
    timeout: float | None

    @property
    def body(self) -> JsonObject:
        return self.exchange.request or {}


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
        self.strays: list[str] = []
        self._found: list[Violation] = []
        self._checker = Checker(settings.rules, alone=settings.alone, models=settings.models)
        self._readings: dict[int, Reading] = {}
        self._minted = Minted()
        self.threads = Threads(enabled=settings.threads)

    @property
    def session(self) -> Session:
        """What was seen so far."""
        return Session(exchanges=tuple(self.exchanges), alone=self.settings.alone)

    @property
    def violations(self) -> tuple[Violation, ...]:
        """Every violation so far, in the order of the exchanges."""
        found = [*self._found]
        if self.watching:
            for exchange in self.exchanges:
                found += self._checker.on_answer(exchange)
        if self.limit_reached:
            found += self._checker.on_end(self.exchanges, None, self.settings.limit)
        return tuple(sorted(found, key=lambda violation: violation.exchange or 0))

    def answer(self, incoming: Incoming) -> Outgoing:
        """The answer to a request. Raises `RequestLimitReached` once the cap is reached, and ever after."""
        if len(self.exchanges) >= self.settings.limit:
            self.limit_reached = True
            raise RequestLimitReached(self.settings.limit)
        endpoint = _ENDPOINTS.get((incoming.method, endpoint_of(incoming.path)))
        if endpoint is None and self.tape is not None:
            return self._replay_unjudged(self._exchange(incoming), incoming)
        if endpoint is None:
            return self._unknown_endpoint(self._exchange(incoming))
        try:
            reading, earlier = read_next(incoming.body, reversed(self._readings.values()))
        except JsonError as error:
            return self._unreadable(self._exchange(incoming), error)
        like = next((p for p, r in self._readings.items() if r is earlier), None) if earlier else None
        exchange = self._exchange(incoming, reading.body)
        try:
            found = None if self.tape is None else self.tape.find(exchange)
            if found is not None:
                exchange = replace(exchange, status=found.status)
            judgement = self._judge(exchange, like, len(incoming.body))
        except ScriptError as error:
            self.errors.append(error)
            return self._fail(exchange, None, 400, "invalid_request_error", f"Playhead: {error}")
        exchange = self._linked(exchange, judgement)
        self._found += judgement.violations
        call = _Call(exchange, reading, judgement, like, incoming.timeout)
        refused = judgement.refusal is not None and self.settings.strict
        if found is not None and (found.position is not None or not refused):
            return self._replay(call, found)
        return self._refuse(exchange, judgement) if refused else endpoint(self, call)

    def ran(self, name: str, arguments: JsonObject, outcome: object) -> None:
        """Takes in that the client ran a tool: the call is the latest of that name and input not yet run."""
        for match_input in (True, False):
            for position in range(len(self.exchanges) - 1, -1, -1):
                exchange = self.exchanges[position]
                for call in exchange.calls():
                    identifier = str(call.get("id"))
                    fits = call.get("name") == name and (not match_input or same(call.get("input"), arguments))
                    if fits and identifier not in (exchange.tools_run or ()):
                        self.exchanges[position] = replace(
                            exchange,
                            tools_run=(*(exchange.tools_run or ()), identifier),
                            results={**exchange.results, identifier: outcome},
                        )
                        return
        self.strays.append(name)

    def _exchange(self, incoming: Incoming, body: JsonObject | None = None) -> Exchange:
        headers, cloud = incoming.headers, cloud_of(incoming.path.partition("?")[0])
        if cloud is not None and body is not None:
            body, headers = as_the_api_has_it(cloud, body, headers)
        return Exchange(
            number=len(self.exchanges) + 1,
            method=incoming.method,
            path=incoming.path,
            headers=headers,
            request=body,
            tools_run=() if self.watching else None,
        )

    def _judge(self, exchange: Exchange, like: int | None, size: int) -> Judgement:
        try:
            return self._checker.ask(exchange, like=like, size=size)
        except Exception as error:
            # a rule of the test's own: raised in a transport, its error would become "Connection error."
            raise ScriptError(
                f"a rule failed on request {exchange.number} with {type(error).__name__}: {error}"
            ) from error

    def _linked(self, exchange: Exchange, judgement: Judgement) -> Exchange:
        """The exchange with `retry_of`, once the players know where it stands."""
        link, position = judgement.link, judgement.position
        if link is None or position is None:
            return exchange
        parent = self._checker.exchange(link.parent) if link.parent is not None else None
        again = parent is not None and is_retry(link, parent)
        self.players.follow(position, link, again=again)
        return replace(exchange, retry_of=parent.number) if again and parent is not None else exchange

    def _play(self, call: _Call) -> Outgoing:
        """Answers with the next step of the script."""
        exchange, judgement = call.exchange, call.judgement
        refused = self.threads.refuse(call.body)
        if refused is not None:
            return self._refuse_thread(exchange, judgement, refused)
        cloud = cloud_of(exchange.path.partition("?")[0])
        if cloud is not None and cloud.vendor == "bedrock" and cloud.stream:
            return self._no_event_stream(exchange, judgement)
        request = self._request(exchange, judgement)
        try:
            player = self.players.at(judgement.position, request)
            step = player.next(request)
            if step is None:
                return self._script_over(exchange, judgement, player)
            sending, minted = self._send(step, call, player)
        except ScriptError as error:
            self.errors.append(error)
            return self._fail(exchange, judgement, 400, "invalid_request_error", f"Playhead: {error}")
        self._minted = minted
        self._remember(call)
        self._take_in(replace(exchange, **sending.seen), judgement)  # type: ignore[arg-type]
        return sending.outgoing

    def _replay(self, call: _Call, found: Found) -> Outgoing:
        """Answers with what was recorded."""
        assert self.tape is not None
        if found.position is None:
            mismatch = self.tape.miss(found, call.exchange, call.judgement.link)
            told = f"Playhead: {sentence(self.tape, mismatch)}"
            return self._fail(call.exchange, call.judgement, 400, "invalid_request_error", told)
        sending = self.tape.play(found.position, self._asked(call))
        self._remember(call)
        self._take_in(replace(call.exchange, **sending.seen), call.judgement)  # type: ignore[arg-type]
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
        exchange = replace(exchange, request=found.body)
        return self._replay(_Call(exchange, Reading(body={}), judgement, None, incoming.timeout), found)

    @staticmethod
    def _asked(call: _Call) -> Asked:
        streams = call.body.get("stream") is True
        return Asked(_request_id(call.exchange.number), stream=streams, timeout=call.timeout)

    def _request(self, exchange: Exchange, judgement: Judgement) -> Request:
        link = judgement.link
        return Request(
            body=exchange.request or {},
            headers=exchange.headers or {},
            path=exchange.path,
            number=exchange.number,
            turn=link.turn if link else 1,
            conversation=link.conversation if link else 1,
            attempt=self._attempt(exchange),
        )

    def _attempt(self, exchange: Exchange) -> int:
        """How often the same step was asked for, this time included."""
        count, before = 1, exchange.retry_of
        while before is not None:
            count, before = count + 1, self.exchanges[before - 1].retry_of
        return count

    def _send(self, step: Item, call: _Call, player: Player) -> tuple[Sending, Minted]:
        """The answer that a step makes. Raises `ScriptError`."""
        body = call.body
        asked = self._asked(call)
        if isinstance(step, Fail | Drop | Raw):
            return send_fault(step, asked), self._minted
        sent = step if isinstance(step, Sent) else Sent(reply=step)
        if sent.delivery is None:
            sent = replace(sent, delivery=self.settings.delivery)
        message, minted = compose(
            sent.reply, model=str(body.get("model", "claude")), weight=call.reading.weight, minted=self._minted
        )
        checked = getattr(sent.reply, "check", True)
        if checked and any(block.get("type") == "tool_use" for block in message["content"]):
            require_offered(message, self._tools(body, call.judgement), player.where)
        self.threads.hold(body, message)
        return send(message, sent, asked), minted

    def _tools(self, body: JsonObject, judgement: Judgement) -> object:
        """The tools on offer; where the loop did not send them again, a fault of its own, those it sent before."""
        link = judgement.link
        while not body.get("tools") and link is not None and link.parent is not None:
            body = self._checker.exchange(link.parent).request or {}
            link = self._checker.link(link.parent)
        return body.get("tools")

    def _remember(self, call: _Call) -> None:
        position = call.judgement.position
        if position is None or not call.reading.head:
            return
        if call.like is not None:
            self._readings.pop(call.like, None)
        self._readings[position] = call.reading
        if len(self._readings) > _REMEMBERED:
            del self._readings[next(iter(self._readings))]

    def _count(self, call: _Call) -> Outgoing:
        answer: JsonObject = {"input_tokens": tokens(call.reading.weight)}
        if "context_management" in call.body:
            answer["context_management"] = {"original_input_tokens": answer["input_tokens"]}
        self._take_in(replace(call.exchange, status=200, response=answer), call.judgement)
        return json_answer(200, answer, _request_id(call.exchange.number))

    def _take_in(self, exchange: Exchange, judgement: Judgement) -> None:
        self.exchanges.append(exchange)
        if judgement.position is not None:
            self._checker.answered(judgement.position, exchange)

    def _refuse(self, exchange: Exchange, judgement: Judgement) -> Outgoing:
        assert judgement.refusal is not None
        self.refused.append(judgement.refusal)
        error = refusal_error(judgement.refusal, self.settings.rules, _request_id(exchange.number))
        self._take_in(replace(exchange, status=error.status, error=error.body["error"]), judgement)
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
        if exchange.method != "HEAD" and exchange.endpoint:
            # clients look whether anybody is there; whoever asks for more would get it from the API
            self.errors.append(
                ScriptError(
                    f"request {exchange.number} is {exchange.method} {exchange.path}, and the fake plays "
                    f"POST {MESSAGES_PATH}, POST {COUNT_TOKENS_PATH} and GET /v1/models; it was answered with a 404"
                )
            )
        return self._fail(exchange, None, 404, "not_found_error", "Not Found")

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
        failed = replace(exchange, status=status, error=body["error"])
        if judgement is None:
            self.exchanges.append(failed)
        else:
            self._take_in(failed, judgement)
        return json_answer(status, body, request_id, **{"x-should-retry": "false"})


_Endpoint = Callable[[Engine, _Call], Outgoing]
_ENDPOINTS: Mapping[tuple[str, str], _Endpoint] = {
    ("POST", MESSAGES_PATH): Engine._play,
    ("POST", COUNT_TOKENS_PATH): Engine._count,
}


def _request_id(number: int) -> str:
    return f"req_{number:04d}"

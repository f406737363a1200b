"""The engine: takes requests, answers as the API would, and keeps what went wrong.

Law: no I/O, no clock, no randomness, no lock; the same requests in the same order get the same bytes. Doors bring the
bytes and hold the lock.

Order of work for a request: count it; find the endpoint; read the body; judge it; refuse it as the API would, or play
the next step. A refused request plays nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from playhead.engine.compose import Minted, compose, require_offered, tokens
from playhead.engine.http import Incoming, Outgoing, json_answer, stream_answer
from playhead.engine.player import Player
from playhead.errors import RequestLimitReached, ScriptError
from playhead.rules.checker import Checker, Judgement, error_body, refusal_error
from playhead.rules.models import Models
from playhead.rules.registry import RULES
from playhead.rules.rule import Level, Rule, Violation
from playhead.script.request import Request
from playhead.script.script import Script
from playhead.wire.codec import JsonError, JsonObject, encode
from playhead.wire.equality import same
from playhead.wire.exchange import Exchange, endpoint_of
from playhead.wire.reading import Bodies, Reading
from playhead.wire.session import Session, is_retry
from playhead.wire.tables import COUNT_TOKENS_PATH, MESSAGES_PATH


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How an engine plays: `strict` refuses what the API refuses; `alone` means one conversation; `limit` the cap.

    `failing` are the levels of violation that fail the rehearsal.
    """

    strict: bool = True
    alone: bool = True
    limit: int = 100
    rules: tuple[Rule, ...] = RULES
    models: Models = field(default_factory=Models)
    failing: tuple[Level, ...] = ("reject", "broken")


class Engine:
    """Answers the requests of one rehearsal."""

    def __init__(self, script: Script, settings: Settings) -> None:
        self.settings = settings
        self.player = Player(script)
        self.exchanges: list[Exchange] = []
        self.errors: list[ScriptError] = []
        self.over = 0
        self.refused: list[Violation] = []
        self.limit_reached = False
        self.watching = False
        self.strays: list[str] = []
        self._found: list[Violation] = []
        self._checker = Checker(settings.rules, alone=settings.alone, models=settings.models)
        self._bodies = Bodies()
        self._minted = Minted()

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
        if endpoint is None:
            return self._unknown_endpoint(self._exchange(incoming))
        try:
            reading = self._bodies.read(incoming.body)
        except JsonError as error:
            return self._unreadable(self._exchange(incoming), error)
        exchange = self._exchange(incoming, reading)
        try:
            judgement = self._judge(exchange, len(incoming.body))
        except ScriptError as error:
            self.errors.append(error)
            return self._fail(exchange, None, 400, "invalid_request_error", f"Playhead: {error}")
        exchange = self._linked(exchange, judgement)
        self._found += judgement.violations
        if judgement.refusal is not None and self.settings.strict:
            return self._refuse(exchange, judgement)
        return endpoint(self, exchange, reading, judgement)

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

    def _exchange(self, incoming: Incoming, reading: Reading | None = None) -> Exchange:
        return Exchange(
            number=len(self.exchanges) + 1,
            method=incoming.method,
            path=incoming.path,
            headers=incoming.headers,
            request=reading.body if reading is not None else None,
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
        link = judgement.link
        parent = self._checker.exchange(link.parent) if link is not None and link.parent is not None else None
        if link is None or parent is None or not is_retry(link, parent):
            return exchange
        return replace(exchange, retry_of=parent.number)

    def _play(self, exchange: Exchange, reading: Reading, judgement: Judgement) -> Outgoing:
        """Answers with the next step of the script."""
        body, number = reading.body, exchange.number
        thread = body.get("thread")
        if isinstance(thread, dict):
            return self._no_threads(exchange, judgement)
        turn = judgement.link.turn if judgement.link else 1
        request = Request(body=body, headers=exchange.headers or {}, path=exchange.path, number=number, turn=turn)
        try:
            step = self.player.next(request)
            if step is None:
                return self._script_over(exchange, judgement)
            message, minted = compose(
                step, model=str(body.get("model", "claude")), weight=reading.weight, minted=self._minted
            )
            if getattr(step, "check", True) and any(block.get("type") == "tool_use" for block in message["content"]):
                require_offered(message, self._tools(body, judgement), self.player.where)
        except ScriptError as error:
            self.errors.append(error)
            return self._fail(exchange, judgement, 400, "invalid_request_error", f"Playhead: {error}")
        self._minted = minted
        self._take_in(replace(exchange, status=200, response=message), judgement)
        if body.get("stream") is True:
            return stream_answer(message, _request_id(number))
        return json_answer(200, message, _request_id(number))

    def _tools(self, body: JsonObject, judgement: Judgement) -> object:
        """The tools on offer; where the loop did not send them again, a fault of its own, those it sent before."""
        link = judgement.link
        while not body.get("tools") and link is not None and link.parent is not None:
            body = self._checker.exchange(link.parent).request or {}
            link = self._checker.link(link.parent)
        return body.get("tools")

    def _count(self, exchange: Exchange, reading: Reading, judgement: Judgement) -> Outgoing:
        answer: JsonObject = {"input_tokens": tokens(reading.weight)}
        if "context_management" in reading.body:
            answer["context_management"] = {"original_input_tokens": answer["input_tokens"]}
        self._take_in(replace(exchange, status=200, response=answer), judgement)
        return json_answer(200, answer, _request_id(exchange.number))

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

    def _script_over(self, exchange: Exchange, judgement: Judgement) -> Outgoing:
        self.over += 1
        steps = len(self.player.script)
        played = f"all {steps} steps were played" if steps != 1 else "its one step was played"
        sentence = f"Playhead: the script is over: {played}, and the loop asks again; add a step, or end the loop"
        return self._fail(exchange, judgement, 400, "invalid_request_error", sentence)

    def _no_threads(self, exchange: Exchange, judgement: Judgement) -> Outgoing:
        # the SDK's tool runner recovers from this one by sending the full history without a thread
        return self._fail(
            exchange,
            judgement,
            400,
            "invalid_request_error",
            "Playhead: this fake holds no threads; send the full conversation without `thread`",
            error_code="thread_unsupported_request",
        )

    def _unknown_endpoint(self, exchange: Exchange) -> Outgoing:
        error = ScriptError(
            f"the fake plays POST {MESSAGES_PATH} and POST {COUNT_TOKENS_PATH}, not {exchange.method} {exchange.path}"
        )
        self.errors.append(error)
        return self._fail(exchange, None, 404, "not_found_error", f"Playhead: {error}")

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


_Endpoint = Callable[[Engine, Exchange, Reading, Judgement], Outgoing]
_ENDPOINTS: Mapping[tuple[str, str], _Endpoint] = {
    ("POST", MESSAGES_PATH): Engine._play,
    ("POST", COUNT_TOKENS_PATH): Engine._count,
}


def _request_id(number: int) -> str:
    return f"req_{number:04d}"

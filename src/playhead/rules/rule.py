"""What a rule is, and what breaking one looks like.

Law: values only. A rule is data plus a pure check; who runs it, and what follows from it, is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

import msgspec
from msgspec import Struct

from playhead.rules.models import TABLE, Model, Models
from playhead.rules.places import Places
from playhead.wire.codec import JsonObject
from playhead.wire.exchange import Exchange
from playhead.wire.follow import Follower, Link
from playhead.wire.turns import MergedTurn, PlacedBlock
from playhead.wire.value import Value

Level = Literal["reject", "broken", "warn"]
"""`reject`: the API refuses it. `broken`: the API takes it, a correct loop does not do it. `warn`: weak evidence."""

LEVELS: tuple[Level, ...] = ("reject", "broken", "warn")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One broken rule at one place, as its check reports it.

    `path` is a JSON path in what was sent, `what` a sentence, `values` fill the rule's wording and fix. `place` orders
    findings of one rank (positions of turns and blocks); `wording` chooses among several wordings of a rule, `rank`
    stands in for the rule's own where a rule concerns several fields, `level` where the evidence is of another
    strength than the rule's. `error_code` is the API's own for this case, where it has one. `exchange` is the number
    of the exchange, where a rule on a whole session found it in one. `same_as` names rules that tell the same fault in
    other words, the API's mostly: one of them found at the same request tells it well enough, and who switches one off
    does not want to hear of the fault.
    """

    path: str
    what: str
    values: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    place: tuple[int, ...] = ()
    wording: int = 0
    rank: int | None = None
    level: Level | None = None
    error_code: str | None = None
    exchange: int | None = None
    same_as: tuple[str, ...] = ()


class RequestView(Value, frozen=True, kw_only=True):
    """One request, as the rules on single requests see it.

    `turns` are its merged turns, or only the last ones where those before were found good already; they then begin
    with an assistant turn. `headers` are None where they are unknown, and then `version` and `betas` are too.
    `knows(member)` tells whether a member of the body, or its absence, is known. `status` is that of the answer where
    there is one already, as in a recording; `size` the body's length in bytes. `returned` are the signatures and
    sealed data that replies of the session carried: genuine, whatever they look like. `places` tells which messages
    hold blocks of which types, or with a cache mark; None where nobody has counted.
    """

    body: JsonObject
    headers: Mapping[str, str] | None = None
    turns: tuple[MergedTurn, ...] = ()
    counting: bool = False
    known: frozenset[str] | None = None
    models: Models = TABLE
    status: int | None = None
    size: int | None = None
    returned: Set[str] = frozenset()
    places: Places | None = None

    def knows(self, member: str) -> bool:
        return self.known is None or member in self.known

    @property
    def messages(self) -> Sequence[object]:
        """The messages; empty where the body has none or something else in their place."""
        messages = self.body.get("messages")
        return messages if isinstance(messages, list) else ()

    @property
    def held(self) -> bool:
        """Whether the server holds the history, so that the messages are only a part of it."""
        thread = self.body.get("thread")
        return isinstance(thread, dict) and thread.get("type") == "continue"

    @property
    def model(self) -> Model:
        """What is known of the model that is asked for."""
        return self.models.find(self.body.get("model"))

    @property
    def version(self) -> str | None:
        """The API version that is asked for, None where the headers are unknown."""
        return None if self.headers is None else self.headers.get("anthropic-version", "")

    @property
    def betas(self) -> frozenset[str] | None:
        """The values of `anthropic-beta`, None where the headers are unknown."""
        if self.headers is None:
            return None
        values = self.headers.get("anthropic-beta", "").split(",")
        return frozenset(value.strip() for value in values if value.strip())

    @property
    def tools(self) -> Sequence[JsonObject]:
        """The tools that are objects; what is none is a fault of its own."""
        tools = self.body.get("tools")
        return [tool for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else ()

    def may_hold(self, types: tuple[str, ...]) -> bool:
        """Whether a block of these types, or one so marked, may be in the messages."""
        return self.places is None or not self.places.types.isdisjoint(types)

    def member(self, name: str) -> JsonObject:
        """A member of the body that is an object; empty where it is absent or something else."""
        value = self.body.get(name)
        return value if isinstance(value, dict) else {}


class BlockView(NamedTuple):
    """One content block, wherever it stands, as the rules on blocks see it.

    `place` are its array positions, of its message first (that alone where the content is a string), `role` is its
    message's, `within` the type of the block around it, None at the top. `last_message` and `last_block` say whether
    nothing comes after.
    """

    data: JsonObject
    role: str
    place: tuple[int, ...]
    within: str | None = None
    last_message: bool = False
    last_block: bool = False

    @property
    def type(self) -> object:
        return self.data.get("type")

    @property
    def path(self) -> str:
        """Its JSON path. Rules need it, and `api`, only where they find something, which is hardly ever."""
        return (
            f"$.messages[{self.place[0]}].content"
            + "].content".join(f"[{n}" for n in self.place[1:])
            + ("]" if len(self.place) > 1 else "")
        )

    @property
    def api(self) -> str:
        """The place in the API's words: `messages.0.content.1`, `messages.0.content.1.tool_result.content.0`."""
        return f"messages.{self.place[0]}.content" + f".{self.within}.content".join(f".{n}" for n in self.place[1:])


class _Answers(NamedTuple):
    """The calls of a reply, what a request brings of them, and whether it brings any."""

    calls: list[JsonObject]
    results: dict[str, list[PlacedBlock]]
    echoed: dict[str, PlacedBlock]
    any: bool


class StepView(Struct, frozen=True, kw_only=True, dict=True):
    """One request and the exchange that it follows, as the rules across exchanges see them.

    `alone` says that the session is one conversation by declaration, so that silence must not be read as innocence;
    `one_loop` that it is one loop's doing, where a recording may hold several calls that have nothing to do with each
    other. `so_far` knows where the exchanges of the session stand, this request among them.
    """

    exchange: Exchange
    link: Link
    parent: Exchange | None
    alone: bool = False
    one_loop: bool = False
    models: Models = TABLE
    so_far: Follower = msgspec.field(default_factory=Follower)

    @property
    def added(self) -> list[object]:
        """The messages after those shared with the parent's request."""
        return self.exchange.messages[self.link.shared :]

    @property
    def calls(self) -> Sequence[JsonObject]:
        """The `tool_use` blocks of the reply before."""
        return self._answers.calls

    @property
    def results(self) -> Mapping[str, Sequence[PlacedBlock]]:
        """The `tool_result` blocks of the added user messages, by the id that each answers."""
        return self._answers.results

    @property
    def echoed(self) -> Mapping[str, PlacedBlock]:
        """The `tool_use` blocks of the added assistant messages, by id."""
        return self._answers.echoed

    @property
    def answers_calls(self) -> bool:
        """Whether the request goes on with calls of the reply before: it brings one of them back, or a result."""
        return self._answers.any

    @cached_property
    def _answers(self) -> _Answers:
        # one pass, and plain loops: every request asks
        results: dict[str, list[PlacedBlock]] = {}
        echoed: dict[str, PlacedBlock] = {}
        messages, start = self.exchange.messages, self.link.shared
        for index in range(start, len(messages)):
            message = messages[index]
            content = message.get("content") if isinstance(message, dict) else None
            if not isinstance(content, list):
                continue
            role = message["role"] if isinstance(message, dict) and "role" in message else None
            for number, block in enumerate(content):
                kind = block.get("type") if isinstance(block, dict) else None
                if kind == "tool_result" and role == "user":
                    answered = str(block.get("tool_use_id"))
                    results.setdefault(answered, []).append(PlacedBlock(block, index, number, number))
                elif kind == "tool_use" and role == "assistant":
                    echoed[str(block.get("id"))] = PlacedBlock(block, index, number, number)
        calls = self.parent.calls() if self.parent is not None else []
        goes_on = bool(calls) and self.link.kind in ("continues", "departs")
        known = self.link.held or any(str(call.get("id")) in results or str(call.get("id")) in echoed for call in calls)
        return _Answers(calls, results, echoed, goes_on and known)

    @property
    def simply_answered(self) -> bool:
        """Whether each call came back with an object as its input and was answered once, and that is all one knows."""
        parent, answers = self.parent, self._answers
        if parent is None or parent.results or parent.user_event is not None:
            return False
        if not answers.any:
            return not answers.calls
        return all(
            len(answers.results.get(id_, ())) == 1
            and id_ in answers.echoed
            and isinstance(answers.echoed[id_].data.get("input"), dict)
            for id_ in [str(call.get("id")) for call in answers.calls]
        )

    def before(self) -> Iterator[tuple[Exchange, Link]]:
        """The exchange that the request follows, the one which that follows, and so on back to the first."""
        return self.so_far.line(self.link.parent)


@dataclass(frozen=True, kw_only=True)
class EndView:
    """A whole session at its end. `limit` is the cap on requests that was reached, if it was.

    `over` says that no further request will come; where it is False the session is still going on. `so_far` knows
    where the exchanges stand.
    """

    exchanges: Sequence[Exchange]
    end: Mapping[str, object] | None = None
    limit: int | None = None
    over: bool = True
    so_far: Follower = field(default_factory=Follower)

    @property
    def how(self) -> str | None:
        """How the loop ended: `returned`, `raised` or `running`; None where nobody knows."""
        how = (self.end or {}).get("how")
        return how if isinstance(how, str) else None

    @property
    def error(self) -> str:
        """The text of the error that the loop raised; empty where it raised none, or said nothing."""
        error = (self.end or {}).get("error")
        return "" if error is None else str(error)

    @property
    def shown(self) -> Mapping[str, object] | None:
        """What the loop showed, None where that is not known."""
        shown = (self.end or {}).get("shown")
        return shown if isinstance(shown, Mapping) else None

    @cached_property
    def last(self) -> Exchange | None:
        """The last call for a message."""
        return next((exchange for exchange in reversed(self.exchanges) if exchange.is_message), None)

    @cached_property
    def leaves(self) -> Sequence[tuple[Exchange, Link]]:
        """The exchanges that no later request continues, repeats or departs from, and where they stand."""
        return self.so_far.leaves()


RequestCheck: TypeAlias = Callable[[RequestView], Iterable[Finding]]
MessageCheck: TypeAlias = Callable[[RequestView, int, object], Iterable[Finding]]
BlockCheck: TypeAlias = Callable[[RequestView, BlockView], Iterable[Finding]]
StepCheck: TypeAlias = Callable[[StepView], Iterable[Finding]]
AnswerCheck: TypeAlias = Callable[[Exchange], Iterable[Finding]]
EndCheck: TypeAlias = Callable[[EndView], Iterable[Finding]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)  # a rule is its functions: equal is who is the same
class Rule:
    """A thing the API demands or a correct loop does.

    At least one check judges it. On one request: `envelope` looks at all but the messages, and is not asked again
    while a loop sends the same; `message` at each message (position and value) of the `roles` named (all
    where none is), `block` at each content block of the `types` named (all where none is); these two see only what is
    new. `request` looks at the conversation as a whole, through the view's `turns` where it can, `extent` only at how
    much is sent: it has no `turns`, and is asked where there are more messages, or bytes, than `large` says (by default
    always).

    Across exchanges: `step` judges a request after the exchange it follows, `answer` an exchange once it is known which
    tools the client ran on it, `end` a finished session. With `holding`, `request` and `step` are asked only where the
    conversation has a block of these types, `request` also where the envelope is new; with `recent`, `request` is asked
    only where one of the view's turns has such a block. `after` says which ends of the exchange before concern `step`
    (see `steps.OUTCOMES`; all where none is named). `echo` is a `step` that is asked only where the reply before came
    back otherwise than it was, `calls` one that is asked only where its calls were not simply answered (see
    `StepView.simply_answered`).

    With `ordinary` False none of these but `envelope` is asked where what is new is ordinary (`rules/ordinary.py`):
    the rule could not find anything there.

    `wording` is the API's text (several where it has several, chosen by the finding), `fix` says what to do; both are
    format templates filled from the finding. `rank` orders rules as the API reports them (see `order`): the lowest
    broken one is what it answers. `status` is the HTTP status.
    """

    id: str
    level: Level
    fix: str
    wording: tuple[str, ...] = ()
    rank: int = 0
    status: int = 400
    error_type: str = "invalid_request_error"
    envelope: RequestCheck | None = None
    message: MessageCheck | None = None
    roles: tuple[str, ...] = ()
    block: BlockCheck | None = None
    types: tuple[str, ...] = ()
    request: RequestCheck | None = None
    extent: RequestCheck | None = None
    large: tuple[int, int] = (-1, -1)
    holding: tuple[str, ...] = ()
    recent: tuple[str, ...] = ()
    step: StepCheck | None = None
    echo: StepCheck | None = None
    calls: StepCheck | None = None
    after: tuple[str, ...] = ()
    ordinary: bool = True
    answer: AnswerCheck | None = None
    end: EndCheck | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """One broken rule at one place.

    `exchange` and `turn` count from 1 and are None where a single request was checked. `path` is rooted in what was
    sent: `$.messages[3].content[0]` in array positions, `$headers` and `$response` otherwise. `message` says what is
    wrong, `fix` what to do. `api`, `status` and `error_code` are the text, the HTTP status and the finer code that the
    API would answer; None where it would not refuse, or where they are not known. `same_as` is the rule that has told
    the same fault already, of the same request.
    """

    rule: str
    level: Level
    path: str
    message: str
    fix: str
    api: str | None = None
    status: int | None = None
    error_code: str | None = None
    exchange: int | None = None
    turn: int | None = None
    conversation: int | None = None
    same_as: str | None = None

    def to_dict(self) -> dict[str, object]:
        """The violation as plain data."""
        return {name: getattr(self, name) for name in self.__slots__}

    def __str__(self) -> str:
        place = "" if self.exchange is None else f"exchange {self.exchange}: "
        return f"{place}{self.level} {self.rule} at {self.path}: {self.message}"


def told_once(violations: Iterable[Violation]) -> list[Violation]:
    """The violations without those that another has told already, of the same request in other words."""
    return [violation for violation in violations if violation.same_as is None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiError:
    """The answer with which the API refuses a request: HTTP status, headers and body."""

    status: int
    headers: Mapping[str, str]
    body: JsonObject
    rule: str

    @property
    def type(self) -> str:
        """The error's type, `invalid_request_error` say."""
        return str(self.body["error"]["type"])

    @property
    def error_code(self) -> str | None:
        """The API's finer code, `details.error_code`, where it has one."""
        code = (self.body["error"].get("details") or {}).get("error_code")
        return None if code is None else str(code)

    @property
    def message(self) -> str:
        """The API's wording."""
        return str(self.body["error"]["message"])

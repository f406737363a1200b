"""What a rule is, and what breaking one looks like.

Law: values only. A rule is data plus a pure check; who runs it, and what follows from it, is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, TypeAlias

from playhead.wire.codec import JsonObject
from playhead.wire.exchange import Exchange
from playhead.wire.follow import Link
from playhead.wire.turns import MergedTurn

Level = Literal["reject", "broken", "warn"]
"""`reject`: the API refuses it. `broken`: the API takes it, a correct loop does not do it. `warn`: weak evidence."""

LEVELS: tuple[Level, ...] = ("reject", "broken", "warn")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One broken rule at one place, as its check reports it.

    `path` is a JSON path in what was sent, `what` a sentence, `values` fill the rule's wording and fix. `place` orders
    findings of one rule (positions of turns and blocks); `wording` chooses among several wordings of a rule.
    """

    path: str
    what: str
    values: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    place: tuple[int, ...] = ()
    wording: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestView:
    """One request, as the rules on single requests see it.

    `turns` are its merged turns, or only the last ones where those before were found good already; they then begin
    with an assistant turn. `knows(member)` tells whether a member of the body, or its absence, is known.
    """

    body: JsonObject
    headers: Mapping[str, str] | None = None
    turns: tuple[MergedTurn, ...] = ()
    counting: bool = False
    known: frozenset[str] | None = None

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


@dataclass(frozen=True, slots=True, kw_only=True)
class StepView:
    """One request and the exchange that it follows, as the rules across exchanges see them.

    `alone` says that the session is one conversation by declaration, so that silence must not be read as innocence.
    """

    exchange: Exchange
    link: Link
    parent: Exchange | None
    alone: bool = False

    @property
    def added(self) -> list[object]:
        """The messages after those shared with the parent's request."""
        return self.exchange.messages[self.link.shared :]


@dataclass(frozen=True, slots=True, kw_only=True)
class EndView:
    """A whole session at its end. `limit` is the cap on requests that was reached, if it was."""

    exchanges: Sequence[Exchange]
    end: Mapping[str, object] | None = None
    limit: int | None = None


RequestCheck: TypeAlias = Callable[[RequestView], Iterable[Finding]]
StepCheck: TypeAlias = Callable[[StepView], Iterable[Finding]]
AnswerCheck: TypeAlias = Callable[[Exchange], Iterable[Finding]]
EndCheck: TypeAlias = Callable[[EndView], Iterable[Finding]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A thing the API demands or a correct loop does.

    At least one check judges it: `request` a body alone, `step` a request after the exchange it follows,
    `answer` an exchange once it is known which tools the client ran on it, `end` a finished session. `wording` is
    the API's text (several where it has used several, the present one first), `fix` says what to do; both are format
    templates. `rank` orders rules as the API reports them: the lowest broken one is what it answers.
    """

    id: str
    level: Level
    fix: str
    wording: tuple[str, ...] = ()
    rank: int = 0
    status: int = 400
    error_type: str = "invalid_request_error"
    request: RequestCheck | None = None
    step: StepCheck | None = None
    answer: AnswerCheck | None = None
    end: EndCheck | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """One broken rule at one place.

    `exchange` and `turn` count from 1 and are None where a single request was checked. `path` is rooted in what was
    sent: `$.messages[3].content[0]` in array positions, `$headers` and `$response` otherwise. `message` says what is
    wrong, `api` is the text the API would answer (None where it would not refuse), `fix` what to do.
    """

    rule: str
    level: Level
    path: str
    message: str
    fix: str
    api: str | None = None
    exchange: int | None = None
    turn: int | None = None
    conversation: int | None = None

    def to_dict(self) -> dict[str, object]:
        """The violation as plain data."""
        return {name: getattr(self, name) for name in self.__slots__}

    def __str__(self) -> str:
        place = "" if self.exchange is None else f"exchange {self.exchange}: "
        return f"{place}{self.level} {self.rule} at {self.path}: {self.message}"


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
    def message(self) -> str:
        """The API's wording."""
        return str(self.body["error"]["message"])

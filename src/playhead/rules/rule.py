"""What a rule is, and what breaking one looks like.

Law: values only. A rule is data plus a pure check; who runs it, and what follows from it, is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

from playhead.rules.models import Model, Models
from playhead.rules.places import Places
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
    findings of one rank (positions of turns and blocks); `wording` chooses among several wordings of a rule, `rank`
    stands in for the rule's own where a rule concerns several fields, `level` where the evidence is of another
    strength than the rule's. `error_code` is the API's own for this case, where it has one.
    """

    path: str
    what: str
    values: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    place: tuple[int, ...] = ()
    wording: int = 0
    rank: int | None = None
    level: Level | None = None
    error_code: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestView:
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
    models: Models = field(default_factory=Models)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class StepView:
    """One request and the exchange that it follows, as the rules across exchanges see them.

    `alone` says that the session is one conversation by declaration, so that silence must not be read as innocence.
    """

    exchange: Exchange
    link: Link
    parent: Exchange | None
    alone: bool = False
    models: Models = field(default_factory=Models)

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
MessageCheck: TypeAlias = Callable[[RequestView, int, object], Iterable[Finding]]
BlockCheck: TypeAlias = Callable[[RequestView, BlockView], Iterable[Finding]]
StepCheck: TypeAlias = Callable[[StepView], Iterable[Finding]]
AnswerCheck: TypeAlias = Callable[[Exchange], Iterable[Finding]]
EndCheck: TypeAlias = Callable[[EndView], Iterable[Finding]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A thing the API demands or a correct loop does.

    At least one check judges it. On one request: `envelope` looks at all but the messages, and is not asked again
    while a loop sends the same; `message` at each message (position and value) of the `roles` named (all
    where none is), `block` at each content block of the
    `types` named (all where none is); these two see only what is new. `request` looks at the conversation as a whole,
    through the view's `turns` where it can. Across exchanges: `step` judges a request after the exchange it follows,
    `answer` an exchange once it is known which tools the client ran on it, `end` a finished session. With `holding`,
    `request` and `step` are asked only where the conversation has a block of these types, `request` also where the
    envelope is new; with `recent`, `request` is asked only where one of the view's turns has such a block.

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
    holding: tuple[str, ...] = ()
    recent: tuple[str, ...] = ()
    step: StepCheck | None = None
    answer: AnswerCheck | None = None
    end: EndCheck | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """One broken rule at one place.

    `exchange` and `turn` count from 1 and are None where a single request was checked. `path` is rooted in what was
    sent: `$.messages[3].content[0]` in array positions, `$headers` and `$response` otherwise. `message` says what is
    wrong, `fix` what to do. `api`, `status` and `error_code` are the text, the HTTP status and the finer code that the
    API would answer; None where it would not refuse, or where they are not known.
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
    def error_code(self) -> str | None:
        """The API's finer code, `details.error_code`, where it has one."""
        code = (self.body["error"].get("details") or {}).get("error_code")
        return None if code is None else str(code)

    @property
    def message(self) -> str:
        """The API's wording."""
        return str(self.body["error"]["message"])

"""How each step is written in a file: one table, from which reading, writing, the JSON Schema and the docs are made.

Law: data. Names, order and defaults are those of the functions; a test compares them with their signatures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, TypeAlias, get_args

from playhead.rules.rule import LEVELS
from playhead.script import faults, replies, server_tools, steps
from playhead.script.faults import NEWLINES, Connection, Ending
from playhead.script.kinds import (
    ANYTHING,
    BODY,
    FLAG,
    OBJECT,
    TEXT,
    Kind,
    choice,
    either,
    listed,
    mapped,
    number,
    record,
)
from playhead.script.server_results import SERVER_TOOLS
from playhead.wire.damage import DAMAGES
from playhead.wire.tables import ERROR_STATUS, REFUSAL_CATEGORIES, STOP_REASONS

FORMAT = "playhead-script"
VERSION = 1

Makes = Literal["call", "block", "reply", "sent", "fault"]
"""What a function makes: a call of a tool of the client's, another block, a whole reply, a reply with something that
happens on its way, or something else than a reply."""

BLOCKS: frozenset[Makes] = frozenset({"call", "block"})
REPLIES: frozenset[Makes] = BLOCKS | {"reply", "sent"}
STEPS: frozenset[Makes] = REPLIES | {"fault"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """Steps within a step: which, and whether there may be several."""

    makes: frozenset[Makes]
    several: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Param:
    """One parameter of a function. `how` it is given: by position, as what stands there at the end, or by name.

    None is allowed where `null` says so. `gathers` is the parameter that the function takes as keywords, too.
    """

    name: str
    kind: Kind | Steps
    how: Literal["position", "rest", "name"] = "name"
    required: bool = False
    default: object = None
    null: bool = False
    gathers: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """One step: its function, what that makes, and its parameters; the first is written under the step's name."""

    function: Callable[..., Any]
    makes: Makes
    params: tuple[Param, ...]

    @property
    def name(self) -> str:
        return self.function.__name__

    @property
    def members(self) -> Mapping[str, Param]:
        """The parameters by the keys under which they are written."""
        return {param.name if place else self.name: param for place, param in enumerate(self.params)}


_COUNT = number()
_OBJECTS = listed(OBJECT, "a list of mappings")
_TEXTS_OR_OBJECTS = listed(either(TEXT, OBJECT), "a list of strings or mappings")
_HEADERS = mapped(TEXT, "a mapping of strings")
_STOP = choice(tuple(STOP_REASONS))
_CUT = choice(("max_tokens", "model_context_window_exceeded"))
_CATEGORY = choice(REFUSAL_CATEGORIES)
_TOOL = choice(tuple(SERVER_TOOLS))
_STATUS = number(least=200, most=599)
_CHUNKS = either(choice(("whole", "event", "byte")), number(least=1), listed(_COUNT, "a list of whole numbers"))
_SECONDS = number(whole=False)

Params: TypeAlias = tuple[Param, ...]


def _first(name: str, kind: Kind | Steps, **further: Any) -> Param:
    return Param(name=name, kind=kind, how="position", **{"required": True, **further})


def _place(name: str, kind: Kind, **further: Any) -> Param:
    return Param(name=name, kind=kind, how="position", **{"null": True, **further})


def _rest(name: str, kind: Kind | Steps) -> Param:
    return Param(name=name, kind=kind, how="rest", default=())


def _named(name: str, kind: Kind, **further: Any) -> Param:
    return Param(name=name, kind=kind, **{"null": "default" not in further, **further})


_STEP = _first("step", Steps(makes=REPLIES, several=False))
_BLOCKS = _rest("steps", Steps(makes=BLOCKS))
_USAGE = _named("usage", OBJECT)
_ERROR = _named("error", either(TEXT, OBJECT))
_TIMES = _named("times", number(least=1), default=1)

DELIVERY: Params = (
    _named("pieces", _COUNT),
    _named("chunks", _CHUNKS, default="whole"),
    _named("delay", _SECONDS, default=0.0),
    _named("pace", _SECONDS, default=0.0),
    _named("newline", choice(NEWLINES), default="\n"),
    _named("headers", _HEADERS),
)

_FORMS = (
    Form(
        function=steps.say,
        makes="block",
        params=(_first("text", TEXT), _named("citations", _TEXTS_OR_OBJECTS)),
    ),
    Form(
        function=steps.call,
        makes="call",
        params=(_first("name", TEXT), _place("input", either(OBJECT, TEXT), gathers=True)),
    ),
    Form(
        function=steps.think,
        makes="block",
        params=(_first("text", TEXT), _place("signature", TEXT)),
    ),
    Form(
        function=replies.redacted,
        makes="block",
        params=(_place("data", TEXT),),
    ),
    Form(function=replies.block, makes="block", params=(_first("data", OBJECT),)),
    Form(
        function=replies.upload,
        makes="block",
        params=(_place("file_id", TEXT),),
    ),
    Form(
        function=replies.fallback,
        makes="block",
        params=(_first("to", TEXT), _named("by", TEXT), _named("category", _CATEGORY)),
    ),
    Form(
        function=server_tools.server_call,
        makes="block",
        params=(_first("name", _TOOL), _place("input", either(OBJECT, TEXT)), _place("result", ANYTHING), _ERROR),
    ),
    Form(
        function=server_tools.server_result,
        makes="block",
        params=(_first("name", choice((*SERVER_TOOLS, "mcp"))), _place("result", ANYTHING), _ERROR),
    ),
    Form(
        function=server_tools.search,
        makes="block",
        params=(_first("query", TEXT), _place("results", _TEXTS_OR_OBJECTS, null=False, default=()), _ERROR),
    ),
    Form(
        function=server_tools.mcp,
        makes="block",
        params=(
            _first("server", TEXT),
            _first("name", TEXT),
            _place("input", OBJECT),
            _place("result", ANYTHING),
            _named("error", TEXT),
        ),
    ),
    Form(
        function=server_tools.mcp_listing,
        makes="block",
        params=(_first("server", TEXT), _rest("tools", _TEXTS_OR_OBJECTS)),
    ),
    Form(
        function=server_tools.by_code,
        makes="block",
        params=(_first("code", TEXT, null=True), _rest("calls", Steps(makes=frozenset({"call"})))),
    ),
    Form(
        function=steps.turn,
        makes="reply",
        params=(
            _BLOCKS,
            _named("stop_reason", _STOP),
            _USAGE,
            _named("model", TEXT),
            _named("stop_sequence", TEXT),
        ),
    ),
    Form(function=steps.reply, makes="reply", params=(_first("message", OBJECT), _named("check", FLAG, default=True))),
    Form(function=replies.pause, makes="reply", params=(_BLOCKS, _USAGE)),
    Form(
        function=replies.refuse,
        makes="reply",
        params=(
            _place("category", _CATEGORY),
            _place("explanation", TEXT),
            _BLOCKS,
            _named("details", OBJECT),
            _USAGE,
        ),
    ),
    Form(
        function=replies.truncated,
        makes="reply",
        params=(_BLOCKS, _named("keep", _COUNT), _named("stop_reason", _CUT, default="max_tokens"), _USAGE),
    ),
    Form(
        function=replies.compact,
        makes="reply",
        params=(
            _first("summary", TEXT, null=True),
            _BLOCKS,
            _named("encrypted_content", TEXT),
            _named("tool_changes", _OBJECTS),
            _USAGE,
        ),
    ),
    Form(
        function=faults.fail,
        makes="fault",
        params=(
            _first("status", number(least=400, most=599)),
            _named("error_code", TEXT),
            _named("message", TEXT),
            _named("details", OBJECT),
            _named("retry_after_ms", _COUNT, default=1, null=True),
            _named("headers", _HEADERS),
            _TIMES,
        ),
    ),
    Form(
        function=faults.drop,
        makes="fault",
        params=(_place("how", choice(get_args(Connection)), null=False, default="connect"), _TIMES),
    ),
    Form(
        function=faults.cut,
        makes="sent",
        params=(
            _STEP,
            _named("events", _COUNT),
            _named("bytes", _COUNT),
            _named("how", choice(get_args(Ending)), default="reset"),
            _named("error", choice(tuple(ERROR_STATUS)), default="overloaded_error"),
        ),
    ),
    Form(
        function=faults.damage,
        makes="sent",
        params=(_STEP, _first("what", choice(tuple(DAMAGES))), _named("at", _COUNT)),
    ),
    Form(function=faults.deliver, makes="sent", params=(_STEP, *DELIVERY)),
    Form(
        function=faults.raw,
        makes="fault",
        params=(
            _first("body", BODY),
            _named("status", _STATUS, default=200),
            _named("content_type", TEXT),
            _named("headers", _HEADERS),
        ),
    ),
)

FORMS: Mapping[str, Form] = MappingProxyType({form.name: form for form in _FORMS})
"""Every step by its name."""

OPTIONS: Mapping[str, Kind] = MappingProxyType(
    {
        "strict": FLAG,
        "ignore": listed(TEXT, "a list of ids of rules"),
        "conversations": choice(("one", "any", "each")),
        "max_requests": number(least=1),
        "level": choice(LEVELS),
        "threads": FLAG,
        "delivery": record({param.name: param.kind for param in DELIVERY if isinstance(param.kind, Kind)}, "a mapping"),
    }
)
"""The options of `FakeClaude` that a file can say."""

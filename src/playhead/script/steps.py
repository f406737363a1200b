"""The steps of a script: what Claude will say next.

Law: frozen values and the functions that make them. A step is checked when it is made, so that whoever plays it may
assume that it is possible; the message says how to write it right. The less common replies have modules of their own:
`replies` and `server_tools`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

from msgspec import Struct

from playhead.errors import ScriptError
from playhead.rules.signatures import seal
from playhead.script.checks import require_message, require_stop_reason
from playhead.script.citations import citations_of
from playhead.script.json_values import object_copy
from playhead.script.request import Request
from playhead.script.source import Made, by_name
from playhead.wire.codec import JsonError, JsonObject, decode, decode_part, kind
from playhead.wire.tables import BLOCKS


class Step:
    """What Claude says in one reply, or a part of it: the common type of blocks, turns and replies."""

    __slots__ = ()


class Written(Step):
    """A step that is shown as the call which makes it."""

    __slots__ = ()

    @property
    def made_by(self) -> Made:
        """The call that makes it."""
        raise NotImplementedError

    def source(self, *, short: bool = False) -> str:
        """The call as Python; with `short` on a line, in which something may be left out."""
        return self.made_by.source(short=short)

    def __str__(self) -> str:
        return self.source(short=True)

    def __repr__(self) -> str:
        return self.source()


class Block(Written, Struct, frozen=True, kw_only=True):
    """One content block of a turn, without an id where Claude would mint one.

    `text` is the JSON text of its input to the letter, where that says more than `data`: a stream carries it. `then`
    are the blocks that belong to it and stand right after it, such as the result of a server tool. `made` is the call
    that made it, where `data` does not show that.
    """

    data: JsonObject
    text: str | None = None
    then: tuple[Block, ...] = ()
    made: Made | None = None

    def __eq__(self, other: object) -> bool:
        """Equal whatever call made it."""
        if not isinstance(other, Block):
            return NotImplemented
        return (self.data, self.text, self.then) == (other.data, other.text, other.then)

    __hash__ = None  # type: ignore[assignment]

    @property
    def type(self) -> str:
        return str(self.data["type"])

    @property
    def made_by(self) -> Made:
        return self.made or _made(self)


class Turn(Written, Struct, frozen=True, kw_only=True):
    """One reply of Claude's: its blocks, and how it stops. `usage` and `model` override what the fake would say."""

    blocks: tuple[Block, ...]
    stop_reason: str
    usage: Mapping[str, object] = MappingProxyType({})
    model: str | None = None
    stop_sequence: str | None = None
    stop_details: Mapping[str, object] | None = None
    made: Made | None = None

    def __eq__(self, other: object) -> bool:
        """Equal whatever call made it."""
        if not isinstance(other, Turn):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in _SAID)

    __hash__ = None  # type: ignore[assignment]

    @property
    def content(self) -> tuple[Block, ...]:
        """The blocks in the order of the message, those that belong to others in their places."""
        return tuple(_flat(self.blocks))

    @property
    def calls(self) -> tuple[str, ...]:
        """The names of the client's tools that the turn calls."""
        return tuple(str(block.data["name"]) for block in self.content if block.type == "tool_use")

    @property
    def made_by(self) -> Made:
        if self.made is not None:
            return self.made
        options = {
            name: value
            for name, value in (
                (
                    "stop_reason",
                    None if self.stop_reason == _reason(self.blocks, self.stop_sequence) else self.stop_reason,
                ),
                ("usage", self.usage or None),
                ("model", self.model),
                ("stop_sequence", self.stop_sequence),
            )
            if value is not None
        }
        if len(self.blocks) == 1 and not options:
            return self.blocks[0].made_by
        return Made("turn", self.blocks, options)


_SAID = tuple(name for name in Turn.__struct_fields__ if name != "made")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Reply(Written):
    """A whole message as the API would send it, `check=False`: as it stands, however impossible."""

    message: JsonObject
    check: bool = True

    @property
    def made_by(self) -> Made:
        return Made("reply", (self.message,), {} if self.check else {"check": False})


Responder: TypeAlias = Callable[[Request], Step]
"""A function that looks at the request and says what Claude answers; it must not be async."""


def say(text: str, /, *, citations: Sequence[Mapping[str, Any] | str] | None = None) -> Block:
    """Claude says something. A turn of text alone stops with `end_turn`.

    `citations` are what it cites: each a dict with the API's members, of which the type and whatever follows from the
    others may be left out (`{"url": ..., "cited_text": ...}`), or just the URL of a search result.
    """
    if not isinstance(text, str):
        raise ScriptError(f"say() takes the text as a string, not {kind(text)}")
    data: JsonObject = {"type": "text", "text": text}
    if citations is not None:
        data["citations"] = citations_of(citations, text)
    return Block(data=data)


def call(name: str, input: Mapping[str, Any] | str | None = None, /, **arguments: Any) -> Block:
    """Claude calls a tool: its name, and its input as one dict or as keywords. The turn stops with `tool_use`.

    A string as input is its JSON text to the letter, as a stream carries it: numbers that no double holds, odd
    spacing, or JSON that is cut or wrong. A JSON body then has as much of it as can be read.
    """
    if not isinstance(name, str) or not name:
        raise ScriptError(f"call() needs the tool's name as a string first, not {name!r}")
    if input is not None and arguments:
        raise ScriptError(f"call({name!r}, ...) got its input twice: give one dict or keywords, not both")
    if isinstance(input, str):
        return Block(data={"type": "tool_use", "name": name, "input": readable(input)}, text=input)
    if input is not None and not isinstance(input, Mapping):
        raise ScriptError(f"the input of call({name!r}, ...) is an object: give a dict or keywords, not {kind(input)}")
    value = object_copy(input if input is not None else arguments, f"the input of call({name!r}, ...)")
    return Block(data={"type": "tool_use", "name": name, "input": value})


def think(text: str, /, signature: str | None = None) -> Block:
    """Claude thinks. Without a `signature` the fake makes one from the text."""
    if not isinstance(text, str):
        raise ScriptError(f"think() takes the text as a string, not {kind(text)}")
    if not isinstance(signature, str | None):
        raise ScriptError(f"the signature of think() is a string, not {kind(signature)}")
    return Block(data={"type": "thinking", "thinking": text, "signature": signature or seal(text)})


def turn(
    *steps: Block,
    stop_reason: str | None = None,
    usage: Mapping[str, Any] | None = None,
    model: str | None = None,
    stop_sequence: str | None = None,
) -> Turn:
    """Several blocks in one reply: text around calls, parallel calls, thinking. `turn()` is a reply without content.

    The stop reason is `tool_use` if there is a call and `end_turn` otherwise, unless given.
    """
    require_blocks(steps, "turn()")
    for option, value in (("model", model), ("stop_sequence", stop_sequence)):
        if not isinstance(value, str | None):
            raise ScriptError(f"{option} of turn() is a string, not {kind(value)}")
    if usage is not None and not isinstance(usage, Mapping):
        raise ScriptError(f"usage of turn() is an object: give a dict, not {kind(usage)}")
    reason = stop_reason or _reason(steps, stop_sequence)
    require_stop_reason(reason, _calls(steps))
    if reason in ("end_turn", "stop_sequence"):
        _require_results(steps)
    return Turn(
        blocks=steps,
        stop_reason=reason,
        usage=MappingProxyType(object_copy(usage, "usage of turn()") if usage else {}),
        model=model,
        stop_sequence=stop_sequence,
    )


def reply(message: Mapping[str, Any], /, *, check: bool = True) -> Reply:
    """A whole message as a dict in the API's shape; `id`, `type`, `role`, `model`, `usage` may be left out.

    A message that has all of them, and `stop_reason` and `stop_sequence` besides, is sent as it stands; to any other
    the fake adds what the API would say.

    With `check=False` it is sent as it stands: for what the API never sends, such as an unknown stop reason or a
    call of a tool that does not exist.
    """
    if not isinstance(message, Mapping):
        raise ScriptError(f"reply() takes a message as a dict, not {kind(message)}")
    data = object_copy(message, "reply()")
    if check:
        require_message(data)
    return Reply(message=data, check=check)


def as_turn(block: Block) -> Turn:
    """The turn that a lone block stands for."""
    if block.data["type"] == "text":
        return Turn(blocks=(block,), stop_reason="end_turn")  # what turn() would make of it, without its questions
    return turn(block)


def require_blocks(steps: Sequence[object], where: str) -> None:
    """Raises `ScriptError` for what is no block: a string, a whole reply."""
    for number, step in enumerate(steps, 1):
        if not isinstance(step, Block):
            raise ScriptError(
                f"item {number} of {where} is {_name(step)}; a turn holds say(), call() and think(), "
                "and whole replies are steps of their own"
            )


def readable(text: str) -> object:
    """What a client makes of the JSON text of an input: all of it, or as much as stands before the cut."""
    try:
        return decode(text)
    except JsonError:
        return decode_part(text)


def _require_results(steps: Sequence[Block]) -> None:
    """A turn of Claude's does not end while a server tool is still at work."""
    waiting = [block for block in steps if _is_server_call(block) and not _answers(block.then)]
    if len(waiting) > _answers(steps):
        call = waiting[0].source(short=True)
        raise ScriptError(
            f"{call} has no result, so that the turn cannot end: give it one (result=..., error=...), or write "
            "pause(...) for a turn that Claude goes on with later"
        )


def _is_server_call(block: Block) -> bool:
    known = BLOCKS.get(block.type)
    return known is not None and known.called == "server"


def _answers(blocks: Sequence[Block]) -> int:
    return sum(1 for block in blocks if (known := BLOCKS.get(block.type)) is not None and known.answers)


def _flat(blocks: Sequence[Block]) -> Iterator[Block]:
    for block in blocks:
        yield block
        yield from _flat(block.then)


def _calls(blocks: Sequence[Block]) -> bool:
    return any(block.type == "tool_use" for block in _flat(blocks))


def _reason(blocks: Sequence[Block], stop_sequence: str | None) -> str:
    return "stop_sequence" if stop_sequence else "tool_use" if _calls(blocks) else "end_turn"


def _name(value: object) -> str:
    shown = f"a {type(value).__name__}" if isinstance(value, Step) else repr(value)
    return shown if len(shown) <= 50 else f"a {type(value).__name__}"


def _made(block: Block) -> Made:
    """The call that makes a block, as its data tells it."""
    known = _MADE.get(block.type)
    return (known(block) if known is not None else None) or Made("block", (block.data,))


def _made_text(block: Block) -> Made | None:
    citations = block.data.get("citations")
    return Made("say", (block.data["text"],), {} if citations is None else {"citations": citations})


def _made_call(block: Block) -> Made | None:
    data = block.data
    if data.keys() != {"type", "name", "input"}:
        return None
    if block.text is not None:
        return Made("call", (data["name"], block.text))
    named = data["input"]
    return Made("call", (data["name"],), named) if by_name(named) else Made("call", (data["name"], named))


def _made_thinking(block: Block) -> Made | None:
    text, signature = block.data["thinking"], block.data["signature"]
    return Made("think", (text,), {} if signature == seal(text) else {"signature": signature})


_MADE: Mapping[str, Callable[[Block], Made | None]] = {
    "text": _made_text,
    "tool_use": _made_call,
    "thinking": _made_thinking,
}

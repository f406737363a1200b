"""The steps of a script: what Claude will say next.

Law: frozen values and the functions that make them. A step is checked when it is made, so that whoever plays it may
assume that it is possible; the message says how to write it right.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any, TypeAlias

from playhead.errors import ScriptError
from playhead.rules.signatures import seal
from playhead.script.request import Request
from playhead.wire.codec import JsonObject, decode, encode, encode_text, kind
from playhead.wire.tables import BLOCKS, STOP_REASONS


class Step:
    """What Claude says in one reply, or a part of it: the common type of blocks, turns and replies."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Block(Step):
    """One content block of a turn, without an id where Claude would mint one."""

    data: JsonObject

    @property
    def type(self) -> str:
        return str(self.data["type"])

    def __str__(self) -> str:
        return _SHOWN.get(self.type, _show_other)(self.data)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn(Step):
    """One reply of Claude's: its blocks, and how it stops. `usage` and `model` override what the fake would say."""

    blocks: tuple[Block, ...]
    stop_reason: str
    usage: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    model: str | None = None
    stop_sequence: str | None = None

    def __str__(self) -> str:
        shown = ", ".join(str(block) for block in self.blocks)
        return shown if len(self.blocks) == 1 else f"turn({shown})"

    @property
    def calls(self) -> tuple[str, ...]:
        """The names of the tools that the turn calls."""
        return tuple(str(block.data["name"]) for block in self.blocks if block.type == "tool_use")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply(Step):
    """A whole message as the API would send it, `check=False`: as it stands, however impossible."""

    message: JsonObject
    check: bool = True

    def __str__(self) -> str:
        return f"reply({_shorten(encode_text(self.message), 60)})"


Responder: TypeAlias = Callable[[Request], Step]
"""A function that looks at the request and says what Claude answers; it must not be async."""


def say(text: str, /) -> Block:
    """Claude says something. A turn of text alone stops with `end_turn`."""
    if not isinstance(text, str):
        raise ScriptError(f"say() takes the text as a string, not {kind(text)}")
    return Block(data={"type": "text", "text": text})


def call(name: str, input: Mapping[str, Any] | None = None, /, **arguments: Any) -> Block:
    """Claude calls a tool: its name, and its input as one dict or as keywords. The turn stops with `tool_use`."""
    if not isinstance(name, str) or not name:
        raise ScriptError(f"call() needs the tool's name as a string first, not {name!r}")
    if input is not None and arguments:
        raise ScriptError(f"call({name!r}, ...) got its input twice: give one dict or keywords, not both")
    if input is not None and not isinstance(input, Mapping):
        raise ScriptError(f"the input of call({name!r}, ...) is an object: give a dict or keywords, not {kind(input)}")
    value = _json_copy(dict(input if input is not None else arguments), f"the input of call({name!r}, ...)")
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
    for number, step in enumerate(steps, 1):
        if not isinstance(step, Block):
            raise ScriptError(
                f"item {number} of turn() is {_name(step)}; a turn holds say(), call() and think(), "
                "and whole replies are steps of their own"
            )
    for option, value in (("model", model), ("stop_sequence", stop_sequence)):
        if not isinstance(value, str | None):
            raise ScriptError(f"{option} of turn() is a string, not {kind(value)}")
    if usage is not None and not isinstance(usage, Mapping):
        raise ScriptError(f"usage of turn() is an object: give a dict, not {kind(usage)}")
    called = any(step.type == "tool_use" for step in steps)
    reason = stop_reason or ("stop_sequence" if stop_sequence else "tool_use" if called else "end_turn")
    _require_stop_reason(reason, called)
    return Turn(
        blocks=steps,
        stop_reason=reason,
        usage=MappingProxyType(_json_copy(dict(usage), "usage of turn()") if usage else {}),
        model=model,
        stop_sequence=stop_sequence,
    )


def reply(message: Mapping[str, Any], /, *, check: bool = True) -> Reply:
    """A whole message as a dict in the API's shape; `id`, `type`, `role`, `model`, `usage` may be left out.

    With `check=False` it is sent as it stands: for what the API never sends, such as an unknown stop reason or a
    call of a tool that does not exist.
    """
    if not isinstance(message, Mapping):
        raise ScriptError(f"reply() takes a message as a dict, not {kind(message)}")
    data = _json_copy(dict(message), "reply()")
    if check:
        _require_message(data)
    return Reply(message=data, check=check)


def as_turn(block: Block) -> Turn:
    """The turn that a lone block stands for."""
    return turn(block)


def _require_message(message: JsonObject) -> None:
    content = message.get("content")
    if not isinstance(content, list):
        raise ScriptError(f"reply() needs `content` as a list of blocks, not {kind(content)}; or pass check=False")
    for index, block in enumerate(content):
        _require_block(block, f"content[{index}] of reply()")
    called = any(block["type"] == "tool_use" for block in content)
    reason = message.get("stop_reason")
    if reason is not None:
        _require_stop_reason(reason, called)
    if not isinstance(message.get("usage"), dict | None):
        raise ScriptError(f"`usage` of reply() is an object, not {kind(message['usage'])}; or pass check=False")


def _require_block(block: object, where: str) -> None:
    if not isinstance(block, dict) or not isinstance(block.get("type"), str):
        raise ScriptError(f"{where} needs to be an object with a `type`; or pass check=False")
    known = BLOCKS.get(block["type"])
    if known is None or not known.replies:
        replies = [name for name, its in BLOCKS.items() if its.replies]
        raise ScriptError(f"{where} has type {block['type']!r}, which no reply holds{_nearest(block['type'], replies)}")
    missing = [member for member in known.required if member not in block and member != "id"]
    if missing:
        raise ScriptError(f"{where} ({known.name}) lacks {', '.join(missing)}; or pass check=False")
    for member, delta in known.streamed.items():
        needed = _STREAMED.get(delta)
        if needed is not None and member in block and not isinstance(block[member], needed):
            wanted = kind(needed())
            raise ScriptError(
                f"`{member}` of {where} ({known.name}) is {wanted}, not {kind(block[member])}; or pass check=False"
            )


_STREAMED: Mapping[str, type] = {
    "text_delta": str,
    "thinking_delta": str,
    "signature_delta": str,
    "input_json_delta": dict,
}
"""What a member must be to be delivered in deltas of this type."""


def _require_stop_reason(reason: object, called: bool) -> None:
    if not isinstance(reason, str):
        raise ScriptError(f"stop_reason is a string, not {kind(reason)}")
    if reason not in STOP_REASONS:
        raise ScriptError(f"stop_reason {reason!r} is none of the API's{_nearest(reason, list(STOP_REASONS))}")
    if reason == "tool_use" and not called:
        raise ScriptError(
            "a reply that stops with tool_use needs a call: add call(name, ...), or write reply({...}, check=False)"
        )


def _nearest(given: str, known: list[str]) -> str:
    match = get_close_matches(given, known, n=1)
    meant = f": did you mean {match[0]!r}?" if match else f" ({', '.join(known)})."
    return f"{meant} To send it all the same: reply({{...}}, check=False)"


def _json_copy(value: JsonObject, where: str) -> JsonObject:
    """The value as JSON would carry it, so that a later change of the caller's dict changes no script."""
    _require_json(value, where)
    copy: JsonObject = decode(encode(value))
    return copy


def _require_json(value: object, where: str, path: str = "") -> None:
    """Refuses what JSON cannot say, naming the place: the SDK would never hand it out."""
    if isinstance(value, dict):
        for key, member in value.items():
            if not isinstance(key, str):
                raise ScriptError(f"{where} is no JSON: the key {key!r}{_at(path)} is {kind(key)}, not a string")
            _require_json(member, where, f"{path}.{key}")
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            _require_json(item, where, f"{path}[{index}]")
    elif isinstance(value, float) and not math.isfinite(value):
        raise ScriptError(f"{where} is no JSON: {value}{_at(path)} is no number in JSON")
    elif value is not None and not isinstance(value, str | int | float):
        raise ScriptError(f"{where} is no JSON: {value!r}{_at(path)} is {kind(value)}")


def _at(path: str) -> str:
    return f" at {path.removeprefix('.')}" if path else ""


def _name(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 50 else f"a {type(value).__name__}"


def _shorten(text: str, size: int) -> str:
    return text if len(text) <= size else text[: size - 1] + "…"


def _show_text(data: JsonObject) -> str:
    return f"say {_shorten(encode_text(data['text']), 60)}"


def _show_call(data: JsonObject) -> str:
    arguments = ", ".join(f"{name}={_shorten(encode_text(value), 40)}" for name, value in data["input"].items())
    return f"call {data['name']}({_shorten(arguments, 60)})"


def _show_thinking(data: JsonObject) -> str:
    return f"think {_shorten(encode_text(data['thinking']), 60)}"


def _show_other(data: JsonObject) -> str:
    return str(data.get("type"))


_SHOWN: Mapping[str, Callable[[JsonObject], str]] = {
    "text": _show_text,
    "tool_use": _show_call,
    "thinking": _show_thinking,
}

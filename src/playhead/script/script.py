"""A script: steps in order, or a function that answers each request.

Law: frozen; checked when made. Playing it is the engine's work.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from playhead.errors import ScriptError
from playhead.script.faults import Drop, Fail, Raw, Sent
from playhead.script.steps import Block, Reply, Responder, Step, Turn, as_turn
from playhead.wire.codec import kind

Item: TypeAlias = Turn | Reply | Sent | Fail | Drop | Raw
"""What one request is answered with."""

ScriptLike: TypeAlias = "Script | Iterable[Step | Responder] | Responder"


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """`steps` in order. `responder` answers every request once they are played; without it the script is then over.

    Lone blocks among the steps become turns. Raises `ScriptError`, naming the step and how to write it.
    """

    steps: tuple[Step | Responder, ...] = ()
    responder: Responder | None = None

    def __post_init__(self) -> None:
        steps = tuple(_item(step, f"step {number}") for number, step in enumerate(self.steps, 1))
        object.__setattr__(self, "steps", steps)
        if self.responder is not None:
            _responder(self.responder, "the script")

    @property
    def endless(self) -> bool:
        return self.responder is not None

    def __len__(self) -> int:
        return len(self.steps)


def as_script(given: object) -> Script:
    """The script that was meant. Raises `ScriptError`, naming the step and how to write it."""
    if isinstance(given, Script):
        return given
    if isinstance(given, Block | Item):
        raise ScriptError("a script is a list of steps: put the step into brackets, FakeClaude([...])")
    if callable(given):
        return Script(responder=given)
    if isinstance(given, str | bytes | dict) or not isinstance(given, Iterable):
        raise ScriptError(f"a script is a list of steps such as say('Hello') and call('tool', ...), not {kind(given)}")
    return Script(steps=tuple(given))


def as_item(step: object, where: str) -> Item:
    """A step that can be played. Raises `ScriptError` for what is none, a function included."""
    if isinstance(step, Block):
        return as_turn(step)
    if isinstance(step, Item):
        return step
    raise ScriptError(f"{where} is {_shown(step)}: {_advice(step)}")


def _item(step: object, where: str) -> Item | Responder:
    if callable(step):
        return _responder(step, where)
    return as_item(step, where)


def _responder(function: object, where: str) -> Responder:
    if is_async(function):
        raise ScriptError(
            f"{where} is an async function: give a plain one, Request -> step; the fake calls it in place"
        )
    if isinstance(function, type):
        raise ScriptError(f"{where} is the class {function.__name__}: {_advice(function)}")
    return function  # type: ignore[return-value]


def is_async(function: object) -> bool:
    """Whether calling it gives a coroutine: an async function, or an object whose `__call__` is one."""
    return any(map(inspect.iscoroutinefunction, (function, getattr(function, "__call__", None))))  # noqa: B004


def _shown(step: object) -> str:
    shown = repr(step)
    return shown if len(shown) <= 60 else f"a {type(step).__name__}"


def _advice(step: object) -> str:
    if isinstance(step, str):
        return f"for text write say({step[:30]!r})"
    if isinstance(step, dict):
        return "for a whole message write reply({...})"
    if isinstance(step, list | tuple):
        return "for several blocks in one reply write turn(...)"
    if step is None:
        return "a function must return a step: say(...), call(...), turn(...) or reply(...)"
    return "a step is say(...), call(...), turn(...), reply(...), fail(...) and so on, or a function Request -> step"

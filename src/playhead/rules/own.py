"""Rules of one's own: a function with an id.

Law: checks a function when it is made a rule, so that a mistake is told where it was made, and wraps what it yields.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from difflib import get_close_matches
from typing import Any, Literal, TypeAlias

from playhead.errors import SetupError
from playhead.rules.registry import IDS
from playhead.rules.rule import LEVELS, Finding, Level, Rule

Where = Literal["request", "step", "answer", "end"]
Told: TypeAlias = Finding | tuple[str, str]
"""What a rule's function yields: a `Finding`, or a JSON path and a sentence."""

_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)+\Z")
_WHERE: tuple[Where, ...] = ("request", "step", "answer", "end")


def rule(
    id: str, *, level: Level = "broken", fix: str = "see the rule's own documentation", on: Where = "request"
) -> Callable[[Callable[[Any], Iterable[Told]]], Rule]:
    """Makes a function a rule; a decorator.

    The function takes one argument: a `RequestView` of one request (`on="request"`), a `StepView` of a request and
    the exchange it follows (`"step"`), an `Exchange` with its answer (`"answer"`) or an `EndView` of the whole
    session (`"end"`). It yields what is wrong: a JSON path and a sentence, or a `Finding`. A `reject` is answered by
    the fake with a 400 that says the sentence. Raises `SetupError` naming the function and how it should look.
    """

    def make(function: Callable[[Any], Iterable[Told]]) -> Rule:
        _require_form(id, level, on, function)

        def check(view: Any) -> Iterator[Finding]:
            for told in function(view):
                yield told if isinstance(told, Finding) else _finding(told, id)

        checks: dict[str, Any] = {on: check}
        return Rule(id=id, level=level, fix=fix.replace("{", "{{").replace("}", "}}"), **checks)

    return make


def _finding(told: object, id: str) -> Finding:
    match told:
        case (str() as path, str() as what):
            return Finding(path=path, what=what)
        case _:
            raise SetupError(f"the rule {id!r} yields a JSON path and a sentence, or a Finding, not {told!r}")


def _require_form(id: object, level: object, on: object, function: object) -> None:
    name = getattr(function, "__qualname__", repr(function))
    if not isinstance(id, str) or not _ID.match(id):
        raise SetupError(f"a rule's id is words joined by hyphens, such as 'no-empty-plan', not {id!r} ({name})")
    if id in IDS:
        raise SetupError(f"the rule {id!r} exists already; give {name} an id of its own")
    if level not in LEVELS:
        raise SetupError(f"the level of rule {id!r} is one of {', '.join(LEVELS)}, not {level!r}")
    if on not in _WHERE:
        near = get_close_matches(str(on), _WHERE, n=1)
        raise SetupError(f"rule {id!r}: on is one of {', '.join(_WHERE)}, not {on!r}{_meant(near)}")
    if not callable(function) or inspect.iscoroutinefunction(function):
        raise SetupError(f"the rule {id!r} needs a plain function, not {name}")
    try:
        inspect.signature(function).bind(object())
    except (TypeError, ValueError):
        signature = _signature(function)
        raise SetupError(
            f"the rule {id!r}: {name}{signature} cannot be called with one argument, the {on}'s view"
        ) from None


def _meant(near: list[str]) -> str:
    return f"; did you mean {near[0]!r}?" if near else ""


def _signature(function: Callable[..., object]) -> str:
    try:
        return str(inspect.signature(function))
    except ValueError:
        return "(...)"

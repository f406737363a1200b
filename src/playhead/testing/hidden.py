"""Failures that a loop keeps to itself: what it returns then is what it returns when Claude says nothing.

Law: pure questions on a `Run`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from types import SimpleNamespace

from playhead.rules.rule import Violation
from playhead.testing.own_rules import broken, shown
from playhead.testing.stage import Run
from playhead.wire.exchange import Exchange


def failures_told(run: Run) -> Iterator[Violation]:
    """A loop that returned after a failure what it returns for an empty answer, so that nobody can tell them apart.

    Of a text, a rule says whether it speaks of trouble; here only what has members is compared.
    """
    last = next((exchange for exchange in reversed(run.exchanges) if exchange.is_message), None)
    if len(run.endings) != 1 or run.endings[0].how != "returned" or last is None or not last.failed:
        return
    value, blank = _members(run.endings[0].value), _members(run.blank)
    said = [text for step in run.trial.steps for text in _texts(getattr(step, "blocks", ()))]
    if value and blank is not None and _are_alike(value, blank, said):
        rule, failure = _of_what(last)
        what = f"{failure}, and the loop returned what it returns where Claude says nothing: {shown(value)}"
        yield broken(rule, "$response", what, last.number)


def _of_what(exchange: Exchange) -> tuple[str, str]:
    """The rule on such a failure, and what it was."""
    begun = exchange.response is not None or exchange.events is not None
    if not begun or (exchange.status or 200) >= 400:
        return "api-error-surfaced", "the last request failed"
    if exchange.error is not None:
        return "sse-error-event-fails-turn", "the stream brought an error event"
    return "sse-missing-message-stop", "the stream ended without message_stop"


def _members(value: object) -> Mapping[str, object] | None:
    """The members of a dict or a plain object; None for anything else."""
    if isinstance(value, dict):
        return value
    if dataclasses.is_dataclass(value) or isinstance(value, SimpleNamespace):
        return {**getattr(value, "__dict__", {})}
    return None


def _are_alike(value: Mapping[str, object], blank: Mapping[str, object], said: list[str]) -> bool:
    """Whether two values differ in nothing but what came of Claude's words."""
    return value.keys() == blank.keys() and all(_is_alike(its, blank[name], said) for name, its in value.items())


def _is_alike(value: object, blank: object, said: list[str]) -> bool:
    if isinstance(value, str) and blank == "" and any(value in text for text in said):
        return True
    try:
        return type(value) is type(blank) and bool(value == blank)
    except Exception:  # noqa: BLE001 - what is compared is not ours
        return False


def _texts(blocks: object) -> Iterator[str]:
    for block in blocks if isinstance(blocks, list | tuple) else ():
        data = getattr(block, "data", None)
        if isinstance(data, dict) and isinstance(data.get("text"), str):
            yield data["text"]

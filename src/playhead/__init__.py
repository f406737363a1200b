"""Playhead rehearses Claude tool loops offline.

A fake Claude under the real `anthropic` SDK plays scripted replies and refuses what the real API refuses. Names are
imported when they are first used, so that `import playhead` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playhead.errors import ExpectationNotMet as ExpectationNotMet
    from playhead.errors import PlayheadError as PlayheadError
    from playhead.errors import RecordingError as RecordingError
    from playhead.errors import RehearsalFailed as RehearsalFailed
    from playhead.errors import RequestLimitReached as RequestLimitReached
    from playhead.errors import RuleViolations as RuleViolations
    from playhead.errors import ScriptError as ScriptError
    from playhead.errors import ScriptNotFinished as ScriptNotFinished
    from playhead.errors import ScriptOver as ScriptOver
    from playhead.errors import SecretFound as SecretFound
    from playhead.errors import SetupError as SetupError
    from playhead.errors import SeveralFailures as SeveralFailures
    from playhead.errors import UnknownFormat as UnknownFormat
    from playhead.fake import FakeClaude as FakeClaude
    from playhead.readers.table import load as load
    from playhead.rules.checker import api_error as api_error
    from playhead.rules.checker import check as check
    from playhead.rules.checker import check_request as check_request
    from playhead.rules.models import Model as Model
    from playhead.rules.models import Models as Models
    from playhead.rules.own import rule as rule
    from playhead.rules.rule import ApiError as ApiError
    from playhead.rules.rule import Finding as Finding
    from playhead.rules.rule import Rule as Rule
    from playhead.rules.rule import Violation as Violation
    from playhead.script.cases import when as when
    from playhead.script.faults import Delivery as Delivery
    from playhead.script.faults import cut as cut
    from playhead.script.faults import damage as damage
    from playhead.script.faults import deliver as deliver
    from playhead.script.faults import drop as drop
    from playhead.script.faults import fail as fail
    from playhead.script.faults import raw as raw
    from playhead.script.request import Request as Request
    from playhead.script.script import Script as Script
    from playhead.script.steps import call as call
    from playhead.script.steps import reply as reply
    from playhead.script.steps import say as say
    from playhead.script.steps import think as think
    from playhead.script.steps import turn as turn
    from playhead.wire.exchange import Exchange as Exchange
    from playhead.wire.session import Session as Session

__version__ = "0.1.0"

_HOMES = {
    "ApiError": "rules.rule",
    "Delivery": "script.faults",
    "Exchange": "wire.exchange",
    "ExpectationNotMet": "errors",
    "FakeClaude": "fake",
    "Finding": "rules.rule",
    "Model": "rules.models",
    "Models": "rules.models",
    "PlayheadError": "errors",
    "RecordingError": "errors",
    "RehearsalFailed": "errors",
    "Request": "script.request",
    "RequestLimitReached": "errors",
    "Rule": "rules.rule",
    "RuleViolations": "errors",
    "Script": "script.script",
    "ScriptError": "errors",
    "ScriptNotFinished": "errors",
    "ScriptOver": "errors",
    "Session": "wire.session",
    "SecretFound": "errors",
    "SetupError": "errors",
    "SeveralFailures": "errors",
    "UnknownFormat": "errors",
    "Violation": "rules.rule",
    "api_error": "rules.checker",
    "call": "script.steps",
    "check": "rules.checker",
    "check_request": "rules.checker",
    "cut": "script.faults",
    "damage": "script.faults",
    "deliver": "script.faults",
    "drop": "script.faults",
    "fail": "script.faults",
    "load": "readers.table",
    "raw": "script.faults",
    "reply": "script.steps",
    "rule": "rules.own",
    "say": "script.steps",
    "think": "script.steps",
    "turn": "script.steps",
    "when": "script.cases",
}

__all__ = sorted(_HOMES)  # noqa: PLE0605


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'playhead' has no attribute {name!r}")
    value = getattr(import_module(f"playhead.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*globals(), *__all__]

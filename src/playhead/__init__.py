"""Playhead rehearses Claude tool loops offline.

A fake Claude under the real `anthropic` SDK plays scripted replies and refuses what the real API refuses. Names are
imported when they are first used, so that `import playhead` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playhead.errors import CassetteNotFinished as CassetteNotFinished
    from playhead.errors import ExpectationNotMet as ExpectationNotMet
    from playhead.errors import PlayheadError as PlayheadError
    from playhead.errors import RecordingError as RecordingError
    from playhead.errors import RehearsalFailed as RehearsalFailed
    from playhead.errors import RequestLimitReached as RequestLimitReached
    from playhead.errors import RequestMismatch as RequestMismatch
    from playhead.errors import RuleViolations as RuleViolations
    from playhead.errors import ScriptError as ScriptError
    from playhead.errors import ScriptFileError as ScriptFileError
    from playhead.errors import ScriptNotFinished as ScriptNotFinished
    from playhead.errors import ScriptOver as ScriptOver
    from playhead.errors import SecretFound as SecretFound
    from playhead.errors import SetupError as SetupError
    from playhead.errors import SeveralFailures as SeveralFailures
    from playhead.errors import UnknownFormat as UnknownFormat
    from playhead.fake import FakeClaude as FakeClaude
    from playhead.readers.table import load as load
    from playhead.recording import Recording as Recording
    from playhead.recording import record as record
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
    from playhead.script.replies import block as block
    from playhead.script.replies import compact as compact
    from playhead.script.replies import fallback as fallback
    from playhead.script.replies import pause as pause
    from playhead.script.replies import redacted as redacted
    from playhead.script.replies import refuse as refuse
    from playhead.script.replies import truncated as truncated
    from playhead.script.replies import upload as upload
    from playhead.script.request import Request as Request
    from playhead.script.script import Script as Script
    from playhead.script.server_tools import by_code as by_code
    from playhead.script.server_tools import mcp as mcp
    from playhead.script.server_tools import mcp_listing as mcp_listing
    from playhead.script.server_tools import search as search
    from playhead.script.server_tools import server_call as server_call
    from playhead.script.server_tools import server_result as server_result
    from playhead.script.steps import call as call
    from playhead.script.steps import reply as reply
    from playhead.script.steps import say as say
    from playhead.script.steps import think as think
    from playhead.script.steps import turn as turn
    from playhead.serving import serve as serve
    from playhead.wire.exchange import Exchange as Exchange
    from playhead.wire.session import Session as Session

__version__ = "0.1.0"

_HOMES = {
    "ApiError": "rules.rule",
    "CassetteNotFinished": "errors",
    "Delivery": "script.faults",
    "Exchange": "wire.exchange",
    "ExpectationNotMet": "errors",
    "FakeClaude": "fake",
    "Finding": "rules.rule",
    "Model": "rules.models",
    "Models": "rules.models",
    "PlayheadError": "errors",
    "Recording": "recording",
    "RecordingError": "errors",
    "RehearsalFailed": "errors",
    "Request": "script.request",
    "RequestLimitReached": "errors",
    "RequestMismatch": "errors",
    "Rule": "rules.rule",
    "RuleViolations": "errors",
    "Script": "script.script",
    "ScriptError": "errors",
    "ScriptFileError": "errors",
    "ScriptNotFinished": "errors",
    "ScriptOver": "errors",
    "Session": "wire.session",
    "SecretFound": "errors",
    "SetupError": "errors",
    "SeveralFailures": "errors",
    "UnknownFormat": "errors",
    "Violation": "rules.rule",
    "api_error": "rules.checker",
    "block": "script.replies",
    "by_code": "script.server_tools",
    "call": "script.steps",
    "check": "rules.checker",
    "check_request": "rules.checker",
    "compact": "script.replies",
    "cut": "script.faults",
    "damage": "script.faults",
    "deliver": "script.faults",
    "drop": "script.faults",
    "fail": "script.faults",
    "fallback": "script.replies",
    "load": "readers.table",
    "mcp": "script.server_tools",
    "mcp_listing": "script.server_tools",
    "pause": "script.replies",
    "raw": "script.faults",
    "record": "recording",
    "serve": "serving",
    "redacted": "script.replies",
    "refuse": "script.replies",
    "reply": "script.steps",
    "rule": "rules.own",
    "say": "script.steps",
    "search": "script.server_tools",
    "server_call": "script.server_tools",
    "server_result": "script.server_tools",
    "think": "script.steps",
    "truncated": "script.replies",
    "turn": "script.steps",
    "upload": "script.replies",
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

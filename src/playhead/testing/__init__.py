"""What a test run does, without pytest: rehearsals, strategies, the conformance kit.

Names resolve on first use, since the kit loads Hypothesis.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playhead.testing.findings import Finding as Finding
    from playhead.testing.findings import Report as Report
    from playhead.testing.kit import check_loop as check_loop
    from playhead.testing.machine import chat_machine as chat_machine
    from playhead.testing.suite import conformance as conformance
    from playhead.testing.tools import raises as raises
    from playhead.testing.tools import returns as returns

_HOMES = {
    "Finding": "playhead.testing.findings",
    "Report": "playhead.testing.findings",
    "chat_machine": "playhead.testing.machine",
    "check_loop": "playhead.testing.kit",
    "conformance": "playhead.testing.suite",
    "raises": "playhead.testing.tools",
    "returns": "playhead.testing.tools",
}

__all__ = ["Finding", "Report", "chat_machine", "check_loop", "conformance", "raises", "returns"]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__

"""pytest-recording with Playhead's cassettes: what the ini options `playhead_vcr...` ask for.

Law: thin and light, as `pytest_plugin.py`, which brings it; it loads nothing of ours, and not vcrpy, unless
pytest-recording opens a cassette and the suite asks for this. A suite that asks for nothing is left as it is.
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playhead.readers.vcr import Bridge

_BRIDGE: pytest.StashKey[Bridge | None] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("playhead_vcr", "@pytest.mark.vcr: Playhead's format and matching", type="bool", default=False)
    parser.addini("playhead_vcr_volatile", "@pytest.mark.vcr: what may differ", type="args", default=[])
    parser.addini("playhead_vcr_rules", "@pytest.mark.vcr: judge by Playhead's rules", type="bool", default=False)


@pytest.hookimpl(optionalhook=True, wrapper=True)
def pytest_recording_configure(config: pytest.Config, vcr: Any) -> Generator[None, object, object]:
    """pytest-recording makes a `VCR` for each test. What a suite's own hook registers takes the place of ours."""
    if config.getini("playhead_vcr"):
        from playhead.errors import SetupError
        from playhead.readers.vcr import register

        try:
            register(vcr, volatile=config.getini("playhead_vcr_volatile"))
        except SetupError as error:
            raise pytest.UsageError(f"playhead_vcr_volatile: {error}") from None
    result = yield
    bridge = sys.modules.get("playhead.readers.vcr")
    config.stash[_BRIDGE] = bridge.bridge_of(vcr) if bridge is not None else None
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    __tracebackhide__ = True
    cassette = getattr(item, "funcargs", {}).get("vcr")
    bridge = item.config.stash.get(_BRIDGE, None) if cassette is not None else None
    try:
        result = yield
    except BaseException as error:
        told = bridge.explain(error) if bridge is not None else None
        if told is not None:
            error.add_note(told)
        raise
    if cassette is not None and item.config.getini("playhead_vcr_rules"):
        _judge(cassette, item.config)
    return result


def _judge(cassette: Any, config: pytest.Config) -> None:
    """Raises `RuleViolations` for what the test said to Claude."""
    __tracebackhide__ = True
    from playhead.errors import RuleViolations, SetupError
    from playhead.plugins import installed_rules
    from playhead.readers.vcr import session_of
    from playhead.rules.checker import check
    from playhead.rules.choice import choose
    from playhead.rules.report import report

    ignored = [*config.getini("playhead_ignore"), *config.getoption("--playhead-ignore")]
    try:
        rules = choose(installed_rules(), ignored, config.getoption("--playhead-level") or "broken")
    except SetupError as error:
        raise pytest.UsageError(str(error)) from None
    violations = check(session_of(cassette), only=rules)
    if violations:
        raise RuleViolations(report(violations), violations)

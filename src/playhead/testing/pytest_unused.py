"""The part of the pytest plugin that tells which cassettes a run has not opened; loaded where that is asked for.

Law: registered by the plugin, and knows pytest's hooks; what a cassette is, `places` knows.

A run that left out tests cannot tell, and says so. What is opened is seen by Python's audit of opened files, so that it
does not matter how a test opens a cassette; other processes are not seen.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

from playhead.testing.places import FOLDER, unused

_SENT = "playhead_unused"


class Unused:
    """Collects what is opened, in this process and in the workers of pytest-xdist."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._opened: set[str] = set()
        self._folders: set[str] = set()
        self._left_out = 0
        self._collected = 0
        self._found: list[str] = []
        self._over = False

    def audit(self, event: str, arguments: tuple[object, ...]) -> None:
        """An audit hook of Python's, which cannot be taken away again."""
        if event == "open" and not self._over and arguments and isinstance(arguments[0], str | bytes):
            self._opened.add(os.path.abspath(os.fsdecode(arguments[0])))

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        """Tests were left out."""
        self._left_out += len(items)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """The folders beside test files."""
        self._collected += len(items)
        self._folders |= {str(item.path.parent / FOLDER) for item in items}

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """A worker of pytest-xdist is done, and tells what it saw."""
        sent = getattr(node, "workeroutput", {}).get(_SENT)
        if sent is not None:
            self._opened |= set(sent["opened"])
            self._folders |= set(sent["folders"])
            self._left_out = max(self._left_out, sent["left_out"])

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Looks for cassettes that were not opened."""
        self._over = True
        to_the_controller = getattr(self._config, "workeroutput", None)
        if to_the_controller is not None:
            opened = [path for path in self._opened if os.path.splitext(path)[1] not in (".py", ".pyc")]
            to_the_controller[_SENT] = {
                "opened": opened,
                "folders": sorted(self._folders),
                "left_out": self._left_out,
            }
            return
        self._found = unused(self._folders, self._opened)
        fails = self._config.getoption("--playhead-unused") == "fail"
        if self._found and fails and not self._partial and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Lists them."""
        if getattr(self._config, "workeroutput", None) is not None or not self._found:
            return
        count = len(self._found)
        terminalreporter.section("cassettes that nothing has opened")
        for path in self._found:
            terminalreporter.line(os.path.relpath(path))
        for line in self._told(count):
            terminalreporter.line(line)

    @property
    def _partial(self) -> bool:
        """Whether tests were left out, or single ones were named."""
        return bool(self._left_out) or any("::" in argument for argument in self._config.args)

    def _told(self, count: int) -> Iterator[str]:
        them = "it" if count == 1 else "them"
        yield f"{count} unused: delete {them}, or find out which test should open {them}"
        if self._partial:
            yield "but not all tests were run, so this fails nothing"

"""The smoke test of every SDK version, on the suite's own."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path

import pytest

# `tests/sdk_matrix.py` runs it as a program, in environments without pytest
CHECKS: dict[str, Callable[[], None]] = runpy.run_path(str(Path(__file__).with_name("smoke.py")))["CHECKS"]


@pytest.mark.parametrize("name", CHECKS)
def test_it_works_on_this_version(name: str) -> None:
    """Everything that the fake can do works on the newest SDK, and nothing is skipped there."""
    CHECKS[name]()

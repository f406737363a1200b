"""`docs/faults.md` says what is so: its tables are made by running every step through the SDK."""

from __future__ import annotations

import re
import time
from pathlib import Path
from types import ModuleType
from typing import get_args

import anthropic
import pytest

from playhead.script.faults import Connection, Ending
from playhead.wire.damage import DAMAGES
from scripts import loaded

ROOT = Path(__file__).resolve().parents[1]
PAGE, SCRIPT = ROOT / "docs" / "faults.md", ROOT / "bench" / "fault_table.py"


@pytest.fixture(scope="module")
def page() -> str:
    if not PAGE.is_file():
        pytest.skip("docs/ is not part of this checkout")
    return PAGE.read_text("utf-8")


@pytest.fixture(scope="module")
def script() -> ModuleType:
    if not SCRIPT.is_file():
        pytest.skip("bench/ is not part of this checkout")
    return loaded(SCRIPT)


def test_the_tables(page: str, script: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are what the script prints; where this fails, put the left side between the two comments."""
    match = re.search(r"<!-- faults: [^\n]*-->\n(.*?)\n?<!-- /faults -->", page, re.DOTALL)
    assert match is not None
    made_with = re.match(r"What the Python SDK anthropic (\S+) makes of each step:\n", match[1])
    assert made_with is not None
    if made_with[1] != anthropic.__version__:
        pytest.skip(f"the tables are of anthropic {made_with[1]}, this is {anthropic.__version__}")
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    assert script.tables() == match[1]


def test_every_fault_is_in_them(page: str, script: ModuleType) -> None:
    """Each way to drop, to cut and to damage has its row."""
    steps = [step for section in script.SECTIONS for step in section.steps]
    assert all(f"| `{step}`" in page for step in steps)
    for how in get_args(Connection):
        assert any(f'drop("{how}"' in step for step in steps)
    for how in get_args(Ending):
        assert how == "reset" or any(f'how="{how}"' in step for step in steps)
    assert all(f'damage(reply, "{name}")' in steps for name in DAMAGES)
    assert all(how in page for how in (*get_args(Connection), *get_args(Ending)))

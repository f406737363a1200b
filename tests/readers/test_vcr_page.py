"""docs/vcrpy.md: its code runs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import vcr

PAGE = Path(__file__).resolve().parents[2] / "docs" / "vcrpy.md"


def test_its_code_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Block by block, in an empty folder; the conftest's hook is called."""
    if not PAGE.is_file():
        pytest.skip("docs/ is not part of this checkout")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert len(blocks) == 3
    for block in blocks:
        exec(compile(block, "vcrpy.md", "exec"), names)
    my_vcr = vcr.VCR()
    names["pytest_recording_configure"](None, my_vcr)
    assert my_vcr.serializer == "playhead"

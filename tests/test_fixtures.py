"""The files in fixtures/ say what they claim to say."""

from __future__ import annotations

import json
from pathlib import Path

from playhead.loop import date_tools

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"


def test_date_tools_are_current() -> None:
    """The schemas in the file are the ones that the registry sends."""
    assert json.loads((FIXTURES / "date_tools.json").read_text("utf-8")) == date_tools([]).schemas

"""docs/search.md says what the code does: its tables are made of it, its example finds what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kit_loops import Loop, answers
from playhead.testing import check_loop
from playhead.testing.capabilities import CAPABILITIES, capabilities_table
from playhead.testing.own_rules import own_rules_table

PAGE = Path(__file__).resolve().parents[2] / "docs" / "search.md"


@pytest.fixture
def page() -> str:
    if not PAGE.is_file():
        pytest.skip("docs/ is not part of this checkout")
    return PAGE.read_text("utf-8")


@pytest.mark.parametrize(("name", "table"), [("capabilities", capabilities_table()), ("own rules", own_rules_table())])
def test_the_page_has_the_table(page: str, name: str, table: str) -> None:
    """Where this fails, put the left side between the two comments."""
    match = re.search(rf"<!-- {name}: [^\n]*-->\n(.*?)\n?<!-- /{name} -->", page, re.DOTALL)
    assert match is not None
    assert table == match[1]


def test_the_example_is_what_is_found(page: str) -> None:
    """A loop that answers the first call alone: the script, the rule and the place that the page shows."""
    report = check_loop(
        Loop(results=lambda calls, functions: answers(calls[:1], functions)), only=["parallel-calls"], max_examples=20
    )
    text = str(report)
    for line in ("parallel-calls: tool-use-unanswered", 'call("look_up", key=""), call("look_up", key="")'):
        assert line in text
        assert line in page
    assert f"of {len(CAPABILITIES) - 2} capabilities" in page

"""docs/redaction.md: its code runs, and its tables are those of the code."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from playhead.cassettes.headers import REQUEST_HEADERS, RESPONSE_HEADERS
from playhead.rules.headers import KEY_HEADERS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "redaction.md"


@pytest.fixture(scope="module")
def page() -> str:
    if not PAGE.is_file():
        pytest.skip("docs/ is not part of this checkout")
    return PAGE.read_text("utf-8")


def test_its_code_runs_and_gives_what_it_says(page: str) -> None:
    """The last line of the block, and the value in its comment."""
    (block,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    *_, last = block.strip().splitlines()
    call, _, result = last.partition("  # ")
    names: dict[str, Any] = {}
    exec(compile(block, "redaction.md", "exec"), names)
    assert repr(eval(call, names)).replace("'", '"') == result


def test_its_tables_name_every_header_that_is_kept(page: str) -> None:
    """No header is kept that the page does not tell."""
    rows = [row.split("|")[1:3] for row in page.splitlines() if row.startswith("| `")]
    requests, answers = (set(re.findall(r"`([a-z0-9*-]+)`", "".join(column))) for column in zip(*rows, strict=True))
    assert requests == {*REQUEST_HEADERS, *KEY_HEADERS}
    assert answers == {*RESPONSE_HEADERS, "anthropic-ratelimit-*"}

"""`docs/recordings.md` says what is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from playhead.cassettes import yaml_document
from playhead.readers import body, depth, source
from playhead.readers.table import FORMATS, SHAPES, formats_table

PAGE = Path(__file__).resolve().parents[2] / "docs" / "recordings.md"


@pytest.fixture(scope="module")
def page() -> str:
    if not PAGE.is_file():
        pytest.skip("docs/ is not part of this checkout")
    return PAGE.read_text("utf-8")


def test_the_table_of_formats(page: str) -> None:
    """The page has the table that the formats give; where this fails, put the left side between its two comments."""
    match = re.search(r"<!-- formats: [^\n]*-->\n(.*?)\n?<!-- /formats -->", page, re.DOTALL)
    assert match is not None
    assert formats_table() == match[1]


def test_every_format_is_described() -> None:
    """No cell of the table is empty or breaks it."""
    for known in (*SHAPES, *FORMATS):
        for cell in (known.name, known.about, known.tells):
            assert cell.strip()
            assert "|" not in cell
            assert "\n" not in cell


def test_the_limits(page: str) -> None:
    """The limits are those of the code."""
    megabyte = 1024 * 1024
    assert f"unzipped | {source.MAX_DOCUMENT // megabyte // 1024} GB |" in page
    assert f"event of a stream | {source.MAX_LINE // megabyte} MB |" in page
    assert f"beside a recording | {body.MAX_BODY // megabyte} MB |" in page
    assert f"or a line | {depth.MAX_NESTING} levels |" in page
    assert f"a YAML document | {yaml_document.MAX_DEPTH} levels |" in page
    assert f"document repeat | {yaml_document.MAX_ALIASED // 1_000_000} million values" in page
    assert f"of up to {source.MAX_KEPT // megabyte} MB" in page

"""What the rules call broken in real recordings is defended in docs/verdicts.md, verdict by verdict."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pytest

from playhead.errors import RecordingError
from playhead.readers.table import load
from playhead.rules.checker import check
from playhead.rules.registry import IDS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "verdicts.md"
Verdict = tuple[str, str, str]


def listed() -> list[Verdict]:
    """Repository, recording and rule of each row of the first table."""
    table = PAGE.read_text("utf-8").partition("## Verdicts that stand")[2].partition("###")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if line[:1] == "|"]
    return [(repo, path, rule) for repo, path, rule in rows[2:]]


def test_the_list_is_in_order_and_has_no_row_twice() -> None:
    """A list that is sorted shows what is new in it; its rules exist."""
    assert listed() == sorted(set(listed()))
    assert {rule for _, _, rule in listed()} <= IDS
    assert listed()


def test_every_repository_is_defended() -> None:
    """Each row's repository stands in the heading of a paragraph that says what its code did."""
    headings = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("### ")]
    for repo, _, _ in listed():
        assert any(repo in heading for heading in headings), repo


def test_what_is_called_broken_is_what_is_listed() -> None:
    """Over all recordings: no verdict without a defence, no defence without a verdict."""
    folder = os.environ.get("PLAYHEAD_SHARED")
    corpus = Path(folder or "") / "corpus"
    if not folder or not (corpus / "manifest.tsv").is_file():
        pytest.skip("PLAYHEAD_SHARED does not name a folder with real recordings")
    found: set[Verdict] = set()
    with (corpus / "manifest.tsv").open(encoding="utf-8") as manifest:
        for row in csv.DictReader(manifest, delimiter="\t"):
            try:
                session = load(corpus / row["repo"].replace("/", "+") / row["path"])
            except RecordingError:
                continue
            found |= {(row["repo"], row["path"], v.rule) for v in check(session) if v.level == "broken"}
    assert sorted(found) == listed()

"""Real recordings, where they are at hand: `$PLAYHEAD_SHARED/corpus`."""

from __future__ import annotations

import csv
import os
from collections import Counter
from pathlib import Path

import pytest

from playhead.errors import RecordingError
from playhead.readers.table import load
from playhead.wire.session import Session

CORPUS = Path(os.environ.get("PLAYHEAD_SHARED", "")) / "corpus"
pytestmark = pytest.mark.skipif(
    not os.environ.get("PLAYHEAD_SHARED") or not (CORPUS / "manifest.tsv").is_file(),
    reason="PLAYHEAD_SHARED does not name a folder with real recordings",
)


@pytest.fixture(scope="module")
def rows() -> list[dict[str, str]]:
    with (CORPUS / "manifest.tsv").open(encoding="utf-8") as manifest:
        return list(csv.DictReader(manifest, delimiter="\t"))


def path_of(row: dict[str, str]) -> Path:
    return CORPUS / row["repo"].replace("/", "+") / row["path"]


@pytest.fixture(scope="module")
def sessions(rows: list[dict[str, str]]) -> dict[str, Session | RecordingError]:
    found: dict[str, Session | RecordingError] = {}
    for row in rows:
        try:
            found[row["id"]] = load(path_of(row))
        except RecordingError as error:
            found[row["id"]] = error
    return found


def test_nearly_all_load(sessions: dict[str, Session | RecordingError], rows: list[dict[str, str]]) -> None:
    """At least 99 % of the files are read, of no format less than 9 in 10."""
    failed = Counter(row["format"] for row in rows if isinstance(sessions[row["id"]], RecordingError))
    every = Counter(row["format"] for row in rows)
    assert failed.total() <= 0.01 * len(rows), failed
    assert {name: count for name, count in failed.items() if count > every[name] / 10} == {}


def test_no_exchange_is_missing(sessions: dict[str, Session | RecordingError], rows: list[dict[str, str]]) -> None:
    """Every call for a message in a cassette is an exchange, and whatever is none was counted."""
    short = []
    for row in rows:
        session = sessions[row["id"]]
        if row["kind"] != "cassette" or isinstance(session, RecordingError):
            continue
        messages = sum(exchange.is_message for exchange in session.exchanges)
        every = len(session.exchanges) + sum(session.skipped.values())
        if messages < int(row["anthropic_interactions"]) or every < int(row["interactions"]):
            short.append(row["id"])
    assert len(short) <= 0.01 * len(rows), short

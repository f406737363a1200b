"""What the API really refused, in recordings: the rules say the same, in the same words."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pytest

from playhead.readers.table import load
from playhead.rules.checker import check

# said by clouds' copies of the API, which take other sources and tools than the API itself
NOT_TO_BE_KNOWN = (
    "URL sources are not supported",
    "does not match any of the expected tags: 'bash_20250124', 'custom'",
)


def test_every_recorded_400_is_predicted() -> None:
    """Of the violations found in a refused request, one has the API's text to the letter."""
    folder = os.environ.get("PLAYHEAD_SHARED")
    if not folder:
        pytest.skip("PLAYHEAD_SHARED is not set: the recordings are not part of the project")
    corpus = Path(folder) / "corpus"
    with (corpus / "manifest.tsv").open(encoding="utf-8") as manifest:
        rows = [row for row in csv.DictReader(manifest, delimiter="\t") if "error" in row["features"]]
    refused, missed = 0, []
    for row in rows:
        session = load(corpus / row["repo"].replace("/", "+") / row["path"])
        texts = {(violation.exchange, violation.api) for violation in check(session)}
        for exchange in session.exchanges:
            error = exchange.error or {}
            if exchange.status != 400 or exchange.request is None or error.get("type") != "invalid_request_error":
                continue
            refused += 1
            text = str(error.get("message"))
            if (exchange.number, text) not in texts and not any(known in text for known in NOT_TO_BE_KNOWN):
                missed.append((row["id"], text))
    assert missed == []
    assert refused >= 5

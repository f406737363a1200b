"""Braintrust's JavaScript cassettes."""

from __future__ import annotations

import base64
import copy
import gzip
from pathlib import Path
from typing import Any

import pytest

from playhead.errors import RecordingError
from playhead.readers.braintrust_js import SHAPE
from playhead.readers.table import load, session_of
from readers.samples import ANSWER, BRAINTRUST, MESSAGE, REQUEST, SENT, STREAM, as_json

BODIES: dict[str, object] = {
    "json": {"kind": "json", "value": MESSAGE},
    "text": {"kind": "text", "value": ANSWER},
    "events": {"kind": "sse", "chunks": STREAM.strip().split("\n\n")},
    "events with their ends": {"kind": "sse", "chunks": [f"{chunk}\n\n" for chunk in STREAM.strip().split("\n\n")]},
    "base64": {"kind": "base64", "value": base64.b64encode(ANSWER.encode()).decode()},
    "plain": ANSWER,
}


def with_answer(body: object) -> dict[str, Any]:
    document: dict[str, Any] = copy.deepcopy(BRAINTRUST)
    document["entries"][0]["response"]["body"] = body
    return document


@pytest.mark.parametrize("kind", BODIES)
def test_kinds_of_bodies(kind: str) -> None:
    """Each kind gives the same message."""
    assert session_of(as_json(with_answer(BODIES[kind])), "x").exchanges[0].response == MESSAGE


def test_a_request_in_another_file(tmp_path: Path) -> None:
    """A large request is kept in a blob beside the cassette; where that is not there it is unknown, not empty."""
    document = with_answer(BODIES["json"])
    blob = {"kind": "binary", "path": "tides.cassette.blobs/x.bin", "contentType": "application/json", "sha256": "x"}
    document["entries"][0]["request"]["body"] = blob
    path = tmp_path / "tides.cassette.json"
    path.write_bytes(as_json(document))
    for found in (session_of(as_json(document), "x"), load(path)):
        (exchange,) = found.exchanges
        assert (exchange.request, exchange.response, exchange.is_message) == (None, MESSAGE, True)
    (tmp_path / "tides.cassette.blobs").mkdir()
    (tmp_path / "tides.cassette.blobs" / "x.bin").write_bytes(gzip.compress(SENT.encode()))
    assert load(path).exchanges[0].request == REQUEST


@pytest.mark.parametrize("kind", ["empty", "binary"])
def test_bodies_that_are_not_there(kind: str) -> None:
    """An empty body, and a blob without its path, tell nothing."""
    assert session_of(as_json(with_answer({"kind": kind})), "x").exchanges[0].response is None


def test_damage_is_named() -> None:
    """Bad base64 and chunks that are no list are named by their place."""
    for body, place in (
        ({"kind": "base64", "value": "?"}, "body.value"),
        ({"kind": "sse", "chunks": 5}, "body.chunks"),
    ):
        with pytest.raises(RecordingError, match=rf"entries\[0\].response.{place}"):
            session_of(as_json(with_answer(body)), "x")


def test_shape() -> None:
    """Told by the `matchKey` of the first entry."""
    assert SHAPE.fits(BRAINTRUST)
    assert not SHAPE.fits({"entries": []})

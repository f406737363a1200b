"""HTTP archives."""

from __future__ import annotations

import base64
import copy
import json
from typing import Any

import pytest

from playhead.errors import RecordingError
from playhead.readers.har import SHAPE
from playhead.readers.table import session_of
from readers.samples import HAR, MESSAGE, STREAM, as_json


def with_content(**content: object) -> dict[str, Any]:
    document: dict[str, Any] = copy.deepcopy(HAR)
    document["log"]["entries"][0]["response"]["content"] = content
    return document


def test_content_in_base64() -> None:
    """Browsers keep binary text as base64, Polly.JS as a JSON list of base64 pieces."""
    half = len(STREAM) // 2
    pieces = [base64.b64encode(part.encode()).decode() for part in (STREAM[:half], STREAM[half:])]
    for text in (base64.b64encode(STREAM.encode()).decode(), json.dumps(pieces)):
        assert session_of(as_json(with_content(text=text, encoding="base64")), "a.har").exchanges[0].response == MESSAGE
    with pytest.raises(RecordingError, match=r"log.entries\[0\].response.content.text"):
        session_of(as_json(with_content(text="[?", encoding="base64")), "a.har")


def test_no_answer() -> None:
    """Status 0 means that the browser got no answer: it is unknown."""
    document = with_content()
    document["log"]["entries"][0]["response"]["status"] = 0
    (exchange,) = session_of(as_json(document), "a.har").exchanges
    assert (exchange.status, exchange.response) == (None, None)


def test_shape() -> None:
    """Told by `log.entries`."""
    assert SHAPE.fits(HAR)
    assert not SHAPE.fits({"log": []})

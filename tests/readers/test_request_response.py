"""Pairs of request and response."""

from __future__ import annotations

import base64

import pytest

from playhead.errors import RecordingError
from playhead.readers.request_response import SHAPE
from playhead.readers.table import session_of
from readers.samples import ANSWER, MESSAGE, PAIR, REQUEST, URL, as_json

ANSWERS: tuple[dict[str, object], ...] = (
    {"status": 200, "body": ANSWER},
    {"status_code": 200, "body": MESSAGE},
    {"statusCode": "200", "json": MESSAGE},
    {"code": 200, "content": ANSWER},
    {"status": {"code": 200}, "body": base64.b64encode(ANSWER.encode()).decode(), "encoding": "base64"},
)


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: " ".join(answer))
def test_names_of_members(answer: dict[str, object]) -> None:
    """Status and body under the names that writers use."""
    (exchange,) = session_of(as_json({"request": {"uri": URL, "body": REQUEST}, "response": answer}), "x").exchanges
    assert (exchange.status, exchange.response, exchange.request) == (200, MESSAGE, REQUEST)
    assert (exchange.method, exchange.headers) == ("POST", None)


def test_damage_is_named() -> None:
    """What is no pair, and bad base64, are named by their place."""
    with pytest.raises(RecordingError, match=r"\$\[1\]"):
        session_of(as_json([PAIR, 5]), "x")
    answer = {"body": "?", "encoding": "base64"}
    with pytest.raises(RecordingError, match=r"\$\[0\].response.body"):
        session_of(as_json({"request": {"url": URL}, "response": answer}), "x")


def test_shape() -> None:
    """A pair, or a list that begins with one."""
    assert SHAPE.fits(PAIR)
    assert SHAPE.fits([PAIR])
    assert not SHAPE.fits({"request": "x", "response": "y"})

"""WireMock's stub mappings."""

from __future__ import annotations

import base64
import copy
from typing import Any

import pytest

from playhead.errors import RecordingError
from playhead.readers.table import session_of
from playhead.readers.wiremock import SHAPE
from readers.samples import ANSWER, MESSAGE, PAIR, REQUEST, SENT, WIREMOCK, as_json

ANSWERS: dict[str, dict[str, object]] = {
    "json": {"jsonBody": MESSAGE},
    "text": {"body": ANSWER},
    "base64": {"base64Body": base64.b64encode(ANSWER.encode()).decode()},
}


def mapping(**answer: object) -> dict[str, Any]:
    document: dict[str, Any] = copy.deepcopy(WIREMOCK)
    document["response"] = {"status": 200, **answer}
    return document


@pytest.mark.parametrize("kind", ANSWERS)
def test_answers(kind: str) -> None:
    """An answer may be JSON, text or base64."""
    (exchange,) = session_of(as_json(mapping(**ANSWERS[kind])), "tide.json").exchanges
    assert exchange.response == MESSAGE
    assert exchange.headers == {"anthropic-version": "2023-06-01"}


def test_an_answer_in_another_file() -> None:
    """`bodyFileName` names a file beside the mapping: the request is told, the answer is not."""
    (exchange,) = session_of(as_json(mapping(bodyFileName="tide.txt")), "tide.json").exchanges
    assert (exchange.request, exchange.response, exchange.status) == (REQUEST, None, 200)


def test_patterns_of_bodies() -> None:
    """`equalTo` and `equalToJson`, text or object, are bodies; other patterns tell none."""
    for pattern, body in (({"equalTo": SENT}, REQUEST), ({"equalToJson": REQUEST}, REQUEST), ({"matches": ".*"}, None)):
        document = mapping(jsonBody=MESSAGE)
        document["request"]["bodyPatterns"] = [pattern]
        assert session_of(as_json({"mappings": [document]}), "tide.json").exchanges[0].request == body


def test_damage_is_named() -> None:
    """Bad base64 is named by its place."""
    with pytest.raises(RecordingError, match="base64Body"):
        session_of(as_json(mapping(base64Body="?")), "tide.json")


def test_shape() -> None:
    """Told from a plain pair of request and response by its patterns."""
    assert SHAPE.fits(WIREMOCK)
    assert SHAPE.fits({"mappings": [WIREMOCK]})
    assert not SHAPE.fits(PAIR)

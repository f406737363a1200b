"""WireMock's stub mappings."""

from __future__ import annotations

import base64
import copy
from pathlib import Path
from typing import Any

import pytest

from playhead.errors import RecordingError
from playhead.readers.table import load, session_of
from playhead.readers.wiremock import SHAPE
from readers.samples import ANSWER, MESSAGE, PAIR, REQUEST, SENT, STREAM, WIREMOCK, as_json

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


@pytest.mark.parametrize("folder", ["mappings", "mappings/tides", "."])
def test_an_answer_in_another_file(folder: str, tmp_path: Path) -> None:
    """`bodyFileName` names a file of `__files`, beside `mappings` or beside the mapping itself."""
    path = tmp_path / folder / "tide.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(as_json(mapping(bodyFileName="claude/tide.txt")))
    (exchange,) = load(path).exchanges
    assert (exchange.request, exchange.response, exchange.status) == (REQUEST, None, 200)
    (tmp_path / "__files" / "claude").mkdir(parents=True)
    (tmp_path / "__files" / "claude" / "tide.txt").write_bytes(STREAM.encode())
    assert load(path).exchanges[0].response == MESSAGE


@pytest.mark.parametrize("name", ["../secret.json", "a/../../secret.json", "link.json", "folder"])
def test_an_answer_elsewhere_is_not_read(name: str, tmp_path: Path) -> None:
    """A name that leads out of the recording's folder, and one that is no file, is an error that names the call."""
    path = tmp_path / "stubs" / "tide.json"
    (tmp_path / "stubs" / "__files" / "folder").mkdir(parents=True)
    (tmp_path / "secret.json").write_bytes(ANSWER.encode())
    (tmp_path / "stubs" / "__files" / "link.json").symlink_to(tmp_path / "secret.json")
    path.write_bytes(as_json(mapping(bodyFileName=name)))
    with pytest.raises(RecordingError, match=r"mappings\[0\]\.response\.body: the file .* cannot be read: "):
        load(path)


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

"""Pairs of request and response."""

from __future__ import annotations

import base64
import json
import tracemalloc
from collections.abc import Iterator

import pytest

from playhead.errors import RecordingError
from playhead.readers.request_response import SHAPE
from playhead.readers.source import Source
from playhead.readers.table import session_from, session_of
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


def lines(*pairs: object) -> bytes:
    return b"".join(json.dumps(pair).encode() + b"\n" for pair in pairs)


def test_pairs_on_lines() -> None:
    """A log with a call on each line is the session that a list of them is."""
    pairs = [PAIR, {**PAIR, "note": "x" * 70_000}, PAIR]
    session = session_of(lines(*pairs), "x")
    assert session.format == "request-response-lines"
    assert session.exchanges == session_of(as_json(pairs), "x").exchanges
    for data in (b"\xef\xbb\xbf" + lines(*pairs), lines(*pairs).replace(b"\n", b"\r\n\n"), lines(*reversed(pairs))):
        assert len(session_of(data, "x").exchanges) == 3
    assert session_of(lines(PAIR), "x").format == "JSON request and response"


def test_a_first_line_beyond_the_head() -> None:
    """Requests of a real client are longer than what tells a format, and their response comes after them."""
    request = {**PAIR["request"], "note": "x" * 100_000}  # type: ignore[dict-item]
    session = session_of(lines({"request": request, "response": PAIR["response"]}, PAIR), "x")
    assert (session.format, len(session.exchanges)) == ("request-response-lines", 2)


@pytest.mark.parametrize(
    ("damaged", "sentence"),
    [
        (lines(PAIR) + b'{"request": {', r"^x:2: this line is no JSON .*; was the file cut\?"),
        (lines(PAIR, 5), r"^x: lines\[2\]: an object is needed, this is a number"),
        (lines(PAIR, {**PAIR, "request": "x"}), r"^x: lines\[2\].request: an object is needed, this is a string"),
    ],
    ids=["cut", "no-object", "no-request"],
)
def test_damaged_lines_are_named(damaged: bytes, sentence: str) -> None:
    """What is wrong with a line is told with its number."""
    with pytest.raises(RecordingError, match=sentence):
        session_of(damaged, "x")


def test_a_log_of_a_long_session_is_not_held_in_memory() -> None:
    """Every request repeats the ones before it; what is kept is what was said."""
    sizes = [0]

    def log() -> Iterator[bytes]:
        messages: list[object] = []
        for number in range(200):
            asked = {"role": "user", "content": f"{number} ".ljust(600, "~")}
            messages += [asked, {"role": "assistant", "content": "ho"}]
            body = json.dumps({**REQUEST, "messages": messages[:-1]})
            line = lines({"request": {"url": URL, "body": body}, "response": {"status": 200, "body": ANSWER}})
            sizes.append(sizes[-1] + len(line))
            yield line

    tracemalloc.start()
    try:
        session = session_from(Source(name="x", begin=log))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(session.exchanges) == 200
    assert len(session.conversations) == 1
    assert peak < sizes[-1] / 4


def test_shape() -> None:
    """A pair, or a list that begins with one."""
    assert SHAPE.fits(PAIR)
    assert SHAPE.fits([PAIR])
    assert not SHAPE.fits({"request": "x", "response": "y"})

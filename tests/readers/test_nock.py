"""nock's recordings."""

from __future__ import annotations

import gzip

from playhead.readers.nock import SHAPE
from playhead.readers.table import session_of
from readers.samples import ANSWER, MESSAGE, NOCK, STREAM, as_json


def test_packed_answers_in_hex() -> None:
    """A packed answer is hex text, in one piece or several."""
    packed = gzip.compress(ANSWER.encode()).hex()
    for response in (packed, [packed[:40], packed[40:]], ANSWER, STREAM):
        assert session_of(as_json([{**NOCK[0], "response": response}]), "tide.json").exchanges[0].response == MESSAGE


def test_headers() -> None:
    """Answer headers are a flat list or an object; request headers are mostly not kept."""
    (exchange,) = session_of(as_json(NOCK), "tide.json").exchanges
    assert (exchange.headers, exchange.response_headers["request-id"]) == (None, "req_1")
    scope = {**NOCK[0], "rawHeaders": {"Request-Id": "req_2"}, "reqheaders": {"A": "b"}}
    (exchange,) = session_of(as_json([scope]), "tide.json").exchanges
    assert (exchange.headers, exchange.response_headers) == ({"a": "b"}, {"request-id": "req_2"})


def test_shape() -> None:
    """Told by the members of the first scope."""
    assert SHAPE.fits(NOCK)
    assert not SHAPE.fits([])

"""httprr's traces."""

from __future__ import annotations

import pytest

from playhead.errors import RecordingError
from playhead.readers.table import session_of
from readers.samples import ANSWER, HTTP_REQUEST, HTTP_RESPONSE, MESSAGE, REQUEST, httprr


def test_several_calls() -> None:
    """Lengths separate the calls; headers and status are read from the bytes."""
    session = session_of(httprr((HTTP_REQUEST, HTTP_RESPONSE), (HTTP_REQUEST, HTTP_RESPONSE)), "tide.httprr")
    for exchange in session.exchanges:
        assert (exchange.request, exchange.response, exchange.status) == (REQUEST, MESSAGE, 200)
        assert exchange.headers == {"host": "api.anthropic.com", "anthropic-version": "2023-06-01"}
    assert len(session.exchanges) == 2


def test_chunks() -> None:
    """A chunked answer is put together; one whose chunks were undone already is left alone."""
    head, body = HTTP_RESPONSE.split(b"\r\n\r\n")
    chunked = b"%x\r\n%s\r\n%x\r\n%s\r\n0\r\n\r\n" % (10, body[:10], len(body) - 10, body[10:])
    for answer in (chunked, body):
        response = head + b"\r\nTransfer-Encoding: chunked\r\n\r\n" + answer
        assert session_of(httprr((HTTP_REQUEST, response)), "tide").exchanges[0].response == MESSAGE


def test_damage_is_named_by_its_line() -> None:
    """A trace that was cut, or whose lengths are wrong, names the line of the call."""
    whole = httprr((HTTP_REQUEST, HTTP_RESPONSE))
    with pytest.raises(RecordingError, match=r"tide:2: the trace ends 5 bytes before"):
        session_of(whole[:-5], "tide")
    with pytest.raises(RecordingError, match=r"two lengths"):
        session_of(whole + b"high tide\n", "tide")
    with pytest.raises(RecordingError, match="without any call"):
        session_of(b"httprr trace v1\n", "tide")


def test_no_headers() -> None:
    """Messages without the end of a head are read as far as they go."""
    response = b"nonsense"
    assert session_of(httprr((HTTP_REQUEST, response)), "tide").exchanges[0].response is None
    assert ANSWER.encode() in HTTP_RESPONSE

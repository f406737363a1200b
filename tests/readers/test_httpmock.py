"""httpmock's recordings."""

from __future__ import annotations

import base64

import pytest

from playhead.errors import RecordingError
from playhead.readers.httpmock import SHAPE
from playhead.readers.table import session_of
from readers.samples import ANSWER, ERROR, HTTPMOCK, MESSAGE, as_yaml


def test_several_documents() -> None:
    """Each YAML document is a call; query parameters join the path; unquoted dates stay text."""
    session = session_of(HTTPMOCK, "tide.yaml")
    assert [(one.status, one.path) for one in session.exchanges] == [
        (200, "/v1/messages?beta=true"),
        (429, "/v1/messages?beta=true"),
    ]
    assert session.exchanges[1].error == ERROR["error"]
    assert session.exchanges[0].headers == {"anthropic-version": "2023-06-01"}
    assert session.skipped == {"calls to an unknown host": 1}


def test_a_body_in_base64() -> None:
    """Bodies that are no UTF-8 are base64."""
    when = {"path": "/v1/messages", "method": "POST"}
    then = {"status": 200, "body_base64": base64.b64encode(ANSWER.encode()).decode()}
    assert session_of(as_yaml({"when": when, "then": then}), "tide.yaml").exchanges[0].response == MESSAGE
    with pytest.raises(RecordingError, match="body_base64"):
        session_of(as_yaml({"when": when, "then": {"body_base64": "?"}}), "tide.yaml")


def test_half_a_pair() -> None:
    """A document without `then` is an error that names it."""
    with pytest.raises(RecordingError, match=r"\$\[3\]"):
        session_of(HTTPMOCK + b"---\nwhen:\n  path: /v1/messages\n", "tide.yaml")
    assert session_of(HTTPMOCK + b"---\n", "tide.yaml") == session_of(HTTPMOCK, "tide.yaml")


def test_shape() -> None:
    """One pair, or several documents that begin with one."""
    assert SHAPE.fits({"when": {}, "then": {}})
    assert not SHAPE.fits([])

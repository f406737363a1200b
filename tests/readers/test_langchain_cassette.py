"""langchain's cassettes."""

from __future__ import annotations

import pytest

from playhead.errors import RecordingError
from playhead.readers.langchain_cassette import SHAPE
from playhead.readers.table import session_of
from readers.samples import LANGCHAIN, MESSAGE, REQUEST, SAMPLES, as_yaml


def test_redacted_everything() -> None:
    """With URI and headers redacted, a call is known by its bodies, and its path is the one it must have had."""
    (exchange,) = session_of(SAMPLES["langchain"], "tide.yaml.gz").exchanges
    assert (exchange.path, exchange.request, exchange.response) == ("/v1/messages", REQUEST, MESSAGE)


def test_lists_of_different_length() -> None:
    """Requests without answers cannot be told apart from answers without requests: an error says so."""
    broken = {**LANGCHAIN, "responses": LANGCHAIN["responses"] * 2}
    with pytest.raises(RecordingError, match="2 responses for 1 requests"):
        session_of(as_yaml(broken), "tide.yaml")


def test_shape() -> None:
    """Both lists are needed."""
    assert SHAPE.fits(LANGCHAIN)
    assert not SHAPE.fits({"requests": []})

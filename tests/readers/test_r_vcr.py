"""R vcr's cassettes."""

from __future__ import annotations

import base64
import copy
import gzip
from typing import Any

import pytest

from playhead.errors import RecordingError
from playhead.readers.r_vcr import SHAPE
from playhead.readers.table import session_of
from readers.samples import ANSWER, MESSAGE, R_VCR, as_yaml


def with_body(**body: object) -> dict[str, Any]:
    document: dict[str, Any] = copy.deepcopy(R_VCR)
    document["http_interactions"][0]["response"]["body"] = body
    return document


@pytest.mark.parametrize("member", ["raw", "raw_gzip", "base64_string"])
def test_bodies_in_base64(member: str) -> None:
    """Bodies that are no text are base64, packed ones of gzip."""
    data = gzip.compress(ANSWER.encode()) if member == "raw_gzip" else ANSWER.encode()
    document = with_body(**{member: base64.b64encode(data).decode()})
    assert session_of(as_yaml(document), "tide.yml").exchanges[0].response == MESSAGE
    with pytest.raises(RecordingError, match=member):
        session_of(as_yaml(with_body(**{member: "?"})), "tide.yml")


def test_a_form_tells_no_body() -> None:
    """An upload's form names its fields but not what was sent."""
    document = with_body(string=ANSWER)
    document["http_interactions"][0]["request"]["body"] = {"fields": {"file": {"path": "tides.pdf"}}}
    assert session_of(as_yaml(document), "tide.yml").exchanges[0].request is None


def test_headers_are_unknown() -> None:
    """vcr 2 keeps no request headers: they are unknown, not absent."""
    assert session_of(as_yaml(R_VCR), "tide.yml").exchanges[0].headers is None


def test_shape() -> None:
    """Told from Ruby's by the recorder's name, or by a plain status."""
    assert SHAPE.fits(R_VCR)
    assert not SHAPE.fits({**R_VCR, "recorded_with": "VCR 6.3.1"})
    assert SHAPE.fits({"http_interactions": R_VCR["http_interactions"]})

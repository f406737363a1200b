"""vcrpy's cassettes."""

from __future__ import annotations

import base64
import gzip

import pytest

from playhead.errors import RecordingError
from playhead.readers.call import Unreadable
from playhead.readers.table import session_of
from playhead.readers.vcrpy import SHAPE, body_of, calls
from readers.samples import ANSWER, ISTR, MESSAGE, REQUEST, SAMPLES, as_json, as_yaml, vcrpy, vcrpy_interaction


@pytest.mark.parametrize("body", [ANSWER, ANSWER.encode(), MESSAGE, gzip.compress(ANSWER.encode())])
def test_bodies_as_text_bytes_and_data(body: object) -> None:
    """A body may be text, bytes, packed bytes or an object, in `string` or plainly in its place."""
    first, second = vcrpy_interaction(string=body), vcrpy_interaction()
    assert isinstance(second["response"], dict)
    second["response"]["body"] = body
    session = session_of(as_yaml(vcrpy(first, second)), "tide.yaml")
    assert [exchange.response for exchange in session.exchanges] == [MESSAGE, MESSAGE]


def test_istr_header_names() -> None:
    """Header names of the type `multidict.istr`, which vcrpy itself refuses, are read as the strings they are."""
    (exchange,) = session_of(ISTR, "tide.yaml").exchanges
    assert exchange.headers == {"anthropic-version": "2023-06-01"}
    assert exchange.response_headers == {"content-encoding": "gzip"}
    assert exchange.response == MESSAGE


def test_json_cassettes_may_hold_base64() -> None:
    """A JSON cassette keeps packed bytes as base64."""
    packed = base64.b64encode(gzip.compress(ANSWER.encode())).decode()
    interaction = vcrpy_interaction(string=packed, content_encoding="gzip")
    assert session_of(as_json(vcrpy(interaction)), "tide.json").exchanges[0].response == MESSAGE


def test_old_base64_string() -> None:
    """vcrpy 1 wrote `base64_string`."""
    assert body_of({"base64_string": "aGlnaA=="}, "x") == b"high"
    with pytest.raises(Unreadable) as raised:
        body_of({"base64_string": "?"}, "x")
    assert raised.value.place == "x.base64_string"


def test_headers_become_lower_case_text() -> None:
    """Lists of one value become the value, several are joined; values that are bytes are text."""
    interaction = vcrpy_interaction()
    assert isinstance(interaction["request"], dict)
    interaction["request"]["headers"] = {"Accept": [b"a/b"], "anthropic-beta": ["x", "y"], "Content-Length": 12}
    (call,) = calls(vcrpy(interaction))
    assert call.request_headers == {"accept": "a/b", "anthropic-beta": "x, y", "content-length": "12"}
    interaction["request"]["headers"] = {}
    (call,) = calls(vcrpy(interaction))
    assert call.request_headers is None


@pytest.mark.parametrize("document", [{"interactions": [5]}, {"interactions": [{"response": {}}]}])
def test_damage_is_named(document: object) -> None:
    """An interaction that is none is named by its place."""
    with pytest.raises(RecordingError, match=r"interactions\[0\]"):
        session_of(as_yaml(document), "tide.yaml")


def test_shape() -> None:
    """A cassette is told by its list of interactions."""
    assert SHAPE.fits(vcrpy())
    assert not any(SHAPE.fits(value) for value in (None, [], {}, {"interactions": {}}, REQUEST))


def test_a_mixed_cassette_counts_what_is_not_claude() -> None:
    """The sample's third call went to another vendor."""
    session = session_of(SAMPLES["vcrpy yaml"], "tide.yaml")
    assert (len(session.exchanges), session.skipped) == (2, {"calls to api.openai.com": 1})

"""pydantic-ai's cassettes."""

from __future__ import annotations

from playhead.readers.parsed_body import SHAPE
from playhead.readers.table import session_of
from readers.samples import MESSAGE, PARSED_BODY, REQUEST, STREAM, as_yaml, vcrpy, vcrpy_interaction


def test_parsed_and_plain_bodies_in_one_file() -> None:
    """`parsed_body` on either side, and vcrpy's `body` for what is no JSON: all are read, none is empty."""
    parsed = PARSED_BODY["interactions"][0]  # type: ignore[index]
    mixed = {"request": parsed["request"], "response": vcrpy_interaction(string=STREAM)["response"]}
    session = session_of(as_yaml(vcrpy(vcrpy_interaction(), mixed, parsed)), "tide.yaml")
    assert [exchange.request for exchange in session.exchanges] == [REQUEST] * 3
    assert [exchange.response for exchange in session.exchanges] == [MESSAGE] * 3


def test_shape() -> None:
    """One `parsed_body` anywhere makes a cassette one of these."""
    assert SHAPE.fits(PARSED_BODY)
    assert not SHAPE.fits(vcrpy())
    assert not SHAPE.fits({"interactions": [None, {"request": None}]})

"""go-vcr's cassettes."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from playhead.errors import RecordingError
from playhead.readers.go_vcr import SHAPE
from playhead.readers.table import session_of
from readers.samples import GO_V1, GO_V2, MESSAGE, as_yaml, vcrpy


def test_a_stream_in_a_block() -> None:
    """Version 2 writes streams as literal blocks."""
    (exchange,) = session_of(GO_V2, "tide.yaml").exchanges
    assert (exchange.response, exchange.status, exchange.complete) == (MESSAGE, 200, True)
    assert exchange.headers == {"accept": "text/event-stream"}


def test_the_status_without_a_code() -> None:
    """Where `code` is missing, the status line has it."""
    document: dict[str, Any] = copy.deepcopy(GO_V1)
    del document["interactions"][0]["response"]["code"]
    document["interactions"][0]["response"]["status"] = "429 Too Many Requests"
    assert session_of(as_yaml(document), "tide.yaml").exchanges[0].status == 429


def test_damage_is_named() -> None:
    """A request that is none is named by its place."""
    document: dict[str, Any] = copy.deepcopy(GO_V1)
    document["interactions"].append({"request": "x"})
    with pytest.raises(RecordingError, match=r"interactions\[1\]"):
        session_of(as_yaml(document), "tide.yaml")


def test_shape() -> None:
    """Told from vcrpy's by `url` in place of `uri`."""
    assert SHAPE.fits(GO_V1)
    assert not SHAPE.fits(vcrpy())
    assert not SHAPE.fits({"interactions": []})

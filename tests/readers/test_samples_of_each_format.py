"""Every format of recorded HTTP calls, through the table: the same exchange comes out of each."""

from __future__ import annotations

import gzip

import pytest

from playhead.readers.table import session_of
from readers.samples import ANSWER, MESSAGE, REQUEST, SAMPLES, SENT

REQUEST_KNOWN = sorted(SAMPLES.keys() - {"bedrock", "raw sse", "bare response", "event lines"})


@pytest.mark.parametrize("name", REQUEST_KNOWN)
def test_the_first_exchange_is_told_whole(name: str) -> None:
    """Request, message and status of the first exchange are what was recorded, whatever the format."""
    first = session_of(SAMPLES[name], name).exchanges[0]
    assert (first.number, first.method, first.is_message, first.complete) == (1, "POST", True, True)
    assert first.request == REQUEST
    assert (first.status, first.response, first.error) == (200, MESSAGE, None)


@pytest.mark.parametrize("name", SAMPLES)
def test_each_may_be_zipped(name: str) -> None:
    """A `.gz` of any format is read as the format itself, told by its content."""
    plain = gzip.decompress(SAMPLES[name]) if name == "langchain" else SAMPLES[name]
    assert session_of(gzip.compress(plain), name) == session_of(plain, name)


@pytest.mark.parametrize("name", SAMPLES)
def test_line_ends_of_windows(name: str) -> None:
    """Text formats whose lines end with CR LF, as git checks them out on Windows, hold the same exchanges."""
    data = SAMPLES[name]
    if data.startswith((b"\x1f\x8b", b"httprr")):
        pytest.skip("a binary format: its bytes are counted")
    converted = session_of(data.replace(b"\n", b"\r\n"), name)
    assert [one.request for one in converted.exchanges] == [one.request for one in session_of(data, name).exchanges]


def test_the_samples_are_hard_enough() -> None:
    """The invented bodies contain quotes of both kinds and letters beyond ASCII, which recorders escape differently."""
    assert "'" in SENT
    assert '\\"' in SENT
    assert not ANSWER.isascii()

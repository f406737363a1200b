"""Content in pieces."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from playhead.errors import RecordingError
from playhead.readers import source as module
from playhead.readers.source import HEAD, PIECE, Source


def in_pieces(data: bytes, size: int) -> Source:
    """A source whose content comes in pieces of that size."""
    return Source(name="tides.log", begin=lambda: (data[start : start + size] for start in range(0, len(data), size)))


LINES = [b'{"tide": "high"}\r', b"", "H\u00f6fn\u2028".encode(), b"x" * (HEAD + 7), b"last"]


@pytest.mark.parametrize("size", [1, 5, 4096, 10**9])
@pytest.mark.parametrize("end", [b"", b"\n"], ids=["no last LF", "a last LF"])
def test_lines(size: int, end: bytes) -> None:
    """Lines are the same whatever the pieces, and end with LF alone."""
    assert [*in_pieces(b"\n".join(LINES) + end, size).lines()] == LINES


@pytest.mark.parametrize("size", [1, 1000, 10**9])
@pytest.mark.parametrize("length", [0, 1, HEAD, HEAD + 1, 3 * HEAD])
def test_head_and_whole(size: int, length: int) -> None:
    """The head, the whole content and its size are the same whatever the pieces."""
    data = bytes(range(256)) * (length // 256 + 1)
    data = data[:length]
    found = in_pieces(data, size)
    assert (found.head, found.is_short) == (data[:HEAD], length <= HEAD)
    assert (found.exceeds(length - 1), found.exceeds(length)) == (True, False)
    assert (found.data, b"".join(found.pieces())) == (data, data)


def test_large_pieces_are_cut() -> None:
    """Readers get pieces of a limited size, also of content that is at hand as a whole."""
    assert [len(piece) for piece in Source.of("x", bytes(2 * PIECE + 5)).pieces()] == [PIECE, PIECE, 5]


def test_a_short_file_is_read_once() -> None:
    """What the head holds is not fetched again."""
    begun = 0

    def begin() -> Iterator[bytes]:
        nonlocal begun
        begun += 1
        yield b'{"tide": "high"}'

    found = Source(name="x", begin=begin)
    assert (found.json, [*found.lines()], found.exceeds(1)) == ({"tide": "high"}, [found.data], True)
    assert begun == 1


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line and a document that are too large are named in one sentence; many lines may be larger together."""
    monkeypatch.setattr(module, "MAX_LINE", 2 * HEAD)
    monkeypatch.setattr(module, "MAX_DOCUMENT", 2 * HEAD)
    short, long = b"x" * HEAD, b"x" * (2 * HEAD + 1)
    assert len([*in_pieces(b"\n".join([short] * 10), 1000).lines()]) == 10
    with pytest.raises(RecordingError, match=r"^tides\.log:2: this line has more than the 131,072 bytes"):
        [*in_pieces(short + b"\n" + long, 1000).lines()]
    with pytest.raises(RecordingError, match=r"^tides\.log: it has more than the 131,072 bytes"):
        _ = in_pieces(long, 1000).data

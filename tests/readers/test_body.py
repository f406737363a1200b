"""Recorded bodies unpacked."""

from __future__ import annotations

import base64
import gzip
import sys
import zlib

import pytest

from playhead.readers import body
from playhead.readers.body import BodyError, gunzip, unpack, unzipped

TEXT = b'{"tide": "high"} ' * 50
DEFLATED = zlib.compress(TEXT)


def brotli(data: bytes) -> bytes:
    return bytes(pytest.importorskip("brotli", reason="brotli is not installed").compress(data))


def zstd(data: bytes) -> bytes:
    if sys.version_info >= (3, 14):
        from compression import zstd as library

        return library.compress(data)
    return bytes(pytest.importorskip("zstandard", reason="zstandard is not installed").compress(data))


@pytest.mark.parametrize("encoding", ["", "gzip", "br", "deflate", "zstd", "gzip, br"])
def test_a_header_is_not_believed(encoding: str) -> None:
    """A body that was decoded already stays as it is, whatever content-encoding says."""
    for plain in (TEXT, TEXT.decode(), {"a": 1}, None, b"event: ping\n\n"):
        assert unpack(plain, encoding) == plain


def test_by_its_bytes() -> None:
    """gzip and zstd are known by their first bytes, without any header."""
    assert unpack(gzip.compress(TEXT)) == TEXT
    assert unpack(zstd(TEXT)) == TEXT


def test_by_the_header() -> None:
    """brotli and deflate have no mark: the header decides where the body is no text."""
    assert unpack(brotli(TEXT), "br") == TEXT
    assert unpack(DEFLATED, "deflate") == TEXT
    assert unpack(DEFLATED[2:-4], "deflate") == TEXT
    assert unpack(b"\xff\xd8\xff", "") == b"\xff\xd8\xff"


def test_base64_in_text() -> None:
    """JSON cannot hold bytes: compressed ones are kept as base64, known by the header and their look."""
    for packed, encoding in ((gzip.compress(TEXT), "gzip"), (brotli(TEXT), "br")):
        assert unpack(base64.b64encode(packed).decode(), encoding) == TEXT
    assert unpack("Tide", "br") == "Tide"
    assert unpack("Tide", "") == "Tide"


@pytest.mark.parametrize(
    ("packed", "encoding", "says"),
    [
        (gzip.compress(TEXT, mtime=0)[:-9], "", "cut off"),
        (b"\x1f\x8b\x08\x00" + b"\xff" * 20, "", "damaged"),
        (b"\x28\xb5\x2f\xfdnonsense", "", "zstd data is damaged"),
        (b"\x01\x02\x03", "br", "br, but the body is no brotli data|cut off"),
        (b"\x01\x02\x03", "deflate", "no deflate data"),
    ],
)
def test_damage(packed: bytes, encoding: str, says: str) -> None:
    """Damaged data is an error of one sentence."""
    if "br" in encoding:
        brotli(b"")
    if packed.startswith(body.ZSTD):
        zstd(b"")
    with pytest.raises(BodyError, match=says):
        unpack(packed, encoding)


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """What grows beyond the limit is refused, however small it was when packed."""
    monkeypatch.setattr(body, "MAX_BODY", 1000)
    with pytest.raises(BodyError, match="more than the 1,000 bytes"):
        gunzip(gzip.compress(b"0" * 100_000))
    for packed, encoding in ((brotli(b"0" * 100_000), "br"), (zstd(b"0" * 100_000), ""), (DEFLATED * 1, "deflate")):
        if encoding == "deflate":
            packed = zlib.compress(b"0" * 100_000)
        with pytest.raises(BodyError, match="more than"):
            unpack(packed, encoding)


def test_zipped_content_comes_in_parts() -> None:
    """However much a piece unpacks to, it comes in parts of a limited size."""
    parts = [len(part) for part in unzipped((gzip.compress(bytes(5_000_000)),))]
    assert sum(parts) == 5_000_000
    assert max(parts) <= 256 * 1024


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_zipped_content_in_pieces(size: int) -> None:
    """Content is unzipped whatever the pieces it comes in, and content that is not zipped comes as it is."""
    for plain in (b"high tide " * 50, b""):
        for data in (plain, gzip.compress(plain) + gzip.compress(plain) + b"\0\0"):
            pieces = (data[start : start + size] for start in range(0, len(data), size))
            assert b"".join(unzipped(pieces)) == (plain if data == plain else plain * 2)


def test_members_of_a_gzip_file() -> None:
    """A gzip file of several members is their contents in a row."""
    assert gunzip(gzip.compress(b"high ") + gzip.compress(b"tide")) == b"high tide"


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no brotli library is installed the error says which to install."""
    monkeypatch.setitem(sys.modules, "brotli", None)
    monkeypatch.setitem(sys.modules, "brotlicffi", None)
    with pytest.raises(BodyError, match="pip install brotli"):
        unpack(b"\x01\x02", "br")

"""What headers tell of images and PDFs."""

from __future__ import annotations

import base64
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.rules.media_bytes import Encoded, image_size, image_type, is_encrypted, is_pdf, page_count


def encoded(data: bytes) -> Encoded:
    return Encoded.of(base64.b64encode(data).decode())


def png(width: int, height: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", width, height) + b"\x08\x02\x00\x00\x00"


def gif(width: int, height: int) -> bytes:
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\x80\x00\x00"


def jpeg(width: int, height: int, *before: bytes, frame: int = 0xC0) -> bytes:
    start = struct.pack(">BBHBHH", 0xFF, frame, 17, 8, height, width)
    return b"\xff\xd8" + b"".join(before) + start + b"\x03" * 10


def segment(marker: int, length: int) -> bytes:
    return struct.pack(">BBH", 0xFF, marker, length) + b"\xff" * (length - 2)


def webp(kind: bytes, rest: bytes) -> bytes:
    return b"RIFF" + struct.pack("<I", len(rest) + 12) + b"WEBP" + kind + struct.pack("<I", len(rest)) + rest


def lossy(width: int, height: int) -> bytes:
    return webp(b"VP8 ", b"\x30\x01\x00\x9d\x01\x2a" + struct.pack("<HH", width, height) + b"\x00" * 4)


def lossless(width: int, height: int) -> bytes:
    return webp(b"VP8L", b"\x2f" + struct.pack("<I", (width - 1) | (height - 1) << 14) + b"\x00" * 8)


def extended(width: int, height: int) -> bytes:
    sides = struct.pack("<I", width - 1)[:3] + struct.pack("<I", height - 1)[:3]
    return webp(b"VP8X", b"\x10\x00\x00\x00" + sides)


IMAGES = {
    "png": (png(300, 200), "image/png"),
    "gif": (gif(300, 200), "image/gif"),
    "gif-87": (gif(300, 200).replace(b"9a", b"7a"), "image/gif"),
    "jpeg": (jpeg(300, 200), "image/jpeg"),
    "jpeg-progressive": (jpeg(300, 200, frame=0xC2), "image/jpeg"),
    "jpeg-with-segments": (jpeg(300, 200, segment(0xE0, 16), segment(0xC4, 40), segment(0xDB, 67)), "image/jpeg"),
    "jpeg-with-a-long-profile": (jpeg(300, 200, *[segment(0xE2, 65535)] * 4), "image/jpeg"),
    "jpeg-with-fill-bytes": (jpeg(300, 200, b"\xff\xff", segment(0xE1, 9)), "image/jpeg"),
    "jpeg-with-a-marker-alone": (jpeg(300, 200, b"\xff\x01"), "image/jpeg"),
    "webp-lossy": (lossy(300, 200), "image/webp"),
    "webp-lossless": (lossless(300, 200), "image/webp"),
    "webp-extended": (extended(300, 200), "image/webp"),
}


@pytest.mark.parametrize(("data", "kind"), IMAGES.values(), ids=IMAGES)
def test_kind_and_size(data: bytes, kind: str) -> None:
    """Width first, height second, in all four formats."""
    assert image_type(encoded(data)) == kind
    assert image_size(encoded(data)) == (300, 200)


@pytest.mark.parametrize(("data", "kind"), IMAGES.values(), ids=IMAGES)
def test_a_cut_image_keeps_its_kind_and_has_no_size(data: bytes, kind: str) -> None:
    """However much is missing nothing crashes, and no wrong size is told."""
    for length in range(12, min(len(data), 60)):
        assert image_type(encoded(data[:length])) == kind
        assert image_size(encoded(data[:length])) in (None, (300, 200))


def test_sides_are_not_mixed_up_with_bits_of_others() -> None:
    """The largest sizes that the formats can say."""
    assert image_size(encoded(lossless(16384, 1))) == (16384, 1)
    assert image_size(encoded(extended(2**24, 2))) == (2**24, 2)
    assert image_size(encoded(lossy(0x4000 | 5, 0xC000 | 7))) == (5, 7)
    assert image_size(encoded(png(2**31, 0))) == (2**31, 0)


ODD = {
    "webp-of-another-chunk": webp(b"ALPH", b"\x00" * 20),
    "webp-lossy-without-its-code": lossy(3, 2).replace(b"\x9d\x01\x2a", b"\x00\x00\x00"),
    "png-without-header": b"\x89PNG\r\n\x1a\n" + b"\x00" * 30,
    "jpeg-that-scans-at-once": b"\xff\xd8" + segment(0xDA, 12),
    "jpeg-gone-wrong": b"\xff\xd8\xff\xe0\x00\x04ab" + b"\x00" * 20,
    "jpeg-that-goes-round": b"\xff\xd8" + b"\xff" * 9000,
}


@pytest.mark.parametrize("data", ODD.values(), ids=ODD)
def test_what_has_no_size(data: bytes) -> None:
    """The kind shows, the size does not."""
    assert image_type(encoded(data)) is not None
    assert image_size(encoded(data)) is None


@pytest.mark.parametrize(
    "data", [b"", b"BM6", b"hello", b"%PDF-1.4", b"\x89PNG", b"RIFF\x00\x00\x00\x00WAVE", b"\xff\xd8"]
)
def test_what_is_no_image(data: bytes) -> None:
    """Neither kind nor size."""
    assert image_type(encoded(data)) is None
    assert image_size(encoded(data)) is None


@given(st.binary(max_size=80), st.integers(0, 90), st.integers(0, 90))
def test_any_part_is_read_as_it_is(data: bytes, start: int, length: int) -> None:
    """Reading here and there tells the same as decoding all."""
    assert encoded(data).read(start, length) == data[start : start + length]
    assert encoded(data).everything() == data


@given(st.text(max_size=40))
def test_any_text_can_be_read(text: str) -> None:
    """What is no base64 has no bytes and no kind."""
    one = Encoded.of(text)
    assert one.read(0, 12) is not None
    assert image_type(one) is None
    assert not is_pdf(one)
    assert not is_encrypted(one)


def test_line_breaks_do_not_matter() -> None:
    """As `base64 photo.png` prints it."""
    text = base64.encodebytes(png(300, 200) + b"\x00" * 99).decode()
    assert image_size(Encoded.of(text)) == (300, 200)


def pdf(pages: int, *, told: int | None = None, more: bytes = b"", ends: int = 1, head: bytes = b"") -> Encoded:
    objects = b"".join(b"<< /Type /Page /Parent 2 0 R >>\n" for _ in range(pages))
    tree = b"<< /Type /Pages /Count %d >>\n" % (pages if told is None else told)
    return encoded(
        b"%PDF-1.7\n" + head + tree + objects + b"trailer << /Root 1 0 R " + more + b">>\n" + b"%%EOF\n" * ends
    )


def test_pages() -> None:
    """They are known where page objects and page tree agree."""
    assert page_count(pdf(3)) == 3
    assert page_count(pdf(150)) == 150
    assert page_count(pdf(3, told=4)) is None
    assert page_count(pdf(0, told=120, head=b"<< /Type /ObjStm >>\n")) is None
    assert page_count(encoded(b"hello")) is None


def test_pages_of_a_file_written_twice_are_not_known() -> None:
    """Pages of the first revision may still stand in it; a linearised file ends twice by itself."""
    assert page_count(pdf(3, ends=2)) is None
    assert page_count(pdf(3, ends=2, head=b"<< /Linearized 1 >>\n")) == 3


def test_pdf_header_and_encryption() -> None:
    """The header may stand a little later; encryption is named by the trailer."""
    assert is_pdf(pdf(1))
    assert is_pdf(encoded(b"\n" * 50 + b"%PDF-1.4"))
    assert not is_pdf(encoded(b"\n" * 2000 + b"%PDF-1.4"))
    assert is_encrypted(pdf(1, more=b"/Encrypt 9 0 R "))
    assert is_encrypted(pdf(900, more=b"/Encrypt << /V 4 >> "))
    assert not is_encrypted(pdf(1, more=b"/EncryptMetadata false "))

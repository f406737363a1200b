"""What the first bytes of an image and the plain parts of a PDF tell: kind, size in pixels, pages.

Law: pure; reads headers, decodes no picture. None where the bytes do not tell; nothing here judges.

Formats: PNG (W3C, 11.2.2 IHDR), JPEG (ITU-T T.81, B.2.2 frame header), GIF89a (logical screen descriptor), WebP
(RFC 9649, the three kinds of chunk), PDF (ISO 32000-1, 7.5 and 7.7.3).
"""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass

_START_OF_FRAME = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_NO_LENGTH = frozenset({0x01, *range(0xD0, 0xD9)})
_START_OF_SCAN = 0xDA
_MOST_SEGMENTS = 2000

_PAGE = re.compile(rb"/Type\s*/Page(?![A-Za-z])")
_COUNT = re.compile(rb"/Count\s+(\d+)")
_ENCRYPTED = re.compile(rb"/Encrypt\s*(?:<<|\d+\s+\d+\s+R)")
_HEADER_WITHIN, _TRAILER_WITHIN = 1024, 4096


@dataclass(frozen=True, slots=True)
class Encoded:
    """Bytes in base64, read here and there without decoding all of them."""

    text: str

    @classmethod
    def of(cls, text: str) -> Encoded:
        """From base64 with or without line breaks."""
        return cls("".join(text.split()) if any(space in text for space in "\n\r\t ") else text)

    @property
    def size(self) -> int:
        """How many bytes these are, give or take the padding."""
        return len(self.text) * 3 // 4

    def read(self, start: int, length: int) -> bytes:
        """Up to `length` bytes from `start`; fewer at the end, none where the text is no base64."""
        first = start // 3 * 4
        chunk = self.text[first : -(-(start + length) // 3) * 4]
        try:
            data = base64.b64decode(chunk + "=" * (-len(chunk) % 4), validate=True)
        except ValueError:
            return b""
        return data[start % 3 : start % 3 + length]

    def everything(self) -> bytes:
        """All bytes."""
        return self.read(0, self.size + 3)


def image_type(image: Encoded) -> str | None:
    """The media type that the first bytes show."""
    head = image.read(0, 12)
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if head.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if head.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    return "image/webp" if head[:4] == b"RIFF" and head[8:] == b"WEBP" else None


def image_size(image: Encoded) -> tuple[int, int] | None:
    """Width and height in pixels."""
    read = {"image/png": _png, "image/jpeg": _jpeg, "image/gif": _gif, "image/webp": _webp}.get(str(image_type(image)))
    return read(image) if read else None


def _png(image: Encoded) -> tuple[int, int] | None:
    head = image.read(0, 24)
    return (_big(head[16:20]), _big(head[20:24])) if len(head) == 24 and head[12:16] == b"IHDR" else None


def _gif(image: Encoded) -> tuple[int, int] | None:
    head = image.read(0, 10)
    return (_little(head[6:8]), _little(head[8:10])) if len(head) == 10 else None


def _webp(image: Encoded) -> tuple[int, int] | None:
    head = image.read(0, 30)
    if len(head) < 30:
        return None
    if head[12:16] == b"VP8X":
        return 1 + _little(head[24:27]), 1 + _little(head[27:30])
    if head[12:16] == b"VP8L" and head[20] == 0x2F:
        bits = _little(head[21:25])
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if head[12:16] == b"VP8 " and head[23:26] == b"\x9d\x01\x2a":
        return _little(head[26:28]) & 0x3FFF, _little(head[28:30]) & 0x3FFF
    return None


def _jpeg(image: Encoded) -> tuple[int, int] | None:
    at = 2
    for _ in range(_MOST_SEGMENTS):
        head = image.read(at, 9)
        if len(head) < 4 or head[0] != 0xFF:
            return None
        marker = head[1]
        if marker == 0xFF:  # fill byte
            at += 1
        elif marker in _NO_LENGTH:
            at += 2
        elif marker in _START_OF_FRAME:
            return (_big(head[7:9]), _big(head[5:7])) if len(head) == 9 else None
        elif marker == _START_OF_SCAN:
            return None
        else:
            at += 2 + _big(head[2:4])
    return None


def _big(data: bytes) -> int:
    return int.from_bytes(data, "big")


def _little(data: bytes) -> int:
    return int.from_bytes(data, "little")


def is_pdf(document: Encoded) -> bool:
    """Whether a PDF header stands where readers look for it."""
    return b"%PDF-" in document.read(0, _HEADER_WITHIN)


def is_encrypted(document: Encoded) -> bool:
    """Whether a trailer, at the end or (linearised) at the start, names an encryption dictionary."""
    tail = document.read(max(0, document.size - _TRAILER_WITHIN), _TRAILER_WITHIN + 3)
    return any(_ENCRYPTED.search(part) for part in (document.read(0, _TRAILER_WITHIN), tail))


def page_count(document: Encoded) -> int | None:
    """The pages of a PDF that was written once and does not hide them in compressed objects.

    Its page objects are counted; a page tree must give the same number, else we do not know.
    """
    data = document.everything()
    once = 2 if b"/Linearized" in data[:_HEADER_WITHIN] else 1
    if data.count(b"%%EOF") > once:
        return None  # pages of an earlier revision may still stand in it
    pages = sum(1 for _ in _PAGE.finditer(data))
    return pages if pages in {int(count) for count in _COUNT.findall(data)} else None

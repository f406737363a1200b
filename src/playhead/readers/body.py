"""Recorded bodies to text or data: compressed, base64, bytes, or already decoded by the recorder.

Law: looks at the bytes. `content-encoding` is believed only where the bytes agree: recorders decode bodies and leave
the header as it was. brotli has no mark to be known by, so it is tried only where the header names it and the body is
no text of a kind we know.
"""

from __future__ import annotations

import base64
import binascii
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import Any

MAX_BODY = 256 * 1024 * 1024
"""How large a body may be once it is unpacked, in bytes."""

GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_PART = 256 * 1024
_BASE64 = re.compile(r"[A-Za-z0-9+/\r\n]+={0,2}\s*\Z")
_TEXT_STARTS = (b"{", b"[", b"event:", b"data:", b":", b"<", b'"')


class BodyError(ValueError):
    """A body cannot be unpacked. One sentence says why."""


def unpack(body: object, encoding: str = "") -> object:
    """The body as text, bytes of text, or data; bytes that are no text stay as they are. Raises `BodyError`."""
    if isinstance(body, str):
        return _from_text(body, encoding)
    return _from_bytes(body, encoding) if isinstance(body, bytes) else body


def _from_text(body: str, encoding: str) -> object:
    # only a body that was compressed needs base64 to be kept as text, and JSON and events never look like base64
    if not encoding or len(body) % 4 or not _BASE64.match(body):
        return body
    try:
        return _from_bytes(base64.b64decode(body, validate=False), encoding)
    except (binascii.Error, BodyError):
        return body


def from_base64(body: str) -> bytes:
    """The bytes of a body in base64. Raises `BodyError`."""
    try:
        return base64.b64decode("".join(body.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise BodyError(f"the body is no base64: {error}") from None


def _from_bytes(body: bytes, encoding: str) -> object:
    if body.startswith(GZIP):
        return gunzip(body)
    if body.startswith(ZSTD):
        return _unzstd(body)
    if "br" in encoding and not _is_text(body):
        return _unbrotli(body)
    if "deflate" in encoding and not _is_text(body):
        return _inflate(body)
    return body


def _is_text(body: bytes) -> bool:
    # brotli data may begin with `[` as well, but hardly goes on as UTF-8
    if not body.lstrip().startswith(_TEXT_STARTS):
        return False
    try:
        return "\0" not in body.decode()
    except UnicodeDecodeError:
        return False


def gunzip(data: bytes) -> bytes:
    """The content of gzip data, of all its members. Raises `BodyError` for damaged data or more than `MAX_BODY`."""
    out = bytearray()
    for piece in unzipped((data,)):
        out += piece
        _limited(out)
    return bytes(out)


def unzipped(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The content of pieces of gzip data, of all its members; pieces of anything else as they are.

    A small piece may unpack to a huge one, so each comes in parts. Raises `BodyError` for damaged data.
    """
    rest = filter(None, pieces)
    data = next(rest, b"")
    while len(data) < len(GZIP) and (more := next(rest, b"")):
        data += more
    if not data.startswith(GZIP):
        yield data
        yield from rest
    while data.startswith(GZIP):
        inflater = zlib.decompressobj(31)
        while not inflater.eof:
            data = data or next(rest, b"")
            try:
                part = inflater.decompress(data, _PART)
            except zlib.error as error:
                raise BodyError(f"the gzip data is damaged: {error}") from None
            if part:
                yield part
            elif not data and not inflater.eof:
                raise BodyError("the gzip data is cut off before its end")
            data = inflater.unconsumed_tail
        data = inflater.unused_data
        while len(data) < len(GZIP) and (more := next(rest, b"")):
            data += more


def _inflate(body: bytes) -> bytes:
    # servers send both: with zlib's header, as the standard says, and without
    for bits in (15, -15):
        inflater = zlib.decompressobj(bits)
        try:
            out = _limited(inflater.decompress(body, MAX_BODY + 1))
        except zlib.error:
            continue
        if inflater.eof:
            return bytes(out)
    raise BodyError("its content-encoding is deflate, but the body is no deflate data")


def _limited(out: bytes | bytearray) -> bytes | bytearray:
    if len(out) > MAX_BODY:
        raise BodyError(f"unpacked it has more than the {MAX_BODY:,} bytes that are read")
    return out


def _unbrotli(body: bytes) -> bytes:
    brotli = _brotli()
    inflater, out = brotli.Decompressor(), bytearray()
    try:
        # piece by piece, so that a small body cannot grow far beyond the limit before it is noticed
        for start in range(0, len(body), 4096):
            out += inflater.process(body[start : start + 4096])
            _limited(out)
    except brotli.error as error:
        raise BodyError(f"its content-encoding is br, but the body is no brotli data: {error}") from None
    if not inflater.is_finished():
        raise BodyError("the brotli data is cut off before its end")
    return bytes(out)


def _brotli() -> Any:
    try:
        return import_module("brotli")
    except ImportError:
        pass
    try:
        return import_module("brotlicffi")
    except ImportError:
        raise BodyError("the body is compressed with brotli: `pip install brotli` to read it") from None


def _unzstd(body: bytes) -> bytes:
    decompress, errors = _zstd()
    try:
        return bytes(_limited(decompress(body)))
    except errors as error:
        raise BodyError(f"the zstd data is damaged: {error}") from None


def _zstd() -> tuple[Callable[[bytes], bytes], type[Exception]]:
    if sys.version_info >= (3, 14):
        from compression import zstd

        return lambda data: zstd.ZstdDecompressor().decompress(data, MAX_BODY + 1), zstd.ZstdError
    try:
        import zstandard
    except ImportError:
        raise BodyError("the body is compressed with zstd: `pip install zstandard` to read it") from None
    return _read_zstd, zstandard.ZstdError


def _read_zstd(body: bytes) -> bytes:
    import zstandard

    with zstandard.ZstdDecompressor().stream_reader(body, read_across_frames=True) as reader:
        return bytes(reader.read(MAX_BODY + 1))

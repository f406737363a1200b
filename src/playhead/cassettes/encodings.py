"""Encoded content to plain content, piece by piece as it comes.

Law: pure; bytes in, bytes out. What cannot be decoded here stays encoded, and its header says so.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Protocol


class Decoder(Protocol):
    """Takes the pieces of one body; each gives what can be told so far."""

    def feed(self, piece: bytes) -> bytes: ...


class Damaged(ValueError):
    """The content is not what its encoding says."""


class _Plain:
    def feed(self, piece: bytes) -> bytes:
        return piece


class _Zlib:
    """gzip, all its members, and deflate with or without zlib's header."""

    def __init__(self, bits: int) -> None:
        self._bits = bits
        self._inflater = zlib.decompressobj(bits)
        self._begun = False

    def feed(self, piece: bytes) -> bytes:
        made = b""
        while piece:
            try:
                made += self._inflater.decompress(piece)
            except zlib.error as error:
                if self._begun or self._bits != zlib.MAX_WBITS:
                    raise Damaged(str(error)) from None
                # some servers send deflate without zlib's header
                self._inflater = zlib.decompressobj(-zlib.MAX_WBITS)
                self._begun = True
                continue
            self._begun = True
            piece = self._inflater.unused_data
            if self._inflater.eof and piece:
                self._inflater = zlib.decompressobj(self._bits)
        return made


class _Foreign:
    """A decoder of another library: one method, which takes a piece and gives what it can."""

    def __init__(self, feed: Callable[[bytes], bytes], error: type[Exception]) -> None:
        self._feed, self._error = feed, error

    def feed(self, piece: bytes) -> bytes:
        try:
            return self._feed(piece)
        except self._error as error:
            raise Damaged(str(error)) from None


class _Chain:
    """Several encodings, the last applied first."""

    def __init__(self, decoders: list[Decoder]) -> None:
        self._decoders = decoders

    def feed(self, piece: bytes) -> bytes:
        for decoder in self._decoders:
            piece = decoder.feed(piece)
        return piece


def _gzip() -> Decoder:
    return _Zlib(31)


def _deflate() -> Decoder:
    return _Zlib(zlib.MAX_WBITS)


def _brotli() -> Decoder:
    for name in ("brotli", "brotlicffi"):
        try:
            module = import_module(name)
        except ImportError:
            continue
        made = module.Decompressor()
        # `brotli` and `brotlicffi` name the same method differently
        return _Foreign(getattr(made, "process", None) or made.decompress, module.error)
    raise ImportError("brotli")


def _zstd() -> Decoder:
    try:
        module = import_module("compression.zstd")
    except ImportError:
        module = import_module("zstandard")
        return _Foreign(module.ZstdDecompressor().decompressobj().decompress, module.ZstdError)
    return _Foreign(module.ZstdDecompressor().decompress, module.ZstdError)


_DECODERS: Mapping[str, Callable[[], Decoder]] = {
    "": _Plain,
    "identity": _Plain,
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}


def decoder_of(encoding: str) -> Decoder | None:
    """The decoder for a `content-encoding`; None where nothing here can decode it."""
    names = [name.strip().lower() for name in encoding.split(",")]
    try:
        decoders = [_DECODERS[name]() for name in reversed(names)]
    except (KeyError, ImportError):
        return None
    return decoders[0] if len(decoders) == 1 else _Chain(decoders)

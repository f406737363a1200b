"""AWS event streams (`application/vnd.amazon.eventstream`), the framing of Bedrock's streamed answers.

Law: knows the framing (docs.aws.amazon.com, "Event stream encoding") and that a chunk's payload holds an event of the
Messages API as base64 in `bytes`. A frame: total length, length of headers, a checksum of these; headers; payload; a
checksum of the whole.
"""

from __future__ import annotations

import base64
import re
import struct
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress

from playhead.wire.codec import JsonError, JsonObject, decode, decode_object
from playhead.wire.value import Value

AWS_EVENT_STREAM = "application/vnd.amazon.eventstream"
"""The content type."""

_PRELUDE = struct.Struct(">III")
_OVERHEAD = _PRELUDE.size + 4
_WRAPPED = re.compile(rb'"bytes"\s*:\s*"((?:[^"\\]|\\.)*)', re.DOTALL)
_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/]")
_SIZES = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}
"""By a header's type the length of its value."""

_TOLD = (6, 7)
"""Bytes and texts: their length stands before them."""


class FrameError(ValueError):
    """The bytes are no event stream, or damaged; the sentence says at which byte."""


class Frame(Value, frozen=True):
    """A frame that stands from `start` to `end` in a body: its headers as bytes, and its payload.

    `broken` is one that is not whole: the connection ended within it, or what stands there is no frame. What there is
    of its payload is then all that is known.
    """

    start: int
    end: int
    headers: bytes
    payload: bytes
    broken: bool = False

    @property
    def data(self) -> bytes:
        """The event's data: what the payload wraps, or itself where it wraps nothing, as exceptions do not.

        Raises `FrameError` where that cannot be read.
        """
        try:
            wrapping = decode_object(self.payload).get("bytes")
            return base64.b64decode(wrapping) if isinstance(wrapping, str) else self.payload
        except ValueError as error:  # no JSON, no base64, or a text that could be neither
            raise _unreadable(self, error) from None

    @property
    def legible(self) -> bytes:
        """The same as far as anybody could read it. What is broken may hold the data of several frames."""
        wrapped = [*_WRAPPED.finditer(self.payload)][: None if self.broken else 1]
        return b"\n".join([_unwrapped(one[1]) for one in wrapped]) if wrapped else self.payload

    @property
    def around(self) -> bytes:
        """The payload without what it wraps; empty where it wraps nothing."""
        wrapped = _WRAPPED.search(self.payload)
        return b"" if wrapped is None else self.payload[: wrapped.start(1)] + self.payload[wrapped.end(1) :]

    @property
    def texts(self) -> list[bytes]:
        """The texts and bytes among the values of its headers; all of the headers where they cannot be told apart."""
        places = _texts_in(self.headers)
        return [self.headers] if places is None else [self.headers[start:end] for start, end in places]

    def holding(self, data: bytes, around: bytes, texts: Sequence[bytes]) -> bytes:
        """A whole frame like this one with other data, another payload around it, and other texts in its headers.

        Its lengths and checksums are made anew.
        """
        wrapped = _WRAPPED.search(around)
        if wrapped is not None:
            data = around[: wrapped.start(1)] + base64.b64encode(data) + around[wrapped.end(1) :]
        places = _texts_in(self.headers)
        headers = texts[0] if places is None else _with_texts(self.headers, places, texts)
        lengths = struct.pack(">II", _OVERHEAD + len(headers) + len(data), len(headers))
        frame = lengths + struct.pack(">I", zlib.crc32(lengths)) + headers + data
        return frame + struct.pack(">I", zlib.crc32(frame))


def _unwrapped(text: bytes) -> bytes:
    """What base64 holds, as far as it goes, that stands in a JSON string."""
    with suppress(JsonError, UnicodeError):
        text = decode(b'"' + text + b'"').encode()
    text = _NOT_BASE64.sub(b"", text)
    text = text[:-1] if len(text) % 4 == 1 else text
    return base64.b64decode(text + b"=" * (-len(text) % 4))


def _texts_in(headers: bytes) -> list[tuple[int, int]] | None:
    """Where in headers texts and bytes stand; None where these are no headers."""
    found: list[tuple[int, int]] = []
    at = 0
    try:
        while at < len(headers):
            at += 1 + headers[at]
            kind, at = headers[at], at + 1
            size = int.from_bytes(headers[at : at + 2], "big") if kind in _TOLD else _SIZES[kind]
            if kind in _TOLD:
                at += 2
                found.append((at, at + size))
            at += size
    except (IndexError, KeyError):
        return None
    return found if at == len(headers) else None


def _with_texts(headers: bytes, places: Sequence[tuple[int, int]], texts: Sequence[bytes]) -> bytes:
    pieces: list[bytes] = []
    at = 0
    for (start, end), text in zip(places, texts, strict=True):
        pieces += (headers[at : start - 2], struct.pack(">H", len(text)), text)
        at = end
    return b"".join([*pieces, headers[at:]])


def is_event_stream(body: bytes, offset: int = 0) -> bool:
    """Whether a frame's prelude stands here; it has a checksum of its own."""
    if len(body) < offset + _OVERHEAD:
        return False
    _, _, check = _PRELUDE.unpack_from(body, offset)
    return zlib.crc32(body[offset : offset + 8]) == int(check)


def frames(body: bytes) -> Iterator[Frame]:
    """The frames of a stream, and what is broken in it: from a place where no frame begins up to the next, and a last
    one that was cut off.
    """
    offset = 0
    while offset < len(body):
        frame = _frame_at(body, offset)
        if frame is None:
            end = _next_frame(body, offset + 1)
            frame = Frame(offset, end, b"", body[offset:end], broken=True)
        yield frame
        offset = frame.end


def _next_frame(body: bytes, offset: int) -> int:
    """Where the next frame begins, or the end."""
    while _frame_at(body, offset) is None:
        offset = body.find(b"\0", offset + 1)  # a frame of 16 MB and more is none
        if offset < 0:
            return len(body)
    return offset


def _frame_at(body: bytes, offset: int) -> Frame | None:
    if not is_event_stream(body, offset):
        return None
    total, header_length, _ = _PRELUDE.unpack_from(body, offset)
    if total < _OVERHEAD + header_length:
        return None
    begin, end = offset + _PRELUDE.size, offset + total
    cut = end > len(body)
    payload = body[begin + header_length : len(body) if cut else end - 4]
    return Frame(offset, min(end, len(body)), body[begin : begin + header_length], payload, cut)


def events(body: bytes) -> Iterator[JsonObject]:
    """The data of each event. Raises `FrameError` for a damaged frame; a frame that was cut off ends the stream."""
    offset = 0
    while offset + _OVERHEAD <= len(body):
        frame = _frame_at(body, offset)
        if frame is None:
            raise FrameError(f"the event stream is damaged at byte {offset}")
        if frame.broken:
            return  # the connection broke here
        data, offset = frame.data, frame.end
        try:
            event = decode_object(data)
        except JsonError as error:
            raise _unreadable(frame, error) from None
        # exceptions come unwrapped: {"message": "..."}
        yield _failure(event) if data is frame.payload else event


def _failure(data: JsonObject) -> JsonObject:
    return {"type": "error", "error": {"type": "api_error", "message": str(data.get("message", data))}}


def _unreadable(frame: Frame, error: Exception) -> FrameError:
    return FrameError(f"the event at byte {frame.start} of the event stream cannot be read: {error}")

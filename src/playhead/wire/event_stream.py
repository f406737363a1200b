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
from collections.abc import Iterator

from playhead.wire.codec import JsonError, JsonObject, decode_object, encode
from playhead.wire.value import Value

_PRELUDE = struct.Struct(">III")
_OVERHEAD = _PRELUDE.size + 4
_WRAPPED = re.compile(rb'"bytes"\s*:\s*"([A-Za-z0-9+/]*)')


class FrameError(ValueError):
    """The bytes are no event stream, or damaged. `offset` is the place of the frame."""


class Frame(Value, frozen=True):
    """A frame that stands from `start` to `end` in a body: its headers as bytes, and its payload.

    `cut` says that the connection broke within it; what there is of its payload is then all that is known.
    """

    start: int
    end: int
    headers: bytes
    payload: bytes
    cut: bool = False

    @property
    def data(self) -> bytes:
        """The event's data: what the payload wraps, or itself where it wraps nothing, as exceptions do not.

        Of a cut frame as much as can be read. Raises `FrameError` where a whole one cannot be.
        """
        if self.cut:
            wrapped = _WRAPPED.search(self.payload)
            return self.payload if wrapped is None else base64.b64decode(wrapped[1][: len(wrapped[1]) // 4 * 4])
        try:
            wrapping = decode_object(self.payload).get("bytes")
            return base64.b64decode(wrapping) if isinstance(wrapping, str) else self.payload
        except ValueError as error:  # no JSON, no base64, or a text that could be neither
            raise _unreadable(self, error) from None

    def holding(self, data: bytes) -> bytes:
        """A whole frame like this one with other data, its lengths and checksums made anew."""
        payload = decode_object(self.payload)
        if isinstance(payload.get("bytes"), str):
            old, new = payload["bytes"].encode(), base64.b64encode(data)
            # to the byte as it was around it, if that can be told
            alone = self.payload.count(old) == 1
            data = self.payload.replace(old, new) if alone else encode({**payload, "bytes": new.decode()})
        lengths = struct.pack(">II", _OVERHEAD + len(self.headers) + len(data), len(self.headers))
        frame = lengths + struct.pack(">I", zlib.crc32(lengths)) + self.headers + data
        return frame + struct.pack(">I", zlib.crc32(frame))


def is_event_stream(body: bytes, offset: int = 0) -> bool:
    """Whether a frame's prelude stands here; it has a checksum of its own."""
    if len(body) < offset + _OVERHEAD:
        return False
    _, _, check = _PRELUDE.unpack_from(body, offset)
    return zlib.crc32(body[offset : offset + 8]) == int(check)


def frames(body: bytes) -> Iterator[Frame]:
    """The frames of a stream, the last one as far as it came. Raises `FrameError` for a damaged one."""
    offset = 0
    while offset + _OVERHEAD <= len(body):
        total, header_length, _ = _PRELUDE.unpack_from(body, offset)
        if not is_event_stream(body, offset) or total < _OVERHEAD + header_length:
            raise FrameError(f"the event stream is damaged at byte {offset}")
        begin, end = offset + _PRELUDE.size, offset + total
        cut = end > len(body)
        payload = body[begin + header_length : len(body) if cut else end - 4]
        yield Frame(offset, min(end, len(body)), body[begin : begin + header_length], payload, cut)
        offset = end
    if offset < len(body):
        yield Frame(offset, len(body), b"", b"", cut=True)


def events(body: bytes) -> Iterator[JsonObject]:
    """The data of each event. Raises `FrameError` for a damaged frame; a frame that was cut off ends the stream."""
    for frame in frames(body):
        if frame.cut:
            return  # the connection broke here
        data = frame.data
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

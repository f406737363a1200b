"""AWS event streams (`application/vnd.amazon.eventstream`), the framing of Bedrock's streamed answers.

Law: knows the framing (docs.aws.amazon.com, "Event stream encoding") and that a chunk's payload holds an event of the
Messages API as base64 in `bytes`. A frame: total length, length of headers, a checksum of these; headers; payload; a
checksum of the whole.
"""

from __future__ import annotations

import base64
import binascii
import struct
import zlib
from collections.abc import Iterator

from playhead.wire.codec import JsonError, JsonObject, decode_object

_PRELUDE = struct.Struct(">III")
_OVERHEAD = _PRELUDE.size + 4


class FrameError(ValueError):
    """The bytes are no event stream, or damaged. `offset` is the place of the frame."""


def is_event_stream(body: bytes, offset: int = 0) -> bool:
    """Whether a frame's prelude stands here; it has a checksum of its own."""
    if len(body) < offset + _OVERHEAD:
        return False
    _, _, check = _PRELUDE.unpack_from(body, offset)
    return zlib.crc32(body[offset : offset + 8]) == int(check)


def events(body: bytes) -> Iterator[JsonObject]:
    """The data of each event. Raises `FrameError` for a damaged frame; a frame that was cut off ends the stream."""
    offset = 0
    while offset + _OVERHEAD <= len(body):
        total, header_length, _ = _PRELUDE.unpack_from(body, offset)
        if not is_event_stream(body, offset) or total < _OVERHEAD + header_length:
            raise FrameError(f"the event stream is damaged at byte {offset}")
        frame = body[offset : offset + total]
        if len(frame) < total:
            return  # the connection broke here
        yield _event(frame[_PRELUDE.size + header_length : -4], offset)
        offset += total


def _event(payload: bytes, offset: int) -> JsonObject:
    try:
        data = decode_object(payload)
        if isinstance(data.get("bytes"), str):
            return decode_object(base64.b64decode(data["bytes"]))
    except (JsonError, binascii.Error) as error:
        raise FrameError(f"the event at byte {offset} of the event stream cannot be read: {error}") from None
    # exceptions come unwrapped: {"message": "..."}
    return {"type": "error", "error": {"type": "api_error", "message": str(data.get("message", data))}}

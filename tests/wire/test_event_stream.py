"""AWS event streams."""

from __future__ import annotations

import json
import struct
import zlib

import pytest

from playhead.wire.event_stream import FrameError, events, is_event_stream
from readers.samples import EVENTS, FRAMES, frame


def test_frames_to_events() -> None:
    """Each frame's payload holds an event as base64."""
    assert is_event_stream(FRAMES)
    assert list(events(FRAMES)) == EVENTS


@pytest.mark.parametrize("size", range(1, 60, 7))
def test_a_cut_frame_ends_the_stream(size: int) -> None:
    """A connection that broke within a frame leaves the events before it."""
    assert list(events(FRAMES[:-size])) == EVENTS[:-1]


def test_damage_is_named_by_its_place() -> None:
    """A frame whose checksum is wrong is an error that names the byte."""
    first = len(frame(EVENTS[0]))
    broken = FRAMES[:first] + b"\xff" + FRAMES[first + 1 :]
    with pytest.raises(FrameError, match=f"damaged at byte {first}"):
        list(events(broken))


@pytest.mark.parametrize(
    "payload",
    [b"{{{", b"[]", b'{"bytes": "a"}', '{"bytes": "☃"}'.encode(), b'{"bytes": "W10="}', b'{"bytes": "e3t7"}'],
)
def test_a_payload_that_cannot_be_read(payload: bytes) -> None:
    """No JSON, no object, no base64, and base64 of no JSON or no object, are errors that name the byte."""
    prelude = struct.pack(">II", 16 + len(payload), 0)
    body = prelude + struct.pack(">I", zlib.crc32(prelude)) + payload
    with pytest.raises(FrameError, match="byte 0"):
        list(events(body + b"\0\0\0\0"))


def test_an_exception_is_an_error_event() -> None:
    """Bedrock sends exceptions unwrapped; they become error events with their message."""
    payload = json.dumps({"message": "slow down"}).encode()
    prelude = struct.pack(">II", 16 + len(payload), 0)
    body = prelude + struct.pack(">I", zlib.crc32(prelude)) + payload + b"\0\0\0\0"
    assert list(events(body)) == [{"type": "error", "error": {"type": "api_error", "message": "slow down"}}]


@pytest.mark.parametrize("body", [b"", b"{}", b"event: ping\n\n" * 3])
def test_other_bodies(body: bytes) -> None:
    """Text is no event stream."""
    assert not is_event_stream(body)

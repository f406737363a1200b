"""Whole calls without their secrets: answers in AWS's framing. The others are looked at through the recorder."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from typing import Any

import pytest

from playhead.cassettes.interaction import Answer, Interaction
from playhead.cassettes.redacted import Redacted, all_redacted
from playhead.cassettes.redaction import Redactor
from playhead.errors import SecretFound
from playhead.wire.event_stream import events, frames
from readers.samples import EVENTS, FRAMES, frame

KEY = "sk-ant-api03-" + "Ab1" * 31 + "AA"
PATH = "/model/x/invoke-with-response-stream"
HEADERS = {"content-type": "application/vnd.amazon.eventstream"}


def said(*pieces: str) -> list[dict[str, Any]]:
    deltas = [{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": p}} for p in pieces]
    start = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    return [EVENTS[0], start, *deltas, {"type": "content_block_stop", "index": 0}, {"type": "message_stop"}]


def framed(sent: list[dict[str, Any]]) -> bytes:
    return b"".join(map(frame, sent))


def redacted(body: bytes, ends: tuple[int, ...] = (), **options: Any) -> Answer:
    live = Interaction(
        path="/model/x/invoke-with-response-stream", answer=Answer(headers=HEADERS, body=body, ends=ends)
    )
    (made,) = all_redacted([live], "a.yaml", Redactor(**options))
    return made.answer


def test_a_secret_in_frames_is_taken_out() -> None:
    """Also where several bring it in pieces: its placeholder comes in the first, and each frame is whole again."""
    sent = said("the key is ", KEY[:9], KEY[9:40], KEY[40:] + ", you know")
    body = framed(sent)
    made = redacted(body, ends=(10, len(body) // 2, len(body) - 3))
    told = "".join(e["delta"]["text"] for e in events(made.body) if e["type"] == "content_block_delta")
    assert told == "the key is REDACTED-anthropic-key-1, you know"
    assert [e["type"] for e in events(made.body)] == [e["type"] for e in sent]
    assert KEY[:20] not in repr([*events(made.body)])
    assert [*made.ends] == sorted(made.ends)
    assert made.ends[0] == 10
    assert made.ends[-1] < len(made.body)


def test_frames_are_as_their_readers_check_them() -> None:
    """Lengths and both checksums fit, and what else a payload holds stays, the padding too."""
    made = redacted(framed(said(KEY)))
    found = [*frames(made.body)]
    assert not any(one.broken for one in found)
    for one in found:
        whole = made.body[one.start : one.end]
        assert struct.unpack(">I", whole[-4:])[0] == zlib.crc32(whole[:-4])
        assert struct.unpack(">I", whole[:4])[0] == len(whole)
        assert json.loads(one.payload)["p"] == "abc"


def test_frames_without_a_secret_stay_byte_for_byte() -> None:
    """As do those around a secret."""
    assert redacted(FRAMES).body == FRAMES
    body = framed(said("before ", KEY, " after"))
    old, new = [*frames(body)], [*frames(redacted(body).body)]
    differ = [at for at, (a, b) in enumerate(zip(old, new, strict=True)) if a.payload != b.payload]
    assert differ == [3]


def test_an_exception_tells_no_secret() -> None:
    """What comes unwrapped is redacted as it stands."""
    payload = json.dumps({"message": f"no such key: {KEY}"}).encode()
    lengths = struct.pack(">II", 16 + len(payload), 0)
    body = lengths + struct.pack(">I", zlib.crc32(lengths)) + payload
    body += struct.pack(">I", zlib.crc32(body))
    (event,) = events(redacted(framed(said("hi")) + body).body[len(framed(said("hi"))) :])
    assert event["error"]["message"] == "no such key: REDACTED-anthropic-key-1"


@pytest.mark.parametrize("left", [8, 60, 150, 260])
def test_a_frame_that_was_cut_goes_with_the_secret(left: int) -> None:
    """No client read it, and nobody can tell what it holds of one; where there is no secret it stays."""
    whole = framed(said("fine"))
    cut = frame(said(KEY)[2])[:left]
    assert KEY[:6] not in repr(redacted(whole + cut).body)
    secret = framed(said(KEY))
    assert [one.broken for one in frames(redacted(secret + cut).body)] == [False] * 5
    harmless = frame(said("x" * 300)[2])[:left]
    assert redacted(whole + harmless).body == whole + harmless


def test_a_cut_frame_with_a_whole_secret() -> None:
    """As far as its base64 goes it is read."""
    whole, cut = framed(said("fine")), frame(said(KEY + " and so on, and on and on")[2])[:-20]
    assert redacted(whole + cut).body == whole


def made_of(payload: bytes, headers: bytes = b"") -> bytes:
    lengths = struct.pack(">II", 16 + len(headers) + len(payload), len(headers))
    body = lengths + struct.pack(">I", zlib.crc32(lengths)) + headers + payload
    return body + struct.pack(">I", zlib.crc32(body))


def header(name: bytes, value: bytes) -> bytes:
    return bytes([len(name)]) + name + b"\x07" + struct.pack(">H", len(value)) + value


def wrapping(event: object, **more: object) -> bytes:
    return json.dumps({"bytes": base64.b64encode(json.dumps(event).encode()).decode(), **more}).encode()


ASKING = wrapping({"type": "ping", "of": "~" * 9 + KEY + "\u2603\u2603"})
GOOD = framed(said("hi"))
DAMAGED = frame(said("nothing")[2])
BEYOND: dict[str, bytes] = {
    "beside the data": made_of(wrapping({"type": "ping"}, p=KEY)),
    "a header": made_of(b"{}", header(b":message-type", b"error") + header(b":error-message", b"no " + KEY.encode())),
    "headers that are none": made_of(wrapping({"type": "ping"}), b"\x03abc\x63 " + KEY.encode()),
    "a payload of text": made_of(f"bad key {KEY}".encode()),
    "a payload of an array": made_of(json.dumps([KEY]).encode()),
    "base64 without padding": made_of(ASKING.replace(b"=", b"")),
    "base64 with escapes": made_of(ASKING.replace(b"/", rb"\/").replace(b"+", rb"\u002b")),
    "between frames": b"garbage " + KEY.encode() + b" garbage",
    "a good frame before an empty one": framed(said(KEY)) + made_of(b"", header(b":message-type", b"error")),
    "a good frame before garbage": framed(said(KEY)) + b"garbage that is no frame",
    "a good frame after garbage": b"garbage that is no frame" + framed(said(KEY)),
    "two damaged frames": DAMAGED[:4] + b"\1\1\1\1" + DAMAGED[8:] + frame(said(KEY)[2])[1:],
    "a damaged frame": frame(said(KEY)[2])[:8] + b"\0\0\0\0" + frame(said(KEY)[2])[12:],
}


@pytest.mark.parametrize("body", BEYOND.values(), ids=BEYOND)
def test_no_secret_is_left_beyond_the_data_of_whole_frames(body: bytes) -> None:
    """Whatever stands around it; what is a frame stays one, and what is broken stays broken."""
    made = redacted(GOOD + body + GOOD).body
    seen = [part for one in frames(made) for part in (one.legible, one.payload, one.headers)]
    assert not any(KEY[:24].encode() in part for part in (made, *seen))
    assert [one.broken for one in frames(made)] == [one.broken for one in frames(GOOD + body + GOOD)]
    assert made.startswith(GOOD)
    assert made.endswith(GOOD)


def test_a_secret_that_goes_on_in_a_frame_that_was_cut() -> None:
    """One byte of a checksum may be all that is missing."""
    body = b"".join(map(frame, said("hunter2h", "unter2 x")[:4]))
    made = redacted(body[:-1], known=["hunter2hunter2"]).body
    told = [e["delta"]["text"] for e in events(made) if e["type"] == "content_block_delta"]
    assert told == ["REDACTED-known-secret-1"]
    assert [one.broken for one in frames(made)] == [False] * 3


def test_a_stream_whose_beginning_is_damaged() -> None:
    """What it is its content type tells; what bears that by mistake is redacted as the text that it is."""
    body = b"garbage" + framed(said(KEY))
    made = redacted(body).body
    assert made.startswith(b"garbage")
    assert "REDACTED-anthropic-key-1" in repr([one.legible for one in frames(made)])
    assert KEY[:24] not in repr([one.legible for one in frames(made)])
    assert redacted(json.dumps({"message": f"no {KEY}"}).encode()).body == b'{"message": "no REDACTED-anthropic-key-1"}'


def test_damage_without_a_secret_stays() -> None:
    """Byte for byte, wherever it is."""
    for damaged in (FRAMES[:-30] + b"\0" * 30 + FRAMES, FRAMES + b"garbage" + FRAMES, FRAMES[:40] + b"x" + FRAMES[40:]):
        assert redacted(damaged).body == damaged


def test_what_cannot_be_taken_out_of_a_frame_is_refused() -> None:
    """A secret that is a number is found before it is written."""
    redacting = Redacted(Redactor(known=["1234567890123"]))
    answer = Answer(headers=HEADERS, body=framed([*said("hi"), {"type": "ping", "at": 1234567890123}]))
    made = redacting.interaction(Interaction(path=PATH, answer=answer))
    with pytest.raises(SecretFound, match=r"interactions\[0\].response"):
        redacting.require_clean(made, "a.yaml", 1)
    beside = Answer(headers=HEADERS, body=made_of(wrapping({"type": "ping"}, n=1234567890123)))
    with pytest.raises(SecretFound, match=r"interactions\[0\].response"):
        redacting.require_clean(redacting.interaction(Interaction(path=PATH, answer=beside)), "a.yaml", 1)

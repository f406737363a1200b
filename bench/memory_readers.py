"""How much memory long recordings take: streams and logs are read piece by piece.

Run `PYTHONPATH=src python bench/memory_readers.py [--size MB] [--kind KIND]`; the test suite runs a small size. Each
recording is generated while it is read, so that what is measured (by tracemalloc) is what reading keeps, not itself.
"""

from __future__ import annotations

import argparse
import json
import tracemalloc
import zlib
from collections.abc import Callable, Iterator, Mapping
from itertools import count

from playhead.readers.body import unzipped
from playhead.readers.source import Source
from playhead.readers.table import session_from
from playhead.wire.session import Session
from playhead.wire.stream import events_of

MEGABYTE = 1_000_000
TEXT = "High tide at Höfn is at noon, and low tide at six. " * 40
DELTA = 20
"""How many characters one delta of a stream brings; real ones bring some words."""

LOG = {"sessionId": "s", "cwd": "/", "version": "2"}


def message() -> dict[str, object]:
    """A reply of some 2,000 characters."""
    usage = {"input_tokens": 9, "output_tokens": 500}
    content = [{"type": "text", "text": TEXT}]
    told = {"stop_reason": "end_turn", "stop_sequence": None, "usage": usage}
    return {"id": "msg_NUMBER", "type": "message", "role": "assistant", "model": "m", "content": content, **told}


def line(value: object) -> bytes:
    return json.dumps(value).encode() + b"\n"


def raw_sse() -> bytes:
    """A reply as server-sent events of a few words each."""
    events = events_of(message(), piece=DELTA)
    return b"".join(b"event: " + str(event["type"]).encode() + b"\ndata: " + line(event) + b"\n" for event in events)


def event_lines() -> bytes:
    """The same as JSON lines."""
    return b"".join(map(line, events_of(message(), piece=DELTA)))


def claude_code() -> bytes:
    """A turn of a session file: mostly what is no message, and results that are there twice."""
    asked, reply = "uNUMBER", "aNUMBER"
    result = {"stdout": TEXT * 20, "stderr": ""}
    snapshot = {"type": "file-history-snapshot", "messageId": reply, "snapshot": {"tide.txt": TEXT * 20}}
    user = {"role": "user", "content": "When is high tide?"}
    said = {"type": "user", "uuid": asked, "parentUuid": None, "message": user, "toolUseResult": result, **LOG}
    progress = {"type": "progress", "uuid": "pNUMBER", "parentUuid": asked, "data": {"output": TEXT * 20}, **LOG}
    answer = {"type": "assistant", "uuid": reply, "parentUuid": asked, "message": message(), **LOG}
    return b"".join(map(line, (said, progress, snapshot, answer)))


def stream_json() -> bytes:
    """A turn of the client's output with partial messages."""
    told = {"session_id": "s", "parent_tool_use_id": None}
    events = ({"type": "stream_event", "event": event, **told} for event in events_of(message(), piece=DELTA))
    return b"".join(map(line, (*events, {"type": "assistant", "message": message(), **told})))


def pi_session() -> bytes:
    """A turn of the pi agent, with lines that are no messages."""
    user = {"role": "user", "content": [{"type": "text", "text": "When is high tide?"}]}
    reply = {
        "role": "assistant",
        "model": "claude-x",
        "content": [{"type": "text", "text": TEXT}],
        "stopReason": "stop",
    }
    other = {"type": "custom", "customType": "notes", "data": TEXT * 20}
    turn = ({"type": "message", "id": "uNUMBER", "parentId": None, "message": user}, other, other)
    return b"".join(map(line, (*turn, {"type": "message", "id": "aNUMBER", "parentId": "uNUMBER", "message": reply})))


KINDS: Mapping[str, Callable[[], bytes]] = {
    "raw-sse": raw_sse,
    "event-json-lines": event_lines,
    "claude-code-jsonl": claude_code,
    "claude-code-stream-json": stream_json,
    "pi-session-jsonl": pi_session,
}


def pieces(kind: str, size: int, *, zipped: bool = False) -> Iterator[bytes]:
    """A recording of that kind of at least `size` bytes, unzipped."""
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    turn = KINDS[kind]()
    for number in count():
        if size <= 0:
            break
        piece = turn.replace(b"NUMBER", str(number).encode())
        size -= len(piece)
        yield packer.compress(piece) if zipped else piece
    if zipped:
        yield packer.flush()


def peak_memory(kind: str, size: int, *, zipped: bool = False) -> tuple[int, Session]:
    """The most memory in bytes that reading such a recording took at any time, and what was read."""
    source = Source(name=f"tides.{kind}", begin=lambda: unzipped(pieces(kind, size, zipped=zipped)))
    tracemalloc.start()
    try:
        session = session_from(source)
        return tracemalloc.get_traced_memory()[1], session
    finally:
        tracemalloc.stop()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=200, help="megabytes of each recording")
    parser.add_argument("--kind", choices=[*KINDS], action="append", help="only this kind")
    asked = parser.parse_args()
    size = asked.size * MEGABYTE
    for kind in asked.kind or KINDS:
        for zipped in (False, True):
            peak, session = peak_memory(kind, size, zipped=zipped)
            print(
                f"memory: {size / MEGABYTE:,.0f} MB of {kind}{' zipped' if zipped else ''}: peak "
                f"{peak / MEGABYTE:.0f} MB for {len(session.exchanges):,} exchanges"
            )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

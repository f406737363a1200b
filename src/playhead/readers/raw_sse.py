"""The body of a streamed answer as it came over the wire; several streams may stand one after the other.

Law: server-sent events in, exchanges out; the source's bytes are decoded in pieces, never held as a whole.

Events of other vendors (OpenAI's chunks, `[DONE]`) are passed over and counted. Data that is no JSON ends a stream
where it is the file's last, because then the file was cut; anywhere else it is an error.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from playhead.readers.opening import opening
from playhead.readers.source import MAX_LINE, Format, Recording, Source
from playhead.readers.streams import keeps_events, stream_exchanges
from playhead.wire.codec import JsonError, JsonObject
from playhead.wire.sse import EventDecoder, ServerSentEvent
from playhead.wire.stream import event_data

_FIELD = re.compile(rb"(event|data|id|retry)?:")
_CLAUDE = re.compile(
    rb'^data:\s*\{[^\r\n]*?"type"\s*:\s*"(message_start|message_delta|message_stop|content_block_\w+|ping|error)"'
    rb"|^event:\s*(message_start|content_block_\w+|message_delta|message_stop)\s*$",
    re.MULTILINE,
)
_OTHERS = re.compile(rb'^data:\s*(\[DONE\]|\{[^\r\n]*"(choices|candidates|object)"\s*:)', re.MULTILINE)


def _matches(source: Source) -> bool:
    head = opening(source).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return bool(_FIELD.match(head) and (_CLAUDE.search(head) or _OTHERS.search(head)))


def _decoded(source: Source) -> Iterator[ServerSentEvent]:
    decoder, number, held = EventDecoder(), 1, 0
    for piece in source.pieces():
        events = decoder.feed(piece)
        number += len(events)
        held = 0 if events else held + len(piece)
        if held > MAX_LINE:
            source.fail(f"it has more than the {MAX_LINE:,} bytes that are read at once", field=f"event {number}")
        yield from events
    yield from decoder.close()


def _events(source: Source, skipped: Counter[str]) -> Iterator[JsonObject]:
    unread: tuple[int, JsonError] | None = None
    for number, event in enumerate(_decoded(source), 1):
        if unread is not None:
            source.fail(str(unread[1]), field=f"event {unread[0]}")
        if not event.data or event.name == "ping":
            if event.name == "ping":
                yield {"type": "ping"}
            continue
        if event.data.strip() == b"[DONE]":
            skipped["the `[DONE]` of another vendor or a gateway"] += 1
            continue
        try:
            data = event_data(event)
        except JsonError as error:
            unread = (number, error)
            continue
        if isinstance(data.get("type"), str) and "choices" not in data:
            yield data
        else:
            skipped["a stream event of another vendor"] += 1


def _read(source: Source) -> Recording:
    skipped: Counter[str] = Counter()
    exchanges = stream_exchanges(_events(source, skipped), keep=keeps_events(source))
    if not exchanges and not skipped:
        source.fail("this is a stream of server-sent events without a whole event of Claude's")
    return Recording(exchanges=exchanges, skipped=skipped)


FORMAT = Format(
    name="raw-sse",
    about="server-sent events as they came over the wire",
    tells="nothing",
    matches=_matches,
    read=_read,
)

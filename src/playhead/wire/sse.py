"""Server-sent events as bytes: a push decoder and an encoder.

Law: knows the event-stream format (html.spec.whatwg.org, "server-sent events") and nothing of Claude.

The decoder takes bytes in any pieces, so that a character, a CRLF or a line may be split anywhere, and hands out an
event once its blank line has come. Lines end with LF, CR or CRLF only: U+2028 or form feed, which `str.splitlines`
would split at, are text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_LINE_END = re.compile(rb"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class ServerSentEvent:
    """One event: its name (empty where the stream names none) and its data lines joined by LF, undecoded."""

    name: str
    data: bytes

    @property
    def text(self) -> str:
        """The data as text. Raises `UnicodeDecodeError`."""
        return self.data.decode()


class EventDecoder:
    """Bytes in, events out. One decoder reads one stream."""

    def __init__(self) -> None:
        self._rest = b""
        self._name = b""
        self._data: list[bytes] = []
        self._begun = False

    def feed(self, chunk: bytes) -> list[ServerSentEvent]:
        """The events that this piece of the stream completes."""
        buffer = self._rest + chunk
        if not self._begun and buffer:
            # a byte order mark may stand before the first line and is no part of it
            if len(buffer) < 3 and b"\xef\xbb\xbf".startswith(buffer):
                self._rest = buffer
                return []
            buffer = buffer.removeprefix(b"\xef\xbb\xbf")
            self._begun = True
        events: list[ServerSentEvent] = []
        start = 0
        for match in _LINE_END.finditer(buffer):
            if match.end() == len(buffer) and match.group() == b"\r":
                break  # an LF may follow in the next piece
            self._line(buffer[start : match.start()], events)
            start = match.end()
        self._rest = buffer[start:]
        return events

    def close(self) -> list[ServerSentEvent]:
        """The event that the end of the stream left open, if it had any data.

        The format tells a browser to drop it; a recording may have lost only its last blank line, so it is kept.
        """
        rest, self._rest = self._rest, b""
        events: list[ServerSentEvent] = []
        if rest:
            self._line(rest.removesuffix(b"\r"), events)
        if self._data:
            self._line(b"", events)
        return events

    def _line(self, line: bytes, events: list[ServerSentEvent]) -> None:
        if not line:
            if self._data or self._name:
                events.append(ServerSentEvent(self._name.decode(errors="replace"), b"\n".join(self._data)))
            self._name, self._data = b"", []
            return
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            self._data.append(value)
        elif field == b"event":
            self._name = value


def decode_events(body: bytes) -> list[ServerSentEvent]:
    """All events of a whole stream."""
    decoder = EventDecoder()
    return [*decoder.feed(body), *decoder.close()]


def encode_event(name: str, data: bytes) -> bytes:
    """One event as bytes, as the API writes it. Data with line breaks takes one `data:` line each."""
    # compact JSON has no line breaks
    return _opening(name) + (data if b"\n" not in data else data.replace(b"\n", b"\ndata: ")) + b"\n\n"


@lru_cache(maxsize=64)
def _opening(name: str) -> bytes:
    return b"event: %b\ndata: " % name.encode()

"""httprr traces (golang.org/x/oscar/internal/httprr): the bytes of requests and responses behind their lengths.

Law: knows this format only. A first line `httprr trace v1`, then for each call a line with two lengths, that many
bytes of the request, and that many of the response, as HTTP/1.1 writes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from playhead.readers.call import Call
from playhead.readers.document import recording
from playhead.readers.source import Format, Recording, Source

_FIRST_LINE = re.compile(rb"httprr trace v1\r?\n")
_LENGTHS = re.compile(rb"(\d{1,12}) (\d{1,12})\r?\n")
_HEAD_END = re.compile(rb"\r?\n\r?\n")


def matches(source: Source) -> bool:
    """Whether the first line says so."""
    return _FIRST_LINE.match(source.head) is not None


def read(source: Source) -> Recording:
    """The calls of a trace. Raises `RecordingError`."""
    return recording(source, "httprr", _calls(source))


def _calls(source: Source) -> Iterator[Call]:
    data = source.data
    first = _FIRST_LINE.match(data)
    offset, number = first.end() if first else 0, 0
    while offset < len(data):
        lengths = _LENGTHS.match(data, offset)
        line = data.count(b"\n", 0, offset) + 1
        if lengths is None:
            source.fail("two lengths, of a request and of its response, should stand here", line=line)
        asked = lengths.end() + int(lengths.group(1))
        offset = asked + int(lengths.group(2))
        if offset > len(data):
            source.fail(f"the trace ends {offset - len(data):,} bytes before the end of this call", line=line)
        yield _call(data[lengths.end() : asked], data[asked:offset], f"calls[{number}]")
        number += 1


def _call(request: bytes, response: bytes, place: str) -> Call:
    first, asked, body = _split(request)
    status, answered, answer = _split(response)
    method, _, rest = first.partition(" ")
    code = status.split(" ")[1:2]
    return Call(
        method=method or "POST",
        url=rest.partition(" ")[0],
        request_headers=asked,
        request_body=body,
        status=int(code[0]) if code and code[0].isascii() and code[0].isdigit() and len(code[0]) == 3 else None,
        response_headers=answered,
        response_body=_unchunked(answer) if answered.get("transfer-encoding") == "chunked" else answer,
        place=place,
    )


def _split(message: bytes) -> tuple[str, dict[str, str], bytes]:
    """First line, headers and body of an HTTP message."""
    end = _HEAD_END.search(message)
    head = (message[: end.start()] if end else message).decode("latin-1").split("\n")
    headers = {}
    for line in head[1:]:
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    return head[0].strip(), headers, message[end.end() :] if end else b""


_CHUNK = re.compile(rb"([0-9a-fA-F]{1,8})[^\n]*\n")


def _unchunked(body: bytes) -> bytes:
    """The body out of its chunks; as it is where it has none, since the writer may have undone them."""
    out, offset = b"", 0
    while (size := _CHUNK.match(body, offset)) is not None:
        length = int(size.group(1), 16)
        out += body[size.end() : size.end() + length]
        offset = size.end() + length + 2
        if length == 0:
            return out
    return out if out and offset >= len(body) else body


FORMAT = Format(
    name="httprr",
    about="httprr traces (Go)",
    tells="all of it",
    matches=matches,
    read=read,
)

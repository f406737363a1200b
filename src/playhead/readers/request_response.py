"""JSON objects with a `request` and a `response`, alone, in a list or on lines: what test helpers and proxies write.

Law: knows this format only. Names differ by writer: `url`, `uri` or `path`; `status`, `status_code` or `code`; a body
is text, an object, or base64 where a member beside it says so. Lines are read one by one: a log of a long session may
be far larger than memory, since every request in it repeats the ones before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from playhead.readers.body import BodyError, from_base64
from playhead.readers.call import Call, Shape, Unreadable, headers, items, members, status_code, text
from playhead.readers.document import recording
from playhead.readers.opening import first_keys, first_lines
from playhead.readers.source import Format, Recording, Source
from playhead.wire.codec import JsonError, decode

_URL = ("url", "uri", "path")
_STATUS = ("status", "status_code", "statusCode", "code")
_BODY = ("body", "json", "content", "text")
_ENCODING = ("encoding", "body_encoding", "bodyEncoding")


def _is_pair(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("request"), dict) and "response" in value


def fits(document: object) -> bool:
    """Whether this is such a pair, or a list that begins with one."""
    return _is_pair(document[0] if isinstance(document, list) and document else document)


def calls(document: object) -> Iterator[Call]:
    """The calls. Raises `Unreadable`."""
    for place, pair in items(document if isinstance(document, list) else [document], "$"):
        yield _call(pair, place)


def _call(pair: object, place: str) -> Call:
    parts = members(pair, place)
    request = members(parts.get("request"), f"{place}.request")
    answer = members(parts.get("response"), f"{place}.response")
    asked = request.get("headers")
    return Call(
        method=text(request.get("method"), "POST"),
        url=text(_first(request, _URL)),
        request_headers=None if asked is None else headers(asked, f"{place}.request.headers"),
        request_body=_body(request, f"{place}.request"),
        status=status_code(_first(answer, _STATUS)),
        response_headers=headers(answer.get("headers"), f"{place}.response.headers"),
        response_body=_body(answer, f"{place}.response"),
        place=place,
    )


def _first(part: Mapping[str, object], names: tuple[str, ...]) -> object:
    return next((part[name] for name in names if name in part), None)


def _body(part: Mapping[str, object], place: str) -> object:
    body = _first(part, _BODY)
    if isinstance(body, str) and any(part.get(name) == "base64" for name in _ENCODING):
        try:
            return from_base64(body)
        except BodyError as error:
            raise Unreadable(f"{place}.body", str(error)) from None
    return body


SHAPE = Shape(
    name="JSON request and response",
    about="JSON objects with `request` and `response`, alone or in a list",
    fits=fits,
    calls=calls,
)


def _matches(source: Source) -> bool:
    for item in first_lines(source, 1):
        return _is_pair(item)
    keys = first_keys(source)
    # the first line may be longer than the head
    return "request" in keys and ("response" in keys or not source.is_short)


def _read(source: Source) -> Recording:
    return recording(source, LINES.name, _on_lines(source))


def _on_lines(source: Source) -> Iterator[Call]:
    for number, line in enumerate(source.lines(), 1):
        line = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
        if not line.strip():
            continue
        try:
            pair = decode(line)
        except JsonError as error:
            source.fail(f"this line is no JSON ({error}); was the file cut?", line=number)
        yield _call(pair, f"lines[{number}]")


LINES = Format(
    name="request-response-lines",
    about="JSON objects with `request` and `response`, one on each line",
    tells="all of it",
    matches=_matches,
    read=_read,
)

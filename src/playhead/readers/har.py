"""HTTP archives (HAR 1.2, w3c.github.io/web-performance/specs/HAR), Polly.JS's among them.

Law: knows this format only. A response's text may be base64; Polly.JS keeps it as a JSON list of base64 pieces.
"""

from __future__ import annotations

import binascii
from collections.abc import Iterator

from playhead.readers.body import BodyError, from_base64
from playhead.readers.call import Call, Shape, Unreadable, headers, items, members, status_code, text
from playhead.wire.codec import JsonError, decode


def fits(document: object) -> bool:
    """Whether there is a `log` with `entries`."""
    log = document.get("log") if isinstance(document, dict) else None
    return isinstance(log, dict) and isinstance(log.get("entries"), list)


def calls(document: object) -> Iterator[Call]:
    """The calls of an archive, in the order in which they stand. Raises `Unreadable`."""
    log = members(members(document, "$").get("log"), "log")
    for place, entry in items(log.get("entries"), "log.entries"):
        parts = members(entry, place)
        request = members(parts.get("request"), f"{place}.request")
        answer = members(parts.get("response"), f"{place}.response")
        posted = members(request.get("postData"), f"{place}.request.postData")
        yield Call(
            method=text(request.get("method"), "POST"),
            url=text(request.get("url")),
            request_headers=headers(request.get("headers"), f"{place}.request.headers") or None,
            request_body=posted.get("text"),
            # status 0: the browser got no answer
            status=status_code(answer.get("status")) or None,
            response_headers=headers(answer.get("headers"), f"{place}.response.headers"),
            response_body=_content(members(answer.get("content"), f"{place}.response.content"), place),
            place=place,
        )


def _content(content: dict[str, object], place: str) -> object:
    body = content.get("text")
    if content.get("encoding") != "base64" or not isinstance(body, str):
        return body
    try:
        pieces = decode(body) if body.startswith("[") else [body]
        return b"".join(from_base64(text(piece)) for piece in pieces)
    except (BodyError, JsonError, binascii.Error, TypeError) as error:
        raise Unreadable(f"{place}.response.content.text", f"it is no base64: {error}") from None


SHAPE = Shape(
    name="HAR",
    about="HTTP archives from browsers, proxies and Polly.JS",
    fits=fits,
    calls=calls,
)

"""nock's recordings (JavaScript, `nock.recorder` with `output_objects`): a list of scopes with `path` and `response`.

Law: knows this format only. A compressed or binary response is text in hex, or a list of such pieces; headers are a
flat list of names and values, or an object.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from playhead.readers.call import Call, Shape, headers, items, members, status_code, text

_HEX = re.compile(r"(?:[0-9a-f]{2})+\Z")


def fits(document: object) -> bool:
    """Whether the first item of a list has `scope`, `path` and `response`."""
    first = document[0] if isinstance(document, list) and document else None
    return isinstance(first, dict) and {"scope", "path", "response"} <= first.keys()


def calls(document: object) -> Iterator[Call]:
    """The calls of a recording. Raises `Unreadable`."""
    for place, scope in items(document, "$"):
        parts = members(scope, place)
        asked = parts.get("reqheaders")
        yield Call(
            method=text(parts.get("method"), "POST"),
            url=text(parts.get("scope")).rstrip("/") + text(parts.get("path")),
            request_headers=None if asked is None else headers(asked, f"{place}.reqheaders"),
            request_body=parts.get("body"),
            status=status_code(parts.get("status")),
            response_headers=_answer_headers(parts, place),
            response_body=_answer_body(parts.get("response")),
            place=place,
        )


def _answer_headers(parts: dict[str, object], place: str) -> dict[str, str]:
    raw = parts.get("rawHeaders")
    if isinstance(raw, list) and all(isinstance(one, str) for one in raw):
        return {str(name).lower(): str(value) for name, value in zip(raw[::2], raw[1::2], strict=False)}
    return headers(raw, f"{place}.rawHeaders")


def _answer_body(response: object) -> object:
    pieces = response if isinstance(response, list) else [response]
    if pieces and all(isinstance(piece, str) and _HEX.match(piece) for piece in pieces):
        return bytes.fromhex("".join(str(piece) for piece in pieces))
    return response


SHAPE = Shape(
    name="nock",
    about="nock fixtures (JavaScript)",
    fits=fits,
    calls=calls,
)

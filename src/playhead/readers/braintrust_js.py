"""Braintrust's JavaScript cassettes: `entries` with a `matchKey`, bodies by `kind`.

Law: knows this format only. Kinds: `json` has a `value`, `text` a `value` or `text`, `sse` its `chunks`;
bytes are base64, or in a blob beside the cassette, which is not part of the recording.
"""

from __future__ import annotations

from collections.abc import Iterator

from playhead.readers.body import BodyError, from_base64
from playhead.readers.call import Call, Shape, Unreadable, headers, items, members, status_code, text

_IN_BASE64 = ("base64", "data")


def fits(document: object) -> bool:
    """Whether there are `entries`, of which the first has a `matchKey`."""
    entries = document.get("entries") if isinstance(document, dict) else None
    return isinstance(entries, list) and bool(entries) and isinstance(entries[0], dict) and "matchKey" in entries[0]


def calls(document: object) -> Iterator[Call]:
    """The calls of a cassette. Raises `Unreadable`."""
    for place, entry in items(members(document, "$").get("entries"), "entries"):
        parts = members(entry, place)
        request = members(parts.get("request"), f"{place}.request")
        answer = members(parts.get("response"), f"{place}.response")
        yield Call(
            method=text(request.get("method"), "POST"),
            url=text(request.get("url")),
            # the recorder drops headers: none kept does not mean that none were sent
            request_headers=headers(request.get("headers"), f"{place}.request.headers") or None,
            request_body=_body(request.get("body"), f"{place}.request.body"),
            status=status_code(answer.get("status")),
            response_headers=headers(answer.get("headers"), f"{place}.response.headers"),
            response_body=_body(answer.get("body"), f"{place}.response.body"),
            place=place,
        )


def _body(body: object, place: str) -> object:
    if not isinstance(body, dict):
        return body
    if body.get("kind") == "sse":
        chunks = [text(chunk) for _, chunk in items(body.get("chunks"), f"{place}.chunks")]
        return "".join(chunk if chunk.endswith("\n\n") else f"{chunk}\n\n" for chunk in chunks)
    for member in _IN_BASE64:
        if isinstance(body.get(member), str):
            try:
                return from_base64(body[member])
            except BodyError as error:
                raise Unreadable(f"{place}.{member}", str(error)) from None
    return body.get("value", body.get("text"))


SHAPE = Shape(name="Braintrust JavaScript cassette", fits=fits, calls=calls)

"""Braintrust's JavaScript cassettes: `entries` with a `matchKey`, bodies by `kind`.

Law: knows this format only (`dev-packages/seinfeld/src/format/v1.ts` in braintrustdata/braintrust-sdk-javascript).
Kinds: `json` and `text` have a `value`, `base64` its text as `value`, `sse` its `chunks`, `binary` the `path` of a
file beside the cassette.
"""

from __future__ import annotations

from collections.abc import Iterator

from playhead.readers.body import BodyError, from_base64
from playhead.readers.call import Beside, Call, Shape, Unreadable, headers, items, members, status_code, text


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
    if body.get("kind") == "binary":
        return Beside(name=text(body.get("path"))) if body.get("path") else None
    if body.get("kind") == "base64":
        try:
            return from_base64(text(body.get("value")))
        except BodyError as error:
            raise Unreadable(f"{place}.value", str(error)) from None
    return body.get("value", body.get("text"))


SHAPE = Shape(
    name="Braintrust JavaScript cassette",
    about="Braintrust's JavaScript test cassettes (`seinfeld`), with their blobs",
    fits=fits,
    calls=calls,
)

"""go-vcr's cassettes (gopkg.in/dnaeon/go-vcr, format versions 1 and 2): `interactions` whose requests have a `url`.

Law: knows this format only. Bodies are plain text (bytes where they are no UTF-8), the status is `200 OK` beside a
`code`. Version 2 adds `id`, protocol numbers and `uncompressed`.
"""

from __future__ import annotations

from collections.abc import Iterator

from playhead.readers.call import Call, Shape, Unreadable, headers, items, members, status_code, text


def fits(document: object) -> bool:
    """Whether the first request has a `url`, where vcrpy has a `uri`."""
    interactions = document.get("interactions") if isinstance(document, dict) else None
    if not isinstance(interactions, list) or not interactions or not isinstance(interactions[0], dict):
        return False
    request = interactions[0].get("request")
    return isinstance(request, dict) and "url" in request


def calls(document: object) -> Iterator[Call]:
    """The calls of a cassette. Raises `Unreadable`."""
    for place, interaction in items(members(document, "$").get("interactions"), "interactions"):
        parts = members(interaction, place)
        if not isinstance(request := parts.get("request"), dict):
            raise Unreadable(place, "an interaction needs a request and a response, this one has no request object")
        answer = members(parts.get("response"), f"{place}.response")
        yield Call(
            method=text(request.get("method"), "POST"),
            url=text(request.get("url")),
            request_headers=headers(request.get("headers"), f"{place}.request.headers") or None,
            request_body=request.get("body"),
            status=status_code(answer["code"] if "code" in answer else answer.get("status")),
            response_headers=headers(answer.get("headers"), f"{place}.response.headers"),
            response_body=answer.get("body"),
            place=place,
        )


SHAPE = Shape(
    name="go-vcr",
    about="go-vcr cassettes, versions 1 and 2 (Go)",
    fits=fits,
    calls=calls,
)

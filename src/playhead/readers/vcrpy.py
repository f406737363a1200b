"""vcrpy cassettes, YAML or JSON (vcrpy 1 to 9, `serialize.py`): `interactions` of `request` and `response`.

Law: knows this format only. A body is text, bytes, an object, or `{"string": ...}`; very old ones have
`base64_string`. pydantic-ai's `parsed_body` and go-vcr share the outermost members and have files of their own.
"""

from __future__ import annotations

from collections.abc import Iterator

from playhead.readers.body import BodyError, from_base64
from playhead.readers.call import Call, Shape, Unreadable, headers, items, members, status_code, text


def fits(document: object) -> bool:
    """Whether this is a vcrpy cassette: its requests have a `uri`."""
    return isinstance(document, dict) and isinstance(document.get("interactions"), list)


def calls(document: object) -> Iterator[Call]:
    """The calls of a cassette. Raises `Unreadable`."""
    for place, interaction in items(members(document, "$").get("interactions"), "interactions"):
        parts = members(interaction, place)
        yield call_of(parts.get("request"), parts.get("response"), place)


def call_of(request: object, response: object, place: str) -> Call:
    """One call of a request and a response as vcrpy writes them. Raises `Unreadable`."""
    if not isinstance(request, dict):
        raise Unreadable(place, "an interaction needs a request and a response, this one has no request object")
    answer = members(response, f"{place}.response")
    asked = headers(request.get("headers"), f"{place}.request.headers")
    return Call(
        method=text(request.get("method"), "POST"),
        url=text(request.get("uri")),
        request_headers=asked or None,
        request_body=body_of(request.get("body"), f"{place}.request.body"),
        status=status_code(answer.get("status")),
        response_headers=headers(answer.get("headers"), f"{place}.response.headers"),
        response_body=body_of(answer.get("body"), f"{place}.response.body"),
        place=place,
    )


def body_of(body: object, place: str) -> object:
    """A body out of its wrapping. Raises `Unreadable` for one that says it is base64 and is not."""
    if not isinstance(body, dict):
        return body
    if isinstance(body.get("base64_string"), str):
        try:
            return from_base64(body["base64_string"])
        except BodyError as error:
            raise Unreadable(f"{place}.base64_string", str(error)) from None
    return body.get("string", body or None)


SHAPE = Shape(
    name="vcrpy",
    about="vcrpy cassettes, versions 1 to 9 (Python), YAML or JSON",
    fits=fits,
    calls=calls,
)

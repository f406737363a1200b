"""WireMock stub mappings (JSON): one mapping, or several under `mappings`; recorded traffic turned into stubs.

Law: knows this format only. The request is told by patterns: `equalToJson` and `equalTo` are bodies as sent, other
patterns tell no body. An answer may stand in a file (`bodyFileName`) of the folder `__files` beside `mappings`.
"""

from __future__ import annotations

from collections.abc import Iterator

from playhead.readers.body import BodyError, from_base64
from playhead.readers.call import Beside, Call, Shape, Unreadable, headers, items, members, status_code, text

_URL_MEMBERS = ("url", "urlPath", "urlPattern", "urlPathPattern")
_BODY_MEMBERS = ("equalToJson", "equalTo")


def _is_mapping(value: object) -> bool:
    if not isinstance(value, dict) or not isinstance(request := value.get("request"), dict):
        return False
    return isinstance(value.get("response"), dict) and (
        "bodyPatterns" in request or any(member in request for member in _URL_MEMBERS[1:]) or "uuid" in value
    )


def fits(document: object) -> bool:
    """Whether this is a stub mapping, or a list of them under `mappings`."""
    mappings = document.get("mappings") if isinstance(document, dict) else None
    return _is_mapping(document) or (isinstance(mappings, list) and any(_is_mapping(mapping) for mapping in mappings))


def calls(document: object) -> Iterator[Call]:
    """The calls that the mappings stand for. Raises `Unreadable`."""
    mappings = members(document, "$").get("mappings", [document])
    for place, mapping in items(mappings, "mappings"):
        parts = members(mapping, place)
        request = members(parts.get("request"), f"{place}.request")
        answer = members(parts.get("response"), f"{place}.response")
        yield Call(
            method=text(request.get("method"), "POST"),
            url=next((text(request[member]) for member in _URL_MEMBERS if member in request), ""),
            request_headers=_expected_headers(request, place) or None,
            request_body=_expected_body(request, place),
            status=status_code(answer.get("status")),
            response_headers=headers(answer.get("headers"), f"{place}.response.headers"),
            response_body=_answer_body(answer, place),
            place=place,
        )


def _expected_headers(request: dict[str, object], place: str) -> dict[str, str]:
    patterns = members(request.get("headers"), f"{place}.request.headers")
    return {
        name.lower(): text(pattern["equalTo"])
        for name, pattern in patterns.items()
        if isinstance(pattern, dict) and "equalTo" in pattern
    }


def _expected_body(request: dict[str, object], place: str) -> object:
    for where, pattern in items(request.get("bodyPatterns"), f"{place}.request.bodyPatterns"):
        given = members(pattern, where)
        for member in _BODY_MEMBERS:
            if member in given:
                return given[member]
    return None


def _answer_body(answer: dict[str, object], place: str) -> object:
    if isinstance(encoded := answer.get("base64Body"), str):
        try:
            return from_base64(encoded)
        except BodyError as error:
            raise Unreadable(f"{place}.response.base64Body", str(error)) from None
    if isinstance(name := answer.get("bodyFileName"), str):
        return Beside(name=f"__files/{name.lstrip('/')}", root="mappings")
    return answer.get("jsonBody", answer.get("body"))


SHAPE = Shape(
    name="WireMock",
    about="WireMock stub mappings, with their `__files`",
    tells="what its stub matches exactly",
    fits=fits,
    calls=calls,
)

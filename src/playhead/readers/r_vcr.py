"""R vcr's cassettes (vcr 0.x to 2.x): `http_interactions` as in Ruby's VCR, with a plain `status` number.

Law: knows this format only. vcr 2 has no request headers and names bodies by their kind: `string`, `raw` or
`base64_string` (base64), `raw_gzip` (base64 of gzip), `fields` (a form: what was sent is not told).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from playhead.readers.body import BodyError, from_base64
from playhead.readers.call import Call, Shape, Unreadable, items, members
from playhead.readers.ruby_vcr import fits as fits_ruby
from playhead.readers.vcrpy import call_of

_IN_BASE64 = ("raw_gzip", "raw", "base64_string")


def fits(document: object) -> bool:
    """Whether these are interactions that R wrote: it says so, or a status is a plain number."""
    if not fits_ruby(document) or not isinstance(document, dict):
        return False
    if isinstance(recorder := document.get("recorded_with"), str):
        return "vcr/" in recorder
    responses = [one.get("response") for one in document["http_interactions"] if isinstance(one, dict)]
    return any(isinstance(response, dict) and isinstance(response.get("status"), int) for response in responses)


def calls(document: object) -> Iterator[Call]:
    """The calls of a cassette. Raises `Unreadable`."""
    for place, interaction in items(members(document, "$").get("http_interactions"), "http_interactions"):
        parts = members(interaction, place)
        request, response = parts.get("request"), parts.get("response")
        call = call_of(request, response, place)
        yield replace(
            call,
            request_body=_body(request, call.request_body, f"{place}.request.body"),
            response_body=_body(response, call.response_body, f"{place}.response.body"),
        )


def _body(part: object, plain: object, place: str) -> object:
    body = part.get("body") if isinstance(part, dict) else None
    if not isinstance(body, dict) or "string" in body:
        return plain
    for member in _IN_BASE64:
        if isinstance(body.get(member), str):
            try:
                return from_base64(body[member])
            except BodyError as error:
                raise Unreadable(f"{place}.{member}", str(error)) from None
    return None


SHAPE = Shape(
    name="R vcr",
    about="vcr cassettes of R",
    fits=fits,
    calls=calls,
)

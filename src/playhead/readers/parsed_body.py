"""pydantic-ai's cassettes: vcrpy's format with `parsed_body`, the JSON as data, in place of a body's text.

Law: knows this format only. Plain vcrpy loads these silently with empty bodies. One cassette mixes both kinds: what
is no JSON (streams, uploads) keeps vcrpy's `body`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from playhead.readers import vcrpy
from playhead.readers.call import Call, Shape, items, members


def fits(document: object) -> bool:
    """Whether some request or response has a `parsed_body`."""
    if not vcrpy.fits(document) or not isinstance(document, dict):
        return False
    return any(
        isinstance(part, dict) and "parsed_body" in part
        for interaction in document["interactions"]
        if isinstance(interaction, dict)
        for part in interaction.values()
    )


def calls(document: object) -> Iterator[Call]:
    """The calls of a cassette. Raises `Unreadable`."""
    for place, interaction in items(members(document, "$").get("interactions"), "interactions"):
        parts = members(interaction, place)
        request, response = parts.get("request"), parts.get("response")
        call = vcrpy.call_of(request, response, place)
        if isinstance(request, dict) and "parsed_body" in request:
            call = replace(call, request_body=request["parsed_body"])
        if isinstance(response, dict) and "parsed_body" in response:
            call = replace(call, response_body=response["parsed_body"])
        yield call


SHAPE = Shape(
    name="vcrpy with parsed_body (pydantic-ai)",
    about="pydantic-ai's cassettes: vcrpy's, with JSON bodies as data",
    fits=fits,
    calls=calls,
)

"""Ruby VCR's cassettes: `http_interactions` whose `status` is an object (VCR 2 to 6, `structs.rb`).

Law: knows this format only. A body is `{encoding, string}` or `{encoding, base64_string}`, in YAML or JSON.
"""

from __future__ import annotations

from collections.abc import Iterator

from playhead.readers.call import Call, Shape, items, members
from playhead.readers.vcrpy import call_of


def fits(document: object) -> bool:
    """Whether this is a list of Ruby VCR's interactions."""
    return isinstance(document, dict) and isinstance(document.get("http_interactions"), list)


def calls(document: object) -> Iterator[Call]:
    """The calls of a cassette. Raises `Unreadable`."""
    for place, interaction in items(members(document, "$").get("http_interactions"), "http_interactions"):
        parts = members(interaction, place)
        yield call_of(parts.get("request"), parts.get("response"), place)


SHAPE = Shape(
    name="Ruby VCR",
    about="VCR cassettes of Ruby",
    fits=fits,
    calls=calls,
)

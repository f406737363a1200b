"""Finds secrets that are there already: in recordings of others, and in what is about to be written.

Law: pure; changes nothing, and never shows a secret: of what it finds it tells the pattern, the place, and how the
secret begins.
"""

from __future__ import annotations

from typing import NamedTuple

from playhead.cassettes.places import Node, Place, places_of
from playhead.cassettes.scanning import Scanner, Span, identity, searched
from playhead.errors import SecretFound


class Found(NamedTuple):
    """A secret that was found: the name of its pattern, its JSON path, and how it begins.

    `path` is that of the object where the secret is in a key. `line` (from 1) says where in a text of several lines.
    """

    pattern: str
    path: str
    shown: str
    line: int | None = None


def find_secrets(value: object, path: str = "$", scanner: Scanner | None = None) -> list[Found]:
    """The secrets in a text or a JSON value, in the order in which they stand in it; `path` is the way to the value."""
    return [found for found, _ in identified(value, path, scanner)]


def identified(value: object, path: str = "$", scanner: Scanner | None = None) -> list[tuple[Found, str]]:
    """`find_secrets`, each with what makes it the same secret as another. That is the secret: show it to nobody."""
    narrowed = (scanner or Scanner.of()).narrowed(searched(value))
    if narrowed is None:
        return []
    hits = [
        (place, span) for place in places_of(Node([value], None, 0)) for span in narrowed.spans(place.text, place.key)
    ]
    # a key with a secret may be part of another's path
    keys = {place.text: shown(span) for place, span in hits if place.is_key}
    return [
        (Found(span.name, place.path(path, keys), shown(span), _line(place, span)), identity(span.secret))
        for place, span in hits
    ]


def has_secrets(value: object, scanner: Scanner | None = None) -> bool:
    """Whether there is a secret in a text or a JSON value; may say so where a pattern of one's own does not match."""
    return (scanner or Scanner.of()).narrowed(searched(value)) is not None


def require_clean(value: object, file: str, path: str = "$", scanner: Scanner | None = None) -> None:
    """Raises `SecretFound` where a text or a JSON value that is about to be written to this file holds a secret."""
    for found in find_secrets(value, path, scanner):
        raise SecretFound(file, found.pattern, shown=found.shown, field=found.path, line=found.line)


def shown(span: Span) -> str:
    """The first characters of a secret: four, and never more than a quarter."""
    return span.secret[: min(4, len(span.secret) // 4)] + "..."


def _line(place: Place, span: Span) -> int | None:
    return place.text.count("\n", 0, span.start) + 1 if "\n" in place.text else None

"""Whole URLs in a cassette: a recording of everything that a test sends holds more than Claude's traffic.

Law: pure. The API's own host is never written, so that a request is its method and path; any other host is part of the
URL.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

from playhead.cassettes.exporting import HOST
from playhead.cassettes.interaction import Interaction
from playhead.wire.cloud import cloud_of
from playhead.wire.exchange import endpoint_of
from playhead.wire.tables import COUNT_TOKENS_PATH, MESSAGES_PATH


def written_url(uri: str) -> str:
    """A URL as it stands in a cassette: on the API's own host, the path and query alone."""
    rest = uri.removeprefix(HOST)
    return rest if rest.startswith("/") else uri


def is_claudes(path: str, headers: Mapping[str, str]) -> bool:
    """Whether a request is made of Claude: to the API, a gateway or a cloud. `headers` have names in lower case."""
    if path.startswith("/") or any(name.startswith("anthropic-") for name in headers):
        return True
    plain = path.partition("?")[0]
    if endpoint_of(plain) in (MESSAGES_PATH, COUNT_TOKENS_PATH) or cloud_of(plain) is not None:
        return True
    host = urlsplit(path).hostname or ""
    return host == "anthropic.com" or host.endswith(".anthropic.com")


class Sorted(NamedTuple):
    """Claude's interactions, and how many there were of others, by what they are."""

    claudes: tuple[Interaction, ...]
    skipped: Counter[str]


def without_others(interactions: Iterable[Interaction]) -> Sorted:
    """The interactions with Claude alone."""
    claudes, skipped = [], Counter[str]()
    for interaction in interactions:
        if is_claudes(interaction.path, interaction.headers):
            claudes.append(interaction)
        else:
            skipped[f"calls to {urlsplit(interaction.path).hostname or 'an unknown host'}"] += 1
    return Sorted(tuple(claudes), skipped)

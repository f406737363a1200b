"""What a request says besides its messages: is it what an earlier request said, and does any of it bear on messages?

Law: compares and numbers, judges nothing. Equal numbers mean equal terms, in any session; unequal ones prove nothing.

Verdicts on messages hold as long as the terms do under which they were found: the model, the tools, the betas. Most of
a request's other members say how the answer is made, and leave the messages be.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from itertools import count
from operator import is_not
from typing import NamedTuple

from playhead.wire.codec import JsonObject, canonical, decode
from playhead.wire.exchange import Exchange, endpoint_of

JUDGED_HEADERS = ("anthropic-version", "anthropic-beta", "x-api-key", "authorization")

ABOUT_THE_ANSWER = frozenset(
    {
        "cache_control",
        "inference_geo",
        "max_tokens",
        "messages",
        "metadata",
        "service_tier",
        "stop_sequences",
        "stream",
        "system",
        "temperature",
        "tool_choice",
        "top_k",
        "top_p",
    }
)
"""Members that no rule on single messages, blocks or pairs of turns looks at."""

_REMEMBERED = 8
_NUMBERS = count()


class Terms(NamedTuple):
    """Numbers that are the same for the same terms: of all that is not messages, and of what bears on them."""

    envelope: int
    messages: int


class _Seen(NamedTuple):
    body: JsonObject
    around: tuple[object, ...]
    terms: Terms


class TermsTable:
    """Numbers the terms of one session's requests."""

    def __init__(self) -> None:
        self._latest: list[_Seen] = []

    def of(self, exchange: Exchange, status: int | None) -> Terms:
        """The terms of a request, where `status` is that of its answer if that is known."""
        body, headers = exchange.request or {}, exchange.headers
        judged = None if headers is None else tuple(map(headers.get, JUDGED_HEADERS))
        around = (endpoint_of(exchange.path), exchange.known, status, judged)
        for seen in reversed(self._latest):
            if seen.around == around and _same_objects(seen.body, body):
                return seen.terms
        terms = _numbered(body, around)
        self._latest.append(_Seen(body, around, terms))
        del self._latest[:-_REMEMBERED]
        return terms


def _numbered(body: JsonObject, around: tuple[object, ...]) -> Terms:
    parts = [{key: body[key] for key in body if key != "messages"}]
    parts.append({key: value for key, value in parts[0].items() if key not in ABOUT_THE_ANSWER})
    if isinstance(body.get("thread"), dict):
        parts[1]["thread"] = {"type": body["thread"].get("type")}  # from which reply it goes on is no matter
    return Terms(*[_number_of(part, around) for part in parts])


def _number_of(part: dict[str, object], around: tuple[object, ...]) -> int:
    try:
        text = canonical(part)
        if decode(text) == part:
            return _number(hashlib.blake2b(text, digest_size=20).digest(), around)
    except (TypeError, ValueError, RecursionError):
        pass
    return next(_NUMBERS)  # no JSON, a tuple say, which has the text of a list: like nothing else


@lru_cache(maxsize=1024)
def _number(digest: bytes, around: tuple[object, ...]) -> int:
    # whoever rehearses makes many sessions with the same tools: what is known of them is known in each
    return next(_NUMBERS)


def _same_objects(before: JsonObject, body: JsonObject) -> bool:
    """Whether all but the messages is, object for object, what an earlier request had."""
    if before.keys() != body.keys():
        return False
    others = sum(map(is_not, body.values(), map(before.get, body)))
    return others == (before.get("messages") is not body.get("messages"))

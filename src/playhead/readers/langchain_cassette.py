"""langchain-tests' cassettes (`.yaml.gz`): vcrpy's requests and responses in two parallel lists.

Law: knows this format only. The n-th response answers the n-th request; URIs and headers may be `**REDACTED**`.
"""

from __future__ import annotations

from collections.abc import Iterator

from playhead.readers.call import Call, Shape, Unreadable, items, members
from playhead.readers.vcrpy import call_of


def fits(document: object) -> bool:
    """Whether there are the two lists."""
    return (
        isinstance(document, dict)
        and isinstance(document.get("requests"), list)
        and isinstance(document.get("responses"), list)
    )


def calls(document: object) -> Iterator[Call]:
    """The calls of a cassette. Raises `Unreadable`, also for lists of different length."""
    parts = members(document, "$")
    requests = list(items(parts.get("requests"), "requests"))
    responses = list(items(parts.get("responses"), "responses"))
    if len(requests) != len(responses):
        raise Unreadable("responses", f"{len(responses)} responses for {len(requests)} requests; each needs one")
    for (place, request), (_, response) in zip(requests, responses, strict=True):
        yield call_of(request, response, place)


SHAPE = Shape(
    name="langchain",
    about="LangChain's test cassettes: lists of `requests` and `responses`",
    fits=fits,
    calls=calls,
)

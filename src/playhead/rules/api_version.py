"""Rules that came with the API version 2026-10-21.

Law: pure checks, silent unless the headers are known and ask for exactly this version; older versions take all of it.

Source: platform.claude.com/docs/en/api/migration-2026-10-21, which quotes no error texts.
"""

from __future__ import annotations

from collections.abc import Iterator

from playhead.rules.json_words import shown
from playhead.rules.order import FIELD
from playhead.rules.rule import BlockView, Finding, RequestView, Rule

VERSION_2026 = "2026-10-21"

SAMPLING = ("temperature", "top_p", "top_k")
"""The sampling parameters."""


def drops_sampling(view: RequestView) -> bool:
    """Whether the request asks for a version that has no sampling parameters at all."""
    return view.version == VERSION_2026


def _sampling(view: RequestView) -> Iterator[Finding]:
    if not drops_sampling(view):
        return
    for field in SAMPLING:
        if field in view.body:
            yield Finding(
                path=f"$.{field}",
                what=f"`{field}` is {shown(view.body[field])}, API version {VERSION_2026} does not take it",
                values={"field": field},
                rank=FIELD[field],
            )


def _document_in_assistant(view: RequestView, block: BlockView) -> Iterator[Finding]:
    if view.version == VERSION_2026 and block.role == "assistant" and block.within is None:
        yield Finding(
            path=block.path,
            what=f"an assistant message holds a document, API version {VERSION_2026} takes them from the user only",
            place=block.place,
        )


def _citations_from_user(view: RequestView, block: BlockView) -> Iterator[Finding]:
    if view.version != VERSION_2026:
        return
    if block.type == "search_result":
        yield from _cited(block.data.get("content"), f"{block.path}.content", block.place)
    elif block.role == "user" and block.within is None and _has_citations(block.data):
        yield _citing(block.path, block.place)


def _cited(content: object, path: str, place: tuple[int, ...]) -> Iterator[Finding]:
    for number, text in enumerate(content if isinstance(content, list) else ()):
        if isinstance(text, dict) and text.get("type") == "text" and _has_citations(text):
            yield _citing(f"{path}[{number}]", (*place, number))


def _citing(path: str, place: tuple[int, ...]) -> Finding:
    return Finding(
        path=f"{path}.citations",
        what=f"a text that Claude did not write carries citations, which API version {VERSION_2026} does not take",
        place=place,
    )


def _has_citations(text: dict[str, object]) -> bool:
    citations = text.get("citations")
    return isinstance(citations, list) and bool(citations)


RULES = (
    Rule(
        id="sampling-removed-in-2026-10-21",
        level="reject",
        fix="leave `{field}` out, even at its default; `anthropic-version: 2023-06-01` still takes it on older models",
        envelope=_sampling,
    ),
    Rule(
        id="document-in-assistant-2026-10-21",
        level="reject",
        fix="move the document into a user message, or into the tool result that brought it",
        rank=FIELD["messages"],
        block=_document_in_assistant,
        types=("document",),
    ),
    Rule(
        id="citations-in-user-text-2026-10-21",
        level="reject",
        fix="leave `citations` out of text that is sent as the user's or as a search result's",
        rank=FIELD["messages"],
        block=_citations_from_user,
        types=("text", "search_result"),
        ordinary=False,
    ),
)

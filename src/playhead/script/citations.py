"""What a text cites, completed to the API's shape.

Law: pure; the kinds of citations as a table, told apart by the members that only one of them has.

Source: the Python SDK 2.14.0 (`types/citation_*_location.py`, `types/citations_*_location.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from playhead.errors import ScriptError
from playhead.script.json_values import object_copy
from playhead.script.opaque import opaque
from playhead.wire.codec import JsonObject, kind


class _Kind(NamedTuple):
    """A type of citation: the member that tells it, the members it must have, and what may be left out."""

    type: str
    told_by: str
    required: tuple[str, ...]
    usual: Mapping[str, object]


def _in_document(type_: str, start: str, end: str) -> _Kind:
    usual = {"document_index": 0, "document_title": None}
    return _Kind(type_, start, ("cited_text", start, end), MappingProxyType(usual))


_KINDS = (
    _Kind(
        "search_result_location",
        "search_result_index",
        ("cited_text", "search_result_index", "source", "start_block_index", "end_block_index"),
        MappingProxyType({"title": None}),
    ),
    _Kind("web_search_result_location", "url", ("cited_text", "url"), MappingProxyType({"title": None})),
    _in_document("char_location", "start_char_index", "end_char_index"),
    _in_document("page_location", "start_page_number", "end_page_number"),
    _in_document("content_block_location", "start_block_index", "end_block_index"),
)


def citations_of(given: Sequence[Mapping[str, Any] | str], text: str) -> list[JsonObject]:
    """The citations of a text. What is cited is the text itself where that is not said. Raises `ScriptError`."""
    if isinstance(given, str | Mapping) or not isinstance(given, Sequence):
        raise ScriptError(f"citations of say() are a list, not {kind(given)}")
    return [_citation(citation, text, f"citations[{index}] of say()") for index, citation in enumerate(given)]


def _citation(given: Mapping[str, Any] | str, text: str, where: str) -> JsonObject:
    if isinstance(given, str):
        given = {"url": given}
    if not isinstance(given, Mapping):
        raise ScriptError(f"{where} is an object, or the URL of a search result, not {kind(given)}")
    data = object_copy(given, where)
    its = next((its for its in _KINDS if data.get("type", its.type) == its.type and its.told_by in data), None)
    if its is None:
        members = ", ".join(its.told_by for its in _KINDS)
        raise ScriptError(f"{where} does not say where the text stands: it needs one of {members}")
    made = {"type": its.type, "cited_text": text, **its.usual, **data}
    missing = [member for member in its.required if member not in made]
    if missing:
        raise ScriptError(f"{where} ({its.type}) lacks {', '.join(missing)}")
    if its.told_by == "url":
        made.setdefault("encrypted_index", opaque("citation", str(made["url"]), str(made["cited_text"])))
    return made

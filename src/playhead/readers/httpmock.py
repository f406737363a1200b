"""httpmock's recordings (Rust, `record` feature): YAML documents, each with `when` (the request) and `then`.

Law: knows this format only. The path stands without its host; bodies are text, or base64 in `body_base64`.
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlencode

from playhead.readers.body import BodyError, from_base64
from playhead.readers.call import Call, Shape, Unreadable, headers, items, members, status_code, text


def _is_pair(document: object) -> bool:
    return isinstance(document, dict) and "when" in document and "then" in document


def fits(document: object) -> bool:
    """Whether this is one such pair, or several documents of which the first is one."""
    return _is_pair(document[0] if isinstance(document, list) and document else document)


def calls(document: object) -> Iterator[Call]:
    """The calls of the documents. Raises `Unreadable`."""
    for place, pair in items(document if isinstance(document, list) else [document], "$"):
        parts = members(pair, place)
        when, then = members(parts.get("when"), f"{place}.when"), members(parts.get("then"), f"{place}.then")
        if pair is None:
            continue  # an empty document, behind a last `---`
        if not when or not then:
            raise Unreadable(place, "a document needs both `when` and `then`")
        yield Call(
            method=text(when.get("method"), "POST"),
            url=_path(when, place),
            request_headers=headers(when.get("header"), f"{place}.when.header"),
            request_body=_body(when, f"{place}.when"),
            status=status_code(then.get("status")),
            response_headers=headers(then.get("header"), f"{place}.then.header"),
            response_body=_body(then, f"{place}.then"),
            place=place,
        )


def _path(when: dict[str, object], place: str) -> str:
    pairs = [members(pair, where) for where, pair in items(when.get("query_param"), f"{place}.when.query_param")]
    query = urlencode([(text(pair.get("name")), text(pair.get("value"))) for pair in pairs])
    path = text(when.get("path"))
    return f"{path}?{query}" if query else path


def _body(part: dict[str, object], place: str) -> object:
    if not isinstance(encoded := part.get("body_base64"), str):
        return part.get("body")
    try:
        return from_base64(encoded)
    except BodyError as error:
        raise Unreadable(f"{place}.body_base64", str(error)) from None


SHAPE = Shape(
    name="httpmock",
    about="httpmock's `when`/`then` documents (Rust), one per call",
    fits=fits,
    calls=calls,
)

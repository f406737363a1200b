"""Inputs that a schema does not take, each wrong in one way.

Law: imports hypothesis. What might be wrong is tried when the strategy is made, so that little is thrown away later.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

from hypothesis import strategies as st

from playhead.errors import SetupError
from playhead.testing.schema_merging import Impossible
from playhead.testing.schema_nodes import Document, flat_schema
from playhead.wire.codec import Json, JsonObject

Inputs = st.SearchStrategy[dict[str, Json]]
Change = Callable[[dict[str, Json]], dict[str, Json]]

_UNDECLARED = "undeclared"
_OF_EACH_TYPE: tuple[Json, ...] = (None, False, 0, 0.5, "", "x", [], {}, -1, [None], {_UNDECLARED: None})


def wrong_inputs(document: Document, right: Inputs | None) -> Inputs:
    """Objects that do not fit; `right` draws those that do, if any. Raises `SetupError` where all objects fit."""
    fits = document.validator.is_valid
    found: list[Inputs] = []
    changes = [*_changes(document)]
    if right is not None and changes:
        found.append(st.builds(lambda value, change: change(value), right, st.sampled_from(changes)))
    whole: list[dict[str, Json]] = [{}, *({_UNDECLARED: value} for value in _OF_EACH_TYPE)]
    wrong = [value for value in whole if not fits(value)]
    if wrong:
        found.append(st.sampled_from(wrong).map(copy.deepcopy))
    if not found:
        raise SetupError(
            "every object fits this schema, so no input can be invalid: require a member, or give it a type"
        )
    return st.one_of(found).filter(lambda value: not fits(value))


def _changes(document: Document) -> Iterator[Change]:
    """The ways in which an input that fits can be made one that does not."""
    try:
        schema = flat_schema(document)
    except Impossible:
        return
    properties = schema.get("properties", {})
    yield from (_without(name) for name in schema.get("required", ()))
    for name, part in properties.items():
        if isinstance(part, dict):
            takes = document.fits(part)
            yield from (_with(name, value) for value in (*_OF_EACH_TYPE, *_beyond(part)) if not takes(value))
        elif part is False:
            yield _with(name, None)
    if schema.get("additionalProperties", True) is not True or schema.get("unevaluatedProperties", True) is not True:
        yield from (_with(_UNDECLARED, value) for value in (None, 0, ""))


def _beyond(schema: JsonObject) -> Iterator[Json]:
    """Values just out of range."""
    for low in ("minimum", "exclusiveMinimum"):
        if low in schema:
            yield schema[low] - 1
    for high in ("maximum", "exclusiveMaximum"):
        if high in schema:
            yield schema[high] + 1
    if 0 < schema.get("minLength", 0) < 10**4:
        yield "x" * (int(schema["minLength"]) - 1)
    if schema.get("maxLength", 10**4) < 10**4:
        yield "x" * (int(schema["maxLength"]) + 1)
    if schema.get("maxItems", 10**3) < 10**3:
        yield [None] * (int(schema["maxItems"]) + 1)


def _without(name: str) -> Change:
    return lambda value: {member: held for member, held in value.items() if member != name}


def _with(name: str, wrong: Any) -> Change:
    return lambda value: {**value, name: copy.deepcopy(wrong)}

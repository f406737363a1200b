"""Hypothesis strategies for tools: definitions that the API accepts, with input schemas of varied shape.

Law: imports hypothesis. Each schema is one that `schemas.inputs` draws from.
"""

from __future__ import annotations

import copy
import string

from hypothesis import strategies as st

from playhead.testing.values import SAID
from playhead.wire.codec import Json, JsonObject

_LETTERS = string.ascii_letters + string.digits + "_-"

_LEAVES: tuple[JsonObject, ...] = (
    {"type": "string"},
    {"type": "integer"},
    {"type": "boolean"},
    {"type": "number"},
    {"type": "string", "enum": ["days", "weeks", "é"]},
    {"enum": ["a", 1, None]},
    {"type": "integer", "minimum": 1, "maximum": 14},
    {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
    {"type": "string", "format": "date"},
    {"type": "string", "pattern": "^[A-Z]{3}[0-9]*$"},
    {"type": "string", "minLength": 1, "maxLength": 8},
    {"type": ["string", "null"]},
    {"anyOf": [{"type": "integer"}, {"type": "string"}]},
    {"type": "object"},
    {"type": "object", "additionalProperties": {"type": "number"}},
    {"type": "array", "items": {"type": "string"}, "uniqueItems": True, "maxItems": 3},
    {"type": "array", "items": {"type": "integer"}, "minItems": 1},
    {},
)
"""What a parameter may be. A fixed list, for a strategy is made once for each schema."""

_PARAMETERS = ("a", "city", "days", "from", "unit", "class", "self", "nested-name", "x.y", "A", "_", "input", "name")
_NAMES = ("get_weather", "a", "A-1", "_", "list", "x" * 128)


def _objects(parts: st.SearchStrategy[JsonObject]) -> st.SearchStrategy[JsonObject]:
    """Schemas of objects whose members are of these."""

    def shaped(members: list[tuple[str, JsonObject]], which: int, shape: int) -> JsonObject:
        properties: JsonObject = dict(members)
        schema: JsonObject = {"type": "object"}
        # some servers declare nothing at all
        if properties or shape & 1:
            schema["properties"] = properties
        required = [name for place, name in enumerate(properties) if which >> place & 1]
        if required or shape & 2:
            schema["required"] = required
        if shape & 4:
            schema["additionalProperties"] = False
        return schema

    member = st.tuples(st.sampled_from(_PARAMETERS), parts)
    return st.builds(
        shaped, st.lists(member, max_size=4, unique_by=lambda pair: pair[0]), st.integers(0, 15), st.integers(0, 7)
    )


def _arrays(parts: st.SearchStrategy[JsonObject]) -> st.SearchStrategy[JsonObject]:
    return parts.map(lambda part: {"type": "array", "items": part})


_LEAF = st.sampled_from(_LEAVES).map(copy.deepcopy)
_PART = st.one_of(_LEAF, _LEAF, _arrays(_LEAF | _objects(_LEAF)), _objects(_LEAF))
_RECURSIVE: JsonObject = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "parts": {"type": "array", "items": {"$ref": "#/$defs/part"}}},
    "required": ["name"],
    "$defs": {"part": {"type": "object", "properties": {"name": {"type": "string"}, "of": {"$ref": "#/$defs/part"}}}},
}


def input_schemas() -> st.SearchStrategy[JsonObject]:
    """Input schemas as tools have them: flat and nested, optional members, enums, formats, unions, recursion."""
    whole = st.sampled_from(({"type": "object"}, _RECURSIVE)).map(copy.deepcopy)
    return st.one_of(whole, _objects(_PART), _objects(_LEAF))


def tool_schemas(*, min_size: int = 1, max_size: int = 4) -> st.SearchStrategy[list[JsonObject]]:
    """Tool definitions as `tools` of a request has them: names that the API accepts, no two alike.

    Each is a dict with `name`, `input_schema` and perhaps `description`; the smallest is a tool without parameters.
    """
    name: st.SearchStrategy[Json] = st.sampled_from(_NAMES) | st.text(_LETTERS, min_size=1, max_size=12)
    tool = st.fixed_dictionaries(
        {"name": name, "input_schema": input_schemas()}, optional={"description": SAID | st.just("")}
    )
    return st.lists(tool, min_size=min_size, max_size=max_size, unique_by=lambda tool: str(tool["name"]))

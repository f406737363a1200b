"""Annotations become schemas, and fitting JSON becomes the values they promise."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NotRequired, Optional, TypedDict, Union

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.loop.shapes import Misfit, shape_of


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Place(TypedDict):
    city: str
    zip: NotRequired[str]


@dataclass
class Box:
    width: int
    color: Color = Color.RED
    tags: list[str] = field(default_factory=list)


def closed(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


STRING, INTEGER, NULL = {"type": "string"}, {"type": "integer"}, {"type": "null"}
COLOR = {"type": "string", "enum": ["red", "blue"]}
BOX = closed({"width": INTEGER, "color": COLOR, "tags": {"type": "array", "items": STRING}}, "width")

SHAPES = [
    pytest.param(str, STRING, "a", "a", id="str"),
    pytest.param(int, INTEGER, 3, 3, id="int"),
    pytest.param(int, INTEGER, 3.0, 3, id="int-from-3.0"),
    pytest.param(float, {"type": "number"}, 3, 3, id="float-takes-int"),
    pytest.param(bool, {"type": "boolean"}, True, True, id="bool"),
    pytest.param(None, NULL, None, None, id="none"),
    pytest.param(Any, {}, [1], [1], id="any"),
    pytest.param(list, {"type": "array"}, [1, "a"], [1, "a"], id="bare-list"),
    pytest.param(list[int], {"type": "array", "items": INTEGER}, [1, 2.0], [1, 2], id="list"),
    pytest.param(set[str], {"type": "array", "items": STRING, "uniqueItems": True}, ["a"], {"a"}, id="set"),
    pytest.param(
        tuple[str, ...],
        {"type": "array", "items": STRING},
        ["a"],
        ("a",),
        id="tuple-of-any-length",
    ),
    pytest.param(
        tuple[str, int],
        {"type": "array", "prefixItems": [STRING, INTEGER], "minItems": 2, "maxItems": 2},
        ["a", 1],
        ("a", 1),
        id="tuple",
    ),
    pytest.param(dict, {"type": "object"}, {"a": 1}, {"a": 1}, id="bare-dict"),
    pytest.param(
        dict[str, int],
        {"type": "object", "additionalProperties": INTEGER},
        {"a": 1},
        {"a": 1},
        id="dict",
    ),
    pytest.param(Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}, "a", "a", id="literal"),
    pytest.param(Literal[1, "a", None], {"enum": [1, "a", None]}, None, None, id="mixed-literal"),
    pytest.param(Literal[1], {"type": "integer", "enum": [1]}, 1.0, 1, id="literal-1-takes-1.0"),
    pytest.param(Color, COLOR, "blue", Color.BLUE, id="enum"),
    pytest.param(Level, {"type": "integer", "enum": [1, 2]}, 2, Level.HIGH, id="int-enum"),
    pytest.param(Optional[int], {"anyOf": [INTEGER, NULL]}, None, None, id="optional"),  # noqa: UP045  # both spellings
    pytest.param(int | str, {"anyOf": [INTEGER, STRING]}, "a", "a", id="union-bar"),
    pytest.param(Union[Color, int], {"anyOf": [COLOR, INTEGER]}, "red", Color.RED, id="union-of-enum"),  # noqa: UP007
    pytest.param(
        Place,
        closed({"city": STRING, "zip": STRING}, "city"),
        {"city": "x"},
        {"city": "x"},
        id="typed-dict",
    ),
    pytest.param(Box, BOX, {"width": 1, "color": "blue"}, Box(1, Color.BLUE), id="dataclass"),
    pytest.param(
        list[Box],
        {"type": "array", "items": BOX},
        [{"width": 1}],
        [Box(1)],
        id="list-of-dataclass",
    ),
    pytest.param(
        Annotated[str, "a note"],
        {"type": "string", "description": "a note"},
        "a",
        "a",
        id="annotated",
    ),
]


@pytest.mark.parametrize(("annotation", "schema", "json", "value"), SHAPES)
def test_annotation_to_schema_and_back(
    annotation: object,
    schema: object,
    json: object,
    value: object,
) -> None:
    """Each supported annotation has this schema, which accepts the JSON and reads it to the Python value."""
    shape = shape_of(annotation)
    assert shape.schema == schema
    jsonschema.Draft202012Validator.check_schema(shape.schema)
    jsonschema.validate(json, shape.schema)
    read = shape.read(json)
    assert read == value
    assert type(read) is type(value)


NUMBERS = st.integers(-3, 3) | st.floats(allow_nan=False)
KEYS = st.sampled_from(["width", "city", "a"])
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.sampled_from(["red", "a", ""]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner),
    max_leaves=5,
)


@given(st.sampled_from([case.values[0] for case in SHAPES]), JSON)
def test_what_the_schema_accepts_can_be_read(annotation: object, json: object) -> None:
    """jsonschema and our reader agree: a valid value is read, an invalid one is a misfit."""
    shape = shape_of(annotation)
    valid = jsonschema.Draft202012Validator(shape.schema).is_valid(json)
    try:
        shape.read(json)
        readable = True
    except Misfit:
        readable = False
    except TypeError:  # a set of unhashable items cannot be described more narrowly
        return
    assert readable or not valid
    unique = isinstance(json, list) and "uniqueItems" in shape.schema
    assert valid or not readable or unique

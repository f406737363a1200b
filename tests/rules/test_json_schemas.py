"""JSON Schemas as values: valid or not, what they take, where they refer to themselves."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playhead.rules.json_schemas import circle, reachable, schema_fault, value_fault

Json = dict[str, Any]

KEYWORDS = (
    *("type", "properties", "required", "enum", "items", "anyOf", "oneOf", "allOf", "not", "$defs", "definitions"),
    *("minimum", "minLength", "minItems", "uniqueItems", "title", "pattern", "format", "$ref", "$schema", "default"),
    *("const", "examples", "multipleOf", "$id", "$anchor", "dependentRequired", "prefixItems", "deprecated", "if"),
    *("dependentSchemas", "patternProperties", "contains", "minContains", "x-y", "propertyNames", "dependencies"),
)
VALUES: st.SearchStrategy[object] = st.sampled_from(
    (None, True, False, 0, 1, -1, 1.5, 2.0, "string", "x", ["string"], ["x", "x"], ["null", "object"], [], [1], "#")
)
SCHEMAS: st.SearchStrategy[Any] = st.recursive(
    st.dictionaries(st.sampled_from(KEYWORDS), VALUES, max_size=3) | st.booleans(),
    lambda inner: st.dictionaries(
        st.sampled_from(KEYWORDS),
        inner | st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2) | VALUES,
        max_size=3,
    ),
    max_leaves=6,
).filter(lambda schema: isinstance(schema, dict))


@settings(max_examples=400, deadline=None)
@given(SCHEMAS)
def test_the_table_agrees_with_jsonschema(schema: Json) -> None:
    """What is judged without jsonschema is judged as jsonschema would."""
    try:
        jsonschema.Draft202012Validator.check_schema(schema, format_checker=None)  # type: ignore[arg-type]
    except jsonschema.SchemaError:
        assert schema_fault(schema) is not None
    else:
        assert schema_fault(schema) is None


@settings(max_examples=200, deadline=None)
@given(SCHEMAS)
def test_any_schema_can_be_walked(schema: Json) -> None:
    """Nothing in a schema makes the walks crash or go round for ever."""
    places = [placed.place for placed in reachable(schema)]
    assert len(places) == len(set(places))
    names = circle(schema)
    assert names is None or names[0] == names[-1]


def test_a_schema_deeper_than_the_stack() -> None:
    """Depth is no reason to crash; what cannot be told is no fault."""
    deep: Json = {"multipleOf": 2}
    for _ in range(5000):
        deep = {"properties": {"a": deep}}
    assert schema_fault(deep) is None
    assert circle(deep) is None
    assert sum(1 for _ in reachable(deep)) == 5001


@pytest.mark.parametrize(
    ("schema", "names"),
    [
        pytest.param({}, None, id="nothing"),
        pytest.param({"$ref": "#"}, ("#", "#"), id="itself"),
        pytest.param({"properties": {"a": {"$ref": "#/properties/b"}, "b": {}}}, None, id="a neighbour"),
        pytest.param({"properties": {"a": {"items": {"$ref": "#/properties/a"}}}}, ("a", "a"), id="what it stands in"),
        pytest.param(
            {
                "$ref": "#/$defs/a~1b",
                "$defs": {"a/b": {"items": {"$ref": "#/$defs/c%20d"}}, "c d": {"$ref": "#/$defs/a~1b"}},
            },
            ("a/b", "c d", "a/b"),
            id="escaped names",
        ),
        pytest.param({"$defs": {"A": {"$ref": "#/$defs/A"}}}, None, id="a circle that nobody enters"),
        pytest.param({"enum": [{"$ref": "#"}], "default": {"$ref": "#"}}, None, id="data that looks like a reference"),
        pytest.param({"allOf": [{"$ref": "#/allOf/0"}]}, ("0", "0"), id="by position"),
    ],
)
def test_circle(schema: Json, names: tuple[str, ...] | None) -> None:
    """References are followed as far as they lead within the document."""
    assert circle(schema) == names


@pytest.mark.parametrize(
    ("schema", "value", "path"),
    [
        pytest.param({"type": "object", "required": ["a"]}, {}, "", id="missing"),
        pytest.param({"properties": {"a": {"items": {"type": "integer"}}}}, {"a": [1, "2"]}, ".a[1]", id="nested"),
        pytest.param({"type": "object"}, {}, None, id="fits"),
        pytest.param({"$ref": "https://example.com/s"}, 5, None, id="elsewhere"),
        pytest.param({"$ref": "#"}, 5, None, id="endless"),
        pytest.param({"multipleOf": 0.1}, 10**400, None, id="out of range"),
    ],
)
def test_value_fault(schema: Json, value: object, path: str | None) -> None:
    """The place of what does not fit; None also where it cannot be told. Nothing is fetched."""
    fault = value_fault(schema, value)
    assert (fault.path if fault else None) == path

"""Inputs drawn from a tool's schema: they fit it, or do not where that is asked for, and shrink to what is simplest."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings

from drawing import examples, smallest
from playhead import SetupError
from playhead.testing.schemas import inputs, invalid_inputs, telling_inputs
from playhead.wire.codec import Json, JsonObject


def an_object(*required: str, **properties: Json) -> JsonObject:
    return {"type": "object", "properties": properties, "required": [*required]}


NODE: JsonObject = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
        "next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]},
    },
    "required": ["name"],
    "additionalProperties": False,
}

# the schema, its smallest input
SCHEMAS: dict[str, tuple[JsonObject, JsonObject]] = {
    "nothing declared": ({"type": "object"}, {}),
    "no type at all": ({}, {}),
    "no properties": (an_object(), {}),
    "required and optional": (an_object("a", a={"type": "string"}, b={"type": "integer"}), {"a": ""}),
    "one of each type": (
        an_object(
            *"abcdefg",
            a={"type": "string"},
            b={"type": "integer"},
            c={"type": "number"},
            d={"type": "boolean"},
            e={"type": "array"},
            f={"type": "object"},
            g={"type": "null"},
        ),
        {"a": "", "b": 0, "c": 0, "d": False, "e": [], "f": {}, "g": None},
    ),
    "several types": (an_object("a", a={"type": ["integer", "boolean"]}), {"a": 0}),
    "null is the simplest": (an_object("a", a={"type": ["integer", "null"]}), {"a": None}),
    "anything": (an_object("a", a={}), {"a": None}),
    "enum": (an_object("a", a={"type": "string", "enum": ["celsius", "fahrenheit"]}), {"a": "celsius"}),
    "an enum of objects": (an_object("a", a={"enum": [{"x": [1]}, None]}), {"a": {"x": [1]}}),
    "const": (an_object("a", a={"const": 3}), {"a": 3}),
    "bounds of integers": (an_object("a", a={"type": "integer", "minimum": 3, "exclusiveMaximum": 6}), {"a": 3}),
    "bounds below 0": (an_object("a", a={"type": "integer", "maximum": -3}), {"a": -3}),
    "exclusive bounds": (
        an_object("a", a={"type": "integer", "exclusiveMinimum": 3, "exclusiveMaximum": 5}),
        {"a": 4},
    ),
    "bounds of numbers": (an_object("a", a={"type": "number", "minimum": 0.1, "maximum": 0.3}), {"a": 0.25}),
    "a number above 0": (an_object("a", a={"type": "number", "exclusiveMinimum": 0}), {"a": 1}),
    "multiples of an integer": (an_object("a", a={"type": "integer", "multipleOf": 7, "minimum": 1}), {"a": 7}),
    "multiples of a half": (an_object("a", a={"type": "number", "multipleOf": 0.5, "minimum": 0.25}), {"a": 0.5}),
    "lengths": (an_object("a", a={"type": "string", "minLength": 2, "maxLength": 3}), {"a": "00"}),
    "a pattern": (an_object("a", a={"type": "string", "pattern": "^[A-Z]{2}-[0-9]+$"}), {"a": "AA-0"}),
    "a pattern that may stand anywhere": (an_object("a", a={"type": "string", "pattern": "ab"}), {"a": "ab"}),
    "a format": (an_object("a", a={"type": "string", "format": "date"}), {"a": "2000-01-01"}),
    "an array of so many": (
        an_object("a", a={"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 3}),
        {"a": [0, 0]},
    ),
    "an array of different ones": (
        an_object("a", a={"type": "array", "items": {"enum": ["x", "y"]}, "minItems": 2, "uniqueItems": True}),
        {"a": ["x", "y"]},
    ),
    "a tuple": (
        an_object(
            "a",
            a={
                "type": "array",
                "prefixItems": [{"type": "string"}, {"type": "integer"}],
                "items": False,
                "minItems": 2,
            },
        ),
        {"a": ["", 0]},
    ),
    "an array that holds one": (
        an_object("a", a={"type": "array", "items": {"type": "integer"}, "contains": {"minimum": 5}}),
        {"a": [5]},
    ),
    "an array that holds some": (
        an_object("a", a={"type": "array", "contains": {"const": 1}, "minContains": 2, "minItems": 3}),
        {"a": [1, 1, None]},
    ),
    "a number beyond all floats": (an_object("a", a={"type": "number", "minimum": 10**400}), {"a": 10**400}),
    "anyOf": (an_object("a", a={"anyOf": [{"type": "string"}, {"type": "integer"}]}), {"a": ""}),
    "anyOf with null": (an_object("a", a={"anyOf": [{"type": "string"}, {"type": "null"}]}), {"a": None}),
    "never": (an_object(a={"not": {}}), {}),
    "anyOf, which part is required": (
        {
            **an_object(a={"type": "integer"}, b={"type": "integer"}),
            "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
        },
        {"a": 0},
    ),
    "oneOf": (
        {
            **an_object(a={"type": "integer"}, b={"type": "integer"}),
            "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
        },
        {"a": 0},
    ),
    "allOf": (
        {
            "type": "object",
            "allOf": [
                an_object("a", a={"type": "number", "minimum": 2}),
                an_object("b", a={"type": "integer", "maximum": 4}, b={"type": "boolean"}),
            ],
        },
        {"a": 2, "b": False},
    ),
    "not": (an_object("a", a={"type": "string", "not": {"const": ""}}), {"a": "0"}),
    "if and then": (
        {
            **an_object("kind", kind={"enum": ["a", "b"]}, size={"type": "integer"}),
            "if": {"properties": {"kind": {"const": "a"}}},
            "then": {"required": ["size"]},
        },
        {"kind": "a", "size": 0},
    ),
    "a reference": (
        {**an_object("a", a={"$ref": "#/$defs/c", "description": "x"}), "$defs": {"c": {"type": "string"}}},
        {"a": ""},
    ),
    "recursion": ({"$ref": "#/$defs/node", "$defs": {"node": NODE}}, {"name": ""}),
    "a free map": (
        an_object("a", a={"type": "object", "additionalProperties": {"type": "integer"}}),
        {"a": {}},
    ),
    "a free map of some size": (
        an_object("a", a={"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 1}),
        {"a": {"": 0}},
    ),
    "names by pattern": (
        an_object("a", a={"type": "object", "patternProperties": {"^x-[a-z]$": {"type": "null"}}, "minProperties": 1}),
        {"a": {"x-a": None}},
    ),
    "at least one of them": ({**an_object(a={"type": "null"}, b={"type": "null"}), "minProperties": 1}, {"a": None}),
    "a required member that is not declared": (an_object("b", a={"type": "null"}), {"b": None}),
    "a part that nothing fits": (
        an_object(a={"type": "integer", "minimum": 2, "maximum": 1}, b={"anyOf": [False, {"type": "null"}]}),
        {},
    ),
}
CASES = [pytest.param(schema, simplest, id=name) for name, (schema, simplest) in SCHEMAS.items()]


def is_valid(schema: JsonObject, value: Json) -> bool:
    return jsonschema.Draft202012Validator(schema).is_valid(value)


def values(value: Json) -> Iterator[Json]:
    """A value and all that is in it."""
    yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from values(item)


@pytest.mark.parametrize("draw", [inputs, telling_inputs])
@pytest.mark.parametrize(("schema", "simplest"), CASES)
def test_inputs_fit_their_schema(draw: Any, schema: JsonObject, simplest: JsonObject) -> None:
    """Whatever the schema, jsonschema takes each input; where properties are declared there are no others."""
    for value in examples(draw(schema), 40):
        assert is_valid(schema, value), value
        if "properties" in schema:
            assert value.keys() <= {*schema["properties"], *schema["required"]}


@pytest.mark.parametrize(("schema", "simplest"), CASES)
def test_the_smallest_input(schema: JsonObject, simplest: JsonObject) -> None:
    """An input shrinks to the required members, with the simplest value that each may have."""
    assert smallest(inputs(schema)) == simplest


@pytest.mark.parametrize(("schema", "simplest"), CASES)
def test_invalid_inputs_do_not_fit(schema: JsonObject, simplest: JsonObject) -> None:
    """Each invalid input is one that jsonschema refuses; a schema that takes all objects is told."""
    if schema in ({}, {"type": "object"}, an_object()):
        with pytest.raises(SetupError, match="every object fits this schema"):
            invalid_inputs(schema)
        return
    for value in examples(invalid_inputs(schema), 30):
        assert not is_valid(schema, value), value


WRONGS = {
    "a member is missing": lambda value: "city" not in value and value,
    "a type is wrong": lambda value: isinstance(value.get("city"), int),
    "one is not declared": lambda value: value.keys() - {"city", "days"},
    "a number is out of range": lambda value: value.get("days") in (0, 15),
}


@pytest.mark.parametrize("wanted", WRONGS.values(), ids=WRONGS)
def test_inputs_are_invalid_in_different_ways(wanted: Any) -> None:
    """There are inputs for every way in which one can be wrong."""
    schema = an_object("city", city={"type": "string"}, days={"type": "integer", "minimum": 1, "maximum": 14})
    assert any(map(wanted, examples(invalid_inputs({**schema, "additionalProperties": False}), 150)))


TELLING = {
    "beyond 2**53": lambda value: isinstance(value, int) and abs(value) > 2**53,
    "25 digits": lambda value: isinstance(value, int) and len(str(abs(value))) == 25,
    "3.0": lambda value: isinstance(value, float) and value == 3.0,
    "1e22": lambda value: isinstance(value, float) and value == 1e22,
    "-0.0": lambda value: isinstance(value, float) and str(value) == "-0.0",
    "padded": lambda value: value == " padded ",
    "empty": lambda value: value == "",
    "é": lambda value: value == "é",
    "an emoji of several": lambda value: value == "👩‍👩‍👧",
    "a line separator": lambda value: value == "\u2028",
    "NUL": lambda value: value == "\x00",
    "a backslash": lambda value: value == "\\",
    "JSON in text": lambda value: value == '{"a": 1}',
    "null in text": lambda value: value == "null",
    "007": lambda value: value == "007",
    "{}": lambda value: value == {},
    "[]": lambda value: value == [],
    "nested nulls": lambda value: isinstance(value, list | dict) and None in [*values(value)],
}
EVERYTHING = an_object(
    *"abcde",
    a={"type": "string"},
    b={"type": "integer"},
    c={"type": "number"},
    d={"type": "array"},
    e={"type": "object"},
)


@pytest.fixture(scope="module")
def told() -> list[JsonObject]:
    return examples(telling_inputs(EVERYTHING), 250)


@pytest.mark.parametrize("wanted", TELLING.values(), ids=TELLING)
def test_telling_inputs_hold_what_loops_spoil(told: list[JsonObject], wanted: Any) -> None:
    """Every value that loops are known to spoil is drawn, where the schema allows it."""

    def holds(value: JsonObject) -> bool:
        return any(wanted(inner) for member in value.values() for inner in values(member))

    assert any(map(holds, told))


def test_recursion_is_bounded() -> None:
    """A schema that refers to itself gives deep inputs, and an end to them."""
    schema: JsonObject = {"$ref": "#/$defs/node", "$defs": {"node": NODE}}

    def depth(value: Json) -> int:
        held = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        return 1 + max(map(depth, held), default=0)

    found = [depth(value) for value in examples(inputs(schema), 200)]
    assert max(found) > 4
    assert max(found) < 20


BAD: dict[str, tuple[Any, str]] = {
    "a list": ([], "inputs() takes a tool's input_schema as a dict, not an array"),
    "a whole tool": (
        {"name": "a", "input_schema": {"type": "object"}},
        "inputs() takes a tool's input_schema, not the whole tool: give tool['input_schema']",
    ),
    "no schema": (an_object(a={"type": "strnig"}), "this is no JSON Schema: $.properties.a.type: "),
    "not JSON": ({"enum": [object()]}, "inputs() takes a schema that can be written as JSON: "),
    "no object": ({"type": "array"}, "nothing fits this schema: $: no type is allowed by all of it"),
    "bounds that exclude each other": (
        an_object("a", a={"type": "integer", "minimum": 5, "maximum": 3}),
        "nothing fits this schema: $.properties.a: no integer lies within its bounds",
    ),
    "lengths that exclude each other": (
        an_object("a", a={"type": "string", "minLength": 5, "maxLength": 3}),
        "nothing fits this schema: $.properties.a: minLength 5 is above maxLength 3",
    ),
    "too few to be different": (
        an_object("a", a={"type": "array", "items": {"type": "boolean"}, "uniqueItems": True, "minItems": 3}),
        "nothing fits this schema: $.properties.a: 3 different items are wanted, and there are 2",
    ),
    "false": (an_object("a", a=False), "nothing fits this schema: $.properties.a: false allows no value"),
    "recursion without end": (
        {**an_object("a", a={"$ref": "#"})},
        "nothing fits this schema: $.properties.a",
    ),
    "a reference to nowhere": (
        an_object("a", a={"$ref": "#/$defs/b"}),
        "$.properties.a.$ref leads to '#/$defs/b', which is not in this schema; put it under $defs, "
        "and refer to it as '#/$defs/NAME'",
    ),
    "a reference elsewhere": (
        an_object("a", a={"$ref": "https://example.com/b.json"}),
        "$.properties.a.$ref leads to 'https://example.com/b.json', which is not in this schema",
    ),
    "a pattern of another dialect": (
        an_object("a", a={"type": "string", "pattern": r"^\p{L}+$"}),
        r"the pattern '^\\p{L}+$' at $.properties.a is no regular expression that Python knows",
    ),
    "a bound that is no number": (
        an_object("a", a={"type": "integer", "minimum": float("nan")}),
        "a bound at $.properties.a is no number",
    ),
}


@pytest.mark.parametrize(("schema", "said"), BAD.values(), ids=BAD)
def test_what_cannot_be_drawn_from_is_told(schema: Any, said: str) -> None:
    """No schema, or one that nothing fits, is one sentence that names the place, at once."""
    with pytest.raises(SetupError, match=re.escape(said)) as told:
        inputs(schema)
    assert "\n" not in str(told.value)


def test_a_schema_that_only_the_judge_knows_impossible() -> None:
    """Where nothing that is drawn fits, the schema is blamed and the last reason told."""
    schema = an_object("a", a={"type": "string", "not": {"type": "string"}})

    @settings(database=None)
    @given(inputs(schema))
    def draw(value: JsonObject) -> None: ...

    with pytest.raises(SetupError, match=r"nothing was found that fits this schema: \$\.properties\.a: "):
        draw()


def test_a_strategy_is_made_once_for_a_schema() -> None:
    """Equal schemas share a strategy, and a later change of the dict changes no strategy."""
    schema = an_object("a", a={"type": "string"})
    drawn = inputs(schema)
    assert inputs(an_object("a", a={"type": "string"})) is drawn
    schema["properties"]["a"]["type"] = "integer"
    assert inputs(schema) is not drawn
    assert all(isinstance(value["a"], str) for value in examples(drawn, 5))


def test_values_that_are_drawn_are_ones_own() -> None:
    """Changing a value that came from a table, or from `enum`, changes none that is drawn later."""
    schema = an_object("a", a={"enum": [{"x": []}]})
    for draw in (inputs, telling_inputs, invalid_inputs):
        drawn = examples(draw(schema), 30)
        kept = copy.deepcopy(drawn)
        for value in drawn:
            for held in values(value):
                if isinstance(held, list):
                    held.append(1)
        assert examples(draw(schema), 30) == kept


def test_undeclared_members_are_never_drawn() -> None:
    """Not even where the schema would allow them."""
    assert all(value.keys() <= {"a"} for value in examples(inputs(an_object(a={"type": "null"})), 20))

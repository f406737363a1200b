"""Tools that are drawn: the API takes them, and inputs can be drawn for each."""

from __future__ import annotations

import jsonschema
import pytest

from drawing import examples, smallest
from playhead import check_request
from playhead.testing.strategies import inputs, invalid_inputs, tool_schemas
from playhead.wire.codec import JsonObject, encode


@pytest.fixture(scope="module")
def drawn() -> list[list[JsonObject]]:
    return examples(tool_schemas(), 150)


def test_the_api_takes_them(drawn: list[list[JsonObject]]) -> None:
    """No rule finds anything in a request that offers them."""
    for tools in drawn:
        messages = [{"role": "user", "content": "Go on."}]
        body = {"model": "claude-opus-5-5", "max_tokens": 10, "messages": messages, "tools": tools}
        assert check_request(body) == ()


def test_inputs_can_be_drawn_for_them(drawn: list[list[JsonObject]]) -> None:
    """Each schema has inputs that fit it, and those that forbid something have inputs that do not."""
    schemas = {encode(tool["input_schema"]): tool["input_schema"] for tools in drawn for tool in tools}
    assert len(schemas) > 50
    for schema in [*schemas.values()][:40]:
        judge = jsonschema.Draft202012Validator(schema)
        assert all(map(judge.is_valid, examples(inputs(schema), 3)))
        if schema.get("additionalProperties") is False or schema.get("required"):
            assert not any(map(judge.is_valid, examples(invalid_inputs(schema), 3)))


def test_they_are_of_varied_shape(drawn: list[list[JsonObject]]) -> None:
    """Flat and nested, with and without required members, open and closed, one tool and several."""
    text = b" ".join(map(encode, drawn))
    for shape in ("additionalProperties", "required", "anyOf", "$ref", "enum", "pattern", "format", "array", "null"):
        assert shape.encode() in text
    assert {len(tools) for tools in drawn} == {1, 2, 3, 4}


def test_the_smallest_is_one_tool_without_parameters() -> None:
    """Shrinking leaves a name and an empty schema."""
    assert smallest(tool_schemas()) == [{"name": "get_weather", "input_schema": {"type": "object"}}]

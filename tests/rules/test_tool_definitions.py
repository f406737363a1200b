"""The rules on what a tool is, with the API's exact words."""

from __future__ import annotations

from typing import Any

import pytest

from playhead.rules.checker import api_error, check_request
from playhead.rules.tool_definitions import RULES

Json = dict[str, Any]

INVALID = (
    "tools.0.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 "
    "(https://json-schema.org/draft/2020-12). Learn more about tool use at https://docs.claude.com/en/docs/tool-use."
)
NAME = "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'"
KEYS = "tools.0.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'"
NO_TYPE = "tools.0.custom.input_schema.type: Field required"
NOT_OBJECT = "tools.0.custom.input_schema.type: Input should be 'object'"
SHAPE = "tools.0.custom.input_schema: Input does not match the expected shape."
TOP_LEVEL = "tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level"


def body(*tools: object, model: str = "claude-opus-5-5", **more: object) -> Json:
    messages = [{"role": "user", "content": "hi"}]
    return {"model": model, "max_tokens": 99, "messages": messages, "tools": list(tools), **more}


def obj(properties: Json | None = None, **more: object) -> Json:
    return {"type": "object", "properties": {} if properties is None else properties, **more}


def tool(schema: object = None, name: object = "add", **more: object) -> Json:
    return {"name": name, "input_schema": obj() if schema is None else schema, **more}


def typed(type_: str, **more: object) -> Json:
    return {"type": type_, **more}


S = {"type": "string"}
AB = obj({"a": {"type": "integer"}, "b": S}, required=["a"])

# what is sent; rule, path and the API's answer of each violation
FAILING: dict[str, tuple[Json, list[tuple[str, str, str | None]]]] = {
    # tool-object
    "a-string": (body("add"), [("tool-object", "$.tools[0]", "tools.0: Input should be an object")]),
    "null": (body(tool(), None), [("tool-object", "$.tools[1]", "tools.1: Input should be an object")]),
    "a-list": (body([]), [("tool-object", "$.tools[0]", "tools.0: Input should be an object")]),
    "no-name": (
        body({"input_schema": obj()}),
        [("tool-object", "$.tools[0]", "tools.0.custom.name: Field required")],
    ),
    "empty-name": (
        body(tool(name="")),
        [("tool-object", "$.tools[0].name", "tools.0.custom.name: String should have at least 1 character")],
    ),
    "a-number-as-name": (
        body(tool(name=5)),
        [("tool-object", "$.tools[0].name", "tools.0.custom.name: Input should be a valid string")],
    ),
    "no-schema": (
        body(tool(), {"name": "mul", "type": "custom"}),
        [("tool-object", "$.tools[1]", "tools.1.custom.input_schema: Field required")],
    ),
    "another-api's-word": (
        body({"name": "add", "description": "d", "parameters": obj()}),
        [("tool-object", "$.tools[0]", "tools.0.custom.input_schema: Field required")],
    ),
    "nothing-at-all": (
        body({}),
        [
            ("tool-object", "$.tools[0]", "tools.0.custom.name: Field required"),
            ("tool-object", "$.tools[0]", "tools.0.custom.input_schema: Field required"),
        ],
    ),
    # tool-name-pattern
    "a-space": (body(tool(name="get weather")), [("tool-name-pattern", "$.tools[0].name", NAME)]),
    "a-dot": (body(tool(name="mcp.add")), [("tool-name-pattern", "$.tools[0].name", NAME)]),
    "a-slash": (body(tool(name="mcp/add", type="custom")), [("tool-name-pattern", "$.tools[0].name", NAME)]),
    "an-umlaut": (body(tool(name="zählen")), [("tool-name-pattern", "$.tools[0].name", NAME)]),
    "a-line-end": (body(tool(name="add\n")), [("tool-name-pattern", "$.tools[0].name", NAME)]),
    "blank-name": (body(tool(name=" ")), [("tool-name-pattern", "$.tools[0].name", NAME)]),
    "129-characters": (body(tool(name="a" * 129)), [("tool-name-pattern", "$.tools[0].name", NAME)]),
    # tool-names-unique
    "twice": (
        body(tool(), tool()),
        [("tool-names-unique", "$.tools[1].name", "tools: Tool names must be unique.")],
    ),
    "beside-a-built-in-one": (
        body(typed("web_search_20250305", name="web_search"), tool(name="web_search")),
        [("tool-names-unique", "$.tools[1].name", "tools: Tool names must be unique.")],
    ),
    "three-times": (
        body(tool(), tool(), tool()),
        [
            ("tool-names-unique", "$.tools[1].name", "tools: Tool names must be unique."),
            ("tool-names-unique", "$.tools[2].name", "tools: Tool names must be unique."),
        ],
    ),
    # tool-schema-type-required
    "no-type": (
        body(tool({"properties": {}})),
        [("tool-schema-type-required", "$.tools[0].input_schema", NO_TYPE)],
    ),
    "an-empty-schema": (body(tool({})), [("tool-schema-type-required", "$.tools[0].input_schema", NO_TYPE)]),
    "only-any-of": (
        body(tool({"anyOf": [obj()]})),
        [("tool-schema-type-required", "$.tools[0].input_schema", NO_TYPE)],
    ),
    "only-a-reference": (
        body(tool({"$ref": "#/$defs/A", "$defs": {"A": obj()}})),
        [("tool-schema-type-required", "$.tools[0].input_schema", NO_TYPE)],
    ),
    # tool-schema-type-object
    "a-string-as-input": (
        body(tool(S)),
        [("tool-schema-type-object", "$.tools[0].input_schema.type", NOT_OBJECT)],
    ),
    "a-list-of-types": (
        body(tool({"type": ["object", "null"]})),
        [("tool-schema-type-object", "$.tools[0].input_schema.type", NOT_OBJECT)],
    ),
    "null-as-type": (
        body(tool({"type": None})),
        [("tool-schema-type-object", "$.tools[0].input_schema.type", NOT_OBJECT)],
    ),
    # tool-schema-shape
    "true-as-schema": (body(tool(True)), [("tool-schema-shape", "$.tools[0].input_schema", SHAPE)]),
    "a-list-as-schema": (body(tool([])), [("tool-schema-shape", "$.tools[0].input_schema", SHAPE)]),
    "null-as-schema": (
        body({"name": "add", "input_schema": None}),
        [("tool-schema-shape", "$.tools[0].input_schema", SHAPE)],
    ),
    # tool-schema-top-level-combinators
    "any-of": (
        body(tool(obj(anyOf=[{"required": ["a"]}]))),
        [("tool-schema-top-level-combinators", "$.tools[0].input_schema.anyOf", TOP_LEVEL)],
    ),
    "one-of": (
        body(tool(obj(oneOf=[obj(), obj()]))),
        [("tool-schema-top-level-combinators", "$.tools[0].input_schema.oneOf", TOP_LEVEL)],
    ),
    "all-of": (
        body(tool(obj(allOf=[obj()]))),
        [("tool-schema-top-level-combinators", "$.tools[0].input_schema.allOf", TOP_LEVEL)],
    ),
    # tool-schema-draft-2020-12
    "an-unknown-type": (
        body(tool(obj({"a": {"type": "text"}}))),
        [("tool-schema-draft-2020-12", "$.tools[0].input_schema.properties.a.type", INVALID)],
    ),
    "required-twice": (
        body(tool(obj({"a": S}, required=["a", "a"]))),
        [("tool-schema-draft-2020-12", "$.tools[0].input_schema.required", INVALID)],
    ),
    "required-at-the-property": (
        body(tool(obj({"a": {"type": "string", "required": True}}))),
        [("tool-schema-draft-2020-12", "$.tools[0].input_schema.properties.a.required", INVALID)],
    ),
    "draft-4-bounds": (
        body(tool(obj({"a": {"type": "number", "minimum": 0, "exclusiveMinimum": True}}))),
        [("tool-schema-draft-2020-12", "$.tools[0].input_schema.properties.a.exclusiveMinimum", INVALID)],
    ),
    "a-list-of-items": (
        body(tool(obj({"a": {"type": "array", "items": [S, S]}}))),
        [("tool-schema-draft-2020-12", "$.tools[0].input_schema.properties.a.items", INVALID)],
    ),
    "null-combinator": (
        body(tool(obj(anyOf=None))),
        [("tool-schema-draft-2020-12", "$.tools[0].input_schema.anyOf", INVALID)],
    ),
    "properties-as-a-list": (
        body(tool({"type": "object", "properties": []})),
        [("tool-schema-draft-2020-12", "$.tools[0].input_schema.properties", INVALID)],
    ),
    "a-definition-that-nobody-uses": (
        body(tool(obj(**{"$defs": {"A": {"minLength": -1}}}))),
        [("tool-schema-draft-2020-12", "$.tools[0].input_schema.$defs.A.minLength", INVALID)],
    ),
    # tool-schema-property-keys
    "a-space-in-a-key": (
        body(tool(obj({"a b": S}))),
        [("tool-schema-property-keys", "$.tools[0].input_schema.properties", KEYS)],
    ),
    "a-dollar-and-brackets": (
        body(tool(obj({"$top": S, "tag[]": S}))),
        [("tool-schema-property-keys", "$.tools[0].input_schema.properties", KEYS)],
    ),
    "65-characters-in-a-key": (
        body(tool(obj({"a" * 65: S}))),
        [("tool-schema-property-keys", "$.tools[0].input_schema.properties", KEYS)],
    ),
    "an-empty-key": (
        body(tool(obj({"": S}))),
        [("tool-schema-property-keys", "$.tools[0].input_schema.properties", KEYS)],
    ),
    # input-examples-valid
    "an-example-without-a-required-member": (
        body(tool(AB, input_examples=[{"a": 1}, {"b": "x"}])),
        [("input-examples-valid", "$.tools[0].input_examples[1]", None)],
    ),
    "an-example-of-the-wrong-type": (
        body(tool(AB, input_examples=[{"a": "1"}])),
        [("input-examples-valid", "$.tools[0].input_examples[0].a", None)],
    ),
    "an-example-that-is-no-object": (
        body(tool(AB, input_examples=["1"])),
        [("input-examples-valid", "$.tools[0].input_examples[0]", None)],
    ),
    # builtin-tool-name-fixed
    "a-name-of-one's-own": (
        body(typed("memory_20250818", name="mem")),
        [("builtin-tool-name-fixed", "$.tools[0].name", None)],
    ),
    "the-editor's-older-name": (
        body(typed("text_editor_20250429", name="str_replace_editor")),
        [("builtin-tool-name-fixed", "$.tools[0].name", None)],
    ),
    "no-name-for-a-built-in-tool": (
        body(typed("web_fetch_20250910")),
        [("builtin-tool-name-fixed", "$.tools[0]", None)],
    ),
    "the-other-search": (
        body(typed("tool_search_tool_regex", name="tool_search_tool_bm25")),
        [("builtin-tool-name-fixed", "$.tools[0].name", None)],
    ),
    # computer-tool-version-unsupported
    "sonnet-5-5": (
        body(typed("computer_20251124", name="computer"), model="claude-sonnet-5-5"),
        [("computer-tool-version-unsupported", "$.tools[0].type", None)],
    ),
    "fable-5-2-with-a-date": (
        body(tool(), typed("computer_20250124", name="computer"), model="claude-fable-5-2-20260901"),
        [("computer-tool-version-unsupported", "$.tools[1].type", None)],
    ),
    "haiku-5-5": (
        body(typed("computer_20250124", name="computer"), model="claude-haiku-5-5"),
        [("computer-tool-version-unsupported", "$.tools[0].type", None)],
    ),
}

PASSING: dict[str, Json] = {
    "no-tools": body(),
    "tools-of-the-wrong-type": {**body(), "tools": {"name": "add"}},
    "the-shortest-schema": body(tool({"type": "object"})),
    "custom-by-name": body(tool(type="custom")),
    "custom-by-null": body(tool(type=None)),
    "no-description-or-an-empty-one": body(tool(), tool(name="mul", description="")),
    "128-characters": body(tool(name="a" * 128)),
    "all-characters": body(tool(name="aZ09_-")),
    "an-mcp-toolset-and-toolsets": body(
        typed("mcp_toolset", mcp_server_name="add"), typed("computer_toolset_20260801"), tool()
    ),
    "a-type-that-is-newer-than-the-table": body(typed("telescope_20280101", name="t"), typed("web_search_20290101")),
    "a-type-that-is-no-string": body({"type": 5}, {"type": []}),
    "all-of-deeper-down": body(tool(obj({"a": {"anyOf": [S, {"type": "null"}], "allOf": [{}], "oneOf": [True]}}))),
    "null-properties-and-required": body(tool({"type": "object", "properties": None, "required": None})),
    "an-older-draft-by-name": body(tool(obj({"a": S}, **{"$schema": "http://json-schema.org/draft-07/schema#"}))),
    "a-pattern-of-another-dialect": body(tool(obj({"a": {"type": "string", "pattern": r"\p{Lu}(?<year>\d+)"}}))),
    "keywords-that-nobody-knows": body(tool(obj({"a": {"type": "string", "nullable": True, "x-order": 1}}))),
    "rare-keywords": body(tool(obj({"a": {"type": "number", "multipleOf": 0.5}}, **{"$id": "https://e.x/a"}))),
    "strange-keys-deeper-down": body(tool(obj({"a": obj({"b c": S})}))),
    "64-characters-in-a-key": body(tool(obj({"a" * 64: S, "a.b-c_d": S}))),
    "examples": body(tool(AB, input_examples=[{"a": 1}, {"a": 2, "b": ""}])),
    "no-examples": body(tool(AB, input_examples=[]), tool(AB, name="mul", input_examples=None)),
    "examples-whose-schema-refers-elsewhere": body(
        tool(obj({"a": {"$ref": "https://example.com/schema"}}), input_examples=[{"a": 1}])
    ),
    "examples-under-a-pattern-of-another-dialect": body(
        tool(obj({"a": {"type": "string", "pattern": r"\p{Lu}"}}), input_examples=[{"a": "x"}])
    ),
    "built-in-tools-under-their-names": body(
        typed("bash_20250124", name="bash"),
        typed("text_editor_20250728", name="str_replace_based_edit_tool"),
        typed("memory_20250818", name="memory", input_examples=[{"anything": 1}]),
        typed("tool_search_tool_bm25", name="tool_search_tool_bm25"),
    ),
    "an-older-computer-with-an-older-model": body(
        typed("computer_20250124", name="computer"), model="claude-sonnet-4-5"
    ),
    "the-newest-single-computer-with-haiku-5-5": body(
        typed("computer_20251124", name="computer"), model="claude-haiku-5-5"
    ),
    "bedrock-by-model": body(typed("computer_20251124", name="computer"), model="us.anthropic.claude-sonnet-5-5-v1:0"),
    "bedrock-by-version": body(
        typed("computer_20251124", name="computer"),
        model="claude-sonnet-5-5",
        anthropic_version="bedrock-2023-05-31",
    ),
    "a-computer-with-an-unknown-model": body(typed("computer_20241022", name="computer"), model="claude-next"),
}


@pytest.mark.parametrize("case", FAILING)
def test_failing(case: str) -> None:
    """Rule, place and wording of all that is found, and nothing else."""
    sent, expected = FAILING[case]
    found = check_request(sent, only=RULES)
    assert [(violation.rule, violation.path, violation.api) for violation in found] == expected
    assert {violation.level for violation in found} == {"reject"}
    assert all(violation.fix and "{i}" not in violation.fix for violation in found)


@pytest.mark.parametrize("case", PASSING)
def test_passing(case: str) -> None:
    """What the API takes, or what another rule is about, is left alone."""
    assert check_request(PASSING[case], only=RULES) == ()


def test_the_first_fault_is_that_of_the_first_tool() -> None:
    """Tools are read one after the other; that names are unique is looked at when all are read."""
    sent = body(tool(), tool(), tool({"type": "string"}, name="mul"), tool(name="a b"))
    error = api_error(sent, only=RULES)
    assert error is not None
    assert error.message == "tools.2.custom.input_schema.type: Input should be 'object'"


def test_what_is_said() -> None:
    """The sentence shows the value and what was expected; the fix can be followed."""
    (violation,) = check_request(body(tool(name="get weather")), only=RULES)
    assert violation.message == "the name 'get weather' is not 1 to 128 letters, digits, _ and -: it has ' '"
    assert violation.fix == "call the tool get_weather, say; and translate the name back where you run it"


def test_jsonschema_is_not_loaded_for_everyday_schemas() -> None:
    """It takes a fifth of a second to import, which a schema of common keywords need not pay."""
    import subprocess
    import sys

    code = (
        "import sys; from playhead.rules.checker import check_request; "
        "from playhead.rules.tool_definitions import RULES; "
        f"assert check_request({body(tool(AB))!r}, only=RULES) == (); sys.exit('jsonschema' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

"""The rules on schemas that bind Claude's output, with the API's exact words."""

from __future__ import annotations

from typing import Any

import pytest

from playhead.rules.checker import check_request
from playhead.rules.strict_schemas import RULES

Json = dict[str, Any]

S = {"type": "string"}
UNION = {"type": ["string", "null"]}
CLOSED = "For 'object' type, 'additionalProperties' must be explicitly set to false"
CIRCLE = (
    "Invalid schema: Circular reference detected in schema definitions: {chain}. Self-referencing or "
    "mutually-referencing definitions are not supported."
)


def body(*tools: object, **more: object) -> Json:
    messages = [{"role": "user", "content": "hi"}]
    return {"model": "claude-opus-5", "max_tokens": 99, "messages": messages, "tools": list(tools), **more}


def closed(properties: Json, required: Any = None, **more: object) -> Json:
    names = list(properties) if required is None else required
    return {"type": "object", "properties": properties, "required": names, "additionalProperties": False, **more}


def strict(schema: object, name: str = "add", **more: object) -> Json:
    return {"name": name, "input_schema": schema, "strict": True, **more}


def format_(schema: object) -> Json:
    return {"format": {"type": "json_schema", "schema": schema}}


def many(count: int, schema: object = S) -> Json:
    return {f"p{number}": schema for number in range(count)}


def odd(keyword: str, value: object, type_: object = "integer") -> Json:
    return body(strict(closed({"a": {"type": type_, keyword: value}})))


def unsupported(keyword: str, type_: str = "integer") -> list[tuple[str, str, str]]:
    return [
        (
            "strict-unsupported-keyword",
            f"$.tools[0].input_schema.properties.a.{keyword}",
            f"tools.0.custom: For '{type_}' type, property '{keyword}' is not supported",
        )
    ]


def regex(pattern: str) -> tuple[Json, list[tuple[str, str, str]]]:
    return odd("pattern", pattern, "string"), [
        (
            "strict-unsupported-keyword",
            "$.tools[0].input_schema.properties.a.pattern",
            f"Unsupported regex feature in pattern field: {pattern}",
        )
    ]


def too_many_optional(n: int) -> str:
    return (
        f"Schemas contains too many optional parameters ({n}), which would make grammar compilation inefficient. "
        "Reduce the number of optional parameters in your tool schemas (limit: 24)."
    )


def too_many_unions(n: int) -> str:
    return (
        f"Schemas contains too many parameters with union types ({n} parameters with type arrays or anyOf). This "
        "causes exponential compilation cost. Reduce the number of nullable or union-typed parameters (limit: 16 "
        "parameters with unions)."
    )


NODE = closed({"n": {"$ref": "#/$defs/Node"}})

# what is sent; rule, path and the API's answer of each violation
FAILING: dict[str, tuple[Json, list[tuple[str, str, str]]]] = {
    "21-strict-tools": (
        body(*[strict(closed({}), f"t{number}") for number in range(21)]),
        [
            (
                "strict-tools-max",
                "$.tools[20].strict",
                "Too many strict tools (21). The maximum number of strict tools supported is 20. Try reducing the "
                "number of tools marked as strict.",
            )
        ],
    ),
    "25-optional": (
        body(strict(closed(many(25), required=[]))),
        [("strict-optional-params-max", "$.tools[0].input_schema.properties.p24", too_many_optional(25))],
    ),
    "26-optional-over-tools-and-format": (
        body(
            strict(closed(many(13), required=[])),
            strict(closed(many(8), required=["p0"]), "mul"),
            output_config=format_(closed(many(6), required=[])),
        ),
        [("strict-optional-params-max", "$.output_config.format.schema.properties.p4", too_many_optional(26))],
    ),
    "25-optional-deeper-down": (
        body(strict(closed({"a": {"type": "array", "items": closed(many(25), required=[])}}))),
        [
            (
                "strict-optional-params-max",
                "$.tools[0].input_schema.properties.a.items.properties.p24",
                too_many_optional(25),
            )
        ],
    ),
    "17-unions": (
        body(strict(closed(many(17, UNION)))),
        [("strict-union-params-max", "$.tools[0].input_schema.properties.p16", too_many_unions(17))],
    ),
    "17-unions-of-two-kinds-in-two-tools": (
        body(strict(closed(many(9, {"anyOf": [S, {"type": "null"}]}))), strict(closed(many(8, UNION)), "mul")),
        [("strict-union-params-max", "$.tools[1].input_schema.properties.p7", too_many_unions(17))],
    ),
    "an-open-object-in-a-tool": (
        body({"name": "mul", "input_schema": {"type": "object"}}, strict({"type": "object", "properties": {}})),
        [("strict-additional-properties", "$.tools[1].input_schema", f"tools.1.custom: {CLOSED}")],
    ),
    "an-open-object-in-the-format": (
        body(output_config=format_({"type": "object", "properties": {"a": S}})),
        [("strict-additional-properties", "$.output_config.format.schema", f"output_config.format.schema: {CLOSED}")],
    ),
    "an-open-object-in-the-older-format": (
        body(output_format=format_({"type": "object"})["format"]),
        [("strict-additional-properties", "$.output_format.schema", f"output_format.schema: {CLOSED}")],
    ),
    "additional-properties-true": (
        body(strict(closed({}, additionalProperties=True))),
        [("strict-additional-properties", "$.tools[0].input_schema", f"tools.0.custom: {CLOSED}")],
    ),
    "additional-properties-by-schema": (
        body(strict(closed({}, additionalProperties=S))),
        [("strict-additional-properties", "$.tools[0].input_schema", f"tools.0.custom: {CLOSED}")],
    ),
    "an-open-object-in-items": (
        body(strict(closed({"a": {"type": "array", "items": {"type": "object"}}}))),
        [("strict-additional-properties", "$.tools[0].input_schema.properties.a.items", f"tools.0.custom: {CLOSED}")],
    ),
    "an-open-object-by-reference": (
        body(strict(closed({"a": {"$ref": "#/$defs/A"}}, **{"$defs": {"A": {"type": ["object", "null"]}}}))),
        [("strict-additional-properties", "$.tools[0].input_schema.$defs.A", f"tools.0.custom: {CLOSED}")],
    ),
    "two-open-objects-are-one-fault": (
        body(strict(closed({"a": {"type": "object"}, "b": {"type": "object"}}))),
        [("strict-additional-properties", "$.tools[0].input_schema.properties.a", f"tools.0.custom: {CLOSED}")],
    ),
    "a-definition-in-itself": (
        body(strict(closed({"n": {"$ref": "#/$defs/Node"}}, **{"$defs": {"Node": NODE}}))),
        [
            (
                "strict-recursive-schema",
                "$.tools[0].input_schema",
                "tools.0.custom: " + CIRCLE.format(chain="Node -> Node"),
            )
        ],
    ),
    "two-definitions-in-each-other": (
        body(
            output_config=format_(
                closed(
                    {"a": {"$ref": "#/definitions/A"}},
                    definitions={
                        "A": {"type": "array", "items": {"$ref": "#/definitions/B"}},
                        "B": closed({"a": {"anyOf": [{"$ref": "#/definitions/A"}, S]}}),
                    },
                )
            )
        ),
        [
            (
                "strict-recursive-schema",
                "$.output_config.format.schema",
                "output_config.format.schema: " + CIRCLE.format(chain="A -> B -> A"),
            )
        ],
    ),
    "the-whole-in-itself": (
        body(strict(closed({"n": {"$ref": "#"}}))),
        [("strict-recursive-schema", "$.tools[0].input_schema", "tools.0.custom: " + CIRCLE.format(chain="# -> #"))],
    ),
    "minimum": (odd("minimum", 1), unsupported("minimum")),
    "maximum-of-a-number": (odd("maximum", 0, "number"), unsupported("maximum", "number")),
    "exclusive-minimum": (odd("exclusiveMinimum", 0), unsupported("exclusiveMinimum")),
    "multiple-of": (odd("multipleOf", 5), unsupported("multipleOf")),
    "max-items": (odd("maxItems", 3, "array"), unsupported("maxItems", "array")),
    "min-items-of-two": (odd("minItems", 2, "array"), unsupported("minItems", "array")),
    "unique-items": (odd("uniqueItems", True, "array"), unsupported("uniqueItems", "array")),
    "a-keyword-in-the-format": (
        body(output_config=format_({"type": "array", "items": {"type": "integer", "maximum": 9}})),
        [
            (
                "strict-unsupported-keyword",
                "$.output_config.format.schema.items.maximum",
                "output_config.format.schema: For 'integer' type, property 'maximum' is not supported",
            )
        ],
    ),
    "anything-as-parameter": (
        body(strict(closed({"a": True}))),
        [
            (
                "strict-unsupported-keyword",
                "$.tools[0].input_schema.properties.a",
                "tools.0.custom: For 'object' type, property 'a' is not supported",
            )
        ],
    ),
    "look-ahead": regex("(?=x)"),
    "negative-look-behind": regex("^(?<!a)b"),
    "back-reference": regex(r"(a)\1"),
    "named-back-reference": regex(r"(?<n>a)\k<n>"),
    "word-boundary": regex(r"\bword"),
    "no-schema": (
        body(output_config={"format": {"type": "json_schema"}}),
        [("output-format-schema-required", "$.output_config.format", "output_config.format.schema: Field required")],
    ),
    "another-api's-nesting-in-the-older-field": (
        body(output_format={"type": "json_schema", "json_schema": {"name": "a", "schema": {}}}),
        [("output-format-schema-required", "$.output_format", "output_format.schema: Field required")],
    ),
}

PASSING: dict[str, Json] = {
    "no-tools": body(),
    "20-strict-tools-and-others": body(
        *[strict(closed({}), f"t{number}") for number in range(20)],
        *[strict(closed({}), f"u{number}", strict=False) for number in range(5)],
    ),
    "24-optional-over-several-tools": body(
        strict(closed(many(12), required=[])), strict(closed(many(13), required=["p1"]), "mul")
    ),
    "a-definition-counts-once": body(
        strict(
            closed(
                {"a": {"$ref": "#/$defs/A"}, "b": {"$ref": "#/$defs/A"}},
                **{"$defs": {"A": closed(many(20), required=[]), "Unused": closed(many(20), required=[])}},
            )
        )
    ),
    "many-optional-but-not-strict": body(
        {"name": "add", "input_schema": {"type": "object", "properties": many(40, UNION)}}
    ),
    "16-unions": body(strict(closed(many(8, UNION))), strict(closed(many(8, UNION)), "mul")),
    "a-list-of-one-type": body(strict(closed(many(20, {"type": ["string"]})))),
    "unions-that-are-no-parameters": body(strict(closed(many(17, {"type": "array", "items": UNION})))),
    "closed-objects": body(
        strict(closed({"a": closed({}), "b": {"type": "array", "items": closed({"c": S})}})),
        output_config=format_(closed({"a": S})),
    ),
    "an-open-definition-that-nobody-uses": body(strict(closed({"a": S}, **{"$defs": {"A": {"type": "object"}}}))),
    "a-list-as-output": body(output_config=format_({"type": "array", "items": {"type": "integer"}})),
    "one-definition-twice": body(
        strict(closed({"a": {"$ref": "#/$defs/A"}, "b": {"$ref": "#/$defs/A"}}, **{"$defs": {"A": closed({"c": S})}}))
    ),
    "references-that-lead-nowhere": body(
        strict(
            closed({"a": {"$ref": "#/$defs/None"}, "b": {"$ref": "https://e.x"}, "c": {"$ref": 5}, "d": {"$ref": "#A"}})
        )
    ),
    "a-parameter-called-like-a-keyword": body(strict(closed({"minimum": S, "$ref": S, "properties": S, "pattern": S}))),
    "string-limits": body(
        output_config=format_(
            closed({"a": {"type": "string", "minLength": 1, "maxLength": 9, "pattern": "^a+$", "format": "date"}})
        )
    ),
    "min-items-of-one": odd("minItems", 1, "array"),
    "minimum-of-another-type": odd("minimum", 1, "string"),
    "unique-items-false": odd("uniqueItems", False, "array"),
    "a-backslash-before-a-b": odd("pattern", r"\\b\\1", "string"),
    "a-class-that-looks-like-a-group": odd("pattern", r"[(?=\b]\d(?:x)(?<name>y)", "string"),
    "keywords-without-strict": body(
        {"name": "add", "input_schema": {"type": "object", "properties": {"a": {"type": "integer", "minimum": 1}}}}
    ),
    "strict-that-is-not-true": body(
        strict({"type": "object"}, strict="true"), strict({"type": "object"}, "b", strict=None)
    ),
    "a-strict-tool-without-a-schema": body(strict(None), strict(True), {"name": "a", "strict": True}),
    "a-built-in-strict-tool": body({"type": "bash_20250124", "name": "bash", "strict": True}),
    "a-format-of-another-type": body(output_config={"format": {"type": "text"}}),
    "null-format": body(output_config={"format": None}, output_format=None),
    "a-format-of-the-wrong-kind": body(output_config={"format": "json"}, output_format=[]),
    "null-schema": body(output_config=format_(None)),
}


@pytest.mark.parametrize("case", FAILING)
def test_failing(case: str) -> None:
    """Rule, place and wording of all that is found, and nothing else."""
    sent, expected = FAILING[case]
    found = check_request(sent, only=RULES)
    assert [(violation.rule, violation.path, violation.api) for violation in found] == expected
    assert {violation.level for violation in found} == {"reject"}


@pytest.mark.parametrize("case", PASSING)
def test_passing(case: str) -> None:
    """What compiles, or what another rule is about, is left alone."""
    assert check_request(PASSING[case], only=RULES) == ()

"""Rules on what a tool is: an object with a name and a schema, or a built-in tool under its own name.

Law: pure checks on `tools`, one entry at a time; how tools are offered is the matter of `tool_options`. Each check is
silent where the value that it looks at is missing or of the wrong type: that is the fault of a more basic rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from playhead.rules.json_schemas import schema_fault, value_fault
from playhead.rules.order import FIELD
from playhead.rules.rule import Finding, RequestView, Rule
from playhead.rules.tool_types import FIXED_NAMES, custom, entries, kind
from playhead.wire.codec import JsonObject

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_PROPERTY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
_COMBINATORS = ("oneOf", "allOf", "anyOf")
_AFTER_ALL = 10**6  # places: what concerns all tools comes after what concerns one

# positions in the wording of tool-object
_NO_OBJECT, _NO_NAME, _EMPTY_NAME, _NO_SCHEMA, _NAME_NO_STRING = range(5)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:80]}..."


def _is_object(view: RequestView) -> Iterator[Finding]:
    tools = view.body.get("tools")
    for index, tool in enumerate(tools if isinstance(tools, list) else ()):
        if not isinstance(tool, dict):
            yield Finding(
                path=f"$.tools[{index}]",
                what=f"a tool is an object with a name and a schema, this is {_shown(tool)}",
                values={"i": index, "missing": "name and input_schema"},
                place=(index, 0),
                wording=_NO_OBJECT,
            )
    for index, tool in custom(view):
        yield from _without_members(index, tool)


def _without_members(index: int, tool: JsonObject) -> Iterator[Finding]:
    name = tool.get("name")
    if "name" not in tool:
        yield _lacking(index, "", "the tool has no `name`", "name", _NO_NAME)
    elif not isinstance(name, str):
        what = f"a tool's name is a string, this is {_shown(name)}"
        yield _lacking(index, ".name", what, "name", _NAME_NO_STRING)
    elif not name:
        yield _lacking(index, ".name", "the tool's name is an empty string", "name", _EMPTY_NAME)
    if "input_schema" not in tool:
        instead = "; `parameters` is another API's word for it" if "parameters" in tool else ""
        what = f"the tool {_shown(name)} has no `input_schema`{instead}"
        yield _lacking(index, "", what, "input_schema", _NO_SCHEMA)


def _lacking(index: int, member: str, what: str, missing: str, wording: int) -> Finding:
    order = 0 if missing == "name" else 1
    path = f"$.tools[{index}]{member}"
    return Finding(path=path, what=what, values={"i": index, "missing": missing}, place=(index, order), wording=wording)


def _name_pattern(view: RequestView) -> Iterator[Finding]:
    for index, tool in custom(view):
        name = tool.get("name")
        if not isinstance(name, str) or not name or _NAME.fullmatch(name):
            continue
        wrong = sorted(set(re.sub(r"[a-zA-Z0-9_-]", "", name)))
        why = f"it has {', '.join(map(repr, wrong))}" if wrong else f"it has {len(name)} characters"
        yield Finding(
            path=f"$.tools[{index}].name",
            what=f"the name {_shown(name)} is not 1 to 128 letters, digits, _ and -: {why}",
            values={"i": index, "suggestion": re.sub(r"[^a-zA-Z0-9_-]", "_", name)[:64]},
            place=(index, 0),
        )


def _duplicate_names(view: RequestView) -> Iterator[Finding]:
    first: dict[str, int] = {}
    for index, tool in entries(view):
        name = tool.get("name")
        if not isinstance(name, str) or not name:
            continue
        if name in first:
            yield Finding(
                path=f"$.tools[{index}].name",
                what=f"two tools are called {_shown(name)}: the other one is $.tools[{first[name]}]",
                values={"name": name},
                place=(_AFTER_ALL, index),
            )
        first.setdefault(name, index)


def _schemas(view: RequestView) -> Iterator[tuple[int, JsonObject]]:
    """The schemas that are objects; one whose `properties` or `required` is null has none, as the SDK's types say."""
    for index, tool in custom(view):
        schema = tool.get("input_schema")
        if isinstance(schema, dict):
            nulls = [key for key in ("properties", "required") if key in schema and schema[key] is None]
            yield index, {key: value for key, value in schema.items() if key not in nulls} if nulls else schema


def _objects(view: RequestView) -> Iterator[tuple[int, JsonObject]]:
    """The schemas that describe an object, as they must before anything else about them is asked."""
    return ((index, schema) for index, schema in _schemas(view) if schema.get("type") == "object")


def _schema_shape(view: RequestView) -> Iterator[Finding]:
    for index, tool in custom(view):
        if "input_schema" in tool and not isinstance(tool["input_schema"], dict):
            yield Finding(
                path=f"$.tools[{index}].input_schema",
                what=f"a schema is an object here, this is {_shown(tool['input_schema'])}",
                values={"i": index},
                place=(index, 1),
            )


def _schema_type_required(view: RequestView) -> Iterator[Finding]:
    for index, schema in _schemas(view):
        if "type" not in schema:
            keys = f"only {', '.join(map(str, schema))}" if schema else "nothing"
            yield Finding(
                path=f"$.tools[{index}].input_schema",
                what=f"the schema has no `type` at its top, {keys if len(keys) < 200 else 'only other keywords'}",
                values={"i": index},
                place=(index, 1),
            )


def _schema_type_object(view: RequestView) -> Iterator[Finding]:
    for index, schema in _schemas(view):
        if "type" in schema and schema["type"] != "object":
            yield Finding(
                path=f"$.tools[{index}].input_schema.type",
                what=f"a tool's input is an object, but the schema's type is {_shown(schema['type'])}",
                values={"i": index},
                place=(index, 1),
            )


def _combinators(view: RequestView) -> Iterator[Finding]:
    for index, schema in _objects(view):
        found = [keyword for keyword in _COMBINATORS if schema.get(keyword) is not None]
        if found:
            yield Finding(
                path=f"$.tools[{index}].input_schema.{found[0]}",
                what=f"the schema has {' and '.join(found)} at its top level, next to `type`",
                values={"i": index},
                place=(index, 2),
            )


def _invalid_schema(view: RequestView) -> Iterator[Finding]:
    for index, schema in _objects(view):
        fault = schema_fault(schema)
        if fault:
            yield Finding(
                path=f"$.tools[{index}].input_schema{fault.path}",
                what=f"this is not JSON Schema of draft 2020-12: {fault.said}",
                values={"i": index},
                place=(index, 4),
            )


def _property_keys(view: RequestView) -> Iterator[Finding]:
    for index, schema in _objects(view):
        properties = schema.get("properties")
        keys = [key for key in properties if not _PROPERTY.fullmatch(str(key))] if isinstance(properties, dict) else []
        if keys:
            yield Finding(
                path=f"$.tools[{index}].input_schema.properties",
                what=f"the property {_shown(keys[0])} is not named by 1 to 64 letters, digits, _ . and -"
                + (f", nor are {len(keys) - 1} more" if keys[1:] else ""),
                values={"i": index},
                place=(index, 3),
            )


def _examples(view: RequestView) -> Iterator[Finding]:
    schemas = dict(_objects(view))
    for index, tool in custom(view):
        examples = tool.get("input_examples")
        schema = schemas.get(index)
        if not isinstance(examples, list) or not examples or schema is None or schema_fault(schema):
            continue
        for number, example in enumerate(examples):
            fault = value_fault(schema, example)
            if fault:
                yield Finding(
                    path=f"$.tools[{index}].input_examples[{number}]{fault.path}",
                    what=f"the example does not fit the tool's own input_schema: {fault.said}",
                    values={"i": index, "k": number},
                    place=(index, 5, number),
                )


def _fixed_names(view: RequestView) -> Iterator[Finding]:
    for index, tool in entries(view):
        fixed, name = FIXED_NAMES.get(kind(tool)), tool.get("name")
        if fixed is not None and name != fixed:
            yield Finding(
                path=f"$.tools[{index}].name" if "name" in tool else f"$.tools[{index}]",
                what=f"a {kind(tool)} tool is called {fixed}, this one "
                + (f"is called {_shown(name)}" if "name" in tool else "has no name"),
                values={"i": index, "name": fixed},
                place=(index, 0),
            )


_OLD_COMPUTERS = frozenset({"computer_20241022", "computer_20250124"})
_REFUSED_COMPUTERS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "claude-sonnet-5-5": _OLD_COMPUTERS | {"computer_20251124"},
        "claude-fable-5-2": _OLD_COMPUTERS | {"computer_20251124"},
        "claude-haiku-5-5": _OLD_COMPUTERS,
    }
)
"""The computer tools that a model does not take (platform.claude.com/docs/en/models, what is new in each)."""


def _computer_version(view: RequestView) -> Iterator[Finding]:
    refused = _REFUSED_COMPUTERS.get(view.model.name)
    if not refused or _on_bedrock(view):
        return
    for index, tool in entries(view):
        if kind(tool) in refused:
            yield Finding(
                path=f"$.tools[{index}].type",
                what=f"{view.model.name} does not take {kind(tool)}",
                values={"i": index, "model": view.model.name},
                place=(index, 2),
            )


def _on_bedrock(view: RequestView) -> bool:
    # Bedrock keeps the older tools; its model ids begin with the vendor (us.anthropic.claude-...)
    model, version = view.body.get("model"), view.body.get("anthropic_version")
    return (isinstance(model, str) and "anthropic." in model) or str(version).startswith("bedrock")


RULES = (
    Rule(
        id="tool-object",
        level="reject",
        wording=(
            "tools.{i}: Input should be an object",
            "tools.{i}.custom.name: Field required",
            "tools.{i}.custom.name: String should have at least 1 character",
            "tools.{i}.custom.input_schema: Field required",
            "tools.{i}.custom.name: Input should be a valid string",
        ),
        fix="give the tool its {missing}: "
        '{{"name": ..., "description": ..., "input_schema": {{"type": "object", "properties": ...}}}}',
        rank=FIELD["tools"],
        envelope=_is_object,
    ),
    Rule(
        id="tool-name-pattern",
        level="reject",
        wording=(
            "tools.{i}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'",
            "tools.{i}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{{1,64}}$'",  # to the middle of 2025
        ),
        fix="call the tool {suggestion}, say; and translate the name back where you run it",
        rank=FIELD["tools"],
        envelope=_name_pattern,
    ),
    Rule(
        id="tool-names-unique",
        level="reject",
        wording=("tools: Tool names must be unique.",),
        fix="rename or drop one of the tools called {name}; a prefix for each source keeps them apart",
        rank=FIELD["tools"],
        envelope=_duplicate_names,
    ),
    Rule(
        id="tool-schema-type-required",
        level="reject",
        wording=("tools.{i}.custom.input_schema.type: Field required",),
        fix='put "type": "object" at the top of the schema, in place of or around what is there',
        rank=FIELD["tools"],
        envelope=_schema_type_required,
    ),
    Rule(
        id="tool-schema-type-object",
        level="reject",
        wording=("tools.{i}.custom.input_schema.type: Input should be 'object'",),
        fix='make the schema {{"type": "object", "properties": {{...}}}} and the value one of its properties',
        rank=FIELD["tools"],
        envelope=_schema_type_object,
    ),
    Rule(
        id="tool-schema-shape",
        level="reject",
        wording=("tools.{i}.custom.input_schema: Input does not match the expected shape.",),
        fix='send an object; for a tool without input {{"type": "object"}}',
        rank=FIELD["tools"],
        envelope=_schema_shape,
    ),
    Rule(
        id="tool-schema-top-level-combinators",
        level="reject",
        wording=(
            "tools.{i}.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level",
        ),
        fix="put the alternatives into a property, or make all their properties optional and say in words which belong "
        "together",
        rank=FIELD["tools"],
        envelope=_combinators,
    ),
    Rule(
        id="tool-schema-draft-2020-12",
        level="reject",
        wording=(
            "tools.{i}.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 "
            "(https://json-schema.org/draft/2020-12). Learn more about tool use at "
            "https://docs.claude.com/en/docs/tool-use.",
        ),
        fix="write the schema in draft 2020-12: known types, numbers for exclusiveMinimum, prefixItems for tuples",
        rank=FIELD["tools"],
        envelope=_invalid_schema,
    ),
    Rule(
        id="tool-schema-property-keys",
        level="reject",
        wording=(
            "tools.{i}.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{{1,64}}$'",
        ),
        fix="rename the property, and translate it back where the tool runs",
        rank=FIELD["tools"],
        envelope=_property_keys,
    ),
    Rule(
        id="input-examples-valid",
        level="reject",
        fix="correct the example or the schema; each example is a whole input of the tool",
        rank=FIELD["tools"],
        envelope=_examples,
    ),
    Rule(
        id="builtin-tool-name-fixed",
        level="reject",
        fix='send "name": "{name}"',
        rank=FIELD["tools"],
        envelope=_fixed_names,
    ),
    Rule(
        id="computer-tool-version-unsupported",
        level="reject",
        fix='use {{"type": "computer_toolset_20260801"}} with {model}',
        rank=FIELD["tools"],
        envelope=_computer_version,
    ),
)

"""The JSON Schema of script files (draft 2020-12), and their tables for the documentation.

Law: pure; made from `forms` alone.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Mapping, Sequence

from playhead.script.forms import BLOCKS, FORMAT, FORMS, OPTIONS, REPLIES, STEPS, VERSION, Form, Makes, Param, Steps
from playhead.script.kinds import TEXT, Kind
from playhead.wire.codec import JsonObject

_CALLS: frozenset[Makes] = frozenset({"call"})
_DEFINED: Mapping[frozenset[Makes], str] = {
    _CALLS: "call_step",
    BLOCKS: "block_step",
    REPLIES: "reply_step",
    STEPS: "any_step",
}
"""The names under which the schema has steps of these kinds."""


def schema() -> JsonObject:
    """The JSON Schema of a script file."""
    script = {"type": "array", "items": _reference("any_step"), "description": "Claude's replies in order."}
    case = _object({"when": TEXT.schema, "script": script}, required=["when", "script"])
    case["properties"]["when"] = {"type": "string", "description": "A text that the first user message contains."}
    top = _object(
        {
            "$schema": {"type": "string"},
            "version": {"const": VERSION},
            "format": {"const": FORMAT},
            "options": _object({name: kind.schema for name, kind in OPTIONS.items()}),
            "script": script,
            "cases": {"type": "array", "minItems": 1, "items": case, "description": "A script per conversation."},
        },
        required=["version", "format"],
    )
    top["properties"]["options"] = {"anyOf": [top["properties"]["options"], {"type": "null"}]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A script for Playhead's fake Claude",
        **top,
        "oneOf": [{"required": ["script"]}, {"required": ["cases"]}],
        "$defs": {
            **{name: _one_of(makes) for makes, name in _DEFINED.items()},
            **{form.name: _step(form) for form in FORMS.values()},
        },
    }


def schema_text() -> str:
    """The schema as a file has it."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


def _reference(name: str) -> JsonObject:
    return {"$ref": f"#/$defs/{name}"}


def _object(members: Mapping[str, JsonObject], required: list[str] | None = None) -> JsonObject:
    needed = {"required": required} if required else {}
    return {"type": "object", "properties": dict(members), **needed, "additionalProperties": False}


def _one_of(makes: frozenset[Makes]) -> JsonObject:
    """Steps of these kinds; a text is said, but for those that are names of steps."""
    texts = [{"type": "string", "not": {"enum": [*FORMS]}}] if "block" in makes else []
    return {"anyOf": [*texts, *(_reference(form.name) for form in FORMS.values() if form.makes in makes)]}


def _step(form: Form) -> JsonObject:
    members = form.members
    properties = {name: _param(param) for name, param in members.items()}
    required = [name for name, param in members.items() if name == form.name or param.required]
    return {"description": _told(form), **_object(properties, required)}


def _told(form: Form) -> str:
    return " ".join((inspect.getdoc(form.function) or "").partition("\n\n")[0].split())


def _param(param: Param) -> JsonObject:
    if isinstance(param.kind, Steps):
        one = _reference(_DEFINED[param.kind.makes])
        return {"anyOf": [{"type": "array", "items": one}, one]} if param.kind.several else one
    its = {"anyOf": [param.kind.schema, {"type": "null"}]} if param.null and param.kind.schema else param.kind.schema
    usual = {"default": param.default} if param.how == "name" and param.default is not None else {}
    return {**its, **usual}


def steps_table() -> str:
    """The steps as a table in Markdown."""
    rows = [("step", "what stands there", "options"), ("---", "---", "---")]
    for form in FORMS.values():
        (_, first), *others = form.members.items()
        null = " or null" if first.null else ""
        named = "; ".join(f"`{name}`{' (needed)' * param.required}: {_words(param)}" for name, param in others)
        rows.append((f"`{form.name}`", f"{first.name}: {_words(first)}{null}", named))
    return _table(rows)


def options_table() -> str:
    """The options of a file as a table in Markdown."""
    return _table([("option", "value"), ("---", "---"), *((f"`{name}`", kind.words) for name, kind in OPTIONS.items())])


def _table(rows: Sequence[tuple[str, ...]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


_LONG = re.compile(r"(one of (?:\S+, ){3})(?:\S+, )*\S+")


def _words(param: Param) -> str:
    if isinstance(param.kind, Kind):
        return _LONG.sub(r"\1...", param.kind.words)
    if not param.kind.several:
        return "a reply"
    return f"a list of {'calls' if param.kind.makes == _CALLS else 'blocks'}, or one"

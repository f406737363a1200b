"""Whether an input fits a tool's schema; if not, a text for Claude: what came, what was expected, where.

Knows JSON Schema and nothing of functions.
"""

from __future__ import annotations

import json
import typing
from collections.abc import Callable, Mapping

from playhead.loop.errors import InvalidInput

_MOST = 5  # problems told at once


def check_input(schema: Mapping[str, object], given: object) -> dict[str, object]:
    """Check Claude's input against a tool's `input_schema`; without one (bash, memory) any object will do.

    Returns the input.  Raises InvalidInput with every problem (at most five) and its JSON path.
    """
    name = str(schema.get("name"))
    if not isinstance(given, dict):
        raise InvalidInput(name, [f"$: expected an object, got {_json(given)}"])
    input_schema = schema.get("input_schema")
    if not isinstance(input_schema, Mapping):
        return given
    problems = [_problem(error) for error in _errors(input_schema, given)]
    if problems:
        more = [f"and {len(problems) - _MOST} more"] if len(problems) > _MOST else []
        raise InvalidInput(name, problems[:_MOST] + more)
    return given


def _errors(schema: Mapping[str, object], given: typing.Any) -> list[typing.Any]:
    """What jsonschema finds; imported at first use, since it is slow to import.

    The empty registry keeps a `$ref` to elsewhere from being fetched.
    """
    import jsonschema.validators
    import referencing

    validator = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
    found = validator(schema, registry=referencing.Registry()).iter_errors(given)
    return sorted(found, key=lambda error: (error.json_path, str(error.validator)))


def _problem(error: typing.Any) -> str:
    wording = _WORDINGS.get(error.validator)
    return f"{error.json_path}: {wording(error) if wording else _cut(error.message)}"


def _missing(error: typing.Any) -> str:
    missing = [name for name in error.validator_value if name not in error.instance]
    # jsonschema reports one error per missing name; its message quotes the name it means.
    named = next((name for name in missing if error.message.startswith(repr(name))), missing[0])
    return f"{named!r} is missing and required"


def _unexpected(error: typing.Any) -> str:
    known = error.schema.get("properties", {})
    extra = [name for name in error.instance if name not in known]
    if error.validator_value is not False or not extra:
        return _cut(error.message)
    allowed = f"allowed are {', '.join(map(repr, known))}" if known else "none are allowed"
    return f"unexpected {', '.join(map(repr, extra))}; {allowed}"


def _expected(what: Callable[[typing.Any], str]) -> Callable[[typing.Any], str]:
    return lambda error: f"expected {what(error.validator_value)}, got {_json(error.instance)}"


_WORDINGS: Mapping[str, Callable[[typing.Any], str]] = {
    "required": _missing,
    "additionalProperties": _unexpected,
    "type": _expected(lambda kind: kind if isinstance(kind, str) else " or ".join(kind)),
    "enum": _expected(lambda values: f"one of {', '.join(map(_json, values))}"),
    "const": _expected(lambda value: _json(value)),
    "anyOf": _expected(lambda members: f"one of {', '.join(map(_json, members))}"),
}


def _json(value: object) -> str:
    return _cut(json.dumps(value, ensure_ascii=False, default=str))


def _cut(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:200]}..."

"""JSON Schemas as values: whether one is valid, what it takes, what stands in it, where it refers to itself.

Law: knows JSON Schema (draft 2020-12), nothing of requests. Never follows a reference out of the document. jsonschema
is slow to import and to run (0.2 s and 2 ms a schema), so schemas of the everyday keywords are judged by a table here
and only the rest is put before it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import unquote

from playhead.wire.codec import JsonObject

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

Key = str | int
Place = tuple[Key, ...]

_MAPS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_SINGLE = (
    *("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"),
    *("unevaluatedItems", "unevaluatedProperties", "contentSchema"),
)
_DEFINITIONS = frozenset({"$defs", "definitions"})


@dataclass(frozen=True, slots=True)
class Placed:
    """A schema within a schema. `parameter` is the name of the property that it describes, if it does that."""

    schema: object
    place: Place
    parameter: str | None = None
    optional: bool = False

    @property
    def path(self) -> str:
        """The JSON path from the outermost schema: `.properties.city`, empty for itself."""
        return json_path(self.place)


def json_path(place: Sequence[Key]) -> str:
    """A place as the tail of a JSON path."""
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in place)


def _children(placed: Placed, *, definitions: bool) -> Iterator[Placed]:
    """The schemas directly within one, in the order in which they stand."""
    schema, place = placed.schema, placed.place
    if not isinstance(schema, dict):
        return
    required = schema.get("required")
    for keyword, value in schema.items():
        if keyword in _MAPS and isinstance(value, dict):
            if keyword in _DEFINITIONS and not definitions:
                continue
            for name, part in value.items():
                property_ = name if keyword == "properties" else None
                optional = property_ is not None and not (isinstance(required, list) and name in required)
                yield Placed(part, (*place, keyword, name), property_, optional)
        elif keyword in _LISTS and isinstance(value, list):
            yield from (Placed(part, (*place, keyword, number)) for number, part in enumerate(value))
        elif keyword in _SINGLE:
            yield Placed(value, (*place, keyword))


def _within(root: Placed, *, definitions: bool = False) -> Iterator[Placed]:
    """A schema and all in it, in document order; its definitions only if asked for."""
    open_ = [root]  # a stack of our own: nothing says how deep a schema goes
    while open_:
        placed = open_.pop()
        yield placed
        open_.extend(reversed(list(_children(placed, definitions=definitions))))


def reachable(schema: JsonObject) -> Iterator[Placed]:
    """A schema, all in it and all that it refers to, each place once."""
    seen: set[Place] = set()
    roots = [Placed(schema, ())]
    named: set[Place] = {()}
    for root in roots:
        for placed in _within(root):
            if placed.place in seen:
                continue
            seen.add(placed.place)
            yield placed
            target = referred(schema, placed.schema)
            if target is not None and target.place not in named:
                named.add(target.place)
                roots.append(target)


def referred(document: JsonObject, schema: object) -> Placed | None:
    """What a schema's `$ref` means; None where there is none, or where it leads out of the document."""
    reference = schema.get("$ref") if isinstance(schema, dict) else None
    if not isinstance(reference, str) or not (reference == "#" or reference.startswith("#/")):
        return None
    value: object = document
    place: list[Key] = []
    for token in unquote(reference).split("/")[1:]:
        key = token.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and key in value:
            value = value[key]
            place.append(key)
        elif isinstance(value, list) and key.isdecimal() and key.isascii() and len(key) < 9 and int(key) < len(value):
            value = value[int(key)]
            place.append(int(key))
        else:
            return None
    return Placed(value, tuple(place))


def circle(schema: JsonObject) -> tuple[str, ...] | None:
    """The names along a circle of references, first and last the same; None where no reference leads back."""
    targets: dict[Place, list[Placed]] = {}

    def next_of(placed: Placed) -> list[Placed]:
        if placed.place not in targets:
            found = (referred(schema, part.schema) for part in _within(placed))
            targets[placed.place] = [target for target in found if target is not None]
        return targets[placed.place]

    trail: list[Place] = [()]
    done: set[Place] = set()
    open_ = [iter(next_of(Placed(schema, ())))]
    while open_:
        target = next(open_[-1], None)
        if target is None:
            open_.pop()
            done.add(trail.pop())
        elif target.place in trail:
            return tuple(_name(place) for place in (*trail[trail.index(target.place) :], target.place))
        elif target.place not in done:
            trail.append(target.place)
            open_.append(iter(next_of(target)))
    return None


def _name(place: Place) -> str:
    return str(place[-1]) if place else "#"


_TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})


def _is_type(value: object) -> bool:
    if isinstance(value, list):
        return bool(value) and _are_names(value) and _TYPES.issuperset(value)
    return isinstance(value, str) and value in _TYPES


def _are_names(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value) and len(set(value)) == len(value)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _is_list(value: object) -> bool:
    return isinstance(value, list)


def _is_schema(value: object) -> bool:
    return isinstance(value, dict | bool)


def _are_schemas(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_schema, value))


def _are_named_schemas(value: object) -> bool:
    return isinstance(value, dict) and all(map(_is_schema, value.values()))


_PLAIN: Mapping[str, Callable[[object], bool]] = MappingProxyType(
    {
        "type": _is_type,
        "required": _are_names,
        "enum": _is_list,
        "examples": _is_list,
        **dict.fromkeys(("title", "description", "format", "pattern", "$ref", "$schema", "$comment"), _is_text),
        **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _is_number),
        **dict.fromkeys(
            ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"), _is_count
        ),
        **dict.fromkeys(("uniqueItems", "deprecated", "readOnly", "writeOnly"), _is_flag),
        **dict.fromkeys(_SINGLE, _is_schema),
        **dict.fromkeys(_LISTS, _are_schemas),
        **dict.fromkeys(_MAPS, _are_named_schemas),
    }
)
"""For each everyday keyword the values that are certainly right."""

_UNUSUAL = frozenset({"$id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$vocabulary", "$recursiveRef"})
_UNUSUAL |= {"$recursiveAnchor", "multipleOf", "minContains", "maxContains", "dependentRequired", "dependencies"}
_UNUSUAL |= {"contentEncoding", "contentMediaType"}


def _plainly_valid(schema: JsonObject) -> bool:
    """Whether the schema is valid beyond doubt; False where it takes more to tell."""
    return all(
        all(
            _PLAIN[keyword](value) if keyword in _PLAIN else keyword not in _UNUSUAL
            for keyword, value in placed.schema.items()
        )
        for placed in _within(Placed(schema, ()), definitions=True)
        if isinstance(placed.schema, dict)
    )


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a value is not what a schema wants: the place as the tail of a JSON path, and a sentence."""

    path: str
    said: str


def schema_fault(schema: JsonObject) -> Fault | None:
    """What makes a schema invalid in draft 2020-12; None where it is valid.

    Formats are not looked at: whether `pattern` is a regular expression depends on whose.
    """
    if _plainly_valid(schema):
        return None
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    try:
        return _fault(best_match(Draft202012Validator(Draft202012Validator.META_SCHEMA).iter_errors(schema)))
    except RecursionError:  # deeper than can be told
        return None


def value_fault(schema: JsonObject, value: object) -> Fault | None:
    """Why a valid schema does not take a value; None where it does, or where that cannot be told."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    validator = Draft202012Validator(schema, registry=Registry())  # an empty registry fetches nothing
    try:
        return _fault(best_match(validator.iter_errors(value)))
    except (Unresolvable, re.error, RecursionError, ArithmeticError, ValueError):
        return None  # a reference elsewhere, another dialect of regular expressions, numbers out of range


def _fault(error: ValidationError | None) -> Fault | None:
    if error is None:
        return None
    said = error.message if len(error.message) <= 200 else f"{error.message[:200]}..."
    return Fault(json_path(tuple(error.absolute_path)), said)

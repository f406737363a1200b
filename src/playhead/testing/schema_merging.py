"""Two JSON Schemas that hold at once, as one: what `allOf` and the members beside a `$ref` come to.

Law: pure; knows JSON Schema (draft 2020-12) and nothing of drawing. What cannot be said in one schema is left out here,
for the caller checks every value against the schema as it was written.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from playhead.wire.codec import JsonObject
from playhead.wire.equality import same

TYPES = ("null", "boolean", "integer", "number", "string", "array", "object")
_MOST_ALTERNATIVES = 64


class Impossible(Exception):
    """No value fits: `reason` says why, in the schema's words; `place` is the tail of a JSON path."""

    def __init__(self, place: str, reason: str) -> None:
        self.place, self.reason = place, reason
        super().__init__(f"${place}: {reason}")


def types_of(schema: JsonObject) -> tuple[str, ...]:
    """The types that a schema names, in its order; else those that its keywords speak of; else all."""
    named = schema.get("type")
    if isinstance(named, str):
        return (named,)
    if isinstance(named, list):
        return tuple(named)
    spoken = tuple(kind for kind, keywords in _SPEAK_OF.items() if keywords & schema.keys())
    return spoken or TYPES


_SPEAK_OF: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "object": frozenset(
            "properties required additionalProperties patternProperties propertyNames minProperties maxProperties "
            "dependentRequired".split()
        ),
        "array": frozenset("items prefixItems minItems maxItems uniqueItems contains".split()),
        "number": frozenset("minimum maximum exclusiveMinimum exclusiveMaximum multipleOf".split()),
        "string": frozenset("minLength maxLength pattern format".split()),
    }
)


def merged(first: JsonObject | bool, second: JsonObject | bool, place: str) -> JsonObject:
    """A schema for the values that fit both. Raises `Impossible` where plainly none does."""
    if first is False or second is False:
        raise Impossible(place, "false allows no value")
    one: JsonObject = {} if first is True else dict(first)
    other: JsonObject = {} if second is True else second
    for keyword, value in other.items():
        if keyword not in one:
            one[keyword] = value
        elif keyword in _BOTH:
            one[keyword] = _BOTH[keyword](one[keyword], value)
        if one.get(keyword) == [] and keyword in ("type", "enum"):
            raise Impossible(place, f"no {'type' if keyword == 'type' else 'value of enum'} is allowed by all of it")
    if "const" in other and not same(one["const"], other["const"]):
        raise Impossible(place, "two values of const are wanted at once")
    return one


def _types(one: Any, other: Any) -> list[str]:
    ones, others = types_of({"type": one}), types_of({"type": other})

    def allowed(name: str, by: tuple[str, ...]) -> bool:
        return name in by or (name == "integer" and "number" in by)

    return [name for name in dict.fromkeys((*ones, *others)) if allowed(name, ones) and allowed(name, others)]


def _all_of(one: Any, other: Any) -> JsonObject:
    return {"allOf": [one, other]}


def _named(one: Any, other: Any) -> JsonObject:
    return {**one, **{name: _all_of(one[name], part) if name in one else part for name, part in other.items()}}


def _pairs(one: Any, other: Any) -> Any:
    if len(one) * len(other) > _MOST_ALTERNATIVES:
        return one
    return [_all_of(left, right) for left in one for right in other]


def _listed(one: Any, other: Any) -> Any:
    shared = [_all_of(left, right) for left, right in zip(one, other, strict=False)]
    return [*shared, *one[len(other) :], *other[len(one) :]]


def _multiple(one: Any, other: Any) -> Any:
    return math.lcm(one, other) if isinstance(one, int) and isinstance(other, int) else one


_BOTH: Mapping[str, Callable[[Any, Any], Any]] = MappingProxyType(
    {
        "type": _types,
        "enum": lambda one, other: [value for value in one if any(same(value, wanted) for wanted in other)],
        "required": lambda one, other: [*dict.fromkeys((*one, *other))],
        "uniqueItems": lambda one, other: one or other,
        "multipleOf": _multiple,
        "properties": _named,
        "patternProperties": _named,
        "items": _all_of,
        "additionalProperties": _all_of,
        "propertyNames": _all_of,
        "prefixItems": _listed,
        "allOf": lambda one, other: [*one, *other],
        "anyOf": _pairs,
        "oneOf": _pairs,
        **dict.fromkeys(("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"), max),
        **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"), min),
    }
)
"""What two values of a keyword come to; where none is told, the first holds."""

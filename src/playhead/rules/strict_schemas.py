"""Rules on schemas that bind Claude's output: those of strict tools and of `output_config.format`.

Law: pure checks on the schemas of one request. Such a schema is compiled into a grammar, which takes only a part of
JSON Schema; what stands in definitions counts once, and only if it is referred to.

Sources: platform.claude.com/docs/en/build-with-claude/structured-outputs; recordings of 0xPlaygrounds/rig
(`strict_schema_limits`, `strict_schema_matrix`) and maruel/genai. Constraints on strings (minLength, maxLength, format,
most patterns) are documented as unsupported but were measured as accepted by nine models (2026-09): they pass.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from playhead.rules.json_schemas import Placed, circle, reachable
from playhead.rules.order import CAPABILITY, FIELD
from playhead.rules.rule import Finding, RequestView, Rule
from playhead.rules.tool_types import custom, entries
from playhead.wire.codec import JsonObject

_MOST_STRICT_TOOLS = 20
_MOST_OPTIONAL = 24
_MOST_UNIONS = 16


@dataclass(frozen=True, slots=True)
class _Bound:
    """A schema that binds the output: where it stands, in our words and in the API's."""

    schema: JsonObject
    path: str
    where: str
    rank: int
    place: tuple[int, ...]

    def finding(self, path: str, what: str, wording: int = 0, **values: object) -> Finding:
        return Finding(
            path=f"{self.path}{path}",
            what=what,
            values={"where": self.where, **values},
            rank=self.rank,
            place=self.place,
            wording=wording,
        )


def _formats(view: RequestView) -> Iterator[tuple[str, JsonObject]]:
    """Each output format that asks for JSON, with its name; `output_format` is the older, beta spelling."""
    for where, value in (
        ("output_config.format", view.member("output_config").get("format")),
        ("output_format", view.body.get("output_format")),
    ):
        if isinstance(value, dict) and value.get("type") == "json_schema":
            yield where, value


def _bound(view: RequestView) -> Iterator[_Bound]:
    for index, tool in custom(view):
        schema = tool.get("input_schema")
        if tool.get("strict") is True and isinstance(schema, dict):
            path = f"$.tools[{index}].input_schema"
            yield _Bound(schema, path, f"tools.{index}.custom", FIELD["tools"], (index, 6))
    for where, format_ in _formats(view):
        if isinstance(format_.get("schema"), dict):
            name = f"{where}.schema"
            yield _Bound(format_["schema"], f"$.{name}", name, FIELD["output_config"], ())


def _too_many_tools(view: RequestView) -> Iterator[Finding]:
    strict = [index for index, tool in entries(view) if tool.get("strict") is True]
    if len(strict) > _MOST_STRICT_TOOLS:
        yield Finding(
            path=f"$.tools[{strict[_MOST_STRICT_TOOLS]}].strict",
            what=f"{len(strict)} tools are strict, {_MOST_STRICT_TOOLS} may be",
            values={"n": len(strict)},
        )


def _is_union(schema: object) -> bool:
    if not isinstance(schema, dict):
        return False
    type_ = schema.get("type")
    return "anyOf" in schema or (isinstance(type_, list) and len(type_) > 1)


def _parameters(view: RequestView) -> Iterator[tuple[_Bound, Placed]]:
    """The parameters of all schemas together, those of nested objects as well."""
    for bound in _bound(view):
        for placed in reachable(bound.schema):
            if placed.parameter is not None:
                yield bound, placed


def _too_many_optional(view: RequestView) -> Iterator[Finding]:
    optional = [(bound, placed) for bound, placed in _parameters(view) if placed.optional]
    if len(optional) > _MOST_OPTIONAL:
        bound, placed = optional[_MOST_OPTIONAL]
        yield Finding(
            path=f"{bound.path}{placed.path}",
            what=f"the strict schemas have {len(optional)} optional parameters in all, {_MOST_OPTIONAL} may be",
            values={"n": len(optional)},
        )


def _too_many_unions(view: RequestView) -> Iterator[Finding]:
    unions = [(bound, placed) for bound, placed in _parameters(view) if _is_union(placed.schema)]
    if len(unions) > _MOST_UNIONS:
        bound, placed = unions[_MOST_UNIONS]
        yield Finding(
            path=f"{bound.path}{placed.path}",
            what=f"the strict schemas have {len(unions)} parameters with several types in all, {_MOST_UNIONS} may be",
            values={"n": len(unions)},
        )


def _is_of(schema: JsonObject, *types: str) -> bool:
    type_ = schema.get("type")
    return any(one in types for one in (type_ if isinstance(type_, list) else [type_]) if isinstance(one, str))


def _open_objects(view: RequestView) -> Iterator[Finding]:
    for bound in _bound(view):
        open_ = [
            placed
            for placed in reachable(bound.schema)
            if isinstance(placed.schema, dict)
            and _is_of(placed.schema, "object")
            and placed.schema.get("additionalProperties") is not False
        ]
        if open_:
            more = f"; {len(open_) - 1} more objects lack it as well" if open_[1:] else ""
            what = f"an object of this schema does not say additionalProperties false{more}"
            yield bound.finding(open_[0].path, what)


def _circles(view: RequestView) -> Iterator[Finding]:
    for bound in _bound(view):
        names = circle(bound.schema)
        if names:
            chain = " -> ".join(names)
            yield bound.finding("", f"the schema refers to itself: {chain}", chain=chain)


_KEYWORDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        **dict.fromkeys(
            ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"), ("integer", "number")
        ),
        **dict.fromkeys(("maxItems", "uniqueItems"), ("array",)),
        **dict.fromkeys(("minProperties", "maxProperties", "patternProperties", "propertyNames"), ("object",)),
    }
)
"""Keywords that no grammar is made for, and the types that they are about."""

_KEYWORD, _PATTERN = range(2)


def _unsupported(view: RequestView) -> Iterator[Finding]:
    for bound in _bound(view):
        for placed in reachable(bound.schema):
            if placed.schema is True and placed.parameter is not None:
                what = f"the parameter {placed.parameter} may be anything, which no grammar can say"
                yield bound.finding(placed.path, what, type="object", kw=placed.parameter)
            elif isinstance(placed.schema, dict):
                yield from _unsupported_in(bound, placed, placed.schema)


def _unsupported_in(bound: _Bound, placed: Placed, schema: JsonObject) -> Iterator[Finding]:
    for keyword, types in _KEYWORDS.items():
        value = schema.get(keyword)
        if value is not None and value is not False and ("type" not in schema or _is_of(schema, *types)):
            type_ = schema.get("type") if isinstance(schema.get("type"), str) else types[0]
            what = f"`{keyword}` is not supported in a strict schema"
            yield bound.finding(f"{placed.path}.{keyword}", what, type=type_, kw=keyword)
    least = schema.get("minItems")
    if isinstance(least, int) and least > 1 and _is_of(schema, "array"):
        what = f"`minItems` may be 0 or 1 in a strict schema, this is {least}"
        yield bound.finding(f"{placed.path}.minItems", what, type="array", kw="minItems")
    pattern = schema.get("pattern")
    feature = _regex_feature(pattern) if isinstance(pattern, str) else None
    if feature:
        what = f"the pattern {pattern!r} has {feature}, which a strict schema cannot"
        yield bound.finding(f"{placed.path}.pattern", what, _PATTERN, pattern=pattern, kw="pattern")


_REGEX = re.compile(
    r"(?P<class>\[\^?\]?(?:\\.|[^\]\\])*\])"
    r"|(?P<look>\(\?<?[=!])"
    r"|(?P<back>\\[1-9]|\\k<)"
    r"|(?P<border>\\[bB])"
    r"|\\.",
    re.DOTALL,
)
_FEATURES: Mapping[str, str] = MappingProxyType(
    {"look": "a lookaround", "back": "a backreference", "border": "a word boundary"}
)


def _regex_feature(pattern: str) -> str | None:
    """What of a regular expression is beyond a grammar; escapes and character classes are read over."""
    kinds = (match.lastgroup or "" for match in _REGEX.finditer(pattern))
    return next((_FEATURES[kind] for kind in kinds if kind in _FEATURES), None)


_FORMAT_WORDINGS: Mapping[str, int] = MappingProxyType({"output_format": 0, "output_config.format": 1})


def _format_without_schema(view: RequestView) -> Iterator[Finding]:
    for where, format_ in _formats(view):
        if "schema" not in format_:
            other = "; it has `json_schema`, which is another API's word" if "json_schema" in format_ else ""
            yield Finding(
                path=f"$.{where}",
                what=f"the format asks for JSON but has no `schema`{other}",
                values={"where": where},
                rank=FIELD["output_config"],
                wording=_FORMAT_WORDINGS[where],
            )


RULES = (
    Rule(
        id="strict-tools-max",
        level="reject",
        wording=(
            "Too many strict tools ({n}). The maximum number of strict tools supported is 20. Try reducing the number "
            "of tools marked as strict.",
        ),
        fix="leave `strict` to the tools whose input must be exact",
        rank=CAPABILITY,
        envelope=_too_many_tools,
    ),
    Rule(
        id="strict-optional-params-max",
        level="reject",
        wording=(
            "Schemas contains too many optional parameters ({n}), which would make grammar compilation inefficient. "
            "Reduce the number of optional parameters in your tool schemas (limit: 24).",
        ),
        fix="list parameters under `required`, or make some of the tools not strict",
        rank=CAPABILITY,
        envelope=_too_many_optional,
    ),
    Rule(
        id="strict-union-params-max",
        level="reject",
        wording=(
            "Schemas contains too many parameters with union types ({n} parameters with type arrays or anyOf). This "
            "causes exponential compilation cost. Reduce the number of nullable or union-typed parameters (limit: 16 "
            "parameters with unions).",
        ),
        fix="give each parameter one type; make one that may be absent optional instead of nullable",
        rank=CAPABILITY,
        envelope=_too_many_unions,
    ),
    Rule(
        id="strict-additional-properties",
        level="reject",
        wording=("{where}: For 'object' type, 'additionalProperties' must be explicitly set to false",),
        fix='put "additionalProperties": false into every object of the schema',
        envelope=_open_objects,
    ),
    Rule(
        id="strict-recursive-schema",
        level="reject",
        wording=(
            "{where}: Invalid schema: Circular reference detected in schema definitions: {chain}. Self-referencing or "
            "mutually-referencing definitions are not supported.",
        ),
        fix="write the nesting out to a fixed depth, or drop `strict`",
        envelope=_circles,
    ),
    Rule(
        id="strict-unsupported-keyword",
        level="reject",
        wording=(
            "{where}: For '{type}' type, property '{kw}' is not supported",
            "Unsupported regex feature in pattern field: {pattern}",
        ),
        fix="say it in the parameter's description instead of by `{kw}`, and check the value where it is used",
        envelope=_unsupported,
    ),
    Rule(
        id="output-format-schema-required",
        level="reject",
        wording=("output_format.schema: Field required", "output_config.format.schema: Field required"),
        fix='put the schema into the format: {{"type": "json_schema", "schema": {{...}}}}',
        envelope=_format_without_schema,
    ),
)

"""A JSON Schema as a strategy: references, alternatives, objects and arrays; `schema_leaves` has the rest.

Law: imports hypothesis. A part that nothing fits raises `Impossible`, and is left out by whoever can do without it.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, TypeVar

from hypothesis import strategies as st
from jsonschema.protocols import Validator

from playhead.errors import SetupError
from playhead.rules.json_schemas import referred
from playhead.testing.schema_leaves import CHARACTERS, TELLING, Strategy, leaf
from playhead.testing.schema_merging import TYPES, Impossible, merged, types_of
from playhead.wire.codec import JsonObject, canonical, encode

_NAMES = st.text(CHARACTERS, max_size=8)
_FEW = (3, 3, 2, 1)
"""How many items more than there must be, by depth."""

_HOPELESS = 100  # values without one that fits; Hypothesis itself gives up at about 150

_CHECKED = frozenset("oneOf not if contains dependentRequired dependentSchemas unevaluatedProperties".split())
_CHECKED |= {"patternProperties", "propertyNames", "unevaluatedItems"}
"""Keywords of which not all is known when a value is drawn: it is put before jsonschema at its place."""

_UNSURE_TOGETHER = frozenset("additionalProperties pattern multipleOf items".split())
"""Keywords of which two are more than one can say."""

Part = TypeVar("Part")


@dataclass(frozen=True, slots=True)
class Document:
    """A whole schema, to which references lead, and what judges values by it."""

    schema: JsonObject
    validator: Validator

    def drawn(self, telling: bool, depth: int) -> Drawing:
        """To draw from it, following at most so many references after one another."""
        return Drawing(document=self, telling=telling, left=depth)

    def fits(self, part: JsonObject) -> Callable[[Any], bool]:
        """Whether a value fits a part of it."""
        return self.validator.evolve(schema=part).is_valid


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """What is the same for all parts of a schema, and where one stands in it."""

    document: Document
    telling: bool
    left: int
    place: str = ""
    deep: int = 0
    known: dict[tuple[bytes, int, int], Strategy | Impossible] = field(default_factory=dict)

    def at(self, step: str) -> Drawing:
        return replace(self, place=self.place + step, deep=self.deep + 1)


def strategy_of(schema: JsonObject | bool, drawing: Drawing) -> Strategy:
    """Values that fit a part of the schema. Raises `Impossible`, or `SetupError` for a reference that leads nowhere."""
    if schema is False:
        raise Impossible(drawing.place, "false allows no value")
    if not isinstance(schema, dict):
        schema = {}
    if schema.get("not") in (True, {}) and "not" in schema:
        raise Impossible(drawing.place, "not allows no value")
    key = (encode(schema), drawing.left, min(drawing.deep, len(_FEW)))
    known = drawing.known.get(key)
    if known is None:
        try:
            known = _built(schema, drawing)
        except Impossible as impossible:
            known = impossible
        drawing.known[key] = known
    if isinstance(known, Impossible):
        raise known
    return known


def judged(found: Strategy, validator: Validator, place: str = "") -> Strategy:
    """Only what jsonschema takes; the schema is at fault if that is nothing."""
    is_valid = validator.is_valid
    misses = 0

    def fits(value: Any) -> bool:
        nonlocal misses
        if is_valid(value):
            misses = -1
            return True
        if misses >= 0:  # none was ever found
            misses += 1
            if misses > _HOPELESS:
                error = next(validator.iter_errors(value))
                raise SetupError(
                    f"nothing was found that fits this schema: ${place}{error.json_path[1:]}: {error.message[:200]} "
                    "(make the schema simpler, or write the inputs yourself)"
                )
        return False

    return found.filter(fits)


def _built(schema: JsonObject, drawing: Drawing) -> Strategy:
    flat, left = _flat(schema, drawing.place, drawing.document.schema, drawing.left)
    inner = replace(drawing, left=left)
    found = _first(lambda part: _plain(part, inner), _alternatives(flat, drawing.place), drawing.place)
    unsure = _CHECKED & flat.keys() or (_UNSURE_TOGETHER & flat.keys() and {"allOf", "$ref"} & schema.keys())
    return judged(found, drawing.document.validator.evolve(schema=schema), drawing.place) if unsure else found


def _first(build: Callable[[Part], Strategy], parts: Iterable[Part], place: str) -> Strategy:
    """One of the parts, of those that can be drawn."""
    found: list[Strategy] = []
    why: Impossible | None = None
    for part in parts:
        try:
            found.append(build(part))
        except Impossible as impossible:
            why = why or impossible
    if not found:
        raise why or Impossible(place, "no value is allowed")
    return st.one_of(found)


def _flat(schema: JsonObject, place: str, document: JsonObject, left: int) -> tuple[JsonObject, int]:
    """The schema without `$ref` and `allOf` at its head, and how many references may still be followed."""
    whole = {keyword: value for keyword, value in schema.items() if keyword not in ("$ref", "allOf")}
    parts = [(part, place) for part in schema.get("allOf", ())]
    remaining = left
    if "$ref" in schema:
        target = referred(document, schema)
        if target is None:
            raise SetupError(
                f"${place}.$ref leads to {schema['$ref']!r}, which is not in this schema; put it under $defs, "
                "and refer to it as '#/$defs/NAME'"
            )
        remaining -= 1
        if remaining < 0:
            raise Impossible(place, f"{schema['$ref']} refers to itself without end")
        parts.append((target.schema, target.path))
    least = remaining
    for part, where in parts:
        if isinstance(part, dict):
            part, after = _flat(part, where, document, remaining)
            least = min(least, after)
        whole = merged(whole, part, where)
    return whole, least


def flat_schema(document: Document) -> JsonObject:
    """What the whole schema says of an object, its references followed. Raises `Impossible`, `SetupError`."""
    return _flat(document.schema, "", document.schema, 20)[0]


def _alternatives(schema: JsonObject, place: str) -> Iterator[JsonObject]:
    """The schemas of which a value fits one: for each way through `anyOf`, `oneOf`, `if`."""
    for keyword in ("anyOf", "oneOf"):
        if keyword in schema:
            rest = {name: value for name, value in schema.items() if name != keyword}
            yield from ({"allOf": [rest, part]} for part in sorted(schema[keyword], key=_is_more_than_null))
            return
    if "if" in schema:
        rest = {name: value for name, value in schema.items() if name not in ("if", "then", "else")}
        yield {"allOf": [rest, schema["if"], schema.get("then", True)]}
        yield {"allOf": [rest, schema.get("else", True)]}
        return
    yield schema


def _is_more_than_null(part: JsonObject | bool) -> bool:
    """Null takes no choice, so that it is the simplest wherever it may stand."""
    return not (isinstance(part, dict) and part.get("type") == "null")


def _plain(schema: JsonObject, drawing: Drawing) -> Strategy:
    """A strategy for one alternative."""
    if schema.keys() & {"allOf", "anyOf", "oneOf", "if", "$ref"}:
        return strategy_of(schema, drawing)
    if "const" in schema or "enum" in schema:
        return _listed(schema, drawing)
    types = sorted(types_of(schema), key=lambda name: name != "null")
    if len(types) == len(TYPES):
        return _anything(drawing)
    return _first(lambda name: _of_type(name, schema, drawing), types, drawing.place)


def _listed(schema: JsonObject, drawing: Drawing) -> Strategy:
    """The values of `enum` or `const` that fit all else."""
    listed = [schema["const"]] if "const" in schema else schema["enum"]
    found = [value for value in listed if drawing.document.fits(schema)(value)]
    if not found:
        raise Impossible(drawing.place, f"no value of {'const' if 'const' in schema else 'enum'} fits the rest")
    return _one_of_these(found)


def _one_of_these(values: list[Any]) -> Strategy:
    drawn = st.sampled_from(values)
    return drawn.map(copy.deepcopy) if any(isinstance(value, dict | list) for value in values) else drawn


def _of_type(name: str, schema: JsonObject, drawing: Drawing) -> Strategy:
    if name in _HOLDERS:
        return _HOLDERS[name](schema, drawing)
    alone = {**schema, "type": name}
    return leaf(name, alone, drawing.place, drawing.document.fits(alone) if drawing.telling else None)


def _anything(drawing: Drawing) -> Strategy:
    if drawing.telling:
        return _one_of_these([value for values in TELLING.values() for value in values])
    leaves = st.one_of(st.none(), st.booleans(), st.integers(-(2**53), 2**53), st.text(CHARACTERS, max_size=8))
    return leaves | st.lists(leaves, max_size=2) | st.dictionaries(_NAMES, leaves, max_size=2)


def _few(drawing: Drawing) -> int:
    return _FEW[min(drawing.deep, len(_FEW) - 1)]


def _arrays(schema: JsonObject, drawing: Drawing) -> Strategy:
    heads = [
        strategy_of(part, drawing.at(f".prefixItems[{number}]"))
        for number, part in enumerate(schema.get("prefixItems", ()))
    ]
    least = schema.get("minItems", 0)
    most = min(schema.get("maxItems", least + len(heads) + _few(drawing)), least + len(heads) + _few(drawing))
    if least > schema.get("maxItems", least):
        raise Impossible(drawing.place, f"minItems {least} is above maxItems {schema['maxItems']}")
    try:
        items = strategy_of(schema.get("items", True), drawing.at(".items"))
    except Impossible:
        if least > len(heads):
            raise
        items, most = st.nothing(), min(most, len(heads))
    if heads:
        return _tuple(heads, items, least, most)
    if "contains" in schema:
        return _containing(schema, drawing, items, least, most)
    if not schema.get("uniqueItems"):
        return st.lists(items, min_size=least, max_size=0 if items.is_empty else most)
    _require_enough(schema, least, drawing.place)
    return st.lists(
        items, min_size=least, max_size=0 if items.is_empty else most, unique_by=lambda item: canonical(item)
    )


def _require_enough(schema: JsonObject, least: int, place: str) -> None:
    """Raises `Impossible` where the items are not to be alike, and there are too few to choose from."""
    items = schema.get("items")
    if isinstance(items, dict):
        known = items["enum"] if "enum" in items else (False, True) if items.get("type") == "boolean" else None
        if known is not None and len(known) < least:
            raise Impossible(place, f"{least} different items are wanted, and there are {len(known)}")


def _containing(schema: JsonObject, drawing: Drawing, items: Strategy, least: int, most: int) -> Strategy:
    """Arrays with as many as must be of the items that `contains` describes, at their beginning."""
    count = schema.get("minContains", 1)
    both = {"allOf": [schema.get("items", True), schema["contains"]]}
    wanted = st.lists(strategy_of(both, drawing.at(".contains")), min_size=count, max_size=count)
    others = st.lists(items, min_size=max(0, least - count), max_size=max(0, least - count, most - count))
    return st.builds(lambda first, rest: [*first, *rest], wanted, others)


@st.composite
def _tuple(draw: st.DrawFn, heads: Sequence[Strategy], items: Strategy, least: int, most: int) -> list[Any]:
    """An array whose first items have strategies of their own."""
    size = draw(st.integers(least, most))
    return [draw(heads[number] if number < len(heads) else items) for number in range(size)]


def _objects(schema: JsonObject, drawing: Drawing) -> Strategy:
    required = schema.get("required", [])
    properties = schema.get("properties", {})
    members: dict[str, Strategy] = {}
    for name in dict.fromkeys((*properties, *required)):
        try:
            part = properties[name] if name in properties else schema.get("additionalProperties", True)
            members[name] = strategy_of(part, drawing.at(f".properties.{name}" if name in properties else f".{name}"))
        except Impossible:
            if name in required:
                raise
    least = schema.get("minProperties", 0)
    most = schema.get("maxProperties", len(members) + least + _few(drawing))
    if "properties" in schema:
        most = min(most, len(members))
    if least > most or len(required) > most:
        raise Impossible(drawing.place, f"{max(least, len(required))} members are wanted and {most} allowed")
    declared = _declared(members, frozenset(required), least, most)
    if "properties" in schema or (schema.get("additionalProperties") is False and "patternProperties" not in schema):
        return declared
    others = _free(schema, drawing, max(0, least - len(members)), min(most - len(members), least + _few(drawing)))
    return others if not members else st.builds(lambda known, more: {**more, **known}, declared, others)


def _declared(members: Mapping[str, Strategy], required: frozenset[str], least: int, most: int) -> Strategy:
    """Objects with these members, the required ones always."""
    optional = [name for name in members if name not in required]
    # one number tells for eight members whether they are there
    masks = [st.integers(0, 2 ** len(optional[start : start + 8]) - 1) for start in range(0, len(optional), 8)]
    return _some_members(members, required, optional, masks, least - len(required), most - len(required))


@st.composite
def _some_members(
    draw: st.DrawFn,
    members: Mapping[str, Strategy],
    required: frozenset[str],
    optional: Sequence[str],
    masks: Sequence[st.SearchStrategy[int]],
    least: int,
    most: int,
) -> dict[str, Any]:
    mask = 0
    for place, bits in enumerate(masks):
        mask |= draw(bits) << (8 * place)
    chosen = [name for place, name in enumerate(optional) if mask >> place & 1]
    if len(chosen) < least:
        chosen += [name for name in optional if name not in chosen][: least - len(chosen)]
    present = required.union(chosen[:most])
    return {name: draw(strategy) for name, strategy in members.items() if name in present}


def _free(schema: JsonObject, drawing: Drawing, least: int, most: int) -> Strategy:
    """Objects whose members nobody declared."""
    patterns = schema.get("patternProperties", {})
    names: Strategy = _NAMES
    values: JsonObject | bool = schema.get("additionalProperties", True)
    if patterns:
        pattern, values = next(iter(patterns.items()))
        names = leaf("string", {"pattern": pattern}, f"{drawing.place}.patternProperties", None)
    elif isinstance(schema.get("propertyNames"), dict):
        names = strategy_of({"type": "string", **schema["propertyNames"]}, drawing.at(".propertyNames"))
    try:
        drawn = strategy_of(values, drawing.at(".additionalProperties"))
    except Impossible:
        if least:
            raise
        return st.builds(dict)
    if drawing.telling and names is _NAMES:
        names = st.sampled_from(("", "é", " ", "a.b", "\u2028", "__proto__", "self"))
    return st.dictionaries(names, drawn, min_size=least, max_size=max(least, most))


_HOLDERS: Mapping[str, Callable[[JsonObject, Drawing], Strategy]] = MappingProxyType(
    {"array": _arrays, "object": _objects}
)

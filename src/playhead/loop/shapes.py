"""From a Python annotation to a JSON Schema, and from JSON back to the value the annotation promises.

One table of types, one rule per kind of generic; each rule gives a `Shape`: the schema that is sent, and the
function that reads a value which fits it.  Knows nothing of functions or tools.
"""

from __future__ import annotations

import dataclasses
import enum
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, NotRequired, Required, Union

Schema = dict[str, object]
Args = tuple[object, ...]
Entry = typing.TypeVar("Entry")


class Unsupported(Exception):
    """An annotation that no rule knows; `str()` says which and why."""


class Misfit(ValueError):
    """A value that is not of the shape: how a union tells its members apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What an annotation means in JSON.  `read` turns a fitting JSON value into the Python value, or raises
    Misfit.
    """

    schema: Schema
    read: Callable[[object], object]


SUPPORTED = (
    "str, int, float, bool, None, Any, list, set, tuple, dict (str keys), Literal, Enum, Optional, Union, "
    "TypedDict, dataclasses and Annotated[..., 'description']"
)


def shape_of(annotation: object, inside: Args = ()) -> Shape:
    """The shape of an annotation.  `inside` are the classes being described, to stop at one that contains
    itself.

    Raises Unsupported.
    """
    simple = _lookup(_SIMPLE, annotation)
    if simple is not None:
        return Shape(schema=dict(simple.schema), read=simple.read)
    if isinstance(annotation, typing.NewType):
        return shape_of(annotation.__supertype__, inside)
    origin = typing.get_origin(annotation) or annotation
    rule = _lookup(_GENERIC, origin)
    if rule is not None:
        return rule(typing.get_args(annotation), inside)
    if isinstance(annotation, type):
        for applies, describe in _CLASSES:
            if applies(annotation):
                return describe(annotation, inside)
    raise Unsupported(f"{_name(annotation)} has no JSON shape here; supported are {SUPPORTED}")


# ---------------------------------------------------------------------------------------------- plain values


def _reader(what: str, *accepted: type) -> Callable[[object], object]:
    """Accept values of exactly these types: `True` is no integer in JSON."""

    def read(value: object) -> object:
        if type(value) not in accepted:
            raise Misfit(f"{value!r:.80} is not {what}")
        return value

    return read


def _read_integer(value: object) -> object:
    """JSON has one kind of number: 3.0 is an integer there, and a parameter that says int gets one."""
    if type(value) is float and value.is_integer():
        return int(value)
    return _reader("an integer", int)(value)


_SIMPLE: Mapping[object, Shape] = {
    str: Shape(schema={"type": "string"}, read=_reader("a string", str)),
    int: Shape(schema={"type": "integer"}, read=_read_integer),
    float: Shape(schema={"type": "number"}, read=_reader("a number", float, int)),
    bool: Shape(schema={"type": "boolean"}, read=_reader("a boolean", bool)),
    None: Shape(schema={"type": "null"}, read=_reader("null", type(None))),
    type(None): Shape(schema={"type": "null"}, read=_reader("null", type(None))),
    typing.Any: Shape(schema={}, read=lambda value: value),
    object: Shape(schema={}, read=lambda value: value),
}

# ---------------------------------------------------------------------------------------------- generics


def _array(args: Args, inside: Args, build: Callable[[Iterable[object]], object]) -> Shape:
    item = shape_of(args[0] if args else typing.Any, inside)
    read_list = _reader("an array", list)

    def read(value: object) -> object:
        return build(item.read(one) for one in typing.cast(list[object], read_list(value)))

    return Shape(schema={"type": "array", **({"items": item.schema} if item.schema else {})}, read=read)


def _list(args: Args, inside: Args) -> Shape:
    return _array(args, inside, list)


def _set(args: Args, inside: Args) -> Shape:
    shape = _array(args, inside, set)
    return Shape(schema={**shape.schema, "uniqueItems": True}, read=shape.read)


def _frozenset(args: Args, inside: Args) -> Shape:
    shape = _array(args, inside, frozenset)
    return Shape(schema={**shape.schema, "uniqueItems": True}, read=shape.read)


def _tuple(args: Args, inside: Args) -> Shape:
    if not args or args[-1] is Ellipsis:
        return _array(args[:1], inside, tuple)
    items = [shape_of(arg, inside) for arg in args]
    size = len(items)
    read_list = _reader("an array", list)

    def read(value: object) -> object:
        given = typing.cast(list[object], read_list(value))
        if len(given) != size:
            raise Misfit(f"an array of {len(given)} is not one of {size}")
        return tuple(item.read(one) for item, one in zip(items, given, strict=True))

    schema: Schema = {"type": "array", "prefixItems": [item.schema for item in items], "minItems": size}
    return Shape(schema={**schema, "maxItems": size}, read=read)


def _dict(args: Args, inside: Args) -> Shape:
    key, item = args or (str, typing.Any)
    if key is not str:
        raise Unsupported(f"a dict with {_name(key)} keys has no JSON shape; JSON object keys are str")
    shape = shape_of(item, inside)
    read_dict = _reader("an object", dict)

    def read(value: object) -> object:
        return {k: shape.read(v) for k, v in typing.cast(dict[str, object], read_dict(value)).items()}

    return Shape(
        schema={"type": "object", **({"additionalProperties": shape.schema} if shape.schema else {})},
        read=read,
    )


def _literal(args: Args, inside: Args) -> Shape:
    return _choice([(arg.value if isinstance(arg, enum.Enum) else arg, arg) for arg in args])


def _choice(choices: Sequence[tuple[object, object]]) -> Shape:
    """One of several JSON values, each paired with what the function receives for it."""
    values = [json for json, _ in choices]
    for json in values:
        if not isinstance(json, str | int | float | bool | None):
            raise Unsupported(f"the choice {json!r} has no JSON shape: not a str, int, float, bool or None")
    kinds = {str(shape_of(type(json)).schema["type"]) for json in values}
    schema: Schema = {"enum": values}
    # 1 == True, yet they are two choices, while 1 and 1.0 are one; boxed, since what is chosen may be None.
    known: dict[object, tuple[object]] = {(isinstance(json, bool), json): (value,) for json, value in choices}

    def read(value: object) -> object:
        found = _lookup(known, (isinstance(value, bool), value))
        if found is None:
            raise Misfit(f"{value!r:.80} is not one of {values}")
        return found[0]

    return Shape(schema={"type": kinds.pop(), **schema} if len(kinds) == 1 else schema, read=read)


def _union(args: Args, inside: Args) -> Shape:
    members = [shape_of(arg, inside) for arg in args]

    def read(value: object) -> object:
        for member in members:
            try:
                return member.read(value)
            except Misfit:
                continue
        raise Misfit(f"{value!r:.80} fits no member of the union")

    return Shape(schema={"anyOf": [member.schema for member in members]}, read=read)


def _annotated(args: Args, inside: Args) -> Shape:
    shape = shape_of(args[0], inside)
    texts = [note for note in args[1:] if isinstance(note, str)]
    described: Schema = {"description": texts[0]} if texts else {}
    return Shape(schema={**shape.schema, **described}, read=shape.read)


def _wrapped(args: Args, inside: Args) -> Shape:
    return shape_of(args[0], inside)


_GENERIC: Mapping[object, Callable[[Args, Args], Shape]] = {
    list: _list,
    Sequence: _list,
    Iterable: _list,
    set: _set,
    frozenset: _frozenset,
    tuple: _tuple,
    dict: _dict,
    Mapping: _dict,
    Literal: _literal,
    Union: _union,
    types.UnionType: _union,
    Annotated: _annotated,
    Required: _wrapped,
    NotRequired: _wrapped,
}

# ---------------------------------------------------------------------------------------------- classes


def _enum(cls: type, inside: Args) -> Shape:
    return _choice([(member.value, member) for member in typing.cast("type[enum.Enum]", cls)])


def _typed_dict(cls: type, inside: Args) -> Shape:
    hints = typing.get_type_hints(cls, include_extras=True)
    required = set(typing.cast("frozenset[str]", getattr(cls, "__required_keys__", frozenset())))
    # Where annotations are strings, the class itself does not see the marks.
    required -= {name for name, hint in hints.items() if typing.get_origin(hint) is NotRequired}
    required |= {name for name, hint in hints.items() if typing.get_origin(hint) is Required}
    return _object(cls, hints, required, dict, inside)


def _dataclass(cls: type, inside: Args) -> Shape:
    hints = typing.get_type_hints(cls, include_extras=True)
    fields = [field for field in dataclasses.fields(cls) if field.init]
    missing = dataclasses.MISSING
    required = {f.name for f in fields if f.default is missing and f.default_factory is missing}
    return _object(cls, {f.name: hints[f.name] for f in fields}, required, cls, inside)


def _object(
    cls: type,
    hints: Mapping[str, object],
    required: Iterable[str],
    build: Callable[..., object],
    inside: Args,
) -> Shape:
    if cls in inside:
        raise Unsupported(f"{_name(cls)} contains itself, which has no finite schema here")
    members = {name: shape_of(hint, (*inside, cls)) for name, hint in hints.items()}
    needed = [name for name in members if name in set(required)]
    read_dict = _reader("an object", dict)

    def read(value: object) -> object:
        given = typing.cast(dict[str, object], read_dict(value))
        if not given.keys() <= members.keys() or not given.keys() >= set(needed):
            raise Misfit(f"an object with keys {sorted(given)} is not a {_name(cls)}")
        return build(**{name: members[name].read(item) for name, item in given.items()})

    schemas = {name: member.schema for name, member in members.items()}
    return Shape(schema=object_schema(schemas, needed), read=read)


def object_schema(properties: Mapping[str, Schema], required: Sequence[str]) -> Schema:
    """A closed JSON object: these properties, no others."""
    schema: Schema = {"type": "object", "properties": dict(properties), "required": list(required)}
    return {**schema, "additionalProperties": False}


_CLASSES: tuple[tuple[Callable[[type], bool], Callable[[type, Args], Shape]], ...] = (
    (lambda cls: issubclass(cls, enum.Enum), _enum),
    (typing.is_typeddict, _typed_dict),
    (dataclasses.is_dataclass, _dataclass),
)


def _lookup(table: Mapping[object, Entry], key: object) -> Entry | None:
    """What a table holds for a key that may not be hashable: None if there is nothing."""
    try:
        return table.get(key)
    except TypeError:
        return None


def _name(annotation: object) -> str:
    return annotation.__qualname__ if isinstance(annotation, type) else str(annotation)

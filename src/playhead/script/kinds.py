"""What a value in a script file may be: each kind as a check, as words, and as JSON Schema.

Law: pure. A kind is made by one of the functions here, which make the three from the same arguments, so that they
cannot say different things.
"""

from __future__ import annotations

import base64
import binascii
import math
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from playhead.errors import ScriptError
from playhead.script.checks import nearest
from playhead.wire.codec import JsonObject, kind

Path: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Misfit:
    """Why a value is none of a kind: the path within it, and the reason. `alien` are values of another type."""

    path: Path = ()
    reason: str
    alien: bool = False


def _as_is(value: object) -> object:
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """`words` say what is needed, with an article. `read` makes of a file's value what the function takes, and
    `write` the other way round.
    """

    words: str
    schema: JsonObject
    misfit: Callable[[object], Misfit | None]
    read: Callable[[object], object] = _as_is
    write: Callable[[object], object] = _as_is


def _needed(words: str, value: object) -> Misfit:
    quoted = words.startswith("a string") and isinstance(value, int | float)
    return Misfit(reason=f"{words} is needed, not {kind(value)}{'; put it into quotes' if quoted else ''}", alien=True)


def _of_type(words: str, name: str, *types: type) -> Kind:
    def misfit(value: object) -> Misfit | None:
        return None if isinstance(value, types) else _needed(words, value)

    return Kind(words=words, schema={"type": name}, misfit=misfit)


TEXT = _of_type("a string", "string", str)
FLAG = _of_type("true or false", "boolean", bool)
OBJECT = _of_type("a mapping", "object", dict)
NULL = _of_type("null", "null", type(None))
ANYTHING = Kind(words="any value", schema={}, misfit=lambda value: None)


def number(*, whole: bool = True, least: int = 0, most: int | None = None) -> Kind:
    """A number from `least` to `most`, such as a count or a status."""
    extent = f", {least} or more" if most is None else f" from {least} to {most}"
    words = f"a {'whole ' if whole else ''}number{extent}"
    schema: JsonObject = {"type": "integer" if whole else "number", "minimum": least}
    if most is not None:
        schema["maximum"] = most
    allowed = (int,) if whole else (int, float)

    def misfit(value: object) -> Misfit | None:
        if isinstance(value, bool) or not isinstance(value, allowed):
            return _needed(words, value)
        if value < least or (most is not None and value > most) or not math.isfinite(value):
            return Misfit(reason=f"{words} is needed, not {value}")
        return None

    return Kind(words=words, schema=schema, misfit=misfit)


def choice(names: Collection[str]) -> Kind:
    """One of these texts."""
    words = f"one of {', '.join(_shown(name) for name in names)}"

    def misfit(value: object) -> Misfit | None:
        if not isinstance(value, str):
            return _needed(words, value)
        if value in names:
            return None
        return Misfit(reason=f"{value!r} is none of those there are{nearest(value, names, '')}")

    return Kind(words=words, schema={"enum": [*names]}, misfit=misfit)


def _shown(name: str) -> str:
    return name if name.isprintable() and name else repr(name)


def listed(item: Kind, words: str) -> Kind:
    """A list of these."""

    def misfit(value: object) -> Misfit | None:
        if not isinstance(value, list):
            return _needed(words, value)
        return next(_within(enumerate(value), item), None)

    return Kind(words=words, schema={"type": "array", "items": item.schema}, misfit=misfit)


def mapped(item: Kind, words: str) -> Kind:
    """A mapping whose members are all of a kind."""

    def misfit(value: object) -> Misfit | None:
        if not isinstance(value, dict):
            return _needed(words, value)
        return next(_within(value.items(), item), None)

    return Kind(words=words, schema={"type": "object", "additionalProperties": item.schema}, misfit=misfit)


def record(members: Mapping[str, Kind], words: str, *, required: Collection[str] = ()) -> Kind:
    """A mapping with known members."""

    def misfit(value: object) -> Misfit | None:
        if not isinstance(value, dict):
            return _needed(words, value)
        for name in value:
            if name not in members:
                return Misfit(path=(name,), reason=f"there is no such option{nearest(name, members, '')}")
        for name in required:
            if name not in value:
                return Misfit(reason=f"{name} is missing: {members[name].words}")
        return next((its for name in value for its in _within([(name, value[name])], members[name])), None)

    schema = {
        "type": "object",
        "properties": {name: member.schema for name, member in members.items()},
        "required": [*required],
        "additionalProperties": False,
    }
    return Kind(words=words, schema=schema, misfit=misfit)


def either(*kinds: Kind) -> Kind:
    """A value of one of several kinds. Of a value that is of none, the fault by the nearest of them is told."""
    words = " or ".join(its.words for its in kinds)

    def misfit(value: object) -> Misfit | None:
        found = [its.misfit(value) for its in kinds]
        if None in found:
            return None
        return next((fault for fault in found if fault and not fault.alien), _needed(words, value))

    return Kind(words=words, schema={"anyOf": [its.schema for its in kinds]}, misfit=misfit)


def _within(items: Collection[tuple[str | int, object]] | Iterator[tuple[int, object]], item: Kind) -> Iterator[Misfit]:
    for key, value in items:
        fault = item.misfit(value)
        if fault is not None:
            yield Misfit(path=(key, *fault.path), reason=fault.reason)


_PIECE = either(TEXT, record({"base64": TEXT}, "a mapping with base64", required=("base64",)))


def _read_body(value: object) -> object:
    if isinstance(value, str):
        return value
    return [_bytes_of(piece) for piece in value] if isinstance(value, list) else _bytes_of(value)


def _bytes_of(piece: object) -> bytes:
    if isinstance(piece, str):
        return piece.encode()
    text = str(piece["base64"]) if isinstance(piece, dict) else ""
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        raise ScriptError(f"base64 of raw() is bytes in base64, not {text[:40]!r}") from None


def _write_body(value: object) -> object:
    if isinstance(value, bytes):
        return _written(value)
    return [_write_body(piece) for piece in value] if isinstance(value, list | tuple) else value


def _written(piece: bytes) -> object:
    try:
        return piece.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(piece).decode()}


_BODY = either(_PIECE, listed(_PIECE, "a list of these"))
BODY = Kind(words=_BODY.words, schema=_BODY.schema, misfit=_BODY.misfit, read=_read_body, write=_write_body)
"""The bytes of an answer: a text, base64, or a list of these."""

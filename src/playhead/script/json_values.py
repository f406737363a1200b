"""What a script is given, copied as JSON would carry it.

Law: pure. Whatever JSON cannot say is refused here, with the place where it stands: the SDK would never hand it out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from playhead.errors import ScriptError
from playhead.wire.codec import JsonObject, decode, encode, kind


def json_copy(value: Any, where: str) -> Any:
    """The value as JSON would carry it, so that a later change of the caller's changes no script.

    A mapping or sequence of any kind will do. Raises `ScriptError`, naming `where` and the place within.
    """
    if isinstance(value, Mapping):
        value = dict(value)
    elif isinstance(value, Sequence) and not isinstance(value, str | bytes):
        value = [*value]
    _require_json(value, where)
    return decode(encode(value))


def object_copy(value: Mapping[str, Any], where: str) -> JsonObject:
    """`json_copy` of a mapping. Raises `ScriptError`."""
    copy: JsonObject = json_copy(value, where)
    return copy


def _require_json(value: object, where: str, path: str = "") -> None:
    if isinstance(value, dict):
        for key, member in value.items():
            if not isinstance(key, str):
                raise ScriptError(f"{where} is no JSON: the key {key!r}{_at(path)} is {kind(key)}, not a string")
            _require_json(member, where, f"{path}.{key}")
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            _require_json(item, where, f"{path}[{index}]")
    elif isinstance(value, float) and not math.isfinite(value):
        raise ScriptError(f"{where} is no JSON: {value}{_at(path)} is no number in JSON")
    elif value is not None and not isinstance(value, str | int | float):
        raise ScriptError(f"{where} is no JSON: {value!r}{_at(path)} is {kind(value)}")


def _at(path: str) -> str:
    return f" at {path.removeprefix('.')}" if path else ""

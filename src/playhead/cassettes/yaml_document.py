"""YAML text to plain values, safely: strings, numbers, bytes, lists and dicts, whatever the tags ask for.

Law: knows YAML and nothing of recordings; runs no code, resolves no type, and has limits.

A tag never builds an object. `!!binary` and Ruby's `!binary` give bytes, any other unknown tag gives the plain value
under it: Python's `multidict.istr` header names so become the strings they were made from.
"""

from __future__ import annotations

import binascii
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import yaml

from playhead.cassettes.scalars import binary, resolve

MAX_DEPTH = 200
"""How deeply a document may be nested."""

MAX_ALIASED = 10_000_000
"""How much, in values and characters, a document's aliases may repeat (a billion laughs repeat far more)."""


class YamlError(ValueError):
    """The text is no YAML, or goes beyond the limits. `line` counts from 1."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.line = line


class _Events(Protocol):
    def get_event(self) -> Any: ...

    def dispose(self) -> None: ...


def parse(data: bytes, *, unique: bool = False) -> list[object]:
    """The documents of a YAML text; with `unique`, a key that stands twice is an error. Raises `YamlError`."""
    loader: Callable[[bytes], _Events] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    builder = _Builder(unique=unique)
    try:
        events = loader(data)
        next_event, last = events.get_event, yaml.StreamEndEvent
        while (kind := type(event := next_event())) is not last:
            _HANDLERS[kind](builder, event)
        events.dispose()
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise YamlError(f"this is no YAML: {_sentence(error.problem, error.context)}", line) from None
    except yaml.reader.ReaderError as error:
        line = data.count(b"\n", 0, error.position) + 1
        raise YamlError(f"this is no YAML: {error.reason} (0x{error.character:02x})", line) from None
    except (yaml.YAMLError, ValueError) as error:
        if isinstance(error, YamlError):
            raise
        raise YamlError(f"this is no YAML: {_sentence(str(error), None)}") from None
    return builder.documents


def _sentence(problem: str | None, context: str | None) -> str:
    return " ".join(" ".join(part for part in (context, problem) if part).split()) or "it cannot be parsed"


class _Builder:
    """Makes values of parser events, with a stack of its own: nesting costs no recursion.

    An open mapping collects its keys and values in one list, as a sequence its items. A cassette has a hundred scalars
    for anything else, so what is done for each of them is done with as few steps as possible.
    """

    def __init__(self, *, unique: bool = False) -> None:
        self.documents: list[object] = []
        self._unique = unique
        self._items = self.documents
        self._in_mapping = False
        self._open: list[tuple[list[object], bool, Any]] = []
        self._anchors: dict[str, object] = {}
        self._weights: dict[int, int] = {}
        self._aliased = 0

    def skip(self, event: Any) -> None:
        """An event that carries no value."""

    def document(self, event: Any) -> None:
        self._anchors = {}

    def scalar(self, event: Any) -> None:
        tag, items = event.tag, self._items
        is_key = self._in_mapping and not len(items) & 1
        value: object = event.value
        if tag is not None:
            value = _TAGGED.get(tag, _as_text)(event.value, event)
            if is_key and not isinstance(value, str):
                value = str(value)
        elif not is_key and event.implicit[0]:
            value = resolve(event.value)
        if event.anchor is not None:
            self._anchors[event.anchor] = value
        items.append(value)

    def alias(self, event: Any) -> None:
        name = event.anchor
        if name not in self._anchors:
            raise YamlError(f"the alias *{name} stands before the end of its anchor", _line(event))
        self._aliased += _weight(self._anchors[name], self._weights)
        if self._aliased > MAX_ALIASED:
            raise YamlError("its aliases repeat too much to be read safely", _line(event))
        self._add(self._anchors[name], None, event)

    def begin(self, event: Any) -> None:
        if len(self._open) >= MAX_DEPTH:
            raise YamlError(f"it is nested more than {MAX_DEPTH} deep", _line(event))
        self._open.append((self._items, self._in_mapping, event))
        self._items, self._in_mapping = [], type(event) is yaml.MappingStartEvent

    def end(self, event: Any) -> None:
        value: object = self._items
        if self._in_mapping:
            pairs = iter(self._items)
            value = made = dict(zip(pairs, pairs, strict=True))
            if self._unique and 2 * len(made) < len(self._items):
                raise YamlError(
                    f"the key {_twice(self._items[::2])!r} stands twice in what begins here", _line(self._open[-1][2])
                )
        self._items, self._in_mapping, start = self._open.pop()
        self._add(_untagged(start.tag, value) if start.tag is not None else value, start.anchor, event)

    def _add(self, value: object, anchor: str | None, event: Any) -> None:
        if anchor is not None:
            self._anchors[anchor] = value
        if self._in_mapping and not len(self._items) & 1:
            value = _key(value, event)
        self._items.append(value)


def _twice(keys: list[object]) -> object:
    return next(key for place, key in enumerate(keys) if key in keys[:place])


def _weight(value: object, known: dict[int, int]) -> int:
    """How much there is in a value, in values and characters. `known` are the weights of lists and mappings by id."""
    if id(value) in known:
        return known[id(value)]
    weight, open_values = 0, [value]
    for one in open_values:
        weight += 1
        if isinstance(one, str | bytes):
            weight += len(one)
        elif id(one) in known:
            weight += known[id(one)]
        elif isinstance(one, list):
            open_values += one
        elif isinstance(one, dict):
            open_values += one.values()
            weight += sum(map(len, one))
    if isinstance(value, list | dict):
        known[id(value)] = weight
    return weight


def _key(value: object, event: Any) -> object:
    if isinstance(value, list | dict):
        raise YamlError("a list or a mapping cannot be a key here", _line(event))
    return value if isinstance(value, str) else str(value)


def _untagged(tag: str | None, value: object) -> object:
    """A tagged collection: `!!python/object/apply:...istr [Accept]` is its text, others are what they hold."""
    if tag is not None and tag.startswith("tag:yaml.org,2002:python/") and isinstance(value, list) and len(value) == 1:
        return value[0]
    return value


def _binary(text: str, event: Any) -> object:
    try:
        return binary(text)
    except (binascii.Error, ValueError) as error:
        raise YamlError(f"a !!binary value is no base64: {error}", _line(event)) from None


def _as_text(text: str, event: Any) -> object:
    return text


def _resolved(text: str, event: Any) -> object:
    return resolve(text)


_TAG = "tag:yaml.org,2002:"
_TAGGED: Mapping[str, Callable[[str, Any], object]] = {
    _TAG + "binary": _binary,
    "!binary": _binary,
    _TAG + "python/bytes": _binary,
    **{_TAG + name: _resolved for name in ("int", "float", "bool", "null")},
}

_HANDLERS: Mapping[type, Callable[[_Builder, Any], None]] = {
    yaml.StreamStartEvent: _Builder.skip,
    yaml.DocumentStartEvent: _Builder.document,
    yaml.DocumentEndEvent: _Builder.skip,
    yaml.ScalarEvent: _Builder.scalar,
    yaml.AliasEvent: _Builder.alias,
    yaml.SequenceStartEvent: _Builder.begin,
    yaml.SequenceEndEvent: _Builder.end,
    yaml.MappingStartEvent: _Builder.begin,
    yaml.MappingEndEvent: _Builder.end,
}


def _line(event: Any) -> int | None:
    mark = event.start_mark
    return mark.line + 1 if mark is not None else None

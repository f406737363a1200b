"""Steps as the Python that makes them: for reports, cut to a line, or whole, to be pasted into a test.

Law: pure; knows values and calls, not what any step means.
"""

from __future__ import annotations

import keyword
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, Protocol, runtime_checkable

from playhead.wire.codec import encode_text

_LONGEST_TEXT = 48
_LONGEST_CALL = 62
_ELLIPSIS = "…"


@runtime_checkable
class Sourced(Protocol):
    """A value that knows the call which makes it."""

    def source(self, *, short: bool = False) -> str:
        """The call as Python; with `short` on one line of bounded length, in which something may be left out."""


class Made(NamedTuple):
    """The call that made a step: a function of ours, its arguments by position, those by name."""

    function: str
    arguments: tuple[object, ...] = ()
    options: Mapping[str, object] = MappingProxyType({})

    def source(self, *, short: bool = False) -> str:
        """The call as Python."""
        parts = [*_arguments(self.arguments, self.options, short=short)]
        return f"{self.function}({_joined(parts, self.function, short=short)})"


def _arguments(arguments: Sequence[object], options: Mapping[str, object], *, short: bool) -> Iterator[str]:
    for value in arguments:
        yield literal(value, short=short)
    for name, value in options.items():
        yield f"{name}={literal(value, short=short)}"


def _joined(parts: Sequence[str], function: str, *, short: bool) -> str:
    """As many of the arguments as have room in a line; steps within steps are short themselves."""
    whole = ", ".join(parts)
    if not short or len(function) + len(whole) + 2 <= _LONGEST_CALL or function == "turn":
        return whole
    room = _LONGEST_CALL - len(function) - 4
    kept: list[str] = []
    for part in parts:
        room -= len(part) + 2
        if room < 0:
            break
        kept.append(part)
    return ", ".join([*kept, _ELLIPSIS])


def literal(value: object, *, short: bool = False) -> str:
    """A JSON value, or a step, as Python writes it."""
    if isinstance(value, Sourced):
        return value.source(short=short)
    if isinstance(value, str):
        return _text(value, short=short)
    if isinstance(value, Mapping):
        items = (f"{_text(str(key), short=False)}: {literal(item, short=short)}" for key, item in value.items())
        return _cut(f"{{{', '.join(items)}}}", short=short)
    if isinstance(value, list | tuple):
        return _cut(f"[{', '.join(literal(item, short=short) for item in value)}]", short=short)
    return repr(value)


def _text(value: str, *, short: bool) -> str:
    if short and len(value) > _LONGEST_TEXT:
        value = value[: _LONGEST_TEXT - 1] + _ELLIPSIS
    return encode_text(value)  # JSON's escapes are Python's too


def _cut(text: str, *, short: bool) -> str:
    return text[: _LONGEST_TEXT - 2] + _ELLIPSIS + text[-1] if short and len(text) > _LONGEST_TEXT else text


def by_name(values: Mapping[str, object]) -> bool:
    """Whether these can be given as keywords: Python normalises names that are not ASCII, and refuses `__debug__`."""
    return all(map(_is_name, values))


def _is_name(word: str) -> bool:
    return word.isascii() and word.isidentifier() and not keyword.iskeyword(word) and word != "__debug__"

"""How a client writes JSON, so that a body kept as data can be given back to the byte.

Law: pure; knows texts and values, nothing of messages.

Clients differ in blanks, in what they escape and in how they write numbers. A value that no style gives back, `1E5` or
a key that stands twice, is kept as its text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from playhead.wire.codec import JsonError, decode

Encode = Callable[[object], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """A way to write JSON: `comma` and `colon` are what stands between values, `encode` writes one."""

    name: str
    comma: str
    colon: str
    encode: Encode


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _compact_ascii(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def _spaced(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _spaced_ascii(value: object) -> str:
    return json.dumps(value)


def _go(value: object) -> str:
    """Go's encoder escapes what a web page could mistake for markup, and U+2028 and U+2029."""
    text = _compact(value)
    for char, escaped in _GO_ESCAPES.items():
        text = text.replace(char, escaped)
    return text


_GO_ESCAPES: Mapping[str, str] = {char: f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}

_STYLES = (
    Style(name="compact", comma=",", colon=":", encode=_compact),
    Style(name="compact-ascii", comma=",", colon=":", encode=_compact_ascii),
    Style(name="spaced", comma=", ", colon=": ", encode=_spaced),
    Style(name="spaced-ascii", comma=", ", colon=": ", encode=_spaced_ascii),
    Style(name="go", comma=",", colon=":", encode=_go),
)

STYLES: Mapping[str, Style] = {style.name: style for style in _STYLES}
"""Every style by its name; the first is what the Python and TypeScript SDKs write."""

COMPACT = _STYLES[0]


@dataclass(frozen=True, slots=True)
class Kept:
    """A JSON value as it is kept: with its `text` where its style does not give that back."""

    value: object
    text: str | None = None

    def written(self, style: Style) -> str:
        """The JSON text."""
        return style.encode(self.value) if self.text is None else self.text


def keep(text: str, style: Style) -> Kept:
    """A value read from its text. Raises `JsonError`."""
    value = decode(text)
    return Kept(value) if _gives(style, value, text) else Kept(value, text)


def _gives(style: Style, value: object, text: str) -> bool:
    try:
        return style.encode(value) == text
    except (ValueError, RecursionError):
        return False


def style_of(texts: list[str]) -> Style:
    """The style that gives back most of these texts; the first of equals. Raises `JsonError`."""
    values = [(decode(text), text) for text in texts]
    return max(_STYLES, key=lambda style: sum(len(text) for value, text in values if _gives(style, value, text)))


def is_json(text: str) -> bool:
    """Whether a text is JSON."""
    try:
        decode(text)
    except JsonError:
        return False
    return True

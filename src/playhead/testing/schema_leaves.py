"""Hypothesis strategies for the values of a schema that hold no others: numbers, strings, booleans, null.

Law: imports hypothesis; one function per type, each with one way to draw what is plain and one table of what loops are
known to spoil. The smallest value is "", 0 or false, as far as the schema allows it.
"""

from __future__ import annotations

import contextlib
import math
import re
import sys
from collections.abc import Callable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Any, NamedTuple

from hypothesis import strategies as st

from playhead.errors import SetupError
from playhead.testing.schema_merging import Impossible
from playhead.wire.codec import Json, JsonObject

Strategy = st.SearchStrategy[Any]
Fits = Callable[[object], bool]
"""Whether a value is one that the schema takes."""

CHARACTERS = st.characters(exclude_categories=["Cs"])
_MORE_CHARACTERS = 20  # than there must be
_WIDE = 2**53

TELLING: Mapping[str, tuple[Json, ...]] = MappingProxyType(
    {
        "null": (None,),
        "boolean": (False, True),
        "integer": (0, 2**53 + 1, -(2**53) - 1, 10**24 + 1, -(10**24) - 1, 2**63, 2**64, -1),
        "number": (0, 3.0, 1e22, -0.0, 2**53 + 1, -(2**53) - 1, 10**24 + 1, 2**63, 0.1, 5e-324, 1.5e300),
        "string": (
            *("", " padded ", "é", "e\u0301", "👩‍👩‍👧", "\u2028", "\x00", "\\", '"', "\\u0041", "a\r\nb"),
            *('{"a": 1}', "[1]", "null", "true", "007", "1e3", "3.0", " ", "</input>", "\ufeff"),
        ),
        "array": ([], [None], [[]], [{}], [[None], {"a": None}], [3.0, 2**53 + 1]),
        "object": ({}, {"": None}, {"a": {}}, {"a": {"b": None}}, {"a": [None, []]}, {"é": " "}, {"a b": 3.0}),
    }
)
"""Values that loops are known to spoil, by type; the first is the simplest."""


def leaf(kind: str, schema: JsonObject, place: str, fits: Fits | None) -> Strategy:
    """Values of one type; with `fits`, the telling ones that fit. Raises `Impossible` where there is none."""
    try:
        plain = _PLAIN[kind](schema, place)
    except (ValueError, OverflowError) as error:
        raise SetupError(f"a bound at ${place} is no number that JSON has: {error}") from None
    if fits is None or kind in ("null", "boolean") or "format" in schema:
        return plain
    simplest = _simplest(kind, schema)
    found = [value for value in (*simplest, *TELLING[kind]) if fits(value)]
    if not found:
        return plain
    # few would be drawn over and over
    return st.sampled_from(found) if len(found) > len(TELLING[kind]) // 2 else plain | st.sampled_from(found)


def _simplest(kind: str, schema: JsonObject) -> tuple[Json, ...]:
    """What is nearest to "" or 0, where they are not allowed themselves."""
    if kind == "string":
        return ("0" * least,) if 0 < (least := schema.get("minLength", 0)) < 1000 else ()
    bounds = _bounds(schema, exact)
    if bounds.low is not None and bounds.low > 0:
        return (bounds.least(Fraction(1)),)
    return (bounds.most(Fraction(1)),) if bounds.high is not None and bounds.high < 0 else ()


class _Bounds(NamedTuple):
    """Between which numbers a value lies, and whether it may be the bound itself."""

    low: Fraction | None
    low_open: bool
    high: Fraction | None
    high_open: bool

    def least(self, step: Fraction) -> int | None:
        """The smallest factor of `step` within the bounds."""
        if self.low is None:
            return None
        factor = math.ceil(self.low / step)
        return factor + (self.low_open and factor * step == self.low)

    def most(self, step: Fraction) -> int | None:
        """The greatest."""
        if self.high is None:
            return None
        factor = math.floor(self.high / step)
        return factor - (self.high_open and factor * step == self.high)


def _bounds(schema: JsonObject, read: Callable[[Any], Fraction]) -> _Bounds:
    lows = [
        (read(schema[name]), name == "exclusiveMinimum") for name in ("minimum", "exclusiveMinimum") if name in schema
    ]
    highs = [
        (read(schema[name]), name != "exclusiveMaximum") for name in ("maximum", "exclusiveMaximum") if name in schema
    ]
    low, low_open = max(lows, default=(None, False))
    high, high_closed = min(highs, default=(None, True))
    return _Bounds(low, low_open, high, not high_closed)


def exact(number: float) -> Fraction:
    """The number as it is written: 0.1 is a tenth, which no float is."""
    return Fraction(repr(number))


def _factors(bounds: _Bounds, step: Fraction, place: str) -> st.SearchStrategy[int]:
    """Factors of `step` that stay within the bounds; the smallest is the nearest to 0."""
    least, most = bounds.least(step), bounds.most(step)
    if least is None:
        least = min(0, _WIDE if most is None else most) - _WIDE
    if most is None:
        most = max(0, least) + _WIDE
    if least > most:
        raise Impossible(place, f"no {'integer' if step == 1 else f'multiple of {step}'} lies within its bounds")
    return st.integers(least, most)


def _integers(schema: JsonObject, place: str) -> Strategy:
    step = exact(schema.get("multipleOf", 1)).numerator
    factors = _factors(_bounds(schema, exact), Fraction(step), place)
    return factors if step == 1 else factors.map(lambda factor: factor * step)


def _numbers(schema: JsonObject, place: str) -> Strategy:
    if "multipleOf" in schema:
        step = exact(schema["multipleOf"])
        return _factors(_bounds(schema, exact), step, place).map(lambda factor: _plainest(step * factor))
    bounds = _bounds(schema, Fraction)
    least = _float_from(bounds.low, math.inf, bounds.low_open)
    most = _float_from(bounds.high, -math.inf, bounds.high_open)
    found: list[Strategy] = []
    with contextlib.suppress(Impossible):
        found.append(_factors(bounds, Fraction(1), place))
    if least <= most:
        found.append(st.floats(least, most, allow_nan=False, allow_infinity=False))
    if not found:
        raise Impossible(place, "no number lies within its bounds")
    return st.one_of(found)


def _plainest(number: Fraction) -> int | float:
    return number.numerator if number.denominator == 1 else float(number)


def _float_from(bound: Fraction | None, inwards: float, beyond: bool) -> float:
    """The first float from a bound on, in the direction given."""
    if bound is None:
        return -math.copysign(sys.float_info.max, inwards)
    try:
        value = float(bound)
    except OverflowError:
        value = sys.float_info.max if bound > 0 else -sys.float_info.max
    outside = Fraction(value) < bound if inwards > 0 else Fraction(value) > bound
    return math.nextafter(value, inwards) if outside or (beyond and Fraction(value) == bound) else value


def _strings(schema: JsonObject, place: str) -> Strategy:
    least = math.ceil(schema.get("minLength", 0))
    most = math.floor(schema.get("maxLength", least + _MORE_CHARACTERS))
    if least > most:
        raise Impossible(place, f"minLength {least} is above maxLength {most}")
    known = FORMATS.get(schema.get("format", ""))
    if "pattern" in schema:
        found: Strategy = _matching(schema["pattern"], place)
    elif known is not None:
        found = known
    else:
        return st.text(CHARACTERS, min_size=least, max_size=min(most, least + _MORE_CHARACTERS))
    bounded = {"minLength", "maxLength"} & schema.keys()
    return found.filter(lambda text: least <= len(text) <= schema.get("maxLength", len(text))) if bounded else found


def _matching(pattern: str, place: str) -> st.SearchStrategy[str]:
    """Texts that the pattern finds, without more around them than it asks for."""
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise SetupError(
            f"the pattern {pattern!r} at ${place} is no regular expression that Python knows ({error}); "
            "inputs cannot be drawn for it, so write it with what Python and JavaScript share"
        ) from None
    # an anchor at the end would also be drawn as a line break, and most of what is drawn be thrown away
    inner = _END.sub("", pattern.removeprefix("^"))
    return st.from_regex(inner, fullmatch=True, alphabet=CHARACTERS).filter(compiled.search)


_END = re.compile(r"(?<!\\)\$\Z")


_EXAMPLE = "example.com example.org sub.example.net".split()

FORMATS: Mapping[str, Strategy] = MappingProxyType(
    {
        "date": st.dates().map(lambda day: day.isoformat()),
        "time": st.times().map(lambda time: f"{time.isoformat()}Z"),
        "date-time": st.datetimes().map(lambda moment: f"{moment.isoformat()}Z"),
        "duration": st.integers(0, 10**4).map(lambda count: f"P{count}D"),
        "email": st.builds(
            lambda number, name, host: f"{name}{number or ''}@{host}",
            st.integers(0, 99),
            st.sampled_from(("a", "jo.doe", "jo+tag", "o'neil", "a-b_c")),
            st.sampled_from(_EXAMPLE),
        ),
        "hostname": st.sampled_from(_EXAMPLE),
        "uri": st.builds(
            lambda host, path: f"https://{host}{path}",
            st.sampled_from(_EXAMPLE),
            st.sampled_from(("", "/", "/a%20b", "/a?b=c&d=%C3%A9", "/a#b", ":8080/a/../b")),
        ),
        "uuid": st.uuids().map(str),
        "ipv4": st.ip_addresses(v=4).map(str),
        "ipv6": st.ip_addresses(v=6).map(str),
        "regex": st.sampled_from(("", "a", "^[a-z]+$", "(a|b)*")),
        "json-pointer": st.sampled_from(("", "/a", "/a/0", "/a~1b")),
    }
)
"""Strings of the formats that tools use; any other format says nothing."""

_PLAIN: Mapping[str, Callable[[JsonObject, str], Strategy]] = MappingProxyType(
    {
        "null": lambda schema, place: st.none(),
        "boolean": lambda schema, place: st.booleans(),
        "integer": _integers,
        "number": _numbers,
        "string": _strings,
    }
)

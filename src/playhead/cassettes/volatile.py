"""What may change from run to run without meaning anything: rules by name, by place, by pattern or by function.

Law: pure; knows texts and places in a JSON value, nothing of recordings. A rule makes two values alike that differ only
in what it looks past.

Only what never carries meaning is looked past without being asked (`usual`): a date that has changed is just what a
test wants to hear of.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import EllipsisType, MappingProxyType
from typing import TypeAlias

from playhead.errors import SetupError
from playhead.wire.codec import Json

VolatileLike: TypeAlias = str | re.Pattern[str] | Callable[[str], str]
"""A rule's name, a place (`"$.system"`), a pattern (`re.compile(...)`, or `"/.../"`), or a function of texts."""

Place: TypeAlias = tuple["str | int | EllipsisType", ...]
"""The steps to a place: a member's name, an item's position, `"*"` for any of either, `...` for any depth."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Volatile:
    """One rule. `text` makes texts alike; `place` is left out altogether.

    `likely` is what a difference of this kind comes from, and what to do about it. `usual` rules are always on.
    """

    name: str
    about: str = ""
    likely: str = ""
    text: Callable[[str], str] | None = None
    place: Place | None = None
    usual: bool = False


def _masked(pattern: str, mark: str, flags: re.RegexFlag = re.NOFLAG) -> Callable[[str], str]:
    compiled = re.compile(pattern, flags | re.VERBOSE)
    return lambda text: compiled.sub(mark, text)


_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?"
    r"|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_WEEKDAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)"
_TIME = r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:\s?[ap]\.?m\b\.?)?(?:\s?(?:z|utc|gmt|[+-]\d{2}:?\d{2})(?!\w))?"
_DAY = rf"""(?:
    \d{{4}}-\d{{2}}-\d{{2}} | \d{{4}}/\d{{1,2}}/\d{{1,2}} | \d{{1,2}}[./]\d{{1,2}}[./]\d{{4}}
  | \d{{1,2}}(?:st|nd|rd|th|\.)?\s(?:of\s)?{_MONTH},?\s\d{{4}}
  | {_MONTH}\s\d{{1,2}}(?:st|nd|rd|th)?,?\s\d{{4}}
  | {_MONTH}\s\d{{4}}
)"""
_DATES = rf"""
    (?<![\w.]) (?:{_WEEKDAY}(?:day)?,?\s+)? {_DAY} (?:(?:t|,?\s+(?:at\s+)?){_TIME})? (?!\w)
  | (?<![\w:.]) {_TIME} (?![\w:])
  | (?<!\w) {_WEEKDAY}day (?!\w)
  | (?<![\w.-]) 1[5-9]\d{{8}}(?:\d{{3}})?(?:\.\d+)? (?![\w-])
"""
_IDS = r"""
    (?<![0-9a-fA-F]) [0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12} (?![0-9a-fA-F])
  | (?<![0-9a-fA-F]) [0-9a-f]{32} (?![0-9a-fA-F])
  | (?<![0-9A-Za-z]) 01[0-9A-HJKMNP-TV-Z]{24} (?![0-9A-Za-z])
  | (?<![0-9A-Za-z]) (?:toolu|srvtoolu|mcptoolu|msg|req)_[0-9A-Za-z]+
"""
_PATHS = r"""
    (?<![\w.:/~<-]) (?:file://|~)? (?:/[\w.@+=~-]+)+ /?
  | (?<![A-Za-z]) [A-Za-z]:(?:\\{1,2}[^\\\s"'<>|:*?]+)+ \\{0,2}
"""
_PORTS = r"(?<![\w.]) (localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]) :\d+"
_DURATIONS = r"(?<![\w.]) \d+(?:\.\d+)?\s?(?:ns|µs|us|ms|s|secs?|seconds?|mins?|minutes?|hours?) (?!\w)"

_RULES = (
    Volatile(
        name="metadata",
        about="the request's `metadata`, which says for whom it is made",
        place=("metadata",),
        usual=True,
    ),
    Volatile(
        # what it does to texts is masking.py's: it looks at values whole, and knows the client's key
        name="secrets",
        about="secrets of the same form: the recording holds placeholders",
        usual=True,
    ),
    Volatile(
        name="dates",
        about="dates, weekdays, times of day and Unix times",
        likely="the clock: freeze it (fixture claude_clock)",
        text=_masked(_DATES, "<date>", re.IGNORECASE),
    ),
    Volatile(
        name="ids",
        about="UUIDs, ULIDs, and ids that the API makes",
        likely="an id that is made anew each time",
        text=_masked(_IDS, "<id>"),
    ),
    Volatile(
        name="cwd",
        about="absolute paths, the working directory say",
        likely="a path of the machine, the working directory say",
        text=_masked(_PATHS, "<path>"),
    ),
    Volatile(
        name="ports",
        about="ports of this machine",
        likely="a port that is free by chance",
        text=_masked(_PORTS, r"\1:<port>"),
    ),
    Volatile(
        name="durations",
        about="how long something took",
        likely="how long something took",
        text=_masked(_DURATIONS, "<duration>"),
    ),
    Volatile(
        name="addresses",
        about="places in memory, such as Python shows them",
        likely="a place in memory: the text shows an object's address",
        text=_masked(r"\b0x[0-9a-fA-F]{6,16}\b", "<address>"),
    ),
)

VOLATILE: Mapping[str, Volatile] = MappingProxyType({rule.name: rule for rule in _RULES})
"""Every rule that has a name."""


def volatile_table() -> str:
    """The rules as a table in Markdown, for the documentation."""
    rows = [("name", "looks past"), ("---", "---")]
    rows += [(f"`{rule.name}`", rule.about + (" (always on)" if rule.usual else "")) for rule in _RULES]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def chosen(given: VolatileLike | Iterable[VolatileLike] = ()) -> tuple[Volatile, ...]:
    """The usual rules and those asked for. Raises `SetupError` for what is none."""
    wanted = [given] if isinstance(given, str | re.Pattern) or callable(given) else [*given]
    rules = [_rule(one) for one in wanted]
    names = {rule.name for rule in rules}
    known = [rule for rule in _RULES if rule.usual or rule.name in names]
    return (*known, *(rule for rule in rules if rule.name not in VOLATILE))


def _rule(given: object) -> Volatile:
    if isinstance(given, re.Pattern) and isinstance(given.pattern, str):
        return Volatile(name=f"/{given.pattern}/", text=lambda text: given.sub("<…>", text))
    if callable(given):
        return Volatile(name=getattr(given, "__name__", "a function"), text=_checked(given))
    if not isinstance(given, str):
        raise SetupError(f"a volatile rule is a name, a place, a pattern or a function str -> str, not {given!r}")
    if given in VOLATILE:
        return VOLATILE[given]
    if given.startswith("$"):
        return Volatile(name=given, place=parse_place(given))
    if len(given) > 2 and given.startswith("/") and given.endswith("/"):
        try:
            return _rule(re.compile(given[1:-1]))
        except re.error as error:
            raise SetupError(f"the volatile pattern {given} is no regular expression: {error}") from None
    raise SetupError(
        f"there is no volatile rule {given!r}: it is one of {', '.join(VOLATILE)}, a place such as '$.system', "
        "a pattern such as '/build \\d+/', or a function str -> str"
    )


def _checked(function: Callable[[str], object]) -> Callable[[str], str]:
    """The function; what it raises or gives wrong is the test's fault, and says so."""
    name = getattr(function, "__name__", repr(function))

    def apply(text: str) -> str:
        try:
            made = function(text)
        except Exception as error:
            raise SetupError(f"the volatile function {name} raised {type(error).__name__}: {error}") from error
        if not isinstance(made, str):
            raise SetupError(f"the volatile function {name} gave {made!r}, and not a text")
        return made

    return apply


_STEP = re.compile(r"(\.\.)?(?:\.?(\*|[\w-]+)|\[(\d+|\*)\])|\[(\"[^\"]+\"|'[^']+')\]")


def parse_place(text: str) -> Place:
    """The steps of a place such as `$.messages[0].content`, `$.tools[*].description` or `$..created`.

    Raises `SetupError`.
    """
    steps: list[str | int | EllipsisType] = []
    at = 1
    while at < len(text):
        match = _STEP.match(text, at)
        if match is None or (match.group(2) and not match.group(1) and text[at] != "."):
            raise SetupError(f"the volatile place {text!r} cannot be read from {text[at:]!r} on")
        deep, name, index, quoted = match.groups()
        if deep:
            steps.append(...)
        if index is not None:
            steps.append(index if index == "*" else int(index))
        else:
            steps.append(name or quoted[1:-1])
        at = match.end()
    if not steps:
        raise SetupError("the volatile place '$' is the whole request: name what of it is volatile")
    return tuple(steps)


def below(places: Sequence[Place], key: str | int) -> tuple[Place, ...]:
    """What is left of each place after the step to a member or an item; those that do not lead there are gone."""
    left: list[Place] = []
    for place in places:
        if place[0] is ...:
            left.append(place)
            place = place[1:]
        if place[0] == "*" or place[0] == key:
            left.append(place[1:])
    return tuple(left)


def without(value: Json, places: Sequence[Place]) -> Json:
    """The value without what stands in these places: a member is gone, an item is null so that others keep theirs."""
    if not places:
        return value
    if isinstance(value, dict):
        rest = {name: below(places, name) for name in value}
        return {name: without(member, rest[name]) for name, member in value.items() if () not in rest[name]}
    if isinstance(value, list):
        items = [(item, below(places, at)) for at, item in enumerate(value)]
        return [None if () in left else without(item, left) for item, left in items]
    return value


def alike(value: Json, texts: Sequence[Callable[[str], str]]) -> Json:
    """The value with these functions applied to every text in it; names of members stay."""
    if not texts:
        return value
    if isinstance(value, str):
        for function in texts:
            value = function(value)
        return value
    if isinstance(value, dict):
        # an image's bytes say nothing that a rule of texts could know, and are long
        kept = "data" if value.get("type") == "base64" else None
        return {name: member if name == kept else alike(member, texts) for name, member in value.items()}
    if isinstance(value, list):
        return [alike(item, texts) for item in value]
    return value

"""A recorded HTTP call before anybody has looked at it, and the shape of a document that holds such calls.

Law: plain values, and how a format's reader takes a document apart; no format and nothing of Claude is known here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from playhead.wire.codec import kind

NO_HEADERS: Mapping[str, str] = MappingProxyType({})


class Unreadable(ValueError):
    """A part of a recording is not what its format says. `place` names it: `interactions[3].request`."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(reason)
        self.place, self.reason = place, reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """A body that stands in a file beside the recording, under `name` in its folder.

    With `root`, the name is relative to the folder that holds the nearest folder called so around the recording.
    """

    name: str
    root: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One HTTP call as it was recorded.

    `url` may be whole or only a path. Header names are in lower case; `request_headers` is None where the recording
    does not tell them. A body is None (not recorded), text, bytes, a JSON value, or `Beside` the recording. `place`
    names the call in its file.
    """

    method: str = "POST"
    url: str = ""
    request_headers: Mapping[str, str] | None = None
    request_body: object = None
    status: int | None = None
    response_headers: Mapping[str, str] = field(default_factory=lambda: NO_HEADERS)
    response_body: object = None
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A format whose files are one JSON or YAML document.

    `about` says in a few words what it is, `tells` what is known of a request. `fits` looks at the outermost members
    only and says whether the document is of this format; `calls` takes it apart, and raises `Unreadable` where it is
    not what it should be.
    """

    name: str
    about: str
    fits: Callable[[object], bool]
    calls: Callable[[object], Iterator[Call]]
    tells: str = "all of it"


def members(value: object, place: str) -> dict[str, object]:
    """The value, which must be an object; None counts as an empty one."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise Unreadable(place, f"an object is needed, this is {kind(value)}")
    return value


def items(value: object, place: str) -> Iterator[tuple[str, object]]:
    """The items of the value, which must be an array, each with its place; None counts as an empty one."""
    if value is None:
        return
    if not isinstance(value, list):
        raise Unreadable(place, f"an array is needed, this is {kind(value)}")
    for index, item in enumerate(value):
        yield f"{place}[{index}]", item


def text(value: object, default: str = "") -> str:
    """The value as text: bytes are decoded, None is the default."""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return default if value is None else str(value)


def status_code(value: object) -> int | None:
    """An HTTP status from `200`, `"200"`, `"200 OK"` or `{"code": 200}`; None where it is none of these."""
    if isinstance(value, dict):
        value = value.get("code")
    if isinstance(value, str):
        digits = value[:3]
        value = int(digits) if digits.isascii() and digits.isdigit() else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def headers(value: object, place: str) -> dict[str, str]:
    """Headers with lower-case names from `{name: value}`, `{name: [values]}` or `[{"name", "value"}]`."""
    if isinstance(value, list):
        pairs = [members(item, where) for where, item in items(value, place)]
        return {text(pair.get("name")).lower(): text(pair.get("value")) for pair in pairs}
    found: dict[str, str] = {}
    for name, given in members(value, place).items():
        if isinstance(given, list):
            # nearly all have one value
            given = given[0] if len(given) == 1 else ", ".join(map(text, given))
        found[str(name).lower()] = given if isinstance(given, str) else text(given)
    return found

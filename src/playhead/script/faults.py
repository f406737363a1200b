"""The steps of a script that go wrong, and the way in which a reply travels.

Law: frozen values and the functions that make them, checked when made. What becomes of them as bytes is the engine's.

Sources: error types and statuses of platform.claude.com/docs/en/api/errors; rate-limit headers of
platform.claude.com/docs/en/api/rate-limits; `retry-after-ms` and `x-should-retry` as the SDK reads them
(anthropic 2.14.0, `_base_client.py`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal, TypeAlias

from playhead.errors import ScriptError
from playhead.script.source import Made
from playhead.script.steps import Block, Reply, Step, Turn, Written, as_turn
from playhead.wire.codec import JsonObject, kind
from playhead.wire.damage import DAMAGES, EVENT_STREAM, JSON
from playhead.wire.tables import ERROR_STATUS

Ending = Literal["reset", "close", "timeout", "end", "error"]
"""How a cut answer stops: the connection is reset, or closed before its time; nothing more comes until the client's
timeout; the answer ends as if it were whole; or an `error` event comes."""

Connection = Literal["connect", "read", "write", "timeout", "connect_timeout", "write_timeout", "close"]
"""What goes wrong with a connection before any answer: it cannot be made, breaks while the answer is awaited or the
request is sent, nothing comes in time (to read, to connect, to write), or the server closes it."""

Chunks: TypeAlias = "Literal['whole', 'event', 'byte'] | int | tuple[int, ...]"
"""How a body is cut into writes: not at all, after each event, after each byte or so many bytes, or at offsets."""

_ENDINGS = ("reset", "close", "timeout", "end", "error")
_CONNECTIONS = ("connect", "read", "write", "timeout", "connect_timeout", "write_timeout", "close")
NEWLINES = ("\n", "\r\n", "\r")
_SHORT = 40
_WAIT = "retry-after-ms"


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """How a reply travels. Raises `ScriptError`.

    `pieces` is the number of characters in each delta of a stream: 0 for all in one, None for a few deltas of each
    text. `chunks` cuts the body into writes. `delay` is the time in seconds before the answer begins, `pace` the time
    before each further write; the client's timeout is kept to, and no real time is spent unless the fake has a
    `sleep`. `newline` ends the lines of a stream. `headers` are added to the answer's.
    """

    pieces: int | None = None
    chunks: Chunks = "whole"
    delay: float = 0.0
    pace: float = 0.0
    newline: str = "\n"
    headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def __post_init__(self) -> None:
        if self.pieces is not None and not _is_count(self.pieces):
            raise ScriptError(f"pieces is a number of characters, or None, not {self.pieces!r}")
        object.__setattr__(self, "chunks", _chunks(self.chunks))
        for name in ("delay", "pace"):
            seconds = getattr(self, name)
            if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 <= seconds < math.inf:
                raise ScriptError(f"{name} is a time in seconds, 0 or more, not {seconds!r}")
        if self.newline not in NEWLINES:
            raise ScriptError(f"newline is one of {', '.join(map(repr, NEWLINES))}, not {self.newline!r}")
        object.__setattr__(self, "headers", _headers(self.headers, "headers of deliver()"))

    @property
    def at_once(self) -> bool:
        """Whether what is no stream leaves at once, whole and with nothing added."""
        return self.chunks == "whole" and not (self.delay or self.pace or self.headers)

    @property
    def options(self) -> Mapping[str, object]:
        """What is said, by name."""
        told = {name: _plain(getattr(self, name)) for name in _USUAL}
        return {name: value for name, value in told.items() if value != _USUAL[name]}

    def __str__(self) -> str:
        return ", ".join(f"{name}={value!r}" for name, value in self.options.items())


_USUAL: Mapping[str, object] = MappingProxyType(
    {"pieces": None, "chunks": "whole", "delay": 0.0, "pace": 0.0, "newline": "\n", "headers": {}}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """Where and how an answer breaks off: after so many events or bytes, or, if neither is said, in its middle."""

    events: int | None = None
    bytes: int | None = None
    how: Ending = "reset"
    error: str = "overloaded_error"

    @property
    def options(self) -> Mapping[str, object]:
        """What is said, by name."""
        told = {"events": self.events, "bytes": self.bytes, "how": self.how, "error": self.error}
        usual = {"events": None, "bytes": None, "how": "reset", "error": "overloaded_error"}
        return {name: value for name, value in told.items() if value != usual[name]}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Sent(Written):
    """A reply and what happens to it on its way: how it is delivered, damaged, cut off."""

    reply: Turn | Reply
    delivery: Delivery | None = None
    damage: str | None = None
    at: int | None = None
    broken: Break | None = None

    @property
    def made_by(self) -> Made:
        step: Turn | Reply | Made = self.reply
        if self.delivery is not None:
            step = Made("deliver", (step,), self.delivery.options)
        if self.damage is not None:
            step = Made("damage", (step, self.damage), {} if self.at is None else {"at": self.at})
        if self.broken is not None:
            step = Made("cut", (step,), self.broken.options)
        return step if isinstance(step, Made) else step.made_by

    def __str__(self) -> str:
        shown = str(self.reply)
        if self.delivery is not None:
            shown = f"deliver({', '.join(filter(None, (shown, str(self.delivery))))})"
        if self.damage is not None:
            shown = f"damage({shown}, {self.damage!r}{'' if self.at is None else f', at={self.at}'})"
        if self.broken is not None:
            members = {"events": self.broken.events, "bytes": self.broken.bytes}
            given = [f"{name}={value}" for name, value in members.items() if value is not None]
            error = [f"error={self.broken.error!r}"] if self.broken.how == "error" else []
            shown = f"cut({', '.join([shown, *given, f'how={self.broken.how!r}', *error])})"
        return shown


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Fail(Written):
    """An HTTP error: `error` is the error object of the body."""

    status: int
    error: JsonObject
    headers: Mapping[str, str]
    times: int = 1

    @property
    def made_by(self) -> Made:
        usual, waits = _RATE_LIMITS if self.status == 429 else {}, self.headers.get(_WAIT)
        told = waits is not None and waits.isdecimal() and str(int(waits)) == waits
        details = dict(self.error.get("details", {}))
        code = details.pop("error_code") if isinstance(details.get("error_code"), str) else None
        headers = {
            name: value
            for name, value in self.headers.items()
            if usual.get(name) != value and not (name == _WAIT and told)
        }
        options = {
            "error_code": code,
            "message": None if self.error["message"] == _usual_error(self.status)[1] else self.error["message"],
            "details": details or None,
            "headers": headers or None,
        }
        given = {name: value for name, value in options.items() if value is not None}
        if not told or waits != "1":
            given["retry_after_ms"] = int(waits) if told and waits is not None else None
        return Made("fail", (self.status,), {**given, **_times_of(self.times)})

    def __str__(self) -> str:
        code, message = self.error.get("details", {}).get("error_code"), self.error["message"]
        given = "" if code is None else f", error_code={code!r}"
        told = "" if message == _usual_error(self.status)[1] else f", message={message!r}"
        return f"fail({self.status}{given}{told}{_times(self.times)})"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Drop(Written):
    """A connection that fails before there is an answer."""

    how: Connection
    times: int = 1

    @property
    def made_by(self) -> Made:
        return Made("drop", (self.how,), _times_of(self.times))

    def __str__(self) -> str:
        return f"drop({self.how!r}{_times(self.times)})"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Raw(Written):
    """An answer to the byte: the body in the pieces in which it is written."""

    chunks: tuple[bytes, ...]
    status: int
    headers: Mapping[str, str]

    @property
    def made_by(self) -> Made:
        headers = dict(self.headers)
        told = headers.pop("content-type")
        options = {
            "status": self.status if self.status != 200 else None,
            "content_type": told if told != _type_of(self.chunks) else None,
            "headers": headers or None,
        }
        body = self.chunks[0] if len(self.chunks) == 1 else self.chunks
        return Made("raw", (body,), {name: value for name, value in options.items() if value is not None})

    def __str__(self) -> str:
        body = b"".join(self.chunks)
        shown = repr(body) if len(body) <= _SHORT else f"{len(body)} bytes"
        return f"raw({shown}, status={self.status})"


def fail(
    status: int,
    *,
    error_code: str | None = None,
    message: str | None = None,
    details: Mapping[str, object] | None = None,
    retry_after_ms: int | None = 1,
    headers: Mapping[str, str] | None = None,
    times: int = 1,
) -> Fail:
    """The API answers with an HTTP error, `times` times in a row: 400 to 599, with the body it has for that status.

    `error_code` is the finer code in `error.details`, from which the SDK chooses finer error classes; `details` are
    what else stands there. A client waits `retry_after_ms` milliseconds before it tries again; None leaves the header
    out, and the SDK then really waits.
    """
    if isinstance(status, bool) or not isinstance(status, int) or not 400 <= status <= 599:
        raise ScriptError(f"fail() takes an HTTP status from 400 to 599, not {status!r}")
    for option, value in (("error_code", error_code), ("message", message)):
        if not isinstance(value, str | None):
            raise ScriptError(f"{option} of fail() is a string, not {kind(value)}")
    if retry_after_ms is not None and not _is_count(retry_after_ms):
        raise ScriptError(f"retry_after_ms of fail() is a number of milliseconds, or None, not {retry_after_ms!r}")
    error_type, usual = _usual_error(status)
    error: JsonObject = {"type": error_type, "message": usual if message is None else message}
    if details is not None and not isinstance(details, Mapping):
        raise ScriptError(f"details of fail() is an object: give a dict, not {kind(details)}")
    if error_code is not None or details:
        error["details"] = {**({} if error_code is None else {"error_code": error_code}), **(details or {})}
    waiting = {} if retry_after_ms is None else {_WAIT: str(retry_after_ms)}
    limits = _RATE_LIMITS if status == 429 else {}
    return Fail(
        status=status,
        error=error,
        headers=MappingProxyType({**limits, **waiting, **_headers(headers, "headers of fail()")}),
        times=_require_times(times, "fail()"),
    )


def drop(how: Connection = "connect", *, times: int = 1) -> Drop:
    """The connection fails, `times` times in a row, before there is an answer.

    The SDK tries again after a pause that no header can shorten: give the client `max_retries=0` where it matters.
    """
    if how not in _CONNECTIONS:
        raise ScriptError(f"drop() takes one of {', '.join(map(repr, _CONNECTIONS))}, not {how!r}")
    return Drop(how=how, times=_require_times(times, "drop()"))


def cut(
    step: Step,
    *,
    events: int | None = None,
    bytes: int | None = None,
    how: Ending = "reset",
    error: str = "overloaded_error",
) -> Sent:
    """The answer breaks off after so many events or bytes, or in its middle.

    `how` says what the client meets: `"reset"` and `"close"` break the connection, `"timeout"` lets it wait, `"end"`
    ends the body as if it were whole, `"error"` sends an `error` event of the type `error`; to a request that asks
    for no stream, that is an HTTP error. A JSON body is cut at the same share of its bytes.
    """
    sent = _sent(step, "cut()")
    if events is not None and bytes is not None:
        raise ScriptError("cut() takes events or bytes, not both")
    for name, count in (("events", events), ("bytes", bytes)):
        if count is not None and not _is_count(count):
            raise ScriptError(f"{name} of cut() is a number, 0 or more, not {count!r}")
    if how not in _ENDINGS:
        raise ScriptError(f"how of cut() is one of {', '.join(map(repr, _ENDINGS))}, not {how!r}")
    if error not in ERROR_STATUS:
        raise ScriptError(f"error of cut() is one of the API's error types ({', '.join(ERROR_STATUS)}), not {error!r}")
    if how == "error" and bytes is not None:
        raise ScriptError("cut(..., how='error') takes events, not bytes: an error event comes after whole events")
    return replace(sent, broken=Break(events=events, bytes=bytes, how=how, error=error))


def damage(step: Step, what: str, *, at: int | None = None) -> Sent:
    """The answer says 200 and is wrong: `what` is one of `playhead.wire.damage.DAMAGES`, `"malformed_json"` say.

    `at` is the position among the stream's events, where that matters; otherwise the first piece of content.
    """
    sent = _sent(step, "damage()")
    known = DAMAGES.get(what) if isinstance(what, str) else None
    if known is None:
        raise ScriptError(f"damage() takes one of {', '.join(DAMAGES)}, not {what!r}")
    if at is not None and not (known.placed and _is_count(at)):
        reason = f"is the position of an event, not {at!r}" if known.placed else f"means nothing for {what!r}"
        raise ScriptError(f"at of damage() {reason}")
    return replace(sent, damage=what, at=at)


def deliver(
    step: Step,
    *,
    pieces: int | None = None,
    chunks: Chunks = "whole",
    delay: float = 0.0,
    pace: float = 0.0,
    newline: str = "\n",
    headers: Mapping[str, str] | None = None,
) -> Sent:
    """Says how a reply travels: see `Delivery`."""
    added = MappingProxyType({}) if headers is None else headers
    delivery = Delivery(pieces=pieces, chunks=chunks, delay=delay, pace=pace, newline=newline, headers=added)
    return replace(_sent(step, "deliver()"), delivery=delivery)


def raw(
    body: bytes | str | Sequence[bytes],
    *,
    status: int = 200,
    content_type: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> Raw:
    """An answer to the byte, whatever it is; a list of bytes is written piece by piece.

    Without `content_type`, a body that begins with `event:` or `data:` is a stream, any other JSON.
    """
    chunks = _pieces(body)
    if isinstance(status, bool) or not isinstance(status, int) or not 200 <= status <= 599:
        raise ScriptError(f"raw() takes an HTTP status from 200 to 599, not {status!r}")
    if not isinstance(content_type, str | None):
        raise ScriptError(f"content_type of raw() is a string, not {kind(content_type)}")
    told = content_type if content_type is not None else _type_of(chunks)
    return Raw(
        chunks=chunks,
        status=status,
        headers=MappingProxyType(
            {**_headers({"content-type": told}, "content_type of raw()"), **_headers(headers, "headers of raw()")}
        ),
    )


def _type_of(chunks: Sequence[bytes]) -> str:
    """The content type of a body of which nothing is said."""
    streamed = b"".join(chunks).lstrip().startswith((b"event:", b"data:", b":"))
    return EVENT_STREAM if streamed else JSON


def _pieces(body: object) -> tuple[bytes, ...]:
    """The writes of a body; none of them is empty, since to a server an empty write is the end."""
    given = [body.encode()] if isinstance(body, str) else [body] if isinstance(body, bytes) else body
    if not isinstance(given, list | tuple):
        raise ScriptError(f"raw() takes bytes, a string, or a list of bytes, not {kind(body)}")
    for number, piece in enumerate(given, 1):
        if not isinstance(piece, bytes):
            raise ScriptError(f"item {number} of raw([...]) is {kind(piece)}, and the list holds bytes")
    return tuple(piece for piece in given if piece)


_ERRORS: Mapping[int, tuple[str, str]] = {
    400: ("invalid_request_error", "Invalid request"),
    401: ("authentication_error", "invalid x-api-key"),
    402: ("billing_error", "There is an issue with your billing or payment information"),
    403: ("permission_error", "Your API key does not have permission to use the specified resource"),
    404: ("not_found_error", "Not Found"),
    408: ("timeout_error", "Request timed out"),
    409: ("conflict_error", "The request conflicts with another one"),
    413: ("request_too_large", "Request exceeds the maximum size"),
    429: ("rate_limit_error", "This request would exceed your account's rate limit. Please try again later."),
    500: ("api_error", "Internal server error"),
    502: ("api_error", "Bad gateway"),
    503: ("api_error", "Service unavailable"),
    504: ("timeout_error", "Request timed out"),
    529: ("overloaded_error", "Overloaded"),
}

_RESET = "2026-01-01T00:00:00Z"
_RATE_LIMITS: Mapping[str, str] = {
    f"anthropic-ratelimit-{what}-{part}": value
    for what, limit in (("requests", "50"), ("input-tokens", "30000"), ("output-tokens", "8000"), ("tokens", "38000"))
    for part, value in (("limit", limit), ("remaining", "0"), ("reset", _RESET))
}
"""What a rate-limited answer tells: nothing is left. The fake has no clock, so the time is always the same."""


def _usual_error(status: int) -> tuple[str, str]:
    """The type and the message that the API has for a status."""
    return _ERRORS.get(status) or _ERRORS[400 if status < 500 else 500]


def usual_message(error: str) -> str:
    """The message that the API has for an error type, one of `ERROR_STATUS`."""
    return _usual_error(ERROR_STATUS[error])[1]


def _sent(step: object, where: str) -> Sent:
    if isinstance(step, Block):
        return Sent(reply=as_turn(step))
    if isinstance(step, Turn | Reply):
        return Sent(reply=step)
    if isinstance(step, Sent):
        return step
    raise ScriptError(f"{where} takes a reply first: say(...), call(...), turn(...) or reply(...), not {step!r}")


def _chunks(chunks: object) -> object:
    if isinstance(chunks, str) and chunks in ("whole", "event", "byte"):
        return chunks
    if _is_count(chunks) and chunks:
        return chunks
    if isinstance(chunks, tuple | list) and all(map(_is_count, chunks)) and list(chunks) == sorted(chunks):
        return tuple(chunks)
    raise ScriptError(
        f"chunks is 'whole', 'event', 'byte', a number of bytes, or a tuple of rising offsets, not {chunks!r}"
    )


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _require_times(times: object, where: str) -> int:
    if not isinstance(times, int) or isinstance(times, bool) or times < 1:
        raise ScriptError(f"times of {where} is at least 1, not {times!r}")
    return times


def _headers(given: Mapping[str, str] | None, where: str) -> Mapping[str, str]:
    headers = {} if given is None else given
    if not isinstance(headers, Mapping) or not all(isinstance(text, str) for pair in headers.items() for text in pair):
        raise ScriptError(f"{where} are a mapping of strings, not {_plain(given)!r}")
    for name, value in headers.items():
        if not _HEADER_NAME.fullmatch(name) or not _HEADER_VALUE.fullmatch(value):
            raise ScriptError(f"{where} must be ASCII text without line breaks: {name!r}: {value!r} is not")
    return MappingProxyType({name.lower(): value for name, value in headers.items()})


# the characters of RFC 9110; with others the HTTP library would fail where nobody sees it
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e]*")


def _plain(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else value


def _times_of(times: int) -> Mapping[str, object]:
    return {"times": times} if times > 1 else {}


def _times(times: int) -> str:
    return f", times={times}" if times > 1 else ""


USUAL = Delivery()
"""How a reply travels where nobody said anything."""

"""The text of a cassette to interactions.

Law: pure; a YAML document's value comes in, interactions come out. Every field is looked at: one that is unknown,
missing or of the wrong kind is named with its place, since people edit these files.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import accumulate

from playhead.cassettes.bodies import MESSAGES, Body
from playhead.cassettes.echo import RECEIVED, Orders, echo
from playhead.cassettes.interaction import FAULTS, Answer, Interaction
from playhead.cassettes.received import content_of
from playhead.cassettes.style import COMPACT, STYLES, Kept, Style, keep
from playhead.cassettes.writing import FORMAT, JSON, REPLY, STREAM, TEXT, VERSION
from playhead.wire.codec import JsonError, JsonObject, kind
from playhead.wire.tables import MESSAGES_PATH


class FieldError(ValueError):
    """A field of a cassette is not what it should be. `place` names it: `interactions[3].request.keep`."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(f"{place}: {reason}")
        self.place, self.reason = place, reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Cassette:
    """A cassette's interactions. `finished` says whether the recording came to its end.

    `recorded` is the day on which it was made, where that is told. `in_order` says whether the interactions stand in
    the file as they were asked for, `orders` what its last echoes look like. `metadata` is what vcrpy's `get_metadata`
    keeps beside them.
    """

    interactions: tuple[Interaction, ...]
    finished: bool
    recorded: str | None = None
    in_order: bool = True
    orders: Orders = field(default_factory=lambda: RECEIVED)
    metadata: Mapping[str, object] = field(default_factory=dict)


_TOP = ("version", "format", "recorded", "metadata", "interactions", "finished")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_ITEM = ("number", "request", "response")
_REQUEST = ("url", "headers", "after", "keep", "style", "drop", "set", "order", "add", "text", "base64")
_RESPONSE = ("status", "headers", "style", "body", "events", "text", "base64", "ends", "times", "fault")


def is_cassette(document: object) -> bool:
    """Whether a document is one of ours, of any version."""
    return isinstance(document, dict) and document.get("format") == FORMAT and "version" in document


def parse(document: object) -> Cassette:
    """The cassette that a document holds. Raises `FieldError`."""
    top = _object(document, "the file", _TOP)
    if top.get("format") != FORMAT:
        raise FieldError("format", f"this is no Playhead cassette: {FORMAT!r} is needed, not {top.get('format')!r}")
    if top.get("version") != VERSION:
        raise FieldError("version", f"this Playhead reads version {VERSION}, not {top.get('version')!r}")
    metadata = top.get("metadata", {})
    if not isinstance(metadata, dict):
        raise FieldError("metadata", f"a mapping is needed, not {kind(metadata)}")
    recorded = top.get("recorded")
    if recorded is not None and not (isinstance(recorded, str) and _DAY.fullmatch(recorded)):
        raise FieldError("recorded", f"a day is needed, such as 2026-11-30, not {recorded!r}")
    items = top.get("interactions")
    if items is not None and not isinstance(items, list):
        raise FieldError("interactions", f"a list is needed, not {kind(items)}")
    parser = _Parser()
    for number, item in enumerate(items or ()):
        parser.add(item, f"interactions[{number}]")
    finished = top.get("finished")
    if finished is not None and finished != len(parser.made):
        raise FieldError("finished", f"it says {finished!r} interactions, and there are {len(parser.made)}")
    ordered = sorted(zip(parser.places, parser.made, strict=True), key=lambda pair: pair[0])
    return Cassette(
        interactions=tuple(interaction for _, interaction in ordered),
        finished=finished is not None,
        recorded=recorded,
        in_order=parser.places == sorted(parser.places),
        orders=parser.orders,
        metadata=metadata,
    )


class _Parser:
    """Takes items in order; each may refer to those before."""

    def __init__(self) -> None:
        self.made: list[Interaction] = []
        self.places: list[int] = []
        self._headers: Mapping[str, str] = {}
        self._orders: Orders = RECEIVED
        self._content: dict[int, list[object]] = {}

    @property
    def orders(self) -> Orders:
        """In which orders the latest echoes came."""
        return self._orders

    def add(self, item: object, place: str) -> None:
        """Takes the next interaction. Raises `FieldError`."""
        members = _object(item, place, _ITEM)
        request = _object(members.get("request"), f"{place}.request", _REQUEST)
        response = _object(members.get("response"), f"{place}.response", _RESPONSE)
        method, path = _url(request.get("url"), f"{place}.request.url")
        if "headers" in request:
            self._headers = _headers(request["headers"], f"{place}.request.headers")
        interaction = Interaction(
            method=method,
            path=path,
            headers=self._headers,
            body=self._body(request, f"{place}.request"),
            answer=_answer(response, f"{place}.response"),
        )
        self.made.append(interaction)
        self.places.append(_count(members, "number", place, len(self.made)))

    def _body(self, request: JsonObject, place: str) -> Body:
        raw = _raw(request, place)
        if raw is not None:
            return Body(raw=raw)
        number = _count(request, "after", place, len(self.made))
        if number > len(self.made):
            raise FieldError(f"{place}.after", f"there are {len(self.made)} interactions before, not {number}")
        before = self.made[number - 1].body if number else None
        if before is not None and before.raw is not None:
            raise FieldError(f"{place}.after", f"interaction {number} has no messages to go on from")
        length = before.length if before is not None else 0
        kept = _count(request, "keep", place, length)
        if kept > length:
            raise FieldError(f"{place}.keep", f"interaction {number} has {length} messages, not {kept}")
        style = _style(request, place, before.style if before is not None else COMPACT)
        content = self._received(number) if number and kept == length else []
        return Body(
            style=style,
            envelope=_envelope(request, before, style, place),
            before=before,
            kept=kept,
            added=tuple(self._added(request, content, style, place)),
        )

    def _received(self, number: int) -> list[object]:
        content = self._content.get(number)
        if content is None:
            content = self._content[number] = content_of(self.made[number - 1].answer)
        return content

    def _added(self, request: JsonObject, content: list[object], style: Style, place: str) -> Iterator[Kept]:
        items = request.get("add")
        if not isinstance(items, list):
            raise FieldError(f"{place}.add", f"the list of new messages is needed, not {kind(items)}")
        for position, item in enumerate(items):
            where = f"{place}.add[{position}]"
            if item == REPLY or (isinstance(item, dict) and [*item] == [REPLY]):
                if position or not content:
                    raise FieldError(where, "`reply` comes first, after an interaction that has one")
                if isinstance(item, dict):
                    self._orders = {**self._orders, **_orders(item[REPLY], where)}
                yield Kept(echo(content, self._orders))
            else:
                yield _kept(item, style, where)


def _envelope(request: JsonObject, before: Body | None, style: Style, place: str) -> Mapping[str, Kept]:
    old = before.envelope if before is not None else {}
    if not any(name in request for name in ("set", "drop", "order")):
        return old
    made = dict(old)
    for name in _strings(request.get("drop", []), f"{place}.drop"):
        if made.pop(name, None) is None:
            raise FieldError(f"{place}.drop", f"there is no {name!r} to drop")
    changed = request.get("set", {})
    if not isinstance(changed, dict):
        raise FieldError(f"{place}.set", f"an object is needed, not {kind(changed)}")
    for name, value in changed.items():
        made[name] = Kept(None) if name == MESSAGES else _kept(value, style, f"{place}.set.{name}")
    if "order" in request:
        order = _strings(request["order"], f"{place}.order")
        if sorted(order) != sorted(made):
            raise FieldError(f"{place}.order", "it names other members than there are")
        made = {name: made[name] for name in order}
    return made


def _kept(item: object, style: Style, place: str) -> Kept:
    if isinstance(item, dict) and [*item] == [TEXT]:
        text = item[TEXT]
        if not isinstance(text, str):
            raise FieldError(f"{place}.{TEXT}", f"JSON text is needed, not {kind(text)}")
        try:
            return keep(text, style)
        except JsonError as error:
            raise FieldError(f"{place}.{TEXT}", f"this is no JSON: {error}") from None
    return Kept(item)


def _answer(response: JsonObject, place: str) -> Answer:
    status = response.get("status", 200)
    if isinstance(status, bool) or not isinstance(status, int) or not (status == 0 or 100 <= status <= 599):
        raise FieldError(f"{place}.status", f"an HTTP status is needed, or 0 where nothing came, not {status!r}")
    fault = response.get("fault")
    if fault is not None and fault not in FAULTS:
        raise FieldError(f"{place}.fault", f"one of {', '.join(FAULTS)} is needed, not {fault!r}")
    headers, told = _headers(response.get("headers", {}), f"{place}.headers"), ""
    body = _raw(response, place)
    if body is None and "events" in response:
        told, body = STREAM, _text(response, "events", place)
    elif body is None and "body" in response:
        style = _style(response, place, COMPACT)
        told, body = JSON, style.encode(response["body"]).encode("utf-8", "surrogatepass")
    if told and "content-type" not in headers:
        headers = {"content-type": told, **headers}
    elif headers.get("content-type") == "":
        headers = {name: text for name, text in headers.items() if text}
    body = body or b""
    ends = tuple(accumulate(_numbers(response.get("ends"), f"{place}.ends")))
    if any(end > len(body) for end in ends):
        # somebody has edited the body; where its pieces ended is then of no use
        ends = ()
    times = tuple(accumulate(_numbers(response.get("times"), f"{place}.times")))
    return Answer(status=status, headers=headers, body=body, ends=ends, times=times, fault=fault)


def _raw(members: JsonObject, place: str) -> bytes | None:
    if "text" in members:
        return _text(members, "text", place)
    if "base64" not in members:
        return None
    try:
        return base64.b64decode(_text(members, "base64", place), validate=True)
    except binascii.Error as error:
        raise FieldError(f"{place}.base64", f"this is no base64: {error}") from None


def _text(members: JsonObject, name: str, place: str) -> bytes:
    text = members[name]
    if not isinstance(text, str):
        raise FieldError(f"{place}.{name}", f"text is needed, not {kind(text)}")
    return text.encode()


def _url(value: object, place: str) -> tuple[str, str]:
    if value is None:
        return "POST", MESSAGES_PATH
    method, _, path = value.partition(" ") if isinstance(value, str) else ("", "", "")
    if not method or not (path.startswith("/") or "://" in path):
        raise FieldError(place, f"a method and a path or URL are needed, 'GET /v1/models' say, not {value!r}")
    return method, path


def _style(members: JsonObject, place: str, usual: Style) -> Style:
    name = members.get("style")
    if name is None:
        return usual
    style = STYLES.get(name) if isinstance(name, str) else None
    if style is None:
        raise FieldError(f"{place}.style", f"one of {', '.join(STYLES)} is needed, not {name!r}")
    return style


def _orders(value: object, place: str) -> Orders:
    if not isinstance(value, dict):
        raise FieldError(place, f"the order of members for each type of block is needed, not {kind(value)}")
    return {name: tuple(_strings(order, f"{place}.{name}")) for name, order in value.items()}


def _object(value: object, place: str, known: tuple[str, ...]) -> JsonObject:
    if not isinstance(value, dict):
        raise FieldError(place, f"a mapping is needed, not {kind(value)}")
    for name in value:
        if name not in known:
            raise FieldError(f"{place}.{name}", f"there is no such field: {', '.join(known)}")
    return value


def _headers(value: object, place: str) -> Mapping[str, str]:
    if not isinstance(value, dict):
        raise FieldError(place, f"a mapping is needed, not {kind(value)}")
    for name, text in value.items():
        if not isinstance(text, str):
            raise FieldError(f"{place}.{name}", f"text is needed, not {kind(text)}")
    return value


def _strings(value: object, place: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise FieldError(place, "a list of names is needed")
    return value


def _count(members: JsonObject, name: str, place: str, usual: int) -> int:
    value = members.get(name, usual)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise FieldError(f"{place}.{name}", f"a number is needed, 0 or more, not {value!r}")
    return value


def _numbers(value: object, place: str) -> list[int]:
    """Numbers in one text, one blank between them; a single one may be read as a number."""
    if value is None:
        return []
    parts = str(value).split() if isinstance(value, str | int) and not isinstance(value, bool) else []
    if not parts or not all(part.isascii() and part.isdigit() and len(part) < 16 for part in parts):
        raise FieldError(place, f"numbers with blanks between are needed, not {value!r}")
    return [int(part) for part in parts]

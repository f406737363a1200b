"""Interactions to the text of a cassette, one after the other.

Law: pure; values to text, no files. What is written reads back to the byte (`parsing`), and writing that again gives
the same text. docs/cassettes.md describes the format.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from playhead.cassettes import yaml_text
from playhead.cassettes.bodies import MESSAGES, Body
from playhead.cassettes.echo import RECEIVED, Orders, is_echo, orders_of
from playhead.cassettes.interaction import Answer, Interaction
from playhead.cassettes.received import content_of
from playhead.cassettes.style import COMPACT, Kept, Style, keep, style_of
from playhead.wire.codec import JsonError, JsonObject
from playhead.wire.tables import MESSAGES_PATH

VERSION = 1
FORMAT = "playhead"
JSON, STREAM = "application/json", "text/event-stream; charset=utf-8"
REPLY = "reply"
TEXT = "json"


class Writer:
    """The text of a cassette, an interaction at a time: `head`, then each `item`, then `end`."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self._bodies: list[Body] = []
        self._content: dict[int, list[object]] = {}
        self._headers: Mapping[str, str] = {}
        self._orders: Orders = RECEIVED

    def resume(self, orders: Orders) -> None:
        """Goes on from a text that is not its own, in which the latest echoes came in these orders."""
        self._orders = orders

    @staticmethod
    def head(recorded: str | None = None, metadata: Mapping[str, object] | None = None) -> str:
        """What a file begins with; `recorded` is the day on which it is made.

        Raises `Unwritable` for metadata that are no JSON values.
        """
        day = "" if recorded is None else f"recorded: {recorded}\n"
        beside = yaml_text.member("metadata", dict(metadata)) if metadata else ""
        return f"version: {VERSION}\nformat: {FORMAT}\n{day}{beside}interactions:\n"

    def end(self) -> str:
        """What a finished file ends with."""
        return f"finished: {len(self._bodies)}\n"

    def item(self, interaction: Interaction, number: int | None = None) -> str:
        """The text of the next interaction, which every later one may refer to.

        `number` is its place in the order of the requests, where it comes out of turn.
        """
        body = self._rebased(interaction.body)
        request = self._request(interaction, body)
        self._bodies.append(interaction.body)
        self._numbers[id(interaction.body)] = len(self._bodies)
        self._content[id(interaction.body)] = content_of(interaction.answer)
        self._headers = interaction.headers
        place = {} if number in (None, len(self._bodies)) else {"number": number}
        item = yaml_text.item({**place, "request": request, "response": _response(interaction.answer)})
        # by this line one knows, should the recorder be killed, that what stands before it is whole
        return f"{item}# end {len(self._bodies)}\n"

    def _rebased(self, body: Body) -> Body:
        """The body told by one that is written already: parallel requests end in another order than they begin."""
        before: Body | None = body.before
        kept = body.kept
        while before is not None and id(before) not in self._numbers:
            kept = min(kept, before.kept)
            before = before.before
        if before is body.before:
            return body
        kept = kept if before is not None else 0
        return replace(body, before=before, kept=kept, added=tuple(body.messages()[kept:]))

    def _request(self, interaction: Interaction, body: Body) -> JsonObject:
        made: JsonObject = {}
        if (interaction.method, interaction.path) != ("POST", MESSAGES_PATH):
            made["url"] = f"{interaction.method} {interaction.path}"
        if interaction.headers != self._headers:
            made["headers"] = dict(interaction.headers)
        if body.raw is not None:
            return {**made, **_bytes(body.raw)}
        before = body.before
        number = self._numbers[id(before)] if before is not None else 0
        if number != len(self._bodies):
            made["after"] = number
        if before is not None and body.kept != before.length:
            made["keep"] = body.kept
        style = before.style if before is not None else COMPACT
        if body.style is not style:
            made["style"] = body.style.name
        made.update(_envelope(body, before))
        made["add"] = [*self._added(body)]
        return made

    def _added(self, body: Body) -> Iterator[object]:
        """The messages that no earlier body had; the reply to it stands where it was received."""
        rest = body.added
        before = body.before
        if before is not None and body.kept == before.length and rest:
            content, first = self._content[id(before)], rest[0]
            learned = orders_of(first.value) or {}
            known = {**self._orders, **learned}
            if is_echo(first, content, self._orders, body.style):
                rest = rest[1:]
                yield REPLY
            elif is_echo(first, content, known, body.style):
                yield {REPLY: {name: [*order] for name, order in learned.items()}}
                self._orders, rest = known, rest[1:]
        yield from (_kept(message, body.style) for message in rest)


def _envelope(body: Body, before: Body | None) -> JsonObject:
    """What changed in all but the messages: members to set, and members that are gone."""
    old = before.envelope if before is not None else {}
    if body.envelope is old:
        return {}
    changed = {
        name: None if name == MESSAGES else _kept(value, body.style)
        for name, value in body.envelope.items()
        if name not in old or not _same(value, old[name], body.style)
    }
    gone = [name for name in old if name not in body.envelope]
    made: JsonObject = {}
    if gone:
        made["drop"] = gone
    if changed:
        made["set"] = changed
    order = [*body.envelope]
    if order != [*(name for name in old if name in body.envelope), *(name for name in changed if name not in old)]:
        made["order"] = order
    return made


def _same(one: Kept, other: Kept, style: Style) -> bool:
    return one is other or one.written(style) == other.written(style)


def _kept(kept: Kept, style: Style) -> object:
    """A value as it stands in the file: as data, or as its JSON text where data would not give that back."""
    value = kept.value
    if kept.text is None and not _is_mark(value) and _writable(value):
        return value
    return {TEXT: kept.written(style)}


def _is_mark(value: object) -> bool:
    """Whether data would be taken for one of our own marks."""
    return value == REPLY or (isinstance(value, dict) and [*value] in ([TEXT], [REPLY]))


def _writable(value: object) -> bool:
    try:
        yaml_text.member("x", value)
    except yaml_text.Unwritable:
        return False
    return True


def _bytes(data: bytes) -> JsonObject:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}
    return {"text": text}


def _response(answer: Answer) -> JsonObject:
    made: JsonObject = {}
    if answer.status != 200:
        made["status"] = answer.status
    told, body = _body(answer)
    headers = dict(answer.headers)
    if told and headers.get("content-type", "") == told:
        del headers["content-type"]
    elif told and "content-type" not in headers:
        headers = {"content-type": "", **headers}
    if headers:
        made["headers"] = headers
    made.update(body)
    if answer.ends:
        made["ends"] = " ".join(map(str, _deltas(answer.ends)))
    if answer.times:
        made["times"] = " ".join(map(str, _deltas(answer.times)))
    if answer.fault is not None:
        made["fault"] = answer.fault
    return made


def _deltas(numbers: Sequence[int]) -> Iterator[int]:
    last = 0
    for number in numbers:
        yield number - last
        last = number


def _body(answer: Answer) -> tuple[str, JsonObject]:
    """The body as it stands in the file, and the content type that it then has if none is told."""
    if not answer.body:
        return "", {}
    try:
        text = answer.body.decode()
    except UnicodeDecodeError:
        return "", _bytes(answer.body)
    if answer.streamed:
        return STREAM, {"events": text}
    try:
        style = style_of([text])
        kept = keep(text, style)
    except JsonError:
        return "", {"text": text}
    if kept.text is not None or not isinstance(kept.value, dict) or not _writable(kept.value):
        return "", {"text": text}
    return JSON, {**({} if style is COMPACT else {"style": style.name}), "body": kept.value}

"""Interactions without their secrets, as they go into a file: what `redaction` does to texts, done to whole calls.

Law: pure, as a redactor is; interactions in, interactions out. What a request shares with an earlier one is redacted
once, and is shared afterwards too; what holds no secret stays the very same object.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from playhead.cassettes.bodies import MESSAGES, Body
from playhead.cassettes.event_data import Edit, edited, event_texts
from playhead.cassettes.interaction import Answer, Interaction
from playhead.cassettes.redaction import Redactor
from playhead.cassettes.style import Kept, Style, keep
from playhead.errors import SecretFound
from playhead.wire.codec import JsonError, decode
from playhead.wire.event_stream import AWS_EVENT_STREAM, Frame, frames, is_event_stream

Envelope = Mapping[str, Kept]


class Redacted:
    """Redacts the interactions of one session, in the order in which they come."""

    def __init__(self, redactor: Redactor) -> None:
        self.redactor = redactor
        self._bodies: dict[int, tuple[Body, Body]] = {}
        self._envelopes: dict[int, tuple[Envelope, Envelope]] = {}

    def learn(self, interaction: Interaction) -> tuple[str, ...]:
        """Takes in the credentials that the headers bring; gives the new ways in which they may stand in texts."""
        known = self.redactor.forms
        self.redactor.request_headers(interaction.headers)
        self.redactor.response_headers(interaction.answer.headers)
        return self.redactor.forms[len(known) :]

    def forget(self) -> None:
        """From now on all is redacted anew: there are secrets that were not known."""
        self._bodies.clear()
        self._envelopes.clear()

    def interaction(self, live: Interaction) -> Interaction:
        """The interaction as it is to be written. Raises `SetupError` where a scrubber fails."""
        headers = self.redactor.request_headers(live.headers)
        answered = self.redactor.response_headers(live.answer.headers)
        return replace(
            live,
            headers=headers,
            path=self.redactor.redact_url(live.path),
            body=self._body(live.body),
            answer=self._answer(replace(live.answer, headers=answered), streamed=live.answer.streamed),
        )

    def require_clean(self, made: Interaction, file: str, number: int) -> None:
        """Raises `SecretFound` where a secret is left in what is about to be written to this file.

        `number` is the interaction's (from 1). A secret known by heart is looked for in the bytes as well: no string,
        a JSON number say, can be replaced there.
        """
        place = f"interactions[{number - 1}]"
        body, answer = made.body, made.answer
        parts: list[tuple[str, object, bytes]] = [
            (f"{place}.request.url", made.path, made.path.encode()),
            (f"{place}.request.headers", dict(made.headers), b""),
            (f"{place}.request", _new_of(body), _bytes_of(body)),
            (f"{place}.response.headers", dict(answer.headers), b""),
            (f"{place}.response", _said(answer), _read(answer)),
        ]
        for path, value, written in parts:
            self.redactor.require_clean(value, file, path)
            name = self.redactor.known_in(written.decode("utf-8", "replace"))
            if name is not None:
                raise SecretFound(file, name, field=path)

    def _body(self, body: Body) -> Body:
        new: list[Body] = []
        at: Body | None = body
        while at is not None and id(at) not in self._bodies:
            new.append(at)
            at = at.before
        for one in reversed(new):
            self._bodies[id(one)] = one, self._one_body(one)
        return self._bodies[id(body)][1]

    def _one_body(self, body: Body) -> Body:
        if body.raw is not None:
            raw = self._bytes(body.raw)
            return body if raw == body.raw else replace(body, raw=raw)
        before = body.before if body.before is None else self._bodies[id(body.before)][1]
        envelope = self._envelope(body.envelope, body.style)
        added = tuple(self._kept(message, body.style) for message in body.added)
        same = all(one is other for one, other in zip(added, body.added, strict=True))
        if before is body.before and envelope is body.envelope and same:
            return body
        return replace(body, before=before, envelope=envelope, added=added)

    def _envelope(self, envelope: Envelope, style: Style) -> Envelope:
        known = self._envelopes.get(id(envelope))
        if known is None:
            known = self._envelopes[id(envelope)] = envelope, self._new_envelope(envelope, style)
        return known[1]

    def _new_envelope(self, envelope: Envelope, style: Style) -> Envelope:
        made: dict[str, Kept] = {}
        for name, kept in envelope.items():
            # with its name, which may be what tells a secret
            if kept.text is None:
                value = {name: kept.value}
                redacted = self.redactor.redact_value(value)
                ((told, inner),) = redacted.items()
                made[told] = kept if inner is kept.value else Kept(inner)
            else:
                text = f"{{{style.encode(name)}{style.colon}{kept.text}}}"
                if self.redactor.redact_json(text) == text:
                    made[name] = kept
                else:
                    head = len(text) - len(kept.text) - 1
                    made[name] = keep(self.redactor.redact_json(text)[head:-1], style)
        same = [*made] == [*envelope] and all(made[name] is envelope[name] for name in made)
        return envelope if same else made

    def _kept(self, kept: Kept, style: Style) -> Kept:
        if kept.text is None:
            value = self.redactor.redact_value(kept.value)
            return kept if value is kept.value else Kept(value)
        text = self.redactor.redact_json(kept.text)
        return kept if text == kept.text else keep(text, style)

    def _answer(self, answer: Answer, *, streamed: bool) -> Answer:
        if not answer.body:
            return answer
        framed = _framed(answer)
        if framed:
            edits = [*self._frame_edits(framed)]
        elif streamed:
            edits = [*self._stream_edits(answer.body)]
        else:
            return replace(answer, body=self._bytes(answer.body))
        if not edits:
            return answer
        body, ends = edited(answer.body, answer.ends, edits)
        return replace(answer, body=body, ends=ends)

    def _stream_edits(self, body: bytes) -> Iterator[Edit]:
        events, others = event_texts(body)
        data = [event.data for event in events]
        changed = False
        for event, old, new in zip(events, data, self.redactor.redact_stream(data), strict=True):
            if old != new:
                changed = True
                yield Edit(event.start, event.end, new.replace(b"\n", b"\ndata: "))
            elif changed and event.broken:
                # what it holds of the secret that began before it, nobody can tell any more; no client read it
                yield Edit(event.start, event.end, b"")
        for line in others:
            told = self._bytes(line.data)
            if told != line.data:
                yield Edit(line.start, line.end, told)

    def _frame_edits(self, framed: Sequence[Frame]) -> Iterator[Edit]:
        data = [frame.legible for frame in framed]
        changed = False
        for frame, old, new in zip(framed, data, self.redactor.redact_stream(data), strict=True):
            around, texts = self._bytes(frame.around), [*map(self._bytes, frame.texts)]
            same = old == new and around == frame.around and texts == frame.texts
            if not frame.broken and not same:
                yield Edit(frame.start, frame.end, frame.holding(new, around, texts))
            elif not same or (changed and frame.broken):
                # nobody can tell what else of a secret it holds; no client read it
                last = frame is framed[-1]
                yield Edit(frame.start, frame.end, b"" if last else b"\0" * (frame.end - frame.start))
            changed = changed or old != new

    def _bytes(self, data: bytes) -> bytes:
        # what is no text stays as it is around what is
        text = data.decode("utf-8", "surrogateescape")
        json = text.lstrip()[:1] in ("{", "[")
        made = self.redactor.redact_json(text) if json else self.redactor.redact_text(text)
        return data if made == text else made.encode("utf-8", "surrogateescape")


def all_redacted(interactions: Iterable[Interaction], file: str, redactor: Redactor) -> tuple[Interaction, ...]:
    """All of a session as they are to be written to this file, every credential known from the start.

    Raises `SecretFound` where a secret cannot be taken out, and `SetupError` where a scrubber fails.
    """
    live, redacted = tuple(interactions), Redacted(redactor)
    for interaction in live:
        redacted.learn(interaction)
    made = tuple(map(redacted.interaction, live))
    for number, interaction in enumerate(made, 1):
        redacted.require_clean(interaction, file, number)
    return made


def _new_of(body: Body) -> object:
    """What a body says that the one before it does not."""
    if body.raw is not None:
        return body.raw.decode("utf-8", "replace")
    old = body.before.envelope if body.before is not None else {}
    changed = {name: kept.value for name, kept in body.envelope.items() if old is not body.envelope}
    return {"set": changed, "add": [message.value for message in body.added]}


def _bytes_of(body: Body) -> bytes:
    if body.raw is not None:
        return body.raw
    old = body.before.envelope if body.before is not None else {}
    parts = [kept for name, kept in body.envelope.items() if old is not body.envelope and name != MESSAGES]
    return "\n".join(kept.written(body.style) for kept in (*parts, *body.added)).encode("utf-8", "surrogatepass")


def _framed(answer: Answer) -> list[Frame]:
    """The frames of an AWS event stream, broken ones too; none where the answer is another body."""
    if not answer.headers.get("content-type", "").startswith(AWS_EVENT_STREAM) and not is_event_stream(answer.body):
        return []
    found = [*frames(answer.body)]
    return [] if all(frame.broken for frame in found) and not is_event_stream(answer.body) else found


def _read(answer: Answer) -> bytes:
    """A body as who reads it reads it: with what frames wrap."""
    return b"\n".join([answer.body, *(frame.legible for frame in _framed(answer))])


def _said(answer: Answer) -> object:
    """An answer as values, in which sealed members are told; the data of each event where it is a stream."""
    framed = _framed(answer)
    if framed:
        around = [_value(part) for frame in framed for part in (frame.around, *frame.texts)]
        return {"events": [_value(frame.legible) for frame in framed], "around": around}
    if not answer.streamed:
        return {"body": _value(answer.body)}
    events, others = event_texts(answer.body)
    return {"events": [_value(event.data) for event in events], "lines": [_value(line.data) for line in others]}


def _value(data: bytes) -> object:
    try:
        return decode(data)
    except JsonError:
        return data.decode("utf-8", "replace")

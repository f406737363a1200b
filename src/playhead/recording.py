"""Records real sessions: real clients whose traffic passes through a tee into a cassette.

Law: a recorder, a lock and a door. What a cassette is, `cassettes/` knows; what passes, the tee tells.

Every finished exchange is on the disk before the next is looked at, so that a recording that is killed loses none of
them. A file that exists is replaced only when the new recording has come to its end. Nothing is written that has not
passed the redaction.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import chain, count
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, get_args, overload

from playhead import files
from playhead.cassettes.bodies import Body, Shelf
from playhead.cassettes.document import read, resume
from playhead.cassettes.interaction import Answer, Interaction
from playhead.cassettes.masking import Mask
from playhead.cassettes.parsing import Cassette
from playhead.cassettes.received import is_over
from playhead.cassettes.redacted import Redacted
from playhead.cassettes.redaction import Redactor
from playhead.cassettes.scrubbers import Scrubber
from playhead.cassettes.secrets import PATTERNS, Pattern
from playhead.cassettes.volatile import VolatileLike
from playhead.cassettes.writing import Writer
from playhead.doors.tee import Tee
from playhead.engine.http import Incoming, Outgoing, json_answer
from playhead.engine.played import Played
from playhead.engine.tape import Tape
from playhead.errors import RecordingError, ScriptError, SetupError
from playhead.fake import FakeClaude, cassette_of

if TYPE_CHECKING:
    import anthropic

Own = TypeVar("Own", bound="Recording")
Mode: TypeAlias = Literal["replay", "record", "rewrite"]
"""`replay` never asks the API; `record` asks it for what the cassette does not hold; `rewrite` for everything."""

_EMPTY = Cassette(interactions=(), finished=False)


class Recording:
    """A recording that goes on: `with record("session.yaml") as rec: run_my_loop(rec.client())`.

    `client` and `async_client` make real SDK clients; clients that people build themselves take `transport`. Leaving
    the block finishes the file. Where the block raised, the recording is left unfinished, and says so.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        upstream: object = None,
        *,
        mode: Literal["record", "rewrite"] = "rewrite",
        volatile: VolatileLike | Iterable[VolatileLike] = (),
        scrubbers: Scrubber | Iterable[Scrubber] = (),
        patterns: Sequence[Pattern] = PATTERNS,
        known: Iterable[str] = (),
    ) -> None:
        self.path = os.fsdecode(path)
        self.mode = mode
        self.transport = Tee(self, upstream)
        self._lock = threading.Lock()
        self._open = ExitStack()
        known = (known,) if isinstance(known, str) else tuple(known)
        self._redacted = Redacted(Redactor(scrubbers, patterns, known))
        self._mask, self._volatile = Mask(scrubbers, patterns, known), volatile
        self._shelf, self._writer = Shelf(), Writer()
        self._old, self._old_data = _EMPTY, b""
        self._played: Played | None = None
        self._head = ""
        self._file = ""
        self._began = 0
        self._order: list[int] = []
        self._bodies: list[Body] = []
        self._failure: Exception | None = None

    def client(self, **options: Any) -> anthropic.Anthropic:
        """The real `anthropic.Anthropic`, recorded. `options` are its own."""
        import anthropic

        return anthropic.Anthropic(**{**options, "http_client": anthropic.DefaultHttpxClient(transport=self.transport)})

    def async_client(self, **options: Any) -> anthropic.AsyncAnthropic:
        """The real `anthropic.AsyncAnthropic`, recorded."""
        import anthropic

        return anthropic.AsyncAnthropic(
            **{**options, "http_client": anthropic.DefaultAsyncHttpxClient(transport=self.transport)}
        )

    def __enter__(self: Own) -> Own:
        if self.mode == "record" and files.is_there(self.path):
            self._old_data = files.read_bytes(self.path)
            self._old = cassette_of(self.path, self._old_data)
            self._played = Played(Tape(self._old, self.path, volatile=self._volatile, mask=self._mask))
        else:
            self._begin()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock, self._open:
            failure = self._failure
            if error is None and failure is None:
                self._finish()
            elif self._played is not None and self._order:
                # what was there stands as it was, and what is new was paid for; the file says that it is unfinished
                self._replace()
        if error is None and failure is not None:
            raise failure
        if error is not None and failure is not None:
            error.add_note(f"The recording {self.path} failed as well: {failure}")

    def __repr__(self) -> str:
        played = "" if self._played is None else f", {self._played.tape.played} played"
        return f"<Recording: {self.path}, {self.mode}, {len(self._order)} recorded{played}>"

    def known(self, incoming: Incoming) -> Outgoing | None:
        """The recorded answer to a request, where there is one and it is to be played."""
        if self._played is None:
            return None
        with self._lock:
            try:
                return self._played.answer(incoming)
            except ScriptError as error:
                # a volatile rule of the test's own; raised in a transport it would become "Connection error."
                self._failure = self._failure or error
                said = {"type": "error", "error": {"type": "invalid_request_error", "message": f"Playhead: {error}"}}
                return json_answer(400, said, "req_0000", **{"x-should-retry": "false"})

    def began(self, incoming: Incoming) -> int:
        """The number of a request, in the order in which they are made."""
        with self._lock:
            self._began += 1
            return self._began

    def ended(self, number: int, incoming: Incoming, answer: Answer) -> None:
        """Appends an exchange that is over."""
        with self._lock:
            if self._failure is not None:
                return
            if answer.fault == "abandoned" and answer.streamed and is_over(answer):
                answer = replace(answer, fault=None)
            try:
                if not self._file:
                    self._begin()
                self._append(number, incoming, answer)
            except Exception as error:  # noqa: BLE001
                # raised in a transport it would become "Connection error."; the block's end tells it
                self._failure = error

    def _append(self, number: int, incoming: Incoming, answer: Answer) -> None:
        interaction = Interaction(
            method=incoming.method,
            path=incoming.path,
            headers=incoming.headers,
            body=self._shelf.put(incoming.body),
            answer=answer,
        )
        forms = self._redacted.learn(interaction)
        if forms and self._order and self._holds(forms):
            self._redacted.forget()
            self._write_anew(self._order)
        files.append(self._file, self._item(interaction, number).encode())
        self._order.append(number)
        self._bodies.append(interaction.body)

    def _begin(self) -> None:
        """Opens the file: beside the old one until all is well, and beside that of anybody who records it just now."""
        first = [self.path] if not files.is_there(self.path) else []
        beside = (f"{self.path}{f'.{number}' if number else ''}.new" for number in count())
        self._file = next(name for name in chain(first, beside) if self._claims(name))
        self._shelf.adopt(interaction.body for interaction in self._old.interactions)
        if self._played is None:
            # the file's own time, since a test may have stopped the clock
            self._old = replace(_EMPTY, recorded=files.day_of(self._file))
        self._head, self._writer = resume(self._old, self._old_data)
        self._redacted.redactor.note_taken(self._head)
        files.overwrite(self._file, self._head.encode())

    def _claims(self, name: str) -> bool:
        """Takes a file for this recording alone, unless another recording has it, or has just written the cassette."""
        with ExitStack() as claim:
            if claim.enter_context(files.claimed(name)) and (name != self.path or not files.read_bytes(name)):
                self._open.push(claim.pop_all())
                return True
        return False

    def _item(self, interaction: Interaction, number: int | None) -> str:
        """The text of the next interaction. Raises `SecretFound` where a secret is left in it."""
        place = len(self._old.interactions) + (number or len(self._order) + 1)
        redacted = self._redacted.interaction(interaction)
        self._redacted.require_clean(redacted, self.path, place)
        return self._writer.item(redacted, None if number is None else place)

    def _holds(self, forms: Iterable[str]) -> bool:
        """Whether what was recorded has one of these texts."""
        text = files.read_bytes(self._file)[len(self._head.encode()) :].decode("utf-8", "replace")
        return any(form in text for form in forms)

    def _write_anew(self, order: Sequence[int], *, numbered: bool = True) -> None:
        """Writes what was recorded again: in another order, or because it holds what only now is known as a secret."""
        made = read(files.read_bytes(self._file)).interactions[len(self._old.interactions) :]
        answered = dict(zip(sorted(self._order), made, strict=True))
        bodies = dict(zip(self._order, self._bodies, strict=True))
        _, self._writer = resume(self._old, self._old_data)
        parts = [self._head]
        try:
            for number in order:
                again = replace(answered[number], body=bodies[number])
                parts.append(self._item(again, number if numbered else None))
        except BaseException:
            # what cannot be redacted must not stand there either
            files.write_whole(self._file, self._head.encode())
            raise
        files.write_whole(self._file, "".join(parts).encode())

    def _finish(self) -> None:
        """Ends the file, in the order of the requests."""
        if not self._file:
            if self._old.finished:
                return  # all was recorded before
            self._begin()
        in_order = sorted(self._order)
        if self._order != in_order:
            self._write_anew(in_order, numbered=False)
        files.append(self._file, self._writer.end().encode())
        self._replace()

    def _replace(self) -> None:
        if self._file == self.path:
            return
        # somebody else may write that file itself, since it was not there when he began
        with files.claimed(self.path, wait=True) as alone:
            if not alone:
                raise RecordingError(self.path, f"another recording still writes it; this one stands in {self._file}")
            files.replace(self._file, self.path)


_OF_MODE: Mapping[str, str] = MappingProxyType(
    {
        "replay": "only what is recorded",
        "record": "the API is asked for what is not recorded yet",
        "rewrite": "all is recorded anew",
    }
)
"""What each mode does."""


@overload
def record(
    path: str | os.PathLike[str],
    upstream: object = None,
    *,
    mode: Literal["record", "rewrite"] = "rewrite",
    volatile: VolatileLike | Iterable[VolatileLike] = (),
    scrubbers: Scrubber | Iterable[Scrubber] = (),
    patterns: Sequence[Pattern] = PATTERNS,
    known: Iterable[str] = (),
) -> Recording: ...


@overload
def record(
    path: str | os.PathLike[str],
    upstream: object = None,
    *,
    mode: Literal["replay"],
    volatile: VolatileLike | Iterable[VolatileLike] = (),
    scrubbers: Scrubber | Iterable[Scrubber] = (),
    patterns: Sequence[Pattern] = PATTERNS,
    known: Iterable[str] = (),
) -> FakeClaude: ...


@overload
def record(
    path: str | os.PathLike[str],
    upstream: object = None,
    *,
    mode: Mode,
    volatile: VolatileLike | Iterable[VolatileLike] = (),
    scrubbers: Scrubber | Iterable[Scrubber] = (),
    patterns: Sequence[Pattern] = PATTERNS,
    known: Iterable[str] = (),
) -> FakeClaude | Recording: ...


def record(
    path: str | os.PathLike[str],
    upstream: object = None,
    *,
    mode: Mode = "rewrite",
    volatile: VolatileLike | Iterable[VolatileLike] = (),
    scrubbers: Scrubber | Iterable[Scrubber] = (),
    patterns: Sequence[Pattern] = PATTERNS,
    known: Iterable[str] = (),
) -> FakeClaude | Recording:
    """A recording into this file; `upstream` is a transport, `fake.transport` say, by default the network.

    With `mode="rewrite"` all is recorded anew, and the old file stands until the new one has come to its end. With
    `"record"` what the cassette holds is replayed, matched as `FakeClaude.from_cassette` does with this `volatile`, and
    what it does not hold is asked for and appended; what was there stays to the byte. With `"replay"` this is
    `FakeClaude.from_cassette`, and nothing is ever asked for.

    Secrets are replaced by placeholders. `scrubbers` change every string first: functions `str -> str`, or dicts from
    literals to what stands for them. `patterns` are the forms of secrets that are looked for: add your own to
    `playhead.cassettes.secrets.PATTERNS`. `known` are secrets of no known form. Leaving the block raises `SecretFound`
    where a secret could not be taken out, `RecordingError` where the cassette cannot be read, and `SetupError` for
    options that make no sense.
    """
    if mode not in get_args(Mode):
        told = "; ".join(f"{name!r}: {what}" for name, what in _OF_MODE.items())
        raise SetupError(f"the mode of a recording is one of three, not {mode!r} ({told})")
    options: dict[str, Any] = {"volatile": volatile, "scrubbers": scrubbers, "patterns": patterns, "known": known}
    if mode == "replay":
        return FakeClaude.from_cassette(path, **options)
    return Recording(path, upstream, mode=mode, **options)

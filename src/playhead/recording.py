"""Records real sessions: real clients whose traffic passes through a tee into a cassette.

Law: a recorder, a lock and a door. What a cassette is, `cassettes/` knows; what passes, the tee tells.

Every finished exchange is on the disk before the next is looked at, so that a recording that is killed loses none of
them. A file that exists is replaced only when the new recording has come to its end.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Sequence
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from playhead import files
from playhead.cassettes.bodies import Body, Shelf
from playhead.cassettes.document import read, write
from playhead.cassettes.interaction import Answer, Interaction
from playhead.cassettes.received import is_over
from playhead.cassettes.redacted import Redacted
from playhead.cassettes.redaction import Redactor
from playhead.cassettes.scrubbers import Scrubber
from playhead.cassettes.secrets import PATTERNS, Pattern
from playhead.cassettes.writing import Writer
from playhead.doors.tee import Tee
from playhead.engine.http import Incoming

if TYPE_CHECKING:
    import anthropic

Own = TypeVar("Own", bound="Recording")


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
        scrubbers: Scrubber | Iterable[Scrubber] = (),
        patterns: Sequence[Pattern] = PATTERNS,
        known: Iterable[str] = (),
    ) -> None:
        self.path = os.fsdecode(path)
        self.transport = Tee(self, upstream)
        self._lock = threading.Lock()
        self._shelf, self._writer = Shelf(), Writer()
        self._redacted = Redacted(Redactor(scrubbers, patterns, known))
        self._began = 0
        self._order: list[int] = []
        self._bodies: list[Body] = []
        self._failure: Exception | None = None
        # beside the old one until all is well
        self._file = f"{self.path}.new" if os.path.lexists(self.path) else self.path

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
        files.write_whole(self._file, self._writer.head().encode())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            failure = self._failure
            if error is None and failure is None:
                self._finish()
        if error is None and failure is not None:
            raise failure
        if error is not None and failure is not None:
            error.add_note(f"The recording {self.path} failed as well: {failure}")

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
                interaction = Interaction(
                    method=incoming.method,
                    path=incoming.path,
                    headers=incoming.headers,
                    body=self._shelf.put(incoming.body),
                    answer=answer,
                )
                forms = self._redacted.learn(interaction)
                if forms and self._order and self._holds(forms):
                    self._write_anew()
                files.append(self._file, self._item(interaction, number).encode())
                self._order.append(number)
                self._bodies.append(interaction.body)
            except Exception as error:  # noqa: BLE001
                # raised in a transport it would become "Connection error."; the block's end tells it
                self._failure = error

    def _item(self, interaction: Interaction, number: int) -> str:
        """The text of the next interaction. Raises `SecretFound` where a secret is left in it."""
        redacted = self._redacted.interaction(interaction)
        self._redacted.require_clean(redacted, self.path, number)
        return self._writer.item(redacted, number)

    def _holds(self, forms: Iterable[str]) -> bool:
        """Whether the file has one of these texts."""
        text = files.read_bytes(self._file).decode("utf-8", "replace")
        return any(form in text for form in forms)

    def _write_anew(self) -> None:
        """Writes again what is written: it holds what only now is known to be a secret."""
        self._redacted.forget()
        self._writer = Writer()
        in_order = sorted(self._order)
        before = read(files.read_bytes(self._file)).interactions
        parts = [self._writer.head()]
        try:
            for number, body in zip(self._order, self._bodies, strict=True):
                parts.append(self._item(replace(before[in_order.index(number)], body=body), number))
        except BaseException:
            # what cannot be redacted must not stand there either
            files.write_whole(self._file, parts[0].encode())
            raise
        files.write_whole(self._file, "".join(parts).encode())

    def _finish(self) -> None:
        """Ends the file, in the order of the requests."""
        if self._order == sorted(self._order):
            files.append(self._file, self._writer.end().encode())
        else:
            files.write_whole(self._file, write(read(files.read_bytes(self._file)).interactions))
        if self._file != self.path:
            files.replace(self._file, self.path)


def record(
    path: str | os.PathLike[str],
    upstream: object = None,
    *,
    scrubbers: Scrubber | Iterable[Scrubber] = (),
    patterns: Sequence[Pattern] = PATTERNS,
    known: Iterable[str] = (),
) -> Recording:
    """A recording into this file; `upstream` is a transport, `fake.transport` say, by default the network."""
    return Recording(path, upstream, scrubbers=scrubbers, patterns=patterns, known=known)

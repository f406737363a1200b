"""What every reader gets and gives.

Law: the contract between the table of formats and the readers; no format is known here.

A reader is a module with one `FORMAT`: a name, a test on the file's content, and a function from a `Source` to a
`Recording`. Readers never open files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NoReturn

from playhead.errors import RecordingError
from playhead.wire.exchange import Exchange


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A recording's name and its bytes, unzipped where it was a `.gz`."""

    name: str
    data: bytes

    @property
    def head(self) -> bytes:
        """The first 64 KB, enough to tell a format by."""
        return self.data[:65536]

    def fail(self, reason: str, *, line: int | None = None, field: str | None = None) -> NoReturn:
        """Raises `RecordingError` for this file: one sentence, with the line or field where it is known."""
        raise RecordingError(self.name, reason, line=line, field=field)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """What a reader found: the Claude exchanges in order, and by reason what it passed over.

    `format` is filled in by the table.
    """

    exchanges: tuple[Exchange, ...] = ()
    format: str = ""
    skipped: Mapping[str, int] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One format of recordings.

    `matches` looks at the source's head (the whole data where it must) and says whether this reader is the one; it
    must be quick and certain. `read` raises `RecordingError` through `Source.fail`.
    """

    name: str
    matches: Callable[[Source], bool]
    read: Callable[[Source], Recording]


def first_match(formats: Iterable[Format], source: Source) -> Format | None:
    """The first format that recognises the source."""
    return next((format for format in formats if format.matches(source)), None)

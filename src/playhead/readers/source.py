"""What every reader gets and gives.

Law: the contract between the table of formats and the readers; no format is known here.

A reader is a module with one `FORMAT`: a name, a test on how the content begins, and a function from a `Source` to a
`Recording`. Readers never open files. Formats of lines and streams take the content in pieces, so that a file may be
larger than memory; only a document is held as a whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NoReturn

from playhead.errors import RecordingError
from playhead.wire.codec import JsonError, decode
from playhead.wire.exchange import Exchange

HEAD = 64 * 1024
"""How much of a recording tells its format, in bytes."""

PIECE = 256 * 1024
"""The largest piece in which a reader gets the content, in bytes."""

MAX_DOCUMENT = 1024 * 1024 * 1024
"""How large a recording that is one document may be once it is unzipped, in bytes. Lines and streams may be larger."""

MAX_LINE = 64 * 1024 * 1024
"""How large one line or one stream event may be, in bytes. A request to the API may have 32 MB."""

MAX_KEPT = 8 * 1024 * 1024
"""How large a recording of stream events may be for the events themselves to be kept, in bytes."""

_BOM = b"\xef\xbb\xbf"


def nothing_beside(name: str, root: str) -> bytes | None:
    """Where a recording is no file, nothing stands beside it."""
    return None


@dataclass(frozen=True, kw_only=True)
class Source:
    """A recording's name and its content, unzipped where it was a `.gz`.

    `begin` gives the content from its beginning each time it is called, in pieces of any size. `beside(name, root)`
    gives the bytes of a file that the recording names (`playhead.files.read_beside`), None where it is not there.
    """

    name: str
    begin: Callable[[], Iterable[bytes]]
    beside: Callable[[str, str], bytes | None] = nothing_beside

    @classmethod
    def of(cls, name: str, data: bytes) -> Source:
        """A source of bytes that are at hand."""
        return cls(name=name, begin=lambda: (data,))

    @cached_property
    def _start(self) -> bytes:
        """The head and, where the content goes on, one byte more."""
        start = bytearray()
        for piece in self.begin():
            start += piece[: HEAD + 1 - len(start)]
            if len(start) > HEAD:
                break
        return bytes(start)

    @property
    def head(self) -> bytes:
        """The first 64 KB, enough to tell a format by."""
        return self._start[:HEAD]

    @property
    def is_short(self) -> bool:
        """Whether the head is the whole content."""
        return len(self._start) <= HEAD

    def exceeds(self, size: int) -> bool:
        """Whether the content has more than that many bytes."""
        if self.is_short:
            return len(self._start) > size
        for piece in self.pieces():
            size -= len(piece)
            if size < 0:
                return True
        return False

    def pieces(self) -> Iterator[bytes]:
        """The content from its beginning, in pieces of at most `PIECE` bytes."""
        for piece in (self._start,) if self.is_short else self.begin():
            if len(piece) <= PIECE:
                yield piece
            else:
                yield from (piece[start : start + PIECE] for start in range(0, len(piece), PIECE))

    def lines(self) -> Iterator[bytes]:
        """The lines without their LF. Raises `RecordingError` for one that is too long."""
        held: list[bytes] = []  # the beginning of a line that has not ended yet
        size, number = 0, 1
        for piece in self.pieces():
            start = 0
            while (end := piece.find(b"\n", start)) >= 0:
                yield b"".join([*held, piece[start:end]]) if held else piece[start:end]
                start, size, number = end + 1, 0, number + 1
                held.clear()
            if start < len(piece):
                held.append(piece[start:])
                size += len(piece) - start
            if size > MAX_LINE:
                self.fail(f"this line has more than the {MAX_LINE:,} bytes that are read at once", line=number)
        if held:
            yield b"".join(held)

    @cached_property
    def data(self) -> bytes:
        """The whole content, for formats that are one document. Raises `RecordingError` where it is too large."""
        if self.is_short:
            return self._start
        if self.exceeds(MAX_DOCUMENT):
            self.fail(f"it has more than the {MAX_DOCUMENT:,} bytes that a recording of this kind may have")
        # joining one piece copies nothing
        return b"".join(self.begin())

    @cached_property
    def json(self) -> object:
        """The content as one JSON value, read once whoever asks. Raises `RecordingError`."""
        try:
            value: object = decode(self.data.removeprefix(_BOM))
        except JsonError as error:
            self.fail(f"the file begins as JSON does, but is none; was it cut? {error}")
        return value

    def fail(self, reason: str, *, line: int | None = None, field: str | None = None) -> NoReturn:
        """Raises `RecordingError` for this file: one sentence, with the line or field where it is known."""
        raise RecordingError(self.name, reason, line=line, field=field)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """What a reader found: the Claude exchanges in order, and by reason what it passed over.

    `format` is filled in by the table; `finished` is False where the recording says that it was cut short.
    """

    exchanges: tuple[Exchange, ...] = ()
    format: str = ""
    skipped: Mapping[str, int] = field(default_factory=Counter)
    finished: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One format of recordings.

    `about` says in a few words what it is, `tells` what is known of a request. `matches` looks at the source's head
    and says whether this reader is the one; it must be quick and certain. `read` raises `RecordingError` through
    `Source.fail`.
    """

    name: str
    about: str
    tells: str
    matches: Callable[[Source], bool]
    read: Callable[[Source], Recording]


def first_match(formats: Iterable[Format], source: Source) -> Format | None:
    """The first format that recognises the source."""
    return next((format for format in formats if format.matches(source)), None)

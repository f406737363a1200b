"""Our own cassettes.

Law: the format is `cassettes/`; here it is only one recording among others.
"""

from __future__ import annotations

import re

from playhead.cassettes.document import CassetteError
from playhead.cassettes.document import read as read_cassette
from playhead.cassettes.hosts import without_others
from playhead.cassettes.received import exchanges_of
from playhead.readers.source import Format, Recording, Source

_FORMAT = re.compile(
    rb"(?m)^format: [\"']?playhead(?![\w-])|\Aversion: .*\nformat: .*\n(?:recorded: .*\n)?interactions:"
)


def matches(source: Source) -> bool:
    """Whether a line of the file's head says so."""
    return _FORMAT.search(source.head) is not None


def read(source: Source) -> Recording:
    """The session in a cassette. Raises `RecordingError`, naming line and field."""
    try:
        cassette = read_cassette(source.data)
    except CassetteError as error:
        source.fail(error.reason, line=error.line, field=error.field)
    claudes, skipped = without_others(cassette.interactions)
    return Recording(exchanges=exchanges_of(claudes), skipped=skipped, finished=cassette.finished)


FORMAT = Format(
    name="Playhead",
    about="a cassette of our own (docs/cassettes.md)",
    tells="all of it, headers as far as they are kept",
    matches=matches,
    read=read,
)

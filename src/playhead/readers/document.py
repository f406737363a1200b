"""Files that are one JSON or YAML document: parsed once, then told apart by their shape.

Law: knows how to parse and how to turn calls into a recording; the shapes are given.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from playhead.errors import RecordingError
from playhead.readers.call import Beside, Call, Shape, Unreadable
from playhead.readers.http import exchange_of
from playhead.readers.opening import opening
from playhead.readers.source import MAX_DOCUMENT, Recording, Source
from playhead.wire.codec import JsonError, decode
from playhead.wire.exchange import Exchange
from playhead.wire.reading import Bodies

_YAML_MEMBER = re.compile(
    rb"(?m)^(?:\xef\xbb\xbf)?['\"]?(?:interactions|http_interactions|requests|responses|when|then)['\"]?[ ]*:"
)


def is_json(source: Source) -> bool:
    """Whether this is to be one JSON document: it begins as one, and its first line is not one by itself."""
    head = opening(source)
    if head[:1] not in (b"{", b"["):
        return False
    line, ends, rest = head.partition(b"\n")
    if not ends and not source.is_short:
        return not _has_lines(source)
    goes_on = rest.strip() or not source.is_short
    return not (ends and goes_on and _is_value(line))


def _has_lines(source: Source) -> bool:
    """Whether another line follows the first, which is longer than the head."""
    lines = (line for line in source.lines() if line.strip())
    try:
        first = next(lines, b"").removeprefix(b"\xef\xbb\xbf")
        return next(lines, None) is not None and _is_value(first)
    except RecordingError:
        return False  # too long for a line, but not for a document


def _is_value(line: bytes) -> bool:
    if line.rstrip()[-1:] not in (b"}", b"]"):
        return False
    try:
        decode(line)
    except JsonError:
        return False
    return True


def is_yaml(source: Source) -> bool:
    """Whether this is YAML with an outermost member that recorders write."""
    return _YAML_MEMBER.search(source.head) is not None


def parse_yaml(source: Source) -> object:
    """The value of a YAML text: the document, or a list of them where there are several. Raises `RecordingError`."""
    from playhead.cassettes.yaml_document import YamlError, parse

    try:
        documents = parse(source.data)
    except YamlError as error:
        source.fail(str(error), line=error.line)
    return documents[0] if len(documents) == 1 else documents


def recording(source: Source, name: str, calls: Iterator[Call]) -> Recording:
    """The recording that the calls of a file make. Raises `RecordingError`."""
    exchanges: list[Exchange] = []
    skipped: Counter[str] = Counter()
    beside, bodies = _Beside(source), Bodies()
    try:
        for call in calls:
            found = exchange_of(beside.filled(call), len(exchanges) + 1, bodies)
            if isinstance(found, str):
                skipped[found] += 1
            else:
                exchanges.append(found)
    except Unreadable as error:
        source.fail(error.reason, field=error.place)
    if not exchanges and not skipped:
        source.fail(f"this is a recording ({name}) without any call in it")
    return Recording(exchanges=tuple(exchanges), skipped=skipped)


class _Beside:
    """The files beside a recording that hold bodies of its calls; together they are limited as the recording is."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._left = MAX_DOCUMENT

    def filled(self, call: Call) -> Call:
        """The call with the bodies that stand beside the recording; one that is not there is not known."""
        if isinstance(call.request_body, Beside):
            call = replace(call, request_body=self._read(call.request_body, f"{call.place}.request.body"))
        if isinstance(call.response_body, Beside):
            call = replace(call, response_body=self._read(call.response_body, f"{call.place}.response.body"))
        return call

    def _read(self, wanted: Beside, place: str) -> bytes | None:
        try:
            found = self._source.beside(wanted.name, wanted.root)
        except RecordingError as error:
            raise Unreadable(place, f"the file {wanted.name!r} beside it cannot be read: {error.reason}") from None
        self._left -= len(found or b"")
        if self._left < 0:
            raise Unreadable(place, f"the files beside it have more than the {MAX_DOCUMENT:,} bytes that are read")
        return found


def fitting(shapes: Iterable[Shape], document: object) -> Shape | None:
    """The first shape that a document has."""
    return next((shape for shape in shapes if shape.fits(document)), None)

"""Files that are one JSON or YAML document: parsed once, then told apart by their shape.

Law: knows how to parse and how to turn calls into a recording; the shapes are given.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from playhead.readers.call import Call, Shape, Unreadable
from playhead.readers.http import exchange_of
from playhead.readers.source import Recording, Source
from playhead.wire.codec import JsonError, decode
from playhead.wire.exchange import Exchange

_BOM = b"\xef\xbb\xbf"
_YAML_MEMBER = re.compile(
    rb"(?m)^(?:\xef\xbb\xbf)?['\"]?(?:interactions|http_interactions|requests|responses|when|then)['\"]?[ ]*:"
)


def is_json(source: Source) -> bool:
    """Whether this is to be one JSON document: it begins as one, and its first line is not one by itself."""
    data = source.data.removeprefix(_BOM).lstrip()
    if data[:1] not in (b"{", b"["):
        return False
    line, _, rest = data.partition(b"\n") if b"\n" in data else (data, b"", b"")
    return not (rest.strip() and line.rstrip()[-1:] in (b"}", b"]") and _is_value(line))


def _is_value(line: bytes) -> bool:
    try:
        decode(line)
    except JsonError:
        return False
    return True


def parse_json(source: Source) -> object:
    """The value of a JSON document. Raises `RecordingError`."""
    try:
        return decode(source.data.removeprefix(_BOM))
    except JsonError as error:
        source.fail(f"the file begins as JSON does, but is none; was it cut? {error}")


def is_yaml(source: Source) -> bool:
    """Whether this is YAML with an outermost member that recorders write."""
    return _YAML_MEMBER.search(source.data) is not None


def parse_yaml(source: Source) -> object:
    """The value of a YAML text: the document, or a list of them where there are several. Raises `RecordingError`."""
    from playhead.readers.yaml_document import YamlError, parse

    try:
        documents = parse(source.data)
    except YamlError as error:
        source.fail(str(error), line=error.line)
    return documents[0] if len(documents) == 1 else documents


def recording(source: Source, name: str, calls: Iterator[Call]) -> Recording:
    """The recording that the calls of a file make. Raises `RecordingError`."""
    exchanges: list[Exchange] = []
    skipped: Counter[str] = Counter()
    try:
        for call in calls:
            found = exchange_of(call, len(exchanges) + 1)
            if isinstance(found, str):
                skipped[found] += 1
            else:
                exchanges.append(found)
    except Unreadable as error:
        source.fail(error.reason, field=error.place)
    if not exchanges and not skipped:
        source.fail(f"this is a recording ({name}) without any call in it")
    return Recording(exchanges=tuple(exchanges), skipped=skipped)


def fitting(shapes: Iterable[Shape], document: object) -> Shape | None:
    """The first shape that a document has."""
    return next((shape for shape in shapes if shape.fits(document)), None)

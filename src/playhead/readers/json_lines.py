"""JSON lines, or one JSON array, as objects with their line numbers.

Law: knows lines and JSON and nothing of what they say.
"""

from __future__ import annotations

from collections.abc import Iterator

from playhead.readers.depth import TOO_DEEP, is_text_too_deep, is_too_deep
from playhead.readers.opening import opening
from playhead.readers.source import Source
from playhead.wire.codec import JsonError, JsonObject, decode, kind


def objects(source: Source) -> Iterator[tuple[int, JsonObject]]:
    """The objects of a file, each with its line, or its position (from 1) where the file is one JSON array.

    Raises `RecordingError` naming the line that is no JSON object.
    """
    if opening(source).startswith(b"["):
        yield from _items(source, document(source))
        return
    for number, text in enumerate(source.lines(), 1):
        line = text.strip()
        if number == 1:
            line = line.removeprefix(b"\xef\xbb\xbf")
        if line:
            yield number, _object(source, line, number)


def _object(source: Source, line: bytes, number: int) -> JsonObject:
    try:
        value = decode(line)
    except JsonError as error:
        source.fail(f"this line is no JSON ({error}); was the file cut?", line=number)
    if not isinstance(value, dict):
        source.fail(f"this line must hold a JSON object, it holds {kind(value)}", line=number)
    if is_text_too_deep(line, value):
        source.fail(TOO_DEEP, line=number)
    return value


def _items(source: Source, value: object) -> Iterator[tuple[int, JsonObject]]:
    if not isinstance(value, list):
        source.fail(f"a JSON array is needed, this is {kind(value)}")
    for number, item in enumerate(value, 1):
        if not isinstance(item, dict):
            source.fail(f"an object is needed, this is {kind(item)}", field=f"$[{number - 1}]")
        yield number, item


def document(source: Source) -> object:
    """The file as one JSON value. Raises `RecordingError`."""
    if is_too_deep(source.json):
        source.fail(TOO_DEEP)
    return source.json

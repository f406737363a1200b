"""JSON lines and arrays as objects."""

from __future__ import annotations

import pytest

from playhead.errors import RecordingError
from playhead.readers.json_lines import document, objects
from playhead.readers.source import Source


def source(data: bytes) -> Source:
    return Source.of("x.jsonl", data)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'{"a":1}\n{"a":2}', [(1, {"a": 1}), (2, {"a": 2})]),
        (b'\xef\xbb\xbf{"a":1}\r\n\r\n{"a":2}\r\n', [(1, {"a": 1}), (3, {"a": 2})]),
        (b' [{"a":1},\n{"a":2}]', [(1, {"a": 1}), (2, {"a": 2})]),
        ('{"a":"\u2028\x85"}'.encode(), [(1, {"a": "\u2028\x85"})]),
        (b"\n \n", []),
    ],
    ids=["lines", "mark, CRLF, blank", "array", "odd line ends are text", "nothing"],
)
def test_objects(data: bytes, expected: list):
    """Objects come with their line, or their position in an array."""
    assert [*objects(source(data))] == expected


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b'{"a":1}\n{"a"', r"^x\.jsonl:2: this line is no JSON"),
        (b'{"a":1}\n5', r"^x\.jsonl:2: .* it holds a number"),
        (b'[{"a":1}, "b"]', r"\$\[1\]: an object is needed, this is a string"),
        (b'[{"a":1}', "is none; was it cut"),
        (b"[" * 100_000, r"nested too deeply"),
        (b"\xff\xff", r"^x\.jsonl:1: "),
    ],
)
def test_what_is_no_object_is_named(data: bytes, reason: str):
    """An error says in one sentence which line or item is not as it should be."""
    with pytest.raises(RecordingError, match=reason):
        [*objects(source(data))]


def test_document():
    """A whole file is one value."""
    assert document(source(b'{"a": [1]}')) == {"a": [1]}

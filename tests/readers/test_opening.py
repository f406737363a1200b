"""How a file begins."""

from __future__ import annotations

import json

from playhead.readers.opening import first_item, first_keys, first_lines, opening
from playhead.readers.source import Source


def source(data: bytes) -> Source:
    return Source.of("x", data)


def test_marks_and_blanks_do_not_count():
    """A byte order mark and white space stand before what a file begins with."""
    assert opening(source(b"\xef\xbb\xbf \n{")) == b"{"


def test_first_lines():
    """Objects are given line by line up to what is none, and never a line that the head cuts."""
    assert [*first_lines(source(b'{"a":1}\n\n{"a":2}\nx\n{"a":3}'))] == [{"a": 1}, {"a": 2}]
    assert [*first_lines(source(b'{"a":1}\n{"a":"' + b"x" * 100_000 + b'"}'))] == [{"a": 1}]
    assert [*first_lines(source(b'{"a":1}\n' * 100), 3)] == [{"a": 1}] * 3
    for none in (b"[1]", b"{\n}", b"", b"\xff"):
        assert [*first_lines(source(none))] == [{}] * (none == b"{}")


def test_first_item():
    """The first object of an array is read although the file goes on, whatever its strings hold."""
    item = {"a": '"]}{[\\', "b": [{}]}
    assert first_item(source(json.dumps([item, "x" * 100_000], indent=2).encode())) == item
    for none in (b"[1]", b'[{"a"', b"{}", b"", b'[{"a": nope}]'):
        assert first_item(source(none)) is None


def test_first_keys():
    """The members of the first object are named, not those within or after it."""
    assert first_keys(source(b'{"a": {"b": 1}, "c": ["d"], "e": "f"}\n{"g": 1}')) == ["a", "c", "e"]
    assert first_keys(source(b"[]")) == []

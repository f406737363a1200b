"""Where in a YAML text a value stands."""

from __future__ import annotations

import pytest

from playhead.cassettes.yaml_nodes import Path, compose, line_at, twice

TEXT = b"a:\n- b: 1\n  c: &x\n    d: 2\n- *x\n'3': e\n"


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ((), None),
        (("a",), 1),
        (("a", 0), 2),
        (("a", 0, "c"), 3),
        (("a", 0, "c", "d"), 4),
        (("a", 1), 3),
        (("3",), 6),
        (("a", 0, "z", "d"), 2),
        (("a", 9), 1),
        (("z",), None),
        ((3,), None),
    ],
)
def test_lines(path: Path, line: int | None) -> None:
    """A member's line is its key's, an item's its beginning; what is not there has the line around it."""
    assert line_at(compose(TEXT), path) == line


def test_a_key_that_stands_twice() -> None:
    """The first of them, wherever it is; aliases are looked at once."""
    assert twice(compose(TEXT)) is None
    assert twice(compose(b"a: &x {b: 1}\nc: [*x, *x]\n")) is None
    assert twice(compose(b"a:\n- b: 1\n  c: 2\n  b: 3\n")) == (("a", 0, "b"), 4)


@pytest.mark.parametrize("text", [b"a: [", b"", b"a\n---\nb\n", b"\xff"])
def test_what_has_no_nodes(text: bytes) -> None:
    """What is no YAML, or several documents, has no places."""
    assert line_at(compose(text), ("a",)) is None
    assert twice(compose(text)) is None

"""How values are called in sentences."""

from __future__ import annotations

import pytest

from playhead.rules.json_words import kind_of, shown

CASES: list[tuple[object, str, str]] = [
    (None, "null", "null"),
    (True, "a boolean", "true"),
    (7, "an integer", "7"),
    (1.5, "a number", "1.5"),
    ("x", "a string", "'x'"),
    ("x" * 99, "a string", f"'{'x' * 37}...'"),
    ("\ud800", "a string", "'\\ud800'"),
    ([1], "an array", "an array"),
    ({}, "an object", "an object"),
    (10**5000, "an integer", "an integer of 16610 bits"),
    (b"x", "bytes", "bytes"),
]


@pytest.mark.parametrize(("value", "kind", "text"), CASES, ids=[text[:20] for _, _, text in CASES])
def test_names(value: object, kind: str, text: str) -> None:
    """Every value has a kind and a short text."""
    assert (kind_of(value), shown(value)) == (kind, text)

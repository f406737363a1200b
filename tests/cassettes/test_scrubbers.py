"""Users' scrubbers as one function."""

from __future__ import annotations

import pytest

from playhead.cassettes.scrubbers import scrubbing
from playhead.errors import SetupError


def test_scrubbers_are_applied_in_their_order() -> None:
    """One alone or several, functions and tables."""
    assert scrubbing(()) is None
    upper = scrubbing(str.upper)
    assert upper is not None
    assert upper("ada") == "ADA"
    both = scrubbing([str.upper, {"ADA": "x", "X": "never"}])
    assert both is not None
    assert both("ada") == "x"


def test_a_table_replaces_at_once_and_the_longest_first() -> None:
    """What one replacement puts in is not replaced by another; characters of regular expressions mean themselves."""
    scrub = scrubbing({"a": "b", "b": "c", "a.c": "long"})
    assert scrub is not None
    assert scrub("a b a.c abc") == "b c long bcc"
    nothing = scrubbing({})
    assert nothing is not None
    assert nothing("a") == "a"


class Counting:
    """A scrubber that is an object."""

    def __call__(self, text: str) -> str:
        raise LookupError(text)


def test_an_object_is_named_by_its_class() -> None:
    """It has no name of its own."""
    scrub = scrubbing(Counting())
    assert scrub is not None
    with pytest.raises(SetupError, match="the scrubber Counting raised LookupError at line") as caught:
        scrub("hunter2")
    assert "hunter2" not in str(caught.value)

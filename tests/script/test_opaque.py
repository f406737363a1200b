"""What only Anthropic can read: the same for the same, and genuine by its looks."""

from __future__ import annotations

import base64

from hypothesis import given
from hypothesis import strategies as st

from playhead.rules.signatures import never_issued
from playhead.script.opaque import opaque


@given(st.lists(st.text()), st.lists(st.text()))
def test_it_tells_meanings_apart(one: list[str], other: list[str]) -> None:
    """Equal meanings give equal texts, others do not."""
    told = ["\x00".join(meaning) for meaning in (one, other)]
    assert (opaque(*one) == opaque(*other)) is (told[0] == told[1])


@given(st.lists(st.text(), max_size=3))
def test_it_looks_genuine(meaning: list[str]) -> None:
    """Base64 of more than 150 bytes that begins with an E, as all that the API issues."""
    made = opaque(*meaning)
    assert made.startswith("E")
    assert len(base64.b64decode(made, validate=True)) > 150
    assert not never_issued(made)

"""What can be told of a signature without the key."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.rules.signatures import is_broken, never_issued, seal
from playhead.script.steps import think


def test_the_seal_is_the_one_that_the_fake_makes() -> None:
    """What a script's thinking is signed with is known again here."""
    assert think("so").data["signature"] == seal("so")


@given(st.text(), st.text())
def test_a_seal_shows_another_text(text: str, other: str) -> None:
    """Made for one text it is broken by every other; a text that was left out, then or now, breaks none."""
    assert not is_broken(seal(text), text)
    assert is_broken(seal(text), other) is (text != other and bool(text) and bool(other))
    assert not never_issued(seal(text))


@pytest.mark.parametrize("signature", ["", "s", "sig_1", "AAAA", "EqQBCgIYAhIM" * 20, "é", 5, None, seal("so")[:-4]])
def test_other_signatures_are_never_broken(signature: object) -> None:
    """Only a seal of the fake's own can be compared."""
    assert not is_broken(signature, "so")


@pytest.mark.parametrize("value", ["", "x", "AAAA", "abc=", "A" * 43, base64.b64encode(bytes(30)).decode()])
def test_too_short_to_be_issued(value: str) -> None:
    """Nothing, or a few bytes of base64."""
    assert never_issued(value)


STAND_INS = ["SIG_AS_RETURNED", "signature_REDACTED_1", "sig_abc123", "sig-first", "REDACTED", "sig", "a b", "<masked>"]


@pytest.mark.parametrize("value", [*STAND_INS, "A" * 44, base64.b64encode(bytes(32)).decode()])
def test_what_may_be_a_signature(value: str) -> None:
    """What is long enough, and what a recorder or a test puts in the place of one."""
    assert not never_issued(value)

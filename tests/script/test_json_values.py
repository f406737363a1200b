"""Values that JSON can carry, copied; others refused with their place."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings

from playhead import ScriptError
from playhead.script.json_values import json_copy, object_copy
from playhead.testing.strategies import json_values


@settings(deadline=None)
@given(json_values())
def test_a_copy_is_equal_and_apart(value: Any) -> None:
    """It says the same, and shares nothing that could be changed."""
    copy = json_copy(value, "it")
    assert copy == value
    assert not isinstance(value, dict | list) or copy is not value


def test_other_kinds_of_mappings_and_sequences_become_json() -> None:
    """As the outermost value: a read-only mapping, a tuple."""
    assert json_copy(MappingProxyType({"a": (1, 2)}), "it") == {"a": [1, 2]}
    assert json_copy((1, {"a": 2}), "it") == [1, {"a": 2}]
    assert object_copy(MappingProxyType({"a": 1}), "it") == {"a": 1}


@pytest.mark.parametrize(
    ("value", "error"),
    [
        ({"a": [float("inf")]}, r"it is no JSON: inf at a\[0\] is no number in JSON"),
        ({"a": {1: 2}}, "it is no JSON: the key 1 at a is a number, not a string"),
        ({"a": b"x"}, "it is no JSON: b'x' at a is a Python bytes"),
        (b"x", "it is no JSON: b'x' is a Python bytes"),
    ],
    ids=repr,
)
def test_what_is_no_json_is_refused(value: Any, error: str) -> None:
    """With the place where it stands."""
    with pytest.raises(ScriptError, match=error):
        json_copy(value, "it")

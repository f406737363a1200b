"""Kinds of values: the check, the words and the schema say the same."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from playhead.script.forms import FORMS, OPTIONS
from playhead.script.kinds import BODY, TEXT, Kind, choice, either, listed, number, record
from playhead.testing.strategies import json_values

KINDS: dict[str, Kind] = {
    **{f"options.{name}": kind for name, kind in OPTIONS.items()},
    **{
        f"{form.name}.{param.name}": param.kind
        for form in FORMS.values()
        for param in form.params
        if isinstance(param.kind, Kind)
    },
}


@pytest.mark.parametrize("name", KINDS)
def test_the_check_is_the_schema(name: str) -> None:
    """A value is of a kind exactly if the kind's schema says so."""
    kind = KINDS[name]
    validator = Draft202012Validator(kind.schema)
    words = st.sampled_from([*_words(kind.schema)] or ["a"])
    near: Any = st.recursive(
        json_values(2) | words | st.integers(-1, 600),
        lambda inner: st.lists(inner, max_size=2) | st.dictionaries(words, inner, max_size=2),
        max_leaves=4,
    )

    @settings(deadline=None, max_examples=60)
    @given(near)
    def same(value: Any) -> None:
        # to JSON Schema 1.0 is an integer, to Python's functions it is none
        if not _has_whole_float(value):
            assert (kind.misfit(value) is None) == validator.is_valid(value)

    same()


def _words(schema: Any) -> list[str]:
    """The names in a schema."""
    if isinstance(schema, dict):
        return [*schema.get("properties", ()), *(word for inner in schema.values() for word in _words(inner))]
    if isinstance(schema, list):
        return [word for inner in schema for word in ([inner] if isinstance(inner, str) else _words(inner))]
    return []


def _has_whole_float(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_has_whole_float, value.values()))
    if isinstance(value, list):
        return any(map(_has_whole_float, value))
    return isinstance(value, float) and value.is_integer()


MISFITS: list[tuple[Kind, Any, tuple[Any, ...], str]] = [
    (TEXT, 5, (), "a string is needed, not a number; put it into quotes"),
    (number(), -1, (), "a whole number, 0 or more is needed, not -1"),
    (number(), True, (), "a whole number, 0 or more is needed, not a boolean"),
    (number(whole=False), "1", (), "a number, 0 or more is needed, not a string"),
    (number(least=3, most=5), 6, (), "a whole number from 3 to 5 is needed, not 6"),
    (choice(("a", "\n")), 5, (), r"one of a, '\n' is needed, not a number"),
    (choice(("reset", "close")), "rest", (), "'rest' is none of those there are: did you mean 'reset'?"),
    (listed(TEXT, "a list"), ["a", 5], (1,), "a string is needed, not a number; put it into quotes"),
    (record({"a": TEXT}, "a mapping", required=("a",)), {}, (), "a is missing: a string"),
    (either(TEXT, number(most=3)), 5, (), "a whole number from 0 to 3 is needed, not 5"),
    (either(TEXT, number()), [], (), "a string or a whole number, 0 or more is needed, not an array"),
    (BODY, [{"base64": 5}], (0, "base64"), "a string is needed, not a number; put it into quotes"),
]


@pytest.mark.parametrize(("kind", "value", "path", "reason"), MISFITS)
def test_what_is_told_of_a_misfit(kind: Kind, value: Any, path: tuple[Any, ...], reason: str) -> None:
    """Where, what is needed, what came; of several kinds the one that was meant."""
    fault = kind.misfit(value)
    assert fault is not None
    assert (fault.path, fault.reason) == (path, reason)

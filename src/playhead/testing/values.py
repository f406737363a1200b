"""Hypothesis strategies for text and for any JSON value.

Law: imports hypothesis; knows nothing of tools, schemas or scripts.
"""

from __future__ import annotations

from hypothesis import strategies as st

from playhead.wire.codec import Json

TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)
"""Text as JSON carries it: any character but lone surrogates."""

SAID = TEXT.filter(lambda text: bool(text.strip()))
"""Text that is not blank, as the API takes it back."""


def json_values(max_leaves: int = 6) -> st.SearchStrategy[Json]:
    """Any JSON value: unicode, numbers beyond 2**53, floats that look like integers, nested nulls."""
    leaves: st.SearchStrategy[Json] = st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**70), 2**70),
        st.floats(allow_nan=False, allow_infinity=False),
        st.sampled_from((1.0, -0.0)),
        st.sampled_from((2**53 + 1, 10**25)),
        st.sampled_from((" padded ", "")),
        TEXT,
    )
    return st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
        max_leaves=max_leaves,
    )


def tool_inputs() -> st.SearchStrategy[dict[str, Json]]:
    """An input for a tool that takes anything; often empty."""
    return st.dictionaries(TEXT, json_values(), max_size=3)

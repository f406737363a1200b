"""Hypothesis strategies for what Claude may say and what tools may do.

Law: the only module, with the kit, that imports hypothesis. What these draw is possible by construction.
"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from playhead.script.steps import Block, Turn, call, say, think, turn
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


def calls(tools: Sequence[str]) -> st.SearchStrategy[Block]:
    """A call of one of the tools."""
    return st.builds(call, st.sampled_from(tools), tool_inputs())


def tool_turns(tools: Sequence[str], *, max_calls: int = 4) -> st.SearchStrategy[Turn]:
    """A reply with one call or several, perhaps with thinking before and text around them."""
    several = st.lists(calls(tools), min_size=1, max_size=max_calls)
    return st.builds(
        lambda thought, before, its_calls, after: turn(*thought, *before, *its_calls, *after),
        st.lists(st.builds(think, SAID), max_size=1),
        st.lists(st.builds(say, SAID), max_size=1),
        several,
        st.lists(st.builds(say, SAID), max_size=1),
    )


def scripts(tools: Sequence[str], *, max_turns: int = 6) -> st.SearchStrategy[list[Turn]]:
    """A whole script: turns that call tools, none to many, and a last reply that ends."""
    last = st.builds(lambda texts: turn(*map(say, texts)), st.lists(SAID, max_size=2))
    return st.builds(
        lambda middle, end: [*middle, end],
        st.lists(tool_turns(tools), max_size=max_turns),
        last,
    )

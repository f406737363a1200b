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


_FIELDS = (
    "model max_tokens messages tools tool_choice system thinking output_config cache_control metadata stop_sequences "
    "temperature service_tier top_k top_p stream container inference_geo context_management mcp_servers thread"
).split()
_MEMBERS = (
    "type role content text id name input tool_use_id is_error source data media_type url thinking signature "
    "cache_control citations input_schema properties required description strict defer_loading budget_tokens effort "
    "format schema edits trigger allowed_callers ttl caller title enabled user_id allowed_domains blocked_domains"
).split()
_WORDS = (
    "user assistant system text tool_use tool_result image document thinking redacted_thinking server_tool_use "
    "search_result web_search_tool_result compaction base64 url ephemeral 5m 1h object string enabled disabled "
    "adaptive auto any tool none low high toolu_1 toolu_2 srvtoolu_1 claude-opus-5-5 claude-haiku-4-5 custom "
    "web_search_20250305 json_schema code_execution_20250825 mcp_toolset image/png application/pdf"
).split()


def request_bodies() -> st.SearchStrategy[dict[str, Json]]:
    """Any JSON object that looks more or less like a request: the API's names, with anything at all behind them."""
    leaves = st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-3, 10**6),
        st.floats(-2, 2),
        st.sampled_from(_WORDS),
        st.sampled_from(("", " ", "\n")),
        TEXT,
    )
    anything: st.SearchStrategy[Json] = st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(_MEMBERS), inner, max_size=6),
        max_leaves=6,
    )
    block = st.dictionaries(st.sampled_from(_MEMBERS), anything, max_size=6)
    content = st.one_of(st.lists(block | anything, max_size=4), TEXT, anything)
    role = st.sampled_from(("user", "assistant", "system")) | anything
    message: st.SearchStrategy[Json] = (
        st.fixed_dictionaries({}, optional={"role": role, "content": content, "id": anything}) | anything
    )
    shaped: dict[str, st.SearchStrategy[Json]] = {
        "messages": st.one_of(st.lists(message, max_size=4), anything),
        "tools": st.one_of(st.lists(block, max_size=3), anything),
    }

    @st.composite
    def bodies(draw: st.DrawFn) -> dict[str, Json]:
        names = draw(st.lists(st.sampled_from(_FIELDS), max_size=5, unique=True))
        return {name: draw(shaped.get(name, anything)) for name in ["messages", *names]}

    return bodies()

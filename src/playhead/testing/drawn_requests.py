"""Hypothesis strategies for arbitrary requests: the API's names, with anything at all behind them.

Law: imports hypothesis. Nothing here need be possible; `drawn_transcripts` has requests that are right.
"""

from __future__ import annotations

from hypothesis import strategies as st

from playhead.testing.values import TEXT
from playhead.wire.codec import Json

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

"""Hypothesis strategies for what Claude may say and what tools may do.

Law: the only module, with the kit, that imports hypothesis. What these draw is possible by construction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from hypothesis import strategies as st

from playhead.script.steps import Block, Reply, Turn, call, reply, say, think, turn
from playhead.wire.codec import Json, JsonObject
from playhead.wire.tables import BLOCKS, STOP_REASONS

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


_ANY_TEXT = st.one_of(
    TEXT, st.sampled_from(("", "\n\n", "a\r\nb\rc", "\u2028\x85\x0c", "\x00", '"\\', "data: x\n\n", "👩‍👩‍👧 é e\u0301"))
)
"""Text that is also empty, blank, or looks like the end of a line, of a string, of an event."""

_IDS = st.from_regex(r"[a-z]{1,4}_[0-9]{1,3}", fullmatch=True)
_MODELS = st.sampled_from(("claude-opus-5-5", "claude-haiku-4-5"))
_COUNTS = st.integers(0, 10**6)


def _object(kind: str, /, **members: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    return st.fixed_dictionaries({"type": st.just(kind), **members})


_CITATIONS: st.SearchStrategy[Json] = st.lists(
    st.one_of(
        _object(
            "char_location",
            cited_text=_ANY_TEXT,
            document_index=st.integers(0, 3),
            document_title=st.none() | TEXT,
            start_char_index=_COUNTS,
            end_char_index=_COUNTS,
        ),
        _object(
            "web_search_result_location", cited_text=_ANY_TEXT, url=TEXT, title=st.none() | TEXT, encrypted_index=TEXT
        ),
    ),
    min_size=1,
    max_size=3,
)
_CALLERS: st.SearchStrategy[Json] = st.one_of(
    _object("direct"), _object("code_execution_20250825", tool_id=st.just("srvtoolu_1"))
)
_CONTENTS: Mapping[str, st.SearchStrategy[Json]] = MappingProxyType(
    {
        "web_search_tool_result": st.lists(
            _object("web_search_result", title=TEXT, url=TEXT, encrypted_content=TEXT, page_age=st.none() | TEXT),
            max_size=2,
        ),
        "web_fetch_tool_result": _object(
            "web_fetch_result",
            url=TEXT,
            retrieved_at=st.none() | TEXT,
            content=_object(
                "document",
                title=st.none() | TEXT,
                source=_object("text", media_type=st.just("text/plain"), data=_ANY_TEXT),
            ),
        ),
        "code_execution_tool_result": _object(
            "code_execution_result",
            content=st.just([]),
            return_code=st.integers(0, 255),
            stderr=_ANY_TEXT,
            stdout=_ANY_TEXT,
        ),
        "bash_code_execution_tool_result": _object(
            "bash_code_execution_result",
            content=st.lists(_object("bash_code_execution_output", file_id=_IDS), max_size=1),
            return_code=st.integers(0, 255),
            stderr=_ANY_TEXT,
            stdout=_ANY_TEXT,
        ),
        "text_editor_code_execution_tool_result": st.one_of(
            _object("text_editor_code_execution_create_result", is_file_update=st.booleans()),
            _object("text_editor_code_execution_str_replace_result", lines=st.none() | st.lists(_ANY_TEXT, max_size=2)),
        ),
        "tool_search_tool_result": _object(
            "tool_search_tool_search_result",
            tool_references=st.lists(_object("tool_reference", tool_name=TEXT), max_size=2),
        ),
        "advisor_tool_result": _object("advisor_result", text=_ANY_TEXT),
        "mcp_tool_result": _ANY_TEXT | st.lists(_object("text", text=_ANY_TEXT), max_size=2),
        "compaction": st.none() | _ANY_TEXT,
    }
)
"""The content of each block that has one; a server tool's may be an error as well."""

_MEMBERS_OF_BLOCKS: Mapping[str, st.SearchStrategy[Json]] = MappingProxyType(
    {
        "text": _ANY_TEXT,
        "thinking": _ANY_TEXT,
        "signature": _ANY_TEXT,
        "data": TEXT,
        "id": _IDS,
        "tool_use_id": _IDS,
        "file_id": _IDS,
        "name": st.from_regex(r"[A-Za-z0-9_-]{1,12}", fullmatch=True),
        "input": tool_inputs(),
        "server_name": TEXT,
    }
)
_FURTHER: Mapping[str, Mapping[str, st.SearchStrategy[Json]]] = MappingProxyType(
    {
        "text": {"citations": st.none() | _CITATIONS},
        "tool_use": {"caller": _CALLERS},
        "server_tool_use": {"caller": _CALLERS},
        "web_search_tool_result": {"caller": _CALLERS},
        "web_fetch_tool_result": {"caller": _CALLERS},
        "compaction": {"encrypted_content": st.none() | TEXT},
    }
)
"""What a block may have besides what it must have."""

_WITHOUT_REQUIRED: Mapping[str, Mapping[str, st.SearchStrategy[Json]]] = MappingProxyType(
    {
        "mcp_tool_listing": {
            "mcp_server_name": TEXT,
            "tools": st.lists(st.fixed_dictionaries({"name": TEXT, "input_schema": tool_inputs()}), max_size=1),
        },
        "mcp_tool_result": {"is_error": st.booleans()},
        "fallback": {
            "from": st.fixed_dictionaries({"model": _MODELS}),
            "to": st.fixed_dictionaries({"model": _MODELS}),
            "trigger": _object("refusal", category=st.none() | TEXT),
        },
    }
)
"""What the API always sends with a block, and what a script may leave out."""


def reply_blocks(name: str) -> st.SearchStrategy[JsonObject]:
    """A content block of a reply, of a type that `playhead.wire.tables.BLOCKS` says replies have."""
    members = {member: _MEMBERS_OF_BLOCKS[member] for member in BLOCKS[name].required if member in _MEMBERS_OF_BLOCKS}
    if name in _CONTENTS:
        members["content"] = _CONTENTS[name]
    if BLOCKS[name].answers and name.endswith("_tool_result") and name != "mcp_tool_result":
        members["content"] |= _object(f"{name}_error", error_code=st.just("unavailable"))
    needed = {"type": st.just(name), **members, **_WITHOUT_REQUIRED.get(name, {})}
    return st.fixed_dictionaries(needed, optional={**_FURTHER.get(name, {})})


_USAGE: st.SearchStrategy[JsonObject] = st.fixed_dictionaries(
    {"input_tokens": _COUNTS, "output_tokens": _COUNTS},
    optional={
        "cache_creation_input_tokens": _COUNTS,
        "cache_read_input_tokens": st.none() | _COUNTS,
        "cache_creation": st.fixed_dictionaries(
            {"ephemeral_5m_input_tokens": _COUNTS, "ephemeral_1h_input_tokens": _COUNTS}
        ),
        "service_tier": st.sampled_from(("standard", "priority", "batch")),
        "inference_geo": st.none() | st.just("not_available"),
        "output_tokens_details": st.fixed_dictionaries({"thinking_tokens": _COUNTS}),
        "server_tool_use": st.none() | st.fixed_dictionaries({"web_search_requests": _COUNTS}),
        "iterations": st.lists(_object("message", input_tokens=_COUNTS, output_tokens=_COUNTS), max_size=2),
    },
)


@st.composite
def reply_messages(draw: st.DrawFn, *, max_blocks: int = 5) -> JsonObject:
    """A whole message as the API would send it: blocks of every type, each stop reason, every field of usage."""
    # most of what Claude says is text and calls
    names = [*["text", "tool_use"] * 3, *(name for name, known in BLOCKS.items() if known.replies)]
    content = draw(st.lists(st.sampled_from(names).flatmap(reply_blocks), max_size=max_blocks))
    called = any(block["type"] == "tool_use" for block in content)
    reasons = [name for name in STOP_REASONS if called or name != "tool_use"]
    hops = [block["to"]["model"] for block in content if block["type"] == "fallback"]
    message: JsonObject = {
        "id": "msg_" + draw(_IDS),
        "type": "message",
        "role": "assistant",
        # the model that spoke last; a fallback's block names it
        "model": hops[-1] if hops else draw(_MODELS),
        "content": content,
        "stop_reason": draw(st.sampled_from([*["tool_use"] * 4 * called, *reasons])),
        "stop_sequence": draw(st.none() | _ANY_TEXT),
        "usage": draw(_USAGE),
    }
    container: st.SearchStrategy[Json] = st.fixed_dictionaries(
        {"id": _IDS, "expires_at": st.just("2026-01-01T00:00:00Z")}
    )
    further: dict[str, st.SearchStrategy[Json]] = {
        "container": st.none() | container,
        "context_management": st.none() | st.just({"applied_edits": []}),
        "stop_details": st.none() | _object("refusal", category=st.none() | TEXT, explanation=st.none() | TEXT),
    }
    return message | draw(st.fixed_dictionaries({}, optional=further))


def replies(*, max_blocks: int = 5) -> st.SearchStrategy[Reply]:
    """A whole reply as a step: `reply({...})` with any message that the API might send."""
    return reply_messages(max_blocks=max_blocks).map(reply)


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

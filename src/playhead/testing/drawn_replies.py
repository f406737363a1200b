"""Hypothesis strategies for whole replies: what the API may send, with every type of block and every field.

Law: imports hypothesis. What these draw is possible by construction.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from hypothesis import strategies as st

from playhead.script.steps import Reply, reply
from playhead.testing.values import TEXT, tool_inputs
from playhead.wire.codec import Json, JsonObject
from playhead.wire.tables import BLOCKS, STOP_REASONS

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

"""Which keys the objects of a request may have.

Law: data, each key of each object that some version of the API or some beta has. Objects whose type is not listed are
not judged.

Source: the parameter types of the Python SDK 2.14.0 (`types/*_param.py`, `types/beta/*_param.py`), which are made from
the API's own description, and what public recordings show accepted. A test holds the tables against the installed SDK.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

Keys = frozenset[str]


def _keys(words: str) -> Keys:
    return frozenset(words.split())


def _table(rows: Mapping[str, str]) -> Mapping[str, Keys]:
    """Each name of a row (several are set apart by blanks) with its keys."""
    return MappingProxyType({name: _keys(keys) for names, keys in rows.items() for name in names.split()})


TOP_LEVEL: Keys = _keys(
    """
    model messages max_tokens cache_control container inference_geo metadata output_config service_tier stop_sequences
    stream system temperature thinking tool_choice tools top_k top_p

    billing_policy compaction context_management diagnostics fallback_credit_token fallbacks mcp_servers output_format
    speed thread user_profile_id

    anthropic_version anthropic_beta
    """
)
"""The keys of the body: those that need no beta, those of betas, and the two that clouds put into the body."""

BETA_TOP_LEVEL: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "mcp_servers": ("mcp-client-",),
        "context_management": ("context-management-", "compact-"),
        "user_profile_id": ("user-profiles-",),
        "thread": ("message-threads-",),
        "compaction": ("compact-",),
        "fallbacks": ("server-side-fallback-",),
        "fallback_credit_token": ("fallback-credit-",),
    }
)
"""The keys that no request has without a beta, and how the betas that bring them begin. The first three were measured
without (2026-08), the others are parameters of beta methods only."""

SPEED_NEEDS_BETA: Keys = _keys(
    """
    claude-haiku-4-5 claude-sonnet-4-5 claude-opus-4-5 claude-opus-4-6 claude-sonnet-4-6 claude-opus-4-7
    claude-opus-4-8 claude-sonnet-5
    """
)
"""The models with which `speed` is unknown unless `fast-mode-` is asked for; later ones may take it without
(`types/message_create_params.py`: "some models")."""

MESSAGE: Keys = frozenset(("role", "content"))
SYSTEM_MESSAGE_BETAS: Mapping[str, str] = MappingProxyType(
    {"output_config": "mid-conversation-output-config-", "clear_at": "mid-conversation-system-clear-at-"}
)
"""What a message of role `system` has beyond role and content, and the beta that brings it."""

_RESULT = "type tool_use_id content cache_control"

BLOCKS: Mapping[str, Keys] = _table(
    {
        "text": "type text cache_control citations",
        "image": "type source cache_control transformations",
        "document": "type source cache_control citations context title",
        "search_result": "type content source title cache_control citations",
        "tool_use": "type id name input cache_control caller toolset_name",
        "tool_result": f"{_RESULT} is_error toolset_name",
        "tool_reference": "type tool_name cache_control",
        "thinking": "type thinking signature",
        "redacted_thinking": "type data",
        "server_tool_use": "type id name input cache_control caller",
        "web_search_tool_result web_fetch_tool_result": f"{_RESULT} caller",
        "code_execution_tool_result bash_code_execution_tool_result": _RESULT,
        "text_editor_code_execution_tool_result tool_search_tool_result advisor_tool_result": _RESULT,
        "container_upload": "type file_id cache_control",
        "mcp_tool_use": "type id name input server_name cache_control",
        "mcp_tool_result": f"{_RESULT} is_error",
        "mcp_tool_listing": "type mcp_server_name tools",
        "compaction": "type content cache_control encrypted_content signature tool_changes",
        "fallback": "type from to trigger",
        "tool_addition tool_removal": "type tool cache_control",
        "browser_state": "type tabs cache_control state_changes",
    }
)

SOURCES: Mapping[str, Keys] = _table(
    {
        "base64 text": "type media_type data",
        "url": "type url",
        "file": "type file_id",
        "content": "type content",
    }
)
"""The `source` of images and documents."""

CALLERS: Mapping[str, Keys] = _table(
    {"direct": "type", "code_execution_20250825 code_execution_20260120": "type tool_id"}
)

_RANGE = "type cited_text document_index document_title file_id"

CITATIONS: Mapping[str, Keys] = _table(
    {
        "char_location": f"{_RANGE} start_char_index end_char_index",
        "page_location": f"{_RANGE} start_page_number end_page_number",
        "content_block_location": f"{_RANGE} start_block_index end_block_index",
        "search_result_location": "type cited_text search_result_index source title start_block_index end_block_index",
        "web_search_result_location": "type cited_text encrypted_index title url",
    }
)
"""The citations of a text. `file_id` is in replies only, but loops send replies back."""

CITATIONS_CONFIG: Keys = frozenset(("enabled",))
CACHE_CONTROL: Keys = frozenset(("type", "ttl"))
CACHE_CONTROL_BETAS: Mapping[str, str] = MappingProxyType({"scope": "prompt-caching-scope-"})

_OPTIONS = "type name cache_control allowed_callers defer_loading strict"
_CLIENT = f"{_OPTIONS} input_examples"
_SCREEN = f"{_CLIENT} display_height_px display_width_px display_number"
_SEARCH = f"{_OPTIONS} allowed_domains blocked_domains max_uses user_location"
_FETCH = f"{_OPTIONS} allowed_domains blocked_domains max_uses citations max_content_tokens url_sources"

TOOLS: Mapping[str, Keys] = _table(
    {
        "custom": f"{_CLIENT} input_schema description eager_input_streaming",
        "bash_20241022 bash_20250124 memory_20250818": _CLIENT,
        "text_editor_20241022 text_editor_20250124 text_editor_20250429": _CLIENT,
        "text_editor_20250728": f"{_CLIENT} max_characters",
        "computer_20241022 computer_20250124": _SCREEN,
        "computer_20251124": f"{_SCREEN} enable_zoom",
        # what these take beyond it is the business of the rule on toolset entries
        "computer_toolset_20260801 browser_toolset_20260801": f"{_CLIENT} configs",
        "code_execution_20250522 code_execution_20250825 code_execution_20260120 code_execution_20260521": _OPTIONS,
        "tool_search_tool_regex tool_search_tool_regex_20251119": _OPTIONS,
        "tool_search_tool_bm25 tool_search_tool_bm25_20251119": _OPTIONS,
        "web_search_20250305 web_search_20260209": _SEARCH,
        "web_search_20260318": f"{_SEARCH} response_inclusion",
        "web_fetch_20250910 web_fetch_20260209": _FETCH,
        "web_fetch_20260309": f"{_FETCH} use_cache",
        "web_fetch_20260318": f"{_FETCH} use_cache response_inclusion",
        "advisor_20260301": f"{_OPTIONS} model caching max_tokens max_uses",
        "mcp_toolset": "type mcp_server_name cache_control configs default_config tools",
    }
)

TOOL_CHOICES: Mapping[str, Keys] = _table(
    {
        "auto any": "type disable_parallel_tool_use",
        "tool": "type name disable_parallel_tool_use",
        "none": "type",
    }
)

# `display` of disabled thinking and `block_binding` have rules of their own
THINKING: Mapping[str, Keys] = _table(
    {
        "adaptive": "type display block_binding",
        "enabled": "type budget_tokens display block_binding",
        "disabled": "type display block_binding",
        "between_tools": "type block_binding",
    }
)

OUTPUT_CONFIG: Keys = frozenset(("format", "effort"))
OUTPUT_CONFIG_BETAS: Mapping[str, str] = MappingProxyType({"task_budget": "task-budgets-"})
OUTPUT_FORMAT: Mapping[str, Keys] = _table({"json_schema": "type schema"})
CONTAINER: Keys = frozenset(("id", "skills"))
CONTEXT_MANAGEMENT: Keys = frozenset(("edits",))
CONTEXT_EDITS: Mapping[str, Keys] = _table(
    {
        "clear_tool_uses_20250919": "type trigger keep clear_at_least clear_tool_inputs exclude_tools",
        "clear_thinking_20251015": "type keep",
        "compact_20260112": "type trigger instructions pause_after_compaction",
    }
)
MCP_SERVERS: Mapping[str, Keys] = _table({"url": "type url name authorization_token tool_configuration"})

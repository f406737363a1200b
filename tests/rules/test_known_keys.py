"""The rules on unknown keys, and no rule on a single request chokes on any JSON."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playhead.rules import api_version, field_ranges, field_types, headers, key_tables, known_keys
from playhead.rules.checker import api_error, check_request
from playhead.rules.known_keys import RULES

Json = dict[str, Any]
EXTRA = ": Extra inputs are not permitted"
BARE = {"anthropic-version": "2023-06-01", "x-api-key": "k"}
USE: Json = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}
IMAGE: Json = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "eA=="}}
TOOL: Json = {"name": "f", "input_schema": {"type": "object"}}


def body(*content: object, role: str = "user", **more: object) -> Json:
    message = {"role": role, "content": list(content) if content else "hi"}
    return {"model": "claude-sonnet-5", "max_tokens": 9, "messages": [message], **more}


def text(**more: object) -> Json:
    return {"type": "text", "text": "x", **more}


def result(*content: object, **more: object) -> Json:
    return {"type": "tool_result", "tool_use_id": "toolu_1", "content": list(content), **more}


def message(**more: object) -> Json:
    return body() | {"messages": [{"role": "user", "content": "hi", **more}]}


# request, the path in the body, the path in the API's words
UNKNOWN: dict[str, tuple[Json, str, str]] = {
    "top": (body(foo=1), "$.foo", "foo"),
    "top-null": (body(foo=None), "$.foo", "foo"),
    "top-of-another-vendor": (body(max_completion_tokens=9), "$.max_completion_tokens", "max_completion_tokens"),
    "top-betas": (body(betas=["files-api-2025-04-14"]), "$.betas", "betas"),
    "message-name": (message(name="Ada"), "$.messages[0].name", "messages.0.name"),
    "message-id": (message(id="msg_1"), "$.messages[0].id", "messages.0.id"),
    "message-key-null": (message(tool_calls=None), "$.messages[0].tool_calls", "messages.0.tool_calls"),
    "text-parsed-output": (
        body(text(parsed_output=None)),
        "$.messages[0].content[0].parsed_output",
        "messages.0.content.0.text.parsed_output",
    ),
    "tool-use": (
        body({**USE, "index": 0}, role="assistant"),
        "$.messages[0].content[0].index",
        "messages.0.content.0.tool_use.index",
    ),
    "tool-result": (
        body(result(name="f")),
        "$.messages[0].content[0].name",
        "messages.0.content.0.tool_result.name",
    ),
    "in-a-tool-result": (
        body(result(text(), text(annotations=[]))),
        "$.messages[0].content[0].content[1].annotations",
        "messages.0.content.0.tool_result.content.1.text.annotations",
    ),
    "image": (body({**IMAGE, "detail": "low"}), "$.messages[0].content[0].detail", "messages.0.content.0.image.detail"),
    "source": (
        body({**IMAGE, "source": {**IMAGE["source"], "filename": "a.png"}}),
        "$.messages[0].content[0].source.filename",
        "messages.0.content.0.image.source.base64.filename",
    ),
    "document-citations": (
        body({"type": "document", "source": {"type": "file", "file_id": "f"}, "citations": {"enabled": True, "x": 1}}),
        "$.messages[0].content[0].citations.x",
        "messages.0.content.0.document.citations.x",
    ),
    "text-citation": (
        body(text(citations=[{"type": "char_location", "cited_text": "x", "start": 0}]), role="assistant"),
        "$.messages[0].content[0].citations[0].start",
        "messages.0.content.0.text.citations.0.char_location.start",
    ),
    "caller": (
        body({**USE, "caller": {"type": "direct", "tool_id": "srvtoolu_1"}}, role="assistant"),
        "$.messages[0].content[0].caller.tool_id",
        "messages.0.content.0.tool_use.caller.direct.tool_id",
    ),
    "cache-control": (
        body(text(cache_control={"type": "ephemeral", "max_age": 1})),
        "$.messages[0].content[0].cache_control.max_age",
        "messages.0.content.0.text.cache_control.ephemeral.max_age",
    ),
    "thinking-block": (
        body({"type": "thinking", "thinking": "", "signature": "s", "text": "x"}, role="assistant"),
        "$.messages[0].content[0].text",
        "messages.0.content.0.thinking.text",
    ),
    "tool": (body(tools=[TOOL, {**TOOL, "parameters": {}}]), "$.tools[1].parameters", "tools.1.custom.parameters"),
    "tool-by-name": (body(tools=[{**TOOL, "type": "custom", "x": 1}]), "$.tools[0].x", "tools.0.custom.x"),
    "server-tool": (
        body(tools=[{"type": "web_search_20250305", "name": "web_search", "max_results": 3}]),
        "$.tools[0].max_results",
        "tools.0.web_search_20250305.max_results",
    ),
    "client-tool": (
        body(tools=[{"type": "bash_20250124", "name": "bash", "input_schema": {}}]),
        "$.tools[0].input_schema",
        "tools.0.bash_20250124.input_schema",
    ),
    "tool-cache-control": (
        body(tools=[{**TOOL, "cache_control": {"type": "ephemeral", "x": 1}}]),
        "$.tools[0].cache_control.x",
        "tools.0.custom.cache_control.ephemeral.x",
    ),
    "system": (body(system=[text(), text(name="x")]), "$.system[1].name", "system.1.name"),
    "system-cache-control": (
        body(system=[text(cache_control={"type": "ephemeral", "x": 1})]),
        "$.system[0].cache_control.x",
        "system.0.cache_control.ephemeral.x",
    ),
    "top-cache-control": (
        body(cache_control={"type": "ephemeral", "x": 1}),
        "$.cache_control.x",
        "cache_control.ephemeral.x",
    ),
    "thinking-adaptive": (
        body(thinking={"type": "adaptive", "budget_tokens": 1024}),
        "$.thinking.budget_tokens",
        "thinking.adaptive.budget_tokens",
    ),
    "thinking-disabled": (
        body(thinking={"type": "disabled", "budget_tokens": 0}),
        "$.thinking.budget_tokens",
        "thinking.disabled.budget_tokens",
    ),
    "tool-choice-auto": (
        body(tool_choice={"type": "auto", "name": "f"}),
        "$.tool_choice.name",
        "tool_choice.auto.name",
    ),
    "tool-choice-none": (
        body(tool_choice={"type": "none", "disable_parallel_tool_use": True}),
        "$.tool_choice.disable_parallel_tool_use",
        "tool_choice.none.disable_parallel_tool_use",
    ),
    "output-format": (
        body(output_config={"format": {"type": "json_schema", "schema": {}, "strict": True}}),
        "$.output_config.format.strict",
        "output_config.format.strict",
    ),
    "container": (body(container={"id": "c", "name": "x"}), "$.container.name", "container.ContainerParams.name"),
    "context-edit": (
        body(context_management={"edits": [{"type": "clear_tool_uses_20250919", "at": 1}]}),
        "$.context_management.edits[0].at",
        "context_management.edits.0.clear_tool_uses_20250919.at",
    ),
    "mcp-server": (
        body(mcp_servers=[{"type": "url", "url": "https://x", "name": "x", "headers": {}}]),
        "$.mcp_servers[0].headers",
        "mcp_servers.0.headers",
    ),
}


@pytest.mark.parametrize(("request_body", "path", "api"), UNKNOWN.values(), ids=UNKNOWN.keys())
def test_a_key_that_no_version_has(request_body: Json, path: str, api: str) -> None:
    """It is refused with or without headers, at its place, with the API's text."""
    (violation,) = check_request(request_body, only=RULES)
    assert (violation.rule, violation.level, violation.path) == ("req-extra-inputs-forbidden", "reject", path)
    assert violation.api == api + EXTRA
    assert path in {found.path for found in check_request(request_body, BARE, only=RULES)}


# key, value, the beta that brings it
BROUGHT: dict[str, tuple[Json, str, str]] = {
    "mcp-servers": (body(mcp_servers=[]), "mcp_servers", "mcp-client-2025-11-20"),
    "context-management": (body(context_management={}), "context_management", "context-management-2025-06-27"),
    "compaction-edits": (body(context_management={}), "context_management", "compact-2026-01-12"),
    "user-profile": (body(user_profile_id="u"), "user_profile_id", "user-profiles-2026-03-24"),
    "thread": (body(thread={"type": "create"}), "thread", "message-threads-2026-08-12"),
    "compaction": (body(compaction={"type": "summarize"}), "compaction", "compact-2026-09-04"),
    "fallbacks": (body(fallbacks="default"), "fallbacks", "server-side-fallback-2026-07-01"),
    "fallback-credit": (body(fallback_credit_token="t"), "fallback_credit_token", "fallback-credit-2026-07-01"),
    "speed": (body(speed="fast"), "speed", "fast-mode-2026-02-01"),
    "cache-scope": (
        body(system=[text(cache_control={"type": "ephemeral", "scope": "global"})]),
        "system.0.cache_control.ephemeral.scope",
        "prompt-caching-scope-2026-01-05",
    ),
    "system-message-effort": (
        body() | {"messages": [{"role": "system", "content": [], "output_config": {"effort": "low"}}]},
        "messages.0.output_config",
        "mid-conversation-output-config-2026-07-01",
    ),
    "system-message-clear-at": (
        body() | {"messages": [{"role": "system", "content": "x", "clear_at": "x"}]},
        "messages.0.clear_at",
        "mid-conversation-system-clear-at-2026-08-21",
    ),
}


@pytest.mark.parametrize(("request_body", "api", "beta"), BROUGHT.values(), ids=BROUGHT.keys())
def test_a_key_that_a_beta_brings(request_body: Json, api: str, beta: str) -> None:
    """It is unknown where the headers are known and lack the beta; with it, or with unknown headers, it is not."""
    (violation,) = check_request(request_body, BARE, only=RULES)
    assert (violation.rule, violation.api) == ("req-extra-inputs-forbidden", api + EXTRA)
    assert check_request(request_body, {**BARE, "anthropic-beta": f"x,{beta}"}, only=RULES) == ()
    unsure: list[dict[str, str] | None] = [
        None,
        {},
        {**BARE, "anthropic-beta": "**REDACTED**"},
        {"anthropic-version": "bedrock-2023-05-31"},
    ]
    for given_headers in unsure:
        assert check_request(request_body, given_headers, only=RULES) == ()


OUTPUT_CONFIG: dict[str, tuple[Json, dict[str, str] | None, str | None]] = {
    "other-key": ({"verbosity": "low"}, None, "verbosity"),
    "other-key-null": ({"effort": "low", "x": None}, BARE, "x"),
    "budget-without-headers": ({"task_budget": {"type": "tokens", "total": 20000}}, None, "task_budget"),
    "budget-without-beta": ({"task_budget": {"type": "tokens", "total": 20000}}, BARE, "task_budget"),
    "budget": ({"task_budget": {}}, {**BARE, "anthropic-beta": "task-budgets-2026-03-13"}, None),
    "budget-and-masked-headers": ({"task_budget": {}}, {**BARE, "anthropic-beta": "**REDACTED**"}, None),
    "effort-and-format": ({"effort": "low", "format": {"type": "json_schema", "schema": {}}}, BARE, None),
    "empty": ({}, None, None),
}


@pytest.mark.parametrize(("config", "given_headers", "key"), OUTPUT_CONFIG.values(), ids=OUTPUT_CONFIG.keys())
def test_the_keys_of_output_config(config: Json, given_headers: dict[str, str] | None, key: str | None) -> None:
    """It takes effort and format; what a beta adds is judged without headers as well, as if none was asked for."""
    violations = check_request(body(output_config=config), given_headers, only=RULES)
    expected = [("output-config-keys", f"$.output_config.{key}", f"output_config.{key}{EXTRA}")] if key else []
    assert [(violation.rule, violation.path, violation.api) for violation in violations] == expected


TAKEN: dict[str, Json] = {
    "every-plain-field": body(
        cache_control=None,
        container=None,
        inference_geo=None,
        metadata={},
        output_config={},
        service_tier="auto",
        stop_sequences=[],
        stream=False,
        system="",
        temperature=1,
        thinking={"type": "adaptive", "display": "summarized"},
        tool_choice={"type": "tool", "name": "f", "disable_parallel_tool_use": True},
        tools=[TOOL],
        top_k=1,
        top_p=1,
    ),
    "known-keys-may-be-null": body(text(cache_control=None, citations=None), {**USE, "caller": None}),
    "clouds": body(anthropic_version="bedrock-2023-05-31", anthropic_beta=["x"]),
    "reply-sent-back": body(
        text(citations=[{"type": "page_location", "cited_text": "x", "document_index": 0, "file_id": None}]),
        {**USE, "caller": {"type": "code_execution_20260120", "tool_id": "srvtoolu_1"}, "toolset_name": "t"},
        {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [], "caller": {"type": "direct"}},
        role="assistant",
    ),
    "unknown-types": body(
        {"type": "hologram", "x": 1}, tools=[{"type": "hologram_2027", "x": 1}], thinking={"type": "x", "y": 1}
    ),
    "a-tool-in-another-spelling": body(tools=[{"name": "f", "parameters": {}}, {"type": "function", "function": {}}]),
    "a-block-without-its-members": body({"type": "text", "content": "x"}, result() | {"id": "x", "type": "tool_use"}),
    "a-message-without-content": body() | {"messages": [{"role": "user", "text": "hi"}]},
    "a-role-of-another-vendor": body() | {"messages": [{"role": "tool", "content": "x", "tool_call_id": "1"}]},
    "keys-with-rules-of-their-own": body(
        {"type": "thinking", "thinking": "", "signature": "s", "cache_control": {"type": "ephemeral"}},
        role="assistant",
        thinking={"type": "disabled", "display": "omitted", "block_binding": {}},
        metadata={"x": 1},
    ),
    "input-is-anything": body({**USE, "input": {"type": "text", "x": 1}}, role="assistant"),
    "speed-of-a-later-model": body(speed="fast") | {"model": "claude-opus-5-5"},
}


@pytest.mark.parametrize("request_body", TAKEN.values(), ids=TAKEN.keys())
def test_what_is_no_unknown_key(request_body: Json) -> None:
    """Nothing is found in what is known, cannot be judged, or has another fault."""
    assert check_request(request_body, only=RULES) == ()
    assert check_request(request_body, BARE, only=RULES) == ()


ALL = (*field_types.RULES, *field_ranges.RULES, *known_keys.RULES, *headers.RULES, *api_version.RULES)
TYPES = sorted({*key_tables.BLOCKS, *key_tables.TOOLS, *key_tables.THINKING, *key_tables.TOOL_CHOICES, "ephemeral"})
KEYS = sorted({*key_tables.TOP_LEVEL, *(key for keys in key_tables.BLOCKS.values() for key in keys), "role", "edits"})
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=3)
    | st.sampled_from([*TYPES, "user", "assistant", "system", "claude-opus-5", "claude-sonnet-4-5"])
)
ANY = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=3), inner),
    max_leaves=20,
)
MESSAGES = st.lists(ANY | st.fixed_dictionaries({"role": SCALARS, "content": ANY | st.lists(ANY)}), max_size=3)
BODIES = st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=3), ANY, max_size=5).flatmap(
    lambda fields: st.builds(lambda messages: {**fields, "messages": messages}, MESSAGES) | st.just(fields)
)
HEADERS = st.none() | st.dictionaries(
    st.sampled_from(["anthropic-version", "anthropic-beta", "x-api-key", "authorization"]),
    st.sampled_from(["", "2026-10-21", "2023-06-01", "{x}", "a,b-2025-99-99"]) | st.text(max_size=9),
)


@settings(max_examples=150, deadline=None)
@given(BODIES, HEADERS)
def test_any_json_is_judged(request_body: Json, given_headers: dict[str, str] | None) -> None:
    """Whatever stands in a body, every rule has an answer and every answer a text."""
    for violation in check_request(request_body, given_headers, only=ALL):
        assert violation.path.startswith("$")
        assert str(violation)
    api_error(request_body, given_headers, only=ALL)

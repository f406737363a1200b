"""The rules on what tools that Anthropic runs say of themselves."""

from __future__ import annotations

from typing import Any

import pytest

from playhead.rules.checker import check_request
from playhead.rules.server_tool_options import RULES

Json = dict[str, Any]

MCP = {"type": "url", "name": "s", "url": "https://e.x"}
NEW = {"anthropic-version": "2023-06-01", "anthropic-beta": "mcp-client-2025-11-20"}
OLD = {"anthropic-version": "2023-06-01", "anthropic-beta": "mcp-client-2025-04-04"}


def body(*tools: object, model: str = "claude-haiku-4-5", **more: object) -> Json:
    messages = [{"role": "user", "content": "hi"}]
    return {"model": model, "max_tokens": 99, "messages": messages, "tools": list(tools), **more}


def search(**more: object) -> Json:
    return {"type": "web_search_20250305", "name": "web_search", **more}


def newer(type_: str = "web_search_20260209", **more: object) -> Json:
    return {"type": type_, "name": type_[:-9], **more}


def toolset(server: object = "s") -> Json:
    return {"type": "mcp_toolset", "mcp_server_name": server}


# what is sent, with which headers; rule and path of each violation
FAILING: dict[str, tuple[Json, dict[str, str] | None, list[tuple[str, str]]]] = {
    "both-lists": (
        body(search(allowed_domains=["a.com"], blocked_domains=["b.com"])),
        None,
        [("domain-filters-exclusive", "$.tools[0].blocked_domains")],
    ),
    "both-lists-of-a-fetch": (
        body(newer("web_fetch_20250910", allowed_domains=["a.com"], blocked_domains=["b.com"])),
        None,
        [("domain-filters-exclusive", "$.tools[0].blocked_domains")],
    ),
    "a-scheme": (
        body(search(allowed_domains=["a.com", "https://b.com"])),
        None,
        [("domain-filters-exclusive", "$.tools[0].allowed_domains[1]")],
    ),
    "a-wildcard-for-subdomains": (
        body(search(blocked_domains=["*.a.com"])),
        None,
        [("domain-filters-exclusive", "$.tools[0].blocked_domains[0]")],
    ),
    "two-wildcards": (
        body(search(blocked_domains=["a.com/*/b/*"])),
        None,
        [("domain-filters-exclusive", "$.tools[0].blocked_domains[0]")],
    ),
    "no-domain": (
        body(search(allowed_domains=["", "a b.com"])),
        None,
        [
            ("domain-filters-exclusive", "$.tools[0].allowed_domains[0]"),
            ("domain-filters-exclusive", "$.tools[0].allowed_domains[1]"),
        ],
    ),
    "no-callers": (body(newer()), None, [("web-tool-direct-callers", "$.tools[0]")]),
    "null-callers": (
        body(newer(allowed_callers=None), model="claude-haiku-4-5-20251001"),
        None,
        [("web-tool-direct-callers", "$.tools[0]")],
    ),
    "only-code": (
        body(search(), newer("web_fetch_20260318", allowed_callers=["code_execution_20260120"])),
        None,
        [("web-tool-direct-callers", "$.tools[1].allowed_callers")],
    ),
    "an-older-model": (body(newer(), model="claude-opus-4-1"), None, [("web-tool-direct-callers", "$.tools[0]")]),
    "a-server-without-a-toolset": (
        body({"name": "add", "input_schema": {"type": "object"}}, mcp_servers=[MCP]),
        None,
        [("mcp-toolset-servers", "$.mcp_servers[0]")],
    ),
    "a-toolset-without-a-server": (
        body(toolset("other"), mcp_servers=[MCP]),
        NEW,
        [("mcp-toolset-servers", "$.tools[0].mcp_server_name"), ("mcp-toolset-servers", "$.mcp_servers[0]")],
    ),
    "no-servers-at-all": (body(toolset()), None, [("mcp-toolset-servers", "$.tools[0].mcp_server_name")]),
    "two-toolsets-of-one-server": (
        body(toolset(), toolset(), mcp_servers=[MCP]),
        NEW,
        [("mcp-toolset-servers", "$.tools[1].mcp_server_name")],
    ),
    "a-second-server-without-a-toolset": (
        body(toolset(), mcp_servers=[MCP, {**MCP, "name": "t"}]),
        None,
        [("mcp-toolset-servers", "$.mcp_servers[1]")],
    ),
}

PASSING: dict[str, tuple[Json, dict[str, str] | None]] = {
    "no-filters": (body(search(allowed_domains=None, blocked_domains=None)), None),
    "one-list-and-an-empty-one": (body(search(allowed_domains=["a.com"], blocked_domains=[])), None),
    "paths-and-subdomains": (body(search(allowed_domains=["a.com/blog", "docs.b.co.uk/*/c", "münchen.de"])), None),
    "lists-of-the-wrong-type": (body(search(allowed_domains="https://a.com", blocked_domains=[5, None])), None),
    "domains-of-a-tool-of-one's-own": (body({"name": "a", "allowed_domains": ["*"], "blocked_domains": ["*"]}), None),
    "direct": (body(newer(allowed_callers=["direct"])), None),
    "direct-and-code": (body(newer(allowed_callers=["code_execution_20260120", "direct"])), None),
    "the-older-search": (body(search()), None),
    "a-model-whose-code-calls": (body(newer(), model="claude-sonnet-4-6"), None),
    "a-model-that-nobody-knows": (body(newer(), model="claude-next"), None),
    "callers-of-the-wrong-type": (body(newer(allowed_callers="code")), None),
    "a-server-and-its-toolset": (body(toolset(), mcp_servers=[MCP]), NEW),
    "the-first-beta": (body(mcp_servers=[MCP]), OLD),
    "the-first-beta-by-its-member": (body(mcp_servers=[{**MCP, "tool_configuration": {"enabled": True}}]), None),
    "headers-without-betas": (body(mcp_servers=[MCP]), {"host": "api.anthropic.com"}),
    "a-toolset-that-a-message-adds": (
        {
            **body(mcp_servers=[MCP]),
            "messages": [
                {"role": "user", "content": "hi"},
                {"role": "system", "content": [{"type": "tool_addition", "tool": {}}]},
            ],
        },
        None,
    ),
    "servers-of-odd-shapes": (body(toolset(5), mcp_servers=[5, {}, {"name": None}]), None),
    "servers-of-the-wrong-type": (body(toolset(), mcp_servers={}), None),
    "null-servers": (body(mcp_servers=None), None),
}


@pytest.mark.parametrize("case", FAILING)
def test_failing(case: str) -> None:
    """Rule and place of all that is found, and nothing else; the API's text is not known for these."""
    sent, headers, expected = FAILING[case]
    found = check_request(sent, headers, only=RULES)
    assert [(violation.rule, violation.path) for violation in found] == expected
    assert {(violation.level, violation.api) for violation in found} == {("reject", None)}


@pytest.mark.parametrize("case", PASSING)
def test_passing(case: str) -> None:
    """What the API takes, or what is not known, is left alone."""
    sent, headers = PASSING[case]
    assert check_request(sent, headers, only=RULES) == ()

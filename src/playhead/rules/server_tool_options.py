"""Rules on what tools that Anthropic runs say of themselves: domains, callers, MCP servers.

Law: pure checks on `tools` and `mcp_servers`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from playhead.rules.order import FIELD
from playhead.rules.rule import Finding, RequestView, Rule
from playhead.rules.tool_types import MCP_TOOLSET, callers, entries, has_inline_tools, is_dynamic_web_tool, kind

_LISTS = ("allowed_domains", "blocked_domains")


def _domains(view: RequestView) -> Iterator[Finding]:
    for index, tool in entries(view):
        if not kind(tool).startswith(("web_search_", "web_fetch_")):
            continue
        if all(isinstance(tool.get(name), list) and tool[name] for name in _LISTS):
            yield Finding(
                path=f"$.tools[{index}].blocked_domains",
                what=f"{tool.get('name')} has both allowed_domains and blocked_domains",
                values={"fix": "send one of the two lists"},
                place=(index, 2),
            )
        for name in _LISTS:
            domains = tool.get(name)
            for number, domain in enumerate(domains if isinstance(domains, list) else ()):
                wrong = _wrong_domain(domain) if isinstance(domain, str) else None
                if wrong:
                    yield Finding(
                        path=f"$.tools[{index}].{name}[{number}]",
                        what=f"{domain!r} {wrong}",
                        values={"fix": "write the bare domain, example.com or example.com/blog/*, say"},
                        place=(index, 2, number),
                    )


def _wrong_domain(domain: str) -> str | None:
    """What is wrong with a domain, None where nothing is seen to be."""
    host, _, path = domain.partition("/")
    if "://" in domain or host.endswith(":"):
        return "has a scheme"
    if not host or any(character.isspace() for character in domain):
        return "is no domain"
    if "*" in host:
        return "has a wildcard in the domain itself; it may stand in the path only"
    return "has more than one wildcard" if path.count("*") > 1 else None


_WITHOUT_CODE = frozenset(
    {
        *("claude-3-haiku", "claude-3-sonnet", "claude-3-opus", "claude-3-5-haiku", "claude-3-5-sonnet"),
        *("claude-3-7-sonnet", "claude-sonnet-4", "claude-opus-4", "claude-opus-4-1", "claude-haiku-4-5"),
    }
)
"""Models whose code cannot call tools (platform.claude.com, programmatic tool calling: Opus 4.5 and Sonnet 4.5 on)."""


def _web_callers(view: RequestView) -> Iterator[Finding]:
    if view.model.name not in _WITHOUT_CODE:
        return
    for index, tool in entries(view):
        named = tool.get("allowed_callers")
        if is_dynamic_web_tool(tool) and isinstance(named, list | None) and "direct" not in callers(tool):
            yield Finding(
                path=f"$.tools[{index}].allowed_callers" if named is not None else f"$.tools[{index}]",
                what=f"{kind(tool)} is called by code unless it says otherwise, which {view.model.name} cannot do",
                values={"i": index},
                place=(index, 2),
            )


_OLD_MCP = "mcp-client-2025-04-04"  # of this beta no toolset was asked for


def _mcp_pairs(view: RequestView) -> Iterator[Finding]:
    servers, tools = view.body.get("mcp_servers"), view.body.get("tools")
    if not isinstance(servers, list | None) or not isinstance(tools, list | None) or not _asks_for_toolsets(view):
        return
    declared = [server for server in servers or () if isinstance(server, dict)]
    names = [server["name"] for server in declared if isinstance(server.get("name"), str)]
    used: Counter[str] = Counter()
    for index, tool in entries(view):
        name = tool.get("mcp_server_name")
        if kind(tool) != MCP_TOOLSET or not isinstance(name, str):
            continue
        used[name] += 1
        if name not in names or used[name] > 1:
            known = f"the servers are {', '.join(names)}" if names else "no server is declared"
            yield Finding(
                path=f"$.tools[{index}].mcp_server_name",
                what=f"a second toolset is for {name}" if used[name] > 1 else f"no server is called {name}; {known}",
                values={"name": name},
                place=(index,),
            )
    for position, server in enumerate(servers or ()):
        name = server.get("name") if isinstance(server, dict) else None
        if isinstance(name, str) and not used[name] and "tool_configuration" not in server:
            yield Finding(
                path=f"$.mcp_servers[{position}]",
                what=f"no toolset makes use of the server {name}",
                values={"name": name},
                place=(len(view.tools), position),
            )


def _asks_for_toolsets(view: RequestView) -> bool:
    """Whether servers need toolsets: so in each beta but the first, and assumed where the headers are unknown."""
    if not view.knows("tools") or not view.knows("mcp_servers") or has_inline_tools(view):
        return False
    betas = view.betas
    return betas is None or any(beta.startswith("mcp-client-") and beta != _OLD_MCP for beta in betas)


RULES = (
    Rule(
        id="domain-filters-exclusive",
        level="reject",
        fix="{fix}",
        rank=FIELD["tools"],
        envelope=_domains,
    ),
    Rule(
        id="web-tool-direct-callers",
        level="reject",
        fix='add "allowed_callers": ["direct"]',
        rank=FIELD["tools"],
        envelope=_web_callers,
    ),
    Rule(
        id="mcp-toolset-servers",
        level="reject",
        fix='send one {{"type": "mcp_toolset", "mcp_server_name": "{name}"}} and one server of that name',
        rank=FIELD["mcp_servers"],
        envelope=_mcp_pairs,
    ),
)

"""Whether a request offers the tools that a script's step calls: Claude would not call any other.

Law: pure; the errors say what to mend, the script or the request.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from playhead.engine.compose import is_server_call
from playhead.errors import ScriptError
from playhead.rules.tool_types import CODE_NAMES, runs_code
from playhead.script.steps import Reply, Turn
from playhead.wire.codec import JsonObject
from playhead.wire.tables import BLOCKS


def require_offered(step: Turn | Reply, tools: object, where: str, servers: object = None) -> None:
    """Refuses a call of a tool that the request does not offer: Claude would not make it. Raises `ScriptError`.

    `tools` and `servers` are the request's `tools` and `mcp_servers`. Tools that Anthropic runs are looked up for turns
    only; in a whole message, `reply({...})`, they are taken as they stand.
    """
    if isinstance(step, Reply) and not step.check:
        return
    offered = [tool for tool in (tools if isinstance(tools, list) else ()) if isinstance(tool, dict)]
    blocks = step.message["content"] if isinstance(step, Reply) else [block.data for block in step.content]
    for block in blocks:
        if block.get("type") == "tool_use":
            _require_tool(block, offered, where)
        elif isinstance(step, Turn) and is_server_call(block):
            _require_server_tool(block, offered, servers, where)


def calls_tools(step: Turn | Reply) -> bool:
    """Whether a step calls any tool, so that what is offered matters."""
    if isinstance(step, Turn):
        # what belongs to a block, `then`, are results, and their call is a block of the turn
        for block in step.blocks:  # noqa: SIM110 - a generator costs more than all that it looks at
            if block.data["type"] in _CALLED:
                return True
        return False
    blocks = step.message.get("content")
    return isinstance(blocks, list) and any(
        isinstance(block, dict) and block.get("type") in _CALLED for block in blocks
    )


_CALLED = frozenset(name for name, block in BLOCKS.items() if block.called)


def _require_tool(call: JsonObject, offered: Sequence[JsonObject], where: str) -> None:
    if any("toolset" in str(tool.get("type", "")) for tool in offered):
        return  # the names of its members are not in the request
    names = [*_names(offered)]
    if call.get("name") not in names:
        offer = f"offers {', '.join(names)}" if names else "sends no tools"
        raise ScriptError(
            f"{where} calls {call.get('name')!r}, but the request {offer}: mend the name in the script, or, "
            "to rehearse a model that invents a tool, write reply({...}, check=False)"
        )


def _names(offered: Sequence[JsonObject]) -> Iterator[str]:
    return (tool["name"] for tool in offered if isinstance(tool.get("name"), str))


def _require_server_tool(call: JsonObject, offered: Sequence[JsonObject], servers: object, where: str) -> None:
    name = str(call.get("name"))
    if call["type"] == "mcp_tool_use":
        named = [*(servers if isinstance(servers, list) else ())]
        known = [server.get("name") for server in named if isinstance(server, dict)]
        known += [tool["mcp_server_name"] for tool in offered if "mcp_server_name" in tool]
        if call.get("server_name") not in known:
            raise ScriptError(
                f"{where} calls a tool of the MCP server {call.get('server_name')!r}, which the request does not name: "
                "send it in `mcp_servers` with its toolset"
            )
    elif name not in _names(offered) and not (name in CODE_NAMES and any(map(runs_code, offered))):
        wanted = "code_execution" if name in CODE_NAMES else name
        raise ScriptError(
            f"{where} calls {name}, a tool that Anthropic runs, but the request does not offer it: send a tool of type "
            f"{wanted}_20..., or take the call out of the script"
        )

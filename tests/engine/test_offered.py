"""Calls of tools that the request does not offer: the script's fault, said so that it can be mended."""

from __future__ import annotations

from typing import Any

import pytest

from playhead import ScriptError, by_code, call, mcp, reply, say, search, server_call, think, turn
from playhead.engine.offered import calls_tools, require_offered
from playhead.script.steps import Reply, Turn

CALLING = reply({"content": [{"type": "text", "text": "a"}, {"type": "tool_use", "name": "add", "input": {}}]})


@pytest.mark.parametrize("step", [CALLING, turn(say("a"), call("add"))], ids=["reply", "turn"])
@pytest.mark.parametrize(
    "tools",
    [
        [{"name": "add"}],
        [{"name": "other"}, {"name": "add", "type": "custom"}],
        [{"type": "mcp_toolset", "mcp_server_name": "s"}],
        [{"name": "x", "type": "some_toolset_2026"}],
    ],
    ids=["offered", "among others", "a toolset", "a named toolset"],
)
def test_calls_of_offered_tools_pass(step: Turn | Reply, tools: object) -> None:
    """A tool is known by its name; what a toolset holds cannot be known."""
    require_offered(step, tools, "step 1")


@pytest.mark.parametrize("step", [CALLING, turn(call("add"))], ids=["reply", "turn"])
@pytest.mark.parametrize(
    ("tools", "offer"),
    [
        (None, "sends no tools"),
        ([], "sends no tools"),
        ("add", "sends no tools"),
        ([{"name": "sum"}, {"name": "sub"}], "offers sum, sub"),
    ],
    ids=["none", "empty", "ill-typed", "others"],
)
def test_calls_of_other_tools_are_the_scripts_fault(step: Turn | Reply, tools: object, offer: str) -> None:
    """The error names the call, the offer and the way out."""
    with pytest.raises(ScriptError, match=f"step 4 calls 'add', but the request {offer}: mend the name"):
        require_offered(step, tools, "step 4")


def test_thinking_and_text_need_no_tools() -> None:
    """A message without calls fits any offer."""
    require_offered(turn(think("a"), say("b")), None, "step 1")


SEARCH = {"type": "web_search_20250305", "name": "web_search"}
CODE: dict[str, Any] = {"type": "code_execution_20250825", "name": "code_execution"}


@pytest.mark.parametrize(
    ("step", "offer"),
    [
        (turn(search("q")), {"tools": [SEARCH]}),
        (turn(server_call("bash_code_execution", "ls", "")), {"tools": [CODE]}),
        (turn(server_call("code_execution", "1", "")), {"tools": [{**SEARCH, "type": "web_search_20260209"}]}),
        (turn(server_call("advisor", None, "do")), {"tools": [{"type": "advisor_20260301", "name": "advisor"}]}),
        (turn(mcp("s", "t", {}, "x")), {"tools": None, "servers": [{"name": "s", "url": "https://s.example"}]}),
        (turn(mcp("s", "t", {}, "x")), {"tools": [{"type": "mcp_toolset", "mcp_server_name": "s"}]}),
        (turn(by_code("x", call("f"))), {"tools": [CODE, {"name": "f"}]}),
    ],
    ids=["search", "shell", "code of a web tool", "advisor", "server", "toolset", "code that calls"],
)
def test_server_tools_that_are_offered_pass(step: Turn, offer: dict[str, Any]) -> None:
    """A tool by its name, the tools of code by what runs code, those of MCP by their server."""
    require_offered(step, offer["tools"], "step 1", offer.get("servers"))


@pytest.mark.parametrize(
    ("step", "tools", "error"),
    [
        (
            turn(search("q")),
            [CODE],
            "step 2 calls web_search, a tool that Anthropic runs.*a tool of type web_search_20",
        ),
        (
            turn(server_call("bash_code_execution", "ls", "")),
            [SEARCH],
            "step 2 calls bash_code_execution, .*send a tool of type code_execution_20",
        ),
        (turn(mcp("s", "t", {}, "x")), [SEARCH], "step 2 calls a tool of the MCP server 's', which the request"),
        (turn(by_code("x", call("f"))), [CODE], "step 2 calls 'f', but the request offers code_execution"),
    ],
    ids=["search", "shell", "mcp", "called by code"],
)
def test_server_tools_that_are_not_offered_are_the_scripts_fault(step: Turn, tools: object, error: str) -> None:
    """The error says what the request would need."""
    with pytest.raises(ScriptError, match=error):
        require_offered(step, tools, "step 2", [{"name": "other"}, None])


def test_whole_messages_may_call_any_server_tool() -> None:
    """In reply({...}) they are taken as they stand, and with check=False everything is."""
    require_offered(reply({"content": [{"type": "server_tool_use", "name": "web_search", "input": {}}]}), [], "step 1")
    require_offered(reply({"content": [{"type": "tool_use", "name": "x"}]}, check=False), [], "step 1")


@pytest.mark.parametrize(
    ("step", "calls"),
    [
        (turn(say("a")), False),
        (turn(call("a")), True),
        (turn(search("q")), True),
        (turn(mcp("s", "t", {}, "x")), True),
        (CALLING, True),
        (reply({"content": "odd"}, check=False), False),
        (reply({"content": [5, {"type": "tool_use"}]}, check=False), True),
        (reply({}, check=False), False),
    ],
    ids=["text", "call", "search", "mcp", "reply", "odd content", "odd block", "no content"],
)
def test_which_steps_call_tools(step: Turn | Reply, calls: bool) -> None:
    """Only for these need the tools be looked up."""
    assert calls_tools(step) is calls

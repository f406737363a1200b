"""What Anthropic's own tools do in a reply: their calls, with their results or still at work.

Law: like `steps`, frozen values that are checked when made. What a tool's result looks like is the matter of
`server_results`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from playhead.errors import ScriptError
from playhead.script.checks import nearest
from playhead.script.json_values import json_copy, object_copy
from playhead.script.server_results import SERVER_TOOLS, ServerTool, Unfit
from playhead.script.source import Made
from playhead.script.steps import Block
from playhead.wire.codec import JsonObject, kind


def server_call(
    name: str,
    input: Mapping[str, Any] | str | None = None,
    result: object = None,
    *,
    error: str | Mapping[str, Any] | None = None,
) -> Block:
    """Claude calls one of Anthropic's own tools, and has its result in the same reply.

    `input` is a dict, or a string for the tool's main member (`"query"` of a search). `result` is short: a list of
    URLs for `web_search`, a page's text for `web_fetch`, what was printed for code, names for a tool search; or a dict
    with the API's own members. `error` is an error code in place of it. With neither, the tool is still at work: for
    `pause(...)`, or beside calls of the client's tools; the result then comes later, by `server_result(...)`.

    Raises `ScriptError` for a tool, a result or an error code that the API does not have.
    """
    tool = _tool(name, "server_call()")
    value = _input(tool, input)
    then = _result(tool, result, error, value, "server_call()")
    return Block(
        data={"type": "server_tool_use", "name": name, "input": value},
        then=then,
        made=Made("server_call", _arguments(name, input, result), _error(error)),
    )


def server_result(name: str, result: object = None, *, error: str | Mapping[str, Any] | None = None) -> Block:
    """The result of a server tool that was still at work when an earlier reply ended; see `server_call`.

    It answers the first call of that tool which has no result yet. `name` is one of Anthropic's tools, or `mcp`.
    """
    if name == "mcp":
        answer = _mcp_result(result, error, "server_result()")
    else:
        tool = _tool(name, "server_result()")
        answer = _result(tool, result, error, {}, "server_result()")
    if not answer:
        raise ScriptError(f"server_result({name!r}, ...) needs a result, or error=...")
    return Block(data=answer[0].data, made=Made("server_result", _arguments(name, result), _error(error)))


def search(
    query: str, results: Sequence[str | Mapping[str, Any]] = (), *, error: str | Mapping[str, Any] | None = None
) -> Block:
    """Claude searches the web and finds these pages: each a URL, or a dict with url, title and page_age."""
    if not isinstance(query, str):
        raise ScriptError(f"search() takes the query as a string, not {kind(query)}")
    pages = [*results] if isinstance(results, Sequence) and not isinstance(results, str) else results
    tool = SERVER_TOOLS["web_search"]
    return Block(
        data={"type": "server_tool_use", "name": tool.name, "input": {"query": query}},
        then=_result(tool, None if error is not None and not pages else pages, error, {}, "search()"),
        made=Made("search", _arguments(query, pages or None), _error(error)),
    )


def mcp(
    server: str,
    name: str,
    input: Mapping[str, Any] | None = None,
    result: object = None,
    *,
    error: str | None = None,
) -> Block:
    """Claude calls a tool of an MCP server that Anthropic is connected to, and has its result in the same reply.

    `result` is a text, or a list of texts or blocks; `error` the text of a failure. With neither, the tool is still at
    work, and its result comes with `server_result("mcp", ...)`.
    """
    for what, word in (("the MCP server's name", server), ("the tool's name", name)):
        if not isinstance(word, str) or not word:
            raise ScriptError(f"mcp() needs {what} as a string, not {word!r}")
    if input is not None and not isinstance(input, Mapping):
        raise ScriptError(f"the input of mcp({server!r}, {name!r}, ...) is an object: give a dict, not {kind(input)}")
    value = object_copy(input or {}, f"the input of mcp({server!r}, {name!r}, ...)")
    return Block(
        data={"type": "mcp_tool_use", "name": name, "server_name": server, "input": value},
        then=_mcp_result(result, error, "mcp()"),
        made=Made("mcp", _arguments(server, name, value, result), _error(error)),
    )


def mcp_listing(server: str, *tools: str | Mapping[str, Any]) -> Block:
    """The tools of an MCP server as it lists them: each a name, or a dict with name, description and input_schema."""
    if not isinstance(server, str) or not server:
        raise ScriptError(f"mcp_listing() needs the MCP server's name as a string, not {server!r}")
    listed = [_listed(tool, f"tool {number} of mcp_listing()") for number, tool in enumerate(tools, 1)]
    data = {"type": "mcp_tool_listing", "mcp_server_name": server, "tools": listed}
    return Block(data=data, made=Made("mcp_listing", (server, *json_copy([*tools], "mcp_listing()"))))


def _listed(tool: object, where: str) -> JsonObject:
    given = {"name": tool} if isinstance(tool, str) else tool
    if not isinstance(given, Mapping) or not isinstance(given.get("name"), str):
        raise ScriptError(f"{where} is a name, or a dict with a name, not {tool!r}")
    return {"description": None, "input_schema": {"type": "object", "properties": {}}, **object_copy(given, where)}


def by_code(code: str | None, *calls: Block) -> Block:
    """Code that Claude runs calls the client's tools (programmatic tool calling); it waits for their results.

    None as code stands for code of an earlier reply that goes on. What it came to is said later, by
    `server_result("code_execution", ...)`.
    """
    if not isinstance(code, str | None):
        raise ScriptError(f"by_code() takes the code as a string, or None for code that goes on, not {kind(code)}")
    for number, step in enumerate(calls, 1):
        if not isinstance(step, Block) or step.type != "tool_use":
            raise ScriptError(f"item {number} of by_code() is {step!r}: code calls tools, call(name, ...)")
    if not calls:
        raise ScriptError("by_code() needs the calls that the code makes: call(name, ...)")
    made = Made("by_code", (code, *calls))
    called = [Block(data={**step.data, "caller": {"type": BY_CODE}}, text=step.text) for step in calls]
    if code is None:
        return Block(data=called[0].data, text=called[0].text, then=tuple(called[1:]), made=made)
    data = {"type": "server_tool_use", "name": "code_execution", "input": {"code": code}}
    return Block(data=data, then=tuple(called), made=made)


BY_CODE = "code_execution_20260120"
"""Who calls, if code of Claude's does; the tool's generation in the request may say an older one."""


def _tool(name: object, where: str) -> ServerTool:
    tool = SERVER_TOOLS.get(name) if isinstance(name, str) else None
    if tool is None:
        known = nearest(name, SERVER_TOOLS, "") if isinstance(name, str) else f" ({', '.join(SERVER_TOOLS)})"
        raise ScriptError(f"{where} takes a tool that Anthropic runs; {name!r} is none{known}")
    return tool


def _input(tool: ServerTool, given: object) -> JsonObject:
    if isinstance(given, str):
        if tool.main is None:
            raise ScriptError(f"the input of server_call({tool.name!r}, ...) has no main member: give a dict")
        return {tool.main: given}
    if not isinstance(given, Mapping | None):
        raise ScriptError(
            f"the input of server_call({tool.name!r}, ...) is an object: give a dict or a string, not {kind(given)}"
        )
    return object_copy(given or {}, f"the input of server_call({tool.name!r}, ...)")


def _result(tool: ServerTool, result: object, error: object, input: JsonObject, where: str) -> tuple[Block, ...]:
    """The result block as the only item, or nothing where there is no result yet."""
    if result is not None and error is not None:
        raise ScriptError(f"{where} takes a result or an error, not both")
    if error is not None:
        return (Block(data={"type": tool.result, "content": _failure(tool, error)}),)
    if result is None:
        return ()
    try:
        content = tool.content(json_copy(result, f"the result of {tool.name}"), input)
    except Unfit as unfit:
        raise ScriptError(f"the result of {tool.name} is {unfit}, not {result!r}") from None
    return (Block(data={"type": tool.result, "content": content}),)


def _failure(tool: ServerTool, error: object) -> JsonObject:
    told = {"error_code": error} if isinstance(error, str) else error
    code = told.get("error_code") if isinstance(told, Mapping) else None
    if not isinstance(told, Mapping) or not isinstance(code, str):
        raise ScriptError(f"error of {tool.name} is an error code, or a dict with error_code, not {error!r}")
    if code not in tool.errors:
        raise ScriptError(f"{tool.name} has no error {code!r}{nearest(code, tool.errors, '')}")
    return {"type": f"{tool.result}_error", **object_copy(told, f"error of {tool.name}")}


def _mcp_result(result: object, error: object, where: str) -> tuple[Block, ...]:
    if result is not None and error is not None:
        raise ScriptError(f"{where} takes a result or an error, not both")
    if not isinstance(error, str | None):
        raise ScriptError(f"error of {where} is the text of the failure, not {kind(error)}")
    told = result if error is None else error
    if told is None:
        return ()
    parts = [told] if isinstance(told, str) else json_copy(told, f"the result of {where}")
    if not isinstance(parts, list):
        raise ScriptError(f"the result of {where} is a text, or a list of texts or blocks, not {kind(told)}")
    content = [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts]
    return (Block(data={"type": "mcp_tool_result", "is_error": error is not None, "content": content}),)


def _arguments(*arguments: object) -> tuple[object, ...]:
    """The arguments that were given, copied; the last ones may be absent."""
    given = [*arguments]
    while given and given[-1] is None:
        given.pop()
    return tuple(json_copy(value, "an argument") for value in given)


def _error(error: object) -> Mapping[str, object]:
    return {} if error is None else {"error": json_copy(error, "error")}

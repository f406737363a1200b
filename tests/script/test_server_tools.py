"""What Anthropic's own tools do in a reply: calls and results, and what is impossible."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from playhead import (
    ScriptError,
    by_code,
    call,
    mcp,
    mcp_listing,
    say,
    search,
    server_call,
    server_result,
    turn,
)
from playhead.script.server_results import SERVER_TOOLS
from playhead.script.steps import Block


@pytest.mark.parametrize("name", SERVER_TOOLS)
def test_a_call_with_its_result(name: str) -> None:
    """Every tool has a call, an open one too, and a result block of its own type."""
    waiting = server_call(name)
    assert waiting.data == {"type": "server_tool_use", "name": name, "input": {}}
    assert waiting.then == ()
    failed = server_call(name, error=SERVER_TOOLS[name].errors[0])
    (result,) = failed.then
    assert result.type == SERVER_TOOLS[name].result
    assert result.data["content"] == {"type": f"{result.type}_error", "error_code": SERVER_TOOLS[name].errors[0]}


@pytest.mark.parametrize(
    ("step", "input"),
    [
        (server_call("web_search", "tides"), {"query": "tides"}),
        (server_call("web_search", {"query": "tides", "x": 1}), {"query": "tides", "x": 1}),
        (server_call("bash_code_execution", "ls"), {"command": "ls"}),
        (server_call("tool_search_tool_regex", "w.*"), {"pattern": "w.*"}),
        (server_call("advisor"), {}),
    ],
    ids=str,
)
def test_the_input_is_a_dict_or_its_main_member(step: Block, input: dict[str, object]) -> None:
    """A string stands for the member that matters."""
    assert step.data["input"] == input


def test_search_is_short_for_a_web_search() -> None:
    """The same step as server_call('web_search', ...) makes, with no results where none are given."""
    pages = ["https://a.example", {"url": "https://b.example", "title": "B", "page_age": "May 1, 2026"}]
    assert search("tides", pages) == server_call("web_search", "tides", pages)
    assert search("tides") == server_call("web_search", "tides", [])
    assert search("tides", error="unavailable") == server_call("web_search", "tides", error="unavailable")


def test_an_error_may_tell_more() -> None:
    """A dict with the code and the API's other members."""
    told = {"error_code": "unavailable", "error_message": "no"}
    (result,) = server_call("text_editor_code_execution", {"command": "view"}, error=told).then
    assert result.data["content"] == {"type": "text_editor_code_execution_tool_result_error", **told}


@pytest.mark.parametrize(
    ("result", "content"),
    [("text", [{"type": "text", "text": "text"}]), (["a", {"type": "text", "text": "b"}], ["a", "b"]), ([], [])],
    ids=["a text", "a list", "nothing"],
)
def test_mcp_results_are_texts(result: object, content: list[object]) -> None:
    """A text, or a list of texts and blocks; with its call it is one step."""
    step = mcp("deepwiki", "ask", {"q": 1}, result)
    assert step.data == {"type": "mcp_tool_use", "name": "ask", "server_name": "deepwiki", "input": {"q": 1}}
    (answer,) = step.then
    assert (answer.type, answer.data["is_error"]) == ("mcp_tool_result", False)
    assert [part.get("text") for part in answer.data["content"]] == [
        part if isinstance(part, str) else part["text"]  # type: ignore[index]
        for part in content
    ]


def test_mcp_failures_and_open_calls() -> None:
    """An error is the text of a failure; with neither the call waits."""
    (failed,) = mcp("s", "t", error="no").then
    assert failed.data == {"type": "mcp_tool_result", "is_error": True, "content": [{"type": "text", "text": "no"}]}
    assert mcp("s", "t").then == ()
    assert server_result("mcp", "yes").data["content"] == [{"type": "text", "text": "yes"}]
    assert server_result("mcp", error="no").data == failed.data


def test_a_listing_of_tools() -> None:
    """Each tool by its name, or with more."""
    step = mcp_listing("s", "ask", {"name": "b", "description": "B", "input_schema": {"type": "object"}})
    assert [tool["name"] for tool in step.data["tools"]] == ["ask", "b"]
    assert step.data["tools"][0] == {
        "name": "ask",
        "description": None,
        "input_schema": {"type": "object", "properties": {}},
    }
    assert step.data["tools"][1]["description"] == "B"


def test_code_calls_tools() -> None:
    """The calls stand after the code that makes them; without code they go on with what runs."""
    step = by_code("await f()", call("f", a=1), call("g", '{"b": 1.0}'))
    assert step.data == {"type": "server_tool_use", "name": "code_execution", "input": {"code": "await f()"}}
    assert [part.data["caller"] for part in step.then] == [{"type": "code_execution_20260120"}] * 2
    assert step.then[1].text == '{"b": 1.0}'
    on = by_code(None, call("f"), call("g"))
    assert turn(on).calls == ("f", "g")
    assert turn(step).stop_reason == "tool_use"


IMPOSSIBLE: list[tuple[str, Callable[[], object], str]] = [
    ("a misspelt tool", lambda: server_call("web_serach"), "'web_serach' is none: did you mean 'web_search'"),
    ("a tool of the client's", lambda: server_call("get_weather"), r"server_call.. takes a tool that Anthropic runs"),
    ("a tool of another kind", lambda: server_call(None), r"None is none \(web_search, web_fetch"),  # type: ignore[arg-type]
    (
        "result and error",
        lambda: server_call("web_search", "q", [], error="unavailable"),
        "a result or an error, not both",
    ),
    (
        "a misspelt error",
        lambda: server_call("web_search", "q", error="unavailble"),
        "no error 'unavailble': did you mean",
    ),
    (
        "an error of another tool",
        lambda: search("q", error="file_not_found"),
        "web_search has no error 'file_not_found'",
    ),
    ("an error without a code", lambda: server_call("advisor", error={"x": 1}), "error of advisor is an error code"),
    ("a text for results", lambda: search("q", "https://a.example"), "the result of web_search is a list of URLs"),
    ("a page without URL", lambda: search("q", [{"title": "A"}]), "the result of web_search is a list of URLs"),
    (
        "a number for a page",
        lambda: server_call("web_fetch", "https://a", 5),
        "the result of web_fetch is the page's text",
    ),
    ("a list for output", lambda: server_call("code_execution", "1", [1]), "the result of code_execution is what was"),
    ("names for tools", lambda: server_call("tool_search_tool_bm25", "q", "a"), "is a list of names of tools, not 'a'"),
    (
        "a dict for an editor",
        lambda: server_call("text_editor_code_execution", {}, {"x": 1}),
        "is the text that was viewed",
    ),
    ("a number for advice", lambda: server_call("advisor", None, 5), "the result of advisor is the advice as a text"),
    ("no main member", lambda: server_call("advisor", "help"), "has no main member: give a dict"),
    ("a list as input", lambda: server_call("web_search", [1]), "give a dict or a string, not an array"),  # type: ignore[arg-type]
    ("a query of another kind", lambda: search(5), "search.. takes the query as a string"),  # type: ignore[arg-type]
    ("no result", lambda: server_result("web_search"), "server_result.'web_search', ....? needs a result"),
    ("no result of MCP", lambda: server_result("mcp"), "needs a result"),
    ("a result of no tool", lambda: server_result("x", "y"), "server_result.. takes a tool that Anthropic runs"),
    ("no server", lambda: mcp("", "t"), "mcp.. needs the MCP server's name"),
    ("no tool", lambda: mcp("s", ""), "mcp.. needs the tool's name"),
    ("a list as input of MCP", lambda: mcp("s", "t", [1]), "give a dict, not an array"),  # type: ignore[arg-type]
    ("two outcomes of MCP", lambda: mcp("s", "t", {}, "a", error="b"), "a result or an error, not both"),
    ("a number as outcome", lambda: mcp("s", "t", {}, 5), "is a text, or a list of texts or blocks"),
    ("an error of another kind", lambda: mcp("s", "t", error=5), "error of mcp.. is the text"),  # type: ignore[arg-type]
    ("a listing of nobody", lambda: mcp_listing(""), "mcp_listing.. needs the MCP server's name"),
    ("a tool without name", lambda: mcp_listing("s", {"x": 1}), "tool 1 of mcp_listing.. is a name, or a dict"),
    ("code that calls nothing", lambda: by_code("x"), "by_code.. needs the calls that the code makes"),
    ("code that speaks", lambda: by_code("x", say("a")), r"item 1 of by_code.. is say\(\"a\"\): code calls tools"),
    ("code of another kind", lambda: by_code(5, call("f")), "by_code.. takes the code as a string"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("make", "error"), [case[1:] for case in IMPOSSIBLE], ids=[case[0] for case in IMPOSSIBLE])
def test_impossible_steps_are_refused_when_made(make: Callable[[], object], error: str) -> None:
    """Each with a sentence that says what was expected."""
    with pytest.raises(ScriptError, match=error):
        make()


def test_results_are_copied() -> None:
    """A later change of what was passed in changes no step."""
    pages = [{"url": "https://a.example"}]
    step = search("q", pages)
    before = step.then[0].data["content"]
    pages[0]["url"] = "https://b.example"
    pages.append({"url": "https://c.example"})
    assert step.then[0].data["content"] == before
    assert len(before) == 1
    assert "b.example" not in step.source()

"""The rules on how tools are offered."""

from __future__ import annotations

from typing import Any

import pytest

from playhead.rules.checker import check_request
from playhead.rules.tool_options import RULES

Json = dict[str, Any]

ALL_DEFERRED = "At least one tool must have defer_loading=false. All tools cannot be deferred."
CODE: Json = {"type": "code_execution_20260120", "name": "code_execution"}
SEARCH: Json = {"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"}
BROWSER: Json = {"type": "browser_toolset_20260801"}
COMPUTER: Json = {"type": "computer_toolset_20260801"}
LATER: Json = {"defer_loading": True}
CACHED: Json = {"cache_control": {"type": "ephemeral"}}


def body(*tools: object, model: str = "claude-opus-5", **more: object) -> Json:
    messages = [{"role": "user", "content": "hi"}]
    return {"model": model, "max_tokens": 99, "messages": messages, "tools": list(tools), **more}


def tool(name: str = "add", schema: Json | None = None, **more: object) -> Json:
    return {"name": name, "input_schema": schema or {"type": "object"}, **more}


def by_code(name: str = "add", *also: str, **more: object) -> Json:
    return tool(name, allowed_callers=["code_execution_20260120", *also], **more)  # type: ignore[arg-type]


def advisor(model: object, **more: object) -> Json:
    return {"type": "advisor_20260301", "name": "advisor", "model": model, **more}


TREE: Json = {"type": "object", "properties": {"n": {"$ref": "#"}}}

# what is sent; rule and path of each violation
FAILING: dict[str, tuple[Json, list[tuple[str, str]]]] = {
    "the-only-tool-deferred": (body(tool(**LATER)), [("defer-loading-not-all", "$.tools")]),
    "all-of-several-deferred": (
        body(tool(**LATER), {**SEARCH, **LATER}),
        [("defer-loading-not-all", "$.tools")],
    ),
    "the-search-tool-deferred": (
        body(tool(), {**SEARCH, **LATER}),
        [("defer-loading-not-all", "$.tools[1].defer_loading")],
    ),
    "deferred-and-cached": (
        body(tool(), tool("mul", **LATER, **CACHED)),
        [("defer-loading-cache-control", "$.tools[1].cache_control")],
    ),
    "a-toolset-with-a-name": (body({**BROWSER, "name": "browser"}), [("toolset-entry-options", "$.tools[0].name")]),
    "a-toolset-strict-and-deferred": (
        body({**COMPUTER, "strict": False, "defer_loading": True}, tool()),
        [("toolset-entry-options", "$.tools[0].strict"), ("toolset-entry-options", "$.tools[0].defer_loading")],
    ),
    "a-toolset-with-examples": (
        body({**COMPUTER, "input_examples": []}),
        [("toolset-entry-options", "$.tools[0].input_examples")],
    ),
    "a-toolset-for-code": (
        body({**COMPUTER, "allowed_callers": ["direct", "code_execution_20260120"]}),
        [("toolset-entry-options", "$.tools[0].allowed_callers")],
    ),
    "a-tool-with-the-family's-name": (
        body(COMPUTER, tool("computer")),
        [("toolset-entry-options", "$.tools[1].name")],
    ),
    "the-family-forced": (
        body(BROWSER, tool_choice={"type": "tool", "name": "browser"}),
        [("toolset-entry-options", "$.tool_choice.name")],
    ),
    "code-and-strict": (body(CODE, by_code(strict=True)), [("ptc-restrictions", "$.tools[1].strict")]),
    "code-and-a-circle": (body(CODE, by_code(schema=TREE)), [("ptc-restrictions", "$.tools[1].input_schema")]),
    "code-forced": (
        body(CODE, by_code(), tool_choice={"type": "tool", "name": "add"}),
        [("ptc-restrictions", "$.tool_choice.name")],
    ),
    "code-one-at-a-time": (
        body(CODE, by_code("add", "direct"), tool_choice={"type": "auto", "disable_parallel_tool_use": True}),
        [("ptc-restrictions", "$.tool_choice.disable_parallel_tool_use")],
    ),
    "a-smaller-advisor": (body(advisor("claude-haiku-4-5")), [("advisor-pairing", "$.tools[0].model")]),
    "an-older-advisor": (body(advisor("claude-opus-4-8")), [("advisor-pairing", "$.tools[0].model")]),
    "an-advisor-with-a-date": (
        body(advisor("claude-haiku-4-5-20251001"), model="claude-sonnet-4-5-20250929"),
        [("advisor-pairing", "$.tools[0].model")],
    ),
    "sonnet-5-5-and-opus-4-7": (
        body(advisor("claude-opus-4-7"), model="claude-sonnet-5-5"),
        [("advisor-pairing", "$.tools[0].model")],
    ),
    "sonnet-5-5-and-haiku-5-5": (
        body(advisor("claude-haiku-5-5"), model="claude-sonnet-5-5"),
        [("advisor-pairing", "$.tools[0].model")],
    ),
    "fable-5-2-and-opus-5-5": (
        body(advisor("claude-opus-5-5"), model="claude-fable-5-2"),
        [("advisor-pairing", "$.tools[0].model")],
    ),
    "1023-tokens-of-advice": (
        body(advisor("claude-fable-5", max_tokens=1023)),
        [("advisor-pairing", "$.tools[0].max_tokens")],
    ),
}

PASSING: dict[str, Json] = {
    "no-tools": body(),
    "tools-of-the-wrong-type": {**body(), "tools": "add"},
    "one-not-deferred": body(tool(), tool("mul", **LATER)),
    "not-deferred-in-so-many-words": body(tool(defer_loading=False), tool("mul", defer_loading=None)),
    "deferred-beside-the-search": body(SEARCH, tool(**LATER)),
    "deferred-beside-an-mcp-toolset": body({"type": "mcp_toolset", "mcp_server_name": "s"}, tool(**LATER)),
    "null-as-cache-mark": body(tool(), tool("mul", cache_control=None, **LATER)),
    "a-cached-tool-before-a-deferred-one": body(tool(**CACHED), tool("mul", **LATER)),
    "a-toolset": body({**COMPUTER, "configs": {"zoom": {"enabled": False}}, **CACHED}, tool("screenshot")),
    "null-options-of-a-toolset": body({**BROWSER, "name": None, "strict": None}),
    "a-toolset-called-directly": body({**BROWSER, "allowed_callers": ["direct"]}),
    "a-tool-called-computer-alone": body(tool("computer"), tool_choice={"type": "tool", "name": "computer"}),
    "the-single-computer-tool": body({"type": "computer_20250124", "name": "computer"}),
    "code-may-call": body(CODE, by_code(), tool_choice={"type": "auto", "disable_parallel_tool_use": False}),
    "code-and-direct-forced": body(CODE, by_code("add", "direct"), tool_choice={"type": "tool", "name": "add"}),
    "another-tool-forced": body(CODE, by_code(), tool("mul"), tool_choice={"type": "tool", "name": "mul"}),
    "a-choice-without-a-name": body(
        CODE, {"allowed_callers": ["code_execution_20260120"]}, tool_choice={"type": "tool"}
    ),
    "strict-and-direct": body(tool(strict=True, allowed_callers=["direct"]), tool("tree", schema=TREE)),
    "callers-of-the-wrong-type": body(tool(allowed_callers="code_execution_20260120", strict=True)),
    "a-larger-advisor": body(advisor("claude-fable-5", max_tokens=1024), model="claude-sonnet-5"),
    "the-same-model-as-advisor": body(advisor("claude-opus-5")),
    "mythos-for-fable": body(advisor("claude-mythos-5-2"), model="claude-fable-5-2"),
    "a-newer-and-smaller-advisor": body(advisor("claude-sonnet-5-5"), model="claude-opus-4-7"),
    "an-advisor-that-nobody-knows": body(advisor("claude-next"), advisor(5), model="claude-fable-5-2"),
    "an-unknown-model": body(advisor("claude-haiku-4-5"), model="claude-next"),
    "an-advisor-with-odd-limits": body(
        advisor("claude-opus-5", max_tokens=None), advisor("claude-opus-5", max_tokens=True)
    ),
}


@pytest.mark.parametrize("case", FAILING)
def test_failing(case: str) -> None:
    """Rule and place of all that is found, and nothing else."""
    sent, expected = FAILING[case]
    found = check_request(sent, only=RULES)
    assert [(violation.rule, violation.path) for violation in found] == expected
    assert {violation.level for violation in found} == {"reject"}


@pytest.mark.parametrize("case", PASSING)
def test_passing(case: str) -> None:
    """What the API takes, or what is not known, is left alone."""
    assert check_request(PASSING[case], only=RULES) == ()


@pytest.mark.parametrize(
    ("sent", "text"),
    [
        pytest.param(body(tool(**LATER)), ALL_DEFERRED, id="all-deferred"),
        pytest.param(body(CODE, by_code(schema=TREE)), "Circular $ref detected", id="circle"),
        pytest.param(
            body(tool(), {**SEARCH, **LATER}),
            "$.tools[1].defer_loading: the search tool tool_search_tool_bm25_20251119 is deferred itself, so that "
            "nothing could find it",
            id="our-own-sentence-where-the-api's-is-not-known",
        ),
        pytest.param(body(advisor("claude-haiku-4-5")), None, id="no-text-known"),
    ],
)
def test_wordings(sent: Json, text: str | None) -> None:
    """The API's words where they are known."""
    (violation,) = check_request(sent, only=RULES)
    assert violation.api == text

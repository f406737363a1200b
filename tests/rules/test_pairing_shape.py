"""The rules on the members of calls and results."""

from __future__ import annotations

from typing import Any

import pytest

from playhead.rules.checker import Checker, check_request
from playhead.rules.pairing_shape import RULES
from playhead.wire.exchange import Exchange

Json = dict[str, Any]
Fault = tuple[str, str, str | None]
Q = {"role": "user", "content": "What date is it?"}
GONE = object()


def text(words: str) -> Json:
    return {"type": "text", "text": words}


def without(block: Json) -> Json:
    return {key: value for key, value in block.items() if value is not GONE}


def call(identifier: object = "toolu_1", name: object = "look_up", **more: object) -> Json:
    return without({"type": "tool_use", "id": identifier, "name": name, "input": {}, **more})


def result(identifier: object = "toolu_1", content: object = "3", **more: object) -> Json:
    return without({"type": "tool_result", "tool_use_id": identifier, "content": content, **more})


def loop(calls: list[Json], results: list[Json], **more: object) -> Json:
    messages = [Q, {"role": "assistant", "content": calls}, {"role": "user", "content": results}]
    return {"model": "claude-haiku-4-5", "max_tokens": 9, "messages": messages, **more}


def refer(*names: object) -> Json:
    return result(content=[{"type": "tool_reference", "tool_name": name} for name in names])


def tools(*names: str) -> list[Json]:
    return [{"name": name, "input_schema": {"type": "object"}} for name in names]


SEARCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "tool_search_tool_regex", "input": {}}


def searched(*names: str) -> Json:
    found = [{"type": "tool_reference", "tool_name": name} for name in names]
    content = {"type": "tool_search_tool_search_result", "tool_references": found}
    return {"type": "tool_search_tool_result", "tool_use_id": "srvtoolu_1", "content": content}


PATTERN = "String should match pattern '^[a-zA-Z0-9_-]+$'"
CALL, RESULT = "messages.1.content.0.tool_use", "messages.2.content.0.tool_result"
CALL_PATH, RESULT_PATH = "$.messages[1].content[0]", "$.messages[2].content[0]"


def pattern(identifier: str) -> tuple[Json, list[Fault]]:
    return loop([call(identifier)], [result(identifier)]), [
        ("tool-use-id-pattern", f"{CALL_PATH}.id", f"{CALL}.id: {PATTERN}"),
        ("tool-use-id-pattern", f"{RESULT_PATH}.tool_use_id", f"{RESULT}.tool_use_id: {PATTERN}"),
    ]


def odd_input(value: object) -> tuple[Json, list[Fault]]:
    wording = f"{CALL}.input: Input should be a valid dictionary"
    return loop([call(input=value)], [result()]), [("tool-use-input-dict", f"{CALL_PATH}.input", wording)]


def unknown(name: str, path: str) -> Fault:
    return "tool-reference-unknown", path, f"Tool reference '{name}' not found in available tools"


FAILING: dict[str, tuple[Json, list[Fault]]] = {
    "id-twice": (
        loop([call(), call()], [result()]),
        [
            (
                "tool-use-id-unique-in-turn",
                "$.messages[1].content[1].id",
                "messages.1.content.1: `tool_use` ids must be unique",
            )
        ],
    ),
    "id-with-a-colon": pattern("call:1"),
    "id-with-a-dot": pattern("call.1"),
    "id-with-a-space": pattern("call 1"),
    "id-with-a-final-newline": pattern("call_1\n"),
    "id-with-an-accent": pattern("callé"),
    "id-empty": pattern(""),
    "id-a-number": (
        loop([call(1)], []),
        [("tool-use-id-pattern", f"{CALL_PATH}.id", f"{CALL}.id: Input should be a valid string")],
    ),
    "id-null-in-the-result": (
        loop([call()], [result(None)]),
        [
            (
                "tool-use-id-pattern",
                f"{RESULT_PATH}.tool_use_id",
                f"{RESULT}.tool_use_id: Input should be a valid string",
            )
        ],
    ),
    "id-absent": (
        loop([call(GONE)], [result()]),
        [("tool-use-id-pattern", CALL_PATH, f"{CALL}.id: Field required")],
    ),
    "result-id-absent": (
        loop([call()], [result(GONE)]),
        [("tool-result-id-required", RESULT_PATH, f"{RESULT}.tool_use_id: Field required")],
    ),
    "input-a-string": odd_input('{"a": 1}'),
    "input-empty-string": odd_input(""),
    "input-a-list": odd_input([]),
    "input-null": odd_input(None),
    "input-a-number": odd_input(0),
    "input-of-a-server-call": (
        loop([{**SEARCH, "input": ""}], []),
        [
            (
                "tool-use-input-dict",
                f"{CALL_PATH}.input",
                "messages.1.content.0.server_tool_use.input: Input should be a valid dictionary",
            )
        ],
    ),
    "input-absent": (
        loop([call(input=GONE)], [result()]),
        [("tool-use-input-required", CALL_PATH, f"{CALL}.input: Field required")],
    ),
    "name-of-201": (
        loop([call(name="x" * 201)], [result()]),
        [("tool-use-name-limits", f"{CALL_PATH}.name", f"{CALL}.name: String should have at most 200 characters")],
    ),
    "name-empty": (
        loop([call(name="")], [result()]),
        [("tool-use-name-limits", f"{CALL_PATH}.name", f"{CALL}.name: String should have at least 1 character")],
    ),
    "name-null": (
        loop([call(name=None)], [result()]),
        [("tool-use-name-limits", f"{CALL_PATH}.name", f"{CALL}.name: Input should be a valid string")],
    ),
    "name-absent": (
        loop([call(name=GONE)], [result()]),
        [("tool-use-name-limits", CALL_PATH, f"{CALL}.name: Field required")],
    ),
    "error-with-an-image": (
        loop([call()], [result(content=[text("a"), {"type": "image", "source": {}}], is_error=True)]),
        [
            (
                "tool-result-is-error-text-only",
                f"{RESULT_PATH}.content[1]",
                "all content must be type `text` if `is_error` is true",
            )
        ],
    ),
    "error-with-a-search-result": (
        loop([call()], [result(content=[{"type": "search_result"}], is_error=True)]),
        [
            (
                "tool-result-is-error-text-only",
                f"{RESULT_PATH}.content[0]",
                "all content must be type `text` if `is_error` is true",
            )
        ],
    ),
    "reference-to-nothing": (
        loop([call()], [refer("nope")], tools=tools("look_up")),
        [unknown("nope", f"{RESULT_PATH}.content[0].tool_name")],
    ),
    "reference-one-of-two": (
        loop([call()], [refer("look_up", "Look_up")], tools=tools("look_up")),
        [unknown("Look_up", f"{RESULT_PATH}.content[1].tool_name")],
    ),
    "reference-without-tools": (
        loop([call()], [refer("look_up")]),
        [unknown("look_up", f"{RESULT_PATH}.content[0].tool_name")],
    ),
    "reference-found-by-a-search": (
        loop([SEARCH, searched("look_up", "gone"), call()], [result()], tools=tools("look_up")),
        [unknown("gone", "$.messages[1].content[1].content.tool_references[1].tool_name")],
    ),
    "toolset-not-echoed": (
        loop([call(toolset_name="browser")], [result()]),
        [("toolset-name-echo", RESULT_PATH, None)],
    ),
    "toolset-of-another-family": (
        loop([call(toolset_name="browser")], [result(toolset_name="computer")]),
        [("toolset-name-echo", f"{RESULT_PATH}.toolset_name", None)],
    ),
    "toolset-unwarranted": (
        loop([call()], [result(toolset_name="browser")]),
        [("toolset-name-echo", f"{RESULT_PATH}.toolset_name", None)],
    ),
    "toolset-null": (
        loop([call(toolset_name="browser")], [result(toolset_name=None)]),
        [("toolset-name-echo", f"{RESULT_PATH}.toolset_name", None)],
    ),
}

OK: dict[str, Json] = {
    "a-loop": loop([text("so"), call()], [result()]),
    "ids-of-other-makers": loop([call("call_abc-1")], [result("call_abc-1")]),
    "an-id-of-one-character": loop([call("0")], [result("0")]),
    "an-id-again-in-a-later-turn": {
        **loop([call()], [result()]),
        "messages": [*loop([call()], [result()])["messages"], *loop([call()], [result()])["messages"][1:]],
    },
    "an-id-of-another-kind-of-call": loop([{**SEARCH, "id": "toolu_1"}, call()], [result()]),
    "name-of-200": loop([call(name="x" * 200)], [result()]),
    "name-with-odd-characters": loop([call(name="files.read/all")], [result()]),
    "error-in-text": loop([call()], [result(content=[text("a"), text("b")], is_error=True)]),
    "error-in-a-string": loop([call()], [result(content="a", is_error=True)]),
    "error-without-content": loop([call()], [result(content=GONE, is_error=True)]),
    "image-without-error": loop([call()], [result(content=[{"type": "image", "source": {}}], is_error=False)]),
    "error-flag-of-another-kind": loop([call()], [result(content=[{"type": "image"}], is_error="yes")]),
    "references": loop([call()], [refer("look_up", "other")], tools=tools("look_up", "other")),
    "references-found-by-a-search": loop([SEARCH, searched("look_up")], [], tools=tools("look_up")),
    "references-into-a-toolset": loop([call()], [refer("click")], tools=[{"type": "browser_toolset_20260801"}]),
    "references-into-an-mcp-server": loop(
        [call()], [refer("click")], tools=tools("look_up"), mcp_servers=[{"type": "url", "name": "s"}]
    ),
    "references-to-added-tools": {
        **loop([call()], [refer("new")], tools=tools("look_up")),
        "messages": [
            *loop([call()], [refer("new")])["messages"],
            {"role": "system", "content": [{"type": "tool_addition", "tool": {}}]},
        ],
    },
    "references-in-a-thread": loop([call()], [refer("a")], thread={"type": "continue", "previous_message_id": "m"}),
    "references-of-another-kind": loop([call()], [refer(None, 5)], tools=tools("look_up")),
    "toolset-echoed": loop([call(toolset_name="browser")], [result(toolset_name="browser")]),
    "toolset-null-and-absent": loop([call(toolset_name=None)], [result()]),
    "toolset-of-an-orphan": loop([call()], [result(), result("toolu_9", toolset_name="browser")]),
    "a-call-inside-a-result": loop([call()], [result(content=[{"type": "tool_use", "id": 5}])]),
}


def judged(request: Json) -> list[Fault]:
    return [(v.rule, v.path, v.api) for v in check_request(request, only=RULES)]


@pytest.mark.parametrize(("request_body", "expected"), FAILING.values(), ids=FAILING)
def test_what_is_refused(request_body: Json, expected: list[Fault]) -> None:
    """The rule, the place, and the API's words where they are known."""
    assert judged(request_body) == expected


@pytest.mark.parametrize("request_body", OK.values(), ids=OK)
def test_what_is_taken(request_body: Json) -> None:
    """Nothing at all is said."""
    assert judged(request_body) == []


def test_all_are_refusals() -> None:
    """Each is known word for word, or documented as a 400."""
    assert {rule.level for rule in RULES} == {"reject"}


def test_turns_are_counted_merged_where_ids_are_compared() -> None:
    """Calls in two assistant messages in a row are calls of one turn."""
    body = loop([call()], [result()])
    body["messages"].insert(2, {"role": "assistant", "content": [text("and"), call()]})
    wording = "messages.1.content.2: `tool_use` ids must be unique"
    assert judged(body) == [("tool-use-id-unique-in-turn", "$.messages[2].content[1].id", wording)]


def test_a_tool_that_is_dropped_leaves_its_reference_behind() -> None:
    """Messages that were good are not good with other tools."""
    checker = Checker(RULES)
    first = loop([call()], [refer("look_up")], tools=tools("look_up"))
    assert checker.ask(Exchange(request=first)).violations == ()
    more = [{"role": "assistant", "content": "a"}, {"role": "user", "content": "b"}] * 2
    second = {**first, "messages": [*first["messages"], *more]}
    assert checker.ask(Exchange(request=second)).violations == ()
    third = {**second, "messages": [*second["messages"], *more], "tools": tools("other")}
    found = checker.ask(Exchange(request=third)).violations
    assert [(v.rule, v.path) for v in found] == [("tool-reference-unknown", f"{RESULT_PATH}.content[0].tool_name")]


def test_a_transcript_is_not_blamed_for_its_tools() -> None:
    """Where the tools are not known, what refers to them is not judged."""
    exchange = Exchange(request=loop([call()], [refer("a")]), known=frozenset({"messages", "model"}))
    assert Checker(RULES).ask(exchange).violations == ()

"""What Claude may choose from."""

from __future__ import annotations

from typing import Any

import pytest

from playhead.rules.checker import Checker, check_request
from playhead.rules.tool_choice import RULES
from playhead.wire.exchange import Exchange

Json = dict[str, Any]
TOOLS = [{"name": "add", "input_schema": {"type": "object"}}, {"type": "web_search_20250305", "name": "web_search"}]
ABSENT = object()


def body(choice: object, tools: object = TOOLS, model: str = "claude-haiku-4-5", **more: object) -> Json:
    made = {"model": model, "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}], "tool_choice": choice}
    return {**made, **({} if tools is ABSENT else {"tools": tools}), **more}


def named(name: object) -> Json:
    return {"type": "tool", "name": name}


def not_a_type(given: str) -> str:
    return (
        f"tool_choice: Input tag '{given}' found using 'type' does not match any of the expected tags: 'auto', 'any', "
        "'tool', 'none'"
    )


OBJECT = "tool_choice: Input should be an object"
PROVIDING = "tool_choice may only be specified while providing tools."
PROVIDING_ANY = "tool_choice.any may only be specified while providing tools"
FORCED = 'tool_choice: type "tool" and "any" are not supported for this model.'
PARALLEL = "disable_parallel_tool_use"

# (body, rule, path, what the API answers)
FAILING: dict[str, tuple[Json, str, str, str]] = {
    "a-word": (body("auto"), "tool-choice-shape", "$.tool_choice", OBJECT),
    "null": (body(None), "tool-choice-shape", "$.tool_choice", OBJECT),
    "a-list": (body([{"type": "auto"}]), "tool-choice-shape", "$.tool_choice", OBJECT),
    "true": (body(True), "tool-choice-shape", "$.tool_choice", OBJECT),
    "empty": (body({}), "tool-choice-shape", "$.tool_choice", "tool_choice.type: Field required"),
    "a-name-alone": (body({"name": "add"}), "tool-choice-shape", "$.tool_choice", "tool_choice.type: Field required"),
    "required": (
        body({"type": "required"}),
        "tool-choice-type-enum",
        "$.tool_choice.type",
        not_a_type("required"),
    ),
    "function": (
        body({"type": "function", "function": {"name": "add"}}),
        "tool-choice-type-enum",
        "$.tool_choice.type",
        not_a_type("function"),
    ),
    "type-null": (body({"type": None}), "tool-choice-type-enum", "$.tool_choice.type", not_a_type("null")),
    "type-list": (body({"type": []}), "tool-choice-type-enum", "$.tool_choice.type", not_a_type("an array")),
    "no-name": (
        body({"type": "tool"}),
        "tool-choice-type-enum",
        "$.tool_choice",
        "tool_choice.tool.name: Field required",
    ),
    "name-null": (
        body(named(None)),
        "tool-choice-type-enum",
        "$.tool_choice.name",
        "tool_choice.tool.name: Input should be a valid string",
    ),
    "name-with-auto": (
        body({"type": "auto", "name": "add"}),
        "tool-choice-type-enum",
        "$.tool_choice.name",
        "tool_choice.auto.name: Extra inputs are not permitted",
    ),
    "parallel-with-none": (
        body({"type": "none", PARALLEL: True}),
        "tool-choice-type-enum",
        f"$.tool_choice.{PARALLEL}",
        f"tool_choice.none.{PARALLEL}: Extra inputs are not permitted",
    ),
    "any-without-tools": (body({"type": "any"}, ABSENT), "tool-choice-needs-tools", "$.tool_choice", PROVIDING_ANY),
    "any-with-empty-tools": (body({"type": "any"}, []), "tool-choice-needs-tools", "$.tool_choice", PROVIDING_ANY),
    "auto-without-tools": (body({"type": "auto"}, ABSENT), "tool-choice-needs-tools", "$.tool_choice", PROVIDING),
    "another-name": (
        body(named("subtract")),
        "tool-choice-unknown-name",
        "$.tool_choice.name",
        "Tool 'subtract' not found in provided tools",
    ),
    "another-case": (
        body(named("Add")),
        "tool-choice-unknown-name",
        "$.tool_choice.name",
        "Tool 'Add' not found in provided tools",
    ),
    "a-name-without-tools": (
        body(named("add"), ABSENT),
        "tool-choice-unknown-name",
        "$.tool_choice.name",
        "Tool 'add' not found in provided tools",
    ),
    "braces-in-a-name": (
        body(named("{x}")),
        "tool-choice-unknown-name",
        "$.tool_choice.name",
        "Tool '{x}' not found in provided tools",
    ),
    "forced-opus-5-5": (
        body({"type": "any"}, model="claude-opus-5-5"),
        "forced-tool-choice-unsupported",
        "$.tool_choice.type",
        FORCED,
    ),
    "forced-fable-5-2": (
        body(named("add"), model="claude-fable-5-2"),
        "forced-tool-choice-unsupported",
        "$.tool_choice.type",
        FORCED,
    ),
}


@pytest.mark.parametrize(("request_body", "rule", "path", "text"), FAILING.values(), ids=FAILING)
def test_what_the_api_refuses(request_body: Json, rule: str, path: str, text: str) -> None:
    """One fault, one rule: its place and the API's words."""
    (violation,) = check_request(request_body, only=RULES)
    assert (violation.rule, violation.path, violation.api, violation.level) == (rule, path, text, "reject")


PASSING: dict[str, Json] = {
    "auto": body({"type": "auto"}),
    "any": body({"type": "any", PARALLEL: True}),
    "tool": body({**named("add"), PARALLEL: False}),
    "a-server-tool": body(named("web_search")),
    "none": body({"type": "none"}),
    "none-without-tools": body({"type": "none"}, ABSENT),
    "any-with-mcp-servers": body(
        {"type": "any"}, ABSENT, mcp_servers=[{"type": "url", "url": "https://x", "name": "x"}]
    ),
    "a-name-that-a-server-may-know": body(named("theirs"), [*TOOLS, {"type": "mcp_toolset", "mcp_server_name": "x"}]),
    "tools-of-another-type": body({"type": "any"}, None),
    "tools-that-are-none": body(named("add"), [5]),
    "auto-on-opus-5-5": body({"type": "auto"}, model="claude-opus-5-5"),
    "any-on-sonnet-5": body({"type": "any"}, model="claude-sonnet-5"),
    "any-on-haiku-5-5": body({"type": "any"}, model="claude-haiku-5-5"),
    "any-on-an-unknown-model": body({"type": "any"}, model="claude-future-9"),
    "a-key-that-no-type-has": body({"type": "auto", "novelty": 1}),
}


@pytest.mark.parametrize("request_body", PASSING.values(), ids=PASSING)
def test_what_is_accepted_or_not_ours(request_body: Json) -> None:
    """What the API takes, what is not known, and what other rules report."""
    assert check_request(request_body, only=RULES) == ()


def test_absent() -> None:
    """No choice is no fault."""
    assert check_request({"model": "claude-opus-5-5", "max_tokens": 9, "messages": []}, only=RULES) == ()


def test_a_recording_that_does_not_tell_the_tools() -> None:
    """What is not known to be missing is not missing."""
    known = frozenset(("messages", "tool_choice"))
    for choice in ({"type": "any"}, named("add")):
        exchange = Exchange(request=body(choice, ABSENT), known=known)
        assert Checker(RULES).ask(exchange).violations == ()


def test_the_names_there_are() -> None:
    """The sentence tells them."""
    (violation,) = check_request(body(named("subtract")), only=RULES)
    assert violation.message == "tool_choice names 'subtract'; the tools are add, web_search"
    assert violation.fix == "name one of the tools, or send the tool subtract"


def test_counting_tokens() -> None:
    """A choice that a model does not take is refused there as well."""
    asked = body({"type": "any"}, model="claude-sonnet-5-5")
    violations = Checker(RULES).ask(Exchange(path="/v1/messages/count_tokens", request=asked)).violations
    assert [v.rule for v in violations] == ["forced-tool-choice-unsupported"]

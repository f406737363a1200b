"""The rules on the form of messages, their roles and their blocks."""

from __future__ import annotations

from typing import Any

import pytest

from playhead.rules.checker import Checker, check_request
from playhead.rules.message_shape import RULES
from playhead.wire.exchange import Exchange

Json = dict[str, Any]
Fault = tuple[str, str, str]
V1 = {"anthropic-version": "2023-06-01"}
FALLBACK_BETA = {**V1, "anthropic-beta": "a-2026-01-01, server-side-fallback-2026-07-01"}


def user(*content: object) -> Json:
    return {"role": "user", "content": content[0] if isinstance(content[0], str) else list(content)}


def said(*content: object) -> Json:
    return {"role": "assistant", "content": content[0] if isinstance(content[0], str) else list(content)}


def system(*content: object, **more: object) -> Json:
    return {"role": "system", "content": content[0] if content and isinstance(content[0], str) else [*content], **more}


def text(words: str) -> Json:
    return {"type": "text", "text": words}


CALL = {"type": "tool_use", "id": "toolu_1", "name": "get_date", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "2025-01-01"}
SEARCH = [
    {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "date"}},
    {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
]
FALLBACK = {"type": "fallback", "from": {"model": "claude-opus-5"}, "to": {"model": "claude-opus-4-8"}}
Q = user("What date is it?")


def body(*messages: object, model: str = "claude-opus-4-8", **more: object) -> Json:
    return {"model": model, "max_tokens": 9, "messages": list(messages), **more}


def in_result(*blocks: object) -> Json:
    return body(Q, said(CALL), user({**RESULT, "content": list(blocks)}))


EXEMPT = "; the directive-only form (content: [] with output_config) is accepted at any position"
FIRST = "use the top-level 'system' parameter for the initial system prompt" + EXEMPT
FOLLOW = "role 'system' must follow a 'user' message or an 'assistant' message ending in a server tool result" + EXEMPT
PRECEDE = "role 'system' must precede an 'assistant' message or end the array" + EXEMPT
GATED = (
    'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an '
    "input message role."
)
TAGS = (
    "'bash_code_execution_tool_result', 'code_execution_tool_result', 'container_upload', 'document', 'image', "
    "'redacted_thinking', 'search_result', 'server_tool_use', 'text', 'text_editor_code_execution_tool_result', "
    "'thinking', 'tool_result', 'tool_search_tool_result', 'tool_use', 'web_fetch_tool_result', "
    "'web_search_tool_result'"
)
TAGS_IN_RESULT = "'browser_state', 'document', 'image', 'search_result', 'text', 'tool_reference'"


def shape(path: str, wording: str) -> list[Fault]:
    return [("message-shape", path, wording)]


def placed(index: int, wording: str) -> list[Fault]:
    return [("system-role-placement", f"$.messages[{index}]", f"messages.{index}: {wording}")]


def spoken(path: str, wording: str) -> list[Fault]:
    return [("system-role-content", path, wording)]


def tagged(path: str, api: str, tag: str, tags: str = TAGS) -> list[Fault]:
    wording = f"{api}: Input tag '{tag}' found using 'type' does not match any of the expected tags: {tags}"
    return [("content-block-type-unknown", path, wording)]


FAILING: dict[str, tuple[Json, list[Fault]]] = {
    "message-is-a-string": (
        body("hi"),
        shape("$.messages[0]", "messages.0: Input does not match the expected shape."),
    ),
    "message-is-null": (
        body(Q, None),
        shape("$.messages[1]", "messages.1: Input does not match the expected shape."),
    ),
    "message-is-a-list": (body([Q]), shape("$.messages[0]", "messages.0: Input does not match the expected shape.")),
    "no-role": (body({"content": "hi"}), shape("$.messages[0]", "messages.0.role: Field required")),
    "no-content": (body(Q, {"role": "assistant"}), shape("$.messages[1]", "messages.1.content: Field required")),
    "neither": (
        body({}),
        shape("$.messages[0]", "messages.0.role: Field required")
        + shape("$.messages[0]", "messages.0.content: Field required"),
    ),
    "content-null": (
        body({"role": "user", "content": None}),
        shape("$.messages[0].content", "messages.0.content: Input should be a valid array"),
    ),
    "content-a-number": (
        body(Q, {"role": "assistant", "content": 5}),
        shape("$.messages[1].content", "messages.1.content: Input should be a valid array"),
    ),
    "content-a-block": (
        body({"role": "user", "content": text("hi")}),
        shape("$.messages[0].content", "messages.0.content: Input should be a valid array"),
    ),
    "content-true": (
        body({"role": "user", "content": True}),
        shape("$.messages[0].content", "messages.0.content: Input should be a valid array"),
    ),
    "role-tool": (
        body(Q, {"role": "tool", "content": "3"}),
        [
            (
                "message-role-enum",
                "$.messages[1].role",
                'messages: Unexpected role "tool". Allowed roles are "user" or "assistant"',
            )
        ],
    ),
    "role-capital": (
        body({"role": "User", "content": "hi"}),
        [
            (
                "message-role-enum",
                "$.messages[0].role",
                'messages: Unexpected role "User". Allowed roles are "user" or "assistant"',
            )
        ],
    ),
    "role-empty": (
        body({"role": "", "content": "hi"}),
        [
            (
                "message-role-enum",
                "$.messages[0].role",
                'messages: Unexpected role "". Allowed roles are "user" or "assistant"',
            )
        ],
    ),
    "role-null": (
        body({"role": None, "content": "hi"}),
        [("message-role-enum", "$.messages[0].role", "messages.0.role: Input should be 'user' or 'assistant'")],
    ),
    "role-a-list": (
        body({"role": ["user"], "content": "hi"}),
        [("message-role-enum", "$.messages[0].role", "messages.0.role: Input should be 'user' or 'assistant'")],
    ),
    "role-before-content": (
        body({"role": "tool", "content": 3}),
        [
            (
                "message-role-enum",
                "$.messages[0].role",
                'messages: Unexpected role "tool". Allowed roles are "user" or "assistant"',
            ),
            ("message-shape", "$.messages[0].content", "messages.0.content: Input should be a valid array"),
        ],
    ),
    "system-on-sonnet-4-6": (
        body(Q, system("be brief"), model="claude-sonnet-4-6"),
        [("system-role-model-gated", "$.messages[1].role", GATED)],
    ),
    "system-on-dated-haiku-4-5": (
        body(Q, system("be brief"), model="claude-haiku-4-5-20251001"),
        [("system-role-model-gated", "$.messages[1].role", GATED)],
    ),
    "system-on-opus-4-7-misplaced-and-empty": (
        body(system(), Q, model="claude-opus-4-7"),
        [("system-role-model-gated", "$.messages[0].role", GATED)],
    ),
    "system-first": (body(system("be brief"), Q), placed(0, FIRST)),
    "system-alone": (body(system("be brief")), placed(0, FIRST)),
    "system-after-a-text": (body(Q, said("hello"), system("be brief"), user("go")), placed(2, FOLLOW)),
    "system-last-after-a-text": (body(Q, said("hello"), system("be brief")), placed(2, FOLLOW)),
    "system-between-call-and-result": (body(Q, said(CALL), system("be brief"), user(RESULT)), placed(2, FOLLOW)),
    "system-after-a-server-call": (body(Q, said(SEARCH[0]), system("be brief")), placed(2, FOLLOW)),
    "system-after-results-and-text": (body(Q, said(*SEARCH, text("x")), system("be brief")), placed(2, FOLLOW)),
    "system-before-a-user": (body(Q, system("be brief"), user("go")), placed(1, PRECEDE)),
    "run-before-a-user": (body(Q, system("be brief"), system("be kind"), user("go")), placed(2, PRECEDE)),
    "system-on-a-model-of-unknown-support": (
        body(system("be brief"), Q, model="claude-haiku-5-5"),
        placed(0, FIRST),
    ),
    "system-empty-list": (
        body(Q, system()),
        spoken("$.messages[1].content", "messages.1: system content must contain at least one block"),
    ),
    "system-empty-string": (
        body(Q, system("")),
        spoken("$.messages[1].content", "messages.1: system content must contain at least one block"),
    ),
    "system-blank-string": (
        body(Q, system(" \n")),
        spoken("$.messages[1].content", "messages.1: system text blocks must contain non-whitespace text"),
    ),
    "system-blank-block": (
        body(Q, system(text("be brief"), text(""))),
        spoken("$.messages[1].content[1]", "messages.1: system text blocks must contain non-whitespace text"),
    ),
    "system-with-an-image": (
        body(Q, system(text("look"), {"type": "image", "source": {"type": "url", "url": "https://example.com/a"}})),
        spoken(
            "$.messages[1].content[1]",
            "messages.1: role 'system' supports text, tool_addition, and tool_removal blocks only",
        ),
    ),
    "system-with-a-call-and-a-blank": (
        body(Q, system(text(" "), CALL)),
        spoken(
            "$.messages[1].content[1]",
            "messages.1: role 'system' supports text, tool_addition, and tool_removal blocks only",
        )
        + spoken("$.messages[1].content[0]", "messages.1: system text blocks must contain non-whitespace text"),
    ),
    "block-a-string": (
        body(user(text("a"), "b")),
        [("content-block-shape", "$.messages[0].content[1]", "messages.0.content.1: Input should be an object")],
    ),
    "block-null": (
        body(user(text("a"), None)),
        [("content-block-shape", "$.messages[0].content[1]", "messages.0.content.1: Input should be an object")],
    ),
    "block-without-type": (
        body(user({"text": "a"})),
        [("content-block-shape", "$.messages[0].content[0]", "messages.0.content.0.type: Field required")],
    ),
    "block-in-a-result-a-string": (
        in_result("3"),
        [
            (
                "content-block-shape",
                "$.messages[2].content[0].content[0]",
                "messages.2.content.0.tool_result.content.0: Input should be an object",
            )
        ],
    ),
    "block-in-a-result-without-type": (
        in_result(text("a"), {"text": "b"}),
        [
            (
                "content-block-shape",
                "$.messages[2].content[0].content[1]",
                "messages.2.content.0.tool_result.content.1.type: Field required",
            )
        ],
    ),
    "type-of-another-api": (
        body(user({"type": "input_text", "text": "x"})),
        tagged("$.messages[0].content[0].type", "messages.0.content.0", "input_text"),
    ),
    "type-null": (
        body(user({"type": None})),
        tagged("$.messages[0].content[0].type", "messages.0.content.0", "null"),
    ),
    "type-a-list": (
        body(user({"type": ["text"]})),
        tagged("$.messages[0].content[0].type", "messages.0.content.0", "an array"),
    ),
    "reference-outside-a-result": (
        body(user({"type": "tool_reference", "tool_name": "a"})),
        tagged("$.messages[0].content[0].type", "messages.0.content.0", "tool_reference"),
    ),
    "call-in-a-result": (
        in_result(CALL),
        tagged(
            "$.messages[2].content[0].content[0].type",
            "messages.2.content.0.tool_result.content.0",
            "tool_use",
            TAGS_IN_RESULT,
        ),
    ),
    "resource-in-a-result": (
        in_result({"type": "resource", "resource": {}}),
        tagged(
            "$.messages[2].content[0].content[0].type",
            "messages.2.content.0.tool_result.content.0",
            "resource",
            TAGS_IN_RESULT,
        ),
    ),
    "fallback-in-a-body-alone": (
        body(Q, said(FALLBACK, text("x")), user("go")),
        [
            (
                "fallback-block-needs-beta",
                "$.messages[1].content[0].type",
                "messages.1.content.0: Input tag 'fallback' found using 'type' does not match any of the expected tags",
            )
        ],
    ),
    "call-of-the-user": (
        body(user(CALL)),
        [
            (
                "block-role-tool-use",
                "$.messages[0].content[0]",
                "messages.0: `tool_use` blocks can only be in `assistant` messages",
            )
        ],
    ),
    "thinking-of-the-user": (
        body(Q, said("hm"), user(text("a"), {"type": "thinking", "thinking": "x", "signature": "s"})),
        [
            (
                "block-role-tool-use",
                "$.messages[2].content[1]",
                "messages.2: `thinking` blocks can only be in `assistant` messages",
            )
        ],
    ),
    "result-of-the-assistant": (
        body(Q, said(CALL, RESULT), user("go")),
        [
            (
                "block-role-tool-result",
                "$.messages[1].content[1]",
                "messages.1: `tool_result` blocks can only be in `user` messages",
            )
        ],
    ),
}

OK: dict[str, Json] = {
    "strings": body(Q, said("hello"), user("go")),
    "blocks": body(user(text("a")), said(text("b")), user(text("c"))),
    "no-messages": body(),
    "empty-contents": body({"role": "user", "content": []}, {"role": "assistant", "content": ""}),
    "same-roles-in-a-row": body(Q, user("b"), said("c"), said("d"), user("e")),
    "system-last": body(Q, system("be brief")),
    "system-before-an-assistant": body(Q, system("be brief"), said("ok"), user("go")),
    "system-run": body(Q, system("be brief"), system(text("be kind"))),
    "system-after-results": body(Q, said(CALL), user(RESULT), system("be brief")),
    "system-after-a-server-result": body(Q, said(*SEARCH), system("be brief"), said("ok"), user("go")),
    "system-on-sonnet-5": body(Q, system("be brief"), model="claude-sonnet-5"),
    "system-on-a-model-of-unknown-support-well-placed": body(Q, system("be brief"), model="claude-haiku-5-5"),
    "system-on-an-unknown-model": body(system(""), user("go"), model="someone-elses"),
    "system-with-tool-changes": body(
        Q, system({"type": "tool_addition", "tool": {}}, {"type": "tool_removal", "tool": {}}, text("new tools"))
    ),
    "directive-only-anywhere": body(system(output_config={"effort": "low"}), Q, said("a"), user("b")),
    "directive-without-content": body({"role": "system", "output_config": {"effort": "low"}}, Q),
    "system-first-in-a-thread": body(
        system("be brief"), thread={"type": "continue", "previous_message_id": "msg_1"}, model="claude-opus-5"
    ),
    "results-of-all-kinds": in_result(
        text("a"),
        {"type": "image", "source": {}},
        {"type": "document", "source": {}},
        {"type": "search_result"},
        {"type": "tool_reference", "tool_name": "a"},
        {"type": "browser_state", "tabs": []},
    ),
    "beta-blocks": body(
        Q,
        said(
            {"type": "mcp_tool_use", "id": "mcptoolu_1", "name": "a", "input": {}, "server_name": "s"},
            {"type": "mcp_tool_result", "tool_use_id": "mcptoolu_1", "content": [text("x")]},
            {"type": "compaction", "content": "so far"},
        ),
        user("go"),
    ),
    "fallback-with-its-parameter": body(Q, said(FALLBACK, text("x")), user("go"), fallbacks="default"),
    "fallback-on-a-cloud": body(Q, said(FALLBACK, text("x")), user("go"), anthropic_version="vertex-2023-10-16"),
    "content-of-a-result-left-out": body(Q, said(CALL), user({"type": "tool_result", "tool_use_id": "toolu_1"})),
    "input-may-look-like-blocks": body(Q, said({**CALL, "input": {"content": ["a", {}], "type": 5}}), user(RESULT)),
}


def judged(request: Json, headers: dict[str, str] | None = None) -> list[Fault]:
    return [(v.rule, v.path, v.api or "") for v in check_request(request, headers, only=RULES)]


@pytest.mark.parametrize(("request_body", "expected"), FAILING.values(), ids=FAILING)
def test_what_is_refused(request_body: Json, expected: list[Fault]) -> None:
    """The rule, the place, and the API's words."""
    assert judged(request_body) == expected


@pytest.mark.parametrize("request_body", OK.values(), ids=OK)
def test_what_is_taken(request_body: Json) -> None:
    """Nothing at all is said."""
    assert judged(request_body) == []


def test_all_are_refusals() -> None:
    """These are faults of form, known word for word."""
    assert all(rule.level == "reject" and rule.wording for rule in RULES)


@pytest.mark.parametrize(
    ("headers", "found"),
    [(V1, True), ({**V1, "anthropic-beta": "other"}, True), (FALLBACK_BETA, False), ({"x-api-key": "k"}, False)],
    ids=["no-betas", "another-beta", "the-beta", "headers-stripped"],
)
def test_a_fallback_block_and_the_betas(headers: dict[str, str], found: bool) -> None:
    """With known headers they decide, with stripped ones nothing is said."""
    request = body(Q, said(FALLBACK, text("x")), user("go"))
    assert bool(judged(request, headers)) is found


@pytest.mark.parametrize(("headers", "found"), [(V1, True), ({**V1, "anthropic-beta": "x"}, False), (None, False)])
def test_a_message_that_only_sets_the_effort(headers: dict[str, str] | None, found: bool) -> None:
    """Without any beta the form is measured not to exist."""
    request = body(Q, system(output_config={"effort": "low"}))
    wording = "messages.1: system content must contain at least one block"
    assert judged(request, headers) == (spoken("$.messages[1].content", wording) if found else [])


def test_a_transcript_is_not_blamed_for_betas() -> None:
    """Where only messages are known, what the request asked for is not."""
    request = body(Q, said(FALLBACK, text("x")), user("go"))
    exchange = Exchange(request=request, known=frozenset({"messages", "model"}))
    assert Checker(RULES).ask(exchange).violations == ()


def test_a_good_system_message_goes_bad_when_a_user_message_follows() -> None:
    """What ended the array is looked at again with the next request."""
    checker = Checker(RULES)
    messages = [Q, said("a"), user("b"), system("be brief")]
    assert checker.ask(Exchange(request=body(*messages))).violations == ()
    later = checker.ask(Exchange(request=body(*messages, user("c")))).violations
    assert [(v.rule, v.path) for v in later] == [("system-role-placement", "$.messages[3]")]

"""The rules on calls and results, with the API's exact words."""

from __future__ import annotations

from typing import Any

import pytest

from playhead.rules.checker import api_error, check_request
from playhead.rules.pairing import RULES
from playhead.rules.rule import Violation

Json = dict[str, Any]


def user(*content: str | Json) -> Json:
    return {"role": "user", "content": content[0] if isinstance(content[0], str) else list(content)}


def said(*content: str | Json) -> Json:
    return {"role": "assistant", "content": content[0] if isinstance(content[0], str) else list(content)}


def text(words: str) -> Json:
    return {"type": "text", "text": words}


def call(identifier: str, name: str = "get_current_datetime") -> Json:
    return {"type": "tool_use", "id": identifier, "name": name, "input": {}}


def result(identifier: str, **more: object) -> Json:
    return {"type": "tool_result", "tool_use_id": identifier, "content": "2025-01-01", **more}


def body(*messages: object, **more: object) -> Json:
    return {"model": "claude-opus-5-5", "max_tokens": 99, "messages": list(messages), **more}


Q = user("What date is it?")

# (rule, level, path, what the API answers, what we say)
Expected = tuple[str, str, str, str | None, str]
FAILING: dict[str, tuple[list[object], list[Expected]]] = {
    "one-of-two-results": (
        [Q, said(call("toolu_1"), call("toolu_2", "set_reminder")), user(result("toolu_1"))],
        [
            (
                "tool-use-unanswered",
                "reject",
                "$.messages[1].content[1]",
                "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_2. "
                "Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
                "toolu_2 (set_reminder) has no tool_result in the next user message",
            )
        ],
    ),
    "no-results": (
        [Q, said(text("Let me look."), call("toolu_1"), call("toolu_2")), user("And?")],
        [
            (
                "tool-use-unanswered",
                "reject",
                "$.messages[1].content[1]",
                "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1, "
                "toolu_2. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
                "toolu_1 (get_current_datetime), toolu_2 (get_current_datetime) have no tool_result in the next user "
                "message",
            )
        ],
    ),
    "the-call-is-the-last": (
        [Q, said(call("toolu_1"))],
        [
            (
                "tool-use-unanswered",
                "reject",
                "$.messages[1].content[0]",
                "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1. "
                "Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
                "toolu_1 (get_current_datetime) has no tool_result in a next user message: the history ends with the "
                "call",
            )
        ],
    ),
    "an-old-call-deep-in-the-history": (
        [
            Q,
            said(call("toolu_1")),
            user("never mind"),
            said("Well."),
            Q,
            said(call("toolu_2")),
            user(result("toolu_2")),
        ],
        [
            (
                "tool-use-unanswered",
                "reject",
                "$.messages[1].content[0]",
                "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1. "
                "Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
                "toolu_1 (get_current_datetime) has no tool_result in the next user message",
            )
        ],
    ),
    "merged-turns-are-counted-in-the-wording-and-messages-in-the-path": (
        [Q, user("Please."), said(text("Yes.")), said(call("toolu_1")), user("And?"), user("Well?")],
        [
            (
                "tool-use-unanswered",
                "reject",
                "$.messages[3].content[0]",
                "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1. "
                "Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
                "toolu_1 (get_current_datetime) has no tool_result in the next user message",
            )
        ],
    ),
    "a-system-message-is-no-turn": (
        [Q, {"role": "system", "content": "now"}, said(call("toolu_1")), user("And?")],
        [
            (
                "tool-use-unanswered",
                "reject",
                "$.messages[2].content[0]",
                "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1. "
                "Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
                "toolu_1 (get_current_datetime) has no tool_result in the next user message",
            )
        ],
    ),
    "text-before-the-result": (
        [Q, said(call("toolu_1")), user(text("Here:"), result("toolu_1"))],
        [
            (
                "tool-result-not-first",
                "reject",
                "$.messages[2].content[1]",
                "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1. "
                "Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
                "a text block stands before the result of toolu_1",
            )
        ],
    ),
    "a-user-message-before-the-result": (
        [Q, said(call("toolu_1")), user("Here:"), user(result("toolu_1"))],
        [
            (
                "tool-result-not-first",
                "reject",
                "$.messages[3].content[0]",
                "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1. "
                "Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
                "a text block stands before the result of toolu_1",
            )
        ],
    ),
    "text-between-two-results": (
        [Q, said(call("toolu_1"), call("toolu_2")), user(result("toolu_2"), text("and"), result("toolu_1"))],
        [
            (
                "tool-result-not-first",
                "reject",
                "$.messages[2].content[2]",
                "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1. "
                "Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
                "a text block stands before the result of toolu_1",
            )
        ],
    ),
    "one-late-and-one-missing-are-named-together": (
        [
            Q,
            said(call("toolu_1"), call("toolu_2"), call("toolu_3")),
            user(result("toolu_2"), text("and"), result("toolu_3")),
        ],
        [
            (
                "tool-use-unanswered",
                "reject",
                "$.messages[1].content[0]",
                "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1, "
                "toolu_3. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
                "toolu_1 (get_current_datetime) has no tool_result in the next user message",
            ),
            (
                "tool-result-not-first",
                "reject",
                "$.messages[2].content[2]",
                "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1, "
                "toolu_3. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
                "a text block stands before the result of toolu_3",
            ),
        ],
    ),
    "a-result-and-nothing-before-it": (
        [user(result("toolu_1"))],
        [
            (
                "tool-result-orphan",
                "reject",
                "$.messages[0].content[0].tool_use_id",
                "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1. Each "
                "`tool_result` block must have a corresponding `tool_use` block in the previous message.",
                "a result answers toolu_1; no turn stands before it",
            )
        ],
    ),
    "the-recorded-one-two-user-messages-are-one-turn": (
        [Q, user(result("toolu_1"))],
        [
            (
                "tool-result-orphan",
                "reject",
                "$.messages[1].content[0].tool_use_id",
                "messages.0.content.1: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1. Each "
                "`tool_result` block must have a corresponding `tool_use` block in the previous message.",
                "a result answers toolu_1; no turn stands before it",
            )
        ],
    ),
    "an-id-that-nobody-called": (
        [Q, said(call("toolu_2"), call("toolu_1")), user(result("toolu_1"), result("toolu_2"), result("toolu_9"))],
        [
            (
                "tool-result-orphan",
                "reject",
                "$.messages[2].content[2].tool_use_id",
                "messages.2.content.2: unexpected `tool_use_id` found in `tool_result` blocks: toolu_9. Each "
                "`tool_result` block must have a corresponding `tool_use` block in the previous message.",
                "a result answers toolu_9; the turn before calls toolu_1, toolu_2",
            )
        ],
    ),
    "a-result-after-plain-text": (
        [Q, said("The first."), user(result("toolu_1"))],
        [
            (
                "tool-result-orphan",
                "reject",
                "$.messages[2].content[0].tool_use_id",
                "messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1. Each "
                "`tool_result` block must have a corresponding `tool_use` block in the previous message.",
                "a result answers toolu_1; the turn before calls no tool",
            )
        ],
    ),
    "answered-twice": (
        [Q, said(call("toolu_1")), user(result("toolu_1"), result("toolu_1"))],
        [
            (
                "tool-result-duplicate",
                "reject",
                "$.messages[2].content[1]",
                "messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks "
                "with id: toolu_1",
                "toolu_1 is answered a second time in the same turn",
            )
        ],
    ),
    "answered-twice-over-two-messages": (
        [Q, said(call("toolu_1")), user(result("toolu_1")), user(text("again"), result("toolu_1"))],
        [
            (
                "tool-result-duplicate",
                "reject",
                "$.messages[3].content[1]",
                "messages.2.content.2: each tool_use must have a single result. Found multiple `tool_result` blocks "
                "with id: toolu_1",
                "toolu_1 is answered a second time in the same turn",
            )
        ],
    ),
    "a-turn-between-call-and-result": (
        [Q, said(call("toolu_1")), user("Be brief."), said("Yes."), user(result("toolu_1"))],
        [
            (
                "tool-use-unanswered",
                "reject",
                "$.messages[1].content[0]",
                "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1. "
                "Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
                "toolu_1 (get_current_datetime) has no tool_result in the next user message",
            ),
            (
                "tool-result-orphan",
                "reject",
                "$.messages[4].content[0].tool_use_id",
                "messages.4.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1. Each "
                "`tool_result` block must have a corresponding `tool_use` block in the previous message.",
                "a result answers toolu_1; the turn before calls no tool",
            ),
            (
                "nothing-between-call-and-result",
                "broken",
                "$.messages[4].content[0]",
                None,
                "the result of toolu_1 comes 3 turns after its call",
            ),
        ],
    ),
}


def told(violation: Violation) -> Expected:
    return violation.rule, violation.level, violation.path, violation.api, violation.message


@pytest.mark.parametrize(("messages", "expected"), FAILING.values(), ids=FAILING)
def test_what_the_api_refuses(messages: list[object], expected: list[Expected]) -> None:
    """The rule, its level, the place as sent, the API's words with its own count, and our sentence."""
    assert [told(violation) for violation in check_request(body(*messages), only=RULES)] == expected
    error = api_error(body(*messages), only=RULES)
    assert error is not None
    assert (error.status, error.type, error.message, error.rule) == (
        400,
        "invalid_request_error",
        expected[0][3],
        expected[0][0],
    )


PASSING: dict[str, list[object]] = {
    "all-answered": [Q, said(call("a"), call("b")), user(result("a"), result("b"))],
    "in-another-order": [Q, said(call("a"), call("b")), user(result("b"), result("a"))],
    "over-two-messages": [Q, said(call("a"), call("b")), user(result("a")), user(result("b"), text("go on"))],
    "calls-over-two-messages": [Q, said(call("a")), said(call("b")), user(result("a"), result("b"))],
    "text-after-the-results": [Q, said(call("a")), user(result("a"), text("and now?"))],
    "text-after-the-call": [Q, said(call("a"), text("One moment.")), user(result("a"))],
    "an-empty-message-before-the-result": [Q, said(call("a")), user(""), user(result("a"))],
    "an-empty-list-before-the-result": [Q, said(call("a")), {"role": "user", "content": []}, user(result("a"))],
    "system-message-between": [Q, said(call("a")), {"role": "system", "content": "now"}, user(result("a"))],
    "ids-used-again": [Q, said(call("a")), user(result("a")), said(call("a")), user(result("a"))],
    "ids-of-any-kind": [Q, said(call("call_1"), call("x")), user(result("x"), result("call_1"))],
    "results-without-content": [Q, said(call("a")), user({"type": "tool_result", "tool_use_id": "a"})],
    "results-with-blocks-and-errors": [Q, said(call("a")), user(result("a", content=[text("no")], is_error=True))],
    "an-error-that-is-none": [Q, said(call("a")), user(result("a", is_error=False))],
    "server-calls-are-not-ours": [
        Q,
        said({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}),
    ],
    "a-server-result-in-the-same-turn": [
        Q,
        said(
            {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}},
            {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
            call("a"),
        ),
        user(result("a")),
    ],
    "a-tool-that-is-gone": [Q, said(call("a", "gone")), user(result("a"))],
    "assistant-first": [said(call("a")), user(result("a"))],
    "roles-in-a-row": [Q, Q, said("x"), said("y"), Q],
    "a-prefill": [Q, said("The date is")],
    "an-empty-assistant-turn": [Q, said(""), Q, {"role": "assistant", "content": []}],
    "what-is-no-block": [Q, {"role": "assistant", "content": ["x", 7, None]}, {"role": "user", "content": 7}, "x"],
}


@pytest.mark.parametrize("messages", PASSING.values(), ids=PASSING)
def test_what_the_api_accepts(messages: list[object]) -> None:
    """What looks wrong and is not is never called wrong, whether or not the request offers tools."""
    for request in (body(*messages), body(*messages, tools=[{"name": "add", "input_schema": {"type": "object"}}])):
        assert check_request(request, only=RULES) == ()
        assert api_error(request, only=RULES) is None


def test_where_the_server_holds_the_history() -> None:
    """A result may answer a call that only the server has; two results for one call are still too many."""
    held = {"thread": {"type": "continue", "previous_message_id": "msg_1"}}
    assert check_request(body(user(result("a"), result("b")), **held), only=RULES) == ()
    twice = check_request(body(user(result("a"), result("a")), **held), only=RULES)
    assert [violation.rule for violation in twice] == ["tool-result-duplicate"]
    created = {"thread": {"type": "create"}}
    assert [violation.rule for violation in check_request(body(user(result("a")), **created), only=RULES)] == [
        "tool-result-orphan"
    ]


def test_the_fix_names_the_block_to_add() -> None:
    """What to do can be pasted: the id stands in the fix."""
    fixes = {
        violation.rule: violation.fix
        for messages, _ in FAILING.values()
        for violation in reversed(check_request(body(*messages), only=RULES))
    }
    assert fixes == {
        "tool-use-unanswered": "send one tool_result per tool_use in the next user message; add "
        '{"type": "tool_result", "tool_use_id": "toolu_1", "content": ...}',
        "tool-result-not-first": "put all tool_result blocks before any other block of the user message",
        "tool-result-orphan": "copy `tool_use_id` from the call's `id`, and keep the assistant message with the call "
        "before the results",
        "tool-result-duplicate": "send exactly one tool_result for toolu_1",
        "nothing-between-call-and-result": "send the results in the user message right after the call; put reminders "
        "and questions after them",
    }

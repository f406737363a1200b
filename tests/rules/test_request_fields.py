"""The rules on the fields of one request."""

from __future__ import annotations

from typing import Any

import pytest

from playhead.rules.checker import Checker, api_error, check_request
from playhead.rules.request_fields import RULES
from playhead.wire.exchange import Exchange

Json = dict[str, Any]

HI = {"role": "user", "content": "hi"}
EMPTY: Json = {"role": "user", "content": ""}
NONE: Json = {"role": "user", "content": []}
HO = {"role": "assistant", "content": "ho"}
SILENT: Json = {"role": "assistant", "content": []}


def body(*messages: object, **more: object) -> Json:
    return {"model": "claude-opus-5-5", "max_tokens": 99, "messages": list(messages), **more}


def without(*fields: str) -> Json:
    return {name: value for name, value in body(HI).items() if name not in fields}


# (rule, path, what the API answers)
FAILING: dict[str, tuple[Json, list[tuple[str, str, str]]]] = {
    "no-model": (without("model"), [("req-required-fields", "$", "model: Field required")]),
    "no-max-tokens": (without("max_tokens"), [("req-required-fields", "$", "max_tokens: Field required")]),
    "no-messages": (without("messages"), [("req-required-fields", "$", "messages: Field required")]),
    "nothing": (
        {},
        [
            ("req-required-fields", "$", "model: Field required"),
            ("req-required-fields", "$", "messages: Field required"),
            ("req-required-fields", "$", "max_tokens: Field required"),
        ],
    ),
    "empty-messages": (
        body(),
        [("req-messages-nonempty", "$.messages", "messages: at least one message is required")],
    ),
    "empty-messages-come-before-max-tokens": (
        {"model": "claude-opus-5-5", "messages": []},
        [
            ("req-messages-nonempty", "$.messages", "messages: at least one message is required"),
            ("req-required-fields", "$", "max_tokens: Field required"),
        ],
    ),
    "empty-string": (
        body(EMPTY),
        [
            (
                "content-nonempty-message",
                "$.messages[0].content",
                "messages.0: user messages must have non-empty content",
            )
        ],
    ),
    "empty-list": (
        body(NONE),
        [
            (
                "content-nonempty-message",
                "$.messages[0].content",
                "messages.0: user messages must have non-empty content",
            )
        ],
    ),
    "a-later-turn-in-array-positions": (
        body(HI, HI, HO, EMPTY, NONE),
        [
            (
                "content-nonempty-message",
                "$.messages[3].content",
                "messages.3: user messages must have non-empty content",
            )
        ],
    ),
    "two-empty-turns": (
        body(EMPTY, HO, NONE),
        [
            (
                "content-nonempty-message",
                "$.messages[0].content",
                "messages.0: user messages must have non-empty content",
            ),
            (
                "content-nonempty-message",
                "$.messages[2].content",
                "messages.2: user messages must have non-empty content",
            ),
        ],
    ),
    "fields-come-before-the-conversation": (
        {"model": "claude-opus-5-5", "messages": [EMPTY]},
        [
            ("req-required-fields", "$", "max_tokens: Field required"),
            (
                "content-nonempty-message",
                "$.messages[0].content",
                "messages.0: user messages must have non-empty content",
            ),
        ],
    ),
}


@pytest.mark.parametrize(("request_body", "expected"), FAILING.values(), ids=FAILING)
def test_what_the_api_refuses(request_body: Json, expected: list[tuple[str, str, str]]) -> None:
    """Rule, place and the API's words, in the order in which the API reads the fields; it answers the first."""
    violations = check_request(request_body, only=RULES)
    assert [(violation.rule, violation.path, violation.api) for violation in violations] == expected
    assert {violation.level for violation in violations} == {"reject"}
    error = api_error(request_body, only=RULES)
    assert error is not None
    assert (error.status, error.type, error.message) == (400, "invalid_request_error", expected[0][2])


PASSING: dict[str, Json] = {
    "plain": body(HI),
    "empty-user-next-to-user": body(EMPTY, HI),
    "user-next-to-empty-user": body(HI, NONE),
    "empty-assistant": body(HI, SILENT),
    "empty-assistant-in-the-middle": body(HI, SILENT, HI, {"role": "assistant", "content": ""}),
    "max-tokens-zero": body(HI, max_tokens=0),
    "tools-empty": body(HI, tools=[]),
    "tool-without-description": body(HI, tools=[{"name": "x", "description": "", "input_schema": {"type": "object"}}]),
    "cache-mark-on-a-short-prompt": body(
        {"role": "user", "content": [{"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}]}
    ),
    "adaptive-thinking-without-thinking": body(HI, HO, HI, thinking={"type": "adaptive"}),
    "earlier-thinking-left-out": body(HI, HO, HI, thinking={"type": "adaptive"}, system="think"),
    "string-constraints-in-a-format": body(
        HI,
        output_config={
            "format": {
                "type": "json_schema",
                "schema": {
                    "type": "object",
                    "properties": {"a": {"type": "string", "minLength": 1, "pattern": "^a"}},
                    "required": ["a"],
                    "additionalProperties": False,
                },
            }
        },
    ),
    "system-message-in-the-middle": body(HI, HO, {"role": "system", "content": ""}, HI),
    "a-thread-that-goes-on-with-nothing": body(thread={"type": "continue", "previous_message_id": "msg_1"}),
    "the-cloud-names-the-model": {"anthropic_version": "bedrock-2023-05-31", "max_tokens": 9, "messages": [HI]},
    "an-unknown-field": body(HI, novelty={"a": 1}),
}


@pytest.mark.parametrize("request_body", PASSING.values(), ids=PASSING)
def test_what_the_api_accepts(request_body: Json) -> None:
    """What looks wrong and is not is never called wrong."""
    assert check_request(request_body, only=RULES) == ()
    assert api_error(request_body, only=RULES) is None


def test_counting_tokens_needs_no_limit() -> None:
    """`max_tokens` is no field of the endpoint that counts; the others are needed there as well."""
    path = "/v1/messages/count_tokens?beta=true"
    asked = Checker().ask(Exchange(path=path, request=without("max_tokens")))
    assert asked.violations == ()
    bare = Checker().ask(Exchange(path=path, request={}))
    assert [violation.api for violation in bare.violations] == ["model: Field required", "messages: Field required"]
    assert bare.refusal is not None
    assert bare.refusal.api == "model: Field required"


def test_what_a_recording_does_not_tell_is_not_missing() -> None:
    """A transcript knows only some fields, and is judged by these."""
    known = frozenset({"messages"})
    exchange = Exchange(request={"messages": [HI]}, known=known)
    assert Checker().ask(exchange).violations == ()
    assert [v.api for v in Checker().ask(Exchange(request={}, known=known)).violations] == ["messages: Field required"]


def test_fixes() -> None:
    """What to do, in one sentence."""
    assert {
        violation.rule: violation.fix for fail, _ in FAILING.values() for violation in check_request(fail, only=RULES)
    } == {
        "req-required-fields": "send `max_tokens`",
        "req-messages-nonempty": "send at least one message",
        "content-nonempty-message": "leave the empty message out, or give it text",
    }
    assert [violation.fix for violation in check_request({}, only=RULES)] == [
        "send `model`",
        "send `messages`",
        "send `max_tokens`",
    ]
    assert check_request(without("model"), only=RULES)[0].message == "the request has no `model`"

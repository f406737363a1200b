"""The rules on headers."""

from __future__ import annotations

from typing import Any, Literal, get_args, get_origin

import pytest
from anthropic.types import AnthropicBetaParam

from playhead.rules.checker import api_error, check, check_request
from playhead.rules.headers import KNOWN_BETAS, KNOWN_UNTIL, RULES, may_exist
from playhead.wire.session import Session

Json = dict[str, Any]
BODY: Json = {"model": "claude-opus-5-5", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]}
KEY = {"x-api-key": "k"}
VERSION = {"anthropic-version": "2023-06-01"}
BOTH = {**KEY, **VERSION}
TAIL = (
    " for the `anthropic-beta` header. Please consult our documentation at platform.claude.com/docs or try again "
    "without the header."
)
NO_KEY = ("auth-401", 401, "authentication_error", "API key is invalid.")
NO_VERSION = (
    "anthropic-version-required",
    400,
    "invalid_request_error",
    "anthropic-version: header is required",
)


def beta(*values: str) -> tuple[str, int, str, str]:
    told = ", ".join(f"`{value}`" for value in values)
    return "beta-header-unknown", 400, "invalid_request_error", f"Unexpected value(s) {told}{TAIL}"


FAILING: dict[str, tuple[dict[str, str], tuple[str, int, str, str]]] = {
    "no-headers-at-all": ({}, NO_KEY),
    "no-key": (VERSION, NO_KEY),
    "empty-key": ({**VERSION, "x-api-key": ""}, NO_KEY),
    "blank-key": ({**VERSION, "x-api-key": "  "}, NO_KEY),
    "scheme-without-key": ({**VERSION, "Authorization": "Bearer "}, NO_KEY),
    "no-version": (KEY, NO_VERSION),
    "empty-version": ({**KEY, "anthropic-version": ""}, NO_VERSION),
    "beta-without-a-date": ({**BOTH, "anthropic-beta": "invalid-beta-name"}, beta("invalid-beta-name")),
    "beta-cut-short": ({**BOTH, "anthropic-beta": "interleaved-thinking"}, beta("interleaved-thinking")),
    "beta-of-no-day": ({**BOTH, "anthropic-beta": "context-1m-2025-13-07"}, beta("context-1m-2025-13-07")),
    "beta-of-a-far-day": ({**BOTH, "anthropic-beta": "time-travel-2099-01-01"}, beta("time-travel-2099-01-01")),
    "beta-in-upper-case": ({**BOTH, "anthropic-beta": "Files-API-2025-04-14"}, beta("Files-API-2025-04-14")),
    "one-of-several": (
        {**BOTH, "anthropic-beta": "files-api-2025-04-14, zz ,interleaved-thinking-2025-05-14,aa"},
        beta("aa", "zz"),
    ),
}


@pytest.mark.parametrize(("headers", "answer"), FAILING.values(), ids=FAILING.keys())
def test_what_is_refused(headers: dict[str, str], answer: tuple[str, int, str, str]) -> None:
    """The first fault in the API's order is answered with its status, type and text."""
    refusal = api_error(BODY, headers, only=RULES)
    assert refusal is not None
    assert (refusal.rule, refusal.status, refusal.type, refusal.message) == answer
    assert {violation.path for violation in check_request(BODY, headers, only=RULES)} == {"$headers"}


PASSING: dict[str, tuple[Json, dict[str, str] | None]] = {
    "unknown-headers": (BODY, None),
    "old-sdk": (BODY, BOTH),
    "new-sdk": (BODY, {"Authorization": "Bearer k", "Anthropic-Version": "2026-10-21"}),
    "both-keys": (BODY, {**BOTH, "authorization": ""}),
    "microsoft": (BODY, {**VERSION, "api-key": "k"}),
    "any-key": (BODY, {**VERSION, "x-api-key": "not a key"}),
    "betas": (BODY, {**BOTH, "anthropic-beta": "context-1m-2025-08-07,claude-code-20250219"}),
    "empty-betas": (BODY, {**BOTH, "anthropic-beta": " , "}),
    "newer-than-the-list": (BODY, {**BOTH, "anthropic-beta": "time-travel-2026-12-01"}),
    "newer-than-its-feature": (BODY, {**BOTH, "anthropic-beta": "interleaved-thinking-2026-01-01"}),
    "masked": (BODY, {**BOTH, "anthropic-beta": "**REDACTED**"}),
    "bedrock-body": ({**BODY, "anthropic_version": "bedrock-2023-05-31"}, {"authorization": "AWS4-HMAC-SHA256 x"}),
    "bedrock-recorded": (BODY, {"anthropic-version": "bedrock-2023-05-31", "anthropic-beta": "output-2025-01-01"}),
    "vertex-recorded": (BODY, {"anthropic-version": "vertex-2023-10-16"}),
}


@pytest.mark.parametrize(("request_body", "headers"), PASSING.values(), ids=PASSING.keys())
def test_what_is_taken(request_body: Json, headers: dict[str, str] | None) -> None:
    """Nothing is found where nothing is wrong, or where it cannot be known."""
    assert check_request(request_body, headers, only=RULES) == ()


@pytest.mark.parametrize("value", ["time-travel-2025-01-01", "interleaved-thinking-2025-05-13"])
def test_a_beta_that_nobody_knows_is_a_warning(value: str) -> None:
    """What is built like a beta may be one that was never listed in public."""
    (violation,) = check_request(BODY, {**BOTH, "anthropic-beta": value}, only=RULES)
    assert (violation.rule, violation.level, violation.status) == ("beta-header-unknown", "warn", None)
    assert api_error(BODY, {**BOTH, "anthropic-beta": value}, only=RULES) is None


def test_a_recording_without_its_headers_is_not_blamed() -> None:
    """Where the answer shows that the API took the request, missing headers are the recorder's doing."""
    answer = {"content": [{"type": "text", "text": "Hello"}], "stop_reason": "end_turn"}
    taken = Session.from_exchanges([{"request": BODY, "response": answer, "headers": {}}])
    assert check(taken, only=RULES) == ()
    error = {"status": 401, "error": {"type": "authentication_error", "message": "..."}}
    refused = Session.from_exchanges([{"request": BODY, "response": error, "headers": {}}])
    assert [violation.rule for violation in check(refused, only=RULES)] == ["auth-401"]


def test_every_beta_of_the_sdk_may_exist() -> None:
    """Whatever the installed SDK offers is taken, and the list is as old as it says."""
    offered = {name for part in get_args(AnthropicBetaParam) if get_origin(part) is Literal for name in get_args(part)}
    assert offered
    assert [name for name in offered if not may_exist(name)] == []
    assert any(name.endswith(KNOWN_UNTIL.isoformat()) for name in KNOWN_BETAS)

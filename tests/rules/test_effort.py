"""Effort, and the models that take it."""

from __future__ import annotations

from typing import Any

import pytest

from playhead.rules.checker import api_error, check_request
from playhead.rules.effort import RULES

Json = dict[str, Any]


def body(model: str, effort: object, thinking: str | None = None) -> Json:
    asked = {} if thinking is None else {"thinking": {"type": thinking}}
    messages = [{"role": "user", "content": "hi"}]
    return {"model": model, "max_tokens": 99, "messages": messages, "output_config": {"effort": effort}, **asked}


ENUM = "output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'"
NONE = "This model does not support the effort parameter."

# (body, rule, what the API answers)
FAILING: dict[str, tuple[Json, str, str | None]] = {
    "another-word": (body("claude-opus-4-8", "ultra"), "effort-enum", ENUM),
    "capital": (body("claude-opus-4-8", "High"), "effort-enum", ENUM),
    "a-number": (body("claude-haiku-4-5", 3), "effort-enum", ENUM),
    "an-object": (body("claude-future-9", {}), "effort-enum", ENUM),
    "haiku-4-5": (body("claude-haiku-4-5", "low"), "effort-param-unsupported", NONE),
    "sonnet-4-5": (body("claude-sonnet-4-5-20250929", "max"), "effort-param-unsupported", NONE),
    "xhigh-on-4-6": (
        body("claude-opus-4-6", "xhigh"),
        "effort-level-unsupported",
        "This model does not support effort level 'xhigh'. Supported levels: high, low, max, medium.",
    ),
    "max-on-4-5": (
        body("claude-opus-4-5", "max"),
        "effort-level-unsupported",
        "This model does not support effort level 'max'. Supported levels: high, low, medium.",
    ),
    "disabled-xhigh": (body("claude-opus-5", "xhigh", "disabled"), "thinking-disabled-high-effort", None),
    "disabled-max": (body("claude-haiku-5-5", "max", "disabled"), "thinking-disabled-high-effort", None),
    "between-xhigh": (body("claude-sonnet-5-5", "xhigh", "between_tools"), "thinking-between-tools-effort", None),
    "between-max": (body("claude-sonnet-5-5", "max", "between_tools"), "thinking-between-tools-effort", None),
}


@pytest.mark.parametrize(("request_body", "rule", "text"), FAILING.values(), ids=FAILING)
def test_what_the_api_refuses(request_body: Json, rule: str, text: str | None) -> None:
    """One fault, one rule, and the API's words where they are known."""
    (violation,) = check_request(request_body, only=RULES)
    assert (violation.rule, violation.path, violation.api) == (rule, "$.output_config.effort", text)
    error = api_error(request_body, only=RULES)
    assert error is not None
    assert error.message == (text or f"$.output_config.effort: {violation.message}")


PASSING: dict[str, Json] = {
    "null": body("claude-opus-4-8", None),
    "low-on-4-5": body("claude-opus-4-5", "low"),
    "max-on-4-6": body("claude-sonnet-4-6", "max"),
    "xhigh-on-4-7": body("claude-opus-4-7", "xhigh"),
    "max-on-5-5": body("claude-opus-5-5", "max"),
    "a-model-of-before-effort": body("claude-opus-4-1", "low"),
    "an-unknown-model": body("claude-future-9", "max", "disabled"),
    "disabled-high": body("claude-opus-5", "high", "disabled"),
    "disabled-on-sonnet-5": body("claude-sonnet-5", "max", "disabled"),
    "thinking-max": body("claude-opus-5", "max", "adaptive"),
    "between-high": body("claude-sonnet-5-5", "high", "between_tools"),
    "between-on-a-model-that-lacks-it": body("claude-opus-5", "max", "between_tools"),
    "no-effort": {**body("claude-haiku-4-5", None), "output_config": {}},
    "no-object": {**body("claude-haiku-4-5", None), "output_config": "low"},
}


@pytest.mark.parametrize("request_body", PASSING.values(), ids=PASSING)
def test_what_is_accepted_or_not_ours(request_body: Json) -> None:
    """What the API takes, what is not known, and what other rules report."""
    assert check_request(request_body, only=RULES) == ()


def test_fixes() -> None:
    """What to do, with the levels that would do."""
    fixes = {v.rule: v.fix for asked, _, _ in FAILING.values() for v in check_request(asked, only=RULES)}
    assert fixes["effort-level-unsupported"] == "use one of high, low, medium"
    assert fixes["effort-param-unsupported"] == "leave `output_config.effort` out for claude-sonnet-4-5"

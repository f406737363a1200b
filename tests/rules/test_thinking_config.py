"""How a request asks for thinking."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.rules.checker import Checker, api_error, check_request
from playhead.rules.models import Model
from playhead.rules.thinking_config import RULES
from playhead.wire.exchange import Exchange

Json = dict[str, Any]
FORCE = {"type": "any"}
TOOLS = [{"name": "add", "input_schema": {"type": "object"}}]


def body(model: object = "claude-sonnet-4-5", *, max_tokens: object = 4096, **more: object) -> Json:
    return {"model": model, "max_tokens": max_tokens, "messages": [{"role": "user", "content": "hi"}], **more}


def manual(budget: object = 1024, **more: object) -> Json:
    return {"type": "enabled", "budget_tokens": budget, **more}


ADAPTIVE = {"type": "adaptive"}
DISABLED = {"type": "disabled"}
BETWEEN = {"type": "between_tools"}

NO_TYPE = "thinking.type: Field required"
NO_BUDGET = "thinking.enabled.budget_tokens: Field required"
BUDGET_TYPE = "thinking.enabled.budget_tokens: Input should be a valid integer"
BUDGET_MIN = "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"
BUDGET_MAX = "`max_tokens` must be greater than `thinking.budget_tokens`"
TEMPERATURE = (
    "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode. Please consult our documentation "
    "at https://docs.claude.com/en/docs/build-with-claude/extended-thinking"
    "#important-considerations-when-using-extended-thinking"
)
FORCED = "Thinking may not be enabled when tool_choice forces tool use."
NOT_ENABLED = (
    '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" '
    "to control thinking behavior."
)
NOT_ADAPTIVE = "adaptive thinking is not supported on this model"
NOT_DISABLED = (
    '"thinking.type.disabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" '
    "to control thinking behavior."
)
NOT_DISABLED_SONNET = (
    '"thinking.type.disabled" is not supported for this model. Use "thinking.type.between_tools" for the lowest '
    'thinking setting, or "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.'
)
NOT_DISABLED_OTHERS = (
    '"thinking.type.disabled" is not supported for this model. Thinking defaults to adaptive mode when not specified; '
    'use "thinking.type.enabled" with "budget_tokens" for extended thinking.'
)
NOT_BETWEEN = '"thinking.type.between_tools" is not supported for this model.'


def not_a_type(given: str) -> str:
    return (
        f"thinking: Input tag '{given}' found using 'type' does not match any of the expected tags: 'enabled', "
        "'disabled', 'adaptive', 'between_tools'"
    )


# (body, rule, path, what the API answers)
FAILING: dict[str, tuple[Json, str, str, str]] = {
    "empty": (body(thinking={}), "thinking-shape", "$.thinking", NO_TYPE),
    "budget-alone": (body(thinking={"budget_tokens": 2000}), "thinking-shape", "$.thinking", NO_TYPE),
    "no-budget": (body(thinking={"type": "enabled"}), "thinking-shape", "$.thinking", NO_BUDGET),
    "budget-null": (body(thinking=manual(None)), "thinking-shape", "$.thinking.budget_tokens", BUDGET_TYPE),
    "budget-text": (body(thinking=manual("2000")), "thinking-shape", "$.thinking.budget_tokens", BUDGET_TYPE),
    "budget-half": (body(thinking=manual(2000.5)), "thinking-shape", "$.thinking.budget_tokens", BUDGET_TYPE),
    "budget-true": (body(thinking=manual(True)), "thinking-shape", "$.thinking.budget_tokens", BUDGET_TYPE),
    "auto": (body(thinking={"type": "auto"}), "thinking-type-enum", "$.thinking.type", not_a_type("auto")),
    "capital": (body(thinking={"type": "Enabled"}), "thinking-type-enum", "$.thinking.type", not_a_type("Enabled")),
    "type-null": (body(thinking={"type": None}), "thinking-type-enum", "$.thinking.type", not_a_type("null")),
    "type-list": (body(thinking={"type": []}), "thinking-type-enum", "$.thinking.type", not_a_type("an array")),
    "budget-1023": (body(thinking=manual(1023)), "thinking-budget-min", "$.thinking.budget_tokens", BUDGET_MIN),
    "budget-0": (
        body("claude-opus-4-6", thinking=manual(0)),
        "thinking-budget-min",
        "$.thinking.budget_tokens",
        BUDGET_MIN,
    ),
    "budget-negative": (
        body("claude-3-7-sonnet-latest", thinking=manual(-1)),
        "thinking-budget-min",
        "$.thinking.budget_tokens",
        BUDGET_MIN,
    ),
    "budget-of-a-model-unknown": (
        body("claude-x", thinking=manual(5)),
        "thinking-budget-min",
        "$.thinking.budget_tokens",
        BUDGET_MIN,
    ),
    "budget-is-max": (
        body(max_tokens=1024, thinking=manual()),
        "thinking-budget-lt-max-tokens",
        "$.thinking.budget_tokens",
        BUDGET_MAX,
    ),
    "budget-above-max": (
        body(max_tokens=1500, thinking=manual(32000)),
        "thinking-budget-lt-max-tokens",
        "$.thinking.budget_tokens",
        BUDGET_MAX,
    ),
    "temperature": (body(thinking=manual(), temperature=0.7), "thinking-temperature", "$.temperature", TEMPERATURE),
    "temperature-0": (body(thinking=manual(), temperature=0), "thinking-temperature", "$.temperature", TEMPERATURE),
    "temperature-adaptive": (
        body("claude-opus-4-6", thinking=ADAPTIVE, temperature=0.5),
        "thinking-temperature",
        "$.temperature",
        TEMPERATURE,
    ),
    "temperature-on-4-8": (
        body("claude-opus-4-8", thinking=ADAPTIVE, temperature=0.5),
        "thinking-temperature",
        "$.temperature",
        TEMPERATURE,
    ),
    "top-k": (
        body(thinking=manual(), top_k=40),
        "thinking-temperature",
        "$.top_k",
        "`top_k` is not allowed when thinking is enabled.",
    ),
    "forced-any": (
        body(thinking=manual(), tools=TOOLS, tool_choice=FORCE),
        "thinking-forced-tool-choice",
        "$.tool_choice",
        FORCED,
    ),
    "forced-tool": (
        body("claude-sonnet-4-6", thinking=manual(), tools=TOOLS, tool_choice={"type": "tool", "name": "add"}),
        "thinking-forced-tool-choice",
        "$.tool_choice",
        FORCED,
    ),
    "enabled-4-7": (
        body("claude-opus-4-7", thinking=manual()),
        "thinking-type-enabled-unsupported",
        "$.thinking.type",
        NOT_ENABLED,
    ),
    "enabled-5": (
        body("claude-sonnet-5", thinking=manual()),
        "thinking-type-enabled-unsupported",
        "$.thinking.type",
        NOT_ENABLED,
    ),
    "enabled-5-5": (
        body("anthropic.claude-opus-5-5-v1:0", thinking=manual()),
        "thinking-type-enabled-unsupported",
        "$.thinking.type",
        NOT_ENABLED,
    ),
    "adaptive-4-5": (
        body("claude-haiku-4-5-20251001", thinking=ADAPTIVE),
        "thinking-type-adaptive-unsupported",
        "$.thinking.type",
        NOT_ADAPTIVE,
    ),
    "adaptive-3-7": (
        body("claude-3-7-sonnet-latest", thinking=ADAPTIVE),
        "thinking-type-adaptive-unsupported",
        "$.thinking.type",
        NOT_ADAPTIVE,
    ),
    "disabled-opus": (
        body("claude-opus-5-5", thinking=DISABLED),
        "thinking-type-disabled-unsupported",
        "$.thinking.type",
        NOT_DISABLED,
    ),
    "disabled-sonnet": (
        body("claude-sonnet-5-5", thinking=DISABLED),
        "thinking-type-disabled-unsupported",
        "$.thinking.type",
        NOT_DISABLED_SONNET,
    ),
    "disabled-fable": (
        body("claude-fable-5", thinking=DISABLED),
        "thinking-type-disabled-unsupported",
        "$.thinking.type",
        NOT_DISABLED_OTHERS,
    ),
    "disabled-preview": (
        body("claude-mythos-preview", thinking=DISABLED),
        "thinking-type-disabled-unsupported",
        "$.thinking.type",
        NOT_DISABLED_OTHERS,
    ),
    "between-haiku": (
        body("claude-haiku-5-5", thinking=BETWEEN),
        "thinking-between-tools-unsupported",
        "$.thinking.type",
        NOT_BETWEEN,
    ),
    "between-4-5": (body(thinking=BETWEEN), "thinking-between-tools-unsupported", "$.thinking.type", NOT_BETWEEN),
    "display": (
        body(thinking={"type": "disabled", "display": "omitted"}),
        "thinking-display-with-disabled",
        "$.thinking.display",
        "thinking.disabled.display: Extra inputs are not permitted",
    ),
    "display-null": (
        body(thinking={"type": "disabled", "display": None}),
        "thinking-display-with-disabled",
        "$.thinking.display",
        "thinking.disabled.display: Extra inputs are not permitted",
    ),
}


@pytest.mark.parametrize(("request_body", "rule", "path", "text"), FAILING.values(), ids=FAILING)
def test_what_the_api_refuses(request_body: Json, rule: str, path: str, text: str) -> None:
    """One fault, one rule: its place and the API's words."""
    (violation,) = check_request(request_body, only=RULES)
    assert (violation.rule, violation.path, violation.api, violation.level) == (rule, path, text, "reject")


PASSING: dict[str, Json] = {
    "absent": body(),
    "manual": body(thinking=manual()),
    "manual-with-display": body(thinking=manual(display="summarized")),
    "budget-one-below-max": body(max_tokens=1025, thinking=manual()),
    "budget-whole": body(thinking=manual(2048.0)),
    "adaptive": body("claude-sonnet-4-6", thinking=ADAPTIVE),
    "adaptive-with-display": body("claude-opus-5", thinking={**ADAPTIVE, "display": "omitted"}),
    "disabled": body(thinking=DISABLED),
    "disabled-on-haiku-5-5": body("claude-haiku-5-5", thinking=DISABLED),
    "between-tools": body("claude-sonnet-5-5", thinking=BETWEEN),
    "manual-on-preview": body("claude-mythos-preview", thinking=manual()),
    "temperature-1": body(thinking=manual(), temperature=1),
    "temperature-1.0": body("claude-opus-4-6", thinking=ADAPTIVE, temperature=1.0),
    "temperature-without-thinking": body(temperature=0.2),
    "temperature-with-disabled": body(thinking=DISABLED, temperature=0.2),
    "temperature-out-of-range": body(thinking=manual(), temperature=2),
    "temperature-of-another-type": body(thinking=manual(), temperature="hot"),
    "top-p-0.95": body(thinking=manual(), top_p=0.95),
    "top-k-null": body(thinking=manual(), top_k=None),
    "forced-adaptive": body("claude-opus-4-6", thinking=ADAPTIVE, tools=TOOLS, tool_choice=FORCE),
    "forced-disabled": body(thinking=DISABLED, tools=TOOLS, tool_choice=FORCE),
    "auto-with-manual": body(thinking=manual(), tools=TOOLS, tool_choice={"type": "auto"}),
    "none-with-manual": body(thinking=manual(), tools=TOOLS, tool_choice={"type": "none"}),
    "a-new-type-on-a-new-model": body("claude-future-9", thinking={"type": "dreaming"}),
    "adaptive-on-a-new-model": body("claude-future-9", thinking=ADAPTIVE, temperature=0.3),
    "disabled-on-a-new-model": body("claude-future-9", thinking=DISABLED),
    "no-object": body(thinking="enabled"),
    "null": body(thinking=None),
    "a-model-of-another-type": body(5, thinking=ADAPTIVE),
}


@pytest.mark.parametrize("request_body", PASSING.values(), ids=PASSING)
def test_what_is_accepted_or_not_ours(request_body: Json) -> None:
    """What the API takes, what is not known, and what other rules report."""
    assert check_request(request_body, only=RULES) == ()


def test_top_p_while_thinking() -> None:
    """The API's words are not known for it: the answer has ours."""
    asked = body(thinking=manual(), top_p=0.94)
    (violation,) = check_request(asked, only=RULES)
    assert (violation.rule, violation.path) == ("thinking-temperature", "$.top_p")
    error = api_error(asked, only=RULES)
    assert error is not None
    assert error.message == "$.top_p: top_p is 0.94 while thinking is on; it may be 0.95 to 1"
    assert check_request(body("claude-opus-4-8", thinking=ADAPTIVE, top_p=0.5, top_k=3), only=RULES) == ()


INTERLEAVED = {"anthropic-beta": "a, interleaved-thinking-2025-05-14"}


def test_interleaved_thinking_has_a_budget_of_its_own() -> None:
    """The header, or the member that clouds have for it, lifts the upper bound and no other."""
    asked = body(max_tokens=2000, thinking=manual(9000))
    assert check_request(asked, INTERLEAVED, only=RULES) == ()
    assert check_request({**asked, "anthropic_beta": ["interleaved-thinking-2025-05-14"]}, only=RULES) == ()
    (violation,) = check_request({**asked, "anthropic_beta": 7}, {"anthropic-beta": "other"}, only=RULES)
    assert violation.rule == "thinking-budget-lt-max-tokens"
    (violation,) = check_request(body(thinking=manual(5)), INTERLEAVED, only=RULES)
    assert violation.rule == "thinking-budget-min"


def test_counting_tokens_accepts_any_budget() -> None:
    """There is no answer whose length could be too small."""
    exchange = Exchange(path="/v1/messages/count_tokens", request=body(max_tokens=100, thinking=manual(9000)))
    assert Checker(RULES).ask(exchange).violations == ()


BINDING = {**ADAPTIVE, "block_binding": {}}


@pytest.mark.parametrize(
    ("headers", "found"),
    [
        (None, False),
        ({}, True),
        ({"anthropic-beta": "compact-2026-09-04"}, True),
        ({"anthropic-beta": "x,thinking-binding-controls-2026-08-01"}, False),
    ],
    ids=["unknown", "none", "another", "there"],
)
def test_block_binding_needs_its_beta(headers: dict[str, str] | None, found: bool) -> None:
    """Judged where the headers are known."""
    violations = check_request(body("claude-opus-5-5", thinking=BINDING), headers, only=RULES)
    assert [v.api for v in violations] == found * ["thinking.adaptive.block_binding: Extra inputs are not permitted"]


def test_a_model_of_ones_own() -> None:
    """What the user says of a model is what it is judged by."""
    new = Model(name="claude-new", thinking=("adaptive",))
    (violation,) = check_request(body("claude-new", thinking=DISABLED), only=RULES, models=[new])
    assert violation.fix == "leave `thinking` out: claude-new always thinks; `output_config.effort` says how much"


def test_two_faults_in_the_api_s_order() -> None:
    """The shape of a field before what models take."""
    violations = check_request(body("claude-opus-4-8", thinking={"type": "enabled"}), only=RULES)
    assert [v.rule for v in violations] == ["thinking-shape", "thinking-type-enabled-unsupported"]


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


@given(
    st.dictionaries(
        st.sampled_from(("type", "budget_tokens", "display", "block_binding")),
        ODD | st.sampled_from(("enabled", "adaptive", "disabled", "between_tools")),
    )
    | ODD,
    st.dictionaries(
        st.sampled_from(("model", "max_tokens", "temperature", "top_p", "top_k", "tool_choice", "anthropic_beta")), ODD
    ),
)
def test_no_json_crashes_it(thinking: object, more: Json) -> None:
    """Whatever stands there, each finding has a text."""
    for violation in check_request({**body(thinking=thinking), **more}, only=RULES):
        assert violation.message
        assert violation.fix

"""Thinking blocks in the history: what each holds, and where it stands."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.rules.checker import Checker, check_request
from playhead.rules.signatures import seal
from playhead.rules.thinking_blocks import RULES
from playhead.wire.exchange import Exchange

Json = dict[str, Any]

HI = {"role": "user", "content": "hi"}
SO: Json = {"type": "text", "text": "so"}
HIDDEN: Json = {"type": "redacted_thinking", "data": "AS_RETURNED"}
MANUAL = {"type": "enabled", "budget_tokens": 1024}
ADAPTIVE = {"type": "adaptive"}


def said(*content: object) -> Json:
    return {"role": "assistant", "content": list(content)}


def thought(text: object = "plan", signature: object = "SIG_AS_RETURNED") -> Json:
    return {"type": "thinking", "thinking": text, "signature": signature}


def call(number: int = 1) -> Json:
    return {"type": "tool_use", "id": f"toolu_{number}", "name": "add", "input": {}}


def results(*numbers: int) -> Json:
    found = [{"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": "3"} for number in numbers or (1,)]
    return {"role": "user", "content": found}


def body(*messages: object, model: str = "claude-sonnet-4-5", **more: object) -> Json:
    return {"model": model, "max_tokens": 4096, "messages": list(messages), **more}


def without(block: Json, member: str) -> Json:
    return {name: value for name, value in block.items() if name != member}


SIGNATURE = "thinking-signature-required"
TEXT = "thinking-text-required"
FINAL = "thinking-in-final-assistant-when-disabled"
FIRST = "thinking-first-if-any"
LEAD = "thinking-must-lead-final-assistant"


def leads(i: int, found: str) -> str:
    return (
        f"messages.{i}.content.0.type: Expected `thinking` or `redacted_thinking`, but found `{found}`. When "
        "`thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost "
        "set of `tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous turns. To "
        "avoid this requirement, disable `thinking`. Please consult our documentation at "
        "https://docs.claude.com/en/docs/build-with-claude/extended-thinking"
    )


def final(place: str, type: str = "thinking") -> str:
    return (
        f"{place}: When thinking is disabled, an `assistant` message in the final position cannot contain `{type}`. To "
        "use thinking blocks, enable `thinking` in your request."
    )


def first(place: str, type: str) -> str:
    return (
        f"{place}: If an assistant message contains any thinking blocks, the first block must be `thinking` or "
        f"`redacted_thinking`. Found `{type}`."
    )


# (body, rule, path, what the API answers)
FAILING: dict[str, tuple[Json, str, str, str]] = {
    "no-signature": (
        body(HI, said(without(thought(), "signature"), SO), HI),
        SIGNATURE,
        "$.messages[1].content[0]",
        "messages.1.content.0.thinking.signature: Field required",
    ),
    "no-signature-later": (
        body(HI, said(thought(), SO), HI, said(SO, without(thought(), "signature")), HI, model="claude-opus-4-8"),
        SIGNATURE,
        "$.messages[3].content[1]",
        "messages.3.content.1.thinking.signature: Field required",
    ),
    "signature-null": (
        body(HI, said(thought("x", None), SO), HI),
        SIGNATURE,
        "$.messages[1].content[0].signature",
        "messages.1.content.0.thinking.signature: Input should be a valid string",
    ),
    "nothing-at-all": (
        body(HI, said(thought("", ""), SO), HI),
        TEXT,
        "$.messages[1].content[0].thinking",
        "messages.1.content.0.thinking: each thinking block must contain thinking",
    ),
    "no-text-and-a-signature-of-three-bytes": (
        body(HI, said(thought("", "AAAA"), SO), HI, model="claude-opus-4-8"),
        TEXT,
        "$.messages[1].content[0].thinking",
        "messages.1.content.0.thinking: each thinking block must contain thinking",
    ),
    "no-text-member": (
        body(HI, said(without(thought(), "thinking"), SO), HI),
        TEXT,
        "$.messages[1].content[0]",
        "messages.1.content.0.thinking.thinking: Field required",
    ),
    "text-null": (
        body(HI, said(thought(None), SO), HI),
        TEXT,
        "$.messages[1].content[0].thinking",
        "messages.1.content.0.thinking.thinking: Input should be a valid string",
    ),
    "final-by-default": (
        body(HI, said(thought(), SO)),
        FINAL,
        "$.messages[1].content[0]",
        final("messages.1.content.0"),
    ),
    "final-when-disabled": (
        body(HI, said(SO), said(SO, thought()), model="claude-opus-5", thinking={"type": "disabled"}),
        FINAL,
        "$.messages[2].content[1]",
        final("messages.2.content.1"),
    ),
    "final-redacted": (
        body(HI, said(HIDDEN, SO), model="claude-sonnet-4-6"),
        FINAL,
        "$.messages[1].content[0]",
        final("messages.1.content.0", "redacted_thinking"),
    ),
    "text-before-thinking": (
        body(HI, said(SO, thought()), HI, thinking=MANUAL),
        FIRST,
        "$.messages[1].content[0].type",
        first("messages.1.content.0", "text"),
    ),
    "a-call-before-thinking-in-the-running-turn": (
        body(HI, said(call(), thought()), results(), thinking=MANUAL),
        FIRST,
        "$.messages[1].content[0].type",
        first("messages.1.content.0", "tool_use"),
    ),
    "a-call-without-thinking": (
        body(HI, said(call()), results(), thinking=MANUAL),
        LEAD,
        "$.messages[1].content[0].type",
        leads(1, "tool_use"),
    ),
    "text-and-a-call-on-4-6": (
        body(HI, said(SO, call()), results(), thinking=MANUAL, model="claude-sonnet-4-6"),
        LEAD,
        "$.messages[1].content[0].type",
        leads(1, "text"),
    ),
    "thinking-after-text-on-4-6": (
        body(HI, said(SO, thought(), call()), results(), thinking=MANUAL, model="claude-opus-4-6"),
        LEAD,
        "$.messages[1].content[0].type",
        leads(1, "text"),
    ),
    "in-merged-turns": (
        body(HI, HI, said(), said(call()), results(), thinking=MANUAL),
        LEAD,
        "$.messages[3].content[0].type",
        leads(1, "tool_use"),
    ),
    "thinking-of-an-earlier-loop": (
        body(HI, said(thought(), call(1)), results(1), said(SO), HI, said(call(2)), results(2), thinking=MANUAL),
        LEAD,
        "$.messages[5].content[0].type",
        leads(5, "tool_use"),
    ),
    "no-message-of-the-loop-has-any": (
        body(HI, said(call(1)), results(1), said(call(2)), results(2), thinking=MANUAL),
        LEAD,
        "$.messages[3].content[0].type",
        leads(3, "tool_use"),
    ),
}


@pytest.mark.parametrize(("request_body", "rule", "path", "text"), FAILING.values(), ids=FAILING)
def test_what_the_api_refuses(request_body: Json, rule: str, path: str, text: str) -> None:
    """One fault, one rule: its place and the API's words."""
    (violation,) = check_request(request_body, only=RULES)
    assert (violation.rule, violation.path, violation.api, violation.level) == (rule, path, text, "reject")


PASSING: dict[str, Json] = {
    "signed": body(HI, said(thought(), SO), HI),
    "text-left-out": body(HI, said(thought("", seal("plan")), SO), HI, model="claude-opus-4-8"),
    "text-left-out-and-the-signature-redacted": body(HI, said(thought("", "signature_REDACTED_1"), SO), HI),
    "in-a-user-message": body({"role": "user", "content": [without(thought(), "signature")]}),
    "final-without-thinking": body(HI, said(SO)),
    "final-with-thinking-on": body(HI, said(thought(), SO), thinking=MANUAL),
    "final-on-a-model-that-thinks": body(HI, said(thought(), SO), model="claude-opus-5"),
    "final-on-a-model-that-always-thinks": body(
        HI, said(thought()), model="claude-fable-5", thinking={"type": "disabled"}
    ),
    "final-on-an-unknown-model": body(HI, said(thought(), SO), model="claude-future-9"),
    "final-with-null": body(HI, said(thought(), SO), thinking=None),
    "not-final": body(HI, said(thought(), SO), HI, thinking={"type": "disabled"}),
    "a-loop-that-goes-on-without-thinking": body(HI, said(thought(), call()), results(), thinking={"type": "disabled"}),
    "thinking-leads": body(HI, said(thought(), call()), results(), thinking=MANUAL),
    "redacted-leads": body(HI, said(HIDDEN, call()), results(), thinking=MANUAL),
    "claude-thinks-once-for-a-loop": body(
        HI,
        said(thought(), call(1)),
        results(1),
        said(call(2)),
        results(2),
        said(SO, call(3)),
        results(3),
        thinking=MANUAL,
    ),
    "adaptive-need-not": body(HI, said(call()), results(), thinking=ADAPTIVE, model="claude-opus-4-6"),
    "no-thinking-asked": body(HI, said(call()), results()),
    "an-earlier-turn-without": body(HI, said(SO), HI, thinking=MANUAL),
    "mixed-on-later-models": body(HI, said(SO, thought()), HI, thinking=ADAPTIVE, model="claude-opus-4-8"),
    "mixed-without-manual-thinking": body(HI, said(SO, thought()), HI),
    "mixed-on-4-6": body(HI, said(SO, thought()), HI, thinking=MANUAL, model="claude-sonnet-4-6"),
    "no-content": body(HI, said(), HI, {"role": "assistant", "content": "so"}, HI, thinking=MANUAL),
    "odd-content": body(HI, said(5, None, thought()), HI, {"role": "assistant"}, 7, HI, thinking=MANUAL),
}


@pytest.mark.parametrize("request_body", PASSING.values(), ids=PASSING)
def test_what_is_accepted_or_not_ours(request_body: Json) -> None:
    """What the API takes, what is not known, and what other rules report."""
    assert check_request(request_body, only=RULES) == ()


def test_interleaved_thinking_mixes() -> None:
    """With the beta, thinking may follow text; without any header it is not known to be there."""
    asked = body(HI, said(SO, thought()), HI, thinking=MANUAL)
    assert check_request(asked, {"anthropic-beta": "interleaved-thinking-2025-05-14"}, only=RULES) == ()
    assert [v.rule for v in check_request(asked, {}, only=RULES)] == [FIRST]


def test_a_recording_that_does_not_tell_whether_thinking_is_off() -> None:
    """Then the end of its history says nothing."""
    exchange = Exchange(request=body(HI, said(thought(), SO)), known=frozenset(("messages", "model")))
    assert Checker(RULES).ask(exchange).violations == ()


def test_a_long_loop_seen_step_by_step() -> None:
    """Where only the last turns are judged, the thinking that opened the loop is found all the same."""
    checker = Checker(RULES)
    messages: list[object] = [HI, said(thought(), call(0)), results(0)]
    for number in range(1, 5):
        exchange = Exchange(request=body(*messages, thinking=MANUAL))
        judgement = checker.ask(exchange)
        assert judgement.violations == ()
        assert judgement.position is not None
        checker.answered(judgement.position, exchange)
        messages = [*messages, said(call(number)), results(number)]


ODD = st.none() | st.integers() | st.text(max_size=3) | st.lists(st.integers(), max_size=1)
BLOCK = ODD | st.dictionaries(
    st.sampled_from(("type", "thinking", "signature", "data", "id", "tool_use_id")),
    ODD | st.sampled_from(("thinking", "redacted_thinking", "text", "tool_use", "tool_result")),
)
MESSAGE = ODD | st.dictionaries(
    st.sampled_from(("role", "content")), st.sampled_from(("user", "assistant")) | st.lists(BLOCK, max_size=3) | ODD
)


@given(st.lists(MESSAGE, max_size=4) | ODD, st.sampled_from((MANUAL, ADAPTIVE, None)))
def test_no_json_crashes_it(messages: object, thinking: object) -> None:
    """Whatever stands there, each finding has a text."""
    for violation in check_request({**body(thinking=thinking), "messages": messages}, only=RULES):
        assert violation.message
        assert violation.api

"""Context edits and compaction blocks."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.rules.checker import check, check_request
from playhead.rules.context import RULES
from playhead.wire.session import Session

Json = dict[str, Any]

HI = {"role": "user", "content": "hi"}
SO: Json = {"type": "text", "text": "so"}
CLEAR_THINKING = {"type": "clear_thinking_20251015"}
CLEAR_TOOLS = {"type": "clear_tool_uses_20250919"}
ON_DEMAND = {"anthropic-beta": "compact-2026-09-04"}
AUTOMATIC = {"anthropic-beta": "compact-2026-01-12"}


def said(*content: object) -> Json:
    return {"role": "assistant", "content": list(content)}


def body(*messages: object, **more: object) -> Json:
    return {"model": "claude-opus-4-6", "max_tokens": 99, "messages": list(messages or (HI,)), **more}


def edits(*made: object) -> Json:
    return body(context_management={"edits": list(made)})


def compact(value: object) -> Json:
    return {"type": "compact_20260112", "trigger": {"type": "input_tokens", "value": value}}


def summary(content: object = "short", **more: object) -> Json:
    return {"type": "compaction", "content": content, "signature": "S", **more}


def bare(content: object = "short") -> Json:
    return {"type": "compaction", "content": content}


CALL: Json = {"type": "tool_use", "id": "toolu_1", "name": "add", "input": {}}
SEARCH: Json = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
FOUND: Json = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
COMPACT = {"type": "summarize"}

ORDER, TRIGGER, BLOCK = "context-edit-order", "compaction-trigger-min", "compaction-block-rules"

# (body, headers, rule, path, what the sentence holds)
FAILING: dict[str, tuple[Json, dict[str, str] | None, str, str, str]] = {
    "thinking-second": (edits(CLEAR_TOOLS, CLEAR_THINKING), None, ORDER, "$.context_management.edits[1]", "edit 1"),
    "thinking-third": (
        edits(CLEAR_TOOLS, compact(60_000), CLEAR_THINKING),
        {"anthropic-beta": "context-management-2025-06-27"},
        ORDER,
        "$.context_management.edits[2]",
        "edit 2",
    ),
    "trigger-low": (edits(compact(1000)), None, TRIGGER, "$.context_management.edits[0].trigger.value", "1000"),
    "trigger-one-too-low": (
        edits(CLEAR_TOOLS, compact(49_999)),
        AUTOMATIC,
        TRIGGER,
        "$.context_management.edits[1].trigger.value",
        "49999",
    ),
    "two-blocks": (
        body(said(summary()), HI, said(summary()), HI),
        None,
        BLOCK,
        "$.messages[2].content[0]",
        "block_ambiguous",
    ),
    "two-in-one-message": (
        body(said(bare(), bare()), HI),
        ON_DEMAND,
        BLOCK,
        "$.messages[0].content[1]",
        "block_ambiguous",
    ),
    "not-first": (body(HI, said(summary()), HI), None, BLOCK, "$.messages[1].content[0]", "block_misplaced"),
    "after-text": (body(said(SO, bare()), HI), ON_DEMAND, BLOCK, "$.messages[0].content[1]", "block_misplaced"),
    "in-a-system-message": (
        body(HI, {"role": "system", "content": [summary()]}, said(SO), HI),
        None,
        BLOCK,
        "$.messages[1].content[0]",
        "block_misplaced",
    ),
    "empty": (body(said(bare("")), HI), None, BLOCK, "$.messages[0].content[0].content", "empty summary"),
    "nothing-to-compact": (body(said(), compaction=COMPACT), ON_DEMAND, BLOCK, "$.messages", "nothing_to_summarize"),
    "an-open-call": (
        body(HI, said(CALL), compaction=COMPACT),
        ON_DEMAND,
        BLOCK,
        "$.messages[1].content[0]",
        "incomplete_turn",
    ),
    "an-open-search": (
        body(HI, said(SEARCH), compaction=COMPACT),
        None,
        BLOCK,
        "$.messages[1].content[0]",
        "incomplete_turn",
    ),
}


@pytest.mark.parametrize(("request_body", "headers", "rule", "path", "words"), FAILING.values(), ids=FAILING)
def test_what_the_api_refuses(
    request_body: Json, headers: dict[str, str] | None, rule: str, path: str, words: str
) -> None:
    """One fault, one rule; the API's words are not known, its error codes are."""
    (violation,) = check_request(request_body, headers, only=RULES)
    assert (violation.rule, violation.path, violation.api, violation.level) == (rule, path, None, "reject")
    assert words in violation.message


PASSING: dict[str, tuple[Json, dict[str, str] | None]] = {
    "thinking-first": (edits(CLEAR_THINKING, CLEAR_TOOLS), None),
    "thinking-alone": (edits(CLEAR_THINKING), None),
    "without-the-beta-the-field-is-the-fault": (edits(CLEAR_TOOLS, CLEAR_THINKING), {}),
    "trigger": (edits(compact(50_000)), None),
    "no-trigger": (edits({"type": "compact_20260112"}), AUTOMATIC),
    "a-trigger-of-another-edit": (edits({**CLEAR_TOOLS, "trigger": {"type": "input_tokens", "value": 10}}), None),
    "a-trigger-of-another-type": (edits(compact("1000")), None),
    "a-block-first": (body(said(summary()), HI), None),
    "a-block-first-in-a-user-message": (body({"role": "user", "content": [summary()]}), ON_DEMAND),
    "blocks-of-automatic-compaction": (body(HI, said(bare(), SO), HI, said(bare()), HI), None),
    "signed-blocks-of-automatic-compaction": (
        body(HI, said(summary(), SO), HI, context_management={"edits": [compact(60_000)]}),
        None,
    ),
    "with-its-header": (body(HI, said(summary(), SO), HI), AUTOMATIC),
    "a-failed-compaction": (body(HI, said(summary(None), SO), HI), ON_DEMAND),
    "compacting": (body(HI, said(SO), HI, compaction=COMPACT), ON_DEMAND),
    "compacting-after-a-search": (body(HI, said(SEARCH, FOUND, SO), compaction=COMPACT), ON_DEMAND),
}


@pytest.mark.parametrize(("request_body", "headers"), PASSING.values(), ids=PASSING)
def test_what_is_accepted_or_not_ours(request_body: Json, headers: dict[str, str] | None) -> None:
    """What the API takes, what is not known, and what other rules report."""
    assert check_request(request_body, headers, only=RULES) == ()


def compacted(returned: Json) -> Session:
    """A conversation compacted on demand, and its block sent back."""
    return Session.from_exchanges(
        [
            {
                "request": body(HI, compaction=COMPACT),
                "response": {"role": "assistant", "content": [summary(tool_changes=[])], "stop_reason": "end_turn"},
            },
            {"request": body(HI, said(returned), HI), "response": {"role": "assistant", "content": [SO]}},
        ]
    )


@pytest.mark.parametrize(
    ("returned", "code"),
    [
        (summary("EDITED", tool_changes=[]), "content_mismatch"),
        (summary(tool_changes=[{"type": "tool_removal"}]), "tool_changes_mismatch"),
        ({**summary(tool_changes=[]), "signature": "T"}, "signature_invalid"),
    ],
    ids=["content", "tool-changes", "signature"],
)
def test_a_summary_comes_back_as_it_was(returned: Json, code: str) -> None:
    """Compared with the reply that brought it."""
    seen = check(compacted(returned), only=RULES)
    assert [v.message for v in seen if f"compaction_{code}" in v.message]
    assert {v.rule for v in seen} == {BLOCK}


def test_a_summary_that_is_as_it_was() -> None:
    """Only its place is told: in this history it is not the first block."""
    assert [v.path for v in check(compacted(summary(tool_changes=[])), only=RULES)] == ["$.messages[1].content[0]"]


ODD = st.none() | st.integers() | st.text(max_size=3) | st.lists(st.integers(), max_size=1)
EDIT = ODD | st.dictionaries(
    st.sampled_from(("type", "trigger", "value")),
    ODD | st.sampled_from(("compact_20260112", "clear_thinking_20251015")) | st.dictionaries(st.just("value"), ODD),
)


@given(
    ODD | st.dictionaries(st.just("edits"), st.lists(EDIT) | ODD),
    ODD,
    st.lists(ODD | st.just(said(summary(5), 5, bare([])))),
)
def test_no_json_crashes_it(management: object, compaction: object, messages: object) -> None:
    """Whatever stands there."""
    asked = {**body(), "context_management": management, "compaction": compaction, "messages": messages}
    for headers in (None, ON_DEMAND):
        for violation in check_request(asked, headers, only=RULES):
            assert violation.message

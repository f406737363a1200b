"""Preserved thinking: bound to the conversation it was made in."""

from __future__ import annotations

from typing import Any

import pytest

from playhead.rules.checker import check
from playhead.rules.thinking_binding import RULES
from playhead.wire.session import Session

Json = dict[str, Any]

HI = {"role": "user", "content": "hi"}
ASK = {"role": "user", "content": "and then?"}
SO: Json = {"type": "text", "text": "so"}
CALL: Json = {"type": "tool_use", "id": "toolu_1", "name": "add", "input": {}}
RESULT: Json = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "3"}]}
TOOL: Json = {"name": "add", "input_schema": {"type": "object"}}
LATER: Json = {"name": "later", "input_schema": {"type": "object"}, "defer_loading": True}

TEXT = (
    "messages.{i}.content.{j}: Invalid `signature` in `thinking` block. The block is bound to a different "
    'conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".'
)
BETA = " That setting requires the `thinking-binding-controls-2026-08-01` value in the `anthropic-beta` header."
SYSTEM = " The `system` prompt differs from the one this block was created with."


def said(*content: object) -> Json:
    return {"role": "assistant", "content": list(content)}


def thought(number: int) -> Json:
    return {"type": "thinking", "thinking": f"plan {number}", "signature": f"sig_{number}"}


def body(*messages: object, model: str = "claude-opus-5-5", **more: object) -> Json:
    return {"model": model, "max_tokens": 99, "messages": list(messages), **more}


def session(*exchanges: tuple[Json, list[object]], headers: dict[str, str] | None = None) -> Session:
    return Session.from_exchanges(
        [
            {"request": request, "response": {"role": "assistant", "content": content, "stop_reason": "end_turn"}}
            for request, content in exchanges
        ],
        headers=headers,
    )


FIRST: list[object] = [thought(1), SO]
LONG: list[object] = [HI, said(thought(1), CALL), RESULT]
"""Two replies with thinking; what follows differs."""


def follow(*messages: object, first: Json | None = None, **more: object) -> Session:
    return session((first or body(HI, system="S1", tools=[TOOL]), FIRST), (body(*messages, **more), [SO]))


def third(*messages: object, headers: dict[str, str] | None = None, **more: object) -> Session:
    """The third request of a conversation whose two replies both thought."""
    second: list[object] = [thought(2), SO]
    return session(
        (body(HI), [thought(1), CALL]), (body(*LONG), second), (body(*messages, **more), [SO]), headers=headers
    )


SECOND = said(thought(2), SO)
ECHO = said(*FIRST)

# (session, path, what the API answers)
FAILING: dict[str, tuple[Session, str, str]] = {
    "system-changed": (
        follow(HI, ECHO, ASK, system="S2", tools=[TOOL]),
        "$.messages[1].content[0]",
        TEXT.format(i=1, j=0) + SYSTEM,
    ),
    "system-dropped": (follow(HI, ECHO, ASK, tools=[TOOL]), "$.messages[1].content[0]", TEXT.format(i=1, j=0) + SYSTEM),
    "a-tool-changed": (
        follow(HI, ECHO, ASK, system="S1", tools=[{**TOOL, "description": "new"}]),
        "$.messages[1].content[0]",
        TEXT.format(i=1, j=0),
    ),
    "a-tool-added": (
        follow(HI, ECHO, ASK, system="S1", tools=[TOOL, {**LATER, "defer_loading": False}]),
        "$.messages[1].content[0]",
        TEXT.format(i=1, j=0),
    ),
    "tools-dropped": (follow(HI, ECHO, ASK, system="S1"), "$.messages[1].content[0]", TEXT.format(i=1, j=0)),
    "the-question-edited": (
        third({"role": "user", "content": "hello"}, *LONG[1:], SECOND, ASK),
        "$.messages[1].content[0]",
        TEXT.format(i=1, j=0),
    ),
    "a-result-edited": (
        third(*LONG[:2], {"role": "user", "content": [{**RESULT["content"][0], "content": "4"}]}, SECOND, ASK),
        "$.messages[3].content[0]",
        TEXT.format(i=3, j=0),
    ),
    "thinking-dropped-from-the-middle": (
        session(
            (body(HI), [thought(1), CALL]),
            (body(*LONG), [thought(2), SO]),
            (body(*LONG, SECOND, ASK), [thought(3), SO]),
            (body(*LONG, said(SO), ASK, said(thought(3), SO), ASK), [SO]),
        ),
        "$.messages[5].content[0]",
        TEXT.format(i=5, j=0),
    ),
    "with-headers-that-lack-the-beta": (
        third(
            {"role": "user", "content": "hello"}, *LONG[1:], SECOND, ASK, headers={"anthropic-version": "2023-06-01"}
        ),
        "$.messages[1].content[0]",
        TEXT.format(i=1, j=0) + BETA,
    ),
}


@pytest.mark.parametrize(("seen", "path", "text"), FAILING.values(), ids=FAILING)
def test_what_the_api_refuses(seen: Session, path: str, text: str) -> None:
    """The first block whose past is no longer what it was."""
    (violation,) = check(seen, only=RULES)
    assert (violation.rule, violation.level) == ("thinking-prefix-binding", "reject")
    assert (violation.path, violation.api) == (path, text)


DROP = {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "drop_block"}}

PASSING: dict[str, Session] = {
    "appended": follow(HI, ECHO, ASK, system="S1", tools=[TOOL]),
    "cache-marks": follow(
        HI,
        ECHO,
        ASK,
        system=[{"type": "text", "text": "S1", "cache_control": {"type": "ephemeral"}}],
        tools=[{**TOOL, "cache_control": {"type": "ephemeral"}}],
    ),
    "other-parameters": follow(HI, ECHO, ASK, system="S1", tools=[TOOL], temperature=1, tool_choice={"type": "auto"}),
    "a-tool-to-be-loaded-later": follow(HI, ECHO, ASK, system="S1", tools=[TOOL, LATER]),
    "thinking-left-out": follow(HI, said(SO), ASK, system="S2"),
    "no-thinking-was-made": session((body(HI, system="S1"), [SO]), (body(HI, said(SO), ASK, system="S2"), [SO])),
    "dropped-by-the-server": follow(HI, ECHO, ASK, system="S2", thinking=DROP),
    "context-editing": follow(HI, ECHO, ASK, system="S2", context_management={"edits": []}),
    "another-model": follow(HI, ECHO, ASK, system="S2", model="claude-opus-5"),
    "of-another-model": follow(HI, ECHO, ASK, system="S2", first=body(HI, model="claude-opus-4-8")),
    "an-unknown-model": follow(HI, ECHO, ASK, system="S2", model="claude-future-9"),
    "left-out-from-the-start": third(HI, said(CALL), RESULT, SECOND, ASK),
    "left-out-from-the-end": third(*LONG, said(SO), ASK),
    "the-last-message-edited": third(*LONG, said(thought(2), {**SO, "text": "no"}), ASK),
    "compacted": third(said({"type": "compaction", "content": "short"}), ASK),
}


@pytest.mark.parametrize("seen", PASSING.values(), ids=PASSING)
def test_what_is_no_change(seen: Session) -> None:
    """What a block is not bound to."""
    assert check(seen, only=RULES) == ()


def test_after_a_refusal_one_may_return_to_what_was() -> None:
    """A request that was refused made no thinking to compare with."""
    refused = {"request": body(HI, ECHO, ASK, system="S2"), "response": {"status": 400, "error": {"type": "x"}}}
    seen = Session.from_exchanges(
        [
            {"request": body(HI, system="S1"), "response": {"role": "assistant", "content": FIRST}},
            refused,
            {"request": body(HI, ECHO, ASK, system="S1"), "response": {"role": "assistant", "content": [SO]}},
        ]
    )
    assert [v.exchange for v in check(seen, only=RULES)] == [2]

"""Thinking that is sent back: in one request, and after the reply that brought it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.rules.checker import check, check_request
from playhead.rules.signatures import seal
from playhead.rules.thinking_replay import RULES
from playhead.wire.session import Session

Json = dict[str, Any]

HI = {"role": "user", "content": "hi"}
SO: Json = {"type": "text", "text": "so"}
CALL: Json = {"type": "tool_use", "id": "toolu_1", "name": "add", "input": {}}
RESULT: Json = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "3"}]}

MODIFIED = "thinking-block-modified"
SIGNATURE = "thinking-signature-invalid"
DATA = "redacted-data-invalid"


def said(*content: object) -> Json:
    return {"role": "assistant", "content": list(content)}


def thought(text: object = "plan", signature: object = "SIG_AS_RETURNED") -> Json:
    return {"type": "thinking", "thinking": text, "signature": signature}


def hidden(data: object = "AS_RETURNED") -> Json:
    return {"type": "redacted_thinking", "data": data}


def body(*messages: object) -> Json:
    return {
        "model": "claude-opus-4-6",
        "max_tokens": 4096,
        "thinking": {"type": "adaptive"},
        "messages": list(messages),
    }


def texts(place: str) -> dict[str, str]:
    return {
        MODIFIED: (
            f"{place}: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. "
            "These blocks must remain as they were in the original response."
        ),
        SIGNATURE: f"{place}: Invalid `signature` in `thinking` block",
        DATA: f"{place}: Invalid `data` in `redacted_thinking` block",
    }


EDITED = thought("another plan", seal("plan"))
SEALED = thought("plan", seal("plan"))

# (body, rule, the block's place, the member of it)
FAILING: dict[str, tuple[Json, str, tuple[int, int], str]] = {
    "another-text-under-a-seal": (body(HI, said(EDITED, CALL), RESULT), MODIFIED, (1, 0), ".thinking"),
    "the-second-of-two": (body(HI, said(SEALED, EDITED, CALL), RESULT), MODIFIED, (1, 1), ".thinking"),
    "in-a-merged-turn": (body(HI, said(EDITED), said(SO), HI), MODIFIED, (1, 0), ".thinking"),
    "in-an-earlier-turn": (body(HI, said(EDITED, SO), HI, said(SO), HI), SIGNATURE, (1, 0), ".signature"),
    "three-bytes": (body(HI, said(thought("x", "AAAA"), CALL), RESULT), SIGNATURE, (1, 0), ".signature"),
    "empty": (body(HI, said(SO, thought("x", "")), HI, said(SO), HI), SIGNATURE, (1, 1), ".signature"),
    "short": (body(HI, said(thought("x", "bWFkZSB1cA=="), SO), HI), SIGNATURE, (1, 0), ".signature"),
    "data-short": (body(HI, said(hidden("x"), CALL), RESULT), DATA, (1, 0), ".data"),
    "data-empty": (body(HI, said(hidden(""), SO), HI), DATA, (1, 0), ".data"),
}


@pytest.mark.parametrize(("request_body", "rule", "at", "member"), FAILING.values(), ids=FAILING)
def test_what_one_request_gives_away(request_body: Json, rule: str, at: tuple[int, int], member: str) -> None:
    """A broken seal, or no signature at all: its place and the API's words."""
    (violation,) = check_request(request_body, only=RULES)
    path = f"$.messages[{at[0]}].content[{at[1]}]{member}"
    assert (violation.rule, violation.path, violation.level) == (rule, path, "reject")
    assert violation.api == texts(f"messages.{at[0]}.content.{at[1]}")[rule]


PASSING: dict[str, Json] = {
    "sealed": body(HI, said(SEALED, CALL), RESULT),
    "a-stand-in": body(HI, said(thought(), CALL), RESULT),
    "a-long-signature": body(HI, said(thought("x", "EqQB" * 60), CALL), RESULT),
    "text-left-out": body(HI, said(thought("", seal("plan")), CALL), RESULT),
    "text-put-where-none-was": body(HI, said(thought("x", seal("")), CALL), RESULT),
    "empty-and-empty": body(HI, said(thought("", ""), SO), HI),
    "no-signature": body(HI, said({"type": "thinking", "thinking": "x"}, SO), HI),
    "redacted": body(HI, said(hidden(), CALL), RESULT),
    "a-user-message": body({"role": "user", "content": [thought("x", "AAAA"), hidden("x")]}),
    "no-thinking": body(HI, said(CALL), RESULT),
}


@pytest.mark.parametrize("request_body", PASSING.values(), ids=PASSING)
def test_what_one_request_does_not_give_away(request_body: Json) -> None:
    """What may be genuine, and what other rules report."""
    assert check_request(request_body, only=RULES) == ()


@pytest.mark.parametrize(
    ("block", "text"),
    [
        ({"type": "redacted_thinking"}, "messages.1.content.0.redacted_thinking.data: Field required"),
        (hidden(None), "messages.1.content.0.redacted_thinking.data: Input should be a valid string"),
        (hidden([]), "messages.1.content.0.redacted_thinking.data: Input should be a valid string"),
    ],
    ids=["absent", "null", "a-list"],
)
def test_data_is_a_string(block: Json, text: str) -> None:
    """As the signature is."""
    (violation,) = check_request(body(HI, said(block, SO), HI), only=RULES)
    assert (violation.rule, violation.api) == (DATA, text)


def session(reply: list[object], *messages: object, before: tuple[object, ...] = (HI,)) -> Session:
    """A reply, and the request that follows it."""
    return Session.from_exchanges(
        [
            {"request": body(*before), "response": {"role": "assistant", "content": reply, "stop_reason": "end_turn"}},
            {"request": body(*messages), "response": {"role": "assistant", "content": [SO], "stop_reason": "end_turn"}},
        ]
    )


TWO = [thought("a", "sig_1"), thought("b", "sig_2"), CALL]

# (session, rule, the path)
ACROSS: dict[str, tuple[Session, str, str]] = {
    "another-text": (
        session([thought(), CALL], HI, said(thought("EDITED"), CALL), RESULT),
        MODIFIED,
        "$.messages[1].content[0].thinking",
    ),
    "one-of-two-left-out": (
        session(TWO, HI, said(TWO[0], CALL), RESULT),
        MODIFIED,
        "$.messages[1].content[0]",
    ),
    "the-first-left-out-in-a-tool-loop": (
        session(TWO, HI, said(TWO[1], CALL), RESULT),
        MODIFIED,
        "$.messages[1].content[0]",
    ),
    "in-another-order": (
        session(TWO, HI, said(TWO[1], TWO[0], CALL), RESULT),
        MODIFIED,
        "$.messages[1].content[0]",
    ),
    "one-of-them-twice": (
        session(TWO, HI, said(TWO[0], TWO[1], TWO[1], CALL), RESULT),
        MODIFIED,
        "$.messages[1].content[2]",
    ),
    "another-signature": (
        session([thought(), CALL], HI, said(thought("plan", "sig_of_mine"), CALL), RESULT),
        SIGNATURE,
        "$.messages[1].content[0].signature",
    ),
    "made-up": (
        session([thought(), SO], HI, said(thought("mine", "EqQB" * 60), SO), HI),
        SIGNATURE,
        "$.messages[1].content[0].signature",
    ),
    "an-earlier-text": (
        session(
            [SO],
            HI,
            said(thought("EDITED"), CALL),
            RESULT,
            said(SO),
            HI,
            before=(HI, said(thought(), CALL), RESULT),
        ),
        SIGNATURE,
        "$.messages[1].content[0].signature",
    ),
    "other-data": (
        session([hidden(), CALL], HI, said(hidden("sig_of_mine"), CALL), RESULT),
        DATA,
        "$.messages[1].content[0].data",
    ),
}


@pytest.mark.parametrize(("seen", "rule", "path"), ACROSS.values(), ids=ACROSS)
def test_what_a_reply_gives_away(seen: Session, rule: str, path: str) -> None:
    """Compared with what Claude sent."""
    (violation,) = check(seen, only=RULES)
    assert (violation.rule, violation.path, violation.exchange) == (rule, path, 2)
    place = path.removeprefix("$.").split("]")
    index, block = place[0].removeprefix("messages["), place[1].removeprefix(".content[")
    assert violation.api == texts(f"messages.{index}.content.{block}")[rule]


FAITHFUL: dict[str, Session] = {
    "as-it-came": session(TWO, HI, said(*TWO), RESULT),
    "redacted-as-it-came": session([hidden(), CALL], HI, said(hidden(), CALL), RESULT),
    "all-left-out": session(TWO, HI, said(CALL), RESULT),
    "the-oldest-left-out-of-a-turn-that-is-over": session([*TWO[:2], SO], HI, said(TWO[1], SO), HI),
    "text-put-where-none-was": session([thought(""), CALL], HI, said(thought("mine"), CALL), RESULT),
    "text-left-out": session([thought(), CALL], HI, said(thought(""), CALL), RESULT),
    "another-message-in-its-place": session(
        [thought(), SO], HI, said(thought("x", "sig_else"), {**SO, "text": "no"}), HI
    ),
    "a-reply-whose-signature-is-not-known": session(
        [{"type": "thinking", "thinking": "plan"}, CALL], HI, said(thought("x", "sig_else"), CALL), RESULT
    ),
    "a-seal-shows-in-the-request": session([SO], HI, said(SO), HI),
    "a-reply-of-thinking-only": session([thought()], HI, said(thought()), HI),
    "another-conversation": session(
        [thought(), SO], {"role": "user", "content": "new"}, said(thought("EDITED"), SO), HI
    ),
}


@pytest.mark.parametrize("seen", FAITHFUL.values(), ids=FAITHFUL)
def test_what_is_faithful_or_not_known(seen: Session) -> None:
    """Left out, ignored, or of another origin."""
    assert check(seen, only=RULES) == ()


def test_a_broken_seal_is_told_once() -> None:
    """By the request alone, or by the comparison, not by both."""
    violations = check(session([SEALED, CALL], HI, said(EDITED, CALL), RESULT), only=RULES)
    assert [v.rule for v in violations] == [MODIFIED]


def test_after_a_reply_that_failed_nothing_is_compared() -> None:
    """What the client got of it is not known."""
    asked = {"request": body(HI), "response": {"status": 500, "error": {"type": "api_error", "message": "no"}}}
    follow = {"request": body(HI, said(thought("EDITED"), SO), HI), "response": {"content": [SO]}}
    assert check(Session.from_exchanges([asked, follow]), only=RULES) == ()


BLOCKS = st.lists(
    st.sampled_from([*TWO, SO, hidden(), hidden(None), thought(None), thought("a", 5), thought("", ""), 5, EDITED]),
    max_size=4,
)


@given(BLOCKS, BLOCKS, st.sampled_from([HI, RESULT, said(SO), 5]))
def test_no_reply_crashes_it(reply: list[object], echo: list[object], last: object) -> None:
    """Whatever came and whatever came back; the same is never wrong across exchanges."""
    for violation in check(session(reply, HI, said(*echo), last), only=RULES):
        assert violation.api
    same = check(session(reply, HI, said(*reply), last), only=RULES)
    alone = check_request(body(HI, said(*reply), last), only=RULES)
    assert [v.path for v in same if v.exchange == 2] == [v.path for v in alone]

"""The rules on what the history in one request shows of a loop, and on an empty reply."""

from __future__ import annotations

import pytest

from made_sessions import (
    DONE,
    OVERLOADED,
    Q2,
    RETURNED,
    Found,
    Json,
    Q,
    call,
    exchange,
    of_rule,
    reply,
    result,
    said,
    sent,
    session,
    text,
    user,
)
from playhead.wire.session import Session

SEARCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}}
WEB = {"type": "web_search_20250305", "name": "web_search"}


def one(*messages: Json, **members: object) -> Session:
    return session(exchange(sent(*messages, **members), DONE))


def again(answer: Json, end: Json | None = RETURNED, **members: object) -> Session:
    """A request, its answer, and the request once more."""
    return session(exchange([Q], answer), exchange(sent(Q, **members), DONE), end=end)


FAILING: dict[str, dict[str, tuple[Session, list[Found]]]] = {
    "trim-keeps-pairs": {
        "begins-with-a-result": (one(user(result()), said("3"), Q2), [("broken", "$.messages[0].content[0]", 1)]),
        "begins-with-a-result-and-text": (
            one(user(result(), text("Go on."))),
            [("broken", "$.messages[0].content[0]", 1)],
        ),
        "a-summary-before-a-result": (
            one(user("So far: sums."), user(result()), said("3"), Q2),
            [("broken", "$.messages[1].content[0]", 1)],
        ),
    },
    "empty-end-turn-handled": {
        "an-empty-list-in-the-middle": (one(Q, said(), Q2), [("broken", "$.messages[1].content", 1)]),
        "an-empty-string-in-the-middle": (
            one(Q, {"role": "assistant", "content": ""}, Q2),
            [("broken", "$.messages[1].content", 1)],
        ),
        "sent-again-as-it-was": (again(reply()), [("broken", "$.messages", 2)]),
        "sent-again-in-one-conversation": (
            session(exchange([Q], reply()), exchange([Q], DONE), alone=True),
            [("broken", "$.messages", 2)],
        ),
        "sent-again-after-tools": (
            session(
                exchange([Q], reply(call())),
                exchange([Q, said(call()), user(result())], reply()),
                exchange([Q, said(call()), user(result())], DONE),
                end=RETURNED,
            ),
            [("broken", "$.messages", 3)],
        ),
    },
    "mixed-turn-only-tool-results": {
        "text-after": (
            one(Q, said(SEARCH, call()), user(result(), text("Go on.")), tools=[WEB]),
            [("broken", "$.messages[2].content[1]", 1)],
        ),
        "an-image-after": (
            one(Q, said(SEARCH, call()), user(result(), {"type": "image", "source": {}}), tools=[WEB]),
            [("broken", "$.messages[2].content[1]", 1)],
        ),
        "text-in-another-message": (
            one(Q, said(SEARCH, call()), user(result()), Q2, tools=[WEB]),
            [("broken", "$.messages[3].content", 1)],
        ),
    },
}
CASES = [(rule, case) for rule, cases in FAILING.items() for case in cases]


@pytest.mark.parametrize(("rule", "case"), CASES, ids=[f"{rule}-{case}" for rule, case in CASES])
def test_what_a_correct_loop_does_not_do(rule: str, case: str) -> None:
    """Each trace is found by its rule, at its place."""
    made, expected = FAILING[rule][case]
    assert of_rule(rule, made) == expected


HITS = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
PASSING: dict[str, Session] = {
    "begins-with-the-assistant": one(said("3"), Q2),
    "begins-with-a-call": one(said(call()), user(result())),
    "a-thread": one(user(result()), thread={"type": "continue", "previous_message_id": "msg_1"}),
    "an-empty-reply-not-kept": session(exchange([Q], reply()), exchange([Q, Q2], DONE), end=RETURNED),
    "an-empty-reply-and-the-end": session(exchange([Q], reply()), end=RETURNED),
    "an-empty-reply-and-another-limit": again(reply(), max_tokens=999),
    "an-empty-reply-in-a-recording-of-several": again(reply(), end=None),
    "an-empty-reply-that-was-cut": again(reply(stop="max_tokens")),
    "an-empty-last-message": one(Q, said(), tools=None),
    "an-answer-asked-for-again": again(DONE),
    "an-error-asked-for-again": again(OVERLOADED),
    "a-server-tool-that-is-done": one(Q, said(SEARCH, HITS, call()), user(result(), text("Go on.")), tools=[WEB]),
    "results-alone": one(Q, said(SEARCH, call()), user(result()), tools=[WEB]),
}


@pytest.mark.parametrize("made", PASSING.values(), ids=PASSING)
def test_what_a_correct_loop_may_do(made: Session) -> None:
    """None of the rules of this topic has a word on it."""
    assert [found for rule in FAILING for found in of_rule(rule, made)] == []

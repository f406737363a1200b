"""The rule on where one conversation ends and another begins."""

from __future__ import annotations

import pytest

from made_sessions import (
    DONE,
    OVERLOADED,
    Q2,
    Q3,
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

RULE = "conversation-starts-clean"
C = call()
TURN = [Q, said(C), user(result())]
FIRST = [exchange([Q], reply(C)), exchange(TURN, DONE)]


def after(*messages: Json, event: str | None = "new", **members: object) -> Session:
    """A finished conversation, what the user did then, and the next request."""
    return session(*FIRST[:1], {**FIRST[1], "user_event": event}, exchange(sent(*messages, **members), DONE))


FAILING: dict[str, tuple[Session, list[Found]]] = {
    "the-old-history-and-a-new-question": (after(*TURN, Q2), [("broken", "$.messages[0]", 3)]),
    "with-the-last-reply": (after(*TURN, said("It is 3."), Q2), [("broken", "$.messages[0]", 3)]),
    "only-the-first-exchange-of-it": (
        session(exchange([Q], DONE, user_event="new"), exchange([Q, said("It is 3."), Q2], DONE)),
        [("broken", "$.messages[0]", 2)],
    ),
    "nobody-said-that-it-is-new": (after(*TURN, Q2, event=None), [("broken", "$.messages[3]", 3)]),
    "nor-are-there-tools": (after(*TURN, Q2, event=None, tools=None), [("warn", "$.messages[3]", 3)]),
    "after-another-that-came-between": (
        session(*FIRST, exchange([Q3], DONE), exchange([*TURN, Q2], DONE)),
        [("broken", "$.messages[3]", 4)],
    ),
}


@pytest.mark.parametrize(("made", "expected"), FAILING.values(), ids=FAILING)
def test_a_conversation_that_begins_with_another(made: Session, expected: list[Found]) -> None:
    """The history of a conversation that was over stands before a new question."""
    assert of_rule(RULE, made) == expected


PASSING: dict[str, Session] = {
    "nothing-but-the-question": after(Q2),
    "the-same-question-again": after(Q),
    "the-same-conversation-goes-on": after(*TURN, said("It is 3."), Q2, event=None),
    "a-fork": session(*FIRST, exchange([Q, said(C), user(result("t1", "4"))], DONE)),
    "after-an-interruption": after(*TURN, said("It is 3."), Q2, event="stop"),
    "another-attempt": session(
        {**FIRST[0], "response": OVERLOADED, "user_event": "new"}, exchange([Q], DONE), exchange([Q2], DONE)
    ),
    "a-reply-that-was-cut": session(
        exchange([Q, said("a"), Q2], reply(text("I"), stop="max_tokens")), exchange([Q, said("a"), Q2, Q3], DONE)
    ),
    "an-empty-reply": session(exchange([Q, said("a"), Q2], reply()), exchange([Q, said("a"), Q2, Q3], DONE)),
    "a-first-question-in-two-messages": session(exchange([Q], DONE), exchange([Q, Q2], DONE)),
    "a-thread": session(
        exchange(sent(*TURN, thread={"type": "create"}), {"id": "msg_1", **DONE}),
        exchange(sent(Q2, thread={"type": "continue", "previous_message_id": "msg_1"}, tools=None), DONE),
    ),
}


@pytest.mark.parametrize("made", PASSING.values(), ids=PASSING)
def test_conversations_of_their_own(made: Session) -> None:
    """A fresh start, a follow-up, a fork and another attempt are none."""
    assert of_rule(RULE, made) == []


def test_one_conversation_by_declaration_has_a_rule_of_its_own() -> None:
    """Where there is one conversation only, a reply left out is history that was not resent."""
    made = session(*FIRST, exchange([*TURN, Q2], DONE), alone=True)
    assert of_rule(RULE, made) == []
    assert of_rule("history-resent-in-full", made) == [("broken", "$.messages[3]", 3)]

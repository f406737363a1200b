"""The rules on what a loop does after each stop reason."""

from __future__ import annotations

import pytest

from made_sessions import (
    ADD,
    DONE,
    INVALID,
    NOW,
    OVERLOADED,
    Q2,
    Q3,
    RETURNED,
    RUNNING,
    TOOLS,
    Found,
    Json,
    Q,
    call,
    errors,
    exchange,
    of_rule,
    raised,
    reply,
    result,
    said,
    sent,
    session,
    showed,
    text,
    user,
)
from playhead.rules.checker import Checker, check
from playhead.wire.session import Session

C = call()
PART = text("It is")
WEB = {"type": "web_search_20250305", "name": "web_search"}
SEARCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}}
HITS = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
PAUSED = reply(SEARCH, HITS, PART, stop="pause_turn")
PAUSE = said(SEARCH, HITS, PART)
REFUSED = reply(text("I"), stop="refusal")
SUMMARY = {"type": "compaction", "content": "They added."}
COMPACT = {"model": "claude-opus-4-8", "context_management": {"edits": [{"type": "compact_20260112"}]}}
CODE = {"type": "code_execution_20260120", "name": "code_execution"}
RUN = {"type": "server_tool_use", "id": "srvtoolu_2", "name": "code_execution", "input": {"code": "add(1)"}}
BY_CODE = {**C, "caller": {"type": "code_execution_20260120", "tool_id": "srvtoolu_2"}}
CALLED = {"model": "claude-opus-4-8", "tools": [CODE, {**ADD, "allowed_callers": ["code_execution_20260120"]}]}
RAN = {"type": "code_execution_tool_result", "tool_use_id": "srvtoolu_2", "content": {}}
BOX = {"container": {"id": "container_1", "expires_at": "2026-10-01T00:00:00Z"}}


def one(response: Json, end: Json | None = None, **known: object) -> Session:
    """A single exchange and how the loop ended."""
    return session(exchange([Q], response, **known), end=end)


def paused(*messages: Json, tools: list[Json] | None = None, end: Json | None = None, alone: bool = False) -> Session:
    """A paused turn and the request after it."""
    return session(
        exchange(sent(Q, tools=[WEB]), PAUSED),
        exchange(sent(*messages, tools=[WEB] if tools is None else tools), DONE),
        end=end,
        alone=alone,
    )


def held(answer: Json, *messages: Json, **members: object) -> Session:
    """A reply that came from a container, and the request after it."""
    return session(exchange(sent(Q, **CALLED), answer), exchange(sent(*messages, **{**CALLED, **members}), DONE))


def compacted(*messages: Json, first: Json | None = None, alone: bool = False, **members: object) -> Session:
    """A reply with a summary, and the request after it."""
    answer = first or reply(SUMMARY, text("It is 3."))
    return session(
        exchange(sent(Q, **COMPACT), answer), exchange(sent(*messages, **{**COMPACT, **members}), DONE), alone=alone
    )


def refused(*messages: Json, first: Json = REFUSED, **members: object) -> Session:
    """A refusal, and the request after it."""
    return session(exchange([Q], first), exchange(sent(*messages, **members), DONE))


LOOK = text("Let me look.")
FAILING: dict[str, dict[str, tuple[Session, list[Found]]]] = {
    "stop-reason-checked": {
        "an-empty-refusal-shown": (
            one(reply(stop="refusal"), showed(text="")),
            [("broken", "$response.stop_reason", 1)],
        ),
        "a-cut-reply-shown-as-whole": (
            one(reply(PART, stop="max_tokens"), showed(text="It is")),
            [("broken", "$response.stop_reason", 1)],
        ),
        "a-cut-reply-shown-as-nothing": (
            one(reply(PART, C, stop="model_context_window_exceeded"), showed(text=" "), tools_run=[]),
            [("broken", "$response.stop_reason", 1)],
        ),
        "counts-beside-it-tell-nothing": (
            one(reply(PART, stop="max_tokens"), showed(text="It is", output_tokens=9)),
            [("broken", "$response.stop_reason", 1)],
        ),
        "the-words-of-a-refusal-shown": (one(REFUSED, showed(text="I")), [("warn", "$response.stop_reason", 1)]),
        "a-pause-returned-as-the-answer": (
            session(exchange(sent(Q, tools=[WEB]), PAUSED), end=RETURNED),
            [("broken", "$response.stop_reason", 1)],
        ),
        "nobody-knows-what-was-run-but-the-text-was-shown": (
            one(reply(LOOK, C), showed(text="Let me look.")),
            [("broken", "$response.stop_reason", 1)],
        ),
        "the-text-before-a-call-taken-for-the-answer": (
            one(reply(LOOK, C), showed(text="Let me look."), tools_run=[]),
            [("broken", "$response.stop_reason", 1)],
        ),
        "the-same-with-the-reason-beside-it": (
            one(reply(LOOK, C), showed(text="Let me look.", stop_reason="tool_use"), tools_run=[]),
            [("broken", "$response.stop_reason", 1)],
        ),
        "a-call-taken-for-an-empty-answer": (
            one(reply(C), showed(text=""), tools_run=[]),
            [("broken", "$response.stop_reason", 1)],
        ),
        "in-the-second-turn": (
            session(
                exchange([Q], reply(C), tools_run=["t1"]),
                exchange([Q, said(C), user(result())], reply(LOOK, call("t2")), tools_run=[]),
                end=RETURNED,
            ),
            [("broken", "$response.stop_reason", 2)],
        ),
        "a-tool-run-after-end-turn": (
            one(reply(LOOK, C, stop="end_turn"), tools_run=["t1"]),
            [("broken", "$response.content[1]", 1)],
        ),
        "a-tool-run-after-a-pause": (
            one({**PAUSED, "content": [*PAUSED["content"], C]}, RUNNING, tools_run=["t1"]),
            [("broken", "$response.content[3]", 1)],
        ),
    },
    "pause-turn-resumed": {
        "the-session-ends-there": (
            session(exchange(sent(Q, tools=[WEB]), PAUSED)),
            [("broken", "$response.stop_reason", 1)],
        ),
        "returned-as-the-answer": (
            session(exchange(sent(Q, tools=[WEB]), PAUSED), end=showed(text="It is")),
            [("broken", "$response.stop_reason", 1)],
        ),
        "a-user-message-between": (paused(Q, PAUSE, user("Go on.")), [("broken", "$.messages[2]", 2)]),
        "the-next-question-between": (paused(Q, PAUSE, Q2), [("broken", "$.messages[2]", 2)]),
        "with-other-tools": (paused(Q, PAUSE, tools=[WEB, NOW]), [("broken", "$.tools", 2)]),
        "asked-anew-instead": (
            session(exchange(sent(Q, tools=[WEB]), PAUSED), exchange(sent(Q, tools=[WEB]), DONE), end=RETURNED),
            [("broken", "$.messages", 2), ("broken", "$response.stop_reason", 1)],
        ),
        "left-out-of-the-conversation": (
            session(exchange(sent(Q, tools=[WEB]), PAUSED), exchange(sent(Q, Q2, tools=[WEB]), DONE), end=RETURNED),
            [("broken", "$.messages", 2), ("broken", "$response.stop_reason", 1)],
        ),
        "left-out-and-the-end-is-not-known": (
            session(exchange(sent(Q, tools=[WEB]), PAUSED), exchange(sent(Q, Q2, tools=[WEB]), DONE)),
            [("broken", "$response.stop_reason", 1)],
        ),
        "the-second-pause": (
            session(
                exchange(sent(Q, tools=[WEB]), PAUSED),
                exchange(sent(Q, PAUSE, tools=[WEB]), reply(text(" then"), stop="pause_turn")),
                end=RETURNED,
            ),
            [("broken", "$response.stop_reason", 2)],
        ),
        "in-another-conversation": (
            session(
                exchange(sent(Q, tools=[WEB]), PAUSED), exchange([Q2], DONE), exchange([Q2, said("It is 3."), Q3], DONE)
            ),
            [("broken", "$response.stop_reason", 1)],
        ),
    },
    "refusal-stops-loop": {
        "asked-to-try-again": (
            refused(Q, said(text("I")), user("Please try again.")),
            [("broken", "$.messages[1]", 2)],
        ),
        "asked-to-try-again-without-the-reply": (
            refused(Q, user("Please try again.")),
            [("broken", "$.messages[1]", 2)],
        ),
        "an-empty-refusal": (
            refused(Q, user("Try again."), first=reply(stop="refusal")),
            [("broken", "$.messages[1]", 2)],
        ),
        "asked-again-as-it-was": (refused(Q), [("broken", "$.messages", 2)]),
        "its-tools-run": (one(reply(C, stop="refusal"), tools_run=["t1"]), [("broken", "$response.content[0]", 1)]),
        "its-tools-answered": (
            refused(Q, said(C), user(result()), first=reply(C, stop="refusal")),
            [("broken", "$.messages[1]", 2)],
        ),
    },
    "stop-after-end-turn": {
        "sent-back": (
            session(
                exchange(sent(Q, model="claude-haiku-4-5"), DONE),
                exchange(sent(Q, said("It is 3."), model="claude-haiku-4-5"), reply()),
            ),
            [("broken", "$.messages[1]", 2)],
        ),
        "sent-back-after-tools": (
            session(
                exchange([Q], reply(C)),
                exchange([Q, said(C), user(result())], DONE),
                exchange([Q, said(C), user(result()), said("It is 3.")], reply()),
            ),
            [("broken", "$.messages[3]", 3)],
        ),
        "sent-back-twice": (
            session(exchange([Q], DONE), exchange([Q, said("It is 3."), said("It is 3.")], reply())),
            [("broken", "$.messages[2]", 2)],
        ),
    },
    "container-id-carried": {
        "left-out": (
            held(reply(RUN, BY_CODE, **BOX), Q, said(RUN, BY_CODE), user(result())),
            [("broken", "$.container", 2)],
        ),
        "another": (
            held(reply(RUN, BY_CODE, **BOX), Q, said(RUN, BY_CODE), user(result()), container="container_2"),
            [("broken", "$.container", 2)],
        ),
        "another-with-skills": (
            held(
                reply(RUN, BY_CODE, **BOX),
                Q,
                said(RUN, BY_CODE),
                user(result()),
                container={"id": "container_2", "skills": []},
            ),
            [("broken", "$.container", 2)],
        ),
        "left-out-in-the-same-turn": (
            held(reply(RUN, RAN, C, **BOX), Q, said(RUN, RAN, C), user(result())),
            [("broken", "$.container", 2)],
        ),
        "lost-at-a-pause": (held(reply(RUN, stop="pause_turn", **BOX), Q, said(RUN)), [("broken", "$.container", 2)]),
    },
    "compaction-block-kept": {
        "left-out": (compacted(Q, said(text("It is 3.")), Q2), [("broken", "$.messages[1]", 2)]),
        "rewritten": (
            compacted(Q, said({**SUMMARY, "content": "Nothing."}, text("It is 3.")), Q2),
            [("broken", "$.messages[1]", 2)],
        ),
        "the-reply-left-out-as-well": (compacted(Q, Q2, alone=True), [("broken", "$.messages[1]", 2)]),
        "never-asked-to-go-on": (
            session(exchange(sent(Q, **COMPACT), reply(SUMMARY, stop="compaction")), end=RETURNED),
            [("broken", "$response.stop_reason", 1)],
        ),
    },
}
CASES = [(rule, case) for rule, cases in FAILING.items() for case in cases]


@pytest.mark.parametrize(("rule", "case"), CASES, ids=[f"{rule}-{case}" for rule, case in CASES])
def test_what_a_correct_loop_does_not_do(rule: str, case: str) -> None:
    """Each fault is found by its rule, at its place, in the exchange that commits it."""
    made, expected = FAILING[rule][case]
    assert of_rule(rule, made) == expected


PREFILLED = [Q, said("It")]
PASSING: dict[str, Session] = {
    "tools-run": session(
        exchange([Q], reply(LOOK, C), tools_run=["t1"]),
        exchange([Q, said(LOOK, C), user(result())], DONE, tools_run=[]),
        end=RETURNED,
    ),
    "an-answer": one(DONE, showed(text="It is 3.")),
    "a-cut-reply-raised": one(reply(PART, C, stop="max_tokens"), raised("the answer is not complete"), tools_run=[]),
    "a-cut-reply-returned-with-its-reason": one(
        reply(PART, stop="max_tokens"), showed(text="It is", stop_reason="max_tokens")
    ),
    "a-cut-reply-shown-with-a-note": one(reply(PART, stop="max_tokens"), showed(text="It is … [cut off]")),
    "a-cut-reply-returned-as-it-came": one(reply(PART, stop="max_tokens"), RETURNED),
    "a-cut-reply-asked-again-with-more": session(
        exchange([Q], reply(PART, stop="max_tokens")),
        exchange(sent(Q, max_tokens=999), DONE),
        end=showed(text="It is 3."),
    ),
    "a-cut-reply-and-an-error-beside-it": one(
        reply(PART, stop="max_tokens"), {"how": "returned", "error": "cut", "shown": {"text": "It is"}}
    ),
    "a-refusal-raised": one(REFUSED, raised("Claude declined")),
    "a-refusal-told": one(reply(stop="refusal"), showed(text="Claude would not answer this.")),
    "a-refusal-for-another-model": refused(Q, model="claude-sonnet-4-5"),
    "a-refused-turn-taken-out": refused(Q2),
    "a-conversation-that-only-begins-like-the-refused-one": refused(Q, said("It is 3."), Q2),
    "an-output-tool": session(
        exchange(sent(Q, tool_choice={"type": "tool", "name": "add"}), reply(C), tools_run=[]), end=showed(text="")
    ),
    "any-output-tool": session(
        exchange(sent(Q, tool_choice={"type": "any"}), reply(LOOK, C), tools_run=[]), end=RETURNED
    ),
    "calls-handed-to-the-caller": one(
        reply(LOOK, C), showed(text="Let me look.", tool_calls=[{"id": "t1"}]), tools_run=[]
    ),
    "calls-run-and-the-limit-reached": one(reply(LOOK, C), RETURNED, tools_run=["t1"]),
    "whether-calls-were-run-is-not-known": one(reply(LOOK, C), RETURNED),
    "stopped-by-a-limit": one(reply(LOOK, C), raised("TurnLimitReached"), tools_run=[]),
    "a-pause-resumed": paused(Q, PAUSE),
    "a-pause-resumed-and-ended": paused(Q, PAUSE, end=RETURNED),
    "a-pause-resumed-in-one-conversation": paused(Q, PAUSE, alone=True),
    "two-pauses": session(
        exchange(sent(Q, tools=[WEB]), PAUSED),
        exchange(sent(Q, PAUSE, tools=[WEB]), reply(text(" then"), stop="pause_turn")),
        exchange(sent(Q, PAUSE, said(text(" then")), tools=[WEB]), DONE),
        end=RETURNED,
    ),
    "two-pauses-in-one-message": session(
        exchange(sent(Q, tools=[WEB]), PAUSED),
        exchange(sent(Q, PAUSE, tools=[WEB]), reply(text(" then"), stop="pause_turn")),
        exchange(sent(Q, said(SEARCH, HITS, PART, text(" then")), tools=[WEB]), DONE),
        end=RETURNED,
    ),
    "two-pauses-in-one-message-after-an-error": session(
        exchange(sent(Q, tools=[WEB]), PAUSED),
        exchange(sent(Q, PAUSE, tools=[WEB]), OVERLOADED),
        exchange(sent(Q, PAUSE, tools=[WEB]), reply(text(" then"), stop="pause_turn")),
        exchange(sent(Q, said(SEARCH, HITS, PART, text(" then")), tools=[WEB]), DONE),
        end=RETURNED,
    ),
    "a-pause-that-was-sampled-again": session(
        exchange(sent(Q, tools=[WEB]), PAUSED), exchange(sent(Q, tools=[WEB]), DONE)
    ),
    "a-pause-that-the-user-stopped": session(exchange(sent(Q, tools=[WEB]), PAUSED, user_event="stop"), end=RETURNED),
    "a-pause-and-a-limit": session(exchange(sent(Q, tools=[WEB]), PAUSED), end=raised("TurnLimitReached")),
    "a-pause-and-the-loop-is-still-running": session(exchange(sent(Q, tools=[WEB]), PAUSED), end=RUNNING),
    "a-pause-and-an-overloaded-api": session(
        exchange(sent(Q, tools=[WEB]), PAUSED),
        exchange(sent(Q, PAUSE, tools=[WEB]), OVERLOADED),
        exchange(sent(Q, PAUSE, tools=[WEB]), DONE),
        end=RETURNED,
    ),
    "a-pause-in-a-thread": session(
        exchange(sent(Q, tools=[WEB], thread={"type": "create"}), {"id": "msg_1", **PAUSED}),
        exchange(sent(tools=None, thread={"type": "continue", "previous_message_id": "msg_1"}), DONE),
        end=RETURNED,
    ),
    "the-next-question-after-end-turn": session(exchange([Q], DONE), exchange([Q, said("It is 3."), Q2], DONE)),
    "asked-again-for-another-reply": session(exchange([Q], DONE), exchange([Q], DONE)),
    "a-prefill-of-another-text": session(exchange([Q], DONE), exchange([Q, said("Well,")], DONE)),
    "a-prefill-that-goes-on": session(exchange(PREFILLED, reply(text(" is"))), exchange([Q, said("It is")], DONE)),
    "a-stop-sequence-that-goes-on": session(
        exchange([Q], reply(PART, stop="stop_sequence")), exchange([Q, said("It is")], DONE)
    ),
    "the-container-carried": held(
        reply(RUN, BY_CODE, **BOX), Q, said(RUN, BY_CODE), user(result()), container="container_1"
    ),
    "the-container-carried-with-skills": held(
        reply(RUN, BY_CODE, **BOX), Q, said(RUN, BY_CODE), user(result()), container={"id": "container_1", "skills": []}
    ),
    "a-container-that-nothing-waits-for": held(reply(RUN, RAN, text("3"), **BOX), Q, said(RUN, RAN, text("3")), Q2),
    "no-container": held(reply(C), Q, said(C), user(result())),
    "a-container-of-another-conversation": held(reply(RUN, BY_CODE, **BOX), Q2),
    "a-summary-kept": compacted(Q, said(SUMMARY, text("It is 3.")), Q2),
    "a-summary-kept-and-the-rest-left-out": compacted(said(SUMMARY, text("It is 3.")), Q2),
    "a-summary-kept-in-a-message-of-its-own": compacted(said(SUMMARY), said(text("It is 3.")), Q2),
    "a-compaction-that-was-resumed": compacted(said(SUMMARY), Q, first=reply(SUMMARY, stop="compaction")),
    "a-compaction-and-a-limit": session(
        exchange(sent(Q, **COMPACT), reply(SUMMARY, stop="compaction")), end=raised("too many turns")
    ),
    "another-conversation-after-a-summary": compacted(Q3),
    "an-api-that-refuses": one(INVALID, raised("BadRequestError")),
}


@pytest.mark.parametrize("made", PASSING.values(), ids=PASSING)
def test_what_a_correct_loop_may_do(made: Session) -> None:
    """None of the rules of this topic has a word on it, not even a warning."""
    assert [str(violation) for violation in check(made) if violation.rule in FAILING] == []


def test_an_unfinished_session_is_not_over() -> None:
    """As long as requests may come nobody can say that a pause was not resumed."""
    made = session(exchange(sent(Q, tools=[WEB]), PAUSED))
    checker = Checker()
    (pause,) = made.exchanges
    judgement = checker.ask(pause)
    assert judgement.position is not None
    checker.answered(judgement.position, pause)
    assert checker.on_end(made.exchanges, None, over=False) == ()
    assert [violation.rule for violation in checker.on_end(made.exchanges, None)] == ["pause-turn-resumed"]
    assert checker.on_end(made.exchanges, None, 100)[0].rule == "loop-bounded"


def test_a_refusal_whose_tools_were_run_is_told_once() -> None:
    """That a cut reply was run says it; that it was a refusal is said in addition only where rules are listed."""
    found = errors(one(reply(C, stop="refusal"), tools_run=["t1"]))
    assert {violation.rule: violation.same_as for violation in found} == {
        "max-tokens-no-tool-execution": None,
        "refusal-stops-loop": "max-tokens-no-tool-execution",
    }


def test_sentences() -> None:
    """What is told names the reason, the calls and the container."""
    (waits,) = check(one(reply(LOOK, C), showed(text="Let me look."), tools_run=[]))
    assert waits.message == "the loop returned although Claude waits for results: t1 (add)"
    lost = [v for v in check(FAILING["container-id-carried"]["another"][0]) if v.rule == "container-id-carried"]
    assert lost[0].message == "t1 (add) waits in container container_1; the request names container_2"
    assert lost[0].fix == "send `container: 'container_1'` with the results: the code that waits for them runs there"
    assert TOOLS

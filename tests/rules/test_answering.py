"""The rules on what becomes of Claude's calls."""

from __future__ import annotations

import pytest

from made_sessions import (
    ADD,
    DONE,
    INVALID,
    NOW,
    Q2,
    RETURNED,
    RUNNING,
    TOOLS,
    Found,
    Json,
    Q,
    call,
    call_block,
    errors,
    exchange,
    finish,
    of_rule,
    raised,
    reply,
    result,
    said,
    sent,
    session,
    start,
    stream,
    text,
    thought,
    user,
)
from playhead.rules.checker import check
from playhead.wire.session import Session

C1, C2, C3 = call("t1", a=1), call("t2", a=2), call("t3", a=3)
BOTH = reply(C1, C2)
E2 = said(C1, C2)


def follow(*messages: Json, first: Json = BOTH, then: Json = DONE, end: Json | None = None, **known: object) -> Session:
    """A reply that calls tools, and the request after it."""
    return session(exchange([Q], first, **known), exchange([Q, *messages], then), end=end)


def one(end: Json | None, *content: Json, **known: object) -> Session:
    """A single exchange, its reply by default with one call."""
    return session(exchange([Q], reply(*(content or (C1,))), **known), end=end)


WEB = {"type": "web_search_20250305", "name": "web_search"}
SEARCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}}
HITS = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
MCP = {"type": "mcp_tool_use", "id": "mcptoolu_1", "name": "find", "server_name": "s", "input": {}}
ODD = call("t1", "frobnicate")
BAD = call("t1", b=2)

FAILING: dict[str, dict[str, tuple[Session, list[Found]]]] = {
    "answer-every-tool-use-once": {
        "the-second-left-out": (follow(E2, user(result("t1"))), [("broken", "$.messages[1].content[1]", 2)]),
        "none-answered": (
            follow(E2, user("Never mind.")),
            [("broken", "$.messages[1].content[0]", 2), ("broken", "$.messages[1].content[1]", 2)],
        ),
        "answered-twice": (
            follow(E2, user(result("t1"), result("t2"), result("t1"))),
            [("broken", "$.messages[2].content[2]", 2)],
        ),
        "answered-twice-in-two-messages": (
            follow(E2, user(result("t1"), result("t2")), user(result("t2"))),
            [("broken", "$.messages[3].content[0]", 2)],
        ),
        "a-call-dropped-from-the-turn": (follow(said(C1), user(result("t1"))), [("broken", "$.messages", 2)]),
        "sent-back-without-results": (follow(said(C1), first=reply(C1)), [("broken", "$.messages[1].content[0]", 2)]),
        "to-a-thread": (
            session(
                exchange(sent(Q, thread={"type": "create"}), {"id": "msg_1", **BOTH}),
                exchange(
                    sent(user(result("t1")), thread={"type": "continue", "previous_message_id": "msg_1"}, tools=None),
                    DONE,
                ),
            ),
            [("broken", "$.thread.previous_message_id", 2)],
        ),
        "run-twice": (
            follow(E2, user(result("t1"), result("t2")), tools_run=["t1", "t2", "t1"]),
            [("broken", "$response.content[0]", 1)],
        ),
        "run-again-after-it-was-answered": (
            session(
                exchange([Q], reply(C1), tools_run=["t1"]),
                exchange([Q, said(C1), user(result("t1"))], reply(C2), tools_run=["t2", "t1"]),
            ),
            [("broken", "$response", 2)],
        ),
        "run-and-the-turn-left-out": (
            follow(Q2, first=reply(C1), tools_run=["t1"]),
            [("broken", "$response", 1)],
        ),
        "in-one-of-two-conversations": (
            session(
                exchange([Q], BOTH),
                exchange([Q2], reply(C3)),
                exchange([Q, E2, user(result("t1"))], DONE),
                exchange([Q2, said(C3), user(result("t3"))], DONE),
            ),
            [("broken", "$.messages[1].content[1]", 3)],
        ),
    },
    "skipped-calls-still-answered": {
        "interrupted": (
            follow(E2, user(result("t1")), tools_run=["t1"], user_event="stop"),
            [("broken", "$.messages[1].content[1]", 2)],
        ),
        "the-first-failed-and-the-rest-was-dropped": (
            follow(E2, user(result("t1", "no", is_error=True)), tools_run=["t1"], results={"t1": {"raised": "no"}}),
            [("broken", "$.messages[1].content[1]", 2)],
        ),
        "denied": (
            follow(said(C1), user("No."), first=reply(C1), tools_run=[]),
            [("broken", "$.messages[1].content[0]", 2)],
        ),
        "only-the-interruption-is-known": (
            follow(E2, user(result("t2")), user_event="stop"),
            [("broken", "$.messages[1].content[0]", 2)],
        ),
    },
    "results-match-ids": {
        "swapped": (
            follow(E2, user(result("t1", "7"), result("t2", "3")), results={"t1": "3", "t2": "7"}),
            [("broken", "$.messages[2].content[0].content", 2), ("broken", "$.messages[2].content[1].content", 2)],
        ),
        "in-the-order-of-completion": (
            follow(
                said(C1, C2, C3),
                user(result("t1", [text("c")]), result("t2", [text("a")]), result("t3", [text("b")])),
                first=reply(C1, C2, C3),
                results={"t3": "c", "t1": "a", "t2": "b"},
            ),
            [("broken", f"$.messages[2].content[{number}].content", 2) for number in (2, 0, 1)],
        ),
        "the-first-for-all": (
            follow(E2, user(result("t1", "3"), result("t2", "3")), results={"t1": 3, "t2": 7}),
            [("broken", "$.messages[2].content[1].content", 2)],
        ),
        "data": (
            follow(
                E2,
                user(result("t1", '{"sum": 7}'), result("t2", '{"sum":3}')),
                results={"t1": {"sum": 3}, "t2": {"sum": 7}},
            ),
            [("broken", "$.messages[2].content[0].content", 2), ("broken", "$.messages[2].content[1].content", 2)],
        ),
        "an-answer-under-the-call-that-raised": (
            follow(E2, user(result("t1", "7"), result("t2", "boom")), results={"t1": {"raised": "boom"}, "t2": "7"}),
            [("broken", "$.messages[2].content[0].content", 2)],
        ),
    },
    "tool-error-as-result": {
        "told-as-text": (
            follow(said(C1), user("It failed: boom"), first=reply(C1), results={"t1": {"raised": "boom"}}),
            [("broken", "$.messages", 2)],
        ),
        "left-out-beside-another": (
            follow(E2, user(result("t2")), results={"t1": {"raised": "boom"}, "t2": "3"}),
            [("broken", "$.messages", 2)],
        ),
        "hidden-behind-an-empty-result": (
            follow(said(C1), user(result("t1", "ok")), first=reply(C1), results={"t1": {"raised": "boom"}}),
            [("broken", "$.messages[2].content[0]", 2)],
        ),
        "without-is-error": (
            follow(said(C1), user(result("t1", "Error: boom")), first=reply(C1), results={"t1": {"raised": "boom"}}),
            [("warn", "$.messages[2].content[0]", 2)],
        ),
        "raised-past-the-loop": (
            one(raised("ValueError: boom"), tools_run=["t1"], results={"t1": {"raised": "boom"}}),
            [("broken", "$response", 1)],
        ),
        "raised-without-a-word": (
            one(raised(), tools_run=["t1"], results={"t1": {"raised": "boom"}}),
            [("broken", "$response", 1)],
        ),
        "raised-with-another-word": (
            one(raised("AgentError: tool add failed"), tools_run=["t1"], results={"t1": {"raised": "boom"}}),
            [("broken", "$response", 1)],
        ),
        "raised-in-the-second-turn": (
            session(
                exchange([Q], reply(C1), results={"t1": "3"}),
                exchange([Q, said(C1), user(result("t1"))], reply(C2), results={"t2": {"raised": "boom"}}),
                end=raised("boom"),
            ),
            [("broken", "$response", 2)],
        ),
    },
    "unknown-tool-as-error-result": {
        "a-key-error": (one(raised("KeyError: 'frobnicate'"), ODD, tools_run=[]), [("broken", "$response", 1)]),
        "an-error-that-says-nothing": (one(raised(), ODD), [("broken", "$response", 1)]),
        "beside-a-known-one": (
            one(raised("no such tool"), call("t9"), {**ODD, "id": "t8"}, tools_run=["t9"]),
            [("broken", "$response", 1)],
        ),
        "returned-with-the-call-open": (one(RETURNED, ODD, tools_run=[]), [("broken", "$response", 1)]),
        "passed-over": (
            follow(said(ODD), user("Go on."), first=reply(ODD)),
            [("broken", "$.messages[1].content[0]", 2)],
        ),
        "passed-over-beside-a-known-one": (
            follow(said(C2, ODD), user(result("t2")), first=reply(C2, ODD)),
            [("broken", "$.messages[1].content[1]", 2)],
        ),
    },
    "invalid-input-as-error-result": {
        "stored-as-a-string": (
            follow(said({**BAD, "input": '{"b": 2}'}), user(result("t1", "?")), first=reply(BAD)),
            [("broken", "$.messages[1].content[0].input", 2)],
        ),
        "raised": (one(raised("TypeError: missing 1 required argument: 'a'"), BAD), [("broken", "$response", 1)]),
        "of-another-kind": (one(raised("bad"), call("t1", a="one")), [("broken", "$response", 1)]),
        "a-boolean-for-an-integer": (one(raised("bad"), call("t1", a=True)), [("broken", "$response", 1)]),
        "no-result": (
            follow(said(BAD), user("Go on."), first=reply(BAD)),
            [("broken", "$.messages[1].content[0]", 2)],
        ),
        "dropped-and-the-text-kept": (
            follow(said(text("I add.")), user("Go on."), first=reply(text("I add."), BAD)),
            [("broken", "$.messages", 2)],
        ),
        "no-json": (
            session(
                exchange([Q], stream(start(), call_block(0, C1, '{"a": 1, "b'), finish("tool_use")), tools_run=[]),
                end=raised("ValueError"),
            ),
            [("broken", "$response", 1)],
        ),
    },
    "no-execution-of-server-tools": {
        "run": (
            session(exchange(sent(Q, tools=[WEB]), reply(SEARCH, HITS, text("x")), tools_run=["srvtoolu_1"])),
            [("broken", "$response", 1)],
        ),
        "run-beside-a-call-of-ones-own": (
            session(exchange(sent(Q, tools=[WEB, ADD]), reply(SEARCH, HITS, C1), tools_run=["srvtoolu_1", "t1"])),
            [("broken", "$response", 1)],
        ),
        "answered": (
            session(
                exchange(sent(Q, tools=[WEB]), reply(SEARCH, HITS, text("x"))),
                exchange(sent(Q, said(SEARCH, HITS, text("x")), user(result("srvtoolu_1")), tools=[WEB]), INVALID),
            ),
            [("broken", "$.messages[2].content[0]", 2)],
        ),
        "answered-for-another-server": (
            session(
                exchange(sent(Q, tools=None), reply(MCP, stop="pause_turn")),
                exchange(sent(Q, said(MCP), user(result("mcptoolu_1")), tools=None), INVALID),
            ),
            [("broken", "$.messages[2].content[0]", 2)],
        ),
    },
}
CASES = [(rule, case) for rule, cases in FAILING.items() for case in cases]


@pytest.mark.parametrize(("rule", "case"), CASES, ids=[f"{rule}-{case}" for rule, case in CASES])
def test_what_a_correct_loop_does_not_do(rule: str, case: str) -> None:
    """Each fault is found by its rule, at its place, in the exchange that commits it."""
    made, expected = FAILING[rule][case]
    assert of_rule(rule, made) == expected


KNOWN = {"tools_run": ["t1", "t2"], "results": {"t1": "3", "t2": "7"}}
PASSING: dict[str, Session] = {
    "answered-in-order": follow(E2, user(result("t1", "3"), result("t2", "7")), end=RETURNED, **KNOWN),
    "answered-in-the-order-of-completion": follow(E2, user(result("t2", "7"), result("t1", "3")), **KNOWN),
    "answered-in-blocks": follow(E2, user(result("t1", [text("3")]), result("t2", [text("7")])), **KNOWN),
    "answered-in-two-messages": follow(E2, user(result("t1")), user(result("t2"))),
    "answered-with-text-after": follow(E2, user(result("t1"), result("t2"), text("Be brief."))),
    "the-same-value-twice": follow(E2, user(result("t1"), result("t2")), results={"t1": 3, "t2": 3}),
    "one-cut-short": follow(E2, user(result("t1", "3…"), result("t2", "7")), results={"t1": "3" * 99, "t2": "7"}),
    "denied-with-errors": follow(
        E2, user(result("t1", "No.", is_error=True), result("t2", "No.", is_error=True)), tools_run=[]
    ),
    "interrupted-and-told": follow(
        E2,
        user(result("t1"), result("t2", "Stopped.", is_error=True), text("Do it otherwise.")),
        tools_run=["t1"],
        user_event="stop",
    ),
    "the-turn-given-up": follow(user("Never mind."), tools_run=["t1"], user_event="stop"),
    "a-fork-with-another-reply": follow(said("It is 3."), Q2),
    "an-error-told": follow(
        said(C1),
        user(result("t1", "ValueError: boom", is_error=True)),
        first=reply(C1),
        results={"t1": {"raised": "boom"}},
    ),
    "an-error-told-in-other-words": follow(
        said(C1), user(result("t1", "Not now.", is_error=True)), first=reply(C1), results={"t1": {"raised": "boom"}}
    ),
    "an-unknown-tool-told": follow(said(ODD), user(result("t1", "no such tool", is_error=True)), first=reply(ODD)),
    "an-invalid-input-told": follow(said(BAD), user(result("t1", "a is missing", is_error=True)), first=reply(BAD)),
    "an-invalid-input-run-all-the-same": follow(said(BAD), user(result("t1", "2")), first=reply(BAD), tools_run=["t1"]),
    "null-where-it-is-allowed": follow(
        said(call("t1", a=1, b=None)), user(result()), first=reply(call("t1", a=1, b=None))
    ),
    "the-turn-limit-was-reached": one(raised("TurnLimitReached: no answer after 30 turns"), ODD, tools_run=[]),
    **{
        f"an-end-of-its-own-after-{name}": session(
            exchange([Q], reply(call("t1", *odd, **odd_input)), tools_run=run, results=dict.fromkeys(run, failed)),
            exchange(
                [Q, said(call("t1", *odd, **odd_input)), user(result("t1", "no: boom", is_error=True))],
                reply(call("t2", *odd, **odd_input)),
                tools_run=[t.replace("1", "2") for t in run],
                results={t.replace("1", "2"): failed for t in run},
            ),
            end=raised("Unfinished: the answer is not complete"),
        )
        for name, odd, odd_input, run, failed in (
            ("unknown-tools", ("frobnicate",), {}, [], None),
            ("invalid-inputs", (), {"b": 2}, [], None),
            ("failing-tools", (), {"a": 1}, ["t1"], {"raised": "boom"}),
        )
    },
    "the-budget-was-spent": one(raised("the budget of 12 requests is spent; not run: add"), BAD, tools_run=[]),
    "raised-for-something-else": one(
        raised("TooManyTurns: 30 requests"), tools_run=["t1"], results={"t1": {"raised": "boom"}}
    ),
    "an-unknown-tool-and-the-caller-was-told": one(
        {"how": "returned", "shown": {"text": "", "error": "no tool frobnicate"}}, ODD, tools_run=[]
    ),
    "the-user-stopped-after-a-failing-tool": one(
        raised("KeyboardInterrupt"), tools_run=["t1"], results={"t1": {"raised": "boom"}}, user_event="stop"
    ),
    "run-and-a-summary-asked-for-before-it-was-told": session(
        exchange([Q], reply(C1), tools_run=["t1"]),
        exchange(sent(Q, user("Sum up."), tools=None), reply(text("They asked for a sum, and Claude adds it up."))),
        exchange([Q, said(C1), user(result("t1"))], DONE),
        end=RETURNED,
    ),
    "an-output-tool-at-the-end": one(RETURNED, tools_run=[]),
    "a-known-tool-left-open": one(raised("Interrupted"), C1, tools_run=[]),
    "tools-that-nobody-knows": session(
        exchange(sent(Q, tools=[{"type": "mcp_toolset", "mcp_server_name": "s"}]), reply(ODD)), end=raised("KeyError")
    ),
    "a-retry-with-the-same-results": session(
        exchange([Q], BOTH, tools_run=["t1", "t2"]),
        exchange([Q, E2, user(result("t1"), result("t2"))], {"status": 529, "error": {}}, tools_run=[]),
        exchange([Q, E2, user(result("t1"), result("t2"))], DONE, tools_run=[]),
    ),
    "a-call-that-came-again-after-a-broken-stream": session(
        exchange([Q], stream(start(), call_block(0, C1, '{"a": 1}')), tools_run=[]),
        exchange([Q], reply(C1), tools_run=["t1"]),
        exchange([Q, said(C1), user(result("t1"))], DONE, tools_run=[]),
    ),
    "the-same-id-in-two-turns": session(
        exchange([Q], reply(C1), tools_run=["t1"]),
        exchange([Q, said(C1), user(result("t1"))], reply(C1), tools_run=["t1"]),
        exchange([Q, said(C1), user(result("t1")), said(C1), user(result("t1"))], DONE),
    ),
    "an-id-that-is-in-no-reply": session(exchange([Q], DONE, tools_run=["elsewhere", "elsewhere"])),
    "interleaved": session(
        exchange([Q], BOTH, tools_run=["t1", "t2"]),
        exchange([Q2], reply(C3), tools_run=["t3"]),
        exchange([Q2, said(C3), user(result("t3"))], DONE),
        exchange([Q, E2, user(result("t1"), result("t2"))], DONE),
        end=RETURNED,
    ),
    "a-thread-that-goes-on": session(
        exchange(sent(Q, thread={"type": "create"}), {"id": "msg_1", **BOTH}),
        exchange(
            sent(
                user(result("t1"), result("t2")),
                thread={"type": "continue", "previous_message_id": "msg_1"},
                tools=None,
            ),
            DONE,
        ),
    ),
    "a-server-tool-and-ones-own": session(
        exchange(sent(Q, tools=[WEB, *TOOLS]), reply(SEARCH, HITS, C1), tools_run=["t1"]),
        exchange(sent(Q, said(SEARCH, HITS, C1), user(result("t1")), tools=[WEB, *TOOLS]), DONE),
    ),
    "thinking-and-a-call": follow(
        said(thought(), C1), user(result("t1")), first=reply(thought(), C1), tools_run=["t1"]
    ),
    "a-streamed-call-without-arguments": session(
        exchange([Q], stream(start(), call_block(0, call("t1", "now")), finish("tool_use")), tools_run=["t1"]),
        exchange([Q, said({**call("t1", "now"), "input": {}}), user(result("t1"))], DONE),
    ),
    "still-running": one(RUNNING, call("t1", "now"), results={"t1": {"raised": "boom"}}),
    "nothing-known": follow(E2, user(result("t1"), result("t2"))),
}


@pytest.mark.parametrize("made", PASSING.values(), ids=PASSING)
def test_what_a_correct_loop_may_do(made: Session) -> None:
    """None of the rules of this topic has a word on it, not even a warning."""
    assert [str(violation) for violation in check(made) if violation.rule in FAILING] == []


def test_a_fault_that_the_api_names_is_told_once() -> None:
    """What a broken rule finds beside the API's own refusal of the same request points to it."""
    made = follow(E2, user(result("t1")), tools_run=["t1"], user_event="stop")
    assert {violation.rule: violation.same_as for violation in errors(made)} == {
        "tool-use-unanswered": None,
        "answer-every-tool-use-once": "tool-use-unanswered",
        "skipped-calls-still-answered": "tool-use-unanswered",
    }


def test_sentences() -> None:
    """What is told names the call, what became of it, and how it is answered."""
    made = follow(E2, user(result("t1")), tools_run=["t1"])
    (violation,) = [its for its in check(made) if its.rule == "skipped-calls-still-answered"]
    assert violation.message == "t2 (add) was not run and has no result"
    assert violation.fix == (
        'answer calls that you do not run as well: {"type": "tool_result", "tool_use_id": "t2", "content": '
        '"Not run: ...", "is_error": true}'
    )
    (unknown,) = [its for its in check(one(raised("KeyError"), ODD)) if its.rule == "unknown-tool-as-error-result"]
    assert unknown.message == "t1 (frobnicate) asks for a tool that is not offered, and the loop ended with 'KeyError'"
    assert NOW in TOOLS

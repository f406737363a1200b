"""The rules on streams that break or bring something new."""

from __future__ import annotations

import pytest

from made_sessions import (
    DONE,
    Q2,
    RETURNED,
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
    session,
    showed,
    start,
    stream,
    text,
    text_block,
    user,
)
from playhead.rules.checker import check
from playhead.wire.session import Session

C, C2 = call("t1", a=1), call("t2", a=2)
CALL = call_block(0, C, '{"a": ', "1}")
OVERLOADED = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
BROKE = stream(start(), CALL, OVERLOADED)
ENDED = stream(start(), CALL)
CUT = stream(start(), call_block(0, C, '{"a": 1, "b'), finish("tool_use"))
NEW = {"type": "novel_event", "x": 1}
NEW_DELTA = {"type": "content_block_delta", "index": 0, "delta": {"type": "novel_delta", "x": 1}}
PING = {"type": "ping"}


def one(response: Json, end: Json | None = None, **known: object) -> Session:
    return session(exchange([Q], response, **known), end=end)


def follow(response: Json, *messages: Json, end: Json | None = None, **known: object) -> Session:
    return session(exchange([Q], response, **known), exchange([Q, *messages], DONE), end=end)


HELLO = [start(), PING, text_block(0, "Hi."), finish()]
FAILING: dict[str, dict[str, tuple[Session, list[Found]]]] = {
    "sse-error-event-fails-turn": {
        "run": (one(BROKE, tools_run=["t1"]), [("broken", "$response.content[0]", 1)]),
        "answered": (follow(BROKE, said(C), user(result())), [("broken", "$.messages[2].content[0]", 2)]),
        "returned": (one(BROKE, RETURNED), [("broken", "$response", 1)]),
        "its-beginning-shown": (
            one(stream(start(), text_block(0, "It is"), OVERLOADED), showed(text="It is")),
            [("broken", "$response", 1)],
        ),
        "in-the-second-turn": (
            session(exchange([Q], reply(C)), exchange([Q, said(C), user(result())], BROKE), end=RETURNED),
            [("broken", "$response", 2)],
        ),
        "before-anything-else": (one(stream(OVERLOADED), RETURNED), [("broken", "$response", 1)]),
    },
    "sse-missing-message-stop": {
        "run": (one(ENDED, tools_run=["t1"]), [("broken", "$response.content[0]", 1)]),
        "answered": (follow(ENDED, said(C), user(result())), [("broken", "$.messages[2].content[0]", 2)]),
        "returned": (one(ENDED, RETURNED), [("broken", "$response", 1)]),
        "its-beginning-shown": (
            one(stream(start(), text_block(0, "It is")), showed(text="It is")),
            [("broken", "$response", 1)],
        ),
        "the-reason-came-and-the-end-did-not": (
            one(stream(start(), CALL, finish("tool_use")[:1]), tools_run=["t1"]),
            [("broken", "$response.content[0]", 1)],
        ),
        "no-event-at-all": (one(stream(), RETURNED), [("broken", "$response", 1)]),
    },
    "sse-parse-at-block-stop": {
        "run": (one(CUT, tools_run=["t1"]), [("broken", "$response", 1)]),
        "answered": (
            follow(CUT, said(C), user(result())),
            [("broken", "$.messages[2].content[0]", 2)],
        ),
        "the-second-of-two": (
            one(stream(start(), CALL, call_block(1, C2, '{"a"'), finish("tool_use")), tools_run=["t1", "t2"]),
            [("broken", "$response", 1)],
        ),
        "when-the-limit-was-reached": (
            one(stream(start(), call_block(0, C, '{"a": 1, "b":'), finish("max_tokens")), tools_run=["t1"]),
            [("broken", "$response", 1)],
        ),
        "before-the-block-stopped": (
            one(stream(start(), call_block(0, C, '{"a": 1', stop=False)), tools_run=["t1"]),
            [("broken", "$response", 1)],
        ),
        "shown": (one(CUT, showed(tool_input={"a": 1})), [("broken", "$response", 1)]),
    },
    "sse-unknown-events-ignored": {
        "an-event": (one(stream(NEW, *HELLO), raised("unknown event")), [("broken", "$response", 1)]),
        "an-event-and-no-word-on-it": (
            one(stream(*HELLO[:2], NEW, *HELLO[2:]), raised()),
            [("broken", "$response", 1)],
        ),
        "a-delta": (
            one(
                stream(start(), [*text_block(0, "Hi.")[:2], NEW_DELTA, *text_block(0, "")[-1:]], finish()),
                raised("KeyError: 'novel_delta'"),
            ),
            [("broken", "$response", 1)],
        ),
        "a-ping": (one(stream(*HELLO), raised("ValueError: unexpected ping")), [("broken", "$response", 1)]),
        "before-tools-could-be-run": (
            one(stream(start(), NEW, CALL, finish("tool_use")), raised("unhandled event novel_event"), tools_run=[]),
            [("broken", "$response", 1)],
        ),
    },
}
CASES = [(rule, case) for rule, cases in FAILING.items() for case in cases]


@pytest.mark.parametrize(("rule", "case"), CASES, ids=[f"{rule}-{case}" for rule, case in CASES])
def test_what_a_correct_loop_does_not_do(rule: str, case: str) -> None:
    """Each fault is found by its rule, at its place, in the exchange that commits it."""
    made, expected = FAILING[rule][case]
    assert of_rule(rule, made) == expected


PASSING: dict[str, Session] = {
    "whole": one(stream(*HELLO), showed(text="Hi.")),
    "a-whole-call": session(
        exchange([Q], stream(start(), CALL, finish("tool_use")), tools_run=["t1"]),
        exchange([Q, said(C), user(result())], stream(*HELLO), tools_run=[]),
        end=showed(text="Hi."),
    ),
    "broke-and-raised": one(BROKE, raised("APIStatusError: Overloaded"), tools_run=[]),
    "broke-and-was-asked-again": session(
        exchange([Q], BROKE, tools_run=[]),
        exchange([Q], reply(C), tools_run=["t1"]),
        exchange([Q, said(C), user(result())], DONE),
        end=RETURNED,
    ),
    "broke-and-told": one(BROKE, showed(text="", error="overloaded_error")),
    "broke-and-said-so": one(
        stream(start(), text_block(0, "It is"), OVERLOADED), showed(text="It is … (the connection was interrupted)")
    ),
    "broke-and-answered-with-an-error": follow(
        BROKE, said(C), user(result("t1", "Not run: the reply broke off.", is_error=True)), tools_run=[]
    ),
    "broke-and-taken-up": session(
        exchange([Q], stream(start(), text_block(0, "It is"), OVERLOADED)),
        exchange([Q, said("It is"), user("Go on.")], DONE),
        end=RETURNED,
    ),
    "broke-and-the-end-is-not-known": one(BROKE),
    "ended-early-and-raised": one(ENDED, raised("incomplete stream"), tools_run=[]),
    "ended-early-and-was-asked-again": session(
        exchange([Q], ENDED, tools_run=[]), exchange([Q], DONE, tools_run=[]), end=RETURNED
    ),
    "ended-early-and-said-so": one(ENDED, showed(text="", incomplete=True)),
    "ended-early-in-another-conversation": session(exchange([Q2], ENDED), exchange([Q], DONE), end=RETURNED),
    "no-json-and-told": follow(
        CUT, said({**C, "input": {"INVALID_JSON": '{"a": 1, "b'}}), user(result("t1", "no JSON", is_error=True))
    ),
    "no-json-and-raised": one(CUT, raised("truncated"), tools_run=[]),
    "no-json-and-the-whole-one-run": one(
        stream(start(), CALL, call_block(1, C2, '{"a"'), finish("max_tokens")), raised("cut"), tools_run=[]
    ),
    "pieces-cut-anywhere": session(
        exchange(
            [Q], stream(start(), call_block(0, C, "{", '"', 'a"', ": 1", "}"), finish("tool_use")), tools_run=["t1"]
        ),
        exchange([Q, said(C), user(result())], DONE),
        end=RETURNED,
    ),
    "no-input": session(
        exchange([Q], stream(start(), call_block(0, call("t1", "now")), finish("tool_use")), tools_run=["t1"]),
        exchange([Q, said({**call("t1", "now"), "input": {}}), user(result())], DONE),
        end=RETURNED,
    ),
    "an-unknown-event-passed-over": one(stream(NEW, *HELLO), showed(text="Hi.")),
    "an-unknown-event-and-a-limit": one(
        stream(start(), NEW, CALL, finish("tool_use")), raised("TurnLimitReached: 30 requests")
    ),
    "an-unknown-event-and-a-cut-reply": one(
        stream(start(), NEW, text_block(0, "It"), finish("max_tokens")), raised("the answer is not complete")
    ),
    "pings-and-an-error-of-another-kind": one(stream(*HELLO), raised("ValueError: no JSON in the answer")),
    "a-json-answer": one(DONE, raised("unknown event")),
}


@pytest.mark.parametrize("made", PASSING.values(), ids=PASSING)
def test_what_a_correct_loop_may_do(made: Session) -> None:
    """None of the rules of this topic has a word on it, not even a warning."""
    assert [str(violation) for violation in check(made) if violation.rule in FAILING] == []


def test_a_broken_stream_that_is_hidden_is_told_once() -> None:
    """The rules on streams say it; the one on hidden errors leaves streams to them."""
    assert [v.rule for v in errors(one(BROKE, RETURNED))] == ["sse-error-event-fails-turn"]
    assert [v.rule for v in errors(one(ENDED, RETURNED))] == ["sse-missing-message-stop"]


def test_sentences() -> None:
    """What is told shows the part that came, cut where it is long."""
    long = stream(start(), call_block(0, C, '{"a": "' + "x" * 99), finish("tool_use"))
    (violation,) = check(one(long, tools_run=["t1"]))
    assert violation.message == f't1 was run; all that came of its input is \'{{"a": "{"x" * 32}…\', which is no JSON'
    (new,) = check(one(stream(NEW, *HELLO), raised("boom")))
    assert new.message == "the stream was whole and brought 'novel_event'; the loop ended with 'boom'"
    assert text

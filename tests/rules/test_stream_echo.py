"""The rules on what a client makes of a stream."""

from __future__ import annotations

import pytest

from made_sessions import (
    DONE,
    RETURNED,
    Found,
    Json,
    Q,
    block,
    call,
    call_block,
    exchange,
    finish,
    of_rule,
    raised,
    reply,
    result,
    said,
    sent,
    session,
    showed,
    start,
    stream,
    text,
    text_block,
    thought,
    user,
)
from playhead.rules.checker import check
from playhead.wire.session import Session

C, C2 = call("t1", a=1), call("t2", a=2)
LOOK, MORE = text("I look."), text("I add.")
NOW = {**call("t1", "now"), "input": {}}
T6 = {"model": "claude-opus-4-6", "max_tokens": 4096, "thinking": {"type": "adaptive"}}
SEALED = {"type": "redacted_thinking", "data": "EmwKAhgBEgy3va3p"}


def came(*blocks: Json, reason: str = "tool_use") -> Json:
    """A stream of these blocks."""
    groups: list[list[Json]] = []
    for index, made in enumerate(blocks):
        match made["type"]:
            case "text":
                groups.append(text_block(index, made["text"]))
            case "tool_use":
                pieces = [f'{{"a": {made["input"]["a"]}}}'] if made["input"] else []
                groups.append(call_block(index, made, *pieces))
            case "thinking":
                deltas = [
                    {"type": "thinking_delta", "thinking": made["thinking"]},
                    {"type": "signature_delta", "signature": made["signature"]},
                ]
                groups.append(block(index, {"type": "thinking", "thinking": "", "signature": ""}, *deltas))
            case _:
                groups.append(block(index, made))
    return stream(start(), *groups, finish(reason))


def follow(response: Json, *messages: Json, **members: object) -> Session:
    """A streamed reply and the request after it."""
    return session(
        exchange(sent(Q, stream=True, **members), response), exchange(sent(Q, *messages, stream=True, **members), DONE)
    )


def back(response: Json, *blocks: Json, answers: tuple[str, ...] = ("t1",), **members: object) -> Session:
    """A streamed reply and how it came back, with results."""
    return follow(response, said(*blocks), user(*(result(identifier) for identifier in answers)), **members)


def counted(
    shown: object, *deltas: dict[str, int], name: str = "output_tokens", more: list[Json] | None = None
) -> Session:
    """Counts that a stream gave, and the one that was shown."""
    steps = [
        {"type": "message_delta", "delta": {"stop_reason": None, "stop_sequence": None}, "usage": usage}
        for usage in deltas[:-1]
    ]
    last = stream(start(input_tokens=9, output_tokens=1), text_block(0, "Hi."), steps, finish(**deltas[-1]))
    return session(*(more or []), exchange([Q], last), end=showed(text="Hi.", **{name: shown}))


FAILING: dict[str, dict[str, tuple[Session, list[Found]]]] = {
    "sse-accumulate-by-index": {
        "a-call-twice": (back(came(LOOK, C), LOOK, C, C), [("broken", "$.messages[1].content", 2)]),
        "a-call-twice-one-of-them-empty": (
            back(came(LOOK, C), LOOK, {**C, "input": {}}, C),
            [("broken", "$.messages[1].content", 2)],
        ),
        "in-another-order": (back(came(LOOK, C), C, LOOK), [("broken", "$.messages[1].content", 2)]),
        "text-twice": (back(came(LOOK, C), LOOK, LOOK, C), [("broken", "$.messages[1].content", 2)]),
        "inputs-exchanged": (
            back(came(C, C2), {**C, "input": C2["input"]}, {**C2, "input": C["input"]}, answers=("t1", "t2")),
            [("broken", "$.messages[1].content", 2)],
        ),
        "an-input-at-the-wrong-call": (
            back(came(C, C2), {**C, "input": C2["input"]}, {**C2, "input": {}}, answers=("t1", "t2")),
            [("broken", "$.messages[1].content", 2)],
        ),
        "a-call-without-what-came-for-it": (
            back(came(LOOK, C), LOOK, {**C, "input": {}}),
            [("broken", "$.messages[1].content", 2)],
        ),
        "a-text-with-what-came-for-a-call": (
            back(came(LOOK, C), text('I look.{"a": 1}'), C),
            [("broken", "$.messages[1].content", 2)],
        ),
        "texts-joined-over-a-call": (
            back(came(LOOK, C, MORE, C2), text("I look.I add."), C, C2, answers=("t1", "t2")),
            [("broken", "$.messages[1].content", 2)],
        ),
    },
    "sse-tool-input-empty-means-object": {
        "an-empty-string": (back(came(NOW), {**NOW, "input": ""}), [("broken", "$.messages[1].content[0].input", 2)]),
        "null": (back(came(NOW), {**NOW, "input": None}), [("broken", "$.messages[1].content[0].input", 2)]),
        "absent": (
            back(came(NOW), {k: v for k, v in NOW.items() if k != "input"}),
            [("broken", "$.messages[1].content[0].input", 2)],
        ),
        "beside-another-call": (
            back(came(C2, NOW), C2, {**NOW, "input": ""}, answers=("t2", "t1")),
            [("broken", "$.messages[1].content[1].input", 2)],
        ),
        "left-out-beside-another-call": (
            back(came(C2, NOW), C2, answers=("t2",)),
            [("broken", "$.messages[1].content", 2)],
        ),
        "not-recorded-as-events": (
            back(reply(NOW), {**NOW, "input": ""}),
            [("broken", "$.messages[1].content[0].input", 2)],
        ),
        "a-parser-that-failed": (
            session(
                exchange(sent(Q, stream=True), came(NOW), tools_run=[]),
                end=raised("json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)"),
            ),
            [("broken", "$response", 1)],
        ),
        "another-parser-that-failed": (
            session(exchange([Q], came(NOW)), end=raised("SyntaxError: Unexpected end of JSON input")),
            [("broken", "$response", 1)],
        ),
        "never-run-and-returned": (
            session(
                exchange(sent(Q, stream=True), came(NOW), tools_run=[]), end=showed(text="", stop_reason="tool_use")
            ),
            [("broken", "$response", 1)],
        ),
    },
    "sse-signature-and-redacted": {
        "no-signature": (
            back(came(thought(), C), {"type": "thinking", "thinking": "hm"}, C, **T6),
            [("broken", "$.messages[1].content", 2)],
        ),
        "an-empty-signature": (
            back(came(thought(), C), thought("hm", ""), C, **T6),
            [("broken", "$.messages[1].content", 2)],
        ),
        "the-signature-of-another-block": (
            back(
                came(thought("a", "EqQB"), thought("b", "EqQC"), C), thought("a", "EqQC"), thought("b", "EqQC"), C, **T6
            ),
            [("broken", "$.messages[1].content", 2)],
        ),
        "thinking-left-out": (back(came(thought(), C), C, **T6), [("broken", "$.messages[1].content", 2)]),
        "redacted-left-out": (back(came(SEALED, C), C, **T6), [("broken", "$.messages[1].content", 2)]),
        "redacted-without-its-data": (
            back(came(SEALED, C), {**SEALED, "data": ""}, C, **T6),
            [("broken", "$.messages[1].content", 2)],
        ),
    },
    "sse-usage-cumulative": {
        "added-up-with-the-first": (
            counted(14, {"output_tokens": 5}, {"output_tokens": 8}),
            [("broken", "$response", 1)],
        ),
        "added-up-without-it": (counted(13, {"output_tokens": 5}, {"output_tokens": 8}), [("broken", "$response", 1)]),
        "one-delta-and-the-first": (counted(9, {"output_tokens": 8}), [("broken", "$response", 1)]),
        "within-usage": (
            counted({"output_tokens": 14}, {"output_tokens": 5}, {"output_tokens": 8}, name="usage"),
            [("broken", "$response", 1)],
        ),
        "input-tokens": (
            counted(18, {"output_tokens": 8, "input_tokens": 9}, name="input_tokens"),
            [("broken", "$response", 1)],
        ),
        "over-two-requests": (
            counted(
                18,
                {"output_tokens": 8},
                more=[exchange([user("Hello.")], stream(start(), text_block(0, "Hi."), finish(output_tokens=8)))],
            ),
            [("broken", "$response", 2)],
        ),
    },
}
CASES = [(rule, case) for rule, cases in FAILING.items() for case in cases]


@pytest.mark.parametrize(("rule", "case"), CASES, ids=[f"{rule}-{case}" for rule, case in CASES])
def test_what_a_correct_client_does_not_do(rule: str, case: str) -> None:
    """Each fault is found by its rule, at its place, in the exchange that shows it."""
    made, expected = FAILING[rule][case]
    assert of_rule(rule, made) == expected


PASSING: dict[str, Session] = {
    "as-it-came": back(came(LOOK, C, MORE, C2), LOOK, C, MORE, C2, answers=("t1", "t2")),
    "texts-that-stood-together-joined": back(came(LOOK, MORE, C), text("I look.I add."), C),
    "blank-text-left-out": back(came(text("\n"), C), C),
    "two-equal-texts": back(came(LOOK, LOOK, C), LOOK, LOOK, C),
    "in-two-messages": follow(came(LOOK, C), said(LOOK), said(C), user(result())),
    "no-stream": session(exchange([Q], reply(LOOK, C)), exchange([Q, said(C, LOOK), user(result())], DONE)),
    "no-arguments": back(came(NOW), NOW),
    "no-arguments-and-an-api-that-refused": session(
        exchange(sent(Q, stream=True), came(NOW), tools_run=["t1"]),
        end=raised("JSON of the tool's own: Expecting value"),
    ),
    "no-arguments-in-a-reply-that-is-cut": session(
        exchange(sent(Q, stream=True), reply(NOW, stop="max_tokens"), tools_run=[]),
        end=raised("json.decoder.JSONDecodeError: Expecting property name: line 1 column 2 (char 1)"),
    ),
    "no-arguments-and-a-limit": session(
        exchange(sent(Q, stream=True), came(NOW), tools_run=[]), end=raised("TurnLimitReached")
    ),
    "arguments-that-are-an-empty-object": back(stream(start(), call_block(0, NOW, "{}"), finish("tool_use")), NOW),
    "thinking-as-it-came": back(came(thought(), C), thought(), C, **T6),
    "redacted-as-it-came": back(came(SEALED, C), SEALED, C, **T6),
    "thinking-of-a-turn-that-is-over-left-out": follow(
        came(thought(), LOOK, reason="end_turn"), said(LOOK), user("Go on."), **T6
    ),
    "redacted-of-a-turn-that-is-over-left-out": follow(
        came(SEALED, LOOK, reason="end_turn"), said(LOOK), user("Go on."), **T6
    ),
    "the-last-count": counted(8, {"output_tokens": 5}, {"output_tokens": 8}),
    "the-counts-of-all-requests": counted(
        16,
        {"output_tokens": 8},
        more=[exchange([user("Hello.")], stream(start(), text_block(0, "Hi."), finish(output_tokens=8)))],
    ),
    "a-count-of-ones-own": counted(99, {"output_tokens": 5}, {"output_tokens": 8}),
    "no-number": counted("8", {"output_tokens": 8}),
    "nothing-shown": session(exchange([Q], came(LOOK, reason="end_turn")), end=RETURNED),
}


@pytest.mark.parametrize("made", PASSING.values(), ids=PASSING)
def test_what_a_correct_client_may_do(made: Session) -> None:
    """None of the rules of this topic has a word on it, not even a warning."""
    assert [str(violation) for violation in check(made) if violation.rule in FAILING] == []


def test_sentences() -> None:
    """What is told names the block and how it came back."""
    made = {
        case: [v.message for v in check(its[0]) if v.rule == "sse-accumulate-by-index"]
        for case, its in FAILING["sse-accumulate-by-index"].items()
    }
    assert made == {
        "a-call-twice": ["t1 (add) came once and is sent back 2 times"],
        "a-call-twice-one-of-them-empty": ["t1 came once and is sent back 2 times"],
        "in-another-order": ["the blocks came back in another order"],
        "text-twice": ["a text block came once and is sent back 2 times"],
        "inputs-exchanged": ["t1 came back with the input of t2"],
        "an-input-at-the-wrong-call": ["t1 came back with the input of t2"],
        "a-call-without-what-came-for-it": ["t1 came back without the input that came for it"],
        "a-text-with-what-came-for-a-call": ["a text block came back with the input of a call behind it"],
        "texts-joined-over-a-call": ["2 text blocks with others between them came back as one"],
    }
    (empty,) = [
        v.message
        for v in check(FAILING["sse-tool-input-empty-means-object"]["absent"][0])
        if v.rule == "sse-tool-input-empty-means-object"
    ]
    assert empty == "t1 has no arguments, so that its input is {}; it is sent back without input"

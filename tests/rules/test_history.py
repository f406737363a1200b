"""The rules on what a follow-up request resends."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from playhead.rules.checker import check
from playhead.rules.history import RULES
from playhead.rules.rule import Violation
from playhead.wire.session import Session

Json = dict[str, Any]
Step = tuple[list[Json], Json, Json]


def user(*content: str | Json) -> Json:
    return {"role": "user", "content": content[0] if isinstance(content[0], str) else list(content)}


def said(*content: Json) -> Json:
    return {"role": "assistant", "content": list(content)}


def text(words: str, **more: object) -> Json:
    return {"type": "text", "text": words, **more}


def call(identifier: str, /, **arguments: object) -> Json:
    return {"type": "tool_use", "id": identifier, "name": "add", "input": arguments}


def result(identifier: str) -> Json:
    return {"type": "tool_result", "tool_use_id": identifier, "content": "3"}


def thought(words: str, signature: str = "s") -> Json:
    return {"type": "thinking", "thinking": words, "signature": signature}


def reply(*content: Json, stop: str | None = None) -> Json:
    calls = any(block["type"] == "tool_use" for block in content)
    return {"content": list(content), "stop_reason": stop or ("tool_use" if calls else "end_turn")}


def step(messages: list[Json], answer: Json, **settings: object) -> Step:
    return messages, answer, settings


def session(*steps: Step, alone: bool = False) -> Session:
    made = Session.from_exchanges(
        [
            {
                "request": {"model": "claude-opus-5-5", "max_tokens": 99, "messages": messages, **settings},
                "response": answer,
            }
            for messages, answer, settings in steps
        ]
    )
    return Session(exchanges=made.exchanges, alone=alone)


MARK = {"cache_control": {"type": "ephemeral"}}
Q, Q2, Q3 = user("What is 1 + 2?"), user("And 3 + 4?"), user("Thanks.")
LOOK = text("Let me add.")
R1 = reply(LOOK, call("toolu_1", a=1, b=2.0))
E1 = said(*R1["content"])
T1 = user(result("toolu_1"))
A = reply(text("It is 3."))
EA = said(text("It is 3."))
DONE = reply(text("Done."))
ADD = {"name": "add", "description": "Adds.", "input_schema": {"type": "object", "properties": {"a": {}}}}
SUB = {"name": "sub", "input_schema": {"type": "object"}}
LATE = {**SUB, "defer_loading": True}

Found = tuple[str, str, str]
FAILING: dict[str, tuple[list[Step], list[Found]]] = {
    "everything-but-the-result-dropped": (
        [step([Q, EA, Q2], R1), step([E1, T1], DONE)],
        [
            (
                "history-resent-in-full",
                "$.messages[0]",
                "message 0 of the request before (user: What is 1 + 2?) is not sent again",
            )
        ],
    ),
    "a-message-in-the-middle-dropped": (
        [step([Q, EA, Q2], R1), step([Q, Q2, E1, T1], DONE)],
        [
            (
                "history-resent-in-full",
                "$.messages[1]",
                "message 1 of the request before (assistant: text) is not sent again",
            )
        ],
    ),
    "a-long-message-is-shortened": (
        [step([user("x" * 50), EA, Q2], R1), step([EA, Q2, E1, T1], DONE)],
        [
            (
                "history-resent-in-full",
                "$.messages[0]",
                "message 0 of the request before (user: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…) is not sent again",
            )
        ],
    ),
    "the-first-message-edited": (
        [step([user("It is 09:00. What is 1 + 2?")], R1), step([user("It is 09:01. What is 1 + 2?"), E1, T1], DONE)],
        [
            (
                "history-append-only",
                "$.messages[0].content",
                "message 0 of the request before (user: It is 09:00. What is 1 + 2?) was changed or moved",
            )
        ],
    ),
    "a-block-of-an-earlier-message-edited": (
        [
            step([user(text("a"), text("b")), EA, Q2], R1),
            step([user(text("a"), text("c")), EA, Q2, E1, T1], DONE),
        ],
        [
            (
                "history-append-only",
                "$.messages[0].content[1].text",
                "message 0 of the request before (user: text, text) was changed or moved",
            )
        ],
    ),
    "an-earlier-input-edited-from-true-to-1": (
        [
            step([Q, said(call("toolu_9", a=True)), user(result("toolu_9"))], R1),
            step([Q, said(call("toolu_9", a=1)), user(result("toolu_9")), E1, T1], DONE),
        ],
        [
            (
                "history-append-only",
                "$.messages[1].content[0].input.a",
                "message 1 of the request before (assistant: tool_use) was changed or moved",
            )
        ],
    ),
    "text-before-the-call-dropped": (
        [step([Q], R1), step([Q, said(call("toolu_1", a=1, b=2)), T1], DONE)],
        [
            (
                "assistant-content-verbatim",
                "$.messages[1].content",
                "the text block of Claude's reply was dropped when the turn was sent back",
            )
        ],
    ),
    "thinking-before-the-call-dropped": (
        [step([Q], reply(thought("hm"), *R1["content"])), step([Q, E1, T1], DONE)],
        [
            (
                "assistant-content-verbatim",
                "$.messages[1].content",
                "the thinking block of Claude's reply was dropped when the turn was sent back",
            )
        ],
    ),
    "blocks-put-in": (
        [step([Q], R1), step([Q, said(text("Well."), *R1["content"], text("So.")), T1], DONE)],
        [
            (
                "assistant-content-verbatim",
                "$.messages[1].content",
                "the text block and the text block is not in Claude's reply",
            )
        ],
    ),
    "an-input-changed": (
        [step([Q], R1), step([Q, said(LOOK, call("toolu_1", a=1, b=3)), T1], DONE)],
        [("assistant-content-verbatim", "$.messages[1].content", "at content[1].input.b: 3 instead of 2")],
    ),
    "a-null-in-an-input-dropped": (
        [step([Q], reply(call("toolu_1", a=None))), step([Q, said(call("toolu_1")), T1], DONE)],
        [("assistant-content-verbatim", "$.messages[1].content", "at content[0].input.a: (absent) instead of null")],
    ),
    "a-signature-changed": (
        [
            step([Q], reply(thought("hm"), call("toolu_1"))),
            step([Q, said(thought("hm", "t"), call("toolu_1")), T1], DONE),
        ],
        [("assistant-content-verbatim", "$.messages[1].content", 'at content[0].signature: "t" instead of "s"')],
    ),
    "blocks-in-another-order": (
        [step([Q], R1), step([Q, said(*reversed(R1["content"])), T1], DONE)],
        [("assistant-content-verbatim", "$.messages[1].content", 'at content[0].type: "tool_use" instead of "text"')],
    ),
    "tools-dropped": (
        [step([Q], R1, tools=[ADD]), step([Q, E1, T1], DONE)],
        [("tools-resent-every-call", "$.tools", "the request sends no tools; the one before sent add")],
    ),
    "a-tool-dropped": (
        [step([Q], R1, tools=[ADD, SUB]), step([Q, E1, T1], DONE, tools=[SUB])],
        [("tools-resent-every-call", "$.tools", "tools changed: without add")],
    ),
    "a-definition-changed": (
        [step([Q], R1, tools=[ADD]), step([Q, E1, T1], DONE, tools=[{**ADD, "description": "Subtracts."}])],
        [("tools-resent-every-call", "$.tools", "the definition changed at $.tools[0].description")],
    ),
    "a-property-that-bears-the-name-of-a-member": (
        [
            step([Q], R1, tools=[{**SUB, "input_schema": {"properties": {"caller": {"type": "string"}}}}]),
            step([Q, E1, T1], DONE, tools=[{**SUB, "input_schema": {"properties": {"caller": {"type": "number"}}}}]),
        ],
        [
            (
                "tools-resent-every-call",
                "$.tools",
                "the definition changed at $.tools[0].input_schema.properties.caller.type",
            )
        ],
    ),
    "tools-in-another-order": (
        [step([Q], R1, tools=[ADD, SUB]), step([Q, E1, T1], DONE, tools=[SUB, ADD])],
        [("tools-resent-every-call", "$.tools", "the definition changed at $.tools[0].name")],
    ),
    "system-changed": (
        [step([Q], R1, system="It is 09:00."), step([Q, E1, T1], DONE, system="It is 09:01.")],
        [("system-stable", "$.system", "the system prompt is not the one of the request before")],
    ),
    "system-dropped": (
        [step([Q], R1, system="Be kind."), step([Q, E1, T1], DONE)],
        [("system-stable", "$.system", "the system prompt is not sent again")],
    ),
}
# where there is one conversation by declaration, silence is no innocence
FAILING_ALONE: dict[str, tuple[list[Step], list[Found]]] = {
    "history-dropped-to-a-lone-question": (
        [step([Q], A), step([Q2], DONE)],
        [
            (
                "history-resent-in-full",
                "$.messages[0]",
                "message 0 of the request before (user: What is 1 + 2?) is not sent again",
            )
        ],
    ),
    "a-long-history-dropped-to-a-lone-question": (
        [step([Q, EA, Q2], A), step([Q3], DONE)],
        [
            (
                "history-resent-in-full",
                "$.messages[0]",
                "message 0 of the request before (user: What is 1 + 2?) is not sent again",
            )
        ],
    ),
    "the-reply-left-out": (
        [step([Q], A), step([Q, Q2], DONE)],
        [
            (
                "history-resent-in-full",
                "$.messages[1]",
                "Claude's reply to the request before is not in the history",
            )
        ],
    ),
    "another-reply-sent-back": (
        [step([Q], A), step([Q, said(text("It is 4.")), Q2], DONE)],
        [
            (
                "assistant-content-verbatim",
                "$.messages[1].content",
                'at content[0].text: "It is 4." instead of "It is 3."',
            )
        ],
    ),
}


def found(violations: tuple[Violation, ...]) -> list[Found]:
    return [(violation.rule, violation.path, violation.message) for violation in violations]


@pytest.mark.parametrize("alone", [False, True], ids=["any", "one"])
@pytest.mark.parametrize(("steps", "expected"), FAILING.values(), ids=FAILING)
def test_what_a_correct_loop_does_not_do(steps: list[Step], expected: list[Found], alone: bool) -> None:
    """The rule, the place in the follow-up, and a sentence on what became of the history."""
    violations = check(session(*steps, alone=alone), only=RULES)
    assert found(violations) == expected
    assert {(v.level, v.exchange, v.turn, v.conversation, v.api) for v in violations} == {("broken", 2, 2, 1, None)}


@pytest.mark.parametrize(("steps", "expected"), FAILING_ALONE.values(), ids=FAILING_ALONE)
def test_one_conversation_by_declaration(steps: list[Step], expected: list[Found]) -> None:
    """What may be another conversation where several are allowed is a fault where there is one."""
    assert found(check(session(*steps, alone=True), only=RULES)) == expected
    assert found(check(session(*steps), only=RULES)) == []


COMPACTED = reply({"type": "compaction", "content": "They added."}, text("It is 3."))
PAUSED = reply(
    {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}, text("So"), stop="pause_turn"
)
PASSING: dict[str, list[Step]] = {
    "a-whole-conversation": [
        step([Q], R1, tools=[ADD], system="Be kind."),
        step([Q, E1, T1], A, tools=[ADD], system="Be kind."),
        step([Q, E1, T1, EA, Q2], DONE, tools=[ADD], system="Be kind."),
    ],
    "cache-marks-that-move": [
        step([user(text("What is 1 + 2?", **MARK))], R1, system=[text("Be kind.", **MARK)], tools=[{**ADD, **MARK}]),
        step([Q, E1, user({**result("toolu_1"), **MARK})], A, system="Be kind.", tools=[ADD]),
        step([Q, E1, T1, said(text("It is 3.", **MARK)), Q2], DONE, system=[text("Be kind.")], tools=[ADD]),
    ],
    "what-the-sdk-adds-and-drops": [
        step(
            [Q],
            reply(text("Let me add.", citations=None), {**call("toolu_1", a=1, b=2), "caller": {"type": "direct"}}),
        ),
        step([Q, said(text("Let me add."), call("toolu_1", a=1.0, b=2)), T1], DONE),
    ],
    "a-string-for-one-text-block": [step([Q], A), step([Q, {"role": "assistant", "content": "It is 3."}, Q2], DONE)],
    "a-whole-float-that-lost-its-point-later": [
        step([Q], R1),
        step([Q, E1, T1], A),
        step([Q, said(LOOK, call("toolu_1", a=1, b=2)), T1, EA, Q2], DONE),
    ],
    "blank-text-left-out": [
        step([Q], reply(text("\n\n"), call("toolu_1"))),
        step([Q, said(call("toolu_1")), T1], DONE),
    ],
    "thinking-of-a-turn-that-is-over-left-out": [
        step([Q], reply(thought("hm"), text("It is 3."))),
        step([Q, EA, Q2], DONE),
    ],
    "thinking-kept": [
        step([Q], reply(thought("hm"), call("toolu_1"))),
        step([Q, said(thought("hm"), call("toolu_1")), T1], DONE),
    ],
    "a-cut-reply-not-kept": [step([Q], reply(text("It i"), stop="max_tokens")), step([Q, Q2], DONE)],
    "an-empty-reply-not-kept": [step([Q], reply()), step([Q, Q2], DONE)],
    "a-refusal-not-kept": [step([Q], reply(text("I"), stop="refusal")), step([Q, Q2], DONE)],
    "a-retry": [
        step([Q], {"status": 529, "error": {"type": "overloaded_error"}}),
        step([Q], R1),
        step([Q, E1, T1], DONE),
    ],
    "a-question-changed-after-a-failure": [
        step([Q], {"status": 529, "error": {"type": "overloaded_error"}}),
        step([Q2], A),
    ],
    "a-fork": [step([Q], A), step([Q, EA, Q2], DONE), step([Q, EA, Q3], DONE)],
    "asked-again-for-another-reply": [step([Q], A), step([Q], DONE), step([Q, said(text("Done.")), Q2], DONE)],
    "a-paused-turn-resent": [
        step([Q], PAUSED),
        step([Q, said(*PAUSED["content"])], reply(text(" it is 3."))),
        step([Q, said(*PAUSED["content"]), said(text(" it is 3.")), Q2], DONE),
    ],
    "a-paused-turn-joined-with-what-followed": [
        step([Q], PAUSED),
        step([Q, said(*PAUSED["content"])], reply(text(" it is 3."))),
        step([Q, said(*PAUSED["content"], text(" it is 3.")), Q2], DONE),
    ],
    "a-prefill-joined-with-its-reply": [
        step([Q, said(text("It"))], reply(text(" is 3."))),
        step([Q, said(text("It is 3.")), Q2], DONE),
    ],
    "a-compaction-stands-for-what-was-before": [
        step([Q, EA, Q2], COMPACTED),
        step([said(*COMPACTED["content"]), Q3], DONE),
    ],
    "the-request-edits-its-history": [
        step([Q, EA, Q2], R1),
        step([E1, T1], DONE, context_management={"edits": []}),
    ],
    "a-tool-loaded-later": [
        step([Q], R1, tools=[ADD]),
        step([Q, E1, T1], DONE, tools=[ADD, LATE]),
    ],
    "tools-changed-by-the-conversation": [
        step([Q], R1, tools=[ADD]),
        step([Q, E1, T1, {"role": "system", "content": [{"type": "tool_removal", "name": "add"}]}], DONE, tools=[SUB]),
    ],
    "empty-and-absent-settings": [
        step([Q], A, tools=[], system=""),
        step([Q, EA, Q2], DONE),
        step([Q, EA, Q2, said(text("Done.")), Q3], DONE, tools=None, system=[]),
    ],
    "a-turn-added-by-hand-before": [step([Q, EA, Q2], A), step([Q, EA, Q2, EA, Q3], DONE)],
    "thinking-that-nobody-signed-left-out": [
        step([Q], reply({"type": "thinking", "thinking": "hm"}, call("toolu_1"))),
        step([Q, said(call("toolu_1")), T1], DONE),
    ],
    "a-call-of-the-clients-own-after-the-reply": [
        step([Q], R1),
        step([Q, E1, said(call("own_1")), user(result("toolu_1"), result("own_1"))], DONE),
    ],
    "settings-changed-to-mend-a-refusal": [
        step([Q], {"status": 400, "error": {"type": "invalid_request_error"}}, tools=[ADD], system="Be kind."),
        step([Q, Q2], DONE, tools=[SUB], system="Be brief."),
    ],
}
REPLY_APART = said(text("Something else."))
SUMMARY = "The user asked what 1 + 2 is, and Claude was about to add."
PASSING_APART: dict[str, list[Step]] = {
    "a-summary-asked-for-beside-the-conversation": [
        step([Q], R1, tools=[ADD], system="Be kind."),
        step([Q, user("Sum up what was said.")], reply(text(SUMMARY))),
        step([Q, E1, T1], DONE, tools=[ADD], system="Be kind."),
    ],
    "a-history-replaced-by-claudes-own-summary": [
        step([Q, EA, Q2], R1, tools=[ADD]),
        step([Q, EA, Q2, user("Sum up what was said.")], reply(text(SUMMARY))),
        step([user(f"So far: {SUMMARY}"), E1, T1], DONE, tools=[ADD]),
    ],
    "a-summary-that-another-conversation-made": [
        step([Q, EA, Q2], R1, tools=[ADD]),
        step([user("Sum up: 1 + 2? It is 3. And 3 + 4?")], reply(text(SUMMARY))),
        step([user(SUMMARY), E1, T1], DONE, tools=[ADD]),
    ],
    "ids-that-a-recorder-replaced": [
        step([Q], reply(LOOK, call("toolu_REDACTED_1", a=1)), tools=[ADD]),
        step([Q2, said(text("Hm."), call("toolu_REDACTED_1", a=1)), user(result("toolu_REDACTED_1"))], DONE),
    ],
    "another-reply-put-in-the-place-of-claudes": [
        step([Q], R1, tools=[ADD], system="Be kind."),
        step([Q, REPLY_APART, Q2], DONE, tools=[SUB], system="Be brief."),
    ],
}


@pytest.mark.parametrize("alone", [False, True], ids=["any", "one"])
@pytest.mark.parametrize("steps", PASSING.values(), ids=PASSING)
def test_what_a_correct_loop_may_do(steps: list[Step], alone: bool) -> None:
    """Whatever is no loss of history is no finding, in one conversation as in several."""
    assert found(check(session(*steps, alone=alone), only=RULES)) == []


@pytest.mark.parametrize("steps", PASSING_APART.values(), ids=PASSING_APART)
def test_what_a_correct_loop_may_do_beside_its_conversation(steps: list[Step]) -> None:
    """Where several conversations are allowed, a request that does not go on with a reply owes it nothing."""
    assert found(check(session(*steps), only=RULES)) == []


SHORT = "Claude was about to add."


@pytest.mark.parametrize("text_in_place", [SHORT, "The user asked something, and Claude said something."])
def test_a_history_replaced_by_what_nobody_wrote(text_in_place: str) -> None:
    """A summary counts as one if Claude wrote it, and if it is long enough not to stand there by chance."""
    steps = [
        step([Q, EA, Q2], R1),
        step([Q, EA, Q2, user("Sum up what was said.")], reply(text(SHORT))),
        step([user(text_in_place), E1, T1], DONE),
    ]
    assert "history-resent-in-full" in {v.rule for v in check(session(*steps), only=RULES)}


LONG = "The answer to your question is three."
WINDOWS: dict[str, tuple[list[Step], list[str]]] = {
    "the-oldest-turn-dropped": (
        [step([Q], A), step([Q, EA, Q2], reply(text(LONG))), step([Q2, said(text(LONG)), Q3], DONE)],
        ["history-resent-in-full"],
    ),
    "a-turn-in-the-middle-dropped": (
        [
            step([Q], A),
            step([Q, EA, Q2], reply(text("It is 7."))),
            step([Q, EA, Q2, said(text("It is 7.")), Q3], reply(text(LONG))),
            step([Q, EA, Q3, said(text(LONG)), user("Bye.")], DONE),
        ],
        ["history-resent-in-full"],
    ),
    "a-reply-in-other-words": (
        [step([Q], reply(text(LONG))), step([Q, said(text("The answer to your question is: three!")), Q2], DONE)],
        ["assistant-content-verbatim"],
    ),
    "a-reply-without-its-last-line": (
        [step([Q], reply(text(f"{LONG} Yes.\n"))), step([Q, said(text(f"{LONG} Yes.")), Q2], DONE)],
        ["assistant-content-verbatim"],
    ),
    "json-written-anew": (
        [
            step([Q], reply(text('{"sum": 3, "of": [1, 2], "sure": true}'))),
            step([Q, said(text('{"of":[1,2],"sum":3,"sure":true}')), Q2], DONE),
        ],
        [],
    ),
    "another-reply-of-that-length": (
        [step([Q], reply(text(LONG))), step([Q, said(text("Nobody can know that, least of all me.")), Q2], DONE)],
        [],
    ),
    "an-answer-to-another-question": (
        [step([Q], A), step([Q, EA, Q2], reply(text(LONG))), step([Q3, said(text(LONG)), Q2], DONE)],
        [],
    ),
}


@pytest.mark.parametrize(("steps", "rules"), WINDOWS.values(), ids=WINDOWS)
def test_text_alone_tells_what_a_request_follows(steps: list[Step], rules: list[str]) -> None:
    """Without a single call: a question and its answer, or words that are nearly the same."""
    assert [violation.rule for violation in check(session(*steps), only=RULES)] == rules


def ended(*steps: Step, event: str | None = None) -> list[str]:
    """What is found where the end is known, so that one loop made the session."""
    made = session(*steps)
    first = structs.replace(made.exchanges[0], user_event=event)
    found = check(Session(exchanges=(first, *made.exchanges[1:]), end={"how": "returned"}), only=RULES)
    return [violation.rule for violation in found]


def test_one_loop_by_its_end() -> None:
    """Where one loop made the session, a reply that is missing is its fault, unless the user took the turn back."""
    assert ended(step([Q], A), step([Q, Q2], DONE)) == ["history-resent-in-full"]
    assert ended(step([Q], A), step([Q, Q2], DONE), event="stop") == []
    assert ended(step([Q], A), step([Q, said(text("No.")), Q2], DONE)) == ["assistant-content-verbatim"]
    assert ended(step([Q], A), step([Q, EA, Q2], DONE)) == []
    assert ended(step([Q], reply(text("\n"))), step([Q, said(text("(nothing)")), Q2], DONE)) == []


def test_a_tool_put_in_is_a_warning() -> None:
    """Claude can call all that it could; what was cached is lost, and it may be on purpose."""
    steps = [step([Q], R1, tools=[ADD]), step([Q, E1, T1], DONE, tools=[ADD, SUB])]
    for alone in (False, True):
        (violation,) = check(session(*steps, alone=alone), only=RULES)
        assert (violation.rule, violation.level, violation.path) == ("tools-resent-every-call", "warn", "$.tools")
        assert violation.message == "tools changed: new sub"
    changed = [step([Q], R1, tools=[ADD]), step([Q, E1, T1], DONE, tools=[SUB, {**ADD, "description": "?"}])]
    assert [v.level for v in check(session(*changed), only=RULES)] == ["broken"]


def test_a_reply_sent_back_twice() -> None:
    """A second copy of the reply in a message of its own is no call of the client's own."""
    steps = [step([Q], A), step([Q, EA, EA, Q2], DONE)]
    assert [v.rule for v in check(session(*steps), only=RULES)] == ["assistant-content-verbatim"]


def test_several_conversations_are_not_compared() -> None:
    """Neighbours that belong to different conversations owe each other nothing."""
    other = user("Write a poem.")
    steps = [
        step([Q], R1, tools=[ADD], system="Be kind."),
        step([other], A, tools=[SUB], system="Rhyme."),
        step([Q, E1, T1], DONE, tools=[ADD], system="Be kind."),
        step([other, EA, Q3], DONE, tools=[SUB], system="Rhyme."),
    ]
    assert found(check(session(*steps), only=RULES)) == []


def test_where_the_server_holds_the_history() -> None:
    """A request that goes on with a thread resends neither messages, nor tools, nor system."""
    held = {"thread": {"type": "continue", "previous_message_id": "msg_1"}}
    steps = [
        step([Q], {"id": "msg_1", **R1}, tools=[ADD], system="Be kind.", thread={"type": "create"}),
        step([T1], DONE, **held),
    ]
    for alone in (False, True):
        assert found(check(session(*steps, alone=alone), only=RULES)) == []


def test_a_stream_that_broke_owes_no_echo() -> None:
    """What arrived of a broken reply need not be sent back."""
    broken = {"events": [{"type": "message_start", "message": {"content": [text("It")], "usage": {}}}]}
    steps = [step([Q], broken), step([Q, said(text("never mind")), Q2], DONE)]
    assert found(check(session(*steps, alone=True), only=RULES)) == []


def test_fixes() -> None:
    """What to do, in one sentence."""
    fixes = {v.rule: v.fix for steps, _ in FAILING.values() for v in check(session(*steps), only=RULES)}
    assert fixes == {
        "history-resent-in-full": "send every earlier message again, then Claude's reply, then the new user message",
        "history-append-only": "leave earlier messages as they were sent; add what is new at the end",
        "assistant-content-verbatim": "append the reply's whole content: "
        "{'role': 'assistant', 'content': message.content}",
        "tools-resent-every-call": "send the same `tools` with every request of the conversation",
        "system-stable": "send the same `system` with every request of the conversation; put what changes into a new "
        "message",
    }

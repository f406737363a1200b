"""What a person reads."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from playhead.rules.checker import check, check_request
from playhead.rules.report import WIDTH, headline, report, summary
from playhead.rules.rule import Violation, told_once
from playhead.wire.session import Session

Json = dict[str, Any]

Q = {"role": "user", "content": "What date is it in 103 days?"}
NOW = {"type": "tool_use", "id": "toolu_00a1", "name": "get_current_datetime", "input": {}}
ADD = {"type": "tool_use", "id": "toolu_00a2", "name": "add_duration_to_datetime", "input": {}}


def body(*messages: Json) -> Json:
    return {"model": "claude-opus-5-5", "max_tokens": 99, "messages": list(messages)}


def found() -> tuple[Violation, ...]:
    """One call left unanswered, and then the history dropped."""
    results = [{"type": "tool_result", "tool_use_id": "toolu_00a1", "content": "2025-01-01"}]
    both = {"role": "assistant", "content": [NOW, ADD]}
    answer = {"content": [NOW, ADD], "stop_reason": "tool_use"}
    made = Session.from_exchanges(
        [
            {"request": body(Q), "response": answer},
            {"request": body(Q, both, {"role": "user", "content": results}), "response": answer},
            {"request": body({"role": "user", "content": "Never mind."}), "response": {"content": []}},
        ]
    )
    return tuple(told_once(check(Session(exchanges=made.exchanges, alone=True))))


WHOLE = """\
Claude's API would refuse this (1 reject, 1 broken)

 1  reject  tool-use-unanswered                              exchange 2 · turn 2
    at      $.messages[1].content[1]
    what    toolu_00a2 (add_duration_to_datetime) has no tool_result in the next
            user message
    API     400 messages.1: `tool_use` ids were found without `tool_result`
            blocks immediately after: toolu_00a2. Each `tool_use` block must
            have a corresponding `tool_result` block in the next message.
    fix     send one tool_result per tool_use in the next user message; add
            {"type": "tool_result", "tool_use_id": "toolu_00a2", "content": ...}
    why     playhead rules tool-use-unanswered

 2  broken  history-resent-in-full                           exchange 3 · turn 3
    at      $.messages[0]
    what    message 0 of the request before (user: What date is it in 103 days?)
            is not sent again
    fix     send every earlier message again, then Claude's reply, then the new
            user message
    why     playhead rules history-resent-in-full

The loop caught the 400 itself and went on; that is why the test reached its
end."""


def test_the_whole_report() -> None:
    """A glance says what happened, the next line what to do; notes come last."""
    note = "The loop caught the 400 itself and went on; that is why the test reached its end."
    assert report(found(), [note]) == WHOLE


def test_no_line_is_wider_than_a_terminal() -> None:
    """80 columns hold everything but an id or a path that is longer by itself."""
    assert all(len(line) <= WIDTH for line in WHOLE.splitlines())
    long = "toolu_" + "x" * 90
    call = {"role": "assistant", "content": [{**NOW, "id": long, "name": "y" * 90}]}
    lines = report(check_request(body(Q, call))).splitlines()
    assert any(len(line) > WIDTH for line in lines)
    assert all(len(line) <= WIDTH or long in line or "y" * 90 in line for line in lines)


def test_a_single_request_has_no_exchange() -> None:
    """Where there is no session, no place in one is shown."""
    assert report(check_request(body())) == (
        "Claude's API would refuse this (1 reject)\n"
        "\n"
        " 1  reject  req-messages-nonempty\n"
        "    at      $.messages\n"
        "    what    `messages` is an empty list\n"
        "    API     400 messages: at least one message is required\n"
        "    fix     send at least one message\n"
        "    why     playhead rules req-messages-nonempty"
    )


REJECT, BROKEN = found()
WARN = replace(BROKEN, level="warn", rule="own-rule")


@pytest.mark.parametrize(
    ("violations", "numbers", "sentence"),
    [
        ([], "no violations", "the API takes this conversation (no violations)"),
        ([WARN], "1 warn", "the API takes this conversation (1 warn)"),
        (
            [BROKEN, BROKEN],
            "2 broken",
            "the API takes this conversation, but the loop is broken (2 broken)",
        ),
        (
            [WARN, BROKEN, REJECT, BROKEN],
            "1 reject, 2 broken, 1 warn",
            "Claude's API would refuse this (1 reject, 2 broken, 1 warn)",
        ),
    ],
    ids=["none", "warn", "broken", "all"],
)
def test_headlines(violations: list[Violation], numbers: str, sentence: str) -> None:
    """The worst level chooses the sentence; numbers go from the worst to the mildest."""
    assert summary(violations) == numbers
    assert headline(violations) == sentence


def test_an_exchange_without_a_turn() -> None:
    """What is found at an answer or at the end belongs to an exchange, and to no turn."""
    lines = report([replace(REJECT, turn=None)]).splitlines()
    assert lines[2] == " 1  reject  tool-use-unanswered                                       exchange 2"


def test_ten_and_more() -> None:
    """Numbers stay in their column."""
    lines = [line for line in report([BROKEN] * 10).splitlines() if "broken  history-resent" in line]
    assert lines[8].startswith(" 9  broken  ")
    assert lines[9].startswith("10  broken  ")


def test_nothing_to_say() -> None:
    """An empty text keeps its label, so that no row is lost."""
    assert "    what\n" in report([replace(BROKEN, message="")])


def test_more_than_anybody_reads() -> None:
    """The first hundred are shown, and how many there are; the headline counts all."""
    text = report([replace(BROKEN, message=f"fault {number}") for number in range(20_000)])
    assert text.startswith("the API takes this conversation, but the loop is broken (20000 broken)")
    assert "fault 99\n" in text
    assert "fault 100\n" not in text
    assert text.endswith("\n\n... and 19900 more")

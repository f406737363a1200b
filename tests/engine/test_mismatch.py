"""What a cassette did not fit, word for word as a person reads it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from playhead.cassettes.bodies import Shelf
from playhead.cassettes.interaction import Answer, Interaction
from playhead.cassettes.parsing import Cassette
from playhead.engine.engine import Engine
from playhead.engine.tape import Tape
from playhead.engine.verdict import as_one, failures
from playhead.errors import CassetteNotFinished, PlayheadError, RequestMismatch, ScriptNotFinished
from taping import ASK, CALL, STREAM, engine_of, failed, post, raw, said, tape_of, text_of

COMMAND = "pytest tests/test_dates.py::test_103_days --playhead=rewrite"
REPLY = {"role": "assistant", "content": [{"type": "text", "text": "Let me see."}, CALL]}


def result(content: str) -> dict[str, object]:
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": content}]}


def dated(accept: str | None = COMMAND, **options: Any) -> Engine:
    """Two turns: a call, and its result with a date."""
    calls = (
        ([ASK], said("Let me see.", CALL, stop_reason="tool_use")),
        ([ASK, REPLY, result("2025-01-01")], said("Done.")),
    )
    return engine_of(tape_of(*calls, accept=accept, **options))


def failure_of(engine: Engine) -> PlayheadError:
    (failure,) = failures(engine)
    return failure


def test_where_today_leaves_the_recording() -> None:
    """At, recorded, today, likely, accept: one glance says what happened, the next line what to do."""
    engine = dated()
    post(engine, raw(ASK))
    answer = post(engine, raw(ASK, REPLY, result("2026-11-29")))
    for _ in range(2):
        post(engine, raw(ASK, REPLY, result("2026-11-29"), ASK))
    failure = failure_of(engine)
    assert str(failure) == (
        "turn 2 of a.yaml differs from today's request\n"
        "    at        $.messages[2].content[0].content\n"
        '    recorded  "2025-01-01"\n'
        '    today     "2026-11-29"\n'
        "    likely    the clock: freeze it (fixture claude_clock), or replay with\n"
        '              volatile=["dates"]\n'
        "    accept    pytest tests/test_dates.py::test_103_days --playhead=rewrite\n"
        "    then      2 later requests fit nothing either"
    )
    assert isinstance(failure, RequestMismatch)
    assert (failure.cassette, failure.turn, failure.path) == ("a.yaml", 2, "$.messages[2].content[0].content")
    assert (failure.recorded, failure.today) == ('"2025-01-01"', '"2026-11-29"')
    assert failure.likely == 'the clock: freeze it (fixture claude_clock), or replay with volatile=["dates"]'
    assert failure.accept == COMMAND
    assert text_of(answer) == (
        "Playhead: turn 2 of a.yaml differs from today's request at $.messages[2].content[0].content: recorded "
        '"2025-01-01", today "2026-11-29"; likely the clock: freeze it (fixture claude_clock), or replay with '
        f'volatile=["dates"]; if today\'s is right: {COMMAND}'
    )


def test_the_page_shows_what_one_gets() -> None:
    """The example in docs/replay.md is the report."""
    page = Path(__file__).resolve().parents[2] / "docs" / "replay.md"
    if not page.is_file():
        pytest.skip("docs/ is not part of this checkout")
    engine = dated(accept=None, name="cassettes/103_days.yaml")
    post(engine, raw(ASK))
    for more in range(3):
        post(engine, raw(ASK, REPLY, result("2026-11-29"), *[ASK] * more))
    assert f"```text\nplayhead.RequestMismatch: {failure_of(engine)}\n```" in page.read_text("utf-8")


def test_a_request_that_follows_is_answered_with_the_first_difference() -> None:
    """Whoever reads only the last error reads the cause."""
    engine = dated()
    post(engine, raw(ASK))
    answers = [text_of(post(engine, raw(ASK, REPLY, result("x"), *[ASK] * more))) for more in range(3)]
    assert len(set(answers)) == 1


def test_without_a_command_a_sentence_says_how() -> None:
    """Outside pytest."""
    engine = dated(accept=None)
    post(engine, raw(ASK))
    post(engine, raw(ASK, REPLY, result("today")))
    assert str(failure_of(engine)).endswith(
        "    likely    the tool add returned something else than when it was recorded\n"
        '    accept    record it again: with playhead.record("a.yaml") as rec: ...\n'
        "              rec.client()"
    )


def test_asked_for_again() -> None:
    """Nothing differs: there is no path, and no values."""
    engine = engine_of(tape_of(([ASK], said("a")), accept="make record"))
    for _ in range(3):
        post(engine, raw(ASK))
    assert str(failure_of(engine)) == (
        "turn 1 of a.yaml is asked for again\n"
        "    likely    the loop sends it once more than when it was recorded (once): a\n"
        "              retry, or a second run\n"
        "    accept    make record\n"
        "    then      1 later request fits nothing either"
    )


def test_several_leave_it_for_reasons_of_their_own() -> None:
    """Two conversations: two failures, in one error."""
    other = {"role": "user", "content": "ho"}
    engine = engine_of(tape_of(([ASK], said("a")), ([other], said("b")), accept="make record"))
    for text in ("first", "second"):
        post(engine, raw({"role": "user", "content": text}))
    together = as_one(failures(engine))
    assert str(together).count("RequestMismatch: turn 1 of conversation 1 of a.yaml differs") == 2
    assert [str(failure).count("then") for failure in failures(engine)] == [0, 0]


def test_left_over() -> None:
    """What was never asked for, the next one marked, where the loop stopped, and what to do if it is right."""
    engine = dated()
    post(engine, raw(ASK))
    failure = failure_of(engine)
    assert str(failure) == (
        "1 of 2 recorded exchanges in a.yaml was never asked for\n"
        '    2   turn 2: say("Done.")   <- next\n'
        'The loop stopped after exchange 1 with stop_reason "tool_use": it left 1 tool call unanswered.\n'
        "If that is right: pytest tests/test_dates.py::test_103_days --playhead=rewrite"
    )
    assert isinstance(failure, CassetteNotFinished | ScriptNotFinished)
    assert failure.steps == ('say("Done.")',)


def test_many_left_over() -> None:
    """Ten are listed; a line has 80 columns."""
    calls = [([{"role": "user", "content": f"{number}"}], said("long " * 40)) for number in range(30)]
    text = str(failure_of(engine_of(tape_of(*calls, finished=False))))
    lines = text.splitlines()
    assert lines[0] == "30 of 30 recorded exchanges in a.yaml (its recording was cut short) were never asked for"
    assert lines[11] == "    ... and 20 more"
    assert all(len(line) <= 80 for line in lines[1:11])
    assert lines[1].endswith("…   <- next")
    assert lines[12] == "The loop sent no request."


SHOWN: dict[str, tuple[Answer, str]] = {
    "text and a call": (said("a", CALL), 'say("a"); call("add", {})'),
    "an error": (failed(529), "status 529"),
    "no answer": (Answer(status=0, fault="connect"), "no answer (connect)"),
    "nothing that can be read": (Answer(body=b"?" * 1500), "1,500 bytes"),
    "a stream that broke off": (
        Answer(
            headers=STREAM,
            body=b"".join(
                f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
                for event in (
                    {"type": "message_start", "message": {"content": []}},
                    {"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use"}},
                )
            ),
            fault="read",
        ),
        "tool_use",
    ),
}


@pytest.mark.parametrize(("answer", "shown"), SHOWN.values(), ids=SHOWN)
def test_what_was_left_over(answer: Answer, shown: str) -> None:
    """Each by what it would have answered."""
    tape = Tape(Cassette(interactions=(Interaction(body=Shelf().put(raw(ASK)), answer=answer),), finished=True), "a")
    failure = failure_of(engine_of(tape))
    assert isinstance(failure, CassetteNotFinished)
    assert failure.steps == (shown,)

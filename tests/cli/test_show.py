"""`playhead show`, and the transcript it prints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from har_files import REPLY, REQUEST, har
from playhead import Session, check
from playhead.cli.main import commands
from playhead.cli.transcript import transcript

QUESTION = {"role": "user", "content": "How high is the tide?"}
CALL = {"type": "tool_use", "id": "toolu_1", "name": "get_tide", "input": {"port": "Brest"}}
TOOLS = [{"name": "get_tide", "input_schema": {"type": "object"}}]


def tool_session(result: dict[str, Any]) -> Session:
    first = {**REQUEST, "tools": TOOLS, "system": "You know the sea.", "messages": [QUESTION]}
    called = {**REPLY, "content": [{"type": "text", "text": "Let me look."}, CALL], "stop_reason": "tool_use"}
    history = [QUESTION, {"role": "assistant", "content": called["content"]}, {"role": "user", "content": [result]}]
    return Session.from_exchanges(
        [{"request": first, "response": called}, {"request": {**first, "messages": history}, "response": REPLY}]
    )


def test_a_tool_conversation_reads_as_a_transcript() -> None:
    """Question, call with its input, result, answer; each said once, although the history was sent twice."""
    session = tool_session({"type": "tool_result", "tool_use_id": "toolu_1", "content": "4.1 m"})
    assert [str(line) for line in transcript(session, width=80)] == [
        "    system     You know the sea.",
        "    tools      get_tide",
        " 1  user       How high is the tide?",
        " 2  claude     Let me look.",
        '               ▸ get_tide(port="Brest")                      tool_use · 5 tokens',
        "      result   4.1 m",
        " 3  claude     4.1 m                                         end_turn · 5 tokens",
    ]


def test_errors_and_violations_stand_where_they_happened() -> None:
    """A failed tool is marked, and a broken rule stands under its exchange."""
    session = tool_session({"type": "tool_result", "tool_use_id": "toolu_2", "content": "boom", "is_error": True})
    lines = list(transcript(session, violations=check(session), width=200))
    kinds = [line.kind for line in lines]
    assert any("error" in line.text and "boom" in line.text for line in lines if line.kind == "error")
    assert "violation" in kinds
    assert kinds.index("violation") > kinds.index("error")
    assert any("tool-result-orphan at $.messages[2]" in line.text for line in lines)


def test_nothing_is_wider_than_the_width() -> None:
    """Long texts are wrapped, at any width."""
    session = tool_session({"type": "tool_result", "tool_use_id": "toolu_1", "content": "the tide " * 40})
    for width in (40, 60, 80, 120):
        assert [line.text for line in transcript(session, width=width) if len(line.text) > width] == []


def test_a_terminal_is_not_obeyed() -> None:
    """Escape sequences in a recording are shown, not sent to the terminal."""
    session = tool_session({"type": "tool_result", "tool_use_id": "toolu_1", "content": "\x1b]0;owned\x07"})
    assert "\x1b" not in "\n".join(map(str, transcript(session)))


def test_interleaved_conversations_are_told_one_by_one() -> None:
    """Two conversations get a heading each, and keep their own numbers."""
    other = {**REQUEST, "messages": [{"role": "user", "content": "Good night?"}]}
    follow = [
        *REQUEST["messages"],
        {"role": "assistant", "content": REPLY["content"]},
        {"role": "user", "content": "So?"},
    ]
    session = Session.from_exchanges(
        [
            {"request": REQUEST, "response": REPLY},
            {"request": other, "response": REPLY},
            {"request": {**REQUEST, "messages": follow}, "response": REPLY},
        ]
    )
    lines = [str(line) for line in transcript(session)]
    assert lines[1] == "conversation 1 · claude-opus-5-5 · 2 exchanges"
    assert "conversation 2 · claude-opus-5-5 · 1 exchange" in lines
    assert " 3  user       So?" in lines
    assert [str(line) for line in transcript(session, only=2)][2] == " 1  user       Good night?"


def test_an_api_error_and_a_broken_stream_are_told() -> None:
    """What was no message says what it was."""
    events = [{"type": "message_start", "message": {**REPLY, "content": [], "stop_reason": None}}]
    session = Session.from_exchanges(
        [
            {"request": REQUEST, "response": {"status": 529, "error": {"type": "overloaded_error", "message": "Busy"}}},
            {"request": REQUEST, "response": {"events": events}},
        ]
    )
    text = "\n".join(map(str, transcript(session)))
    assert "529 overloaded_error: Busy" in text
    assert "(another attempt at the same request)" in text
    assert "the stream broke off here" in text


@pytest.mark.parametrize(("option", "coloured"), [("--color", True), ("--no-color", False)])
def test_colour_is_on_request(tmp_path: Path, option: str, coloured: bool) -> None:
    """Colour only adds: the text is the same without."""
    path = har(tmp_path / "tide.har", (REQUEST, 200, REPLY))
    result = CliRunner().invoke(commands, ["show", str(path), option, "--width", "60"], color=True)
    assert result.exit_code == 0
    assert ("\x1b[" in result.output) is coloured
    assert "How high is the tide?" in result.output

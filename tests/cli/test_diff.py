"""`playhead diff`: what it prints, and its exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from har_files import REPLY, REQUEST, har
from playhead.cli.main import commands

CALL = {"type": "tool_use", "id": "toolu_1", "name": "get_tide", "input": {}}
TOOLS = [{"name": "get_tide", "input_schema": {"type": "object"}}]


def recording(path: Path, result: str, **members: Any) -> Path:
    """A loop of two turns, in which a tool gave this result."""
    first = {**REQUEST, "tools": TOOLS, **members}
    answer = {"type": "tool_result", "tool_use_id": "toolu_1", "content": result}
    follow = [*first["messages"], {"role": "assistant", "content": [CALL]}, {"role": "user", "content": [answer]}]
    called = {**REPLY, "content": [CALL], "stop_reason": "tool_use"}
    return har(path, (first, 200, called), ({**first, "messages": follow}, 200, REPLY))


def diff(*arguments: object) -> Result:
    return CliRunner().invoke(commands, ["diff", *map(str, arguments)])


def test_the_same(tmp_path: Path) -> None:
    """Exit code 0, one line."""
    one, other = (recording(tmp_path / name, "4.1 m") for name in ("a.har", "b.har"))
    result = diff(one, other)
    assert (result.exit_code, result.output) == (0, "the same: 2 exchanges\n")


def test_where_today_leaves_the_recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Conversation, turn, path, both values and what it means; exit code 1."""
    monkeypatch.chdir(tmp_path)
    recording(tmp_path / "a.har", "4.1 m")
    recording(tmp_path / "b.har", "3.9 m")
    result = diff("a.har", "b.har")
    assert result.exit_code == 1
    assert result.output == (
        "conversation 1 · turn 2: today leaves the recording\n"
        "    at        $.messages[2].content[0].content\n"
        '    recorded  "4.1 m"\n'
        '    today     "3.9 m"\n'
        "    means     the tool get_tide returned something else than when it was\n"
        "              recorded\n"
        "    see       exchange 2 of the recording, exchange 2 of today's\n"
        "\n"
        "1 exchange the same, 1 leaves the recording\n"
    )


def test_a_volatile_difference_says_how_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command is printed as it can be run; then there is nothing left."""
    monkeypatch.chdir(tmp_path)
    recording(tmp_path / "a.har", "high at 2025-01-01")
    recording(tmp_path / "b.har", "high at 2026-11-29")
    result = diff("a.har", "b.har")
    assert result.exit_code == 1
    assert "conversation 1 · turn 2: only what changes from run to run differs\n" in result.output
    assert "    means     the clock: freeze it (fixture claude_clock)\n" in result.output
    assert "    go on     playhead diff a.har b.har --ignore dates\n" in result.output
    assert diff("a.har", "b.har", "--ignore", "dates").output == "the same: 2 exchanges\n"
    more = recording(tmp_path / "b.har", "high at 2026-11-29, /tmp/x")
    recording(tmp_path / "a.har", "high at 2025-01-01, /srv/y")
    assert "--ignore dates --ignore cwd" in diff("a.har", more.name, "--ignore", "dates").output


def test_for_programs(tmp_path: Path) -> None:
    """The same as JSON, with the same exit codes."""
    one, other = recording(tmp_path / "a.har", "4.1 m"), recording(tmp_path / "b.har", "3.9 m")
    result = diff(one, other, "--json")
    assert result.exit_code == 1
    assert json.loads(result.output) == {
        "same": False,
        "same_exchanges": 1,
        "divergences": [
            {
                "conversation": 1,
                "turn": 2,
                "recorded_exchange": 2,
                "exchange": 2,
                "path": "$.messages[2].content[0].content",
                "recorded": '"4.1 m"',
                "today": '"3.9 m"',
                "cause": "result",
                "likely": "the tool get_tide returned something else than when it was recorded",
                "ignore": [],
                "later": 0,
            }
        ],
    }
    result = diff(one, one, "--json")
    assert (result.exit_code, json.loads(result.output)["same"]) == (0, True)


def test_a_run_that_ends_early(tmp_path: Path) -> None:
    """There is no place and no value to show."""
    whole = recording(tmp_path / "a.har", "4.1 m")
    short = har(tmp_path / "b.har", ({**REQUEST, "tools": TOOLS}, 200, {**REPLY, "content": [CALL]}))
    short.write_text(short.read_text("utf-8").replace("end_turn", "tool_use"), "utf-8")
    result = diff(whole, short)
    assert result.output == (
        "conversation 1 · turn 2: today ends before the recording\n"
        "    means     today's run ends before the recorded one\n"
        "    see       exchange 2 of the recording\n"
        "\n"
        "1 exchange the same, 1 leaves the recording\n"
    )


def test_columns(tmp_path: Path) -> None:
    """80 hold everything but a path or a command that is longer."""
    one, other = recording(tmp_path / "a.har", "x" * 500), recording(tmp_path / "b.har", "x" * 250 + "y" * 250)
    lines = diff(one, other).output.splitlines()
    assert all(len(line) <= 80 for line in lines)


def test_the_page_shows_what_one_gets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The example in docs/replay.md is what the command prints."""
    page = Path(__file__).resolve().parents[2] / "docs" / "replay.md"
    if not page.is_file():
        pytest.skip("docs/ is not part of this checkout")
    monkeypatch.chdir(tmp_path)
    recording(tmp_path / "monday.har", "it is 2025-01-01")
    recording(tmp_path / "tuesday.har", "it is 2025-01-02")
    output = diff("monday.har", "tuesday.har").output
    assert f"```text\n$ playhead diff monday.har tuesday.har\n{output}```" in page.read_text("utf-8")


UNUSABLE: dict[str, tuple[list[str], str]] = {
    "a file that is not there": (["none.har", "a.har"], "playhead: none.har: there is no such file"),
    "a rule that does not exist": (
        ["a.har", "a.har", "--ignore", "date"],
        "playhead: there is no volatile rule 'date'",
    ),
    "answers alone": (["a.har", "c.json"], "playhead: a.har, c.json: the second recording tells answers only"),
}


@pytest.mark.parametrize(("arguments", "sentence"), UNUSABLE.values(), ids=UNUSABLE)
def test_what_cannot_be_compared(tmp_path: Path, arguments: list[str], sentence: str) -> None:
    """Exit code 2 and one sentence on stderr."""
    recording(tmp_path / "a.har", "4.1 m")
    (tmp_path / "c.json").write_text(json.dumps(REPLY), "utf-8")
    script = "import sys; from playhead.cli.main import main; main()"
    command = [sys.executable, "-c", script, "diff", *arguments]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(sentence)
    assert len(done.stderr.splitlines()) == 1

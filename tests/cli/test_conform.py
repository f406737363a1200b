"""`playhead conform`: what is printed, what is written, and what exit code says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from playhead.cli.main import commands
from playhead.errors import PlayheadError

BROKEN = """
from kit_loops import Loop, answers
loop = Loop(results=lambda calls, functions: answers(calls[:1], functions))
fine = Loop()
tools = [{"name": "mine", "description": "Mine.", "input_schema": {"type": "object", "properties": {}}}]
functions = {"mine": lambda: "here"}
nothing = 3

import logging, sys
logging.basicConfig(level="INFO")

def talkative(client, messages, tools, functions):
    print("Hm.")
    print("Ha.", file=sys.stderr)
    logging.info("Ho.")
    return fine(client, messages, tools, functions)
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A module with loops, in the folder that the command is called in."""
    (tmp_path / "loops_here.py").write_text(BROKEN)
    (tmp_path / "leaving.py").write_text("import sys; sys.exit('set FOO')")
    (tmp_path / "failing.py").write_text("1 / 0")
    (tmp_path / "no_python.py").write_text("loop =")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "loops_here", raising=False)
    return "loops_here"


def _here() -> dict[str, str]:
    """The environment of a command that finds what this process finds."""
    return {**os.environ, "PYTHONPATH": ":".join(path for path in sys.path if path)}


def conform(*arguments: str) -> Result:
    return CliRunner().invoke(commands, ["conform", *arguments], catch_exceptions=False)


def test_a_broken_loop_exits_with_1_and_says_what_to_do(module: str) -> None:
    """A row for each capability, the smallest script, the rule, and the command that replays just that."""
    result = conform(f"{module}:loop", "-n", "10", "--only", "pairing", "--only", "parallel-calls")
    assert result.exit_code == 1
    assert "  pairing                ok " in result.output
    assert "  parallel-calls         BROKEN    smallest script: 1 turn, 2 blocks" in result.output
    assert "tool-use-unanswered" in result.output
    assert f"  replay: playhead conform {module}:loop --script '[" in result.output


def test_the_replay_shows_the_same(module: str) -> None:
    """The command of a finding, run as it stands."""
    found = json.loads(conform(f"{module}:loop", "-n", "10", "--only", "parallel-calls", "--json").output)
    command = found["findings"][0]["command"]
    again = subprocess.run(
        f"{Path(sys.executable).parent / 'playhead'} {command.partition(' ')[2]}",
        shell=True,
        capture_output=True,
        text=True,
        env=_here(),
        check=False,
    )
    assert again.returncode == 1, again.stderr
    assert "tool-use-unanswered" in again.stdout


def test_a_correct_loop_exits_with_0(module: str) -> None:
    """With its own tools and functions."""
    options = ("--tools", f"{module}:tools", "--functions", f"{module}:functions")
    result = conform(f"{module}:fine", "-n", "5", "--only", "pairing", *options)
    assert (result.exit_code, "BROKEN" in result.output) == (0, False)


def test_findings_are_written(module: str, tmp_path: Path) -> None:
    """A test and a script file for each, and the report as JUnit."""
    options = ("--save", str(tmp_path / "found"), "--junit", str(tmp_path / "report.xml"))
    conform(f"{module}:loop", "-n", "10", "--only", "parallel-calls", *options)
    names = sorted(path.name for path in (tmp_path / "found").iterdir())
    assert names == ["test_01_tool_use_unanswered.py", "test_01_tool_use_unanswered.yaml"]
    assert "check_loop(loop, script=script).assert_ok()" in (tmp_path / "found" / names[0]).read_text()
    assert conform(f"{module}:loop", "--script", str(tmp_path / "found" / names[1])).exit_code == 1
    assert "<failure" in (tmp_path / "report.xml").read_text()


def test_what_tools_do_can_be_said(module: str) -> None:
    """As the command of a finding does."""
    script = '[{"call": "ping"}]'
    for option in (
        ("--raises", "ping=no"),
        ("--returns", 'ping={"a": 1}'),
        ("--endless",),
        ("--messages", '[{"role": "user", "content": "Go."}]'),
    ):
        assert conform(f"{module}:fine", "--script", script, *option).exit_code == 0


WRONG: dict[str, tuple[list[str], str]] = {
    "no such module": (["pears:loop"], "cannot be loaded"),
    "no name": (["pears"], "are named as MODULE:NAME"),
    "no loop": (["loops_here:nothing"], "is no loop"),
    "a module that ends itself": (["leaving:loop"], "ends the process when it is imported (exit code set FOO)"),
    "a module that fails": (["failing:loop"], "cannot be loaded: ZeroDivisionError: division by zero"),
    "a module that is no Python": (["no_python:loop"], "cannot be loaded: SyntaxError"),
    "no such capability": (["loops_here:loop", "--only", "pears"], "only has no 'pears'"),
    "no such script": (["loops_here:loop", "--script", "pears.yaml"], "pears.yaml"),
    "no steps": (["loops_here:loop", "--script", '[{"pear": 1}]'], "pear"),
    "no JSON": (["loops_here:loop", "--script", "[{"], "is no JSON"),
    "an outcome without a tool": (["loops_here:loop", "--script", "[]", "--raises", "no"], "is written TOOL=VALUE"),
}


@pytest.mark.parametrize(("arguments", "told"), WRONG.values(), ids=WRONG)
def test_what_cannot_be_used_is_one_sentence(module: str, arguments: list[str], told: str) -> None:
    """An error of ours, which the console script prints with exit code 2."""
    with pytest.raises(PlayheadError) as error:
        conform(*arguments)
    assert told in str(error.value)


def test_the_options_are_those_of_check_loop() -> None:
    """Every argument of `check_loop` that a command can give has an option."""
    import inspect

    from playhead.cli.conform import conform as command
    from playhead.testing import check_loop

    options: set[Any] = {parameter.name for parameter in command.params}
    renamed = {"max_examples": "examples", "features": "feature", "faults": "no_faults", "rules": "own"}
    given = {renamed.get(name, name) for name in inspect.signature(check_loop).parameters} - {"name", "progress"}
    assert given <= options


def test_what_a_loop_prints_is_not_in_the_report(module: str) -> None:
    """A program reads the report from standard output, whatever the loop says there."""
    result = conform(f"{module}:talkative", "-n", "5", "--only", "pairing", "--json", "--show-output")
    assert json.loads(result.stdout)["ok"] is True
    assert "Hm." in result.stderr
    assert "Ha." in result.stderr


def test_what_a_loop_prints_a_thousand_times_is_not_shown(module: str) -> None:
    """Unless it is asked for, or a single script is looked into; loggers count."""
    playhead = [str(Path(sys.executable).parent / "playhead"), "conform", f"{module}:talkative"]

    def told(*options: str) -> str:
        made = subprocess.run([*playhead, *options], capture_output=True, text=True, env=_here(), check=True)
        return made.stderr

    assert told("-n", "5", "--only", "pairing") == ""
    for options in (["-n", "5", "--only", "pairing", "--show-output"], ["--script", '[{"say": "hi"}]']):
        stderr = told(*options)
        assert all(word in stderr for word in ("Hm.", "Ha.", "Ho.")), stderr

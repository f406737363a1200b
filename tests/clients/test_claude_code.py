"""Claude Code as a client of the server: the real program in a network of its own, and a Claude that plays a script."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from clients.claude_code import ASK_FOR_TIDES, EXAMPLE, QUIET
from clients.installed import HERE, alone, claude_code, needs_claude_code
from playhead import check, load

pytestmark = needs_claude_code()

PLACES = ("$.system", "$.messages[0].content[0].text")
"""Where the cassette holds a placeholder for Claude Code's own prose."""


def scene(*words: str | Path) -> Any:
    """What came of a scene."""
    paths = os.pathsep.join([str(HERE.parent), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    done = alone([sys.executable, "-m", "clients.claude_code", *words], PYTHONPATH=paths)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def project() -> Any:
    """One run for all that it shows."""
    return scene("project")


def test_a_script_is_played_to_its_end(project: Any) -> None:
    """Claude Code asks for every step, and nothing is to be said against any of its requests."""
    assert (project["code"], project["said"], project["complained"]) == (0, "The tide is high.\n", "")
    assert project["verdict"]["ok"] is True
    assert project["verdict"]["violations"] == []


def test_tools_are_run_and_files_edited(project: Any) -> None:
    """A command and an edit that are allowed are done, and their results come back."""
    assert project["results"][0] == [False, "ahoy"]
    assert [failed for failed, _ in project["results"]] == [False, False, False, True, True, True]
    assert project["tide"] == "high\n"


def test_permissions_are_met(project: Any) -> None:
    """What the settings deny and what nobody allowed comes back as an error, each with its reason."""
    assert project["results"][3] == [True, "Permission to use Bash with command rm tide.txt has been denied."]
    failed, reason = project["results"][4]
    assert failed
    assert "WebFetch, but you haven't granted it" in reason


def test_a_hook_blocks(project: Any) -> None:
    """A PreToolUse hook blocks a call that the settings allow, and Claude is told what the hook said."""
    failed, reason = project["results"][5]
    assert failed
    assert "PreToolUse:Bash hook error" in reason
    assert reason.endswith("Nobody pushes by force here.\n")


def test_a_run_is_recorded_replayed_and_verified(tmp_path: Path) -> None:
    """What the proxy recorded breaks no rule, and the next run of Claude Code gets it all again from the file."""
    cassette = tmp_path / "session.yaml"
    first = scene("record", cassette)
    assert first["results"] == [[False, "4.1 m"]]
    assert first["verdict"]["ok"] is True
    assert check(load(cassette)) == ()
    assert "Claude Agent SDK" not in cassette.read_text("utf-8")
    second = replayed(cassette, tmp_path)
    assert second.stdout.splitlines()[0] == first["said"].strip()
    assert json.loads(second.stdout.splitlines()[1])["ok"] is True
    assert second.returncode == 0


def replayed(cassette: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Claude Code before `playhead serve CASSETTE`."""
    project = shutil.copytree(EXAMPLE / "project", folder / "project")
    home = folder / "home"
    home.mkdir()
    volatile = [part for place in PLACES for part in ("--volatile", place)]
    program = [sys.executable, "-c", "from playhead.cli.main import main; main()"]
    command = [*program, "serve", str(cassette), *volatile, "--json", "--", str(claude_code()), *ASK_FOR_TIDES]
    mcp = str(project / ".mcp.json")
    inside = [
        "sh",
        "-c",
        'cd "$0" && exec "$@"',
        str(project),
        *(mcp if part == ".mcp.json" else part for part in command),
    ]
    return alone(inside, HOME=str(home), **QUIET)


def test_the_example_works(tmp_path: Path) -> None:
    """The tests of examples/claude_code pass, copied somewhere else, with nothing but `claude` on the path."""
    copy = shutil.copytree(EXAMPLE, tmp_path / "example")
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "claude").symlink_to(claude_code() or "")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--rootdir={copy}", str(copy)]
    done = alone(command, PATH=os.pathsep.join([str(programs), os.environ["PATH"]]))
    assert done.returncode == 0, done.stdout
    assert "3 passed" in done.stdout

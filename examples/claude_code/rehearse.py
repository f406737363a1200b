"""Rehearses a project's hook, skill and MCP server: the real Claude Code, and a Claude that says what you script.

    python rehearse.py hook        # or skill, or mcp

No network, no account. The project is copied first, so Claude Code may do in it what it likes.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playhead import call, say, serve

PROJECT = Path(__file__).resolve().parent / "project"
QUIET = ("DISABLE_AUTOUPDATER", "DISABLE_TELEMETRY", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC")

# what you ask Claude Code, and what Claude says then, step by step
REHEARSALS: dict[str, tuple[str, list[Any]]] = {
    "hook": (
        "Push my work.",
        [
            call("Bash", command="git push --force", description="Push by force"),
            say("I may not push by force here."),
        ],
    ),
    "skill": (
        "I need a tide report for Brest.",
        [
            call("Skill", skill="tide-report"),
            call("mcp__tides__get_tide", port="Brest"),
            say("The tide in Brest stands at 4.1 m."),
        ],
    ),
    "mcp": (
        "How high is the tide in Brest, and in Atlantis?",
        [
            call("mcp__tides__get_tide", port="Brest"),
            call("mcp__tides__get_tide", port="Atlantis"),
            say("4.1 m in Brest; nobody knows of Atlantis."),
        ],
    ),
}


def rehearse(prompt: str, script: list[Any]) -> list[str]:
    """Runs Claude Code in a copy of the project; returns what it told Claude after each step but the last.

    Raises what is wrong with its requests (`playhead.RuleViolations`), and where a step was not asked for.
    """
    with TemporaryDirectory() as folder, serve(script) as server:
        home, project = Path(folder).resolve() / "home", Path(folder).resolve() / "project"
        home.mkdir()
        shutil.copytree(PROJECT, project)
        # what a project allows counts only where its folder is trusted
        (home / ".claude.json").write_text(json.dumps({"projects": {str(project): {"hasTrustDialogAccepted": True}}}))
        env = {"PATH": os.environ["PATH"], "HOME": str(home), **dict.fromkeys(QUIET, "1"), **server.env}
        subprocess.run(["claude", "-p", prompt], cwd=project, env=env, stdin=subprocess.DEVNULL, check=True)
        asked = [exchange for exchange in server.fake.session.exchanges if exchange.messages]
        return ["\n".join(texts(exchange.messages[-1]["content"])) for exchange in asked[1:]]


def texts(content: Any) -> Iterator[str]:
    """The texts in the content of a message, those of tool results among them."""
    if isinstance(content, str):
        yield content
    else:
        for block in content:
            yield from texts(block.get("text") or block.get("content") or "")


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in REHEARSALS:
        sys.exit(f"usage: python rehearse.py {'|'.join(REHEARSALS)}")
    if shutil.which("claude") is None:
        sys.exit("Claude Code is not installed: npm install -g @anthropic-ai/claude-code")
    for told in rehearse(*REHEARSALS[sys.argv[1]]):
        print(f"  Claude was told: {told.strip()}")

"""Claude Code in scenes of ours, before a fake in the same process. Not tests themselves.

    python -m clients.claude_code project             # permissions, a hook, an edit
    python -m clients.claude_code record FILE         # a tool of an MCP server, recorded by the proxy

plays a scene and prints what came of it as JSON. So a test can start it in a network of its own, where Claude Code and
the fake reach each other and nobody else.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from clients.installed import claude_code, run
from playhead import call, record, say, serve
from playhead.serving import RecordingProxy, Serving
from playhead.wire.codec import JsonObject

EXAMPLE = Path(__file__).resolve().parent.parent.parent / "examples" / "claude_code"
QUIET = {
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "IS_SANDBOX": "1",
}
"""What keeps Claude Code from talking to anybody but the API."""

HOOK = """\
import json, sys

asked = json.load(sys.stdin)
if "--force" in asked["tool_input"]["command"]:
    print("Nobody pushes by force here.", file=sys.stderr)
    sys.exit(2)
"""
ON_BASH = {"matcher": "Bash", "hooks": [{"type": "command", "command": f'"{sys.executable}" .claude/hook.py'}]}
SETTINGS = {
    "permissions": {"allow": ["Bash(echo:*)", "Bash(git push:*)", "Read", "Edit"], "deny": ["Bash(rm:*)"]},
    "hooks": {"PreToolUse": [ON_BASH]},
}

ASK_FOR_TIDES = (
    *("-p", "How high is the tide in Brest?"),
    *("--model", "claude-opus-5-5", "--system-prompt", "You know the tides.", "--tools", ""),
    *("--strict-mcp-config", "--mcp-config", ".mcp.json", "--allowedTools", "mcp__tides__get_tide"),
    *("--disable-slash-commands", "--no-session-persistence"),
)
"""Options with which hardly anything in a request is Claude Code's own text."""

_ID = re.compile(r"[0-9a-f]{64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def scrub(text: str) -> str:
    """Takes out what is not ours to keep, or says on which machine it was: Claude Code's prose, and ids."""
    if len(text) > 50 and re.search(r"\s", text):
        return "CLAUDE-CODE-TEXT"
    return _ID.sub("ID", text)


def project() -> JsonObject:
    """Claude asks for what is allowed, what is denied, what nobody allowed, and what the hook blocks."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        (folder / ".claude").mkdir()
        (folder / ".claude" / "settings.json").write_text(json.dumps(SETTINGS), "utf-8")
        (folder / ".claude" / "hook.py").write_text(HOOK, "utf-8")
        tide = folder / "tide.txt"
        tide.write_text("low\n", "utf-8")
        script = [
            call("Bash", command="echo ahoy", description="Greet"),
            call("Read", file_path=str(tide)),
            call("Edit", file_path=str(tide), old_string="low", new_string="high"),
            call("Bash", command="rm tide.txt", description="Remove the file"),
            call("WebFetch", url="http://127.0.0.1:9/", prompt="Read it"),
            call("Bash", command="git push --force", description="Push"),
            say("The tide is high."),
        ]
        with serve(script) as server:
            done = played(("-p", "Look after the tide."), folder, server.env)
            return {**done, **seen(server), "tide": tide.read_text("utf-8")}


def recorded(path: str) -> JsonObject:
    """Claude asks a tool of an MCP server, and the recording proxy stands between Claude Code and the fake."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(shutil.copytree(EXAMPLE / "project", Path(name).resolve() / "project"))
        script = [call("mcp__tides__get_tide", port="Brest"), say("The tide in Brest stands at 4.1 m.")]
        with serve(script) as server, RecordingProxy(record(path, scrubbers=scrub), server.url) as proxy:
            done = played(ASK_FOR_TIDES, folder, {**server.env, **proxy.env})
            return {**done, **seen(server)}


def played(options: Sequence[str], folder: Path, env: Mapping[str, str]) -> JsonObject:
    """Runs Claude Code in a folder that it trusts, with a home that is empty otherwise."""
    program = claude_code()
    assert program is not None, "Claude Code is not installed"
    with tempfile.TemporaryDirectory() as home:
        trusted = {"projects": {str(folder): {"hasTrustDialogAccepted": True}}}
        (Path(home) / ".claude.json").write_text(json.dumps(trusted), "utf-8")
        own = {"PATH": os.environ["PATH"], "HOME": home, **QUIET, **env}
        done = run([program, *options], own, folder=folder)
    return {"code": done.returncode, "said": done.stdout, "complained": done.stderr}


def seen(server: Serving) -> JsonObject:
    """The verdict, and the result of each call: whether it is an error, and its text."""
    last = server.fake.session.exchanges[-1].messages or []
    blocks = [block for message in last if isinstance(message["content"], list) for block in message["content"]]
    results = [block for block in blocks if block["type"] == "tool_result"]
    return {
        "verdict": server.verdict(),
        "results": [[block.get("is_error", False), text_of(block["content"])] for block in results],
    }


def text_of(content: Any) -> str:
    return content if isinstance(content, str) else "".join(block.get("text", "") for block in content)


SCENES = {"project": project, "record": recorded}

if __name__ == "__main__":
    print(json.dumps(SCENES[sys.argv[1]](*sys.argv[2:])))  # noqa: T201 - it is what the test reads

"""`playhead convert`: recordings in another format, without the secrets of the one they come from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from cassettes.planted import SECRETS
from playhead import load
from playhead.cli.main import commands

KEY, TOKEN = SECRETS["anthropic api03"], SECRETS["npm"]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Another tool's recording, with a key in its headers and a token in prompt and answer."""
    request = {
        "method": "POST",
        "url": f"https://api.anthropic.com/v1/messages?key={TOKEN}",
        "headers": {"x-api-key": KEY, "cookie": f"a={TOKEN}"},
        "body": {
            "model": "claude-opus-5-5",
            "max_tokens": 9,
            "messages": [{"role": "user", "content": f"My token is {TOKEN}, my key {KEY}"}],
        },
    }
    message = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-5-5",
        "content": [{"type": "text", "text": f"It is {TOKEN}"}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    path = tmp_path / "theirs.json"
    response = {"status": 200, "headers": {"set-cookie": f"b={TOKEN}"}, "body": message}
    path.write_text(json.dumps([{"request": request, "response": response}]))
    return path


@pytest.mark.parametrize("form", ["playhead", "vcrpy", "har"])
def test_what_is_converted_has_no_secrets(form: str, source: Path, tmp_path: Path) -> None:
    """In every format; the session is otherwise the same."""
    target = tmp_path / "ours"
    result = CliRunner().invoke(commands, ["convert", str(source), str(target), "--to", form])
    assert result.exit_code == 0, result.output
    text = target.read_text()
    assert KEY not in text
    assert TOKEN not in text
    session = load(target)
    assert session.exchanges[0].content == [{"type": "text", "text": "It is REDACTED-npm-token-1"}]
    asked = session.exchanges[0].messages[0]["content"]  # type: ignore[index]
    assert asked == "My token is REDACTED-npm-token-1, my key REDACTED-anthropic-key-1"

"""HAR files of our own making, for tests. Not tests themselves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

REQUEST: dict[str, Any] = {
    "model": "claude-opus-5-5",
    "max_tokens": 64,
    "messages": [{"role": "user", "content": "How high is the tide?"}],
}
REPLY: dict[str, Any] = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-opus-5-5",
    "content": [{"type": "text", "text": "4.1 m"}],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 9, "output_tokens": 5},
}


def har(path: Path, *calls: tuple[dict[str, Any], int, dict[str, Any]]) -> Path:
    """A HAR file with calls of the Messages API."""
    entries = [
        {
            "request": {
                "method": "POST",
                "url": "https://api.anthropic.com/v1/messages",
                "headers": [],
                "postData": {"mimeType": "application/json", "text": json.dumps(body)},
            },
            "response": {
                "status": status,
                "headers": [{"name": "content-type", "value": "application/json"}],
                "content": {"mimeType": "application/json", "text": json.dumps(answer)},
            },
        }
        for body, status, answer in calls
    ]
    path.write_text(json.dumps({"log": {"version": "1.2", "entries": entries}}), "utf-8")
    return path

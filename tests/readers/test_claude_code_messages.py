"""Messages as Claude Code writes them down."""

from __future__ import annotations

import pytest

from playhead.readers.claude_code_messages import api_error, join, text_of


def test_pieces_are_joined():
    """Blocks come once and in order, the last stop reason that is told stays."""
    joined = join(
        [
            {"id": "m", "content": [{"type": "text", "text": "a"}], "stop_reason": None, "usage": {"output_tokens": 1}},
            {
                "id": "m",
                "content": [{"type": "text", "text": "a"}],
                "stop_reason": "end_turn",
                "usage": {"output_tokens": 5},
            },
            {"id": "m", "content": "b", "stop_reason": None},
        ]
    )
    assert joined == {
        "id": "m",
        "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
        "stop_reason": "end_turn",
        "usage": {"output_tokens": 5},
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            'API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"O"}}',
            (529, "overloaded_error"),
        ),
        ("API Error: 400 due to tool use concurrency issues.", (400, "invalid_request_error")),
        ("API Error: 502 <html>", (502, "api_error")),
        ('API Error: 400 {"cut', (400, "invalid_request_error")),
        ("API Error: Connection error.", None),
        ("No response requested.", None),
    ],
    ids=["body", "sentence", "unknown status", "cut body", "no status", "no error"],
)
def test_api_errors_are_read_from_their_text(text: str, expected: tuple[int, str] | None):
    """An error's status and type are read where the text tells them, and nothing is made up where it does not."""
    found = api_error(text)
    assert (found and (found["status"], found["error"]["type"])) == expected


def test_text_of_any_content():
    """Strings, blocks and what is neither have a text."""
    assert text_of("a") == "a"
    assert text_of([{"type": "text", "text": "a"}, {"type": "image"}, 5, {"text": "b"}]) == "a\nb"
    assert text_of(None) == ""

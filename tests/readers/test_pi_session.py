"""Sessions of the pi coding agent."""

from __future__ import annotations

import json

from playhead.readers.pi_session import FORMAT
from playhead.readers.source import Recording, Source

HEAD = {"type": "session", "id": "s", "timestamp": "2026-01-01T00:00:00Z", "cwd": "/", "provider": "anthropic"}


def source(lines: list[dict]) -> Source:
    return Source.of("pi.jsonl", b"".join(json.dumps(line).encode() + b"\n" for line in lines))


def read(lines: list[dict]) -> Recording:
    assert FORMAT.matches(source([HEAD, *lines]))
    return FORMAT.read(source([HEAD, *lines]))


def said(role: str, content: object, **members: object) -> dict:
    return {"type": "message", "message": {"role": role, "content": content, **members}}


def reply(*content: dict, stop: str = "stop", **members: object) -> dict:
    members = {"api": "anthropic-messages", "model": "claude-sonnet-5", "stopReason": stop, **members}
    return said("assistant", [*content], **members)


CALL = {"type": "toolCall", "id": "t1", "name": "get_tide", "arguments": {"port": "Brest"}}
USAGE = {"input": 1, "output": 2, "cacheRead": 3, "cacheWrite": 4, "cost": {"total": 0}}


def text(value: str) -> dict:
    return {"type": "text", "text": value}


def test_messages_become_the_apis():
    """Calls, results, thinking, images, usage and stop reasons are given in the API's words."""
    thought = {"type": "thinking", "thinking": "Hm.", "thinkingSignature": "sig"}
    image = {"type": "image", "mimeType": "image/png", "data": "AA=="}
    first, second = read(
        [
            said("user", [text("Tides?"), image]),
            reply(thought, CALL, stop="toolUse", usage=USAGE),
            said("toolResult", [text("2.1 m")], toolCallId="t1", isError=True),
            reply(text("High.")),
        ]
    ).exchanges
    thinking = {"type": "thinking", "thinking": "Hm.", "signature": "sig"}
    call = {"type": "tool_use", "id": "t1", "name": "get_tide", "input": {"port": "Brest"}}
    assert first.messages[0]["content"][1]["source"] == {"type": "base64", "media_type": "image/png", "data": "AA=="}
    assert first.response == {
        "type": "message",
        "role": "assistant",
        "content": [thinking, call],
        "model": "claude-sonnet-5",
        "stop_reason": "tool_use",
        "usage": {
            "input_tokens": 1,
            "output_tokens": 2,
            "cache_read_input_tokens": 3,
            "cache_creation_input_tokens": 4,
        },
    }
    assert second.messages[1:] == [
        {"role": "assistant", "content": [thinking, call]},
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "t1", "content": [text("2.1 m")], "is_error": True}],
        },
    ]
    assert second.stop_reason == "end_turn"


def test_aborted_and_failed_replies():
    """An aborted reply has no end, a failed one its error; what follows hangs on what stood before them."""
    body = '529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'
    aborted, failed, unclear, good = read(
        [
            said("user", [text("Tides?")]),
            reply(text("The"), stop="aborted"),
            reply(stop="error", errorMessage=body),
            reply(stop="error", errorMessage="fetch failed"),
            reply(text("High.")),
        ]
    ).exchanges
    assert (aborted.complete, aborted.content) == (False, [text("The")])
    assert (failed.status, failed.error["type"]) == (529, "overloaded_error")
    assert unclear.error == {"type": "api_error", "message": "fetch failed"}
    assert good.messages == [{"role": "user", "content": [text("Tides?")]}]


def test_other_vendors_are_counted():
    """A reply of another vendor's model is no exchange."""
    found = read(
        [said("user", "Tides?"), reply(text("Hi"), model="gpt-5", api="openai-responses"), reply(text("High."))]
    )
    assert len(found.exchanges) == 1
    assert found.skipped == {"a `session` line": 1, "a reply of another vendor's model": 1}


def test_newer_files_are_trees():
    """Lines with `parentId` branch, and a compaction begins a new history with its summary."""
    lines = [
        {**said("user", "Tides?"), "id": "1", "parentId": None},
        {**reply(text("High.")), "id": "2", "parentId": "1"},
        {**said("user", "And then?"), "id": "3", "parentId": "2"},
        {**reply(text("Low.")), "id": "4", "parentId": "3"},
        {**said("user", "Or else?"), "id": "5", "parentId": "2"},
        {**reply(text("Neap.")), "id": "6", "parentId": "5"},
        {"type": "compaction", "summary": "Of tides.", "id": "7", "parentId": "6"},
        {**said("user", "Go on."), "id": "8", "parentId": "7"},
        {**reply(text("Spring.")), "id": "9", "parentId": "8"},
    ]
    exchanges = read(lines).exchanges
    assert [len(exchange.messages) for exchange in exchanges] == [1, 3, 3, 1]
    assert exchanges[2].messages[-1]["content"] == "Or else?"
    assert exchanges[3].messages == [{"role": "user", "content": [text("Of tides."), text("Go on.")]}]


def test_other_files_are_not_taken():
    """Files without a session line and pi's roles are left to others."""
    for line in (
        {"type": "message", "role": "assistant", "content": []},
        {"type": "user", "message": {"role": "user"}},
    ):
        assert not FORMAT.matches(source([line]))

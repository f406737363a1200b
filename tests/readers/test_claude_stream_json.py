"""The output of `claude --output-format stream-json`."""

from __future__ import annotations

import json

import pytest

from playhead.errors import RecordingError
from playhead.readers import claude_code
from playhead.readers.claude_stream_json import FORMAT
from playhead.readers.source import Recording, Source
from playhead.wire.stream import events_of

INIT = {"type": "system", "subtype": "init", "session_id": "s", "tools": [], "mcp_servers": []}
CALL = {"type": "tool_use", "id": "t1", "name": "get_tide", "input": {"port": "Brest"}}
RESULT = {"type": "tool_result", "tool_use_id": "t1", "content": "2.1 m"}


def source(lines: list[dict]) -> Source:
    return Source.of("out.jsonl", b"\n".join(json.dumps(line).encode() for line in lines))


def read(lines: list[dict]) -> Recording:
    assert FORMAT.matches(source(lines))
    assert not claude_code.FORMAT.matches(source(lines))
    return FORMAT.read(source(lines))


def message(key: str, *blocks: dict, stop_reason: str | None = None) -> dict:
    return {
        "id": key,
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-5",
        "content": [*blocks],
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 4, "output_tokens": 1},
    }


def line(said: dict, parent: str | None = None) -> dict:
    return {"type": said["role"], "message": said, "parent_tool_use_id": parent, "session_id": "s"}


def user(content: object, parent: str | None = None) -> dict:
    return line({"role": "user", "content": content}, parent)


def streamed(said: dict) -> list[dict]:
    return [{"type": "stream_event", "event": event, "session_id": "s"} for event in events_of(said)]


def text(value: str) -> dict:
    return {"type": "text", "text": value}


def test_a_run_is_rebuilt():
    """The prompt is not printed, so the first request is unknown; the later ones hold what followed it."""
    lines = [
        INIT,
        line(message("m1", text("Looking."))),
        line(message("m1", CALL)),
        user([RESULT]),
        line(message("m2", text("High."))),
        {"type": "result", "subtype": "success", "is_error": False, "stop_reason": "end_turn", "session_id": "s"},
    ]
    first, second = read(lines).exchanges
    assert first.request is None
    assert first.content == [text("Looking."), CALL]
    assert second.messages == [
        {"role": "assistant", "content": [text("Looking."), CALL]},
        {"role": "user", "content": [RESULT]},
    ]
    assert (first.stop_reason, second.stop_reason) == (None, "end_turn")


def test_a_repeated_prompt_is_known():
    """With `--replay-user-messages` the prompt is printed, and the first request is known."""
    first = read([INIT, user("Tides?"), line(message("m1", text("High.")))]).exchanges[0]
    assert first.messages == [{"role": "user", "content": "Tides?"}]


def test_a_prompt_that_was_not_printed_leaves_a_gap():
    """Two replies in a row prove that a prompt between them was not printed: nothing is made up."""
    lines = [INIT, user("Tides?"), line(message("m1", text("High."))), line(message("m2", text("Low.")))]
    assert [exchange.request is None for exchange in read(lines).exchanges] == [False, True]


def test_stream_events_give_what_lines_lack():
    """The raw events of a message complete its lines, and do not double it."""
    said = message("m1", text("High."), stop_reason="end_turn")
    events = streamed(said)
    lines = [INIT, *events[:-2], line(message("m1", text("High."))), *events[-2:]]
    exchanges = read(lines).exchanges
    assert len(exchanges) == 1
    assert exchanges[0].response == said
    assert exchanges[0].complete
    assert exchanges[0].events == tuple(event["event"] for event in events)


def test_a_stream_that_breaks_off():
    """A message whose events end early is there as far as it came, and is not complete."""
    lines = [INIT, *streamed(message("m1", text("High.")))[:4]]
    exchange = read(lines).exchanges[0]
    assert exchange.content == [text("High.")]
    assert not exchange.complete


def test_side_agents_are_branches():
    """Lines with a `parent_tool_use_id` are a conversation of their own."""
    lines = [
        INIT,
        user("Tides?"),
        line(message("m1", CALL)),
        user("Read the table.", "t1"),
        line(message("s1", text("2.1 m")), "t1"),
        user([RESULT]),
        line(message("m2", text("High."))),
    ]
    exchanges = read(lines).exchanges
    assert [len(exchange.messages) for exchange in exchanges] == [1, 1, 3]
    assert exchanges[1].messages == [{"role": "user", "content": "Read the table."}]


def test_an_array_of_lines():
    """`--output-format json --verbose` prints the same lines as one array; not all of them name the session."""
    lines = [
        INIT,
        line(message("m1", CALL)),
        {"type": "user", "message": {"content": [RESULT]}},
        line(message("m2", text("High."))),
    ]
    whole = Source.of("out.json", json.dumps(lines, indent=1).encode())
    assert FORMAT.matches(whole)
    assert len(FORMAT.read(whole).exchanges[1].messages) == 2


def test_a_compaction_begins_a_new_history():
    """What stood before the boundary is not part of later requests."""
    boundary = {"type": "system", "subtype": "compact_boundary", "session_id": "s"}
    lines = [
        INIT,
        user("Tides?"),
        line(message("m1", text("High."))),
        boundary,
        user("They spoke of tides."),
        line(message("m2", text("Yes."))),
    ]
    assert len(read(lines).exchanges[1].messages) == 1


def test_an_error_that_the_client_shows():
    """A synthetic reply with an API error is an exchange with that error and no history."""
    shown = {**message("x", text("API Error: 429 slow down")), "model": "<synthetic>"}
    failed, good = read(
        [INIT, user("Tides?"), line(shown), user("Again?"), line(message("m1", text("High.")))]
    ).exchanges
    assert (failed.status, failed.error) == (429, {"type": "rate_limit_error", "message": "slow down"})
    assert [*good.messages] == [{"role": "user", "content": [text("Tides?"), text("Again?")]}]


def test_a_cut_line_is_named():
    """A line that is no JSON is an error with its number."""
    data = source([INIT, user("Tides?")]).data[:-5]
    with pytest.raises(RecordingError, match=r"out\.jsonl:2: this line is no JSON"):
        FORMAT.read(Source.of("out.jsonl", data))

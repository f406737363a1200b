"""Claude Code's session files."""

from __future__ import annotations

import json

import pytest

from playhead.errors import RecordingError
from playhead.readers.claude_code import FORMAT
from playhead.readers.source import Recording, Source
from playhead.wire.session import Session, number_exchanges

ASK = {
    "type": "user",
    "uuid": "u1",
    "parentUuid": None,
    "sessionId": "s",
    "message": {"role": "user", "content": "Tides?"},
}


def source(lines: list[dict] | bytes) -> Source:
    data = lines if isinstance(lines, bytes) else b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    return Source.of("session.jsonl", data)


def read(lines: list[dict]) -> Recording:
    assert FORMAT.matches(source(lines))
    return FORMAT.read(source(lines))


def piece(uuid: str, parent: str | None, key: str, block: dict, **members: object) -> dict:
    message = {"id": key, "type": "message", "role": "assistant", "model": "claude-sonnet-5", "content": [block]}
    message |= {"stop_reason": members.pop("stop_reason", None), "usage": {"output_tokens": 3}}
    return {"type": "assistant", "uuid": uuid, "parentUuid": parent, "sessionId": "s", "message": message, **members}


def said(uuid: str, parent: str | None, content: object, **members: object) -> dict:
    message = {"role": "user", "content": content}
    return {"type": "user", "uuid": uuid, "parentUuid": parent, "sessionId": "s", "message": message, **members}


def text(value: str) -> dict:
    return {"type": "text", "text": value}


def call(key: str) -> dict:
    return {"type": "tool_use", "id": key, "name": "get_tide", "input": {}}


def result(key: str) -> dict:
    return {"type": "tool_result", "tool_use_id": key, "content": "2.1 m"}


PARALLEL = [
    {"type": "summary", "summary": "Tides", "leafUuid": "x"},
    ASK,
    piece("a1", "u1", "msg_1", text("Looking."), requestId="req_1"),
    piece("a2", "a1", "msg_1", call("t1")),
    said("r1", "a2", [result("t1")]),
    piece("a3", "p0", "msg_1", call("t2"), stop_reason="tool_use"),
    {"type": "progress", "uuid": "p1", "parentUuid": "a3", "sessionId": "s", "data": {}},
    said("r2", "p1", [result("t2")]),
    piece("a4", "r2", "msg_2", text("High."), stop_reason="end_turn"),
]


def test_lines_of_one_message_are_joined():
    """Three lines with one `message.id` are one exchange, and the results of both calls follow it in one message."""
    found = read(PARALLEL)
    first, second = found.exchanges
    assert first.response == {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-5",
        "content": [text("Looking."), call("t1"), call("t2")],
        "stop_reason": "tool_use",
        "usage": {"output_tokens": 3},
    }
    assert first.response_headers == {"request-id": "req_1"}
    assert second.messages[1:] == [
        {"role": "assistant", "content": [text("Looking."), call("t1"), call("t2")]},
        {"role": "user", "content": [result("t1"), result("t2")]},
    ]
    assert second.known == frozenset({"messages"})
    assert found.skipped == {"a `summary` line": 1, "a `progress` line": 1}


def test_lines_may_come_in_any_order():
    """The tree of parents, not the file's order, tells what followed what."""
    turned = [PARALLEL[1], *reversed(PARALLEL[2:5]), *PARALLEL[5:]]
    assert read(turned).exchanges[1].messages == read(PARALLEL).exchanges[1].messages


def test_copied_lines_add_nothing():
    """A line that is there twice, or a resumed session's copy of it under a new id, is read once."""
    copied = [*PARALLEL, PARALLEL[2], {**PARALLEL[2], "uuid": "a1-copy"}]
    found = read(copied)
    assert [exchange.content for exchange in found.exchanges] == [
        exchange.content for exchange in read(PARALLEL).exchanges
    ]
    assert found.skipped["a line that is there twice"] == 1


def test_side_chains_are_their_own_conversations():
    """A side agent's messages do not enter the main history, nor the main ones its own."""
    side = {"isSidechain": True, "agentId": "helper"}
    lines = [
        ASK,
        piece("a1", "u1", "msg_1", call("t1")),
        said("s1", None, "Read the table.", **side),
        piece("s2", "s1", "msg_side", text("Read."), **side),
        said("r1", "a1", [result("t1")]),
        piece("a2", "r1", "msg_2", text("Done.")),
    ]
    session = Session(exchanges=number_exchanges(read(lines).exchanges))
    assert [link.conversation for link in session.links] == [1, 2, 1]


def test_replies_that_the_client_wrote_itself():
    """A `<synthetic>` reply is counted and never history; an API error that it shows is an exchange with that error."""
    body = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    shown = piece("e1", "u1", "x", text(f"API Error: 529 {json.dumps(body)}"), isApiErrorMessage=True)
    empty = piece("e2", "e1", "y", text("No response requested."))
    empty["message"]["model"] = shown["message"]["model"] = "<synthetic>"
    lines = [ASK, shown, empty, said("u2", "e2", "Again?"), piece("a1", "u2", "msg_1", text("High."))]
    found = read(lines)
    failed, good = found.exchanges
    assert (failed.status, failed.error, failed.response) == (529, body["error"], None)
    assert failed.messages == [{"role": "user", "content": "Tides?"}]
    assert good.messages == [{"role": "user", "content": [text("Tides?"), text("Again?")]}]
    assert found.skipped == {"a reply that the client wrote itself": 1}


def test_a_compaction_begins_a_new_history():
    """After a compaction the summary is the first message."""
    lines = [
        ASK,
        piece("a1", "u1", "msg_1", text("High.")),
        {"type": "system", "subtype": "compact_boundary", "uuid": "c", "parentUuid": None, "logicalParentUuid": "a1"},
        said("u2", "c", "They spoke of tides.", isCompactSummary=True),
        said("u3", "u2", "And tomorrow?"),
        piece("a2", "u3", "msg_2", text("Low.")),
    ]
    assert read(lines).exchanges[1].messages == [
        {"role": "user", "content": [text("They spoke of tides."), text("And tomorrow?")]}
    ]


def test_an_interrupted_reply_is_not_complete():
    """What the user broke off while it came has no end; its text stays in the history, as the client sends it."""
    lines = [
        ASK,
        piece("a1", "u1", "msg_1", text("The tide")),
        said("u2", "a1", [text("[Request interrupted by user]")]),
        said("u3", "u2", "Sorry?"),
        piece("a2", "u3", "msg_2", text("High.")),
    ]
    first, second = read(lines).exchanges
    assert not first.complete
    assert second.complete
    assert [message["role"] for message in second.messages] == ["user", "assistant", "user"]


def test_an_unanswered_call_is_not_history():
    """A call without a result, since the client was ended, is left out of what was sent later."""
    lines = [
        ASK,
        piece("a1", "u1", "msg_1", text("Looking.")),
        piece("a2", "a1", "msg_1", call("t1")),
        said("u2", "a2", "Still there?"),
        piece("a3", "u2", "msg_2", text("Yes.")),
    ]
    assert read(lines).exchanges[1].messages[1] == {"role": "assistant", "content": [text("Looking.")]}


def test_lines_without_parents_follow_one_another():
    """Older and simplified files have no `parentUuid`; an object may hold the lines as `loglines`."""
    bare = [
        {key: value for key, value in line.items() if key not in ("uuid", "parentUuid")}
        for line in (
            ASK,
            piece("a1", None, "m1", text("High.")),
            said("u2", None, "And then?"),
            piece("a2", None, "m2", text("Low.")),
        )
    ]
    assert len(read(bare).exchanges[1].messages) == 3
    whole = source(json.dumps({"loglines": bare}, indent=1).encode())
    assert FORMAT.matches(whole)
    assert len(FORMAT.read(whole).exchanges[1].messages) == 3


def test_a_missing_parent_is_the_line_before():
    """A line whose parent is not in the file follows the one before it; a first one begins the history."""
    lines = [
        {**ASK, "parentUuid": "gone"},
        piece("a1", "u1", "msg_1", text("High.")),
        said("u2", "gone too", "And then?"),
        piece("a2", "u2", "msg_2", text("Low.")),
    ]
    assert [len(exchange.messages) for exchange in read(lines).exchanges] == [1, 3]


def test_a_session_without_replies_says_what_it_held():
    """A file of summaries alone has no exchanges, and counts what was passed over."""
    found = read([PARALLEL[0]])
    assert found.exchanges == ()
    assert found.skipped == {"a `summary` line": 1}


@pytest.mark.parametrize(
    "data",
    [
        b'{"type": "session", "cwd": "/"}\n',
        b'{"type": "system", "subtype": "init", "session_id": "s"}\n',
        b"{}",
        b"[]",
        b"\x00",
    ],
)
def test_other_files_are_not_taken(data: bytes):
    """Another agent's log, the client's own output, and what is no log at all are left to others."""
    assert not FORMAT.matches(source(data))


def test_a_first_line_longer_than_the_head_is_recognised():
    """A prompt with an image fills more than the head that is looked at."""
    long = {**said("u1", None, [text("x" * 100_000)]), "isSidechain": False}
    assert FORMAT.matches(source([long]))


def test_a_cut_line_is_named():
    """A line that is no JSON is an error with its number."""
    data = source(PARALLEL).data[:-20]
    with pytest.raises(RecordingError, match=r"session\.jsonl:9: this line is no JSON"):
        FORMAT.read(source(data))

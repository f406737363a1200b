"""What was sent, rebuilt from logs."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from playhead.readers import claude_code, claude_stream_json, pi_session
from playhead.readers.histories import Entry, rebuild
from playhead.readers.source import Source
from playhead.wire.exchange import Exchange
from playhead.wire.session import Session, number_exchanges
from playhead.wire.turns import merged_turns


def say(text: str) -> dict:
    return {"type": "text", "text": text}


def call(key: str) -> dict:
    return {"type": "tool_use", "id": key, "name": "get_tide", "input": {"port": key}}


def result(key: str, text: str = "2.1 m") -> dict:
    return {"type": "tool_result", "tool_use_id": key, "content": text}


def reply(content: list, parent: Entry | None, **members: object) -> Entry:
    return Entry(content, parent, answer={"status": 200, "response": {"content": content, **members}})


def problems(messages: list) -> list[str]:
    """What the API refuses in these messages, as far as pairing goes."""
    found = []
    turns = merged_turns(messages)
    for number, turn in enumerate(turns):
        calls = [block.data["id"] for block in turn.of_type("tool_use")]
        results = [block.data["tool_use_id"] for block in turn.of_type("tool_result")]
        after = turns[number + 1] if number + 1 < len(turns) else None
        before = turns[number - 1] if number else None
        answers = [block.data["tool_use_id"] for block in after.leading_results] if after else []
        found += [f"{call} unanswered" for call in calls if turn.role == "assistant" and call not in answers]
        known = [block.data["id"] for block in before.of_type("tool_use")] if before else []
        found += [f"{key} has no call" for key in results if key not in known]
        found += [f"{key} twice" for key in {*results} if results.count(key) > 1]
        found += [f"{turn.path} is empty"] * (not turn.blocks)
    return found


def test_a_conversation_is_rebuilt_message_by_message():
    """Each reply's request holds what was said before it, and shares the messages of the earlier one."""
    ask = Entry("When is high tide?", None)
    first = reply([say("Let me look."), call("a")], ask)
    told = Entry([result("a")], first)
    second = reply([say("At noon.")], told)
    one, two = rebuild([ask, first, told, second])
    assert one.request == {"messages": [{"role": "user", "content": "When is high tide?"}]}
    assert two.request == {
        "messages": [
            {"role": "user", "content": "When is high tide?"},
            {"role": "assistant", "content": [say("Let me look."), call("a")]},
            {"role": "user", "content": [result("a")]},
        ]
    }
    assert two.messages[0] is one.messages[0]
    assert two.known == frozenset({"messages"})


def test_results_beside_the_path_are_brought_in():
    """Results of parallel calls become one user message, results first, whichever of them the next reply hangs on."""
    ask = Entry("Tides?", None)
    first = reply([call("a"), call("b")], ask)
    beside = Entry([result("a")], first)
    note = Entry("a reminder", beside)
    on_path = Entry([result("b")], first)
    second = reply([say("Done.")], on_path)
    exchanges = rebuild([ask, first, beside, note, on_path, second])
    assert exchanges[1].messages[-1] == {"role": "user", "content": [result("a"), result("b"), say("a reminder")]}


def test_forks_are_branches():
    """A second prompt after the same reply starts a branch and takes nothing of the other one."""
    ask = Entry("One?", None)
    first = reply([say("1")], ask)
    left, right = Entry("Two?", first), Entry("Three?", first)
    second, third = reply([say("2")], left), reply([say("3")], right)
    exchanges = rebuild([ask, first, left, second, right, third])
    assert [exchange.messages[-1]["content"] for exchange in exchanges] == ["One?", "Two?", "Three?"]
    session = Session(exchanges=number_exchanges(exchanges))
    assert [link.kind for link in session.links] == ["start", "continues", "continues"]


def test_what_the_api_would_refuse_was_not_sent():
    """Unanswered calls, orphan and double results, blank text, unsigned and trailing thinking stay out of histories."""
    ask = Entry("Tides?", None)
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "sig"}
    unsigned = {"type": "thinking", "thinking": "Hm."}
    first = reply([unsigned, thought, say(" "), say("Wait."), call("a"), call("b"), thought], ask)
    told = Entry([say("stop"), result("b"), result("b", "again"), result("z")], first)
    last = reply([say("Stopped.")], told)
    exchange = rebuild([ask, first, told, last])[1]
    assert exchange.messages[1:] == [
        {"role": "assistant", "content": [thought, say("Wait."), call("b")]},
        {"role": "user", "content": [result("b"), say("stop")]},
    ]
    assert exchange.response == {"content": [say("Stopped.")]}


def test_what_is_not_known_is_absent():
    """A log that begins with a reply, or has nothing between two, gives no request there and begins anew after it."""
    first = reply([say("Hello.")], None)
    second = reply([call("a")], first)
    told = Entry([result("a")], second)
    third = reply([say("Done.")], told)
    exchanges = rebuild([first, second, told, third])
    assert [exchange.request is None for exchange in exchanges] == [True, True, False]
    assert [message["role"] for message in exchanges[2].messages] == ["assistant", "user"]
    assert exchanges[0].known is None


def test_a_log_that_begins_in_the_middle():
    """Results whose calls stand before the log's beginning prove that the messages are not known."""
    told = Entry([result("gone"), say("and now?")], None)
    first = reply([say("Now.")], told)
    assert rebuild([told, first])[0].request is None


def test_a_paused_reply_is_sent_back():
    """After `pause_turn` nothing of the user's stands between, and the request ends with the reply."""
    ask = Entry("Search.", None)
    first = reply([say("Searching.")], ask, stop_reason="pause_turn")
    second = reply([say("Found.")], first)
    exchanges = rebuild([ask, first, second])
    assert [message["role"] for message in exchanges[1].messages] == ["user", "assistant"]


def test_parents_in_a_circle_or_out_of_order():
    """Entries may come before those they follow; a damaged log's circle of parents is cut."""
    ask = Entry("One?", None)
    first = reply([say("1")], ask)
    more = Entry("Two?", first)
    second = reply([say("2")], more)
    exchanges = rebuild([second, more, first, ask])
    assert [exchange.content[0]["text"] for exchange in exchanges] == ["1", "2"]
    round_about = Entry("One?", None)
    last = reply([say("1")], round_about)
    round_about.parent = last
    assert len(rebuild([round_about, last])) == 1


def test_a_long_log_is_quick():
    """Histories share their messages, so that three thousand turns take little time and memory."""
    entries: list[Entry] = [Entry("Go.", None)]
    for number in range(3000):
        entries.append(reply([call(f"c{number}")], entries[-1]))
        entries.append(Entry([result(f"c{number}")], entries[-1]))
    exchanges = rebuild(entries)
    assert len(exchanges) == 3000
    assert len(exchanges[-1].messages) == 5999
    assert exchanges[-1].messages[1] is exchanges[1].messages[1]


READERS = {reader.FORMAT.name: reader.FORMAT for reader in (claude_code, claude_stream_json, pi_session)}


def transcripts() -> Iterator[tuple[str, tuple[Exchange, ...]]]:
    root = os.environ.get("PLAYHEAD_SHARED")
    if not root:
        pytest.skip("PLAYHEAD_SHARED names no corpus")
    corpus = Path(root) / "corpus"
    with (corpus / "manifest.tsv").open() as manifest:
        for row in csv.DictReader(manifest, delimiter="\t"):
            known = READERS.get(row["format"])
            if known is not None:
                data = (corpus / row["repo"].replace("/", "+") / row["path"]).read_bytes()
                yield row["id"], known.read(Source.of(row["id"], data)).exchanges


def test_no_rebuilt_request_is_one_that_the_api_refuses():
    """Over the corpus's transcripts, whose requests the API accepted, every rebuilt history is well paired."""
    wrong = {
        name: found
        for name, exchanges in transcripts()
        for exchange in exchanges
        if exchange.request is not None and (found := problems(exchange.messages))
    }
    assert wrong == {}


def test_rebuilt_requests_continue_one_another():
    """Over the corpus's transcripts no history departs from an earlier one."""
    departing = [
        name
        for name, exchanges in transcripts()
        if any(link and link.kind == "departs" for link in Session(exchanges=number_exchanges(exchanges)).links)
    ]
    assert departing == []

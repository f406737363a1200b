"""Steps made into messages: ids, what is minted, defaults, and inputs to the letter."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead import (
    Request,
    ScriptError,
    by_code,
    call,
    compact,
    fallback,
    mcp,
    redacted,
    reply,
    say,
    search,
    server_call,
    server_result,
    truncated,
    turn,
    upload,
)
from playhead.engine.compose import Composed, Minted, body_of, compose, open_calls
from playhead.engine.prompt import InputTokens
from playhead.rules.signatures import seal
from playhead.script.steps import Reply, Turn

ASK = {"role": "user", "content": "hi"}
MODEL = "claude-opus-5-5"


def asked(*messages: Any, headers: dict[str, str] | None = None, **body: Any) -> Request:
    """A request with these messages."""
    return Request(
        body={"model": MODEL, "max_tokens": 64, "messages": [*messages] or [ASK], **body},
        headers=headers or {},
        path="/v1/messages",
        number=1,
        turn=1,
    )


def composed(step: Turn | Reply, request: Request | None = None, minted: Minted | None = None) -> Composed:
    return compose(step, request or asked(), tokens=InputTokens(100), minted=minted or Minted())


def content(step: Turn | Reply, request: Request | None = None) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = composed(step, request).message["content"]
    return blocks


def test_a_turn_becomes_a_whole_message() -> None:
    """Every field that the API sends is there, in its order; ids are counted, the usage has the numbers given."""
    made = composed(turn(say("Hello"), call("add", a=1)))
    message, minted = made.message, made.minted
    assert message == {
        "id": "msg_0001",
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-5-5",
        "content": [
            {"type": "text", "text": "Hello"},
            {"type": "tool_use", "id": "toolu_0001", "name": "add", "input": {"a": 1}},
        ],
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "stop_details": None,
        "usage": {
            "input_tokens": 100,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
            "output_tokens": 40,
            "service_tier": "standard",
            "inference_geo": "global",
            "output_tokens_details": {"thinking_tokens": 0},
        },
    }
    assert list(message)[:5] == ["id", "type", "role", "model", "content"]
    assert minted == Minted(1, 1)
    assert made.texts == {}


def test_ids_go_on_counting() -> None:
    """Messages and calls are counted on from what was minted, parallel calls included."""
    made = composed(turn(call("a"), call("a")), minted=Minted(7, 30, 2, 4))
    message, minted = made.message, made.minted
    assert message["id"] == "msg_0008"
    assert [block["id"] for block in message["content"]] == ["toolu_0031", "toolu_0032"]
    assert minted == Minted(8, 32, 2, 4)


@pytest.mark.parametrize(
    "step",
    [
        turn(call("a")),
        turn(search("q")),
        turn(redacted(), upload()),
        compact("so far"),
        turn(fallback("claude-opus-5")),
    ],
    ids=str,
)
def test_a_step_can_be_played_twice(step: Turn) -> None:
    """Composing leaves the step as it was: each message has ids of its own, and the same step makes the same again."""
    before = step.source()
    first = composed(step)
    second = composed(step, minted=first.minted)
    assert composed(step) == first
    assert step.source() == before
    ids = [{block.get("id") for block in message.message["content"]} - {None} for message in (first, second)]
    assert not ids[0] & ids[1]


@pytest.mark.parametrize(
    ("block", "identifier"),
    [
        ({"type": "server_tool_use", "name": "web_search", "input": {}}, "srvtoolu_0001"),
        ({"type": "mcp_tool_use", "name": "x", "input": {}, "server_name": "s"}, "mcptoolu_0001"),
        ({"type": "tool_use", "name": "x", "input": {}}, "toolu_0001"),
        ({"type": "tool_use", "id": "mine", "name": "x", "input": {}}, "mine"),
    ],
    ids=["server", "mcp", "client", "an id of its own"],
)
def test_every_kind_of_call_gets_its_kind_of_id(block: dict[str, object], identifier: str) -> None:
    """The prefix follows the block type; an id that is given stays."""
    assert content(reply({"content": [block]})) == [{**block, "id": identifier}]


def test_what_is_given_wins() -> None:
    """Every field of a reply, and the model and usage of a turn, override the defaults; unknown ones pass through."""
    given_ = {"id": "msg_mine", "model": "other", "stop_reason": "refusal", "future": {"x": 1}, "usage": {"x": 2}}
    message = composed(reply({"content": [], **given_})).message
    assert {**message, **given_} == {**message, "usage": given_["usage"]}
    assert message["usage"]["x"] == 2
    assert message["usage"]["input_tokens"] == 100
    by_turn = composed(turn(say("a"), model="other", usage={"input_tokens": 3}, stop_sequence="END")).message
    assert by_turn["model"] == "other"
    assert by_turn["stop_sequence"] == "END"
    assert by_turn["usage"]["input_tokens"] == 3


@pytest.mark.parametrize(
    ("blocks", "reason"),
    [([], "end_turn"), ([{"type": "tool_use", "name": "x", "input": {}}], "tool_use")],
    ids=["without a call", "with a call"],
)
def test_a_reply_without_stop_reason_gets_the_likely_one(blocks: list[object], reason: str) -> None:
    """The stop reason follows from the content."""
    assert composed(reply({"content": blocks})).message["stop_reason"] == reason


WHOLE: dict[str, Any] = {
    "id": "msg_mine",
    "type": "message",
    "role": "assistant",
    "model": "other",
    "content": [{"type": "server_tool_use", "id": "srvtoolu_1", "name": "code_execution", "input": {}}],
    "stop_reason": "pause_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 3, "output_tokens": 4},
}


def test_a_whole_reply_is_sent_as_it_stands() -> None:
    """A message with all that the API always sends, such as a recorded one, gets nothing that it did not say."""
    step = reply(WHOLE)
    made = composed(step, asked(context_management={"edits": []}))
    message, minted = made.message, made.minted
    assert message == WHOLE
    assert minted == Minted(1)
    assert message["usage"] is not step.message["usage"]


@pytest.mark.parametrize("member", ["id", "stop_sequence", "usage", "output_tokens"])
def test_a_reply_that_lacks_something_is_completed(member: str) -> None:
    """What is left out is filled in, and with it what the API would say besides."""
    given = {key: value for key, value in WHOLE.items() if key != member}
    if member == "output_tokens":
        given["usage"] = {"input_tokens": 3}
    made = composed(reply(given))
    message, minted = made.message, made.minted
    assert {**message, **given, "usage": message["usage"]} == message
    assert {"container", "stop_details"} <= message.keys()
    assert "cache_read_input_tokens" in message["usage"]
    assert minted == Minted(1, containers=1)


def test_a_call_without_an_id_gets_one_in_a_whole_reply() -> None:
    """Ids of calls may be left out of any reply."""
    message = composed(
        reply({**WHOLE, "content": [{"type": "mcp_tool_use", "name": "x", "input": {}, "server_name": "s"}]})
    )
    assert message.message["content"][0]["id"] == "mcptoolu_0001"


def test_an_unchecked_reply_is_sent_as_it_stands() -> None:
    """Nothing is added, and nothing is counted."""
    message = {"content": "impossible"}
    assert composed(reply(message, check=False), minted=Minted(2, 3)) == Composed(message, Minted(2, 3))


# what belongs together


def test_a_result_names_its_own_call() -> None:
    """The result of a server tool carries its call's id, however many calls stand around it."""
    blocks = content(
        turn(search("a", ["https://a.example"]), call("x"), search("b", error="unavailable"), mcp("s", "t"))
    )
    assert [(block["type"], block.get("id") or block["tool_use_id"]) for block in blocks] == [
        ("server_tool_use", "srvtoolu_0001"),
        ("web_search_tool_result", "srvtoolu_0001"),
        ("tool_use", "toolu_0002"),
        ("server_tool_use", "srvtoolu_0003"),
        ("web_search_tool_result", "srvtoolu_0003"),
        ("mcp_tool_use", "mcptoolu_0004"),
    ]


def paused(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": [*blocks]}


def open_call(identifier: str, name: str = "web_search", type: str = "server_tool_use") -> dict[str, Any]:
    return {"type": type, "id": identifier, "name": name, "input": {}}


def answer(identifier: str, type: str = "web_search_tool_result") -> dict[str, Any]:
    return {"type": type, "tool_use_id": identifier, "content": []}


def test_a_result_may_come_in_the_next_reply() -> None:
    """It answers the oldest call of its tool that waits in the turn which the request goes on with."""
    waiting = paused(open_call("s1", "web_fetch"), open_call("s2"), answer("s2"), open_call("s3"), open_call("s4"))
    step = turn(server_result("web_search", ["https://a.example"]), server_result("web_search", error="unavailable"))
    assert [block["tool_use_id"] for block in content(step, asked(ASK, waiting))] == ["s3", "s4"]


def test_a_call_of_this_reply_can_be_answered_later_in_it() -> None:
    """A result that stands by itself answers a call that came before it in the same reply."""
    step = turn(server_call("web_search", "q"), say("a moment"), server_result("web_search", []))
    blocks = content(step)
    assert blocks[2]["tool_use_id"] == blocks[0]["id"]


@pytest.mark.parametrize(
    "messages",
    [
        [ASK],
        [ASK, paused(open_call("s1", "web_fetch"))],
        [ASK, paused(open_call("s1"), answer("s1"))],
        [ASK, paused(open_call("s1")), {"role": "user", "content": "never mind"}],
    ],
    ids=["no call", "a call of another tool", "a call that is answered", "a call of an earlier turn"],
)
def test_a_result_that_no_call_waits_for_is_the_scripts_fault(messages: list[Any]) -> None:
    """Where nothing waits, the error says what may be wrong."""
    with pytest.raises(ScriptError, match="the script has a web_search_tool_result, but no call waits for it"):
        composed(turn(server_result("web_search", [])), asked(*messages))


def test_open_calls_go_back_over_results() -> None:
    """A turn that waits for code goes back over user messages of results alone, and no further."""
    messages = [
        paused(open_call("old")),
        ASK,
        paused(open_call("s1", "code_execution"), open_call("m1", "ask", "mcp_tool_use")),
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t"}]},
        paused(answer("m1", "mcp_tool_result")),
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "u"}]},
    ]
    assert [call["id"] for call in open_calls(messages)] == ["s1"]


def test_code_that_calls_tools() -> None:
    """Its calls name it; code of an earlier reply goes on; at last its own result comes."""
    first = content(turn(by_code("await f()", call("f", a=1), call("g"))))
    assert [block["type"] for block in first] == ["server_tool_use", "tool_use", "tool_use"]
    caller = {"type": "code_execution_20260120", "tool_id": first[0]["id"]}
    assert [block["caller"] for block in first[1:]] == [caller, caller]
    results = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": block["id"]} for block in first[1:]]}
    history = [ASK, {"role": "assistant", "content": first}, results]
    again = content(turn(by_code(None, call("f"), call("g"))), asked(*history))
    assert [block["caller"] for block in again] == [caller, caller]
    (done, _) = content(turn(server_result("code_execution", "3"), say("ok")), asked(*history))
    assert done["tool_use_id"] == first[0]["id"]


def test_the_callers_generation_is_that_of_the_tool() -> None:
    """With the tool of 2025 the caller is of 2025."""
    request = asked(tools=[{"type": "code_execution_20250825", "name": "code_execution"}])
    assert content(turn(by_code("x", call("f"))), request)[1]["caller"]["type"] == "code_execution_20250825"


def test_code_that_does_not_run_cannot_go_on() -> None:
    """by_code(None, ...) needs code in the history."""
    with pytest.raises(ScriptError, match="none waits there"):
        composed(turn(by_code(None, call("f"))))


# what is minted


def test_redacted_thinking_differs_from_block_to_block() -> None:
    """No two blocks of a run have the same data, and a run is the same every time."""
    first = composed(turn(redacted(), redacted(), say("a")))
    second = composed(turn(redacted(), say("a")), minted=first.minted)
    sealed = [block["data"] for made in (first, second) for block in made.message["content"][:-1]]
    assert len({*sealed}) == 3
    assert all(len(data) >= 200 and data.startswith("E") for data in sealed)
    assert composed(turn(redacted(), redacted(), say("a"))) == first


def test_uploads_are_counted() -> None:
    """A file without an id gets the next one; a given id stays and counts nothing."""
    made = composed(turn(upload(), upload("file_mine"), upload()))
    assert [block["file_id"] for block in made.message["content"]] == ["file_0001", "file_mine", "file_0002"]
    assert made.minted.files == 2


@pytest.mark.parametrize(
    "step",
    [turn(upload()), turn(server_call("bash_code_execution", "ls", "a")), turn(by_code("x", call("f")))],
    ids=["an upload", "a shell", "code that calls"],
)
def test_code_runs_in_a_container(step: Turn) -> None:
    """A new container is counted, the request's own is told again with its skills; what runs no code has none."""
    made = composed(step)
    assert made.message["container"] == {"id": "container_0001", "expires_at": "2099-01-01T00:00:00Z"}
    assert made.minted.containers == 1
    assert composed(step, asked(container="c1")).message["container"]["id"] == "c1"
    skills = [{"type": "anthropic", "skill_id": "xlsx"}]
    again = composed(step, asked(container={"id": "c2", "skills": skills}))
    assert again.message["container"]["id"] == "c2"
    assert again.message["container"]["skills"] == [{"version": "latest", **skills[0]}]
    assert again.minted.containers == 0
    assert "container" not in composed(turn(search("q"))).message


def test_code_that_goes_on_is_in_its_container() -> None:
    """A reply that only holds calls of running code, or its result, tells the container too."""
    waiting = [ASK, paused(open_call("s1", "code_execution"))]
    for step in (turn(by_code(None, call("f"))), turn(server_result("code_execution", "3"))):
        assert composed(step, asked(*waiting, container="c1")).message["container"]["id"] == "c1"


def test_a_fallback_says_who_served() -> None:
    """The message's model is the last one that took over; each hop begins with the one before."""
    message = composed(turn(fallback("claude-opus-5"), fallback("claude-sonnet-5", category="bio"), say("x"))).message
    assert message["model"] == "claude-sonnet-5"
    assert [(block["from"]["model"], block["to"]["model"]) for block in message["content"][:2]] == [
        (MODEL, "claude-opus-5"),
        ("claude-opus-5", "claude-sonnet-5"),
    ]
    given_ = content(turn(fallback("claude-opus-5", by="claude-mythos-5")))
    assert given_[0]["from"] == {"model": "claude-mythos-5"}


def test_a_summary_is_sealed_as_it_was_asked_for() -> None:
    """On demand it is signed, with its tool changes; otherwise it has encrypted content; a failed one has neither."""
    (plain,) = content(compact("so far"))
    (demanded,) = content(compact("so far"), asked(compaction={"type": "summarize"}))
    assert demanded == {"type": "compaction", "content": "so far", "signature": seal("so far"), "tool_changes": []}
    assert plain.keys() == {"type", "content", "encrypted_content"}
    assert plain["encrypted_content"].startswith("E")
    assert content(compact(None)) == [{"type": "compaction", "content": None}]
    assert content(compact("x", encrypted_content="mine"))[0]["encrypted_content"] == "mine"


def test_context_edits_are_reported_where_they_were_asked_for() -> None:
    """A request with context_management gets an answer to it, any other none."""
    edits = {"edits": [{"type": "clear_tool_uses_20250919"}]}
    message = composed(turn(say("x")), asked(context_management=edits)).message
    assert message["context_management"] == {"applied_edits": []}
    assert "context_management" not in composed(turn(say("x"))).message


# inputs to the letter


def test_the_text_of_an_input_comes_along() -> None:
    """By the block's position in the message, whatever stands before it."""
    made = composed(turn(search("q"), call("x", '{"a": 1.10}'), call("y", a=1)))
    assert made.texts == {2: '{"a": 1.10}'}
    assert made.message["content"][2]["input"] == {"a": 1.1}


@pytest.mark.parametrize(
    ("headers", "input"),
    [({}, {"a": 1}), ({"anthropic-beta": "x,fine-grained-tool-streaming-2025-05-14"}, {"a": 1, "b": "two"})],
    ids=["usual", "fine-grained"],
)
def test_a_cut_input_is_what_the_sdk_makes_of_it(headers: dict[str, str], input: dict[str, object]) -> None:
    """With fine-grained streaming the SDK keeps a string that is cut, without it does not."""
    step = truncated(call("x", '{"a": 1, "b": "two words"}'), keep=18)
    assert step.blocks[0].text == '{"a": 1, "b": "two'
    assert content(step, asked(headers=headers))[0]["input"] == input


TEXTS = {
    '{"a": 1e400}': '{"a": 1e400}',
    '{"n": 12345678901234567890123}': '{"n": 12345678901234567890123}',
    '{ "s" : "\\u0000" }': '{ "s" : "\\u0000" }',
    '{"x": 1': '{"x":1}',
    "": "{}",
}
"""Inputs to the letter, and what stands for them in a JSON body."""


@given(st.lists(st.sampled_from([*TEXTS]), max_size=4), st.sampled_from(["Hi", "\x00", "\x000", "\x00\x001"]))
def test_a_body_holds_inputs_to_the_letter(inputs: list[str], said: str) -> None:
    """Text that is JSON stands in the body as it was written; text that is none as what can be read of it."""
    made = composed(turn(say(said), *(call("x", text) for text in inputs)))
    body = body_of(made.message, made.texts).decode()
    blocks = json.loads(body)["content"]
    assert blocks[0]["text"] == said
    place = 0
    for text in inputs:
        place = body.index(f'"input":{TEXTS[text]}', place) + 1


def test_a_body_without_texts_is_the_message() -> None:
    """Nothing is changed where there is nothing to change."""
    message = composed(turn(say("a"), call("b", c=2**70))).message
    assert json.loads(body_of(message)) == message

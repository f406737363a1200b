"""The engine: bytes in, bytes out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playhead import Request, RequestLimitReached, Rule, ScriptError, call, reply, say, turn
from playhead.engine.engine import Engine, Settings
from playhead.engine.http import Incoming, Outgoing
from playhead.rules.choice import choose
from playhead.rules.registry import RULES
from playhead.rules.rule import Finding, RequestView
from playhead.script.script import as_script
from playhead.wire.sse import decode_events
from playhead.wire.stream import accumulate, event_data

MODEL = "claude-opus-5-5"
TOOLS = [{"name": "add", "input_schema": {"type": "object"}}]
ASK = {"role": "user", "content": "What is 1 + 2?"}


def engine_of(script: object, **options: Any) -> Engine:
    return Engine(as_script(script), Settings(**options))


HEADERS = {
    "x-api-key": "k",
    "anthropic-version": "2023-06-01",
    "anthropic-beta": "context-management-2025-06-27,message-threads-2026-08-12",
}


def incoming(body: object, path: str = "/v1/messages", method: str = "POST") -> Incoming:
    raw = body if isinstance(body, bytes) else json.dumps(body, separators=(",", ":")).encode()
    return Incoming(method=method, path=path, headers=HEADERS, body=raw)


def body_of(messages: Sequence[object], **members: object) -> dict[str, object]:
    return {"model": MODEL, "max_tokens": 64, "messages": list(messages), "tools": TOOLS, **members}


def value_of(answer: Outgoing) -> Any:
    return json.loads(answer.body)


@dataclass
class Loop:
    """The client's side: a history that grows by what is answered."""

    engine: Engine
    messages: list[object] = field(default_factory=lambda: [ASK])

    def ask(self, **members: object) -> Outgoing:
        return self.engine.answer(incoming(body_of(self.messages, **members)))

    def turn(self, text: str = "5") -> dict[str, Any]:
        """Asks, appends the reply, and answers its calls, or says something."""
        message: dict[str, Any] = value_of(self.ask())
        self.messages.append({"role": "assistant", "content": message["content"]})
        results = [
            {"type": "tool_result", "tool_use_id": block["id"], "content": text}
            for block in message["content"]
            if block["type"] == "tool_use"
        ]
        self.messages.append({"role": "user", "content": results or text})
        return message


def test_the_first_answer_to_the_byte() -> None:
    """The same request to the same script gives these bytes, on every machine and every day."""
    answer = engine_of([say("Hi")]).answer(incoming(body_of([ASK])))
    assert answer.status == 200
    assert answer.headers == {"content-type": "application/json", "request-id": "req_0001"}
    assert answer.body == (
        b'{"id":"msg_0001","type":"message","role":"assistant","model":"claude-opus-5-5",'
        b'"content":[{"type":"text","text":"Hi"}],"stop_reason":"end_turn","stop_sequence":null,"stop_details":null,'
        b'"usage":{"input_tokens":347,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,'
        b'"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0},"output_tokens":5,'
        b'"service_tier":"standard","inference_geo":"global","output_tokens_details":{"thinking_tokens":0}}}'
    )


def test_a_stream_says_the_same_as_json() -> None:
    """`stream: true` changes the shape of the answer, not the message."""
    script = [turn(say("a"), call("add", a=1))]
    as_json = value_of(engine_of(script).answer(incoming(body_of([ASK]))))
    answer = engine_of(script).answer(incoming(body_of([ASK], stream=True)))
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert accumulate(map(event_data, decode_events(answer.body))).message == as_json


def test_a_conversation_is_played_and_kept() -> None:
    """Steps follow the requests, ids and request ids count on, and each exchange holds both sides."""
    loop = Loop(engine_of([call("add", a=1, b=2), call("add", a=3, b=3), say("Done")]))
    messages = [loop.turn(), loop.turn(), loop.turn()]
    assert [message["id"] for message in messages] == ["msg_0001", "msg_0002", "msg_0003"]
    assert [block["id"] for message in messages[:2] for block in message["content"]] == ["toolu_0001", "toolu_0002"]
    session = loop.engine.session
    assert [exchange.number for exchange in session.exchanges] == [1, 2, 3]
    assert [exchange.response for exchange in session.exchanges] == messages
    assert session.exchanges[0].request == body_of([ASK])
    assert session.exchanges[0].headers == HEADERS
    assert [len(exchange.messages) for exchange in session.exchanges] == [1, 3, 5]
    assert [turn_.number for turn_ in session.turns] == [1, 2, 3]
    assert loop.engine.violations == ()
    assert loop.engine.players.first.unplayed == ()


def test_usage_follows_what_was_sent() -> None:
    """The input is weighed by messages, system and tools, so a longer history costs more; parameters cost nothing."""
    engine = engine_of(lambda request: say("x"), share="any")

    def weight(**members: object) -> int:
        count: int = value_of(engine.answer(incoming(body_of([ASK], **members))))["usage"]["input_tokens"]
        return count

    plain = weight()
    assert weight(metadata={"user_id": "u" * 400}) == plain
    assert weight(system="s" * 400) == plain + 134
    assert weight(tools=[]) < plain


def test_marks_are_cached_from_turn_to_turn() -> None:
    """A mark that moves with the conversation: stored once, then read; `count_tokens` counts all of it."""
    engine = engine_of(lambda request: say("x"))
    messages: list[Any] = []
    usages = []
    for number in range(3):
        messages = [{**m, "content": [{"type": "text", "text": m["content"][0]["text"]}]} for m in messages]
        mark = {"cache_control": {"type": "ephemeral"}}
        messages.append({"role": "user", "content": [{"type": "text", "text": f"{number} " * 50, **mark}]})
        message = value_of(engine.answer(incoming(body_of(messages))))
        usages.append(message["usage"])
        messages.append({"role": "assistant", "content": message["content"]})
    stored, read = "cache_creation_input_tokens", "cache_read_input_tokens"
    assert [usage["input_tokens"] for usage in usages] == [0, 0, 0]
    assert usages[0][read] == 0
    assert [usage[read] for usage in usages[1:]] == [usage[read] + usage[stored] for usage in usages[:-1]]
    counting = {key: value for key, value in body_of(messages[:-1]).items() if key != "max_tokens"}
    counted = value_of(engine.answer(incoming(counting, "/v1/messages/count_tokens")))["input_tokens"]
    assert counted == usages[-1][read] + usages[-1][stored]
    assert engine.violations == ()


def test_a_body_that_lacks_what_others_had_is_refused() -> None:
    """However many members those had that were good."""
    engine = engine_of(lambda request: say("a"), share="any")
    model, limit, messages = {"model": MODEL}, {"max_tokens": 9}, {"messages": [ASK]}
    bodies = [{**model, **messages}, {**model, **limit}, {**model, **limit, **messages}]
    order = (0, 1, 2, 0, 1, 2, 2, 1, 0)
    assert [engine.answer(incoming(bodies[at])).status for at in order] == [(400, 400, 200)[at] for at in order]


def test_what_a_function_puts_into_a_request_was_not_sent() -> None:
    """It is no part of what the conversation goes on with, although others came between."""

    def play(request: Request) -> object:
        request.body["messages"].append({"role": "user", "content": "inserted"})
        return say(f"{len(seen)}")

    engine = engine_of(play, share="any")
    asked: list[object] = [ASK]
    seen: list[object] = []
    for turn_number in range(3):
        engine.answer(incoming(body_of([{"role": "user", "content": f"another {turn_number}"}])))
        answer = value_of(engine.answer(incoming(body_of(asked))))
        seen.append([*engine.exchanges[-1].messages[: len(asked)]])
        assert seen[-1] == asked
        asked = [*asked, {"role": "assistant", "content": answer["content"]}, {"role": "user", "content": "on"}]
    assert engine.violations == ()


def test_a_refusal_plays_nothing() -> None:
    """The API's answer, the violation kept, the step still to come, and the mended request goes on."""
    loop = Loop(engine_of([call("add"), say("Done")]))
    loop.turn()
    good = list(loop.messages)
    loop.messages[-1] = {"role": "user", "content": "never mind"}
    answer = loop.ask()
    assert answer.status == 400
    assert answer.headers["x-should-retry"] == "false"
    assert value_of(answer) == {
        "type": "error",
        "error": {
            "type": "invalid_request_error",
            "message": "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: "
            "toolu_0001. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
        },
        "request_id": "req_0002",
    }
    assert [violation.rule for violation in loop.engine.violations] == ["tool-use-unanswered"]
    assert loop.engine.players.first.unplayed == (turn(say("Done")),)
    loop.messages = good
    assert loop.turn()["content"] == [{"type": "text", "text": "Done"}]
    assert [violation.rule for violation in loop.engine.violations] == ["tool-use-unanswered"]


def test_a_lenient_engine_answers_what_it_would_refuse() -> None:
    """`strict=False` plays on, and still says what was wrong."""
    loop = Loop(engine_of([call("add"), say("Done")], strict=False))
    loop.turn()
    loop.messages[-1] = {"role": "user", "content": "never mind"}
    assert loop.ask().status == 200
    assert [violation.rule for violation in loop.engine.violations] == ["tool-use-unanswered"]


def test_a_broken_loop_is_answered() -> None:
    """What the API takes is answered, whatever it says about the loop."""
    loop = Loop(engine_of([say("a"), say("b")]))
    loop.turn()
    loop.messages = [{"role": "user", "content": "something else"}]
    assert loop.ask().status == 200
    assert [violation.rule for violation in loop.engine.violations] == ["history-resent-in-full"]


def test_the_end_of_the_script() -> None:
    """Every request after the last step gets a 400 that no client tries again."""
    loop = Loop(engine_of([say("a")]))
    loop.turn()
    for number in (2, 3):
        answer = loop.ask()
        assert (answer.status, answer.headers["x-should-retry"]) == (400, "false")
        assert value_of(answer)["error"] == {
            "type": "invalid_request_error",
            "message": "Playhead: the script is over: its one step was played, and the loop asks again; add a step, "
            "or end the loop",
        }
        assert value_of(answer)["request_id"] == f"req_000{number}"
    assert len(loop.engine.over) == 2


@pytest.mark.parametrize("path", ["/v1/messages", "/v1/messages?beta=true", "/v1/messages/", "/gateway/v1/messages"])
def test_every_way_to_write_the_path(path: str) -> None:
    """A query, a closing slash and a base URL with a path of its own change nothing."""
    engine = engine_of([say("a")])
    assert engine.answer(incoming(body_of([ASK]), path)).status == 200
    assert engine.exchanges[0].path == path


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/messages"),
        ("GET", "/v1/files"),
        ("POST", "/v1/complete"),
        ("POST", "/v1/messages/batches"),
        ("POST", "/"),
        ("GET", "/model/anthropic.claude-opus-5-5/invoke"),
        ("POST", "/model/anthropic.claude-opus-5-5/converse"),
        ("GET", "/v1/projects/p/locations/l/publishers/anthropic/models/claude-opus-5-5:rawPredict"),
        ("POST", "/v1/projects/p/locations/l/publishers/anthropic/models/claude-opus-5-5:predict"),
    ],
)
def test_unknown_endpoints(method: str, path: str) -> None:
    """404 in the API's words without a second try, kept as the test's fault, and no step is played."""
    engine = engine_of([say("a")])
    answer = engine.answer(incoming(b"", path, method))
    assert (answer.status, answer.headers["x-should-retry"]) == (404, "false")
    assert value_of(answer)["error"] == {"type": "not_found_error", "message": "Not Found"}
    assert [str(error) for error in engine.errors] == [
        f"request 1 is {method} {path}, and the fake plays POST /v1/messages, POST /v1/messages/count_tokens "
        "and GET /v1/models; it was answered with a 404"
    ]
    assert engine.players.first.played == 0
    assert engine.exchanges[0].status == 404


@pytest.mark.parametrize(("method", "path"), [("HEAD", "/"), ("HEAD", "/v1/messages"), ("GET", "/"), ("GET", "")])
def test_looking_whether_anybody_is_there(method: str, path: str) -> None:
    """A 404 that is nobody's fault, without a body where none may come; it is an exchange all the same."""
    engine = engine_of([say("a")])
    answer = engine.answer(incoming(b"", path, method))
    assert (answer.status, bool(answer.body)) == (404, method == "GET")
    assert (engine.errors, engine.violations) == ([], ())
    assert [(exchange.method, exchange.status) for exchange in engine.exchanges] == [(method, 404)]
    assert engine.answer(incoming(body_of([ASK]))).status == 200


@pytest.mark.parametrize(
    "raw",
    [b"", b"{", b"[1]", b'"text"', b"null", b"\xff\xfe", b'{"messages": [}', b"[" * 100_000],
    ids=["empty", "open", "array", "string", "null", "no text", "broken inside", "deep"],
)
def test_what_is_no_json_object(raw: bytes) -> None:
    """A 400 in the API's shape, kept, and the conversation can go on."""
    engine = engine_of([say("a")])
    answer = engine.answer(incoming(raw))
    assert (answer.status, answer.headers["x-should-retry"]) == (400, "false")
    assert value_of(answer)["error"]["message"].startswith("The request body is not valid JSON: ")
    assert [str(error)[:25] for error in engine.errors] == ["request 1 cannot be read."]
    assert engine.exchanges[0].request is None
    assert engine.answer(incoming(body_of([ASK]))).status == 200


def test_counting_tokens_is_no_part_of_the_conversation() -> None:
    """Counts play no step and break no history; they are judged for themselves."""
    loop = Loop(engine_of([call("add"), say("Done")]))
    counted = loop.engine.answer(incoming(body_of(loop.messages), "/v1/messages/count_tokens"))
    first = loop.turn()
    assert value_of(counted) == {"input_tokens": first["usage"]["input_tokens"]}
    loop.engine.answer(incoming(body_of([ASK]), "/v1/messages/count_tokens?beta=true"))
    assert loop.turn()["stop_reason"] == "end_turn"
    assert loop.engine.violations == ()
    assert len(loop.engine.session.turns) == 2
    assert len(loop.engine.exchanges) == 4


def test_counting_with_context_management() -> None:
    """The beta's extra member is there when it was asked for."""
    answer = engine_of([]).answer(incoming(body_of([ASK], context_management={}), "/v1/messages/count_tokens"))
    assert value_of(answer)["context_management"] == {"original_input_tokens": value_of(answer)["input_tokens"]}


def test_a_broken_count_is_refused() -> None:
    """The same rules hold for a count, `max_tokens` aside."""
    engine = engine_of([])
    orphan = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_9", "content": "x"}]}
    body = body_of([orphan])
    del body["max_tokens"]
    assert engine.answer(incoming(body, "/v1/messages/count_tokens")).status == 400
    assert [violation.rule for violation in engine.violations] == ["tool-result-orphan", "trim-keeps-pairs"]


@pytest.mark.parametrize(
    "thread", [{"type": "create"}, {"type": "continue", "previous_message_id": "msg_0001"}], ids=lambda t: t["type"]
)
def test_threads_are_turned_down(thread: dict[str, str]) -> None:
    """The error that makes the SDK's tool runner go on without a thread; no step is played, nothing is wrong."""
    engine = engine_of([say("a")], threads=False)
    answer = engine.answer(incoming(body_of([ASK], thread=thread)))
    assert answer.status == 400
    assert value_of(answer)["error"]["details"] == {
        "error_code": "thread_unsupported_request",
        "unsupported": ["thread"],
    }
    assert (engine.players.first.played, engine.errors, engine.violations) == (0, [], ())
    assert engine.answer(incoming(body_of([ASK]))).status == 200
    assert engine.exchanges[1].retry_of == 1
    assert engine.violations == ()


def test_a_tool_that_is_not_offered_is_the_scripts_fault() -> None:
    """The script is refused with the way out, and the failure is kept."""
    engine = engine_of([call("sum")])
    answer = engine.answer(incoming(body_of([ASK])))
    assert answer.status == 400
    assert value_of(answer)["error"]["message"].startswith("Playhead: step 1 calls 'sum', but the request offers add:")
    assert len(engine.errors) == 1


def test_a_tool_offered_before_counts_as_offered() -> None:
    """Where the loop forgot to send tools again, that is the fault to tell, not the script's call."""
    loop = Loop(engine_of([call("add"), call("add")]))
    loop.turn()
    assert loop.ask(tools=[]).status == 200
    assert loop.engine.errors == []
    assert "tools-resent-every-call" in [violation.rule for violation in loop.engine.violations]


def test_an_invented_tool_in_an_unchecked_reply() -> None:
    """`check=False` sends a call of a tool that nobody offered."""
    message = {"content": [{"type": "tool_use", "id": "toolu_x", "name": "invented", "input": {}}]}
    answer = engine_of([reply(message, check=False)]).answer(incoming(body_of([ASK])))
    assert value_of(answer) == message


def test_a_function_of_the_script_sees_what_came() -> None:
    """Body, lower-case headers, path, number of the exchange and of the turn."""
    seen: list[Request] = []

    def answer(request: Request) -> object:
        seen.append(request)
        return say(request.text.upper())

    loop = Loop(engine_of(answer))
    assert loop.turn("and now?")["content"] == [{"type": "text", "text": "WHAT IS 1 + 2?"}]
    assert loop.turn()["content"] == [{"type": "text", "text": "AND NOW?"}]
    assert [(request.number, request.turn, request.path) for request in seen] == [
        (1, 1, "/v1/messages"),
        (2, 2, "/v1/messages"),
    ]
    assert seen[0].body == body_of([ASK])
    assert seen[0].headers == HEADERS


def test_a_function_that_raises() -> None:
    """Its error is answered and kept; the transport raises nothing."""

    def answer(request: Request) -> object:
        raise LookupError("gone")

    engine = engine_of(answer)
    reply_ = engine.answer(incoming(body_of([ASK])))
    assert value_of(reply_)["error"]["message"] == "Playhead: the script's function raised LookupError: gone"
    assert [str(error) for error in engine.errors] == ["the script's function raised LookupError: gone"]


def _broken_check(view: RequestView) -> Iterator[Finding]:
    raise LookupError("no such table")


def _unfilled_check(view: RequestView) -> Iterator[Finding]:
    yield Finding(path="$", what="x")


@pytest.mark.parametrize(
    ("rule", "error"),
    [
        (Rule(id="mine", level="broken", fix="x", request=_broken_check), "LookupError: no such table"),
        (Rule(id="mine", level="broken", fix="use {what_is_not_given}", request=_unfilled_check), "KeyError"),
    ],
    ids=["a check that raises", "a fix that cannot be filled"],
)
def test_a_rule_that_fails_is_told(rule: Rule, error: str) -> None:
    """An error in a rule of the test's own is answered and kept, where the SDK would say "Connection error."."""
    engine = engine_of([say("a")], rules=(*RULES, rule))
    answer = engine.answer(incoming(body_of([ASK])))
    assert (answer.status, answer.headers["x-should-retry"]) == (400, "false")
    assert value_of(answer)["error"]["message"].startswith(f"Playhead: a rule failed on request 1 with {error}")
    assert len(engine.errors) == 1


def test_the_cap() -> None:
    """The request beyond the cap, and every one after it, raises what no loop swallows; the rule is then broken."""
    loop = Loop(engine_of(lambda request: say("more"), limit=3))
    for _ in range(3):
        loop.turn()
    assert not loop.engine.violations
    for _ in range(2):
        with pytest.raises(RequestLimitReached) as caught:
            loop.ask()
        assert caught.value.limit == 3
    assert len(loop.engine.exchanges) == 3
    assert [(violation.rule, violation.exchange) for violation in loop.engine.violations] == [("loop-bounded", 3)]


def test_the_cap_counts_every_request() -> None:
    """Refused, unreadable and unknown ones too: a loop that hammers the wrong endpoint ends as well."""
    engine = engine_of([], limit=3)
    for body, path in [(b"{", "/v1/messages"), (b"", "/nowhere"), (body_of([]), "/v1/messages")]:
        engine.answer(incoming(body, path))
    with pytest.raises(RequestLimitReached):
        engine.answer(incoming(body_of([ASK])))


def test_what_was_run() -> None:
    """A run belongs to the latest call of its name and input that has not been run."""
    loop = Loop(engine_of([turn(call("add", a=1), call("add", a=1), call("add", a=2)), say("x")]))
    loop.engine.watching = True
    loop.turn()
    loop.engine.ran("add", {"a": 2}, "two")
    loop.engine.ran("add", {"a": 1}, "one")
    loop.engine.ran("add", {"a": 1}, {"raised": "again"})
    exchange = loop.engine.exchanges[0]
    assert exchange.tools_run == ("toolu_0003", "toolu_0001", "toolu_0002")
    assert exchange.results == {"toolu_0003": "two", "toolu_0001": "one", "toolu_0002": {"raised": "again"}}
    assert loop.engine.strays == []


def test_a_run_with_other_input_belongs_to_its_name() -> None:
    """A loop may add defaults to an input: the name alone then decides."""
    loop = Loop(engine_of([call("add", a=1)]))
    loop.turn()
    loop.engine.ran("add", {"a": 1, "b": 0}, "x")
    assert loop.engine.exchanges[0].tools_run == ("toolu_0001",)


def test_a_stray_run() -> None:
    """What nobody asked for is kept apart: another name, or an input that no call had."""
    loop = Loop(engine_of([call("add", a=1)]))
    loop.turn()
    loop.engine.ran("sub", {"a": 1}, "x")
    loop.engine.ran("add", {"a": 1}, "x")
    loop.engine.ran("add", {"a": 2}, "x")
    assert loop.engine.strays == ["sub", "add"]


def test_a_call_that_is_run_again() -> None:
    """The second run of a call is noted with the newest answer, whichever that is, and is a violation."""
    loop = Loop(engine_of([call("add", a=1), call("add", a=2), say("done")]))
    loop.engine.watching = True
    loop.turn()
    loop.engine.ran("add", {"a": 1}, "x")
    loop.engine.ran("add", {"a": 1}, "x")
    assert loop.engine.exchanges[0].tools_run == ("toolu_0001", "toolu_0001")
    assert [(v.rule, v.exchange) for v in loop.engine.violations] == [("answer-every-tool-use-once", 1)]
    loop.turn()
    loop.engine.ran("add", {"a": 2}, "y")
    loop.turn()
    loop.engine.ran("add", {"a": 2}, "y")
    assert [exchange.tools_run for exchange in loop.engine.exchanges][1:] == [("toolu_0002",), ("toolu_0002",)]
    assert [(v.rule, v.exchange) for v in loop.engine.violations][1:] == [("answer-every-tool-use-once", 3)]
    assert loop.engine.strays == []


def test_a_run_with_the_input_of_another_call_belongs_to_the_open_one() -> None:
    """A loop that mixes up its inputs runs the open call with the wrong one; it has run nothing twice."""
    loop = Loop(engine_of([turn(call("add", a=1), call("add", a=2))]))
    loop.engine.watching = True
    loop.turn()
    loop.engine.ran("add", {"a": 1}, "x")
    loop.engine.ran("add", {"a": 1}, "x")
    assert loop.engine.exchanges[0].tools_run == ("toolu_0001", "toolu_0002")
    assert not loop.engine.violations


def test_a_tool_run_after_a_cut_reply() -> None:
    """Only counting sees it: the last call of a cut reply was run."""
    loop = Loop(engine_of([turn(call("add", a=1), stop_reason="max_tokens")]))
    loop.engine.watching = True
    loop.turn()
    assert not loop.engine.violations
    loop.engine.ran("add", {"a": 1}, "x")
    assert [(v.rule, v.exchange) for v in loop.engine.violations] == [("max-tokens-no-tool-execution", 1)]


def test_what_a_watched_tool_returned_is_known_to_the_next_request() -> None:
    """A result that is not what the tool returned is found when it is sent."""
    loop = Loop(engine_of([call("add", a=1), say("done")]))
    loop.engine.watching = True
    loop.turn("{'sum': None}")
    loop.engine.ran("add", {"a": 1}, {"sum": None})
    loop.turn()
    assert [(v.rule, v.level) for v in loop.engine.violations] == [("tool-result-tells-value", "broken")]


def test_interleaved_conversations_are_told_apart() -> None:
    """Two conversations in turns, each whole: nothing is wrong, and the session holds both."""
    engine = engine_of(lambda request: say(f"to {request.text}"), share="any")
    left, right = Loop(engine, [{"role": "user", "content": "L"}]), Loop(engine, [{"role": "user", "content": "R"}])
    for _ in range(4):
        left.turn("L again")
        right.turn("R again")
    assert engine.violations == ()
    assert [len(conversation.turns) for conversation in engine.session.conversations] == [4, 4]


def test_a_fork_is_no_dropped_history() -> None:
    """Going back to an earlier point and on from there with other words is a branch of the same conversation."""
    loop = Loop(engine_of(lambda request: say("ok")))
    loop.turn()
    earlier = list(loop.messages)
    loop.turn("one way")
    loop.messages = [*earlier[:-1], {"role": "user", "content": "another way"}]
    loop.turn()
    assert loop.engine.violations == ()
    assert len(loop.engine.session.conversations) == 1


@pytest.mark.parametrize("marked", [False, True], ids=["plain", "moving-cache-mark"])
def test_a_long_conversation_is_read_once(marked: bool) -> None:
    """Over 300 turns each message is parsed once, not 300 times: what is resent is the same object in each request."""
    engine = engine_of(lambda request: call("add", a=request.number), limit=400)
    messages: list[Any] = [{"role": "user", "content": [{"type": "text", "text": "Add."}]}]
    for _ in range(300):
        last = messages[-1]
        mark = {**last, "content": [{**last["content"][0], "cache_control": {"type": "ephemeral"}}]}
        message = value_of(engine.answer(incoming(body_of([*messages[:-1], mark if marked else last]))))
        result = {"type": "tool_result", "tool_use_id": message["content"][0]["id"], "content": "x" * 100}
        messages += [{"role": "assistant", "content": message["content"]}, {"role": "user", "content": [result]}]
    assert engine.violations == ()
    for before, now in pairwise(exchange.messages for exchange in engine.exchanges):
        # a message that had a mark comes again as another one, whatever stands before it does not
        old = len(before) - marked
        assert all(one is other for one, other in zip(before[:old], now, strict=False))
        assert len(now) == len(before) + 2


TEXT = st.text(max_size=8)
BLOCKS = st.one_of(
    st.builds(say, TEXT.filter(str.strip)),
    st.builds(lambda value: call("add", value=value), st.integers() | TEXT | st.lists(st.integers(), max_size=2)),
)
SCRIPTS = st.lists(st.lists(BLOCKS, min_size=1, max_size=3).map(lambda blocks: turn(*blocks)), min_size=1, max_size=4)


@settings(max_examples=50, deadline=None)
@given(SCRIPTS)
def test_two_runs_are_identical(script: list[Any]) -> None:
    """The same requests in the same order get the same bytes."""

    def run() -> list[bytes]:
        loop = Loop(engine_of(script))
        answers = []
        for _ in script:
            answers.append(loop.engine.answer(incoming(body_of(loop.messages))).body)
            content = json.loads(answers[-1])["content"]
            results = [
                {"type": "tool_result", "tool_use_id": block["id"], "content": "x"}
                for block in content
                if block["type"] == "tool_use"
            ]
            loop.messages += [{"role": "assistant", "content": content}, {"role": "user", "content": results or "go"}]
        assert loop.engine.violations == ()
        return answers

    assert run() == run()


MEMBERS = st.sampled_from(["role", "content", "type", "text", "id", "name", "input", "tool_use_id", "x"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(MEMBERS, inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=300, deadline=None)
@given(
    st.dictionaries(st.sampled_from(["messages", "model", "max_tokens", "system", "tools", "thread", "stream"]), JSON),
    st.booleans(),
    st.sampled_from(["/v1/messages", "/v1/messages/count_tokens"]),
)
def test_no_request_makes_the_engine_raise(body: dict[str, Any], strict: bool, path: str) -> None:
    """Whatever a loop sends is answered: an error raised in a transport would be hidden by the SDK."""
    engine = engine_of(lambda request: say(request.text), strict=strict)
    for _ in range(2):
        assert engine.answer(incoming(body, path)).status in (200, 400)
    assert engine.errors == []
    assert [exchange.request for exchange in engine.exchanges] == [body, body]


def test_an_ignored_rule_neither_refuses_nor_is_kept() -> None:
    """The request passes as if the rule did not exist."""
    loop = Loop(engine_of([call("add"), say("Done")], rules=choose(ignore=["tool-use-unanswered"])))
    loop.turn()
    loop.messages[-1] = {"role": "user", "content": "never mind"}
    assert loop.ask().status == 200
    assert loop.engine.violations == ()


def test_errors_are_of_the_tests_fault() -> None:
    """What the engine keeps aside as errors are ScriptErrors, which name the script and not the loop."""
    engine = engine_of([call("sum")])
    engine.answer(incoming(body_of([ASK])))
    assert all(isinstance(error, ScriptError) for error in engine.errors)

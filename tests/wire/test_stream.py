"""Messages to stream events and back, against the accumulation of the real SDK."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playhead.wire.codec import JsonError, decode
from playhead.wire.sse import ServerSentEvent, decode_events
from playhead.wire.stream import Accumulator, accumulate, event_bytes, event_data, events_of, stream_bytes, stream_of
from playhead.wire.tables import BLOCKS

Json = dict[str, Any]

WORDS = st.text(max_size=12) | st.sampled_from(["", 'é "\u2028" \\ \U0001f600', "a\nb\r\n", "null", "\x00"])
SCALARS = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(-1e300, 1e300) | WORDS
INPUTS = st.dictionaries(
    WORDS,
    st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3)),
    max_size=3,
)
IDS = st.from_regex(r"[a-z]{1,4}_[0-9]{1,3}", fullmatch=True)
CITATIONS = st.lists(
    st.fixed_dictionaries(
        {
            "type": st.just("char_location"),
            "cited_text": WORDS,
            "document_index": st.integers(0, 3),
            "document_title": WORDS,
            "start_char_index": st.integers(0, 9),
            "end_char_index": st.integers(0, 9),
        }
    ),
    min_size=1,
    max_size=3,
)


def block(name: str, optional: Json | None = None, /, **members: Any) -> st.SearchStrategy[Json]:
    needed: Json = {"type": st.just(name), **members}
    return st.fixed_dictionaries(needed, optional=optional or {})


def called(name: str, /, **members: Any) -> st.SearchStrategy[Json]:
    return block(name, id=IDS, name=WORDS, input=INPUTS, **members)


RESULT_CONTENTS: dict[str, Json] = {
    "code_execution_tool_result": {
        "type": "code_execution_result",
        "content": [],
        "return_code": 0,
        "stderr": "",
        "stdout": "3\n",
    },
    "bash_code_execution_tool_result": {
        "type": "bash_code_execution_result",
        "content": [],
        "return_code": 1,
        "stderr": "no",
        "stdout": "",
    },
    "text_editor_code_execution_tool_result": {
        "type": "text_editor_code_execution_create_result",
        "is_file_update": False,
    },
    "tool_search_tool_result": {"type": "tool_search_tool_search_result", "tool_references": []},
    "web_fetch_tool_result": {"type": "web_fetch_tool_result_error", "error_code": "url_not_allowed"},
    "web_search_tool_result": {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"},
    "advisor_tool_result": {"type": "advisor_result", "text": "do it"},
}
REPLY_BLOCKS: dict[str, st.SearchStrategy[Json]] = {
    "text": block("text", {"citations": st.none() | CITATIONS}, text=WORDS),
    "thinking": block("thinking", thinking=WORDS, signature=WORDS),
    "redacted_thinking": block("redacted_thinking", data=WORDS),
    "tool_use": called("tool_use"),
    "server_tool_use": block("server_tool_use", id=IDS, name=st.just("web_search"), input=INPUTS),
    "mcp_tool_use": called("mcp_tool_use", server_name=WORDS),
    "mcp_tool_result": block("mcp_tool_result", tool_use_id=IDS, is_error=st.booleans(), content=WORDS),
    "mcp_tool_listing": block("mcp_tool_listing", mcp_server_name=WORDS, tools=st.just([])),
    "container_upload": block("container_upload", file_id=IDS),
    "compaction": block("compaction", {"encrypted_content": WORDS}, content=st.none() | WORDS),
    "fallback": st.just(
        {
            "type": "fallback",
            "from": {"model": "claude-opus-5"},
            "to": {"model": "claude-opus-5-5"},
            "trigger": {"type": "refusal"},
        }
    ),
    **{name: block(name, tool_use_id=IDS, content=st.just(content)) for name, content in RESULT_CONTENTS.items()},
}
MESSAGES = st.fixed_dictionaries(
    {
        "id": st.just("msg_1"),
        "type": st.just("message"),
        "role": st.just("assistant"),
        "model": st.just("claude-opus-5-5"),
        "content": st.lists(st.one_of(*REPLY_BLOCKS.values()), max_size=4),
        "stop_reason": st.sampled_from(["end_turn", "tool_use", "max_tokens", "pause_turn", "refusal"]),
        "stop_sequence": st.none() | WORDS,
        "usage": st.fixed_dictionaries(
            {"input_tokens": st.integers(0, 99), "output_tokens": st.integers(0, 99)},
            optional={"cache_read_input_tokens": st.integers(0, 9), "cache_creation_input_tokens": st.integers(0, 9)},
        ),
    },
    optional={"container": st.just({"id": "container_1", "expires_at": "2026-01-01T00:00:00Z"})},
)
PIECES = st.sampled_from([0, 1, 2, 3, 7, 1000])


def message(*content: Json, stop_reason: str = "end_turn", **more: Any) -> Json:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-5-5",
        "content": list(content),
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 3, "output_tokens": 9},
        **more,
    }


CALL = {"type": "tool_use", "id": "toolu_1", "name": "add", "input": {"a": 1, "b": "two"}}


def exactly(value: object) -> str:
    """A text in which 1, 1.0 and true differ."""
    return repr(value) if not isinstance(value, dict) else repr(sorted((k, exactly(v)) for k, v in value.items()))


def test_every_reply_block_is_generated() -> None:
    """The strategy covers each block type that a reply can have."""
    assert set(REPLY_BLOCKS) == {name for name, known in BLOCKS.items() if known.replies}


@given(MESSAGES, PIECES)
def test_events_accumulate_to_the_message(whole: Json, piece: int) -> None:
    """Round trip for every block type, in deltas of every size."""
    made = accumulate(events_of(whole, piece=piece))
    assert exactly(made.message) == exactly(whole)
    assert (made.complete, made.error, made.problems, made.unparsed) == (True, None, [], {})


@given(MESSAGES, PIECES)
def test_events_survive_their_bytes(whole: Json, piece: int) -> None:
    """Written as a stream and read back, the events are the same ones, each under its own name."""
    events = list(events_of(whole, piece=piece))
    read = decode_events(stream_bytes(events))
    assert [event.name for event in read] == [event["type"] for event in events]
    assert exactly([event_data(event) for event in read]) == exactly(events)


@functools.cache
def sdk() -> tuple[Any, list[bytes]]:
    """The SDK's client over a transport that plays the pieces of the list."""
    import anthropic
    import httpx2

    pieces: list[bytes] = []

    class Pieces(httpx2.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            return iter(pieces)

    class Wire(httpx2.BaseTransport):
        def handle_request(self, request: httpx2.Request) -> httpx2.Response:
            return httpx2.Response(200, headers={"content-type": "text/event-stream"}, stream=Pieces())

    http_client = anthropic.DefaultHttpxClient(transport=Wire())
    return anthropic.Anthropic(api_key="none", http_client=http_client, max_retries=0), pieces


def sdk_accumulates(body: bytes, size: int = 0) -> Json:
    """What the SDK's stream helper makes of these bytes, arriving in pieces of this size."""
    client, pieces = sdk()
    step = size or max(len(body), 1)
    pieces[:] = [body[start : start + step] for start in range(0, len(body), step)]
    asked = [{"role": "user", "content": "hi"}]
    with client.beta.messages.stream(model="claude-opus-5-5", max_tokens=9, messages=asked) as stream:
        made: Json = stream.get_final_message().to_dict(mode="json")
    return made


def without_nulls(value: Any) -> Any:
    """A message without null members, which the SDK adds; a tool's input is left alone."""
    if isinstance(value, dict):
        return {k: v if k == "input" else without_nulls(v) for k, v in value.items() if v is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value


@settings(deadline=None, max_examples=60)
@given(MESSAGES, PIECES, st.sampled_from([0, 1, 5]))
def test_the_sdk_accumulates_the_same(whole: Json, piece: int, size: int) -> None:
    """Two ends against each other: the real stream helper makes the very message that was written."""
    body = stream_bytes(events_of(whole, piece=piece))
    theirs = sdk_accumulates(body, size)
    ours = accumulate(map(event_data, decode_events(body))).message
    assert without_nulls(theirs) == without_nulls(whole)
    assert without_nulls(theirs) == without_nulls(ours)


@given(MESSAGES, st.sampled_from([None, 0, 1, 5]), st.dictionaries(st.integers(0, 3), WORDS, max_size=2))
def test_a_stream_is_written_as_its_events_are(whole: Json, piece: int | None, texts: dict[int, str]) -> None:
    """Law: what is written at once is what its events would be one by one, lone surrogates and nulls too."""
    assert stream_of(whole, piece=piece, texts=texts) == [
        event_bytes(event) for event in events_of(whole, piece=piece, texts=texts)
    ]


def test_odd_values_are_streamed_as_they_are() -> None:
    """A message that a script gave unchecked: whatever its members hold, the same bytes come of it."""
    odd = [
        {"type": "text", "text": "\ud800", "citations": [None, {"null": float("nan")}]},
        {"type": "tool_use", "id": 1, "name": None, "input": "a string"},
        {"type": "thinking", "thinking": "null", "signature": 0},
        {"type": "compaction", "content": None},
        "no block",
    ]
    made = stream_of({"content": odd, "usage": None}, piece=2)
    assert made == [event_bytes(event) for event in events_of({"content": odd, "usage": None}, piece=2)]
    assert b'"partial_json":"\\"a"' in b"".join(made)


def test_the_fallback_names_the_model() -> None:
    """The last hop's block says which model served the reply, for the SDK as for us."""
    hop = {"type": "fallback", "from": {"model": "a"}, "to": {"model": "b"}, "trigger": {"type": "refusal"}}
    events = list(events_of(message(hop, {"type": "text", "text": "x"})))
    assert accumulate(events).message["model"] == "b"  # type: ignore[index]
    assert sdk_accumulates(stream_bytes(events))["model"] == "b"


def test_usage_is_cumulative() -> None:
    """A count in message_delta replaces; a null or absent one leaves what message_start said."""
    events: list[Json] = [
        {"type": "message_start", "message": message(usage={"input_tokens": 5, "output_tokens": 1})},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn"},
            "usage": {"output_tokens": 40, "input_tokens": None},
        },
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 44}},
        {"type": "message_stop"},
    ]
    for made in (accumulate(events).message, sdk_accumulates(stream_bytes(events))):
        assert made is not None
        assert {name: made["usage"][name] for name in ("input_tokens", "output_tokens")} == {
            "input_tokens": 5,
            "output_tokens": 44,
        }


def test_the_grammar_of_a_recorded_stream() -> None:
    """The events in the order and with the fields of recorded streams."""
    events = list(events_of(message({"type": "text", "text": "Hello"}, CALL, stop_reason="tool_use"), piece=3))
    assert events == [
        {
            "type": "message_start",
            "message": {
                "id": "msg_1",
                "type": "message",
                "role": "assistant",
                "model": "claude-opus-5-5",
                "content": [],
                "stop_reason": None,
                "stop_sequence": None,
                "usage": {"input_tokens": 3, "output_tokens": 1},
            },
        },
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "ping"},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hel"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "lo"}},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "content_block_start",
            "index": 1,
            "content_block": {"type": "tool_use", "id": "toolu_1", "name": "add", "input": {}},
        },
        *(
            {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": part}}
            for part in ("", '{"a', '":1', ',"b', '":"', "two", '"}')
        ),
        {"type": "content_block_stop", "index": 1},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "tool_use", "stop_sequence": None},
            "usage": {"input_tokens": 3, "output_tokens": 9},
        },
        {"type": "message_stop"},
    ]


def test_an_empty_input_has_one_empty_piece() -> None:
    """The API sends an empty input as one empty delta, and that means {}."""
    events = list(events_of(message({**CALL, "input": {}}), piece=1))
    pieces = [event["delta"]["partial_json"] for event in events if event["type"] == "content_block_delta"]
    assert pieces == [""]
    assert accumulate(events).message["content"][0]["input"] == {}  # type: ignore[index]


ODD: dict[str, Json] = {
    "unknown-block": {"type": "hologram", "text": "x", "input": {"a": 1}},
    "null-text": {"type": "text", "text": None},
    "null-citations": {"type": "text", "text": "x", "citations": None},
    "input-of-another-kind": {**CALL, "input": [1, None]},
    "null-input": {**CALL, "input": None},
    "missing-signature": {"type": "thinking", "thinking": "hm"},
    "type-of-another-kind": {"type": ["text"], "text": "x"},
    "no-type": {"text": "x"},
    "unknown-member": {"type": "text", "text": "x", "mood": "good"},
    "lone-surrogate": {**CALL, "input": {"a": "\ud800"}},
    "nan": {**CALL, "input": {"a": float("nan")}},
}


@pytest.mark.parametrize("piece", [0, 1])
@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_odd_blocks_pass_through(odd: Json, piece: int) -> None:
    """What the tables do not know, and what a script gets wrong on purpose, arrives as it was written."""
    events = [event_data(event) for event in decode_events(stream_bytes(events_of(message(odd), piece=piece)))]
    assert exactly(accumulate(events).message) == exactly(message(odd))


def test_members_of_the_message_pass_through() -> None:
    """Members of the whole message that a later API adds are kept, and late ones arrive late."""
    whole = message(
        {"type": "text", "text": "x"},
        context_management={"applied_edits": []},
        stop_details={"type": "refusal"},
        novelty={"a": None},
    )
    events = list(events_of(whole))
    assert accumulate(events).message == whole
    assert "context_management" not in events[0]["message"]
    assert events[0]["message"]["stop_details"] is None
    assert events[-2]["context_management"] == {"applied_edits": []}


def test_each_member_of_usage_comes_when_the_api_tells_it() -> None:
    """What is known at the start comes with message_start alone, what only the end knows with message_delta alone."""
    at_start = {"cache_creation": {"ephemeral_5m_input_tokens": 1}, "service_tier": "standard", "speed": "fast"}
    at_end = {"iterations": [], "output_tokens_details": {"thinking_tokens": 1}, "fallback_credit": {"a": 1}}
    counts = {"input_tokens": 3, "cache_read_input_tokens": 2, "novelty": {"a": 1}}
    whole = message({"type": "text", "text": "x"}, usage={**counts, **at_start, **at_end, "output_tokens": 9})
    events = list(events_of(whole))
    assert events[0]["message"]["usage"] == {**counts, **at_start, "output_tokens": 1}
    assert events[-2]["usage"] == {**counts, **at_end, "output_tokens": 9}
    assert accumulate(events).message == whole


def test_nulls_come_with_the_start() -> None:
    """A null in a delta leaves what the start said, so the start must say it."""
    whole = message(
        {"type": "text", "text": "x"},
        usage={"input_tokens": 3, "output_tokens": 9, "server_tool_use": None, "inference_geo": None},
        stop_details=None,
        container=None,
        context_management=None,
    )
    events = list(events_of(whole))
    assert accumulate(events).message == whole
    assert "server_tool_use" not in events[-2]["usage"]
    assert events[-2]["delta"] == {"stop_reason": "end_turn", "stop_sequence": None, "stop_details": None}


def test_a_container_comes_late() -> None:
    """The container that a reply ran code in is told at its end."""
    whole = message({"type": "text", "text": "x"}, container={"id": "container_1"})
    events = list(events_of(whole))
    assert "container" not in events[0]["message"]
    assert events[-2]["delta"]["container"] == {"id": "container_1"}
    assert accumulate(events).message == whole


def test_what_a_text_cites_comes_before_it() -> None:
    """The order of recorded streams, without exception."""
    events = events_of(message({"type": "text", "text": "x", "citations": [{"type": "char_location"}]}))
    deltas = [event["delta"]["type"] for event in events if event["type"] == "content_block_delta"]
    assert deltas == ["citations_delta", "text_delta"]


@pytest.mark.parametrize("began", [{"model": "a"}, "a", {}, {"model": None}], ids=["model", "text", "nothing", "null"])
def test_a_stream_that_is_handed_on_starts_with_the_model_that_was_asked(began: object) -> None:
    """message_start cannot know who will serve the reply; where no hop says who began, the message's model stands."""
    hops = [{"type": "fallback", "from": began, "to": {"model": model}} for model in ("b", "c")]
    events = list(events_of(message(*hops, model="c")))
    assert events[0]["message"]["model"] == ("a" if began == {"model": "a"} else "c")
    assert accumulate(events).message["model"] == "c"  # type: ignore[index]


# what a damaged stream makes

WHOLE = message({"type": "thinking", "thinking": "hm", "signature": "s"}, {"type": "text", "text": "é!"}, CALL)


def test_cut_after_any_event_it_is_not_complete() -> None:
    """Whatever the last event is, only message_stop makes a message complete."""
    events = list(events_of(WHOLE, piece=2))
    for count in range(len(events)):
        assert accumulate(events[:count]).complete is False
    assert accumulate(events).complete is True


def test_cut_at_any_byte_it_is_not_complete() -> None:
    """A stream of bytes cut anywhere before its last event is whole gives no complete message, and no error."""
    body = stream_bytes(events_of(WHOLE, piece=4))
    end = body.index(b'{"type":"message_stop"}') + len(b'{"type":"message_stop"}')
    for place in range(len(body)):
        made = Accumulator()
        for event in decode_events(body[:place]):
            try:
                made.add(event_data(event))
            except JsonError:
                break
        made.close()
        assert made.complete is (place >= end)


def opened(*events: Json) -> list[Json]:
    start = {"type": "message_start", "message": message()}
    return [start, {"type": "content_block_start", "index": 0, "content_block": {**CALL, "input": {}}}, *events]


def piece_of(text: object, index: object = 0) -> Json:
    return {
        "type": "content_block_delta",
        "index": index,
        "delta": {"type": "input_json_delta", "partial_json": text},
    }


STOP: Json = {"type": "content_block_stop", "index": 0}
END: list[Json] = [
    {"type": "message_delta", "delta": {"stop_reason": "max_tokens"}, "usage": {}},
    {"type": "message_stop"},
]


@pytest.mark.parametrize("text", ['{"a": 1, "b": "un', "{", '{"a"', "nul", '{"a":1}}'])
def test_an_input_that_is_no_json_is_kept_as_text(text: str) -> None:
    """Where the SDK hands out a part, the text stays in `unparsed` and the input as it began."""
    made = accumulate(opened(piece_of(text), STOP, *END))
    assert made.unparsed == {0: text}
    assert made.message is not None
    assert made.message["content"][0]["input"] == {}
    assert made.complete is True


@pytest.mark.parametrize(("text", "value"), [('{"a": 1}', {"a": 1}), ("2", 2), ("[]", []), ('"x"', "x")])
def test_an_input_left_open_is_parsed_but_not_complete(text: str, value: object) -> None:
    """`25` cut after the 2 parses: only the missing content_block_stop tells."""
    made = accumulate(opened(piece_of(text), *END))
    assert made.message is not None
    assert made.message["content"][0]["input"] == value
    assert made.complete is False
    assert accumulate(opened(piece_of(text))).complete is False


def test_an_error_event_ends_it() -> None:
    """The error of an error event is kept, and such a message is never complete."""
    error = {"type": "overloaded_error", "message": "Overloaded"}
    made = accumulate(opened({"type": "error", "error": error}, *END))
    assert made.error == error
    assert made.complete is False
    assert accumulate([{"type": "error", "error": "busy"}]).error == {"type": "api_error", "message": "busy"}


def test_unknown_events_and_deltas_change_nothing() -> None:
    """The grammar grows: what is not known is allowed anywhere, before the start too."""
    events: list[Json] = [{"type": "novelty"}, *opened({"type": "novelty", "index": 7}), {"no": "type"}, {"type": 7}]
    events.append({"type": "content_block_delta", "index": 0, "delta": {"type": "novel_delta", "x": 1}})
    made = accumulate([*events, piece_of('{"a":2}'), STOP, *END])
    assert made.problems == []
    assert made.complete is True
    assert made.message is not None
    assert made.message["content"] == [{**CALL, "input": {"a": 2}}]


WRONG: dict[str, tuple[list[Json], str]] = {
    "delta-before-the-start": (
        [piece_of("x")],
        "content_block_delta before message_start",
    ),
    "stop-before-the-start": ([{"type": "message_stop"}], "message_stop before message_start"),
    "second-start": (opened({"type": "message_start", "message": {}}), "a second message_start"),
    "index-gap": (opened(piece_of("x", 3)), "content_block_delta with members missing or of the wrong kind"),
    "negative-index": (opened(piece_of("x", -1)), "content_block_delta with members missing or of the wrong kind"),
    "index-of-a-wrong-kind": (
        opened(piece_of("x", "0")),
        "content_block_delta with members missing or of the wrong kind",
    ),
    "stop-of-no-block": (
        opened({"type": "content_block_stop", "index": 4}),
        "content_block_stop with members missing or of the wrong kind",
    ),
    "delta-of-a-wrong-kind": (opened(piece_of(5)), "content_block_delta with members missing or of the wrong kind"),
    "delta-without-its-member": (
        opened({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta"}}),
        "content_block_delta with members missing or of the wrong kind",
    ),
    "delta-missing": (
        opened({"type": "content_block_delta", "index": 0}),
        "content_block_delta with members missing or of the wrong kind",
    ),
    "block-of-a-wrong-kind": (
        opened({"type": "content_block_start", "index": 1, "content_block": "text"}),
        "content_block_start with members missing or of the wrong kind",
    ),
    "fallback-to-nobody": (
        opened({"type": "content_block_start", "index": 1, "content_block": {"type": "fallback"}}),
        "content_block_start with members missing or of the wrong kind",
    ),
    "usage-of-a-wrong-kind": (
        opened({"type": "message_delta", "delta": {"stop_reason": "refusal"}, "usage": 7}),
        "message_delta with members missing or of the wrong kind",
    ),
    "delta-of-the-message-missing": (
        opened({"type": "message_delta"}),
        "message_delta with members missing or of the wrong kind",
    ),
}


@pytest.mark.parametrize(("events", "problem"), WRONG.values(), ids=WRONG)
def test_an_event_that_does_not_fit_is_a_problem_and_changes_nothing(events: list[Json], problem: str) -> None:
    """A damaged stream is told in a sentence; nothing is raised, and the message is as it was before."""
    made, before = accumulate(events), accumulate(events[:-1])
    assert made.problems == [problem]
    assert made.message == before.message
    assert accumulate([*events, STOP, *END]).complete is (before.message is not None)


@pytest.mark.parametrize(
    "start", [{"usage": "x"}, {"content": ["text"]}, {"content": 5}, "message", None], ids=["usage", "a", "b", "c", "d"]
)
def test_a_start_of_a_wrong_kind(start: object) -> None:
    """Without a usable message_start there is no message at all."""
    made = accumulate([{"type": "message_start", "message": start}])
    assert made.message is None
    assert made.problems == ["message_start with members missing or of the wrong kind"]


def test_a_block_under_a_wrong_index_is_kept() -> None:
    """As in the SDK: blocks count in the order in which they start."""
    events = opened({"type": "content_block_start", "index": 5, "content_block": {"type": "text", "text": "x"}})
    made = accumulate(events)
    assert made.problems == ["content_block_start with index 5, 1 is next"]
    assert made.message is not None
    assert made.message["content"][1] == {"type": "text", "text": "x"}


def test_problems_are_told_up_to_a_number() -> None:
    """A stream with a million wrong events takes no more memory for it than one with a score."""
    made = accumulate(opened(*[{"type": "content_block_delta"}] * 1_020))
    assert made.problems == ["content_block_delta with members missing or of the wrong kind"] * 20 + ["and 1,000 more"]
    made = accumulate(opened(*[{"type": "content_block_delta"}] * 20))
    assert made.problems == ["content_block_delta with members missing or of the wrong kind"] * 20
    (problem,) = accumulate(opened({"type": "content_block_start", "index": [7] * 999, "content_block": {}})).problems
    assert len(problem) < 120


def test_citations_are_added_to_a_list_of_the_blocks_own() -> None:
    """Those that a block starts with, those that come later, and none of them in the events themselves."""
    start: Json = {"type": "text", "text": "", "citations": [{"n": 0}]}
    later = [{"type": "citations_delta", "citation": {"n": number}} for number in (1, 2)]
    for events in (
        opened({"type": "content_block_start", "index": 1, "content_block": start}),
        [{"type": "message_start", "message": {"content": [{}, start]}}],
    ):
        deltas = [{"type": "content_block_delta", "index": 1, "delta": delta} for delta in later]
        damaged = {"type": "content_block_delta", "index": 1, "delta": {"type": "citations_delta"}}
        message = accumulate([*events, *deltas, damaged]).message
        assert message is not None
        assert message["content"][1]["citations"] == [{"n": 0}, {"n": 1}, {"n": 2}]
        assert start["citations"] == [{"n": 0}]


@given(st.lists(st.sampled_from(list(events_of(WHOLE, piece=2))), max_size=12))
def test_events_in_any_order_raise_nothing(events: list[Json]) -> None:
    """Law: whatever order a damaged stream has, its story is told in `problems`, never as an exception."""
    made = accumulate(events)
    assert all(isinstance(problem, str) for problem in made.problems)


def test_events_are_not_changed_by_accumulation() -> None:
    """The events stay as they came, so that a recording can keep them."""
    events = list(events_of(WHOLE, piece=1))
    before = json.dumps(events)
    accumulate(events)
    accumulate(events)
    assert json.dumps(events) == before


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"{", "the data of event 'ping' is no JSON: "),
        (b"[]", "the data of event 'ping' is no JSON object"),
        (b"<html>", "the data of event 'ping' is no JSON: "),
    ],
)
def test_data_that_is_no_object(data: bytes, sentence: str) -> None:
    """The error names the event."""
    with pytest.raises(JsonError) as caught:
        event_data(ServerSentEvent("ping", data))
    assert str(caught.value).startswith(sentence)
    with pytest.raises(JsonError, match=r"event '\(unnamed\)'"):
        event_data(ServerSentEvent("", data))


@pytest.mark.parametrize("usage", [None, {}, {"output_tokens": None}, {"output_tokens": "9"}, "none"])
def test_usage_of_a_wrong_kind_does_not_stop_a_stream(usage: object) -> None:
    """A reply that is wrong on purpose can be streamed as well."""
    events = list(events_of(message({"type": "text", "text": "x"}, usage=usage)))
    assert events[-1] == {"type": "message_stop"}
    assert decode(stream_bytes(events[:1]).split(b"data: ")[1].strip())["type"] == "message_start"

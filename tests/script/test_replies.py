"""Replies that pause, refuse, are cut, compact, hand on: what they hold, and what is impossible."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playhead import (
    ScriptError,
    block,
    call,
    compact,
    fallback,
    mcp,
    pause,
    redacted,
    refuse,
    say,
    search,
    server_call,
    think,
    truncated,
    turn,
    upload,
)
from playhead.rules.signatures import is_broken
from playhead.script.steps import Block, Turn
from playhead.wire.codec import decode_part, encode_text
from playhead.wire.tables import REFUSAL_CATEGORIES


def test_block_takes_any_block_of_a_reply() -> None:
    """The data as given, copied; what is minted may be absent."""
    data: dict[str, Any] = {"type": "tool_use", "name": "screenshot", "toolset_name": "browser", "input": {"a": [1]}}
    made = block(data)
    data["input"]["a"].append(2)
    assert made.data["input"] == {"a": [1]}
    assert turn(made).calls == ("screenshot",)


def test_pause_is_a_turn_that_goes_on() -> None:
    """Its blocks may leave a server tool at work."""
    made = pause(say("Let me look."), server_call("web_search", "tides"), usage={"output_tokens": 7})
    assert made.stop_reason == "pause_turn"
    assert [part.type for part in made.content] == ["text", "server_tool_use"]
    assert made.usage == {"output_tokens": 7}
    assert pause().content == ()


@pytest.mark.parametrize(
    ("made", "details", "types"),
    [
        (refuse(), {"category": None, "explanation": None}, []),
        (refuse("cyber"), {"category": "cyber", "explanation": None}, []),
        (refuse("bio", "No."), {"category": "bio", "explanation": "No."}, []),
        (refuse(None, None, say("Sure")), {"category": None, "explanation": None}, ["text"]),
        (
            refuse("cyber", details={"recommended_model": "claude-fable-5"}),
            {"category": "cyber", "explanation": None, "recommended_model": "claude-fable-5"},
            [],
        ),
    ],
    ids=str,
)
def test_a_refusal_says_why(made: Turn, details: dict[str, object], types: list[str]) -> None:
    """`stop_details` as the API gives them, and what had been said before."""
    assert made.stop_reason == "refusal"
    assert made.stop_details == {"type": "refusal", **details}
    assert [part.type for part in made.content] == types


@pytest.mark.parametrize("category", REFUSAL_CATEGORIES)
def test_every_category_is_taken(category: str) -> None:
    """By refusals and by fallbacks."""
    assert (refuse(category).stop_details or {})["category"] == category
    assert fallback("m", category=category).data["trigger"] == {"type": "refusal", "category": category}


@pytest.mark.parametrize(
    ("made", "left"),
    [
        (truncated(say("Hello world")), "Hello"),
        (truncated(say("Hello"), keep=0), ""),
        (truncated(say("a"), think("so it is"), keep=2), "so"),
        (truncated(call("f", a=1, b="two")), '{"a":1,"'),
        (truncated(call("f"), keep=1), "{"),
        (truncated(call("f", '{"a": 1e400, "b": 2}'), keep=12), '{"a": 1e400,'),
        (truncated(server_call("web_search", {"query": "tides"}), keep=9), '{"query":'),
        (truncated(mcp("s", "t", {"a": 1}), keep=3), '{"a'),
    ],
    ids=str,
)
def test_the_last_block_is_cut(made: Turn, left: str) -> None:
    """So many characters of its text, or of the JSON text of its input, are left; half, if that is not said."""
    last = made.content[-1]
    assert made.stop_reason == "max_tokens"
    assert left == (last.text if last.text is not None else last.data.get("text", last.data.get("thinking")))


def test_blocks_before_the_last_stay_whole() -> None:
    """Only the end of a reply is cut, and the cut thought is signed as it is."""
    made = truncated(say("whole"), call("f", a=1), think("so it is"))
    assert made.content[:2] == (say("whole"), call("f", a=1))
    assert made.content[2] == think("so i")
    assert not is_broken(made.content[2].data["signature"], "so i")


JSON = st.dictionaries(st.text(max_size=3), st.none() | st.booleans() | st.integers() | st.text(max_size=5), max_size=3)


@settings(deadline=None)
@given(JSON, st.data())
def test_a_cut_input_is_the_json_before_the_cut(value: dict[str, Any], data: st.DataObject) -> None:
    """Wherever it is cut, the message has what the SDK can read, and that is a part of the whole."""
    whole = encode_text(value)
    keep = data.draw(st.integers(0, len(whole) - 1))
    (cut,) = truncated(call("f", value), keep=keep).content
    assert cut.text == whole[:keep]
    assert cut.data["input"] == decode_part(whole[:keep])
    assert cut.data["input"].keys() <= value.keys()


def test_a_full_context_window_cuts_too() -> None:
    """The other stop reason of a reply that is not whole."""
    made = truncated(say("Hello"), stop_reason="model_context_window_exceeded", keep=2)
    assert made.stop_reason == "model_context_window_exceeded"
    assert made.content == (say("He"),)


def test_compaction_stops_unless_claude_goes_on() -> None:
    """Alone it stops with `compaction`; with something after it, as that says."""
    assert compact("so far").stop_reason == "compaction"
    assert compact("so far", say("and on")).stop_reason == "end_turn"
    assert compact("so far", call("f")).stop_reason == "tool_use"
    assert compact(None).content[0].data == {"type": "compaction", "content": None}
    changes = [{"type": "tool_removal", "tool": {"type": "tool_reference", "name": "f"}}]
    assert compact("so far", tool_changes=changes).content[0].data["tool_changes"] == changes


@pytest.mark.parametrize("made", [redacted(), redacted("abc"), upload(), upload("file_1"), fallback("m")], ids=str)
def test_small_blocks_stand_alone(made: Block) -> None:
    """Each is a step of its own, and ends the turn."""
    assert turn(made).stop_reason == "end_turn"


IMPOSSIBLE: list[tuple[str, Callable[[], object], str]] = [
    (
        "a block of requests",
        lambda: block({"type": "image", "source": {}}),
        "has type 'image', which belongs to requests",
    ),
    ("an unknown block", lambda: block({"type": "txt"}), "has type 'txt', which no reply holds: did you mean 'text'"),
    ("a block without its members", lambda: block({"type": "fallback", "to": {}}), r"\(fallback\) lacks from, trigger"),
    ("no block", lambda: block(5), "what block.. takes needs to be an object"),  # type: ignore[arg-type]
    ("empty data", lambda: redacted(""), "redacted.. takes the sealed data as a string, or nothing, not ''"),
    ("no file", lambda: upload(5), "upload.. takes the id of a file"),  # type: ignore[arg-type]
    ("no model", lambda: fallback(None), "the model that fallback.. goes to is a string, not null"),  # type: ignore[arg-type]
    ("a model of another kind", lambda: fallback("m", by=5), "`by` of fallback.. is a string"),  # type: ignore[arg-type]
    (
        "a pause with a call",
        lambda: pause(call("f")),
        "a turn that calls f, a tool of the client's, stops with tool_use",
    ),
    ("a pause of text", lambda: pause("wait"), "item 1 of pause.. is 'wait'; a turn holds"),  # type: ignore[arg-type]
    ("a misspelt category", lambda: refuse("ciber"), "no category 'ciber' of refusals: did you mean 'cyber'"),
    ("a category that is none", lambda: refuse("zzz"), r"no category 'zzz' of refusals \(cyber, bio,"),
    ("a step as category", lambda: refuse(say("x")), "the category of refuse.. is a string or None"),  # type: ignore[arg-type]
    ("a step as explanation", lambda: refuse("bio", say("x")), "the explanation of refuse.. is a string"),  # type: ignore[arg-type]
    ("text as a step", lambda: refuse("bio", "x", "y"), "item 1 of refuse.. is 'y'"),  # type: ignore[arg-type]
    ("nothing to cut", lambda: truncated(), "truncated.. cuts the last of its blocks and needs one"),
    ("an empty text", lambda: truncated(say("")), r'nothing to cut: say\(""\) is empty'),
    ("what arrives whole", lambda: truncated(redacted()), "cuts a text, a thought or the input of a call"),
    ("a call with its result", lambda: truncated(search("q")), "cuts a text, a thought or the input of a call"),
    (
        "more than there is",
        lambda: truncated(say("abc"), keep=3),
        "keep of truncated.. is a number of characters from 0 to 2",
    ),
    ("less than nothing", lambda: truncated(say("abc"), keep=-1), "keep of truncated.."),
    ("a truth", lambda: truncated(say("abc"), keep=True), "keep of truncated.."),
    (
        "a stop that cuts nothing",
        lambda: truncated(say("abc"), stop_reason="end_turn"),
        "stops with max_tokens or model_",
    ),
    ("a refusal as a cut", lambda: truncated(say("abc"), stop_reason="refusal"), "stops with max_tokens or model_"),
    ("an empty summary", lambda: compact(""), "compact.. takes the summary as a text, or None"),
    ("a step as summary", lambda: compact(say("x")), "compact.. takes the summary as a text"),  # type: ignore[arg-type]
    ("a number as seal", lambda: compact("x", encrypted_content=5), "encrypted_content of compact"),  # type: ignore[arg-type]
    (
        "changes that are no JSON",
        lambda: compact("x", tool_changes=[{"a": {1}}]),
        "tool_changes of compact.. is no JSON",
    ),
]


@pytest.mark.parametrize(("make", "error"), [case[1:] for case in IMPOSSIBLE], ids=[case[0] for case in IMPOSSIBLE])
def test_impossible_replies_are_refused_when_made(make: Callable[[], object], error: str) -> None:
    """Each with a sentence that says what was expected."""
    with pytest.raises(ScriptError, match=error):
        make()

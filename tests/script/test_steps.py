"""Steps: what they hold, and that an impossible one is refused when it is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playhead import (
    ScriptError,
    by_code,
    call,
    mcp,
    reply,
    say,
    search,
    server_call,
    server_result,
    think,
    turn,
)
from playhead.script.steps import Block, Reply, Turn, as_turn

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def test_say_is_a_text_block() -> None:
    """say() makes a text block and nothing else."""
    assert say("Hello").data == {"type": "text", "text": "Hello"}
    assert say("Hello").type == "text"


@pytest.mark.parametrize(
    ("step", "data"),
    [
        pytest.param(call("now"), {}, id="no input"),
        pytest.param(call("now", {}), {}, id="an empty dict"),
        pytest.param(call("now", {"a": 1, "b": [None]}), {"a": 1, "b": [None]}, id="a dict"),
        pytest.param(call("now", a=1, b="x"), {"a": 1, "b": "x"}, id="keywords"),
        pytest.param(call("now", name="n", input="i"), {"name": "n", "input": "i"}, id="keywords of the same names"),
        pytest.param(call("now", big=2**70, less=-0.5), {"big": 2**70, "less": -0.5}, id="numbers"),
        pytest.param(call("now", pair=(1, 2)), {"pair": [1, 2]}, id="a tuple becomes an array"),
    ],
)
def test_call_takes_its_input_either_way(step: Block, data: dict[str, object]) -> None:
    """One dict and keywords mean the same; the id is left to the fake."""
    assert step.data == {"type": "tool_use", "name": "now", "input": data}


def test_think_signs_by_its_text() -> None:
    """A signature that is not given is made from the text, the same every time."""
    first, again, other = think("so"), think("so"), think("or so")
    assert first == again
    assert first.data["signature"] != other.data["signature"]
    assert first.data["signature"] == "cGxheWhlYWSh2YkIhMG0uWDCec/nVUqQDRaUItbOyYC+72d2FIfTuQ=="
    assert think("so", "mine").data == {"type": "thinking", "thinking": "so", "signature": "mine"}


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        pytest.param(turn(), "end_turn", id="no content"),
        pytest.param(turn(say("a")), "end_turn", id="text"),
        pytest.param(turn(think("a"), say("b")), "end_turn", id="thinking"),
        pytest.param(turn(say("a"), call("b")), "tool_use", id="a call"),
        pytest.param(turn(call("a"), call("a")), "tool_use", id="two calls"),
        pytest.param(turn(call("a"), stop_reason="max_tokens"), "max_tokens", id="a call, cut"),
        pytest.param(turn(say("a"), stop_sequence="END"), "stop_sequence", id="a stop sequence"),
        pytest.param(turn(say("a"), stop_reason="refusal"), "refusal", id="as given"),
    ],
)
def test_a_turn_stops_as_its_content_says(made: Turn, reason: str) -> None:
    """The stop reason follows from the blocks unless it is given."""
    assert made.stop_reason == reason


def test_a_turn_knows_its_calls() -> None:
    """`calls` lists the names of the tools, repeats included."""
    assert turn(say("x"), call("a"), call("b"), call("a")).calls == ("a", "b", "a")


def test_a_lone_block_stands_for_a_turn() -> None:
    """A block alone is a turn of one block."""
    assert as_turn(call("a")) == turn(call("a"))


@pytest.mark.parametrize("value", [say("a"), turn(say("a")), reply({"content": []})], ids=["block", "turn", "reply"])
def test_steps_are_frozen(value: Block | Turn | Reply) -> None:
    """No field of a step can be set."""
    for name in type(value).__annotations__:
        with pytest.raises(AttributeError):
            setattr(value, name, None)


def test_steps_keep_their_own_copy() -> None:
    """A later change of what was passed in, however deep, changes no step."""
    given_input: dict[str, Any] = {"deep": {"list": [1]}}
    message: dict[str, Any] = {"content": [{"type": "text", "text": "a"}]}
    usage = {"input_tokens": 5}
    steps = call("a", given_input), reply(message), turn(say("a"), usage=usage)
    given_input["deep"]["list"].append(2)
    message["content"][0]["text"] = "b"
    usage["input_tokens"] = 6
    assert steps[0].data["input"] == {"deep": {"list": [1]}}
    assert steps[1].message == {"content": [{"type": "text", "text": "a"}]}
    assert steps[2].usage == {"input_tokens": 5}


def test_usage_of_a_turn_cannot_be_changed() -> None:
    """`usage` is a read-only mapping."""
    usage: Any = turn(say("a"), usage={"input_tokens": 5}).usage
    with pytest.raises(TypeError):
        usage["input_tokens"] = 6


@settings(deadline=None)
@given(st.dictionaries(st.text(), JSON, max_size=3))
def test_any_json_object_is_an_input(value: dict[str, object]) -> None:
    """Every JSON object passes through call() unchanged, numbers of any size and all text included."""
    assert call("a", value).data["input"] == value


@pytest.mark.parametrize(
    ("step", "shown"),
    [
        (say("Hi"), 'say("Hi")'),
        (say("x" * 80), 'say("' + "x" * 47 + '…")'),
        (say("a", citations=["https://a.example"]), 'say("a", …)'),
        (call("add", a=1, b="two", c=[None, True]), 'call("add", a=1, b="two", c=[None, True])'),
        (call("add", {"a b": 1}), 'call("add", {"a b": 1})'),
        (call("add", {"class": 1}), 'call("add", {"class": 1})'),
        (call("add"), 'call("add")'),
        (call("add", '{"a": 1'), 'call("add", "{\\"a\\": 1")'),
        (call("a", b="x" * 30, c="y" * 30, d=1), 'call("a", b="xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", …)'),
        (think("hm"), 'think("hm")'),
        (think("hm", "mine"), 'think("hm", signature="mine")'),
        (turn(say("Hi"), call("add")), 'turn(say("Hi"), call("add"))'),
        (turn(say("Hi")), 'say("Hi")'),
        (turn(say("Hi"), stop_sequence="END", model="m"), 'turn(say("Hi"), model="m", stop_sequence="END")'),
        (turn(call("a"), stop_reason="max_tokens"), 'turn(call("a"), stop_reason="max_tokens")'),
        (turn(say("a"), usage={"input_tokens": 3}), 'turn(say("a"), usage={"input_tokens": 3})'),
        (turn(), "turn()"),
        (reply({"content": []}), 'reply({"content": []})'),
        (reply({"content": 5}, check=False), 'reply({"content": 5}, check=False)'),
    ],
    ids=str,
)
def test_a_step_shows_itself(step: Block | Turn | Reply, shown: str) -> None:
    """`str()` is one short line, the call that makes it, as reports print it."""
    assert str(step) == shown


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1, "b": [2]}', {"a": 1, "b": [2]}),
        ('{ "a" : 1.10 }', {"a": 1.1}),
        ('{"a": 12345678901234567890123}', {"a": 12345678901234567890123}),
        ('{"a": 1e400}', {"a": float("inf")}),
        ('{"a": 1, "b": "un', {"a": 1}),
        ('{"a": 25', {"a": 25}),
        ('{"a": "x', {}),
        ('{"a": wrong', {}),
        ('{"a": 1}}', {"a": 1}),
        ("", {}),
        ("[1, 2", [1, 2]),
        ('"two words', {}),
    ],
)
def test_call_takes_the_text_of_its_input(text: str, value: object) -> None:
    """A string is the JSON text to the letter; the data is what can be read of it, up to where it is cut or wrong."""
    step = call("now", text)
    assert step.text == text
    assert step.data == {"type": "tool_use", "name": "now", "input": value}
    assert call("now", {}).text is None


def test_a_turn_holds_what_belongs_to_its_blocks() -> None:
    """`content` has the result right after its call; `calls` lists the client's tools wherever they stand."""
    step = turn(say("a"), search("q", ["https://a.example"]), by_code("f()", call("f")), call("g"))
    types = ["text", "server_tool_use", "web_search_tool_result", "server_tool_use", "tool_use", "tool_use"]
    assert [block.type for block in step.content] == types
    assert step.calls == ("f", "g")
    assert step.stop_reason == "tool_use"
    assert len(step.blocks) == 4


@pytest.mark.parametrize(
    "blocks",
    [
        [server_call("web_search", "q")],
        [mcp("s", "t"), say("a")],
        [server_call("web_search", "q"), server_call("web_search", "r"), server_result("web_search", [])],
    ],
    ids=["alone", "before text", "one of two"],
)
def test_a_turn_does_not_end_with_a_server_tool_at_work(blocks: list[Block]) -> None:
    """It needs the result, or a stop that leaves the call open: a pause, a call of the client's, a cut."""
    with pytest.raises(ScriptError, match=r"has no result, so that the turn cannot end: .*pause\(\.\.\.\)"):
        turn(*blocks)
    for reason in ("pause_turn", "max_tokens", "refusal"):
        assert turn(*blocks, stop_reason=reason).stop_reason == reason
    assert turn(*blocks, call("f")).stop_reason == "tool_use"


def test_a_result_in_the_same_turn_closes_the_call() -> None:
    """Whether it comes with the call or by itself."""
    assert turn(server_call("web_search", "q"), say("a"), server_result("web_search", [])).stop_reason == "end_turn"
    assert turn(server_call("web_search", "q", []), say("a")).stop_reason == "end_turn"


@pytest.mark.parametrize(
    "block",
    [
        {"type": "text", "text": ""},
        {"type": "text", "text": "a", "citations": None},
        {"type": "thinking", "thinking": "a", "signature": "s"},
        {"type": "redacted_thinking", "data": "x"},
        {"type": "tool_use", "name": "a", "input": {}},
        {"type": "tool_use", "id": "mine", "name": "a", "input": {}, "caller": {"type": "direct"}},
        {"type": "server_tool_use", "name": "web_search", "input": {"query": "q"}},
        {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
        {"type": "compaction", "content": None},
        {"type": "container_upload", "file_id": "f"},
    ],
    ids=lambda block: str(block["type"]),
)
def test_reply_takes_every_block_of_a_reply(block: dict[str, object]) -> None:
    """Blocks that the API sends pass, an id being optional, and are kept as they are."""
    assert reply({"content": [block]}).message == {"content": [block]}


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"content": "text"},
        {"content": [None, 5]},
        {"content": [{"type": "hologram"}]},
        {"content": [{"type": "text", "text": 5}], "stop_reason": "made_up", "usage": "none"},
        {"content": [], "stop_reason": "tool_use"},
    ],
    ids=str,
)
def test_unchecked_replies_are_kept_as_they_stand(message: dict[str, object]) -> None:
    """`check=False` takes any JSON object, and the same one is refused with the check."""
    assert reply(message, check=False).message == message
    with pytest.raises(ScriptError, match=r"check=False|stop_reason"):
        reply(message)


@pytest.mark.parametrize(
    "make",
    [
        lambda value: call("a", value=value),
        lambda value: call("a", {"value": value}),
        lambda value: reply({"content": [], "value": value}),
        lambda value: reply({"content": [], "value": value}, check=False),
        lambda value: turn(usage={"value": value}),
    ],
    ids=["call keywords", "call dict", "reply", "unchecked reply", "usage"],
)
@pytest.mark.parametrize(
    "value",
    [float("nan"), float("-inf"), {1}, b"x", object, {1: "a"}, [{"a": {2: 3}}]],
    ids=["nan", "infinity", "set", "bytes", "type", "a key that is no string", "deep"],
)
def test_what_is_no_json_is_refused_everywhere(make: Callable[[object], object], value: object) -> None:
    """Every maker of steps refuses what JSON cannot say, and says where it stands."""
    with pytest.raises(ScriptError, match=r"is no JSON: .*value"):
        make(value)


def test_mappings_other_than_dict_are_inputs() -> None:
    """Any mapping may be an input."""

    class Frozen(Mapping[str, object]):
        def __getitem__(self, key: str) -> object:
            return {"a": 1}[key]

        def __iter__(self) -> Any:
            return iter(["a"])

        def __len__(self) -> int:
            return 1

    assert call("x", Frozen()).data["input"] == {"a": 1}

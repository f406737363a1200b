"""Steps made into messages: ids, defaults, usage, tools on offer."""

from __future__ import annotations

import pytest

from playhead import ScriptError, call, reply, say, think, turn
from playhead.engine.compose import Minted, compose, require_offered, tokens
from playhead.script.steps import Reply, Turn


def composed(step: Turn | Reply, minted: Minted | None = None) -> tuple[dict[str, object], Minted]:
    return compose(step, model="claude-opus-5-5", weight=400, minted=minted or Minted())


def test_a_turn_becomes_a_whole_message() -> None:
    """Every field that the API sends is there, ids are counted, the usage follows from the sizes."""
    message, minted = composed(turn(say("Hello"), call("add", a=1)))
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
        "usage": {
            "input_tokens": 100,
            "output_tokens": 24,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
        },
    }
    assert minted == Minted(1, 1)


def test_ids_go_on_counting() -> None:
    """Messages and calls are counted on from what was minted, parallel calls included."""
    message, minted = composed(turn(call("a"), call("a")), Minted(7, 30))
    assert message["id"] == "msg_0008"
    assert [block["id"] for block in message["content"]] == ["toolu_0031", "toolu_0032"]  # type: ignore[attr-defined]
    assert minted == Minted(8, 32)


def test_a_step_can_be_played_twice() -> None:
    """Composing leaves the step as it was: the second message has ids of its own."""
    step = turn(call("a"))
    first, minted = composed(step)
    second, _ = composed(step, minted)
    assert first["content"] == [{"type": "tool_use", "id": "toolu_0001", "name": "a", "input": {}}]
    assert second["content"] == [{"type": "tool_use", "id": "toolu_0002", "name": "a", "input": {}}]
    assert step == turn(call("a"))


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
    message, _ = composed(reply({"content": [block]}))
    assert message["content"] == [{**block, "id": identifier}]


def test_what_is_given_wins() -> None:
    """Every field of a reply, and the model and usage of a turn, override the defaults; unknown ones pass through."""
    given = {"id": "msg_mine", "model": "other", "stop_reason": "refusal", "future": {"x": 1}, "usage": {"x": 2}}
    message, _ = composed(reply({"content": [], **given}))
    assert {**message, **given} == {**message, "usage": given["usage"]}
    assert message["usage"] == {
        "input_tokens": 100,
        "output_tokens": 1,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "x": 2,
    }
    by_turn, _ = composed(turn(say("a"), model="other", usage={"input_tokens": 3}, stop_sequence="END"))
    assert by_turn["model"] == "other"
    assert by_turn["stop_sequence"] == "END"
    assert by_turn["usage"]["input_tokens"] == 3  # type: ignore[index]


@pytest.mark.parametrize(
    ("content", "reason"),
    [([], "end_turn"), ([{"type": "tool_use", "name": "x", "input": {}}], "tool_use")],
    ids=["without a call", "with a call"],
)
def test_a_reply_without_stop_reason_gets_the_likely_one(content: list[object], reason: str) -> None:
    """The stop reason follows from the content."""
    assert composed(reply({"content": content}))[0]["stop_reason"] == reason


def test_an_unchecked_reply_is_sent_as_it_stands() -> None:
    """Nothing is added, and nothing is counted."""
    message = {"content": "impossible"}
    assert composed(reply(message, check=False), Minted(2, 3)) == (message, Minted(2, 3))


@pytest.mark.parametrize(("size", "count"), [(0, 1), (3, 1), (4, 1), (8, 2), (4000, 1000)])
def test_tokens_are_about_four_bytes(size: int, count: int) -> None:
    """At least one, then a quarter of the bytes."""
    assert tokens(size) == count


CALLING = {"content": [{"type": "text", "text": "a"}, {"type": "tool_use", "name": "add", "input": {}}]}


@pytest.mark.parametrize(
    "tools",
    [
        [{"name": "add"}],
        [{"name": "other"}, {"name": "add", "type": "custom"}],
        [{"type": "mcp_toolset", "mcp_server_name": "s"}],
        [{"name": "x", "type": "some_toolset_2026"}],
    ],
    ids=["offered", "among others", "a toolset", "a named toolset"],
)
def test_calls_of_offered_tools_pass(tools: object) -> None:
    """A tool is known by its name; what a toolset holds cannot be known."""
    require_offered(CALLING, tools, "step 1")


@pytest.mark.parametrize(
    ("tools", "offer"),
    [
        (None, "sends no tools"),
        ([], "sends no tools"),
        ("add", "sends no tools"),
        ([{"name": "sum"}, {"name": "sub"}], "offers sum, sub"),
    ],
    ids=["none", "empty", "ill-typed", "others"],
)
def test_calls_of_other_tools_are_the_scripts_fault(tools: object, offer: str) -> None:
    """The error names the call, the offer and the way out."""
    with pytest.raises(ScriptError, match=f"step 4 calls 'add', but the request {offer}: mend the name"):
        require_offered(CALLING, tools, "step 4")


def test_thinking_and_text_need_no_tools() -> None:
    """A message without calls fits any offer."""
    require_offered(composed(turn(think("a"), say("b")))[0], None, "step 1")

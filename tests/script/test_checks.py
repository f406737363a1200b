"""Replies written by hand: what the API could send, and what it could not."""

from __future__ import annotations

from typing import Any

import pytest

from playhead import ScriptError
from playhead.script.checks import nearest, require_block, require_message, require_stop_reason
from playhead.wire.tables import BLOCKS, STOP_REASONS


@pytest.mark.parametrize("name", [name for name, block in BLOCKS.items() if not block.replies])
def test_blocks_of_requests_are_told_as_such(name: str) -> None:
    """Nobody is sent to another block by mistake: what the loop sends is called so."""
    with pytest.raises(ScriptError, match=f"it has type '{name}', which belongs to requests: .*the loop") as error:
        require_block({"type": name}, "it")
    assert "did you mean" not in str(error.value)


def test_a_tool_result_names_the_two_ways() -> None:
    """Results of the client's tools are the loop's; those of Anthropic's come with their calls."""
    with pytest.raises(
        ScriptError, match=r"results of call\(\.\.\.\); those of Anthropic's own .* server_call\(\.\.\.\)"
    ):
        require_message({"content": [{"type": "tool_result", "tool_use_id": "x"}]})


@pytest.mark.parametrize("name", [name for name, block in BLOCKS.items() if block.replies and block.required])
def test_members_that_are_needed(name: str) -> None:
    """Each but the id, which is minted."""
    needed = [member for member in BLOCKS[name].required if member != "id"]
    whole: dict[str, Any] = {"type": name, **{member: {} if member == "input" else "x" for member in needed}}
    require_block(whole, "it")
    for member in needed:
        with pytest.raises(ScriptError, match=f"it \\({name}\\) lacks {member}"):
            require_block({key: value for key, value in whole.items() if key != member}, "it")


@pytest.mark.parametrize("reason", STOP_REASONS)
def test_every_stop_reason_is_taken(reason: str) -> None:
    """With a call, every one of them; without, all but tool_use."""
    require_stop_reason(reason, called=True)
    if reason != "tool_use":
        require_stop_reason(reason, called=False)


@pytest.mark.parametrize(
    ("given", "end"),
    [("end_trun", ": did you mean 'end_turn'? Way out"), ("zzz", " (end_turn, refusal). Way out")],
)
def test_the_nearest_name(given: str, end: str) -> None:
    """The one that was meant, or all there are, and what to do."""
    assert nearest(given, ["end_turn", "refusal"], "Way out") == end
    assert nearest(given, ["end_turn", "refusal"], "") == end.removesuffix(" Way out")

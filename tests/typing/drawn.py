"""Typed uses of the strategies. A type checker reads this file; nobody runs it."""

from __future__ import annotations

from typing import Any, assert_type

from hypothesis import strategies as st

from playhead.script.faults import Drop, Fail, Sent
from playhead.script.steps import Reply, Turn
from playhead.testing.strategies import (
    faults,
    faulty_transcripts,
    inputs,
    invalid_inputs,
    replies,
    scripts,
    telling_inputs,
    tool_schemas,
    tool_turns,
    transcripts,
)
from playhead.wire.codec import Json

TOOL = {"name": "get_tide", "input_schema": {"type": "object"}}


def what_is_drawn() -> None:
    """The type of what each strategy draws."""
    assert_type(scripts(["add", TOOL]), st.SearchStrategy[list[Turn]])
    assert_type(scripts(["add"], unknown_tools=True), st.SearchStrategy[list[Turn | Reply | Fail | Drop | Sent]])
    assert_type(scripts(["add"], faults=faults()), st.SearchStrategy[list[Turn | Reply | Fail | Drop | Sent]])
    assert_type(faults("stream", replies=tool_turns(["add"])), st.SearchStrategy[Fail | Drop | Sent])
    assert_type(replies(), st.SearchStrategy[Reply])
    for drawn in (inputs, telling_inputs, invalid_inputs):
        assert_type(drawn({"type": "object"}), st.SearchStrategy[dict[str, Json]])
    assert_type(tool_schemas(max_size=2), st.SearchStrategy[list[dict[str, Any]]])
    assert_type(transcripts([TOOL]), st.SearchStrategy[dict[str, Any]])
    assert_type(faulty_transcripts("orphan-result"), st.SearchStrategy[tuple[dict[str, Any], str, tuple[str, ...]]])


def what_is_refused() -> None:
    """What a checker refuses."""
    scripts("add", max_turns="3")  # type: ignore[call-overload]
    faults("strange")  # type: ignore[arg-type]
    inputs([])  # type: ignore[arg-type]

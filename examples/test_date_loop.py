"""How one tests a tool loop: a script for Claude, real tools, a clock that stands still."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from date_loop import LIMIT, NoAnswer, answer

from playhead import FakeClaude, call, say, turn
from playhead.loop import date_tools

TOOLS = json.loads((Path(__file__).parent.parent / "fixtures" / "date_tools.json").read_text("utf-8"))
FUNCTIONS = dict(date_tools([]).functions)


@pytest.mark.claude_script(
    [
        call("get_current_datetime", date_format="%Y-%m-%d"),
        call("add_duration_to_datetime", datetime_str="2025-01-01", duration=103, unit="days"),
        say("It will be Monday, 14 April 2025."),
    ]
)
def test_103_days(fake_claude: FakeClaude, claude_clock: Any) -> None:
    """Two tools in a row: today's date, then the sum."""
    assert answer(fake_claude.client(), "what date is it in 103 days?", TOOLS, FUNCTIONS).endswith("14 April 2025.")
    first, second = (exchange.messages[-1] for exchange in fake_claude.session.exchanges[1:])
    assert first["content"][0]["content"] == "2025-01-01"
    assert second["content"][0]["content"].startswith("Monday, April 14, 2025")


@pytest.mark.claude_script(
    [
        turn(
            call("add_duration_to_datetime", datetime_str="2024-02-29", duration=1, unit="years"),
            call("add_duration_to_datetime", datetime_str="no date", duration=1, unit="days"),
        ),
        say("One of them I could not do."),
    ]
)
def test_parallel_calls_one_of_which_fails(fake_claude: FakeClaude) -> None:
    """Each call gets its result, the failing one as an error."""
    answer(fake_claude.client(), "a year after 29 February 2024?", TOOLS, FUNCTIONS)
    results = fake_claude.session.exchanges[1].messages[-1]["content"]
    assert [result.get("is_error", False) for result in results] == [False, True]
    assert "no date" in results[1]["content"]


def test_claude_that_never_stops_calling() -> None:
    """A function as a script: the loop gives up by itself."""
    fake = FakeClaude(lambda request: call("get_current_datetime"))
    with fake, pytest.raises(NoAnswer, match=f"{LIMIT} requests"):
        answer(fake.client(), "what time is it?", TOOLS, FUNCTIONS)


@pytest.mark.claude_script([turn(say("It will be Mon"), stop_reason="max_tokens")])
def test_a_reply_that_was_cut(fake_claude: FakeClaude) -> None:
    """A cut reply is not passed off as an answer."""
    with pytest.raises(NoAnswer, match="max_tokens"):
        answer(fake_claude.client(), "what date is it in 103 days?", TOOLS, FUNCTIONS)

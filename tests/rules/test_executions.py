"""Executions counted over a session."""

from __future__ import annotations

import pytest

from playhead.rules.executions import runs_again
from playhead.wire.exchange import Exchange

Reply = tuple[list[str], list[str]]
"""The ids of the calls in a reply, and of those that were run after it."""

SESSIONS: dict[str, tuple[list[Reply], list[tuple[int, str]]]] = {
    "once-each": ([(["a", "b"], ["a", "b"]), (["c"], ["c"])], []),
    "later-again": ([(["a"], ["a"]), (["b"], ["b", "a"])], [(2, "a")]),
    "twice-later": ([(["a"], ["a"]), ([], ["a"]), ([], ["a"])], [(2, "a"), (3, "a")]),
    "later-for-the-first-time": ([(["a"], []), (["b"], ["b", "a"])], []),
    "twice-at-once-is-one-time": ([(["a"], ["a", "a"])], []),
    "as-often-as-it-came": ([(["a"], ["a"]), (["a"], ["a"])], []),
    "more-often-than-it-came": ([(["a"], ["a"]), (["a"], ["a"]), ([], ["a"])], [(3, "a")]),
    "in-no-reply": ([([], ["x"]), ([], ["x"])], []),
    "not-counted": ([(["a"], [])], []),
}


@pytest.mark.parametrize(("replies", "expected"), SESSIONS.values(), ids=SESSIONS)
def test_calls_that_are_run_again(replies: list[Reply], expected: list[tuple[int, str]]) -> None:
    """Each run of a call after more exchanges than replies brought it."""
    exchanges = [
        Exchange(
            number=number,
            response={"content": [{"type": "tool_use", "id": identifier} for identifier in calls]},
            tools_run=tuple(run),
        )
        for number, (calls, run) in enumerate(replies, 1)
    ]
    assert [(exchange.number, call) for exchange, call in runs_again(exchanges)] == expected

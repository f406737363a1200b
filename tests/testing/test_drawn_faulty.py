"""Histories with one seeded fault: each fault is found, by a rule that the table names, and shrinks to one turn."""

from __future__ import annotations

import pytest

from drawing import examples, smallest
from playhead import SetupError, check_request
from playhead.rules.registry import RULES
from playhead.testing.strategies import SEEDED, faulty_transcripts
from playhead.wire.codec import JsonObject

WEATHER: JsonObject = {
    "name": "get_weather",
    "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}


@pytest.mark.parametrize("name", SEEDED)
def test_a_rule_finds_it(name: str) -> None:
    """In every request with the fault one of its rules is broken, and none is that the change does not bring."""
    for body, told, rules in examples(faulty_transcripts(name), 15):
        assert told == name
        assert rules == SEEDED[name].rules
        assert {found.rule for found in check_request(body)} & {*rules}


def test_the_rules_exist_and_are_no_advice() -> None:
    """Each id is that of a rule, and what it says is more than advice."""
    levels = {rule.id: rule.level for rule in RULES}
    assert {levels[rule] for fault in SEEDED.values() for rule in fault.rules} <= {"reject", "broken"}
    assert len(SEEDED) >= 15


def test_all_faults_are_drawn() -> None:
    """Without a name any fault may be it."""
    drawn = {name for _, name, _ in examples(faulty_transcripts(), 120)}
    assert len(drawn) > len(SEEDED) / 2


SMALLEST: dict[str, list[JsonObject]] = {
    "no-max-tokens": [{"role": "user", "content": "0"}],
    "results-left-out": [
        {"role": "user", "content": "0"},
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "name": "get_weather", "input": {"city": ""}, "id": "toolu_0_0"}],
        },
    ],
    "same-id-twice": [
        {"role": "user", "content": "0"},
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "name": "get_weather", "input": {"city": ""}, "id": "toolu_0_0"}] * 2,
        },
        {"role": "user", "content": [{"type": "tool_result", "content": "", "tool_use_id": "toolu_0_0"}]},
    ],
}


@pytest.mark.parametrize(("name", "messages"), SMALLEST.items(), ids=SMALLEST)
def test_the_smallest(name: str, messages: list[JsonObject]) -> None:
    """One turn, with no more calls than the fault needs, and the smallest input."""
    body, _, _ = smallest(faulty_transcripts(name, tools=[WEATHER]))
    assert body["messages"] == messages


def test_a_name_that_there_is_not() -> None:
    """One sentence that lists the names."""
    with pytest.raises(SetupError, match=r"names of faults \(unanswered-call, .*, not 'strange'"):
        faulty_transcripts("strange")

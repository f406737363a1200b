"""Where a request leaves its recording: the first place, what stands there, what it comes from."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playhead.cassettes.causes import CAUSES
from playhead.cassettes.departure import departure, departure_at, excerpts
from playhead.cassettes.matching import Chains
from playhead.cassettes.normal import Rules
from playhead.wire.equality import MISSING

Body = dict[str, Any]
NOW = {"type": "tool_use", "id": "toolu_1", "name": "now", "input": {"format": "%Y"}}
ADD = {"type": "tool_use", "id": "toolu_2", "name": "add", "input": {"a": 1}}
THINK = {"type": "thinking", "thinking": "Hm.", "signature": "s"}


def recorded() -> Body:
    return {
        "model": "claude-opus-5-5",
        "max_tokens": 64,
        "system": "Today is 2025-01-01. You work in /home/me/app.",
        "tools": [
            {"name": "now", "description": "The time.", "input_schema": {"type": "object"}},
            {"name": "add", "input_schema": {"type": "object"}},
        ],
        "messages": [
            {"role": "user", "content": "What date is it?"},
            {"role": "assistant", "content": [THINK, {"type": "text", "text": "Let me see."}, NOW, ADD]},
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "toolu_1", "content": "it is 2025-01-01"},
                    {"type": "tool_result", "tool_use_id": "toolu_2", "content": "build 17"},
                ],
            },
            {"role": "assistant", "content": "Done."},
            {"role": "user", "content": "Thanks, run 0f8fad5b-d9cb-469f-a165-70867728950e took 3 s."},
        ],
    }


def at(*steps: str | int) -> Callable[[Body, object], None]:
    """A change of what stands there."""

    def change(body: Any, value: object) -> None:
        for step in steps[:-1]:
            body = body[step]
        if value is MISSING:
            del body[steps[-1]]
        else:
            body[steps[-1]] = value

    return change


RESULT = ("messages", 2, "content", 0)
LAST = ("messages", 4, "content")
CHANGES: dict[str, tuple[tuple[str | int, ...], object, tuple[str, str, str]]] = {
    # name: (place, value, (path, cause, likely))
    "the clock": (
        (*RESULT, "content"),
        "it is 2026-11-29",
        ("$.messages[2].content[0].content", "volatile", "the clock: freeze it (fixture claude_clock)"),
    ),
    "a secret": (
        (*RESULT, "content"),
        "it is npm_F4keS3cretT0planTaNdF1ndAga1nWh3r3Ev",
        ("$.messages[2].content[0].content", "secret", "a secret (npm-token) where none was recorded"),
    ),
    "the clock in the system prompt": (
        ("system",),
        "Today is 2026-11-29. You work in /home/me/app.",
        ("$.system", "volatile", "the clock: freeze it (fixture claude_clock)"),
    ),
    "a path": (
        ("system",),
        "Today is 2025-01-01. You work in /srv/ci/app.",
        ("$.system", "volatile", "a path of the machine, the working directory say"),
    ),
    "clock and path": (
        ("system",),
        "Today is 2026-11-29. You work in /srv/ci/app.",
        (
            "$.system",
            "volatile",
            "the clock: freeze it (fixture claude_clock); a path of the machine, the working directory say",
        ),
    ),
    "an id": (
        LAST,
        "Thanks, run 7c9e6679-7425-40de-944b-e07fc1f90ae7 took 3 s.",
        ("$.messages[4].content", "volatile", "an id that is made anew each time"),
    ),
    "white space": (
        LAST,
        "Thanks,  run 0f8fad5b-d9cb-469f-a165-70867728950e took 3 s.\n",
        ("$.messages[4].content", "space", "white space alone: the words are the same"),
    ),
    "the model": (
        ("model",),
        "claude-haiku-4-5",
        ("$.model", "model", "the model changed from claude-opus-5-5 to claude-haiku-4-5"),
    ),
    "a tool more": (
        ("tools",),
        [*recorded()["tools"], {"name": "sub", "input_schema": {}}],
        ("$.tools[2]", "tools", "the tools changed: sub is new"),
    ),
    "a tool less": (
        ("tools",),
        recorded()["tools"][1:],
        ("$.tools[0].name", "tools", "the tools changed: now is gone"),
    ),
    "a tool's description": (
        ("tools", 0, "description"),
        "The time of day.",
        ("$.tools[0].description", "tools", "the tools changed: now is another (description)"),
    ),
    "the order of tools": (
        ("tools",),
        recorded()["tools"][::-1],
        ("$.tools[0].name", "tools", "the tools come in another order"),
    ),
    "no tools": (
        ("tools",),
        MISSING,
        ("$.tools", "tools", "the tools changed: now is gone, add is gone"),
    ),
    "the system prompt": (("system",), "Be brief.", ("$.system", "system", "the system prompt changed")),
    "a stream": (
        ("stream",),
        True,
        ("$.stream", "stream", "today's request asks for a stream, and the recorded one did not"),
    ),
    "a parameter": (("max_tokens",), 65, ("$.max_tokens", "parameter", "the parameter max_tokens changed")),
    "a new parameter": (("top_k",), 5, ("$.top_k", "parameter", "the parameter top_k is new")),
    "a parameter less": (("max_tokens",), MISSING, ("$.max_tokens", "parameter", "the parameter max_tokens is gone")),
    "history cut in front": (
        ("messages",),
        recorded()["messages"][2:],
        ("$.messages[0].content[0]", "cut", "the history was cut: 2 of 5 messages are missing"),
    ),
    "history cut in the middle": (
        ("messages",),
        [recorded()["messages"][0], *recorded()["messages"][3:]],
        ("$.messages[1].content", "cut", "the history was cut: 2 of 5 messages are missing"),
    ),
    "history cut at the end": (
        ("messages",),
        recorded()["messages"][:4],
        ("$.messages[4]", "cut", "the history was cut: 1 of 5 messages is missing"),
    ),
    "history summarised": (
        ("messages",),
        [{"role": "user", "content": "So far: nothing."}, *recorded()["messages"][3:]],
        ("$.messages[0].content", "cut", "the history was cut: 2 of 5 messages are missing"),
    ),
    "more than was recorded": (
        ("messages",),
        [*recorded()["messages"], {"role": "assistant", "content": "x"}],
        ("$.messages[5]", "longer", "the loop goes on where the recording ends"),
    ),
    "another order of results": (
        ("messages", 2, "content"),
        recorded()["messages"][2]["content"][::-1],
        (
            "$.messages[2].content[0].tool_use_id",
            "order",
            "the same blocks in another order: parallel tools may have finished in another order",
        ),
    ),
    "thinking dropped": (
        ("messages", 1, "content"),
        recorded()["messages"][1]["content"][1:],
        (
            "$.messages[1].content[0]",
            "echo",
            "Claude's reply was not sent back whole: without its thinking",
        ),
    ),
    "a reply edited": (
        ("messages", 1, "content", 2, "input", "format"),
        "%m",
        ("$.messages[1].content[2].input.format", "echo", "Claude's reply was sent back changed"),
    ),
    "a tool's result": (
        ("messages", 2, "content", 1, "content"),
        "build 18",
        (
            "$.messages[2].content[1].content",
            "result",
            "the tool add returned something else than when it was recorded",
        ),
    ),
    "a tool fails": (
        (*RESULT, "is_error"),
        True,
        ("$.messages[2].content[0].is_error", "result", "the tool now failed today"),
    ),
    "a result is missing": (
        ("messages", 2, "content"),
        recorded()["messages"][2]["content"][:1],
        ("$.messages[2].content[1]", "result", "the tool add was not answered"),
    ),
    "another prompt": (
        ("messages", 0, "content"),
        "What time is it?",
        ("$.messages[0].content", "prompt", "what the user says is another text"),
    ),
    "another role": (
        ("messages", 3, "role"),
        "system",
        ("$.messages[3]", "", ""),
    ),
}


@pytest.mark.parametrize(("place", "value", "expected"), CHANGES.values(), ids=CHANGES)
def test_a_change_and_what_it_comes_from(
    place: tuple[str | int, ...], value: object, expected: tuple[str, str, str]
) -> None:
    """The path in what was sent, and the likely cause."""
    today = copy.deepcopy(recorded())
    at(*place)(today, value)
    found = departure(recorded(), today, Rules.of())
    assert found is not None
    assert (found.path, found.cause, found.likely) == expected


def test_every_cause_is_tried() -> None:
    """No cause is added without a case above."""
    assert {cause for _, _, (_, cause, _) in CHANGES.values()} == {*CAUSES, "volatile", ""}


def test_a_tool_that_failed_when_it_was_recorded() -> None:
    """The other way round."""
    failed = copy.deepcopy(recorded())
    at(*RESULT, "is_error")(failed, True)
    found = departure(failed, recorded(), Rules.of())
    assert found is not None
    assert found.likely == "the tool now failed when it was recorded"


TEXT = st.text(max_size=4) | st.sampled_from(["2025-01-01", "2026-11-29", "/a/b", " "])
NAMES = st.sampled_from(["type", "role", "content", "id", "tool_use_id", "input", "name", "text", "is_error"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.5, 1.0]) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
BODY = st.dictionaries(st.sampled_from(["model", "tools", "system", "stream", "x"]), JSON, max_size=3).flatmap(
    lambda envelope: (st.lists(JSON, max_size=3) | JSON).map(lambda messages: {**envelope, "messages": messages})
)


@settings(deadline=None, max_examples=300)
@given(BODY, BODY)
def test_any_two_requests(one: Body, other: Body) -> None:
    """There is a departure just where the keys differ, whatever stands in the bodies; it is short.

    What stands in place of the list of messages is part of the envelope, where null and empty are absent.
    """
    chains, rules = Chains(Rules.of()), Rules.of()
    keys = [chains.ask("POST", "/v1/messages", body).key for body in (one, other)]
    found, back = departure(one, other, rules), departure(other, one, rules)
    assert (found is None) == (back is None) == (keys[0] == keys[1])
    if found is not None:
        assert found.path.startswith("$.")
        assert len(found.recorded) <= 62
        assert len(found.today) <= 62


def test_the_same_is_no_departure() -> None:
    """However it is written; and what a rule looks past is none either."""
    today = copy.deepcopy(recorded())
    today["messages"][0]["content"] = [{"type": "text", "text": "What date is it?", "cache_control": {}}]
    assert departure(recorded(), dict(reversed(today.items())), Rules.of()) is None
    today["messages"][2]["content"][0]["content"] = "it is 2026-11-29"
    assert departure(recorded(), today, Rules.of("dates")) is None


def test_the_rules_that_would_look_past_it_are_named() -> None:
    """As few as it takes, and none that is in force already."""
    today = copy.deepcopy(recorded())
    today["system"] = "Today is 2026-11-29. You work in /srv/ci/app."
    found = departure(recorded(), today, Rules.of())
    assert found is not None
    assert found.volatile == ("dates", "cwd")
    found = departure(recorded(), today, Rules.of("dates"))
    assert found is not None
    assert found.volatile == ("cwd",)
    assert (found.recorded, found.today) == (
        '"Today is <date>. You work in /home/me/app."',
        '"Today is <date>. You work in /srv/ci/app."',
    )


def test_what_changes_all_is_told_before_the_messages() -> None:
    """The model first, then the prompt and the tools; the messages come last."""
    today = copy.deepcopy(recorded())
    today["messages"][0]["content"] = "x"
    today["max_tokens"] = 1
    today["system"] = "x"
    today["model"] = "m"
    for path, member in (("$.model", "model"), ("$.system", "system"), ("$.max_tokens", "max_tokens")):
        found = departure(recorded(), today, Rules.of())
        assert found is not None
        assert found.path == path
        today[member] = recorded()[member]
    found = departure(recorded(), today, Rules.of())
    assert found is not None
    assert found.path == "$.messages[0].content"


LONG = "x" * 500
EXCERPTS: dict[str, tuple[object, object, tuple[str, str]]] = {
    "short": ("a", 5, ('"a"', "5")),
    "absent": (MISSING, {"a": 1}, ("(absent)", '{"a":1}')),
    "around the difference": (
        f"{LONG}2025{LONG}",
        f"{LONG}2026{LONG}",
        (f"…{'x' * 17}2025{'x' * 39}…", f"…{'x' * 17}2026{'x' * 39}…"),
    ),
    "at the beginning": (
        f"a{LONG}",
        f"b{LONG}",
        (f'"a{"x" * 58}…', f'"b{"x" * 58}…'),
    ),
    "longer": (LONG, f"{LONG}y", (f'…{"x" * 20}"', f'…{"x" * 20}y"')),
    "a terminal is not obeyed": ("\x1b]0;x\x07", "\u202e", ('"\\u001b]0;x\\u0007"', '"\N{REPLACEMENT CHARACTER}"')),
}


@pytest.mark.parametrize(("left", "right", "expected"), EXCERPTS.values(), ids=EXCERPTS)
def test_values_are_cut_around_their_difference(left: object, right: object, expected: tuple[str, str]) -> None:
    """What is shown is short, and shows the difference."""
    shown = excerpts(left, right)
    assert max(map(len, shown)) <= 62
    if "around" in expected[0] or expected[0].startswith("…"):
        assert shown[0] != shown[1]
    assert shown == expected


def test_other_values_depart_at_their_own_path() -> None:
    """A reply's content, say."""
    one, other = ({"content": [{"type": "text", "text": text}]} for text in ("a", "b"))
    found = departure_at("$response", one, other, Rules.of(), cause="reply", likely="x")
    assert found is not None
    assert (found.path, found.cause) == ("$response.content[0].text", "reply")
    assert departure_at("$response", one, one, Rules.of(), cause="reply", likely="x") is None

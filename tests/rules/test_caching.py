"""The rules on cache marks."""

from __future__ import annotations

from typing import Any

import pytest

from playhead.rules.caching import RULES
from playhead.rules.checker import Checker, check_request
from playhead.rules.rule import told_once
from playhead.wire.exchange import Exchange

Json = dict[str, Any]
Fault = tuple[str, str, str | None]
SHORT, SHORT_TOO = {"type": "ephemeral"}, {"type": "ephemeral", "ttl": "5m"}
LONG = {"type": "ephemeral", "ttl": "1h"}


def text(words: str = "x", mark: object = None) -> Json:
    return {"type": "text", "text": words, **({} if mark is None else {"cache_control": mark})}


def tool(mark: object = None) -> Json:
    return {"name": "look_up", "input_schema": {"type": "object"}, **({} if mark is None else {"cache_control": mark})}


def body(*content: Json, **more: object) -> Json:
    return {
        "model": "claude-haiku-4-5",
        "max_tokens": 9,
        "messages": [{"role": "user", "content": list(content) or "hi"}],
        **more,
    }


def result(*content: Json, mark: object = None) -> Json:
    marked = {} if mark is None else {"cache_control": mark}
    return {"type": "tool_result", "tool_use_id": "toolu_1", "content": list(content), **marked}


def answered(*results: Json, **more: object) -> Json:
    call = {"type": "tool_use", "id": "toolu_1", "name": "look_up", "input": {"cache_control": SHORT}}
    messages = [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": list(results)},
    ]
    return body(**{"messages": messages, **more})


def many(found: int, path: str) -> list[Fault]:
    wording = f"A maximum of 4 blocks with cache_control may be provided. Found {found}."
    return [("cache-control-max-4", path, wording)]


def order(path: str, api: str) -> list[Fault]:
    words = "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block."
    return [("cache-control-ttl-order", f"{path}.cache_control.ttl", f"{api}.cache_control.ttl: {words}")]


def empty(path: str, api: str) -> list[Fault]:
    wording = f"{api}.text: cache_control cannot be set for empty text blocks"
    return [("cache-control-empty-text", f"{path}.cache_control", wording)]


AUTOMATIC: list[Fault] = [("cache-control-automatic-conflict", "$.cache_control", None)]
FOUR = [text(mark=SHORT)] * 4

FAILING: dict[str, tuple[Json, list[Fault]]] = {
    "five-in-a-message": (body(*FOUR, text(mark=SHORT)), many(5, "$.messages[0].content[4].cache_control")),
    "five-everywhere": (
        body(text(mark=SHORT), text(mark=SHORT), tools=[tool(SHORT), tool(SHORT)], system=[text(mark=SHORT)]),
        many(5, "$.messages[0].content[1].cache_control"),
    ),
    "six": (
        body(*FOUR, tools=[tool(SHORT)], system=[text(mark=SHORT)]),
        many(6, "$.messages[0].content[2].cache_control"),
    ),
    "five-with-one-in-a-result": (
        answered(result(text(mark=SHORT), mark=SHORT), text(mark=SHORT), system=[text(mark=SHORT)] * 2),
        many(5, "$.messages[2].content[1].cache_control"),
    ),
    "four-and-the-automatic": (body(*FOUR, cache_control=SHORT), many(5, "$.cache_control") + AUTOMATIC),
    "empty-in-a-message": (
        body(text(), text("", SHORT)),
        empty("$.messages[0].content[1]", "messages.0.content.1"),
    ),
    "empty-in-the-system-prompt": (body(system=[text("", SHORT)]), empty("$.system[0]", "system.0")),
    "empty-in-a-result": (
        answered(result(text("", LONG))),
        empty("$.messages[2].content[0].content[0]", "messages.2.content.0.tool_result.content.0"),
    ),
    "hour-after-five-minutes": (
        body(text(mark=SHORT), text(mark=LONG)),
        order("$.messages[0].content[1]", "messages.0.content.1"),
    ),
    "hour-after-explicit-five-minutes": (
        body(text(mark=SHORT_TOO), text(), text(mark=LONG), text(mark=LONG)),
        order("$.messages[0].content[2]", "messages.0.content.2"),
    ),
    "hour-in-messages-after-system": (
        body(text(mark=LONG), system=[text(mark=SHORT)]),
        order("$.messages[0].content[0]", "messages.0.content.0"),
    ),
    "hour-in-system-after-tools": (
        body(system=[text(mark=LONG)], tools=[tool(SHORT)]),
        order("$.system[0]", "system.0"),
    ),
    "hour-in-tools": (body(tools=[tool(SHORT), tool(LONG)]), order("$.tools[1]", "tools.1")),
    "hour-after-a-result": (
        answered(result(text(mark=SHORT), mark=LONG)),
        order("$.messages[2].content[0]", "messages.2.content.0"),
    ),
    "on-thinking": (
        body(
            messages=[
                {"role": "user", "content": "hi"},
                {
                    "role": "assistant",
                    "content": [
                        {"type": "thinking", "thinking": "a", "signature": "s", "cache_control": SHORT},
                        text(),
                    ],
                },
                {"role": "user", "content": "go"},
            ]
        ),
        [
            (
                "cache-control-on-thinking",
                "$.messages[1].content[0].cache_control",
                "messages.1.content.0.thinking.cache_control: Extra inputs are not permitted",
            )
        ],
    ),
    "on-redacted-thinking": (
        body(
            messages=[
                {"role": "user", "content": "hi"},
                {"role": "assistant", "content": [{"type": "redacted_thinking", "data": "a", "cache_control": SHORT}]},
                {"role": "user", "content": "go"},
            ]
        ),
        [
            (
                "cache-control-on-thinking",
                "$.messages[1].content[0].cache_control",
                "messages.1.content.0.redacted_thinking.cache_control: Extra inputs are not permitted",
            )
        ],
    ),
    "automatic-for-another-time": (body(text(mark=SHORT), cache_control=LONG), AUTOMATIC),
    "automatic-five-minutes-on-an-hour": (body(text(), text(mark=LONG), cache_control=SHORT_TOO), AUTOMATIC),
}

OK: dict[str, Json] = {
    "none": body(text()),
    "four": body(*FOUR),
    "four-everywhere": body(text(mark=SHORT), tools=[tool(), tool(SHORT)], system=[text(mark=SHORT)] * 2),
    "null-is-no-mark": body(*FOUR, {**text(), "cache_control": None}),
    "in-an-input-or-a-schema": answered(
        result(mark=SHORT),
        tools=[{"name": "a", "input_schema": {"type": "object", "properties": {"cache_control": SHORT}}}],
        system=[text(mark=SHORT)] * 3,
    ),
    "mark-of-another-kind": body(*FOUR, text(mark="ephemeral")),
    "three-and-the-automatic": body(*FOUR[:3], text(), cache_control=SHORT),
    "automatic-alone": body(cache_control=SHORT),
    "automatic-null": body(*FOUR, cache_control=None),
    "automatic-like-the-last": body(text(mark=SHORT), cache_control=SHORT_TOO),
    "automatic-and-an-hour-before": body(text(mark=LONG), text(), cache_control=SHORT),
    "hours-first": body(text(mark=LONG), text(mark=SHORT), tools=[tool(LONG)], system=[text(mark=LONG)]),
    "all-hours": body(text(mark=LONG), text(mark=LONG)),
    "empty-without-mark": body(text(""), text(), system=[text("")]),
    "empty-with-null": body({**text(""), "cache_control": None}),
    "blank-with-mark": body(text(" ", SHORT)),
    "thinking-with-null": body(
        messages=[
            {"role": "assistant", "content": [{"type": "redacted_thinking", "data": "a", "cache_control": None}]},
            {"role": "user", "content": "go"},
        ]
    ),
    "system-a-string": body(system="x"),
    "of-other-kinds": body(system=[None, "x", 5], tools=[None, "x"], cache_control="ephemeral"),
}


def judged(request: Json) -> list[Fault]:
    return [(v.rule, v.path, v.api) for v in check_request(request, only=RULES)]


@pytest.mark.parametrize(("request_body", "expected"), FAILING.values(), ids=FAILING)
def test_what_is_refused(request_body: Json, expected: list[Fault]) -> None:
    """The rule, the place, and the API's words where they are known."""
    assert judged(request_body) == expected


@pytest.mark.parametrize("request_body", OK.values(), ids=OK)
def test_what_is_taken(request_body: Json) -> None:
    """Nothing at all is said."""
    assert judged(request_body) == []


def test_all_are_refusals() -> None:
    """Each is known word for word, or documented as a 400; one tells of a loop how it came to the first."""
    assert {rule.id for rule in RULES if rule.level != "reject"} == {"cache-breakpoints-not-accumulating"}


def grown(turns: int, mark: bool = True) -> Json:
    """A conversation in which each user message is marked and none unmarked again."""
    messages: list[Json] = []
    for number in range(turns):
        messages += [{"role": "user", "content": [text(str(number), SHORT if mark else None)]}]
        messages += [{"role": "assistant", "content": "a"}] if number < turns - 1 else []
    return body(messages=messages)


def test_marks_that_pile_up() -> None:
    """The fifth request of a loop that never takes a mark off is the first to be refused."""
    checker = Checker(RULES)
    counts = [len(checker.ask(Exchange(number=turns, request=grown(turns))).violations) for turns in range(1, 6)]
    assert counts == [0, 0, 0, 0, 2]


def test_old_marks_count_with_those_of_a_new_system_prompt() -> None:
    """The messages are the same as before, the rest is not."""
    checker = Checker(RULES)
    assert checker.ask(Exchange(request=grown(4))).violations == ()
    later = {**grown(5), "system": [text(mark=SHORT)]}
    later["messages"][-1] = {"role": "user", "content": "no mark"}
    violations = checker.ask(Exchange(request=later)).violations
    assert [v.rule for v in told_once(violations)] == ["cache-control-max-4"]
    assert [v.rule for v in violations if v.same_as == "cache-control-max-4"] == ["cache-breakpoints-not-accumulating"]


def conversation(*marked: int, length: int = 9) -> Json:
    """A conversation in which the messages at these positions carry a mark."""
    roles = ("user", "assistant")
    return body(
        messages=[
            {"role": roles[number % 2], "content": [text(str(number), SHORT if number in marked else None)]}
            for number in range(length)
        ]
    )


PILES: dict[str, tuple[Json, str | None]] = {
    "each-question": (conversation(0, 2, 4, 6, 8), "$.messages[0].content[0].cache_control"),
    "each-message": (conversation(*range(9)), "$.messages[0].content[0].cache_control"),
    "three-and-two-elsewhere": (
        {**conversation(4, 6, 8), "system": [text(mark=SHORT)], "tools": [tool(SHORT)]},
        "$.messages[4].content[0].cache_control",
    ),
    "four": (conversation(2, 4, 6, 8), None),
    "one-that-moves": (conversation(8), None),
    "two-that-move": ({**conversation(6, 8), "system": [text(mark=SHORT)], "tools": [tool(SHORT)]}, None),
    "too-many-in-one-message": (body(*[text(mark=SHORT)] * 5), None),
    "too-many-before-the-messages": ({**conversation(8), "tools": [tool(SHORT)] * 4}, None),
}


@pytest.mark.parametrize(("request_body", "path"), PILES.values(), ids=PILES)
def test_marks_left_behind(request_body: Json, path: str | None) -> None:
    """Too many marks, of which several messages carry one each: those before the last were left there."""
    found = [v for v in check_request(request_body) if v.rule == "cache-breakpoints-not-accumulating"]
    assert [(v.level, v.path, v.same_as) for v in found] == ([("broken", path, "cache-control-max-4")] if path else [])

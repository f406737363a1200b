"""Loops with one bug in how they run tools, over the real SDK and a fake that counts: what is found, and when."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from playhead import FakeClaude, call, say, turn

TOOLS = [
    {"name": name, "description": name, "input_schema": {"type": "object", "properties": {"key": {"type": "string"}}}}
    for name in ("look", "count", "nothing", "fail")
]


def functions() -> dict[str, Callable[..., Any]]:
    def fail(**given: Any) -> Any:
        raise ValueError("no such key")

    return {
        "look": lambda **given: {"key": given.get("key"), "found": True, "more": None},
        "count": lambda **given: 7,
        "nothing": lambda **given: None,
        "fail": fail,
    }


Answer = Callable[[Any, dict[str, Callable[..., Any]]], dict[str, Any]]


def answer(block: Any, tools: dict[str, Callable[..., Any]]) -> dict[str, Any]:
    """The result of a call, as a correct loop makes it."""
    try:
        content, failed = json.dumps(tools[block.name](**block.input)), {}
    except ValueError as error:
        content, failed = f"{type(error).__name__}: {error}", {"is_error": True}
    return {"type": "tool_result", "tool_use_id": block.id, "content": content, **failed}


def loop(
    fake: FakeClaude, make: Answer = answer, finish: Callable[[list[Any]], list[Any]] = lambda results: results
) -> None:
    """Asks, answers with `make` for each call and `finish` for all of a turn, until Claude is done."""
    client, tools = fake.client(), fake.watch(functions())
    history: list[Any] = [{"role": "user", "content": "go on"}]
    for _ in range(5):
        reply = client.messages.create(model="claude-opus-5-5", max_tokens=64, tools=TOOLS, messages=history)
        calls = [block for block in reply.content if block.type == "tool_use"]
        if reply.stop_reason != "tool_use":
            return
        results = finish([make(block, tools) for block in calls])
        history += [{"role": "assistant", "content": reply.content}, {"role": "user", "content": results}]


def script(*calls: Any) -> list[Any]:
    return [turn(*calls), say("done")]


LOOKS = script(call("look", key="a"), call("look", key="b"))


def test_a_correct_loop_breaks_nothing() -> None:
    """Data as JSON, null for nothing, an error told: whatever the tools do, there is nothing to say."""
    with FakeClaude([turn(*(call(name) for name in ("look", "count", "nothing", "fail"))), *LOOKS]) as fake:
        loop(fake)
    assert fake.violations == ()


def with_content(content: Callable[[Any], Any]) -> Answer:
    def make(block: Any, tools: dict[str, Callable[..., Any]]) -> dict[str, Any]:
        value = tools[block.name](**block.input)
        return {"type": "tool_result", "tool_use_id": block.id, "content": content(value)}

    return make


def twice(block: Any, tools: dict[str, Callable[..., Any]]) -> dict[str, Any]:
    tools[block.name](**block.input)
    return answer(block, tools)


def silent(block: Any, tools: dict[str, Callable[..., Any]]) -> dict[str, Any]:
    return {**answer(block, tools), "content": "fine", "is_error": False}


def swapped(results: list[Any]) -> list[Any]:
    contents = [result["content"] for result in reversed(results)]
    return [{**result, "content": content} for result, content in zip(results, contents, strict=True)]


BUGS: dict[str, tuple[list[Any], dict[str, Any], list[tuple[str, int]]]] = {
    "results-exchanged": (LOOKS, {"finish": swapped}, [("results-match-ids", 2), ("results-match-ids", 2)]),
    "python-notation": (script(call("look")), {"make": with_content(str)}, [("tool-result-tells-value", 2)]),
    "the-keys-alone": (
        script(call("look")),
        {"make": with_content(lambda value: ", ".join(value))},
        [("tool-result-tells-value", 2)],
    ),
    "a-number": (script(call("count")), {"make": with_content(lambda value: value)}, [("tool-result-content-type", 2)]),
    "null": (script(call("nothing")), {"make": with_content(lambda value: value)}, [("tool-result-content-type", 2)]),
    "none-as-a-word": (script(call("nothing")), {"make": with_content(str)}, [("tool-result-tells-value", 2)]),
    "run-twice": (script(call("count")), {"make": twice}, [("answer-every-tool-use-once", 1)]),
    "an-error-hidden": (script(call("fail")), {"make": silent}, [("tool-error-as-result", 2)]),
}


@pytest.mark.parametrize(("steps", "bug", "expected"), BUGS.values(), ids=BUGS)
def test_a_bug_is_found_while_the_loop_runs(
    steps: list[Any], bug: dict[str, Any], expected: list[tuple[str, int]]
) -> None:
    """What a tool returned is known when the next request comes, so that a result which does not say it is found."""
    fake = FakeClaude(steps)
    loop(fake, **bug)
    assert [(its.rule, its.exchange) for its in fake.violations if its.level == "broken"] == expected


def test_a_call_left_out_is_told_once() -> None:
    """The API's own words say it; the rule on loops that tells the same is left out."""
    fake = FakeClaude(LOOKS)
    with pytest.raises(Exception, match="tool_use"):
        loop(fake, finish=lambda results: results[:1])
    assert [violation.rule for violation in fake.violations] == ["tool-use-unanswered"]


def test_whoever_expects_or_ignores_the_refusal_is_done_with_it() -> None:
    """The same fault in other words would make `expect` and `ignore` useless."""
    with FakeClaude(script(call("count"))) as fake, fake.expect("tool-use-unanswered"), pytest.raises(Exception):  # noqa: B017, PT011
        loop(fake, finish=lambda results: [{"type": "text", "text": "7"}])
    ignoring = FakeClaude(script(call("count")), ignore=["tool-use-unanswered"])
    loop(ignoring, finish=lambda results: [{"type": "text", "text": "7"}])
    assert ignoring.violations == ()

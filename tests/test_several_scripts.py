"""Several scripts on one fake, under the SDK: each conversation plays its own, and the verdict tells which did not."""

from __future__ import annotations

import threading
from typing import Any

import anthropic
import pytest

from playhead import (
    FakeClaude,
    Request,
    RuleViolations,
    ScriptError,
    ScriptNotFinished,
    ScriptOver,
    call,
    fail,
    say,
    turn,
    when,
)

TOOLS: Any = [
    {"name": name, "description": name, "input_schema": {"type": "object"}} for name in ("delegate", "get_tide")
]


def ask(client: anthropic.Anthropic, text: str, turns: int = 9) -> str:
    """A tool loop whose tool `delegate` is a loop of its own, over the same client."""
    messages: list[Any] = [{"role": "user", "content": text}]
    for _ in range(turns):
        message = client.messages.create(model="claude-opus-5-5", max_tokens=64, tools=TOOLS, messages=messages)
        messages.append({"role": "assistant", "content": message.content})
        if message.stop_reason != "tool_use":
            return "".join(block.text for block in message.content if block.type == "text")
        results = [
            {"type": "tool_result", "tool_use_id": block.id, "content": run(client, block)}
            for block in message.content
            if block.type == "tool_use"
        ]
        messages.append({"role": "user", "content": results})
    return "gave up"


def run(client: anthropic.Anthropic, block: Any) -> str:
    if block.name == "delegate":
        return ask(client, str(block.input["task"]))
    return f"4.1 m at {block.input['port']}"


def test_each_conversation_plays_its_own() -> None:
    """A mapping of first messages: in any order, again and again, whole texts before parts."""
    scripts = {
        "tide": [call("get_tide", port="Brest"), say("about the tide")],
        "tide and moon": [say("about both")],
        "": [say("about something else")],
    }
    with FakeClaude(scripts) as fake:
        texts = ["tide", "tide and moon", "the tide, please", "hello", "tide", "hello"]
        assert [ask(fake.client(), text) for text in texts] == [
            "about the tide",
            "about both",
            "about the tide",
            "about something else",
            "about the tide",
            "about something else",
        ]
    assert len(fake.session.exchanges) == 9


def test_functions_choose() -> None:
    """A function looks at anything in the first request: the model, the tools, the system prompt."""
    with FakeClaude(
        [
            when(lambda request: len(request.tools) > 5, [say("too many tools")]),
            when(lambda request: request.body["model"] == "claude-opus-5-5", [say("from Opus"), say("again")]),
        ],
        ignore=["tools-resent-every-call"],
    ) as fake:
        client = fake.client()
        many: Any = [{**TOOLS[0], "name": f"tool_{number}"} for number in range(6)]
        hi: Any = [{"role": "user", "content": "hi"}]
        first = client.messages.create(model="claude-opus-5-5", max_tokens=9, tools=many, messages=hi)
        assert first.content[0].text == "too many tools"  # type: ignore[union-attr]
        hello: Any = [{"role": "user", "content": "hello"}]
        second = client.messages.create(model="claude-opus-5-5", max_tokens=9, messages=hello)
        assert second.content[0].text == "from Opus"  # type: ignore[union-attr]
        # chosen once: the conversation keeps its script though the function would choose another now
        more = [*hello, {"role": "assistant", "content": second.content}, {"role": "user", "content": "go on"}]
        third = client.messages.create(model="claude-opus-5-5", max_tokens=9, tools=many, messages=more)
        assert third.content[0].text == "again"  # type: ignore[union-attr]


def test_a_conversation_inside_a_tool() -> None:
    """While a tool runs, its own conversation is played on the same fake; afterwards the first goes on."""
    scripts: dict[str, list[Any]] = {
        "Plan my trip": [
            turn(call("delegate", task="Look up the tide"), call("delegate", task="Look up the tide again")),
            fail(529),
            lambda request: say("; ".join(str(block["content"]) for block in request.results.values())),
        ],
        "Look up the tide": [call("get_tide", port="Brest"), fail(529), say("4.1 m")],
        "Look up the tide again": [call("delegate", task="Look up the tide"), say("still 4.1 m")],
    }
    with FakeClaude(scripts) as fake:
        assert ask(fake.client(), "Plan my trip") == "4.1 m; still 4.1 m"
    session = fake.session
    assert [exchange.messages[0]["content"] for exchange in session.exchanges] == [  # type: ignore[index]
        "Plan my trip",
        *["Look up the tide"] * 3,
        "Look up the tide again",
        *["Look up the tide"] * 3,
        "Look up the tide again",
        *["Plan my trip"] * 2,
    ]


def test_a_conversation_inside_a_tool_in_a_thread_of_its_own() -> None:
    """The same where the tool hands its work to another thread and waits for it."""
    found: list[str] = []

    def outer(client: anthropic.Anthropic) -> str:
        thread = threading.Thread(target=lambda: found.append(ask(client, "inner")))
        thread.start()
        thread.join(timeout=30)
        return ask(client, "outer")

    with FakeClaude({"inner": [say("inside")], "outer": [say("outside")]}) as fake:
        assert outer(fake.client()) == "outside"
    assert found == ["inside"]


def test_a_conversation_inside_a_tool_needs_a_script_of_its_own() -> None:
    """With one script for one conversation, a second conversation is told to be one."""
    fake = FakeClaude([call("delegate", task="Look up the tide"), say("4.1 m"), say("done")])
    ask(fake.client(), "Plan my trip")
    with pytest.raises(RuleViolations, match="history-resent-in-full"):
        fake.assert_ok()


# What goes wrong


def test_no_case_fits() -> None:
    """The loop gets a 400 that it does not try again, the test the same sentence."""
    fake = FakeClaude({"tide": [say("a")], "moon": [say("b")]})
    with pytest.raises(anthropic.BadRequestError, match="Playhead: no script fits the conversation that begins with"):
        ask(fake.client(max_retries=5), "Is there life on Mars?")
    failure = fake.failure()
    assert type(failure) is ScriptError
    assert str(failure) == (
        "no script fits the conversation that begins with 'Is there life on Mars?': there are 'tide', 'moon'; add a "
        "case, or when('', [...]) for all others"
    )
    assert len(fake.session.exchanges) == 1


def test_a_test_that_raises() -> None:
    """It is told with its case and its error, which is kept as the cause."""

    def about_tides(request: Request) -> bool:
        raise KeyError("tide")

    fake = FakeClaude([when(about_tides, [say("a")])])
    with pytest.raises(anthropic.BadRequestError, match="the test of case about_tides raised KeyError: 'tide'"):
        ask(fake.client(), "tide")
    failure = fake.failure()
    assert type(failure) is ScriptError
    assert isinstance(failure.__cause__, KeyError)


def test_scripts_that_were_not_played() -> None:
    """Each is told with its case: those that no conversation asked for, and those that one left too early."""
    fake = FakeClaude(
        [
            when("tide", [call("get_tide", port="Brest"), say("high"), say("never")]),
            when("moon", [say("a"), fail(529, times=2)]),
            when(lambda request: False, [call("get_tide")]),
            when("sun", lambda request: say("endless")),
        ]
    )
    client = fake.client()
    ask(client, "the tide")
    ask(client, "the tide at Brest", turns=1)
    ask(client, "by the light of the moon")
    failure = fake.failure()
    assert isinstance(failure, ScriptNotFinished)
    line = test_scripts_that_were_not_played.__code__.co_firstlineno + 6
    assert str(failure) == (
        "1 of 3 steps of 'tide' was never asked for\n"
        '    3   say("never")   <- next\n'
        'Its conversation stopped after exchange 2 with stop_reason "end_turn".\n'
        "2 of 3 steps of 'tide' were never asked for\n"
        '    2   say("high")   <- next\n'
        '    3   say("never")\n'
        'Its conversation stopped after exchange 3 with stop_reason "tool_use": it left 1 tool call unanswered.\n'
        "1 of 2 steps of 'moon' was never asked for\n"
        "    2   fail(529, times=2)   <- next\n"
        'Its conversation stopped after exchange 4 with stop_reason "end_turn".\n'
        f"1 of 1 step of <lambda of line {line}> was never asked for: no conversation fits this case\n"
        '    1   call("get_tide")   <- next\n'
        "Conversations began with 'the tide', 'the tide at Brest', 'by the light of the moon'."
    )
    assert len(failure.steps) == 5


def test_how_conversations_began() -> None:
    """Where a case was never chosen, the beginnings that there were are told: each once, the first few, shortened."""
    scripts: dict[str, Any] = {"tide": [say("a")], "": lambda request: say("b")}
    fake = FakeClaude(scripts)
    for text in ["moon", "moon", "x" * 50, "Tide!", "sun", "stars"]:
        ask(fake.client(), text)
    assert str(fake.failure()).endswith(f"\nConversations began with 'moon', '{'x' * 40}', 'Tide!' and 2 more.")


def test_no_request_at_all() -> None:
    """Every case is left over then."""
    failure = FakeClaude({"tide": [say("a")]}).failure()
    assert str(failure) == (
        "1 of 1 step of 'tide' was never asked for: no conversation fits this case\n"
        '    1   say("a")   <- next\n'
        "The loop sent no request."
    )


def test_a_script_that_is_over() -> None:
    """The conversation that asks too often is told by its case; others are not touched."""
    fake = FakeClaude({"tide": [say("a")], "moon": [call("get_tide", port="Brest"), say("b")]})
    client = fake.client()
    hi: Any = [{"role": "user", "content": "tide"}]
    first = client.messages.create(model="claude-opus-5-5", max_tokens=9, messages=hi)
    more = [*hi, {"role": "assistant", "content": first.content}, {"role": "user", "content": "go on"}]
    with pytest.raises(anthropic.BadRequestError, match="the script is over: its one step was played"):
        client.messages.create(model="claude-opus-5-5", max_tokens=9, messages=more)
    assert ask(client, "moon") == "b"
    failure = fake.failure()
    assert isinstance(failure, ScriptOver)
    assert str(failure).startswith("the loop sent 1 request after the script's last step (of 1) of 'tide': add what")


def test_a_violation_in_one_of_them() -> None:
    """The report notes the steps that were left, each with its case."""
    fake = FakeClaude({"tide": [call("get_tide", port="Brest"), say("high")], "moon": [say("b")]})
    client = fake.client()
    hi: Any = [{"role": "user", "content": "tide"}]
    first = client.messages.create(model="claude-opus-5-5", max_tokens=9, tools=TOOLS, messages=hi)
    with pytest.raises(anthropic.BadRequestError):
        client.messages.create(
            model="claude-opus-5-5",
            max_tokens=9,
            tools=TOOLS,
            messages=[*hi, {"role": "assistant", "content": first.content}, *hi],
        )
    failure = fake.failure()
    assert isinstance(failure, RuleViolations)
    assert "1 of 2 steps of 'tide' was never asked for." in str(failure)
    assert "1 of 1 step of 'moon' was never asked for." in str(failure)


def test_how_the_fake_shows_itself() -> None:
    """Steps and played steps of all its scripts."""
    fake = FakeClaude({"tide": [say("a"), say("b")], "moon": [say("c")]})
    assert repr(fake) == "<FakeClaude: 3 steps, 0 played, 0 exchanges>"
    ask(fake.client(), "tide")
    assert repr(fake) == "<FakeClaude: 3 steps, 1 played, 1 exchanges>"

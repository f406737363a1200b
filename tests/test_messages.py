"""Every sentence that a user can meet: what came, what was expected, what to do."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from playhead import (
    FakeClaude,
    RecordingError,
    Request,
    RequestLimitReached,
    ScriptError,
    SetupError,
    SeveralFailures,
    call,
    reply,
    say,
    think,
    turn,
)
from playhead.script.steps import Block

MODEL = "claude-opus-5-5"
TOOLS = [{"name": "add", "input_schema": {"type": "object"}}]
ASK = {"role": "user", "content": "hi"}

HEADERS = {"x-api-key": "k", "anthropic-version": "2023-06-01", "anthropic-beta": "message-threads-2026-08-12"}


async def later(request: Request) -> Block:
    """An async function, which no script may hold."""
    return say("x")


SET_UP_WRONG: list[tuple[Callable[[], object], type[ScriptError], str]] = [
    (
        lambda: say(5),  # type: ignore[arg-type]
        ScriptError,
        "say() takes the text as a string, not a number",
    ),
    (
        lambda: say(None),  # type: ignore[arg-type]
        ScriptError,
        "say() takes the text as a string, not null",
    ),
    (
        lambda: call(""),
        ScriptError,
        "call() needs the tool's name as a string first, not ''",
    ),
    (
        lambda: call(5),  # type: ignore[arg-type]
        ScriptError,
        "call() needs the tool's name as a string first, not 5",
    ),
    (
        lambda: call("add", {"a": 1}, b=2),
        ScriptError,
        "call('add', ...) got its input twice: give one dict or keywords, not both",
    ),
    (
        lambda: call("add", [1]),  # type: ignore[arg-type]
        ScriptError,
        "the input of call('add', ...) is an object: give a dict or keywords, not an array",
    ),
    (
        lambda: call("add", a={"b": [float("nan")]}),
        ScriptError,
        "the input of call('add', ...) is no JSON: nan at a.b[0] is no number in JSON",
    ),
    (
        lambda: call("add", a=[{"b": {1, 2}}]),
        ScriptError,
        "the input of call('add', ...) is no JSON: {1, 2} at a[0].b is a Python set",
    ),
    (
        lambda: call("add", a={"b": {3: 4}}),
        ScriptError,
        "the input of call('add', ...) is no JSON: the key 3 at a.b is a number, not a string",
    ),
    (
        lambda: think(b"x"),  # type: ignore[arg-type]
        ScriptError,
        "think() takes the text as a string, not a Python bytes",
    ),
    (
        lambda: think("x", 5),  # type: ignore[arg-type]
        ScriptError,
        "the signature of think() is a string, not a number",
    ),
    (
        lambda: turn("Hello"),  # type: ignore[arg-type]
        ScriptError,
        (
            "item 1 of turn() is 'Hello'; a turn holds say(), call() and think(), and whole replies are "
            "steps of their own"
        ),
    ),
    (
        lambda: turn(say("a"), turn(say("b"))),  # type: ignore[arg-type]
        ScriptError,
        (
            "item 2 of turn() is a Turn; a turn holds say(), call() and think(), and whole replies are steps"
            " of their own"
        ),
    ),
    (
        lambda: turn(say("a"), usage=5),  # type: ignore[arg-type]
        ScriptError,
        "usage of turn() is an object: give a dict, not a number",
    ),
    (
        lambda: turn(say("a"), model=5),  # type: ignore[arg-type]
        ScriptError,
        "model of turn() is a string, not a number",
    ),
    (
        lambda: turn(say("a"), stop_sequence=5),  # type: ignore[arg-type]
        ScriptError,
        "stop_sequence of turn() is a string, not a number",
    ),
    (
        lambda: turn(say("a"), stop_reason="end_trun"),
        ScriptError,
        (
            "stop_reason 'end_trun' is none of the API's: did you mean 'end_turn'? To send it all the same: "
            "reply({...}, check=False)"
        ),
    ),
    (
        lambda: turn(say("a"), stop_reason="zzz"),
        ScriptError,
        (
            "stop_reason 'zzz' is none of the API's (end_turn, max_tokens, stop_sequence, tool_use, "
            "pause_turn, refusal, model_context_window_exceeded, compaction). To send it all the same: "
            "reply({...}, check=False)"
        ),
    ),
    (
        lambda: turn(say("a"), stop_reason="tool_use"),
        ScriptError,
        "a reply that stops with tool_use needs a call: add call(name, ...), or write reply({...}, check=False)",
    ),
    (
        lambda: turn(say("a"), stop_reason=5),  # type: ignore[arg-type]
        ScriptError,
        "stop_reason is a string, not a number",
    ),
    (
        lambda: turn(say("a"), usage={"input_tokens": float("inf")}),
        ScriptError,
        "usage of turn() is no JSON: inf at input_tokens is no number in JSON",
    ),
    (
        lambda: reply("Hello"),  # type: ignore[arg-type]
        ScriptError,
        "reply() takes a message as a dict, not a string",
    ),
    (
        lambda: reply({}),
        ScriptError,
        "reply() needs `content` as a list of blocks, not null; or pass check=False",
    ),
    (
        lambda: reply({"content": "Hello"}),
        ScriptError,
        "reply() needs `content` as a list of blocks, not a string; or pass check=False",
    ),
    (
        lambda: reply({"content": ["Hello"]}),
        ScriptError,
        "content[0] of reply() needs to be an object with a `type`; or pass check=False",
    ),
    (
        lambda: reply({"content": [{"type": "txt", "text": "a"}]}),
        ScriptError,
        (
            "content[0] of reply() has type 'txt', which no reply holds: did you mean 'text'? To send it all"
            " the same: reply({...}, check=False)"
        ),
    ),
    (
        lambda: reply({"content": [{"type": "tool_result", "tool_use_id": "x"}]}),
        ScriptError,
        (
            "content[0] of reply() has type 'tool_result', which belongs to requests: the loop sends the results of "
            "call(...); those of Anthropic's own tools come with server_call(...). To send it all the same: "
            "reply({...}, check=False)"
        ),
    ),
    (
        lambda: reply({"content": [{"type": "tool_use", "name": "add"}]}),
        ScriptError,
        "content[0] of reply() (tool_use) lacks input; or pass check=False",
    ),
    (
        lambda: reply({"content": [{"type": "tool_use", "name": "add", "input": "{}"}]}),
        ScriptError,
        "`input` of content[0] of reply() (tool_use) is an object, not a string; or pass check=False",
    ),
    (
        lambda: reply({"content": [{"type": "text", "text": None}]}),
        ScriptError,
        "`text` of content[0] of reply() (text) is a string, not null; or pass check=False",
    ),
    (
        lambda: reply({"content": [], "usage": [1]}),
        ScriptError,
        "`usage` of reply() is an object, not an array; or pass check=False",
    ),
    (
        lambda: reply({"content": [], "stop_reason": "tool_use"}),
        ScriptError,
        "a reply that stops with tool_use needs a call: add call(name, ...), or write reply({...}, check=False)",
    ),
    (
        lambda: FakeClaude(say("Hello")),  # type: ignore[arg-type]
        ScriptError,
        "a script is a list of steps: put the step into brackets, FakeClaude([...])",
    ),
    (
        lambda: FakeClaude("Hello"),  # type: ignore[arg-type]
        ScriptError,
        "a script is a list of steps such as say('Hello') and call('tool', ...), not a string",
    ),
    (
        lambda: FakeClaude({"content": []}),
        ScriptError,
        "a whole message is a step: write it as FakeClaude([reply({...})])",
    ),
    (
        lambda: FakeClaude(None),  # type: ignore[arg-type]
        ScriptError,
        "a script is a list of steps such as say('Hello') and call('tool', ...), not null",
    ),
    (
        lambda: FakeClaude(["Hello"]),  # type: ignore[list-item]
        ScriptError,
        "step 1 is 'Hello': for text write say('Hello')",
    ),
    (
        lambda: FakeClaude([say("a"), {"role": "assistant"}]),  # type: ignore[list-item]
        ScriptError,
        "step 2 is {'role': 'assistant'}: for a whole message write reply({...})",
    ),
    (
        lambda: FakeClaude([[say("a")]]),  # type: ignore[list-item]
        ScriptError,
        'step 1 is [say("a")]: for several blocks in one reply write turn(...)',
    ),
    (
        lambda: FakeClaude([None]),  # type: ignore[list-item]
        ScriptError,
        "step 1 is None: a function must return a step: say(...), call(...), turn(...) or reply(...)",
    ),
    (
        lambda: FakeClaude([5]),  # type: ignore[list-item]
        ScriptError,
        (
            "step 1 is 5: a step is say(...), call(...), turn(...), reply(...), fail(...) and so on, or a function "
            "Request -> step"
        ),
    ),
    (
        lambda: FakeClaude([dict]),  # type: ignore[list-item]
        ScriptError,
        (
            "step 1 is the class dict: a step is say(...), call(...), turn(...), reply(...), fail(...) and so "
            "on, or a function Request -> step"
        ),
    ),
    (
        lambda: FakeClaude([later]),  # type: ignore[list-item]
        ScriptError,
        "step 1 is an async function: give a plain one, Request -> step; the fake calls it in place",
    ),
    (
        lambda: FakeClaude(later),  # type: ignore[arg-type]
        ScriptError,
        "the script is an async function: give a plain one, Request -> step; the fake calls it in place",
    ),
    (
        lambda: FakeClaude([], conversations="two"),  # type: ignore[arg-type]
        SetupError,
        "conversations is 'one', 'any' or 'each', not 'two'",
    ),
    (
        lambda: FakeClaude([], max_requests=0),
        SetupError,
        "max_requests is at least 1, not 0",
    ),
    (
        lambda: FakeClaude([], ignore="tool-use-unanswered"),
        SetupError,
        "rules are named in a list: write ['tool-use-unanswered']",
    ),
    (
        lambda: FakeClaude([], ignore=["tool-use-unansweerd"]),
        SetupError,
        "there is no rule 'tool-use-unansweerd': did you mean 'tool-use-unanswered'?",
    ),
    (
        lambda: FakeClaude([], rules=["tool-use-unanswered"]),  # type: ignore[list-item]
        SetupError,
        "rules are Rule values of your own, not 'tool-use-unanswered'; ignore=[...] takes rule ids",
    ),
    (
        lambda: FakeClaude([], delivery={"delay": 1}),  # type: ignore[arg-type]
        SetupError,
        "delivery is a Delivery, such as Delivery(chunks='byte'), not {'delay': 1}",
    ),
    (
        lambda: FakeClaude([], sleep=0.5),  # type: ignore[arg-type]
        SetupError,
        "sleep is a function of seconds, such as time.sleep, not 0.5",
    ),
    (
        lambda: FakeClaude({"tide": [say("a")]}, conversations="any"),
        SetupError,
        "several scripts are for several conversations: leave out conversations='any'",
    ),
    (
        lambda: FakeClaude([]).watch([print]),  # type: ignore[arg-type]
        SetupError,
        "watch() takes a mapping of tool names to functions, not [<built-in function print>]",
    ),
    (
        lambda: FakeClaude([]).client(http_client=httpx2.Client()),
        SetupError,
        (
            "fake.client() makes its own http_client, which the fake answers: leave http_client out, or "
            "build the SDK's client yourself with http_client=httpx2.Client(transport=fake.transport)"
        ),
    ),
    (
        lambda: FakeClaude([]).async_client(http_client=httpx2.AsyncClient()),
        SetupError,
        (
            "fake.async_client() makes its own http_client, which the fake answers: leave http_client out, "
            "or build the SDK's client yourself with "
            "http_client=httpx2.AsyncClient(transport=fake.transport)"
        ),
    ),
    (
        lambda: FakeClaude([]).transport.handle_request(object()),
        SetupError,
        (
            "the fake's transport got a request of builtins; it serves clients of httpx and httpx2: use "
            "fake.client(), or anthropic.DefaultHttpxClient(transport=fake.transport)"
        ),
    ),
]


@pytest.mark.parametrize(
    ("make", "error", "sentence"), SET_UP_WRONG, ids=[sentence[:60] for _, _, sentence in SET_UP_WRONG]
)
def test_what_is_set_up_wrong(make: Callable[[], object], error: type[ScriptError], sentence: str) -> None:
    """A mistake in the test is refused where it is made, with its place and the way to write it."""
    with pytest.raises(ScriptError) as caught:
        make()
    assert type(caught.value) is error
    assert str(caught.value) == sentence


def post(fake: FakeClaude, *messages: object, path: str = "/v1/messages", **members: object) -> Any:
    """Sends a request past the SDK. Returns the answer's body."""
    body = {"model": MODEL, "max_tokens": 9, "messages": messages, "tools": TOOLS, **members}
    with httpx2.Client(transport=fake.transport, headers=HEADERS) as client:
        return client.post(f"https://api.anthropic.com{path}", content=json.dumps(body)).json()


def ask(fake: FakeClaude, times: int = 1) -> None:
    for _ in range(times):
        post(fake, ASK)


def lookup(request: Request) -> Block:
    """A function of a script that fails."""
    raise LookupError("no such row")


def nothing(request: Request) -> Any:
    """A function of a script that forgets to return."""


ANSWERED: list[tuple[str, Any, Callable[[FakeClaude], Any], str]] = [
    (
        "the script is over, one step",
        [say("a")],
        lambda fake: [post(fake, ASK), post(fake, ASK)][-1],
        "Playhead: the script is over: its one step was played, and the loop asks again; add a step, or end the loop",
    ),
    (
        "the script is over, several steps",
        [say("a"), say("b")],
        lambda fake: [post(fake, ASK), post(fake, ASK), post(fake, ASK)][-1],
        "Playhead: the script is over: all 2 steps were played, and the loop asks again; add a step, or end the loop",
    ),
    (
        "a thread",
        [say("a")],
        lambda fake: post(fake, ASK, thread={"type": "continue", "previous_message_id": "msg_9"}),
        "tools: a thread keeps what it was created with; leave it out when you continue",
    ),
    (
        "an unknown endpoint",
        [],
        lambda fake: post(fake, path="/v1/complete"),
        "Not Found",
    ),
    (
        "a tool that is not offered",
        [call("sum")],
        lambda fake: post(fake, ASK),
        "Playhead: step 1 calls 'sum', but the request offers add: mend the name in the script, or, to rehearse a "
        "model that invents a tool, write reply({...}, check=False)",
    ),
    (
        "a function that raises",
        [lookup],
        lambda fake: post(fake, ASK),
        "Playhead: step 1 raised LookupError: no such row",
    ),
    (
        "a function that returns nothing",
        nothing,
        lambda fake: post(fake, ASK),
        "Playhead: what the script's function returned is None: a function must return a step: say(...), call(...), "
        "turn(...) or reply(...)",
    ),
]


@pytest.mark.parametrize(("script", "send", "sentence"), [case[1:] for case in ANSWERED], ids=[c[0] for c in ANSWERED])
def test_what_a_loop_is_answered(script: Any, send: Callable[[FakeClaude], Any], sentence: str) -> None:
    """The sentence arrives as an API error's message, marked as Playhead's own."""
    assert send(FakeClaude(script))["error"]["message"] == sentence


def unanswered(fake: FakeClaude) -> None:
    """Leaves a call without a result, then sends what is right."""
    content = post(fake, ASK)["content"]
    post(fake, ASK, {"role": "assistant", "content": content}, ASK)


VERDICTS: list[tuple[str, Any, Callable[[FakeClaude], Any], str, str]] = [
    (
        "no request at all",
        [say("a")],
        lambda fake: None,
        "ScriptNotFinished",
        '1 of 1 step was never asked for\n    1   say("a")   <- next\nThe loop sent no request.',
    ),
    (
        "a call left unanswered",
        [call("add", a=1), lookup, turn(say("b"), call("add", a="x"))],
        ask,
        "ScriptNotFinished",
        "2 of 3 steps were never asked for\n"
        "    2   function lookup   <- next\n"
        '    3   turn(say("b"), call("add", a="x"))\n'
        'The loop stopped after exchange 1 with stop_reason "tool_use": it left 1 tool call unanswered.',
    ),
    (
        "two calls left unanswered",
        [turn(call("add"), call("add")), say("b")],
        ask,
        "ScriptNotFinished",
        '1 of 2 steps was never asked for\n    2   say("b")   <- next\n'
        'The loop stopped after exchange 1 with stop_reason "tool_use": it left 2 tool calls unanswered.',
    ),
    (
        "a pause not resumed",
        [turn(say("a"), stop_reason="pause_turn"), say("b")],
        ask,
        "ScriptNotFinished",
        '1 of 2 steps was never asked for\n    2   say("b")   <- next\n'
        'The loop stopped after exchange 1 with stop_reason "pause_turn", which asks it to go on.',
    ),
    (
        "an end",
        [say("a"), say("b")],
        ask,
        "ScriptNotFinished",
        '1 of 2 steps was never asked for\n    2   say("b")   <- next\n'
        'The loop stopped after exchange 1 with stop_reason "end_turn".',
    ),
    (
        "one request too many",
        [say("a")],
        lambda fake: ask(fake, 2),
        "ScriptOver",
        "the loop sent 1 request after the script's last step (of 1): add what Claude should say, or find out why the "
        'loop did not stop. Its last answered reply stopped with "end_turn".',
    ),
    (
        "requests and no script",
        [],
        lambda fake: ask(fake, 3),
        "ScriptOver",
        "the loop sent 3 requests after the script's last step (of 0): add what Claude should say, or find out why "
        "the loop did not stop.",
    ),
    (
        "a violation",
        [call("add"), say("b")],
        unanswered,
        "RuleViolations",
        "Claude's API would refuse this (1 reject)\n"
        "\n"
        " 1  reject  tool-use-unanswered                              exchange 2 · turn 2\n"
        "    at      $.messages[1].content[0]\n"
        "    what    toolu_0001 (add) has no tool_result in the next user message\n"
        "    API     400 messages.1: `tool_use` ids were found without `tool_result`\n"
        "            blocks immediately after: toolu_0001. Each `tool_use` block must\n"
        "            have a corresponding `tool_result` block in the next message.\n"
        "    fix     send one tool_result per tool_use in the next user message; add\n"
        '            {"type": "tool_result", "tool_use_id": "toolu_0001", "content": ...}\n'
        "    why     playhead rules tool-use-unanswered\n"
        "\n"
        "The fake answered exchange 2 with this 400. If the test reached its end all the\n"
        "same, the loop caught the error itself (BadRequestError) and went on.\n"
        "1 of 2 steps was never asked for.",
    ),
]


@pytest.mark.parametrize(
    ("script", "play", "kind", "text"), [case[1:] for case in VERDICTS], ids=[case[0] for case in VERDICTS]
)
def test_what_a_failing_test_shows(script: Any, play: Callable[[FakeClaude], Any], kind: str, text: str) -> None:
    """One glance says what happened, the next line what to do."""
    fake = FakeClaude(script)
    play(fake)
    failure = fake.failure()
    assert type(failure).__name__ == kind
    assert str(failure) == text


def test_several_failures_are_shown_one_after_the_other() -> None:
    """Each with its name."""
    assert str(SeveralFailures([ScriptError("first"), SetupError("second")])) == (
        "ScriptError: first\n\nSetupError: second"
    )


def test_the_cap() -> None:
    """What to do: give the loop a limit, or the fake a higher one."""
    assert str(RequestLimitReached(7)) == (
        "the loop sent more than 7 requests and was stopped; give the loop a turn limit, "
        "or allow more with FakeClaude(..., max_requests=N)"
    )


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (RecordingError("a.yaml", "is empty"), "a.yaml: is empty"),
        (RecordingError("a.yaml", "is odd", line=3), "a.yaml:3: is odd"),
        (RecordingError("a.yaml", "is odd", field="$.x"), "a.yaml: $.x: is odd"),
        (RecordingError("a.yaml", "is odd", line=3, field="$.x"), "a.yaml:3: $.x: is odd"),
    ],
    ids=["file", "line", "field", "line and field"],
)
def test_a_file_that_cannot_be_read(error: RecordingError, sentence: str) -> None:
    """Path, line and field come first, as editors and terminals expect."""
    assert str(error) == sentence

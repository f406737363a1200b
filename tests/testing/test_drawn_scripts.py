"""Scripts that are drawn: they can be played, fit the tools' schemas, hold what was asked for, and shrink."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anthropic
import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings

from drawing import examples, smallest
from playhead import FakeClaude, SetupError, call, cut, drop, fail, say, turn
from playhead.loop import Tools, run_conversation
from playhead.script.faults import Drop, Fail, Sent
from playhead.script.steps import Block, Reply, Turn
from playhead.testing.drawn_scripts import FAULTS, Kind
from playhead.testing.strategies import calls, faults, scripts, tool_turns
from playhead.wire.codec import JsonObject

WEATHER: JsonObject = {
    "name": "get_weather",
    "input_schema": {
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer", "minimum": 1}},
        "required": ["city"],
        "additionalProperties": False,
    },
}
TIME: JsonObject = {"name": "get_time", "input_schema": {"type": "object", "properties": {}}}
TOOLS = [WEATHER, TIME]
PLAYED = settings(max_examples=25, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])


def inputs_of(steps: list[Turn], name: str = "get_weather") -> list[JsonObject]:
    blocks = [block.data for step in steps for block in step.content]
    return [block["input"] for block in blocks if block["type"] == "tool_use" and block["name"] == name]


def fits(value: JsonObject) -> bool:
    return jsonschema.Draft202012Validator(WEATHER["input_schema"]).is_valid(value)


@pytest.mark.parametrize("options", [{}, {"telling": True}], ids=["plain", "telling"])
def test_inputs_fit_the_schemas(options: dict[str, Any]) -> None:
    """With definitions of tools every input is one that the tool's schema takes."""
    found = [value for script in examples(scripts(TOOLS, **options), 60) for value in inputs_of(script)]
    assert len(found) > 50
    assert all(map(fits, found))


def test_bad_inputs_on_request() -> None:
    """Some inputs then do not fit, and some do."""
    drawn = examples(scripts(TOOLS, bad_inputs=True), 40)
    assert {fits(value) for script in drawn for value in inputs_of(script)} == {True, False}


def test_tools_by_name_take_anything() -> None:
    """A name alone says nothing of the input."""
    assert any(inputs_of(script, "add") != [] for script in examples(scripts(["add"]), 20))


WANTED: dict[str, Callable[[list[Turn]], object]] = {
    "no call at all": lambda script: len(script) == 1,
    "a chain": lambda script: len(script) > 4,
    "parallel calls": lambda script: any(len(step.calls) > 2 for step in script),
    "the same call twice": lambda script: any(
        step.content.count(block) > 1 for step in script for block in step.content if block.type == "tool_use"
    ),
    "thinking": lambda script: any(block.type == "thinking" for step in script for block in step.content),
    "text before calls": lambda script: any(step.calls and step.content[0].type == "text" for step in script),
    "text after calls": lambda script: any(step.calls and step.content[-1].type == "text" for step in script),
}


@pytest.fixture(scope="module")
def drawn() -> list[list[Turn]]:
    return examples(scripts(TOOLS), 150)


@pytest.mark.parametrize("wanted", WANTED.values(), ids=WANTED)
def test_scripts_hold_what_replies_hold(drawn: list[list[Turn]], wanted: Callable[[list[Turn]], object]) -> None:
    """Short and long, parallel and repeated calls, thinking and text around them."""
    assert any(map(wanted, drawn))


def test_long_chains_on_request() -> None:
    """The number of turns is what was asked for, with the end besides."""
    assert {len(script) for script in examples(scripts(TOOLS, min_turns=20, max_turns=22), 10)} <= {21, 22, 23}


@PLAYED
@given(scripts(TOOLS, unknown_tools=True, telling=True, bad_inputs=True, max_turns=3))
def test_scripts_can_be_played(script: list[Turn | Reply | Fail | Drop | Sent]) -> None:
    """The reference loop plays each to its end, unknown tools and bad inputs included, and nothing is wrong."""
    tools = Tools(TOOLS, functions={"get_weather": lambda **given: "21", "get_time": lambda: "12:30"})
    with FakeClaude(script) as fake:
        run_conversation(fake.client(), [{"role": "user", "content": "Go on."}], tools)


def test_unknown_tools_on_request() -> None:
    """Then some replies call a tool that nobody offers; else none does."""
    found = examples(scripts(TOOLS, unknown_tools=True), 30)
    replies = [step for script in found for step in script if isinstance(step, Reply)]
    assert replies
    for step in replies:
        names = [block["name"] for block in step.message["content"] if block["type"] == "tool_use"]
        assert {*names} - {"get_weather", "get_time"}


KINDS: dict[Kind, Callable[[Fail | Drop | Sent], bool]] = {
    "retryable": lambda step: isinstance(step, Fail) and (step.status in (408, 409, 429) or step.status >= 500),
    "unrecoverable": lambda step: isinstance(step, Fail) and step.status < 500 and step.status not in (408, 409, 429),
    "connection": lambda step: isinstance(step, Drop),
    "stream": lambda step: isinstance(step, Sent) and (step.broken is not None or step.damage is not None),
}


@pytest.mark.parametrize("kind", FAULTS)
def test_faults_are_of_the_kind_asked_for(kind: Kind) -> None:
    """Each kind has its own steps; without a kind all are drawn."""
    assert all(map(KINDS[kind], examples(faults(kind), 30)))
    assert any(map(KINDS[kind], examples(faults(), 60)))


def test_a_retryable_fault_is_got_over() -> None:
    """The SDK tries again, as often as the fault comes, and has the reply that follows."""
    for step in examples(faults("retryable"), 10):
        with FakeClaude([step, say("Hello")]) as fake:
            client = fake.client(max_retries=2)
            message = client.messages.create(
                model="claude-opus-5-5", max_tokens=10, messages=[{"role": "user", "content": "Hi"}]
            )
        assert message.content[0].type == "text"


def test_an_unrecoverable_fault_is_raised_at_once() -> None:
    """The SDK does not try again."""
    for step in examples(faults("unrecoverable"), 8):
        with FakeClaude([step]) as fake, pytest.raises(anthropic.APIStatusError):
            fake.client().messages.create(
                model="claude-opus-5-5", max_tokens=10, messages=[{"role": "user", "content": "Hi"}]
            )
        assert len(fake.session.exchanges) == 1


def test_faults_stand_before_turns() -> None:
    """A script with faults has its turns and its end all the same."""
    found = examples(scripts(TOOLS, faults=faults("retryable")), 30)
    assert any(isinstance(step, Fail) for script in found for step in script)
    assert all(isinstance(script[-1], Turn) for script in found)


def test_streams_break_in_the_replies_given() -> None:
    """What is cut or damaged is one of the replies that were given."""
    found = examples(faults("stream", replies=tool_turns(TOOLS)), 20)
    assert all(isinstance(step, Sent) and isinstance(step.reply, Turn) and step.reply.calls for step in found)


CITY = call("get_weather", city="")
SMALLEST: dict[str, tuple[Any, Callable[[Any], object], Any]] = {
    "a script": (scripts(TOOLS), lambda script: True, [turn()]),
    "a script that calls": (scripts([WEATHER]), lambda script: len(script) > 1, [turn(CITY), turn()]),
    "a chain": (scripts([WEATHER]), lambda script: len(script) > 2, [turn(CITY), turn(CITY), turn()]),
    "parallel calls": (
        scripts([WEATHER]),
        lambda script: any(len(step.calls) > 1 for step in script),
        [turn(CITY, CITY), turn()],
    ),
    "an input": (
        scripts([WEATHER]),
        lambda script: any(value.get("days", 0) > 3 for value in inputs_of(script)),
        [turn(call("get_weather", city="", days=4)), turn()],
    ),
    "a bad input": (
        scripts([WEATHER], bad_inputs=True),
        lambda script: any(not fits(value) for value in inputs_of(script)),
        [turn(call("get_weather")), turn()],
    ),
    "a fault in a script": (
        scripts(TOOLS, faults=faults("retryable")),
        lambda script: any(isinstance(step, Fail) for step in script),
        [fail(529), turn()],
    ),
    "a connection": (faults("connection"), lambda step: True, drop("connect")),
    "a cut": (
        faults("stream"),
        lambda step: step.broken is not None,
        cut(turn(say("Hello")), events=0),
    ),
    "a call": (calls([TIME]), lambda step: isinstance(step, Block), call("get_time")),
}


@pytest.mark.parametrize(("strategy", "wanted", "simplest"), SMALLEST.values(), ids=SMALLEST)
def test_the_smallest(strategy: Any, wanted: Callable[[Any], object], simplest: Any) -> None:
    """Fewer turns, then fewer calls, then the smallest input."""
    assert smallest(strategy, wanted) == simplest


BAD: dict[str, tuple[Callable[[], object], str]] = {
    "no tools": (lambda: scripts([]), "need the tools to call"),
    "a tool without a name": (lambda: scripts([{"input_schema": {}}]), "a tool is its name, or a dict with its name"),
    "a tool whose schema is none": (
        lambda: scripts([{"name": "a", "input_schema": {"type": "strnig"}}]),
        "this is no JSON Schema",
    ),
    "fewer turns than least": (lambda: scripts(["a"], min_turns=9), "min_turns of scripts() is from 0 to max_turns"),
    "no calls": (lambda: scripts(["a"], max_calls=0), "max_calls is at least 1, not 0"),
    "a kind of fault": (lambda: faults("strange"), "faults() takes 'retryable', 'unrecoverable'"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize(("make", "said"), BAD.values(), ids=BAD)
def test_what_cannot_be_drawn_is_told(make: Callable[[], object], said: str) -> None:
    """A set-up that makes no sense is one sentence, when the strategy is made."""
    with pytest.raises(SetupError) as told:
        make()
    assert said in str(told.value)

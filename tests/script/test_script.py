"""Scripts: what counts as one, and that it is checked when it is made."""

from __future__ import annotations

import dataclasses
import functools

import pytest

from playhead import Request, Script, ScriptError, call, reply, say, turn
from playhead.script.script import as_item, as_script, is_async
from playhead.script.steps import Block


def answers(request: Request) -> Block:
    """A responder."""
    return say(request.text)


async def answers_later(request: Request) -> Block:
    """What a responder must not be."""
    return say(request.text)


class Caller:
    """A responder that is an object."""

    def __call__(self, request: Request) -> Block:
        return say(request.text)


class LaterCaller:
    """An object whose call is async."""

    async def __call__(self, request: Request) -> Block:
        return say(request.text)


def test_a_list_of_steps_becomes_turns() -> None:
    """Lone blocks become turns; turns, replies and functions stay as they are, in order."""
    message = reply({"content": []})
    script = as_script([say("a"), turn(call("b"), call("c")), message, answers])
    assert script.steps == (turn(say("a")), turn(call("b"), call("c")), message, answers)
    assert len(script) == 4
    assert not script.endless


@pytest.mark.parametrize(
    "given",
    [[say("a"), say("b")], (say("a"), say("b")), iter([say("a"), say("b")]), (say(text) for text in "ab")],
    ids=["list", "tuple", "iterator", "generator"],
)
def test_any_iterable_of_steps_is_a_script(given: object) -> None:
    """The kind of iterable makes no difference."""
    assert as_script(given) == as_script([say("a"), say("b")])


@pytest.mark.parametrize(
    "function",
    [answers, Caller(), functools.partial(answers), lambda request: say("x")],
    ids=lambda f: type(f).__name__,
)
def test_a_function_is_an_endless_script(function: object) -> None:
    """Anything that can be called answers every request."""
    script = as_script(function)
    assert script.responder is function
    assert script.endless
    assert len(script) == 0


def test_a_script_is_itself() -> None:
    """A finished script passes through."""
    script = Script(steps=(turn(say("a")),))
    assert as_script(script) is script


def test_a_script_made_by_hand_is_checked_and_normalised_too() -> None:
    """The constructor does what a list does: a script that exists can be played."""
    assert Script(steps=(say("a"),)) == as_script([say("a")])
    with pytest.raises(ScriptError, match="step 1 is 'a': for text write say"):
        Script(steps=("a",))  # type: ignore[arg-type]
    with pytest.raises(ScriptError, match="the script is an async function"):
        Script(responder=answers_later)  # type: ignore[arg-type]


def test_a_script_is_frozen() -> None:
    """No field of a script can be set."""
    script = as_script([say("a")])
    with pytest.raises(dataclasses.FrozenInstanceError):
        script.steps = ()  # type: ignore[misc]


@pytest.mark.parametrize(
    "function", [answers_later, LaterCaller(), functools.partial(answers_later)], ids=["function", "object", "partial"]
)
def test_async_functions_are_refused(function: object) -> None:
    """As a script and as a step, with the number of the step."""
    assert is_async(function)
    with pytest.raises(ScriptError, match="the script is an async function: give a plain one"):
        as_script(function)
    with pytest.raises(ScriptError, match="step 2 is an async function: give a plain one"):
        as_script([say("a"), function])


@pytest.mark.parametrize(
    "function", [answers, Caller(), Caller, say("a"), None], ids=["function", "object", "class", "step", "None"]
)
def test_what_is_not_async(function: object) -> None:
    """Plain functions, objects and values are not."""
    assert not is_async(function)


def test_what_a_function_returns_is_an_item() -> None:
    """A block becomes a turn, finished steps pass, and a function is none."""
    message = reply({"content": []})
    assert as_item(say("a"), "it") == turn(say("a"))
    assert as_item(message, "it") is message
    with pytest.raises(ScriptError, match="it is <function answers"):
        as_item(answers, "it")

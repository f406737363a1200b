"""Playing a script: which step answers, and what a function in it may do."""

from __future__ import annotations

import pytest

from playhead import Request, ScriptError, call, reply, say, turn
from playhead.engine.player import Player
from playhead.script.script import as_script

REQUEST = Request(body={"messages": []}, headers={}, path="/v1/messages", number=1, turn=1)


def player(script: object) -> Player:
    return Player(as_script(script))


def test_steps_are_played_once_and_in_order() -> None:
    """Each request gets the next step; after the last there is none, and asking again changes nothing."""
    steps = player([say("a"), call("b")])
    assert list(steps.unplayed) == [turn(say("a")), turn(call("b"))]
    assert steps.next(REQUEST) == turn(say("a"))
    assert (steps.played, steps.where) == (1, "step 1")
    assert list(steps.unplayed) == [turn(call("b"))]
    assert steps.next(REQUEST) == turn(call("b"))
    assert (steps.next(REQUEST), steps.next(REQUEST)) == (None, None)
    assert (steps.played, steps.where) == (2, "step 2")
    assert not steps.unplayed


def test_functions_see_the_request() -> None:
    """A function as a step and a function as the script get the request itself."""
    seen: list[Request] = []

    def answer(request: Request) -> object:
        seen.append(request)
        return reply({"content": []})

    assert player([answer]).next(REQUEST) == reply({"content": []})
    endless = player(answer)
    assert [endless.next(REQUEST) for _ in range(3)] == [reply({"content": []})] * 3
    assert endless.where == "the script's function"
    assert endless.unplayed == ()
    assert len(seen) == 4
    assert all(request is REQUEST for request in seen)


@pytest.mark.parametrize("error", [KeyError("x"), AssertionError("no"), ScriptError("mine")], ids=repr)
def test_an_error_in_a_function_is_the_scripts(error: Exception) -> None:
    """It becomes a ScriptError that names the step, with the error as its cause; the step counts as played."""

    def answer(request: Request) -> object:
        raise error

    steps = player([say("a"), answer])
    steps.next(REQUEST)
    with pytest.raises(ScriptError, match=f"step 2 raised {type(error).__name__}") as caught:
        steps.next(REQUEST)
    assert caught.value.__cause__ is error
    assert steps.unplayed == ()


def test_what_ends_a_process_is_not_caught() -> None:
    """KeyboardInterrupt in a function passes."""

    def answer(request: Request) -> object:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        player(answer).next(REQUEST)


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (None, "what step 1 returned is None: a function must return a step"),
        ("text", "what step 1 returned is 'text': for text write say"),
        (lambda request: say("x"), "what step 1 returned is <function"),
        ([say("a")], "for several blocks in one reply write turn"),
    ],
    ids=["None", "text", "function", "list"],
)
def test_a_function_returns_a_step(value: object, sentence: str) -> None:
    """Anything else is a ScriptError that says how to write it."""
    with pytest.raises(ScriptError, match=sentence):
        player([lambda request: value]).next(REQUEST)

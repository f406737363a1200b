"""Playing a script: which step answers, and what a function in it may do."""

from __future__ import annotations

from typing import Any

import pytest

from playhead import Request, ScriptError, call, drop, fail, reply, say, turn, when
from playhead.engine.player import Player, Players
from playhead.script.cases import as_cases
from playhead.script.script import as_script
from playhead.wire.follow import Link

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


def test_a_step_that_is_played_several_times() -> None:
    """It answers so many requests, and is left over until the last of them has come."""
    steps = player([fail(529, times=3), say("a")])
    for left in (2, 1, 0):
        assert steps.next(REQUEST) == fail(529, times=3)
        assert (steps.played, steps.where, steps.times_left) == (1, "step 1", left)
        assert steps.unplayed == ((fail(529, times=3),) if left else ()) + (turn(say("a")),)
    assert steps.next(REQUEST) == turn(say("a"))
    assert (steps.unplayed, steps.next(REQUEST)) == ((), None)


def test_times_are_for_steps_of_the_list() -> None:
    """A function is asked anew for each request, whatever the step it returned last says of times."""
    asked: list[int] = []

    def answer(request: Request) -> Any:
        asked.append(1)
        return drop(times=5)

    steps = player([answer, say("a")])
    assert steps.next(REQUEST) == drop(times=5)
    assert steps.next(REQUEST) == turn(say("a"))
    assert len(asked) == 1


# Several players


def asking(text: str = "hi") -> Request:
    body = {"messages": [{"role": "user", "content": text}]}
    return Request(body=body, headers={}, path="/v1/messages", number=1, turn=1)


def link(kind: Any, turn: int = 1, parent: int | None = None) -> Link:
    return Link(kind=kind, conversation=1, turn=turn, parent=parent)


START = link("start")


@pytest.mark.parametrize("share", ["one", "any"])
def test_a_script_that_is_shared(share: Any) -> None:
    """There is one player, whoever asks, and it has no name of its own."""
    players = Players(as_script([say("a"), say("b")]), share)
    players.follow(0, START, again=False)
    players.follow(1, START, again=False)
    assert players.at(0, asking()) is players.at(1, asking()) is players.at(None, asking()) is players.first
    assert players.all == (players.first,)
    assert players.first.name == ""


def test_a_script_for_each_conversation() -> None:
    """A start gets a player of its own; what continues, tries again or departs keeps its conversation's."""
    players = Players(as_script([say("a"), say("b")]), "each")
    assert [player.name for player in players.all] == [""]
    assert players.first.unplayed == players.first.script.steps
    players.follow(0, START, again=False)
    one = players.at(0, asking())
    players.follow(1, START, again=False)
    two = players.at(1, asking())
    for position, its in enumerate(
        [link("continues", 2, 0), link("departs", 2, 1), link("repeats", 2, 2), link("repeats", 1, 0)], 2
    ):
        players.follow(position, its, again=position == 5)
    assert [players.at(position, asking()) for position in range(6)] == [one, two, one, two, one, one]
    assert [player.name for player in players.all] == ["conversation 1", "conversation 2"]
    assert (players.last(one), players.last(two)) == (5, 3)
    assert players.last(Player(as_script([]))) is None


def test_the_same_beginning_once_more_is_a_conversation_of_its_own() -> None:
    """After an answer, that is; after a failure it is another attempt."""
    players = Players(as_script([say("a")]), "each")
    players.follow(0, START, again=False)
    one = players.at(0, asking())
    players.follow(1, link("repeats", 1, 0), again=True)
    assert players.at(1, asking()) is one
    players.follow(2, link("repeats", 1, 1), again=False)
    assert players.at(2, asking()) is not one


def test_a_refused_request_keeps_its_conversations_player() -> None:
    """A player is found by what a request continues, played or not: a refusal in between changes nothing."""
    players = Players(as_script([say("a"), say("b")]), "each")
    players.follow(0, START, again=False)
    one = players.at(0, asking())
    players.follow(1, link("continues", 2, 0), again=False)
    players.follow(2, link("repeats", 2, 1), again=True)
    assert players.at(2, asking()) is one


def test_a_script_for_each_case() -> None:
    """Each conversation plays its case from the start; a case that nobody asked for is there all the same."""
    players = Players(as_cases([when("tide", [say("a")]), when("moon", [say("b")])]), "each")
    for position, text in enumerate(["tide", "the tides"]):
        players.follow(position, START, again=False)
        assert players.at(position, asking(text)).next(asking(text)) == turn(say("a"))
    assert [(player.name, player.played, len(player.unplayed)) for player in players.all] == [
        ("'tide'", 1, 0),
        ("'tide'", 1, 0),
        ("'moon'", 0, 1),
    ]
    assert players.at(1, asking("moon")).where == "step 1 of 'tide'"


def test_no_case_fits() -> None:
    """The error shows how the conversation begins, what there is, and the way out; nobody has become its player."""
    players = Players(as_cases({"tide": [say("a")], "moon": [say("b")]}), "each")
    players.follow(0, START, again=False)
    with pytest.raises(ScriptError) as caught:
        players.at(0, asking("Is there life on Mars? " * 9))
    assert str(caught.value) == (
        "no script fits the conversation that begins with 'Is there life on Mars? Is there life on Mars? Is there "
        "life ': there are 'tide', 'moon'; add a case, or when('', [...]) for all others"
    )
    assert [player.played for player in players.all] == [0, 0]
    assert players.at(0, asking("moon")).name == "'moon'"

"""Several scripts for one fake: how they are written, and which one a conversation gets."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from playhead import Request, Script, ScriptError, call, reply, say, turn, when
from playhead.script.cases import Case, as_cases, choose, first_text

A, B = [say("a")], [say("b"), call("add")]


def request(*messages: object) -> Request:
    return Request(body={"messages": list(messages)}, headers={}, path="/v1/messages", number=1, turn=1)


def asking(text: object) -> Request:
    return request({"role": "user", "content": text})


async def later(given: Request) -> bool:
    """What no test may be."""
    return True


def about_tides(given: Request) -> bool:
    """A test of one's own."""
    return "tide" in given.text


def failing(given: Request) -> bool:
    """A test that cannot be answered."""
    raise KeyError("tide")


REFUSED: list[tuple[Callable[[], object], str]] = [
    (
        lambda: when(5, A),  # type: ignore[arg-type]
        "when() takes a text or a plain function Request -> bool first, not 5",
    ),
    (
        lambda: when(later, A),  # type: ignore[arg-type]
        f"when() takes a text or a plain function Request -> bool first, not {later!r}",
    ),
    (
        lambda: when(str, A),  # type: ignore[arg-type]
        "when() takes a text or a plain function Request -> bool first, not <class 'str'>",
    ),
    (lambda: when("tide", [5]), "the script of 'tide': step 1 is 5: a step is say("),  # type: ignore[list-item]
    (
        lambda: when(about_tides, say("a")),  # type: ignore[arg-type]
        "the script of about_tides: a script is a list of steps: put the step into brackets",
    ),
    (
        lambda: as_cases(when("", A)),
        "cases stand in a list: put the case into brackets, FakeClaude([when(...)])",
    ),
    (
        lambda: as_cases([when("", A), say("b")]),
        "item 2 is say(\"b\"), others are cases: put steps into a case of their own, when('', [...])",
    ),
    (
        lambda: as_cases([5, when("", A)]),
        "item 1 is a number, others are cases: put steps into a case of their own, when('', [...])",
    ),
    (lambda: as_cases({}), "a mapping of scripts needs at least one: {'the first user message': [...]}"),
    (lambda: as_cases({5: A}), "a mapping of scripts has texts of first user messages for keys"),
    (lambda: as_cases({"tide": None}), "the script of 'tide': a script is a list of steps such as say('Hello')"),
    (
        lambda: as_cases({"role": "assistant", "content": [{"type": "text", "text": "Hi"}]}),
        "a whole message is a step: write it as FakeClaude([reply({...})])",
    ),
    (
        lambda: as_cases({"type": "message", "content": "Hi", "usage": {}}),
        "a whole message is a step: write it as FakeClaude([reply({...})])",
    ),
]


@pytest.mark.parametrize(("make", "sentence"), REFUSED, ids=[sentence[:60] for _, sentence in REFUSED])
def test_what_is_refused(make: Callable[[], object], sentence: str) -> None:
    """A mistake is told where it is made, with the case and the way to write it."""
    with pytest.raises(ScriptError) as caught:
        make()
    assert str(caught.value).startswith(sentence)


def test_the_forms_of_several_scripts() -> None:
    """A mapping, a list and a generator of cases are the same cases in the same order."""
    listed = as_cases([when("a", A), when("b", B)])
    assert listed == as_cases({"a": A, "b": B}) == as_cases(when(text, script) for text, script in [("a", A), ("b", B)])
    assert listed == (
        Case(test="a", script=Script(steps=(turn(say("a")),))),
        Case(test="b", script=Script(steps=(turn(say("b")), turn(call("add"))))),
    )


@pytest.mark.parametrize(
    "script",
    [A, tuple(A), Script(steps=(turn(say("a")),)), (block for block in [say("a")])],
    ids=["list", "tuple", "Script", "generator"],
)
def test_one_script_stays_one(script: Any) -> None:
    """What is no case is a script, as ever."""
    assert as_cases(script) == Script(steps=(turn(say("a")),))


def test_texts_that_are_members_names() -> None:
    """A first message may well say "content": it is told from a message by what it leads to."""
    cases = as_cases({"content": [say("a")], "model": [say("b")]})
    assert isinstance(cases, tuple)
    assert [case.name for case in cases] == ["'content'", "'model'"]
    assert len(as_cases({"content": lambda given: say("a")})) == 1


@pytest.mark.parametrize(
    ("asked", "chosen"),
    [
        ("tides", "tides"),
        ("tides today", "tide"),
        ("the tides", "tide"),
        ("moon", "moon"),
        ("the moon", "moon"),
        ("moon and tide", "tide"),
        ("nothing", ""),
        ("", ""),
    ],
)
def test_the_whole_text_comes_before_a_part(asked: str, chosen: str) -> None:
    """The case whose text is all of the message wins wherever it stands; otherwise the first that it contains."""
    cases = [when("tide", A), when("tides", A), when("moon", A), when("", A)]
    case = choose(cases, asking(asked))
    assert case is not None
    assert case.test == chosen


def test_order_decides_between_functions_and_texts() -> None:
    """The first that fits, function or text; a whole text comes first even then, and asks no function."""
    cases = [when(about_tides, A), when("high tide", B), when(failing, A)]
    assert choose(cases, asking("a high tide")) is cases[0]
    assert choose(cases, asking("high tide")) is cases[1]
    assert choose(cases[::-1], asking("high tide")) is cases[1]


def test_nothing_fits() -> None:
    """There is no case then: whoever asked says so."""
    assert choose([when("tide", A), when(about_tides, A)], asking("the moon")) is None
    assert choose([], asking("the moon")) is None


def test_a_function_that_fails_is_named() -> None:
    """Whatever it raises is the test's fault, told with the case and the error."""
    with pytest.raises(ScriptError, match=r"^the test of case failing raised KeyError: 'tide'$") as caught:
        choose([when(failing, A)], asking("tide"))
    assert isinstance(caught.value.__cause__, KeyError)


def test_what_ends_a_process_is_not_caught() -> None:
    """KeyboardInterrupt in a test passes."""

    def interrupt(given: Request) -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        choose([when(interrupt, A)], asking("tide"))


@pytest.mark.parametrize("answer", [1, "yes", [0], True], ids=repr)
def test_what_a_function_returns_is_taken_for_true_or_false(answer: Any) -> None:
    """Any value that counts as true fits."""
    assert choose([when(lambda given: answer, A)], asking("x")) is not None
    assert choose([when(lambda given: not answer, A)], asking("x")) is None


@pytest.mark.parametrize(
    ("messages", "text"),
    [
        ([], ""),
        ([{"role": "user", "content": "a"}, {"role": "user", "content": "b"}], "a"),
        ([{"role": "assistant", "content": "no"}, {"role": "user", "content": "a"}], "a"),
        ([{"role": "system", "content": "no"}, {"role": "user", "content": "a"}], "a"),
        ([{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}], "ab"),
        ([{"role": "user", "content": [{"type": "image"}, {"type": "text", "text": "a"}]}], "a"),
        ([{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "x"}]}], ""),
        ([{"role": "user"}], ""),
        (["text", {"role": "user", "content": "a"}], "a"),
    ],
    ids=["none", "two", "assistant first", "system first", "blocks", "an image", "a result", "empty", "no object"],
)
def test_the_first_text(messages: list[object], text: str) -> None:
    """The text blocks of the first user message, joined, whatever else there is."""
    assert first_text(request(*messages)) == text


def test_how_a_case_is_named() -> None:
    """A text in quotes, a function by its name, a lambda by its line, anything else as Python shows it."""
    assert when("it's", A).name == '"it\'s"'
    assert when(about_tides, A).name == "about_tides"
    here = when(lambda given: True, A)
    assert here.name == f"<lambda of line {test_how_a_case_is_named.__code__.co_firstlineno + 4}>"
    wrapped = partial(about_tides)
    assert when(wrapped, A).name == repr(wrapped)


def test_a_case_may_be_endless() -> None:
    """A function as a case's script answers every request of its conversations."""
    assert when("", lambda given: reply({"content": []})).script.endless

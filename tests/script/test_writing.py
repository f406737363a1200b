"""A script to a file, and back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import playhead
from drawn_steps import SCRIPTS, STEPS
from playhead import Delivery, Script, ScriptError, call, fail, say, turn, when
from playhead.script.cases import as_cases
from playhead.script.forms import FORMS
from playhead.script.reading import read
from playhead.script.steps import Written
from playhead.script.writing import script_text

FUNCTIONS = {name: getattr(playhead, name) for name in FORMS}
SLOW = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])


def back(script: Any, **options: Any) -> Any:
    """The script that is read from the file of another."""
    return read(script_text(script, **options).encode(), "it.yaml").script


@pytest.mark.parametrize("name", STEPS)
def test_each_step_comes_back(name: str) -> None:
    """What is read from the file of a step is equal to the step, whatever was given to make it."""

    @SLOW
    @given(STEPS[name])
    def comes_back(step: Any) -> None:
        assert back([step]) == Script(steps=(step,))

    comes_back()


@SLOW
@given(SCRIPTS)
def test_a_script_comes_back(script: list[Any]) -> None:
    """So is a whole script, and its file is the same again."""
    text = script_text(script)
    again = read(text.encode(), "it.yaml").script
    assert again == Script(steps=tuple(script))
    assert script_text(again) == text


@SLOW
@given(
    st.lists(st.tuples(st.text(st.characters(exclude_categories=["Cs"]), max_size=9), SCRIPTS), min_size=1, max_size=3)
)
def test_cases_come_back(cases: list[tuple[str, list[Any]]]) -> None:
    """And several scripts with their texts."""
    given_cases = [when(text, script) for text, script in cases]
    assert back(given_cases) == as_cases(given_cases)


@SLOW
@given(SCRIPTS)
def test_a_step_is_its_source(script: list[Any]) -> None:
    """A step of any kind, those that go wrong too, shows itself as the Python that makes it."""
    for step in Script(steps=tuple(script)).steps:
        assert isinstance(step, Written)
        assert Script(steps=(eval(step.source(), dict(FUNCTIONS)),)).steps == (step,)


def test_what_a_file_looks_like() -> None:
    """Members one below the other, small things on a line, long texts in blocks, usual options left out."""
    script = [
        turn(say("Let me see."), call("get_tide", port="Brest")),
        fail(529, times=2),
        call("note", text="one\ntwo\n"),
        say("At nine."),
    ]
    options = {"strict": False, "delivery": Delivery(chunks="byte")}
    assert script_text(script, options=options, schema="script.schema.json") == (
        "# yaml-language-server: $schema=script.schema.json\n"
        "version: 1\n"
        "format: playhead-script\n"
        "options: {strict: false, delivery: {chunks: byte}}\n"
        "script:\n"
        "- turn:\n"
        "  - {say: Let me see.}\n"
        "  - {call: get_tide, input: {port: Brest}}\n"
        "- fail: 529\n"
        "  times: 2\n"
        "- call: note\n"
        "  input:\n"
        "    text: |\n"
        "      one\n"
        "      two\n"
        "- say: At nine.\n"
    )


def test_options_come_back() -> None:
    """Options are those that were given."""
    options: dict[str, Any] = {
        "strict": False,
        "ignore": ("system-stable",),
        "delivery": Delivery(delay=2, chunks=(1, 2)),
    }
    found = read(script_text([], options=options).encode(), "it.yaml").options
    assert found == {"strict": False, "ignore": ["system-stable"], "delivery": Delivery(delay=2, chunks=(1, 2))}


UNWRITABLE: dict[str, tuple[Any, str]] = {
    "function": (lambda request: say("a"), "the script is a function, which no file can hold: write a list of steps"),
    "step": (
        [say("a"), lambda request: say("a")],
        "step 2 is a function, which no file can hold: write a step in its place",
    ),
    "test": (
        [when(lambda request: True, [])],
        "case 1 is chosen by a function, which no file can hold: give it a text",
    ),
    "step of a case": (
        {"tide": [lambda request: say("a")]},
        "step 1 of case 1 is a function, which no file can hold: write a step in its place",
    ),
    "surrogate": ([say("\ud800")], "step 1 cannot be written to a file: a text has a lone surrogate"),
}


@pytest.mark.parametrize("name", UNWRITABLE)
def test_what_no_file_can_hold(name: str) -> None:
    """A function, and a text that is no Unicode, are one sentence that names the step."""
    script, sentence = UNWRITABLE[name]
    with pytest.raises(ScriptError) as raised:
        script_text(script)
    assert str(raised.value) == sentence


def test_an_option_that_no_file_can_hold() -> None:
    """So is an option such as `sleep`."""
    with pytest.raises(ScriptError, match=r"^the option 'sleep' cannot stand in a file: give it in Python$"):
        script_text([], options={"sleep": print})

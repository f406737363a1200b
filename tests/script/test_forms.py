"""The table of forms, and the functions that it tells of."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

import pytest

import playhead
from playhead.fake import FakeClaude, Options
from playhead.script.faults import Delivery
from playhead.script.forms import BLOCKS, DELIVERY, FORMS, OPTIONS, STEPS, Form, Steps
from playhead.script.steps import Block

_HOWS = {
    inspect.Parameter.POSITIONAL_ONLY: "position",
    inspect.Parameter.POSITIONAL_OR_KEYWORD: "position",
    inspect.Parameter.VAR_POSITIONAL: "rest",
    inspect.Parameter.KEYWORD_ONLY: "name",
}


@pytest.mark.parametrize("form", FORMS.values(), ids=lambda form: form.name)
def test_the_table_is_the_signature(form: Form) -> None:
    """Names, order, how they are given, what is required, defaults, and where None is allowed."""
    signature = inspect.signature(form.function).parameters.values()
    kinds = {param.name: param for param in signature}
    gathered = [its.name for its in signature if its.kind is inspect.Parameter.VAR_KEYWORD]
    assert len(gathered) == sum(param.gathers for param in form.params)
    told = [(param.name, param.how, param.required, param.default) for param in form.params]
    assert told == [
        (
            its.name,
            _HOWS[its.kind],
            its.default is its.empty and _HOWS[its.kind] == "position",
            None
            if its.default is its.empty and _HOWS[its.kind] == "position"
            else ()
            if _HOWS[its.kind] == "rest"
            else its.default,
        )
        for its in signature
        if its.kind is not inspect.Parameter.VAR_KEYWORD
    ]
    for param in form.params:
        annotation = str(kinds[param.name].annotation)
        if annotation != "object":  # which takes anything
            assert param.null == ("None" in annotation), param.name
        assert isinstance(param.kind, Steps) == (annotation in ("Block", "Step")), param.name


def test_every_step_of_ours_has_a_form() -> None:
    """Each function of the package that makes a step can be written in a file."""
    made = {
        name
        for name in playhead.__all__
        if inspect.isfunction(function := getattr(playhead, name))
        and str(inspect.signature(function).return_annotation)
        in ("Block", "Turn", "Reply", "Sent", "Fail", "Drop", "Raw")
    }
    assert made == {*FORMS}


@pytest.mark.parametrize("form", FORMS.values(), ids=lambda form: form.name)
def test_what_a_form_makes(form: Form) -> None:
    """Whether it is a block, a reply or neither is what the function returns."""
    returned = str(inspect.signature(form.function).return_annotation)
    assert (returned == Block.__name__) == (form.makes in BLOCKS)
    assert (returned in ("Turn", "Reply")) == (form.makes == "reply")
    assert (returned == "Sent") == (form.makes == "sent")
    assert form.makes in STEPS


def test_no_option_has_the_name_of_a_step() -> None:
    """So that keys may stand in any order."""
    options: set[Any] = {name for form in FORMS.values() for name in form.members if name != form.name}
    assert options & {*FORMS} == set()


def test_the_options_are_those_of_the_fake() -> None:
    """All but those that only Python can say; and what `from_file` takes is what a fake takes."""
    taken = {*inspect.signature(FakeClaude).parameters} - {"script"}
    assert taken - {*OPTIONS} == {"rules", "models", "sleep"}
    assert {*OPTIONS} < taken == Options.__annotations__.keys()


def test_delivery_is_that_of_the_class() -> None:
    """Fields and defaults of `Delivery`."""
    usual = {field.name: getattr(Delivery(), field.name) for field in dataclasses.fields(Delivery)}
    assert {param.name: param.default for param in DELIVERY} == {**usual, "headers": None}

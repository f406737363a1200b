"""What Claude is told about input that does not fit: what came, what was expected, and where."""

from __future__ import annotations

from typing import Any

import pytest

from playhead.loop import InvalidInput
from playhead.loop.inputs import check_input

SCHEMA: dict[str, Any] = {
    "name": "add_duration",
    "input_schema": {
        "type": "object",
        "properties": {
            "date": {"type": "string", "minLength": 2},
            "duration": {"type": "number"},
            "unit": {"enum": ["days", "weeks"]},
            "tags": {"type": "array", "items": {"type": "string"}},
            "at": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        },
        "required": ["date", "duration"],
        "additionalProperties": False,
    },
}


@pytest.mark.parametrize(
    ("given", "problems"),
    [
        pytest.param({"date": "2025"}, ["$: 'duration' is missing and required"], id="missing"),
        pytest.param(
            {},
            ["$: 'date' is missing and required", "$: 'duration' is missing and required"],
            id="all-missing",
        ),
        pytest.param({"date": "2025", "duration": "3"}, ['$.duration: expected number, got "3"'], id="type"),
        pytest.param(
            {"date": "2025", "duration": True},
            ["$.duration: expected number, got true"],
            id="boolean-is-no-number",
        ),
        pytest.param(
            {"date": "2025", "duration": 1, "unit": "years"},
            ['$.unit: expected one of "days", "weeks", got "years"'],
            id="enum",
        ),
        pytest.param(
            {"date": "2025", "duration": 1, "tags": ["a", 5]},
            ["$.tags[1]: expected string, got 5"],
            id="nested",
        ),
        pytest.param(
            {"date": "2025", "duration": 1, "units": "days"},
            ["$: unexpected 'units'; allowed are 'date', 'duration', 'unit', 'tags', 'at'"],
            id="unexpected",
        ),
        pytest.param(
            {"date": "2025", "duration": 1, "at": 5},
            ['$.at: expected one of {"type": "string"}, {"type": "null"}, got 5'],
            id="any-of",
        ),
        pytest.param({"date": "", "duration": 1}, ["$.date: '' is too short"], id="other-keyword"),
        pytest.param("2025", ['$: expected an object, got "2025"'], id="not-an-object"),
        pytest.param(None, ["$: expected an object, got null"], id="null"),
    ],
)
def test_problems_name_place_and_expectation(given: object, problems: list[str]) -> None:
    """Each problem begins with its JSON path."""
    with pytest.raises(InvalidInput) as caught:
        check_input(SCHEMA, given)
    assert list(caught.value.problems) == problems
    assert "'add_duration'" in str(caught.value)


def test_long_lists_and_values_are_cut() -> None:
    """A thousand problems or a huge value make no huge text."""
    with pytest.raises(InvalidInput) as caught:
        check_input(SCHEMA, {"date": "2025", "duration": "x" * 10_000, "tags": list(range(1000))})
    assert caught.value.problems[-1] == "and 996 more"
    assert len(str(caught.value)) < 1500


@pytest.mark.parametrize(
    "given",
    [
        pytest.param({"date": "2025", "duration": 3}, id="integer-is-a-number"),
        pytest.param({"date": "2025", "duration": 3.5, "at": None}, id="nullable"),
    ],
)
def test_fitting_input_is_returned(given: dict[str, Any]) -> None:
    """Nothing is changed or added."""
    assert check_input(SCHEMA, given) is given


def test_a_tool_without_schema_takes_any_object() -> None:
    """Anthropic-defined client tools (bash, memory, ...) have no input_schema."""
    assert check_input({"name": "bash", "type": "bash_20250124"}, {"command": "ls"}) == {"command": "ls"}


def test_a_reference_elsewhere_is_never_fetched() -> None:
    """A remote $ref is an error, not a download."""
    schema = {
        "name": "f",
        "input_schema": {"type": "object", "properties": {"a": {"$ref": "https://x.invalid/s"}}},
    }
    with pytest.raises(Exception, match=r"x\.invalid"):
        check_input(schema, {"a": 1})

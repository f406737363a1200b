"""A typed function becomes the schema that is sent; what cannot become one is named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest

from playhead.loop import InvalidInput, ToolDefinitionError, Tools
from playhead.loop.schema import signature_of


@dataclass
class Tree:
    left: Tree | None = None


def closed(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def documented(
    city: str,
    unit: Literal["C", "F"] = "C",
    *,
    days: Annotated[int, "From the annotation."] = 1,
    exact: float = float("inf"),
) -> str:
    """The weather.

    In more words.

    Args:
        city: Where to look,
            anywhere on Earth.
        unit (str): The unit.
        days: From the docstring.

    Returns:
        city: not a parameter text.
    """
    return city


def test_the_whole_tool_schema() -> None:
    """Description, parameter texts, defaults and required, in the order of the signature."""
    assert signature_of(documented).schema == {
        "name": "documented",
        "description": "The weather.\n\nIn more words.",
        "input_schema": closed(
            {
                "city": {"description": "Where to look, anywhere on Earth.", "type": "string"},
                "unit": {"description": "The unit.", "type": "string", "enum": ["C", "F"], "default": "C"},
                "days": {"description": "From the annotation.", "type": "integer", "default": 1},
                "exact": {"type": "number"},
            },
            "city",
        ),
    }


def test_sphinx_fields_are_read() -> None:
    """The other common way to describe parameters."""

    def f(a: int, b: int) -> None:
        """Do it.

        :param a: the first
            of two
        :param int b: the second
        :returns: nothing
        """

    schema = signature_of(f).schema
    assert schema["description"] == "Do it."
    properties: Any = schema["input_schema"]
    texts = {name: member["description"] for name, member in properties["properties"].items()}
    assert texts == {"a": "the first of two", "b": "the second"}


def stars(*numbers: int) -> None: ...
def double_stars(**options: int) -> None: ...
def positional(a: int, /) -> None: ...
def bare(a) -> None: ...  # type: ignore[no-untyped-def]
def alien(a: complex) -> None: ...
def int_keys(a: dict[int, str]) -> None: ...
def nested_alien(a: list[complex] | None) -> None: ...
def recursive(a: Tree) -> None: ...
def nowhere(a: Missing) -> None: ...  # type: ignore[name-defined]  # noqa: F821
def größe(a: int) -> None: ...
def odd_name(größe: int) -> None: ...


@pytest.mark.parametrize(
    ("function", "words"),
    [
        pytest.param(stars, r"'stars', parameter \*numbers.*named arguments", id="stars"),
        pytest.param(double_stars, r"'double_stars', parameter \*\*options", id="double-stars"),
        pytest.param(positional, "'positional', parameter a: it is positional-only", id="positional-only"),
        pytest.param(bare, "'bare', parameter a: it has no annotation", id="unannotated"),
        pytest.param(alien, "'alien', parameter a: complex has no JSON shape", id="unsupported"),
        pytest.param(int_keys, "parameter a: a dict with int keys", id="int-keys"),
        pytest.param(nested_alien, "parameter a: complex has no JSON shape", id="unsupported-inside"),
        pytest.param(recursive, "parameter a: Tree contains itself", id="recursive"),
        pytest.param(nowhere, "'nowhere'.*'Missing' is not defined", id="unresolvable"),
        pytest.param(größe, "'größe' is not a tool name", id="tool-name"),
        pytest.param(odd_name, "parameter größe: the API allows", id="parameter-name"),
        pytest.param(lambda: None, "'<lambda>' is not a tool name.*name='...'", id="lambda"),
        pytest.param(dict.get, "cannot become a tool|positional-only|annotation", id="builtin"),
    ],
)
def test_what_cannot_be_a_tool_is_said_at_registration(function: Callable[..., object], words: str) -> None:
    """One clear error, naming function and parameter."""
    with pytest.raises(ToolDefinitionError, match=words):
        Tools([function])


def test_a_value_the_schema_cannot_exclude_is_invalid_input() -> None:
    """A set whose items cannot be hashed passes the schema; it is reported, not passed on."""

    def f(a: int) -> int:
        return a

    signature = signature_of(f)
    with pytest.raises(InvalidInput, match=r"\$\.a: 'x' is not an integer"):
        signature.arguments({"a": "x"})

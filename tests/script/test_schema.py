"""The JSON Schema of script files: current, and of one mind with the reader."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from jsonschema import Draft202012Validator

from broken_scripts import BROKEN, HEAD
from drawn_steps import SCRIPTS
from playhead.cassettes.yaml_document import parse
from playhead.script.forms import FORMS
from playhead.script.schema import options_table, schema, schema_text, steps_table
from playhead.script.writing import script_text

ROOT = Path(__file__).resolve().parents[2]
DOCS = (ROOT / "docs" / "script_files.md").read_text("utf-8")
VALIDATOR = Draft202012Validator(schema())


def test_the_published_schema_is_current() -> None:
    """`playhead schema > schemas/script.schema.json` writes it anew."""
    assert (ROOT / "schemas" / "script.schema.json").read_text("utf-8") == schema_text()


def test_it_is_a_schema() -> None:
    """Draft 2020-12, and each step has a description."""
    Draft202012Validator.check_schema(schema())
    assert schema()["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert all(schema()["$defs"][name]["description"] for name in FORMS)


@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])
@given(SCRIPTS)
def test_what_is_written_is_valid(script: list[Any]) -> None:
    """The file of any script is valid."""
    (document,) = parse(script_text(script).encode())
    VALIDATOR.validate(document)


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_is_invalid(name: str) -> None:
    """What the reader refuses by its table is refused by the schema."""
    (document,) = parse((HEAD + BROKEN[name][0]).encode())
    assert not VALIDATOR.is_valid(document)


@pytest.mark.parametrize("change", [{"version": 2}, {"version": None}, {"format": "playhead"}, {"more": 1}])
def test_the_head_is_checked(change: dict[str, Any]) -> None:
    """Version, format and unknown members."""
    document = {"version": 1, "format": "playhead-script", "script": []}
    assert VALIDATOR.is_valid(document)
    assert VALIDATOR.is_valid({**document, "$schema": "script.schema.json", "options": None})
    assert not VALIDATOR.is_valid({**document, **change})


@pytest.mark.parametrize(("name", "table"), [("steps", steps_table()), ("options", options_table())])
def test_the_tables_of_the_documentation_are_current(name: str, table: str) -> None:
    """What docs/script_files.md lists is the table of forms."""
    shown = re.search(rf"<!-- {name} -->\n(.*?)\n<!-- end of {name} -->", DOCS, re.DOTALL)
    assert shown is not None
    assert shown[1] == table


def test_the_schema_is_json() -> None:
    """It can be read by any tool."""
    assert json.loads(schema_text()) == schema()

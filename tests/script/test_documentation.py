"""docs/script_files.md: every example is read, and every error shown is what one gets."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from playhead import FakeClaude, Script, ScriptFileError, call, say
from playhead.cassettes.yaml_document import parse
from playhead.script.forms import FORMS
from playhead.script.reading import read
from playhead.script.schema import schema

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "script_files.md").read_text("utf-8")
HEAD = "version: 1\nformat: playhead-script\n"
EXAMPLES = [
    example if "format:" in example else HEAD + example
    for page in (PAGE, (ROOT / "README.md").read_text("utf-8"))
    for example in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
]


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_are_scripts(example: str) -> None:
    """Each is read, makes a fake, and is valid by the schema."""
    found = read(example.encode(), "example.yaml")
    FakeClaude(found.script, **found.options)
    (document,) = parse(example.encode())
    Draft202012Validator(schema()).validate(document)


def test_what_comments_say_is_so() -> None:
    """The steps beside which Python stands are those of that Python."""
    found: Any = read(EXAMPLES[1].encode(), "example.yaml").script
    assert (
        found.steps[:4]
        == Script(
            steps=(
                say("High water is at nine."),
                say("High water is at nine."),
                call("get_tide", {"port": "Brest", "day": 14}),
                call("get_tide", '{"port": "Brest", "height": 4.10'),
            )
        ).steps
    )


def test_the_table_names_every_step() -> None:
    """No step is left out of the page."""
    assert {*re.findall(r"^\| `(\w+)` \| \w+:", PAGE, re.MULTILINE)} == {*FORMS}


BROKEN = (
    HEAD + "script:\n- call_tool: get_tide\n",
    HEAD + "script:\n- a\n- b\n- turn:\n  - c\n  - call: f\n    input: 5\n",
    HEAD + "script:\n- a\n- b\n- c\n- truncated: Saint-Malo and Brest.\n  keep: 80\n",
    "# recorded\nversion: 1\nformat: playhead\n",
)


def test_the_errors_shown_are_the_errors_one_gets() -> None:
    """File, line, field and sentence."""
    shown = re.search(r"```text\n(.*?)```", PAGE, re.DOTALL)
    assert shown is not None
    told = []
    for text in BROKEN:
        with pytest.raises(ScriptFileError) as raised:
            read(text.encode(), "tides.yaml")
        told.append(str(raised.value))
    assert told == shown[1].splitlines()

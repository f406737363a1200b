"""README.md: every Python block runs, in order, and what it shows is what one gets."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import anthropic
import pytest

from playhead.errors import RuleViolations
from playhead.rules.registry import RULES

README = (Path(__file__).resolve().parent.parent / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def test_every_block_runs() -> None:
    """Each block is run in the same namespace; its tests are called."""
    names: dict[str, Any] = {}
    for block in BLOCKS:
        exec(compile(block, "README.md", "exec"), names)
    names["test_two_ports_at_once"]()


def test_the_failure_shown_is_the_failure_one_gets() -> None:
    """The report in the README is the report of the loop that answers only its first call."""
    names: dict[str, Any] = {}
    exec(compile(BLOCKS[0].replace('"content": results}', '"content": results[:1]}'), "README.md", "exec"), names)
    with pytest.raises(anthropic.BadRequestError) as caught:
        names["test_two_ports_at_once"]()
    failure = "\n".join(getattr(caught.value, "__notes__", [str(caught.value)]))
    shown = re.search(r"```text\n(.*?)```", README, re.DOTALL)
    assert shown is not None
    report = shown.group(1).partition(": ")[2].strip()
    assert RuleViolations.__name__ in failure
    assert report in failure


def test_the_number_of_rules_is_right() -> None:
    """The README counts the rules as they are."""
    rejects = sum(rule.level == "reject" for rule in RULES)
    assert f"{len(RULES)} rules are known, and {rejects} of them say what the API refuses" in README

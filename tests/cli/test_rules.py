"""`playhead rules`, and the page docs/rules.md."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from playhead.cli.main import commands
from playhead.rules.registry import RULES

PAGE = Path(__file__).resolve().parents[2] / "docs" / "rules.md"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(commands, ["rules", *arguments])


def test_every_rule_is_listed() -> None:
    """A line for each, under its level, within 80 columns."""
    result = run()
    assert result.exit_code == 0
    listed = [line.split()[0] for line in result.output.splitlines() if line.startswith("  ")]
    assert sorted(listed) == sorted(rule.id for rule in RULES)
    assert [line for line in result.output.splitlines() if len(line) > 80] == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_every_rule_is_explained(rule: object) -> None:
    """What, why, the fix, a source and examples of either kind."""
    output = run(rule.id).output  # type: ignore[attr-defined]
    for part in (rule.id, "why  ", "fix  ", "source", "fails:", "passes:"):  # type: ignore[attr-defined]
        assert part in output


def test_an_unknown_rule_is_one_sentence() -> None:
    """The nearest is named, and the exit code is 2."""
    result = run("tool-use-unanswerd")
    assert result.exit_code == 2
    assert "there is no rule 'tool-use-unanswerd': did you mean tool-use-unanswered?" in result.stderr


def test_rules_for_programs() -> None:
    """`--json` gives id, level, wording and the catalogue's entry."""
    (told,) = json.loads(run("tool-use-unanswered", "--json").output)
    assert told["id"] == "tool-use-unanswered"
    assert told["level"] == "reject"
    assert told["status"] == 400
    assert told["wording"][0].startswith("messages.{i}: `tool_use` ids were found without")
    assert told["sources"]


def test_the_page_is_current() -> None:
    """docs/rules.md is what the rules say today; `playhead rules --markdown > docs/rules.md` renews it."""
    assert PAGE.read_text("utf-8") == run("--markdown").output

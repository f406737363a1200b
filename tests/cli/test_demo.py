"""`playhead demo`."""

from __future__ import annotations

import re

from click.testing import CliRunner

from playhead.cli.main import commands


def test_it_shows_a_rehearsal_and_a_failure() -> None:
    """The correct loop gets its answer, the broken one the API's 400, and the screen says why."""
    result = CliRunner().invoke(commands, ["demo"])
    assert result.exit_code == 0
    assert "verdict  ok: 3 exchanges, every step played, no rule broken" in result.output
    assert re.search(r"claude +It will be \w+, \w+ \d\d, \d{4}", result.output)
    assert "tool-result-orphan" in result.output
    assert "anthropic.BadRequestError" in result.output
    assert "3 exchanges, each as recorded" in result.output
    assert 'today     "1999-12-31"' in result.output


def test_it_fits_into_80_columns() -> None:
    """No line is longer than a terminal is wide."""
    result = CliRunner().invoke(commands, ["demo"])
    assert [line for line in result.output.splitlines() if len(line) > 80] == []


def test_help_lists_the_commands() -> None:
    """`playhead --help` names each command and the exit codes."""
    result = CliRunner().invoke(commands, ["--help"])
    assert result.exit_code == 0
    assert "demo" in result.output
    assert "Exit codes" in result.output

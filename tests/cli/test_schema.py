"""`playhead schema`, and what other commands say of a script."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from playhead.cli.main import commands
from playhead.script.schema import schema_text

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "scripts"


def test_the_schema_is_printed() -> None:
    """To the letter, so that it can be redirected to a file."""
    run = CliRunner().invoke(commands, ["schema"])
    assert (run.exit_code, run.output) == (0, schema_text())


@pytest.mark.parametrize("command", ["show", "verify"])
@pytest.mark.parametrize("name", ["tides.yaml", "research.json"])
def test_a_script_is_no_recording(command: str, name: str) -> None:
    """It is called what it is, with exit code 2 and no traceback."""
    code = "from playhead.cli.main import main; main()"
    run = subprocess.run([sys.executable, "-c", code, command, str(FIXTURES / name)], capture_output=True, text=True)
    assert run.returncode == 2
    assert "this is a script, no recording: play it with FakeClaude.from_file" in " ".join(
        (run.stdout + run.stderr).split()
    )
    assert "Traceback" not in run.stderr

"""The hook, the skill and the MCP server do what they are for, in the real Claude Code."""

import shutil

import pytest
from rehearse import REHEARSALS, rehearse

pytestmark = pytest.mark.skipif(shutil.which("claude") is None, reason="Claude Code is not installed")


def test_the_hook_blocks_a_push_by_force() -> None:
    """The push does not run, and Claude is told why."""
    (told,) = rehearse(*REHEARSALS["hook"])
    assert "Nobody pushes by force here" in told


def test_the_skill_is_found_and_followed() -> None:
    """Claude gets the skill's text, and the tool that it names answers."""
    skill, tide = rehearse(*REHEARSALS["skill"])
    assert "Answer in one sentence" in skill
    assert tide == "4.1 m"


def test_the_mcp_server_answers() -> None:
    """The tool's result comes to Claude, and so does its error."""
    assert rehearse(*REHEARSALS["mcp"]) == ["4.1 m", "no tide is known for Atlantis"]

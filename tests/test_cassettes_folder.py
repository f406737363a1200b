"""The recordings in cassettes/ are what they say: whole, without faults, and replayed by the loops of today."""

from __future__ import annotations

from pathlib import Path

import pytest

from playhead import FakeClaude, check, load
from playhead.cassettes.document import read
from scripts import loaded

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "cassettes"


MADE_BY = loaded(ROOT / "examples" / "record_cassettes.py")


def test_every_file_is_made_by_the_script() -> None:
    """But for that of Claude Code, which has tests of its own, nothing else lies there; and the page names each."""
    files = {path.name for path in FOLDER.iterdir()} - {"README.md"}
    assert files == {*MADE_BY.SESSIONS, "claude_code.yaml"}
    page = (FOLDER / "README.md").read_text("utf-8")
    assert all(f"`{name}`" in page for name in files)


@pytest.mark.parametrize("name", [*MADE_BY.SESSIONS])
def test_a_recording_is_whole_and_replayed(name: str) -> None:
    """It is finished, no rule has a word on it, and the loop that made it gets the same answers from it."""
    assert read((FOLDER / name).read_bytes()).finished
    assert check(load(FOLDER / name)) == ()
    with FakeClaude.from_cassette(FOLDER / name) as fake:
        assert MADE_BY.SESSIONS[name].loop(fake.client())


def test_the_script_makes_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What it makes today says the same, but for the day and the SDK's version."""
    MADE_BY.main(tmp_path)
    assert capsys.readouterr().out.count("\n") == len(MADE_BY.SESSIONS)
    for name in MADE_BY.SESSIONS:
        old, new = (load(folder / name).exchanges for folder in (FOLDER, tmp_path))
        assert [(one.request, one.status, one.response, one.error) for one in old] == [
            (one.request, one.status, one.response, one.error) for one in new
        ]

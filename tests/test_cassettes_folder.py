"""The recordings in cassettes/ are what they say: whole, without faults, and replayed by the loops of today."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from playhead import FakeClaude, check, load
from playhead.cassettes.document import read

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "cassettes"


def _made_by() -> ModuleType:
    spec = importlib.util.spec_from_file_location("record_cassettes", ROOT / "examples" / "record_cassettes.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


MADE_BY = _made_by()


def test_every_file_is_made_by_the_script() -> None:
    """Nothing else lies there, and the page names each."""
    files = {path.name for path in FOLDER.iterdir()} - {"README.md"}
    assert files == {*MADE_BY.SESSIONS}
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

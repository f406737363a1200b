"""Damaged files give a session or a RecordingError, nothing else."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from playhead.errors import RecordingError
from playhead.readers.table import session_of
from readers.samples import SAMPLES
from scripts import loaded

BENCH = Path(__file__).resolve().parents[2] / "bench" / "fuzz_readers.py"


@pytest.fixture(scope="module")
def fuzzing() -> ModuleType:
    if not BENCH.is_file():
        pytest.skip("bench/ is not part of this checkout")
    return loaded(BENCH)


def test_mutations_of_every_sample(fuzzing: ModuleType) -> None:
    """Some hundred cuts, flips, insertions and removals over all formats; `bench/fuzz_readers.py` runs 20,000."""
    found = fuzzing.fuzz(SAMPLES, 600)
    assert found.others == []
    assert found.sessions + found.errors == 600
    assert found.slowest < 5


@pytest.mark.parametrize("name", SAMPLES)
def test_every_truncation(name: str) -> None:
    """Cut at any of a hundred places, a file gives a session or an error with one line of text."""
    data, errors = SAMPLES[name], []
    for size in range(0, len(data), max(1, len(data) // 100)):
        try:
            session_of(data[:size], name)
        except RecordingError as error:
            errors.append(str(error))
    assert errors
    assert [error for error in errors if "\n" in error or not error.startswith(name)] == []

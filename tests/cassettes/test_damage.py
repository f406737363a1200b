"""Damaged cassettes are errors with file and line, or differ only where they are damaged."""

from __future__ import annotations

import contextlib
from pathlib import Path
from types import ModuleType

import pytest

from playhead.cassettes.document import CassetteError, read
from playhead.errors import RecordingError
from playhead.readers.table import session_of
from scripts import loaded

BENCH = Path(__file__).resolve().parents[2] / "bench" / "damage_cassettes.py"


@pytest.fixture(scope="module")
def damaging() -> ModuleType:
    if not BENCH.is_file():
        pytest.skip("bench/ is not part of this checkout")
    return loaded(BENCH)


def test_cuts_and_flips(damaging: ModuleType) -> None:
    """Some hundred over all kinds of cassettes; `bench/damage_cassettes.py` does 10,000."""
    found = damaging.damage(damaging.samples(), 400, seed=1)
    assert found.wrong == []
    assert {"cut: error", "cut: unfinished", "flip: error", "flip: differs there"} <= {*found.outcomes}


def test_the_check_sees_a_difference_elsewhere(damaging: ModuleType) -> None:
    """What it compares is not blind: a change in another exchange than the damaged one is told."""
    data = damaging.samples()["json"]
    other = data.replace(b"toolu_0004", b"toolu_9999")
    with pytest.raises(AssertionError, match=r"exchanges \[4.*\] differ, the flip is in 1"):
        damaging.flipped(data, other, data, data.index(b"max_tokens"))


def test_every_cut_of_a_cassette(damaging: ModuleType) -> None:
    """Byte by byte: whole exchanges are read, the file is unfinished, or the head is not whole."""
    data = damaging.samples()["metadata"]
    head, ends = data.index(b"- request"), [data.index(b"# end 1\n") + 8, data.index(b"# end 2\n") + 8]
    for place in range(len(data)):
        if place < head:
            with contextlib.suppress(CassetteError):
                cassette = read(data[:place])
                assert (cassette.interactions, cassette.finished) == ((), False)
        elif place < data.index(b"finished: 2") + len(b"finished: 2\n"):
            cassette = read(data[:place])
            assert not cassette.finished
            assert len(cassette.interactions) == sum(place >= end for end in ends)


CASES = {
    "a byte that is no text": (b"- request: {add: []}\n  response: {text: \xbb}\n", "5", "this is no YAML: "),
    "a control character": (b"- request: {add: []}\n  response: {text: \x11}\n", "5", "this is no YAML: "),
    "a key that stands twice": (
        b"- request: {add: []}\n  response: {}\n  response: {text: a}\n",
        "4",
        "the key 'response' stands twice in what begins here",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_line_of_an_error(case: str) -> None:
    """Also where YAML's reader does not tell it."""
    items, line, told = CASES[case]
    with pytest.raises(RecordingError) as error:
        session_of(b"version: 1\nformat: playhead\ninteractions:\n" + items + b"# end 1\nfinished: 1\n", "c.yaml")
    assert str(error.value).startswith(f"c.yaml:{line}: {told}")


def test_a_format_that_is_misspelt_is_told_as_such() -> None:
    """And the file is not taken for one of vcrpy's, whose calls would all be passed over."""
    with pytest.raises(RecordingError) as error:
        session_of(b"version: 1\nformat: playhaed\ninteractions:\n- request: {}\n  response: {}\n", "c.yaml")
    assert str(error.value).startswith("c.yaml:2: format: this is no Playhead cassette")

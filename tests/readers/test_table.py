"""The table of formats, and `load`."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from playhead.errors import RecordingError
from playhead.readers.table import FORMATS, SHAPES, load, session_of
from readers.samples import (
    MESSAGE,
    OTHER_URL,
    SAMPLES,
    as_json,
    as_yaml,
    vcrpy,
    vcrpy_interaction,
    without_anthropic,
)

UNREADABLE = {
    "empty": (b"", "the file is empty"),
    "blanks": (b" \n\t\n", "holds only blanks"),
    "binary": (b"\x00\x01\x02" * 99, "binary file"),
    "a picture": (b"\x89PNG\r\n\x1a\n\x00", "binary file"),
    "prose": (b"High tide is at noon.\n", "no known format"),
    "other JSON": (b'{"tide": "high"}', "no known format"),
    "other YAML": (b"tide: high\n", "no known format"),
    "YAML with a familiar word": (b"requests: 5\n", "no recording of a known format"),
    "cut JSON": (as_json(vcrpy())[:-40], "was it cut"),
    "cut gzip": (gzip.compress(b"high tide")[:-4], "cut off"),
    "damaged gzip": (b"\x1f\x8b\x08\x00xxxxxxxxxxxx", "damaged"),
    "an empty cassette": (b"interactions: []\nversion: 1\n", "without any call"),
    "deep JSON": (b'{"interactions": ' + b"[" * 100_000, "nested too deeply"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_files_that_are_no_recordings(name: str) -> None:
    """Each is one sentence that begins with the file's name."""
    data, says = UNREADABLE[name]
    with pytest.raises(RecordingError, match=says) as raised:
        session_of(data, "tides.bin")
    assert str(raised.value).startswith("tides.bin")
    assert "\n" not in str(raised.value)


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    """No file and a directory are errors that say so."""
    with pytest.raises(RecordingError, match="no such file"):
        load(tmp_path / "none.yaml")
    with pytest.raises(RecordingError, match="directory"):
        load(tmp_path)


@pytest.mark.parametrize("name", SAMPLES)
def test_the_name_of_a_file_means_nothing(name: str, tmp_path: Path) -> None:
    """Formats are told by content: any name will do, text or path object."""
    path = tmp_path / "recording.xyz"
    path.write_bytes(SAMPLES[name])
    assert load(path) == load(str(path)) == session_of(SAMPLES[name], "other")


def test_others_calls_are_counted() -> None:
    """A cassette of other vendors' calls alone is a session without exchanges that says what it passed over."""
    other = without_anthropic(vcrpy_interaction(string="{}", uri=OTHER_URL))
    session = session_of(as_yaml(vcrpy(other, other)), "others.yaml")
    assert (session.exchanges, session.skipped) == ((), {"calls to api.openai.com": 2})


def test_exchanges_are_numbered_without_the_skipped() -> None:
    """Numbers count the exchanges of the session from 1."""
    other = without_anthropic(vcrpy_interaction(string="{}", uri=OTHER_URL))
    session = session_of(as_yaml(vcrpy(vcrpy_interaction(), other, vcrpy_interaction())), "mixed.yaml")
    assert [exchange.number for exchange in session.exchanges] == [1, 2]


def test_errors_name_the_field() -> None:
    """Damage within a document is named by its place."""
    broken = vcrpy(vcrpy_interaction(), {"request": 5})
    with pytest.raises(RecordingError, match=r"tides.yaml: interactions\[1\]: .*no request object") as raised:
        session_of(as_yaml(broken), "tides.yaml")
    assert raised.value.field == "interactions[1]"


def test_errors_name_the_line() -> None:
    """A mistake in YAML is named by its line."""
    with pytest.raises(RecordingError, match=r"tides.yaml:2: this is no YAML") as raised:
        session_of(b"interactions:\n- request: {{{{ : ]\n", "tides.yaml")
    assert raised.value.line == 2


def test_the_order_of_members_means_nothing() -> None:
    """Shapes are told by members, wherever they stand in the file."""
    data = json.dumps({"padding": "x" * 100_000, **vcrpy()}).encode()
    assert session_of(data, "late.json").exchanges[0].response == MESSAGE


def test_every_format_has_a_name() -> None:
    """Names are unique: errors and documentation list them."""
    names = [one.name for one in (*SHAPES, *FORMATS)]
    assert len(names) == len(set(names)) >= 20

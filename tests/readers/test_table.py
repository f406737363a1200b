"""The table of formats, and `load`."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest

from playhead.errors import RecordingError
from playhead.readers.body import unzipped
from playhead.readers.source import Source
from playhead.readers.table import FORMATS, SHAPES, load, session_from, session_of
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
from readers.test_damage import WHOLE

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
    """Each is one sentence that names the file; a pipe is not waited for, a device is not read."""
    (tmp_path / "broken").symlink_to(tmp_path / "gone")
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    os.mkfifo(tmp_path / "pipe")
    for path, says in {
        tmp_path / "none.yaml": "there is no such file",
        tmp_path: "this is a directory",
        tmp_path / "broken": "this is a link to a file that is not there",
        tmp_path / "circle": "the file cannot be read: ",
        tmp_path / "pipe": "this is a pipe, a socket or a device",
        Path("/dev/zero"): "this is a pipe, a socket or a device",
        f"{tmp_path}/nul\0byte": "the file cannot be read: ",
        os.fsencode(tmp_path / "none.yaml"): "there is no such file",
    }.items():
        with pytest.raises(RecordingError, match=f": {says}") as raised:
            load(path)
        assert str(raised.value).startswith(os.fsdecode(path))
        assert "\n" not in str(raised.value)


@pytest.mark.parametrize("name", SAMPLES)
def test_content_in_pieces(name: str) -> None:
    """Whatever the pieces in which a file comes, and however long it is, it holds the same."""
    data, whole = SAMPLES[name], session_of(SAMPLES[name], "x")
    for size in (1, 7, 1000):
        pieces = [data[start : start + size] for start in range(0, len(data), size)]
        assert session_from(Source(name="x", begin=lambda pieces=pieces: unzipped(pieces))) == whole


@pytest.mark.parametrize("name", sorted(WHOLE.keys() - {"pi array", "messages lines"}))
def test_long_content_in_pieces(name: str) -> None:
    """Content that is longer than the head, on one line or on many, is told apart as a short one is."""
    data = WHOLE[name].replace(b"Tides?", b"Tides? " * 20_000).replace("Höher".encode(), "Höher ".encode() * 20_000)
    if len(data) < 100_000:
        pytest.skip("this sample cannot be made longer in this way")
    short, long = session_of(WHOLE[name], "x"), session_of(data, "x")
    assert (long.format, len(long.exchanges)) == (short.format, len(short.exchanges))
    pieces = [data[start : start + 5000] for start in range(0, len(data), 5000)]
    assert session_from(Source(name="x", begin=lambda: iter(pieces))) == long


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

"""The only disk I/O."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from playhead.errors import RecordingError
from playhead.files import append, is_there, nowhere, read_bytes, read_packaged, write_whole


def test_reads_bytes(tmp_path: Path) -> None:
    """The bytes as they are, from a path or its text."""
    path = tmp_path / "a b.yaml"
    path.write_bytes(b"\x00\xff\r\n")
    assert read_bytes(path) == b"\x00\xff\r\n"
    assert read_bytes(str(path)) == b"\x00\xff\r\n"


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    """The sentence names the file."""
    path = tmp_path / "gone.yaml"
    with pytest.raises(RecordingError) as caught:
        read_bytes(path)
    assert str(caught.value) == f"{path}: there is no such file"
    assert (caught.value.path, caught.value.reason) == (str(path), "there is no such file")


def test_whether_there_is_anything(tmp_path: Path) -> None:
    """A folder is something, and so is a link that leads nowhere; a name that cannot be is nothing."""
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    assert is_there(tmp_path)
    assert is_there(tmp_path / "link")
    assert not is_there(tmp_path / "gone")
    assert not is_there("a\0b")


def test_a_directory(tmp_path: Path) -> None:
    """A directory is named as one."""
    with pytest.raises(RecordingError, match=r": this is a directory; name a file in it$"):
        read_bytes(tmp_path)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    """Permissions are told, not a traceback."""
    path = tmp_path / "secret"
    path.write_bytes(b"x")
    path.chmod(0)
    with pytest.raises(RecordingError, match=r": the file may not be read \(permission denied\)$"):
        read_bytes(path)


@pytest.mark.parametrize("name", ["file/below", "nul\0byte", "x" * 5000], ids=["below-a-file", "nul", "too-long"])
def test_a_path_that_cannot_be(tmp_path: Path, name: str) -> None:
    """Whatever the system says of a path, it is one error."""
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(RecordingError, match=r"the file cannot be read: "):
        read_bytes(f"{tmp_path}/{name}")


def test_a_limit(tmp_path: Path) -> None:
    """A file of just the limit is read, a bigger one is not."""
    path = tmp_path / "big"
    path.write_bytes(b"x" * 2000)
    assert len(read_bytes(path, limit=2000)) == 2000
    with pytest.raises(RecordingError, match=r": the file has 2,000 bytes, more than the 1,999 that are read$"):
        read_bytes(path, limit=1999)


def test_reads_what_comes_with_the_package() -> None:
    """A packaged file is found by its room and name, wherever the package is installed."""
    assert read_packaged("rules", "catalogue.jsonl").startswith(b'{"id": "')
    with pytest.raises(FileNotFoundError):
        read_packaged("rules", "gone.jsonl")


def test_writes_whole(tmp_path: Path) -> None:
    """Folders are made, an old file is replaced, nothing else is left behind."""
    path = tmp_path / "new" / "folder" / "a.yaml"
    write_whole(path, b"one")
    write_whole(str(path), b"two")
    assert path.read_bytes() == b"two"
    assert os.listdir(path.parent) == ["a.yaml"]


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    """Either the old file or the new one, and no part of either beside it."""
    path = tmp_path / "a.yaml"
    write_whole(path, b"old")
    with pytest.raises(TypeError):
        write_whole(path, "no bytes")  # type: ignore[arg-type]
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.yaml"]


def test_a_directory_is_not_overwritten(tmp_path: Path) -> None:
    """Where the target cannot be replaced, the error is the system's and nothing is left behind."""
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        write_whole(tmp_path / "folder", b"x")
    assert os.listdir(tmp_path) == ["folder"]


@pytest.mark.skipif(os.name != "posix", reason="permissions and links as POSIX has them")
def test_permissions(tmp_path: Path) -> None:
    """A new file may be read by whom the umask allows; an old file's permissions are kept."""
    plain, path = tmp_path / "plain", tmp_path / "a.yaml"
    plain.write_bytes(b"")
    write_whole(path, b"one")
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)
    path.chmod(0o640)
    write_whole(path, b"two")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.skipif(os.name != "posix", reason="permissions and links as POSIX has them")
def test_a_symbolic_link_stays_one(tmp_path: Path) -> None:
    """Writing through a link replaces what it points to."""
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    write_whole(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_appends(tmp_path: Path) -> None:
    """Each call adds at the end, to a file that need not be there."""
    path = tmp_path / "log.jsonl"
    append(path, b"1\n")
    append(path, b"2\n")
    assert path.read_bytes() == b"1\n2\n"
    with pytest.raises(OSError, match="gone"):
        append(tmp_path / "gone" / "log.jsonl", b"")


def test_what_is_written_nowhere_is_gone() -> None:
    """Bytes too, and what no encoding has."""
    stream = nowhere()
    print("gone \ud800", file=stream, flush=True)
    stream.buffer.write(b"gone")
    assert not stream.isatty()

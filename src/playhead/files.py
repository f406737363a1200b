"""The only disk I/O of the library: read bytes, write a file whole, append and sync.

Law: bytes and paths; knows no format.
"""

from __future__ import annotations

import atexit
import glob
import os
import shutil
import stat
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from playhead.errors import RecordingError, UnknownFormat

PIECE = 1 << 18
"""How much of a file is read at a time, in bytes."""

_SMALL = 65536  # files in /proc say that they have 0 bytes


def read_bytes(path: str | os.PathLike[str], *, limit: int | None = None) -> bytes:
    """The bytes of a file.

    Raises `RecordingError` where there is no such file, it is a directory, it may not be read, or it has more than
    `limit` bytes.
    """
    name = os.fsdecode(path)
    with _told(name):
        file, size = _opened(name)
        try:
            if limit is not None and size > limit:
                raise RecordingError(name, f"the file has {size:,} bytes, more than the {limit:,} that are read")
            return b"".join(_pieces(file, max(size + 1, PIECE)))
        finally:
            os.close(file)


def read_pieces(path: str | os.PathLike[str], size: int = PIECE) -> Iterator[bytes]:
    """The bytes of a file in pieces of at most `size`, so that it need not fit into memory. Raises as `read_bytes`."""
    name = os.fsdecode(path)
    with _told(name):
        file, whole = _opened(name)
        try:
            yield from _pieces(file, min(size, max(whole + 1, _SMALL)))
        finally:
            os.close(file)


def read_beside(path: str | os.PathLike[str], name: str, *, root: str = "", limit: int | None = None) -> bytes | None:
    """The bytes of a file that a recording names; None where it is not there.

    `name` is relative to the recording's folder; with `root`, to the folder that holds the nearest folder of that
    name around the recording, if there is one. Raises `RecordingError` for a name that leads out of that folder, by
    `..`, an absolute path or a symbolic link, and as `read_bytes`.
    """
    folder = _folder(os.fsdecode(path), root)
    parts = name.replace("\\", "/").split("/")
    wanted = os.path.join(folder, *parts)
    with _told(wanted):
        real = os.path.realpath(wanted)
        inside = os.path.commonpath([os.path.realpath(folder), real]) == os.path.realpath(folder)
        if not inside or ".." in parts or not parts[0] or os.path.isabs(name):
            raise RecordingError(os.fsdecode(path), f"it names a file outside its folder, which is not read: {name!r}")
        return read_bytes(real, limit=limit) if os.path.lexists(real) else None


def _folder(path: str, root: str) -> str:
    folder = os.path.dirname(os.path.abspath(path))
    above = [Path(folder), *Path(folder).parents]
    return next((str(one.parent) for one in above if root and one.name == root), folder)


def _opened(name: str) -> tuple[int, int]:
    """A file's descriptor and size. Looks before it opens: a pipe would wait for its writer for ever."""
    found = os.stat(name)
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError
    if not stat.S_ISREG(found.st_mode):
        raise UnknownFormat(name, "this is a pipe, a socket or a device, no file")
    return os.open(name, os.O_RDONLY | getattr(os, "O_BINARY", 0)), found.st_size


def _pieces(file: int, size: int) -> Iterator[bytes]:
    while piece := os.read(file, size):
        yield piece


@contextmanager
def _told(name: str) -> Iterator[None]:
    """Turns what the system says of a file into one sentence."""
    try:
        yield
    except FileNotFoundError:
        dangling = os.path.islink(name)
        reason = "this is a link to a file that is not there" if dangling else "there is no such file"
        raise RecordingError(name, reason) from None
    except IsADirectoryError:
        raise RecordingError(name, "this is a directory; name a file in it") from None
    except PermissionError:
        raise RecordingError(name, "the file may not be read (permission denied)") from None
    except (OSError, ValueError) as error:
        raise RecordingError(name, f"the file cannot be read: {getattr(error, 'strerror', None) or error}") from None


def is_there(path: str | os.PathLike[str]) -> bool:
    """Whether there is anything under this name."""
    return os.path.lexists(path)


def day_of(path: str | os.PathLike[str]) -> str:
    """The day, in UTC, on which a file was last written: `2026-11-30`. Raises `OSError`."""
    return time.strftime("%Y-%m-%d", time.gmtime(os.stat(path).st_mtime))


def find_files(pattern: str) -> list[str]:
    """The files that a path, a folder or a glob pattern names, sorted; hidden ones in folders are left out.

    An existing path is taken as it is, whatever characters it has. Raises `RecordingError` where there is none.
    """
    if os.path.isdir(pattern):
        return sorted(
            os.path.join(folder, name)
            for folder, folders, names in os.walk(pattern)
            if not folders.sort() and not any(part.startswith(".") for part in Path(folder).relative_to(pattern).parts)
            for name in names
            if not name.startswith(".")
        )
    if os.path.lexists(pattern):
        return [pattern]
    found = sorted(path for path in glob.glob(pattern, recursive=True) if os.path.isfile(path))
    if not found:
        what = "no file matches this pattern" if glob.has_magic(pattern) else "there is no such file"
        raise RecordingError(pattern, what)
    return found


def read_packaged(room: str, name: str) -> bytes:
    """The bytes of a file that comes with the package: `read_packaged("rules", "catalogue.jsonl")`."""
    from importlib import resources  # costs more than all the rest of this file

    return resources.files("playhead").joinpath(room, name).read_bytes()


def write_whole(path: str | os.PathLike[str], data: bytes) -> None:
    """Writes a file so that it is either the old one or the new one, never a part.

    A symbolic link and the permissions of an old file are kept. Raises `OSError`; the old file then stands as it was.
    """
    target = Path(os.path.realpath(path))
    target.parent.mkdir(parents=True, exist_ok=True)
    # no `tempfile`: what it makes nobody but its owner may read, and a recording is there for others
    temporary = target.with_name(f".{uuid.uuid4().hex}.part")
    try:
        with open(temporary, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextmanager
def claimed(path: str | os.PathLike[str], *, wait: bool = False) -> Iterator[bool]:
    """Keeps other processes and threads from claiming this file; gives whether it could be claimed.

    Makes the file, and its folder, where it is not there. With `wait` it waits half a minute for whoever claims it now.
    What is claimed can be read and written all the same, by those who do not ask. Where the system has no such locks,
    all may claim.
    """
    try:
        import fcntl
    except ImportError:
        yield True
        return
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    for again in range(_TRIES if wait else 1):
        time.sleep(_BETWEEN if again else 0)
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            with suppress(BlockingIOError):
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if _is_still(file, path):
                    yield True
                    return
        finally:
            os.close(file)
    yield False


def _is_still(file: int, path: str | os.PathLike[str]) -> bool:
    """Whether an open file still has this name: whoever claimed it before may have put it in another's place."""
    try:
        return os.path.samestat(os.fstat(file), os.stat(path))
    except FileNotFoundError:
        return False


_BETWEEN = 0.05
_TRIES = 600


def overwrite(path: str | os.PathLike[str], data: bytes) -> None:
    """Gives a file other bytes, in its place; what is claimed stays so. Raises `OSError`."""
    with open(path, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def replace(source: str | os.PathLike[str], target: str | os.PathLike[str]) -> None:
    """Puts a file in the place of another, which then is gone. Raises `OSError`; both then stand as they were."""
    os.replace(source, os.path.realpath(target))


def append(path: str | os.PathLike[str], data: bytes) -> None:
    """Appends to a file and makes sure that the bytes are on the disk before it returns. Raises `OSError`."""
    with open(path, "ab") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def nowhere() -> TextIO:
    """A text file in which what is written is gone, now and as long as the process runs: a logger may hold it."""
    stream = open(os.devnull, "w", encoding="utf-8", errors="replace")  # noqa: SIM115
    atexit.register(stream.close)
    return stream

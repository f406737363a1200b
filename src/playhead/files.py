"""The only disk I/O of the library: read bytes, write a file whole, append and sync.

Law: bytes and paths; knows no format.
"""

from __future__ import annotations

import glob
import os
import shutil
import uuid
from pathlib import Path

from playhead.errors import RecordingError


def read_bytes(path: str | os.PathLike[str], *, limit: int | None = None) -> bytes:
    """The bytes of a file.

    Raises `RecordingError` where there is no such file, it is a directory, it may not be read, or it has more than
    `limit` bytes.
    """
    name = os.fspath(path)
    try:
        size = os.stat(name).st_size
        if limit is not None and size > limit:
            raise RecordingError(name, f"the file has {size:,} bytes, more than the {limit:,} that are read")
        return Path(name).read_bytes()
    except FileNotFoundError:
        raise RecordingError(name, "there is no such file") from None
    except IsADirectoryError:
        raise RecordingError(name, "this is a directory; name a file in it") from None
    except PermissionError:
        raise RecordingError(name, "the file may not be read (permission denied)") from None
    except (OSError, ValueError) as error:
        raise RecordingError(name, f"the file cannot be read: {getattr(error, 'strerror', None) or error}") from None


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


def append(path: str | os.PathLike[str], data: bytes) -> None:
    """Appends to a file and makes sure that the bytes are on the disk before it returns. Raises `OSError`."""
    with open(path, "ab") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())

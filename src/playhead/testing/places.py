"""Where the cassette of a test stands, and which cassettes no test has opened.

Law: knows no pytest; names and paths in, paths out.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Collection, Iterable

from playhead import files

FOLDER = "cassettes"
"""The folder of cassettes beside a test file."""

_ENDING = ".claude.yaml"
"""Unlike pytest-recording's: a test may have a cassette of both."""

_UNSAFE = re.compile(r"[^\w.,=+@()\[\] -]|^\.|[. ]$")
_LONGEST = 120
_HEAD = re.compile(rb"^format:\s*[\"']?playhead\b", re.MULTILINE)
_HEAD_SIZE = 4096


def cassette_path(test_file: str | os.PathLike[str], name: str, owner: str = "", path: str | None = None) -> str:
    """The cassette of a test: `cassettes/test_module/TestClass.test_name.claude.yaml` beside its file.

    `name` is the test's with its parameters, `owner` its class. A `path` of one's own is taken from the
    folder of the test's file.
    """
    folder = os.path.dirname(os.path.abspath(test_file))
    if path is not None:
        return os.path.normpath(os.path.join(folder, path))
    module = os.path.splitext(os.path.basename(test_file))[0]
    return os.path.join(folder, FOLDER, module, f"{file_name(f'{owner}.{name}' if owner else name)}{_ENDING}")


def file_name(name: str) -> str:
    """A test's name as a file's, on any system; names that only seem alike then get a mark that tells them apart."""
    safe = _UNSAFE.sub("-", name)[:_LONGEST]
    if safe == name:
        return name
    return f"{safe}-{hashlib.blake2b(name.encode('utf-8', 'surrogatepass'), digest_size=3).hexdigest()}"


def unused(folders: Iterable[str], opened: Collection[str]) -> list[str]:
    """The cassettes of ours in these folders that are none of those opened, by their real paths, sorted."""
    there = {path for folder in folders if os.path.isdir(folder) for path in files.find_files(folder)}
    used = {os.path.realpath(path) for path in opened}
    return sorted(path for path in there if os.path.realpath(path) not in used and _is_ours(path))


def _is_ours(path: str) -> bool:
    return _HEAD.search(next(files.read_pieces(path, _HEAD_SIZE), b"")) is not None

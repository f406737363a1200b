"""How fast recordings are read: files and megabytes a second on one core, and how near that is to the parsers' floor.

Run `PYTHONPATH=src python bench/readers.py [FOLDER]`. Without a folder it reads `$PLAYHEAD_SHARED/corpus`, a set of
real recordings. Each file is read several times and its best time counts, so that another program's work is not ours.
For YAML the events of PyYAML's parser (libyaml) alone, made and dropped, are timed in turn with our reading: no reader
on top of it can be faster.
"""

from __future__ import annotations

import gzip
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import yaml

from playhead.errors import RecordingError
from playhead.readers.table import SHAPES, load

ROUNDS = 5
NO_RECORDINGS = {".md", ".tsv"}
YAML, JSON, LINES = "YAML", "JSON documents of calls", "lines, streams, messages"
DOCUMENTS = frozenset(shape.name for shape in SHAPES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed:
    """A file: its size in megabytes, the seconds that reading it took, and its parser alone where that is YAML's."""

    size: float
    group: str
    seconds: float
    floor: float = 0.0


def recordings(folder: Path) -> Iterator[Path]:
    """The files below a folder that may be recordings."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix not in NO_RECORDINGS:
            yield path


def group_of(path: str) -> str:
    """The kind of format a file has; empty where it is no recording."""
    try:
        known = load(path).format
    except RecordingError:
        return ""
    if known not in DOCUMENTS:
        return LINES
    return JSON if content(path).lstrip()[:1] in (b"{", b"[") else YAML


def content(path: str) -> bytes:
    data = Path(path).read_bytes()
    return gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data


def parser_alone(data: bytes) -> None:
    """All events of a YAML text."""
    parser = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(data)
    while type(parser.get_event()) is not yaml.StreamEndEvent:
        pass
    parser.dispose()


def seconds(run: Callable[[], object]) -> float:
    """The processor time of one run; what is no recording takes its time as well."""
    start = time.process_time()
    with suppress(RecordingError):
        run()
    return time.process_time() - start


def timed(path: str) -> Timed:
    """The best times of a file."""
    group, data = group_of(path), content(path)
    best, floor = float("inf"), float("inf") if group == YAML else 0.0
    for _ in range(ROUNDS):
        best = min(best, seconds(lambda: load(path)))
        if group == YAML:
            floor = min(floor, seconds(lambda: parser_alone(data)))
    return Timed(size=os.path.getsize(path) / 1e6, group=group, seconds=best, floor=floor)


def told(name: str, files: list[Timed]) -> str:
    size, spent = sum(one.size for one in files), sum(one.seconds for one in files)
    return (
        f"{name}: {len(files):,} files and {size:.1f} MB in {spent:.2f} s of one core: "
        f"{len(files) / spent:,.0f} files/s, {size / spent:.1f} MB/s"
    )


def main() -> int:
    shared = os.environ.get("PLAYHEAD_SHARED")
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(shared or ".") / "corpus"
    paths = [str(path) for path in recordings(folder)] if folder.is_dir() else []
    if not paths:
        print(f"readers: no recordings in {folder}; name a folder, or set PLAYHEAD_SHARED to one with a corpus")
        return 0
    files = [one for one in map(timed, paths) if one.group]
    print(told("readers", files) + f"; {len(paths) - len(files)} other files")
    for group in (YAML, JSON, LINES):
        if any(one.group == group for one in files):
            print("  " + told(group, [one for one in files if one.group == group]))
    floor = sum(one.floor for one in files)
    if floor:
        spent = sum(one.seconds for one in files if one.group == YAML)
        size = sum(one.size for one in files if one.group == YAML)
        print(
            f"  PyYAML's parser alone on the YAML: {floor:.2f} s, {size / floor:.1f} MB/s; "
            f"reading it takes {spent / floor:.2f} times as long"
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

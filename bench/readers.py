"""How fast recordings are read: files and megabytes a second on one core.

Run `PYTHONPATH=src python bench/readers.py [FOLDER]`. Without a folder it reads `$PLAYHEAD_SHARED/corpus`, a set of
real recordings. Each file is read several times and its best time counts, so that another program's work is not ours.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from playhead.errors import RecordingError
from playhead.readers.table import load

ROUNDS = 5
NO_RECORDINGS = {".md", ".tsv"}


def recordings(folder: Path) -> Iterator[Path]:
    """The files below a folder that may be recordings."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix not in NO_RECORDINGS:
            yield path


def best_time(path: str, rounds: int = ROUNDS) -> tuple[float, bool]:
    """The least processor time in seconds that reading took, and whether the file could be read."""
    best, read = float("inf"), True
    for _ in range(rounds):
        start = time.process_time()
        try:
            load(path)
        except RecordingError:
            read = False
        best = min(best, time.process_time() - start)
    return best, read


def main() -> int:
    shared = os.environ.get("PLAYHEAD_SHARED")
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(shared or ".") / "corpus"
    paths = [str(path) for path in recordings(folder)] if folder.is_dir() else []
    if not paths:
        print(f"readers: no recordings in {folder}; name a folder, or set PLAYHEAD_SHARED to one with a corpus")
        return 2
    size = sum(os.path.getsize(path) for path in paths) / 1e6
    timed = [best_time(path) for path in paths]
    spent = sum(seconds for seconds, _ in timed)
    read = sum(ok for _, ok in timed)
    print(
        f"readers: {read}/{len(paths)} files and {size:.1f} MB in {spent:.2f} s of one core: "
        f"{len(paths) / spent:,.0f} files/s, {size / spent:.1f} MB/s"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

"""Damaged recordings: each must give a session or a `RecordingError`, nothing else.

Run `PYTHONPATH=src python bench/fuzz_readers.py [--count N] [--seed N]`. It damages files of `$PLAYHEAD_SHARED/corpus`,
some of each format; the test suite runs a few hundred mutations of small samples. The same seed gives the same files.
Each session that comes out is followed and judged by the rules as well.
"""

from __future__ import annotations

import argparse
import gzip
import os
import random
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from playhead.errors import RecordingError
from playhead.readers.table import session_of
from playhead.rules.checker import check

MUTATIONS, LARGEST = 20_000, 60_000
INSERTS = (
    b"\x00",
    b"\xff",
    b"\n",
    b'"',
    b"'",
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b"- ",
    b"&a ",
    b"*a ",
    b"!x ",
    b"null",
    b"9" * 30,
)


def truncated(data: bytes, chance: random.Random) -> bytes:
    """A file that was cut."""
    return data[: chance.randrange(len(data) + 1)]


def flipped(data: bytes, chance: random.Random) -> bytes:
    """A file in which some bits are the other way."""
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 8, 32))):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def replaced(data: bytes, chance: random.Random) -> bytes:
    """A file in which one byte is any other."""
    place = chance.randrange(len(data))
    return data[:place] + bytes([chance.randrange(256)]) + data[place + 1 :]


def inserted(data: bytes, chance: random.Random) -> bytes:
    """A file with something in it that means something to a parser."""
    place = chance.randrange(len(data))
    return data[:place] + chance.choice(INSERTS) + data[place:]


def removed(data: bytes, chance: random.Random) -> bytes:
    """A file without one stretch of it."""
    start = chance.randrange(len(data))
    return data[:start] + data[start + chance.randrange(1, 2000) :]


DAMAGES: tuple[Callable[[bytes, random.Random], bytes], ...] = (truncated, flipped, replaced, inserted, removed)


@dataclass(kw_only=True)
class Findings:
    """How often a damaged file gave a session or an error, what else it gave, and the longest time one took."""

    sessions: int = 0
    violations: int = 0
    errors: int = 0
    others: list[str] = field(default_factory=list)
    slowest: float = 0.0


def fuzz(samples: Mapping[str, bytes], mutations: int, seed: int = 0) -> Findings:
    """Reads that many damaged files, made of the samples in turn."""
    chance, found = random.Random(seed), Findings()
    names = sorted(name for name in samples if samples[name])
    for number in range(mutations):
        name = names[number % len(names)]
        damage = chance.choice(DAMAGES)
        data = damage(samples[name], chance)
        start = time.perf_counter()
        try:
            session = session_of(data, name)
            assert session.conversations is not None
            found.violations += len(check(session))
            found.sessions += 1
        except RecordingError:
            found.errors += 1
        except BaseException as error:  # noqa: BLE001 - anything else is what is looked for
            found.others.append(
                f"{name} {damage.__name__} (mutation {number}, seed {seed}): {type(error).__name__}: {error}"
            )
        found.slowest = max(found.slowest, time.perf_counter() - start)
    return found


def corpus_samples(corpus: Path, of_each: int = 12) -> dict[str, bytes]:
    """Some files of each format, small ones, unzipped and zipped."""
    rows = [line.split("\t") for line in (corpus / "manifest.tsv").read_text().splitlines()]
    column = {name: index for index, name in enumerate(rows[0])}
    taken: Counter[str] = Counter()
    samples: dict[str, bytes] = {}
    for row in rows[1:]:
        path = corpus / row[column["repo"]].replace("/", "+") / row[column["path"]]
        kind = row[column["format"]]
        if taken[kind] >= of_each or path.stat().st_size > LARGEST:
            continue
        taken[kind] += 1
        samples[row[column["id"]]] = data = path.read_bytes()
        if data.startswith(b"\x1f\x8b"):
            samples[row[column["id"]] + " unzipped"] = gzip.decompress(data)
    return samples


def main() -> int:
    parser = argparse.ArgumentParser(description="Damaged recordings give a session or a RecordingError.")
    parser.add_argument("--count", type=int, default=MUTATIONS, help="how many damaged files")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    corpus = Path(os.environ.get("PLAYHEAD_SHARED", ".")) / "corpus"
    if not (corpus / "manifest.tsv").is_file():
        print("fuzz: no corpus; set PLAYHEAD_SHARED to a folder with one")
        return 2
    found = fuzz(corpus_samples(corpus), asked.count, asked.seed)
    for other in found.others[:20]:
        print(" ", other)
    print(
        f"fuzz: {asked.count:,} damaged files (seed {asked.seed}): {found.sessions:,} sessions, "
        f"{found.errors:,} RecordingErrors, {len(found.others)} others; the slowest took {found.slowest:.2f} s"
    )
    return 1 if found.others else 0


if __name__ == "__main__":
    raise SystemExit(main())

"""How fast the redaction passes over what holds no secret, and how its time grows with texts made to slow it down.

Run `PYTHONPATH=src python bench/redaction.py [FOLDER]`. The first part measures megabytes a second on one core: prose,
this project's own code, and the requests and answers of the recordings in FOLDER (`$PLAYHEAD_SHARED/corpus` without
one). `bytes.find` over the same text is timed in turn, so that figures of different machines can be compared. The
second part doubles hostile texts: time that doubles with them is linear; `--limit RATIO` makes the exit code 1 where
the worst growth is above it.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from playhead.cassettes.findings import find_secrets
from playhead.cassettes.redaction import Redactor
from playhead.errors import RecordingError
from playhead.readers.table import load

ROUNDS = 5
PROSE = (
    "It was a bright morning, and the old ferry went over to the island with eleven people on board, two dogs and a "
    "box of lemons; nobody asked what the tide would be, because at that time of the year it was always the same.\n"
)

HOSTILE: dict[str, Callable[[int], str]] = {
    "key prefixes": lambda size: "sk-ant-" * (size // 7),
    "prefixes after hyphens": lambda size: "-sk-" * (size // 4),
    "prefixes of tokens": lambda size: "ghs_" * (size // 4),
    "beginnings of JWTs": lambda size: "-eyJ" * (size // 4),
    "halves of JWTs": lambda size: "eyJ0123456789.eyJ012345." * (size // 24),
    "beginnings of private keys": lambda size: "-----BEGIN PRIVATE KEY-----\n" * (size // 28),
    "a private key without an end": lambda size: (
        "-----BEGIN PRIVATE KEY-----\n" + "QUJDREVGR0hJSktMTU5PUA\n" * (size // 23)
    ),
    "user names in URLs": lambda size: "://a:" * (size // 5),
    "a password in a URL without an end": lambda size: "://a:" + "b" * size,
    "one word": lambda size: "a1B2" * (size // 4),
    "backslashes": lambda size: "\\" * size,
    "escapes": lambda size: "\\\\u002f" * (size // 7),
    "percents": lambda size: "%25" * (size // 3) + "%2f",
    "names of passwords": lambda size: "password=" * (size // 9),
    "names of keys in quotes": lambda size: 'api_key = "' * (size // 11),
    "cookies": lambda size: "Cookie: a=0123456789abcdef" + "; b=1" * (size // 5),
    "placeholders": lambda size: "password=REDACTED-password-1 " * (size // 29),
    "secrets": lambda size: "ghp_0123456789abcdefghijABCDEFGHIJ012345 " * (size // 41),
    "parameters": lambda size: "?token=" * (size // 7),
    "colours before keys": lambda size: "\x1b[32mAKIA" * (size // 9),
    "quotes": lambda size: '"' * size,
}


def seconds(run: Callable[[], object], rounds: int = ROUNDS) -> float:
    """The best processor time of several runs."""
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        run()
        best = min(best, time.process_time() - start)
    return best


def told_speed(name: str, texts: list[str]) -> str:
    size = sum(map(len, texts)) / 1e6
    redactor = Redactor()
    raw = [text.encode("utf-8", "surrogatepass") for text in texts]
    spent = seconds(lambda: [redactor.redact_text(text) for text in texts])
    floor = seconds(lambda: [one.find(b"\x00\x01\x02\x03") for one in raw])
    return f"{name}: {size / spent:,.0f} MB/s of {size:.1f} MB ({spent / floor:.0f} times as long as one bytes.find)"


def recorded(folder: Path) -> list[object]:
    """The requests and answers of all recordings in a folder."""
    bodies: list[object] = []
    for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
        if path.is_file():
            with suppress(RecordingError):
                bodies += [body for exchange in load(path).exchanges for body in (exchange.request, exchange.response)]
    return [body for body in bodies if body is not None]


def length(value: object) -> int:
    if isinstance(value, dict):
        return sum(map(length, value.values()))
    if isinstance(value, list):
        return sum(map(length, value))
    return len(value) if isinstance(value, str) else 0


def growth(make: Callable[[int], str], sizes: tuple[int, ...] = (100_000, 200_000, 400_000)) -> tuple[float, float]:
    """How many times as long the last doubling took, and the megabytes a second at the end."""
    spent = [seconds(partial(Redactor().redact_text, make(size)), 3) for size in sizes]
    return spent[-1] / spent[-2], sizes[-1] / 1e6 / spent[-1]


def main() -> int:
    parser = argparse.ArgumentParser(description="How fast the redaction is.")
    parser.add_argument("folder", nargs="?", default=os.path.join(os.environ.get("PLAYHEAD_SHARED", "."), "corpus"))
    parser.add_argument("--limit", type=float, metavar="RATIO", help="fail where a doubled text takes this much longer")
    options = parser.parse_args()
    source = Path(__file__).resolve().parent.parent / "src"
    print("redaction,", told_speed("prose", [PROSE * 20_000]))
    print("redaction,", told_speed("code", [path.read_text("utf-8") for path in sorted(source.rglob("*.py"))]))
    bodies = recorded(Path(options.folder))
    if bodies:
        size = sum(map(length, bodies)) / 1e6
        spent = seconds(lambda: [find_secrets(body) for body in bodies], 3)
        print(f"redaction, recorded bodies: {size / spent:,.0f} MB/s of {size:.1f} MB in {len(bodies):,} bodies")
    worst = 0.0
    for name, make in HOSTILE.items():
        ratio, speed = growth(make)
        worst = max(worst, ratio)
        print(f"redaction, hostile: {name}: doubled takes {ratio:.1f} times as long, {speed:.1f} MB/s")
    return 1 if options.limit is not None and worst > options.limit else 0


if __name__ == "__main__":
    sys.exit(main())

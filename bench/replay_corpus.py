"""Every recorded reply of a corpus, replayed by the fake and compared with the recorded bytes in the real SDK.

`python bench/replay_corpus.py [--thorough] [--sample N] [--processes N]` reads `$PLAYHEAD_SHARED/corpus` and prints how
many answers there are, how many of them are sound, how many replay to an equal message on every way
(tests/replaying.py says what is compared, and what may differ), and why the others are not sound. Thorough means that
each way is tried with each kind of delivery, otherwise with one of them; a sample has every feature of the corpus and
about N answers more. The exit code is 1 where a reply differs. The test suite replays a sample.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

import anthropic

from recorded_answers import Answer, answers, corpus, files, varied
from replaying import differences
from sdk_ways import lost_by_the_helper


def replayed(answer: Answer, *, thorough: bool) -> list[str]:
    """Where it differs; an answer that the SDK cannot read at all differs as well."""
    try:
        return [*differences(answer, thorough=thorough)]
    except Exception as error:  # noqa: BLE001, one answer must not end the run
        return [f"{answer.name}: {type(error).__name__}: {error}"]


def main() -> int:
    parser = argparse.ArgumentParser(description="Every recorded reply of a corpus, replayed and compared.")
    parser.add_argument("--thorough", action="store_true", help="each way with each kind of delivery")
    parser.add_argument("--sample", type=int, metavar="N", help="replay a part, not all")
    parser.add_argument("--processes", type=int, default=1, metavar="N", help="how many work at the same time")
    options = parser.parse_args()
    folder = corpus()
    if folder is None:
        print("replay: no recordings; set PLAYHEAD_SHARED to a folder with a corpus")
        return 0
    started = time.monotonic()
    found = [*answers(folder, files(folder))]
    sound = [answer for answer in found if not answer.unsound]
    part = sound if options.sample is None else varied(sound, options.sample)
    different: list[str] = []
    unequal = 0
    with ProcessPoolExecutor(max_workers=options.processes) as pool:
        for told in pool.map(partial(replayed, thorough=options.thorough), part, chunksize=8):
            unequal += bool(told)
            different += told
    kinds = Counter(f"{answer.kept}, {'streams' if answer.streamed else 'JSON'}" for answer in sound)
    equal = len(part) - unequal
    print(
        f"replay: {len(found):,} recorded answers, {len(sound):,} sound; of {len(part):,} replayed {equal:,} give an "
        f"equal message and {unequal:,} do not, on anthropic {anthropic.__version__}, "
        f"in {time.monotonic() - started:,.0f} s"
    )
    print("  sound:", ", ".join(f"{count:,} {kind}" for kind, count in kinds.most_common()))
    if lost := lost_by_the_helper():
        print(
            f"  this version's stream helper drops {', '.join(lost)}: replies recorded as JSON are not compared with it"
        )
    reasons = Counter((answer.unsound, answer.format) for answer in found if answer.unsound)
    for (reason, form), count in reasons.most_common():
        print(f"  not sound: {count:,} of {form}: {reason}")
    for line in different[:40]:
        print(f"  differs: {line}")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())

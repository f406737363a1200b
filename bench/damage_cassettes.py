"""Damaged cassettes of our own: each is an error that names file and line, or differs only where it was damaged.

usage: damage_cassettes.py [--count 10000] [--seed 0]; cuts cassettes of every kind at random places, and flips random
bytes of others. A cassette that was cut is read as far as its whole exchanges go, and said to be unfinished; one with a
flipped byte is an error, or says something else in the one exchange in which the byte stands. Each one that can be read
is also loaded, judged by the rules and made ready to be replayed. The test suite runs some hundred. Exit code 1 where
anything else happens: another exception, more than 20 seconds, a difference elsewhere.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playhead import FakeClaude, RecordingError, UnknownFormat, check, load
from playhead.cassettes.bodies import Shelf
from playhead.cassettes.document import read, write
from playhead.cassettes.interaction import Answer, Interaction
from playhead.cassettes.style import STYLES
from playhead.wire.stream import events_of, stream_bytes

MUTATIONS, LONGEST = 10_000, 20
JSON = {"content-type": "application/json"}
STREAM = {"content-type": "text/event-stream; charset=utf-8"}
TOOLS = [{"name": "lookup", "description": "Looks a number up.", "input_schema": {"type": "object"}}]
RESULT = "first line\n\tsecond: line\n\n# no comment - “quoted” \u2028 and ünïcode 😀\n"


def message(number: int, *, last: bool) -> dict[str, Any]:
    """A reply: a call, or words at the end."""
    use = {"type": "tool_use", "id": f"toolu_{number:04}", "name": "lookup", "input": {"key": number, "why": "a: b\nc"}}
    return {
        "id": f"msg_{number:04}",
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-5-5",
        "content": [{"type": "text", "text": f"Step {number}."}] if last else [use],
        "stop_reason": "end_turn" if last else "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 10 * number, "output_tokens": 7},
    }


def session(turns: int, *, stream: bool = False, style: str = "compact") -> list[Interaction]:
    """A tool loop as a client of that style sends it."""
    shelf, made = Shelf(), []
    encode = STYLES[style].encode
    messages: list[Any] = [{"role": "user", "content": "Look them all up."}]
    for number in range(1, turns + 1):
        body = {"model": "claude-opus-5-5", "max_tokens": 64, "system": "Be brief.", "messages": messages}
        reply = message(number, last=number == turns)
        answer = Answer(headers=JSON, body=encode(reply).encode())
        if stream:
            events = stream_bytes(events_of(reply))
            ends, times = tuple(range(100, len(events), 100)), tuple(range(len(events) // 100 + 1))
            answer = Answer(headers=STREAM, body=events, ends=ends, times=times)
        sent = encode({**body, "tools": TOOLS, "stream": stream}).encode()
        made.append(Interaction(headers={"anthropic-version": "2023-06-01"}, body=shelf.put(sent), answer=answer))
        result = {"type": "tool_result", "tool_use_id": f"toolu_{number:04}", "content": RESULT * (number % 4 + 1)}
        messages = [
            *messages,
            {"role": "assistant", "content": reply["content"]},
            {"role": "user", "content": [result]},
        ]
    return made


def mixed() -> list[Interaction]:
    """Errors, faults, a fork, an edited history, bodies that are no JSON, another endpoint."""
    loop = session(4)
    shelf = Shelf()

    def sent(*texts: str, **members: Any) -> Any:
        messages = [{"role": "user", "content": text} for text in texts]
        return shelf.put(json.dumps({"messages": messages, **members}, separators=(",", ":")).encode())

    error = Answer(status=529, headers=JSON, body=b'{"type":"error","error":{"type":"overloaded_error","message":"?"}}')
    return [
        *loop,
        Interaction(body=sent("a", "b"), answer=error),
        Interaction(body=sent("a", "b"), answer=Answer(status=0, fault="connect")),
        Interaction(body=sent("a", "c", model="x"), answer=Answer(headers=STREAM, body=b"event: ping\n", fault="read")),
        Interaction(body=sent("a"), answer=Answer(headers={"content-type": "text/plain"}, body=b"\xff\x00\x01")),
        Interaction(body=shelf.put(b'{"messages":[{"n":1E5,"n":2}]}'), answer=Answer(headers=JSON, body=b"[1, 2]")),
        Interaction(
            method="GET", path="/v1/models?limit=2", body=shelf.put(b""), answer=Answer(headers=JSON, body=b"{}")
        ),
    ]


def samples() -> dict[str, bytes]:
    """Cassettes of every kind, and one whose recorder was killed."""
    return {
        "json": write(session(6)),
        "stream": write(session(4, stream=True)),
        "spaced": write(session(3, style="spaced-ascii")),
        "mixed": write(mixed()),
        "unfinished": write(session(4), finished=False),
        "metadata": write(session(2), metadata={"seed": 7, "of": ["a", "b"]}),
    }


@dataclass(kw_only=True)
class Findings:
    """What became of the damaged cassettes; `wrong` is what must not be."""

    outcomes: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    slowest: float = 0.0


def damage(files: Mapping[str, bytes], count: int, seed: int = 0) -> Findings:
    """Damages the cassettes in turn, every other time by a cut."""
    chance, found = random.Random(seed), Findings()
    names = sorted(files)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cassette.yaml"
        for number in range(count):
            data = files[names[number // 2 % len(names)]]
            place = chance.randrange(len(data))
            how = "flip" if number % 2 else "cut"
            damaged = data[:place]
            if how == "flip":
                damaged += bytes([data[place] ^ chance.randrange(1, 256)]) + data[place + 1 :]
            path.write_bytes(damaged)
            start = time.perf_counter()
            try:
                outcome = limited(how, path, data, place)
            except BaseException as error:  # noqa: BLE001 - anything else is what is looked for
                outcome = "wrong"
                where = f"{names[number // 2 % len(names)]}, {how} at byte {place} (number {number}, seed {seed})"
                found.wrong.append(f"{where}: {type(error).__name__}: {error}")
            found.outcomes[f"{how}: {outcome}"] += 1
            found.slowest = max(found.slowest, time.perf_counter() - start)
    return found


class TooSlow(BaseException):
    """It hangs."""


def limited(how: str, path: Path, data: bytes, place: int) -> str:
    """What becomes of one, within the time that is given to it."""

    def stop(*_: object) -> None:
        raise TooSlow(f"more than {LONGEST} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(LONGEST)
    try:
        return outcome_of(how, path, data, place)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def outcome_of(how: str, path: Path, data: bytes, place: int) -> str:
    """An error as it should be, or what was read; raises `AssertionError` where that is not what it should be."""
    used = use(path)
    try:
        cassette = read(path.read_bytes())
    except ValueError:
        assert isinstance(used, RecordingError), "it cannot be read, and was used"
        assert str(path) in str(used), f"the error does not name the file: {used}"
        # what is left of the first two lines need not tell what the file is
        unknown = isinstance(used, UnknownFormat) or not path.read_bytes().strip()
        assert used.line is not None or unknown, f"the error names no line: {used}"
        return "error"
    if isinstance(used, RecordingError):
        # it holds no exchange, or one that is nested too deep for a session
        assert str(path) in str(used)
        assert not cassette.interactions or "deep" in str(used), f"it can be read, and was not used: {used}"
        return "error"
    if how == "cut":
        whole = read(data).interactions[: data[:place].count(b"\n# end ") + (data[:place].endswith(b"# end"))]
        assert not cassette.finished, "a cut cassette counts as finished"
        assert len(cassette.interactions) in (len(whole), len(whole) - 1), "whole exchanges are lost"
        assert write(whole[: len(cassette.interactions)]) == write(cassette.interactions), "it tells something else"
        return "unfinished"
    return flipped(write(read(data).interactions), write(cassette.interactions), data, place)


def flipped(before: bytes, after: bytes, data: bytes, place: int) -> str:
    """Whether only the exchange in which the byte stands is another."""
    here = data[:place].count(b"\n# end ")
    old, new = items(before), items(after)
    if old == new:
        return "same"
    if len(new) < len(old):
        # an end that cannot be read any more: what comes after it is lost, and the file is unfinished
        assert old[: len(new)] == new or old[:here] == new[:here], "something else is lost"
        return "unfinished"
    others = [number for number, pair in enumerate(zip(old, new, strict=True)) if pair[0] != pair[1]]
    assert others == [here], f"exchanges {[other + 1 for other in others]} differ, the flip is in {here + 1}"
    return "differs there"


def items(text: bytes) -> Sequence[bytes]:
    """The text of each exchange."""
    return text.partition(b"interactions:\n")[2].rpartition(b"finished:")[0].split(b"\n# end ")[:-1]


def use(path: Path) -> RecordingError | None:
    """Loads it, judges it and makes it ready to be replayed; gives the error if it is one of ours."""
    try:
        loaded = load(path)
        check(loaded)
        assert loaded.conversations is not None
        with FakeClaude.from_cassette(path, strict=False):
            pass
    except RecordingError as error:
        return error
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description="Damaged cassettes are errors, or differ only where they are damaged.")
    parser.add_argument("--count", type=int, default=MUTATIONS)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    found = damage(samples(), asked.count, asked.seed)
    for wrong in found.wrong[:20]:
        print(" ", wrong)
    outcomes = ", ".join(f"{count:,} {name}" for name, count in sorted(found.outcomes.items()))
    print(f"{asked.count:,} damaged cassettes (seed {asked.seed}): {outcomes}; the slowest took {found.slowest:.2f} s")
    return 1 if found.wrong else 0


if __name__ == "__main__":
    sys.exit(main())

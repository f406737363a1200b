"""What a long session costs: is the work linear, how fast does it go, and how much memory does it take?

`python bench/session_length.py [--limit RATIO] [--rate MB/S]`. The sessions are loops as they come over the wire: every
request resends all that was said, in the SDK's JSON, with 8 tools, and a tool returns 200 or 2,000 characters in each
turn; 1,000 turns of the latter are 1.1 GB of bodies. The bodies are made between the measurements. The clock is the
process's own time, so that another program's work does not count, though it may slow ours; ratios are of one run.

Length: a session of 1,000 turns over one of 100, for `check` of a session that was built of the bodies' bytes, and for
the strict engine that a fake has (`Engine.answer`, request bytes in, answer bytes out). Linear is 10. With a cache mark
that stays and with marks that move with every request; with `system` and `tools` before and after `messages`. What an
engine must do at the least, comparing each body with the one before it (`bytes.startswith`), is measured as well: from
some length on it is all that counts.

Rate: bytes of request bodies over the time that `Session.from_exchanges` takes to read them out of memory, and `check`
to judge them. With PLAYHEAD_SHARED set, the same of the real recordings in its `corpus`, with and without reading the
files.

Memory: the most that a session of 1,000 turns, its bodies taken from a generator, and `check` of it took at any time
(tracemalloc), next to the size of all its bodies and that of the last, which is what was said.

With a limit or a rate, the exit code is 1 where one is missed.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from playhead import Session, call, check, load
from playhead.engine.engine import Engine, Settings
from playhead.engine.http import Incoming
from playhead.errors import RecordingError
from playhead.script.script import as_script

MODEL = "claude-opus-5-5"
HEADERS = {
    "content-type": "application/json",
    "authorization": "Bearer key",
    "anthropic-version": "2026-10-21",
}
SIZES = {"short": 200, "long": 2_000}
"""How many characters a tool returns."""

Measure = Callable[..., float]
MARKS = ("fixed", "moving")
PLACES = ("before", "after")
ROUNDS = 3
MEGABYTE = 1_000_000


def dumped(value: object) -> bytes:
    """JSON as the SDK writes it."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


TOOLS = [
    {
        "name": f"lookup_{number}",
        "description": "Looks up when the tide is high at a place. " * 5,
        "input_schema": {
            "type": "object",
            "properties": {"place": {"type": "string", "description": "A harbour"}, "day": {"type": "integer"}},
            "required": ["place"],
        },
    }
    for number in range(8)
]
MARK = {"cache_control": {"type": "ephemeral"}}


class Loop:
    """A loop's requests: `body` is the next one, `answered` takes in the reply to it."""

    def __init__(self, *, size: int, mark: str, place: str) -> None:
        system: list[Any] = [{"type": "text", "text": "You know the tides. " * 40, **(MARK if mark == "fixed" else {})}]
        envelope = dumped({"system": system, "tools": TOOLS})[1:-1]
        start = dumped({"max_tokens": 1024, "model": MODEL})[:-1]
        self._before = start + b"," + (envelope + b"," if place == "before" else b"") + b'"messages":['
        self._after = b"]" + (b"," + envelope if place == "after" else b"") + b"}"
        self.tail = len(self._after)
        self._size = size
        self._moving = mark == "moving"
        self._sent: list[bytes] = []
        self._marked: list[bytes] = []
        self._add({"role": "user", "content": [{"type": "text", "text": "When is high tide, everywhere?"}]})

    def _add(self, message: dict[str, Any]) -> None:
        plain = dumped(message)
        self._sent.append(plain)
        content = [*message["content"][:-1], {**message["content"][-1], **MARK}]
        self._marked.append(dumped({**message, "content": content}) if message["role"] == "user" else plain)

    def body(self) -> bytes:
        """The bytes of the next request; where marks move, the last two user messages carry one."""
        last = 3 if self._moving else 0
        messages = [*self._sent[: len(self._sent) - last], *self._marked[len(self._sent) - last :]]
        return self._before + b",".join(messages) + self._after

    def answered(self, content: list[dict[str, Any]]) -> None:
        """Goes on with Claude's reply, and with what its calls returned."""
        self._add({"role": "assistant", "content": content})
        text = f"At {len(self._sent)} it is high. ".ljust(self._size, "~")
        results = [
            {"type": "tool_result", "tool_use_id": block["id"], "content": text}
            for block in content
            if block["type"] == "tool_use"
        ]
        self._add({"role": "user", "content": results})


def reply(number: int) -> list[dict[str, Any]]:
    """Claude's content in a turn."""
    arguments = {"place": f"Höfn {number}", "day": number}
    return [
        {"type": "text", "text": f"I look at place {number}."},
        {"type": "tool_use", "id": f"toolu_{number:06}", "name": "lookup_1", "input": arguments},
    ]


def exchanges(turns: int, **kind: Any) -> Iterator[dict[str, Any]]:
    """A recorded session: request bytes, and replies as data."""
    loop = Loop(**kind)
    for number in range(turns):
        content = reply(number)
        message = {"type": "message", "role": "assistant", "model": MODEL, "content": content}
        yield {
            "request": loop.body(),
            "headers": HEADERS,
            "response": {"id": f"msg_{number}", **message, "stop_reason": "tool_use"},
        }
        loop.answered(content)


def clocked(made: Iterator[dict[str, Any]], spent: list[float]) -> Iterator[dict[str, Any]]:
    """The same exchanges; the time that it takes to make them is noted."""
    while True:
        started = time.process_time()
        one = next(made, None)
        spent[0] += time.process_time() - started
        if one is None:
            return
        yield one


def checking(turns: int, **kind: Any) -> float:
    """The seconds that `check` takes of a session whose bodies were read."""
    session = Session.from_exchanges(exchanges(turns, **kind))
    gc.collect()
    started = time.process_time()
    violations = check(session)
    spent = time.process_time() - started
    assert violations == (), violations[:1]
    return spent


def answering(turns: int, **kind: Any) -> float:
    """The seconds that an engine takes to answer a session."""
    script = as_script(lambda request: call("lookup_1", place="Höfn", day=request.number))
    engine = Engine(script, Settings(limit=turns + 1))
    loop, spent = Loop(**kind), 0.0
    held: list[bytes] = []  # a client has its bodies still when they are answered, and lets go of them itself
    gc.collect()
    for _ in range(turns):
        held = [*held[-1:], loop.body()]
        incoming = Incoming(method="POST", path="/v1/messages", headers=HEADERS, body=held[-1])
        started = time.process_time()
        answer = engine.answer(incoming)
        spent += time.process_time() - started
        loop.answered(json.loads(answer.body)["content"])
    assert engine.violations == (), engine.violations[:1]
    return spent


def comparing(turns: int, **kind: Any) -> float:
    """The seconds that it takes to compare each body with the one before it, up to the end of its messages."""
    loop, spent, before = Loop(**kind), 0.0, b""
    for number in range(turns):
        body = loop.body()
        started = time.process_time()
        body.startswith(memoryview(before)[: len(before) - loop.tail])
        spent += time.process_time() - started
        before = body
        loop.answered(reply(number))
    return spent


def ratio(measure: Measure, rounds: int, **kind: Any) -> tuple[float, float]:
    """How many times as long 1,000 turns take as 100, and the milliseconds of 100; medians of rounds taken in turn."""
    measure(20, **kind)
    found, short = [], []
    for _ in range(rounds):
        few = [measure(100, **kind) for _ in range(4)]
        many = measure(1000, **kind)
        few += [measure(100, **kind) for _ in range(4)]
        short.append(statistics.median(few))
        found.append(many / short[-1])
    return statistics.median(found), statistics.median(short) * 1000


def rate(turns: int, **kind: Any) -> tuple[float, float]:
    """Megabytes of bodies, and how many of them a second are read and checked."""
    best, size = float("inf"), 0
    for _ in range(2):
        gc.collect()
        making, sizes = [0.0], []
        started = time.process_time()
        session = Session.from_exchanges(clocked(measured(exchanges(turns, **kind), sizes), making))
        violations = check(session)
        best = min(best, time.process_time() - started - making[0])
        size = sum(sizes)
        assert violations == (), violations[:1]
    return size / MEGABYTE, size / MEGABYTE / best


def measured(made: Iterator[dict[str, Any]], sizes: list[int]) -> Iterator[dict[str, Any]]:
    """The same exchanges; the sizes of their bodies are noted."""
    for one in made:
        sizes.append(len(one["request"]))
        yield one


def peak(turns: int, **kind: Any) -> tuple[float, float, float]:
    """Megabytes: the most memory at any time, all bodies, and the last of them."""
    sizes: list[int] = []
    tracemalloc.start()
    try:
        assert check(Session.from_exchanges(measured(exchanges(turns, **kind), sizes))) == ()
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    return most / MEGABYTE, sum(sizes) / MEGABYTE, sizes[-1] / MEGABYTE


def corpus(folder: Path) -> str:
    """How fast real recordings are checked, in megabytes of request bodies, with and without reading the files."""
    loading, judging, size, files = 0.0, 0.0, 0, 0
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix not in (".md", ".tsv")):
        started = time.process_time()
        try:
            session = load(path)
        except RecordingError:
            continue
        read = time.process_time()
        check(session)
        judging += time.process_time() - read
        loading += read - started
        files += 1
        size += sum(len(json.dumps(one.request)) for one in session.exchanges if one.request is not None)
    megabytes = size / MEGABYTE
    return (
        f"real recordings: {files:,} files with {megabytes:.1f} MB of request bodies: checked at "
        f"{megabytes / judging:.0f} MB/s, with the reading of the files at {megabytes / (loading + judging):.1f} MB/s"
    )


def lengths(rounds: int) -> float:
    """Prints the ratios; the worst of them, comparing the bytes aside."""
    worst = 0.0
    for name, measure in (("check", checking), ("engine", answering), ("comparing the bytes alone", comparing)):
        for length, size in SIZES.items():
            parts = []
            for mark in MARKS:
                for place in PLACES:
                    found, short = ratio(measure, rounds, size=size, mark=mark, place=place)
                    worst = max(worst, found if measure is not comparing else 0)
                    parts.append(f"{mark} mark, tools {place} {found:.1f}x of {short:.1f} ms")
            print(f"{name}, {length} results, 1,000 turns over 100: {'; '.join(parts)}", flush=True)
    return worst


def rates() -> float:
    """Prints the rates; the slowest of them for long results."""
    slowest = float("inf")
    for length, size in SIZES.items():
        for turns in (100, 1000):
            for mark in MARKS:
                held, found = rate(turns, size=size, mark=mark, place="before")
                if length == "long":
                    slowest = min(slowest, found)
                print(
                    f"rate, {length} results, {turns} turns, {mark} mark: {held:.0f} MB at {found:,.0f} MB/s",
                    flush=True,
                )
    return slowest


def main() -> int:
    parser = argparse.ArgumentParser(description="What a long session costs.")
    parser.add_argument("--limit", type=float, metavar="RATIO", help="fail where 1,000 turns over 100 are above this")
    parser.add_argument("--rate", type=float, metavar="MB/S", help="fail where long bodies are checked more slowly")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="how often each length is measured")
    asked = parser.parse_args()
    worst, slowest = lengths(asked.rounds), rates()
    for mark in MARKS:
        most, total, last = peak(1000, size=SIZES["long"], mark=mark, place="before")
        print(f"memory, 1,000 turns, {mark} mark: {most:.0f} MB for {total:,.0f} MB of bodies, the last {last:.1f} MB")
    folder = Path(os.environ.get("PLAYHEAD_SHARED", ".")) / "corpus"
    if folder.is_dir():
        print(corpus(folder))
    missed = asked.limit is not None and worst > asked.limit
    return 1 if missed or (asked.rate is not None and slowest < asked.rate) else 0


if __name__ == "__main__":
    sys.exit(main())

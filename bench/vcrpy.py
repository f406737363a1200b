"""vcrpy as people use it, Playhead's own cassettes, and vcrpy through the bridge, side by side in one run.

usage: vcrpy.py [--turns 100] [--long 1000]; a tool loop of so many turns, with results of 2 KB and eight tools, is
recorded and strictly replayed in each of the three ways: bytes on the disk, CPU seconds to record and to replay. Then
a recording of `--long` turns is loaded in each way (0 leaves that out: vcrpy's takes more than a gigabyte on the disk
and several of memory). Each way runs in a process of its own. Exit code 1 where the targets are missed: 1/20 of vcrpy's
size and of the CPU of its replay, and 1/10 of its time to load.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

MODEL = "claude-opus-5-5"
KEY = "sk-ant-api03-" + "Zk3v9QwX" * 10 + "AA"
SYSTEM = "You read documents, page by page, and say what stands in them. " * 20
TOOLS: list[Any] = [
    {
        "name": f"read_{kind}",
        "description": f"Reads one page of a {kind} and gives its text. Pages count from 0; no other tool does.",
        "input_schema": {
            "type": "object",
            "properties": {"page": {"type": "integer", "description": "which page"}},
            "required": ["page"],
        },
    }
    for kind in ("book", "letter", "log", "mail", "paper", "report", "sheet", "wiki")
]
WAYS = ("vcrpy", "playhead", "bridge")
SMALLER, FASTER, LOADS = 20, 20, 10


def page(number: int) -> str:
    """What a tool gives: 2 KB that repeat nothing."""
    return "\n".join(f"line {line} of page {number}: {hash((number, line)) % 10**12} " + "x" * 30 for line in range(30))


def loop(client: Any) -> list[Any]:
    """The loop, to its end; gives what each reply says."""
    messages: list[Any] = [{"role": "user", "content": "Read all of it."}]
    said = []
    while True:
        reply = client.messages.create(model=MODEL, max_tokens=1024, system=SYSTEM, tools=TOOLS, messages=messages)
        content = [block.to_dict() for block in reply.content]
        said.append(content)
        if reply.stop_reason != "tool_use":
            return said
        results = [
            {"type": "tool_result", "tool_use_id": block["id"], "content": page(block["input"]["page"])}
            for block in content
            if block["type"] == "tool_use"
        ]
        messages = [*messages, {"role": "assistant", "content": content}, {"role": "user", "content": results}]


def source(turns: int) -> Any:
    """Claude, who reads so many pages."""
    from playhead import FakeClaude, call, say, turn

    steps = [turn(say(f"Now page {at}."), call(TOOLS[at % len(TOOLS)]["name"], page=at)) for at in range(turns - 1)]
    return FakeClaude([*steps, say("That was all.")], max_requests=turns + 10)


def patched_client(fake: Any) -> Any:
    """A client over a transport that vcrpy patches."""
    import anthropic
    import httpx2

    def handle(request: Any) -> Any:
        if fake is None:
            raise AssertionError("a replay asked the network")
        return fake.transport.handle_request(request)

    http_client = anthropic.DefaultHttpxClient(transport=httpx2.MockTransport(handle))
    return anthropic.Anthropic(api_key=KEY, max_retries=0, http_client=http_client)


def cassettes(way: str) -> Any:
    """vcrpy, as people use it who want another prompt not to be answered, or with the bridge."""
    import vcr

    my_vcr = vcr.VCR(match_on=("method", "scheme", "host", "port", "path", "query", "body"))
    if way == "bridge":
        from playhead.readers.vcr import register

        register(my_vcr)
    return my_vcr


def record(way: str, path: str, turns: int) -> list[Any]:
    """Records the loop."""
    if way == "playhead":
        import playhead

        with playhead.record(path, upstream=source(turns).transport) as recording:
            return loop(recording.client(api_key=KEY))
    with cassettes(way).use_cassette(path):
        return loop(patched_client(source(turns)))


def replay(way: str, path: str) -> list[Any]:
    """Plays the recording to the same loop, strictly."""
    if way == "playhead":
        from playhead import FakeClaude

        with FakeClaude.from_cassette(path) as fake:
            return loop(fake.client())
    with cassettes(way).use_cassette(path, record_mode="none") as cassette:
        said = loop(patched_client(None))
    assert cassette.all_played
    return said


def load(way: str, path: str) -> int:
    """Opens the recording, ready to answer; gives the number of its exchanges."""
    if way == "playhead":
        from playhead import FakeClaude
        from playhead.cassettes.document import read

        FakeClaude.from_cassette(path)
        return len(read(Path(path).read_bytes()).interactions)
    with cassettes(way).use_cassette(path, record_mode="none") as cassette:
        return len(cassette)


def warm_up() -> None:
    """What is imported, and built on first use, is no cost of a cassette."""
    with tempfile.TemporaryDirectory() as folder:
        for way in WAYS:
            record(way, f"{folder}/{way}.yaml", 2)
            replay(way, f"{folder}/{way}.yaml")


def worker(task: str, way: str, path: str, turns: int) -> dict[str, Any]:
    """One measurement."""
    warm_up()
    start = time.process_time()
    if task == "record":
        count = len(record(way, path, turns))
    elif task == "replay":
        count = len(replay(way, path))
    else:
        count = load(way, path)
    seconds = time.process_time() - start
    assert count == turns
    return {"seconds": seconds, "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def measured(task: str, way: str, path: Path, turns: int) -> dict[str, Any]:
    """The same in a process of its own, with the same pages each time."""
    command = [sys.executable, "-W", "ignore", __file__, "--worker", task, way, str(path), str(turns)]
    run = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True, env=environment())
    found: dict[str, Any] = json.loads(run.stdout)
    return found


def environment() -> dict[str, str]:
    """`hash` gives the same in each process."""
    return {**os.environ, "PYTHONHASHSEED": "0"}


def as_vcrpy_writes(ours: Path, theirs: Path) -> None:
    """A recording of ours as vcrpy's YAML, written by vcrpy's serializer piece by piece: whole it needs gigabytes."""
    from vcr.serializers import yamlserializer

    from playhead.cassettes.document import read
    from playhead.cassettes.exporting import vcrpy_item

    with theirs.open("w", encoding="utf-8") as file:
        file.write("interactions:\n")
        for interaction in read(ours.read_bytes()).interactions:
            file.write(yamlserializer.serialize([vcrpy_item(interaction)]))
        file.write("version: 1\n")


def main() -> int:
    parser = argparse.ArgumentParser(description="vcrpy, Playhead, and vcrpy through the bridge.")
    parser.add_argument("--turns", type=int, default=100)
    parser.add_argument("--long", type=int, default=1000)
    parser.add_argument("--worker", nargs=4, default=None, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.worker:
        task, way, path, turns = asked.worker
        print(json.dumps(worker(task, way, path, int(turns))))
        return 0
    missed = []
    with tempfile.TemporaryDirectory() as folder:
        paths = {way: Path(folder) / f"{way}.yaml" for way in WAYS}
        print(f"{asked.turns} turns    {'size KB':>9} {'record s':>9} {'replay s':>9}   of vcrpy's size, replay")
        sizes, replays = {}, {}
        for way in WAYS:
            recorded = measured("record", way, paths[way], asked.turns)["seconds"]
            replays[way] = measured("replay", way, paths[way], asked.turns)["seconds"]
            sizes[way] = paths[way].stat().st_size
            smaller, faster = sizes["vcrpy"] / sizes[way], replays["vcrpy"] / replays[way]
            row = f"{way:<12} {sizes[way] / 1024:>9.0f} {recorded:>9.2f} {replays[way]:>9.2f}"
            print(f"{row}   1/{smaller:.0f}, 1/{faster:.0f}", flush=True)
            missed += [f"{way}: size"] if way != "vcrpy" and smaller < SMALLER else []
            missed += [f"{way}: replay"] if way != "vcrpy" and faster < FASTER else []
        if asked.long:
            measured("record", "playhead", paths["playhead"], asked.long)
            paths["bridge"] = paths["playhead"]
            as_vcrpy_writes(paths["playhead"], paths["vcrpy"])
            print(f"{asked.long} turns   {'size KB':>9} {'load s':>9} {'peak MB':>9}   of vcrpy's time")
            loads = {}
            for way in WAYS:
                found = measured("load", way, paths[way], asked.long)
                loads[way] = found["seconds"]
                quicker = loads["vcrpy"] / loads[way]
                row = f"{way:<12} {paths[way].stat().st_size / 1024:>9.0f} {loads[way]:>9.2f} {found['peak']:>9.0f}"
                print(f"{row}   1/{quicker:.0f}", flush=True)
                missed += [f"{way}: load"] if way != "vcrpy" and quicker < LOADS else []
    print(f"missed: {', '.join(missed)}" if missed else "all targets reached")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

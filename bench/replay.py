"""What replaying a cassette costs: the engine alone, for loops of more and more turns.

`python bench/replay.py` prints, for each length, the milliseconds that it takes to read the file, to set the tape up
and to answer all requests, and the last one for each turn. Bodies are resent in full, as a loop does, with tool results
of 2 KB. What is resent is compared as bytes and never matched again, so the time of a turn should hardly grow.
"""

from __future__ import annotations

import json
import time
from typing import Any

from playhead.cassettes.bodies import Shelf
from playhead.cassettes.document import read, write
from playhead.cassettes.interaction import Answer, Interaction
from playhead.engine.engine import Engine, Settings
from playhead.engine.http import Incoming
from playhead.engine.tape import Tape

LENGTHS = (50, 100, 200, 400, 800)
HEADERS = {"x-api-key": "k", "anthropic-version": "2023-06-01"}
TOOLS = [{"name": "lookup", "description": "Looks a number up.", "input_schema": {"type": "object"}}]


def loop(turns: int) -> list[tuple[bytes, bytes]]:
    """The bodies and answers of a loop that calls a tool in every turn but the last."""
    messages: list[Any] = [{"role": "user", "content": "Look them all up."}]
    calls = []
    for turn in range(turns):
        body = {"model": "claude-opus-5-5", "max_tokens": 64, "messages": messages, "tools": TOOLS}
        last = turn == turns - 1
        call = {"type": "tool_use", "id": f"toolu_{turn:06}", "name": "lookup", "input": {"key": turn}}
        answer = {
            "id": f"msg_{turn:06}",
            "type": "message",
            "role": "assistant",
            "model": "claude-opus-5-5",
            "content": [{"type": "text", "text": "Done."}] if last else [call],
            "stop_reason": "end_turn" if last else "tool_use",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
        calls.append((json.dumps(body, separators=(",", ":")).encode(), json.dumps(answer).encode()))
        result = {"type": "tool_result", "tool_use_id": call["id"], "content": "found " * 340}
        messages = [*messages, {"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    return calls


def main() -> None:
    print(f"{'turns':>6} {'file KB':>8} {'read ms':>8} {'set up ms':>10} {'replay ms':>10} {'per turn':>9}")
    for turns in LENGTHS:
        calls, shelf = loop(turns), Shelf()
        json_type = {"content-type": "application/json"}
        data = write(
            Interaction(body=shelf.put(body), answer=Answer(headers=json_type, body=answer)) for body, answer in calls
        )
        start = time.perf_counter()
        cassette = read(data)
        was_read = time.perf_counter()
        engine = Engine(Tape(cassette, "bench.yaml"), Settings(share="any", limit=turns))
        set_up = time.perf_counter()
        for body, answer in calls:
            sent = engine.answer(Incoming(method="POST", path="/v1/messages", headers=HEADERS, body=body))
            assert sent.body == answer
        played = time.perf_counter()
        times = (was_read - start, set_up - was_read, played - set_up, (played - set_up) / turns)
        read_ms, set_up_ms, played_ms, turn_ms = (1000 * seconds for seconds in times)
        size = len(data) / 1024
        print(f"{turns:>6} {size:>8.0f} {read_ms:>8.1f} {set_up_ms:>10.1f} {played_ms:>10.1f} {turn_ms:>9.3f}")


if __name__ == "__main__":
    main()

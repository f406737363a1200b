"""What the search costs, against the SDK's own time for the same calls.

`python bench/search.py [EXAMPLES]` searches a correct loop in the capability `pairing`, scripts of up to three calls in
a row, several times, and prints the middle ratio, least and most of the processor time of a search to

- what of it the SDK takes: the time within `messages.create` that is not spent in the fake's transport;
- what the same loop takes right after it for as many requests over a transport that returns the fake's own answers as
  fixed bytes, two calls and a last word: the same calls with nothing else between them.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import anthropic
import httpx2

from playhead import FakeClaude, call, say
from playhead.doors.sdk import Transport
from playhead.testing import check_loop
from playhead.testing.capabilities import CAPABILITIES

CAPABILITY = "pairing"
ROUNDS = 7
MESSAGES: list[Any] = [{"role": "user", "content": "Go."}]
TOOLS: list[Any] = [
    {
        "name": "look_up",
        "description": "Looks a key up.",
        "input_schema": {"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"]},
    }
]


class Counting:
    """A loop, as short as a correct one can be, that counts its requests and the seconds that the SDK takes."""

    def __init__(self) -> None:
        self.requests = 0
        self.sdk = 0.0

    def __call__(self, client: Any, messages: Any, tools: Any, functions: Any) -> Any:
        history = list(messages)
        for _ in range(20):
            self.requests += 1
            start, elsewhere = time.thread_time(), SPENT[0]
            message = client.messages.create(model="claude-opus-5-5", max_tokens=64, messages=history, tools=tools)
            self.sdk += time.thread_time() - start - (SPENT[0] - elsewhere)
            calls = [block for block in message.content if block.type == "tool_use"]
            if not calls:
                return message
            results = [
                {"type": "tool_result", "tool_use_id": one.id, "content": functions[one.name](**one.input)}
                for one in calls
            ]
            history += [{"role": "assistant", "content": message.content}, {"role": "user", "content": results}]
        raise RuntimeError("too many turns")


SPENT = [0.0]
"""The seconds of processor time spent in the fake's transport."""


def measure() -> None:
    """Has the fake's transport tell what it takes."""
    answer = Transport.handle_request

    def handle_request(self: Transport, request: Any) -> Any:
        start = time.thread_time()
        try:
            return answer(self, request)
        finally:
            SPENT[0] += time.thread_time() - start

    Transport.handle_request = handle_request  # type: ignore[method-assign]


class Bare(httpx2.BaseTransport):
    """Answers with the same few bodies, over and over."""

    def __init__(self, bodies: list[bytes]) -> None:
        self._bodies = bodies
        self._next = 0

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        request.read()
        body = self._bodies[self._next % len(self._bodies)]
        self._next += 1
        return httpx2.Response(200, headers={"content-type": "application/json"}, stream=httpx2.ByteStream(body))


def bodies() -> list[bytes]:
    """What the fake answers to three requests."""
    seen: list[bytes] = []

    class Tee(httpx2.BaseTransport):
        def handle_request(self, request: httpx2.Request) -> httpx2.Response:
            answer = fake.transport.handle_request(request)
            seen.append(answer.read())
            return answer

    fake = FakeClaude([call("look_up", key="a"), call("look_up", key="b"), say("Done.")])
    client = anthropic.Anthropic(api_key="k", http_client=anthropic.DefaultHttpxClient(transport=Tee()))
    Counting()(client, MESSAGES, TOOLS, {"look_up": lambda key: key})
    return seen


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def main(examples: int) -> None:
    """Prints the ratio."""
    loop, plain = Counting(), Counting()
    bare = anthropic.Anthropic(api_key="k", http_client=anthropic.DefaultHttpxClient(transport=Bare(bodies())))

    def search(count: int) -> int:
        share = CAPABILITIES[CAPABILITY].share
        report = check_loop(loop, tools=TOOLS, only=[CAPABILITY], max_examples=round(count / share))
        return sum(row.tried for row in report.rows)

    def run(requests: int) -> None:
        while plain.requests < requests:
            plain(bare, MESSAGES, TOOLS, {"look_up": lambda key: key})

    def once() -> tuple[float, float]:
        """The ratios of one search."""
        loop.requests = plain.requests = 0
        loop.sdk = 0.0
        searched = seconds(lambda: tried.append(search(examples)))
        alone = seconds(lambda: run(loop.requests))
        return searched / loop.sdk, searched / loop.requests / (alone / plain.requests)

    tried: list[int] = []
    measure()
    search(5)
    run(30)
    ratios = zip(*(once() for _ in range(ROUNDS)), strict=True)
    print(f"{tried[0]} scripts, {ROUNDS} times")
    for name, those in zip(("the SDK's own time in it", "the same calls alone"), ratios, strict=True):
        print(f"  {statistics.median(those):.2f}x {name} ({min(those):.2f} to {max(those):.2f})")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)

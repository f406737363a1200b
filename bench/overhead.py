"""What the fake costs: `messages.create` through it, against a transport that returns fixed bytes.

`python bench/overhead.py [--limit RATIO]` prints the median ratio for conversations that begin with 1, 10, 100 and
1,000 messages and grow by a turn with every call, as a loop's do. Both clients are asked in turns within one process,
so that a busy machine slows both alike; ratios can be compared between machines, times cannot. The bare transport
answers with the very bytes and headers that the fake's first answer has, so the SDK's own work is the same on both
sides. With a limit, the exit code is 1 where a ratio is above it.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import sys
import time
from typing import Any

import anthropic
import httpx2

from playhead import FakeClaude, say

SIZES = {1: 120, 10: 120, 100: 60, 1000: 16}
"""Messages at the beginning, and how many calls are measured."""

URL = "https://api.anthropic.com/v1/messages"
HEADERS = {"x-api-key": "k", "anthropic-version": "2023-06-01"}
MODEL = "claude-opus-5-5"
TOOLS: list[Any] = [
    {
        "name": "lookup",
        "description": "Looks a number up.",
        "input_schema": {"type": "object", "properties": {"key": {"type": "integer"}}},
    }
]


class Bare(httpx2.BaseTransport):
    """Reads the request, and answers with the same bytes whatever it says."""

    def __init__(self, body: bytes, headers: dict[str, str]) -> None:
        self._body = body
        self._headers = headers

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        request.read()
        return httpx2.Response(200, headers=self._headers, stream=httpx2.ByteStream(self._body))


def bare_client() -> anthropic.Anthropic:
    """A client over the bytes of a real answer of the fake's."""
    body = {"model": MODEL, "max_tokens": 64, "messages": [{"role": "user", "content": "hi"}]}
    with httpx2.Client(transport=FakeClaude([say("Done.")]).transport) as client:
        answer = client.post(URL, json=body, headers=HEADERS).raise_for_status()
    headers = {name: answer.headers[name] for name in ("content-type", "request-id")}
    http_client = anthropic.DefaultHttpxClient(transport=Bare(answer.content, headers))
    return anthropic.Anthropic(api_key="k", http_client=http_client)


def conversation(size: int) -> list[Any]:
    """A user message, then calls and their results, to about `size` messages."""
    messages: list[Any] = [{"role": "user", "content": "Look them all up."}]
    while len(messages) < size:
        call = {
            "type": "tool_use",
            "id": f"toolu_{len(messages):06}",
            "name": "lookup",
            "input": {"key": len(messages)},
        }
        result = {"type": "tool_result", "tool_use_id": call["id"], "content": "found " * 40}
        messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    return messages


def ratios(size: int, calls: int) -> list[float]:
    """The fake's time over the bare one's, for each call of a growing conversation."""
    bare, fake = bare_client(), FakeClaude(lambda request: say("Done."), max_requests=calls + 10).client()
    messages = conversation(size)
    found = []
    for number in range(-3, calls):
        # the first calls of a process build models and fill caches: they are made and not counted
        first, second = (bare, fake) if number % 2 else (fake, bare)
        spent = {client: timed(client, messages) for client in (first, second)}
        if number >= 0:
            found.append(spent[fake] / spent[bare])
        messages = [
            *messages,
            {"role": "assistant", "content": [{"type": "text", "text": "Done."}]},
            {"role": "user", "content": f"And number {number}?"},
        ]
    return found


def timed(client: anthropic.Anthropic, messages: list[Any]) -> float:
    # nothing here waits, so the process's own time is the whole cost, and a busy machine disturbs it least
    started = time.process_time()
    client.messages.create(model=MODEL, max_tokens=64, tools=TOOLS, messages=messages)
    return time.process_time() - started


def main() -> int:
    parser = argparse.ArgumentParser(description="What the fake costs over a bare transport.")
    parser.add_argument("--limit", type=float, metavar="RATIO", help="fail where a ratio is above this")
    limit = parser.parse_args().limit
    medians = {}
    for size, calls in SIZES.items():
        gc.collect()
        medians[size] = statistics.median(ratios(size, calls))
    print("fake / bare:", ", ".join(f"{size} messages {ratio:.2f}x" for size, ratio in medians.items()))
    return 1 if limit is not None and max(medians.values()) > limit else 0


if __name__ == "__main__":
    sys.exit(main())

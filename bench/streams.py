"""What streams cost through the fake, against a transport that returns the same bytes.

`python bench/streams.py [--limit RATIO]` prints median ratios of CPU time for raw streams (`create(stream=True)`, all
events read) and for the stream helper (`get_final_message`), for replies of 1 KB and 50 KB to conversations that begin
with 1, 10, 100 and 1,000 messages and grow by a turn with every call. Both clients are asked in turns within one
process; the bare transport answers with the very bytes of the fake's first answer, so the SDK's own work is the same on
both sides. With a limit, the exit code is 1 where a ratio is above it. Replies written byte by byte are shown for
information: there the SDK's own work on each write is nearly all.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import anthropic
import httpx2
from overhead import HEADERS, MODEL, TOOLS, URL, conversation

from playhead import Delivery, FakeClaude, say

SIZES = {1: 60, 10: 60, 100: 40, 1000: 12}
"""Messages at the beginning, and how many calls are measured."""

REPLIES = {"1 KB": 1_000, "50 KB": 50_000}


class Chunks(httpx2.SyncByteStream):
    """A body in pieces."""

    def __init__(self, chunks: list[bytes]) -> None:
        self._chunks = chunks

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._chunks)


class Bare(httpx2.BaseTransport):
    """Reads the request, and answers with the same stream whatever it says."""

    def __init__(self, chunks: list[bytes], headers: dict[str, str]) -> None:
        self._chunks = chunks
        self._headers = headers

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        request.read()
        (body, *more) = self._chunks
        stream = Chunks(self._chunks) if more else httpx2.ByteStream(body)
        return httpx2.Response(200, headers=self._headers, stream=stream)


def bare_client(text: str, delivery: Delivery) -> anthropic.Anthropic:
    """A client over the bytes that the fake's stream of this text has."""
    body = {"model": MODEL, "max_tokens": 64, "stream": True, "messages": [{"role": "user", "content": "hi"}]}
    fake = FakeClaude([say(text)], delivery=delivery)
    with (
        httpx2.Client(transport=fake.transport) as client,
        client.stream("POST", URL, json=body, headers=HEADERS) as answer,
    ):
        answer.raise_for_status()
        chunks = [*answer.iter_raw()]
        headers = {name: answer.headers[name] for name in ("content-type", "cache-control", "request-id")}
    http_client = anthropic.DefaultHttpxClient(transport=Bare(chunks, headers))
    return anthropic.Anthropic(api_key="k", http_client=http_client)


def read_events(client: anthropic.Anthropic, messages: list[Any]) -> None:
    for _ in client.messages.create(model=MODEL, max_tokens=64, tools=TOOLS, messages=messages, stream=True):
        pass


def read_message(client: anthropic.Anthropic, messages: list[Any]) -> None:
    with client.messages.stream(model=MODEL, max_tokens=64, tools=TOOLS, messages=messages) as stream:
        stream.get_final_message()


Read = Callable[[anthropic.Anthropic, list[Any]], None]
READS: dict[str, Read] = {"raw events": read_events, "helper": read_message}


def ratio(size: int, calls: int, text: str, read: Read, delivery: Delivery) -> float:
    """The median of the fake's time over the bare one's, over the calls of a growing conversation."""
    bare = bare_client(text, delivery)
    fake = FakeClaude(lambda request: say(text), max_requests=calls + 10, delivery=delivery).client()
    messages = conversation(size)
    found = []
    for number in range(-3, calls):
        # the first calls of a process build models and fill caches: they are made and not counted
        first, second = (bare, fake) if number % 2 else (fake, bare)
        spent = {client: timed(read, client, messages) for client in (first, second)}
        if number >= 0:
            found.append(spent[fake] / spent[bare])
        messages = [
            *messages,
            {"role": "assistant", "content": [{"type": "text", "text": text}]},
            {"role": "user", "content": f"And number {number}?"},
        ]
    return statistics.median(found)


def timed(read: Read, client: anthropic.Anthropic, messages: list[Any]) -> float:
    # nothing here waits, so the process's own time is the whole cost, and a busy machine disturbs it least
    started = time.process_time()
    read(client, messages)
    return time.process_time() - started


def main() -> int:
    parser = argparse.ArgumentParser(description="What streams cost over a bare transport.")
    parser.add_argument("--limit", type=float, metavar="RATIO", help="fail where a ratio is above this")
    limit = parser.parse_args().limit
    worst = 0.0
    for name, read in READS.items():
        for reply, characters in REPLIES.items():
            text = ("word " * (characters // 5))[:characters]
            told = []
            for size, calls in SIZES.items():
                gc.collect()
                one = ratio(size, calls, text, read, Delivery())
                worst = max(worst, one)
                told.append(f"{size} messages {one:.2f}x")
            print(f"streams, {name}, {reply}: fake / bare: {', '.join(told)}")
    one = ratio(1, 20, "word " * 200, read_events, Delivery(chunks="byte"))
    print(f"streams, raw events, 1 KB byte by byte: fake / bare: 1 message {one:.2f}x")
    return 1 if limit is not None and worst > limit else 0


if __name__ == "__main__":
    sys.exit(main())

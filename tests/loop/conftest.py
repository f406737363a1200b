"""A scripted transport under the real SDK: each request takes the next reply, as JSON or as SSE bytes.

It judges nothing and records every body.  Only what the tests of the loop need.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import anthropic
import httpx2
import pytest

Json = dict[str, Any]


def reply(*content: Json, stop_reason: str | None = "end_turn", **fields: Any) -> Json:
    """A whole response body."""
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-5-5",
        "content": list(content),
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
        **fields,
    }


def text(words: str, **fields: Any) -> Json:
    return {"type": "text", "text": words, **fields}


def tool_use(name: str, id: str = "toolu_1", /, **input: Any) -> Json:
    return {"type": "tool_use", "id": id, "name": name, "input": input}


def sse(message: Json, *, events: int | None = None, tool_json: str | None = None) -> bytes:
    """A message as a stream; `events` keeps the first ones, `tool_json` replaces tool inputs."""
    start = {**message, "content": [], "stop_reason": None}
    out: list[Json] = [{"type": "message_start", "message": start}]
    for index, block in enumerate(message["content"]):
        empty, delta = dict(block), None
        if block["type"] == "text":
            empty["text"], delta = "", {"type": "text_delta", "text": block["text"]}
        elif block["type"] == "tool_use":
            partial = json.dumps(block["input"]) if tool_json is None else tool_json
            empty["input"], delta = {}, {"type": "input_json_delta", "partial_json": partial}
        out.append({"type": "content_block_start", "index": index, "content_block": empty})
        if delta is not None:
            out.append({"type": "content_block_delta", "index": index, "delta": delta})
        out.append({"type": "content_block_stop", "index": index})
    ending = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    out.append({"type": "message_delta", "delta": ending, "usage": {"output_tokens": 1}})
    out.append({"type": "message_stop"})
    lines = (f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in out[:events])
    return "".join(lines).encode()


class Wire(httpx2.BaseTransport, httpx2.AsyncBaseTransport):
    """Plays replies in order: a body, a (status, body) pair, SSE bytes, or a function of the request."""

    def __init__(self, *replies: Any) -> None:
        self.replies = list(replies)
        self.bodies: list[Json] = []

    @property
    def client(self) -> anthropic.Anthropic:
        http = anthropic.DefaultHttpxClient(transport=self)
        return anthropic.Anthropic(api_key="k", http_client=http, max_retries=0)

    @property
    def async_client(self) -> anthropic.AsyncAnthropic:
        http = anthropic.DefaultAsyncHttpxClient(transport=self)
        return anthropic.AsyncAnthropic(api_key="k", http_client=http, max_retries=0)

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        return self._answer(json.loads(request.read()))

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        return self._answer(json.loads(await request.aread()))

    def _answer(self, body: Json) -> httpx2.Response:
        self.bodies.append(body)
        assert self.replies, "one request too many"
        answer = self.replies.pop(0)
        if callable(answer):
            answer = answer(body)
        status, answer = answer if isinstance(answer, tuple) else (200, answer)
        if isinstance(answer, dict) and body.get("stream") and status == 200:
            answer = sse(answer)
        kind = "text/event-stream" if isinstance(answer, bytes) else "application/json"
        raw = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        return httpx2.Response(status, headers={"content-type": kind}, stream=httpx2.ByteStream(raw))


@pytest.fixture
def wire() -> Iterator[Callable[..., Wire]]:
    """Makes wires, and checks at the end that every scripted reply was asked for."""
    made: list[Wire] = []

    def make(*replies: Any) -> Wire:
        made.append(Wire(*replies))
        return made[-1]

    yield make
    for one in made:
        assert not one.replies, "a scripted reply was never asked for"

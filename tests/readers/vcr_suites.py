"""Suites that use vcrpy, for tests of the bridge: clients over a fake that vcrpy patches. Not tests themselves."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anthropic
import httpx2
import vcr

from playhead import FakeClaude

MODEL = "claude-opus-5-5"
KEY = "sk-ant-api03-" + "Zk3v9QwX" * 10 + "AA"
TOOLS: list[Any] = [{"name": "add", "description": "adds", "input_schema": {"type": "object"}}]
BODY = ("method", "scheme", "host", "port", "path", "query", "body")
"""What people write who want vcrpy to look at bodies."""


class NoNetwork:
    """An upstream that nobody may ask."""

    def handle_request(self, request: Any) -> Any:
        raise AssertionError("the network was asked")


def client(fake: FakeClaude | None = None, **options: Any) -> anthropic.Anthropic:
    """A client over a transport that vcrpy patches; behind it a fake, or nothing."""
    upstream: Any = fake.transport if fake is not None else NoNetwork()
    transport = httpx2.MockTransport(lambda request: upstream.handle_request(request))
    made = {"api_key": KEY, "max_retries": 0, "http_client": anthropic.DefaultHttpxClient(transport=transport)}
    return anthropic.Anthropic(**{**made, **options})


def async_client(fake: FakeClaude | None = None, **options: Any) -> anthropic.AsyncAnthropic:
    """Likewise, async."""

    async def handle(request: Any) -> Any:
        assert fake is not None, "the network was asked"
        return await fake.transport.handle_async_request(request)

    http_client = anthropic.DefaultAsyncHttpxClient(transport=httpx2.MockTransport(handle))
    return anthropic.AsyncAnthropic(**{"api_key": KEY, "max_retries": 0, "http_client": http_client, **options})


def ask(text: str, **members: Any) -> dict[str, Any]:
    """The arguments of one request."""
    return {"model": MODEL, "max_tokens": 64, "messages": [{"role": "user", "content": text}], **members}


def loop(client: anthropic.Anthropic, question: str = "What is 1 + 2?", result: str = "3") -> list[Any]:
    """A tool loop to its end; gives every reply as a dict."""
    messages: list[Any] = [{"role": "user", "content": question}]
    replies = []
    while True:
        reply = client.messages.create(model=MODEL, max_tokens=64, tools=TOOLS, messages=messages)
        replies.append(reply.to_dict())
        results = [
            {"type": "tool_result", "tool_use_id": block.id, "content": result}
            for block in reply.content
            if block.type == "tool_use"
        ]
        if not results:
            return replies
        messages = [*messages, {"role": "assistant", "content": reply.content}, {"role": "user", "content": results}]


@contextmanager
def failing_to_save(context: Any) -> Iterator[Any]:
    """A cassette whose save fails. vcrpy then leaves its patches, until some later test; here they are taken back."""
    try:
        with context as cassette:
            yield cassette
    finally:
        for held in vars(context).values():
            if inspect.isgenerator(held):
                held.close()


def plain(path: Path, fake: FakeClaude, run: Any, **options: Any) -> Any:
    """Records with vcrpy as it is."""
    with vcr.VCR(**options).use_cassette(str(path)):
        return run(client(fake))

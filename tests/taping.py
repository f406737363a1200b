"""Recordings of our own making, for tests: made of values, or of what passes a transport. Not tests themselves."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx2

from playhead import FakeClaude
from playhead.cassettes.bodies import Shelf
from playhead.cassettes.document import write
from playhead.cassettes.interaction import Answer, Interaction
from playhead.cassettes.parsing import Cassette
from playhead.engine.engine import Engine, Settings
from playhead.engine.http import Incoming, Outgoing
from playhead.engine.tape import Tape

HEADERS = {"x-api-key": "k", "anthropic-version": "2023-06-01"}
JSON = {"content-type": "application/json"}
STREAM = {"content-type": "text/event-stream; charset=utf-8"}
MODEL = "claude-opus-5-5"
ASK = {"role": "user", "content": "hi"}
CALL = {"type": "tool_use", "id": "toolu_1", "name": "add", "input": {}}
TOOLS = [{"name": "add", "input_schema": {"type": "object"}}]
Call = tuple[Sequence[Any], Answer]
_FAULTS = {httpx2.ReadError: "read", httpx2.RemoteProtocolError: "close", httpx2.ReadTimeout: "timeout"}
_FAULTS |= {httpx2.ConnectError: "connect", httpx2.WriteError: "write"}


class Recorder(httpx2.BaseTransport, httpx2.AsyncBaseTransport):
    """Passes requests on to a fake and keeps what came back, in the pieces in which it came."""

    def __init__(self, fake: FakeClaude) -> None:
        self.fake = fake
        self.interactions: list[Interaction] = []
        self._shelf = Shelf()
        self._lock = threading.Lock()

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        request.read()
        try:
            response = self.fake.transport.handle_request(request)
        except httpx2.TransportError as error:
            self._keep(request, Answer(status=0, fault=_FAULTS[type(error)]))
            raise
        chunks, error = [], None
        try:
            chunks.extend(response.stream)
        except httpx2.TransportError as raised:
            error = raised
        return self._answered(request, response, chunks, error)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        await request.aread()
        response = await self.fake.transport.handle_async_request(request)
        chunks = [chunk async for chunk in response.stream]
        return self._answered(request, response, chunks, None)

    def _answered(
        self, request: httpx2.Request, response: httpx2.Response, chunks: list[bytes], error: Exception | None
    ) -> httpx2.Response:
        ends, size = [], 0
        for chunk in chunks:
            size += len(chunk)
            ends.append(size)
        headers = {name.lower(): value for name, value in response.headers.items()}
        answer = Answer(
            status=response.status_code,
            headers=headers,
            body=b"".join(chunks),
            ends=tuple(ends[:-1]),
            fault=_FAULTS[type(error)] if error else None,  # type: ignore[index]
        )
        self._keep(request, answer)

        class Pieces(httpx2.SyncByteStream, httpx2.AsyncByteStream):
            def __iter__(self) -> Any:
                yield from chunks
                if error is not None:
                    raise error

            async def __aiter__(self) -> Any:
                for chunk in chunks:
                    yield chunk

        return httpx2.Response(response.status_code, headers=response.headers, stream=Pieces(), request=request)

    def _keep(self, request: httpx2.Request, answer: Answer) -> None:
        with self._lock:
            path = request.url.raw_path.decode("ascii")
            body = self._shelf.put(request.content)
            self.interactions.append(Interaction(method=request.method, path=path, body=body, answer=answer))


def cassette(path: Path, interactions: Sequence[Interaction], *, finished: bool = True) -> Path:
    """A cassette file."""
    path.write_bytes(write(interactions, finished=finished))
    return path


def said(text: str, *more: object, stop_reason: str = "end_turn") -> Answer:
    message = {
        "id": f"msg_{text}",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": [{"type": "text", "text": text}, *more],
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    return Answer(headers=JSON, body=json.dumps(message).encode())


def failed(status: int, **headers: str) -> Answer:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    return Answer(status=status, headers={**JSON, **headers}, body=json.dumps(error).encode())


def raw(*messages: object, **members: object) -> bytes:
    body = {"model": MODEL, "max_tokens": 64, "messages": messages, "tools": TOOLS, **members}
    return json.dumps(body).encode()


def tape_of(*calls: Call, finished: bool = True, **options: Any) -> Tape:
    shelf = Shelf()
    interactions = tuple(Interaction(body=shelf.put(raw(*messages)), answer=answer) for messages, answer in calls)
    return Tape(Cassette(interactions=interactions, finished=finished), **{"name": "a.yaml", **options})


def engine_of(tape: Tape, **settings: Any) -> Engine:
    return Engine(tape, Settings(**{"share": "any", **settings}))


def post(engine: Engine, body: bytes, path: str = "/v1/messages") -> Outgoing:
    return engine.answer(Incoming(method="POST", path=path, headers=HEADERS, body=body))


def text_of(answer: Outgoing) -> str:
    value = json.loads(answer.body)
    return str(value["error"]["message"] if "error" in value else value["content"][0]["text"])

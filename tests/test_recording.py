"""Recording: what passes under a real client, on the disk exchange by exchange."""

from __future__ import annotations

import asyncio
import gzip
import json
import threading
import zlib
from pathlib import Path
from typing import Any

import anthropic
import brotli
import httpx2
import pytest
import zstandard

from playhead import FakeClaude, Recording, call, cut, deliver, drop, fail, load, record, say
from playhead.cassettes.document import read

MODEL = "claude-opus-5-5"
TOOLS: list[Any] = [{"name": "add", "description": "adds", "input_schema": {"type": "object"}}]
ASK: Any = {"role": "user", "content": "What is 1 + 2?"}


def options(*messages: Any, **members: Any) -> dict[str, Any]:
    return {"model": MODEL, "max_tokens": 64, "tools": TOOLS, "messages": list(messages), **members}


def loop(client: anthropic.Anthropic, ask: Any = ASK) -> list[Any]:
    """A tool loop to its end; gives every reply."""
    messages, replies = [ask], []
    while True:
        reply = client.messages.create(**options(*messages))
        replies.append(reply)
        messages.append({"role": "assistant", "content": reply.content})
        results = [
            {"type": "tool_result", "tool_use_id": block.id, "content": "3"}
            for block in reply.content
            if block.type == "tool_use"
        ]
        if not results:
            return replies
        messages.append({"role": "user", "content": results})


async def later(client: anthropic.AsyncAnthropic, ask: Any = ASK) -> str:
    async with client.messages.stream(**options(ask)) as stream:
        return (await stream.get_final_message()).content[0].text  # type: ignore[union-attr]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "session.yaml"


def test_a_loop_is_recorded_as_it_was(path: Path) -> None:
    """The client gets what it would get without the recorder; the file holds the requests and the answers."""
    source = FakeClaude([call("add", a=1, b=2), say("3")])
    with record(path, upstream=source.transport) as recording:
        replies = loop(recording.client(api_key="k"))
    assert [reply.id for reply in replies] == ["msg_0001", "msg_0002"]
    session = load(path)
    assert session.finished
    assert [exchange.request for exchange in session.exchanges] == [
        exchange.request for exchange in source.session.exchanges
    ]
    assert [exchange.response for exchange in session.exchanges] == [
        exchange.response for exchange in source.session.exchanges
    ]
    assert path.read_text().count("reply") == 1


def test_each_exchange_is_on_the_disk_when_it_has_ended(path: Path) -> None:
    """Before the client asks again, with nothing closed."""
    source = FakeClaude([say("a"), say("b")], conversations="any")
    with record(path, upstream=source.transport) as recording:
        client = recording.client(api_key="k")
        for number in (1, 2):
            client.messages.create(**options({"role": "user", "content": str(number)}))
            cassette = read(path.read_bytes())
            assert (len(cassette.interactions), cassette.finished) == (number, False)
    assert read(path.read_bytes()).finished


def test_a_recording_whose_code_raised_is_unfinished(path: Path) -> None:
    """What was recorded stays, and says so."""
    source = FakeClaude([say("a")])
    with pytest.raises(ZeroDivisionError):
        broken(record(path, upstream=source.transport))
    session = load(path)
    assert (session.finished, len(session.exchanges)) == (False, 1)


def test_an_old_recording_stands_until_the_new_one_is_whole(path: Path) -> None:
    """A recording that fails takes nothing away."""
    with record(path, upstream=FakeClaude([say("old")]).transport) as recording:
        loop(recording.client(api_key="k"))
    before = path.read_bytes()
    with pytest.raises(ZeroDivisionError):
        broken(record(path, upstream=FakeClaude([say("new")]).transport))
    assert path.read_bytes() == before
    with record(path, upstream=FakeClaude([say("new")]).transport) as recording:
        loop(recording.client(api_key="k"))
    assert load(path).exchanges[0].content == [{"type": "text", "text": "new"}]
    assert [found.name for found in path.parent.iterdir()] == [path.name]


def test_a_stream_is_seen_at_once_and_kept_with_its_pieces(path: Path) -> None:
    """Piece by piece as it comes, not when it is over."""
    source = FakeClaude([deliver(say("one two three four"), pieces=4, chunks="event")])
    seen: list[int] = []
    with record(path, upstream=source.transport) as recording:
        stream = recording.client(api_key="k").messages.create(**options(ASK), stream=True)
        for _ in stream:
            seen.append(len(read(path.read_bytes()).interactions))
    assert seen[0] == 0
    (interaction,) = read(path.read_bytes()).interactions
    assert len(interaction.answer.chunks) == len(seen) + 1, "the SDK keeps pings to itself"
    assert len(interaction.answer.times) == len(seen) + 1
    assert list(interaction.answer.times) == sorted(interaction.answer.times)
    assert load(path).exchanges[0].response == source.session.exchanges[0].response


FAILURES: dict[str, tuple[Any, dict[str, Any]]] = {
    "an-http-error": (fail(400), {"status": 400, "fault": None}),
    "a-refused-connection": (drop("connect"), {"status": 0, "fault": "connect"}),
    "a-timeout": (drop("timeout"), {"status": 0, "fault": "timeout"}),
    "a-cut-stream": (cut(say("a text that breaks off")), {"status": 200, "fault": "read"}),
    "a-closed-stream": (cut(say("a text that breaks off"), how="close"), {"status": 200, "fault": "close"}),
    "a-stream-that-ends-early": (cut(say("a text that breaks off"), how="end"), {"status": 200, "fault": None}),
    "an-error-event": (cut(say("a text that breaks off"), how="error"), {"status": 200, "fault": None}),
}


@pytest.mark.parametrize(("step", "answer"), FAILURES.values(), ids=FAILURES)
def test_failures_are_kept_as_what_they_were(step: Any, answer: dict[str, Any], path: Path) -> None:
    """The client meets them as ever, and the file tells them."""
    source = FakeClaude([step])
    with record(path, upstream=source.transport) as recording:
        client = recording.client(api_key="k", max_retries=0)
        try:
            for _ in client.messages.create(**options(ASK), stream=True):
                pass
        except (anthropic.APIError, httpx2.HTTPError):
            pass
    (interaction,) = read(path.read_bytes()).interactions
    assert {name: getattr(interaction.answer, name) for name in answer} == answer
    one, other = load(path).exchanges[0], source.session.exchanges[0]
    assert (one.failed, one.error, one.response) == (other.failed, other.error, other.response)


def test_the_attempts_of_a_retry_are_exchanges(path: Path) -> None:
    """The SDK's own retries pass through the recorder."""
    source = FakeClaude([fail(529), fail(500), say("3")])
    with record(path, upstream=source.transport) as recording:
        loop(recording.client(api_key="k"))
    session = load(path)
    assert [exchange.status for exchange in session.exchanges] == [529, 500, 200]
    assert [exchange.retry_of for exchange in session.exchanges] == [None, 1, 2]


def test_a_client_that_stops_reading_is_told_apart(path: Path) -> None:
    """What it got is kept; that it left is no fault of the connection's."""
    source = FakeClaude([deliver(say("one two three four"), pieces=4, chunks="event")])
    with record(path, upstream=source.transport) as recording:
        stream = recording.client(api_key="k").messages.create(**options(ASK), stream=True)
        next(iter(stream))
        stream.close()
    (interaction,) = read(path.read_bytes()).interactions
    assert interaction.answer.fault == "abandoned"
    assert interaction.answer.body.startswith(b"event: message_start\n")


class Encoded(httpx2.BaseTransport):
    """An upstream that encodes its answer and sends it in small pieces."""

    def __init__(self, encoding: str, body: bytes) -> None:
        self._encoding, self._body = encoding, body

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        pieces = [self._body[at : at + 7] for at in range(0, len(self._body), 7)]
        headers = {"content-type": "application/json", "content-encoding": self._encoding}
        return httpx2.Response(200, headers=headers, stream=_Pieces(pieces))


class _Pieces(httpx2.SyncByteStream):
    def __init__(self, pieces: list[bytes]) -> None:
        self._pieces = pieces

    def __iter__(self) -> Any:
        return iter(self._pieces)


MESSAGE = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": MODEL,
    "content": [{"type": "text", "text": "ü" * 400}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 1, "output_tokens": 1},
}
PLAIN = json.dumps(MESSAGE, ensure_ascii=False, separators=(",", ":")).encode()
RAW_DEFLATE = zlib.compressobj(wbits=-15)
ENCODED = {
    "gzip": ("gzip", gzip.compress(PLAIN)),
    "gzip-in-two-members": ("gzip", gzip.compress(PLAIN[:99]) + gzip.compress(PLAIN[99:])),
    "deflate": ("deflate", zlib.compress(PLAIN)),
    "deflate-without-its-header": ("deflate", RAW_DEFLATE.compress(PLAIN) + RAW_DEFLATE.flush()),
    "br": ("br", brotli.compress(PLAIN)),
    "zstd": ("zstd", zstandard.compress(PLAIN)),
    "identity": ("identity", PLAIN),
}


@pytest.mark.parametrize(("encoding", "body"), ENCODED.values(), ids=ENCODED)
def test_content_is_stored_decoded(encoding: str, body: bytes, path: Path) -> None:
    """Whatever the encoding; what the client gets is not touched."""
    with record(path, upstream=Encoded(encoding, body)) as recording:
        client = httpx2.Client(transport=recording.transport)
        with client.stream("POST", "https://api.anthropic.com/v1/messages", content=b"{}") as answer:
            assert answer.headers["content-encoding"] == encoding
            assert b"".join(answer.iter_raw()) == body
    (interaction,) = read(path.read_bytes()).interactions
    assert interaction.answer.body == PLAIN
    assert "content-encoding" not in interaction.answer.headers


def test_parallel_calls_stand_in_the_order_of_their_requests(path: Path) -> None:
    """Although they end in another one, and whatever the threads do."""
    barrier, ended = threading.Barrier(2), threading.Event()

    class Slow(httpx2.BaseTransport):
        def handle_request(self, request: httpx2.Request) -> httpx2.Response:
            text = json.loads(request.read())["messages"][0]["content"]
            if text == "first":
                barrier.wait()
                ended.wait()
            return httpx2.Response(200, json={**MESSAGE, "content": [{"type": "text", "text": text}]})

    with record(path, upstream=Slow()) as recording:
        client = recording.client(api_key="k")

        def ask(text: str) -> None:
            client.messages.create(**options({"role": "user", "content": text}))

        first = threading.Thread(target=ask, args=("first",))
        first.start()
        barrier.wait()
        ask("second")
        unfinished = load(path)
        ended.set()
        first.join()
    assert [exchange.messages[0]["content"] for exchange in unfinished.exchanges] == ["second"]  # type: ignore[index]
    session = load(path)
    assert [exchange.messages[0]["content"] for exchange in session.exchanges] == ["first", "second"]  # type: ignore[index]
    assert "number:" not in path.read_text()


def test_async_clients(path: Path) -> None:
    """Streams and JSON alike."""
    source = FakeClaude([say("one"), say("two")], conversations="any")

    async def both() -> list[str]:
        client = recording.async_client(api_key="k")
        return [await later(client), await later(client, {"role": "user", "content": "else"})]

    with record(path, upstream=source.transport) as recording:
        assert asyncio.run(both()) == ["one", "two"]
    assert [exchange.response for exchange in load(path).exchanges] == [
        exchange.response for exchange in source.session.exchanges
    ]


def test_a_recorder_that_cannot_write_says_so_at_the_end(path: Path) -> None:
    """The client gets its answer all the same; the block's end raises."""
    source = FakeClaude([say("a")])
    recording = record(path, upstream=source.transport)
    with pytest.raises(OSError, match="directory"):
        without_a_file(recording, path)


def without_a_file(recording: Recording, path: Path) -> None:
    with recording:
        path.unlink()
        path.mkdir()
        assert loop(recording.client(api_key="k"))[0].content[0].text == "a"


def broken(recording: Recording) -> None:
    """A recording whose code raises once it has got its reply."""
    with recording:
        loop(recording.client(api_key="k"))
        raise ZeroDivisionError


@pytest.mark.parametrize("later", [False, True])
def test_an_error_that_the_sdk_tries_again_is_kept_whole(tmp_path: Path, later: bool) -> None:
    """The SDK closes such an answer unread; what it said is part of the session all the same."""
    path = tmp_path / "again.yaml"
    asked: Any = {"model": MODEL, "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]}

    async def ask(client: anthropic.AsyncAnthropic) -> None:
        await client.messages.create(**asked)

    with FakeClaude([fail(529), say("Hello!")]) as fake, record(path, fake.transport) as recording:
        if later:
            asyncio.run(ask(recording.async_client(api_key="any")))
        else:
            recording.client(api_key="any").messages.create(**asked)
    first, second = load(path).exchanges
    assert (first.status, first.complete) == (529, True)
    assert first.error == {"type": "overloaded_error", "message": "Overloaded"}
    assert second.complete
    assert "fault" not in path.read_text("utf-8")

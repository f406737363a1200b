"""The recording proxy, between the real SDK and a served fake."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anthropic
import httpx2
import pytest

from playhead import FakeClaude, Recording, call, check, cut, deliver, fail, load, record, say, serve
from playhead.errors import SetupError
from playhead.serving import RecordingProxy, Serving

pytest.importorskip("uvicorn", reason="the proxy needs uvicorn: pip install 'playhead[serve]'")

Json = dict[str, Any]
KEY = "sk-ant-api03-" + "Ab1_" * 24
TOOLS: list[Any] = [{"name": "add", "description": "Adds.", "input_schema": {"type": "object"}}]
OPEN: list[anthropic.Anthropic] = []


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    """No connection is left open by a test."""
    yield
    while OPEN:
        OPEN.pop().close()


def client_of(proxy: RecordingProxy, **options: Any) -> anthropic.Anthropic:
    OPEN.append(anthropic.Anthropic(**{"base_url": proxy.url, "api_key": KEY, "max_retries": 0, **options}))
    return OPEN[-1]


def before(server: Serving, path: Path) -> RecordingProxy:
    recording = record(path)
    assert isinstance(recording, Recording)
    return RecordingProxy(recording, server.url)


def asking(words: str = "hi") -> Json:
    messages = [{"role": "user", "content": words}]
    return {"model": "claude-opus-5-5", "max_tokens": 99, "messages": messages, "tools": TOOLS}


def loop(client: anthropic.Anthropic, words: str = "Add.") -> str:
    asked = asking(words)
    first = client.messages.create(**asked)
    (used,) = [block for block in first.content if block.type == "tool_use"]
    result = {"type": "tool_result", "tool_use_id": used.id, "content": "3"}
    asked["messages"] += [{"role": "assistant", "content": first.content}, {"role": "user", "content": [result]}]
    with client.messages.stream(**asked) as stream:
        return stream.get_final_text()


def test_a_loop_is_recorded_and_replayed(tmp_path: Path) -> None:
    """What passed replays to the same end; the key went to the API, and not into the file."""
    path = tmp_path / "loop.yaml"
    with serve([call("add", a=1), say("It is 3.")]) as server, before(server, path) as proxy:
        assert loop(client_of(proxy)) == "It is 3."
        sent = [dict(exchange.headers or {}) for exchange in server.fake.session.exchanges]
    assert all(any(KEY in value for value in headers.values()) for headers in sent)
    assert KEY not in path.read_text("utf-8")
    assert "finished: 2" in path.read_text("utf-8")
    assert check(load(path)) == ()
    with FakeClaude.from_cassette(path) as fake:
        assert loop(fake.client()) == "It is 3."


def test_a_stream_passes_as_it_comes(tmp_path: Path) -> None:
    """The API goes on only when the client has seen what came before: nothing may wait for the end."""
    seen = threading.Event()

    async def nap(seconds: float) -> None:
        while not seen.is_set():
            await asyncio.sleep(0.001)

    step = deliver(say("one two three"), chunks="event", pace=1.0)
    with serve([step], sleep=nap) as server, before(server, tmp_path / "s.yaml") as proxy:
        with client_of(proxy).messages.stream(**asking()) as stream:
            for _ in stream:
                seen.set()
        assert stream.get_final_text() == "one two three"


def test_a_connection_that_breaks_breaks_here_too(tmp_path: Path) -> None:
    """The client meets the same end, and the file tells it."""
    path = tmp_path / "cut.yaml"
    with serve([cut(say("one two three"), events=4)]) as server, before(server, path) as proxy:
        asked = client_of(proxy).messages.stream(**asking())
        with pytest.raises(httpx2.ReadError), asked as stream:
            stream.get_final_message()
    (exchange,) = load(path).exchanges
    assert not exchange.complete
    assert "fault: read" in path.read_text("utf-8")


def test_errors_pass_with_their_headers(tmp_path: Path) -> None:
    """Status, words, request id and what says when to try again."""
    step = fail(529, retry_after_ms=7)
    with serve([step]) as server, before(server, tmp_path / "e.yaml") as proxy:
        client = client_of(proxy)
        with pytest.raises(anthropic.APIStatusError) as failed:
            client.messages.create(**asking())
    assert failed.value.status_code == 529
    assert failed.value.response.headers["retry-after-ms"] == "7"
    assert failed.value.request_id == "req_0001"


def test_an_api_that_is_not_there(tmp_path: Path) -> None:
    """The client gets a gateway's answer that says so; the file says that nothing came."""
    path = tmp_path / "gone.yaml"
    recording = record(path)
    assert isinstance(recording, Recording)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        with RecordingProxy(recording, url) as proxy:
            client = client_of(proxy)
            with pytest.raises(anthropic.InternalServerError, match="cannot be reached"):
                client.messages.create(**asking())
    assert "fault: connect" in path.read_text("utf-8")


def test_a_client_that_goes_away(tmp_path: Path) -> None:
    """What came until then is recorded, as read no further."""
    path, gone = tmp_path / "gone.yaml", threading.Event()

    async def nap(seconds: float) -> None:
        while not gone.is_set():
            await asyncio.sleep(0.001)

    step = deliver(say("one two three " * 50), chunks="event", pace=1.0)
    with serve([step], sleep=nap) as server, before(server, path) as proxy:
        client = client_of(proxy)
        with client.messages.stream(**asking()) as stream:
            next(iter(stream))
        client.close()
        gone.set()
    assert "message_start" in path.read_text("utf-8")
    assert len(load(path).exchanges) == 1


def test_many_at_once(tmp_path: Path) -> None:
    """Each conversation gets its own answers, and all of them are in the file, in the order of the requests."""
    told: dict[str, str] = {}
    path = tmp_path / "many.yaml"
    scripts = {f"c{n}.": [call("add", a=n), say(f"c{n} is done")] for n in range(12)}

    def run(proxy: RecordingProxy, words: str) -> None:
        told[words] = loop(client_of(proxy), words)

    with serve(scripts) as server, before(server, path) as proxy:
        threads = [threading.Thread(target=run, args=(proxy, words)) for words in scripts]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert told == {f"c{n}.": f"c{n} is done" for n in range(12)}
    session = load(path)
    assert len(session.exchanges) == 24
    assert check(session) == ()


@pytest.mark.parametrize("url", ["", "api.anthropic.com", "ftp://a", "http://", "http://a?b=c", "http://[::1"])
def test_what_is_no_base_url(tmp_path: Path, url: str) -> None:
    """One sentence, and no file."""
    recording = record(tmp_path / "x.yaml")
    assert isinstance(recording, Recording)
    with pytest.raises(SetupError, match="upstream is a base URL"):
        RecordingProxy(recording, url)
    assert not (tmp_path / "x.yaml").exists()

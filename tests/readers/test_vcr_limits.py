"""What vcrpy cannot give, each claim of docs/vcrpy.md run: where one fails, vcrpy has changed, and the page must.

With `bridge` it is vcrpy through our bridge, with `plain` vcrpy as it is.
"""

from __future__ import annotations

import contextlib
import inspect
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anthropic
import httpx2
import pytest
import vcr
from vcr.cassette import Cassette

from playhead import FakeClaude, call, cut, deliver, drop, load, record, say, turn
from playhead.readers.vcr import register
from readers.vcr_suites import BODY, KEY, TOOLS, ask, client, loop

BOTH = pytest.mark.parametrize("way", ["plain", "bridge"])


def made(way: str) -> vcr.VCR:
    my_vcr = vcr.VCR()
    if way == "bridge":
        register(my_vcr)
    return my_vcr


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "session.yaml")


def texts(reply: Any) -> str:
    return "".join(block.text for block in reply.content)


def test_plain_another_prompt_gets_the_old_answer(path: str) -> None:
    """By default bodies are not looked at."""
    my_vcr = made("plain")
    with my_vcr.use_cassette(path):
        client(FakeClaude([say("4")])).messages.create(**ask("2 + 2?"))
    with my_vcr.use_cassette(path):
        assert texts(client().messages.create(**ask("the capital of France?"))) == "4"


def test_plain_the_key_is_in_the_file(path: str) -> None:
    """Unless the suite filters it."""
    with made("plain").use_cassette(path):
        client(FakeClaude([say("4")])).messages.create(**ask("2 + 2?"))
    assert KEY in Path(path).read_text()


def test_plain_a_file_that_cannot_be_decoded_is_written_over(path: str) -> None:
    """It counts as an empty one."""
    Path(path).write_bytes(b"interactions: \xff")
    with made("plain").use_cassette(path):
        client(FakeClaude([say("4")])).messages.create(**ask("2 + 2?"))
    assert Path(path).read_bytes().startswith(b"interactions:\n- request:")


def test_plain_the_message_shows_the_first_requests_not_the_nearest(path: str) -> None:
    """The three that stand first in the file, whatever turn it was."""
    my_vcr = vcr.VCR(match_on=BODY)
    script = [*(call("add", a=number) for number in range(6)), say("done")]
    with my_vcr.use_cassette(path):
        loop(client(FakeClaude(script)))
    results = iter(["3"] * 5 + ["4"])

    def again(sdk: anthropic.Anthropic) -> None:
        messages: list[Any] = [{"role": "user", "content": "What is 1 + 2?"}]
        while True:
            reply = sdk.messages.create(**{**ask(""), "messages": messages, "tools": TOOLS})
            answers = [
                {"type": "tool_result", "tool_use_id": block.id, "content": next(results)}
                for block in reply.content
                if block.type == "tool_use"
            ]
            messages = [
                *messages,
                {"role": "assistant", "content": reply.content},
                {"role": "user", "content": answers},
            ]

    with my_vcr.use_cassette(path, record_mode="none"), pytest.raises(anthropic.APIConnectionError) as refused:
        again(client())
    told = str(refused.value.__cause__)
    assert "…and 4 more that also differ in body." in told
    assert "toolu_0001" in told.partition("2. POST")[0]  # compared with the very first request, it lacks all turns


@BOTH
def test_a_stream_comes_only_when_it_is_whole(path: str, way: str) -> None:
    """While recording, the client gets the first event after the last one was sent."""
    given: list[str] = []

    def events() -> Iterator[bytes]:
        given.append("begun")
        yield b'event: ping\ndata: {"type": "ping"}\n\n'
        yield b'event: ping\ndata: {"type": "ping"}\n\n'
        given.append("ended")

    class Stream(httpx2.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            return events()

    def handle(request: Any) -> Any:
        return httpx2.Response(200, headers={"content-type": "text/event-stream"}, stream=Stream())

    http = httpx2.Client(transport=httpx2.MockTransport(handle))
    url = "https://api.anthropic.com/v1/messages"
    with made(way).use_cassette(path), http, http.stream("POST", url, content=b"{}") as response:
        next(response.iter_raw())
        assert given == ["begun", "ended"]


@BOTH
def test_pieces_and_pauses_of_a_stream_are_gone(path: str, way: str) -> None:
    """A replay sends it in one piece; our recorder keeps where it was cut and when it came."""
    my_vcr = made(way)
    script = [deliver(say("Hello, you there, how are you?"), chunks="event", pace=0.5)]

    def pieces(fake: FakeClaude | None) -> int:
        with client(fake).messages.with_streaming_response.create(**ask("hi"), stream=True) as response:
            return len(list(response.http_response.iter_raw()))

    with my_vcr.use_cassette(path):
        pieces(FakeClaude(script))
    with my_vcr.use_cassette(path):
        assert pieces(None) == 1
    ours = f"{path}.ours"
    fake = FakeClaude(script)
    with record(ours, upstream=fake.transport) as rec, rec.client(api_key="k").messages.stream(**ask("hi")) as stream:
        stream.until_done()
    assert "    ends: " in Path(ours).read_text()
    assert "    times: " in Path(ours).read_text()


@BOTH
@pytest.mark.parametrize("step", [cut(say("Hello, you")), drop("connect")], ids=["cut", "drop"])
def test_what_breaks_is_not_recorded(path: str, way: str, step: Any) -> None:
    """Neither a stream that was cut, with what had come of it, nor an attempt that met no server. Ours keeps both."""
    with made(way).use_cassette(path) as cassette:
        with pytest.raises((anthropic.APIConnectionError, httpx2.TransportError)):
            list(client(FakeClaude([step])).messages.create(**ask("hi"), stream=True))
        assert len(cassette) == 0
    ours = f"{path}.ours"
    broken = pytest.raises((anthropic.APIConnectionError, httpx2.TransportError))
    with record(ours, upstream=FakeClaude([step]).transport) as recording, broken:
        list(recording.client(api_key="k", max_retries=0).messages.create(**ask("hi"), stream=True))
    assert len(load(ours).exchanges) == 1


@BOTH
def test_parallel_calls_stand_in_the_order_in_which_they_ended(path: str, way: str) -> None:
    """Identical ones are played in that order: which caller gets which answer is another than it was."""
    first_may_end = threading.Event()

    def handle(request: Any) -> Any:
        number = request.headers["x-number"]
        if number == "1":
            assert first_may_end.wait(60)
        return httpx2.Response(200, json={"number": number})

    def ask_it(number: str) -> Any:
        with httpx2.Client(transport=httpx2.MockTransport(handle)) as http:
            response = http.post("https://api.anthropic.com/v1/messages", headers={"x-number": number}, json={"a": 1})
            return response.json()["number"]

    my_vcr = made(way)
    with my_vcr.use_cassette(path):
        thread = threading.Thread(target=ask_it, args=("1",))
        thread.start()
        ask_it("2")
        first_may_end.set()
        thread.join()
    with my_vcr.use_cassette(path, record_mode="none"):
        assert [ask_it("1"), ask_it("2")] == ["2", "1"]


@BOTH
def test_what_is_not_played_passes(path: str, way: str) -> None:
    """A loop that stops early is not told; with ours it fails."""
    my_vcr = made(way)
    with my_vcr.use_cassette(path):
        loop(client(FakeClaude([call("add", a=1), say("3")])))
    with my_vcr.use_cassette(path, record_mode="none") as cassette:
        client().messages.create(**{**ask("What is 1 + 2?"), "tools": TOOLS})
    assert cassette.play_count == 1


@BOTH
def test_a_mismatch_reaches_the_loop_as_a_lost_connection(path: str, way: str) -> None:
    """The client takes it for one, and a loop that tries again tries again."""
    my_vcr = vcr.VCR(match_on=BODY) if way == "plain" else made(way)
    with my_vcr.use_cassette(path):
        client(FakeClaude([say("4")])).messages.create(**ask("2 + 2?"))
    with my_vcr.use_cassette(path, record_mode="none"), pytest.raises(anthropic.APIConnectionError) as refused:
        client().messages.create(**ask("else"))
    assert str(refused.value) == "Connection error."


@BOTH
def test_a_loop_that_swallows_it_passes(path: str, way: str) -> None:
    """Nobody keeps the mismatch: a test whose loop catches every error is green."""
    my_vcr = vcr.VCR(match_on=BODY) if way == "plain" else made(way)
    with my_vcr.use_cassette(path):
        client(FakeClaude([say("4")])).messages.create(**ask("2 + 2?"))
    with my_vcr.use_cassette(path, record_mode="none"), contextlib.suppress(anthropic.APIError):
        client().messages.create(**ask("else"))


@BOTH
def test_a_save_that_fails_leaves_the_client_patched(path: str, way: str) -> None:
    """Until the cassette's context is garbage: requests of a later test may go to the old cassette."""
    original = httpx2.MockTransport.handle_request

    class Failing:
        def load_cassette(self, cassette_path: Any, serializer: Any) -> Any:
            raise vcr.persisters.filesystem.CassetteNotFoundError

        def save_cassette(self, cassette_path: Any, cassette_dict: Any, serializer: Any) -> None:
            raise OSError("no space left")

    my_vcr = vcr.VCR()
    my_vcr.register_persister(Failing())
    if way == "bridge":
        register(my_vcr)
    context = my_vcr.use_cassette(path)
    with pytest.raises(OSError, match="no space left"), context:
        client(FakeClaude([say("4")])).messages.create(**ask("2 + 2?"))
    assert httpx2.MockTransport.handle_request is not original
    for held in vars(context).values():
        if inspect.isgenerator(held):
            held.close()  # for the tests that come after this one
    assert httpx2.MockTransport.handle_request is original


@BOTH
def test_two_cassettes_at_once_mix(path: str, way: str) -> None:
    """The client's library is patched for the whole process: what one thread sends goes to the other's cassette."""
    my_vcr = made(way)
    opened, done = threading.Event(), threading.Event()
    counts: dict[str, int] = {}

    def other() -> None:
        with my_vcr.use_cassette(f"{path}.other") as cassette:
            opened.set()
            assert done.wait(60)
            counts["other"] = len(cassette)

    with my_vcr.use_cassette(path) as mine:
        thread = threading.Thread(target=other)
        thread.start()
        assert opened.wait(60)
        client(FakeClaude([turn(say("4"))])).messages.create(**ask("2 + 2?"))
        counts["mine"] = len(mine)
        done.set()
        thread.join()
    assert counts["other"] == 1
    assert isinstance(mine, Cassette)

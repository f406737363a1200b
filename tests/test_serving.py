"""A fake behind a base URL, met by the real SDK over loopback."""

from __future__ import annotations

import asyncio
import os
import socket
import threading
from collections.abc import Iterator
from typing import Any

import anthropic
import httpx2
import pytest

from playhead import (
    FakeClaude,
    RuleViolations,
    ScriptNotFinished,
    SetupError,
    call,
    cut,
    deliver,
    drop,
    fail,
    say,
    serve,
)
from playhead.serving import Serving

pytest.importorskip("uvicorn", reason="the server needs uvicorn: pip install 'playhead[serve]'")

Json = dict[str, Any]
TOOLS: list[Any] = [{"name": "add", "description": "Adds.", "input_schema": {"type": "object"}}]


def asking(words: str = "hi", **more: Any) -> Json:
    messages = [{"role": "user", "content": words}]
    return {"model": "claude-opus-5-5", "max_tokens": 99, "messages": messages, "tools": TOOLS, **more}


OPEN: list[anthropic.Anthropic] = []


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    """No connection is left open by a test."""
    yield
    while OPEN:
        OPEN.pop().close()


def client_of(server: Serving, **options: Any) -> anthropic.Anthropic:
    OPEN.append(anthropic.Anthropic(**{"base_url": server.url, "api_key": "any", "max_retries": 0, **options}))
    return OPEN[-1]


def loop(client: anthropic.Anthropic, words: str) -> str:
    """A tool loop that streams its last turn."""
    asked = asking(words)
    first = client.messages.create(**asked)
    (used,) = [block for block in first.content if block.type == "tool_use"]
    result = {"type": "tool_result", "tool_use_id": used.id, "content": "3"}
    asked["messages"] += [{"role": "assistant", "content": first.content}, {"role": "user", "content": [result]}]
    with client.messages.stream(**asked) as stream:
        return stream.get_final_text()


def test_a_tool_loop() -> None:
    """JSON and a stream over a real connection; what was seen is the fake's session, and all is well."""
    with serve([call("add", a=1), say("It is 3.")]) as server:
        assert server.url.startswith("http://127.0.0.1:")
        assert loop(client_of(server), "Add.") == "It is 3."
        assert [exchange.status for exchange in server.fake.session.exchanges] == [200, 200]


def test_an_async_client() -> None:
    """The same, asked for from an event loop of its own."""

    async def run(server: Serving) -> str:
        client = anthropic.AsyncAnthropic(base_url=server.url, api_key="any")
        async with client, client.messages.stream(**asking()) as stream:
            return await stream.get_final_text()

    with serve([say("Hello!")]) as server:
        assert asyncio.run(run(server)) == "Hello!"


def send_refused(server: Serving) -> None:
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "3"}
    with pytest.raises(anthropic.BadRequestError, match="unexpected `tool_use_id`"):
        client_of(server).messages.create(**asking(messages=[{"role": "user", "content": [result]}]))


def test_the_verdict_comes_at_the_end() -> None:
    """A refused request, or a step that was not asked for, fails the block, whatever the client caught."""
    with pytest.raises(RuleViolations, match="tool-result-orphan"), serve([say("Hello!")]) as server:
        send_refused(server)
    with pytest.raises(ScriptNotFinished), serve([say("Hello!")]):
        pass


def test_an_error_of_the_body_is_not_hidden() -> None:
    """What the fake saw is a note on it."""

    def run(server: Serving) -> None:
        send_refused(server)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as failed, serve([say("Hello!")]) as server:
        run(server)
    assert any("tool-result-orphan" in note for note in failed.value.__notes__)


FAULTS: dict[str, tuple[Any, type[Exception], str]] = {
    "an error": (fail(529), anthropic.APIStatusError, "Overloaded"),
    "no answer": (drop("read"), anthropic.APIConnectionError, "Connection error"),
    "a reset": (cut(say("one two three"), events=4), httpx2.ReadError, "reset by peer"),
    "a close": (cut(say("one two three"), events=4, how="close"), httpx2.RemoteProtocolError, "incomplete chunked"),
    "an error event": (cut(say("one"), how="error"), anthropic.APIStatusError, "Overloaded"),
}


@pytest.mark.parametrize(("step", "error", "words"), FAULTS.values(), ids=FAULTS)
def test_faults_reach_the_client(step: Any, error: type[Exception], words: str) -> None:
    """A connection that is cut is cut: the client meets what it would meet in the wild."""
    with serve([step]) as server, pytest.raises(error, match=words):
        events_of(server)


def events_of(server: Serving, seen: list[str] | None = None) -> None:
    with client_of(server).messages.stream(**asking()) as stream:
        for event in stream:
            (seen if seen is not None else []).append(event.type)


def test_what_came_before_a_cut_has_come() -> None:
    """Every event before it is read."""
    seen: list[str] = []
    with serve([deliver(cut(say("one two three"), events=5), pieces=3)]) as server, pytest.raises(httpx2.ReadError):
        events_of(server, seen)
    assert "content_block_delta" in seen
    assert "message_stop" not in seen


def test_a_client_that_waits_in_vain() -> None:
    """Its own timeout ends it, and the server goes on."""
    with serve([drop("timeout"), say("Hello!")]) as server:
        with pytest.raises(anthropic.APITimeoutError):
            client_of(server, timeout=0.2).messages.create(**asking())
        assert client_of(server).messages.create(**asking()).stop_reason == "end_turn"


def test_pauses_take_their_time_unless_in_a_hurry() -> None:
    """A served script is played in real time; with a `sleep` of the test's own, that gets the seconds."""
    waited: list[float] = []

    async def nap(seconds: float) -> None:
        waited.append(seconds)

    step = deliver(say("one two three"), chunks="event", pace=0.25, delay=3.0)
    with serve([step], sleep=nap) as server, client_of(server).messages.stream(**asking()) as stream:
        stream.get_final_message()
    assert waited[0] == 3.0
    assert set(waited[1:]) == {0.25}
    with serve([step], sleep=None) as server:
        client_of(server).messages.create(**asking())
    assert server.fake.waited == 3.0


def test_conversations_at_once() -> None:
    """Threads that play one script each get what is theirs."""
    told: dict[str, str] = {}

    def run(server: Serving, words: str) -> None:
        told[words] = loop(client_of(server), words)

    with serve({f"c{n}.": [call("add", a=n), say(f"c{n} is done")] for n in range(20)}) as server:
        threads = [threading.Thread(target=run, args=(server, f"c{n}.")) for n in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert told == {f"c{n}.": f"c{n} is done" for n in range(20)}


def test_the_cap_on_requests() -> None:
    """Over a connection it is an answer that nobody tries again, and the verdict all the same."""

    def run(server: Serving) -> None:
        for number in range(2):
            client_of(server).messages.create(**asking(f"{number}"))
        with pytest.raises(anthropic.BadRequestError, match="Playhead: "):
            client_of(server, max_retries=5).messages.create(**asking("3"))

    server = serve(lambda request: say("more"), max_requests=2, conversations="any")
    with pytest.raises(RuleViolations, match="loop-bounded"), server:
        run(server)


def control(server: Serving, name: str, method: str = "GET", **headers: str) -> httpx2.Response:
    return httpx2.request(method, f"{server.url}/_playhead/{name}", headers=headers)


def test_the_control_path() -> None:
    """Verdict and session as JSON, and a fresh start."""
    with serve([say("Hello!")]) as server:
        before = control(server, "verdict").json()
        assert (before["ok"], before["requests"]) == (False, 0)
        assert before["failures"][0]["type"] == "ScriptNotFinished"
        client_of(server).messages.create(**asking())
        assert control(server, "verdict").json() == {"ok": True, "failures": [], "violations": [], "requests": 1}
        (exchange,) = control(server, "session").json()["exchanges"]
        assert exchange["request"]["messages"] == asking()["messages"]
        assert exchange["response"]["content"] == [{"type": "text", "text": "Hello!"}]
        assert control(server, "reset", "POST").json() == {"ok": True}
        assert control(server, "verdict").json()["requests"] == 0
        client_of(server).messages.create(**asking())


@pytest.mark.parametrize(
    ("name", "method", "headers", "status", "words"),
    [
        ("verdict", "GET", {"origin": "https://example.com"}, 403, "browser"),
        ("verdict", "GET", {"sec-fetch-site": "cross-site"}, 403, "browser"),
        ("verdict", "GET", {"host": "rebound.example.com"}, 403, "rebound.example.com"),
        ("reset", "GET", {}, 405, "POST"),
        ("nothing", "GET", {}, 404, "verdict, session, reset, script"),
        ("../v1/messages", "GET", {}, 404, ""),
    ],
)
def test_who_may_not_control(name: str, method: str, headers: dict[str, str], status: int, words: str) -> None:
    """A page in a browser, a name that leads here from elsewhere; and no answer lets a browser read it."""
    with serve([say("Hello!")]) as server:
        answer = control(server, name, method, **headers)
        assert answer.status_code == status
        assert words in answer.text
        assert not any(header.startswith("access-control") for header in answer.headers)
        client_of(server).messages.create(**asking())
        server.fake._engine.errors.clear()  # a path that nobody knows is the test's own here


def test_another_script() -> None:
    """The text of a script file takes the place of what is played; one that is wrong is told, and changes nothing."""
    with serve([say("Hello!")]) as server:
        url = f"{server.url}/_playhead/script"
        wrong = httpx2.post(url, content="version: 1\nformat: playhead-script\nscript: [{sya: Ahoy}]")
        assert wrong.status_code == 400
        assert "did you mean" in wrong.json()["error"]["message"]
        assert "script[0]" in wrong.json()["error"]["message"]
        option = "version: 1\nformat: playhead-script\noptions:\n  ignore: [pears]\nscript: [Ahoy]"
        unknown = httpx2.post(url, content=option).json()["error"]["message"]
        assert "the script:4: options.ignore" in unknown
        assert "pears" in unknown
        assert client_of(server).messages.create(**asking()).content[0].text == "Hello!"  # type: ignore[union-attr]
        text = "version: 1\nformat: playhead-script\nscript: [Ahoy!, Ahoy again!]"
        assert httpx2.post(url, content=text).json() == {"ok": True}
        assert control(server, "verdict").json()["requests"] == 0
        assert client_of(server).messages.create(**asking()).content[0].text == "Ahoy!"  # type: ignore[union-attr]
        assert control(server, "reset", "POST").json() == {"ok": True}
        assert client_of(server).messages.create(**asking()).content[0].text == "Ahoy!"  # type: ignore[union-attr]
        assert httpx2.post(url, content=text.replace(", Ahoy again!", "")).json() == {"ok": True}
        client_of(server).messages.create(**asking())


def test_a_fake_that_is_made_already() -> None:
    """It is served as it is, and cannot begin anew."""
    fake = FakeClaude([say("Hello!")])
    with serve(fake) as server:
        client_of(server).messages.create(**asking())
        assert control(server, "reset", "POST").status_code == 400
    assert len(fake.session.exchanges) == 1
    with pytest.raises(SetupError, match="give level to FakeClaude"):
        serve(fake, level="warn")


def test_where_it_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    """On this machine alone; the environment says where, past any proxy, and a port that is taken is one sentence."""
    monkeypatch.setenv("NO_PROXY", "example.com")
    with serve([]) as server:
        assert server.env["ANTHROPIC_BASE_URL"] == server.url
        assert server.env["NO_PROXY"].split(",") == ["example.com", "127.0.0.1", "localhost"]
        port = int(server.url.rpartition(":")[2])
        with pytest.raises(SetupError, match=f"127.0.0.1:{port} cannot be listened on"):
            serve([], port=port).__enter__()
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((_other_address(), port), timeout=1)
    with pytest.raises(SetupError, match="has no address before it is started"):
        _ = serve([]).url
    with pytest.raises(SetupError, match=r"no address 'no\.such\.host\.invalid'"):
        serve([], host="no.such.host.invalid").__enter__()


def _other_address() -> str:
    """An address of this machine that is not the one listened on."""
    return "127.0.0.2" if os.uname().sysname == "Linux" else socket.gethostbyname(socket.gethostname())

"""The Python SDK as a client of the server: built by itself, from the environment, as any program does."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import anthropic
import pytest
from anthropic import beta_async_tool, beta_tool

from playhead import call, fail, say, serve, turn
from playhead.serving import Serving

MODEL = "claude-opus-5-5"
QUESTION: list[Any] = [{"role": "user", "content": "How high is the tide?"}]
SCRIPT = [turn(call("get_tide", port="Brest"), call("get_tide", port="Saint-Malo")), say("4.1 m and 9.8 m.")]


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Tells SDK clients of this process where a server is."""

    def tell(server: Serving) -> None:
        for name, value in server.env.items():
            monkeypatch.setenv(name, value)

    return tell


@beta_tool
def get_tide(port: str) -> str:
    """The height of the tide in a port."""
    return {"Brest": "4.1 m", "Saint-Malo": "9.8 m"}[port]


@beta_async_tool(name="get_tide")
async def get_tide_async(port: str) -> str:
    """The height of the tide in a port."""
    return {"Brest": "4.1 m", "Saint-Malo": "9.8 m"}[port]


def test_create(told: Any) -> None:
    """A client with nothing but the environment gets the script's reply."""
    with serve([say("4.1 m")]) as server:
        told(server)
        with anthropic.Anthropic() as client:
            message = client.messages.create(model=MODEL, max_tokens=64, messages=QUESTION)
        assert [block.text for block in message.content] == ["4.1 m"]


def test_stream(told: Any) -> None:
    """A stream comes in events, and adds up to the reply."""
    with serve([say("4.1 m, and rising")]) as server:
        told(server)
        with (
            anthropic.Anthropic() as client,
            client.messages.stream(model=MODEL, max_tokens=64, messages=QUESTION) as stream,
        ):
            texts = list(stream.text_stream)
            assert stream.get_final_message().stop_reason == "end_turn"
        assert "".join(texts) == "4.1 m, and rising"


def test_async_stream_and_create(told: Any) -> None:
    """The async client, a reply whole and one in events."""

    async def talk() -> list[str]:
        async with anthropic.AsyncAnthropic() as client:
            whole = await client.messages.create(model=MODEL, max_tokens=64, messages=QUESTION)
            async with client.messages.stream(model=MODEL, max_tokens=64, messages=QUESTION) as stream:
                streamed = await stream.get_final_message()
        return [block.text for message in (whole, streamed) for block in message.content]

    with serve([say("4.1 m"), say("4.2 m")], conversations="any") as server:
        told(server)
        assert asyncio.run(talk()) == ["4.1 m", "4.2 m"]


@pytest.mark.parametrize("streamed", [False, True], ids=["json", "stream"])
@pytest.mark.parametrize("threads", [True, False], ids=["threads", "no-threads"])
def test_tool_runner(threads: bool, streamed: bool, told: Any) -> None:
    """The SDK's tool runner runs both tools; with threads the server holds what was said before."""
    off: dict[str, Any] = {} if threads else {"thread": False}
    with serve(SCRIPT) as server:
        told(server)
        with anthropic.Anthropic() as client:
            runner = client.beta.messages.tool_runner(
                model=MODEL, max_tokens=64, messages=QUESTION, tools=[get_tide], stream=streamed, **off
            )
            assert runner.until_done().content[0].text == "4.1 m and 9.8 m."
        assert lengths(server) == ([1, 1] if threads else [1, 3])
        assert results(server) == ["4.1 m", "9.8 m"]
        assert server.verdict()["violations"] == []


@pytest.mark.parametrize("threads", [True, False], ids=["threads", "no-threads"])
def test_async_tool_runner(threads: bool, told: Any) -> None:
    """The async tool runner, likewise."""
    off: dict[str, Any] = {} if threads else {"thread": False}

    async def ask() -> Any:
        async with anthropic.AsyncAnthropic() as client:
            runner = client.beta.messages.tool_runner(
                model=MODEL, max_tokens=64, messages=QUESTION, tools=[get_tide_async], **off
            )
            return await runner.until_done()

    with serve(SCRIPT) as server:
        told(server)
        assert asyncio.run(ask()).content[0].text == "4.1 m and 9.8 m."
        assert lengths(server) == ([1, 1] if threads else [1, 3])
        assert results(server) == ["4.1 m", "9.8 m"]


def test_an_expired_thread_is_replayed(told: Any) -> None:
    """Where the server has forgotten a thread, the tool runner resends all; nothing is wrong with that."""

    @beta_tool(name="get_tide")
    def forgetting(port: str) -> str:
        """The height of the tide in a port; meanwhile the thread expires."""
        server.fake.expire_threads()
        return "4.1 m"

    with serve([call("get_tide", port="Brest"), say("4.1 m.")]) as server:
        told(server)
        with anthropic.Anthropic() as client:
            runner = client.beta.messages.tool_runner(model=MODEL, max_tokens=64, messages=QUESTION, tools=[forgetting])
            assert runner.until_done().content[0].text == "4.1 m."
        assert [exchange.status for exchange in server.fake.session.exchanges] == [200, 404, 200]


def test_an_overload_is_tried_again(told: Any) -> None:
    """The SDK tries again what the server answers with a 529."""
    with serve([fail(529), say("4.1 m")]) as server:
        told(server)
        with anthropic.Anthropic() as client:
            assert client.messages.create(model=MODEL, max_tokens=64, messages=QUESTION).content[0].text == "4.1 m"
        assert [exchange.retry_of for exchange in server.fake.session.exchanges] == [None, 1]


def test_a_refusal_has_the_words_of_the_api(told: Any) -> None:
    """What the API would refuse is refused in one request, with its words."""
    wrong: list[Any] = [{"role": "user", "content": ""}]
    with serve([say("never said")]) as server:
        told(server)
        with anthropic.Anthropic() as client, pytest.raises(anthropic.BadRequestError) as caught:
            client.messages.create(model=MODEL, max_tokens=64, messages=wrong)
        assert "user messages must have non-empty content" in str(caught.value)
        assert [violation["rule"] for violation in server.verdict()["violations"]] == ["content-nonempty-message"]
        server.reset()
        with anthropic.Anthropic() as client:
            client.messages.create(model=MODEL, max_tokens=64, messages=QUESTION)


def test_threads_of_a_program_share_the_server(told: Any) -> None:
    """Eight threads with a client each hold conversations of their own."""
    texts: list[str] = []

    def ask(number: int) -> None:
        with anthropic.Anthropic() as client:
            asked: list[Any] = [{"role": "user", "content": f"Number {number}?"}]
            texts.append(client.messages.create(model=MODEL, max_tokens=64, messages=asked).content[0].text)

    with serve(lambda request: say(request.text), conversations="any") as server:
        told(server)
        threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(texts) == [f"Number {number}?" for number in range(8)]


def lengths(server: Serving) -> list[int]:
    """How many messages each request had."""
    return [len(exchange.messages) for exchange in server.fake.session.exchanges]


def results(server: Serving) -> list[Any]:
    """What the last request brought as results."""
    blocks = server.fake.session.exchanges[-1].messages[-1]["content"]
    return [block["content"] for block in blocks]

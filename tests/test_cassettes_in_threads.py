"""Many threads that record and replay at once: each gets its own answers."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playhead import FakeClaude, load, record, say

THREADS, TURNS = 32, 4


def echoing() -> FakeClaude:
    return FakeClaude(lambda request: say(f"to {request.text}"), conversations="any", max_requests=10_000)


def talk(client: Any, name: str) -> list[str]:
    """A conversation of some turns; gives what was answered."""
    messages: list[Any] = []
    said = []
    for turn in range(TURNS):
        messages = [*messages, {"role": "user", "content": f"{name}/{turn}"}]
        reply = client.messages.create(model="claude-opus-5-5", max_tokens=64, messages=messages)
        said.append(reply.content[0].text)
        messages = [*messages, {"role": "assistant", "content": reply.content}]
    return said


def at_once(run: Callable[[int], object], count: int = THREADS) -> None:
    """Runs it in that many threads, which begin together; raises what one of them raises."""
    failed: list[BaseException] = []
    start = threading.Barrier(count)

    def body(number: int) -> None:
        try:
            start.wait(60)
            run(number)
        except BaseException as error:  # noqa: BLE001 - raised below, in the test's own thread
            failed.append(error)

    threads = [threading.Thread(target=body, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]


def expected(name: str) -> list[str]:
    return [f"to {name}/{turn}" for turn in range(TURNS)]


def test_one_recording_and_one_replay_shared_by_all(tmp_path: Path) -> None:
    """32 conversations go through one recorder; the recording holds each whole, and answers each with its own."""
    path = tmp_path / "shared.yaml"

    def same(client: Any) -> Callable[[int], None]:
        def run(number: int) -> None:
            assert talk(client, f"t{number}") == expected(f"t{number}")

        return run

    with record(path, upstream=echoing().transport) as recording:
        at_once(same(recording.client(api_key="k")))
    session = load(path)
    assert session.finished
    assert len(session.conversations) == THREADS
    assert {len(conversation.turns) for conversation in session.conversations} == {TURNS}
    for conversation in session.conversations:
        for exchange in conversation.exchanges:
            assert exchange.request is not None
            assert exchange.response is not None
            asked = exchange.request["messages"][-1]["content"]
            assert exchange.response["content"][0]["text"] == f"to {asked}"
    with FakeClaude.from_cassette(path) as fake:
        at_once(same(fake.client()))


def test_recordings_and_replays_side_by_side(tmp_path: Path) -> None:
    """Half of the threads record while the others replay; no file holds what another thread said."""
    for number in range(0, THREADS, 2):
        with record(tmp_path / f"{number}.yaml", upstream=echoing().transport) as recording:
            talk(recording.client(api_key="k"), f"t{number}")

    def run(number: int) -> None:
        path = tmp_path / f"{number}.yaml"
        if number % 2:
            with record(path, upstream=echoing().transport) as recording:
                assert talk(recording.client(api_key="k"), f"t{number}") == expected(f"t{number}")
        else:
            with FakeClaude.from_cassette(path) as fake:
                assert talk(fake.client(), f"t{number}") == expected(f"t{number}")

    at_once(run)
    for number in range(THREADS):
        session = load(tmp_path / f"{number}.yaml")
        assert session.finished
        said = [exchange.response["content"][0]["text"] for exchange in session.exchanges if exchange.response]
        assert said == expected(f"t{number}")

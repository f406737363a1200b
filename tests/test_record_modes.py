"""The modes of a recording: replay never asks, record asks for what is new, rewrite for everything."""

from __future__ import annotations

import re
import threading
from pathlib import Path
from typing import Any

import anthropic
import pytest

from playhead import FakeClaude, RecordingError, RequestMismatch, SetupError, fail, load, record, say
from playhead.cassettes.document import read, write

MODEL = "claude-opus-5-5"


def talk(client: anthropic.Anthropic, *texts: str) -> list[str]:
    """A conversation of these user texts; gives the replies."""
    messages: list[Any] = []
    replies = []
    for text in texts:
        messages.append({"role": "user", "content": text})
        reply = client.messages.create(model=MODEL, max_tokens=64, messages=messages)
        messages.append({"role": "assistant", "content": [block.to_dict() for block in reply.content]})
        replies.append(reply.content[0].text)  # type: ignore[union-attr]
    return replies


def source(*texts: str) -> FakeClaude:
    return FakeClaude([say(text) for text in texts], conversations="any")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A cassette of two turns."""
    path = tmp_path / "session.yaml"
    with record(path, upstream=source("a", "b").transport) as recording:
        assert talk(recording.client(api_key="k"), "one", "two") == ["a", "b"]
    return path


def test_replay_is_the_fake(path: Path) -> None:
    """The same object as `from_cassette` gives; the upstream is never asked."""
    upstream = source("never")
    with record(path, upstream=upstream.transport, mode="replay") as fake:
        assert isinstance(fake, FakeClaude)
        assert talk(fake.client(), "one", "two") == ["a", "b"]
    assert upstream.session.exchanges == ()
    fake = record(path, mode="replay")
    with pytest.raises(anthropic.BadRequestError):
        talk(fake.client(), "another")
    assert isinstance(fake.failure(), RequestMismatch)


def test_a_missing_cassette_says_how_to_record_it(tmp_path: Path) -> None:
    """And is not made."""
    with pytest.raises(RecordingError, match=r"there is no such cassette; record it: .*playhead\.record"):
        record(tmp_path / "none.yaml", mode="replay")
    assert [*tmp_path.iterdir()] == []


def test_record_where_all_is_recorded_touches_nothing(path: Path) -> None:
    """Not the file, not its time, not the API."""
    before, upstream = (path.read_bytes(), path.stat().st_mtime_ns), source("never")
    with record(path, upstream=upstream.transport, mode="record") as recording:
        assert talk(recording.client(api_key="k"), "one", "two") == ["a", "b"]
        assert "2 played" in repr(recording)
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert upstream.session.exchanges == ()
    assert [*path.parent.iterdir()] == [path]


def test_record_appends_only_what_is_new(path: Path) -> None:
    """What was there stays to the byte; what is new lists only what it adds."""
    before, upstream = path.read_text(), source("c", "d")
    with record(path, upstream=upstream.transport, mode="record") as recording:
        assert talk(recording.client(api_key="k"), "one", "two", "three", "four") == ["a", "b", "c", "d"]
        assert path.read_text() == before, "the old file stands until the new one has come to its end"
    after = path.read_text()
    assert len(upstream.session.exchanges) == 2
    assert after.startswith(before.removesuffix("finished: 2\n"))
    assert after.endswith("# end 4\nfinished: 4\n")
    assert after.count("add:\n    - reply\n") + after.count("- {reply: ") + after.count("- reply:") == 3
    assert "one" not in after[len(before) :]
    cassette = read(path.read_bytes())
    assert write(cassette.interactions, recorded=cassette.recorded) == path.read_bytes()
    with FakeClaude.from_cassette(path) as fake:
        assert talk(fake.client(), "one", "two", "three", "four") == ["a", "b", "c", "d"]
    assert [*path.parent.iterdir()] == [path]


def test_record_keeps_what_people_wrote_into_a_cassette(path: Path) -> None:
    """Comments and edited replies."""
    edited = (
        path.read_text().replace("interactions:\n", "# how we greet\ninteractions:\n").replace("text: b", "text: B")
    )
    path.write_text(edited)
    with record(path, upstream=source("c").transport, mode="record") as recording:
        assert talk(recording.client(api_key="k"), "one", "two", "three") == ["a", "B", "c"]
    assert path.read_text().startswith(edited.removesuffix("finished: 2\n"))
    assert load(path).finished


SHAPES = {
    "finished is not the last": lambda text: "finished: 2\n" + text.replace("finished: 2\n", ""),
    "other indents": lambda text: re.sub(
        r"(?m)^(?=[ #-])", "  ", text.partition("interactions:\n")[2].replace("finished: 2\n", "")
    ).join(("version: 1\nformat: playhead\ninteractions:\n", "finished: 2\n")),
    "no comments": lambda text: re.sub(r"(?m)^# end .*\n", "", text),
    "windows line ends": lambda text: text.replace("\n", "\r\n"),
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_record_goes_on_whatever_shape_a_cassette_was_given(shape: Any, path: Path) -> None:
    """Where nothing can follow its text, the text is written anew, and says the same."""
    path.write_bytes(shape(path.read_text()).encode())
    with record(path, upstream=source("c").transport, mode="record") as recording:
        assert talk(recording.client(api_key="k"), "one", "two", "three") == ["a", "b", "c"]
    with FakeClaude.from_cassette(path) as fake:
        assert talk(fake.client(), "one", "two", "three") == ["a", "b", "c"]


def test_record_without_a_cassette_makes_one(tmp_path: Path) -> None:
    """As `rewrite` does."""
    path = tmp_path / "deep" / "new.yaml"
    with record(path, upstream=source("a").transport, mode="record") as recording:
        assert talk(recording.client(api_key="k"), "one") == ["a"]
    assert load(path).finished


def test_what_is_new_is_kept_where_the_code_raises(path: Path) -> None:
    """It was paid for; the file says that it is unfinished, and the next run goes on from there."""
    before = path.read_text().removesuffix("finished: 2\n")
    with pytest.raises(ZeroDivisionError):
        broken(path, source("c"))
    assert path.read_text().startswith(before)
    assert (load(path).finished, len(load(path).exchanges)) == (False, 3)
    with record(path, upstream=source("never").transport, mode="record") as recording:
        assert talk(recording.client(api_key="k"), "one", "two", "three") == ["a", "b", "c"]
    assert (load(path).finished, len(load(path).exchanges)) == (True, 3)


def broken(path: Path, upstream: FakeClaude) -> None:
    with record(path, upstream=upstream.transport, mode="record") as recording:
        talk(recording.client(api_key="k"), "one", "two", "three")
        raise ZeroDivisionError


def test_a_recorded_failure_is_replayed_once(tmp_path: Path) -> None:
    """A retry finds the next recorded answer."""
    path = tmp_path / "failed.yaml"
    upstream = FakeClaude([fail(529), say("a")])
    with record(path, upstream=upstream.transport) as recording:
        talk(recording.client(api_key="k"), "one")
    with record(path, upstream=source("never").transport, mode="record") as recording:
        assert talk(recording.client(api_key="k"), "one") == ["a"]


def test_what_is_volatile_is_not_new(path: Path) -> None:
    """Requests are matched as a replay matches them."""
    with record(path, upstream=source("never").transport, mode="record", volatile=str.lower) as recording:
        assert talk(recording.client(api_key="k"), "ONE", "Two") == ["a", "b"]


def test_rewrite_asks_for_everything(path: Path) -> None:
    """The old file stands until the new one has come to its end."""
    before = path.read_bytes()
    with record(path, upstream=source("x").transport, mode="rewrite") as recording:
        assert talk(recording.client(api_key="k"), "one") == ["x"]
        assert path.read_bytes() == before
    assert [exchange.content for exchange in load(path).exchanges] == [[{"type": "text", "text": "x"}]]


def test_a_mode_that_is_none(path: Path) -> None:
    """The sentence says what each of the three does."""
    with pytest.raises(SetupError, match=r"not 'new_episodes' \('replay': only what is recorded; 'record': .* anew\)"):
        record(path, mode="new_episodes")  # type: ignore[call-overload]


@pytest.mark.parametrize("there", [True, False])
def test_recordings_of_one_file_at_once(there: bool, path: Path) -> None:
    """Each is whole, the last to end stays; none writes into another's."""
    if not there:
        path.unlink()
    begun = threading.Barrier(4)

    def one(number: int) -> None:
        with record(path, upstream=source(*[str(number)] * 5).transport) as recording:
            begun.wait()
            talk(recording.client(api_key="k"), *"abcde")

    threads = [threading.Thread(target=one, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    session = load(path)
    assert session.finished
    assert len({str(exchange.content) for exchange in session.exchanges}) == 1
    assert len(session.exchanges) == 5
    assert [*path.parent.iterdir()] == [path]

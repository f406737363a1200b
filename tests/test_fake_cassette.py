"""FakeClaude.from_cassette under the real SDK: what was recorded is what a client gets, whoever asks and when."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import anthropic
import httpx2
import pytest

from playhead import (
    CassetteNotFinished,
    Delivery,
    FakeClaude,
    RecordingError,
    Request,
    RequestLimitReached,
    RequestMismatch,
    RuleViolations,
    SetupError,
    call,
    cut,
    drop,
    fail,
    say,
    think,
    turn,
)
from playhead.cassettes.interaction import Answer, Interaction
from playhead.script.steps import Step
from playhead.wire.stream import accumulate
from taping import ASK, HEADERS, MODEL, Recorder, cassette, raw, said, tape_of

SCHEMA = {"type": "object", "properties": {"a": {"type": "number", "minimum": 1}}}
TOOLS: list[Any] = [{"name": "add", "description": "adds", "input_schema": SCHEMA}]
SCRIPT = [
    turn(think("Two sums."), say("Let me see: 3 und 7 ✓"), call("add", a=1, b=2), call("add", a=3, b=4)),
    turn(say("One more."), call("add", a=3, b=7)),
    say("Ten."),
]
Ask = Callable[[Any, list[Any]], Any]


@pytest.fixture(autouse=True)
def no_sleep(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever sleeps here is backing off after an answer that must not be tried again."""

    def forbidden(seconds: float) -> None:
        assert seconds < 0.01, f"something slept for {seconds} s"

    monkeypatch.setattr(time, "sleep", forbidden)


def arguments(messages: list[Any], **more: Any) -> dict[str, Any]:
    return {"model": MODEL, "max_tokens": 64, "messages": messages, "tools": TOOLS, **more}


def follow_up(messages: list[Any], message: Any) -> list[Any]:
    """The history after a reply, with the results of its calls."""
    results = [
        {"type": "tool_result", "tool_use_id": block.id, "content": str(block.input["a"] + block.input["b"])}
        for block in message.content
        if block.type == "tool_use"
    ]
    return [*messages, {"role": "assistant", "content": message.content}, {"role": "user", "content": results}]


def loop(client: Any, ask: Ask, text: str = "What is 1 + 2, and 3 + 4?") -> list[Any]:
    """A loop without a fault. Returns every reply."""
    messages: list[Any] = [{"role": "user", "content": text}]
    replies = []
    while True:
        replies.append(ask(client, messages))
        if replies[-1].stop_reason != "tool_use":
            return replies
        messages = follow_up(messages, replies[-1])


async def async_loop(client: Any, ask: Callable[[Any, list[Any]], Awaitable[Any]], text: str = "hi") -> list[Any]:
    """The same, async; it gives way to others between its turns."""
    messages: list[Any] = [{"role": "user", "content": text}]
    replies = []
    while True:
        replies.append(await ask(client, messages))
        await asyncio.sleep(0)
        if replies[-1].stop_reason != "tool_use":
            return replies
        messages = follow_up(messages, replies[-1])


def recorder(*script: Step | Callable[[Request], Step], **options: Any) -> Recorder:
    return Recorder(FakeClaude(list(script), **options))


def client_of(recorder: Recorder, **options: Any) -> anthropic.Anthropic:
    return anthropic.Anthropic(api_key="k", http_client=httpx2.Client(transport=recorder), **options)


def async_client_of(recorder: Recorder) -> anthropic.AsyncAnthropic:
    return anthropic.AsyncAnthropic(api_key="k", http_client=httpx2.AsyncClient(transport=recorder))


def _streamed(namespace: Any, messages: list[Any]) -> Any:
    with namespace.stream(**arguments(messages)) as stream:
        return stream.get_final_message()


def _raw_streamed(client: anthropic.Anthropic, messages: list[Any]) -> Any:
    """The message that the events of a raw stream make."""
    events = [event.to_dict() for event in client.messages.create(**arguments(messages), stream=True)]
    return anthropic.types.Message.model_validate(accumulate(events).message)


WAYS: dict[str, Ask] = {
    "create": lambda client, messages: client.messages.create(**arguments(messages)),
    "create with a raw stream": _raw_streamed,
    "stream": lambda client, messages: _streamed(client.messages, messages),
    "beta.create": lambda client, messages: client.beta.messages.create(**arguments(messages)),
    "beta.stream": lambda client, messages: _streamed(client.beta.messages, messages),
    "with_raw_response": lambda client, messages: client.messages.with_raw_response.create(
        **arguments(messages)
    ).parse(),
}


@pytest.mark.parametrize("ask", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("chunks", ["whole", "event", 7])
def test_what_is_recorded_is_replayed(tmp_path: Path, ask: Ask, chunks: Any) -> None:
    """A loop with thinking and parallel calls gets the same messages, from the same pieces, twice over."""
    recording = recorder(*SCRIPT, delivery=Delivery(chunks=chunks))
    replies = loop(client_of(recording), ask)
    assert len(replies) == 3
    path = cassette(tmp_path / "a.yaml", recording.interactions)
    for _ in range(2):
        with FakeClaude.from_cassette(path) as fake:
            again = Recorder(fake)
            assert [reply.to_dict() for reply in loop(client_of(again), ask)] == [reply.to_dict() for reply in replies]
        assert [one.answer for one in again.interactions] == [one.answer for one in recording.interactions]


async def _async_stream(client: Any, messages: list[Any]) -> Any:
    async with client.messages.stream(**arguments(messages)) as stream:
        return await stream.get_final_message()


ASYNC_WAYS: dict[str, Callable[[Any, list[Any]], Awaitable[Any]]] = {
    "create": lambda client, messages: client.messages.create(**arguments(messages)),
    "stream": _async_stream,
}


@pytest.mark.parametrize("ask", ASYNC_WAYS.values(), ids=ASYNC_WAYS)
def test_what_is_recorded_is_replayed_async(tmp_path: Path, ask: Callable[[Any, list[Any]], Awaitable[Any]]) -> None:
    """The same in an async client; and a sync recording serves it too."""
    recording = recorder(*SCRIPT, delivery=Delivery(chunks="event"))
    replies = asyncio.run(async_loop(async_client_of(recording), ask))
    with FakeClaude.from_cassette(cassette(tmp_path / "a.yaml", recording.interactions)) as fake:
        again = asyncio.run(async_loop(fake.async_client(), ask))
    assert [reply.to_dict() for reply in again] == [reply.to_dict() for reply in replies]


def test_token_counts_and_models_are_replayed(tmp_path: Path) -> None:
    """Whatever the SDK asks for besides messages."""
    models = b'{"data":[{"id":"claude-opus-5-5","type":"model"}],"has_more":false,"first_id":null,"last_id":null}'
    recording = recorder()
    asked = client_of(recording)
    counted = asked.messages.count_tokens(model=MODEL, messages=[ASK]).input_tokens  # type: ignore[list-item]
    answer = Answer(headers={"content-type": "application/json"}, body=models)
    listing = Interaction(method="GET", path="/v1/models?limit=3", answer=answer)
    with FakeClaude.from_cassette(cassette(tmp_path / "a.yaml", [*recording.interactions, listing])) as fake:
        client = fake.client()
        assert client.messages.count_tokens(model=MODEL, messages=[ASK]).input_tokens == counted  # type: ignore[list-item]
        assert [model.id for model in client.models.list(limit=3).data] == ["claude-opus-5-5"]
    lost = FakeClaude.from_cassette(tmp_path / "a.yaml")
    with pytest.raises(anthropic.BadRequestError, match="holds no GET /v1/models/x"):
        lost.client().models.retrieve("x")


def test_a_tool_runner_on_a_server_held_thread(tmp_path: Path) -> None:
    """Only what is new is sent, with the id of the reply that it goes on from; the recording knows that id."""

    @anthropic.beta_tool
    def add(a: int, b: int) -> str:
        """Adds."""
        return str(a + b)

    def run(client: anthropic.Anthropic) -> Any:
        runner = client.beta.messages.tool_runner(model=MODEL, max_tokens=64, messages=[ASK], tools=[add])  # type: ignore[list-item]
        return [message.to_dict() for message in runner]

    recording = recorder(*SCRIPT)
    replies = run(client_of(recording))
    assert b'"thread"' in recording.interactions[1].body.to_bytes()
    with FakeClaude.from_cassette(cassette(tmp_path / "a.yaml", recording.interactions)) as fake:
        assert run(fake.client()) == replies


def test_a_long_loop(tmp_path: Path) -> None:
    """100 turns with results of 2 KB: the work on a request does not grow with what came before it."""
    seen: list[int] = []

    def count(text: str) -> str:
        seen.append(len(text))
        return text

    def build(turns: int) -> int:
        calls, history = [], [ASK]
        for number in range(turns):
            calls.append(([*history], said(f"reply {number}")))
            reply = {"role": "assistant", "content": [{"type": "text", "text": f"reply {number}"}]}
            history += [reply, {"role": "user", "content": f"{number}" + "x" * 2000}]
        path = cassette(tmp_path / "long.yaml", tape_of(*calls).interactions)
        fake = FakeClaude.from_cassette(path, volatile=count)
        seen.clear()
        with fake, httpx2.Client(transport=fake.transport, base_url="https://api.anthropic.com") as client:
            for messages, _ in calls:
                assert client.post("/v1/messages", content=raw(*messages), headers=HEADERS).status_code == 200
        return sum(seen)

    once, twice = build(50), build(100)
    assert once > 49 * 2000
    assert twice < 2.1 * once


def test_a_client_tries_again_as_it_did(tmp_path: Path) -> None:
    """A 529 and a 429 on the way: the SDK asks three times, and waits for none of them."""
    recording = recorder(fail(529), fail(429), say("Done."))
    client_of(recording).messages.create(**arguments([ASK]))
    with FakeClaude.from_cassette(cassette(tmp_path / "a.yaml", recording.interactions)) as fake:
        assert fake.client().messages.create(**arguments([ASK])).content[0].text == "Done."
        assert [exchange.status for exchange in fake.session.exchanges] == [529, 429, 200]
        assert [exchange.retry_of for exchange in fake.session.exchanges] == [None, 1, 2]


BROKEN: dict[str, Any] = {
    "connect": drop("connect"),
    "read": drop("read"),
    "timeout": drop("timeout"),
    "a stream cut off": cut(say("It will be Monday."), events=3),
    "a stream closed": cut(say("It will be Monday."), events=3, how="close"),
    "a stream that ends as if it were whole": cut(say("It will be Monday."), events=3, how="end"),
    "an error event": cut(say("It will be Monday."), events=3, how="error"),
}


@pytest.mark.parametrize("step", BROKEN.values(), ids=BROKEN)
def test_faults_are_replayed(tmp_path: Path, step: Any) -> None:
    """A raw stream ends, or raises, as it did: the same class and text after the same events."""

    def run(client: anthropic.Anthropic) -> tuple[list[Any], str]:
        events = []
        try:
            for event in client.messages.create(**arguments([ASK]), stream=True):
                events.append(event.to_dict())
        except Exception as error:  # noqa: BLE001, whatever it raises is compared
            return events, repr(error)
        return events, ""

    recording = recorder(step)
    expected = run(client_of(recording, max_retries=0))
    with FakeClaude.from_cassette(cassette(tmp_path / "a.yaml", recording.interactions)) as fake:
        assert run(fake.client(max_retries=0)) == expected


def test_times_are_those_of_the_recording(tmp_path: Path) -> None:
    """They add up under a clock that costs no time; a sleep of the test's own gets each pause."""
    recording = recorder(say("Hello there."), delivery=Delivery(chunks="event"))
    _streamed(client_of(recording).messages, [ASK])
    (one,) = recording.interactions
    count = len(one.answer.chunks)
    times = tuple(range(1000, 1000 + 100 * count, 100))
    path = cassette(tmp_path / "a.yaml", [replace(one, answer=replace(one.answer, times=times))])
    pauses: list[float] = []
    for sleep in (None, pauses.append):
        with FakeClaude.from_cassette(path, sleep=sleep) as fake:
            _streamed(fake.client().messages, [ASK])
            assert fake.waited == pytest.approx(1 + 0.1 * (count - 1))
    assert pauses == pytest.approx([1.0] + [0.1] * (count - 1))


# Many at once


def telling(request: Request) -> Any:
    """Replies that name their conversation and turn: two of them are never the same."""
    name = request.messages[0]["content"]
    turns = sum(message["role"] == "assistant" for message in request.messages)
    if turns == 3:
        return say(f"{name} is done")
    return turn(say(f"{name}, turn {turns}"), call("add", a=turns, b=len(name)))


def many(tmp_path: Path, count: int, ask: Ask) -> tuple[Path, dict[str, list[Any]]]:
    """A recording of so many conversations, one after the other, and the replies of each."""
    recording = Recorder(FakeClaude(telling, conversations="any", max_requests=10_000))
    client = client_of(recording)
    names = [f"conversation {number}" for number in range(count)]
    expected = {name: [reply.to_dict() for reply in loop(client, ask, name)] for name in names}
    return cassette(tmp_path / "many.yaml", recording.interactions), expected


@pytest.mark.parametrize("way", ["create", "stream"])
def test_threads_replay_one_cassette(tmp_path: Path, way: str) -> None:
    """32 threads and 40 conversations: each gets its own replies, whoever comes first."""
    path, expected = many(tmp_path, 40, WAYS[way])
    with FakeClaude.from_cassette(path) as fake, ThreadPoolExecutor(32) as pool:
        client = fake.client()
        replies = [*pool.map(lambda name: loop(client, WAYS[way], name), reversed(expected))]
        assert [[reply.to_dict() for reply in its] for its in replies] == [*reversed(expected.values())]
        assert len(fake.session.conversations) == 40


def test_tasks_replay_one_cassette(tmp_path: Path) -> None:
    """100 tasks, turn by turn among each other."""
    path, expected = many(tmp_path, 100, WAYS["create"])

    async def run(fake: FakeClaude) -> list[list[Any]]:
        client = fake.async_client()
        return await asyncio.gather(*(async_loop(client, ASYNC_WAYS["create"], name) for name in reversed(expected)))

    with FakeClaude.from_cassette(path) as fake:
        replies = asyncio.run(run(fake))
    assert [[reply.to_dict() for reply in its] for its in replies] == [*reversed(expected.values())]


def test_identical_requests_at_once(tmp_path: Path) -> None:
    """40 threads send the same first request: each recorded reply is played once, and goes on as it did."""
    counter: Iterator[int] = iter(range(1000))

    def numbered(request: Request) -> Any:
        return say(f"reply {next(counter)}") if len(request.messages) == 1 else say(f"after {request.messages[1]}")

    recording = Recorder(FakeClaude(numbered, conversations="any", max_requests=1000))
    client = client_of(recording)

    def two_turns(client: anthropic.Anthropic) -> tuple[str, str]:
        first = client.messages.create(**arguments([ASK]))
        second = client.messages.create(**arguments([ASK, {"role": "assistant", "content": first.content}, ASK]))
        return first.content[0].text, second.content[0].text

    expected = [two_turns(client) for _ in range(40)]
    with FakeClaude.from_cassette(cassette(tmp_path / "a.yaml", recording.interactions)) as fake:
        replayed = fake.client()
        with ThreadPoolExecutor(40) as pool:
            replies = [*pool.map(lambda _: two_turns(replayed), range(40))]
    assert sorted(replies) == sorted(expected)


# What may differ, and what may not


def one_call(tmp_path: Path, **members: Any) -> Path:
    recording = recorder(say("Done."), conversations="any")
    client_of(recording).messages.create(**arguments([{"role": "user", "content": "It is 2025-01-01."}], **members))
    return cassette(tmp_path / "a.yaml", recording.interactions)


DATED = "It is 2025-01-01."
TOLERATED: dict[str, dict[str, Any]] = {
    "blocks": {"messages": [{"role": "user", "content": [{"type": "text", "text": DATED}]}]},
    "cache_control": {
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": DATED, "cache_control": {"type": "ephemeral"}}]}
        ],
        "tools": [{**TOOLS[0], "cache_control": {"type": "ephemeral"}}],
    },
    "key order": {
        "messages": [{"content": DATED, "role": "user"}],
        "tools": [dict(reversed(TOOLS[0].items()))],
    },
    "null": {"extra_body": {"stop_sequences": None}},
    "metadata": {"metadata": {"user_id": "somebody"}},
    "1.0": {
        "tools": [{**TOOLS[0], "input_schema": {**SCHEMA, "properties": {"a": {"type": "number", "minimum": 1.0}}}}]
    },
    "stream false": {"stream": False},
    "a header": {"extra_headers": {"anthropic-beta": "files-api-2025-04-14"}},
}


@pytest.mark.parametrize("change", TOLERATED.values(), ids=TOLERATED)
def test_what_never_carries_meaning(tmp_path: Path, change: dict[str, Any]) -> None:
    """Another way to write the same request gets the same answer."""
    with FakeClaude.from_cassette(one_call(tmp_path)) as fake:
        request = {**arguments([{"role": "user", "content": DATED}]), **change}
        assert fake.client().messages.create(**request).content[0].text == "Done."


LEFT: dict[str, tuple[dict[str, Any], str, str]] = {
    "another model": ({"model": "claude-haiku-4-5"}, "$.model", "the model changed"),
    "another tool": ({"tools": [{**TOOLS[0], "name": "sub"}]}, "$.tools[0].name", "sub is new, add is gone"),
    "a system prompt": ({"system": "Be brief."}, "$.system", "the system prompt changed"),
    "more tokens": ({"max_tokens": 65}, "$.max_tokens", "the parameter max_tokens changed"),
    "another day": ({"messages": [{"role": "user", "content": "It is 2026-11-29."}]}, "$.messages[0].content", "clock"),
    "another question": ({"messages": [ASK]}, "$.messages[0].content", "what the user says is another text"),
}


@pytest.mark.parametrize(("change", "path", "likely"), LEFT.values(), ids=LEFT)
def test_where_a_request_leaves_the_recording(tmp_path: Path, change: dict[str, Any], path: str, likely: str) -> None:
    """The client gets a 400 in one request, with the sentence; the test fails with the same, whatever the loop did."""
    fake = FakeClaude.from_cassette(one_call(tmp_path), accept="pytest a.py::b --playhead=rewrite")
    with pytest.raises(anthropic.BadRequestError) as caught:
        fake.client().messages.create(**{**arguments([{"role": "user", "content": DATED}]), **change})
    assert likely in caught.value.message
    assert len(fake.session.exchanges) == 1
    with pytest.raises(RequestMismatch) as failed:
        fake.assert_ok()
    assert (failed.value.path, failed.value.turn) == (path, 1)
    assert likely in failed.value.likely
    assert failed.value.accept == "pytest a.py::b --playhead=rewrite"
    assert failed.value.cassette == os.fspath(tmp_path / "a.yaml")


VOLATILE: list[Any] = [
    "dates",
    ["dates", "ids"],
    "$.messages[0].content",
    "$.messages[*].content[0].text",
    "/2[0-9-]+/",
    lambda text: text.replace("2026-11-29", "2025-01-01"),
]


@pytest.mark.parametrize("volatile", VOLATILE, ids=lambda value: "function" if callable(value) else str(value))
def test_what_a_test_declares_volatile(tmp_path: Path, volatile: Any) -> None:
    """By name, place, pattern or function."""
    with FakeClaude.from_cassette(one_call(tmp_path), volatile=volatile) as fake:
        asked = fake.client().messages.create(**arguments([{"role": "user", "content": "It is 2026-11-29."}]))
        assert asked.content[0].text == "Done."


def test_an_error_that_ends_the_test_says_what_the_fake_saw(tmp_path: Path) -> None:
    """The SDK's error is what the test fails with; the mismatch is its note."""
    with pytest.raises(anthropic.BadRequestError) as caught, FakeClaude.from_cassette(one_call(tmp_path)) as fake:
        fake.client().messages.create(**arguments([ASK]))
    assert "RequestMismatch: turn 1 of" in "".join(caught.value.__notes__)


def test_what_is_left_over_fails(tmp_path: Path) -> None:
    """The loop stopped before the recording did; not where the test says that this is fine."""
    recording = recorder(*SCRIPT)
    loop(client_of(recording), WAYS["create"])
    path = cassette(tmp_path / "a.yaml", recording.interactions)
    fake = FakeClaude.from_cassette(path)
    fake.client().messages.create(**arguments([{"role": "user", "content": "What is 1 + 2, and 3 + 4?"}]))
    with pytest.raises(CassetteNotFinished, match="2 of 3 recorded exchanges"):
        fake.assert_ok()
    assert repr(fake) == f"<FakeClaude: {path}, 1 of 3 played, 1 exchanges>"
    with FakeClaude.from_cassette(path, strict=False):
        pass


def test_rules_judge_a_replay(tmp_path: Path) -> None:
    """What was recorded is answered, and what is wrong with it is said; an ignored rule says nothing."""
    recording = recorder(turn(call("add", a=1, b=2)), say("So?"), strict=False)
    client = client_of(recording)

    def careless(client: anthropic.Anthropic) -> str:
        first = client.messages.create(**arguments([ASK]))
        second = client.messages.create(**arguments([ASK, {"role": "assistant", "content": first.content}, ASK]))
        return second.content[0].text

    careless(client)
    path = cassette(tmp_path / "a.yaml", recording.interactions)
    fake = FakeClaude.from_cassette(path)
    assert careless(fake.client()) == "So?"
    with pytest.raises(RuleViolations, match="tool-use-unanswered"):
        fake.assert_ok()
    with FakeClaude.from_cassette(path, ignore=["tool-use-unanswered"]) as ignoring:
        careless(ignoring.client())
    with FakeClaude.from_cassette(path) as expecting, expecting.expect("tool-use-unanswered"):
        careless(expecting.client())


def test_one_conversation_by_declaration(tmp_path: Path) -> None:
    """Two are recorded: with "one", the second is a history that was dropped."""
    path = cassette(
        tmp_path / "a.yaml", tape_of(([ASK], said("a")), ([{**ASK, "content": "ho"}], said("b"))).interactions
    )
    for conversations in ("any", "one"):
        fake = FakeClaude.from_cassette(path, conversations=conversations)  # type: ignore[arg-type]
        with httpx2.Client(transport=fake.transport, base_url="https://api.anthropic.com") as client:
            for content in ("hi", "ho"):
                body = raw({**ASK, "content": content})
                assert client.post("/v1/messages", content=body, headers=HEADERS).status_code == 200
        assert (fake.failure() is None) is (conversations == "any")


def test_the_cap_is_ten_more_than_the_recording_holds(tmp_path: Path) -> None:
    """A loop that does not end is stopped soon; the test may say otherwise."""
    path = one_call(tmp_path)
    for options, limit in (({}, 11), ({"max_requests": 3}, 3)):
        fake = FakeClaude.from_cassette(path, **options)  # type: ignore[arg-type]
        client = fake.client()
        for _ in range(limit):
            with pytest.raises(anthropic.BadRequestError):
                client.messages.create(**arguments([ASK]))
        with pytest.raises(RequestLimitReached) as caught:
            client.messages.create(**arguments([ASK]))
        assert caught.value.limit == limit


# Files


def test_a_cassette_that_is_not_there(tmp_path: Path) -> None:
    """One sentence, and the command that records it."""
    path = tmp_path / "none.yaml"
    with pytest.raises(RecordingError) as caught:
        FakeClaude.from_cassette(path, accept="pytest a.py::b --playhead=rewrite")
    assert str(caught.value) == f"{path}: there is no such cassette; record it: pytest a.py::b --playhead=rewrite"
    with pytest.raises(RecordingError, match=r'record it: with playhead.record\("') as caught:
        FakeClaude.from_cassette(path)


UNREADABLE: dict[str, tuple[bytes, str, int | None, str | None]] = {
    "no YAML": (b"version: 1\nformat: [\n", "this is no YAML", 3, None),
    "another format": (b"version: 1\ninteractions: []\n", "this is no Playhead cassette", 1, "format"),
    "a field": (
        b"version: 1\nformat: playhead\ninteractions:\n- request: {add: []}\n  response: {status: ok}\nfinished: 1\n",
        "an HTTP status is needed",
        5,
        "interactions[0].response.status",
    ),
}


@pytest.mark.parametrize(("data", "reason", "line", "field"), UNREADABLE.values(), ids=UNREADABLE)
def test_a_cassette_that_cannot_be_read(
    tmp_path: Path, data: bytes, reason: str, line: int | None, field: str | None
) -> None:
    """File, line and field."""
    path = tmp_path / "a.yaml"
    path.write_bytes(data)
    with pytest.raises(RecordingError) as caught:
        FakeClaude.from_cassette(path)
    assert caught.value.reason.startswith(reason)
    assert (caught.value.path, caught.value.line, caught.value.field) == (os.fspath(path), line, field)


def test_an_unfinished_cassette_is_played_as_far_as_it_goes(tmp_path: Path) -> None:
    """What was recorded answers; what comes after says that the recording was cut short."""
    recording = recorder(*SCRIPT)
    loop(client_of(recording), WAYS["create"])
    path = cassette(tmp_path / "a.yaml", recording.interactions[:2], finished=False)
    fake = FakeClaude.from_cassette(path)
    with pytest.raises(anthropic.BadRequestError, match="the recording was cut short after 2 exchanges"):
        loop(fake.client(), WAYS["create"])


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"volatile": "date"}, "there is no volatile rule 'date'"),
        ({"conversations": "each"}, "conversations of a cassette is 'one' or 'any', not 'each'"),
        ({"max_requests": 0}, "max_requests is at least 1, not 0"),
        ({"level": "bad"}, "level is one of"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_options_that_make_no_sense(tmp_path: Path, options: dict[str, Any], sentence: str) -> None:
    """One sentence, before anything is asked."""
    with pytest.raises(SetupError) as caught:
        FakeClaude.from_cassette(one_call(tmp_path), **options)
    assert str(caught.value).startswith(sentence)

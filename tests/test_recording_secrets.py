"""Recording without secrets: forty and more are planted wherever they may stand, and none reaches a file."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import anthropic
import httpx2
import pytest

from cassettes.planted import SECRETS
from playhead import FakeClaude, SecretFound, SetupError, call, cut, deliver, load, record, say, turn
from playhead.cassettes.document import read
from playhead.cassettes.secrets import PATTERNS, Pattern

MODEL = "claude-opus-5-5"
TOOLS: list[Any] = [{"name": "look", "description": "looks", "input_schema": {"type": "object"}}]
ALL = [*SECRETS.values()]
assert len(ALL) >= 40


def files_with(folder: Path, secrets: Iterable[str]) -> list[str]:
    """Which files hold which secrets, in whatever way JSON, YAML and URLs write them."""
    found = []
    for file in folder.rglob("*"):
        if file.is_file():
            text = re.sub(r"\\n|\s", "", file.read_text("utf-8", "replace"))
            found += [f"{file.name}: {one[:9]}" for one in secrets if re.sub(r"\s", "", one) in text]
    return found


def ask(number: int, **more: Any) -> dict[str, Any]:
    """A request whose prompt holds a secret, and whose headers hold two."""
    headers = {"x-service-token": ALL[number], "cookie": f"session={ALL[number]}"}
    prompt = f"Use {ALL[number]} please"
    messages = [{"role": "user", "content": prompt}]
    return {
        "model": MODEL,
        "max_tokens": 64,
        "tools": TOOLS,
        "system": f"The key is {ALL[number]}",
        "messages": messages,
        "extra_headers": {name: text.replace("\n", "") for name, text in headers.items()},
        **more,
    }


def go_on(request: dict[str, Any], message: Any, number: int) -> dict[str, Any]:
    """The next request: the reply sent back, and a tool's output with a secret in JSON within its text."""
    output = json.dumps({"env": {"TOKEN": ALL[number]}, "seen": [ALL[number]]})
    results = [
        {"type": "tool_result", "tool_use_id": block.id, "content": output}
        for block in message.content
        if block.type == "tool_use"
    ]
    assistant = {"role": "assistant", "content": [block.to_dict() for block in message.content]}
    return {**request, "messages": [*request["messages"], assistant, {"role": "user", "content": results}]}


def script(number: int) -> list[Any]:
    """Calls and texts with secrets, whole and in the smallest pieces."""
    secret = ALL[number]
    calls = turn(say(f"I take {secret}"), call("look", key=secret, nested={"list": [secret]}))
    return [calls, deliver(say(f"It was {secret}, truly"), chunks=7, pieces=40)]


def drive(client: anthropic.Anthropic, number: int) -> list[str]:
    request = ask(number)
    first = client.messages.create(**request)
    with client.messages.stream(**go_on(request, first, number)) as stream:
        last = stream.get_final_message()
    return [first.content[0].text, last.content[0].text]  # type: ignore[union-attr]


async def adrive(client: anthropic.AsyncAnthropic, number: int) -> list[str]:
    request = ask(number)
    async with client.messages.stream(**request) as stream:
        first = await stream.get_final_message()
    last = await client.messages.create(**go_on(request, first, number))
    return [first.content[0].text, last.content[0].text]  # type: ignore[union-attr]


@pytest.mark.parametrize("number", range(len(ALL)), ids=SECRETS)
@pytest.mark.parametrize("later", [False, True], ids=["sync", "async"])
def test_no_planted_secret_reaches_a_file(number: int, later: bool, tmp_path: Path) -> None:
    """In headers, prompts, calls, streams and tool output; the client gets the originals, and the file replays."""
    path = tmp_path / "a" / "session.yaml"
    key = ALL[0]
    source = FakeClaude(script(number))
    with record(path, upstream=source.transport) as recording:
        if later:
            texts = asyncio.run(adrive(recording.async_client(api_key=key), number))
        else:
            texts = drive(recording.client(api_key=key), number)
        assert files_with(tmp_path, [ALL[number], key]) == [], "not even before the end"
    assert texts == [f"I take {ALL[number]}", f"It was {ALL[number]}, truly"], "the client sees what came"
    assert files_with(tmp_path, [ALL[number], key]) == []
    with FakeClaude.from_cassette(path) as fake:
        if later:
            again = asyncio.run(adrive(fake.async_client(api_key=ALL[1]), number))
        else:
            again = drive(fake.client(api_key=ALL[1]), number)
    form = next(iter(set(re.findall(r"REDACTED-[a-z-]+\d", again[0]))))
    assert again == [f"I take {form}", f"It was {form}, truly"], "the same secret has the same placeholder"


def test_secrets_in_urls(tmp_path: Path) -> None:
    """Every one of them as a parameter; a URL with another secret of the same form asks for the same."""
    path = tmp_path / "urls.yaml"
    secrets = [secret for secret in ALL if "\n" not in secret]

    class Any200(httpx2.BaseTransport):
        def handle_request(self, request: httpx2.Request) -> httpx2.Response:
            return httpx2.Response(200, json={"asked": str(request.url)}, headers={"set-cookie": ALL[0]})

    def urls(transport: Any) -> None:
        with httpx2.Client(transport=transport, base_url="https://api.anthropic.com") as client:
            for secret in secrets:
                assert client.get("/v1/files", params={"page": "2", "api_key": secret}).status_code == 200

    with record(path, upstream=Any200()) as recording:
        urls(recording.transport)
    assert files_with(tmp_path, secrets) == []
    with FakeClaude.from_cassette(path, max_requests=200) as fake:
        urls(fake.transport)


def test_none_is_left_when_the_code_fails(tmp_path: Path) -> None:
    """A stream that is cut within a secret, a body that raises: what is on the disk is clean."""
    path = tmp_path / "session.yaml"
    for size in range(1, 12):
        secret = SECRETS["anthropic api03"]
        step = cut(deliver(say(f"The key is {secret} and no other"), chunks=size, pieces=60), bytes=700 + 60 * size)
        with pytest.raises(ZeroDivisionError):
            failing(path, FakeClaude([step]))
        # of a key that was cut less than the least that is a key may be left
        assert files_with(tmp_path, [secret[:24], secret[20:44]]) == []


def failing(path: Path, source: FakeClaude) -> None:
    with record(path, upstream=source.transport) as recording:
        client = recording.client(api_key=ALL[0], max_retries=0)
        request = {name: value for name, value in ask(0).items() if name != "tools"}
        try:
            for _ in client.messages.create(**request, stream=True):
                pass
        except (anthropic.APIError, httpx2.HTTPError):
            pass
        raise ZeroDivisionError


def simple(client: anthropic.Anthropic, *texts: str, **more: Any) -> None:
    """A conversation of these user texts."""
    messages: list[Any] = []
    for text in texts:
        messages.append({"role": "user", "content": text})
        reply = client.messages.create(model=MODEL, max_tokens=64, messages=messages, **more)
        messages.append({"role": "assistant", "content": [block.to_dict() for block in reply.content]})


def test_resent_history_stays_equal(tmp_path: Path) -> None:
    """The same secret, the same placeholder; so a request still lists only what it adds."""
    path = tmp_path / "session.yaml"
    texts = [f"{SECRETS['npm']} {number}" for number in range(4)]
    with record(path, upstream=FakeClaude([say(SECRETS["npm"])] * 4).transport) as recording:
        simple(recording.client(api_key="k"), *texts)
    assert path.read_text().count("REDACTED-npm-token-1") == 8
    assert "REDACTED-npm-token-2" not in path.read_text()
    assert path.read_text().count("reply") == 3


def test_a_key_that_is_known_only_later_goes_from_what_was_written(tmp_path: Path) -> None:
    """It has no form, and stood in a prompt before it came in a header."""
    path = tmp_path / "session.yaml"
    plain = "correct-horse-battery-staple"
    source = FakeClaude([say("a"), say(f"{plain}!"), say("c")], conversations="any")
    with record(path, upstream=source.transport) as recording:
        simple(recording.client(api_key="first-of-the-keys"), f"say {plain}", "go on")
        assert plain in path.read_text(), "nobody can know"
        simple(recording.client(api_key=plain), "hello")
        assert plain not in path.read_text()
    assert files_with(tmp_path, [plain]) == []
    session = load(path)
    assert session.finished
    assert len(session.exchanges) == 3
    assert session.exchanges[1].response["content"][0]["text"] == "REDACTED-key-1!"  # type: ignore[index]


def test_what_cannot_be_redacted_fails_the_save(tmp_path: Path) -> None:
    """The error names pattern, file and place, never the secret; the file holds what was clean before."""
    path = tmp_path / "session.yaml"
    source = FakeClaude([say("a"), say("b")], conversations="any")
    recording = record(path, upstream=source.transport, known=["98761234"])
    with pytest.raises(SecretFound) as caught:
        number_in_a_call(recording)
    assert (caught.value.pattern, caught.value.field) == ("known-secret", "interactions[1].request")
    assert str(path) in str(caught.value)
    assert "98761234" not in str(caught.value)
    assert files_with(tmp_path, ["98761234"]) == []
    assert len(read(path.read_bytes()).interactions) == 1


def number_in_a_call(recording: Any) -> None:
    with recording:
        client = recording.client(api_key="k")
        simple(client, "fine")
        simple(client, "look", tools=[{"name": "f", "input_schema": {"type": "object", "maxProperties": 98761234}}])


def test_scrubbers_patterns_and_known_secrets_of_ones_own(tmp_path: Path) -> None:
    """`record` takes them, and a replay that has the same ones fits."""
    path = tmp_path / "session.yaml"
    own: dict[str, Any] = {
        "scrubbers": [{"ada@example.com": "EMAIL"}],
        "patterns": (Pattern(name="acme-id", regex=r"ACME-\d{8}"), *PATTERNS),
        "known": ["correct horse battery staple"],
    }
    text = "ada@example.com has ACME-%s and correct horse battery staple"
    with record(path, upstream=FakeClaude([say("fine")]).transport, **own) as recording:
        simple(recording.client(api_key="k"), text % "12345678")
    assert files_with(tmp_path, ["ada@", "12345678", "battery"]) == []
    with FakeClaude.from_cassette(path, **own) as fake:
        simple(fake.client(), text % "87654321")


def test_a_scrubber_that_raises_fails_the_recording_at_its_end(tmp_path: Path) -> None:
    """The client gets its answer; nothing is written."""

    def bad(text: str) -> str:
        raise KeyError(text)

    with (
        pytest.raises(SetupError, match=r"the scrubber .*bad raised KeyError"),
        record(tmp_path / "a.yaml", upstream=FakeClaude([say("a")]).transport, scrubbers=bad) as recording,
    ):
        simple(recording.client(api_key="k"), "hello")


def test_a_replay_tells_forms_apart(tmp_path: Path) -> None:
    """Another secret of the same form is the same request, one of another form is none, and neither is told."""
    path = tmp_path / "session.yaml"
    with record(path, upstream=FakeClaude([say("a")]).transport) as recording:
        simple(recording.client(api_key="k"), f"use {SECRETS['github personal']}")
    with FakeClaude.from_cassette(path) as fake:
        simple(fake.client(), f"use {SECRETS['github oauth']}")
    fake = FakeClaude.from_cassette(path)
    with pytest.raises(anthropic.BadRequestError):
        simple(fake.client(), f"use {SECRETS['npm']}")
    told = str(fake.failure())
    assert "<secret github-token>" in told
    assert "<secret npm-token>" in told
    assert "a secret of another kind: npm-token today, github-token when" in told
    assert SECRETS["npm"] not in told


def test_a_secret_that_only_the_recording_knew(tmp_path: Path) -> None:
    """A header told it then; the message says how to tell it today."""
    path = tmp_path / "session.yaml"
    plain = "org-of-our-own-0123"

    class Organised(httpx2.BaseTransport):
        def __init__(self, fake: FakeClaude) -> None:
            self.fake = fake

        def handle_request(self, request: httpx2.Request) -> httpx2.Response:
            response = self.fake.transport.handle_request(request)
            response.headers["anthropic-organization-id"] = plain
            return response

    with record(path, upstream=Organised(FakeClaude([say("a")]))) as recording:
        simple(recording.client(api_key="k"), f"we are {plain}")
    assert files_with(tmp_path, [plain]) == []
    fake = FakeClaude.from_cassette(path)
    with pytest.raises(anthropic.BadRequestError):
        simple(fake.client(), f"we are {plain}")
    assert "a secret (key-or-id) that was taken out when this was recorded and is not known as one" in " ".join(
        str(fake.failure()).split()
    )
    with FakeClaude.from_cassette(path, known=[plain]) as knowing:
        simple(knowing.client(), f"we are {plain}")

"""`FakeClaude.from_file`: scripts from files, under the real SDK."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anthropic
import pytest

from playhead import (
    Delivery,
    FakeClaude,
    RuleViolations,
    ScriptFileError,
    ScriptNotFinished,
    SetupError,
    call,
    fail,
    say,
    turn,
)
from playhead.cassettes.yaml_document import parse
from playhead.script.reading import read
from playhead.script.writing import script_text

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures" / "scripts"
TOOLS: list[Any] = [{"name": "get_tide", "description": "The tide.", "input_schema": {"type": "object"}}]
WEB: list[Any] = [{"type": "web_search_20250305", "name": "web_search"}]
HEAD = "version: 1\nformat: playhead-script\n"


def written(folder: Path, text: str) -> Path:
    """A script's file."""
    path = folder / "tides.yaml"
    path.write_text(HEAD + text, "utf-8")
    return path


def ask(client: anthropic.Anthropic, question: str, tools: list[Any]) -> anthropic.types.Message:
    """A loop: it runs tools, goes on after a pause, and tries again where a stream breaks."""
    messages: list[Any] = [{"role": "user", "content": question}]
    for _ in range(10):
        try:
            with client.messages.stream(
                model="claude-opus-5-5", max_tokens=900, messages=messages, tools=tools
            ) as stream:
                reply = stream.get_final_message()
        except anthropic.APIStatusError:
            continue
        if reply.stop_reason not in ("tool_use", "pause_turn"):
            return reply
        messages.append({"role": "assistant", "content": [block.to_dict() for block in reply.content]})
        results = [
            {"type": "tool_result", "tool_use_id": block.id, "content": "4.1 m"}
            for block in reply.content
            if block.type == "tool_use"
        ]
        if results:
            messages.append({"role": "user", "content": results})
    raise AssertionError("it does not end")


def said(message: anthropic.types.Message) -> str:
    """The text of a message."""
    return "".join(block.text for block in message.content if block.type == "text")


def test_a_script_is_played() -> None:
    """Parallel calls, an overload, a stream that breaks, the answer: as the file says."""
    with FakeClaude.from_file(FIXTURES / "tides.yaml") as fake:
        assert said(ask(fake.client(), "How high is the tide?", TOOLS)) == "Both stand at 4.1 m."
    first, overloaded, broken, last = fake.session.exchanges
    assert first.response is not None
    assert [block["input"] for block in first.response["content"][1:]] == [
        {"port": "Brest", "day": "2026-04-14"},
        {"port": "Saint-Malo", "day": "2026-04-14"},
    ]
    assert (overloaded.status, broken.complete, last.complete) == (529, False, True)


def test_cases_are_played() -> None:
    """Each conversation gets its own script, with the options of the file."""
    with FakeClaude.from_file(str(FIXTURES / "two_ports.yaml")) as fake:
        client = fake.client()
        assert said(ask(client, "The tide in Brest?", TOOLS)) == "4.1 m in Brest."
        assert ask(client, "The tide in Rennes?", TOOLS).stop_reason == "refusal"


def test_json_is_played() -> None:
    """A JSON file, with a server tool that is at work when the turn pauses."""
    with FakeClaude.from_file(FIXTURES / "research.json") as fake:
        assert said(ask(fake.client(), "When is high water?", WEB)) == "High water is at nine 🌊."


@pytest.mark.parametrize("path", sorted(FIXTURES.iterdir()), ids=lambda path: path.name)
def test_fixtures_come_back(path: Path) -> None:
    """What is written of a script is the same script; its schema is the one that is published."""
    found = read(path.read_bytes(), path.name)
    assert read(script_text(found.script, options=found.options).encode(), "again").script == found.script
    schema = FIXTURES.parents[1] / "schemas" / "script.schema.json"
    assert (path.parent / "../../schemas/script.schema.json").resolve() == schema
    assert b"../../schemas/script.schema.json" in path.read_bytes()


def test_the_script_of_a_file_is_strict(tmp_path: Path) -> None:
    """A violation and an unplayed step fail, as with any script."""
    path = written(tmp_path, "script:\n- call: get_tide\n- say: a\n")
    with pytest.raises(ScriptNotFinished), FakeClaude.from_file(path) as fake:
        fake.client().messages.create(
            model="claude-opus-5-5", max_tokens=9, messages=[{"role": "user", "content": "a"}], tools=TOOLS
        )
    assert read(path.read_bytes(), "it").script == read(script_text([call("get_tide"), say("a")]).encode(), "it").script


def test_options_of_python_win(tmp_path: Path) -> None:
    """The file says `strict: false`; what is given in Python counts, and the rest of the file still does."""
    path = written(tmp_path, "options: {strict: false, max_requests: 1}\nscript: [a]\n")
    empty: list[Any] = [{"role": "user", "content": ""}]

    def send(fake: FakeClaude) -> None:
        fake.client().messages.create(model="claude-opus-5-5", max_tokens=9, messages=empty)

    with FakeClaude.from_file(path) as lenient:
        send(lenient)
    strict = FakeClaude.from_file(path, strict=True)
    with pytest.raises(anthropic.BadRequestError):
        send(strict)
    with pytest.raises(RuleViolations):
        strict.assert_ok()


def told(path: Path, **options: Any) -> str:
    """What is told of a file, without its folder."""
    with pytest.raises(ScriptFileError) as raised:
        FakeClaude.from_file(path, **options)
    return str(raised.value).replace(f"{path.parent}/", "")


def test_an_option_that_the_fake_refuses(tmp_path: Path) -> None:
    """It is told with its line; what Python gives in its place is all right."""
    path = written(tmp_path, "options:\n  strict: true\n  ignore: [system-stabel]\nscript: [a]\n")
    assert told(path) == "tides.yaml:5: options.ignore: there is no rule 'system-stabel': did you mean 'system-stable'?"
    FakeClaude.from_file(path, ignore=[])
    path = written(tmp_path, "options: {conversations: one}\ncases:\n- {when: a, script: [b]}\n")
    assert told(path) == (
        "tides.yaml:3: options.conversations: several scripts are for several conversations: leave out "
        "conversations='one'"
    )


def test_an_option_of_python_that_the_fake_refuses(tmp_path: Path) -> None:
    """It is no fault of the file."""
    path = written(tmp_path, "options: {strict: true}\nscript: [a]\n")
    with pytest.raises(SetupError, match="max_requests is at least 1, not 0"):
        FakeClaude.from_file(path, max_requests=0)


def test_there_is_no_file(tmp_path: Path) -> None:
    """A file that is not there, or is a folder, is one sentence."""
    assert told(tmp_path / "tides.yaml") == "tides.yaml: there is no such file"
    with pytest.raises(ScriptFileError, match=r"this is a directory; name a file in it$"):
        FakeClaude.from_file(tmp_path)


def test_a_cassette_is_no_script() -> None:
    """And the way to play it is told."""
    cassettes = sorted((Path(__file__).parent / "cassettes").rglob("*.yaml"))
    for path in cassettes:
        assert "format: playhead-script" in told(path) or "FakeClaude.from_cassette(" in told(path)


def test_a_shrunk_script_reads_well() -> None:
    """What is reported of a script can be saved as it is."""
    script = [turn(say("a"), call("f", a=[1, {"b": None}])), fail(429, retry_after_ms=None), say("b")]
    text = script_text(script, options={"delivery": Delivery(pace=0.5)})
    assert parse(text.encode()) == [
        {
            "version": 1,
            "format": "playhead-script",
            "options": {"delivery": {"pace": 0.5}},
            "script": [
                {"turn": [{"say": "a"}, {"call": "f", "input": {"a": [1, {"b": None}]}}]},
                {"fail": 429, "retry_after_ms": None},
                {"say": "b"},
            ],
        }
    ]

"""A script's file: what is read, and what is told of one that is wrong."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from broken_scripts import BROKEN, HEAD, IMPOSSIBLE
from playhead import Script, ScriptFileError, by_code, call, cut, mcp, mcp_listing, raw, refuse, say, turn, when
from playhead.cassettes.yaml_document import MAX_DEPTH
from playhead.script.reading import read


def script_of(text: str) -> Any:
    """The script after a file's head."""
    return read((HEAD + text).encode(), "tides.yaml").script


def sentence(data: bytes) -> str:
    """What is told of a file that is wrong."""
    with pytest.raises(ScriptFileError) as raised:
        read(data, "tides.yaml")
    return str(raised.value)


@pytest.mark.parametrize("name", {**BROKEN, **IMPOSSIBLE})
def test_a_mistake_is_one_sentence(name: str) -> None:
    """File, line, field and what to do, whether the table or the step's own function found it."""
    text, told = {**BROKEN, **IMPOSSIBLE}[name]
    found = sentence((HEAD + text).encode())
    assert found == f"tides.yaml:{told}"
    assert "\n" not in found


NO_SCRIPT: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "tides.yaml: the file is empty: a script begins with `version: 1`"),
    "blank": (b"\xef\xbb\xbf \n", "tides.yaml: the file is empty: a script begins with `version: 1`"),
    "comments": (b"# a\n", "tides.yaml: the file is empty: a script begins with `version: 1`"),
    "a list": (b"- say: a\n", "tides.yaml:1: a script is a mapping with version, format and script, not an array"),
    "a cassette": (
        b"version: 1\nformat: playhead\ninteractions:\n",
        "tides.yaml:2: format: this is a cassette, no script: play it with FakeClaude.from_cassette('tides.yaml')",
    ),
    "another recording": (
        b"interactions:\n- request: {}\n",
        "tides.yaml:1: format: this is no script: `format: playhead-script` is needed",
    ),
    "another format": (
        b"version: 1\nformat: [a]\n",
        "tides.yaml:2: format: this is no script: `format: playhead-script` is needed, not ['a']",
    ),
    "no version": (
        b"format: playhead-script\n",
        "tides.yaml:1: version: this Playhead reads scripts with `version: 1`",
    ),
    "a later version": (
        b"format: playhead-script\nversion: 2\nscript: []\n",
        "tides.yaml:2: version: this Playhead reads scripts with `version: 1`, not 2",
    ),
    "true as version": (
        b"version: true\nformat: playhead-script\n",
        "tides.yaml:1: version: this Playhead reads scripts with `version: 1`, not True",
    ),
    "broken JSON": (
        b'{"version": 1, "format" "playhead-script"}',
        "tides.yaml:1: this is neither JSON nor YAML: while parsing a flow mapping did not find expected ',' or '}'",
    ),
    "no text": (b"\x00\xff\x80", "tides.yaml:1: this is no YAML: "),
}


@pytest.mark.parametrize("name", NO_SCRIPT)
def test_what_is_no_script(name: str) -> None:
    """An empty file, a cassette, another version: each is told as what it is."""
    data, told = NO_SCRIPT[name]
    assert sentence(data).startswith(told) if name == "no text" else sentence(data) == told


def test_an_error_has_fields() -> None:
    """For programs: path, line, field and reason."""
    with pytest.raises(ScriptFileError) as raised:
        read((HEAD + "script:\n- fail: 5\n").encode(), "tides.yaml")
    error = raised.value
    assert (error.path, error.line, error.field) == ("tides.yaml", 4, "script[0].fail")
    assert error.reason == "a whole number from 400 to 599 is needed, not 5"
    assert error.__cause__ is None


PLAIN: dict[str, object] = {
    "2026-04-14": "2026-04-14",
    "12:30:00": "12:30:00",
    "2026-04-14T12:30:00Z": "2026-04-14T12:30:00Z",
    "yes": "yes",
    "on": "on",
    "No": "No",
    "0x1F": "0x1F",
    "1_000": "1_000",
    ".inf": ".inf",
    "'5'": "5",
    "1180591620717411303424": 2**70,
    "-3": -3,
    "1.0": 1.0,
    "-0.0": -0.0,
    "1e3": 1000.0,
    "true": True,
    "~": None,
    "é 👩‍👧": "é 👩‍👧",
}


@pytest.mark.parametrize("text", PLAIN)
def test_values_are_those_of_json(text: str) -> None:
    """Dates, times, `yes` and `on` are texts; integers are exact; a float stays a float."""
    (step,) = script_of(f"script:\n- call: f\n  input: {{a: {text}}}\n").steps
    value = step.blocks[0].data["input"]["a"]
    assert (value, type(value), str(value)) == (PLAIN[text], type(PLAIN[text]), str(PLAIN[text]))


WRITTEN: dict[str, Any] = {
    "Hello.": say("Hello."),
    "{say: Hello.}": say("Hello."),
    "{input: {a: 1}, call: f}": call("f", a=1),
    "{call: f, input: '[1'}": call("f", "[1"),
    "{call: f}": call("f"),
    "{turn: []}": turn(),
    "{turn: One.}": turn(say("One.")),
    "{turn: [One., {call: f}]}": turn(say("One."), call("f")),
    "{cut: {turn: [One.]}, events: 2}": cut(turn(say("One.")), events=2),
    "{cut: {cut: One.}, how: end}": cut(cut(say("One.")), how="end"),
    "{refuse: null, steps: [You]}": refuse(None, None, say("You")),
    "{refuse: null, explanation: No.}": refuse(None, "No."),
    "{mcp: s, name: t, result: r}": mcp("s", "t", None, "r"),
    "{mcp_listing: s, tools: [a, {name: b}]}": mcp_listing("s", "a", {"name": "b"}),
    "{by_code: null, calls: {call: f}}": by_code(None, call("f")),
    "{raw: [a, {base64: gYI=}], status: 502}": raw([b"a", b"\x81\x82"], status=502),
    "{raw: {base64: gYI=}}": raw(b"\x81\x82"),
}


@pytest.mark.parametrize("text", WRITTEN)
def test_how_steps_are_written(text: str) -> None:
    """A text alone is said; keys stand in any order; one step needs no list; null stands for Python's None."""
    assert script_of(f"script: [{text}]") == Script(steps=(WRITTEN[text],))


def test_cases() -> None:
    """A list of texts with a script each, in order."""
    cases = script_of("cases:\n- {when: tide, script: [a]}\n- {when: '', script: [b]}\n")
    assert cases == (when("tide", [say("a")]), when("", [say("b")]))


def test_aliases() -> None:
    """What is written once may stand twice; aliases that repeat without end are an error."""
    assert script_of("script:\n- &noon {say: At noon.}\n- *noon\n") == Script(steps=(say("At noon."),) * 2)
    lines = ["a0: &a0 [ha, ha, ha, ha, ha, ha, ha, ha, ha]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    assert "aliases repeat too much" in sentence((HEAD + "\n".join(lines)).encode())


@pytest.mark.parametrize("depth", [MAX_DEPTH, 5000, 200_000])
@pytest.mark.parametrize("format_", ["yaml", "json"])
def test_depth_has_a_limit(depth: int, format_: str) -> None:
    """However deep a file is nested, it is one sentence."""
    deep = '{"a":' * depth + "1" + "}" * depth
    head = '{"version": 1, "format": "playhead-script", "script": ' if format_ == "json" else HEAD + "script: "
    data = f'{head}[{{"call": "f", "input": {deep}}}]{"}" if format_ == "json" else ""}'
    assert re.search("nested more than|maximum nesting", sentence(data.encode()))


def test_steps_within_steps_have_a_limit() -> None:
    """So are steps within steps."""
    deep = "{cut: " * 190 + "a" + "}" * 190
    found = read((HEAD + f"script: [{deep}]").encode(), "tides.yaml")
    assert len(found.script) == 1


def test_json() -> None:
    """A JSON file is read as JSON: escapes, tabs, characters that YAML has not."""
    step = {"say": '\U0001f600 " \\ / \x7f \ud800 \u2028'}
    document = {"$schema": "script.schema.json", "version": 1, "format": "playhead-script", "script": [step]}
    for indent in (None, 2, "\t"):
        for ascii_only in (True, False):
            text = json.dumps(document, indent=indent, ensure_ascii=ascii_only)
            data = text.encode("utf-8", "surrogatepass" if ascii_only else "replace")
            said = read(data, "tides.json").script.steps[0].blocks[0].data["text"]  # type: ignore[union-attr]
            assert said == (step["say"] if ascii_only else step["say"].replace("\ud800", "?"))


def test_lines_of_json() -> None:
    """Lines and fields of a JSON file, whatever its texts have."""
    lines = [
        "{",
        '\t"version": 1, "format": "playhead-script",',
        '\t"script": [',
        '\t\t{"say": "\\ud83d\\ude00 \\" \\\\ \\u0041 \\/ \x7f"},',
        '\t\t{"call": "f",',
        '\t\t\t"inputs": {}}]}',
    ]
    assert sentence("\n".join(lines).encode()) == (
        "tides.yaml:6: script[1].inputs: call has no such option: did you mean 'input'?"
    )
    lines[5] = '\t\t\t"call": "g"}]}'
    assert sentence("\n".join(lines).encode()) == (
        "tides.yaml:6: script[1].call: this key stands twice in its mapping: leave one of them out"
    )

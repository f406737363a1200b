"""`playhead verify`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from cassettes.planted import SECRETS
from har_files import REPLY, REQUEST, har
from playhead.cli.main import commands


def orphan() -> dict[str, Any]:
    content = [{"type": "tool_result", "tool_use_id": "toolu_9", "content": "4.1 m"}]
    said = {"role": "assistant", "content": "Let me look."}
    return {**REQUEST, "messages": [*REQUEST["messages"], said, {"role": "user", "content": content}]}


def run(*arguments: object) -> Result:
    return CliRunner().invoke(commands, ["verify", *map(str, arguments)])


def test_a_good_recording_is_ok(tmp_path: Path) -> None:
    """Exit code 0, a row for the file, and the sum."""
    result = run(har(tmp_path / "tide.har", (REQUEST, 200, REPLY)))
    assert result.exit_code == 0
    assert "HAR" in result.output
    assert "1 file, 1 exchange, 1 conversation in " in result.output
    assert "nothing wrong" in result.output


def test_a_violation_is_told_with_its_place(tmp_path: Path) -> None:
    """Exit code 1, the rule with path and sentence under the file, and a summary by rule."""
    result = run(har(tmp_path / "tide.har", (orphan(), 200, REPLY)))
    assert result.exit_code == 1
    assert "1 reject" in result.output
    text = " ".join(result.output.split())
    assert "exchange 1 reject tool-result-orphan $.messages[2].content[0].tool_use_id: a result answers" in text
    assert result.output.splitlines()[-1].split() == ["tool-result-orphan", "reject", "1", "1"]


def test_a_recorded_refusal_is_told_apart(tmp_path: Path) -> None:
    """What the API itself answered with 400 is no false alarm of ours, and the table says so."""
    refusal = {"type": "error", "error": {"type": "invalid_request_error", "message": "..."}}
    assert "1 reject  (recorded 400)" in run(har(tmp_path / "tide.har", (orphan(), 400, refusal))).output


@pytest.mark.parametrize("jobs", [1, 2])
def test_folders_patterns_and_processes(tmp_path: Path, jobs: int) -> None:
    """A folder is walked, what is no recording is passed over, processes change nothing."""
    (tmp_path / "deep").mkdir()
    har(tmp_path / "a.har", (REQUEST, 200, REPLY))
    har(tmp_path / "deep" / "b.har", (orphan(), 200, REPLY))
    (tmp_path / "notes.txt").write_text("the tide is high", "utf-8")
    for argument in (tmp_path, f"{tmp_path}/**/*.har"):
        result = run(argument, "-j", jobs, "--json")
        told = json.loads(result.output)
        assert [Path(file["path"]).name for file in told["files"]] == ["a.har", "b.har"]
        assert [file["verdict"] for file in told["files"]] == ["ok", "1 reject"]
        assert told["levels"] == {"reject": 1}
        assert told["rules"] == {"tool-result-orphan": 1}


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        pytest.param("empty.yaml", b"", "empty.yaml: the file is empty", id="0 bytes"),
        pytest.param("notes.txt", b"the tide is high", "no known format of recordings", id="no recording"),
        pytest.param("cut.har", b'{"log": {"entries": [', "begins as JSON does, but is none", id="cut"),
        pytest.param("binary", b"\x00\x01\x02\xff" * 9, "this is a binary file", id="binary"),
    ],
)
def test_an_unusable_file_is_one_sentence(tmp_path: Path, name: str, data: bytes, sentence: str) -> None:
    """Exit code 2 and a sentence on stderr that names the file, never a traceback."""
    path = tmp_path / name
    path.write_bytes(data)
    result = run(path)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert str(path) in result.stderr
    assert "Traceback" not in result.output


def test_one_bad_file_does_not_hide_the_others(tmp_path: Path) -> None:
    """The rest is judged all the same."""
    good = har(tmp_path / "a.har", (REQUEST, 200, REPLY))
    (tmp_path / "b.har").write_bytes(b"{")
    result = run(good, tmp_path / "b.har")
    assert result.exit_code == 2
    assert "a.har" in result.output
    assert "unreadable" in result.output


def test_there_is_no_such_file(tmp_path: Path) -> None:
    """A path or a pattern that names nothing is an error, not an empty report."""
    for argument in (tmp_path / "nope.har", f"{tmp_path}/*.nope"):
        result = run(argument)
        assert result.exit_code != 0
        assert str(argument) in str(result.exception)
    assert "there is no recording here" in str(run(tmp_path).exception)


def test_quiet_lists_only_what_is_wrong(tmp_path: Path) -> None:
    """With -q good files are counted, not listed."""
    good = har(tmp_path / "a.har", (REQUEST, 200, REPLY))
    bad = har(tmp_path / "b.har", (orphan(), 200, REPLY))
    output = run(good, bad, "-q").output
    assert "a.har" not in output
    assert "b.har" in output
    assert "2 files" in output


def test_the_screen_keeps_to_80_columns(tmp_path: Path) -> None:
    """A long path gives way."""
    folder = tmp_path / ("a_folder_with_a_long_name_" * 4)
    folder.mkdir()
    har(folder / "tide.har", (REQUEST, 200, REPLY))
    assert [line for line in run(folder).output.splitlines() if len(line) > 80] == []


def test_junit_is_what_ci_reads(tmp_path: Path) -> None:
    """A test case per file, a failure per violation, well-formed XML whatever the recording holds."""
    har(tmp_path / "good.har", (REQUEST, 200, REPLY))
    har(tmp_path / "bad & <worse>.har", (orphan(), 200, REPLY))
    result = run(tmp_path, "--format", "junit")
    assert result.exit_code == 1
    suite = ElementTree.fromstring(result.output)
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("2", "1", "0")
    bad, good = suite.findall("testcase")
    assert str(bad.get("name")).endswith("bad & <worse>.har")
    assert [failure.get("type") for failure in bad.findall("failure")] == ["tool-result-orphan"]
    assert good.findall("failure") == []


def test_github_annotations(tmp_path: Path) -> None:
    """A workflow command per violation, with what would end it escaped."""
    path = har(tmp_path / "a,b:c.har", (orphan(), 200, REPLY))
    line = run(path, "--format", "github").output.splitlines()[0]
    assert line.startswith("::error file=")
    assert "a%2Cb%3Ac.har,title=reject tool-result-orphan::exchange 1 at $.messages[2]" in line


def test_rules_are_switched_off_and_added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--ignore`, `--level` and `--rules` choose what is looked for."""
    path = har(tmp_path / "tide.har", (orphan(), 200, REPLY))
    assert run(path, "--ignore", "tool-result-orphan").exit_code == 0
    misspelt = run(path, "--ignore", "tool-result-orphen")
    assert "did you mean 'tool-result-orphan'?" in str(misspelt.exception)
    (tmp_path / "acme_rules.py").write_text(
        "from playhead import rule\n\n@rule('no-orphans-here', level='broken')\n"
        "def mine(request):\n    yield '$', 'none of mine'\n",
        "utf-8",
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    result = run(path, "--ignore", "tool-result-orphan", "--rules", "acme_rules:mine")
    assert result.exit_code == 1
    assert "no-orphans-here" in result.output
    assert run(path, "--ignore", "tool-result-orphan", "--rules", "acme_rules:mine", "--level", "reject").exit_code == 0


KEY = SECRETS["anthropic api03"]


def leaking() -> dict[str, Any]:
    return {**REQUEST, "messages": [{"role": "user", "content": f"my key is {KEY}"}]}


def test_secrets_are_told_and_not_shown(tmp_path: Path) -> None:
    """A line with form and place, in the verdict and the sum; no failure, and nothing of the secret is printed."""
    result = run(har(tmp_path / "tide.har", (leaking(), 200, REPLY)))
    assert result.exit_code == 0
    assert "1 secret" in result.output.splitlines()[1]
    assert "· 1 secret" in result.output
    assert "    secret  anthropic key (sk-a...): exchange 1 at $.messages[0].content" in result.output.splitlines()
    assert KEY[10:20] not in result.output


def test_secrets_are_told_to_programs(tmp_path: Path) -> None:
    """In JSON by file and by form, in GitHub's annotations and in JUnit XML."""
    path = har(tmp_path / "tide.har", (leaking(), 200, REPLY))
    told = json.loads(run(path, "--json").output)
    leak = {"pattern": "anthropic-key", "shown": "sk-a...", "exchange": 1, "path": "$.messages[0].content"}
    assert told["files"][0]["secrets"] == [{**leak, "line": None, "places": 1}]
    assert told["files"][0]["verdict"] == "1 secret"
    assert told["secrets"] == {"anthropic-key": 1}
    assert "title=secret::anthropic key (sk-a...), exchange 1 at $.mess" in run(path, "--format", "github").output
    suite = ElementTree.fromstring(run(path, "--format", "junit").output)
    assert suite.get("failures") == "0"
    assert str(suite.findtext("testcase/system-out")).startswith("secret anthropic key (sk-a...), exchange 1")


def test_secrets_need_not_be_looked_for(tmp_path: Path) -> None:
    """`--no-secrets`, and a level above warnings."""
    path = har(tmp_path / "tide.har", (leaking(), 200, REPLY))
    for arguments in (["--no-secrets"], ["--level", "broken"]):
        result = run(path, *arguments)
        assert "secret" not in result.output
        assert "nothing wrong" in result.output


def test_a_file_without_claude_traffic_may_have_secrets(tmp_path: Path) -> None:
    """They are told by the line; the key of another vendor is one too."""
    path = har(tmp_path / "other.har", (REQUEST, 200, REPLY))
    text = path.read_text("utf-8").replace("api.anthropic.com/v1/messages", "api.openai.com/v1/embeddings")
    path.write_text(
        text.replace('"headers": []', f'"headers": [{{"name": "a", "value": "{SECRETS["openai"]}"}}]', 1), "utf-8"
    )
    output = run(path).output
    assert "no Claude traffic, 1 secret" in output
    assert "secret  api key (sk-F...): line 1" in output

"""`playhead verify --hygiene`: cassettes that should not be kept as they are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cassettes.planted import SECRETS
from playhead.cassettes.document import write
from playhead.cassettes.hygiene import KINDS as DESCRIBED
from playhead.cassettes.hygiene import RETIRED
from playhead.cassettes.interaction import Interaction
from playhead.cli.hygiene import KINDS
from playhead.cli.main import commands
from taping import ASK, Shelf, raw, said


def verify(*arguments: object) -> Result:
    return CliRunner().invoke(commands, ["verify", "--hygiene", *map(str, arguments)])


def cassette(
    text: str = "hi", *, model: str = "claude-opus-5-5", finished: bool = True, day: str | None = None
) -> bytes:
    body = Shelf().put(raw(ASK, model=model))
    return write([Interaction(body=body, answer=said(text))], finished=finished, recorded=day)


FILES = {
    "ok.yaml": cassette(day="2026-11-01"),
    "unfinished.yaml": cassette(finished=False),
    "retired.yaml": cassette(model="claude-3-opus-20240229"),
    "old.yaml": cassette(day="2020-01-31"),
    "secret.yaml": cassette(f"use {SECRETS['npm']}"),
    "large.yaml": cassette("x" * 1_100_000),
    "unreadable.yaml": cassette().replace(b"add:", b"ad:"),
    "format.yaml": cassette().replace(b"version: 1", b"version: 0"),
    "notes.txt": b"no recording at all\n",
    "vcr.yaml": b"interactions: []\nversion: 1\n",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "cassettes"
    folder.mkdir()
    for name, data in FILES.items():
        (folder / name).write_bytes(data)
    return folder


def test_each_kind_is_listed(folder: Path) -> None:
    """With what is wrong; files that are none of ours are passed over; the secret is not shown."""
    result = verify("cassettes", "--max-age", 365)
    assert result.exit_code == 2, "one cannot be read"
    assert SECRETS["npm"] not in result.output
    for line in (
        "  cassettes/ok.yaml          ",
        "    unfinished  cut short after 1 exchange",
        "    stale       the API retired claude-3-opus-20240229 on 2026-01-05",
        "    stale       version 0 of the format: record it again",
        "    secret      npm token (npm_...): exchange 1 at $response.id, and 1 more",
        "    unreadable  12: interactions[0].request.ad: there is no such field",
        ", more than 1,000,000",
        " days ago, more than 365",
    ):
        assert line in result.output, result.output
    assert "· 1 unreadable, 1 unfinished, 3 stale, 1 secret, 1 oversize" in " ".join(result.output.split())
    assert "vcr.yaml" not in result.output
    assert max(map(len, result.output.splitlines())) <= 80


@pytest.mark.parametrize(
    ("name", "options", "code"),
    [
        ("ok.yaml", ("--fail-on", "all"), 0),
        ("unfinished.yaml", (), 0),
        ("unfinished.yaml", ("--fail-on", "unfinished"), 1),
        ("unfinished.yaml", ("--fail-on", "secret", "--fail-on", "stale"), 0),
        ("secret.yaml", ("--fail-on", "secret"), 1),
        ("old.yaml", ("--fail-on", "stale"), 0),
        ("old.yaml", ("--fail-on", "stale", "--max-age", 100), 1),
        ("large.yaml", ("--fail-on", "oversize", "--max-size", "2.3MB"), 0),
        ("large.yaml", ("--fail-on", "oversize"), 1),
        ("ok.yaml", ("--fail-on", "oversize", "--max-size", "0.1kB"), 1),
        ("unreadable.yaml", (), 2),
        ("format.yaml", ("--fail-on", "stale"), 1),
    ],
)
def test_what_fails(folder: Path, name: str, options: tuple[object, ...], code: int) -> None:
    """Only what is asked for; a file that cannot be read always does."""
    assert verify(f"cassettes/{name}", *options).exit_code == code


def test_json(folder: Path) -> None:
    """Every file with its findings, for programs."""
    found = json.loads(verify("cassettes", "--json").output)
    by_name = {Path(one["path"]).name: one for one in found["files"]}
    assert by_name["ok.yaml"]["findings"] == []
    assert by_name["ok.yaml"] | {"size": 0} == {
        "path": "cassettes/ok.yaml",
        "size": 0,
        "exchanges": 1,
        "recorded": "2026-11-01",
        "findings": [],
        "verdict": "ok",
    }
    assert by_name["retired.yaml"]["findings"] == [
        {"kind": "stale", "what": "the API retired claude-3-opus-20240229 on 2026-01-05"}
    ]
    assert found["kinds"] == {"unreadable": 1, "unfinished": 1, "stale": 2, "secret": 1, "oversize": 1}


def test_quiet_lists_only_what_is_wrong(folder: Path) -> None:
    """The sum counts all the same."""
    result = verify("cassettes", "--quiet")
    assert "ok.yaml" not in result.output
    assert "8 cassettes" in result.output


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--hygiene", "notes.txt"), "this is no cassette of Playhead's"),
        (("--hygiene", "."), None),
        (("--hygiene", "none.yaml"), "there is no such file"),
        (("--hygiene", "ok.yaml", "--max-size", "big"), "'big' is no size: write 500kB, 1.5MB or a number of bytes"),
        (("--hygiene", "ok.yaml", "--fail-on", "unused"), "--fail-on is one of unreadable, unfinished, stale"),
        (("--hygiene", "ok.yaml", "--format", "junit"), "--hygiene prints text or JSON, not junit"),
        (("ok.yaml", "--max-age", "3"), "go with --hygiene"),
    ],
)
def test_wrong_uses_are_one_sentence(
    folder: Path, arguments: tuple[str, ...], sentence: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 2, never a traceback."""
    monkeypatch.chdir(folder)
    result = CliRunner().invoke(commands, ["verify", *arguments])
    assert result.exit_code != 0
    if sentence is not None:
        assert sentence in f"{result.output} {result.exception}"


def test_kinds_are_described() -> None:
    """The command knows them without loading what reads cassettes."""
    assert tuple(DESCRIBED) == KINDS
    assert all(day[:2] == "20" and day[4] == day[7] == "-" for day in RETIRED.values())

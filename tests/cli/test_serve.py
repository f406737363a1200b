"""`playhead serve` and `playhead record` as people run them: in a process of their own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from playhead import FakeClaude, say, serve

pytest.importorskip("uvicorn", reason="the server needs uvicorn: pip install 'playhead[serve]'")

MAIN = [sys.executable, "-c", "import sys; from playhead.cli.main import main; main()"]
ASK = """
import anthropic, sys
client = anthropic.Anthropic(max_retries=0)
said = client.messages.create(
    model="claude-opus-5-5", max_tokens=9, messages=[{"role": "user", "content": sys.argv[1]}]
)
print(said.content[0].text)
"""


@pytest.fixture
def cassette(tmp_path: Path) -> Path:
    """A recording of one question."""
    from playhead import record

    path = tmp_path / "hello.yaml"
    with FakeClaude([say("Hello!")]) as fake, record(path, fake.transport) as recording:
        recording.client(api_key="any").messages.create(
            model="claude-opus-5-5", max_tokens=9, messages=[{"role": "user", "content": "hi"}]
        )
    return path


def run(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*MAIN, *arguments], capture_output=True, text=True, check=False, env={**os.environ, **env}, timeout=60
    )


def test_a_command_gets_the_server(cassette: Path) -> None:
    """It finds the server in its environment; the verdict comes after its output, and all is well."""
    done = run("serve", str(cassette), "--", sys.executable, "-c", ASK, "hi")
    assert (done.returncode, done.stdout.splitlines()) == (0, ["Hello!", "1 request, all as it should be"])


def test_a_script_is_served(tmp_path: Path) -> None:
    """With its options; what is wrong in it is one sentence, with the line."""
    script = tmp_path / "hello.yaml"
    script.write_text("version: 1\nformat: playhead-script\nscript:\n- say: Ahoy!\n", "utf-8")
    done = run("serve", str(script), "--", sys.executable, "-c", ASK, "hi")
    assert (done.returncode, done.stdout.splitlines()) == (0, ["Ahoy!", "1 request, all as it should be"])
    volatile = run("serve", str(script), "--volatile", "dates", "--", "true")
    assert (volatile.returncode, volatile.stdout) == (2, "")
    script.write_text("version: 1\nformat: playhead-script\nscript:\n- sya: Ahoy!\n", "utf-8")
    wrong = run("serve", str(script))
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "hello.yaml" in wrong.stderr
    assert "4" in wrong.stderr
    assert len(wrong.stderr.splitlines()) == 1


def test_the_exit_code_tells_the_verdict(cassette: Path) -> None:
    """1 where what was recorded was not asked for, with the reason; as JSON for programs."""
    done = run("serve", str(cassette), "--json", "--", sys.executable, "-c", "")
    assert done.returncode == 1
    verdict = json.loads(done.stdout)
    assert (verdict["ok"], verdict["failures"][0]["type"]) == (False, "CassetteNotFinished")


def test_a_command_that_fails(cassette: Path) -> None:
    """Its own exit code; a command that is not there is one sentence."""
    assert run("serve", str(cassette), "--", sys.executable, "-c", "raise SystemExit(7)").returncode == 7
    missing = run("serve", str(cassette), "--", "no-such-command")
    assert (missing.returncode, missing.stdout) == (2, "")
    assert missing.stderr.startswith("playhead: no-such-command cannot be run")


@contextmanager
def started(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server that runs until it is told to stop, and its base URL."""
    ready = Path(arguments[arguments.index("--ready-file") + 1])
    process = subprocess.Popen(
        [*MAIN, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ}
    )
    try:
        while not ready.exists():
            assert process.poll() is None, process.stderr.read() if process.stderr else ""
            time.sleep(0.01)
        yield process, ready.read_text("utf-8").strip()
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_runs_until_it_is_stopped(cassette: Path, tmp_path: Path, number: int) -> None:
    """The file has the URL while it listens; a signal ends it with the verdict."""
    ready = tmp_path / "ready"
    with started("serve", str(cassette), "--ready-file", str(ready)) as (process, url):
        assert httpx2.get(f"{url}/_playhead/verdict").json()["ok"] is False
        process.send_signal(number)
        out, _ = process.communicate(timeout=20)
    assert process.returncode == 1
    assert out.startswith("CassetteNotFinished: ")
    assert not ready.exists()


def test_what_cannot_be_served(tmp_path: Path) -> None:
    """One sentence on stderr, exit code 2."""
    done = run("serve", str(tmp_path / "none.yaml"))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("playhead: ")
    assert len(done.stderr.splitlines()) == 1


def test_a_command_is_recorded(tmp_path: Path) -> None:
    """Everything it says to the API; its output is its own, what was recorded is told beside it."""
    path = tmp_path / "said.yaml"
    with serve([say("Hello!")]) as server:
        done = run(
            "record",
            "-o",
            str(path),
            "--upstream",
            server.url,
            "--",
            sys.executable,
            "-c",
            ASK,
            "hi",
            ANTHROPIC_API_KEY="any",
        )
    assert (done.returncode, done.stdout) == (0, "Hello!\n")
    assert "said.yaml" in done.stderr
    assert "1 file" in done.stderr
    again = run("serve", str(path), "--", sys.executable, "-c", ASK, "hi")
    assert again.returncode == 0


def test_scrubbers_of_ones_own(tmp_path: Path) -> None:
    """They change what is written; a replay with the same ones looks past it."""
    path = tmp_path / "said.yaml"
    (tmp_path / "mine.py").write_text("SCRUB = {'Ada Lovelace': 'NAME'}\n", "utf-8")
    own = {"PYTHONPATH": f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}", "ANTHROPIC_API_KEY": "any"}
    ask = ("--scrub", "mine:SCRUB", "--", sys.executable, "-c", ASK, "I am Ada Lovelace.")
    with serve([say("Hello, Ada Lovelace!")]) as server:
        assert run("record", "-o", str(path), "--upstream", server.url, *ask, **own).returncode == 0
    assert "Ada" not in path.read_text("utf-8")
    again = run("serve", str(path), *ask, **own)
    assert (again.returncode, again.stdout.splitlines()[0]) == (0, "Hello, NAME!")
    missing = run("serve", str(path), "--scrub", "mine", "--", "true", **own)
    assert missing.stderr.startswith("playhead: scrubbers are named as MODULE:NAME")


def test_a_recording_that_is_stopped_is_finished(tmp_path: Path) -> None:
    """What passed until then is the session."""
    path, ready = tmp_path / "said.yaml", tmp_path / "ready"
    with serve([say("Hello!")]) as server:
        asked = {"model": "claude-opus-5-5", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]}
        headers = {"x-api-key": "any", "anthropic-version": "2023-06-01"}
        arguments = ("record", "-o", str(path), "--upstream", server.url, "--ready-file", str(ready))
        with started(*arguments) as (process, url):
            assert httpx2.post(f"{url}/v1/messages", json=asked, headers=headers).status_code == 200
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=20)
    assert process.returncode == 0
    assert path.read_text("utf-8").endswith("finished: 1\n")


def test_where_recording_cannot_begin(tmp_path: Path) -> None:
    """One sentence, and nothing is written."""
    done = run("record", "-o", str(tmp_path / "a.yaml"), "--upstream", "nowhere", "--", "true")
    assert done.returncode == 2
    assert done.stderr.startswith("playhead: upstream is a base URL such as")
    assert [*tmp_path.iterdir()] == []

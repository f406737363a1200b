"""The plugin's cassettes, run as users run them: in a process of its own."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from playhead import load
from playhead.cassettes.document import write
from playhead.testing.places import cassette_path, file_name

pytest_plugins = ["pytester"]

HEAD = """
import asyncio, os, pytest
from playhead import FakeClaude, call, fail, say

# the API of these tests, where there is one
API = FakeClaude([say(f"reply {n}") for n in range(50)], conversations="any", max_requests=80)
LIVE = pytest.mark.claude_cassette(upstream=API.transport)
key = {"api_key": "sk-ant-api03-not-a-real-key-of-anybody-0123456789"}

def talk(client, *texts):
    messages, replies = [], []
    for text in texts:
        messages.append({"role": "user", "content": text})
        reply = client.messages.create(model="claude-opus-5-5", max_tokens=64, messages=messages)
        messages.append({"role": "assistant", "content": reply.content})
        replies.append(reply.content[0].text)
    return replies
"""

ONE = """
@LIVE
def test_it(cassette_claude):
    assert talk(cassette_claude.client(**key), "one", "two") == ["reply 0", "reply 1"]
"""


@pytest.fixture(autouse=True)
def _not_in_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)


def run(pytester: pytest.Pytester, body: str, *arguments: str) -> pytest.RunResult:
    pytester.makepyfile(test_tides=HEAD + body)
    # Hypothesis' plugin loads all of it at the end of each run, for a second, and no test here needs it
    return pytester.runpytest_subprocess(
        "-p", "no:hypothesispytest", "-p", "no:cacheprovider", "-W", "error", *arguments
    )


def cassettes(pytester: pytest.Pytester) -> list[str]:
    folder = pytester.path / "cassettes"
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_recorded_once_and_replayed_ever_after(pytester: pytest.Pytester) -> None:
    """Beside the test file, under its module's and its own name, without the key; replay asks nobody."""
    recorded = run(pytester, ONE, "--playhead=record")
    recorded.assert_outcomes(passed=1)
    recorded.stdout.fnmatch_lines(["playhead: record"])
    assert cassettes(pytester) == ["test_tides/test_it.claude.yaml"]
    assert "not-a-real-key" not in (pytester.path / "cassettes/test_tides/test_it.claude.yaml").read_text()
    nobody = ONE.replace("assert talk", "assert not API.session.exchanges\n    assert talk")
    run(pytester, nobody + "    assert not API.session.exchanges\n").assert_outcomes(passed=1)
    replayed = pytester.runpytest_subprocess("-p", "no:hypothesispytest", "-p", "no:cacheprovider")
    assert "playhead: " not in replayed.stdout.str()


def test_a_missing_cassette_says_how_to_record_it(pytester: pytest.Pytester) -> None:
    """One sentence with the command, and no file."""
    result = run(pytester, ONE)
    result.assert_outcomes(errors=1)
    wanted = "there is no such cassette; record it: pytest test_tides.py::test_it --playhead=rewrite"
    assert wanted in result.stdout.str()
    assert not (pytester.path / "cassettes").exists()


def test_a_mismatch_says_how_to_accept_it(pytester: pytest.Pytester) -> None:
    """The command of the very test, also where the loop swallowed the error; it works when it is run."""
    run(pytester, ONE, "--playhead=rewrite").assert_outcomes(passed=1)
    changed = ONE.replace('"two") == ["reply 0", "reply 1"]', '"three")[1:] or True')
    swallowed = changed.replace("assert talk", "try: talk").rstrip() + "\n    except Exception: pass\n"
    swallowed = swallowed.replace(")[1:] or True", ")")
    result = run(pytester, swallowed)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*RequestMismatch: turn 2 of cassettes/test_tides/test_it.claude.yaml differs*",
            '*recorded*"two"*',
            '*today*"three"*',
            "*accept*pytest test_tides.py::test_it --playhead=rewrite*",
        ]
    )
    run(pytester, swallowed, "test_tides.py::test_it", "--playhead=rewrite").assert_outcomes(passed=1)
    run(pytester, swallowed).assert_outcomes(passed=1)


def test_what_is_not_asked_for_fails_the_test(pytester: pytest.Pytester) -> None:
    """Unless the marker allows it."""
    run(pytester, ONE, "--playhead=rewrite").assert_outcomes(passed=1)
    less = ONE.replace(', "two") == ["reply 0", "reply 1"]', ") == ['reply 0']")
    result = run(pytester, less)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*CassetteNotFinished: 1 of 2 recorded exchanges*", "*test_tides.py::test_it --playhead=rewrite*"]
    )
    run(pytester, less.replace("@LIVE", "@pytest.mark.claude_cassette(allow_unplayed=True)")).assert_outcomes(passed=1)


NAMES = """
@LIVE
@pytest.mark.parametrize("text", ["a/b", "a:b", "..", "ü 中", "x" * 300, "Größe[1]", "a b"])
def test_it(cassette_claude, text):
    assert talk(cassette_claude.client(**key), text)

class TestPorts:
    @LIVE
    def test_it(self, cassette_claude):
        assert talk(cassette_claude.client(**key), "in a class")
"""


def test_parametrised_tests_have_a_cassette_each(pytester: pytest.Pytester) -> None:
    """Whatever stands in their ids; names that only seem alike do not meet."""
    run(pytester, NAMES, "--playhead=record").assert_outcomes(passed=8)
    names = cassettes(pytester)
    assert len(names) == 8
    assert "test_tides/TestPorts.test_it.claude.yaml" in names
    assert all(len(Path(name).name.encode()) < 250 for name in names)
    run(pytester, NAMES).assert_outcomes(passed=8)


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("test_it", "test_it"),
        ("test_it[2025-01-01]", "test_it[2025-01-01]"),
        ("test_it[a b,c=1]", "test_it[a b,c=1]"),
    ],
)
def test_a_name_that_is_safe_stays(name: str, made: str) -> None:
    """So that one finds the file."""
    assert file_name(name) == made


def test_names_that_are_not_safe() -> None:
    """No separators, no device's colon, no hidden file, no length beyond what a system takes, and all different."""
    names = ["a/b", "a:b", "a\\b", "a*b", ".a", "a.", "a ", "x" * 121, "x" * 122, 'a"b', "a\nb", "a\x00b"]
    made = [file_name(name) for name in names]
    assert len(set(made)) == len(names)
    assert all(len(name) < 130 and not set(name) & set('/\\:*?"<>|\n\x00') and name[0] != "." for name in made)


def test_a_path_of_ones_own(tmp_path: Path) -> None:
    """From the folder of the test's file."""
    test = tmp_path / "test_a.py"
    assert cassette_path(test, "test_b") == str(tmp_path / "cassettes" / "test_a" / "test_b.claude.yaml")
    assert cassette_path(test, "test_b", path="shared/c.yaml") == str(tmp_path / "shared" / "c.yaml")
    assert cassette_path(test, "test_b", path="../c.yaml") == str(tmp_path.parent / "c.yaml")
    assert cassette_path(test, "test_b", path="/c.yaml") == "/c.yaml"


SHARED = """
pytestmark = pytest.mark.claude_cassette("cassettes/shared.yaml", upstream=API.transport, allow_unplayed=True)

def test_one(cassette_claude):
    assert talk(cassette_claude.client(**key), "one")

@pytest.mark.parametrize("number", range(8))
def test_both(cassette_claude, number):
    assert len(talk(cassette_claude.client(**key), "one", "two")) == 2
"""


def test_tests_that_share_a_cassette(pytester: pytest.Pytester) -> None:
    """Rewriting, the second adds to what the first has written; replaying, each has it all to itself."""
    run(pytester, SHARED, "--playhead=rewrite").assert_outcomes(passed=9)
    assert cassettes(pytester) == ["shared.yaml"]
    session = load(pytester.path / "cassettes" / "shared.yaml")
    assert (session.finished, len(session.exchanges)) == (True, 2)
    run(pytester, SHARED).assert_outcomes(passed=9)


ASYNC = """
@LIVE
def test_it(cassette_claude):
    async def go():
        client = cassette_claude.async_client(**key)
        asked = [client.messages.create(model="claude-opus-5-5", max_tokens=9,
                                        messages=[{"role": "user", "content": str(n)}]) for n in range(5)]
        async with client.messages.stream(model="claude-opus-5-5", max_tokens=9,
                                          messages=[{"role": "user", "content": "s"}]) as stream:
            last = await stream.get_final_text()
        return [*[(await one).content[0].text for one in asked], last]
    assert len(asyncio.run(go())) == 6

@pytest.mark.anyio
@LIVE
async def test_later(cassette_claude, anyio_backend):
    reply = await cassette_claude.async_client(**key).messages.create(
        model="claude-opus-5-5", max_tokens=9, messages=[{"role": "user", "content": "x"}])
    assert reply.content[0].text.startswith("reply")

@pytest.fixture
def anyio_backend():
    return "asyncio"
"""


def test_async_tests(pytester: pytest.Pytester) -> None:
    """Clients and tests that are async; the fixture is not."""
    run(pytester, ASYNC, "--playhead=record", "-p", "anyio").assert_outcomes(passed=2)
    run(pytester, ASYNC, "-p", "anyio").assert_outcomes(passed=2)


def test_a_test_that_fails_leaves_its_recording_unfinished(pytester: pytest.Pytester) -> None:
    """An old cassette stands; a new one says that it is unfinished."""
    failing = ONE + "    assert 1 == 2\n"
    run(pytester, failing, "--playhead=rewrite").assert_outcomes(failed=1)
    path = pytester.path / "cassettes" / "test_tides" / "test_it.claude.yaml"
    assert not load(path).finished
    run(pytester, ONE, "--playhead=rewrite").assert_outcomes(passed=1)
    before = path.read_bytes()
    run(pytester, failing, "--playhead=rewrite").assert_outcomes(failed=1)
    assert path.read_bytes() == before


def test_in_ci_only_the_command_line_goes_live(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """The ini file's mode is for people's machines."""
    pytester.makeini("[pytest]\nplayhead_mode = record\n")
    monkeypatch.setenv("CI", "true")
    run(pytester, ONE).assert_outcomes(errors=1)
    run(pytester, ONE, "--playhead=record").assert_outcomes(passed=1)
    monkeypatch.delenv("CI")
    run(pytester, ONE.replace("test_it", "test_other")).assert_outcomes(passed=1)
    pytester.makeini("[pytest]\nplayhead_mode = once\n")
    wrong = run(pytester, ONE)
    assert "playhead_mode is one of replay, record, rewrite, not 'once'" in wrong.stdout.str() + wrong.stderr.str()


WRONG = """
pytestmark = pytest.mark.claude_cassette("a.yaml")

@pytest.mark.claude_cassette("a.yaml", volatil=["dates"])
def test_misspelt(cassette_claude): pass

@pytest.mark.claude_cassette("a.yaml", "b.yaml")
def test_two_paths(cassette_claude): pass

@pytest.mark.claude_cassette("a.yaml", volatile=["date"])
def test_no_rule(cassette_claude): pass

@pytest.mark.claude_cassette("damaged.yaml")
def test_damaged(cassette_claude): pass
"""


@pytest.mark.parametrize("mode", ["replay", "record"])
def test_what_is_set_up_wrong_is_one_sentence(pytester: pytest.Pytester, mode: str) -> None:
    """In every mode."""
    (pytester.path / "a.yaml").write_bytes(write([]))
    (pytester.path / "damaged.yaml").write_bytes(write([]).replace(b"version: 1", b"version: 7"))
    result = run(pytester, WRONG, f"--playhead={mode}")
    result.assert_outcomes(errors=4)
    for sentence in (
        "claude_cassette has no option 'volatil'",
        "claude_cassette takes one path",
        "there is no volatile rule 'date'",
        "this Playhead reads version 1, not 7",
    ):
        assert sentence in result.stdout.str()


OPTIONS = """
@pytest.fixture
def claude_cassette_options():
    return {"upstream": API.transport, "scrubbers": [{"ada@example.com": "EMAIL"}]}

def test_it(cassette_claude):
    assert talk(cassette_claude.client(**key), "ada@example.com asks")
"""


def test_options_for_all_tests(pytester: pytest.Pytester) -> None:
    """A fixture that people override; a recording and its replay get the same scrubbers."""
    run(pytester, OPTIONS, "--playhead=record").assert_outcomes(passed=1)
    assert "ada@" not in (pytester.path / "cassettes/test_tides/test_it.claude.yaml").read_text()
    run(pytester, OPTIONS).assert_outcomes(passed=1)


def test_the_upstream_may_be_a_url(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the SDK takes from `ANTHROPIC_BASE_URL` is where a recording asks."""
    body = """
import http.server, json, threading

@pytest.fixture
def server(monkeypatch):
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-opus-5-5", "stop_sequence": None,
               "content": [{"type": "text", "text": "from a server"}], "stop_reason": "end_turn",
               "usage": {"input_tokens": 1, "output_tokens": 1}}

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["content-length"]))
            data = json.dumps(message).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *arguments):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as its:
        thread = threading.Thread(target=its.serve_forever)
        thread.start()
        monkeypatch.setenv("ANTHROPIC_BASE_URL", f"http://127.0.0.1:{its.server_port}")
        yield
        its.shutdown()
        thread.join()

def test_it(server, cassette_claude):
    with cassette_claude.client(**key) as client:
        assert talk(client, "hello") == ["from a server"]
"""
    run(pytester, body, "--playhead=record").assert_outcomes(passed=1)
    run(pytester, body.replace("def test_it(server, ", "def test_it(")).assert_outcomes(passed=1)


needs_xdist = pytest.mark.skipif(importlib.util.find_spec("xdist") is None, reason="pytest-xdist is not installed")
MANY = """
@LIVE
@pytest.mark.parametrize("number", range(24))
def test_many(cassette_claude, number):
    assert len(talk(cassette_claude.client(**key), f"number {number}", "two")) == 2
"""


@needs_xdist
def test_eight_workers(pytester: pytest.Pytester) -> None:
    """Own and shared cassettes, recorded and replayed."""
    both = MANY + SHARED.replace("pytestmark =", "SHARING =").replace("def test_both", "@SHARING\ndef test_both")
    both = both.replace("def test_one", "@SHARING\ndef test_one").replace('"one")\n', '"one", "two")\n')
    # each worker costs seconds; replays share nothing
    for mode, workers in (("rewrite", "-n8"), ("replay", "-n2")):
        run(pytester, both, "-p", "xdist", workers, f"--playhead={mode}").assert_outcomes(passed=33)
        assert len(cassettes(pytester)) == 25
    session = load(pytester.path / "cassettes" / "shared.yaml")
    assert (session.finished, len(session.exchanges)) == (True, 2)


@pytest.mark.skipif(importlib.util.find_spec("pytest_recording") is None, reason="pytest-recording is not installed")
def test_beside_pytest_recording(pytester: pytest.Pytester) -> None:
    """Both plugins at once, in one test: no option, fixture or file of theirs clashes with ours."""
    body = """
@pytest.mark.vcr
@pytest.mark.block_network
@LIVE
def test_it(cassette_claude):
    assert len(talk(cassette_claude.client(**key), "one", "two")) == 2
"""
    # its process-wide patches stay behind as an open file's warning, which is none of ours
    theirs = pytester.path / "cassettes" / "test_tides" / "test_it.yaml"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("interactions: []\nversion: 1\n")
    for mode in ("rewrite", "replay"):
        pytester.makepyfile(test_tides=HEAD + body)
        result = pytester.runpytest_subprocess(
            "-p", "no:hypothesispytest", "-p", "no:cacheprovider", f"--playhead={mode}", "--record-mode=none"
        )
        result.assert_outcomes(passed=1)
    assert cassettes(pytester) == ["test_tides/test_it.claude.yaml", "test_tides/test_it.yaml"]
    assert theirs.read_text() == "interactions: []\nversion: 1\n"


UNUSED = """
@LIVE
def test_fixture(cassette_claude):
    assert talk(cassette_claude.client(**key), "one")

def test_by_hand():
    path = os.path.join(os.path.dirname(__file__), "cassettes", "by_hand.yaml")
    with FakeClaude.from_cassette(path) as fake:
        assert talk(fake.client(), "one")
"""


@pytest.fixture
def used(pytester: pytest.Pytester) -> pytest.Pytester:
    """Two cassettes that tests open, one that none does, and files that are none of ours."""
    folder = pytester.path / "cassettes"
    run(pytester, UNUSED, "--playhead=record", "-k", "fixture").assert_outcomes(passed=1, deselected=1)
    text = (folder / "test_tides" / "test_fixture.claude.yaml").read_text()
    for name in ("by_hand", "old"):
        (folder / f"{name}.yaml").write_text(text)
    (folder / "vcr.yaml").write_text("interactions: []\nversion: 1\n")
    (folder / "empty.yaml").write_text("")
    return pytester


@pytest.mark.parametrize("workers", [(), pytest.param(("-p", "xdist", "-n2"), marks=needs_xdist)], ids=["one", "two"])
def test_unused_cassettes_are_told(used: pytest.Pytester, workers: tuple[str, ...]) -> None:
    """However a test opens them; they fail the run only where that is asked for."""
    result = run(used, UNUSED, "--playhead-unused", *workers)
    result.assert_outcomes(passed=2)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*cassettes that nothing has opened*", "cassettes/old.yaml", "1 unused: delete it*"])
    assert "by_hand.yaml" not in result.stdout.str()
    assert "vcr.yaml" not in result.stdout.str()
    assert run(used, UNUSED, "--playhead-unused=fail", *workers).ret == 1
    (used.path / "cassettes" / "old.yaml").unlink()
    clean = run(used, UNUSED, "--playhead-unused=fail", *workers)
    assert clean.ret == 0
    assert "nothing has opened" not in clean.stdout.str()


@pytest.mark.parametrize("arguments", [("-k", "fixture"), ("test_tides.py::test_fixture",)], ids=["-k", "by name"])
def test_a_run_of_some_tests_fails_nothing(used: pytest.Pytester, arguments: tuple[str, ...]) -> None:
    """It cannot know."""
    result = run(used, UNUSED, "--playhead-unused=fail", *arguments)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["cassettes/by_hand.yaml", "but not all tests were run, so this fails nothing"])

"""The pytest plugin: fixtures `fake_claude`, `claude_server`, `cassette_claude` and `claude_clock`, and their markers.

Law: thin and light; it loads nothing of ours, and no library, before a test asks for a fixture. A rehearsal that went
wrong fails the test itself, not its teardown: the verdict is taken right after the body.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from freezegun.api import FrozenDateTimeFactory, StepTickTimeFactory, TickingDateTimeFactory

    from playhead.fake import FakeClaude
    from playhead.recording import Mode, Recording
    from playhead.serving import Serving
    from playhead.testing.rehearsal import Rehearsal

    Clock = StepTickTimeFactory | TickingDateTimeFactory | FrozenDateTimeFactory

pytest_plugins = ("playhead.pytest_vcr",)

_REHEARSAL: pytest.StashKey[Rehearsal] = pytest.StashKey()
_REWRITTEN: pytest.StashKey[set[str]] = pytest.StashKey()
_CLOCK = "2025-01-01 00:00:00"
_MODES = ("replay", "record", "rewrite")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("playhead", "rehearsals of Claude tool loops")
    group.addoption(
        "--playhead",
        choices=_MODES,
        default=None,
        help="what cassettes are for: replay (never ask the API), record (ask it for what is not recorded yet), "
        "rewrite (ask it for everything)",
    )
    group.addoption("--playhead-ignore", action="append", default=[], metavar="RULE", help="switch a rule off")
    group.addoption(
        "--playhead-level",
        choices=("reject", "broken", "warn"),
        default=None,
        help="the weakest violation that fails a test (broken)",
    )
    group.addoption(
        "--playhead-unused",
        nargs="?",
        choices=("report", "fail"),
        const="report",
        default=None,
        help="list the cassettes that nothing in this run has opened, or fail because of them",
    )
    parser.addini("playhead_mode", "replay, record or rewrite; in CI it is replay unless --playhead says otherwise")
    parser.addini("playhead_ignore", "rules that are switched off", type="args", default=[])
    parser.addini("playhead_clock", "where the fixture claude_clock starts (UTC)", default=_CLOCK)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "claude_script(script, **options): the script of the fixture fake_claude, a list of steps or a function, "
        "and options of FakeClaude (strict, ignore, rules, conversations, max_requests, ...).",
    )
    config.addinivalue_line(
        "markers",
        "claude_cassette(path=None, **options): the cassette of the fixture cassette_claude, from the test file's "
        "folder, by default cassettes/<module>/<test>.claude.yaml, and options of FakeClaude.from_cassette and "
        "playhead.record (volatile, scrubbers, upstream, allow_unplayed, ...).",
    )
    config.stash[_REWRITTEN] = set()
    if config.getoption("--playhead-unused") is not None:
        from playhead.testing.pytest_unused import Unused

        unused = Unused(config)
        sys.addaudithook(unused.audit)
        config.pluginmanager.register(unused, "playhead-unused")


def pytest_report_header(config: pytest.Config) -> str | None:
    mode = config.getoption("--playhead") or config.getini("playhead_mode")
    return f"playhead: {_mode(config)}" if mode not in ("", "replay", None) else None


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    __tracebackhide__ = True
    try:
        result = yield
    except BaseException as error:
        if _REHEARSAL in item.stash:
            item.stash[_REHEARSAL].annotate(error)
        raise
    if _REHEARSAL in item.stash:
        item.stash[_REHEARSAL].finish()
    return result


@pytest.fixture
def fake_claude(request: pytest.FixtureRequest) -> FakeClaude:
    """A `FakeClaude` that plays the script of the test's `claude_script` marker.

    A violation or an unplayed step fails the test, whatever the code under test caught.
    """
    from playhead.errors import ScriptError

    rehearsal = _rehearsal(request)
    marker = request.node.get_closest_marker("claude_script")
    try:
        return rehearsal.open(
            marker and marker.args, dict(marker.kwargs) if marker else {}, **_settings(request.config)
        )
    except ScriptError as error:
        raise pytest.UsageError(str(error)) from None


@pytest.fixture
def claude_server(fake_claude: FakeClaude, monkeypatch: pytest.MonkeyPatch) -> Iterator[Serving]:
    """`fake_claude` behind a base URL (`.url`), for code that builds its own client.

    As long as the test runs, `ANTHROPIC_BASE_URL` and `ANTHROPIC_API_KEY` lead there (`.env`), in the processes that
    it starts as well. The verdict is that of `fake_claude`.
    """
    from playhead.serving import Serving

    with Serving(fake_claude, judge=False) as server:
        for name, value in server.env.items():
            monkeypatch.setenv(name, value)
        yield server


@pytest.fixture
def claude_cassette_options() -> dict[str, Any]:
    """Options for every cassette of the tests that see this fixture; override it, in a conftest.py say.

    They are those of the marker `claude_cassette`, which has the last word.
    """
    return {}


@pytest.fixture
def cassette_claude(
    request: pytest.FixtureRequest, claude_cassette_options: dict[str, Any]
) -> Iterator[FakeClaude | Recording]:
    """The test's cassette: a `FakeClaude` that replays it, or a `Recording` into it, as `--playhead` says.

    Either has `client()`, `async_client()` and `transport`. Its file is `cassettes/<module>/<test>.claude.yaml` beside
    the test's, or what the marker `claude_cassette` says. A request that is not recorded fails the test, as do a
    violation and recorded exchanges that are not asked for.
    """
    from playhead.errors import PlayheadError
    from playhead.testing.cassettes import opened
    from playhead.testing.places import cassette_path

    marker = request.node.get_closest_marker("claude_cassette")
    arguments = marker.args if marker else ()
    options = {**claude_cassette_options, **(marker.kwargs if marker else {})}
    if len(arguments) > 1 or not isinstance(options.get("path", ""), str | os.PathLike):
        pytest.fail("claude_cassette takes one path, and options by name", pytrace=False)
    given = arguments[0] if arguments else options.pop("path", None)
    owner = request.cls.__name__ if request.cls is not None else ""
    path = cassette_path(request.path, request.node.name, owner, None if given is None else os.fspath(given))
    accept = f"pytest {shlex.quote(request.node.nodeid)} --playhead=rewrite"
    rehearsal = _rehearsal(request)
    failure = None
    try:
        mode = _mode(request.config)
        if mode == "rewrite" and path in request.config.stash[_REWRITTEN]:
            mode = "record"  # another test of this run has rewritten it: what that one recorded stays
        cassette = opened(path, mode, options, accept=accept, **_settings(request.config))
        rehearsal.take(cassette)
    except PlayheadError as error:
        failure = str(error)
    if failure is not None:
        pytest.fail(failure, pytrace=False)
    if mode == "rewrite":
        request.config.stash[_REWRITTEN].add(path)
    yield cassette
    # only where the test's body was never reached is anything open
    rehearsal.close(RuntimeError("the test did not run"))


def _rehearsal(request: pytest.FixtureRequest) -> Rehearsal:
    from playhead.testing.rehearsal import Rehearsal

    rehearsal: Rehearsal = request.node.stash.setdefault(_REHEARSAL, Rehearsal())
    return rehearsal


def _mode(config: pytest.Config) -> Mode:
    from playhead.errors import SetupError
    from playhead.testing.cassettes import mode_of

    try:
        return mode_of(config.getoption("--playhead"), config.getini("playhead_mode"), os.environ.get("CI", ""))
    except SetupError as error:
        raise pytest.UsageError(str(error)) from None


def _settings(config: pytest.Config) -> dict[str, Any]:
    """What the command line and the ini file say for every test of a run."""
    ignored = [*config.getini("playhead_ignore"), *config.getoption("--playhead-ignore")]
    return {"ignore": ignored, "level": config.getoption("--playhead-level")}


@pytest.fixture
def claude_clock(request: pytest.FixtureRequest) -> Iterator[Clock]:
    """Time stands still at the ini option `playhead_clock` (2025-01-01); move it with `.move_to()` and `.tick()`.

    Safe under asyncio: timeouts, and the waiting between an async client's retries, go by the real clock.
    """
    try:
        import freezegun
    except ImportError:
        raise pytest.UsageError("the fixture claude_clock needs freezegun: pip install 'playhead[time]'") from None
    start = str(request.config.getini("playhead_clock"))
    with freezegun.freeze_time(start, real_asyncio=True) as clock:
        yield clock

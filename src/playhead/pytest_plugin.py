"""The pytest plugin: fixtures `fake_claude` and `claude_clock`, marker `claude_script`.

Law: thin and light; it loads nothing of ours, and no library, before a test asks for a fixture. A rehearsal that went
wrong fails the test itself, not its teardown: the verdict is taken right after the body.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from freezegun.api import FrozenDateTimeFactory, StepTickTimeFactory, TickingDateTimeFactory

    from playhead.fake import FakeClaude
    from playhead.testing.rehearsal import Rehearsal

    Clock = StepTickTimeFactory | TickingDateTimeFactory | FrozenDateTimeFactory

pytest_plugins = ("playhead.pytest_vcr",)

_REHEARSAL: pytest.StashKey[Rehearsal] = pytest.StashKey()
_CLOCK = "2025-01-01 00:00:00"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("playhead", "rehearsals of Claude tool loops")
    group.addoption("--playhead-ignore", action="append", default=[], metavar="RULE", help="switch a rule off")
    group.addoption(
        "--playhead-level",
        choices=("reject", "broken", "warn"),
        default=None,
        help="the weakest violation that fails a test (broken)",
    )
    parser.addini("playhead_ignore", "rules that are switched off", type="args", default=[])
    parser.addini("playhead_clock", "where the fixture claude_clock starts (UTC)", default=_CLOCK)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "claude_script(script, **options): the script of the fixture fake_claude, a list of steps or a function, "
        "and options of FakeClaude (strict, ignore, rules, conversations, max_requests, ...).",
    )


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
    from playhead.testing.rehearsal import Rehearsal

    rehearsal: Rehearsal = request.node.stash.setdefault(_REHEARSAL, Rehearsal())
    marker = request.node.get_closest_marker("claude_script")
    try:
        return rehearsal.open(
            marker and marker.args, dict(marker.kwargs) if marker else {}, **_settings(request.config)
        )
    except ScriptError as error:
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

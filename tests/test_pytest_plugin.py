"""The pytest plugin, run as its users run it: in a process of its own."""

from __future__ import annotations

import pytest

pytest_plugins = ["pytester"]

LOOP = """
import anthropic, pytest
from playhead import call, reply, say, turn

TOOLS = [{"name": "get_tide", "input_schema": {"type": "object"}}]

def ask(client, *, answer=True, swallow=False):
    messages = [{"role": "user", "content": "How high?"}]
    try:
        for _ in range(5):
            message = client.messages.create(model="claude-opus-5-5", max_tokens=64, tools=TOOLS, messages=messages)
            messages.append({"role": "assistant", "content": message.content})
            if message.stop_reason != "tool_use":
                return message.content[0].text
            results = [{"type": "tool_result", "tool_use_id": b.id, "content": "4.1"} for b in message.content]
            other = [*results[1:], {"type": "text", "text": "?"}]
            messages.append({"role": "user", "content": results if answer else other})
    except anthropic.APIError:
        if not swallow:
            raise
"""


def run(pytester: pytest.Pytester, body: str, *arguments: str) -> pytest.RunResult:
    pytester.makepyfile(LOOP + body)
    # Hypothesis' plugin loads all of it at the end of each run, for a second, and no test here needs it
    return pytester.runpytest_subprocess(
        "-p", "no:hypothesispytest", "-p", "no:cacheprovider", "-W", "error", *arguments
    )


def test_a_correct_loop_passes(pytester: pytest.Pytester) -> None:
    """The fixture plays the marker's script."""
    result = run(
        pytester,
        """
@pytest.mark.claude_script([call("get_tide", port="Brest"), say("4.1 m")])
def test_it(fake_claude):
    assert ask(fake_claude.client()) == "4.1 m"
""",
    )
    result.assert_outcomes(passed=1)


def test_a_violation_fails_the_test_although_the_loop_swallows_it(pytester: pytest.Pytester) -> None:
    """The verdict does not depend on what the code under test catches; it is a failure, not a teardown error."""
    result = run(
        pytester,
        """
@pytest.mark.claude_script([call("get_tide"), say("4.1 m")])
def test_it(fake_claude):
    ask(fake_claude.client(), answer=False, swallow=True)
""",
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*RuleViolations: Claude's API would refuse*", "*tool-use-unanswered*"])


def test_an_unplayed_step_fails_the_test(pytester: pytest.Pytester) -> None:
    """A loop that stops early is told which step came next."""
    result = run(
        pytester,
        """
@pytest.mark.claude_script([say("4.1 m"), say("and rising")])
def test_it(fake_claude):
    ask(fake_claude.client())
""",
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*ScriptNotFinished: 1 of 2 steps was never asked for*", '*say("and rising")*<- next*']
    )


def test_the_bodys_own_error_is_not_masked(pytester: pytest.Pytester) -> None:
    """An assertion of the test stands, and what the fake saw is added to it."""
    result = run(
        pytester,
        """
@pytest.mark.claude_script([call("get_tide"), say("4.1 m")])
def test_it(fake_claude):
    ask(fake_claude.client(), answer=False, swallow=True)
    assert 1 == 2, "mine"
""",
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*AssertionError: mine*", "*What the fake Claude saw*"])


def test_expect_and_ignore_relax_one_test(pytester: pytest.Pytester) -> None:
    """`expect` wants a violation, `ignore` switches a rule off; each for this test alone."""
    result = run(
        pytester,
        """
@pytest.mark.claude_script([call("get_tide")])
def test_expected(fake_claude):
    with fake_claude.expect("tool-use-unanswered"), pytest.raises(anthropic.BadRequestError):
        ask(fake_claude.client(), answer=False)

@pytest.mark.claude_script([call("get_tide"), say("4.1 m")], ignore=["tool-use-unanswered"])
def test_ignored(fake_claude):
    assert ask(fake_claude.client(), answer=False) == "4.1 m"

@pytest.mark.claude_script([call("get_tide"), say("4.1 m")])
def test_not_met(fake_claude):
    with fake_claude.expect("tool-use-unanswered"):
        ask(fake_claude.client())
""",
    )
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*ExpectationNotMet: no violation of tool-use-unanswered came*"])


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        pytest.param("def test_it(fake_claude): pass", "needs a script: mark the test with", id="no marker"),
        pytest.param(
            "@pytest.mark.claude_script(say('a'))\ndef test_it(fake_claude): pass",
            "put the step into brackets",
            id="a lone step",
        ),
        pytest.param(
            "@pytest.mark.claude_script([say('a')], stict=True)\ndef test_it(fake_claude): pass",
            "unexpected keyword argument 'stict'",
            id="a misspelt option",
        ),
        pytest.param(
            "@pytest.mark.claude_script(say('a'), say('b'))\ndef test_it(fake_claude): pass",
            "put the steps into one list",
            id="two arguments",
        ),
        pytest.param(
            "@pytest.mark.claude_script([say('a')], ignore=['system-stabel'])\ndef test_it(fake_claude): pass",
            "did you mean 'system-stable'?",
            id="a misspelt rule",
        ),
    ],
)
def test_a_wrong_set_up_is_one_sentence(pytester: pytest.Pytester, body: str, sentence: str) -> None:
    """What is set up wrong says how to write it right."""
    result = run(pytester, body)
    result.assert_outcomes(errors=1)
    assert sentence in result.stdout.str()


def test_the_clock_stands_still_and_asyncio_goes_on(pytester: pytest.Pytester) -> None:
    """`claude_clock` freezes dates, moves on request, and lets timeouts pass."""
    result = run(
        pytester,
        """
import asyncio, datetime

def test_clock(claude_clock):
    assert datetime.datetime.now() == datetime.datetime(2025, 1, 1)
    claude_clock.move_to("2026-02-28")
    assert datetime.date.today() == datetime.date(2026, 2, 28)

    async def wait():
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.Event().wait(), 0.01)

    asyncio.run(wait())

@pytest.mark.claude_script([say("now")])
def test_both(claude_clock, fake_claude):
    async def go():
        return await fake_claude.async_client().messages.create(
            model="claude-opus-5-5", max_tokens=8, messages=[{"role": "user", "content": "when?"}])
    assert asyncio.run(go()).content[0].text == "now"
""",
    )
    result.assert_outcomes(passed=2)


def test_the_clock_starts_where_the_ini_says(pytester: pytest.Pytester) -> None:
    """The ini option `playhead_clock` sets the date."""
    pytester.makeini("[pytest]\nplayhead_clock = 2030-05-06\n")
    result = run(
        pytester,
        """
import datetime
def test_clock(claude_clock):
    assert datetime.date.today() == datetime.date(2030, 5, 6)
""",
    )
    result.assert_outcomes(passed=1)


def test_two_tests_do_not_share_a_fake(pytester: pytest.Pytester) -> None:
    """What one test broke says nothing of the next, under a module-wide marker too."""
    result = run(
        pytester,
        """
pytestmark = pytest.mark.claude_script([call("get_tide"), say("4.1 m")])

def test_broken(fake_claude):
    ask(fake_claude.client(), answer=False, swallow=True)

def test_fine(fake_claude):
    assert ask(fake_claude.client()) == "4.1 m"
""",
    )
    result.assert_outcomes(passed=1, failed=1)


def test_markers_are_listed(pytester: pytest.Pytester) -> None:
    """`pytest --markers` tells how the marker is written."""
    result = pytester.runpytest_subprocess("--markers")
    result.stdout.fnmatch_lines(["*claude_script(script, [*][*]options)*"])


BROKEN = """
@pytest.mark.claude_script([call("get_tide"), say("4.1 m")])
def test_it(fake_claude):
    ask(fake_claude.client(), answer=False)
"""


def test_a_rule_is_switched_off_for_a_run(pytester: pytest.Pytester) -> None:
    """`--playhead-ignore` and the ini option switch a rule off in every test; a misspelt one is told."""
    run(pytester, BROKEN, "--playhead-ignore", "tool-use-unanswered").assert_outcomes(passed=1)
    misspelt = run(pytester, BROKEN, "--playhead-ignore", "tool-use-unanswerd")
    misspelt.assert_outcomes(errors=1)
    assert "did you mean 'tool-use-unanswered'?" in misspelt.stdout.str()
    pytester.makeini("[pytest]\nplayhead_ignore = tool-use-unanswered system-stable\n")
    run(pytester, BROKEN).assert_outcomes(passed=1)


def test_the_level_that_fails_is_set_for_a_run(pytester: pytest.Pytester) -> None:
    """With `--playhead-level reject` only what the API refuses fails a test."""
    changed = """
@pytest.mark.claude_script([say("one"), say("two")])
def test_it(fake_claude):
    messages = [{"role": "user", "content": "Count."}]
    for system in ("S1", "S2"):
        message = fake_claude.client().messages.create(
            model="claude-opus-5-5", max_tokens=9, system=system, messages=messages)
        messages += [{"role": "assistant", "content": message.content}, {"role": "user", "content": "Go on."}]
"""
    run(pytester, changed).assert_outcomes(failed=1)
    run(pytester, changed, "--playhead-level", "reject").assert_outcomes(passed=1)


def test_code_that_builds_its_own_client(pytester: pytest.Pytester) -> None:
    """`claude_server` leads it to the fake by the environment, for that test alone; the verdict is the same."""
    pytest.importorskip("uvicorn", reason="the server needs uvicorn: pip install 'playhead[serve]'")
    result = run(
        pytester,
        """
import os

@pytest.mark.claude_script([call("get_tide"), say("4.1 m")])
@pytest.mark.parametrize("answer", [True, False])
def test_it(claude_server, answer):
    with anthropic.Anthropic() as client:
        assert str(client.base_url).rstrip("/") == claude_server.url
        assert ask(client, answer=answer, swallow=True) == ("4.1 m" if answer else None)

def test_afterwards():
    assert "127.0.0.1" not in os.environ.get("ANTHROPIC_BASE_URL", "")
""",
    )
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*RuleViolations: Claude's API would refuse*", "*tool-use-unanswered*"])

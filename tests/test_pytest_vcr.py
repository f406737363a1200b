"""pytest-recording and the plugin in one suite, run as its users run it: in a process of its own."""

from __future__ import annotations

import pytest

pytest_plugins = ["pytester"]

SUITE = """
import anthropic, httpx2, pytest
from playhead import FakeClaude, call, say

UPSTREAM = {"record": %r}
TOOLS = [{"name": "get_tide", "input_schema": {"type": "object"}}]

def client():
    fake = FakeClaude([call("get_tide", port="Brest"), say("4.1 m")], strict=False)
    def handle(request):
        assert UPSTREAM["record"], "the network was asked"
        return fake.transport.handle_request(request)
    http_client = anthropic.DefaultHttpxClient(transport=httpx2.MockTransport(handle))
    return anthropic.Anthropic(api_key="sk-ant-api03-abcdefgh", max_retries=0, http_client=http_client)

def ask(question="How high?", result="4.1", name="tool_use_id"):
    messages = [{"role": "user", "content": question}]
    sdk = client()
    while True:
        message = sdk.messages.create(model="claude-opus-5-5", max_tokens=64, tools=TOOLS, messages=messages)
        messages.append({"role": "assistant", "content": message.content})
        if message.stop_reason != "tool_use":
            return message.content[0].text
        results = [{"type": "tool_result", "tool_use_id": b.id, "content": result} for b in message.content]
        messages.append({"role": "user", "content": results})
"""
TEST = """
@pytest.mark.vcr
def test_it():
    assert ask(%s) == "4.1 m"
"""


def run(
    pytester: pytest.Pytester, test: str, *arguments: str, ini: str = "playhead_vcr = true", record: bool = False
) -> pytest.RunResult:
    pytester.makeini(f"[pytest]\n{ini}\n")
    pytester.makepyfile(test_suite=SUITE % record + test)
    mode = ("--record-mode=once",) if record else ()
    # Hypothesis' plugin loads all of it at the end of each run, for a second, and no test here needs it
    return pytester.runpytest_subprocess(
        "-p", "no:hypothesispytest", "-p", "no:cacheprovider", "-W", "error", *mode, *arguments
    )


def cassette(pytester: pytest.Pytester, name: str = "test_it.yaml") -> str:
    return (pytester.path / "cassettes" / "test_suite" / name).read_text()


def test_a_marked_suite_gets_our_cassettes(pytester: pytest.Pytester) -> None:
    """Under the names that pytest-recording gives, and played by it."""
    run(pytester, TEST % "", record=True).assert_outcomes(passed=1)
    assert cassette(pytester).startswith("version: 1\nformat: playhead\n")
    run(pytester, TEST % "").assert_outcomes(passed=1)


def test_a_suite_that_does_not_ask_is_left_alone(pytester: pytest.Pytester) -> None:
    """Both plugins installed: vcrpy's own format and matching."""
    run(pytester, TEST % "", ini="", record=True).assert_outcomes(passed=1)
    assert cassette(pytester).startswith("interactions:\n")
    result = run(pytester, TEST % "'another question'", ini="")
    result.assert_outcomes(passed=1)  # vcrpy does not look at bodies


def test_old_cassettes_are_played_when_it_is_switched_on(pytester: pytest.Pytester) -> None:
    """They stay as they are."""
    run(pytester, TEST % "", ini="", record=True).assert_outcomes(passed=1)
    before = cassette(pytester)
    run(pytester, TEST % "").assert_outcomes(passed=1)
    assert cassette(pytester) == before
    run(pytester, TEST % "'another question'").assert_outcomes(failed=1)


def test_a_mismatch_is_explained_under_the_failure(pytester: pytest.Pytester) -> None:
    """Where, what, and why, beside vcrpy's own words."""
    run(pytester, TEST % "", record=True).assert_outcomes(passed=1)
    result = run(pytester, TEST % "result='3.9'")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "E*today's request leaves exchange 2 of *test_it.yaml",
            "E*at        $.messages[[]2].content[[]0].content",
            'E*recorded  "4.1"',
            'E*today     "3.9"',
        ]
    )


def test_volatile_rules_of_the_ini_file(pytester: pytest.Pytester) -> None:
    """As `register` takes them."""
    ini = "playhead_vcr = true\nplayhead_vcr_volatile = dates '/build \\d+/'"
    run(pytester, TEST % "'2025-01-01 build 1'", ini=ini, record=True).assert_outcomes(passed=1)
    run(pytester, TEST % "'2026-11-30 build 2'", ini=ini).assert_outcomes(passed=1)


def test_a_misspelt_rule_is_one_sentence(pytester: pytest.Pytester) -> None:
    """It names the option."""
    result = run(pytester, TEST % "", ini="playhead_vcr = true\nplayhead_vcr_volatile = moon", record=True)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*UsageError: playhead_vcr_volatile: there is no volatile rule 'moon'*"])


def test_rules_if_asked(pytester: pytest.Pytester) -> None:
    """A test whose loop is broken fails although vcrpy plays all it asks for; rules can be switched off."""
    test = """
@pytest.mark.vcr
def test_it():
    sdk = client()
    for question in ("one", "two"):
        sdk.messages.create(model="claude-opus-5-5", max_tokens=64, tools=TOOLS, messages=[
            {"role": "user", "content": question}, {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": "x"}]}])
"""
    ini = "playhead_vcr = true\nplayhead_vcr_rules = true"
    for record in (True, False):
        result = run(pytester, test, ini=ini, record=record)
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(["E*playhead.RuleViolations: Claude's API would refuse this*"])
    run(pytester, test, ini="playhead_vcr = true").assert_outcomes(passed=1)
    run(pytester, TEST.replace("test_it", "test_right") % "", ini=ini, record=True).assert_outcomes(passed=1)


def test_a_conftest_may_register_with_more(pytester: pytest.Pytester) -> None:
    """pytest-recording's own hook: it takes the place of what the ini file asks for, and needs none."""
    pytester.makeconftest(
        """
from playhead.readers.vcr import register

def pytest_recording_configure(config, vcr):
    register(vcr, scrubbers={"How high?": "QUESTION"})
"""
    )
    for ini in ("", "playhead_vcr = true\n"):
        run(pytester, TEST % "", "--record-mode=rewrite", ini=ini, record=True).assert_outcomes(passed=1)
        assert "QUESTION" in cassette(pytester)
        assert "How high?" not in cassette(pytester)
        run(pytester, TEST % "", ini=ini).assert_outcomes(passed=1)


def test_further_cassettes_of_a_marker(pytester: pytest.Pytester) -> None:
    """`@pytest.mark.vcr("other.yaml")` is read too, of whichever format."""
    two = """
@pytest.mark.vcr
def test_one():
    ask("one")

@pytest.mark.vcr
def test_two():
    ask("two")
"""
    run(pytester, two, record=True).assert_outcomes(passed=2)
    both = """
@pytest.mark.vcr("test_one.yaml", "test_two.yaml")
def test_both():
    ask("two")
    ask("one")
"""
    run(pytester, both).assert_outcomes(passed=1)


def test_vcr_config_goes_first(pytester: pytest.Pytester) -> None:
    """A suite's own `match_on` and filters are in force."""
    config = """
@pytest.fixture
def vcr_config():
    return {"match_on": ["method", "uri"], "filter_headers": ["user-agent"]}
"""
    run(pytester, config + TEST % "", record=True).assert_outcomes(passed=1)
    assert "user-agent" not in cassette(pytester)
    run(pytester, config + TEST % "'another question'").assert_outcomes(passed=1)


def test_vcrpy_is_not_loaded_for_tests_without_a_cassette(pytester: pytest.Pytester) -> None:
    """Switched on or not."""
    test = """
import sys

def test_it():
    assert "vcr" not in sys.modules
    assert "playhead.readers.vcr" not in sys.modules
"""
    pytester.makeini("[pytest]\nplayhead_vcr = true\n")
    pytester.makepyfile(test)
    pytester.runpytest_subprocess("-p", "no:hypothesispytest", "-p", "no:cacheprovider").assert_outcomes(passed=1)


def test_without_pytest_recording(pytester: pytest.Pytester) -> None:
    """The plugin loads as ever."""
    pytester.makepyfile("def test_it(): pass")
    pytester.runpytest_subprocess(
        "-p", "no:hypothesispytest", "-p", "no:cacheprovider", "-p", "no:recording"
    ).assert_outcomes(passed=1)

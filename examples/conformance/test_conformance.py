"""The loops that belong to this project's own environment, searched; and the page about the others, made of made-up
reports.
"""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import page
import pytest
import reference_loop
import run
import tool_runner

from playhead.rules.registry import RULES
from playhead.testing import check_loop
from playhead.testing.own_rules import OWN_RULES

HERE = Path(__file__).resolve().parent


@pytest.mark.parametrize("loop", [reference_loop.loop, reference_loop.streaming, reference_loop.aloop])
def test_the_reference_loop_breaks_nothing(loop: Callable[..., Any]) -> None:
    """Sync, streaming and async."""
    check_loop(loop, max_examples=3).assert_ok()


@pytest.mark.parametrize(
    "loop",
    [tool_runner.loop, tool_runner.without_thread, tool_runner.aloop, tool_runner.aloop_without_thread],
)
def test_the_tool_runner_of_the_sdk_breaks_nothing(loop: Callable[..., Any]) -> None:
    """With a thread on the server and without."""
    check_loop(loop, max_examples=3).assert_ok()


def test_the_streaming_tool_runner_takes_part_of_a_stream_for_a_reply() -> None:
    """The one thing that is found in it, and told on the page."""
    report = check_loop(tool_runner.streaming, max_examples=8)
    assert {finding.rule for finding in report.findings} == {"sse-missing-message-stop"}


def test_what_is_searched_is_pinned_and_there() -> None:
    """Every package has its version, and every loop is a function of its module, sync or async."""
    for framework in run.FRAMEWORKS:
        assert all(package.count("==") == 1 for package in framework.packages)
        tree = ast.parse((HERE / f"{framework.module}.py").read_text("utf-8"))
        functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
        assert {name for name, _ in framework.loops} <= functions


def test_verdicts_speak_of_what_there_is() -> None:
    """Each of a framework and a rule, once, with what was seen and why it matters."""
    verdicts = tomllib.loads((HERE / "verdicts.toml").read_text("utf-8"))["verdict"]
    rules = {rule.id for rule in RULES} | OWN_RULES.keys()
    places = [(one["framework"], one["rule"]) for one in verdicts]
    assert len({*places}) == len(places)
    assert {framework for framework, _ in places} <= {framework.name for framework in run.FRAMEWORKS}
    assert {rule for _, rule in places} <= rules
    assert {one["verdict"] for one in verdicts} == {"fault", "by design"}
    assert all(one["seen"] and one["why"] and one["checked"] for one in verdicts)


REPORT: dict[str, Any] = {
    "capabilities": [
        {"capability": "pairing", "status": "ok", "tried": 5, "note": ""},
        {"capability": "echo", "status": "broken", "tried": 5, "note": ""},
        {"capability": "compaction", "status": "off", "tried": 0, "note": "you switched it off"},
    ],
    "findings": [
        {
            "rule": "assistant-content-verbatim",
            "capability": "echo",
            "violation": {"message": "a text was dropped", "same_as": None},
            "script": ['call("ping")'],
            "command": "playhead conform m:loop --script '[]' --endless",
        },
        {
            "rule": "history-append-only",
            "capability": "echo",
            "violation": {"message": "a message was changed", "same_as": "assistant-content-verbatim"},
            "script": ['call("ping")'],
            "command": "playhead conform m:loop --script '[]'",
        },
    ],
}
TOLD: list[dict[str, Any]] = [
    {
        "name": "frame",
        "versions": {"frame": "1.0"},
        "date": "2026-11-30",
        "off": {"compaction": "it has none"},
        "reports": {"sync": REPORT},
    }
]


def test_a_finding_without_a_verdict_is_not_on_the_page(tmp_path: Path) -> None:
    """It is handed back, for somebody to look at."""
    verdicts = tmp_path / "verdicts.toml"
    verdicts.write_text("verdict = []")
    text, unjudged = page.page(TOLD, verdicts)
    assert unjudged == ['frame sync: assistant-content-verbatim call("ping")']
    assert "assistant-content-verbatim" not in text
    assert "| `echo` | not judged |" in text


def test_a_finding_with_a_verdict_is_told(tmp_path: Path) -> None:
    """With its script, what else the replay needs, and what was said of it."""
    verdicts = tmp_path / "verdicts.toml"
    verdicts.write_text(
        '[[verdict]]\nframework = "frame"\nrule = "assistant-content-verbatim"\nverdict = "fault"\n'
        'seen = "nothing"\nwhy = "it is lost"\nchecked = "by hand"\n'
    )
    text, unjudged = page.page(TOLD, verdicts)
    assert unjudged == []
    assert "| frame | frame 1.0 | sync | 2026-11-30, 10 scripts | 1 | 0 |" in text
    assert "| `echo` | **fault** |" in text
    assert '```text\n[call("ping")]\n# --endless\n```' in text
    assert "- why: it is lost" in text
    assert "- `compaction`: it has none" in text


def test_the_page_is_written_between_its_markers() -> None:
    """What stands before and after them stays."""
    before = f"# Title\n\n{page.BEGIN}\nold\n{page.END}\n\nafter\n"
    assert page.between_markers(before, "new") == f"# Title\n\n{page.BEGIN}\n\nnew\n\n{page.END}\n\nafter\n"

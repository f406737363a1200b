"""docs/strategies.md: every example runs, the tables name what there is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from playhead.testing import strategies
from playhead.testing.strategies import SEEDED

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "strategies.md").read_text("utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


settings.register_profile(
    "page",
    max_examples=15,
    database=None,
    derandomize=True,
    report_multiple_bugs=False,
    suppress_health_check=[HealthCheck.too_slow],
)


@pytest.fixture(scope="module")
def names() -> Iterator[dict[str, Any]]:
    """What the blocks define, one after another; with fewer examples than one would have."""
    found: dict[str, Any] = {}
    settings.load_profile("page")
    for block in BLOCKS:
        # no name of a file: Hypothesis asks for a test's source, and Python 3.12 cannot read it from such a page
        exec(compile(block, "<docs/strategies.md>", "exec"), found)
    yield found
    settings.load_profile("default")


@pytest.mark.parametrize("test", re.findall(r"^def (test_\w+)", PAGE, re.MULTILINE))
def test_the_examples_pass(names: dict[str, Any], test: str) -> None:
    """Each test on the page is run."""
    names[test]()


def test_a_trimming_that_parts_calls_and_results_is_found(names: dict[str, Any]) -> None:
    """The example about histories fails for a function that just cuts."""
    broken = {**names, "trimmed": lambda messages: messages[-1:]}
    exec(compile("@settings" + BLOCKS[-1].partition("\n@settings")[2], "<docs/strategies.md>", "exec"), broken)
    with pytest.raises(AssertionError):
        broken["test_my_trimming_keeps_calls_and_results_together"]()


def test_the_table_of_strategies_is_whole() -> None:
    """What the first table names is there to be imported."""
    told = {*re.findall(r"^\| `(\w+)\(", PAGE, re.MULTILINE)}
    assert told <= {*strategies.__all__}
    parts = {"calls", "tool_turns", "tool_inputs", "json_values", "reply_blocks", "reply_messages", "input_schemas"}
    assert {name for name in strategies.__all__ if name.islower()} - told == parts


def test_the_table_of_faults_is_whole() -> None:
    """It is made of `SEEDED`; where this fails, put the right side between its two comments."""
    rows = [
        f"| `{name}` | {fault.what} | {', '.join(f'`{rule}`' for rule in fault.rules)} |"
        for name, fault in SEEDED.items()
    ]
    table = "\n".join(["| fault | what is wrong | found by |", "|---|---|---|", *rows])
    assert PAGE.partition("<!-- faults -->")[2].partition("<!-- /faults -->")[0].strip() == table

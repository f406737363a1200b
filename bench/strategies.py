"""What it costs to draw inputs from a schema: ratios against a strategy that somebody wrote for the same schema.

Run `PYTHONPATH=src python bench/strategies.py [--limit RATIO]`. Both strategies are drawn in turn, in one run, and the
best of several rounds is taken. With `--limit` the exit code is 1 where drawing inputs takes more times as long.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from playhead.testing.strategies import inputs, invalid_inputs, telling_inputs

ROUNDS = 5
DRAWS = 40
EXAMPLES = 40
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer", "minimum": 1, "maximum": 14},
        "unit": {"enum": ["c", "f"]},
    },
    "required": ["city", "unit"],
}
BY_HAND = st.fixed_dictionaries(
    {"city": st.text(max_size=20), "unit": st.sampled_from(("c", "f"))}, optional={"days": st.integers(1, 14)}
)


def milliseconds(strategy: st.SearchStrategy[Any]) -> float:
    """Processor time of one draw among many."""
    spent = 0.0
    quiet = settings(
        max_examples=EXAMPLES,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        derandomize=True,
        suppress_health_check=[*HealthCheck],
    )

    @quiet
    @given(st.data())
    def draw(data: st.DataObject) -> None:
        nonlocal spent
        start = time.process_time()
        for _ in range(DRAWS):
            data.draw(strategy)
        spent += time.process_time() - start

    draw()
    return spent * 1000 / (DRAWS * EXAMPLES)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=float)
    limit: float | None = parser.parse_args().limit
    drawn: Mapping[str, st.SearchStrategy[Any]] = {
        "by hand": BY_HAND,
        "inputs": inputs(SCHEMA),
        "telling_inputs": telling_inputs(SCHEMA),
        "invalid_inputs": invalid_inputs(SCHEMA),
    }
    best = dict.fromkeys(drawn, float("inf"))
    for _ in range(ROUNDS):
        for name, strategy in drawn.items():
            best[name] = min(best[name], milliseconds(strategy))
    for name, cost in best.items():
        print(f"{name:15} {cost:.3f} ms a draw, {cost / best['by hand']:.2f} of what is written by hand")
    return int(limit is not None and best["inputs"] > limit * best["by hand"])


if __name__ == "__main__":
    raise SystemExit(main())

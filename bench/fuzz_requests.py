"""Arbitrary request bodies through every rule: nothing may crash.

Run `python bench/fuzz_requests.py [COUNT]` (100,000 bodies by default, some minutes). Prints one line.
"""

from __future__ import annotations

import sys
import time
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings

from playhead.rules.checker import api_error, check_request
from playhead.testing.strategies import request_bodies


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    seen = violations = refused = 0

    @seed(2026)
    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(request_bodies())
    def judge(body: dict[str, Any]) -> None:
        nonlocal seen, violations, refused
        seen += 1
        violations += len(check_request(body))
        refused += api_error(body) is not None

    start = time.perf_counter()
    judge()
    seconds = time.perf_counter() - start
    print(
        f"requests: {seen:,} arbitrary bodies judged in {seconds:.0f} s, {refused:,} refused, "
        f"{violations:,} violations, no crash"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""What `import playhead` costs: against `import httpx2`, each in processes of its own, in turns.

`python bench/imports.py [--limit RATIO]` prints both medians, their ratio, what the first use of the face adds, and
which heavy modules each step loads. Exit code 1 where `import playhead` loads a heavy one, or where the ratio is above
the limit.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys

HEAVY = ("anthropic", "httpx", "httpx2", "hypothesis", "yaml", "jsonschema", "rich", "click", "pytest", "vcr")
ROUNDS = 9
STEPS = {
    "import httpx2": "import httpx2",
    "import playhead": "import playhead",
    "from playhead import FakeClaude, say": "from playhead import FakeClaude, say",
    "import playhead.pytest_plugin": "import playhead.pytest_plugin",
}
PROBE = """
import json, sys, time
started = time.perf_counter()
{statement}
spent = time.perf_counter() - started
print(json.dumps([spent, sorted(set({heavy!r}) & set(sys.modules)), len(sys.modules)]))
"""


def probe(statement: str) -> tuple[float, list[str], int]:
    """Seconds, heavy modules and the number of modules after one statement in a new process."""
    code = PROBE.format(statement=statement, heavy=HEAVY)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    spent, heavy, count = json.loads(done.stdout)
    return float(spent), [str(name) for name in heavy], int(count)


def main() -> int:
    parser = argparse.ArgumentParser(description="What importing playhead costs.")
    parser.add_argument("--limit", type=float, metavar="RATIO", help="fail where playhead / httpx2 is above this")
    limit = parser.parse_args().limit
    probes = [{name: probe(statement) for name, statement in STEPS.items()} for _ in range(ROUNDS)]
    medians = {name: statistics.median(one[name][0] for one in probes) for name in STEPS}
    for name, median in medians.items():
        _, heavy, count = probes[0][name]
        print(f"{name:<38} {median * 1000:7.1f} ms  {count:4} modules  {', '.join(heavy) or 'nothing heavy'}")
    ratio = medians["import playhead"] / medians["import httpx2"]
    print(f"import playhead / import httpx2: {ratio:.2f}x")
    loaded = probes[0]["import playhead"][1]
    return 1 if loaded or (limit is not None and ratio > limit) else 0


if __name__ == "__main__":
    sys.exit(main())

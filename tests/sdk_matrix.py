"""The smoke test on several versions of the SDK, each in an environment of its own.

`python tests/sdk_matrix.py [--keep FOLDER] [--markdown] [VERSION...]` makes the environments in a temporary folder (or
in FOLDER, where those that exist are used again), installs this project beside `anthropic==VERSION`, and prints a table
of what works where, and why the rest was skipped. Needs a package index; the smoke test itself needs no network. Exit
code 0 when every version works.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SMOKE = ROOT / "tests" / "doors" / "smoke.py"
VERSIONS = ("0.70.0", "0.73.0", "0.93.0", "0.125.0", "1.0.0", "1.17.0", "2.0.0", "2.14.0")
"""The oldest that the project takes, the last over httpx, the first over httpx2, the newest, and some between."""


@dataclass(frozen=True)
class Run:
    """How one version did: each check with `ok`, `skipped` or `FAILED` and the reason; `broke` if it did not run."""

    version: str
    over: str = ""
    outcomes: dict[str, tuple[str, str]] = field(default_factory=dict)
    broke: str = ""

    @property
    def ok(self) -> bool:
        return not self.broke and all(how != "FAILED" for how, _ in self.outcomes.values())


def smoke(version: str, folder: Path) -> Run:
    """Makes the environment for a version and runs the smoke test in it."""
    home = folder / f"anthropic-{version}"
    scripts = "Scripts" if sys.platform == "win32" else "bin"
    python = str(home / scripts / "python")
    if not Path(python).exists():
        venv.create(home, with_pip=True)
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    for command in (
        [*install, f"anthropic=={version}", str(ROOT)],
        # a version number that stays says nothing about what changed in it
        [*install, "--force-reinstall", "--no-deps", str(ROOT)],
        # outside the checkout and without its source: what is tested is what was installed
        [python, "-I", "-W", "error", str(SMOKE), "--json"],
    ):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode != 0 and not done.stdout.startswith("{"):
            return Run(version, broke=(done.stderr.strip() or done.stdout.strip() or "no output").splitlines()[-1])
    told = json.loads(done.stdout)
    return Run(version, told["over"], {name: (how, why) for name, (how, why) in told["outcomes"].items()})


def matrix(versions: Sequence[str], folder: Path) -> list[Run]:
    with ThreadPoolExecutor(max_workers=2) as pool:
        return list(pool.map(lambda version: smoke(version, folder), versions))


_SHOWN = {"ok": "ok", "skipped": "–", "FAILED": "FAILED"}


def table(runs: Sequence[Run], *, markdown: bool) -> Iterator[str]:
    """What works where: a row for each check, a column for each version."""
    names = list(dict.fromkeys(name for run in runs for name in run.outcomes))
    rows = [["", *(run.version for run in runs)], ["over", *(run.over or "did not run" for run in runs)]]
    for name in names:
        rows.append([name, *(_SHOWN[run.outcomes[name][0]] if name in run.outcomes else "" for run in runs)])
    if markdown:
        yield from (f"| {' | '.join(row)} |" for row in [rows[0], ["---"] * len(rows[0]), *rows[1:]])
        return
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def reasons(runs: Sequence[Run]) -> Iterator[str]:
    """Why a check was skipped or failed, once for all versions that say the same."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for run in runs:
        for name, (how, why) in run.outcomes.items():
            if how != "ok":
                found.setdefault((name, how, why), []).append(run.version)
    for (name, how, why), versions in found.items():
        yield f"{name} {how} on {', '.join(versions)}: {why}"
    yield from (f"{run.version} did not run: {run.broke}" for run in runs if run.broke)


def main() -> int:
    parser = argparse.ArgumentParser(description="The smoke test on several versions of the SDK.")
    parser.add_argument("versions", nargs="*", default=VERSIONS, metavar="VERSION")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the environments in this folder")
    parser.add_argument("--markdown", action="store_true", help="print the table in Markdown")
    options = parser.parse_args()
    if options.keep is not None:
        options.keep.mkdir(parents=True, exist_ok=True)
        runs = matrix(options.versions, options.keep.resolve())
    else:
        with tempfile.TemporaryDirectory(prefix="sdk-matrix-") as folder:
            runs = matrix(options.versions, Path(folder))
    for line in (*table(runs, markdown=options.markdown), "", *reasons(runs)):
        print(line)  # noqa: T201
    return 0 if runs and all(run.ok for run in runs) else 1


if __name__ == "__main__":
    sys.exit(main())

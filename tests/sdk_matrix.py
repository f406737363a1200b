"""The smoke test on several versions of the SDK, each in an environment of its own.

`python tests/sdk_matrix.py [--keep FOLDER] [VERSION...]` makes the environments in a temporary folder (or in FOLDER,
where those that exist are used again), installs this project beside `anthropic==VERSION`, and prints a table. Needs a
package index; the smoke test itself needs no network. Exit code 0 when every version works.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import venv
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SMOKE = ROOT / "tests" / "doors" / "smoke.py"
VERSIONS = ("0.73.0", "1.0.0", "2.14.0")
"""The oldest line over httpx, the first over httpx2, and the one that the suite runs on."""


@dataclass(frozen=True)
class Outcome:
    """How one version did: what it printed last, and whether that was good."""

    version: str
    ok: bool
    told: str


def smoke(version: str, folder: Path) -> Outcome:
    """Makes the environment for a version and runs the smoke test in it."""
    home = folder / f"anthropic-{version}"
    scripts = "Scripts" if sys.platform == "win32" else "bin"
    python = str(home / scripts / "python")
    if not Path(python).exists():
        venv.create(home, with_pip=True)
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    for command in (
        [*install, f"anthropic=={version}", str(ROOT)],
        # outside the checkout and without its source: what is tested is what was installed
        [python, "-I", "-W", "error", str(SMOKE)],
    ):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        lines = (done.stdout.strip() or done.stderr.strip() or "no output").splitlines()
        if done.returncode != 0:
            return Outcome(version, False, lines[-1])
    return Outcome(version, True, lines[-1])


def matrix(versions: list[str], folder: Path) -> list[Outcome]:
    with ThreadPoolExecutor(max_workers=2) as pool:
        return list(pool.map(lambda version: smoke(version, folder), versions))


def main() -> int:
    parser = argparse.ArgumentParser(description="The smoke test on several versions of the SDK.")
    parser.add_argument("versions", nargs="*", default=VERSIONS, metavar="VERSION")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the environments in this folder")
    options = parser.parse_args()
    if options.keep is not None:
        options.keep.mkdir(parents=True, exist_ok=True)
        outcomes = matrix([*options.versions], options.keep.resolve())
    else:
        with tempfile.TemporaryDirectory(prefix="sdk-matrix-") as folder:
            outcomes = matrix([*options.versions], Path(folder))
    for outcome in outcomes:
        print(f"{outcome.version:<10} {'ok' if outcome.ok else 'FAILED':<7} {outcome.told}")  # noqa: T201
    return 0 if outcomes and all(outcome.ok for outcome in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())

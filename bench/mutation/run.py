"""How much of the reference loop the search alone holds in place: mutmut changes one thing at a time in playhead/loop.

Run: python bench/mutation/run.py [--keep FOLDER] [--examples N] [--write]; takes an hour or two on two cores.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import tomllib
import venv
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PAGE = ROOT / "docs" / "mutation.md"
PACKAGES = ("mutmut==3.8.1", "pytest")

CONFIGURATION = """\
[project]
name = "mutated"
version = "0"

[tool.mutmut]
source_paths = ["src/playhead/loop"]
also_copy = ["src"]
timeout_multiplier = 3.0

[tool.pytest.ini_options]
pythonpath = ["src"]
"""

# asks mutmut itself, in its environment: the state of each mutant, and what was changed in those that survived
ASKED = """\
import json, pathlib, sys
from mutmut.mutation.diff_apply import get_diff_for_mutant
from mutmut.stats import status_by_exit_code
told = []
for meta in sorted(pathlib.Path("mutants/src/playhead/loop").glob("*.py.meta")):
    source = pathlib.Path("src/playhead/loop") / meta.name.removesuffix(".meta")
    for name, code in json.loads(meta.read_text())["exit_code_by_key"].items():
        status = status_by_exit_code[code]
        diff = get_diff_for_mutant(name, path=source) if status == "survived" else ""
        told.append({"name": name, "status": status, "diff": diff})
json.dump(told, sys.stdout)
"""


@dataclass(frozen=True)
class Mutant:
    """One change, and what became of it: `where` is module and function."""

    name: str
    status: str
    where: str
    changed: str


def made(folder: Path) -> Path:
    """The project that mutmut works in, with its environment; its Python."""
    for name in ("src", "tests"):
        shutil.rmtree(folder / name, ignore_errors=True)
    shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    (folder / "tests").mkdir()
    shutil.copy(HERE / "kit.py", folder / "tests" / "test_kit.py")
    (folder / "pyproject.toml").write_text(CONFIGURATION, "utf-8")
    home = folder / "environment"
    python = home / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    if not python.exists():
        venv.create(home, with_pip=True)
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*install, f"{ROOT}[search]", *PACKAGES], check=True)
    # the one that is changed is the copy
    subprocess.run([str(python), "-m", "pip", "uninstall", "--quiet", "--yes", "playhead"], check=True)
    return python


def mutants(python: Path, folder: Path) -> list[Mutant]:
    """What mutmut tells of each."""
    asked = subprocess.run([str(python), "-c", ASKED], cwd=folder, capture_output=True, text=True, check=True)
    told = json.loads(asked.stdout)
    return [Mutant(one["name"], one["status"], where(one["name"]), changed(one["diff"])) for one in told]


def where(name: str) -> str:
    """`results.jsonable` of `playhead.loop.results.x_jsonable__mutmut_3`; methods have their class before them."""
    _, module, mangled = name.removeprefix("playhead.").rsplit(".", 2)
    function = mangled.rpartition("__mutmut_")[0]
    if function.startswith("xǁ"):
        return f"{module}." + ".".join(function.removeprefix("xǁ").split("ǁ"))
    return f"{module}.{function.removeprefix('x_')}"


def changed(diff: str) -> str:
    """The lines that were there and are there now, without the others."""
    lines = [line for line in diff.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    return "\n".join(f"{line[0]} {line[1:].strip()}" for line in lines)


Why = Mapping[str, Any]


def reason(mutant: Mutant, whys: Sequence[Why]) -> str | None:
    """Why a survivor is none that the search should find: of the first entry that is about it."""
    for why in whys:
        about_it = any(mutant.where == place or mutant.where.startswith(f"{place}.") for place in why["where"])
        if about_it and any(part in mutant.changed for part in why.get("changed", [""])):
            return str(why["why"])
    return None


def page(told: Sequence[Mutant], whys: Sequence[Why], examples: int, remark: str) -> tuple[str, list[Mutant]]:
    """The page, and the survivors that nobody has explained."""
    reasons: dict[str, list[Mutant]] = defaultdict(list)
    for mutant in told:
        if mutant.status == "survived":
            reasons[reason(mutant, whys) or ""].append(mutant)
    unexplained = reasons.pop("", [])
    lines = [
        *_summary(told, examples),
        *textwrap.wrap(remark, 118),
        "",
        *_table(told),
        "",
        "## Why the others survived",
        "",
    ]
    for why, its in sorted(reasons.items(), key=lambda item: -len(item[1])):
        places = ", ".join(f"`{place}`" for place in sorted({mutant.where for mutant in its}))
        lines.append(f"- **{len(its)}**: {why} ({places})")
    if unexplained:
        lines.append(f"- **{len(unexplained)}**: not explained.")
    return "\n".join(lines) + "\n", unexplained


def _summary(told: Sequence[Mutant], examples: int) -> list[str]:
    states = Counter(mutant.status for mutant in told)
    killed, survived = states["killed"] + states["timeout"], states["survived"]
    return [
        "# Mutants of the reference loop that the search finds",
        "",
        "Made by `python bench/mutation/run.py --write`; do not edit.",
        "",
        "[mutmut](https://mutmut.readthedocs.io) changes one thing at a time in `playhead/loop`, and the search",
        "alone, none of the loop's own tests, is to notice: `check_loop` on the loop with whole replies and with",
        f"streams, sync and async, each capability with up to {examples} scripts. A mutant in a function that no",
        "script reaches cannot be noticed by any: it is counted apart. What survived is explained below, by its kind.",
        "",
        f"{datetime.now(UTC).date().isoformat()}, {PACKAGES[0].replace('==', ' ')}: {len(told)} mutants, of which "
        f"{states['no tests']} are in functions that a loop with schemas and functions of its own never calls. Of the "
        f"other {killed + survived}, {killed} were killed ({killed / max(1, killed + survived):.0%}) and {survived} "
        "survived.",
        "",
    ]


def _table(told: Sequence[Mutant]) -> list[str]:
    tally: dict[str, Counter[str]] = defaultdict(Counter)
    for mutant in told:
        tally[mutant.where.partition(".")[0]][mutant.status] += 1
    return ["| module | killed | survived | not reached |", "| --- | ---: | ---: | ---: |"] + [
        f"| `{module}` | {count['killed'] + count['timeout']} | {count['survived']} | {count['no tests']} |"
        for module, count in sorted(tally.items())
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description="Mutants of the reference loop under the search.")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="work in this folder and keep it")
    parser.add_argument("--examples", type=int, default=12, metavar="N", help="the most scripts a capability (12)")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.relative_to(ROOT)}")
    parser.add_argument("--no-run", action="store_true", help="tell of what is in FOLDER")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mutation-") as temporary:
        folder = (options.keep or Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        python = folder / "environment" / "bin" / "python"
        if not options.no_run:
            python = made(folder)
            environment = {**os.environ, "PLAYHEAD_EXAMPLES": str(options.examples), "CI": "1"}
            subprocess.run([str(python), "-m", "mutmut", "run"], cwd=folder, check=True, env=environment)
        told = mutants(python, folder)
    known = tomllib.loads((HERE / "survivors.toml").read_text("utf-8"))
    text, unexplained = page(told, known["kind"], options.examples, known["remark"])
    for mutant in unexplained:
        print(f"{mutant.name}\n{mutant.changed}\n")
    print(f"{len(unexplained)} survivors without an explanation in {HERE.name}/survivors.toml")
    if options.write:
        PAGE.write_text(text, "utf-8")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())

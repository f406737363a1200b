"""Published frameworks under the search, each in an environment of its own, and the page that tells of it.

`python examples/conformance/run.py [--keep FOLDER] [--examples 25] [NAME...]` makes the environments in FOLDER (by
default a temporary one), installs this project and what `FRAMEWORKS` pins, and searches each framework's loops. The
reports stay in FOLDER as JSON. `--write` writes docs/conformance.md from all the reports that are in FOLDER. What a
search finds is a fault only where `verdicts.toml` says so, in words, by somebody who has looked; what nobody has looked
at is listed, and exits with 1. Needs a package index; the searches themselves need no network.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from page import between_markers, page

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PAGE = ROOT / "docs" / "conformance.md"


@dataclass(frozen=True)
class Framework:
    """`packages` are pinned; the first is the one whose version counts. `loops` are functions in `module`, each with
    the heading of its column. `off` are capabilities that cannot be asked of it, with the reason.
    """

    name: str
    packages: tuple[str, ...]
    module: str
    loops: tuple[tuple[str, str], ...]
    served: bool = False
    off: tuple[tuple[str, str], ...] = ()


NO_COMPACTION = ("compaction", "the adapter does not ask for it, and Claude does not compact unasked")
FRAMEWORKS = (
    Framework(
        name="playhead",
        packages=("anthropic==2.14.0",),
        module="reference_loop",
        loops=(("loop", "sync"), ("streaming", "streaming"), ("aloop", "async")),
    ),
    Framework(
        name="anthropic",
        packages=("anthropic==2.14.0",),
        module="tool_runner",
        loops=(
            ("loop", "sync"),
            ("without_thread", "without thread"),
            ("streaming", "streaming"),
            ("aloop", "async"),
            ("aloop_without_thread", "async without thread"),
        ),
    ),
    Framework(
        name="pydantic-ai",
        packages=("pydantic-ai-slim[anthropic]==2.68.0", "anthropic==2.14.0"),
        module="pydantic_ai_agent",
        loops=(("loop", "run"), ("streaming", "events")),
        off=(NO_COMPACTION,),
    ),
    Framework(
        name="langchain",
        packages=("langchain-anthropic==1.7.10", "langchain==1.5.2", "langgraph==1.2.24", "anthropic==2.14.0"),
        module="langchain_agent",
        loops=(("loop", "sync"), ("streaming", "streaming"), ("aloop", "async")),
        served=True,
        off=(NO_COMPACTION,),
    ),
    Framework(
        name="agno",
        packages=("agno==3.1.10", "anthropic==2.14.0"),
        module="agno_agent",
        loops=(("loop", "sync"), ("streaming", "streaming"), ("aloop", "async")),
        off=(NO_COMPACTION,),
    ),
    Framework(
        name="strands",
        packages=("strands-agents[anthropic]==1.62.0", "anthropic==0.125.0"),
        module="strands_agent",
        loops=(("loop", "streaming"),),
        served=True,
        off=(NO_COMPACTION,),
    ),
    Framework(
        name="litellm",
        packages=("litellm==1.110.2", "tenacity==9.2.1", "anthropic==2.14.0"),
        module="litellm_loop",
        loops=(("loop", "completion"),),
        served=True,
        off=(NO_COMPACTION,),
    ),
    Framework(
        name="crewai",
        packages=("crewai[anthropic]==1.15.30", "anthropic==0.73.0"),
        module="crewai_agent",
        loops=(("loop", "kickoff"),),
        served=True,
        off=(
            NO_COMPACTION,
            ("pauses", "the adapter cannot offer a tool that Anthropic runs"),
            ("server-tools", "the adapter cannot offer a tool that Anthropic runs"),
            ("containers", "the adapter cannot offer a tool that Anthropic runs"),
            ("thinking", "it is off, and the framework keeps thinking only where it was switched on"),
        ),
    ),
)
"""What is searched, with the versions that the page tells of."""


class Broken(Exception):
    """An environment could not be made, or a search not run; says why."""


def done(command: Sequence[str], folder: Path, **variables: str) -> str:
    """What a command prints. Raises `Broken` where it fails otherwise than by finding something."""
    # CI: the same scripts each time. The rest: no framework asks anybody for anything
    environment = {**os.environ, "CI": "1", "LITELLM_LOCAL_MODEL_COST_MAP": "True", **variables}
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=environment)
    if ended.returncode not in (0, 1) or (ended.returncode == 1 and not ended.stdout.startswith("{")):
        told = (ended.stderr.strip() or ended.stdout.strip() or "no output").splitlines()
        raise Broken(f"{' '.join(command[:4])} ...: {told[-1]}")
    return ended.stdout


def searched(framework: Framework, folder: Path, examples: int) -> dict[str, Any]:
    """Makes a framework's environment, searches its loops, and keeps the reports in the folder."""
    home = folder / f"env-{framework.name}"
    scripts = home / ("Scripts" if sys.platform == "win32" else "bin")
    python = str(scripts / "python")
    if not Path(python).exists():
        venv.create(home, with_pip=True)
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    done([*install, f"{ROOT}[search,serve]", *framework.packages], folder)
    # a version number that stays says nothing about what changed in it
    done([*install, "--force-reinstall", "--no-deps", str(ROOT)], folder)
    reports = {}
    for loop, heading in framework.loops:
        options = ["--served"] * framework.served
        options += [word for name, _ in framework.off for word in ("--without", name)]
        target = f"{framework.module}:{loop}"
        command = [str(scripts / "playhead"), "conform", target, "-n", str(examples), "--json", *options]
        report = json.loads(done(command, folder, PYTHONPATH=str(HERE), PYTHONDONTWRITEBYTECODE="1"))
        reports[heading] = report
        print(f"{target}: {len(report['findings'])} findings in {report['seconds']:.0f} s", flush=True)
    told = {
        "name": framework.name,
        "versions": {package: version(package, python, folder) for package in named(framework.packages)},
        "date": datetime.now(UTC).date().isoformat(),
        "examples": examples,
        "served": framework.served,
        "off": dict(framework.off),
        "reports": reports,
    }
    (folder / f"{framework.name}.json").write_text(json.dumps(told, indent=1, ensure_ascii=False), "utf-8")
    return told


def named(packages: Sequence[str]) -> list[str]:
    """The names of the packages that are pinned."""
    return [package.partition("==")[0].partition("[")[0] for package in packages]


def version(package: str, python: str, folder: Path) -> str:
    """The version that is installed."""
    asked = "import sys, importlib.metadata as its; print(its.version(sys.argv[1]))"
    return done([python, "-c", asked, package], folder).strip()


def main() -> int:
    parser = argparse.ArgumentParser(description="Published frameworks under the search.")
    known = [framework.name for framework in FRAMEWORKS]
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(known)}; all by default")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep environments and reports in this folder")
    parser.add_argument("--examples", type=int, default=25, metavar="N", help="the most scripts a capability (25)")
    parser.add_argument("--write", action="store_true", help="write docs/conformance.md from the reports in FOLDER")
    parser.add_argument("--no-search", action="store_true", help="with --write: from the reports that are there")
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in known]
    if unknown:
        parser.error(f"there is no {unknown[0]}: {', '.join(known)}")
    chosen = [framework for framework in FRAMEWORKS if not options.names or framework.name in options.names]
    with tempfile.TemporaryDirectory(prefix="conformance-") as temporary:
        folder = (options.keep or Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        broken = [] if options.no_search else search(chosen, folder, options.examples)
        reports = [folder / f"{name}.json" for name in known]
        told = [json.loads(path.read_text("utf-8")) for path in reports if path.exists()]
    text, unjudged = page(told, HERE / "verdicts.toml")
    if options.write:
        PAGE.write_text(between_markers(PAGE.read_text("utf-8"), text), "utf-8")
    for line in (*broken, *(f"nobody has looked at this yet: {finding}" for finding in unjudged)):
        print(line)
    return 1 if broken or unjudged else 0


def search(chosen: Sequence[Framework], folder: Path, examples: int) -> list[str]:
    """Searches frameworks, two at a time; why those that were not could not be."""

    def one(framework: Framework) -> str | None:
        try:
            searched(framework, folder, examples)
        except Broken as error:
            print(f"{framework.name} was not searched: {error}", flush=True)
            return f"{framework.name} was not searched: {error}"
        return None

    with ThreadPoolExecutor(max_workers=2) as pool:
        return [told for told in pool.map(one, chosen) if told is not None]


if __name__ == "__main__":
    sys.exit(main())

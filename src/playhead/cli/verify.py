"""`playhead verify`: recordings judged by the rules, a line per file and what is wrong below.

Law: gathers files, judges each on its own, prints; the judging is a function of one path, so that processes share it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from playhead.cli.hygiene import KINDS, limits_of, list_untidy, size_of
from playhead.cli.verdicts import FORMS, FileReport, screen
from playhead.errors import RecordingError, UnknownFormat
from playhead.files import find_files, read_pieces

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from playhead.rules.rule import Rule

_LEVELS = ("reject", "broken", "warn")
_PROGRESS_FROM = 50
"""How many files are so many that one wants to see them go by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which rules are asked for: those switched off, the weakest level, and modules with rules of one's own.

    `secrets` says whether secrets are looked for as well; they are as weak as a warning.
    """

    ignore: tuple[str, ...] = ()
    level: str = "warn"
    own: tuple[str, ...] = ()
    secrets: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A file to judge, in whichever process; `named` says whether it was named itself, or found in a folder."""

    path: str
    named: bool
    selection: Selection


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "junit", "github"]),
    default="text",
    help="text; json for programs; junit: XML for CI; github: annotations for GitHub Actions.",
)
@click.option("--json", "form", flag_value="json", help="The same as --format json.")
@click.option("--ignore", multiple=True, metavar="RULE", help="Switch a rule off; may be repeated.")
@click.option("--level", type=click.Choice(_LEVELS), default="warn", help="The weakest level that is looked for.")
@click.option("--rules", "own", multiple=True, metavar="MODULE:NAME", help="Rules of your own, a Rule or a list.")
@click.option("--secrets/--no-secrets", default=True, help="Look for secrets too; by default with --level warn.")
@click.option("-j", "--jobs", type=click.IntRange(1), default=1, metavar="N", help="Judge with N processes.")
@click.option("-q", "--quiet", is_flag=True, help="List only files in which something is wrong.")
@click.option("--hygiene", is_flag=True, help="Judge the cassettes of ours as files: whether they should be kept so.")
@click.option("--max-size", callback=size_of, metavar="SIZE", help="The largest cassette for --hygiene (1MB).")
@click.option("--max-age", type=click.IntRange(1), metavar="DAYS", help="The oldest cassette for --hygiene.")
@click.option("--fail-on", multiple=True, metavar="KIND", help=f"What of --hygiene fails: {', '.join(KINDS)}, all.")
def verify(
    paths: Sequence[str],
    form: str,
    ignore: tuple[str, ...],
    level: str,
    own: tuple[str, ...],
    secrets: bool,
    jobs: int,
    quiet: bool,
    hygiene: bool,
    max_size: int | None,
    max_age: int | None,
    fail_on: tuple[str, ...],
) -> None:
    """Judge recordings: files, folders, or patterns such as 'tests/**/*.yaml'.

    Reads vcrpy and other tools' cassettes, HAR, Claude Code transcripts, streams and more; what a file is, is told
    by its content. In a folder, files that are no recording are passed over. Secrets in them are told by form and
    place, never shown. Warnings and secrets do not make it fail.

    With --hygiene, cassettes are listed that are unreadable, unfinished, stale (an old format, a retired model, too
    old), secret-bearing or oversize; only what --fail-on names makes it fail.
    """
    if hygiene or max_size is not None or max_age is not None or fail_on:
        limits = limits_of(hygiene, form, max_size, max_age, fail_on)
        sys.exit(list_untidy(paths, form, quiet, limits, fail_on))
    start = time.monotonic()
    selection = Selection(ignore=ignore, level=level, own=own, secrets=secrets and level == "warn")
    chosen_rules(selection)  # a misspelt rule is told before any work is done
    files = [Task(path=file, named=file == path, selection=selection) for path in paths for file in find_files(path)]
    reports = [report for report in _judged(files, jobs) if report is not None]
    shown = [report for report in reports if report.failing or report.error] if quiet else reports
    seconds = time.monotonic() - start
    for line in screen(shown, reports, seconds) if form == "text" else FORMS[form](shown, seconds):
        click.echo(line)
    for report in reports:
        if report.error is not None:
            click.echo(f"playhead: {report.error}", err=True)
    if not reports:
        raise RecordingError(", ".join(paths), "there is no recording here")
    sys.exit(2 if any(report.error for report in reports) else int(any(report.failing for report in reports)))


def chosen_rules(selection: Selection) -> tuple[Rule, ...]:
    """The rules of a selection. Raises `SetupError`."""
    from playhead.plugins import installed_rules, named_rules
    from playhead.rules.choice import choose

    own = [rule for name in selection.own for rule in named_rules(name)]
    return choose((*installed_rules(), *own), selection.ignore, selection.level)


def judge(task: Task) -> FileReport | None:
    """The report of one file; None for what is no recording and was not named itself."""
    from playhead.cli.leaks import leaks
    from playhead.readers.body import BodyError, unzipped
    from playhead.readers.table import load
    from playhead.rules.checker import check
    from playhead.rules.rule import told_once

    path = task.path
    try:
        session = load(path)
    except UnknownFormat as error:
        return FileReport(path=path, error=str(error)) if task.named else None
    except RecordingError as error:
        return FileReport(path=path, error=str(error))
    answered = {exchange.number: exchange.status or 200 for exchange in session.exchanges}
    found = told_once(check(session, only=chosen_rules(task.selection)))
    violations = tuple({**its.to_dict(), "answered": answered.get(its.exchange or 0, 200)} for its in found)
    try:
        secrets = leaks(session, unzipped(read_pieces(path))) if task.selection.secrets else ()
    except (RecordingError, BodyError) as error:
        return FileReport(path=path, error=str(error))
    return FileReport(
        path=path,
        format=session.format,
        exchanges=len(session.exchanges),
        conversations=len(session.conversations),
        skipped=dict(session.skipped),
        violations=violations,
        secrets=secrets,
    )


def _judged(files: Sequence[Task], jobs: int) -> Iterator[FileReport | None]:
    """The reports in the order of the files."""
    with _progress(len(files)) as bar:
        for report in _mapped(files, jobs):
            if bar is not None:
                bar.update(1)
            yield report


def _mapped(files: Sequence[Task], jobs: int) -> Iterator[FileReport | None]:
    if jobs == 1 or len(files) < 2:
        yield from map(judge, files)
        return
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(min(jobs, len(files))) as pool:
        yield from pool.map(judge, files, chunksize=max(1, len(files) // (jobs * 8)))


def _progress(count: int) -> AbstractContextManager[Any]:
    """A bar on a terminal's stderr, for work that takes a while; nothing where the output is piped."""
    if count < _PROGRESS_FROM or not sys.stderr.isatty():
        return nullcontext()
    return click.progressbar(length=count, label="  judging", file=sys.stderr)

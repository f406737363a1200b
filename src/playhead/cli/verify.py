"""`playhead verify`: recordings judged by the rules, a line per file and what is wrong below.

Law: gathers files, judges each on its own, prints; the judging is a function of one path, so that processes share it.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import click

from playhead.cli.screen import columns, indented
from playhead.errors import RecordingError, UnknownFormat
from playhead.files import find_files

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

_FAILING = ("reject", "broken")
_LEVELS = ("reject", "broken", "warn")
_PROGRESS_FROM = 50
"""How many files are so many that one wants to see them go by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReport:
    """What was found in one file. `error` says why it could not be read; then all else is empty."""

    path: str
    format: str = ""
    exchanges: int = 0
    conversations: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    violations: tuple[dict[str, Any], ...] = ()
    error: str | None = None

    @property
    def verdict(self) -> str:
        """`ok`, or the violations by level; whether the API itself refused what is rejected."""
        if self.error is not None:
            return "unreadable"
        if not self.exchanges:
            return "no Claude traffic"
        counts = Counter(str(violation["level"]) for violation in self.violations)
        shown = ", ".join(f"{counts[level]} {level}" for level in _LEVELS if counts[level])
        recorded = {str(violation["answered"]) for violation in self.violations if violation["level"] == "reject"}
        refused = f"  (recorded {', '.join(sorted(recorded))})" if recorded and "200" not in recorded else ""
        return f"{shown}{refused}" or "ok"

    @property
    def failing(self) -> bool:
        return any(violation["level"] in _FAILING for violation in self.violations)


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for programs.")
@click.option("-j", "--jobs", type=click.IntRange(1), default=1, metavar="N", help="Judge with N processes.")
@click.option("-q", "--quiet", is_flag=True, help="List only files in which something is wrong.")
def verify(paths: Sequence[str], as_json: bool, jobs: int, quiet: bool) -> None:
    """Judge recordings: files, folders, or patterns such as 'tests/**/*.yaml'.

    Reads vcrpy and other tools' cassettes, HAR, Claude Code transcripts, streams and more; what a file is, is told
    by its content. In a folder, files that are no recording are passed over.
    """
    start = time.monotonic()
    files = [file for path in paths for file in _gathered(path)]
    reports = [report for report in _judged(files, jobs) if report is not None]
    if as_json:
        click.echo(_json(reports))
    else:
        shown = [report for report in reports if report.failing or report.error] if quiet else reports
        for line in screen(shown, reports, time.monotonic() - start):
            click.echo(line)
    for report in reports:
        if report.error is not None:
            click.echo(f"playhead: {report.error}", err=True)
    if not reports:
        raise RecordingError(", ".join(paths), "there is no recording here")
    sys.exit(2 if any(report.error for report in reports) else int(any(report.failing for report in reports)))


def _gathered(path: str) -> list[tuple[str, bool]]:
    """The files behind an argument, and whether each was named itself."""
    files = find_files(path)
    return [(file, file == path) for file in files]


def judge(file: tuple[str, bool]) -> FileReport | None:
    """The report of one file; None for what is no recording and was not named itself."""
    from playhead.readers.table import load
    from playhead.rules.checker import check

    path, named = file
    try:
        session = load(path)
    except UnknownFormat as error:
        return FileReport(path=path, error=str(error)) if named else None
    except RecordingError as error:
        return FileReport(path=path, error=str(error))
    answered = {exchange.number: exchange.status or 200 for exchange in session.exchanges}
    violations = tuple(
        {**violation.to_dict(), "answered": answered.get(violation.exchange or 0, 200)} for violation in check(session)
    )
    return FileReport(
        path=path,
        format=session.format,
        exchanges=len(session.exchanges),
        conversations=len(session.conversations),
        skipped=dict(session.skipped),
        violations=violations,
    )


def _judged(files: Sequence[tuple[str, bool]], jobs: int) -> Iterator[FileReport | None]:
    """The reports in the order of the files."""
    with _progress(len(files)) as bar:
        for report in _mapped(files, jobs):
            if bar is not None:
                bar.update(1)
            yield report


def _mapped(files: Sequence[tuple[str, bool]], jobs: int) -> Iterator[FileReport | None]:
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


def screen(shown: Sequence[FileReport], reports: Sequence[FileReport], seconds: float) -> Iterator[str]:
    """The lines of the report: a table, the sum, what is wrong in each file, and a summary by rule."""
    rows = [("file", "format", "exchanges", "conversations", "verdict")]
    rows += [(r.path, r.format, str(r.exchanges), str(r.conversations), r.verdict) for r in shown]
    yield from columns(rows, right=(2, 3))
    yield f"  {_sum(reports, seconds)}"
    for report in shown:
        if report.violations:
            yield ""
            yield f"  {report.path}"
            for violation in report.violations:
                yield from _violation(violation)
    yield from _by_rule(reports)


def _sum(reports: Sequence[FileReport], seconds: float) -> str:
    exchanges = sum(report.exchanges for report in reports)
    conversations = sum(report.conversations for report in reports)
    counts = Counter(str(violation["level"]) for report in reports for violation in report.violations)
    found = ", ".join(f"{counts[level]} {level}" for level in _LEVELS if counts[level]) or "nothing wrong"
    skipped = sum(sum(report.skipped.values()) for report in reports)
    others = f" · {_many(skipped, 'other record')} skipped" if skipped else ""
    counted = f"{_many(len(reports), 'file')}, {_many(exchanges, 'exchange')}, {_many(conversations, 'conversation')}"
    return f"{counted} in {seconds:.1f} s · {found}{others}"


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _violation(violation: dict[str, Any]) -> Iterator[str]:
    head = f"exchange {violation['exchange']}  {violation['level']:<6}  {violation['rule']}"
    yield from indented(f"    {head}  {violation['path']}: {violation['message']}", 10)


def _by_rule(reports: Sequence[FileReport]) -> Iterator[str]:
    counts: Counter[tuple[str, str]] = Counter()
    files: dict[tuple[str, str], set[str]] = {}
    for report in reports:
        for violation in report.violations:
            key = (str(violation["level"]), str(violation["rule"]))
            counts[key] += 1
            files.setdefault(key, set()).add(report.path)
    if counts:
        yield ""
        rows = [("rule", "level", "violations", "files")]
        rows += [
            (rule, level, str(counts[level, rule]), str(len(files[level, rule])))
            for level, rule in sorted(counts, key=lambda key: (_LEVELS.index(key[0]), -counts[key], key[1]))
        ]
        yield from columns(rows, right=(2, 3))


def _json(reports: Sequence[FileReport]) -> str:
    from playhead.wire.codec import encode_text

    levels = Counter(str(violation["level"]) for report in reports for violation in report.violations)
    rules = Counter(str(violation["rule"]) for report in reports for violation in report.violations)
    files = [{**asdict(report), "verdict": report.verdict} for report in reports]
    return encode_text({"files": files, "levels": dict(levels), "rules": dict(rules)})

"""`playhead verify --hygiene`: which cassettes should not be kept as they are.

Law: gathers files and prints; what is wrong with one, `cassettes/hygiene.py` says. It loads that when it runs.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import TYPE_CHECKING

import click

from playhead.cli.screen import columns, indented
from playhead.errors import RecordingError
from playhead.files import find_files, read_bytes, read_pieces

if TYPE_CHECKING:
    from playhead.cassettes.hygiene import Limits, Untidy

KINDS = ("unreadable", "unfinished", "stale", "secret", "oversize")
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmg]?)b?", re.IGNORECASE)
_UNITS = (("", 1), ("k", 10**3), ("m", 10**6), ("g", 10**9))
_HEAD = 4096


def size_of(ctx: click.Context, param: click.Parameter, value: str | None) -> int | None:
    """A number of bytes, as `500kB`, `1.5MB` or `2000000` tells it. Raises `click.BadParameter`."""
    if value is None:
        return None
    match = _SIZE.fullmatch(value.strip())
    if match is None:
        raise click.BadParameter(f"{value!r} is no size: write 500kB, 1.5MB or a number of bytes")
    return round(float(match[1]) * dict(_UNITS)[match[2].lower()])


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A cassette as a file: its size in bytes, how many exchanges it holds, when it was recorded, what is wrong."""

    path: str
    size: int
    exchanges: int | None = None
    recorded: str | None = None
    findings: tuple[Untidy, ...] = ()

    @property
    def verdict(self) -> str:
        """`ok`, or the findings by kind."""
        counts = Counter(found.kind for found in self.findings)
        return (
            ", ".join(f"{counts[kind]} {kind}" if counts[kind] > 1 else kind for kind in KINDS if counts[kind]) or "ok"
        )


def limits_of(hygiene: bool, form: str, size: int | None, age: int | None, fail_on: Sequence[str]) -> Limits:
    """The limits that the options tell. Raises `click.UsageError` for options that make no sense."""
    from playhead.cassettes.hygiene import MAX_SIZE, Limits

    if not hygiene:
        raise click.UsageError("--max-size, --max-age and --fail-on go with --hygiene")
    if form not in ("text", "json"):
        raise click.UsageError(f"--hygiene prints text or JSON, not {form}")
    wrong = [kind for kind in fail_on if kind not in (*KINDS, "all")]
    if wrong:
        raise click.UsageError(f"--fail-on is one of {', '.join(KINDS)}, all; not {wrong[0]!r}")
    today = time.strftime("%Y-%m-%d", time.gmtime())
    return Limits(today=today, size=MAX_SIZE if size is None else size, age=age)


def list_untidy(paths: Sequence[str], form: str, quiet: bool, limits: Limits, fail_on: Sequence[str]) -> int:
    """Prints what is wrong; gives the exit code."""
    kept = [
        its
        for path in paths
        for file in find_files(path)
        if (its := judge(file, limits, named=file == path)) is not None
    ]
    if not kept:
        raise RecordingError(", ".join(paths), "there is no cassette of Playhead's here")
    shown = [its for its in kept if its.findings] if quiet else kept
    for line in _json(shown) if form == "json" else _screen(shown, kept):
        click.echo(line)
    found = {finding.kind for its in kept for finding in its.findings}
    if "unreadable" in found:
        return 2
    return int(bool(found) if "all" in fail_on else not found.isdisjoint(fail_on))


def judge(path: str, limits: Limits, *, named: bool) -> Kept | None:
    """What is wrong with a file; None for what is no cassette and was not named itself. Raises `RecordingError`."""
    from playhead.cassettes.document import CassetteError, read
    from playhead.cassettes.hygiene import Untidy, is_ours, old_version, untidy
    from playhead.cassettes.received import exchanges_of
    from playhead.cli.leaks import leaks
    from playhead.wire.session import Session

    try:
        head = next(read_pieces(path, _HEAD), b"")
        if not is_ours(head):
            if named:
                raise RecordingError(path, "this is no cassette of Playhead's; --hygiene judges no others")
            return None
        data = read_bytes(path)
        version = old_version(head)
        if version is not None:
            stale = Untidy(kind="stale", what=f"version {version} of the format: record it again")
            return Kept(path=path, size=len(data), findings=(stale,))
        cassette = read(data)
    except CassetteError as error:
        reason = str(RecordingError(path, error.reason, line=error.line, field=error.field)).removeprefix(path)
        return Kept(path=path, size=len(data), findings=(Untidy(kind="unreadable", what=reason.lstrip(": ")),))
    found = leaks(Session(exchanges=exchanges_of(cassette.interactions)), ())
    secrets = [f"{leak.pattern.replace('-', ' ')} ({leak.shown}): {leak.place}" for leak in found]
    age = None if cassette.recorded is None else _days(cassette.recorded, limits.today)
    return Kept(
        path=path,
        size=len(data),
        exchanges=len(cassette.interactions),
        recorded=cassette.recorded,
        findings=tuple(untidy(cassette, len(data), age, secrets, limits)),
    )


def _days(then: str, today: str) -> int | None:
    try:
        return (date.fromisoformat(today) - date.fromisoformat(then)).days
    except ValueError:
        return None  # the thirtieth of February, say


def _screen(shown: Sequence[Kept], kept: Sequence[Kept]) -> Iterator[str]:
    rows = [("file", "exchanges", "bytes", "recorded", "verdict")]
    for its in shown:
        exchanges = "" if its.exchanges is None else str(its.exchanges)
        rows.append((its.path, exchanges, f"{its.size:,}", its.recorded or "", its.verdict))
    yield from columns(rows, right=(1, 2))
    counts = Counter(finding.kind for its in kept for finding in its.findings)
    told = ", ".join(f"{counts[kind]} {kind}" for kind in KINDS if counts[kind]) or "nothing wrong"
    total = sum(its.size for its in kept)
    yield from indented(f"  {len(kept):,} cassette{'' if len(kept) == 1 else 's'}, {total:,} bytes · {told}", 2)
    for its in shown:
        if its.findings:
            yield ""
            yield f"  {its.path}"
            for finding in its.findings:
                yield from indented(f"    {finding.kind:<10}  {finding.what}", 16)


def _json(kept: Sequence[Kept]) -> Iterator[str]:
    from playhead.wire.codec import encode_text

    counts = Counter(finding.kind for its in kept for finding in its.findings)
    yield encode_text({"files": [{**asdict(its), "verdict": its.verdict} for its in kept], "kinds": dict(counts)})

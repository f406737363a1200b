"""What `playhead verify` found, as text, JSON, JUnit XML or GitHub annotations.

Law: values to lines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from playhead.cli.screen import columns, indented

if TYPE_CHECKING:
    from playhead.cli.leaks import Leak

_FAILING = ("reject", "broken")
_LEVELS = ("reject", "broken", "warn")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReport:
    """What was found in one file. `error` says why it could not be read; then all else is empty."""

    path: str
    format: str = ""
    exchanges: int = 0
    conversations: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    violations: tuple[dict[str, Any], ...] = ()
    secrets: tuple[Leak, ...] = ()
    error: str | None = None

    @property
    def verdict(self) -> str:
        """`ok`, or the violations by level and the secrets; whether the API itself refused what is rejected."""
        if self.error is not None:
            return "unreadable"
        secrets = (_many(len(self.secrets), "secret"),) if self.secrets else ()
        if not self.exchanges:
            return ", ".join(("no Claude traffic", *secrets))
        counts = Counter(str(violation["level"]) for violation in self.violations)
        shown = ", ".join((*(f"{counts[level]} {level}" for level in _LEVELS if counts[level]), *secrets))
        recorded = {str(violation["answered"]) for violation in self.violations if violation["level"] == "reject"}
        refused = f"  (recorded {', '.join(sorted(recorded))})" if recorded and "200" not in recorded else ""
        return f"{shown}{refused}" or "ok"

    @property
    def failing(self) -> bool:
        return any(violation["level"] in _FAILING for violation in self.violations)


def screen(shown: Sequence[FileReport], reports: Sequence[FileReport], seconds: float) -> Iterator[str]:
    """The lines of the report: a table, the sum, what is wrong in each file, and a summary by rule."""
    rows = [("file", "format", "exchanges", "conversations", "verdict")]
    rows += [(r.path, r.format, str(r.exchanges), str(r.conversations), r.verdict) for r in shown]
    yield from columns(rows, right=(2, 3))
    yield f"  {_sum(reports, seconds)}"
    for report in shown:
        if report.violations or report.secrets:
            yield ""
            yield f"  {report.path}"
            for violation in report.violations:
                yield from _violation(violation)
            for leak in report.secrets:
                yield from indented(f"    secret  {_told(leak)}: {leak.place}", 10)
    yield from _by_rule(reports)


def _told(leak: Leak) -> str:
    return f"{leak.pattern.replace('-', ' ')} ({leak.shown})"


def _sum(reports: Sequence[FileReport], seconds: float) -> str:
    exchanges = sum(report.exchanges for report in reports)
    conversations = sum(report.conversations for report in reports)
    counts = Counter(str(violation["level"]) for report in reports for violation in report.violations)
    secrets = sum(len(report.secrets) for report in reports)
    told = [
        *(f"{counts[level]} {level}" for level in _LEVELS if counts[level]),
        *([_many(secrets, "secret")] * bool(secrets)),
    ]
    found = ", ".join(told) or "nothing wrong"
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


def _json(reports: Sequence[FileReport], seconds: float) -> Iterator[str]:
    from playhead.wire.codec import encode_text

    levels = Counter(str(violation["level"]) for report in reports for violation in report.violations)
    rules = Counter(str(violation["rule"]) for report in reports for violation in report.violations)
    files = [{**asdict(report), "verdict": report.verdict} for report in reports]
    secrets = Counter(leak.pattern for report in reports for leak in report.secrets)
    yield encode_text({"files": files, "levels": dict(levels), "rules": dict(rules), "secrets": dict(secrets)})


def _junit(reports: Sequence[FileReport], seconds: float) -> Iterator[str]:
    """A test case per file, as CI systems read it; warnings stand in its output."""
    suite = ElementTree.Element(
        "testsuite",
        name="playhead verify",
        tests=str(len(reports)),
        failures=str(sum(report.failing for report in reports)),
        errors=str(sum(report.error is not None for report in reports)),
        time=f"{seconds:.3f}",
    )
    for report in reports:
        case = ElementTree.SubElement(suite, "testcase", classname="playhead", name=_xml(report.path))
        if report.error is not None:
            ElementTree.SubElement(case, "error", message=_xml(report.error))
        for violation in report.violations:
            _junit_violation(case, violation)
        for leak in report.secrets:
            ElementTree.SubElement(case, "system-out").text = _xml(f"secret {_told(leak)}, {leak.place}")
    ElementTree.indent(suite)
    yield '<?xml version="1.0" encoding="utf-8"?>'
    yield ElementTree.tostring(suite, encoding="unicode")


def _junit_violation(case: ElementTree.Element, violation: Mapping[str, Any]) -> None:
    text = f"exchange {violation['exchange']} at {violation['path']}: {violation['message']}\nfix: {violation['fix']}"
    if violation["level"] in _FAILING:
        failure = ElementTree.SubElement(
            case, "failure", type=_xml(violation["rule"]), message=_xml(violation["message"])
        )
        failure.text = _xml(text)
    else:
        ElementTree.SubElement(case, "system-out").text = _xml(f"{violation['level']} {violation['rule']}, {text}")


def _xml(text: object) -> str:
    """Text without the characters that XML cannot say."""
    return "".join(char if char.isprintable() or char in "\n\t" else "\N{REPLACEMENT CHARACTER}" for char in str(text))


_GITHUB: Mapping[str, str] = {"reject": "error", "broken": "error", "warn": "warning"}


def _github(reports: Sequence[FileReport], seconds: float) -> Iterator[str]:
    """Workflow commands (docs.github.com, "Workflow commands for GitHub Actions")."""
    for report in reports:
        if report.error is not None:
            yield f"::error file={_property(report.path)},title=playhead::{_data(report.error)}"
        for its in report.violations:
            text = f"exchange {its['exchange']} at {its['path']}: {its['message']}. Fix: {its['fix']}"
            title = _property(f"{its['level']} {its['rule']}")
            yield f"::{_GITHUB[its['level']]} file={_property(report.path)},title={title}::{_data(text)}"
        for leak in report.secrets:
            at = "" if leak.line is None else f",line={leak.line}"
            yield f"::warning file={_property(report.path)}{at},title=secret::{_data(f'{_told(leak)}, {leak.place}')}"
    yield _sum(reports, seconds)


def _data(text: object) -> str:
    return str(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: object) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


FORMS: Mapping[str, Callable[[Sequence[FileReport], float], Iterator[str]]] = {
    "json": _json,
    "junit": _junit,
    "github": _github,
}
"""The forms for programs, by the name of the option."""

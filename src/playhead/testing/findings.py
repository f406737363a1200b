"""What a search found: findings, one row per capability, and the report that people and programs read.

Law: values and their texts; runs nothing. Plain text of at most 80 columns; JSON and JUnit hold the same.
"""

from __future__ import annotations

import ast
import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from textwrap import wrap
from typing import Any, Literal
from xml.etree import ElementTree

from playhead.errors import RuleViolations, ScriptError
from playhead.rules.rule import Violation
from playhead.script.script import Script
from playhead.script.steps import Written
from playhead.script.writing import as_mapping, script_text
from playhead.testing.trial import Trial, steps_text
from playhead.wire.codec import encode_text

NOT_ASKED = "not asked for"
"""Why a capability is off that nobody named, where some are named."""

Status = Literal["ok", "broken", "as above", "off", "not tried"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A rule that the loop breaks, and the smallest script with which it does.

    `capability` is what it is about. `sent` is what stands at the violation's path, None where nothing does. `loop` is
    where the loop is to be found, `module:name`. `always` is False where the same script did not show it each time.
    Where several rules tell one fault, each is a finding, and `violation.same_as` names the one that tells it first.
    """

    rule: str
    violation: Violation
    trial: Trial
    capability: str
    sent: object = None
    loop: str = "your_module:loop"
    always: bool = True

    @property
    def script(self) -> Script:
        """The smallest script: what Claude says before "Done."."""
        return self.trial.script

    @property
    def code(self) -> str:
        """A test that shows it, to be pasted into a test file."""
        steps = steps_text(self.trial.steps)
        options = "".join(f", {name}={value}" for name, value in self.trial.options())
        module, _, name = self.loop.partition(":")
        made = sorted(_called(f"check_loop({steps}{options})") - {"check_loop"})
        ours = [one for one in made if one not in ("raises", "returns")]
        kit = ["check_loop", *(one for one in made if one in ("raises", "returns"))]
        test = "test_" + "".join(char if char.isalnum() else "_" for char in self.rule)
        return (
            (f"from playhead import {', '.join(ours)}\n" if ours else "")
            + f"from playhead.testing import {', '.join(kit)}\n"
            + f"from {module} import {name or 'loop'}\n\n\n"
            + f"def {test}():\n"
            + f"    script = {steps}\n"
            + f"    check_loop({name or 'loop'}, script=script{options}).assert_ok()\n"
        )

    @property
    def file(self) -> str:
        """The script as the text of a script file; empty where no file can hold it."""
        try:
            return script_text(self.script)
        except ScriptError:
            return ""

    @property
    def command(self) -> str:
        """The command that replays just this."""
        words = ["playhead", "conform", self.loop, "--script", self._inline()]
        trial = self.trial
        for name, outcome in trial.outcomes.items():
            words += outcome.option(name)
        words += ["--endless"] * trial.endless + ["--slow-first"] * trial.slow_first
        words += ["--server-tools"] * trial.server_tools
        if trial.conversations != "one":
            words += ["--conversations", trial.conversations]
        elif trial.messages != Trial(steps=()).messages:
            words += ["--messages", encode_text(trial.messages)]
        return shlex.join(words)

    def _inline(self) -> str:
        return encode_text([as_mapping(step.made_by) for step in self.trial.steps if isinstance(step, Written)])

    def to_dict(self) -> dict[str, object]:
        """The finding as plain data."""
        return {
            "rule": self.rule,
            "capability": self.capability,
            "violation": self.violation.to_dict(),
            "sent": self.sent,
            "script": [str(step) for step in self.trial.steps],
            "code": self.code,
            "file": self.file,
            "command": self.command,
            "always": self.always,
        }


def _called(source: str) -> set[str]:
    """The names of the functions that a Python expression calls."""
    calls = (node.func for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    return {function.id for function in calls if isinstance(function, ast.Name)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What became of one capability: `tried` trials, and a word on it."""

    capability: str
    says: str
    status: Status
    tried: int = 0
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All that a search found. `seconds` is how long it took."""

    loop: str
    rows: tuple[Row, ...]
    findings: tuple[Finding, ...] = ()
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        """Whether nothing was found."""
        return not self.findings

    def about(self, capability: str) -> Report:
        """What the report says of one capability."""
        return replace(
            self,
            rows=tuple(row for row in self.rows if row.capability == capability),
            findings=tuple(one for one in self.findings if one.capability == capability),
        )

    def assert_ok(self) -> None:
        """Raises `RuleViolations` with the whole report, unless nothing was found."""
        __tracebackhide__ = True
        if not self.ok:
            rules = len({finding.rule for finding in self.findings if finding.violation.same_as is None})
            told = f"{self.loop} breaks {rules} rule{'s' * (rules != 1)}"
            raise RuleViolations(f"{told}\n{self}", [finding.violation for finding in self.findings])

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        shown = [row for row in self.rows if row.note != NOT_ASKED]
        yield from map(row_line, shown)
        tried = [row for row in self.rows if row.status not in ("off", "not tried")]
        broken, same = (sum(row.status == status for row in tried) for status in ("broken", "as above"))
        trials = sum(row.tried for row in tried)
        further = f" (the same shows in {same} more)" if same else ""
        yield f"  {broken} of {len(tried)} capabilities broken{further}, {trials} scripts in {self.seconds:.1f} s"
        for group in self.groups():
            yield ""
            yield from _finding_lines(group)

    def groups(self) -> list[list[Finding]]:
        """Findings that one script shows, together."""
        groups: dict[int, list[Finding]] = {}
        for finding in self.findings:
            groups.setdefault(id(finding.trial), []).append(finding)
        return [*groups.values()]

    def to_dict(self) -> dict[str, object]:
        """The report as plain data."""
        return {
            "loop": self.loop,
            "ok": self.ok,
            "seconds": round(self.seconds, 3),
            "capabilities": [{name: getattr(row, name) for name in Row.__slots__} for row in self.rows],
            "findings": [finding.to_dict() for finding in self.findings],
        }

    def to_json(self) -> str:
        """The report as JSON."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, default=str)

    def to_junit(self) -> str:
        """The report as JUnit's XML: a test case for each capability."""
        suite = ElementTree.Element(
            "testsuite",
            name=f"playhead conform {self.loop}",
            tests=str(len(self.rows)),
            failures=str(sum(row.status in ("broken", "as above") for row in self.rows)),
            skipped=str(sum(row.status in ("off", "not tried") for row in self.rows)),
            time=f"{self.seconds:.3f}",
        )
        for row in self.rows:
            case = ElementTree.SubElement(suite, "testcase", classname=self.loop, name=row.capability)
            found = [one for one in self.findings if one.capability == row.capability]
            if row.status in ("broken", "as above"):
                failure = ElementTree.SubElement(case, "failure", message=_xml(row_line(row)))
                failure.text = _xml("\n\n".join("\n".join(_finding_lines([one])) for one in found))
            elif row.status != "ok":
                ElementTree.SubElement(case, "skipped", message=_xml(row.note))
        return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True)


def _xml(text: str) -> str:
    """Text without the characters that XML does not have."""
    return "".join(
        char if char in "\n\t" or " " <= char < "\ud800" or "\ue000" <= char < "\ufffe" or char > "\uffff" else "?"
        for char in text
    )


_WORDS: Mapping[Status, str] = {
    "ok": "ok",
    "broken": "BROKEN",
    "as above": "as above",
    "off": "off",
    "not tried": "not tried",
}
_WIDTH = 80


def row_line(row: Row) -> str:
    """A row as one line."""
    note = row.note or (f"{row.tried} script{'s' if row.tried != 1 else ''}" if row.tried else "")
    return f"  {row.capability:<22} {_WORDS[row.status]:<9} {note}".rstrip()


def _finding_lines(group: Sequence[Finding]) -> Iterator[str]:
    first = group[0]
    yield f"{first.capability}: {', '.join(dict.fromkeys(one.rule for one in group if one.violation.same_as is None))}"
    for told in dict.fromkeys(one.rule for one in group if one.violation.same_as is not None):
        yield f"    which is {told} as well"
    for line in steps_text(first.trial.steps).splitlines():
        yield f"    {line}" if line[:1] in "[]" else f"  {line}"
    options = ", ".join(f"{name}={value}" for name, value in first.trial.options())
    if options:
        yield f"    with {options}"
    for finding in group:
        violation = finding.violation
        if violation.same_as is not None:
            continue
        place = f"exchange {violation.exchange}, " if violation.exchange else ""
        yield f"  {violation.level}  {finding.rule}  at {place}{violation.path}"
        yield from _told("what", violation.message)
        if finding.sent is not None:
            yield from _told("sent", _cut(finding.sent))
        if violation.api:
            yield from _told("API", f"{violation.status} {violation.api}")
        yield from _told("fix", violation.fix)
        if not finding.always:
            yield from _told("note", "the same script did not show it each time: the loop keeps something between runs")
    yield f"  replay: {first.command}"


def _told(word: str, text: str) -> Iterator[str]:
    lines = wrap(text, _WIDTH - 12, break_on_hyphens=False) or [""]
    yield f"    {word:<6}  {lines[0]}"
    yield from (f"            {line}" for line in lines[1:])


def _cut(value: object) -> str:
    text = encode_text(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


_LONGEST = 200


def value_at(body: object, path: str) -> Any:
    """What stands in a request at a path such as `$.messages[2].content[0]`; None where nothing does."""
    value: Any = body
    for name, index in re.findall(r"\.(\w+)|\[(\d+)\]", path.removeprefix("$")):
        if name and isinstance(value, dict) and name in value:
            value = value[name]
        elif index and isinstance(value, list) and int(index) < len(value):
            value = value[int(index)]
        else:
            return None
    return value

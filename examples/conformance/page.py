"""The reports of the searches as Markdown: what each framework can do, and what was found in it.

Law: from plain data to text; reads the verdicts, runs nothing.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import fill
from typing import Any

BEGIN, END = "<!-- results: `examples/conformance/run.py --write` makes what follows -->", "<!-- /results -->"
Told = Mapping[str, Any]
Verdicts = Mapping[tuple[str, str], Mapping[str, str]]

_LONGEST = 240


def page(told: Sequence[Told], verdicts: Path) -> tuple[str, list[str]]:
    """The text of the page, and the findings that nobody has judged yet, which are not on it."""
    judged = _verdicts(verdicts)
    told = [*map(_without_other_words, told)]
    lines = [*_overview(told, judged), "", *_capabilities(told, judged)]
    for its in told:
        lines += _findings(its, judged)
    unjudged = sorted(
        {
            f"{its['name']} {heading}: {finding['rule']} {' '.join(finding['script'])[:_LONGEST]}"
            for its, heading, finding in _all(told)
            if (its["name"], finding["rule"]) not in judged
        }
    )
    return "\n".join(lines).strip().replace("\n\n\n", "\n\n"), unjudged


def _without_other_words(its: Told) -> Told:
    """A framework's reports without what other rules say of the same faults."""
    reports = {
        heading: {**report, "findings": [one for one in report["findings"] if not one["violation"]["same_as"]]}
        for heading, report in its["reports"].items()
    }
    return {**its, "reports": reports}


def between_markers(text: str, made: str) -> str:
    """The page with what was made between its markers."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{made}\n\n{END}{after}"


def _verdicts(path: Path) -> Verdicts:
    every = tomllib.loads(path.read_text("utf-8"))["verdict"]
    return {(one["framework"], one["rule"]): one for one in every}


def _all(told: Sequence[Told]) -> Iterator[tuple[Told, str, Told]]:
    for its in told:
        for heading, report in its["reports"].items():
            for finding in report["findings"]:
                yield its, heading, finding


def _kinds(its: Told, judged: Verdicts, kind: str) -> list[str]:
    """The rules of which findings of a framework are of this kind, each once."""
    rules = dict.fromkeys(finding["rule"] for _, _, finding in _all([its]))
    return [rule for rule in rules if judged.get((its["name"], rule), {}).get("verdict") == kind]


def _overview(told: Sequence[Told], judged: Verdicts) -> Iterator[str]:
    yield "| framework | versions | loops | searched | faults | by design |"
    yield "|---|---|---|---|---|---|"
    for its in told:
        versions = ", ".join(f"{package} {version}" for package, version in its["versions"].items())
        scripts = sum(row["tried"] for report in its["reports"].values() for row in report["capabilities"])
        counts = " | ".join(str(len(_kinds(its, judged, kind))) for kind in ("fault", "by design"))
        loops = ", ".join(its["reports"])
        yield f"| {its['name']} | {versions} | {loops} | {its['date']}, {scripts:,} scripts | {counts} |"


def _capabilities(told: Sequence[Told], judged: Verdicts) -> Iterator[str]:
    names = [row["capability"] for row in next(iter(told[0]["reports"].values()))["capabilities"]] if told else []
    yield f"| capability | {' | '.join(its['name'] for its in told)} |"
    yield f"|---|{'---|' * len(told)}"
    for name in names:
        yield f"| `{name}` | {' | '.join(_cell(its, name, judged) for its in told)} |"


def _cell(its: Told, capability: str, judged: Verdicts) -> str:
    """How it stands with a capability: one word, or one for each kind of loop where they differ."""
    words: dict[str, list[str]] = {}
    for heading, report in its["reports"].items():
        words.setdefault(_word(its["name"], report, capability, judged), []).append(heading)
    if len(words) > 1:
        words.pop("–", None)  # what only some loops can be asked is told of those
    if len(words) == 1:
        return next(iter(words))
    return "; ".join(f"{word} ({', '.join(headings)})" for word, headings in words.items())


def _word(name: str, report: Told, capability: str, judged: Verdicts) -> str:
    row = next(row for row in report["capabilities"] if row["capability"] == capability)
    if row["status"] in ("off", "not tried"):
        return "–"
    if row["status"] != "broken":
        return "ok" if row["status"] == "ok" else "as above"
    rules = [finding["rule"] for finding in report["findings"] if finding["capability"] == capability]
    verdicts = {judged.get((name, rule), {}).get("verdict", "not judged") for rule in rules}
    return next((word for word in ("**fault**", "not judged", "by design") if word.strip("*") in verdicts), "by design")


def _findings(its: Told, judged: Verdicts) -> Iterator[str]:
    notes = _notes(its)
    faults, designs = (_kinds(its, judged, kind) for kind in ("fault", "by design"))
    yield ""
    yield f"## {its['name']}"
    yield ""
    if not faults and not designs:
        yield "Nothing was found."
        yield ""
    for rule in (*faults, *designs):
        yield from _finding(its, rule, judged[its["name"], rule])
    if notes:
        yield "Not tried:"
        yield ""
        yield from (f"- `{name}`: {why}" for name, why in notes.items())
        yield ""


def _notes(its: Told) -> dict[str, str]:
    """Why capabilities were not tried in any of a framework's loops."""
    notes: dict[str, str] = {}
    for number, report in enumerate(its["reports"].values()):
        rows = {row["capability"]: row for row in report["capabilities"] if row["status"] in ("off", "not tried")}
        untried = {name: str(its["off"].get(name) or row["note"]) for name, row in rows.items()}
        notes = untried if not number else {name: why for name, why in notes.items() if name in untried}
    return notes


def _finding(its: Told, rule: str, verdict: Mapping[str, str]) -> Iterator[str]:
    found = [(heading, finding) for _, heading, finding in _all([its]) if finding["rule"] == rule]
    first = found[0][1]
    kind = "fault" if verdict["verdict"] == "fault" else "by design"
    yield f"### `{rule}` ({kind}; {', '.join(dict.fromkeys(heading for heading, _ in found))})"
    yield ""
    yield "```text"
    yield f"[{', '.join(first['script'])}]"
    yield from (f"# {word}" for word in _options(first["command"]))
    yield "```"
    yield ""
    yield fill(f"- found: {first['violation']['message']}", 118, subsequent_indent="  ")
    for word in ("seen", "should", "why", "checked"):
        if word in verdict:
            yield fill(f"- {word}: {' '.join(verdict[word].split())}", 118, subsequent_indent="  ")
    yield ""


def _options(command: str) -> Iterator[str]:
    """What the command of a finding says beside the script."""
    import shlex

    words = shlex.split(command)
    rest = words[words.index("--script") + 2 :]
    if rest:
        yield shlex.join(rest)

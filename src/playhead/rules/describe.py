"""Rules explained, for the terminal and for docs/rules.md.

Law: values to text. What is said of a rule stands in the catalogue, its words and its fix in the rule.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence

from playhead.rules.catalogue import Entry, Undecided
from playhead.rules.rule import LEVELS, Rule

_MEANING: Mapping[str, str] = {
    "reject": "the API refuses the request",
    "broken": "the API takes it, but a correct loop does not do it",
    "warn": "weak evidence, or a matter of style: reported, never a failure",
}


def listing(rules: Sequence[Rule], catalogue: Mapping[str, Entry], *, width: int = 80) -> Iterator[str]:
    """The rules by level, a line each: id and statement."""
    for level in LEVELS:
        those = [rule for rule in rules if rule.level == level]
        if not those:
            continue
        yield f"{level}: {_MEANING[level]} ({len(those)})"
        for rule in those:
            entry = catalogue.get(rule.id)
            statement = entry.statement if entry else rule.fix
            line = f"  {rule.id:<36} {statement}"
            yield line if len(line) <= width else f"{line[: width - 2]} …"
        yield ""


def explanation(rule: Rule, entry: Entry | None, *, width: int = 80) -> Iterator[str]:
    """All there is to say of one rule."""
    yield f"{rule.id}   {rule.level}: {_MEANING[rule.level]}"
    yield ""
    if entry is None:
        yield from textwrap.wrap(f"A rule of your own. To mend it: {_readable(rule.fix)}.", width)
        return
    yield from textwrap.wrap(entry.statement, width)
    yield ""
    yield from _row("why", entry.why, width)
    for wording in rule.wording:
        yield from _row("API", f"{rule.status} {rule.error_type}: {wording}", width)
    yield from _row("fix", _readable(rule.fix), width)
    yield from _row("scope", entry.scope, width)
    yield from _row("evidence", entry.confidence, width)
    for number, source in enumerate(entry.sources):
        yield from _row("source" if number == 0 else "", source, width)
    yield ""
    yield "fails:"
    yield from _example(entry.fail, width)
    yield "passes:"
    yield from _example(entry.ok, width)


def _readable(fix: str) -> str:
    return fix.replace("{{", "{").replace("}}", "}")


def _row(label: str, text: str, width: int) -> Iterator[str]:
    yield from textwrap.wrap(
        text,
        width,
        initial_indent=f"{label:<10}",
        subsequent_indent=" " * 10,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _example(example: object, width: int) -> Iterator[str]:
    """An example as JSON that one can paste; a session with one line for each request and each answer."""
    if isinstance(example, dict) and "session" in example:
        for number, exchange in enumerate(example["session"], 1):
            yield f"  request {number}  {json.dumps(exchange.get('request'), ensure_ascii=False)}"
            if exchange.get("response") is not None:
                yield f"  answer {number}   {json.dumps(exchange['response'], ensure_ascii=False)}"
            if exchange.get("tools_run"):
                yield f"  ran        {', '.join(exchange['tools_run'])}"
        if example.get("end"):
            yield f"  end        {json.dumps(example['end'])}"
        return
    headers = example.get("headers") if isinstance(example, dict) else None
    if headers:
        yield f"  headers  {json.dumps(headers)}"
    body = example.get("body") if isinstance(example, dict) else example
    yield from (f"  {line}" for line in _body_lines(body))


def _body_lines(body: object) -> Iterator[str]:
    """A body as JSON with a line for each member, and for each item of its lists: messages and tools stay readable."""
    if not isinstance(body, dict):
        yield json.dumps(body, ensure_ascii=False)
        return
    yield "{"
    for number, (name, value) in enumerate(body.items(), 1):
        comma = "," if number < len(body) else ""
        if isinstance(value, list) and value:
            yield f"  {json.dumps(name)}: ["
            for position, item in enumerate(value, 1):
                yield f"    {json.dumps(item, ensure_ascii=False)}{',' if position < len(value) else ''}"
            yield f"  ]{comma}"
        else:
            yield f"  {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}{comma}"
    yield "}"


def as_json(rules: Sequence[Rule], catalogue: Mapping[str, Entry]) -> str:
    """The rules as one JSON array: id, level, the API's words, fix, and what the catalogue says."""
    return json.dumps([_as_data(rule, catalogue.get(rule.id)) for rule in rules], ensure_ascii=False, indent=2)


def _as_data(rule: Rule, entry: Entry | None) -> dict[str, object]:
    data: dict[str, object] = {"id": rule.id, "level": rule.level, "wording": rule.wording, "fix": _readable(rule.fix)}
    if rule.level == "reject":
        data.update(status=rule.status, error_type=rule.error_type)
    if entry is not None:
        data.update({name: getattr(entry, name) for name in entry.__slots__ if name not in ("id", "level")})
    return data


def markdown(rules: Sequence[Rule], catalogue: Mapping[str, Entry], undecided: Iterable[Undecided]) -> str:
    """The page docs/rules.md."""
    lines = [
        "# Rules",
        "",
        "What Playhead checks. This page is generated from the rules themselves: `playhead rules --markdown`.",
        "`playhead rules ID` shows a rule's examples.",
        "",
        f"{len(rules)} rules.",
        "",
    ]
    for level in LEVELS:
        those = [rule for rule in rules if rule.level == level]
        lines += [f"## {level}: {_MEANING[level]} ({len(those)})", ""]
        for rule in those:
            lines += _section(rule, catalogue[rule.id])
    lines += ["## What cannot be decided offline", ""]
    lines += [f"- `{its.id}`: {its.reason}" for its in undecided]
    return "\n".join(lines).rstrip() + "\n"


def _section(rule: Rule, entry: Entry) -> list[str]:
    lines = [f"### {rule.id}", "", f"{entry.statement} {entry.why}", ""]
    lines += [f"- API: {rule.status} `{_code(wording)}`" for wording in rule.wording]
    lines.append(f"- Fix: {_readable(rule.fix)}")
    lines.append(f"- Scope: {entry.scope}. Evidence: {entry.confidence}.")
    lines.append(f"- Sources: {'; '.join(_linked(source) for source in entry.sources)}")
    return [*lines, ""]


def _code(text: str) -> str:
    # backquotes within a code span need a longer fence in Markdown; the API's own are shown as quotes
    return text.replace("`", "'")


def _linked(source: str) -> str:
    return f"<{source}>" if source.startswith("https://") else source

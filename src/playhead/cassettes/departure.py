"""Where a request leaves its recording: the first place that differs, what stands there, what it comes from.

Law: pure; two requests to one place. What a difference may come from is the table in causes.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from playhead.cassettes.causes import OF_THE_WHOLE, Difference, cause_of
from playhead.cassettes.normal import Rules, Steps, normal_envelope, normal_message, sent_path
from playhead.cassettes.volatile import VOLATILE, Volatile
from playhead.wire.codec import JsonObject, canonical, encode_text
from playhead.wire.equality import MISSING

_WIDTH = 60
_BEFORE = 20
_FIRST = ("model", "system", "tools", "tool_choice", "thinking", "stream")
"""Members that are compared before all others: what they change, all else follows from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Departure:
    """The first difference between a recorded request and today's.

    `path` stands in today's request as it was sent. `recorded` and `today` are the values there as JSON text, cut to
    what can be read. `cause` names what it comes from (of `CAUSES`; `"volatile"`; empty where it is not known), and
    `likely` says it. `volatile` names the rules that would look past it.
    """

    path: str
    recorded: str
    today: str
    cause: str
    likely: str
    volatile: tuple[str, ...] = ()


def departure(recorded: JsonObject, today: JsonObject, rules: Rules) -> Departure | None:
    """The first difference of two requests, None where their normal forms are the same."""
    theirs, ours = _normal(recorded, rules), _normal(today, rules)
    found = next(_differences(theirs, ours), None)
    if found is None:
        return None
    steps, left, right = found
    cause, likely = cause_of(Difference(steps=steps, recorded=left, today=right, theirs=theirs, ours=ours))
    return _departure(sent_path(steps, today), left, right, rules, cause, likely)


def departure_at(
    path: str, recorded: object, today: object, rules: Rules, *, cause: str, likely: str
) -> Departure | None:
    """The first difference of two values in their normal form that stand at this path, a reply's content say."""
    found = next(_differences(recorded, today), None)
    if found is None:
        return None
    steps, left, right = found
    return _departure(f"{path}{sent_path(steps, today)[1:]}", left, right, rules, cause, likely)


def _departure(path: str, left: object, right: object, rules: Rules, cause: str, likely: str) -> Departure:
    volatile = _looked_past(left, right, rules) if cause not in OF_THE_WHOLE else []
    if volatile:
        cause, likely = "volatile", "; ".join(rule.likely for rule in volatile)
    before, now = excerpts(left, right)
    names = tuple(rule.name for rule in volatile)
    return Departure(path=path, recorded=before, today=now, cause=cause, likely=likely, volatile=names)


def _normal(body: JsonObject, rules: Rules) -> JsonObject:
    made = normal_envelope(body, rules)
    order = sorted(made, key=lambda name: _FIRST.index(name) if name in _FIRST else len(_FIRST))
    messages = body.get("messages")
    if isinstance(messages, list):
        made["messages"] = [normal_message(message, position, rules) for position, message in enumerate(messages)]
    return {**{name: made[name] for name in order}, "messages": made.get("messages", [])}


def _differences(left: object, right: object, steps: Steps = ()) -> Iterator[tuple[Steps, object, object]]:
    if isinstance(left, dict) and isinstance(right, dict):
        if any(left.get(name) != right.get(name) for name in ("role", "type")):
            yield steps, left, right  # of another kind altogether: one member says nothing
            return
        names = [*left, *(name for name in right if name not in left)]
        if not steps:
            names.sort(key=lambda name: (name == "messages", _FIRST.index(name) if name in _FIRST else len(_FIRST)))
        for name in names:
            yield from _differences(left.get(name, MISSING), right.get(name, MISSING), (*steps, name))
    elif isinstance(left, list) and isinstance(right, list):
        for at in range(max(len(left), len(right))):
            one = left[at] if at < len(left) else MISSING
            other = right[at] if at < len(right) else MISSING
            yield from _differences(one, other, (*steps, at))
    elif left is not right and (left is MISSING or right is MISSING or canonical(left) != canonical(right)):
        yield steps, left, right


def excerpts(left: object, right: object) -> tuple[str, str]:
    """Two values as JSON text, cut to a readable length around their first difference."""
    one, other = _text(left), _text(right)
    if max(len(one), len(other)) <= _WIDTH:
        return one, other
    pairs = enumerate(zip(one, other, strict=False))
    at = next((place for place, (left_char, right_char) in pairs if left_char != right_char), min(len(one), len(other)))
    start = at - _BEFORE if at > _WIDTH - _BEFORE else 0
    return _excerpt(one, start), _excerpt(other, start)


def _text(value: object) -> str:
    text = "(absent)" if value is MISSING else encode_text(value)
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)


def _excerpt(text: str, start: int) -> str:
    if len(text) <= start:
        start = max(0, len(text) - _WIDTH // 2)
    end = start + _WIDTH
    return f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}"


def _looked_past(left: object, right: object, rules: Rules) -> list[Volatile]:
    """The rules with a name that make these texts alike, as few as it takes; none where none do."""
    if not isinstance(left, str) or not isinstance(right, str):
        return []
    known = [rule for rule in VOLATILE.values() if rule.text is not None and rule not in rules.rules]
    for rule in known:
        if _looks_past([rule], left, right):
            return [rule]
    if not _looks_past(known, left, right):
        return []
    needed = known
    for rule in known:
        fewer = [other for other in needed if other is not rule]
        needed = fewer if _looks_past(fewer, left, right) else needed
    return needed


def _looks_past(rules: list[Volatile], left: str, right: str) -> bool:
    for rule in rules:
        assert rule.text is not None
        left, right = rule.text(left), rule.text(right)
    return left == right

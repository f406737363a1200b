"""What a difference between a recorded request and today's comes from.

Law: pure; a table of causes. Each knows one kind of difference and says what it is, in a few words that go on from
"likely"; the first that knows it is right.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from playhead.cassettes.normal import Steps
from playhead.wire.codec import JsonObject, canonical
from playhead.wire.equality import MISSING


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Two requests in their normal form, and the first place where they differ, with what stands there."""

    steps: Steps
    recorded: object
    today: object
    theirs: JsonObject
    ours: JsonObject

    @property
    def member(self) -> str:
        """The member of the request in which the place is."""
        return str(self.steps[0]) if self.steps else ""

    @property
    def message(self) -> JsonObject:
        """Today's message in which the place is, or the recorded one where today's has none there; else empty."""
        messages = [self._message(body) for body in (self.ours, self.theirs)]
        return next((message for message in messages if message), {})

    @property
    def contents(self) -> tuple[list[JsonObject], list[JsonObject]]:
        """The blocks of the message in which the place is, recorded and today."""
        one, other = (self._message(body).get("content") for body in (self.theirs, self.ours))
        return _blocks(one), _blocks(other)

    @property
    def block(self) -> JsonObject:
        """Today's block in which the place is, or the recorded one where today's has none there; else empty."""
        if len(self.steps) < 4 or self.steps[2] != "content" or not isinstance(at := self.steps[3], int):
            return {}
        return next((blocks[at] for blocks in reversed(self.contents) if at < len(blocks)), {})

    def _message(self, body: JsonObject) -> JsonObject:
        """The message of this request in which the place is."""
        if self.member != "messages" or len(self.steps) < 2 or not isinstance(at := self.steps[1], int):
            return {}
        messages = _messages(body)
        found = messages[at] if at < len(messages) else None
        return found if isinstance(found, dict) else {}


def _messages(body: JsonObject) -> list[object]:
    messages = body.get("messages")
    return messages if isinstance(messages, list) else []


def _blocks(content: object) -> list[JsonObject]:
    return [block if isinstance(block, dict) else {} for block in content] if isinstance(content, list) else []


def _space(difference: Difference) -> str | None:
    left, right = difference.recorded, difference.today
    if isinstance(left, str) and isinstance(right, str) and "".join(left.split()) == "".join(right.split()):
        return "white space alone: the words are the same"
    return None


def _secret(difference: Difference) -> str | None:
    """Whether something was taken out as a secret that is none today, or is another one."""
    recorded, today = (
        [*dict.fromkeys(_SECRET.findall(text))] if isinstance(text, str) else []
        for text in (difference.recorded, difference.today)
    )
    gone = [form for form in recorded if form not in today]
    new = [form for form in today if form not in recorded]
    if gone and not new:
        return (
            f"a secret ({gone[0]}) that was taken out when this was recorded and is not known as one today: "
            "tell it with known=[...]"
        )
    if gone:
        return f"a secret of another kind: {new[0]} today, {gone[0]} when this was recorded"
    return f"a secret ({new[0]}) where none was recorded" if new else None


_SECRET = re.compile(r"<secret ([a-z0-9-]+)>")


def _model(difference: Difference) -> str | None:
    if difference.member != "model":
        return None
    return f"the model changed from {difference.recorded} to {difference.today}"


def _tools(difference: Difference) -> str | None:
    if difference.member != "tools":
        return None
    before, now = _by_name(difference.theirs.get("tools")), _by_name(difference.ours.get("tools"))
    told = [f"{name} is new" for name in now if name not in before]
    told += [f"{name} is gone" for name in before if name not in now]
    told += [f"{name} is another ({_members(before[name], now[name])})" for name in now if _differ(name, before, now)]
    return f"the tools changed: {', '.join(told)}" if told else "the tools come in another order"


def _by_name(tools: object) -> Mapping[str, object]:
    listed = tools if isinstance(tools, list) else []
    return {str(tool.get("name") or tool.get("type")): tool for tool in listed if isinstance(tool, dict)}


def _differ(name: str, before: Mapping[str, object], now: Mapping[str, object]) -> bool:
    return name in before and canonical(before[name]) != canonical(now[name])


def _members(before: object, now: object) -> str:
    one, other = before if isinstance(before, dict) else {}, now if isinstance(now, dict) else {}
    names = dict.fromkeys([*one, *other])
    return ", ".join(name for name in names if canonical(one.get(name)) != canonical(other.get(name)))


def _system(difference: Difference) -> str | None:
    return "the system prompt changed" if difference.member == "system" else None


def _stream(difference: Difference) -> str | None:
    if difference.member != "stream":
        return None
    if difference.today is True:
        return "today's request asks for a stream, and the recorded one did not"
    return "the recorded request asked for a stream, and today's does not"


def _parameter(difference: Difference) -> str | None:
    if difference.member in ("messages", ""):
        return None
    how = "is new" if difference.recorded is MISSING else "is gone" if difference.today is MISSING else "changed"
    return f"the parameter {difference.member} {how}"


def _cut(difference: Difference) -> str | None:
    """Whether today's messages are some of the recorded ones, in their order; a summary may stand for the others."""
    theirs, ours = (list(map(canonical, _messages(body))) for body in (difference.theirs, difference.ours))
    missing = len(theirs) - len(ours)
    if difference.member != "messages" or missing <= 0 or not ours:
        return None
    rest = iter(theirs)
    kept = sum((Counter(theirs) & Counter(ours)).values())
    summarised = ours[-1] == theirs[-1] and len(ours) - kept <= 1
    if not summarised and not all(message in rest for message in ours):
        return None
    return f"the history was cut: {missing} of {len(theirs)} messages {'is' if missing == 1 else 'are'} missing"


def _longer(difference: Difference) -> str | None:
    if difference.recorded is not MISSING or len(difference.steps) != 2 or not difference.message:
        return None
    return "the loop goes on where the recording ends"


def _order(difference: Difference) -> str | None:
    """Whether the message's blocks are the same in another order."""
    if not difference.block:
        return None
    one, other = difference.contents
    if sorted(map(canonical, one)) != sorted(map(canonical, other)):
        return None
    return "the same blocks in another order: parallel tools may have finished in another order"


def _echo(difference: Difference) -> str | None:
    if difference.message.get("role") != "assistant":
        return None
    one, other = ([str(block.get("type")) for block in content] for content in difference.contents)
    gone = Counter(one) - Counter(other)
    if gone and len(other) < len(one):
        return f"Claude's reply was not sent back whole: without its {' and '.join(sorted(gone))}"
    return "Claude's reply was sent back changed"


def _result(difference: Difference) -> str | None:
    """Which tool gave another result."""
    block = difference.block
    if block.get("type") != "tool_result":
        return None
    name = _called(_messages(difference.ours), str(block.get("tool_use_id")))
    tool = f"the tool {name}" if name else "a tool"
    if "is_error" in difference.steps:
        return f"{tool} {'failed today' if difference.today is True else 'failed when it was recorded'}"
    if difference.today is MISSING and len(difference.steps) == 4:
        return f"{tool} was not answered"
    return f"{tool} returned something else than when it was recorded"


def _called(messages: list[object], identifier: str) -> str | None:
    """The name of the tool that this call was for."""
    for message in messages:
        content = message.get("content") if isinstance(message, dict) else None
        for block in content or ():
            if isinstance(block, dict) and block.get("type") == "tool_use" and block.get("id") == identifier:
                return str(block.get("name"))
    return None


def _prompt(difference: Difference) -> str | None:
    return "what the user says is another text" if difference.message.get("role") == "user" else None


Cause = Callable[[Difference], str | None]

CAUSES: Mapping[str, Cause] = MappingProxyType(
    {
        "cut": _cut,
        "longer": _longer,
        "order": _order,
        "space": _space,
        "secret": _secret,
        "model": _model,
        "tools": _tools,
        "system": _system,
        "stream": _stream,
        "parameter": _parameter,
        "echo": _echo,
        "result": _result,
        "prompt": _prompt,
    }
)
"""Every cause by its name, the most certain first."""

OF_THE_WHOLE = frozenset({"cut", "longer", "order"})
"""Causes that explain more than the one place: what a volatile rule looks past is looked for after these only."""


def cause_of(difference: Difference) -> tuple[str, str]:
    """The name of the cause and what it says; both empty where none knows the difference."""
    told = ((name, cause(difference)) for name, cause in CAUSES.items())
    return next(((name, likely) for name, likely in told if likely is not None), ("", ""))

"""Rules on what a follow-up request resends: history, assistant turns, tools, system prompt.

Law: pure checks on a `StepView`: one request and the exchange it follows. Which exchange that is, following decided.

A request is exempt where it declares that the history is not its to resend: a server-held thread, context editing,
or a compaction block, which stands for all that came before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from playhead.rules.rule import Finding, Rule, StepView
from playhead.wire.codec import canonical, encode_text
from playhead.wire.equality import (
    first_difference,
    plain_content,
    plain_message,
    same,
    same_settings,
)
from playhead.wire.exchange import Exchange
from playhead.wire.tables import STOP_REASONS
from playhead.wire.turns import blocks_of


def _exempt(step: StepView) -> bool:
    request = step.exchange.request or {}
    if step.parent is None or step.link.held or request.get("context_management"):
        return True
    return any(block.type == "compaction" for message in step.added for block in blocks_of(message))


def _keys(messages: Sequence[object]) -> list[bytes]:
    return [canonical(plain_message(message)) for message in messages]


def _departures(step: StepView) -> Iterator[tuple[str, int, int]]:
    """What became of the messages that should have been resent: (`"dropped"` or `"edited"`, theirs, ours)."""
    if step.link.kind != "departs" or _exempt(step) or step.parent is None:
        return
    theirs, ours = list(step.parent.messages), step.exchange.messages
    if _prefilled(step.parent):
        theirs.pop()  # the reply goes on with this message, so that both may come back as one
    before = len(theirs)
    if step.parent.content:
        theirs.append({"role": "assistant", "content": step.parent.content})
    matcher = SequenceMatcher(None, _keys(theirs), _keys(ours), autojunk=False)
    if matcher.find_longest_match().size == 0 and before and len(ours) <= before:
        yield "dropped", 0, 0  # nothing came back, so that nothing can be said to be edited
        return
    for kind, their_start, their_end, our_start, our_end in matcher.get_opcodes():
        if kind == "equal" or their_start >= before:
            continue  # what comes after the reply is new, and the reply has a rule of its own
        lost = min(their_end, before) - their_start
        yield ("edited" if our_end - our_start >= lost else "dropped"), their_start, our_start


def _resent_in_full(step: StepView) -> Iterator[Finding]:
    for kind, theirs, ours in _departures(step):
        if kind == "dropped":
            yield Finding(
                path=f"$.messages[{ours}]" if ours < len(step.exchange.messages) else "$.messages",
                what=f"message {theirs} of the request before ({_short(step.parent, theirs)}) is not sent again",
                place=(ours,),
            )
            return
    yield from _reply_missing(step)


def _short(exchange: Exchange | None, index: int) -> str:
    message = exchange.messages[index] if exchange else None
    if not isinstance(message, dict):
        return "?"
    content = message.get("content")
    text = content if isinstance(content, str) else ", ".join(str(block.type) for block in blocks_of(message))
    return f"{message.get('role')}: {text if len(text) <= 40 else text[:39] + '…'}"


def _reply_missing(step: StepView) -> Iterator[Finding]:
    """Every earlier message is there, but Claude's reply was left out."""
    parent = step.parent
    if not step.alone or step.link.kind != "continues" or parent is None or parent.failed:
        return
    reason = STOP_REASONS.get(parent.stop_reason or "")
    first = step.exchange.messages[step.link.shared : step.link.shared + 1]
    if reason is None or not reason.whole or not first or not isinstance(first[0], dict):
        return
    if first[0].get("role") == "assistant" or _prefilled(parent) or _exempt(step):
        return
    if plain_content(parent.content):
        yield Finding(
            path=f"$.messages[{step.link.shared}]",
            what="Claude's reply to the request before is not in the history",
            place=(step.link.shared,),
        )


def _prefilled(exchange: Exchange) -> bool:
    last = exchange.messages[-1] if exchange.messages else None
    return isinstance(last, dict) and last.get("role") == "assistant"


def _append_only(step: StepView) -> Iterator[Finding]:
    for kind, theirs, ours in _departures(step):
        if kind == "edited":
            yield Finding(
                path=f"$.messages[{ours}]{_inside(step, theirs, ours)}",
                what=f"message {theirs} of the request before ({_short(step.parent, theirs)}) was changed or moved",
                place=(ours,),
            )
            return


def _inside(step: StepView, theirs: int, ours: int) -> str:
    """The path, within a message, of the first thing that is not as it was."""
    assert step.parent is not None
    difference = first_difference(step.exchange.messages[ours], step.parent.messages[theirs], "")
    return difference.path if difference else ""


def _echo(step: StepView) -> tuple[list[object], int] | None:
    """The assistant blocks sent back after the shared history, and the array position of the first message."""
    blocks: list[object] = []
    start = step.link.shared
    for message in step.exchange.messages[start:]:
        if not isinstance(message, dict) or message.get("role") != "assistant":
            break
        plain = plain_content(message.get("content"))
        if not isinstance(plain, list):
            return None
        blocks.extend(plain)
    return (blocks, start) if blocks else None


def _is_thinking(block: object) -> bool:
    return isinstance(block, dict) and block.get("type") in ("thinking", "redacted_thinking")


def _is_same(step: StepView, parent: Exchange) -> bool:
    """Whether the reply came back as one message, member for member."""
    added = step.exchange.messages[step.link.shared : step.link.shared + 2]
    if len(added) != 2 or not isinstance(added[0], dict) or not isinstance(added[1], dict):
        return False
    if added[0].get("role") != "assistant" or added[1].get("role") == "assistant":
        return False
    return canonical(added[0].get("content")) == canonical(parent.content)


def _verbatim(step: StepView) -> Iterator[Finding]:
    parent = step.parent
    if step.link.kind != "continues" or parent is None or parent.failed or _prefilled(parent):
        return
    if _is_same(step, parent):
        return  # as nearly always; the comparison below costs more
    reason = STOP_REASONS.get(parent.stop_reason or "end_turn")
    found = _echo(step)
    if found is None or not parent.content or (reason is not None and not reason.whole):
        return
    echo, start = found
    sent, expected = echo, plain_content(parent.content)
    assert isinstance(expected, list)
    if parent.stop_reason and reason is not None and reason.then == "stop" and any(map(_is_thinking, expected)):
        # the thinking of a turn that is over may be left out (measured; documented for switching models)
        sent, expected = ([block for block in blocks if not _is_thinking(block)] for blocks in (echo, expected))
    if reason is not None and reason.then == "resume":
        sent = sent[: len(expected)]  # the turn goes on: what later replies added may stand in the same message
    if same(sent, expected) or _exempt(step) or not (step.alone or _related(sent, expected)):
        return
    difference = first_difference(sent, expected, "")
    assert difference is not None
    yield Finding(
        path=f"$.messages[{start}].content",
        what=_what_changed(sent, expected)
        or f"at content{difference.path}: {_value(difference.left)} instead of {_value(difference.right)}",
        place=(start,),
    )


def _related(sent: list[object], expected: list[object]) -> bool:
    """Whether two assistant turns have anything in common, so that one is an edit of the other."""
    ours, theirs = ({canonical(block) for block in blocks} | _ids(blocks) for blocks in (sent, expected))
    return bool(ours & theirs)


def _ids(blocks: list[object]) -> set[bytes]:
    return {str(block["id"]).encode() for block in blocks if isinstance(block, dict) and block.get("id")}


def _what_changed(sent: list[object], expected: list[object]) -> str | None:
    """A sentence for the plainest kinds of change: blocks left out, or blocks put in."""
    ours, theirs = ([canonical(block) for block in blocks] for blocks in (sent, expected))
    dropped = [block for block, key in zip(expected, theirs, strict=True) if key not in ours]
    put_in = [block for block, key in zip(sent, ours, strict=True) if key not in theirs]
    if dropped and not put_in:
        return f"{_listed(dropped)} of Claude's reply was dropped when the turn was sent back"
    if put_in and not dropped:
        return f"{_listed(put_in)} is not in Claude's reply"
    return None


def _listed(blocks: list[object]) -> str:
    kinds = [f"the {block.get('type')} block" if isinstance(block, dict) else "something" for block in blocks]
    return " and ".join(kinds)


def _value(value: object) -> str:
    text = encode_text(value) if isinstance(value, str | int | float | bool | dict | list | None) else repr(value)
    return text if len(text) <= 60 else text[:59] + "…"


def _changed_setting(step: StepView, member: str) -> bool:
    parent, exchange = step.parent, step.exchange
    if step.link.kind not in ("continues", "departs") or parent is None or step.link.held:
        return False
    if not (parent.knows(member) and exchange.knows(member)) or parent.request is None or exchange.request is None:
        return False
    before, now = parent.request.get(member), exchange.request.get(member)
    return not same_settings(before, now)


def _tools_resent(step: StepView) -> Iterator[Finding]:
    if not _changed_setting(step, "tools") or step.parent is None or _tools_changed_openly(step):
        return
    before, now = ((exchange.request or {}).get("tools") or [] for exchange in (step.parent, step.exchange))
    if not isinstance(before, list) or not isinstance(now, list):
        return
    names = [[str(t.get("name") or t.get("type")) for t in tools if isinstance(t, dict)] for tools in (before, now)]
    gone = [name for name in names[0] if name not in names[1]]
    new = [name for name in names[1] if name not in names[0]]
    loaded_later = [t for t in now if not (isinstance(t, dict) and t.get("defer_loading") and t.get("name") in new)]
    if new and not gone and same_settings(before, loaded_later):
        return
    if not now:
        what = f"the request sends no tools; the one before sent {', '.join(names[0])}"
    elif gone or new:
        what = f"tools changed: {'without ' + ', '.join(gone) if gone else 'new ' + ', '.join(new)}"
    else:
        difference = first_difference(now, before, "$.tools")
        what = f"the definition changed at {difference.path}" if difference else "the definitions changed"
    yield Finding(path="$.tools", what=what)


def _tools_changed_openly(step: StepView) -> bool:
    """Whether the conversation itself says that tools come or go (tool_addition, tool_removal blocks)."""
    return any(
        block.type in ("tool_addition", "tool_removal") for message in step.added for block in blocks_of(message)
    )


def _system_stable(step: StepView) -> Iterator[Finding]:
    if _changed_setting(step, "system") and step.parent is not None:
        now = (step.exchange.request or {}).get("system")
        gone = "is not sent again" if not now else "is not the one of the request before"
        yield Finding(path="$.system", what=f"the system prompt {gone}")


RULES = (
    Rule(
        id="history-resent-in-full",
        level="broken",
        fix="send every earlier message again, then Claude's reply, then the new user message",
        step=_resent_in_full,
    ),
    Rule(
        id="history-append-only",
        level="broken",
        fix="leave earlier messages as they were sent; add what is new at the end",
        step=_append_only,
    ),
    Rule(
        id="assistant-content-verbatim",
        level="broken",
        fix="append the reply's whole content: {{'role': 'assistant', 'content': message.content}}",
        step=_verbatim,
    ),
    Rule(
        id="tools-resent-every-call",
        level="broken",
        fix="send the same `tools` with every request of the conversation",
        step=_tools_resent,
    ),
    Rule(
        id="system-stable",
        level="broken",
        fix="send the same `system` with every request of the conversation; put what changes into a new message",
        step=_system_stable,
    ),
)

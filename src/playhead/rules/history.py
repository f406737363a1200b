"""Rules on what a follow-up request resends: history, assistant turns, tools, system prompt.

Law: pure checks on a `StepView`: one request and the exchange it follows. Which exchange that is, following decided.

A request is exempt where it declares that the history is not its to resend: a server-held thread, context editing,
a compaction block, which stands for all that came before it, or a summary that Claude itself wrote in this session.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher

from playhead.rules.echo import Echo, echo_of, goes_on, prefilled, related
from playhead.rules.rule import Finding, Rule, StepView
from playhead.wire.codec import JsonError, canonical, decode, encode_text
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


_SHORTEST_SUMMARY = 40
"""A shorter reply may stand in a message by chance."""


def _summarised(step: StepView) -> bool:
    """Whether the first message that is not as it was holds what Claude replied to an earlier request: a summary."""
    text = _text(step.added[0]) if step.added else ""
    if len(text) < _SHORTEST_SUMMARY:
        return False
    replies = (_text({"content": reply.content}) for reply in step.so_far.replies() if not reply.calls())
    return any(len(reply) >= _SHORTEST_SUMMARY and reply in text for reply in replies)


def _text(message: object) -> str:
    return "\n".join(str(block.data.get("text")) for block in blocks_of(message) if block.type == "text")


def _keys(messages: Sequence[object]) -> list[bytes]:
    return [canonical(plain_message(message)) for message in messages]


def _departures(step: StepView) -> Iterator[tuple[str, int, int]]:
    """What became of the messages that should have been resent: (`"dropped"` or `"edited"`, theirs, ours)."""
    if step.link.kind != "departs" or _exempt(step) or step.parent is None or _summarised(step):
        return
    theirs, ours = list(step.parent.messages), step.exchange.messages
    if prefilled(step.parent):
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
    if not step.one_loop or step.link.kind != "continues" or parent is None or parent.failed:
        return
    if parent.user_event is not None and not step.alone:
        return  # the user may have taken the turn back
    reason = STOP_REASONS.get(parent.stop_reason or "")
    first = step.exchange.messages[step.link.shared : step.link.shared + 1]
    if reason is None or not reason.whole or not first or not isinstance(first[0], dict):
        return
    if first[0].get("role") == "assistant" or prefilled(parent) or _exempt(step):
        return
    if plain_content(parent.content):
        yield Finding(
            path=f"$.messages[{step.link.shared}]",
            what="Claude's reply to the request before is not in the history",
            place=(step.link.shared,),
        )


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


def _is_thinking(block: object) -> bool:
    return isinstance(block, dict) and block.get("type") in ("thinking", "redacted_thinking")


def _is_unsigned(block: object) -> bool:
    return isinstance(block, dict) and block.get("type") == "thinking" and not block.get("signature")


def _without(blocks: list[object], unwanted: Callable[[object], bool]) -> list[object]:
    return [block for block in blocks if not unwanted(block)]


def _verbatim(step: StepView) -> Iterator[Finding]:
    parent, echo = step.parent, echo_of(step)
    assert parent is not None
    reason = STOP_REASONS.get(parent.stop_reason or "end_turn")
    if echo is None or (reason is not None and not reason.whole):
        return
    sent, expected = echo.sent, echo.expected
    if not any(map(_is_thinking, sent)):
        # only a copy of the API makes thinking without a signature, and the API would not take it back
        expected = _without(expected, _is_unsigned)
    if parent.stop_reason and reason is not None and reason.then == "stop" and any(map(_is_thinking, expected)):
        # the thinking of a turn that is over may be left out (measured; documented for switching models)
        sent, expected = _without(sent, _is_thinking), _without(expected, _is_thinking)
    if reason is not None and reason.then == "resume":
        sent = sent[: len(expected)]  # the turn goes on: what later replies added may stand in the same message
    if same(sent, expected) or not expected or _added_after(echo) or _exempt(step):
        return
    if not (step.one_loop or related(sent, expected) or _edited(sent, expected)):
        return
    difference = first_difference(sent, expected, "")
    assert difference is not None
    yield Finding(
        path=f"$.messages[{echo.start}].content",
        what=_what_changed(sent, expected)
        or f"at content{difference.path}: {_value(difference.left)} instead of {_value(difference.right)}",
        place=(echo.start,),
    )


_ALIKE = 0.8
_COMPARED = range(20, 10_000)
"""How much two texts must have in common so that one is an edit of the other, and how long texts are to be compared."""


def _edited(sent: list[object], expected: list[object]) -> bool:
    """Whether two turns of one text each say nearly the same; JSON that was only written anew says the very same."""
    if len(sent) != 1 or len(expected) != 1:
        return False
    ours, theirs = _text({"content": sent}), _text({"content": expected})
    if len(ours) not in _COMPARED or len(theirs) not in _COMPARED or _same_json(ours, theirs):
        return False
    matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
    return matcher.real_quick_ratio() >= _ALIKE and matcher.quick_ratio() >= _ALIKE and matcher.ratio() >= _ALIKE


def _same_json(left: str, right: str) -> bool:
    try:
        return same(decode(left), decode(right))
    except JsonError:
        return False


def _added_after(echo: Echo) -> bool:
    """Whether the reply came back as it was, and what follows in messages of their own is something else.

    A client may write a call of its own into the history, to load a tool say; the reply twice is another matter.
    """
    own, more = echo.sent[: echo.first], echo.sent[echo.first :]
    return bool(more) and same(own, echo.expected) and not related(more, echo.expected)


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
    if before is now or same_settings(before, now) or parent.failed:
        return False
    # a request beside the conversation, for a summary say, leaves the reply out: it may have settings of its own
    return goes_on(step) or not parent.content


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
    kept = [t for t in now if not isinstance(t, dict) or str(t.get("name") or t.get("type")) in names[0]]
    grown = bool(new) and same_settings(before, kept)
    if not now:
        what = f"the request sends no tools; the one before sent {', '.join(names[0])}"
    elif gone or new:
        what = f"tools changed: {'without ' + ', '.join(gone) if gone else 'new ' + ', '.join(new)}"
    else:
        difference = first_difference(now, before, "$.tools")
        what = f"the definition changed at {difference.path}" if difference else "the definitions changed"
    # Claude can call all that it could, and it may be on purpose; what it costs is the prompt cache
    yield Finding(path="$.tools", what=what, level="warn" if grown else None)


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
        ordinary=False,
    ),
    Rule(
        id="history-append-only",
        level="broken",
        fix="leave earlier messages as they were sent; add what is new at the end",
        step=_append_only,
        ordinary=False,
    ),
    Rule(
        id="assistant-content-verbatim",
        level="broken",
        fix="append the reply's whole content: {{'role': 'assistant', 'content': message.content}}",
        echo=_verbatim,
    ),
    Rule(
        id="tools-resent-every-call",
        level="broken",
        fix="send the same `tools` with every request of the conversation",
        step=_tools_resent,
        ordinary=False,
    ),
    Rule(
        id="system-stable",
        level="broken",
        fix="send the same `system` with every request of the conversation; put what changes into a new message",
        step=_system_stable,
        ordinary=False,
    ),
)

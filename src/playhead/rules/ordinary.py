"""What nearly every message looks like, so that most rules need not be asked about it.

Law: pure; recognises forms, judges nothing. Whatever is in doubt is not ordinary.

A loop adds a few messages with each request: what Claude said and called, what the tools returned, what the user asked.
Where their form leaves nothing to object to, a single look at it stands for several dozen rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from playhead.wire.codec import JsonObject
from playhead.wire.turns import MergedTurn

_ID = re.compile(r"[a-zA-Z0-9_-]+").fullmatch
_LONGEST_NAME = 200
_DIRECT = {"type": "direct"}
_KINDS = frozenset({"text", "tool_use", "tool_result"})
WORDS = frozenset({"text"})
"""What most messages are made of."""


def _is_text(block: JsonObject) -> bool:
    text = block.get("text")
    # a reply's text comes back with `citations` as it came: null
    known = 2 if "citations" not in block else 3 if block["citations"] is None else 0
    return len(block) == known and isinstance(text, str) and text != "" and not text.isspace()


def _is_call(block: JsonObject) -> bool:
    identifier, name = block.get("id"), block.get("name")
    known = 4 if "caller" not in block else 5 if block["caller"] == _DIRECT else 0
    return (
        len(block) == known
        and isinstance(identifier, str)
        and _ID(identifier) is not None
        and isinstance(name, str)
        and 0 < len(name) <= _LONGEST_NAME
        and isinstance(block.get("input"), dict)
    )


def _is_result(block: JsonObject) -> bool:
    identifier, content = block.get("tool_use_id"), block.get("content")
    known = 3 if "is_error" not in block else 4 if isinstance(block["is_error"], bool) else 0
    if len(block) != known or not isinstance(identifier, str) or _ID(identifier) is None:
        return False
    return isinstance(content, str) or (isinstance(content, list) and all(map(_is_plain_text, content)))


def _is_plain_text(block: object) -> bool:
    return isinstance(block, dict) and block.get("type") == "text" and len(block) == 2 and _is_text(block)


_FORMS: Mapping[object, Mapping[object, Callable[[JsonObject], bool]]] = {
    "user": {"text": _is_text, "tool_result": _is_result},
    "assistant": {"text": _is_text, "tool_use": _is_call},
}
"""By role and type the form of an ordinary block."""


def ordinary_types(message: object) -> Sequence[str]:
    """The types of block in a message of an ordinary form, those in results too; empty for any other.

    Ordinary is what a user or the assistant says in text, calls of tools by the assistant and results from the user,
    each of them text, in a message of their own.
    """
    if not isinstance(message, dict) or len(message) != 2:
        return ()
    content, forms = message.get("content"), _FORMS.get(message.get("role"))
    if forms is None:
        return ()
    if isinstance(content, str):
        return () if not content or content.isspace() else ("text",)
    if not isinstance(content, list):
        return ()
    types: list[str] = []
    for block in content:
        kind = block.get("type") if isinstance(block, dict) else None
        is_ordinary = forms.get(kind) if isinstance(kind, str) else None
        if is_ordinary is None or not is_ordinary(block):
            return ()
        if kind not in types:
            types.append(str(kind))
    if "tool_result" not in types:
        return types
    return () if len(types) > 1 else ("tool_result", "text")


def ordinary_words(message: object, role: str) -> bool:
    """Whether this is a message of an ordinary form, of that role, that holds nothing but words."""
    if not isinstance(message, dict) or len(message) != 2 or message.get("role") != role:
        return False
    content = message.get("content")
    if isinstance(content, str):
        return content != "" and not content.isspace()
    if not isinstance(content, list) or not content:
        return False
    for block in content:
        if not isinstance(block, dict) or block.get("type") != "text" or not _is_text(block):
            return False
    return True


def takes_turns(before: object, message: object) -> bool:
    """Whether a message is the one whose turn it is after the one before, which is None where there is none."""
    last = before.get("role") if isinstance(before, dict) else before
    role = message.get("role") if isinstance(message, dict) else None
    return role == "user" if last is None or last == "assistant" else role == "assistant" and last == "user"


def are_ordinary(turns: Sequence[MergedTurn]) -> bool:
    """Whether all calls in some turns are ordinary, and answered by the next turn, once each, which does nothing else.

    Turns of other than text, calls and results, and turns without content, are not ordinary; neither is it that the
    assistant has the last word.
    """
    kinds: set[str] = set()
    for turn in turns:
        if not turn.blocks:
            return False
        kinds.update(turn.by_type)
    if not kinds <= _KINDS or not turns or turns[-1].role != "user":
        return False
    return kinds == WORDS or _are_paired(turns)


def _are_paired(turns: Sequence[MergedTurn]) -> bool:
    waiting: list[object] = []
    for turn in turns:
        results = [str(block.data.get("tool_use_id")) for block in turn.of_type("tool_result")]
        if results != waiting and (len(results) != len(waiting) or set(results) != set(waiting)):
            return False
        if results and len(results) != len(turn.blocks):
            return False
        calls = turn.of_type("tool_use")
        if not all(_is_call(call.data) for call in calls):
            return False
        waiting = [call.data["id"] for call in calls]
        if len(set(waiting)) != len(waiting):
            return False
    return not waiting

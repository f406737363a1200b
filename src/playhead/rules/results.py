"""Rules on what a `tool_result` says: text or blocks that tell the tool's value, and a plain yes or no on errors.

Law: pure checks. What a tool returned is known where its runs were counted; else the text itself is all there is, and
what looks wrong in it is a warning: a tool may well return Python's notation.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping

from playhead.rules.calls import raised_text, result_text
from playhead.rules.json_words import kind_of, shown
from playhead.rules.rule import BlockView, Finding, RequestView, Rule, StepView
from playhead.wire.turns import PlacedBlock


def _content_kind(view: RequestView, block: BlockView) -> Iterator[Finding]:
    data = block.data
    if "content" in data and not isinstance(data["content"], str | list):
        yield Finding(
            path=f"{block.path}.content",
            what=f"the content of a tool_result is a string or an array of blocks, not {kind_of(data['content'])}",
            place=block.place,
        )


def _error_kind(view: RequestView, block: BlockView) -> Iterator[Finding]:
    flag = block.data.get("is_error")
    if flag is not None and not isinstance(flag, bool):
        yield Finding(
            path=f"{block.path}.is_error",
            what=f"is_error is true or false, not {shown(flag)}",
            place=block.place,
        )


_OBJECT = re.compile(r"<[\w.]+(?: [^<>]*)? at 0x[0-9a-fA-F]+>")
_PYTHON = ("{'", "[{'", "['", "('", "({'", "b'", 'b"', "[(", "{(")
_LONGEST = 100_000
"""Longer texts are not parsed: that would cost more than the warning is worth."""


def _python_text(view: RequestView, block: BlockView) -> Iterator[Finding]:
    content = block.data.get("content")
    parts = content if isinstance(content, list) else ()
    for text in [content] if isinstance(content, str) else map(_text, parts):
        found = _looks_python(text)
        if found is not None:
            yield Finding(path=f"{block.path}.content", what=f"the result is {found}", place=block.place, level="warn")
            return


def _text(part: object) -> str:
    return str(part.get("text", "")) if isinstance(part, dict) and part.get("type") == "text" else ""


def _looks_python(text: str) -> str | None:
    if text == "None":
        return "the word None: Python's way to say that there is nothing"
    if text.startswith(_PYTHON) and len(text) <= _LONGEST and _is_literal(text):
        return "written in Python's notation, not as JSON"
    if text.startswith("<") and _OBJECT.match(text):
        return "the name of a Python object and its place in memory, not its value"
    return None


def _is_literal(text: str) -> bool:
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return False
    return isinstance(value, dict | list | tuple | set | bytes)


_SPOKEN = (dict, list, tuple, set, frozenset, bytes, bytearray, bool, type(None))
"""What Python writes otherwise than JSON; numbers and strings look the same in both."""


def _not_the_value(step: StepView) -> Iterator[Finding]:
    """Results that do not say what their tools returned."""
    parent = step.parent
    if parent is None or not parent.results:
        return
    for position, (call, value) in enumerate(parent.results.items()):
        blocks = step.results.get(call, ())
        if len(blocks) != 1 or raised_text(value) is not None:
            continue
        what = _garbled(blocks[0], value)
        if what is not None:
            yield Finding(
                path=f"{blocks[0].path}.content",
                what=f"{call} returned {what}",
                place=(position,),
            )


def _garbled(block: PlacedBlock, value: object) -> str | None:
    text = result_text(block)
    if _OBJECT.fullmatch(text) and text != value:
        return "an object, and the result holds its name and place in memory"
    if isinstance(value, Mapping) and value and _only_keys(block.data.get("content"), text, value):
        return f"{shown(dict(value))}, and the result holds nothing but its keys"
    if isinstance(value, _SPOKEN) and text and text in (str(value), repr(value)) and not _is_json(text):
        kind = "None" if value is None else f"a {type(value).__name__}"
        return f"{kind}, and the result has it in Python's notation: {shown(text)}"
    return None


def _only_keys(content: object, text: str, value: Mapping[object, object]) -> bool:
    keys = [str(key) for key in value]
    if isinstance(content, list) and content == keys:
        return True
    lists = (str(list(value)), json.dumps(keys), str(value.keys()), str(tuple(value)))
    if text in lists:
        return True
    alone = len(keys) == 1 and str(next(iter(value.values()))) == keys[0]
    return not alone and any(text == joint.join(keys) for joint in (", ", ",", "\n", " ", ""))


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


RULES = (
    Rule(
        id="tool-result-content-type",
        level="broken",
        fix="send text: what is no string goes through `json.dumps`; leave `content` out where there is nothing to say",
        block=_content_kind,
        types=("tool_result",),
        ordinary=False,
    ),
    Rule(
        id="tool-result-tells-value",
        level="broken",
        fix="send what the tool returned as text, with `json.dumps(value, default=str)` where it is no string",
        block=_python_text,
        types=("tool_result",),
        calls=_not_the_value,
        after=("tool_use", "unsaid"),
    ),
    Rule(
        id="tool-result-is-error-type",
        level="broken",
        fix="send `is_error: true` for a call that failed, and leave it out, or false, for one that did not",
        block=_error_kind,
        types=("tool_result",),
        ordinary=False,
    ),
)

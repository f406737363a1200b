"""Rules on `cache_control`: how many marks, in which order, on which blocks.

Law: pure checks. A mark is an object; null is none (recorded). The prompt's order is tools, system, messages.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from playhead.rules.block_search import marked
from playhead.rules.order import CONVERSATION, FIELD
from playhead.rules.rule import BlockView, Finding, RequestView, Rule
from playhead.wire.codec import JsonObject

_MOST = 4
_UNMARKABLE = ("thinking", "redacted_thinking")


@dataclass(frozen=True, slots=True)
class _Mark:
    """A cache mark, its JSON path, its place in the API's words, and how long it holds."""

    path: str
    api: str
    ttl: str


def _mark(block: JsonObject, path: str, api: str) -> _Mark | None:
    control = block.get("cache_control")
    if not isinstance(control, dict) or block.get("type") in _UNMARKABLE:
        return None
    return _Mark(f"{path}.cache_control", api, _ttl(control))


def _ttl(control: JsonObject) -> str:
    return "1h" if control.get("ttl") == "1h" else "5m"


def _in_list(blocks: object, path: str, api: str) -> Iterator[_Mark]:
    for number, block in enumerate(blocks if isinstance(blocks, list) else ()):
        if not isinstance(block, dict):
            continue
        if block.get("type") == "tool_result":
            nested = block.get("content")
            if isinstance(nested, list):
                yield from _in_list(nested, f"{path}[{number}].content", f"{api}.{number}.tool_result.content")
        if "cache_control" in block:
            mark = _mark(block, f"{path}[{number}]", f"{api}.{number}")
            if mark is not None:
                yield mark


def _in_messages(view: RequestView) -> Iterator[_Mark]:
    messages = view.messages
    for index in marked(view):
        message = messages[index]
        if isinstance(message, dict):
            yield from _in_list(message.get("content"), f"$.messages[{index}].content", f"messages.{index}.content")


def _marks(view: RequestView) -> list[_Mark]:
    """All marks in the prompt's order."""
    envelope = [
        *_in_list(view.body.get("tools"), "$.tools", "tools"),
        *_in_list(view.body.get("system"), "$.system", "system"),
    ]
    return [*envelope, *_in_messages(view)] if view.may_hold(("cache_control",)) else envelope


def _too_many(view: RequestView) -> Iterator[Finding]:
    marks = _marks(view)
    count = len(marks) + isinstance(view.body.get("cache_control"), dict)
    if count > _MOST:
        path = marks[_MOST].path if len(marks) > _MOST else "$.cache_control"
        yield Finding(path=path, what=f"{count} cache marks, {_MOST} are allowed", values={"n": count})


def _accumulating(view: RequestView) -> Iterator[Finding]:
    """Too many marks because earlier messages kept theirs when a later one was marked."""
    marks = _marks(view) if view.may_hold(("cache_control",)) else []
    if len(marks) <= _MOST:
        return
    marked = {mark.path.partition("]")[0]: mark for mark in reversed(marks) if mark.path.startswith("$.messages[")}
    if len(marked) >= _STALE:
        first = marked[min(marked, key=lambda path: int(path.rpartition("[")[2]))]
        yield Finding(
            path=first.path,
            what=f"{len(marked)} messages carry a cache mark; the earlier ones kept theirs",
            same_as=("cache-control-max-4",),
        )


_STALE = 3
"""Marks in so many messages are left over: a mark for the newest and one for where the cache was read are enough."""


def _long_after_short(view: RequestView) -> Iterator[Finding]:
    short: _Mark | None = None
    for mark in _marks(view):
        if mark.ttl == "5m":
            short = short or mark
        elif short is not None:
            what = f"a mark for an hour comes after one for five minutes ({short.path})"
            yield Finding(path=f"{mark.path}.ttl", what=what, values={"api": mark.api})
            return


def _automatic(view: RequestView) -> Iterator[Finding]:
    control = view.body.get("cache_control")
    if not isinstance(control, dict):
        return
    marks = _marks(view)
    if len(marks) == _MOST:
        what = f"the automatic mark needs a place, and {_MOST} blocks are marked already"
        yield Finding(path="$.cache_control", what=what)
        return
    last = _last_block(view)
    explicit = last.get("cache_control")
    if isinstance(explicit, dict) and _ttl(explicit) != _ttl(control):
        what = f"the automatic mark is for {_ttl(control)}, the last block's own for {_ttl(explicit)}"
        yield Finding(path="$.cache_control", what=what)


def _last_block(view: RequestView) -> JsonObject:
    last = view.messages[-1] if view.messages else None
    content = last.get("content") if isinstance(last, dict) else None
    block = content[-1] if isinstance(content, list) and content else None
    return block if isinstance(block, dict) else {}


def _empty_text(view: RequestView, block: BlockView) -> Iterator[Finding]:
    if _marked_and_empty(block.data):
        yield _empty(block.path, block.api, block.place, FIELD["messages"])


def _empty_system_text(view: RequestView) -> Iterator[Finding]:
    system = view.body.get("system")
    for number, block in enumerate(system if isinstance(system, list) else ()):
        if isinstance(block, dict) and _marked_and_empty(block):
            yield _empty(f"$.system[{number}]", f"system.{number}", (number,), FIELD["system"])


def _marked_and_empty(block: JsonObject) -> bool:
    return block.get("type") == "text" and block.get("text") == "" and isinstance(block.get("cache_control"), dict)


def _empty(path: str, api: str, place: tuple[int, ...], rank: int) -> Finding:
    what = "an empty text block has a cache mark"
    return Finding(path=f"{path}.cache_control", what=what, values={"api": api}, place=place, rank=rank)


def _on_thinking(view: RequestView, block: BlockView) -> Iterator[Finding]:
    if block.data.get("cache_control") is not None:
        yield Finding(
            path=f"{block.path}.cache_control",
            what=f"a {block.type} block has a cache mark",
            values={"api": block.api, "type": block.type},
            place=block.place,
        )


RULES = (
    Rule(
        id="cache-control-max-4",
        level="reject",
        wording=("A maximum of 4 blocks with cache_control may be provided. Found {n}.",),
        fix="take the marks off earlier blocks when setting new ones: at most 4 in tools, system and messages together",
        rank=CONVERSATION,
        request=_too_many,
        holding=("cache_control",),
    ),
    Rule(
        id="cache-control-empty-text",
        level="reject",
        wording=("{api}.text: cache_control cannot be set for empty text blocks",),
        fix="leave the empty block out and mark the one before it",
        rank=FIELD["messages"],
        envelope=_empty_system_text,
        block=_empty_text,
        types=("text",),
        ordinary=False,
    ),
    Rule(
        id="cache-control-ttl-order",
        level="reject",
        wording=(
            "{api}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control "
            "block.",
        ),
        fix="mark for an hour before marking for five minutes, in the order tools, system, messages",
        rank=CONVERSATION,
        request=_long_after_short,
        holding=("cache_control",),
    ),
    Rule(
        id="cache-control-on-thinking",
        level="reject",
        wording=("{api}.{type}.cache_control: Extra inputs are not permitted",),
        fix="mark the block after it: what stands before a mark is cached with it",
        rank=FIELD["messages"],
        block=_on_thinking,
        types=_UNMARKABLE,
    ),
    Rule(
        id="cache-control-automatic-conflict",
        level="reject",
        fix="leave the top-level `cache_control` out, or take one of the blocks' own marks off",
        rank=CONVERSATION,
        request=_automatic,
        holding=("cache_control",),
    ),
    Rule(
        id="cache-breakpoints-not-accumulating",
        level="broken",
        fix="take the mark off the earlier message when marking a later one, best on a copy that is not stored",
        rank=CONVERSATION,
        request=_accumulating,
        holding=("cache_control",),
    ),
)

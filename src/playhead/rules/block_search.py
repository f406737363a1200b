"""Finding some blocks in a long conversation without building a view of every other block.

Law: pure; walks, judges nothing. What is returned are the views of `blocks`, in document order.

Rules that count over the whole conversation look at old messages again with every request: at those alone that hold
what they count, where it was noted (`places`). Otherwise the loop here is a plain one without a call in it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from playhead.rules.blocks import block_views
from playhead.rules.places import CACHE_MARK
from playhead.rules.rule import BlockView, RequestView


def first_new(view: RequestView) -> int:
    """The position of the first message that is not known to be good from an earlier request."""
    turns = view.turns
    return turns[0].messages[0] if turns and turns[0].number else 0


def blocks_of_types(view: RequestView, types: tuple[str, ...], start: int = 0) -> Iterator[BlockView]:
    """The blocks of these types in `messages[start:]`, those inside tool results too."""
    if not view.may_hold(types):
        return
    known = None if view.places is None else view.places.holding(types)
    for index in _holding(view.messages, types, start) if known is None else known[bisect_left(known, start) :]:
        for block in block_views(view.messages, index):
            if block.place[0] != index:
                break
            if block.type in types:
                yield block


def adds(view: RequestView, types: tuple[str, ...]) -> bool:
    """Whether a message not yet known to be good holds a block of these types."""
    return view.may_hold(types) and next(_holding(view.messages, types, first_new(view)), None) is not None


def marked(view: RequestView) -> Iterable[int]:
    """The positions of the messages in which a block has a cache mark, blocks in tool results counted."""
    known = None if view.places is None else view.places.holding((CACHE_MARK,))
    return _holding(view.messages, (), 0, CACHE_MARK) if known is None else known


def _holding(
    messages: Sequence[object], types: tuple[str, ...], start: int, member: str | None = None
) -> Iterator[int]:
    for index in range(start, len(messages)):
        message = messages[index]
        content = message.get("content") if isinstance(message, dict) else None
        if not isinstance(content, list):
            continue
        for block in content:
            if not isinstance(block, dict):
                continue
            kind = block.get("type")
            if kind in types or member in block:
                yield index
                break
            nested = block.get("content") if kind == "tool_result" else None
            if isinstance(nested, list) and any(
                isinstance(one, dict) and (one.get("type") in types or member in one) for one in nested
            ):
                yield index
                break

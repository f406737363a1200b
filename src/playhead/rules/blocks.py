"""The content blocks of messages, each with its place in the request's path and in the API's words.

Law: pure; walks, judges nothing. A string as content is one text block, blocks inside a tool result follow it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from playhead.rules.rule import BlockView


def block_views(messages: Sequence[object], start: int = 0) -> Iterator[BlockView]:
    """Every block of `messages[start:]`, nested ones after the block that holds them."""
    for index in range(start, len(messages)):
        yield from blocks_in(messages[index], index, last=index == len(messages) - 1)


def blocks_in(message: object, index: int, *, last: bool) -> Iterator[BlockView]:
    """Every block of the message at a position; `last` says that none comes after it."""
    if not isinstance(message, dict):
        return
    role, content = str(message.get("role")), message.get("content")
    if isinstance(content, str):
        yield BlockView({"type": "text", "text": content}, role, (index,), None, last, True)
        return
    blocks = content if isinstance(content, list) else []
    for number, block in enumerate(blocks):
        if not isinstance(block, dict):
            continue
        view = BlockView(block, role, (index, number), None, last, number == len(blocks) - 1)
        yield view
        if block.get("type") in ("tool_result", "mcp_tool_result"):
            yield from _nested(view)


def _nested(outer: BlockView) -> Iterator[BlockView]:
    content = outer.data.get("content")
    for number, block in enumerate(content if isinstance(content, list) else ()):
        if isinstance(block, dict):
            place = (*outer.place, number)
            yield BlockView(block, outer.role, place, str(outer.type), outer.last_message, outer.last_block)

"""The content blocks of messages, each with its place in the request's path and in the API's words.

Law: pure; walks, judges nothing. A string as content is one text block, blocks inside a tool result follow it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from playhead.rules.rule import BlockView


def block_views(messages: Sequence[object], start: int = 0) -> Iterator[BlockView]:
    """Every block of `messages[start:]`, nested ones after the block that holds them."""
    for index in range(start, len(messages)):
        message = messages[index]
        if isinstance(message, dict):
            yield from _of_message(message, index, last=index == len(messages) - 1)


def _of_message(message: dict[str, object], index: int, *, last: bool) -> Iterator[BlockView]:
    role, content = str(message.get("role")), message.get("content")
    path, api = f"$.messages[{index}].content", f"messages.{index}.content"
    if isinstance(content, str):
        data: dict[str, object] = {"type": "text", "text": content}
        yield BlockView(data=data, path=path, api=api, role=role, place=(index,), last_message=last, last_block=True)
        return
    for number, block in enumerate(content if isinstance(content, list) else ()):
        if not isinstance(block, dict):
            continue
        view = BlockView(
            data=block,
            path=f"{path}[{number}]",
            api=f"{api}.{number}",
            role=role,
            place=(index, number),
            last_message=last,
            last_block=number == len(content) - 1,  # type: ignore[arg-type]
        )
        yield view
        if block.get("type") in ("tool_result", "mcp_tool_result"):
            yield from _nested(view)


def _nested(outer: BlockView) -> Iterator[BlockView]:
    content = outer.data.get("content")
    for number, block in enumerate(content if isinstance(content, list) else ()):
        if isinstance(block, dict):
            yield BlockView(
                data=block,
                path=f"{outer.path}.content[{number}]",
                api=f"{outer.api}.{outer.type}.content.{number}",
                role=outer.role,
                place=(*outer.place, number),
                within=str(outer.type),
                last_message=outer.last_message,
                last_block=outer.last_block,
            )

"""One streamed reply: what to show of it, whether it is whole, and whether its tool inputs are.

Events are pushed in; the I/O is the caller's.  The SDK adds the events up to a message, and two faults pass
it in silence: a stream that ends early looks like a finished message, and tool input that was cut parses as
if it were whole.
Source: docs, build-with-claude/streaming and agents-and-tools/tool-use/fine-grained-tool-streaming.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from playhead.loop.blocks import INVALID_JSON, block_type, field
from playhead.loop.errors import StreamIncomplete

if TYPE_CHECKING:
    from anthropic.types import Message

OnText = Callable[[str], object]
OnEvent = Callable[[Any], object]


class Reception:
    """Takes the events of one stream, in order, and judges the message that the SDK made of them."""

    def __init__(self, on_text: OnText | None, on_event: OnEvent | None) -> None:
        self._on_text = on_text
        self._on_event = on_event
        self._started = False
        self._complete = False
        self._inputs: dict[int, str] = {}

    def take(self, event: object) -> Iterator[tuple[Callable[[Any], object], object]]:
        """Note an event; gives the callbacks to call for it, each with its argument."""
        kind = field(event, "type")
        self._started = self._started or kind == "message_start"
        self._complete = self._complete or kind == "message_stop"
        delta = field(event, "delta")
        if kind == "content_block_delta" and field(delta, "type") == "input_json_delta":
            index = field(event, "index")
            self._inputs[index] = self._inputs.get(index, "") + field(delta, "partial_json", "")
        if self._on_event is not None:
            yield self._on_event, event
        if self._on_text is not None and kind == "text":  # the SDK's own event, one for each piece of text
            yield self._on_text, field(event, "text")

    def result(self, snapshot: Callable[[], Any], messages: list[Any]) -> Message:
        """The whole message.  `snapshot` reads the SDK's, once there is one.  Raises StreamIncomplete."""
        message: Any = snapshot() if self._started else None
        if not self._complete:
            raise StreamIncomplete(message=message, messages=messages)
        for index, text in self._inputs.items():
            block = message.content[index]
            if block_type(block) == "tool_use" and text and not _is_object(text):
                block.input = {INVALID_JSON: text}
        whole: Message = message
        return whole


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False

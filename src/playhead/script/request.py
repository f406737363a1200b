"""A request as a script's functions see it.

Law: a plain value; read-only by agreement, the messages are shared with the session.
"""

from __future__ import annotations

from collections.abc import Mapping

from playhead.wire.codec import JsonObject
from playhead.wire.turns import blocks_of
from playhead.wire.value import Value


class Request(Value, frozen=True, kw_only=True):
    """What came: `body` as sent, `headers` with lower-case names, `number` of the exchange, from 1.

    `conversation` and `turn` say where it stands, and `attempt` how often the step was asked for, all from 1.
    """

    body: JsonObject
    headers: Mapping[str, str]
    path: str
    number: int
    turn: int
    conversation: int = 1
    attempt: int = 1

    @property
    def messages(self) -> list[JsonObject]:
        messages = self.body.get("messages")
        return messages if isinstance(messages, list) else []

    @property
    def tools(self) -> list[JsonObject]:
        tools = self.body.get("tools")
        return tools if isinstance(tools, list) else []

    @property
    def stream(self) -> bool:
        return self.body.get("stream") is True

    @property
    def text(self) -> str:
        """The text of the last message: all its text blocks joined."""
        last = self.messages[-1] if self.messages else {}
        return "".join(str(block.data.get("text", "")) for block in blocks_of(last) if block.type == "text")

    @property
    def results(self) -> dict[str, JsonObject]:
        """The `tool_result` blocks of the last message by `tool_use_id`."""
        last = self.messages[-1] if self.messages else {}
        return {
            str(block.data.get("tool_use_id")): block.data for block in blocks_of(last) if block.type == "tool_result"
        }

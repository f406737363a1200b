"""A step made into the message that the API would send: ids, usage, defaults.

Law: pure; the counters come in and go out as values. Ids are counted, so that a run is the same every time and a
report can be read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from playhead.errors import ScriptError
from playhead.script.steps import Reply, Turn
from playhead.wire.codec import JsonObject, encode
from playhead.wire.tables import BLOCKS

_PREFIX = {"tool_use": "toolu", "server_tool_use": "srvtoolu", "mcp_tool_use": "mcptoolu"}
_BYTES_PER_TOKEN = 4
"""A token of English or JSON is about four bytes: near enough for what a rehearsal counts."""


@dataclass(frozen=True, slots=True)
class Minted:
    """How many messages and calls have got an id."""

    messages: int = 0
    calls: int = 0


def tokens(size: int) -> int:
    """The tokens that so many bytes of input are taken for; at least 1."""
    return max(1, size // _BYTES_PER_TOKEN)


def compose(step: Turn | Reply, *, model: str, weight: int, minted: Minted) -> tuple[JsonObject, Minted]:
    """The message for a step, and the counters after it. `weight` is the size of the input in bytes."""
    if isinstance(step, Reply) and not step.check:
        return step.message, minted
    given = step.message if isinstance(step, Reply) else _of_turn(step)
    content, minted = _with_ids(given["content"], minted)
    minted = Minted(minted.messages + 1, minted.calls)
    called = any(block.get("type") == "tool_use" for block in content)
    message = {
        "id": f"msg_{minted.messages:04d}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "stop_reason": "tool_use" if called else "end_turn",
        "stop_sequence": None,
        **given,
        "content": content,
    }
    message["usage"] = {
        "input_tokens": tokens(weight),
        "output_tokens": tokens(len(encode(content))),
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        **(given.get("usage") or {}),
    }
    return message, minted


def _of_turn(turn: Turn) -> JsonObject:
    message: JsonObject = {
        "content": [block.data for block in turn.blocks],
        "stop_reason": turn.stop_reason,
        "stop_sequence": turn.stop_sequence,
        "usage": dict(turn.usage),
    }
    if turn.model is not None:
        message["model"] = turn.model
    return message


def _with_ids(content: list[JsonObject], minted: Minted) -> tuple[list[JsonObject], Minted]:
    """The blocks, each call with an id of its own."""
    blocks: list[JsonObject] = []
    calls = minted.calls
    for block in content:
        known = BLOCKS.get(block["type"])
        if known is not None and known.called and not block.get("id"):
            calls += 1
            block = {"type": block["type"], "id": f"{_PREFIX.get(known.name, 'toolu')}_{calls:04d}", **block}
        blocks.append(dict(block))
    return blocks, Minted(minted.messages, calls)


def require_offered(message: JsonObject, tools: object, where: str) -> None:
    """Refuses a call of a tool that the request does not offer: Claude would not make it. Raises `ScriptError`."""
    offered = [*_offered(tools)]
    if None in offered:
        return  # a toolset: the names of its members are not in the request
    names = [name for name in offered if name is not None]
    for block in message.get("content") or []:
        if block.get("type") == "tool_use" and block.get("name") not in names:
            offer = f"offers {', '.join(names)}" if names else "sends no tools"
            raise ScriptError(
                f"{where} calls {block.get('name')!r}, but the request {offer}: mend the name in the script, or, "
                "to rehearse a model that invents a tool, write reply({...}, check=False)"
            )


def _offered(tools: object) -> Iterator[str | None]:
    for tool in tools if isinstance(tools, list) else ():
        name = tool.get("name") if isinstance(tool, dict) else None
        yield name if isinstance(name, str) and "toolset" not in str(tool.get("type", "")) else None

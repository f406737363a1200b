"""Reading messages and blocks, whatever they are made of, and copying them into plain JSON data.

Everything here is a pure function of values.  An SDK object is known by its methods, never by its class: this
room imports no SDK.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anthropic.types import Message

Block = dict[str, object]

# `Any`, because a caller's list may be declared with the SDK's own TypedDicts, and lists are invariant.
History = list[Any]

# What the SDK adds to a block for the program's own use; the API refuses it ("Extra inputs are not
# permitted").  Newer SDKs leave it out of their dumps, older ones do not.
RESPONSE_ONLY = {"text": frozenset({"parsed_output"})}

# The key under which input that is not a JSON object goes back, so that history holds an object as the API
# demands.  Source: docs, agents-and-tools/tool-use/fine-grained-tool-streaming.
INVALID_JSON = "INVALID_JSON"

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def well_formed(text: str) -> str:
    """`text` with U+FFFD for every lone surrogate, which UTF-8 cannot encode and so no request can carry."""
    return _LONE_SURROGATE.sub("\ufffd", text)


def plain(value: object) -> object:
    """A deep copy of `value` as JSON data that can be sent.

    SDK objects become what the SDK itself would send of them.  A number that is not finite becomes None, as
    the SDK does too.  Raises TypeError for what is not JSON data.
    """
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {well_formed(key) if isinstance(key, str) else key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    dumped = dump_model(value)
    if dumped is None:
        raise TypeError(f"{type(value).__name__} is not JSON data: {value!r:.80}")
    return plain(dumped)


def dump_model(value: object) -> dict[str, object] | None:
    """The fields that were set of an SDK (pydantic) object, by the API's names; None for other objects."""
    dump = getattr(value, "model_dump", None)
    if not callable(dump) or isinstance(value, type):
        return None
    excluded = getattr(value, "__api_exclude__", None)
    fields: dict[str, object] = dump(
        mode="json",
        by_alias=True,
        exclude_unset=True,
        exclude=excluded,
        warnings=False,
    )
    return fields


def field(thing: object, name: str, default: object = None) -> Any:
    """The field of a block or message, mapping or SDK object alike.  (`Any`: what the API sends is open.)"""
    if isinstance(thing, Mapping):
        return thing.get(name, default)
    return getattr(thing, name, default)


def has_field(thing: object, name: str) -> bool:
    """Whether a block or message has the field at all, be its value None."""
    return name in thing if isinstance(thing, Mapping) else hasattr(thing, name)


def content_of(message: Message | object) -> object:
    """The content of a message (SDK object or dict), or the argument itself when it is content already."""
    is_message = not isinstance(message, str | list | tuple) and has_field(message, "content")
    # A tool_result block has a `content` too: only a message is of type "message" or of no type.
    if is_message and field(message, "type", "message") in ("message", None):
        return field(message, "content")
    return message


def blocks_of(message: Message | object) -> list[object]:
    """The content blocks of a message, a block or a list of blocks; a string counts as one text block."""
    content = content_of(message)
    if content is None:
        return []
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return list(content) if isinstance(content, list | tuple) else [content]


def block_type(block: object) -> object:
    """The block's `type`, None when it has none."""
    return field(block, "type")


def client_calls(message: Message | object) -> list[object]:
    """The `tool_use` blocks of a message, in order: the calls that are the client's to run.

    `server_tool_use` and `mcp_tool_use` are run by the API and are never among them.
    """
    return [block for block in blocks_of(message) if block_type(block) == "tool_use"]


def stored_block(block: object) -> Block:
    """One block as history keeps it: a plain copy, complete but for what the API refuses to take back."""
    copied = plain(block)
    if not isinstance(copied, dict):
        raise TypeError(
            f"a content block is a dict or an SDK block, got {type(block).__name__}: {block!r:.80}",
        )
    for name in RESPONSE_ONLY.get(str(copied.get("type")), ()):
        copied.pop(name, None)
    if copied.get("type") == "tool_use" and not isinstance(copied.get("input"), dict):
        copied["input"] = {INVALID_JSON: copied.get("input")}
    return copied


def is_blank_text(block: object) -> bool:
    """Whether this is text without a visible character, which the API may say but does not take back."""
    text = field(block, "text")
    return block_type(block) == "text" and isinstance(text, str) and not text.strip()

"""Whether a reply that was written by hand is one that the API could send.

Law: pure checks by the tables of `wire`; the errors say what to write instead.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from difflib import get_close_matches

from playhead.errors import ScriptError
from playhead.wire.codec import JsonObject, kind
from playhead.wire.tables import BLOCKS, STOP_REASONS

_UNCHECKED = "To send it all the same: reply({...}, check=False)"


def require_message(message: JsonObject) -> None:
    """Raises `ScriptError` for a message that the API never sends."""
    content = message.get("content")
    if not isinstance(content, list):
        raise ScriptError(f"reply() needs `content` as a list of blocks, not {kind(content)}; or pass check=False")
    for index, block in enumerate(content):
        require_block(block, f"content[{index}] of reply()", "; or pass check=False")
    called = any(block["type"] == "tool_use" for block in content)
    reason = message.get("stop_reason")
    if reason is not None:
        require_stop_reason(reason, called)
    if not isinstance(message.get("usage"), dict | None):
        raise ScriptError(f"`usage` of reply() is an object, not {kind(message['usage'])}; or pass check=False")


def require_block(block: object, where: str, way_out: str = "") -> None:
    """Raises `ScriptError` for what no reply holds. A member that the fake mints may be absent."""
    if not isinstance(block, dict) or not isinstance(block.get("type"), str):
        raise ScriptError(f"{where} needs to be an object with a `type`{way_out}")
    known = BLOCKS.get(block["type"])
    if known is None:
        replies = [name for name, its in BLOCKS.items() if its.replies]
        raise ScriptError(f"{where} has type {block['type']!r}, which no reply holds{nearest(block['type'], replies)}")
    if not known.replies:
        raise ScriptError(
            f"{where} has type {known.name!r}, which belongs to requests: {_whose(known.name)}. {_UNCHECKED}"
        )
    missing = [member for member in known.required if member not in block and member != "id"]
    if missing:
        raise ScriptError(f"{where} ({known.name}) lacks {', '.join(missing)}{way_out}")
    for member, delta in known.streamed.items():
        needed = _STREAMED.get(delta)
        if needed is not None and member in block and not isinstance(block[member], needed):
            wanted = kind(needed())
            raise ScriptError(f"`{member}` of {where} ({known.name}) is {wanted}, not {kind(block[member])}{way_out}")


def _whose(name: str) -> str:
    if name == "tool_result":
        return "the loop sends the results of call(...); those of Anthropic's own tools come with server_call(...)"
    return "the loop may send it, Claude does not"


_STREAMED: Mapping[str, type] = {
    "text_delta": str,
    "thinking_delta": str,
    "signature_delta": str,
    "input_json_delta": dict,
}
"""What a member must be to be delivered in deltas of this type."""


def require_stop_reason(reason: object, called: bool) -> None:
    """Raises `ScriptError` for a stop reason that the API does not know, or that does not go with the content."""
    if not isinstance(reason, str):
        raise ScriptError(f"stop_reason is a string, not {kind(reason)}")
    if reason not in STOP_REASONS:
        raise ScriptError(f"stop_reason {reason!r} is none of the API's{nearest(reason, STOP_REASONS)}")
    if reason == "tool_use" and not called:
        raise ScriptError(
            "a reply that stops with tool_use needs a call: add call(name, ...), or write reply({...}, check=False)"
        )


def nearest(given: str, known: Collection[str], way_out: str = _UNCHECKED) -> str:
    """The end of a sentence on a name that is not known: the one that was meant, or all there are."""
    match = get_close_matches(given, known, n=1)
    meant = f": did you mean {match[0]!r}?" if match else f" ({', '.join(known)})."
    return f"{meant} {way_out}".rstrip()

"""A conversation saved as its messages: an array of them, or an object with `messages`.

Law: the messages are taken as they are, right or wrong; each reply's request holds those before it.

Agents add members of their own (ids, times) and blocks of their own; the former are left out, the latter become text
where they hold text and are counted. A `system` text, or system messages at the beginning, were the system prompt.
Replies in a row are one. A request body without a reply in it (`model` and `messages`) is one exchange without an
answer. Messages in the shape of other vendors (`tool` role, `tool_calls`) are no such file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from playhead.readers.json_lines import document
from playhead.readers.opening import first_item, first_keys, opening
from playhead.readers.source import Format, Recording, Source
from playhead.wire.codec import JsonObject, encode_text, kind
from playhead.wire.exchange import Exchange
from playhead.wire.history import Sent, resent
from playhead.wire.tables import BLOCKS

_ROLES = ("user", "assistant", "system")
_OTHERS = re.compile(rb'"tool_calls"\s*:|"function_call"\s*:|"role"\s*:\s*"(?:tool|function|developer)"')
_LIST = re.compile(rb'"messages"\s*:\s*\[')
_TOLD = ("id", "model", "stop_reason", "stop_sequence", "usage")
_RESULT_KEYS = frozenset({"type", "tool_use_id", "content", "is_error", "cache_control", "toolset_name"})


def _matches(source: Source) -> bool:
    item = first_item(source)
    if item is not None:
        ours = item.get("role") in _ROLES and "content" in item and item.get("type") in (None, "message")
    else:
        ours = "messages" in first_keys(source) and bool(_LIST.search(opening(source)))
    return ours and not _OTHERS.search(opening(source))


def _read(source: Source) -> Recording:
    value = document(source)
    messages = value.get("messages") if isinstance(value, dict) else value
    if not isinstance(messages, list):
        source.fail(f"an array of messages is needed, this is {kind(messages)}", field="$.messages")
    skipped: Counter[str] = Counter()
    told: dict[str, object] = {}
    if isinstance(value, dict) and isinstance(value.get("system"), str | list):
        told["system"] = value["system"]
    said: list[JsonObject] = []
    for number, message in enumerate(messages):
        if not isinstance(message, dict) or message.get("role") not in _ROLES:
            source.fail("a message with the role user or assistant is needed", field=f"$.messages[{number}]")
        if message["role"] == "system" and not said:
            told.setdefault("system", message.get("content"))
        else:
            said.append({**message, "content": _content(message.get("content"), skipped)})
    exchanges = tuple(_exchanges(said, told))
    if not exchanges and isinstance(value, dict) and isinstance(value.get("model"), str):
        exchanges = (Exchange(request=value),)
    if not exchanges:
        source.fail("these messages hold no reply of an assistant, so there is nothing to read")
    return Recording(exchanges=exchanges, skipped=skipped)


def _exchanges(said: Sequence[JsonObject], told: Mapping[str, object]) -> Iterator[Exchange]:
    sent: Sent | None = None
    for role, run in groupby(said, key=lambda message: message["role"]):
        messages = [*run]
        if role == "assistant":
            request = {**told, "messages": sent.messages} if sent else None
            known = frozenset({"messages", *told}) if sent else None
            yield Exchange(status=200, request=request, known=known, response=_response(messages), sent=sent)
        sent = resent(sent, [{"role": message["role"], "content": message["content"]} for message in messages])


def _content(content: object, skipped: Counter[str]) -> object:
    if not isinstance(content, list):
        return content
    blocks = (_block(block, skipped) for block in content)
    return [block for block in blocks if block is not None]


def _response(messages: Sequence[JsonObject]) -> JsonObject:
    """The reply that these messages were."""
    content: list[object] = []
    response: JsonObject = {"type": "message", "role": "assistant", "content": content}
    for message in messages:
        blocks = message["content"]
        content += [{"type": "text", "text": blocks}] if isinstance(blocks, str) else []
        content += blocks if isinstance(blocks, list) else []
        response |= {key: message[key] for key in _TOLD if message.get(key) is not None}
    return response


def _block(block: object, skipped: Counter[str]) -> JsonObject | None:
    if not isinstance(block, dict):
        return {"type": "text", "text": block} if isinstance(block, str) else None
    if block.get("type") == "tool_result":
        return _result(block)
    if isinstance(block.get("type"), str) and block["type"] in BLOCKS:
        return block
    skipped[f"a `{block.get('type')}` block, which is none of the API's"] += 1
    text = next((block[key] for key in ("text", "content") if isinstance(block.get(key), str)), None)
    return None if text is None else {"type": "text", "text": text}


def _result(block: JsonObject) -> JsonObject:
    result = {key: value for key, value in block.items() if key in _RESULT_KEYS}
    content = result.get("content")
    if isinstance(content, list) and not all(isinstance(part, dict) and "type" in part for part in content):
        # what the tool returned; the client sends it as text
        result["content"] = encode_text(content)
    return result


FORMAT = Format(
    name="messages-json",
    about="a list of messages, or an object with `messages`",
    tells="`messages`, `system` where it is there",
    matches=_matches,
    read=_read,
)

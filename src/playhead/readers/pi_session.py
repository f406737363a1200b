"""Sessions of the pi coding agent: a `session` line, then a line for each message.

Law: turns pi's messages (`toolCall`, `toolResult`, its stop reasons and usage) into the API's; what was sent is
`histories`' to rebuild. Newer files are trees of `id` and `parentId`; in older ones lines follow one another.

Replies of other vendors' models are counted. A reply that was aborted is an exchange without its end, a failed one an
exchange with an error. Nothing follows any of these: what pi sends on of them is not known.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from playhead.readers.histories import Entry, rebuild
from playhead.readers.json_lines import objects
from playhead.readers.opening import first_lines
from playhead.readers.source import Format, Recording, Source
from playhead.wire.codec import JsonError, JsonObject, decode

_ROLES = ("user", "assistant", "toolResult")
_STOP_REASONS = {"stop": "end_turn", "toolUse": "tool_use", "length": "max_tokens"}
_USAGE = {
    "input": "input_tokens",
    "output": "output_tokens",
    "cacheRead": "cache_read_input_tokens",
    "cacheWrite": "cache_creation_input_tokens",
}
_ERROR = re.compile(r"^\s*(\d{3})?\s*(\{.*)", re.DOTALL)


def _matches(source: Source) -> bool:
    lines = [*first_lines(source, 3)]
    if not lines:
        return False
    first = lines[0]
    if first.get("type") == "session":
        return bool({"cwd", "provider", "version", "timestamp"} & first.keys())
    message = first.get("message")
    return first.get("type") == "message" and isinstance(message, dict) and message.get("role") in _ROLES


def _text(block: JsonObject) -> JsonObject:
    return {"type": "text", "text": block.get("text")}


def _thinking(block: JsonObject) -> JsonObject:
    signature = block.get("thinkingSignature")
    thought: JsonObject = {"type": "thinking", "thinking": block.get("thinking") or ""}
    return thought if signature is None else {**thought, "signature": signature}


def _call(block: JsonObject) -> JsonObject:
    return {
        "type": "tool_use",
        "id": block.get("id"),
        "name": block.get("name"),
        "input": block.get("arguments") if "arguments" in block else {},
    }


def _image(block: JsonObject) -> JsonObject:
    source = {"type": "base64", "media_type": block.get("mimeType"), "data": block.get("data")}
    return {"type": "image", "source": source}


_BLOCKS: Mapping[str, Callable[[JsonObject], JsonObject]] = {
    "text": _text,
    "thinking": _thinking,
    "toolCall": _call,
    "image": _image,
}


def _blocks(content: object) -> object:
    """Content in the API's blocks; blocks that are not pi's stay as they are."""
    if not isinstance(content, list):
        return content
    return [_block(block) for block in content]


def _block(block: object) -> object:
    kind = block.get("type") if isinstance(block, dict) else None
    return _BLOCKS[kind](block) if isinstance(block, dict) and isinstance(kind, str) and kind in _BLOCKS else block


def _result(message: JsonObject) -> list[JsonObject]:
    result: JsonObject = {
        "type": "tool_result",
        "tool_use_id": message.get("toolCallId"),
        "content": _blocks(message.get("content")),
    }
    return [{**result, "is_error": True} if message.get("isError") else result]


def _answer(message: JsonObject, content: object) -> dict[str, object]:
    """The exchange's fields of a reply."""
    reason = message.get("stopReason")
    response: JsonObject = {"type": "message", "role": "assistant", "content": content}
    for key, name in (("model", "model"), ("responseId", "id")):
        if isinstance(message.get(key), str):
            response[name] = message[key]
    if isinstance(reason, str) and reason in _STOP_REASONS:
        response["stop_reason"] = _STOP_REASONS[reason]
    usage = message.get("usage")
    if isinstance(usage, dict):
        response["usage"] = {name: usage[key] for key, name in _USAGE.items() if key in usage}
    if reason == "error":
        return {**_error(str(message.get("errorMessage") or "")), "complete": False}
    return {"status": 200, "response": response, "complete": reason != "aborted"}


def _error(text: str) -> dict[str, object]:
    match = _ERROR.match(text)
    if match is not None:
        try:
            body = decode(match[2])
        except JsonError:
            body = None
        error = body.get("error") if isinstance(body, dict) else None
        if isinstance(error, dict):
            return {"status": int(match[1]) if match[1] else None, "error": error}
    return {"error": {"type": "api_error", "message": text}}


def _is_claude(message: JsonObject) -> bool:
    return "claude" in str(message.get("model")).lower() or str(message.get("api")).startswith("anthropic")


class _Log:
    """The lines in order."""

    def __init__(self) -> None:
        self.skipped: Counter[str] = Counter()
        self.entries: list[Entry] = []
        self._at: Entry | None = None
        self._by_id: dict[str, Entry | None] = {}

    def take(self, items: Iterable[JsonObject]) -> None:
        """Takes in all lines."""
        for item in items:
            parent = self._by_id.get(str(item.get("parentId")), self._at) if item.get("parentId") else self._at
            message = item.get("message")
            if item.get("type") == "message" and isinstance(message, dict) and message.get("role") in _ROLES:
                self._at = self._message(message, parent)
            elif item.get("type") == "compaction":
                self._at = self._added(Entry(item.get("summary"), None))
            else:
                self.skipped[f"a `{_kind(item)}` line"] += 1
                self._at = parent
            if isinstance(item.get("id"), str):
                self._by_id[item["id"]] = self._at

    def _message(self, message: JsonObject, parent: Entry | None) -> Entry | None:
        """What the lines after this message follow."""
        role = message["role"]
        if role == "toolResult":
            return self._added(Entry(_result(message), parent))
        content = _blocks(message.get("content"))
        if role == "user":
            return self._added(Entry(content, parent))
        if not _is_claude(message):
            self.skipped["a reply of another vendor's model"] += 1
            return parent
        entry = self._added(Entry(content, parent, answer=_answer(message, content)))
        return parent if message.get("stopReason") in ("aborted", "error") else entry

    def _added(self, entry: Entry) -> Entry:
        self.entries.append(entry)
        return entry


def _kind(item: JsonObject) -> object:
    message = item.get("message")
    return message.get("role") if isinstance(message, dict) else item.get("type")


def _read(source: Source) -> Recording:
    log = _Log()
    log.take(item for _, item in objects(source))
    return Recording(exchanges=rebuild(log.entries), skipped=log.skipped)


FORMAT = Format(
    name="pi-session-jsonl",
    about="session files of the pi coding agent",
    tells="`messages`",
    matches=_matches,
    read=_read,
)

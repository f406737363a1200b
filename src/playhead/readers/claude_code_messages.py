"""Messages as Claude Code writes them down: in pieces, or as the text of an error.

Law: knows the client's shapes of a message; nothing of files and histories.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from playhead.wire.codec import JsonError, JsonObject, canonical, decode
from playhead.wire.tables import ERROR_STATUS

SYNTHETIC = "<synthetic>"
_ERROR = re.compile(r"API Error:?\s*\(?(\d{3})\)?:?\s*(.*)", re.DOTALL)
_TYPES = {status: kind for kind, status in ERROR_STATUS.items()}


def is_synthetic(line: JsonObject, message: JsonObject) -> bool:
    """Whether the client wrote this reply itself."""
    return message.get("model") == SYNTHETIC or bool(line.get("isApiErrorMessage"))


def join(pieces: Iterable[JsonObject]) -> JsonObject:
    """One message of its pieces: every block once, the last usage, the last stop reason that is no null."""
    joined: JsonObject = {}
    content: list[object] = []
    seen: set[bytes] = set()
    for piece in pieces:
        said = {key: value for key, value in piece.items() if value is not None or key not in joined}
        joined.update(said)
        blocks = piece.get("content")
        if isinstance(blocks, str):
            blocks = [{"type": "text", "text": blocks}]
        for block in blocks if isinstance(blocks, list) else []:
            # resumed sessions copy lines under new ids
            mark = canonical(block)
            if mark not in seen:
                seen.add(mark)
                content.append(block)
    joined["content"] = content
    return joined


def text_of(content: object) -> str:
    """The text of a content, whatever else is in it."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    texts = (block.get("text") for block in blocks if isinstance(block, dict))
    return "\n".join(text for text in texts if isinstance(text, str))


def api_error(text: str) -> dict[str, object] | None:
    """The exchange's fields of an API error that a client shows as text; None where it tells no status."""
    match = _ERROR.search(text)
    if match is None or int(match[1]) < 400:
        return None
    status, said = int(match[1]), match[2].strip()
    error: object = None
    if said.startswith("{"):
        try:
            body = decode(said)
        except JsonError:
            body = None
        error = body.get("error") if isinstance(body, dict) else None
    if not isinstance(error, dict):
        error = {"type": _TYPES.get(status, "api_error"), "message": said}
    return {"status": status, "error": error}

"""Claude Code's session files: JSON lines under `~/.claude/projects`, or an object with such lines as `loglines`.

Law: finds the lines; `claude_code_tree` says what follows what, `histories` rebuilds what was sent. Of a request only
the messages are known: the client logs neither its system prompt nor tools, nor the reminders that it adds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from playhead.readers.claude_code_tree import entries_of
from playhead.readers.histories import rebuild
from playhead.readers.json_lines import document, objects
from playhead.readers.opening import first_item, first_keys, first_lines
from playhead.readers.source import Format, Recording, Source
from playhead.wire.codec import JsonObject

_BOOKKEEPING = ("summary", "queue-operation", "file-history-snapshot", "progress", "attachment", "system")
_OWN_KEYS = frozenset({"sessionId", "parentUuid", "isSidechain", "uuid", "leafUuid", "timestamp", "messageId"})
_OTHERS_KEYS = frozenset({"session_id", "parent_tool_use_id"})


def is_line(item: JsonObject) -> bool:
    """Whether this is a line of a session file."""
    kind, message = item.get("type"), item.get("message")
    if _OTHERS_KEYS & item.keys() or not _OWN_KEYS & item.keys():
        return False
    if kind in ("user", "assistant"):
        return isinstance(message, dict) and "content" in message
    return kind in _BOOKKEEPING or {"sessionId", "parentUuid"} <= item.keys()


def _matches(source: Source) -> bool:
    item = first_item(source)
    if item is not None:
        return is_line(item)
    if any(is_line(line) for line in first_lines(source)):
        return True
    keys = first_keys(source)
    # the first line may be longer than the head
    return "loglines" in keys or ("parentUuid" in keys and not _OTHERS_KEYS & {*keys})


def _lines(source: Source) -> Iterator[JsonObject]:
    if "loglines" not in first_keys(source):
        yield from (item for _, item in objects(source))
        return
    value = document(source)
    lines = value.get("loglines") if isinstance(value, dict) else None
    if not isinstance(lines, list):
        source.fail("an array of lines is needed", field="$.loglines")
    yield from (line for line in lines if isinstance(line, dict))


def _read(source: Source) -> Recording:
    skipped: Counter[str] = Counter()
    return Recording(exchanges=rebuild(entries_of(_lines(source), skipped)), skipped=skipped)


FORMAT = Format(
    name="claude-code-jsonl",
    about="Claude Code's session files (`~/.claude/projects`)",
    tells="`messages`",
    matches=_matches,
    read=_read,
)

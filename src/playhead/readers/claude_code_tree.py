"""The lines of a Claude Code session as entries, each hung on the one it follows.

Law: reads line objects; knows neither files nor what a request must look like.

`parentUuid` makes a tree. A parent that is not in the file, or a file without any, is replaced by the line before in
the same branch; results then go to the reply that holds their call. A summary of a compaction and `/clear` begin a new
history. Lines that are no messages lead from child to parent and are else nothing, as do replies that the client wrote
itself; an API error that it shows is a reply that nothing follows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from playhead.readers.claude_code_messages import api_error, is_synthetic, join, text_of
from playhead.readers.histories import Entry
from playhead.wire.codec import JsonObject

_CLEAR = "<command-name>/clear</command-name>"
_INTERRUPTED = "[Request interrupted by user]"
_SPEAKERS = ("user", "assistant")
_LINKS = ("type", "uuid", "parentUuid", "isSidechain", "agentId", "requestId", "isCompactSummary", "isApiErrorMessage")


class _Line:
    """A line: what it stands for, the error it shows, the line it follows, the lines of the same message."""

    __slots__ = ("branch", "data", "entry", "error", "group", "number", "parent")

    def __init__(self, number: int, data: JsonObject) -> None:
        self.number = number
        self.data = data
        self.branch = (bool(data.get("isSidechain")), str(data.get("agentId")))
        self.entry: Entry | None = None
        self.error: Entry | None = None
        self.parent: _Line | None = None
        self.group: list[_Line] = []

    @property
    def kind(self) -> object:
        return self.data.get("type")

    @property
    def message(self) -> JsonObject:
        message: JsonObject = self.data.get("message", {})
        return message

    @property
    def speaks(self) -> bool:
        return "message" in self.data

    def holds(self) -> Entry:
        return Entry(self.message.get("content"), None)


def entries_of(data: Iterable[JsonObject], skipped: Counter[str]) -> list[Entry]:
    """The entries of a session's lines; what is passed over is counted in `skipped`."""
    lines = _once(data, skipped)
    _link(lines)
    entries: list[Entry] = []
    groups: dict[object, list[_Line]] = {}
    for line in lines:
        if not line.speaks:
            skipped[f"a `{line.kind}` line"] += 1
        elif line.kind == "user":
            line.entry = Entry(line.message.get("content"), None)
            entries.append(line.entry)
        elif is_synthetic(line.data, line.message):
            _shown(line, entries, skipped)
        else:
            _join_group(line, groups, entries)
    _hang(lines)
    return entries


def _once(data: Iterable[JsonObject], skipped: Counter[str]) -> list[_Line]:
    """The lines, without what nobody asks for later: logs repeat each result, and are mostly about other things."""
    lines: list[_Line] = []
    seen: set[str] = set()
    session: object = None
    for item in data:
        uuid = item.get("uuid")
        if item.get("sessionId") and item["sessionId"] != session:
            session = item["sessionId"]  # not every line repeats it
        if isinstance(uuid, str) and uuid in seen:
            skipped["a line that is there twice"] += 1
            continue
        if isinstance(uuid, str):
            seen.add(uuid)
        kept = {key: item[key] for key in _LINKS if key in item}
        if item.get("type") in _SPEAKERS and isinstance(item.get("message"), dict):
            kept["message"] = item["message"]
        elif not isinstance(uuid, str):
            skipped[f"a `{item.get('type')}` line"] += 1  # nothing can follow it
            continue
        lines.append(_Line(len(lines), {**kept, "sessionId": session}))
    return lines


def _shown(line: _Line, entries: list[Entry], skipped: Counter[str]) -> None:
    """Takes in a reply that the client wrote itself."""
    error = api_error(text_of(line.message.get("content")))
    if error is None:
        skipped["a reply that the client wrote itself"] += 1
        return
    line.error = Entry([], None, answer=error)
    entries.append(line.error)


def _join_group(line: _Line, groups: dict[object, list[_Line]], entries: list[Entry]) -> None:
    """Takes in a piece of a reply."""
    identity = line.message.get("id")
    key = (line.branch, identity) if isinstance(identity, str) else line.number
    if key in groups:
        line.group = groups[key]
        line.group.append(line)
        line.entry = line.group[0].entry
        return
    line.group = groups[key] = [line]
    request = line.data.get("requestId")
    headers = {"request-id": request} if isinstance(request, str) else {}
    line.entry = Entry([], None, answer={"status": 200, "response_headers": headers})
    entries.append(line.entry)


def _link(lines: Sequence[_Line]) -> None:
    """Gives each line the line it follows."""
    by_uuid = {line.data["uuid"]: line for line in lines if isinstance(line.data.get("uuid"), str)}
    linear = not any(line.data.get("parentUuid") for line in lines)
    callers = {(line.branch, call): line for line in lines if line.kind == "assistant" for call in line.holds().calls()}
    last: dict[object, _Line] = {}
    for line in lines:
        branch = (line.branch, str(line.data["sessionId"])) if linear else line.branch
        uuid = line.data.get("parentUuid")
        parent = by_uuid.get(uuid) if isinstance(uuid, str) else None
        if not _begins_anew(line):
            line.parent = parent or _likely_parent(line, last.get(branch), callers, linear=linear)
        if line.speaks:
            last[branch] = line


def _begins_anew(line: _Line) -> bool:
    if line.kind != "user":
        return False
    return bool(line.data.get("isCompactSummary")) or _CLEAR in text_of(line.message.get("content"))


def _likely_parent(
    line: _Line, before: _Line | None, callers: dict[tuple[tuple[bool, str], str], _Line], *, linear: bool
) -> _Line | None:
    """The line that one without a parent in the file follows."""
    if linear or line.kind != "user":
        # nothing but a user message can begin a history
        return before
    for call in line.holds().answers():
        if (line.branch, call) in callers:
            return callers[line.branch, call]
    return before if line.data.get("parentUuid") is not None else None


def _hang(lines: Sequence[_Line]) -> None:
    """Gives each entry its parent, and each reply the content of its pieces."""
    anchors: dict[int, Entry | None] = {}
    for line in lines:
        if line.error is not None:
            line.error.parent = _anchor(line.parent, anchors)
        if line.entry is None:
            continue
        if line.kind == "user":
            line.entry.parent = _anchor(line.parent, anchors)
            _note_interruption(line)
        elif line.group[0] is line:
            above = (_anchor(piece.parent, anchors) for piece in line.group)
            line.entry.parent = next((entry for entry in above if entry is not line.entry), None)
            _fill(line.entry, _in_order(line.group))


def _anchor(line: _Line | None, anchors: dict[int, Entry | None]) -> Entry | None:
    """The entry that a line stands for, or the nearest above it."""
    walk: list[int] = []
    found: Entry | None = None
    while line is not None:
        if line.entry is not None:
            found = line.entry
            break
        if line.number in anchors:
            found = anchors[line.number]
            break
        anchors[line.number] = None  # ends a circle of parents
        walk.append(line.number)
        line = line.parent
    for number in walk:
        anchors[number] = found
    return found


def _in_order(group: Sequence[_Line]) -> list[_Line]:
    """The pieces of a reply in file order, but none before the piece it follows."""
    members = {piece.number for piece in group}
    ordered: list[_Line] = []
    for piece in group:
        chain: list[_Line] = []
        at: _Line | None = piece
        while at is not None and at.number in members:
            members.remove(at.number)
            chain.append(at)
            at = at.parent
        ordered += reversed(chain)
    return ordered


def _fill(entry: Entry, pieces: Iterable[_Line]) -> None:
    message = join(piece.message for piece in pieces)
    entry.content = message["content"]
    if entry.answer is not None:
        entry.answer["response"] = message


def _note_interruption(line: _Line) -> None:
    """A reply that the user broke off while it came is not complete."""
    above = line.entry.parent if line.entry is not None else None
    if above is None or above.answer is None or text_of(line.message.get("content")).strip() != _INTERRUPTED:
        return
    response = above.answer.get("response")
    if isinstance(response, dict) and response.get("stop_reason") is None:
        above.answer["complete"] = False

"""What `claude -p --output-format stream-json` prints: JSON lines, or the array of them that `json --verbose` gives.

Law: turns lines into entries; what was sent is `histories`' to rebuild.

Lines follow one another; those with the same `parent_tool_use_id` are a branch, a side agent's or the main one. One
message is spread over lines with the same `message.id`. `stream_event` lines hold a message's raw events: they give
what the lines lack (the stop reason, the final usage), and the message itself where no line does. The prompt is no
part of this output, unless the client was told to repeat it: without it the first exchange has no request.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from playhead.readers.claude_code_messages import api_error, is_synthetic, join, text_of
from playhead.readers.histories import Entry, rebuild
from playhead.readers.json_lines import objects
from playhead.readers.opening import first_item, first_keys, first_lines
from playhead.readers.source import Format, Recording, Source
from playhead.readers.streams import Stream, keeps_events
from playhead.wire.codec import JsonObject

_KINDS = ("system", "assistant", "user", "result", "stream_event", "rate_limit_event", "control_request")
_OWN_KEYS = frozenset({"session_id", "parent_tool_use_id", "mcp_servers", "total_cost_usd"})


def is_line(item: JsonObject) -> bool:
    """Whether this is a line of the client's output."""
    return item.get("type") in _KINDS and bool(_OWN_KEYS & item.keys())


def _matches(source: Source) -> bool:
    item = first_item(source)
    if item is not None:
        return is_line(item)
    lines = [*first_lines(source)]
    if lines:
        return any(is_line(line) for line in lines)
    # the first line may be longer than the head
    keys = {*first_keys(source)}
    return {"type", "session_id"} <= keys or {"type", "mcp_servers"} <= keys


class _Reply:
    """A reply and what has come of it so far: pieces from lines, and its stream where its events are there."""

    __slots__ = ("entry", "pieces", "stream")

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self.pieces: list[JsonObject] = []
        self.stream: Stream | None = None

    def finish(self) -> None:
        """Gives the entry its content and answer."""
        answer: dict[str, object] = {"status": 200}
        if self.pieces:
            message = join(self.pieces)
            self.entry.content = message["content"]
            answer["response"] = message
        if self.stream is not None:
            streamed = self.stream.answer()
            made = streamed["response"]
            if self.pieces and not streamed["complete"]:
                del streamed["response"]
            if not self.pieces and isinstance(made, dict):
                self.entry.content = made["content"]
            answer |= streamed
        self.entry.answer = answer


class _Output:
    """The lines in order, branch by branch."""

    def __init__(self, *, keep: bool) -> None:
        self.skipped: Counter[str] = Counter()
        self.entries: list[Entry] = []
        self._keep = keep
        self._last: dict[object, Entry] = {}
        self._replies: dict[object, _Reply] = {}
        self._streaming: dict[object, _Reply] = {}
        self._session = ""

    def take(self, items: Iterable[JsonObject]) -> None:
        """Takes in all lines."""
        for item in items:
            branch = self._branch(item)
            kind, message, event = item.get("type"), item.get("message"), item.get("event")
            if kind == "assistant" and isinstance(message, dict):
                self._assistant(branch, item, message)
            elif kind == "user" and isinstance(message, dict):
                self._follow(branch, Entry(message.get("content"), self._last.get(branch)))
            elif kind == "stream_event" and isinstance(event, dict):
                self._event(branch, event)
            else:
                self._other(branch, item)
        for reply in self._replies.values():
            reply.finish()

    def _branch(self, item: JsonObject) -> tuple[str, str]:
        self._session = str(item.get("session_id") or self._session)  # not every line repeats it
        return self._session, str(item.get("parent_tool_use_id"))

    def _follow(self, branch: object, entry: Entry) -> Entry:
        self.entries.append(entry)
        self._last[branch] = entry
        return entry

    def _reply(self, branch: object, message: JsonObject) -> _Reply:
        identity = message.get("id")
        key = (branch, identity) if isinstance(identity, str) else object()
        reply = self._replies.get(key)
        if reply is None:
            entry = self._follow(branch, Entry([], self._last.get(branch), answer={}))
            reply = self._replies[key] = _Reply(entry)
        return reply

    def _assistant(self, branch: object, item: JsonObject, message: JsonObject) -> None:
        if not is_synthetic(item, message):
            self._reply(branch, message).pieces.append(message)
            return
        error = api_error(text_of(message.get("content")))
        if error is None:
            self.skipped["a reply that the client wrote itself"] += 1
        else:
            self.entries.append(Entry([], self._last.get(branch), answer=error))

    def _event(self, branch: object, event: JsonObject) -> None:
        message = event.get("message")
        if event.get("type") == "message_start" and isinstance(message, dict):
            self._streaming[branch] = self._reply(branch, message)
        reply = self._streaming.get(branch)
        if reply is not None:
            reply.stream = reply.stream or Stream(keep=self._keep)
            reply.stream.add(event)
        else:
            self.skipped["a `stream_event` of a message that did not start"] += 1

    def _other(self, branch: object, item: JsonObject) -> None:
        kind = item.get("type")
        if kind == "system" and item.get("subtype") == "compact_boundary":
            self._last.pop(branch, None)
        if kind == "result":
            self._result(branch, item)
        self.skipped[f"a `{kind}` line"] += 1

    def _result(self, branch: object, item: JsonObject) -> None:
        """The result tells the stop reason of the main branch's last reply."""
        reason, last = item.get("stop_reason"), self._last.get(branch)
        if not isinstance(reason, str) or item.get("is_error") or last is None:
            return
        reply = next((reply for reply in reversed(self._replies.values()) if reply.entry is last), None)
        if reply is not None and reply.pieces and not any(piece.get("stop_reason") for piece in reply.pieces):
            reply.pieces.append({"stop_reason": reason})


def _read(source: Source) -> Recording:
    output = _Output(keep=keeps_events(source))
    output.take(item for _, item in objects(source))
    return Recording(exchanges=rebuild(output.entries), skipped=output.skipped)


FORMAT = Format(
    name="claude-code-stream-json",
    about="what `claude -p --output-format stream-json` prints",
    tells="`messages`",
    matches=_matches,
    read=_read,
)

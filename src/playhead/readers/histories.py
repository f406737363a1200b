"""An agent's log rebuilt as exchanges: for each reply, the messages that led to it.

Law: pure; entries in, exchanges out. Knows what a request must look like, no log's format.

A log keeps what was said, not what was sent. What a client must have done to it, since the API accepted the requests,
is done here: what stands between two replies is one user message, results first; results that hang beside the path
(those of parallel calls) are brought in; calls that were never answered, results without a call, blank text, thinking
without its signature or at a reply's end are left out. Nothing is made up: where the log lacks what was sent before a
reply, its exchange has no request, and the histories after it begin with that reply. So `messages` may lack a
conversation's beginning, and what a client adds without logging it; what is there stands on its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from playhead.wire.codec import JsonObject
from playhead.wire.equality import is_blank_text
from playhead.wire.exchange import Exchange
from playhead.wire.history import Sent, resent

KNOWN = frozenset({"messages"})
_THOUGHTS = ("thinking", "redacted_thinking")


class Entry:
    """One message of a log.

    `parent` is the entry it follows. A reply has `answer`, the fields of its exchange. An answer that never became
    history, such as an error that the client showed, is a reply that no entry follows.
    """

    __slots__ = ("answer", "built", "content", "hanging", "on_path", "owner", "parent", "place", "reply", "sent")

    def __init__(self, content: object, parent: Entry | None, *, answer: dict[str, object] | None = None) -> None:
        self.content = content
        self.parent = parent
        self.answer = answer
        self.reply = answer is not None
        self.place = 0
        self.owner: Entry | None = None
        self.on_path = False
        self.hanging: list[Entry] = []
        self.sent: Sent | None = None
        self.built = False

    def blocks(self) -> list[JsonObject]:
        """The content as blocks; what is no block, and blank text, is left out."""
        content = [{"type": "text", "text": self.content}] if isinstance(self.content, str) else self.content
        if not isinstance(content, list):
            return []
        return [block for block in content if isinstance(block, dict) and not is_blank_text(block)]

    def calls(self) -> set[str]:
        """The ids of the calls in it."""
        return {
            block["id"]
            for block in self.blocks()
            if block.get("type") == "tool_use" and isinstance(block.get("id"), str)
        }

    def answers(self) -> set[str]:
        """The ids of the calls that it answers."""
        return {key for block in self.blocks() if (key := _answered(block)) is not None}


def _answered(block: JsonObject) -> str | None:
    key = block.get("tool_use_id") if block.get("type") == "tool_result" else None
    return key if isinstance(key, str) else None


def rebuild(entries: Sequence[Entry]) -> tuple[Exchange, ...]:
    """The exchanges of a log's replies, each after those it follows."""
    for place, entry in enumerate(entries):
        entry.place = place
    _break_cycles(entries)
    _find_owners(entries)
    made: list[Exchange] = []
    for entry in entries:
        for reply in _unbuilt(entry):
            made.append(_exchange(reply))
    return tuple(made)


def _break_cycles(entries: Iterable[Entry]) -> None:
    safe: set[int] = set()
    for entry in entries:
        walk: set[int] = set()
        at: Entry | None = entry
        while at is not None and id(at) not in safe:
            walk.add(id(at))
            if at.parent is not None and id(at.parent) in walk:
                at.parent = None
            at = at.parent
        safe |= walk


def _find_owners(entries: Iterable[Entry]) -> None:
    """Notes for each entry the reply it hangs on, and whether a reply stands below it."""
    known: set[int] = set()
    for entry in entries:
        walk: list[Entry] = []
        at: Entry | None = entry
        while at is not None and id(at) not in known:
            walk.append(at)
            at = at.parent
        for step in reversed(walk):
            known.add(id(step))
            above = step.parent
            step.owner = above if above is None or above.reply else above.owner
    for entry in entries:
        if entry.reply:
            at = entry.parent
            while at is not None and not at.reply and not at.on_path:
                at.on_path = True
                at = at.parent
        elif entry.owner is not None:
            entry.owner.hanging.append(entry)


def _unbuilt(entry: Entry) -> Iterator[Entry]:
    """The reply and the replies before it that have no history yet, earliest first."""
    chain: list[Entry] = []
    at: Entry | None = entry if entry.reply else None
    while at is not None and not at.built:
        chain.append(at)
        at = at.owner
    return reversed(chain)


def _exchange(reply: Entry) -> Exchange:
    before, new, whole = _messages(reply)
    reply.sent, reply.built = resent(before, new), True
    fields: dict[str, object] = {
        "request": {"messages": reply.sent.messages if reply.sent is not None else []} if whole else None,
        "known": KNOWN if whole else None,
        "sent": reply.sent if whole else None,
        **(reply.answer or {}),
    }
    return Exchange(**fields)  # type: ignore[arg-type]


def _messages(reply: Entry) -> tuple[Sent | None, list[object], bool]:
    """The messages that led to a reply, those before and the new ones, and whether the log holds what was sent last."""
    before = reply.owner
    path: list[Entry] = []
    at = reply.parent
    while at is not None and at is not before:
        path.append(at)
        at = at.parent
    path.reverse()
    if before is None:
        # results without their calls: the log begins in the middle
        message = None if any(entry.answers() for entry in path) else _user_message(path, set())
        return (None, [message], True) if message else (None, [], False)
    answering = [*path, *_beside(before, path)]
    calls = before.calls()
    message = _user_message(answering, calls)
    if message is None and not _paused(before):
        return None, [], False
    answered = calls & {key for entry in answering for key in entry.answers()}
    echo = _echo(before, answered)
    return before.sent, [one for one in (echo, message) if one], True


def _paused(reply: Entry) -> bool:
    response = (reply.answer or {}).get("response")
    return isinstance(response, dict) and response.get("stop_reason") in ("pause_turn", "compaction")


def _beside(reply: Entry, path: Sequence[Entry]) -> list[Entry]:
    """The entries beside the path that answer calls of the reply, with what hangs on them and leads nowhere else."""
    missing = reply.calls().difference(*(entry.answers() for entry in path))
    if not missing:
        return []
    found: list[Entry] = []
    inside = {id(entry) for entry in path}
    taken: set[int] = set()
    for entry in reply.hanging:
        if id(entry) in inside:
            continue
        news = entry.answers() & missing
        if news or (not entry.on_path and id(entry.parent) in taken):
            missing -= news
            taken.add(id(entry))
            found.append(entry)
    return found


def _user_message(entries: Sequence[Entry], calls: set[str]) -> JsonObject | None:
    """One message of what the entries say: results first, one for each of the calls, then the rest."""
    results: list[JsonObject] = []
    rest: list[JsonObject] = []
    open_calls = set(calls)
    for entry in sorted(entries, key=lambda entry: entry.place):
        for block in entry.blocks():
            if block.get("type") != "tool_result":
                rest.append(block)
            elif (key := _answered(block)) in open_calls:
                open_calls.remove(key)
                results.append(block)
    blocks = [*results, *rest]
    if not blocks:
        return None
    content = entries[0].content
    if len(entries) == 1 and (isinstance(content, str) or content == blocks):
        return {"role": "user", "content": content}
    return {"role": "user", "content": blocks}


def _echo(reply: Entry, answered: set[str]) -> JsonObject | None:
    """The reply as it can have been sent back; None where nothing of it can."""
    blocks = [block for block in reply.blocks() if _can_return(block, answered)]
    while blocks and blocks[-1].get("type") in _THOUGHTS:
        blocks.pop()
    return {"role": "assistant", "content": blocks} if blocks else None


def _can_return(block: JsonObject, answered: set[str]) -> bool:
    if block.get("type") == "tool_use":
        return block.get("id") in answered
    if block.get("type") == "thinking":
        return bool(block.get("signature"))
    return True

"""Request bodies read incrementally: a resent history is compared as bytes, and only what is new is parsed.

Law: bytes in, values out, no opinion on them. Knows where `messages` stands in a body and nothing of what it says.

A loop resends its whole history, so parsing every body costs the square of the conversation. Where a body begins its
messages with the bytes of an earlier one's, up to the end of some message, those are the earlier objects; the messages
after that place are parsed, and what stands around the messages only where it is not what it was. A cache mark that
moves from message to message changes the last few, never the long beginning. Equal bytes prove sameness; unequal bytes
prove nothing, so a body that has no beginning in common with an earlier one is simply parsed in full.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable

from msgspec import structs

from playhead.wire.codec import (
    JsonError,
    JsonObject,
    decode,
    decode_object,
    encode,
    first_end,
    item_ends,
    member_places,
)
from playhead.wire.history import History, Sent, grown, resent
from playhead.wire.recent import LITTLE, NEAR, PROBED, Ends, Nearest, Reading, Recent, Text, has_all, outgrows

_WEIGHED = ("messages", "system", "tools")
_BLANKS = b" \t\r\n"
_COMMA = ord(",")
_AFTER = re.compile(rb"[ \t\r\n]*([,\]])")


class Bodies:
    """Reads the request bodies of one session in their order: what was sent before is the same objects again."""

    def __init__(self) -> None:
        self._recent = Recent()
        self._members: dict[str, tuple[bytes, object]] = {}
        self._by_object: dict[int, History] = {}
        self._by_text: dict[tuple[History | None, bytes], History] = {}

    def read(self, raw: bytes) -> Reading:
        """Reads a body. Raises `JsonError` where it is no JSON object."""
        newest = self._recent.newest
        alike = newest if newest is not None and raw.endswith(newest[1].tail) else None
        reading = None if alike is None or outgrows(raw, alike[1]) else _goes_on(raw, *alike)
        if reading is not None:
            self._recent.renew(reading)
            return reading
        nearest = self._nearest(raw)
        reading = None if nearest is None else self._extended(raw, nearest)
        if reading is None:
            reading = None if alike is None else _begins(raw, *alike)
            reading = reading or self._whole(raw)
        elif nearest is not None and _is_succeeded(nearest):
            self._recent.remove(nearest.number)
        if reading.text is not None:
            self._recent.add(reading, reading.text)
        return reading

    def _nearest(self, raw: bytes) -> Nearest | None:
        try:
            return self._recent.nearest(raw)
        except JsonError:
            return None

    def take(self, body: JsonObject) -> Reading:
        """Takes in a body that is known as data only: what encodes to the same text as before is the same objects."""
        fresh: JsonObject = {}
        shared = {key: value if key == "messages" else self._same(key, value, fresh) for key, value in body.items()}
        messages = body.get("messages")
        if not isinstance(messages, list) or not messages:
            return Reading(body=shared, fresh={**fresh, "messages": messages})
        chain, fresh["messages"] = self._known(messages)
        if not all(one.message is message for one, message in zip(chain, messages, strict=True)):
            messages = [one.message for one in chain]
        return Reading(body={**shared, "messages": messages}, sent=Sent(messages, chain[-1]), fresh=fresh)

    def _extended(self, raw: bytes, nearest: Nearest) -> Reading | None:
        """A body that begins its messages as an earlier one's; None where the places are not certain."""
        try:
            if nearest.same_head and raw.endswith(nearest.text.tail):
                return _grown(raw, nearest.earlier, nearest.text, nearest.shared)
            return self._changed(raw, nearest)
        except JsonError:
            return None

    def _changed(self, raw: bytes, nearest: Nearest) -> Reading | None:
        """The same where something around the messages is not what it was."""
        start = nearest.start
        ends = nearest.text.ends[: nearest.shared]
        count, since = len(ends), ends[-1]
        after = _AFTER.match(raw, start + since)
        if after is None:
            return None
        # what follows, made an object of its own: the rest of the messages, then the other members
        rest = b'{"messages":[' + raw[after.end() if after[1] == b"," else after.start(1) :]
        first, last = member_places(rest)["messages"]
        items = rest[first:last]
        new: list[object] = decode(items)
        if bool(new) is not (after[1] == b","):
            return None
        around = raw[:start] + rest[last - 1 :]
        places = member_places(around)
        if places.get("messages") != (start - 1, start + 1):
            return None  # these are not the body's messages, but others somewhere in it
        fresh: JsonObject = {}
        body = {key: self._member(key, around[begin:end], fresh) for key, (begin, end) in places.items()}
        fresh["messages"] = new
        ends.extend(item_ends(items, after.end() - start - 1))
        end = len(raw) - len(rest) + last - 1
        made = Text(
            raw,
            start,
            start + since,
            start + ends[-1],
            end,
            Ends(ends),
            raw[:start],
            rest[last - 1 :],
            nearest.text.opening,
        )
        weight = made.size + sum(places[key][1] - places[key][0] for key in _WEIGHED[1:] if key in places)
        sent = resent(nearest.earlier.sent, new, count)
        assert sent is not None
        body["messages"] = sent.messages
        return Reading(body=body, sent=sent, fresh=fresh, weight=weight, text=made)

    def _whole(self, raw: bytes) -> Reading:
        """A body without regard to any other."""
        try:
            places = member_places(raw)
        except JsonError:
            return structs.replace(self.take(decode_object(raw)), weight=len(raw))
        body, fresh = decode_object(raw), {}
        for key, (start, end) in places.items():
            if key == "messages":
                fresh[key] = body[key]
                continue
            text = raw[start:end]
            known = self._members.get(key)
            if known is not None and known[0] == text:
                body[key] = known[1]
            else:
                fresh[key] = body[key]
                self._members[key] = text, body[key]
        weight = sum(places[key][1] - places[key][0] for key in _WEIGHED if key in places)
        messages = body.get("messages")
        if not isinstance(messages, list) or not messages:
            return Reading(body=body, fresh=fresh, weight=weight)
        start, end = places["messages"][0] + 1, places["messages"][1] - 1
        placed = _placed(raw, start, end, self._head(raw[:start]), raw[end:], count=len(messages))
        return Reading(body=body, sent=_sent(messages), fresh=fresh, weight=weight, text=placed)

    def _head(self, head: bytes) -> bytes:
        """The same bytes as the newest body's, if they are equal: then nobody need compare them again."""
        newest = self._recent.newest
        return newest[1].head if newest is not None and newest[1].head == head else head

    def _member(self, key: str, text: bytes, fresh: JsonObject) -> object:
        """The value of a member, the same object as the last time where its text is the same."""
        known = self._members.get(key)
        if known is not None and known[0] == text and key != "messages":
            return known[1]
        value: object = decode(text)
        fresh[key] = value
        if key != "messages":
            self._members[key] = text, value
        return value

    def _same(self, key: str, value: object, fresh: JsonObject) -> object:
        """The value that the member had the last time, if it is the same."""
        known = self._members.get(key)
        if known is not None and known[1] is value:
            return value
        text = _exact(value)
        if text is not None and known is not None and known[0] == text and _equal(known[1], value):
            return known[1]
        fresh[key] = value
        if text is not None:
            self._members[key] = text, value
        return value

    def _known(self, messages: Iterable[object]) -> tuple[list[History], list[object]]:
        """The history up to each of the messages, the same as before as far as it can be, and what was not known."""
        chain: list[History] = []
        fresh: list[object] = []
        at: History | None = None
        for message in messages:
            known = self._by_object.get(id(message))
            if known is None or known.before is not at:
                text = _exact(message)
                known = None if text is None else self._by_text.get((at, text))
                if known is None or not _equal(known.message, message):
                    known = History.after(at, message)
                    fresh.append(message)
                    self._by_object[id(message)] = known
                    if text is not None:
                        self._by_text[at, text] = known
            chain.append(known)
            at = known
        return chain, fresh


def read(raw: bytes) -> Reading:
    """Reads one body alone. Raises `JsonError` where it is no JSON object."""
    return Bodies().read(raw)


def _goes_on(raw: bytes, newest: Reading, text: Text) -> Reading | None:
    """A body that has all of the newest one's messages, as nearly always, and ends as it does."""
    if not raw.startswith(text.head) or not has_all(raw, text.start, text):
        return None
    try:
        return _grown(raw, newest, text)
    except JsonError:
        return None  # the bytes met by chance, inside a string say


def _is_succeeded(nearest: Nearest) -> bool:
    """Whether a body is not needed any more, since this one goes on from it, and does not only begin like it."""
    if nearest.shared is None:
        return True
    left = len(nearest.text.ends) - nearest.shared
    return left < nearest.shared and left <= NEAR


def _begins(raw: bytes, newest: Reading, text: Text) -> Reading | None:
    """A body that ends as the newest one, with messages of its own in what stood around that one's, as those of another
    conversation do.
    """
    start, end = text.start, len(raw) - len(text.tail)
    if end <= start or not raw.startswith(text.head):
        return None
    try:
        # head and tail have the brackets: what is an array between them is the messages
        messages: list[object] = decode(memoryview(raw)[start - 1 : end + 1])
        if not messages:
            return None
        made = _placed(raw, start, end, text.head, text.tail, count=len(messages))
    except JsonError:
        return None
    weight = newest.weight + (end - start) - (text.end - text.start)
    body = {**newest.body, "messages": messages}
    return Reading(body=body, sent=_sent(messages), fresh={"messages": messages}, weight=weight, text=made)


def _placed(raw: bytes, start: int, end: int, head: bytes, tail: bytes, *, count: int) -> Text:
    """Where the `count` messages of a body stand, of which none is known. Raises `JsonError` as `item_ends`."""
    stop = _before_blanks(raw, end)
    if count == 1:
        first, ends = stop, array("q", (stop - start,))
    else:
        known = first_end(raw, start, stop)
        ends = array("q", item_ends(raw[start - 1 : end + 1], -1) if known is None else (known - start,))
        first = start + ends[0]
    opening = raw[start : start + min(ends[0], PROBED)]
    return Text(raw, start, max(first, stop - LITTLE), stop, end, Ends(ends), head, tail, opening)


def _before_blanks(raw: bytes, end: int) -> int:
    """The end of what stands before the blanks that end at a place."""
    while raw[end - 1] in _BLANKS:
        end -= 1
    return end


def _sent(messages: list[object]) -> Sent:
    last = grown(None, messages)
    assert last is not None
    return Sent(messages, last)


def _grown(raw: bytes, earlier: Reading, text: Text, count: int | None = None) -> Reading | None:
    """A body that differs from an earlier one only in the messages after the first `count`, after all where None."""
    at = text.stop if count is None else text.start + text.ends[count - 1]
    end = len(raw) - len(text.tail)
    if end < at:
        return None
    new: list[object] = []
    known, stop = text.places.known if count is None else text.ends[:count], at
    comma = at
    while comma < end and raw[comma] in _BLANKS:
        comma += 1
    if comma < end:
        items = b"[" + raw[comma + 1 : end] + b"]"
        new = decode(items)
        if not new or raw[comma] != _COMMA:
            return None  # a comma and nothing after it is no JSON, and neither is a message without one
        stop = _before_blanks(raw, end)
    made = Text(raw, text.start, at, stop, end, Ends(known), text.head, text.tail, text.opening)
    weight = earlier.weight + end - text.end
    sent = resent(earlier.sent, new, count)
    assert sent is not None
    body = {**earlier.body, "messages": sent.messages}
    return Reading(body=body, sent=sent, fresh={"messages": new}, weight=weight, text=made)


def _exact(value: object) -> bytes | None:
    """The value as a text that tells 1 from 1.0 and from true; None for what is no JSON."""
    try:
        return encode(value)
    except (TypeError, ValueError, RecursionError):
        return None


def _equal(left: object, right: object) -> bool:
    # a tuple has the text of a list, and a number as a name that of a string
    try:
        return left == right
    except RecursionError:
        return False

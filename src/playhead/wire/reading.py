"""Request bodies read incrementally: a resent history is compared as bytes, and only what is new is parsed.

Law: pure; bytes in, values out. Knows where `messages` stands in a body and nothing of what it says.

A loop resends its whole history, so parsing every body costs the square of the conversation. A body that begins with
the bytes of an earlier one up to the end of its messages, and ends with the bytes that followed them, differs only in
the messages between: those alone are parsed, and the earlier messages are shared, not copied. Equal bytes prove
sameness; unequal bytes prove nothing, so such a body is simply parsed in full.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from playhead.wire.codec import JsonError, JsonObject, decode, decode_object, members

_WHITE = b" \t\r\n"
_WEIGHED = ("messages", "system", "tools")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A request body as data, and what the next one is compared with.

    `head` is the raw body up to the bracket that closes `messages`, `tail` the rest; both are empty where the bytes
    cannot serve. `weight` is the length in bytes of what a model would read: messages, system and tools.
    """

    body: JsonObject
    head: bytes = b""
    tail: bytes = b""
    weight: int = 0

    @property
    def messages(self) -> list[object]:
        """The messages; empty where the body has none or something else in their place."""
        messages = self.body.get("messages")
        return messages if isinstance(messages, list) else []


def read(raw: bytes) -> Reading:
    """Reads a whole body. Raises `JsonError` where it is no JSON object."""
    try:
        texts = members(raw)
    except JsonError:
        return Reading(body=decode_object(raw), weight=len(raw))
    body = {key: decode(bytes(text)) for key, text in texts.items()}
    weight = sum(len(texts[key]) for key in _WEIGHED if key in texts)
    head, tail = _split(raw, bytes(texts["messages"])) if body.get("messages") else (b"", b"")
    return Reading(body=body, head=head, tail=tail, weight=weight)


def _split(raw: bytes, messages: bytes) -> tuple[bytes, bytes]:
    """The body before and after the end of its messages, or nothing where the place is not certain."""
    start = raw.rfind(messages)
    end = start + len(messages) - 1
    try:
        # the same text may stand elsewhere, in metadata say: what is left must have its messages empty
        certain = not messages.startswith(b"[") or decode(raw[:start] + b"[]" + raw[end + 1 :])["messages"] == []
    except (JsonError, KeyError, TypeError):
        certain = False
    return (raw[:end], raw[end:]) if certain and messages.startswith(b"[") else (b"", b"")


def read_next(raw: bytes, earlier: Iterable[Reading]) -> tuple[Reading, Reading | None]:
    """Reads a body that may extend one of `earlier`; says which. Raises `JsonError`."""
    for reading in earlier:
        extended = _extend(raw, reading)
        if extended is not None:
            return extended, reading
    return read(raw), None


def _extend(raw: bytes, earlier: Reading) -> Reading | None:
    head, tail = earlier.head, earlier.tail
    if not head or len(raw) < len(head) + len(tail) or not raw.startswith(head) or not raw.endswith(tail):
        return None
    added = raw[len(head) : len(raw) - len(tail)]
    items = added.strip(_WHITE)
    new: list[object] = []
    if items:
        if not items.startswith(b","):
            return None
        try:
            members(b'{"messages":[' + items[1:] + b"]}")  # what `read` can split: no NaN, say
            new = decode(b"[" + items[1:] + b"]")
        except JsonError:
            return None  # the bytes met by chance: a bracket inside a string, say
        if not new:
            return None  # a comma and nothing after it is no JSON
    body = {**earlier.body, "messages": [*earlier.messages, *new]}
    return Reading(body=body, head=head + added, tail=tail, weight=earlier.weight + len(added))

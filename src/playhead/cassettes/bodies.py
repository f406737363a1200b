"""Request bodies that share their history: each knows the one that it extends, and what it adds.

Law: pure; bytes in, bytes out, and every body gives back the bytes that it was made from.

A loop resends its whole history, so a session's bodies add up to the square of its length. Here a body holds only the
messages that no earlier one had, and its envelope, all but the messages, only once as long as it stays the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from playhead.cassettes.style import COMPACT, Kept, Style, keep, style_of
from playhead.wire.codec import JsonError, JsonObject, decode_object, members

MESSAGES = "messages"
_REMEMBERED = 64
_RAW_ITEMS = msgspec.json.Decoder(list[msgspec.Raw])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Body:
    """A request body. `raw` is all of it where it is no JSON object with a list of messages.

    `envelope` holds the members in their order, with nothing under `messages`. The messages are the first `kept` of
    the body `before`, and then those `added`.
    """

    raw: bytes | None = None
    style: Style = COMPACT
    envelope: Mapping[str, Kept] = field(default_factory=dict)
    before: Body | None = None
    kept: int = 0
    added: tuple[Kept, ...] = ()

    @property
    def length(self) -> int:
        """The number of its messages."""
        return self.kept + len(self.added)

    def messages(self) -> list[Kept]:
        """All its messages; those of earlier bodies are shared, not copied."""
        parts: list[Sequence[Kept]] = []
        body: Body | None = self
        count = self.length
        while body is not None and count:
            if count > body.kept:
                parts.append(body.added[: count - body.kept])
                count = body.kept
            body = body.before
        return [message for part in reversed(parts) for message in part]

    def values(self) -> JsonObject:
        """The body as data. Raises `JsonError` where it is no JSON object."""
        if self.raw is not None:
            return decode_object(self.raw)
        messages = [message.value for message in self.messages()]
        return {name: messages if name == MESSAGES else kept.value for name, kept in self.envelope.items()}

    def to_bytes(self) -> bytes:
        """The bytes as they were sent."""
        if self.raw is not None:
            return self.raw
        style = self.style
        parts = []
        for name, kept in self.envelope.items():
            if name == MESSAGES:
                text = f"[{style.comma.join(message.written(style) for message in self.messages())}]"
            else:
                text = kept.written(style)
            parts.append(f"{style.encode(name)}{style.colon}{text}")
        return ("{" + style.comma.join(parts) + "}").encode("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True)
class _Open:
    """A body whose bytes may begin the next one: what stands before and after the end of its messages."""

    body: Body
    head: bytes
    tail: bytes
    digest: bytes


class Shelf:
    """Makes bodies of bytes, one after the other, each sharing what it can with those before."""

    def __init__(self) -> None:
        self._open: dict[int, _Open] = {}
        self._by_digest: dict[bytes, tuple[Body, int]] = {}

    def adopt(self, bodies: Iterable[Body]) -> None:
        """Takes in bodies that were made elsewhere, each after the one that it extends; later ones may extend them."""
        known: dict[int, list[bytes]] = {}
        for body in bodies:
            at, count, digest = body.before, body.kept, b""
            while at is not None and count and count <= at.kept:
                at = at.before
            if at is not None and count:
                digest = known[id(at)][count - at.kept - 1]
            digests = known[id(body)] = []
            for place, message in enumerate(body.added, body.kept + 1):
                digest = _digest(digest, message.written(body.style))
                self._by_digest[digest] = (body, place)
                digests.append(digest)

    def put(self, raw: bytes) -> Body:
        """The body of these bytes."""
        for number in reversed(self._open):
            extended = self._extend(raw, self._open[number])
            if extended is not None:
                del self._open[number]
                self._remember(extended)
                return extended.body
        made = self._whole(raw)
        if made is None:
            return Body(raw=raw)
        self._remember(made)
        return made.body

    def _remember(self, opened: _Open) -> None:
        self._open[max(self._open, default=0) + 1] = opened
        if len(self._open) > _REMEMBERED:
            del self._open[next(iter(self._open))]

    def _extend(self, raw: bytes, opened: _Open) -> _Open | None:
        """The body that begins with all bytes of an earlier one's messages and ends as that one ends."""
        head, tail, before = opened.head, opened.tail, opened.body
        if len(raw) < len(head) + len(tail) or not raw.startswith(head) or not raw.endswith(tail):
            return None
        new = raw[len(head) : len(raw) - len(tail)]
        comma = before.style.comma if before.length else ""
        try:
            texts = _items(b"[" + new[len(comma) :] + b"]") if new else []
            added = tuple(keep(text, before.style) for text in texts)
        except (JsonError, UnicodeDecodeError):
            return None  # the bytes met by chance: a bracket inside a string, say
        if new != (comma + before.style.comma.join(texts)).encode():
            return None
        body = Body(style=before.style, envelope=before.envelope, before=before, kept=before.length, added=added)
        return _Open(body, head + new, tail, self._note(body, opened.digest, texts))

    def _whole(self, raw: bytes) -> _Open | None:
        """The body read in full; None where it is not an object with a list of messages that gives back its bytes."""
        try:
            parts = {name: bytes(text).decode() for name, text in members(raw).items()}
            texts = _items(parts[MESSAGES].encode())
            style = style_of([text for name, text in parts.items() if name != MESSAGES] + texts)
            envelope = {name: _NOWHERE if name == MESSAGES else keep(text, style) for name, text in parts.items()}
            body = self._shared(style, envelope, texts)
        except (JsonError, UnicodeDecodeError, KeyError):
            return None
        if body.to_bytes() != raw:
            return None
        head = _head(body, parts[MESSAGES])
        return _Open(body, raw[: len(head)], raw[len(head) :], self._note(body, b"", texts))

    def _shared(self, style: Style, envelope: Mapping[str, Kept], texts: Sequence[str]) -> Body:
        """A body that keeps as many messages as an earlier one has in common with it."""
        digest, before, kept = b"", None, 0
        for count, text in enumerate(texts, 1):
            digest = _digest(digest, text)
            known = self._by_digest.get(digest)
            if known is None or known[0].style is not style:
                break
            before, kept = known[0], count
        added = tuple(keep(text, style) for text in texts[kept:])
        if before is not None and _same(before.envelope, envelope, style):
            envelope = before.envelope
        return Body(style=style, envelope=envelope, before=before, kept=kept, added=added)

    def _note(self, body: Body, digest: bytes, texts: Sequence[str]) -> bytes:
        """Remembers each leading part of the messages; gives the digest of them all."""
        start = body.length - len(texts)
        for count, text in enumerate(texts, start + 1):
            digest = _digest(digest, text)
            self._by_digest[digest] = (body, count)
        return digest


_NOWHERE = Kept(None)


def _items(text: bytes) -> list[str]:
    """The texts of a JSON array's items. Raises `JsonError`."""
    try:
        return [bytes(item).decode() for item in _RAW_ITEMS.decode(text)]
    except (msgspec.DecodeError, RecursionError) as error:
        raise JsonError(str(error)) from None


def _digest(last: bytes, text: str) -> bytes:
    return hashlib.blake2b(last + text.encode(), digest_size=16).digest()


def _head(body: Body, messages: str) -> bytes:
    """The bytes up to the bracket that closes the messages."""
    style, parts = body.style, []
    for name, kept in body.envelope.items():
        if name == MESSAGES:
            parts.append(f"{style.encode(name)}{style.colon}{messages[:-1]}")
            break
        parts.append(f"{style.encode(name)}{style.colon}{kept.written(style)}")
    return ("{" + style.comma.join(parts)).encode()


def _same(one: Mapping[str, Kept], other: Mapping[str, Kept], style: Style) -> bool:
    return [*one] == [*other] and all(one[name].written(style) == other[name].written(style) for name in one)

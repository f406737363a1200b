"""The secrets in a recording, for `playhead verify`.

Law: values in, values out. What is found is told by its form and its place, and never shown. Each secret is told once,
at the first place where it stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from playhead.cassettes.findings import Found, has_secrets, identified
from playhead.wire.exchange import Exchange
from playhead.wire.session import Session

_PIECE = 1 << 22
"""How many bytes of a file are searched at once."""

_OVERLAP = 1 << 14
"""How many are searched again with those that follow: a secret may stand on both sides of a cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leak:
    """A secret in a recording: the name of its form, how it begins, where it stands first, and in how many places.

    The place is an exchange with a JSON path, or a line of the file (from 1) in what is no Claude traffic.
    """

    pattern: str
    shown: str
    exchange: int | None = None
    path: str | None = None
    line: int | None = None
    places: int = 1

    @property
    def place(self) -> str:
        """Where it stands, in words."""
        first = f"line {self.line}" if self.exchange is None else f"exchange {self.exchange} at {self.path}"
        return first if self.places == 1 else f"{first}, and {self.places - 1:,} more"


def leaks(session: Session, pieces: Iterable[bytes]) -> tuple[Leak, ...]:
    """The secrets of a session; where it does not tell all that its file holds, whose bytes are `pieces`, those too.

    What a request resends of the one before is not searched again.
    """
    found: dict[str, Leak] = {}
    for exchange, before in zip(session.exchanges, (None, *session.exchanges), strict=False):
        for one, secret in _in_exchange(exchange, before):
            first = found.get(secret)
            if first is None:
                found[secret] = Leak(pattern=one.pattern, shown=one.shown, exchange=exchange.number, path=one.path)
            else:
                found[secret] = replace(first, places=first.places + 1)
    told = tuple(found)
    for one, secret in _in_file(pieces) if _is_a_part(session) else ():
        # in the file there may be a little more or less around what an exchange holds
        if not any(secret in other or other in secret for other in told):
            found.setdefault(secret, Leak(pattern=one.pattern, shown=one.shown, line=one.line))
    return tuple(found.values())


def _is_a_part(session: Session) -> bool:
    """Whether the file holds more than the session: other calls, or lines of which only the messages are told."""
    return bool(session.skipped) or not session.exchanges or any(one.known is not None for one in session.exchanges)


def _in_exchange(exchange: Exchange, before: Exchange | None) -> Iterator[tuple[Found, str]]:
    parts = {
        "$headers": _lines(exchange.headers),
        "$response_headers": _lines(exchange.response_headers),
        "$path": exchange.path,
        "$": _added(exchange, before),
        "$response": exchange.response,
        "$error": exchange.error,
        "$events": [*exchange.events] if exchange.response is None and exchange.events is not None else None,
    }
    # nearly all exchanges are clean, and one search costs less than seven
    if has_secrets([*parts.values()]):
        for root, part in parts.items():
            yield from identified(part, root)


def _lines(headers: Mapping[str, str] | None) -> dict[str, str]:
    """Headers as they stand in a message, name and value in one line: so the patterns know them."""
    return {name: f"{name}: {value}" for name, value in (headers or {}).items()}


def _added(exchange: Exchange, before: Exchange | None) -> dict[str, object]:
    """What a request says that the one before did not, every message in its position."""
    earlier: Mapping[str, object] = (before.request if before is not None else None) or {}
    added = {name: value for name, value in (exchange.request or {}).items() if earlier.get(name) != value}
    messages, sent = added.get("messages"), earlier.get("messages")
    if isinstance(messages, list) and isinstance(sent, list):
        pairs = enumerate(zip(messages, sent, strict=False))
        shared = next((index for index, (new, old) in pairs if new != old), min(len(messages), len(sent)))
        added["messages"] = [None] * shared + messages[shared:]
    return added


def _in_file(pieces: Iterable[bytes]) -> Iterator[tuple[Found, str]]:
    rest, line = b"", 1
    for piece in _joined(pieces):
        text = rest + piece
        for one, secret in identified(text.decode("utf-8", "replace"), ""):
            yield one._replace(line=(one.line or 1) + line - 1), secret
        kept = text[-_OVERLAP:]
        line += text.count(b"\n", 0, len(text) - len(kept))
        rest = kept


def _joined(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in pieces that are worth a search each."""
    waiting: list[bytes] = []
    size = 0
    for piece in pieces:
        waiting.append(piece)
        size += len(piece)
        if size >= _PIECE:
            yield b"".join(waiting)
            waiting, size = [], 0
    if waiting:
        yield b"".join(waiting)

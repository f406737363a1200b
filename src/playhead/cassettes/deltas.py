"""The texts of a stream, gathered from the deltas that bring them piece by piece, and put back.

Law: pure; follows the grammar of streams (`wire.tables`) and knows nothing of secrets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from playhead.wire.tables import DELTAS

_APPENDED = frozenset({"text", "thinking"})
"""What `content_block_start` may begin and deltas go on with."""

_JSON = DELTAS["input_json_delta"]


@dataclass(slots=True)
class Gathered:
    """A text of a stream: its pieces, and for each the event's position, the object in the event and the member."""

    is_json: bool = False
    pieces: list[str] = field(default_factory=list)
    homes: list[tuple[int, str, str]] = field(default_factory=list)

    @property
    def begins(self) -> int:
        """The position of the event with the first piece."""
        return self.homes[0][0]

    @property
    def member(self) -> str:
        """The member that brings the pieces."""
        return self.homes[0][2]

    def add(self, piece: str, position: int, holder: str, member: str) -> None:
        self.pieces.append(piece)
        self.homes.append((position, holder, member))


def gather(events: Sequence[object]) -> tuple[list[Gathered], list[object]]:
    """The texts that come in pieces, in the order in which they begin, and the events without these pieces.

    In such an event an empty string stands for its piece; an event that holds nothing but a piece is None.
    """
    texts: dict[tuple[int, object, str], Gathered] = {}
    rests: list[object] = []
    begun = 0  # blocks and messages so far: an index counts within one message, and may be used twice in a broken one
    blocks: dict[object, int] = {}
    for position, event in enumerate(events):
        kind = event.get("type") if isinstance(event, dict) else None
        if kind in ("message_start", "content_block_start"):
            begun += 1
            if kind == "message_start":
                blocks = {}
            else:
                blocks[_index(event)] = begun
        holder = {"content_block_start": "content_block", "content_block_delta": "delta"}.get(str(kind), "")
        held = event.get(holder) if holder and isinstance(event, dict) else None
        members = _pieces_of(held, begins=kind == "content_block_start")
        for member, piece in members.items():
            key = (blocks.get(_index(event), -begun), _index(event), member)
            texts.setdefault(key, Gathered(is_json=member == _JSON)).add(piece, position, holder, member)
        rests.append(_without(event, holder, held, members) if members else event)
    return [*texts.values()], rests


def _index(event: object) -> object:
    index = event.get("index") if isinstance(event, dict) else None
    return index if isinstance(index, int) else None


def _pieces_of(held: object, *, begins: bool) -> Mapping[str, str]:
    if not isinstance(held, dict):
        return {}
    return {
        member: piece
        for member, piece in held.items()
        if isinstance(piece, str) and (member in _APPENDED if begins else member != "type")
    }


def _without(event: Any, holder: str, held: Any, members: Mapping[str, str]) -> object:
    if holder == "delta" and event.keys() <= {"type", "index", "delta"} and len(held) == len(members) + 1:
        return None
    return {**event, holder: {**held, **dict.fromkeys(members, "")}}


def put_back(
    events: Sequence[Any],
    rests: Sequence[object],
    changed: Sequence[object],
    texts: Sequence[tuple[Gathered, Sequence[str]]],
) -> list[Any]:
    """The events with what changed; those in which nothing did are the very same objects.

    `changed` are the events without their pieces (`rests`) as they are to be, `texts` the new pieces of each text.
    """
    pieces: dict[int, list[tuple[str, str, str]]] = {}
    touched: set[int] = set()
    for text, its in texts:
        for (position, holder, member), old, new in zip(text.homes, text.pieces, its, strict=True):
            pieces.setdefault(position, []).append((holder, member, new))
            if old != new:
                touched.add(position)
    result = []
    for position, event in enumerate(events):
        rest = changed[position]
        if position not in touched and rest is rests[position]:
            result.append(event)
            continue
        result.append(_filled(event if rest is None else rest, event, pieces.get(position, ())))
    return result


def _filled(rest: Any, event: Any, pieces: Sequence[tuple[str, str, str]]) -> Any:
    for holder, member, piece in pieces:
        # a key may have another name by now
        names = dict(zip(event[holder], rest[holder], strict=True))
        rest = {**rest, holder: {**rest[holder], names[member]: piece}}
    return rest

"""A request's messages as the API sees them: neighbours of the same role merged into one turn.

Law: pure; reads messages as sent, judges nothing.

The API merges before it pairs calls with results and counts merged turns in those error texts (recorded by the
Python SDK's own snapshot tests, 2026-02), so that results split over two user messages are accepted. Messages of
role `system` in the middle of a conversation take no part in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from playhead.wire.codec import JsonObject
from playhead.wire.value import Value


class PlacedBlock(Value, frozen=True):
    """A content block and where it stands: `message` and `block` in the array as sent, `position` in its turn.

    `block` is None where the content was a plain string; the block is then the text block it stands for.
    """

    data: JsonObject
    message: int
    block: int | None
    position: int

    @property
    def path(self) -> str:
        """The JSON path of the block in the request."""
        place = f"$.messages[{self.message}].content"
        return place if self.block is None else f"{place}[{self.block}]"

    @property
    def type(self) -> object:
        return self.data.get("type")


class MergedTurn(Value, frozen=True):
    """Neighbouring messages of one role. `number` counts merged turns from 0, `messages` are array positions.

    `by_type` holds the same blocks by their type: rules ask for some type several dozen times.
    """

    number: int
    role: str
    messages: tuple[int, ...]
    blocks: tuple[PlacedBlock, ...]
    by_type: Mapping[str, tuple[PlacedBlock, ...]]

    @property
    def path(self) -> str:
        """The JSON path of the turn's first message."""
        return f"$.messages[{self.messages[0]}]"

    def of_type(self, *types: str) -> tuple[PlacedBlock, ...]:
        """The turn's blocks of these types, in order."""
        if len(types) == 1:
            return self.by_type.get(types[0], ())
        found = [kind for kind in types if kind in self.by_type]
        if len(found) < 2:
            return self.by_type[found[0]] if found else ()
        return tuple([block for block in self.blocks if block.data.get("type") in found])

    @property
    def leading_results(self) -> tuple[PlacedBlock, ...]:
        """The `tool_result` blocks before any other block."""
        leading = []
        for block in self.blocks:
            if block.type != "tool_result":
                break
            leading.append(block)
        return tuple(leading)


def blocks_of(message: object, index: int = 0, position: int = 0) -> list[PlacedBlock]:
    """The blocks of one message, string content as one text block; what is no block is passed over.

    `index` is the message's place in the array, `position` that of its first block in its turn. An empty string is no
    block: the API takes such a message where a neighbour of its role has content.
    """
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return [PlacedBlock({"type": "text", "text": content}, index, None, position)] if content else []
    found: list[PlacedBlock] = []
    for number, block in enumerate(content if isinstance(content, list) else ()):
        if isinstance(block, dict):
            found.append(PlacedBlock(block, index, number, position + len(found)))
    return found


def merged_turns(messages: Sequence[object], *, start: int = 0, number: int = 0) -> tuple[MergedTurn, ...]:
    """The merged turns of `messages[start:]`, the first of which gets `number`."""
    turns: list[MergedTurn] = []
    role = ""
    members: list[int] = []
    blocks: list[PlacedBlock] = []
    for index in range(start, len(messages)):
        message = messages[index]
        its_role = message.get("role") if isinstance(message, dict) else None
        if its_role not in ("user", "assistant"):
            continue
        if its_role == role:
            members.append(index)
            blocks += blocks_of(message, index, len(blocks))
            continue
        if members:
            turns.append(_turn(number + len(turns), role, members, blocks))
        role, members, blocks = str(its_role), [index], blocks_of(message, index)
    if members:
        turns.append(_turn(number + len(turns), role, members, blocks))
    return tuple(turns)


def _turn(number: int, role: str, members: Sequence[int], blocks: Sequence[PlacedBlock]) -> MergedTurn:
    placed = tuple(blocks)
    if len(placed) == 1:  # as in most turns
        kind = placed[0].data.get("type")
        return MergedTurn(number, role, tuple(members), placed, {kind: placed} if isinstance(kind, str) else {})
    by_type: dict[str, list[PlacedBlock]] = {}
    for block in placed:
        kind = block.data.get("type")
        if isinstance(kind, str):
            by_type.setdefault(kind, []).append(block)
    return MergedTurn(number, role, tuple(members), placed, {kind: tuple(found) for kind, found in by_type.items()})

"""A reply that a client sends back: in a cassette it stands once, where it was received.

Law: pure. Clients write the members of a block in an order of their own and leave some out; that order is what is
kept of an echo, and only when it changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from playhead.cassettes.style import Kept, Style
from playhead.wire.codec import JsonObject

Orders = Mapping[str, tuple[str, ...]]
"""The members of an echoed block by its type, in their order; under `""` those of the message."""

RECEIVED: Orders = {}
_MESSAGE = ("role", "content")


def orders_of(message: object) -> Orders | None:
    """The orders in an assistant's message; None where it is none, or its blocks of one type differ too much."""
    if not isinstance(message, dict) or message.get("role") != "assistant" or set(message) != set(_MESSAGE):
        return None
    content = message["content"]
    if not isinstance(content, list) or not all(isinstance(block, dict) for block in content):
        return None
    orders: dict[str, tuple[str, ...]] = {} if tuple(message) == _MESSAGE else {"": tuple(message)}
    for block in content:
        kind = str(block.get("type"))
        merged = _merged(orders.get(kind, ()), tuple(block))
        if merged is None:
            return None
        orders[kind] = merged
    return orders


def _merged(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...] | None:
    """An order that holds both; None where they contradict each other."""
    made = [*one]
    place = 0
    for name in other:
        if name in made:
            at = made.index(name)
            if at < place:
                return None
            place = at + 1
        else:
            made.insert(place, name)
            place += 1
    return tuple(made)


def echo(content: Iterable[object], orders: Orders) -> JsonObject:
    """The message that sends a reply's content back in these orders; a type without one goes as it was received."""
    blocks = [_ordered(block, orders) for block in content]
    members = {"role": "assistant", "content": blocks}
    return {name: members[name] for name in orders.get("", _MESSAGE)}


def _ordered(block: object, orders: Orders) -> object:
    order = orders.get(str(block.get("type"))) if isinstance(block, dict) else None
    if order is None or not isinstance(block, dict):
        return block
    return {name: block[name] for name in order if name in block}


def is_echo(message: Kept, content: list[object], orders: Orders, style: Style) -> bool:
    """Whether the message is, to the byte, what `echo` makes of the content."""
    return bool(content) and message.text is None and style.encode(echo(content, orders)) == style.encode(message.value)

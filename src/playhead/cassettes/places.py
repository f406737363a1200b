"""Walks over the strings of a JSON value, and a changed value that shares with the old one all that did not change.

Law: pure; it knows which members the API seals, and nothing of secrets. Nesting is walked without recursion.

Sealed members hold what only the API can read, or pictures and documents: signatures, redacted thinking, encrypted
content. They are passed over where they are base64 from end to end; else they are read like any text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass

_SEALED = frozenset({"signature", "data", "encrypted_content", "encrypted_index", "encrypted_stdout"})
# a key for Bedrock is base64 too
_BASE64 = re.compile(r"(?!ABSK)[A-Za-z0-9+/]{64,}+={0,2}")

_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


class Node:
    """An object or an array in a value, with its way from the top, and its copy once anything in it changes.

    The top itself is an array that holds nothing but the value.
    """

    __slots__ = ("above", "copy", "step", "value")

    def __init__(self, value: dict[str, object] | list[object], above: Node | None, step: str | int) -> None:
        self.value, self.above, self.step = value, above, step
        self.copy: dict[str, object] | list[object] | None = None

    @property
    def depth(self) -> int:
        """How many objects and arrays stand around it."""
        depth, node = 0, self.above
        while node is not None:
            depth, node = depth + 1, node.above
        return depth

    def put(self, step: str | int, value: object) -> None:
        """Puts something else in a place, in copies of everything above it."""
        node: Node | None = self
        while node is not None:
            fresh = node.copy is None
            if node.copy is None:
                node.copy = dict(node.value) if isinstance(node.value, dict) else [*node.value]
            node.copy[step] = value  # type: ignore[index]
            if not fresh:
                return
            step, value, node = node.step, node.copy, node.above


@dataclass(frozen=True, slots=True)
class Place:
    """One string of a value: a key of the object `node`, or what stands in it under `step`.

    `key` is the name of the member that a string is the value of.
    """

    node: Node
    step: str | int
    text: str
    is_key: bool = False

    @property
    def key(self) -> str | None:
        return self.step if isinstance(self.step, str) and not self.is_key else None

    def path(self, root: str, shown: Mapping[str, str]) -> str:
        """The place as a JSON path, that of the object for a key; `shown` has other words for keys not to be told."""
        node, step = (self.node.above, self.node.step) if self.is_key else (self.node, self.step)
        steps: list[str | int] = []
        while node is not None and node.above is not None:
            steps.append(step)
            node, step = node.above, node.step
        return root + "".join(
            _step(shown.get(step, step) if isinstance(step, str) else step) for step in reversed(steps)
        )


def _step(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if _PLAIN_KEY.fullmatch(step) else f'["{step}"]'


def is_sealed(key: object, text: str) -> bool:
    """Whether the text under this key is base64 that nobody but the API, or a picture viewer, reads."""
    return key in _SEALED and _BASE64.fullmatch(text) is not None


def texts_of(value: object) -> tuple[list[str], set[str]]:
    """All strings of a value, and the names of all members."""
    texts: list[str] = [value] if isinstance(value, str) else []
    keys: set[str] = set()
    # a list that grows while it is read; most time goes by here, so that no function is called for a string
    waiting: list[dict[str, object] | list[object]] = [value] if isinstance(value, dict | list) else []
    for item in waiting:
        if isinstance(item, dict):
            keys.update(item)
            for key, inner in item.items():
                if type(inner) is str:
                    if key not in _SEALED or not is_sealed(key, inner):
                        texts.append(inner)
                elif isinstance(inner, dict | list):
                    waiting.append(inner)
        else:
            for inner in item:
                if type(inner) is str:
                    texts.append(inner)
                elif isinstance(inner, dict | list):
                    waiting.append(inner)
    return texts, keys


def members_of(value: object, names: Set[str]) -> Iterator[tuple[str, str]]:
    """The strings that stand under one of these names, each with its name."""
    waiting: list[object] = [value]
    for item in waiting:
        if isinstance(item, dict):
            yield from ((key, item[key]) for key in names if isinstance(item.get(key), str))
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)


def places_of(top: Node) -> Iterator[Place]:
    """All strings of a value in the order in which they are written, each key before its member."""
    waiting: list[Node | Place] = [top]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Place):
            yield node
            continue
        inner = _keyed(node) if isinstance(node.value, dict) else _listed(node)
        waiting.extend(reversed([*inner]))


def _keyed(node: Node) -> Iterator[Node | Place]:
    assert isinstance(node.value, dict)
    for key, inner in node.value.items():
        yield Place(node, key, key, is_key=True)
        if isinstance(inner, str):
            if not is_sealed(key, inner):
                yield Place(node, key, inner)
        elif isinstance(inner, dict | list):
            yield Node(inner, node, key)


def _listed(node: Node) -> Iterator[Node | Place]:
    for index, inner in enumerate(node.value):
        if isinstance(inner, str):
            yield Place(node, index, inner)
        elif isinstance(inner, dict | list):
            yield Node(inner, node, index)


def rename(node: Node, names: Mapping[str, str]) -> None:
    """Gives keys of an object other names, in their places; a name that is taken already gets a number.

    Only once nothing in the object changes any more, and inner objects before outer ones.
    """
    assert isinstance(node.value, dict)
    for key in names:
        node.put(key, (node.value if node.copy is None else node.copy)[key])  # type: ignore[call-overload]
    assert isinstance(node.copy, dict)
    members = [*node.copy.items()]
    node.copy.clear()
    for key, value in members:
        name, number = names.get(key, key), 2
        while name in node.copy:
            name, number = f"{names.get(key, key)}-{number}", number + 1
        node.copy[name] = value

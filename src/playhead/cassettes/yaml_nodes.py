"""Where in a YAML text a value stands.

Law: knows YAML and nothing of recordings or scripts. A text is looked at only after `yaml_document` has read it, since
that has the limits.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import yaml

Path: TypeAlias = tuple[str | int, ...]
"""The keys and positions that lead to a value."""


def compose(data: bytes) -> yaml.Node | None:
    """The nodes of the only document in a YAML text; None where it has none, or cannot be read."""
    try:
        node: yaml.Node | None = yaml.compose(data, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, RecursionError):
        return None
    return node


def line_at(root: yaml.Node | None, path: Path) -> int | None:
    """The line, from 1, on which the value at a path stands, or what is around it; None outside of everything."""
    node, line = root, None
    for step in path:
        found = next(((key, inner) for key, inner in _members(node) if _name(key) == step), None)
        if found is None:
            break
        key, node = found
        line = (node if isinstance(key, int) else key).start_mark.line + 1
    return line


def twice(root: yaml.Node | None) -> tuple[Path, int] | None:
    """The path and the line of the first key that stands twice in its mapping."""
    seen: set[int] = set()  # aliases are the same nodes again
    waiting: list[tuple[Path, yaml.Node]] = [] if root is None else [((), root)]
    for path, node in waiting:
        if id(node) in seen:
            continue
        seen.add(id(node))
        names: set[object] = set()
        for key, inner in _members(node):
            name = _name(key)
            if name in names and not isinstance(key, int):
                return (*path, name), key.start_mark.line + 1
            names.add(name)
            waiting.append(((*path, name), inner))
    return None


def _members(node: yaml.Node | None) -> Iterator[tuple[yaml.Node | int, yaml.Node]]:
    if isinstance(node, yaml.MappingNode):
        yield from node.value
    elif isinstance(node, yaml.SequenceNode):
        yield from enumerate(node.value)


def _name(key: yaml.Node | int) -> str | int:
    return key if isinstance(key, int) else str(key.value)

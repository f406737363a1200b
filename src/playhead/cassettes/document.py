"""A cassette's bytes to its interactions, and back; a recording that was cut short is read as far as it goes.

Law: pure; bytes in, values out. Errors say the line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from playhead.cassettes.interaction import Interaction
from playhead.cassettes.parsing import Cassette, FieldError, parse
from playhead.cassettes.writing import Writer
from playhead.cassettes.yaml_document import YamlError
from playhead.cassettes.yaml_document import parse as parse_yaml
from playhead.cassettes.yaml_nodes import compose, line_at

_ITEM_END = re.compile(rb"^# end \d+\r?\n", re.MULTILINE)
_FINISHED = re.compile(rb"^finished:[^\n]*\n", re.MULTILINE)
_STEP = re.compile(r"\[(\d+)\]|[^.\[\]]+")


_ITEM = re.compile(rb"^- ", re.MULTILINE)


class CassetteError(ValueError):
    """The bytes are no readable cassette. `line` counts from 1 and `field` is the place, where they are known."""

    def __init__(self, reason: str, *, line: int | None = None, field: str | None = None) -> None:
        super().__init__(reason)
        self.reason, self.line, self.field = reason, line, field


def read(data: bytes) -> Cassette:
    """The cassette in these bytes. Raises `CassetteError`.

    Without the last line, which says that it is finished, a recording was cut short: it is read up to the comment
    that ends its last whole interaction.
    """
    if not _FINISHED.search(data):
        ends = [match.end() for match in _ITEM_END.finditer(data)]
        start = data.find(b"\n-") + 1
        data = data[: ends[-1]] if ends else data[:start] if start else data
    try:
        documents = parse_yaml(data, unique=True)
    except YamlError as error:
        raise CassetteError(str(error), line=error.line) from None
    if len(documents) != 1:
        raise CassetteError(f"a cassette is one YAML document, not {len(documents)}")
    return interpret(documents[0], data)


def interpret(document: object, data: bytes) -> Cassette:
    """The cassette that a document holds; `data` are its bytes, for an error's line. Raises `CassetteError`."""
    try:
        return parse(document)
    except FieldError as error:
        raise CassetteError(error.reason, line=line_of(data, error.place), field=error.place) from None


def write(
    interactions: Iterable[Interaction],
    *,
    finished: bool = True,
    recorded: str | None = None,
    metadata: Mapping[str, object] | None = None,
) -> bytes:
    """The bytes of a cassette; `recorded` is the day on which it was made, as `2026-11-30`."""
    writer = Writer()
    parts = [writer.head(recorded, metadata), *(writer.item(interaction) for interaction in interactions)]
    return "".join([*parts, writer.end() if finished else ""]).encode()


def resume(cassette: Cassette, data: bytes = b"") -> tuple[str, Writer]:
    """The text of a cassette as it stood before it was finished, and a writer that goes on from there.

    The text is that of `data`, the cassette's bytes, to the byte; only where nothing can follow it, because somebody
    gave it another shape or it was cut short out of turn, is it written anew.
    """
    writer = Writer()
    count = len(cassette.interactions)
    head = writer.head(cassette.recorded, cassette.metadata)
    text = head + "".join(map(writer.item, cassette.interactions))
    if not cassette.finished:
        ends = [match.end() for match in _ITEM_END.finditer(data)]
        data = data[: ends[-1]] if ends else b""
    data = _FINISHED.sub(b"", data)
    ends_well = data.endswith(f"# end {count}\n".encode() if count else b"\ninteractions:\n")
    if ends_well and cassette.in_order and len(_ITEM.findall(data)) == count:
        writer.resume(cassette.orders)
        text = data.decode()
    return text, writer


def line_of(data: bytes, place: str) -> int | None:
    """The line, from 1, on which a place such as `interactions[3].request.keep` stands, or what is around it.

    None where the bytes are no YAML.
    """
    steps = _STEP.finditer(place)
    path = tuple(int(step.group(1)) if step.group(1) else step.group() for step in steps)
    root = compose(data)
    return None if root is None else line_at(root, path) or 1

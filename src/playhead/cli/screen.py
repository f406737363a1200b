"""Plain text laid out for a terminal.

Law: strings in, lines out.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

WIDTH = 80
_NARROWEST = 24
"""The least room for a first column; a longer path is cut in front, where it says least."""
_WIDEST_CELL = 20


def columns(rows: Sequence[Sequence[str]], *, right: Sequence[int] = (), width: int = WIDTH) -> Iterator[str]:
    """Rows as aligned columns, those in `right` flush right; the first column gives way to keep to the width."""
    cut = [[row[0], *(_cut(cell) for cell in row[1:-1]), row[-1]] for row in rows]
    widths = [max(len(row[position]) for row in cut) for position in range(len(cut[0]))]
    room = width - sum(widths[1:]) - 2 * len(widths)
    widths[0] = min(widths[0], max(room, _NARROWEST))
    for row in cut:
        row[0] = row[0] if len(row[0]) <= widths[0] else "…" + row[0][-widths[0] + 1 :]
        cells = [
            cell.rjust(size) if position in right else cell.ljust(size)
            for position, (cell, size) in enumerate(zip(row, widths, strict=True))
        ]
        yield ("  " + "  ".join(cells)).rstrip()


def _cut(cell: str) -> str:
    return cell if len(cell) <= _WIDEST_CELL else cell[: _WIDEST_CELL - 1] + "…"


def indented(text: str, indent: int, width: int = WIDTH) -> Iterator[str]:
    """A long line wrapped; what follows the first is indented."""
    yield from textwrap.wrap(
        text,
        width,
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
        drop_whitespace=True,
        replace_whitespace=False,
    )

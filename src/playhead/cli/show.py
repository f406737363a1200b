"""`playhead show`: a recording as a transcript that a person enjoys reading.

Law: prints; the transcript itself is made elsewhere.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping

import click

_STYLES: Mapping[str, Mapping[str, object]] = {
    "user": {"fg": "cyan"},
    "claude": {"bold": True},
    "result": {"dim": True},
    "error": {"fg": "red"},
    "violation": {"fg": "red", "bold": True},
    "head": {"dim": True},
}


@click.command()
@click.argument("path")
@click.option("--width", type=click.IntRange(40), default=None, metavar="N", help="Columns; the terminal's by default.")
@click.option("--color/--no-color", default=None, help="Colour; by default where the output is a terminal.")
@click.option("--conversation", type=click.IntRange(1), default=None, metavar="N", help="Only this conversation.")
def show(path: str, width: int | None, color: bool | None, conversation: int | None) -> None:
    """Print a recording as a transcript: what was asked, what Claude said and called, what came back.

    What breaks a rule is shown where it happened.
    """
    from playhead.cli.transcript import transcript
    from playhead.readers.table import load
    from playhead.rules.checker import check
    from playhead.rules.rule import told_once

    session = load(path)
    columns = width or shutil.get_terminal_size((80, 24)).columns
    for line in transcript(session, violations=told_once(check(session)), width=columns, only=conversation):
        click.echo(click.style(line.text, **_STYLES.get(line.kind, {})), color=color)  # type: ignore[arg-type]

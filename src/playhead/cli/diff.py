"""`playhead diff`: where today's run first leaves the recording.

Law: prints; what differs is found by cassettes/divergence.py.
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from playhead.cli.screen import WIDTH, indented
from playhead.errors import RecordingError

if TYPE_CHECKING:
    from playhead.cassettes.divergence import Comparison, Divergence

_LABEL = 14


@click.command()
@click.argument("recorded", metavar="RECORDED")
@click.argument("today", metavar="TODAY")
@click.option(
    "--ignore",
    multiple=True,
    metavar="WHAT",
    help="Look past dates, ids, cwd, ports, durations, addresses, a place ('$.system') or a pattern ('/build \\d+/').",
)
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def diff(recorded: str, today: str, ignore: Sequence[str], as_json: bool) -> None:
    """Show where today's run first leaves the recording, conversation by conversation.

    Both may be any recording that `playhead show` reads. The model's side is most often replayed while the tools run
    for real: the first difference says what the loop, or a tool, did otherwise.
    """
    from playhead.cassettes.divergence import Incomparable, compare
    from playhead.readers.table import load

    sessions = load(recorded), load(today)
    try:
        found = compare(*sessions, volatile=ignore)
    except Incomparable as error:
        raise RecordingError(f"{recorded}, {today}", str(error)) from None
    command = ["playhead", "diff", recorded, today, *(part for name in ignore for part in ("--ignore", name))]
    for line in [json.dumps(_as_data(found), ensure_ascii=False, indent=2)] if as_json else _lines(found, command):
        click.echo(line)
    sys.exit(int(bool(found.divergences)))


def _as_data(found: Comparison) -> dict[str, object]:
    """The comparison for programs."""
    return {
        "same": not found.divergences,
        "same_exchanges": found.same,
        "divergences": [
            {
                "conversation": one.conversation,
                "turn": one.turn,
                "recorded_exchange": one.recorded,
                "exchange": one.today,
                "path": one.what.path,
                "recorded": one.what.recorded,
                "today": one.what.today,
                "cause": one.what.cause,
                "likely": one.what.likely,
                "ignore": list(one.what.volatile),
                "later": one.later,
            }
            for one in found.divergences
        ],
    }


def _lines(found: Comparison, command: Sequence[str]) -> Iterator[str]:
    same = f"{found.same} exchange{'' if found.same == 1 else 's'}"
    if not found.divergences:
        yield f"the same: {same}"
        return
    for one in found.divergences:
        yield from _divergence(one, command)
        yield ""
    later = sum(one.later for one in found.divergences)
    leaving = len(found.divergences)
    after = f", {later} after that" if later else ""
    yield f"{same} the same, {leaving} {'leaves' if leaving == 1 else 'leave'} the recording{after}"


def _divergence(one: Divergence, command: Sequence[str]) -> Iterator[str]:
    what = one.what
    place = "outside any conversation" if one.turn is None else f"conversation {one.conversation} · turn {one.turn}"
    yield f"{place}: {_HEADS.get(what.cause, 'today leaves the recording')}"
    numbers = [f"exchange {number} of {side}" for number, side in _sides(one) if number is not None]
    rows = [("at", what.path), ("recorded", what.recorded), ("today", what.today), ("means", what.likely)]
    for label, text in [*rows, ("see", ", ".join(numbers))]:
        if text and not (what.path == "$" and label in ("at", "recorded", "today")):
            yield from _row(label, text)
    if what.volatile:
        more = [part for name in what.volatile for part in ("--ignore", name)]
        yield from _row("go on", shlex.join([*command, *more]))


_HEADS = {
    "volatile": "only what changes from run to run differs",
    "shorter": "today ends before the recording",
    "longer": "today goes on after the recording's end",
    "again": "today asks once more",
    "reply": "the model's reply is another",
    "failure": "one of the answers failed",
}


def _sides(one: Divergence) -> tuple[tuple[int | None, str], ...]:
    return (one.recorded, "the recording"), (one.today, "today's")


def _row(label: str, text: str) -> Iterator[str]:
    head = f"    {label:<{_LABEL - 4}}"
    if len(head) + len(text) <= WIDTH or " " not in text:
        yield f"{head}{text}"
        return
    yield from indented(f"{head}{text}", _LABEL)

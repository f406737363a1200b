"""`playhead convert IN OUT`: a recording in another format.

Law: files in, files out; what a format is, others know.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from playhead.errors import RecordingError

if TYPE_CHECKING:
    from playhead.cassettes.from_exchanges import Converted

_BY_SUFFIX = {".har": "har"}
_FORMATS = ("playhead", "vcrpy", "har")


@click.command()
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@click.option("--to", "form", type=click.Choice(_FORMATS), help="The format of OUT (HAR for *.har, else our own).")
def convert(source: str, target: str, form: str | None) -> None:
    """Write the recording IN, of any format that is read, to OUT as a cassette, for vcrpy, or as a HAR file.

    Secrets in IN are replaced by placeholders on the way.
    """
    from playhead import files
    from playhead.cassettes.document import write
    from playhead.cassettes.exporting import EXPORTS, is_whole
    from playhead.cassettes.redacted import all_redacted
    from playhead.cassettes.redaction import Redactor

    converted = _read(source)
    form = form or _BY_SUFFIX.get(Path(target).suffix.lower(), "playhead")
    interactions = converted.interactions
    if form != "playhead":
        interactions = tuple(filter(is_whole, interactions))
    interactions = all_redacted(interactions, target, Redactor())
    ours = form == "playhead"
    data = write(interactions, recorded=converted.recorded) if ours else EXPORTS[form](interactions).encode()
    try:
        files.write_whole(target, data)
    except OSError as error:
        raise RecordingError(target, f"the file cannot be written: {error.strerror or error}") from None
    left = len(converted.interactions) - len(interactions)
    notes = [
        f"{left} answers that did not come to their end are left out, {form} cannot tell them" if left else "",
        f"{converted.unknown} exchanges are left out, the recording does not tell their requests"
        if converted.unknown
        else "",
    ]
    click.echo(f"{target}: {len(interactions)} interactions, {len(data):,} bytes ({form})")
    for note in filter(None, notes):
        click.echo(note, err=True)


def _read(source: str) -> Converted:
    """The interactions of a recording; those of a cassette of ours to the byte. Raises `RecordingError`."""
    from playhead import files
    from playhead.cassettes.document import CassetteError, read
    from playhead.cassettes.from_exchanges import Converted, interactions_of
    from playhead.readers.table import load

    session = load(source)
    if session.format != "Playhead":
        return interactions_of(session.exchanges)
    try:
        cassette = read(files.read_bytes(source))
        return Converted(interactions=cassette.interactions, recorded=cassette.recorded)
    except CassetteError:
        return interactions_of(session.exchanges)  # a zipped one

"""`playhead`: the group of commands.

Law: imports click and the command modules only, which import the rest when they run, so that `--help` is quick.
Errors of ours go to stderr as one sentence with exit code 2; a traceback is never the answer.
"""

from __future__ import annotations

import sys

import click

from playhead import __version__
from playhead.cli.conform import conform
from playhead.cli.convert import convert
from playhead.cli.demo import demo
from playhead.cli.diff import diff
from playhead.cli.record import record
from playhead.cli.rules import rules
from playhead.cli.schema import schema
from playhead.cli.serve import serve
from playhead.cli.show import show
from playhead.cli.verify import verify
from playhead.errors import PlayheadError


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80})
@click.version_option(__version__, prog_name="playhead")
def commands() -> None:
    """Rehearse Claude tool loops offline.

    Exit codes: 0 fine, 1 violations or differences found, 2 unusable input.
    """


for command in (demo, verify, show, diff, convert, record, serve, conform, rules, schema):
    commands.add_command(command)


def main() -> None:
    """The console script."""
    try:
        commands()
    except PlayheadError as error:
        click.echo(f"playhead: {error}", err=True)
        sys.exit(2)

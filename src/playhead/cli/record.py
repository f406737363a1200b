"""`playhead record`: a proxy before the API that records what passes, until it is stopped, or for one command.

Law: a recording and a proxy, and what the rules say of the file afterwards.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

from playhead.cli.serve import announced, run, scrubbers_of, stopping


@click.command()
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
@click.option("-o", "--output", required=True, metavar="FILE", help="The cassette to write.")
@click.option("--upstream", metavar="URL", help="The API's base URL; by default ANTHROPIC_BASE_URL, or Anthropic's.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="The port; 0, as by default, any that is free.")
@click.option("--host", default="127.0.0.1", help="The address to listen on; by default this machine alone.")
@click.option("--ready-file", type=click.Path(), help="Gets the base URL once the proxy listens.")
@click.option("--scrub", multiple=True, metavar="MODULE:NAME", help="A scrubber of yours; may be repeated.")
@click.option("--new", "mode", flag_value="record", help="Keep what the cassette holds, and record only what is new.")
@click.option("--rewrite", "mode", flag_value="rewrite", default=True, help="Record all anew, as by default.")
def record(
    command: Sequence[str],
    output: str,
    upstream: str | None,
    port: int,
    host: str,
    ready_file: str | None,
    scrub: tuple[str, ...],
    mode: str,
) -> None:
    """Record what a client of any language says to the API, and what the API answers.

    Point the client at the proxy (ANTHROPIC_BASE_URL), or let it be started, `-- COMMAND...`: then it is told, and the
    exit code is the command's. Streams pass as they come; keys and other secrets are not written. At the end the rules
    judge what was recorded.
    """
    from playhead.doors.proxy import API
    from playhead.recording import Recording
    from playhead.serving import RecordingProxy

    base = upstream or os.environ.get("ANTHROPIC_BASE_URL") or API
    recording = Recording(output, mode="record" if mode == "record" else "rewrite", scrubbers=scrubbers_of(scrub))
    failed = 0
    proxy = RecordingProxy(recording, base, host=host, port=port)
    with announced(proxy, ready_file), stopping() as stopped:
        if command:
            failed = run(command, proxy.env)
        else:
            click.echo(f"playhead: {proxy.url} records what passes to {base}; Ctrl-C ends it", err=True)
            stopped.wait()
    _sum_up(output)
    sys.exit(failed)


def _sum_up(path: str) -> None:
    """What was recorded, and what the rules say of it, on stderr: stdout is the command's."""
    from playhead.cli.verdicts import screen
    from playhead.cli.verify import Selection, Task, judge

    report = judge(Task(path=path, named=True, selection=Selection()))
    if report is not None:
        for line in screen([report], [report], 0.0):
            click.echo(line, err=True)

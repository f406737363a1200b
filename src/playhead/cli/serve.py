"""`playhead serve`: a script or a cassette behind a base URL, until it is stopped, or for one command.

Law: makes a fake of a file, serves it, tells the verdict. A traceback is never the answer.
"""

from __future__ import annotations

import gc
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from playhead.errors import SetupError
from playhead.files import read_bytes, write_whole

if TYPE_CHECKING:
    from playhead.fake import FakeClaude
    from playhead.serving import RecordingProxy, Serving


@click.command()
@click.argument("path", metavar="SCRIPT|CASSETTE")
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="The port; 0, as by default, any that is free.")
@click.option("--host", default="127.0.0.1", help="The address to listen on; by default this machine alone.")
@click.option("--ready-file", type=click.Path(), help="Gets the base URL once the server listens.")
@click.option("--lenient", is_flag=True, help="Refuse nothing; violations are told all the same.")
@click.option("--ignore", multiple=True, metavar="RULE", help="Switch a rule off; may be repeated.")
@click.option("--level", type=click.Choice(["reject", "broken", "warn"]), help="The weakest violation that fails.")
@click.option("--rules", "own", multiple=True, metavar="MODULE:NAME", help="Rules of your own, a Rule or a list.")
@click.option("--volatile", multiple=True, metavar="RULE", help="What may differ from the cassette; may be repeated.")
@click.option("--scrub", multiple=True, metavar="MODULE:NAME", help="The scrubbers that the cassette was made with.")
@click.option("--max-requests", type=click.IntRange(1), help="The cap on requests.")
@click.option("--hurry", is_flag=True, help="Pauses of answers take no time.")
@click.option("--json", "as_json", is_flag=True, help="Tell the verdict as JSON.")
def serve(path: str, command: Sequence[str], port: int, host: str, ready_file: str | None, **options: Any) -> None:
    """Serve a script or a recording as if it were the API, to any client that takes a base URL.

    Runs until it is stopped (Ctrl-C, SIGTERM), or, with `-- COMMAND...`, as long as the command does, which gets
    ANTHROPIC_BASE_URL and ANTHROPIC_API_KEY. Then it tells the verdict: exit code 0 where all is well, 1 where a rule
    was broken or a step was not asked for, the command's own where that failed.

    Programs on this machine find the verdict so far at URL/_playhead/verdict, what was sent at URL/_playhead/session;
    POST URL/_playhead/reset begins anew, POST URL/_playhead/script plays another script file.
    """
    from playhead.serving import Serving

    as_json = options.pop("as_json")
    serving = Serving(maker(path, **options), host=host, port=port, judge=False)
    failed = 0
    with rarely_collecting(), announced(serving, ready_file), stopping() as stopped:
        if command:
            failed = run(command, serving.env)
        else:
            click.echo(f"playhead: {path} is served at {serving.url}; Ctrl-C stops it", err=True)
            stopped.wait()
    ok = tell(serving, as_json=as_json)
    sys.exit(failed or int(not ok))


def maker(
    path: str,
    *,
    lenient: bool = False,
    ignore: Sequence[str] = (),
    level: str | None = None,
    own: Sequence[str] = (),
    volatile: Sequence[str] = (),
    scrub: Sequence[str] = (),
    max_requests: int | None = None,
    hurry: bool = False,
) -> Callable[[], FakeClaude]:
    """What makes the fake of a file, each time from its start. Raises at once what is wrong with the file."""
    import asyncio

    from playhead.fake import FakeClaude
    from playhead.plugins import named_rules

    given: dict[str, Any] = {"ignore": ignore, "rules": [rule for name in own for rule in named_rules(name)]}
    given |= {"strict": False} if lenient else {}
    given |= {name: value for name, value in (("level", level), ("max_requests", max_requests)) if value is not None}
    given |= {} if hurry else {"sleep": asyncio.sleep}

    if _CASSETTE.search(read_bytes(path)):
        scrubbers = scrubbers_of(scrub)
        return lambda: FakeClaude.from_cassette(path, volatile=volatile, scrubbers=scrubbers, **given)
    if volatile or scrub:
        raise SetupError(f"{path} is a script; --volatile and --scrub are for recordings")
    return lambda: FakeClaude.from_file(path, **given)


def scrubbers_of(names: Sequence[str]) -> list[Any]:
    """Scrubbers of one's own. Raises `SetupError`."""
    from playhead.plugins import named

    return [named(name, "scrubbers") for name in names]


_CASSETTE = re.compile(rb'^[{\s]*"?interactions"?\s*:', re.MULTILINE)
"""Every cassette has this member, and no script."""


@contextmanager
def rarely_collecting() -> Iterator[None]:
    """Looks for circular garbage as rarely as fits a process that keeps what it is asked, and makes hardly any.

    By default each few requests have it look through what they left, which is a tenth of what an answer costs. What a
    reset drops is such garbage, so that it is still looked for every few thousand requests.
    """
    before, frozen = gc.get_threshold(), gc.get_freeze_count()
    gc.freeze()  # what has been imported is here to stay
    gc.set_threshold(10_000, 2, 2)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        if not frozen:
            gc.unfreeze()


@contextmanager
def announced(serving: Serving | RecordingProxy, ready_file: str | None) -> Iterator[None]:
    """Serves; the file has the base URL while it does, and is gone afterwards."""
    with serving:
        if ready_file is not None:
            write_whole(ready_file, f"{serving.url}\n".encode())
        try:
            yield
        finally:
            if ready_file is not None:
                Path(ready_file).unlink(missing_ok=True)


@contextmanager
def stopping() -> Iterator[threading.Event]:
    """An event that is set when somebody wants this process to stop."""
    stopped = threading.Event()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number in before:
        signal.signal(number, lambda *_: stopped.set())
    try:
        yield stopped
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def run(command: Sequence[str], env: Mapping[str, str]) -> int:
    """Runs a command with further variables, and gives its exit code. Raises `SetupError` where it cannot be run."""
    try:
        process = subprocess.Popen([*command], env={**os.environ, **env})
    except OSError as error:
        raise SetupError(f"{command[0]} cannot be run: {error.strerror or error}") from None
    code = process.wait()
    return 128 - code if code < 0 else code


def tell(serving: Serving, *, as_json: bool) -> bool:
    """Prints the verdict, and says whether all is well."""
    from playhead.wire.codec import encode_text

    verdict = serving.verdict()
    if as_json:
        click.echo(encode_text(verdict))
        return bool(verdict["ok"])
    requests = verdict["requests"]
    for failure in verdict["failures"]:
        click.echo(f"{failure['type']}: {failure['message']}")
    if verdict["ok"]:
        click.echo(f"{requests} request{'' if requests == 1 else 's'}, all as it should be")
    return bool(verdict["ok"])

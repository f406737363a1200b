"""`playhead conform`: the search for what breaks a loop, from the command line.

Law: reads options, prints what the kit says. A traceback is never the answer.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import TYPE_CHECKING, Any, TextIO

import click

from playhead.errors import SetupError
from playhead.files import is_there, nowhere, read_bytes, write_whole

if TYPE_CHECKING:
    from playhead.testing.findings import Report, Row


@click.command()
@click.argument("loop", metavar="MODULE:LOOP")
@click.option("-n", "--examples", type=click.IntRange(1), default=100, help="The most scripts a capability (100).")
@click.option("--only", multiple=True, metavar="CAPABILITY", help="Try this one alone; may be repeated.")
@click.option("--without", multiple=True, metavar="CAPABILITY", help="Leave this one out; may be repeated.")
@click.option("--feature", multiple=True, help="Optional features that the loop uses (all); may be repeated.")
@click.option("--no-faults", is_flag=True, help="No errors of the API or the connection.")
@click.option("--tools", metavar="MODULE:NAME|FILE", help="The tool definitions, a list in Python or a JSON file.")
@click.option("--functions", metavar="MODULE:NAME", help="A mapping of tool names to functions (made up).")
@click.option("--async-functions", is_flag=True, help="Hand the loop coroutine functions.")
@click.option("--served", is_flag=True, help="The loop builds its client: serve a base URL (ANTHROPIC_BASE_URL).")
@click.option("--ignore", multiple=True, metavar="RULE", help="Switch a rule off; may be repeated.")
@click.option("--rules", "own", multiple=True, metavar="MODULE:NAME", help="Rules of your own, a Rule or a list.")
@click.option("--cap", type=click.IntRange(1), default=100, help="Requests after which a loop is stopped (100).")
@click.option("--patience", type=float, default=10.0, help="Seconds without a request or a tool run, likewise (10).")
@click.option("--script", metavar="FILE|STEPS", help="Play this alone: a script file, or steps as JSON.")
@click.option("--raises", multiple=True, metavar="TOOL=MESSAGE", help="With --script: this tool fails.")
@click.option("--returns", multiple=True, metavar="TOOL=JSON", help="With --script: this tool returns a value.")
@click.option("--messages", metavar="JSON", help="With --script: the messages that the loop is given.")
@click.option("--conversations", type=click.Choice(["one", "in turn", "at once"]), default="one", hidden=True)
@click.option("--endless", is_flag=True, hidden=True)
@click.option("--slow-first", is_flag=True, hidden=True)
@click.option("--server-tools", is_flag=True, hidden=True)
@click.option("--show-output", is_flag=True, help="Show what the loop prints and logs, as with --script.")
@click.option("--save", type=click.Path(file_okay=False), help="Write a test and a script file for each finding here.")
@click.option("--junit", type=click.Path(dir_okay=False), help="Write the report as JUnit's XML.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def conform(
    loop: str, save: str | None, junit: str | None, as_json: bool, show_output: bool, script: str | None, **options: Any
) -> None:
    """Search for the scripts that break a tool loop, and print the smallest.

    MODULE:LOOP is a function loop(client, messages, tools, functions), sync or async. It is called with the SDK's
    client over a fake Claude, again and again, with scripts that look for what breaks it: calls in parallel, tools that
    fail, replies that are cut, an API that is overloaded. Exit code 1 where something was found.
    """
    progress = _telling(sys.stderr) if sys.stderr.isatty() else None
    with _beside_the_report(shown=show_output or script is not None):
        report = searched(loop, script=script, progress=progress, **options)
    for name, text in ((junit, report.to_junit), *_saved(save, report)):
        if name is not None:
            write_whole(name, text().encode())
    click.echo(report.to_json() if as_json else str(report))
    sys.exit(int(not report.ok))


@contextmanager
def _beside_the_report(*, shown: bool) -> Iterator[None]:
    """What a loop prints must not stand in the midst of a report that a program reads; and since it is called some
    thousand times, nobody sees what it prints and logs who did not ask for that.
    """
    if shown:
        with redirect_stdout(sys.stderr):
            yield
        return
    gone = nowhere()
    with redirect_stdout(gone), redirect_stderr(gone):
        yield


def searched(
    loop: str,
    *,
    examples: int,
    only: Sequence[str],
    without: Sequence[str],
    feature: Sequence[str],
    no_faults: bool,
    tools: str | None,
    functions: str | None,
    own: Sequence[str],
    raises: Sequence[str],
    returns: Sequence[str],
    script: str | None,
    messages: str | None,
    progress: Callable[[Row], None] | None = None,
    **options: Any,
) -> Report:
    """The report on a loop. Raises `SetupError` where an option says nothing that can be used."""
    from playhead.plugins import named, named_rules
    from playhead.testing import check_loop

    # a command finds what stands in the folder it is called in, as `python -m` does
    sys.path.insert(0, "")
    given: Any = named(loop, "loops")
    if not callable(given):
        raise SetupError(f"{loop} is no loop: a loop is called as loop(client, messages, tools, functions)")
    done: Any = {} if functions is None else named(functions, "functions")
    return check_loop(
        given,
        name=loop,
        max_examples=examples,
        only=only or None,
        without=without,
        features=feature or None,
        faults=not no_faults,
        tools=None if tools is None else _tools(tools),
        functions={**done, **_outcomes(raises, returns)} or None,
        rules=[rule for name in own for rule in named_rules(name)],
        script=None if script is None else _script(script),
        messages=None if messages is None else _json(messages, "--messages"),
        progress=progress,
        **options,
    )


def _telling(terminal: TextIO) -> Callable[[Row], None]:
    from playhead.testing.findings import row_line

    return lambda row: click.echo(f"\r\x1b[K{row_line(row)}", nl=False, file=terminal)


def _tools(name: str) -> Any:
    from playhead.plugins import named

    if not is_there(name) and ":" in name:
        return named(name, "tools")
    return _json(read_bytes(name), name)


def _json(text: str | bytes, where: str) -> Any:
    from playhead.wire.codec import JsonError, decode

    try:
        return decode(text)
    except JsonError as error:
        raise SetupError(f"{where} is no JSON: {error}") from None


def _script(given: str) -> Any:
    from playhead.script.forms import FORMAT, VERSION
    from playhead.script.reading import read
    from playhead.script.script import Script
    from playhead.wire.codec import encode

    if given.lstrip().startswith("["):
        whole = {"version": VERSION, "format": FORMAT, "script": _json(given, "--script")}
        found = read(encode(whole), "--script").script
    else:
        found = read(read_bytes(given), given).script
    if not isinstance(found, Script):
        raise SetupError("--script takes one script; this file has several, by how a conversation begins")
    return found


def _outcomes(raises: Sequence[str], returns: Sequence[str]) -> dict[str, Any]:
    from playhead.testing import raises as raising
    from playhead.testing import returns as returning

    made: dict[str, Any] = {}
    for option, texts in (("--raises", raises), ("--returns", returns)):
        for text in texts:
            tool, equals, value = text.partition("=")
            if not equals:
                raise SetupError(f"{option} is written TOOL=VALUE, not {text!r}")
            made[tool] = raising(value) if option == "--raises" else returning(_json(value, f"{option} {tool}"))
    return made


def _saved(folder: str | None, report: Report) -> list[tuple[str, Any]]:
    """The files of a report's findings: a test, and the script where a file can hold it."""
    files: list[tuple[str, Any]] = []
    for number, group in enumerate(report.groups() if folder is not None else (), 1):
        name = f"{folder}/test_{number:02}_{re.sub('[^a-z0-9]', '_', group[0].rule)}"
        files.append((f"{name}.py", lambda its=group[0]: its.code))
        if group[0].file:
            files.append((f"{name}.yaml", lambda its=group[0]: its.file))
    return files

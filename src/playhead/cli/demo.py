"""`playhead demo`: one question rehearsed on one screen, then the same with a bug in the loop.

Law: prints; what it shows is really run, with the real SDK over the fake.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from playhead.fake import FakeClaude
    from playhead.script.request import Request
    from playhead.script.steps import Block

QUESTION = "what date is it in 103 days?"
_SCRIPT = (
    'turn(say("Let me look."), call("get_current_datetime", date_format=...))',
    'call("add_duration_to_datetime", datetime_str=..., duration=103, ...)',
    'say("It will be ...")',
)
_BUG = 'messages.append({"role": "assistant", "content": text_from_message(reply)})'


@click.command()
def demo() -> None:
    """Rehearse a tool loop on one screen, then see it fail with a bug in it.

    Needs no network and no API key.
    """
    for line in screen():
        click.echo(line)


def screen() -> Iterator[str]:
    """The lines of the demonstration."""
    yield "Claude's side, a script (here the dates come from the tools' results):"
    yield from (f"    {number}  {step}" for number, step in enumerate(_SCRIPT, 1))
    yield ""
    yield "A correct loop and three tools, rehearsed through the real anthropic SDK:"
    yield from _rehearse(_correct_loop)
    yield ""
    yield "The same with one bug, only the text of a reply is kept:"
    yield f"    {_BUG}"
    yield from _rehearse(_broken_loop)
    yield ""
    yield "The correct loop recorded into a file, and replayed without anybody to ask:"
    yield from _replayed()


def _rehearse(loop: Callable[[FakeClaude], None]) -> Iterator[str]:
    from playhead.cli.transcript import transcript
    from playhead.errors import PlayheadError
    from playhead.fake import FakeClaude

    fake = FakeClaude(_script())
    error = _run(loop, fake)
    failure: PlayheadError | None = fake.failure()
    if failure is None:
        yield from (line.text for line in transcript(fake.session))
        yield f"verdict  ok: {len(fake.session.exchanges)} exchanges, every step played, no rule broken"
        return
    if error is not None:
        yield f"the loop got   {error}"
    yield "the test says"
    yield from f"playhead.{type(failure).__name__}: {failure}".splitlines()


def _replayed() -> Iterator[str]:
    """A recording of the correct loop, its replay, and a replay on another day."""
    import datetime
    import os
    import tempfile

    from playhead.fake import FakeClaude
    from playhead.recording import record

    today = datetime.date.today().isoformat()  # once: it may be shortly before midnight
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "103_days.yaml")
        with FakeClaude(_script()) as fake, record(path, fake.transport) as recording:
            _ask(recording.client(api_key="any"), today)
        yield f'    with record("103_days.yaml"): ...          {os.path.getsize(path) / 1000:.1f} KB'
        with FakeClaude.from_cassette(path, accept="record it again") as fake:
            _ask(fake.client(), today)
        yield f"    with FakeClaude.from_cassette(...): ...  {len(fake.session.exchanges)} exchanges, each as recorded"
        yield "on another day it says what is not as it was:"
        fake = FakeClaude.from_cassette(path, accept="record it again")
        _run(lambda fake: _ask(fake.client(), "1999-12-31"), fake)
        lines = str(fake.failure()).replace(f"{folder}{os.sep}", "").splitlines()
        yield from (f"playhead.RequestMismatch: {lines[0]}", *lines[1:])


def _ask(client: Any, today: str) -> None:
    """The correct loop, on a given day."""
    from playhead.loop import Tools, date_tools, run_conversation

    tools = Tools()
    for schema, function in zip(date_tools([]).schemas, date_tools([]).functions.values(), strict=True):
        is_clock = schema["name"] == "get_current_datetime"
        tools.add(schema, (lambda **_: today) if is_clock else function)
    run_conversation(client, [{"role": "user", "content": QUESTION}], tools)


def _run(loop: Callable[[FakeClaude], None], fake: FakeClaude) -> str | None:
    """Runs a loop; what it raised, in one word, if it did."""
    import anthropic

    try:
        loop(fake)
    except anthropic.APIStatusError as error:
        return f"anthropic.{type(error).__name__}, as in production"
    return None


def _script() -> list[Any]:
    from playhead.script.steps import call, say, turn

    return [
        turn(say("Let me look."), call("get_current_datetime", date_format="%Y-%m-%d")),
        _add_103_days,
        _tell,
    ]


def _add_103_days(request: Request) -> Block:
    """Claude reads the date from the tool's result, and asks for the sum."""
    from playhead.script.steps import call

    return call("add_duration_to_datetime", datetime_str=_result(request), duration=103, unit="days")


def _tell(request: Request) -> Block:
    from playhead.script.steps import say

    return say(f"It will be {_result(request)}.")


def _result(request: Request) -> str:
    return " ".join(str(result.get("content")) for result in request.results.values())


def _correct_loop(fake: FakeClaude) -> None:
    from playhead.loop import date_tools, run_conversation

    run_conversation(fake.client(), [{"role": "user", "content": QUESTION}], date_tools([]))


def _broken_loop(fake: FakeClaude) -> None:
    from playhead.loop import chat, date_tools, run_tools, text_from_message

    client, tools = fake.client(), date_tools([])
    messages: list[dict[str, Any]] = [{"role": "user", "content": QUESTION}]
    for _ in range(10):
        reply = chat(client, messages, tools)
        messages.append({"role": "assistant", "content": text_from_message(reply)})
        if reply.stop_reason != "tool_use":
            return
        messages.append({"role": "user", "content": run_tools(reply, tools)})

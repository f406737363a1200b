"""What a rehearsal comes to: everything that went wrong, as one error.

Law: reads an engine's state, changes nothing. The texts are what a person sees when a test fails.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from playhead.engine.engine import Engine
from playhead.engine.mismatch import error, left_over, not_finished
from playhead.engine.player import Player
from playhead.errors import PlayheadError, RuleViolations, ScriptNotFinished, ScriptOver, SeveralFailures
from playhead.rules.report import report
from playhead.rules.rule import Violation
from playhead.script.cases import first_text_of
from playhead.wire.exchange import Exchange
from playhead.wire.tables import STOP_REASONS

_SHOWN = 3
_BEGINNING = 40


def failures(engine: Engine, expected: Collection[Violation] = ()) -> list[PlayheadError]:
    """Everything that makes the rehearsal fail; `expected` are the violations that the test wants.

    A lenient fake fails only where the script itself is at fault, or the recording does not fit.
    """
    mismatches = [] if engine.tape is None else [error(engine.tape, mismatch) for mismatch in engine.tape.mismatches]
    if not engine.settings.strict:
        return [*engine.errors, *mismatches]
    failed: list[PlayheadError] = []
    unexpected = failing(engine, expected)
    if unexpected:
        failed.append(RuleViolations(report(unexpected, _notes(engine, unexpected)), unexpected))
    failed += [*engine.errors, *mismatches]
    if engine.over:
        failed.append(_script_over(engine))
    idle = [player for player in engine.players.all if player.unplayed]
    if idle and not failed and not (engine.refused and expected):
        failed.append(_not_finished(engine, idle))
    if engine.tape is not None and engine.tape.left and not failed and not (engine.refused and expected):
        asked = [exchange for exchange in engine.exchanges if exchange.is_message]
        stopped = _where_it_stopped("The loop", asked[-1]) if asked else "The loop sent no request."
        failed.append(not_finished(engine.tape, stopped))
    return failed


def failing(engine: Engine, expected: Collection[Violation] = ()) -> list[Violation]:
    """The violations that fail the rehearsal: those of a failing level which the test does not expect."""
    return [
        violation
        for violation in engine.violations
        if violation not in expected and violation.level in engine.settings.failing
    ]


def as_one(failed: Sequence[PlayheadError]) -> PlayheadError | None:
    """One error for all of them, None for none."""
    if len(failed) < 2:
        return failed[0] if failed else None
    return SeveralFailures(failed)


def _notes(engine: Engine, unexpected: Sequence[Violation]) -> list[str]:
    notes = []
    refused = [violation for violation in engine.refused if violation in unexpected]
    if refused:
        later = any(exchange.number > (refused[0].exchange or 0) for exchange in engine.exchanges)
        status = refused[0].status or 400
        named = " (BadRequestError)" if status == 400 else ""
        went_on = "and sent more requests" if later else "and went on"
        notes.append(
            f"The fake answered exchange {refused[0].exchange} with this {status}. If the test reached its end all the "
            f"same, the loop caught the error itself{named} {went_on}."
        )
    for player in engine.players.all:
        if player.unplayed:
            notes.append(f"{_steps(player)} never asked for.")
    if engine.tape is not None and engine.tape.left:
        notes.append(f"{left_over(engine.tape)} never asked for.")
    return notes


def _steps(player: Player) -> str:
    count, of = len(player.unplayed), len(player.script)
    named = f" of {player.name}" if player.name else ""
    return f"{count} of {of} step{'s' if of != 1 else ''}{named} {'was' if count == 1 else 'were'}"


def _not_finished(engine: Engine, idle: Sequence[Player]) -> ScriptNotFinished:
    lines = []
    for player in idle:
        first = len(player.script) - len(player.unplayed) + 1
        unfit = ": no conversation fits this case" if player.name and not player.played else ""
        lines.append(f"{_steps(player)} never asked for{unfit}")
        for number, step in enumerate(player.unplayed, first):
            shown = str(step) if not callable(step) else f"function {getattr(step, '__name__', 'of the script')}"
            lines.append(f"    {number:<3} {shown}{_next(player) if number == first else ''}")
        if player.name and player.played:
            last = engine.players.last(player)
            lines += [] if last is None else [_where_it_stopped("Its conversation", engine.exchange(last))]
    asked = [exchange for exchange in engine.exchanges if exchange.is_message]
    if not asked:
        lines.append("The loop sent no request.")
    elif any(player.name and not player.played for player in idle):
        lines.append(_how_they_began(engine))
    elif any(not player.name for player in idle):
        lines.append(_where_it_stopped("The loop", asked[-1]))
    return ScriptNotFinished("\n".join(lines), [step for player in idle for step in player.unplayed])


def _next(player: Player) -> str:
    left = player.times_left
    return f"   <- next, {left} more time{'s' if left != 1 else ''}" if left else "   <- next"


def _how_they_began(engine: Engine) -> str:
    """The first words of the conversations that there were, each once."""
    firsts = [conversation.exchanges[0] for conversation in engine.session.conversations]
    texts = dict.fromkeys(repr(first_text_of(first.messages)[:_BEGINNING]) for first in firsts)
    shown = [*texts][:_SHOWN]
    more = f" and {len(texts) - _SHOWN} more" if len(texts) > _SHOWN else ""
    return f"Conversations began with {', '.join(shown)}{more}."


def _where_it_stopped(who: str, last: Exchange) -> str:
    if last.failed:
        return f"{who} stopped after exchange {last.number}, which failed: {_failure(last)}."
    sentence = f'{who} stopped after exchange {last.number} with stop_reason "{last.stop_reason}"'
    reason = STOP_REASONS.get(last.stop_reason or "")
    calls = len(last.calls())
    if reason is not None and reason.then == "run tools":
        return f"{sentence}: it left {calls} tool call{'s' if calls != 1 else ''} unanswered."
    if reason is not None and reason.then == "resume":
        return f"{sentence}, which asks it to go on."
    return f"{sentence}."


def _failure(exchange: Exchange) -> str:
    if exchange.error is not None:
        status = "" if exchange.status in (None, 200) else f"{exchange.status} "
        return f"{status}{exchange.error.get('type')}"
    return "the connection broke" if exchange.status is None else "the answer broke off"


def _script_over(engine: Engine) -> ScriptOver:
    requests, player = len(engine.over), engine.over[0]
    asked = f"{requests} request{'s' if requests != 1 else ''}"
    last = next((exchange for exchange in reversed(engine.exchanges) if exchange.response is not None), None)
    after = f' Its last answered reply stopped with "{last.stop_reason}".' if last else ""
    named = f" of {player.name}" if player.name else ""
    return ScriptOver(
        f"the loop sent {asked} after the script's last step (of {len(player.script)}){named}: "
        f"add what Claude should say, or find out why the loop did not stop.{after}",
        requests,
    )

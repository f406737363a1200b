"""What a cassette did not fit, as a person reads it.

Law: values to text; 80 columns, no colour. The texts are what a person sees when a test fails.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from playhead.cassettes.received import content_of
from playhead.engine.tape import Mismatch, Tape, counted
from playhead.errors import CassetteNotFinished, RequestMismatch
from playhead.wire.codec import JsonObject, encode_text

_WIDTH = 80
_LABEL = 10
_LONG = 60
_LISTED = 10
"""How many recorded exchanges that were not asked for are listed."""


def sentence(tape: Tape, mismatch: Mismatch) -> str:
    """The mismatch in one sentence, as the answer to the request."""
    parts = [_headline(tape, mismatch)]
    if mismatch.recorded is not None:
        parts.append(f" at {mismatch.path}: recorded {mismatch.recorded}, today {mismatch.today}")
    return f"{''.join(parts)}; likely {_likely(mismatch)}; if today's is right: {tape.accept}"


def error(tape: Tape, mismatch: Mismatch) -> RequestMismatch:
    """The mismatch as the test fails with it."""
    rows = [("at", mismatch.path), ("recorded", mismatch.recorded), ("today", mismatch.today)]
    rows += [("likely", _likely(mismatch)), ("accept", tape.accept)]
    if mismatch.later:
        verb = "fits nothing" if mismatch.later == 1 else "fit nothing"
        rows.append(("then", f"{counted(mismatch.later, 'later request')} {verb} either"))
    lines = [_headline(tape, mismatch), *(line for label, text in rows if text for line in _row(label, text))]
    return RequestMismatch(
        "\n".join(lines),
        cassette=tape.name,
        turn=None if mismatch.place is None else tape.turn(mismatch.place),
        path=mismatch.path,
        recorded=mismatch.recorded,
        today=mismatch.today,
        likely=_likely(mismatch),
        accept=tape.accept,
    )


def not_finished(tape: Tape, stopped: str) -> CassetteNotFinished:
    """The recorded exchanges that were never asked for; `stopped` says where the loop ended."""
    unplayed = [*_unplayed(tape)]
    lines = [f"{left_over(tape)} never asked for"]
    for number, (position, shown) in enumerate(zip(tape.unplayed, unplayed, strict=True)):
        if number == _LISTED:
            lines.append(f"    ... and {len(unplayed) - _LISTED} more")
            break
        line = f"    {position + 1:<3} {tape.where(position)}: {shown}"
        lines.append(f"{_cut(line, _WIDTH - 10 if not number else _WIDTH)}{'   <- next' if not number else ''}")
    lines.append(stopped)
    lines += textwrap.wrap(f"If that is right: {tape.accept}", _WIDTH, break_long_words=False, break_on_hyphens=False)
    return CassetteNotFinished("\n".join(lines), unplayed)


def left_over(tape: Tape) -> str:
    """How many recorded exchanges were never asked for, up to the verb; an unfinished cassette says so."""
    count, total = len(tape.unplayed), len(tape.interactions)
    cut_short = "" if tape.finished else " (its recording was cut short)"
    return (
        f"{count} of {counted(total, 'recorded exchange')} in {tape.name}{cut_short} {'was' if count == 1 else 'were'}"
    )


def _headline(tape: Tape, mismatch: Mismatch) -> str:
    if mismatch.place is None:
        return f"{tape.name} holds no {mismatch.asked}"
    where = f"{tape.where(mismatch.place)} of {tape.name}"
    return f"{where} is asked for again" if mismatch.path is None else f"{where} differs from today's request"


def _likely(mismatch: Mismatch) -> str:
    if not mismatch.volatile:
        return mismatch.likely
    names = ", ".join(f'"{name}"' for name in mismatch.volatile)
    return f"{mismatch.likely}, or replay with volatile=[{names}]"


def _row(label: str, text: str) -> list[str]:
    if label in ("recorded", "today", "at"):
        return [f"    {label:<{_LABEL}}{text}"]
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=f"    {label:<{_LABEL}}",
        subsequent_indent=" " * (4 + _LABEL),
        break_long_words=False,
        break_on_hyphens=False,
    )


def _unplayed(tape: Tape) -> Iterator[str]:
    """What each exchange that was not asked for would have answered."""
    for position in tape.unplayed:
        answer = tape.interactions[position].answer
        blocks = [block for block in content_of(answer) if isinstance(block, dict) and "type" in block]
        if answer.status >= 400 or not answer.status:
            yield f"status {answer.status}" if answer.status else f"no answer ({answer.fault})"
        else:
            yield "; ".join(map(_shown, blocks)) or f"{len(answer.body):,} bytes"


def _shown(block: JsonObject) -> str:
    """A block of a reply in the words of a script, as far as it came: a stream may have broken off in it."""
    if block["type"] == "text":
        return f"say({_json(block.get('text'))})"
    if "name" in block and "input" in block:
        return f"call({_json(block['name'])}, {_json(block['input'])})"
    return str(block["type"])


def _json(value: object) -> str:
    return _cut(encode_text(value), _LONG)


def _cut(text: str, size: int) -> str:
    return text if len(text) <= size else f"{text[: size - 1]}…"

"""Rules on loops that do not get anywhere: no limit, the same call again, the same cut reply again.

Law: pure checks. How far a check looks back is bounded, so that a long standstill costs no more than a short one.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from playhead.rules.bodies import same_body
from playhead.rules.calls import choice_kind, id_of, is_error, result_text
from playhead.rules.ending import shown_text, text_of
from playhead.rules.rule import EndView, Finding, Rule, StepView
from playhead.wire.codec import canonical
from playhead.wire.exchange import Exchange
from playhead.wire.follow import Link
from playhead.wire.tables import STOP_REASONS
from playhead.wire.turns import PlacedBlock

_TOO_OFTEN = 3
"""How many equal calls in a row that fail alike are too many. Such that succeed may be waiting for something."""

_STORM = 4
"""How many failed requests in a row say that a loop which is still running will go on so."""

_FORCED = ("any", "tool")


def _bounded(view: EndView) -> Iterator[Finding]:
    if view.limit is not None:
        yield Finding(
            path="$",
            what=f"the loop sent more than {view.limit} requests and had to be stopped",
        )
    elif view.how == "running":
        failed = _failed_at_last(view)
        if failed >= _STORM:
            yield Finding(
                path="$",
                what=f"the loop was still running after {len(view.exchanges)} requests, the last {failed} of which "
                "failed",
            )
        elif _wants_more(view):
            yield Finding(
                path="$",
                what=f"the loop was still running after {len(view.exchanges)} requests",
            )


def _failed_at_last(view: EndView) -> int:
    """How many attempts at the last request failed, one after the other."""
    line = view.so_far.line(view.so_far.newest)
    return sum(1 for _ in takewhile(lambda pair: pair[0].failed, line))


def _wants_more(view: EndView) -> bool:
    """Whether the last reply of the conversation that was active last asks for something."""
    line = view.so_far.line(view.so_far.newest)
    last = next((exchange for exchange, _ in line if exchange.response is not None), None)
    reason = STOP_REASONS.get(last.stop_reason or "") if last else None
    return reason is not None and reason.then != "stop"


def _cut_again(step: StepView) -> Iterator[Finding]:
    """A request that was cut twice and is sent a third time as it was."""
    if step.link.kind != "repeats":
        return
    attempts = [exchange for exchange, _ in _repeated(step)]
    if len(attempts) == 2 and all(same_body(attempt, step.exchange) for attempt in attempts):
        yield Finding(
            path="$.max_tokens",
            what=f"the request is sent again as it was, although its reply stopped with "
            f"{attempts[0].stop_reason} each time",
            values={"reason": attempts[0].stop_reason},
        )


def _cut_and_returned(view: EndView) -> Iterator[Finding]:
    """The part that came before the limit, shown as the whole."""
    last, shown = view.last, shown_text(view)
    if view.how != "returned" or last is None or last.failed or shown is None or last.stop_reason != "max_tokens":
        return
    if shown.strip() and shown.strip() == text_of(last).strip():
        yield Finding(
            path="$response.stop_reason",
            what="the reply was cut at max_tokens, and the loop showed the part that came as if it were the answer",
            values={"reason": last.stop_reason},
            exchange=last.number,
            same_as=("stop-reason-checked",),
        )


def _repeated(step: StepView) -> Iterator[tuple[Exchange, Link]]:
    """The last two attempts at this request, if both replies were cut."""
    for count, (exchange, link) in enumerate(step.before()):
        if exchange.stop_reason not in ("max_tokens", "model_context_window_exceeded") or count == 2:
            return
        yield exchange, link
        if link.kind != "repeats":
            return


def _same_call_again(step: StepView) -> Iterator[Finding]:
    if step.parent is None or not all(_failed(block) for blocks in step.results.values() for block in blocks):
        return  # as nearly always
    told = _told(step)
    if not told:
        return
    count, asked = 1, _asked(step.parent)
    for exchange, link in _turns(step.before()):
        earlier = step.so_far.exchange(link.parent) if link.parent is not None else None
        if earlier is None or link.kind != "continues" or _asked(earlier) != asked:
            break
        if _told(StepView(exchange=exchange, link=link, parent=earlier)) != told:
            break
        count += 1
        if count == _TOO_OFTEN:
            call = step.calls[0]
            yield Finding(
                path="$.messages",
                what=f"{call.get('name')} was called {count} times in a row with the same input and failed in the "
                "same way",
                values={"name": call.get("name")},
            )
            return


def _turns(line: Iterator[tuple[Exchange, Link]]) -> Iterator[tuple[Exchange, Link]]:
    """The exchanges of a conversation back to the first, without further attempts at the same request."""
    return (pair for pair in line if pair[1].kind != "repeats")


def _asked(exchange: Exchange) -> list[bytes]:
    return [canonical([call.get("name"), call.get("input")]) for call in exchange.calls()]


def _told(step: StepView) -> list[tuple[str, bool]] | None:
    """What the calls of the reply before returned, in their order; None where one is not answered, or not by text."""
    told = []
    for call in step.calls:
        blocks = step.results.get(id_of(call), ())
        if len(blocks) != 1 or not result_text(blocks[0]):
            return None
        told.append((result_text(blocks[0]), is_error(blocks[0])))
    return told


def _failed(block: PlacedBlock) -> bool:
    return is_error(block) or result_text(block)[:5].lower() == "error"


def _forced(exchange: Exchange) -> object:
    """The kind of `tool_choice` where it demands a call."""
    kind = choice_kind(exchange)
    return kind if kind in _FORCED else None


def _forced_again(step: StepView) -> Iterator[Finding]:
    """A call is demanded although it has just been made and answered: of the same tool, or of any for a third time."""
    kind = _forced(step.exchange)
    if kind is None or step.parent is None or not step.results or _forced(step.parent) != kind:
        return
    choice = (step.exchange.request or {})["tool_choice"]
    if kind == "tool" and not any(call.get("name") == choice.get("name") for call in step.parent.calls()):
        return
    line = [exchange for _, (exchange, _) in zip(range(2), _turns(step.before()), strict=False)]
    if kind == "any" and (len(line) < 2 or _forced(line[1]) != kind):
        return
    yield Finding(
        path="$.tool_choice",
        what=f"tool_choice demands a call again ({kind}), with the results of the one that it demanded before",
        level="warn",
    )


def _forced_for_ever(view: EndView) -> Iterator[Finding]:
    if view.how != "running" and view.limit is None:
        return
    newest = view.so_far.newest
    line = [exchange for _, (exchange, _) in zip(range(2), _turns(view.so_far.line(newest)), strict=False)]
    if newest is not None and len(line) == 2 and all(map(_forced, line)) and _wants_more(view):
        yield Finding(
            path="$.tool_choice",
            what="every request demands a call, so that Claude cannot end; the loop was still running",
            exchange=line[0].number,
        )


RULES = (
    Rule(
        id="loop-bounded",
        level="broken",
        fix="give the loop a limit of turns, and raise an error that says so when it is reached",
        end=_bounded,
    ),
    Rule(
        id="max-tokens-retry-changes-something",
        level="broken",
        fix="after {reason}, ask with a higher max_tokens or less to say, ask to go on, or stop and say so",
        step=_cut_again,
        end=_cut_and_returned,
        after=("max_tokens", "model_context_window_exceeded"),
    ),
    Rule(
        id="no-identical-call-loop",
        level="warn",
        fix="count equal calls of {name} that end the same way, and stop or tell Claude to try something else",
        step=_same_call_again,
        after=("tool_use", "unsaid"),
    ),
    Rule(
        id="forced-tool-choice-reset",
        level="broken",
        fix="send `tool_choice: {{'type': 'auto'}}` once the call has been made: what is forced cannot end",
        step=_forced_again,
        after=("tool_use", "unsaid"),
        end=_forced_for_ever,
    ),
)

"""Rules on which replies a loop may run tools of: whole ones that ask for it.

Law: pure checks. Executions are known from `tools_run`, or from the results that the next request carries.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from playhead.rules.calls import id_of, is_error, named
from playhead.rules.ending import stopped_on_purpose
from playhead.rules.rule import AnswerCheck, EndView, Finding, Rule, StepCheck, StepView
from playhead.wire.exchange import Exchange
from playhead.wire.tables import BLOCKS, STOP_REASONS

_CUT = tuple(name for name, reason in STOP_REASONS.items() if not reason.whole)


def ran(concerned: Callable[[Exchange], object], why: str, same_as: tuple[str, ...] = ()) -> AnswerCheck:
    """A check that finds executions which were counted, of calls in a reply that is `concerned`."""

    def check(exchange: Exchange) -> Iterator[Finding]:
        if not exchange.tools_run or not concerned(exchange):
            return
        run = set(exchange.tools_run)
        for position, block in enumerate(exchange.content):
            if isinstance(block, dict) and block.get("type") == "tool_use" and id_of(block) in run:
                yield Finding(
                    path=f"$response.content[{position}]",
                    what=f"{named(block)} was run; its reply {why.format(reason=exchange.stop_reason)}",
                    values={"reason": exchange.stop_reason},
                    place=(position,),
                    same_as=same_as,
                )

    return check


def answered(concerned: Callable[[Exchange], object], why: str) -> StepCheck:
    """A check that finds executions which were not counted, by the results in the next request."""

    def check(step: StepView) -> Iterator[Finding]:
        parent = step.parent
        if parent is None or parent.tools_run is not None or not concerned(parent):
            return
        for call in step.calls:
            for block in step.results.get(id_of(call), ()):
                if not is_error(block):
                    yield Finding(
                        path=block.path,
                        what=(
                            f"a result for {named(call)}, which came in a reply that "
                            f"{why.format(reason=parent.stop_reason)}"
                        ),
                        values={"reason": parent.stop_reason},
                        place=(block.message, block.position),
                    )

    return check


_STOPPED = "stopped with {reason}"


def _is_cut(exchange: Exchange) -> bool:
    return exchange.stop_reason in _CUT


def _is_novel(exchange: Exchange) -> bool:
    return exchange.stop_reason is not None and exchange.stop_reason not in STOP_REASONS


_CRASHED = re.compile(
    r"\b(Key|Attribute|Type|Index|Assertion|NotImplemented|Validation|Match|Unbound)\w*Error|\bblock\b|unexpected", re.I
)


def _new_word_ends_loop(view: EndView) -> Iterator[Finding]:
    """A loop that failed, not stopped, at a stop reason or a type of block that it did not know."""
    last = view.last
    if view.how != "raised" or last is None or last.failed or stopped_on_purpose(view.error):
        return
    new = [str(b.get("type")) for b in last.content if isinstance(b, dict) and str(b.get("type")) not in BLOCKS]
    if _is_novel(last):
        new.append(str(last.stop_reason))
    if new and _CRASHED.search(view.error):
        yield Finding(
            path="$response",
            what=f"the reply brought {new[0]!r}, which no table lists, and the loop ended with {view.error!r}",
            values={"reason": last.stop_reason},
            exchange=last.number,
        )


RULES = (
    Rule(
        id="max-tokens-no-tool-execution",
        level="broken",
        fix=(
            "check stop_reason before running tools: after {reason} the last call may be cut although it parses; "
            "ask again with a higher max_tokens, or stop and say so"
        ),
        answer=ran(_is_cut, _STOPPED),
        step=answered(_is_cut, _STOPPED),
        after=_CUT,
    ),
    Rule(
        id="unknown-stop-reason-stops",
        level="broken",
        fix="run tools after stop_reason 'tool_use' only; stop, and say so, after one that is not known: {reason}",
        answer=ran(_is_novel, _STOPPED),
        step=answered(_is_novel, _STOPPED),
        after=("novel",),
        end=_new_word_ends_loop,
    ),
)

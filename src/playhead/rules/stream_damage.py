"""Rules on streams that break or bring something new: an error event, no end, input that is no JSON, unknown events.

Law: pure checks. A stream that ended badly has no reply, only the beginning of one: nothing of it is to be run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from playhead.rules.calls import is_error, unparsed_inputs
from playhead.rules.ending import tells_trouble
from playhead.rules.execution import answered, ran
from playhead.rules.rule import EndCheck, EndView, Finding, Rule, StepView
from playhead.wire.codec import JsonObject
from playhead.wire.exchange import Exchange
from playhead.wire.tables import DELTAS, EVENTS, STOP_REASONS


def _error_event(exchange: Exchange) -> bool:
    """Whether an error came although the answer had begun well."""
    return exchange.error is not None and (exchange.status or 200) < 400 and _began(exchange)


def _no_end(exchange: Exchange) -> bool:
    return not exchange.complete and exchange.error is None and _began(exchange)


def _began(exchange: Exchange) -> bool:
    return exchange.response is not None or exchange.events is not None


def _taken_for_whole(concerned: Callable[[Exchange], bool], what: str) -> EndCheck:
    """A check that finds a loop which returned with such a reply as if it were whole."""

    def check(view: EndView) -> Iterator[Finding]:
        last = view.last
        if view.how != "returned" or last is None or not concerned(last):
            return
        if not view.error and not tells_trouble(view.shown):
            yield Finding(path="$response", what=f"{what}, and the loop returned as if it were", exchange=last.number)

    return check


_RUN_OF_HALF = ("max-tokens-no-tool-execution", "sse-error-event-fails-turn", "sse-missing-message-stop")


def _run_unparsed(exchange: Exchange) -> Iterator[Finding]:
    if exchange.tools_run and exchange.events:
        for call, text in unparsed_inputs(exchange).items():
            if call in exchange.tools_run:
                yield Finding(
                    path="$response",
                    what=f"{call} was run; all that came of its input is {_cut(text)}, which is no JSON",
                    same_as=_RUN_OF_HALF,
                )


_MAY_HAVE_CALLED = (*(name for name in STOP_REASONS if name != "end_turn"), "failed", "novel", "unsaid")


def _answered_unparsed(step: StepView) -> Iterator[Finding]:
    parent = step.parent
    if parent is None or parent.tools_run is not None or not parent.events or not step.results:
        return
    for call, text in unparsed_inputs(parent).items():
        for block in step.results.get(call, ()):
            if not is_error(block):
                yield Finding(
                    path=block.path,
                    what=f"a result for {call}; all that came of its input is {_cut(text)}, which is no JSON",
                    same_as=_RUN_OF_HALF,
                )


def _shown_unparsed(view: EndView) -> Iterator[Finding]:
    last = view.last
    if last is None or not last.events or last.tools_run or (view.shown or {}).get("tool_input") is None:
        return
    for call, text in unparsed_inputs(last).items():
        yield Finding(
            path="$response",
            what=f"the loop took an input for {call} from {_cut(text)}, which is no JSON",
            exchange=last.number,
        )


def _cut(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:39]}…")


_ABOUT_EVENTS = re.compile(r"event|unknown|unexpected|unhandled|unsupported|unrecogni[sz]ed|delta|ping|KeyError", re.I)


def _new_event_ends_loop(view: EndView) -> Iterator[Finding]:
    """A loop that raised at the end of a stream in which all was well, but for something it did not know."""
    last = view.last
    if view.how != "raised" or last is None or last.failed or not last.events:
        return
    names = [name for event in last.events for name in _unknown(event)]
    reason = STOP_REASONS.get(last.stop_reason or "")
    whole = reason is not None and reason.whole and reason.then == "stop"
    named_it = any(name in view.error for name in (*names, "ping"))
    if not ((names and (whole or _ABOUT_EVENTS.search(view.error))) or (named_it and _has_ping(last))):
        return
    what = f"{names[0]!r}" if names else "a ping"
    yield Finding(
        path="$response",
        what=f"the stream was whole and brought {what}; the loop ended{f' with {view.error!r}' if view.error else ''}",
        exchange=last.number,
    )


def _unknown(event: JsonObject) -> Iterator[str]:
    """The types of an event and of its delta that no table lists."""
    kind, delta = event.get("type"), event.get("delta")
    if isinstance(kind, str) and kind not in EVENTS:
        yield kind
    if kind == "content_block_delta" and isinstance(delta, dict) and str(delta.get("type")) not in DELTAS:
        yield str(delta.get("type"))


def _has_ping(exchange: Exchange) -> bool:
    return any(event.get("type") == "ping" for event in exchange.events or ())


_BROKE = "broke off with an error event"
_NO_STOP = "ended without message_stop"

RULES = (
    Rule(
        id="sse-error-event-fails-turn",
        level="broken",
        fix="an error event ends the turn: throw away what came, run nothing of it, and raise or try again",
        answer=ran(_error_event, _BROKE),
        step=answered(_error_event, _BROKE),
        after=("failed",),
        end=_taken_for_whole(_error_event, "the stream brought an error event, so that the reply is none"),
    ),
    Rule(
        id="sse-missing-message-stop",
        level="broken",
        fix="a reply is whole when message_stop has come; before that run nothing of it, and raise or try again",
        answer=ran(_no_end, _NO_STOP),
        step=answered(_no_end, _NO_STOP),
        after=("failed",),
        end=_taken_for_whole(_no_end, "the stream ended without message_stop, so that the reply is not whole"),
    ),
    Rule(
        id="sse-parse-at-block-stop",
        level="broken",
        fix="parse a tool's input once, when its block stops, and answer what is no JSON with `is_error: true`",
        answer=_run_unparsed,
        step=_answered_unparsed,
        after=_MAY_HAVE_CALLED,
        end=_shown_unparsed,
    ),
    Rule(
        id="sse-unknown-events-ignored",
        level="broken",
        fix="pass over ping, and over events and deltas that you do not know; the API adds new ones",
        end=_new_event_ends_loop,
    ),
)

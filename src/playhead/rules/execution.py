"""Rules on what the loop does with a reply: which tools it runs, and when it stops.

Law: pure checks. Executions are known from `tools_run`, or from the results that the next request carries.
"""

from __future__ import annotations

from collections.abc import Iterator

from playhead.rules.rule import EndView, Finding, Rule, StepView
from playhead.wire.exchange import Exchange
from playhead.wire.tables import STOP_REASONS
from playhead.wire.turns import blocks_of

_CUT = tuple(name for name, reason in STOP_REASONS.items() if not reason.whole)


def _ran_truncated(exchange: Exchange) -> Iterator[Finding]:
    """Executions that were counted."""
    if exchange.stop_reason not in _CUT:
        return
    run = set(exchange.tools_run or ())
    for position, block in enumerate(exchange.content):
        if isinstance(block, dict) and block.get("type") == "tool_use" and block.get("id") in run:
            yield Finding(
                path=f"$response.content[{position}]",
                what=f"{block.get('id')} ({block.get('name')}) was run; its reply stopped with {exchange.stop_reason}",
                values={"reason": exchange.stop_reason},
                place=(position,),
            )


def _answered_truncated(step: StepView) -> Iterator[Finding]:
    """Executions that show in the results of the next request."""
    parent = step.parent
    if parent is None or parent.stop_reason not in _CUT or parent.tools_run is not None:
        return
    calls = {str(call.get("id")): call for call in parent.calls()}
    for index, message in enumerate(step.added, step.link.shared):
        for block in blocks_of(message, index):
            identifier = str(block.data.get("tool_use_id"))
            if block.type == "tool_result" and identifier in calls and not block.data.get("is_error"):
                yield Finding(
                    path=block.path,
                    what=(
                        f"a result for {identifier} ({calls[identifier].get('name')}), which came in a reply that "
                        f"stopped with {parent.stop_reason}"
                    ),
                    values={"reason": parent.stop_reason},
                    place=(index, block.position),
                )


def _bounded(view: EndView) -> Iterator[Finding]:
    if view.limit is not None:
        yield Finding(
            path="$",
            what=f"the loop sent more than {view.limit} requests and had to be stopped",
        )
    elif view.end is not None and view.end.get("how") == "running" and _wants_more(view):
        yield Finding(
            path="$",
            what=f"the loop was still running after {len(view.exchanges)} requests",
        )


def _wants_more(view: EndView) -> bool:
    last = next((exchange for exchange in reversed(view.exchanges) if exchange.response is not None), None)
    reason = STOP_REASONS.get(last.stop_reason or "") if last else None
    return reason is not None and reason.then != "stop"


RULES = (
    Rule(
        id="max-tokens-no-tool-execution",
        level="broken",
        fix=(
            "check stop_reason before running tools: after {reason} the last call may be cut although it parses; "
            "ask again with a higher max_tokens, or stop and say so"
        ),
        answer=_ran_truncated,
        step=_answered_truncated,
    ),
    Rule(
        id="loop-bounded",
        level="broken",
        fix="give the loop a limit of turns, and raise an error that says so when it is reached",
        end=_bounded,
    ),
)

"""Rules on what becomes of Claude's calls: each is run at most once and answered once, with what it returned.

Law: pure checks on a request and the reply before it, or on the end of a session. Which calls were run is known from
`tools_run`, what they returned from `results`; where these are unknown, the results in the request are the evidence.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from playhead.rules.calls import (
    choice_kind,
    id_of,
    input_fault,
    is_error,
    named,
    offered,
    raised_text,
    result_text,
    server_calls,
    unanswered,
    where,
)
from playhead.rules.echo import goes_on
from playhead.rules.ending import speaks_of_trouble, stopped_on_purpose, tells_trouble
from playhead.rules.executions import runs_again
from playhead.rules.rule import EndView, Finding, Rule, StepView
from playhead.wire.exchange import Exchange
from playhead.wire.tables import SERVER_CALLS
from playhead.wire.turns import blocks_of

_WITH_CALLS = ("tool_use", "unsaid")
_UNANSWERED = ("tool-use-unanswered",)


def _answered_once(step: StepView) -> Iterator[Finding]:
    if step.parent is None or not step.answers_calls:
        return
    for position, call in enumerate(step.calls):
        results = step.results.get(id_of(call), ())
        if not results:
            yield Finding(
                path=where(step, call),
                what=f"{named(call)} is not answered by the next request, which goes on from that turn",
                values={"id": id_of(call)},
                place=(position,),
                same_as=_UNANSWERED,
            )
        elif len(results) > 1:
            yield Finding(
                path=results[1].path,
                what=f"{named(call)} is answered {len(results)} times",
                values={"id": id_of(call)},
                place=(position,),
                same_as=("tool-result-duplicate",),
            )


def _run_twice(exchange: Exchange) -> Iterator[Finding]:
    """Executions counted after one reply."""
    run = exchange.tools_run
    if not run or len(set(run)) == len(run):
        return
    ids = [id_of(call) for call in exchange.calls()]
    for position, block in enumerate(exchange.content):
        if not isinstance(block, dict) or block.get("type") != "tool_use":
            continue
        times = run.count(id_of(block))
        if times > ids.count(id_of(block)):
            yield Finding(
                path=f"$response.content[{position}]",
                what=f"{named(block)} was run {times} times",
                values={"id": id_of(block)},
                place=(position,),
            )


def _run_later_again(view: EndView) -> Iterator[Finding]:
    for exchange, call in runs_again(view.exchanges):
        if not exchange.failed:
            yield Finding(
                path="$response",
                what=f"{call} was run again after exchange {exchange.number}, although it had been run before",
                values={"id": call},
                exchange=exchange.number,
            )


def _never_told(view: EndView) -> Iterator[Finding]:
    """Calls that were run, in a conversation that went on without their turn."""
    if not view.over or not any(exchange.tools_run for exchange in view.exchanges):
        return
    told = {
        str(block.data.get("tool_use_id"))
        for _, exchange, link in view.so_far.all()
        for message in exchange.messages[link.shared :]
        for block in blocks_of(message)
        if block.type == "tool_result"
    }
    for position, exchange, _ in view.so_far.all():
        followed = any(link.kind == "continues" for _, link in view.so_far.followers(position))
        if not followed or exchange.failed or exchange.stop_reason != "tool_use" or exchange.user_event is not None:
            continue
        for call in exchange.calls():
            if id_of(call) in (exchange.tools_run or ()) and id_of(call) not in told:
                yield Finding(
                    path="$response",
                    what=f"{named(call)} was run and its result was never sent, although the conversation went on",
                    values={"id": id_of(call)},
                    exchange=exchange.number,
                )


def _not_answered_or_again(view: EndView) -> Iterator[Finding]:
    yield from _run_later_again(view)
    yield from _never_told(view)


def _skipped(step: StepView) -> Iterator[Finding]:
    parent = step.parent
    if parent is None or (parent.tools_run is None and parent.user_event is None):
        return
    for position, call in enumerate(unanswered(step)):
        if parent.tools_run is None or id_of(call) not in parent.tools_run:
            yield Finding(
                path=where(step, call),
                what=f"{named(call)} was not run and has no result",
                values={"id": id_of(call)},
                place=(position,),
                same_as=_UNANSWERED,
            )


def _mixed_up(step: StepView) -> Iterator[Finding]:
    """A result that is what another call of the turn returned, and not what its own did."""
    parent = step.parent
    if parent is None or len(parent.results) < 2 or not step.answers_calls:
        return
    for position, (call, outcome) in enumerate(parent.results.items()):
        blocks = step.results.get(call, ())
        if len(blocks) != 1 or not (text := result_text(blocks[0]).strip()) or _says(text, outcome):
            continue
        other = next((id_ for id_, its in parent.results.items() if id_ != call and _says_exactly(text, its)), None)
        if other is not None:
            yield Finding(
                path=f"{blocks[0].path}.content",
                what=f"the result for {call} is what {other} returned",
                place=(position,),
            )


def _says(text: str, outcome: object) -> bool:
    raised = raised_text(outcome)
    return _says_exactly(text, outcome) if raised is None else not raised or raised in text


def _says_exactly(text: str, outcome: object) -> bool:
    """Whether a text is a tool's value: itself, as JSON, or as Python writes it."""
    if raised_text(outcome) is not None:
        return False
    if text == str(outcome).strip():
        return True
    try:
        return bool(json.loads(text) == outcome)
    except (ValueError, RecursionError):
        return False


def _error_not_told(step: StepView) -> Iterator[Finding]:
    parent = step.parent
    if parent is None or not parent.results or not step.answers_calls:
        return
    for position, (call, outcome) in enumerate(parent.results.items()):
        raised = raised_text(outcome)
        if raised is None:
            continue
        blocks = step.results.get(call, ())
        if not blocks:
            yield Finding(
                path="$.messages",
                what=f"{call} raised {raised!r} and has no result",
                place=(position,),
                same_as=_UNANSWERED,
            )
        elif not is_error(blocks[0]):
            text = result_text(blocks[0])
            told = raised in text or speaks_of_trouble(text)
            yield Finding(
                path=blocks[0].path,
                what=f"{call} raised {raised!r}; its result has no is_error"
                + ("" if told else " and says nothing of it"),
                place=(position,),
                level="warn" if told else None,
            )


def _error_ends_loop(view: EndView) -> Iterator[Finding]:
    if view.how != "raised":
        return
    for exchange, _ in view.leaves:
        for call, outcome in exchange.results.items():
            raised = raised_text(outcome)
            if raised is None or not (_names(view.error, raised) or _let_out(view, exchange)):
                continue
            if _went_on(view, exchange, _a_tool_failed):
                continue
            yield Finding(
                path="$response",
                what=f"{call} raised {raised!r}, and the loop ended with it instead of answering the call",
                exchange=exchange.number,
            )


def _names(error: str, raised: str) -> bool:
    """Whether one text holds the other; an empty one says nothing."""
    return bool(error and raised) and (raised in error or error in raised)


def _let_out(view: EndView, exchange: Exchange) -> bool:
    """Whether the loop ended right after a tool had failed, for no reason of its own."""
    return exchange is view.last and exchange.user_event is None and not stopped_on_purpose(view.error)


def _unknown_tool(step: StepView) -> Iterator[Finding]:
    if step.parent is None:
        return
    open_calls = unanswered(step)
    tools = offered(step.parent) if open_calls else None
    for position, call in enumerate(open_calls if tools is not None else ()):
        if str(call.get("name")) not in (tools or {}):
            yield Finding(
                path=where(step, call),
                what=f"{named(call)} asks for a tool that is not offered, and has no result",
                values={"name": call.get("name")},
                place=(position,),
                same_as=_UNANSWERED,
            )


def _unknown_tool_ends_loop(view: EndView) -> Iterator[Finding]:
    exchange = _left_open(view, "raised", "returned")
    tools = offered(exchange) if exchange is not None else None
    if exchange is None or tools is None:
        return
    if _went_on(view, exchange, _unknown_call):
        return
    for call in exchange.calls():
        if str(call.get("name")) not in tools:
            yield Finding(
                path="$response",
                what=f"{named(call)} asks for a tool that is not offered, and the loop ended{_with(view)}",
                values={"name": call.get("name")},
                exchange=exchange.number,
            )
            return


def _left_open(view: EndView, *how: str) -> Exchange | None:
    """The last exchange, if it asks for calls that were not run and the loop ended, for no limit of its own."""
    last = view.last
    if view.how not in how or last is None or last.failed or stopped_on_purpose(view.error):
        return None
    if view.how == "returned" and (view.error or tells_trouble(view.shown)):
        return None  # the caller was told
    if choice_kind(last) == "none":
        return None  # a last request, with which no call is to be run
    if last.stop_reason not in ("tool_use", None) or set(last.tools_run or ()) >= {id_of(c) for c in last.calls()}:
        return None
    return last


def _went_on(view: EndView, last: Exchange, same: Callable[[Exchange], bool]) -> bool:
    """Whether the loop met the same before and went on: then it is not what ended it, but a limit of its own."""
    return any(
        exchange is not last and same(exchange) and any(link.kind == "continues" for _, link in followers)
        for position, exchange, _ in view.so_far.all()
        for followers in (view.so_far.followers(position),)
    )


def _a_tool_failed(exchange: Exchange) -> bool:
    return any(raised_text(outcome) is not None for outcome in exchange.results.values())


def _unknown_call(exchange: Exchange) -> bool:
    tools = offered(exchange)
    return tools is not None and any(str(call.get("name")) not in tools for call in exchange.calls())


def _faulty_call(exchange: Exchange) -> bool:
    return any(input_fault(exchange, call) is not None for call in exchange.calls())


def _with(view: EndView) -> str:
    return f" with {view.error!r}" if view.error else ""


def _invalid_input(step: StepView) -> Iterator[Finding]:
    parent = step.parent
    if parent is None:
        return
    for position, call in enumerate(step.calls):
        echoed, answered = step.echoed.get(id_of(call)), id_of(call) in step.results
        kept = echoed is None or isinstance(echoed.data.get("input"), dict)
        if kept and answered:
            continue
        fault = input_fault(parent, call) if goes_on(step) else None
        if fault is not None:
            what = "is sent back with an input that is no object" if not kept else "has no result"
            path = f"{where(step, call)}.input" if not kept else where(step, call)
            yield Finding(
                path=path,
                what=f"{named(call)}, {fault}, {what}",
                place=(position,),
                same_as=("tool-use-input-dict", *_UNANSWERED),
            )


def _invalid_input_ends_loop(view: EndView) -> Iterator[Finding]:
    exchange = _left_open(view, "raised")
    if exchange is None or _went_on(view, exchange, _faulty_call):
        return
    for call in exchange.calls():
        fault = input_fault(exchange, call)
        if fault is not None and str(call.get("name")) in (offered(exchange) or {}):
            yield Finding(
                path="$response",
                what=f"{named(call)} is a call {fault}, and the loop ended{_with(view)}",
                exchange=exchange.number,
            )
            return


def _server_tool_run(exchange: Exchange) -> Iterator[Finding]:
    if not exchange.tools_run:
        return
    calls = server_calls(exchange)
    for id_ in dict.fromkeys(exchange.tools_run):
        if id_ in calls:
            yield Finding(path="$response", what=f"{named(calls[id_])} was run here; Anthropic runs it")


def _server_tool_answered(step: StepView) -> Iterator[Finding]:
    if step.parent is None or not step.results:
        return
    for id_ in server_calls(step.parent):
        for result in step.results.get(id_, ()):
            yield Finding(
                path=result.path,
                what=f"a tool_result answers {id_}, a call that Anthropic runs itself",
                same_as=("client-result-for-server-tool", "tool-result-orphan"),
            )


RULES = (
    Rule(
        id="answer-every-tool-use-once",
        level="broken",
        fix="run each call once, and answer each with one tool_result in the next request; here: {id}",
        calls=_answered_once,
        after=_WITH_CALLS,
        answer=_run_twice,
        end=_not_answered_or_again,
    ),
    Rule(
        id="skipped-calls-still-answered",
        level="broken",
        fix=(
            "answer calls that you do not run as well: "
            '{{"type": "tool_result", "tool_use_id": "{id}", "content": "Not run: ...", "is_error": true}}'
        ),
        calls=_skipped,
        after=_WITH_CALLS,
    ),
    Rule(
        id="results-match-ids",
        level="broken",
        fix="keep each result together with the id of the call that it came from",
        calls=_mixed_up,
        after=_WITH_CALLS,
    ),
    Rule(
        id="tool-error-as-result",
        level="broken",
        fix="catch what a tool raises and send it: a tool_result with the error's text and `is_error: true`",
        calls=_error_not_told,
        after=_WITH_CALLS,
        end=_error_ends_loop,
    ),
    Rule(
        id="unknown-tool-as-error-result",
        level="broken",
        fix="answer a call of an unknown tool with a tool_result that says so: `is_error: true`, 'no tool {name}'",
        calls=_unknown_tool,
        after=_WITH_CALLS,
        end=_unknown_tool_ends_loop,
    ),
    Rule(
        id="invalid-input-as-error-result",
        level="broken",
        fix="answer the call with `is_error: true` and what is wrong with its input, and keep the input an object",
        calls=_invalid_input,
        after=_WITH_CALLS,
        end=_invalid_input_ends_loop,
    ),
    Rule(
        id="no-execution-of-server-tools",
        level="broken",
        fix="run and answer tool_use blocks only; server_tool_use and mcp_tool_use have their results in the reply",
        step=_server_tool_answered,
        holding=tuple(SERVER_CALLS),
        answer=_server_tool_run,
    ),
)

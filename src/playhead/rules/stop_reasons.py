"""Rules on what a loop does after each stop reason: run tools, go on, or stop and say so.

Law: pure checks on a request and the reply before it, or on the end of a session. The table of what to do is
`wire/tables.py`, which is the SDK tool runner's.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from playhead.rules.bodies import same_body
from playhead.rules.calls import id_of, named
from playhead.rules.echo import echo_of, goes_on, prefilled, related
from playhead.rules.ending import by_a_limit, left_undone, shown_text, text_of
from playhead.rules.execution import ran
from playhead.rules.rule import EndView, Finding, Rule, StepView
from playhead.wire.codec import JsonObject, canonical
from playhead.wire.equality import plain_content, same, same_settings
from playhead.wire.exchange import Exchange
from playhead.wire.follow import Link
from playhead.wire.tables import STOP_REASONS
from playhead.wire.turns import blocks_of


def _is_not_for_tools(exchange: Exchange) -> bool:
    """Whether a reply stopped, whole, for something else than tools."""
    reason = STOP_REASONS.get(exchange.stop_reason or "")
    return reason is not None and reason.whole and reason.then != "run tools"


def _misread_end(view: EndView) -> Iterator[Finding]:
    """What the loop returned as its answer is none: a cut reply, or one that waits for results."""
    last = view.last
    if view.how != "returned" or last is None or last.failed or last.user_event is not None:
        return
    reason = STOP_REASONS.get(last.stop_reason or "")
    if reason is not None and not reason.whole:
        yield from _cut_shown_as_whole(view, last)
    elif left_undone(view, last):
        yield Finding(
            path="$response.stop_reason",
            what=f"the loop returned although Claude waits for results: {', '.join(map(named, last.calls()))}",
            exchange=last.number,
        )
    elif reason is not None and reason.then == "resume" and not by_a_limit(view):
        yield Finding(
            path="$response.stop_reason",
            what=f"the loop returned after {last.stop_reason}, which asks it to go on",
            exchange=last.number,
            same_as=("pause-turn-resumed", "compaction-block-kept"),
        )


def _cut_shown_as_whole(view: EndView, last: Exchange) -> Iterator[Finding]:
    shown = shown_text(view)
    text = text_of(last)
    if shown is None or (shown.strip() and shown.strip() != text.strip()):
        return
    what = "an empty text" if not shown.strip() else "the part that came"
    yield Finding(
        path="$response.stop_reason",
        what=f"the reply stopped with {last.stop_reason}, and the loop showed {what} as if it were the answer",
        exchange=last.number,
        # the words of a refusal are seldom taken for an answer
        level="warn" if shown.strip() and last.stop_reason == "refusal" else None,
    )


def _pause_not_resumed(step: StepView) -> Iterator[Finding]:
    parent = step.parent
    if parent is None or step.link.held:
        return
    if not goes_on(step):
        if step.one_loop and step.link.kind in ("continues", "repeats"):
            yield Finding(path="$.messages", what="the paused turn is not sent back", place=(step.link.shared,))
        return
    position, after = _after_echo(step)
    if after is not None and not step.results:
        role = after.get("role") if isinstance(after, dict) else None
        yield Finding(
            path=f"$.messages[{position}]",
            what=f"a {role} message follows the paused turn, which is to be sent back as the last message",
        )
    known = parent.knows("tools") and step.exchange.knows("tools")
    if known and not same_settings((parent.request or {}).get("tools"), (step.exchange.request or {}).get("tools")):
        yield Finding(
            path="$.tools",
            what="the paused turn is resumed with other tools",
            same_as=("tools-resent-every-call",),
        )


def _after_echo(step: StepView) -> tuple[int, object]:
    """The first added message that is not the assistant's, and its position."""
    for position, message in enumerate(step.added, step.link.shared):
        if not isinstance(message, dict) or message.get("role") not in ("assistant", "system"):
            return position, message
    return 0, None


def _pause_ends(view: EndView) -> Iterator[Finding]:
    yield from _ends_with(view, "pause_turn", "Claude paused and was never asked to go on")


def _ends_with(view: EndView, reason: str, what: str) -> Iterator[Finding]:
    """Replies that ask to be sent back, and never were."""
    if not view.over:
        return
    for position, exchange, link in view.so_far.all():
        if exchange.stop_reason != reason or exchange.failed or exchange.user_event is not None:
            continue
        if exchange is view.last and (view.limit is not None or view.how in ("raised", "running") or by_a_limit(view)):
            continue  # the loop said so, or had no time to
        if not _resumed(view, position, exchange) and not _joined_later(view, exchange, link):
            yield Finding(path="$response.stop_reason", what=what, exchange=exchange.number)


def _resumed(view: EndView, position: int, exchange: Exchange) -> bool:
    """Whether a request goes on with a reply. In a recording an equal request may be somebody else's."""
    return any(
        goes_on(StepView(exchange=later, link=link, parent=exchange, so_far=view.so_far))
        or (link.kind == "repeats" and view.end is None)
        for later, link in view.so_far.followers(position)
    )


def _joined_later(view: EndView, exchange: Exchange, link: Link) -> bool:
    """Whether a later request has this reply in one message with the one before, so that it follows an earlier one."""
    ours = [plain_content([block]) for block in exchange.content]
    while link.kind == "repeats" and link.parent is not None:
        link = view.so_far.link(link.parent)
    for later, _ in view.so_far.followers(link.parent) if link.parent is not None else ():
        sent = [
            plain_content([block.data])
            for message in (later.messages[link.shared :] if later.number > exchange.number else ())
            if isinstance(message, dict) and message.get("role") == "assistant"
            for block in blocks_of(message)
        ]
        if related(sent, ours):
            return True
    return False


_TRIFLES = ("max_tokens", "stream", "temperature", "top_p", "top_k", "metadata")
"""Members of a request that change nothing of what was refused."""


def _same_but_for(members: Collection[str], left: JsonObject | None, right: JsonObject) -> bool:
    if left is None:
        return False
    theirs, ours = ({key: value for key, value in its.items() if key not in members} for its in (left, right))
    return canonical(theirs) == canonical(ours)


def _after_refusal(step: StepView) -> Iterator[Finding]:
    parent, request = step.parent, step.exchange.request or {}
    if parent is None or not parent.knows("model") or request.get("model") != (parent.request or {}).get("model"):
        return
    if step.link.kind == "repeats":
        if same_body(parent, step.exchange) or _same_but_for(_TRIFLES, parent.request, request):
            yield Finding(path="$.messages", what="the refused request is sent again to the same model")
        return
    echo = echo_of(step)
    if step.link.kind != "continues" or (echo is not None and parent.content and not _related(step)):
        return
    yield Finding(
        path=f"$.messages[{step.link.shared}]",
        what="the conversation goes on from a turn that was refused, with the same model",
        same_as=_RUN_OF_CUT if step.results else (),
    )


def _related(step: StepView) -> bool:
    echo = echo_of(step)
    return echo is not None and related(echo.sent, echo.expected)


def _after_end_turn(step: StepView) -> Iterator[Finding]:
    parent, added = step.parent, step.added
    if parent is None or step.link.kind != "continues" or not added or prefilled(parent):
        return
    if all(isinstance(message, dict) and message.get("role") == "assistant" for message in added) and _related(step):
        yield Finding(
            path=f"$.messages[{len(step.exchange.messages) - 1}]",
            what="the reply is sent back although Claude was done: nothing new from the user comes after it",
            same_as=("prefill-unsupported",),
        )


def _container_lost(step: StepView) -> Iterator[Finding]:
    parent = step.parent
    container = (parent.response or {}).get("container") if parent is not None else None
    identifier = container.get("id") if isinstance(container, dict) else None
    if parent is None or identifier is None or not step.exchange.knows("container") or not goes_on(step):
        return
    given = (step.exchange.request or {}).get("container")
    given = given.get("id") if isinstance(given, dict) else given
    if given == identifier:
        return
    waiting = _waiting(parent)
    if waiting is not None:
        yield Finding(
            path="$.container",
            what=f"{waiting} waits in container {identifier}; the request "
            + ("names none" if given is None else f"names {given}"),
            values={"id": identifier},
            same_as=("container-required-when-pending",),
        )


def _waiting(exchange: Exchange) -> str | None:
    """A call of a reply whose result is to come: one for the client, or one that the server has still to finish."""
    answered = {str(block.data.get("tool_use_id")) for block in blocks_of(exchange.response)}
    calls = [block.data for block in blocks_of(exchange.response) if block.type in ("tool_use", "server_tool_use")]
    waiting = [call for call in calls if id_of(call) not in answered]
    return named(min(waiting, key=lambda call: call["type"] != "tool_use")) if waiting else None


def _compaction_lost(step: StepView) -> Iterator[Finding]:
    parent = step.parent
    if parent is None or step.link.held or step.link.kind not in ("continues", "departs") or parent.failed:
        return
    summaries = [b for b in parent.content if isinstance(b, dict) and b.get("type") == "compaction"]
    if not summaries or (not goes_on(step) and not step.alone):
        return
    kept = [b.data for message in step.exchange.messages for b in blocks_of(message) if b.type == "compaction"]
    if not any(_same_summary(summary, block) for summary in summaries for block in kept):
        yield Finding(
            path=f"$.messages[{step.link.shared}]",
            what="the compaction block of the reply before is not sent back",
            same_as=("assistant-content-verbatim",),
        )


def _same_summary(left: JsonObject, right: JsonObject) -> bool:
    return same(left.get("content"), right.get("content"))


def _compaction_ends(view: EndView) -> Iterator[Finding]:
    yield from _ends_with(view, "compaction", "Claude compacted the conversation and was never asked to go on")


_RUN_OF_CUT = ("max-tokens-no-tool-execution",)
_REPLIED = (*STOP_REASONS, "novel", "unsaid")

RULES = (
    Rule(
        id="stop-reason-checked",
        level="broken",
        fix=(
            "decide by stop_reason: tool_use runs tools; pause_turn and compaction go on; max_tokens, refusal and "
            "model_context_window_exceeded are no answer, so say so"
        ),
        answer=ran(_is_not_for_tools, "stopped with {reason}"),
        end=_misread_end,
    ),
    Rule(
        id="pause-turn-resumed",
        level="broken",
        fix="append the paused reply as the assistant's message and send the conversation again, with the same tools",
        step=_pause_not_resumed,
        after=("pause_turn",),
        end=_pause_ends,
    ),
    Rule(
        id="refusal-stops-loop",
        level="broken",
        fix="stop after a refusal and say so, take the refused turn out before going on, or ask another model",
        answer=ran(lambda exchange: exchange.stop_reason == "refusal", "was a refusal", same_as=_RUN_OF_CUT),
        step=_after_refusal,
        after=("refusal",),
    ),
    Rule(
        id="stop-after-end-turn",
        level="broken",
        fix="stop after end_turn; send the next request when the user has said something",
        step=_after_end_turn,
        after=("end_turn",),
        ordinary=False,
    ),
    Rule(
        id="container-id-carried",
        level="broken",
        fix="send `container: {id!r}` with the results: the code that waits for them runs there",
        step=_container_lost,
        after=("tool_use", "pause_turn", "unsaid"),
    ),
    Rule(
        id="compaction-block-kept",
        level="broken",
        fix="send the reply's compaction block back with the rest of its content; what came before it may be left out",
        step=_compaction_lost,
        after=_REPLIED,
        holding=("compaction",),
        end=_compaction_ends,
    ),
)

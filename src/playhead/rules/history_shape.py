"""Rules on the history in one request: traces of how a loop cut it, stored it, or went on with it.

Law: pure checks on the merged turns of one request; the API takes some of these, or refuses them by another rule.
"""

from __future__ import annotations

from collections.abc import Iterator

from playhead.rules.bodies import same_body
from playhead.rules.order import PAIRING
from playhead.rules.rule import Finding, RequestView, Rule, StepView
from playhead.wire.tables import SERVER_CALLS
from playhead.wire.turns import MergedTurn


def _trimmed(view: RequestView) -> Iterator[Finding]:
    """A history that begins with results: the calls before them were cut off."""
    first = view.turns[0] if view.turns else None
    if first is None or first.number or first.role != "user" or view.held:
        return
    results = first.of_type("tool_result")
    if results:
        yield Finding(
            path=results[0].path,
            what="the history begins with a tool_result: it was cut between a call and its result",
            place=(0, results[0].position),
        )


def _empty_reply(view: RequestView) -> Iterator[Finding]:
    """An assistant turn without content that is not the last."""
    for turn in view.turns[:-1]:
        if turn.role == "assistant" and not turn.blocks and all(_is_empty(view, index) for index in turn.messages):
            yield Finding(
                path=f"{turn.path}.content",
                what="an assistant message without content stands in the middle of the history",
                place=(turn.number,),
            )


def _is_empty(view: RequestView, index: int) -> bool:
    message = view.messages[index]
    return isinstance(message, dict) and message.get("content") in ("", [])


def _asked_again(step: StepView) -> Iterator[Finding]:
    """An empty reply, and the same request once more."""
    parent = step.parent
    if parent is None or step.link.kind != "repeats" or not step.one_loop or parent.content:
        return
    if parent.response is not None and same_body(parent, step.exchange):
        yield Finding(path="$.messages", what="the request that brought an empty reply is sent again as it was")


def _mixed(view: RequestView) -> Iterator[Finding]:
    """More than results after a turn that waits for a server tool as well."""
    for turn, answer in zip(view.turns, view.turns[1:], strict=False):
        if turn.role != "assistant" or not turn.of_type("tool_use") or not _waiting(turn):
            continue
        others = [block for block in answer.blocks if block.type != "tool_result"]
        if others:
            yield Finding(
                path=others[0].path,
                what=f"a {others[0].type} block follows a turn whose server tool call is still without a result",
                place=(answer.number, others[0].position),
            )


def _waiting(turn: MergedTurn) -> bool:
    answered = {str(block.data.get("tool_use_id")) for block in turn.blocks if "tool_use_id" in block.data}
    return any(str(block.data.get("id")) not in answered for block in turn.of_type(*SERVER_CALLS))


RULES = (
    Rule(
        id="trim-keeps-pairs",
        level="broken",
        fix="cut a history at the beginning of a user turn that holds no results, so that no call loses its result",
        rank=PAIRING,
        request=_trimmed,
        recent=("tool_result",),
        ordinary=False,
    ),
    Rule(
        id="empty-end-turn-handled",
        level="broken",
        fix="do not store an empty reply; go on with a new user message",
        rank=PAIRING,
        request=_empty_reply,
        step=_asked_again,
        after=("end_turn",),
        ordinary=False,
    ),
    Rule(
        id="mixed-turn-only-tool-results",
        level="broken",
        fix="send only the tool_result blocks, with the same tools; what else there is to say can follow later",
        rank=PAIRING,
        request=_mixed,
        recent=("tool_use",),
        ordinary=False,
    ),
)

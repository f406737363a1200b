"""Rules on what the server does to the history: context edits, and the blocks that compaction leaves.

Law: pure checks. What a signature says of a summary only the API knows; across exchanges a summary is compared with
the reply that brought it.

On-demand compaction (beta compact-2026-09-04) returns one signed block that stands for the whole conversation before
it. Automatic compaction (`compact_20260112`) leaves its blocks where they arose, so that requests which ask for it are
not judged by the terms of the other.
"""

from __future__ import annotations

from collections.abc import Iterator

from playhead.rules.json_words import shown
from playhead.rules.order import CONVERSATION, FIELD
from playhead.rules.rule import BlockView, Finding, RequestView, Rule, StepView
from playhead.wire.codec import JsonObject
from playhead.wire.equality import same
from playhead.wire.tables import SERVER_CALLS
from playhead.wire.turns import PlacedBlock, blocks_of

CLEAR_THINKING = "clear_thinking_20251015"
COMPACT = "compact_20260112"
ON_DEMAND = "compact-2026-09-04"
LEAST_TRIGGER = 50_000

_BETAS = ("context-management-", "compact-")


def _edits(view: RequestView) -> list[tuple[int, JsonObject]]:
    """The context edits with their positions; none where the header that allows them is known to be missing."""
    edits = view.member("context_management").get("edits")
    if not isinstance(edits, list) or (view.betas is not None and not any(b.startswith(_BETAS) for b in view.betas)):
        return []
    return [(position, edit) for position, edit in enumerate(edits) if isinstance(edit, dict)]


def _thinking_not_first(view: RequestView) -> Iterator[Finding]:
    for position, edit in _edits(view):
        if position and edit.get("type") == CLEAR_THINKING:
            yield Finding(
                path=f"$.context_management.edits[{position}]",
                what=f"{CLEAR_THINKING} is edit {position} (counted from 0); it has to be the first",
                place=(position,),
            )
            return


def _trigger_too_small(view: RequestView) -> Iterator[Finding]:
    for position, edit in _edits(view):
        trigger = edit.get("trigger")
        value = trigger.get("value") if isinstance(trigger, dict) and edit.get("type") == COMPACT else None
        if isinstance(value, int | float) and not isinstance(value, bool) and value < LEAST_TRIGGER:
            yield Finding(
                path=f"$.context_management.edits[{position}].trigger.value",
                what=f"compaction is to start at {shown(value)} tokens; the least is {LEAST_TRIGGER}",
                place=(position,),
            )


def _summaries(message: object, index: int = 0) -> list[PlacedBlock]:
    """The compaction blocks with content; one without stands for a compaction that failed, and counts for nothing."""
    return [b for b in blocks_of(message, index) if b.type == "compaction" and b.data.get("content") is not None]


def _on_demand(view: RequestView) -> bool:
    """Whether the terms of on-demand compaction may hold: by the header, or if it is unknown."""
    if any(edit.get("type") == COMPACT for _, edit in _edits(view)):
        return False
    return view.betas is None or ON_DEMAND in view.betas


def _coded(path: str, what: str, code: str, place: tuple[int, ...] = ()) -> Finding:
    code = f"compaction_{code}"
    return Finding(path=path, what=f"{what} (error code {code})", place=place, error_code=code)


def _finding(block: PlacedBlock, what: str, code: str) -> Finding:
    return _coded(block.path, what, code, (block.message, block.block or 0))


def _summary_placed(view: RequestView, block: BlockView) -> Iterator[Finding]:
    content = block.data.get("content")
    if content is None or block.within is not None:
        return  # a compaction that failed counts for nothing
    if content == "":
        yield Finding(path=f"{block.path}.content", what="a compaction block has an empty summary", place=block.place)
    elif _on_demand(view) and (view.betas is not None or "signature" in block.data):  # others are not signed
        yield from _summary_place(view, block)


def _summary_place(view: RequestView, block: BlockView) -> Iterator[Finding]:
    first = block.place == (0, 0)
    if block.role == "system":
        what, code = "a compaction block stands in a system message", "block_misplaced"
    elif not first and any(other.block == 0 for other in _summaries(view.messages[0])):
        what, code = "there is a second compaction block with content; only the last is sent", "block_ambiguous"
    elif not first:
        what, code = "a compaction block is not the first block of the conversation", "block_misplaced"
    else:
        return
    yield _coded(block.path, what, code, block.place)


def _compaction_asked(view: RequestView) -> Iterator[Finding]:
    """`compaction` in the body asks for a summary of what the messages hold."""
    if not view.member("compaction") or view.held or not _on_demand(view):
        return
    last = view.turns[-1] if view.turns else None
    if view.messages and not any(turn.blocks for turn in view.turns):
        yield _coded("$.messages", "there is nothing to summarize", "nothing_to_summarize")
    elif last is not None and last.role == "assistant" and (open_call := _open_call(last.blocks)):
        yield _finding(open_call, f"the history ends with a {open_call.type} that has no result", "incomplete_turn")


def _open_call(blocks: tuple[PlacedBlock, ...]) -> PlacedBlock | None:
    answered = {str(block.data.get("tool_use_id")) for block in blocks}
    calls = [block for block in blocks if block.type == "tool_use" or block.type in SERVER_CALLS]
    return next((call for call in calls if str(call.data.get("id")) not in answered), None)


_KEPT = (("content", "content_mismatch"), ("tool_changes", "tool_changes_mismatch"))


def _summary_changed(step: StepView) -> Iterator[Finding]:
    """A summary that came back with the signature it had, and other words; or the other way round."""
    if step.parent is None or step.parent.failed:
        return
    made = [block.data for block in _summaries({"content": step.parent.content}) if block.data.get("signature")]
    for index, message in enumerate(step.added if made else (), step.link.shared):
        for block in _summaries(message, index):
            for reply in made:
                yield from _changed(block, reply)


def _changed(block: PlacedBlock, reply: JsonObject) -> Iterator[Finding]:
    signed, worded = (same(block.data.get(name), reply.get(name)) for name in ("signature", "content"))
    if signed:
        for member, code in _KEPT:
            if not same(block.data.get(member), reply.get(member)):
                yield _finding(block, f"`{member}` of a compaction block is not what Claude sent", code)
    elif worded:
        yield _finding(block, "the signature of a compaction block is not what Claude sent", "signature_invalid")


RULES = (
    Rule(
        id="context-edit-order",
        level="reject",
        fix=f"put {CLEAR_THINKING} before the other edits",
        rank=FIELD["context_management"],
        envelope=_thinking_not_first,
    ),
    Rule(
        id="compaction-trigger-min",
        level="reject",
        fix=f"give the trigger {LEAST_TRIGGER} input tokens or more, or leave it out",
        rank=FIELD["context_management"],
        envelope=_trigger_too_small,
    ),
    Rule(
        id="compaction-block-rules",
        level="reject",
        fix="send the last compaction block as it came, first in `messages`, in place of what it stands for",
        rank=CONVERSATION,
        block=_summary_placed,
        types=("compaction",),
        request=_compaction_asked,
        step=_summary_changed,
        ordinary=False,
    ),
)

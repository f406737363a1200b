"""The rule on preserved thinking: a block belongs to the conversation that it was made in.

Law: pure; compares a request with the exchange it follows. On models with preserved thinking each block is bound to
the system prompt, the tools and the messages before it, so that a history to which thinking is replayed may only grow.

What is not a change: cache marks, parameters other than these, thinking left out from either end or altogether, new
tools whose loading is deferred, and whatever the server itself compacts or clears.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from playhead.rules.order import PAIRING
from playhead.rules.rule import Finding, Rule, StepView
from playhead.rules.thinking_config import BINDING_CONTROLS
from playhead.rules.thinking_replay import THINKING, key, made_by, thoughts
from playhead.wire.equality import same_content, same_settings
from playhead.wire.exchange import Exchange
from playhead.wire.turns import PlacedBlock, blocks_of

_TEXT = (
    "messages.{i}.content.{j}: Invalid `signature` in `thinking` block. The block is bound to a different "
    'conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".'
)
_NEEDS_BETA = f" That setting requires the `{BINDING_CONTROLS}` value in the `anthropic-beta` header."
_SYSTEM = " The `system` prompt differs from the one this block was created with."


def _preserved(step: StepView, exchange: Exchange) -> bool:
    return step.models.find((exchange.request or {}).get("model")).preserved


def _exempt(step: StepView) -> bool:
    """Whether the server sees to it: it drops what does not fit, holds the history, or has compacted it."""
    request = step.exchange.request or {}
    thinking = request.get("thinking")
    binding = thinking.get("block_binding") if isinstance(thinking, dict) else None
    if isinstance(binding, dict) and binding.get("prefix_mismatch_behavior") == "drop_block":
        return True
    if step.link.held or request.get("context_management") or request.get("compaction"):
        return True
    return any(block.type == "compaction" for message in step.added for block in blocks_of(message))


def _moved(step: StepView) -> Iterator[Finding]:
    parent = step.parent
    if parent is None or parent.failed or step.link.kind not in ("continues", "departs"):
        return
    if not _preserved(step, parent) or not _preserved(step, step.exchange) or _exempt(step):
        return
    system = _differs(step, parent, "system")
    if system or _differs(step, parent, "tools"):
        found = _first_replayed(step, parent, 0)
        what = "the system prompt differs" if system else "the tools differ"
    else:
        found, what = _after_change(step, parent)
    if found is not None:
        yield Finding(
            path=found.path,
            what=f"a thinking block is replayed, but {what} from what it was made with",
            values={"i": found.message, "j": found.block},
            place=(found.message, found.block or 0),
            wording=2 * system + _lacks_beta(step.exchange),
        )


def _lacks_beta(exchange: Exchange) -> bool:
    return exchange.headers is not None and BINDING_CONTROLS not in exchange.headers.get("anthropic-beta", "")


def _differs(step: StepView, parent: Exchange, member: str) -> bool:
    if not step.exchange.knows(member) or not parent.knows(member):
        return False
    theirs, ours = (parent.request or {}).get(member), (step.exchange.request or {}).get(member)
    if theirs is ours or theirs == ours:
        return False  # as nearly always; the comparison below costs more
    return not same_settings(theirs, _without_deferred(ours, theirs) if member == "tools" else ours)


def _without_deferred(ours: object, theirs: object) -> object:
    """The tools without those that were added to be loaded later, which no block knows of."""
    if not isinstance(ours, list):
        return ours
    names = {_name(tool) for tool in theirs} if isinstance(theirs, list) else set()
    return [t for t in ours if not (isinstance(t, dict) and t.get("defer_loading") is True and _name(t) not in names)]


def _name(tool: object) -> str:
    return str(tool.get("name")) if isinstance(tool, dict) else ""


def _known(parent: Exchange) -> list[PlacedBlock]:
    """All thinking that was there when the parent's reply was finished."""
    sent = [block for index, message in enumerate(parent.messages) for block in thoughts(message, index) if key(block)]
    return sent + made_by(parent)


def _first_replayed(step: StepView, parent: Exchange, start: int) -> PlacedBlock | None:
    """The first known thinking block in the messages from `start` on."""
    known = {key(block) for block in _known(parent)}
    messages = step.exchange.messages if known else []
    for index in range(start, len(messages)):
        for block in thoughts(messages[index], index):
            if key(block) in known:
                return block
    return None


def _after_change(step: StepView, parent: Exchange) -> tuple[PlacedBlock | None, str]:
    """In a history that departs: the first block after a changed message, or after thinking that is missing."""
    if step.link.kind != "departs":
        return None, ""
    theirs = [*parent.messages, {"role": "assistant", "content": parent.content}]
    ours = step.exchange.messages
    changed = next((i for i, pair in enumerate(zip(theirs, ours, strict=False)) if not _same(*pair)), None)
    if changed is not None and (block := _first_replayed(step, parent, changed + 1)):
        return block, f"message {changed} differs"
    return _after_gap(step, parent), "the thinking before it differs"


def _same(theirs: object, ours: object) -> bool:
    """Whether two messages are the same, thinking aside."""
    return _role(theirs) == _role(ours) and same_content(_rest(theirs), _rest(ours))


def _role(message: object) -> object:
    return message.get("role") if isinstance(message, dict) else None


def _rest(message: object) -> list[object]:
    return [block.data for block in blocks_of(message) if block.type not in THINKING]


def _after_gap(step: StepView, parent: Exchange) -> PlacedBlock | None:
    """The first block whose neighbour before it was another one when it was made."""
    order = [key(block) for block in _known(parent)]
    if len(set(order)) != len(order):
        return None  # the same signature twice: which of them came back cannot be told
    at = {name: position for position, name in enumerate(order)}
    back = _replayed(step.exchange.messages, at)
    for before, block in pairwise(back):
        if at[key(block)] != at[key(before)] + 1:
            return block
    return None


def _replayed(messages: Sequence[object], known: dict[str, int]) -> list[PlacedBlock]:
    return [
        block for index, message in enumerate(messages) for block in thoughts(message, index) if key(block) in known
    ]


RULES = (
    Rule(
        id="thinking-prefix-binding",
        level="reject",
        wording=(_TEXT, _TEXT + _NEEDS_BETA, _TEXT + _SYSTEM, _TEXT + _NEEDS_BETA + _SYSTEM),
        fix=(
            "keep system prompt, tools and earlier messages as they were; if they must change, leave the thinking out "
            'or set prefix_mismatch_behavior to "drop_block"'
        ),
        rank=PAIRING + 60,
        step=_moved,
        holding=("thinking", "redacted_thinking"),
    ),
)

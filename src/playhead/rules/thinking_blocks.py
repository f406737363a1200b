"""Rules on thinking blocks in the history: what each must hold, and where it may stand.

Law: pure checks on one request. Whether a block came back as it was made is the business of `thinking_replay`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from playhead.rules.json_words import kind_of
from playhead.rules.order import FIELD, PAIRING
from playhead.rules.rule import BlockView, Finding, RequestView, Rule
from playhead.rules.signatures import never_issued
from playhead.rules.thinking_config import asked_type, asks_for, interleaves
from playhead.wire.turns import MergedTurn

THINKING = ("thinking", "redacted_thinking")

_CONTENT = PAIRING + 50
"""After pairing and before the model's limits; where it really falls was not measured."""


def in_history(block: BlockView) -> bool:
    """Whether the block is where thinking belongs; anywhere else its place is the fault."""
    return block.role == "assistant" and block.within is None


def _signature_missing(view: RequestView, block: BlockView) -> Iterator[Finding]:
    if not in_history(block) or isinstance(block.data.get("signature"), str):
        return
    absent = "signature" not in block.data
    yield Finding(
        path=block.path if absent else f"{block.path}.signature",
        what="a thinking block has no signature"
        if absent
        else f"the signature of a thinking block is {kind_of(block.data['signature'])}, not a string",
        values={"block": block.api},
        place=block.place,
        wording=0 if absent else 1,
    )


def _text_missing(view: RequestView, block: BlockView) -> Iterator[Finding]:
    """No text member, or an empty one under a signature that is none; with a real one the text was left out."""
    if not in_history(block):
        return
    text, signature = block.data.get("thinking"), block.data.get("signature")
    if "thinking" not in block.data:
        what, wording = "a thinking block has no `thinking`", 1
    elif not isinstance(text, str):
        what, wording = f"the text of a thinking block is {kind_of(text)}, not a string", 2
    elif not text and isinstance(signature, str) and never_issued(signature) and signature not in view.returned:
        what, wording = "a thinking block is empty, and its signature is none that Claude made", 0
    else:
        return
    path = block.path if wording == 1 else f"{block.path}.thinking"
    rank = FIELD["messages"] if wording else None
    yield Finding(path=path, what=what, values={"block": block.api}, place=block.place, wording=wording, rank=rank)


def _in_final_when_disabled(view: RequestView) -> Iterator[Finding]:
    turn = view.turns[-1] if view.turns else None
    if turn is None or turn.role != "assistant" or turn.messages[-1] != len(view.messages) - 1 or not _off(view):
        return
    for block in turn.of_type(*THINKING)[:1]:
        yield Finding(
            path=block.path,
            what=f"the history ends with an assistant message that holds {block.type}, and thinking is off",
            values={"i": block.message, "j": block.block, "type": block.type},
            place=(block.message, block.block or 0),
        )


def _off(view: RequestView) -> bool:
    if "thinking" in view.body:
        taken = view.model.thinking
        return asked_type(view) == "disabled" and (taken is None or "disabled" in taken)
    return view.knows("thinking") and view.model.thinks == "off"


def _must_lead(view: RequestView) -> Iterator[Finding]:
    """In a running tool loop, manual thinking comes first; the model thinks once for all the calls of the loop."""
    turn = _running(view)
    if turn is None or not asks_for(view, "enabled") or not turn.of_type("tool_use"):
        return
    first, types = turn.blocks[0], [block.type for block in turn.blocks]
    if not isinstance(first.type, str) or first.type in THINKING:
        return
    if _out_of_place(view, types) or _loop_has_thought(view, turn):
        return
    yield Finding(
        path=f"{first.path}.type" if first.block is not None else first.path,
        what=f"the assistant message before the last results starts with {first.type}, and manual thinking is on",
        values={"i": turn.number, "type": first.type},
        place=(turn.messages[0], 0),
    )


def _running(view: RequestView) -> MergedTurn | None:
    """The assistant turn whose calls the last turn answers."""
    if len(view.turns) < 2 or view.turns[-1].role != "user" or not view.turns[-1].of_type("tool_result"):
        return None
    return view.turns[-2]


def _loop_has_thought(view: RequestView, turn: MergedTurn) -> bool:
    """Whether thinking opens an earlier message of the same tool loop; read from the messages, as turns may be few."""
    for index in range(turn.messages[0] - 1, -1, -1):
        message = view.messages[index]
        content = message.get("content") if isinstance(message, dict) else None
        types = [block.get("type") for block in content if isinstance(block, dict)] if isinstance(content, list) else []
        if isinstance(message, dict) and message.get("role") == "assistant":
            if types and types[0] in THINKING:
                return True
        elif "tool_result" not in types:
            return False
    return False


def _out_of_place(view: RequestView, types: Sequence[object]) -> bool:
    """Whether thinking stands after something else, where the model would have put it first."""
    if not types or not isinstance(types[0], str) or types[0] in THINKING:
        return False
    if not any(name in types for name in THINKING):
        return False
    taken = view.model.thinking
    if taken is None or "adaptive" in taken or not asks_for(view, "enabled"):
        return False  # later models mix thinking and text
    return not interleaves(view)


def _first_if_any(view: RequestView, index: int, message: object) -> Iterator[Finding]:
    content = message.get("content") if isinstance(message, dict) and message.get("role") == "assistant" else None
    if not isinstance(content, list):
        return
    types = [block.get("type") if isinstance(block, dict) else None for block in content]
    if _out_of_place(view, types):
        yield Finding(
            path=f"$.messages[{index}].content[0].type",
            what=f"an assistant message holds thinking and starts with {types[0]}",
            values={"i": index, "j": 0, "type": types[0]},
            place=(index, 0),
        )


RULES = (
    Rule(
        id="thinking-signature-required",
        level="reject",
        wording=(
            "{block}.thinking.signature: Field required",
            "{block}.thinking.signature: Input should be a valid string",
        ),
        fix="send the thinking block back as it came, with its signature, or leave it out",
        rank=FIELD["messages"],
        block=_signature_missing,
        types=("thinking",),
    ),
    Rule(
        id="thinking-text-required",
        level="reject",
        wording=(
            "{block}.thinking: each thinking block must contain thinking",
            "{block}.thinking.thinking: Field required",
            "{block}.thinking.thinking: Input should be a valid string",
        ),
        fix="send the thinking block back as it came, or leave it out",
        rank=_CONTENT,
        block=_text_missing,
        types=("thinking",),
    ),
    Rule(
        id="thinking-in-final-assistant-when-disabled",
        level="reject",
        wording=(
            "messages.{i}.content.{j}: When thinking is disabled, an `assistant` message in the final position cannot "
            "contain `{type}`. To use thinking blocks, enable `thinking` in your request.",
        ),
        fix="ask for thinking as in the request before, or take the thinking out of the last message",
        rank=_CONTENT,
        request=_in_final_when_disabled,
        recent=("thinking", "redacted_thinking"),
    ),
    Rule(
        id="thinking-first-if-any",
        level="reject",
        wording=(
            "messages.{i}.content.{j}: If an assistant message contains any thinking blocks, the first block must be "
            "`thinking` or `redacted_thinking`. Found `{type}`.",
        ),
        fix="put the blocks in the order in which Claude sent them",
        rank=_CONTENT,
        message=_first_if_any,
        roles=("assistant",),
        ordinary=False,
    ),
    Rule(
        id="thinking-must-lead-final-assistant",
        level="reject",
        wording=(
            "messages.{i}.content.0.type: Expected `thinking` or `redacted_thinking`, but found `{type}`. When "
            "`thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the "
            "lastmost set of `tool_use` and `tool_result` blocks). We recommend you include thinking blocks from "
            "previous turns. To avoid this requirement, disable `thinking`. Please consult our documentation at "
            "https://docs.claude.com/en/docs/build-with-claude/extended-thinking",
        ),
        fix="append the whole `content` of Claude's reply, its thinking included, before the results",
        rank=_CONTENT,
        request=_must_lead,
        recent=("tool_result",),
    ),
)

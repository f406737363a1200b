"""Rules on thinking that is sent back: as it was made, by whom it was made.

Law: pure checks. On one request only what a block itself gives away (see `signatures`); across exchanges, a request is
compared with the reply that it continues. Thinking that is left out as a whole is no fault here: the API does not miss
it. Text put where a reply had none, or left out where it had some, is ignored, as the API ignores it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from playhead.rules.json_words import kind_of
from playhead.rules.order import PAIRING
from playhead.rules.rule import BlockView, Finding, RequestView, Rule, StepView
from playhead.rules.signatures import is_broken, never_issued
from playhead.wire.codec import JsonObject
from playhead.wire.equality import same_content
from playhead.wire.exchange import Exchange
from playhead.wire.turns import PlacedBlock, blocks_of

THINKING = ("thinking", "redacted_thinking")

_SIGNED = PAIRING + 60
"""After pairing and before the model's limits; where it really falls was not measured."""


def thoughts(message: object, index: int = 0) -> list[PlacedBlock]:
    """The thinking blocks of a message."""
    return [block for block in blocks_of(message, index) if block.type in THINKING]


def key(block: PlacedBlock) -> str:
    """What tells a thinking block from others: its signature, or its data; empty where it has none."""
    value = block.data.get("signature" if block.type == "thinking" else "data")
    return value if isinstance(value, str) else ""


def made_by(reply: Exchange | None) -> list[PlacedBlock]:
    """The thinking blocks of a reply; none where it is not wholly known, as in recordings that leave signatures out."""
    if reply is None or reply.failed:
        return []
    made = thoughts({"content": reply.content})
    return made if all(map(key, made)) else []


def _place(block: PlacedBlock) -> dict[str, object]:
    return {"i": block.message, "j": block.block}


def _finding(block: PlacedBlock, what: str, member: str = "") -> Finding:
    return Finding(
        path=f"{block.path}{member}", what=what, values=_place(block), place=(block.message, block.block or 0)
    )


# one request


def _latest(messages: Sequence[object]) -> range:
    """The positions of the messages that make up the latest assistant turn."""
    end = len(messages)
    while end and _role(messages[end - 1]) != "assistant":
        end -= 1
    start = end
    while start and _role(messages[start - 1]) == "assistant":
        start -= 1
    return range(start, end)


def _role(message: object) -> object:
    return message.get("role") if isinstance(message, dict) else None


_CHANGED = "the text of a thinking block is not the one that its signature was made for"


def _changed_in_latest(view: RequestView) -> Iterator[Finding]:
    for index in _latest(view.messages):
        for block in thoughts(view.messages[index], index):
            if is_broken(block.data.get("signature"), block.data.get("thinking")):
                yield _finding(block, _CHANGED, ".thinking")


def _not_signed(view: RequestView, block: BlockView) -> Iterator[Finding]:
    signature, text = block.data.get("signature"), block.data.get("thinking")
    if block.role != "assistant" or block.within or not isinstance(signature, str) or not isinstance(text, str):
        return
    if text and never_issued(signature) and signature not in view.returned:
        what = f'the signature "{signature}" of a thinking block is none that Claude made'
    elif is_broken(signature, text) and block.place[0] not in _latest(view.messages):
        what = _CHANGED
    else:
        return
    yield Finding(path=f"{block.path}.signature", what=what, values=_indices(block), place=block.place)


def _not_sealed(view: RequestView, block: BlockView) -> Iterator[Finding]:
    if block.role != "assistant" or block.within:
        return
    data = block.data.get("data")
    if "data" not in block.data:
        yield Finding(
            path=block.path,
            what="a redacted_thinking block has no `data`",
            values=_indices(block),
            place=block.place,
            wording=1,
        )
    elif not isinstance(data, str):
        yield Finding(
            path=f"{block.path}.data",
            what=f"the data of a redacted_thinking block is {kind_of(data)}, not a string",
            values=_indices(block),
            place=block.place,
            wording=2,
        )
    elif never_issued(data) and data not in view.returned:
        what = f'the data "{data}" of a redacted_thinking block is none that Claude made'
        yield Finding(path=f"{block.path}.data", what=what, values=_indices(block), place=block.place)


def _indices(block: BlockView) -> dict[str, object]:
    return dict(zip("ij", block.place, strict=False))


# across exchanges


def _echo(step: StepView) -> tuple[list[PlacedBlock], list[PlacedBlock]]:
    """The thinking of the last reply and that of the message that repeats it, if they differ; otherwise none."""
    made, index = made_by(step.parent), step.link.shared
    messages = step.exchange.messages
    if not made or step.parent is None or step.link.kind != "continues" or index >= len(messages):
        return [], []
    message = messages[index]
    if _role(message) != "assistant":
        return [], []
    ours = thoughts(message, index)
    same = [block.data for block in ours] == [block.data for block in made]  # as nearly always
    return ([], []) if same or not _repeats(step.parent.content, message, made) else (made, ours)


def _repeats(reply: list[object], message: object, made: Sequence[PlacedBlock]) -> bool:
    """Whether the message is this reply, thinking aside: the same rest, or a call of its calls."""
    theirs, ours = _rest({"content": reply}), _rest(message)
    if not theirs:
        return not ours and bool({*map(key, made)} & {*map(key, thoughts(message))})
    calls = {str(block.get("id")) for block in theirs if block.get("type") == "tool_use"}
    return same_content(theirs, ours) or any(str(b.get("id")) in calls for b in ours if b.get("type") == "tool_use")


def _rest(message: object) -> list[JsonObject]:
    return [block.data for block in blocks_of(message) if block.type not in THINKING]


def _edited(step: StepView) -> Iterator[tuple[PlacedBlock, bool]]:
    """Blocks with a signature that was seen with another text, and whether they are in the latest assistant turn."""
    texts = {key(block): block.data.get("thinking") for block in _seen(step) if block.type == "thinking"}
    messages = step.exchange.messages
    latest = _latest(messages) if texts else range(0)
    for index in range(step.link.shared, len(messages) if texts else 0):
        for block in thoughts(messages[index], index) if _role(messages[index]) == "assistant" else ():
            ours, theirs = block.data.get("thinking"), texts.get(key(block))
            if block.type != "thinking" or not isinstance(ours, str) or not ours or not theirs or ours == theirs:
                continue
            if not is_broken(key(block), ours):  # that much shows in the request alone
                yield block, index in latest


def _seen(step: StepView) -> list[PlacedBlock]:
    """The thinking that the parent's reply made; where the history departs from the parent's, all it had sent too."""
    sent: list[PlacedBlock] = []
    if step.link.kind == "departs" and step.parent is not None and not step.parent.failed:
        sent = [block for message in step.parent.messages for block in thoughts(message) if key(block)]
    return sent + made_by(step.parent)


def _replayed_changed(step: StepView) -> Iterator[Finding]:
    """In the latest assistant turn: another text, or not the same blocks in the same order."""
    for block, latest in _edited(step):
        if latest:
            yield _finding(block, "the text of a thinking block is not the one that Claude sent", ".thinking")
    made, ours = _echo(step)
    theirs, sent = [key(block) for block in made], [key(block) for block in ours]
    if not sent or not set(sent) <= set(theirs) or sent == theirs or step.link.shared not in _latest_of(step):
        return
    if sent == theirs[-len(sent) :] and not _in_tool_loop(step):
        return  # of a turn that is over the oldest thinking may be left out
    odd = next((block for block, theirs_here in zip(ours, theirs, strict=False) if key(block) != theirs_here), ours[-1])
    yield _finding(odd, f"of {len(made)} thinking blocks {len(ours)} came back, not the same ones in the same order")


def _latest_of(step: StepView) -> range:
    return _latest(step.exchange.messages)


def _in_tool_loop(step: StepView) -> bool:
    last = step.exchange.messages[-1]
    return any(block.type == "tool_result" for block in blocks_of(last))


def _replayed_unsigned(step: StepView) -> Iterator[Finding]:
    """A thinking block in the reply's place that has none of its signatures, or an earlier one with another text."""
    for block, latest in _edited(step):
        if not latest:
            yield _finding(block, "the text of a thinking block is not the one that Claude sent", ".signature")
    made, ours = _echo(step)
    known = {key(block) for block in made}
    for block in ours:
        if block.type != "thinking" or key(block) in known or never_issued(key(block)):
            continue  # one that was never issued shows in the request alone, as does a broken seal
        if not is_broken(key(block), block.data.get("thinking")):
            yield _finding(block, "the signature of a thinking block is not the one that Claude sent", ".signature")


def _replayed_unsealed(step: StepView) -> Iterator[Finding]:
    made, ours = _echo(step)
    known = {key(block) for block in made}
    for block in ours:
        if block.type == "redacted_thinking" and key(block) not in known and not never_issued(key(block)):
            yield _finding(block, "the data of a redacted_thinking block is not what Claude sent", ".data")


RULES = (
    Rule(
        id="thinking-block-modified",
        level="reject",
        wording=(
            "messages.{i}.content.{j}: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot "
            "be modified. These blocks must remain as they were in the original response.",
        ),
        fix="append the `content` of Claude's reply as it came, with all its thinking blocks in their order",
        rank=_SIGNED,
        request=_changed_in_latest,
        step=_replayed_changed,
        holding=("thinking", "redacted_thinking"),
    ),
    Rule(
        id="thinking-signature-invalid",
        level="reject",
        wording=("messages.{i}.content.{j}: Invalid `signature` in `thinking` block",),
        fix="send the block back with the signature it came with, or leave it out; thinking cannot be made up",
        rank=_SIGNED,
        block=_not_signed,
        types=("thinking",),
        step=_replayed_unsigned,
        holding=("thinking", "redacted_thinking"),
    ),
    Rule(
        id="redacted-data-invalid",
        level="reject",
        wording=(
            "messages.{i}.content.{j}: Invalid `data` in `redacted_thinking` block",
            "messages.{i}.content.{j}.redacted_thinking.data: Field required",
            "messages.{i}.content.{j}.redacted_thinking.data: Input should be a valid string",
        ),
        fix="send the block back with the data it came with, or leave it out",
        rank=_SIGNED,
        block=_not_sealed,
        types=("redacted_thinking",),
        step=_replayed_unsealed,
        holding=("thinking", "redacted_thinking"),
    ),
)

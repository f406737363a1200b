"""Rules on what a client makes of a stream: blocks by their index, inputs, signatures, counts.

Law: pure checks, on the way a streamed reply came back in the next request, or on what was shown at the end.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from playhead.rules.calls import id_of, is_streamed, named, without_input
from playhead.rules.echo import Echo, echo_of
from playhead.rules.ending import left_undone
from playhead.rules.rule import EndView, Finding, Rule, StepView
from playhead.wire.codec import canonical
from playhead.wire.exchange import Exchange
from playhead.wire.tables import STOP_REASONS

_ANY = "*"
_VERBATIM = ("assistant-content-verbatim",)
_UNSEALED = ("thinking-signature-required", "thinking-block-modified", *_VERBATIM)


def _misplaced(step: StepView) -> Iterator[Finding]:
    """Blocks that came back twice, in another order, with another's content, or as one."""
    echo = echo_of(step) if step.parent is not None and is_streamed(step.parent) else None
    if echo is None or not echo.expected:
        return
    what = _twice(echo) or _reordered(echo) or _exchanged(echo) or _joined(echo) or _strayed(echo)
    if what is not None:
        yield Finding(
            path=f"$.messages[{echo.start}].content",
            what=what,
            place=(echo.start,),
            same_as=("tool-use-id-unique-in-turn", *_VERBATIM),
        )


def _keys(blocks: list[object]) -> list[bytes]:
    return [canonical(block) for block in blocks]


def _twice(echo: Echo) -> str | None:
    sent, came = Counter(_keys(echo.sent)), Counter(_keys(echo.expected))
    for key, block in zip(_keys(echo.sent), echo.sent, strict=True):
        if came[key] and sent[key] > came[key]:
            return f"{_called(block)} came once and is sent back {sent[key]} times"
    ids = Counter(_id(block) for block in echo.sent if _id(block))
    came_ids = Counter(_id(block) for block in echo.expected if _id(block))
    for identifier, count in ids.items():
        if came_ids[identifier] and count > came_ids[identifier]:
            return f"{identifier} came once and is sent back {count} times"
    return None


def _id(block: object) -> str:
    return str(block.get("id") or "") if isinstance(block, dict) else ""


def _called(block: object) -> str:
    if not isinstance(block, dict):
        return "a block"
    return named(block) if block.get("type") == "tool_use" else f"a {block.get('type')} block"


def _reordered(echo: Echo) -> str | None:
    sent, came = _keys(echo.sent), _keys(echo.expected)
    if sent != came and Counter(sent) == Counter(came):
        return "the blocks came back in another order"
    return None


def _exchanged(echo: Echo) -> str | None:
    """Calls that came back with each other's input."""
    theirs = {_id(block): block.get("input") for block in echo.expected if isinstance(block, dict) and _id(block)}
    for block in echo.sent:
        if not isinstance(block, dict) or _id(block) not in theirs or block.get("input") == theirs[_id(block)]:
            continue
        other = next((i for i, its in theirs.items() if i != _id(block) and its and its == block.get("input")), None)
        if other is not None:
            return f"{_id(block)} came back with the input of {other}"
    return None


def _joined(echo: Echo) -> str | None:
    """Text of several blocks in one, although other blocks stood between them."""
    pieces: list[str] = []
    apart = other = False
    for block in echo.expected:
        if isinstance(block, dict) and block.get("type") == "text":
            apart = apart or other
            pieces.append(str(block.get("text")))
        else:
            other = bool(pieces)
    if apart and len(pieces) > 1 and _texts(echo.sent) == ["".join(pieces)]:
        return f"{len(pieces)} text blocks with others between them came back as one"
    return None


def _strayed(echo: Echo) -> str | None:
    """A call without the input that came for it, or a text with more than came for it: deltas of another block."""
    theirs = {_id(block): block for block in echo.expected if _is(block, "tool_use")}
    for block in echo.sent:
        reply = theirs.get(_id(block)) if isinstance(block, dict) and _is(block, "tool_use") else None
        if isinstance(reply, dict) and isinstance(block, dict) and reply.get("input") and not block.get("input"):
            return f"{_id(block)} came back without the input that came for it"
    if not all(isinstance(block, dict) for block in (*echo.sent, *echo.expected)):
        return None
    pairs = zip(_texts(echo.sent), _texts(echo.expected), strict=False)
    longer = any(ours != came and came and ours.startswith(came) and "{" in ours[len(came) :] for ours, came in pairs)
    return "a text block came back with the input of a call behind it" if longer else None


def _texts(blocks: list[object]) -> list[str]:
    return [str(block.get("text")) for block in blocks if isinstance(block, dict) and block.get("type") == "text"]


def _no_input(step: StepView) -> Iterator[Finding]:
    """A streamed call without arguments that came back with something else than an empty object, or not at all."""
    parent = step.parent
    if parent is None or not is_streamed(parent):
        return
    for call in without_input(parent):
        echoed = step.echoed.get(call)
        if echoed is None:
            if step.echoed or step.results or _only_call(parent, call):
                yield Finding(
                    path=f"$.messages[{step.link.shared}].content",
                    what=f"{call} has no arguments, and was left out when the turn was sent back",
                    same_as=_VERBATIM,
                )
        elif not isinstance(echoed.data.get("input"), dict):
            given = "without input" if "input" not in echoed.data else f"with input {echoed.data['input']!r}"
            yield Finding(
                path=f"{echoed.path}.input",
                what=f"{call} has no arguments, so that its input is {{}}; it is sent back {given}",
                same_as=("tool-use-input-dict", "tool-use-input-required", *_VERBATIM),
            )


def _only_call(exchange: Exchange, call: str) -> bool:
    return [id_of(its) for its in exchange.calls()] == [call]


_NO_JSON = re.compile(r"JSON|Expecting value|char 0|end of input|unexpected end|EOF|parse", re.I)


def _no_input_ends_loop(view: EndView) -> Iterator[Finding]:
    last = view.last
    reason = STOP_REASONS.get((last.stop_reason if last else None) or "")
    if last is None or last.failed or (reason is not None and not reason.whole and last.events is None):
        return  # of a reply that is cut, only its events tell how much of an input came
    raised = view.how == "raised" and bool(_NO_JSON.search(view.error))
    if not raised and not left_undone(view, last):
        return
    for call in without_input(last):
        if call not in (last.tools_run or ()):
            how = f"ended with {view.error!r}" if raised else "returned without running it"
            yield Finding(
                path="$response",
                what=f"{call} has no arguments, so that nothing came of its input; the loop {how}",
                exchange=last.number,
                same_as=() if raised else ("stop-reason-checked",),
            )
            return


def _seal_lost(step: StepView) -> Iterator[Finding]:
    """A streamed turn that goes on without a signature or a redacted block that it came with."""
    parent = step.parent
    echo = echo_of(step) if parent is not None and is_streamed(parent) else None
    if parent is None or echo is None:
        return
    path = f"$.messages[{echo.start}].content"
    signatures, sealed = _members(echo.sent, "thinking", "signature"), _members(echo.sent, "redacted_thinking", "data")
    reason = STOP_REASONS.get(parent.stop_reason or "")
    is_over = reason is not None and reason.then == "stop"
    for position, block in enumerate(echo.expected):
        if not isinstance(block, dict):
            continue
        if block.get("type") == "thinking" and block.get("signature") not in signatures:
            kept = any(_thought(its) == block.get("thinking") for its in echo.sent)
            if block.get("signature") and (kept or not is_over):
                what = "thinking is sent back without the signature that came" if kept else "thinking is not sent back"
                yield Finding(path=path, what=what, place=(position,), same_as=_UNSEALED)
        elif block.get("type") == "redacted_thinking" and not is_over and block.get("data") not in sealed:
            what = "a redacted_thinking block is not sent back as it came"
            yield Finding(path=path, what=what, place=(position,), same_as=_UNSEALED)


def _members(blocks: list[object], kind: str, member: str) -> list[object]:
    return [block.get(member) for block in blocks if isinstance(block, dict) and block.get("type") == kind]


def _is(block: object, kind: str) -> bool:
    return isinstance(block, dict) and block.get("type") == kind


def _thought(block: object) -> object:
    return block.get("thinking") if isinstance(block, dict) and block.get("type") == "thinking" else _ANY


_COUNTS = ("output_tokens", "input_tokens")


def _summed(view: EndView) -> Iterator[Finding]:
    """A count that was shown and is the sum of what each event said, not what the last one did."""
    streamed = [exchange for exchange in view.exchanges if exchange.events]
    if view.shown is None or not streamed or view.last is None:
        return
    for name in _COUNTS:
        shown = _count(view.shown, name) if name in view.shown else _count(view.shown.get("usage"), name)
        if shown is None:
            continue
        right = {_final(view.last, name), sum(_final(exchange, name) or 0 for exchange in view.exchanges)}
        wrong = {total for group in ([view.last], streamed) for total in _sums(group, name)}
        if shown not in right and shown in wrong:
            yield Finding(
                path="$response",
                what=f"{shown} {name} were shown; that is what the events say when added up, and each says the total "
                f"so far, at last {_final(view.last, name)}",
                exchange=view.last.number,
            )


def _final(exchange: Exchange, name: str) -> int | None:
    return _count((exchange.response or {}).get("usage"), name)


def _count(usage: object, name: str) -> int | None:
    value = usage.get(name) if isinstance(usage, Mapping) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _sums(exchanges: list[Exchange], name: str) -> Iterator[int]:
    """What comes out when counts are added up: those of the deltas, and those together with the first."""
    first = deltas = 0
    for exchange in exchanges:
        for event in exchange.events or ():
            if event.get("type") == "message_start":
                message = event.get("message")
                first += _count(message.get("usage") if isinstance(message, dict) else None, name) or 0
            elif event.get("type") == "message_delta":
                deltas += _count(event.get("usage"), name) or 0
    yield deltas
    yield first + deltas


RULES = (
    Rule(
        id="sse-accumulate-by-index",
        level="broken",
        fix="keep a list of blocks and put each delta into content[index]; the index counts every block, not calls",
        echo=_misplaced,
    ),
    Rule(
        id="sse-tool-input-empty-means-object",
        level="broken",
        fix="read the pieces of an input together, and take {{}} where they are empty",
        echo=_no_input,
        end=_no_input_ends_loop,
    ),
    Rule(
        id="sse-signature-and-redacted",
        level="broken",
        fix="put signature_delta into the thinking block, keep redacted_thinking as it comes, and send both back",
        echo=_seal_lost,
        holding=("thinking", "redacted_thinking"),
    ),
    Rule(
        id="sse-usage-cumulative",
        level="broken",
        fix="replace the counts by those of each message_delta instead of adding them",
        end=_summed,
    ),
)

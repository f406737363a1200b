"""Advice on messages that the API takes and that serve a conversation badly.

Law: pure checks, warnings all of them: each of these may be on purpose.
"""

from __future__ import annotations

from collections.abc import Iterator

from playhead.rules.echo import goes_on
from playhead.rules.json_words import shown
from playhead.rules.models import short_name
from playhead.rules.order import PAIRING
from playhead.rules.rule import Finding, RequestView, Rule, StepView
from playhead.wire.equality import is_blank_text, same
from playhead.wire.turns import PlacedBlock, blocks_of

_THINKING = ("thinking", "redacted_thinking")


def _other_model(step: StepView) -> Iterator[Finding]:
    parent, exchange = step.parent, step.exchange
    if parent is None or step.link.kind == "repeats" or not (parent.knows("model") and exchange.knows("model")):
        return
    before, now = ((its.request or {}).get("model") for its in (parent, exchange))
    if (
        before == now
        or not isinstance(before, str)
        or not isinstance(now, str)
        or short_name(before) == short_name(now)
    ):
        return
    thought = _first_thought(step)
    if thought is not None:
        middle = ", in the middle of a tool turn" if step.results else ""
        yield Finding(
            path=thought.path,
            what=f"thinking of {before} goes to {now}{middle}; another model drops or refuses it",
        )


def _first_thought(step: StepView) -> PlacedBlock | None:
    return next(
        (
            block
            for index, message in enumerate(step.exchange.messages)
            for block in blocks_of(message, index)
            if block.type in _THINKING
        ),
        None,
    )


def _toggled(step: StepView) -> Iterator[Finding]:
    parent, exchange = step.parent, step.exchange
    if parent is None or not step.results or not (parent.knows("thinking") and exchange.knows("thinking")):
        return
    before, now = ((its.request or {}).get("thinking") for its in (parent, exchange))
    if before is now or same(before, now) or not goes_on(step):
        return
    yield Finding(
        path="$.thinking",
        what=f"thinking was {_setting(before)} when the tool was called, and is {_setting(now)} with its result",
    )


def _setting(thinking: object) -> str:
    if not isinstance(thinking, dict):
        return "not set" if thinking is None else shown(thinking)
    budget = thinking.get("budget_tokens")
    return f"{thinking.get('type')}" + (f" with {budget} tokens" if budget is not None else "")


def _spread(view: RequestView, index: int, message: object) -> Iterator[Finding]:
    """Results in two user messages with nothing between them."""
    if not index or (first := _first_result(message)) is None:
        return
    before = view.messages[index - 1]
    if isinstance(before, dict) and before.get("role") == "user" and _first_result(before) is not None:
        yield Finding(
            path=f"$.messages[{index}].content[{first}]",
            what=f"the results of one turn are spread over several user messages; messages[{index - 1}] has some, too",
            place=(index, first),
        )


def _content(message: object) -> list[object]:
    content = message.get("content") if isinstance(message, dict) else None
    return content if isinstance(content, list) else []


def _first_result(message: object) -> int | None:
    """The position of the first result in a message."""
    for number, block in enumerate(_content(message)):
        if isinstance(block, dict) and block.get("type") == "tool_result":
            return number
    return None


def _text_after(view: RequestView, index: int, message: object) -> Iterator[Finding]:
    after = False
    for number, block in enumerate(_content(message)):
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "tool_result":
            after = True
        elif after and kind == "text":
            yield Finding(
                path=f"$.messages[{index}].content[{number}]",
                what="text stands after tool results in the same message",
                place=(index, number),
                same_as=("mixed-turn-only-tool-results", "server-tool-use-unpaired"),
            )
            return


def _blank_kept(step: StepView) -> Iterator[Finding]:
    parent = step.parent
    if parent is None or not any(map(is_blank_text, parent.content)):
        return
    for index, message in enumerate(step.added, step.link.shared):
        if not isinstance(message, dict) or message.get("role") != "assistant":
            return
        for block in blocks_of(message, index):
            if is_blank_text(block.data):
                yield Finding(
                    path=block.path,
                    what="text of nothing but white space, from Claude's reply, is sent back",
                    same_as=("text-block-nonwhitespace",),
                )
                return


RULES = (
    Rule(
        id="model-stable-or-strip-thinking",
        level="warn",
        fix="leave thinking blocks out when changing the model, and do not change it between a call and its result",
        step=_other_model,
        holding=_THINKING,
    ),
    Rule(
        id="no-thinking-toggle-mid-turn",
        level="warn",
        fix="send results with the same `thinking` as the request that led to the call",
        step=_toggled,
        after=("tool_use", "unsaid"),
        ordinary=False,
    ),
    Rule(
        id="parallel-results-in-one-message",
        level="warn",
        fix="put all results of a turn into one user message",
        message=_spread,
        roles=("user",),
        rank=PAIRING,
        ordinary=False,
    ),
    Rule(
        id="no-text-after-tool-results",
        level="warn",
        fix="send the results alone; what there is to say can follow Claude's next turn, or stand in a system message",
        message=_text_after,
        roles=("user",),
        rank=PAIRING,
        ordinary=False,
    ),
    Rule(
        id="whitespace-response-not-stored",
        level="warn",
        fix="leave text blocks of nothing but white space out when storing a reply",
        step=_blank_kept,
        ordinary=False,
    ),
)

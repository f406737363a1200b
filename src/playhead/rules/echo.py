"""How Claude's reply came back in the request after it.

Law: pure comparison; what a difference means is said by the rules. The SDK's own additions and omissions are none.
"""

from __future__ import annotations

from dataclasses import dataclass

from playhead.rules.rule import StepView
from playhead.wire.codec import canonical
from playhead.wire.equality import plain_content, same_words
from playhead.wire.exchange import Exchange
from playhead.wire.follow import Link


@dataclass(frozen=True, slots=True, kw_only=True)
class Echo:
    """The assistant blocks after the shared history and those of the reply, both in plain form.

    `start` is the array position of the first of the messages, `first` the number of blocks in it.
    """

    sent: list[object]
    expected: list[object]
    start: int
    first: int


def came_back_changed(exchange: Exchange, link: Link, parent: Exchange) -> bool:
    """Whether a reply came back in another form than it had; False where it did not come back at all."""
    if link.kind != "continues" or parent.failed or not parent.content or prefilled(parent):
        return False
    added = exchange.messages[link.shared : link.shared + 2]
    if not added or not _is_assistant(added[0]):
        return False
    if len(added) == 2 and _is_assistant(added[1]):
        return True
    return _content(added[0]) != canonical(parent.content)


def came_back(exchange: Exchange, link: Link, parent: Exchange) -> bool:
    """Whether the first of the messages that a request adds is the reply as it was."""
    messages, said = exchange.messages, parent.content
    added = messages[link.shared] if link.shared < len(messages) else None
    if not isinstance(added, dict) or added.get("role") != "assistant":
        return False
    return same_words(added.get("content"), said) or _content(added) == canonical(said)


def _is_assistant(message: object) -> bool:
    return isinstance(message, dict) and message.get("role") == "assistant"


def _content(message: object) -> bytes:
    return canonical(message.get("content")) if isinstance(message, dict) else b""


def prefilled(exchange: Exchange) -> bool:
    """Whether a request ends with an assistant message, so that the reply goes on with it."""
    last = exchange.messages[-1] if exchange.messages else None
    return _is_assistant(last)


def echo_of(step: StepView) -> Echo | None:
    """How the reply came back; None where it did not, or what stands in its place cannot be read."""
    parent = step.parent
    expected = plain_content(parent.content) if parent is not None else None
    sent: list[object] = []
    first = 0
    for message in step.added:
        if not isinstance(message, dict) or message.get("role") != "assistant":
            break
        plain = plain_content(message.get("content"))
        if not isinstance(plain, list):
            return None
        first = first or len(plain)
        sent.extend(plain)
    if not sent or not isinstance(expected, list):
        return None
    return Echo(sent=sent, expected=expected, start=step.link.shared, first=first)


def related(sent: list[object], expected: list[object]) -> bool:
    """Whether two assistant turns have anything in common, so that one is an edit of the other."""
    ours, theirs = ({canonical(block) for block in blocks} | _ids(blocks) for blocks in (sent, expected))
    return bool(ours & theirs)


def _ids(blocks: list[object]) -> set[bytes]:
    return {str(block["id"]).encode() for block in blocks if isinstance(block, dict) and block.get("id")}


def goes_on(step: StepView) -> bool:
    """Whether a request goes on with the reply before it: it brings a call of it, a result, or the turn itself."""
    parent = step.parent
    if parent is None or step.link.kind not in ("continues", "departs"):
        return False
    if step.link.held or step.answers_calls:
        return True
    echo = echo_of(step)
    return echo is not None and related(echo.sent, echo.expected)

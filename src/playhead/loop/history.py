"""Writing the history: what was said goes in whole, as plain data that can be sent again.

Appending is all that happens here.  Nothing that is in the list already is read or changed.
Source: docs, build-with-claude/handling-stop-reasons; extended-thinking (thinking blocks return unmodified).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from playhead.loop.blocks import (
    Block,
    History,
    block_type,
    blocks_of,
    content_of,
    field,
    is_blank_text,
    stored_block,
    well_formed,
)

if TYPE_CHECKING:
    from anthropic.types import Message


def add_user_message(messages: History, message: Message | object) -> None:
    """Append a user message to `messages`.

    `message` is text, a list of blocks (dicts or SDK objects; the results of `run_tools`, for instance), one
    block, or a whole message, whose content is taken.  It is stored as a plain copy, exactly as
    given.  Raises ValueError when there is nothing to say, which the API would refuse, and TypeError for what
    is no content.
    """
    _expect_list(messages)
    content = content_of(message)
    blocks = [] if isinstance(content, str) else [stored_block(block) for block in blocks_of(content)]
    stored = well_formed(content) if isinstance(content, str) else blocks
    if not stored:
        raise ValueError(
            f"a user message needs content, got {content!r}. If it came from run_tools, the reply holds no "
            "tool_use: there is nothing to answer."
        )
    messages.append({"role": "user", "content": stored})


def add_assistant_message(messages: History, message: Message | object) -> None:
    """Append what Claude said to `messages`: every block, also those of unknown types, with all their fields.

    `message` is a whole SDK message or message dict, a list of blocks, one block, or text.  Two things are
    left out, because the API says them and does not take them back: text without a visible character, and a
    reply of which nothing remains then (an empty end_turn), for which nothing is appended.  Raises TypeError
    for what is no content.
    """
    _expect_list(messages)
    content = content_of(message)
    if isinstance(content, str):
        stored: str | list[Block] = well_formed(content) if content.strip() else ""
    else:
        stored = [stored_block(block) for block in blocks_of(content) if not is_blank_text(block)]
    if stored:
        messages.append({"role": "assistant", "content": stored})


def text_from_message(message: Message | object, separator: str = "") -> str:
    """The text of all text blocks, joined; `""` when there is none.

    Nothing is put between them by default: the API splits one sentence into several blocks where citations
    begin.
    """
    texts = (field(block, "text") for block in blocks_of(message) if block_type(block) == "text")
    return separator.join(text for text in texts if isinstance(text, str))


def _expect_list(messages: object) -> None:
    """The likeliest mix-up is the order of the arguments."""
    if not isinstance(messages, list):
        raise TypeError(
            f"messages is the list to append to, got {type(messages).__name__}; start with messages = [] and "
            "pass it first: add_user_message(messages, 'Hello')"
        )

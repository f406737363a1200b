"""Rules on where one conversation ends and another begins.

Law: pure checks on a request and the exchange that it seems to follow.
"""

from __future__ import annotations

from collections.abc import Iterator

from playhead.rules.rule import Finding, Rule, StepView
from playhead.wire.equality import plain_content, same_settings

NEW = "new"
"""The `user_event` of an exchange after which the user began another conversation."""


def _begins_with_another(step: StepView) -> Iterator[Finding]:
    parent = step.parent
    if parent is None or step.link.kind == "repeats":
        return
    if parent.user_event == NEW:
        yield Finding(
            path="$.messages[0]",
            what=f"a new conversation was begun after exchange {parent.number}, and its history is sent along",
        )
    elif not step.alone and _reply_left_out(step):
        yield Finding(
            path=f"$.messages[{step.link.shared}]",
            what=f"a user message follows the history of exchange {parent.number}, but not the reply to it: either "
            "the reply was lost, or a new conversation began with the old one's history",
            # without the tools it may be a request beside the conversation: for a summary or a title
            level=None if _same_tools(step) else "warn",
        )


def _reply_left_out(step: StepView) -> bool:
    """Whether a conversation that Claude had ended goes on with a user message, without the reply that ended it."""
    parent, added = step.parent, step.added
    if parent is None or step.link.kind != "continues" or step.link.held or not added:
        return False
    if parent.stop_reason != "end_turn" or parent.failed or not plain_content(parent.content):
        return False
    return len(parent.messages) > 1 and isinstance(added[0], dict) and added[0].get("role") == "user"


def _same_tools(step: StepView) -> bool:
    before, now = ((its.request or {}).get("tools") for its in (step.parent, step.exchange) if its is not None)
    return bool(now) and same_settings(before, now)


RULES = (
    Rule(
        id="conversation-starts-clean",
        level="broken",
        fix="give each conversation a list of messages of its own; a default argument or a shared object keeps the old",
        step=_begins_with_another,
        ordinary=False,
    ),
)

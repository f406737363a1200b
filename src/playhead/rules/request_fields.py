"""Rules on the fields of one request.

Law: pure checks on a `RequestView`; each finding tells the place, the rule tells the rest.
"""

from __future__ import annotations

from collections.abc import Iterator

from playhead.rules.order import CONVERSATION, FIELD
from playhead.rules.rule import Finding, RequestView, Rule

_REQUIRED = ("model", "max_tokens", "messages")


def _required(view: RequestView) -> Iterator[Finding]:
    for field in _REQUIRED:
        if field in view.body or not view.knows(field):
            continue
        if field == "max_tokens" and view.counting:
            continue
        if field == "model" and "anthropic_version" in view.body:
            continue  # on Bedrock and Vertex the URL names the model, and the body the API version
        yield Finding(
            path="$",
            what=f"the request has no `{field}`",
            values={"field": field},
            rank=FIELD[field],
        )


def _messages_nonempty(view: RequestView) -> Iterator[Finding]:
    if view.body.get("messages") == [] and not view.held:
        yield Finding(path="$.messages", what="`messages` is an empty list")


def _content_nonempty(view: RequestView) -> Iterator[Finding]:
    for turn in view.turns:
        if (
            turn.role == "user"
            and not turn.blocks
            and not any(_has_content(view.messages[index]) for index in turn.messages)
        ):
            yield Finding(
                path=f"{turn.path}.content",
                what="the user turn has no content at all",
                values={"i": turn.messages[0]},
                place=(turn.messages[0],),
                # recorded on this model in 2026; later ones were measured to say it the other way
                wording=1 if view.model.name == "claude-haiku-4-5" else 0,
            )


def _has_content(message: object) -> bool:
    # absent or ill-typed content is a fault of another kind
    return not isinstance(message, dict) or message.get("content") not in ("", [])


RULES = (
    Rule(
        id="req-required-fields",
        level="reject",
        wording=("{field}: Field required",),
        fix="send `{field}`",
        envelope=_required,
    ),
    Rule(
        id="req-messages-nonempty",
        level="reject",
        wording=("messages: at least one message is required",),
        fix="send at least one message",
        rank=FIELD["messages"],
        request=_messages_nonempty,
        ordinary=False,
    ),
    Rule(
        id="content-nonempty-message",
        level="reject",
        wording=(
            "messages.{i}: user messages must have non-empty content",
            "messages.{i}: all messages must have non-empty content except for the optional final assistant message",
        ),
        fix="leave the empty message out, or give it text",
        rank=CONVERSATION,
        request=_content_nonempty,
        ordinary=False,
    ),
)

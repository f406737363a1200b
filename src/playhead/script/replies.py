"""Replies that do not simply end or call a tool: paused, refused, cut off, compacted, handed on.

Law: like `steps`, frozen values that are checked when made.

Sources: the API's pages on stop reasons, refusals and fallback, compaction and fine-grained tool streaming
(platform.claude.com/docs), and the types of the Python SDK 2.14.0 (`types/refusal_stop_details.py`,
`types/beta/beta_compaction_block.py`, `types/beta/beta_fallback_block.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from msgspec import structs

from playhead.errors import ScriptError
from playhead.rules.signatures import seal
from playhead.script.checks import nearest, require_block
from playhead.script.json_values import json_copy, object_copy
from playhead.script.source import Made
from playhead.script.steps import Block, Turn, readable, require_blocks, turn
from playhead.wire.codec import JsonObject, encode_text, kind
from playhead.wire.tables import REFUSAL_CATEGORIES, STOP_REASONS


def block(data: Mapping[str, Any], /) -> Block:
    """One content block as the API would send it, with whatever members; a call may lack its id.

    Raises `ScriptError` for a block that no reply holds.
    """
    copy = object_copy(data, "block()") if isinstance(data, Mapping) else data
    require_block(copy, "what block() takes")
    return Block(data=copy, made=Made("block", (copy,)))


def redacted(data: str | None = None) -> Block:
    """Claude thinks, and nobody may read it. Without `data` the fake makes some, other data for each block."""
    if not isinstance(data, str | None) or data == "":
        raise ScriptError(f"redacted() takes the sealed data as a string, or nothing, not {data!r}")
    given = {} if data is None else {"data": data}
    return Block(data={"type": "redacted_thinking", **given}, made=Made("redacted", tuple(given.values())))


def upload(file_id: str | None = None) -> Block:
    """Claude puts a file into its container (`container_upload`). Without an id the files are counted."""
    if not isinstance(file_id, str | None) or file_id == "":
        raise ScriptError(f"upload() takes the id of a file as a string, or nothing, not {file_id!r}")
    given = {} if file_id is None else {"file_id": file_id}
    return Block(data={"type": "container_upload", **given}, made=Made("upload", tuple(given.values())))


def fallback(to: str, *, by: str | None = None, category: str | None = None) -> Block:
    """Here another model takes over: the one before refused. What follows is said by the model `to`.

    `by` is the model that refused, the requested one unless it is given; `category` is that of the refusal.
    """
    for name, value in (("the model that fallback() goes to", to), ("`by` of fallback()", by)):
        if not isinstance(value, str) and not (name.startswith("`by`") and value is None):
            raise ScriptError(f"{name} is a string, not {kind(value)}")
    _require_category(category, "fallback()")
    hop = None if by is None else {"model": by}
    data = {"type": "fallback", "from": hop, "to": {"model": to}, "trigger": {"type": "refusal", "category": category}}
    options = {"by": by, "category": category}
    return Block(data=data, made=Made("fallback", (to,), _given(options)))


def pause(*steps: Block, usage: Mapping[str, Any] | None = None) -> Turn:
    """Claude pauses a long turn (`pause_turn`), often with a server tool still at work; it goes on when it is sent
    back as it is.
    """
    require_blocks(steps, "pause()")
    made = turn(*steps, stop_reason="pause_turn", usage=usage)
    if made.calls:
        raise ScriptError(
            f"a turn that calls {made.calls[0]}, a tool of the client's, stops with tool_use and does not pause: write "
            "turn(...)"
        )
    return structs.replace(made, made=Made("pause", steps, _given({"usage": usage})))


def refuse(
    category: str | None = None,
    explanation: str | None = None,
    *steps: Block,
    details: Mapping[str, Any] | None = None,
    usage: Mapping[str, Any] | None = None,
) -> Turn:
    """Claude refuses; `steps` are what had been said before it. HTTP 200, stop reason `refusal`.

    `category` is one of the API's (`cyber`, `bio`, ...) or None, `explanation` a text for people. `details` are further
    members of `stop_details`: `recommended_model`, `fallback_credit_token`, `fallback_has_prefill_claim`.
    """
    _require_category(category, "refuse()")
    if not isinstance(explanation, str | None):
        raise ScriptError(f"the explanation of refuse() is a string, not {kind(explanation)}: steps come after it")
    require_blocks(steps, "refuse()")
    further = object_copy(details, "details of refuse()") if details is not None else {}
    told = {"type": "refusal", "category": category, "explanation": explanation, **further}
    arguments = (category, explanation, *steps)
    while arguments and arguments[-1] is None:
        arguments = arguments[:-1]
    return structs.replace(
        turn(*steps, stop_reason="refusal", usage=usage),
        stop_details=MappingProxyType(told),
        made=Made("refuse", arguments, _given({"details": details, "usage": usage})),
    )


def truncated(
    *steps: Block, keep: int | None = None, stop_reason: str = "max_tokens", usage: Mapping[str, Any] | None = None
) -> Turn:
    """A reply that is cut off in its last block, by `max_tokens` or by the end of the context window.

    Of that block's text, or of the JSON text of its input, the first `keep` characters are left (half of them, if that
    is not said). A stream carries the cut JSON to the letter; the message has as much of it as can be read, which is
    what the SDK makes of it: `{"a": 1, "b": "un` is `{"a": 1}`.
    """
    require_blocks(steps, "truncated()")
    reason = STOP_REASONS.get(stop_reason)
    if reason is None or reason.whole or stop_reason == "refusal":
        raise ScriptError(
            f"truncated() stops with max_tokens or model_context_window_exceeded, not with {stop_reason!r}"
        )
    if not steps:
        raise ScriptError("truncated() cuts the last of its blocks and needs one: say(...), call(...) or think(...)")
    made = turn(*steps[:-1], _cut(steps[-1], keep), stop_reason=stop_reason, usage=usage)
    options = _given({"keep": keep, "usage": usage})
    if stop_reason != "max_tokens":
        options["stop_reason"] = stop_reason
    return structs.replace(made, made=Made("truncated", steps, options))


def _cut(block: Block, keep: int | None) -> Block:
    member = _CUT.get(block.type)
    if member is None or block.then:
        raise ScriptError(f"truncated() cuts a text, a thought or the input of a call, which {block} is not")
    whole = _whole(block, member)
    if not whole:
        raise ScriptError(f"truncated() has nothing to cut: {block} is empty")
    if keep is not None and (isinstance(keep, bool) or not isinstance(keep, int) or not 0 <= keep < len(whole)):
        raise ScriptError(f"keep of truncated() is a number of characters from 0 to {len(whole) - 1}, not {keep!r}")
    left = whole[: len(whole) // 2 if keep is None else keep]
    if member == "input":
        return Block(data={**block.data, "input": readable(left)}, text=left, made=block.made)
    signed = {"signature": seal(left)} if member == "thinking" else {}
    return Block(data={**block.data, member: left, **signed})


def _whole(block: Block, member: str) -> str:
    value = block.data[member]
    if member == "input":
        return encode_text(value) if block.text is None else block.text
    return str(value)


_CUT: Mapping[str, str] = {
    "text": "text",
    "thinking": "thinking",
    "tool_use": "input",
    "server_tool_use": "input",
    "mcp_tool_use": "input",
}
"""The member in which a block of each type can be cut; all other blocks arrive whole."""


def compact(
    summary: str | None,
    *steps: Block,
    encrypted_content: str | None = None,
    tool_changes: Sequence[Mapping[str, Any]] | None = None,
    usage: Mapping[str, Any] | None = None,
) -> Turn:
    """The server compacts the conversation; None as summary is a compaction that failed.

    With nothing after it, the reply stops with `compaction` and goes on when it is sent back; else Claude goes on at
    once with `steps`. What seals the summary follows from the request: `encrypted_content`, or, where the request asks
    for `compaction` outright, a signature and the `tool_changes` of the compacted part.
    """
    if not isinstance(summary, str | None) or summary == "":
        raise ScriptError(
            f"compact() takes the summary as a text, or None for a compaction that failed, not {summary!r}"
        )
    require_blocks(steps, "compact()")
    if not isinstance(encrypted_content, str | None):
        raise ScriptError(f"encrypted_content of compact() is a string, not {kind(encrypted_content)}")
    data: JsonObject = {"type": "compaction", "content": summary}
    if encrypted_content is not None:
        data["encrypted_content"] = encrypted_content
    if tool_changes is not None:
        data["tool_changes"] = json_copy(tool_changes, "tool_changes of compact()")
    options = {"encrypted_content": encrypted_content, "tool_changes": tool_changes, "usage": usage}
    made = turn(Block(data=data), *steps, stop_reason=None if steps else "compaction", usage=usage)
    return structs.replace(made, made=Made("compact", (summary, *steps), _given(options)))


def _require_category(category: object, where: str) -> None:
    if category is not None and category not in REFUSAL_CATEGORIES:
        if not isinstance(category, str):
            raise ScriptError(f"the category of {where} is a string or None, not {kind(category)}")
        raise ScriptError(
            f"the API has no category {category!r} of refusals{nearest(category, REFUSAL_CATEGORIES, '')}"
        )


def _given(options: Mapping[str, Any]) -> dict[str, object]:
    """The options that were given, copied."""
    return {name: json_copy(value, name) for name, value in options.items() if value is not None}

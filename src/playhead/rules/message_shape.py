"""Rules on the form of messages: their members, their roles, and the blocks that they are made of.

Law: pure checks on one message or one block. Positions in the API's texts are those of the array as sent; within one
message the role is looked at before the content, the content before its blocks (measured on claude-sonnet-5, 2026-08).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from playhead.rules.headers import asked_betas, on_cloud, taken
from playhead.rules.json_words import shown
from playhead.rules.models import UNKNOWN
from playhead.rules.order import CONVERSATION, FIELD
from playhead.rules.rule import BlockView, Finding, RequestView, Rule
from playhead.wire.codec import JsonObject
from playhead.wire.equality import is_blank_text
from playhead.wire.tables import BLOCKS

ROLES = ("user", "assistant", "system")

# places within a message, before those of its blocks
_ROLE, _CONTENT = -2, -1

# the order in which faults of one system message are reported (measured)
_EMPTY, _BLOCK_TYPE, _AT_THE_START, _PLACE, _BLANK = range(5)

SERVER_RESULTS = tuple(name for name, block in BLOCKS.items() if block.answers and name != "tool_result")
"""The types of results that the server writes into an assistant message."""

SYSTEM_BLOCKS = ("text", "tool_addition", "tool_removal")
"""What a system message may hold (anthropic 2.14.0, `types/beta/beta_system_message_param.py`)."""

RESULT_BLOCKS = ("browser_state", "document", "image", "search_result", "text", "tool_reference")
"""What a tool result may hold (anthropic 2.14.0, `types/tool_result_block_param.py`)."""

_EXPECTED = ", ".join(f"'{name}'" for name in sorted(BLOCKS) if not BLOCKS[name].beta)
_EXPECTED_IN_RESULT = ", ".join(f"'{name}'" for name in RESULT_BLOCKS)


@dataclass(frozen=True, slots=True)
class _Entry:
    """One entry of a content list, whatever it is; `within` is the type of the block around it."""

    value: object
    path: str
    api: str
    place: tuple[int, ...]
    within: str | None = None


def _entries(index: int, message: object) -> Iterator[_Entry]:
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, list):
        return
    for number, value in enumerate(content):
        path, api = f"$.messages[{index}].content[{number}]", f"messages.{index}.content.{number}"
        yield _Entry(value, path, api, (index, number))
        kind = value.get("type") if isinstance(value, dict) else None
        if kind in ("tool_result", "mcp_tool_result"):
            inner = value.get("content")
            for position, one in enumerate(inner if isinstance(inner, list) else ()):
                place = (index, number, position)
                yield _Entry(one, f"{path}.content[{position}]", f"{api}.{kind}.content.{position}", place, str(kind))


def _role(message: object) -> object:
    return message.get("role") if isinstance(message, dict) else None


def _directive_only(message: JsonObject) -> bool:
    """Whether a system message says nothing and only sets the effort, a beta form."""
    return message.get("role") == "system" and not message.get("content") and bool(message.get("output_config"))


def _may_be_directive(view: RequestView, message: JsonObject) -> bool:
    # the form is free of the rules on content and place with its beta, and (measured) not without it
    return _directive_only(message) and asked_betas(view) != frozenset()


def _message_shape(view: RequestView, index: int, message: object) -> Iterator[Finding]:
    path, values = f"$.messages[{index}]", {"i": index}
    if not isinstance(message, dict):
        what = f"a message is an object with `role` and `content`, this is {shown(message)}"
        yield Finding(path=path, what=what, values=values, place=(index, _ROLE), wording=3)
        return
    if "role" not in message:
        yield Finding(path=path, what="the message has no `role`", values=values, place=(index, _ROLE))
    if "content" not in message:
        if not _may_be_directive(view, message):
            place = (index, _CONTENT)
            yield Finding(path=path, what="the message has no `content`", values=values, place=place, wording=1)
    elif not isinstance(message["content"], (str, list)):
        what = f"`content` is {shown(message['content'])}; it is a string or a list of content blocks"
        yield Finding(path=f"{path}.content", what=what, values=values, place=(index, _CONTENT), wording=2)


def _role_known(view: RequestView, index: int, message: object) -> Iterator[Finding]:
    if not isinstance(message, dict) or "role" not in message:
        return
    role = message["role"]
    if role not in ROLES:
        yield Finding(
            path=f"$.messages[{index}].role",
            what=f"`role` is {shown(role)}; it is `user`, `assistant` or, on some models, `system`",
            values={"i": index, "role": role if isinstance(role, str) else shown(role)},
            place=(index, _ROLE),
            wording=0 if isinstance(role, str) else 1,
        )


def _system_taken(view: RequestView, index: int, message: object) -> Iterator[Finding]:
    if _role(message) == "system" and view.model.system_messages is False:
        yield Finding(
            path=f"$.messages[{index}].role",
            what=f"{view.model.name} takes no messages of role `system`",
            values={"i": index},
            place=(index, _ROLE),
        )


def _judged_as_system(view: RequestView, message: object) -> bool:
    """Whether the rules on system messages apply.

    On a model of the table whose support is not known a broken one is refused for one reason or the other.
    """
    if not isinstance(message, dict) or message.get("role") != "system" or _may_be_directive(view, message):
        return False
    model = view.model
    return model is not UNKNOWN and model.system_messages is not False


def _system_placed(view: RequestView, index: int, message: object) -> Iterator[Finding]:
    what = _fault_before(view, index) if _judged_as_system(view, message) else None
    if what is not None:
        wording = 1 if index else 0
        place = (index, _PLACE if index else _AT_THE_START)
        yield Finding(path=f"$.messages[{index}]", what=what, values={"i": index}, place=place, wording=wording)
    # what follows a system message is judged when it comes, which may be a request later
    last = index - 1
    if not index or _role(message) != "user" or not _judged_as_system(view, view.messages[last]):
        return
    if _fault_before(view, last) is None:
        what = "a user message follows a system message; only an assistant message may, or nothing"
        path, place = f"$.messages[{last}]", (last, _PLACE)
        yield Finding(path=path, what=what, values={"i": last}, place=place, wording=2)


def _fault_before(view: RequestView, index: int) -> str | None:
    """What is wrong with the place of a system message after the one before it."""
    if not index:
        if view.held:
            return None  # what comes before is on the server
        return "a system message opens the conversation; what stands there belongs in the `system` parameter"
    before = view.messages[index - 1]
    if _role(before) == "assistant" and not _ends_in_server_result(before):
        return "a system message stands after an assistant message; it may follow a user message only"
    return None


def _ends_in_server_result(message: object) -> bool:
    content = message.get("content") if isinstance(message, dict) else None
    last = content[-1] if isinstance(content, list) and content else None
    return isinstance(last, dict) and last.get("type") in SERVER_RESULTS


def _system_content(view: RequestView, index: int, message: object) -> Iterator[Finding]:
    if not isinstance(message, dict) or not _judged_as_system(view, message):
        return
    content, path = message.get("content"), f"$.messages[{index}].content"
    if content == "" or content == []:
        what = "the system message has no content"
        yield Finding(path=path, what=what, values={"i": index}, place=(index, _EMPTY))
        return
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    for number, block in enumerate(blocks if isinstance(blocks, list) else ()):
        kind = block.get("type") if isinstance(block, dict) else None
        where = path if isinstance(content, str) else f"{path}[{number}]"
        if is_blank_text(block):
            what = "a text of the system message is blank"
            yield Finding(path=where, what=what, values={"i": index}, place=(index, _BLANK), wording=2)
        elif isinstance(kind, str) and kind in BLOCKS and kind not in SYSTEM_BLOCKS:
            what = f"a system message holds a {kind} block; it takes {', '.join(SYSTEM_BLOCKS)} only"
            yield Finding(path=where, what=what, values={"i": index}, place=(index, _BLOCK_TYPE), wording=1)


_SIMPLE = frozenset(BLOCKS) - {"tool_result", "mcp_tool_result"}


def _is_simple(message: object) -> bool:
    """Whether all blocks are of known types that hold no blocks themselves: then they need no closer look."""
    content = message.get("content") if isinstance(message, dict) else None
    for block in content if isinstance(content, list) else ():
        kind = block.get("type") if isinstance(block, dict) else None
        if not isinstance(kind, str) or kind not in _SIMPLE:
            return False
    return True


def _block_shape(view: RequestView, index: int, message: object) -> Iterator[Finding]:
    if _is_simple(message):
        return
    for entry in _entries(index, message):
        if not isinstance(entry.value, dict):
            what = f"a content block is an object, this is {shown(entry.value)}"
            yield Finding(path=entry.path, what=what, values={"api": entry.api}, place=entry.place)
        elif "type" not in entry.value:
            what = "the content block has no `type`"
            yield Finding(path=entry.path, what=what, values={"api": entry.api}, place=entry.place, wording=1)


def _block_type(view: RequestView, index: int, message: object) -> Iterator[Finding]:
    if _is_simple(message):
        return
    for entry in _entries(index, message):
        if not isinstance(entry.value, dict) or "type" not in entry.value:
            continue
        kind = entry.value["type"]
        in_result = entry.within == "tool_result"
        if isinstance(kind, str) and (kind in RESULT_BLOCKS if in_result else kind in BLOCKS):
            continue
        where = "in a tool result" if in_result else "of content blocks"
        yield Finding(
            path=f"{entry.path}.type",
            what=f"{shown(kind)} is not among the types {where}",
            values={
                "api": entry.api,
                "type": kind if isinstance(kind, str) else shown(kind),
                "list": _EXPECTED_IN_RESULT if in_result else _EXPECTED,
            },
            place=entry.place,
        )


def _fallback_without_beta(view: RequestView, block: BlockView) -> Iterator[Finding]:
    betas = asked_betas(view)
    if betas is None:
        # who sends `fallbacks` has the beta; the block without either is what a loop sends that has dropped both
        alone = view.headers is None and view.known is None and not taken(view) and not on_cloud(view)
        lacking = alone and not {"fallbacks", "anthropic_beta"} & view.body.keys()
    else:
        lacking = not any(beta.startswith("server-side-fallback") for beta in betas)
    if lacking and block.within is None:
        yield Finding(
            path=f"{block.path}.type",
            what="the history holds a `fallback` block, which is taken with the server-side-fallback beta only",
            values={"api": block.api},
            place=block.place,
        )


def _of_the_assistant(view: RequestView, block: BlockView) -> Iterator[Finding]:
    yield from _in_the_wrong_message(block, "user", "assistant")


def _of_the_user(view: RequestView, block: BlockView) -> Iterator[Finding]:
    yield from _in_the_wrong_message(block, "assistant", "user")


def _in_the_wrong_message(block: BlockView, role: str, expected: str) -> Iterator[Finding]:
    if block.role == role and block.within is None:
        yield Finding(
            path=block.path,
            what=f"a {block.type} block stands in a message of role `{role}`; its place is a message of the {expected}",
            values={"i": block.place[0], "type": block.type},
            place=block.place,
        )


RULES = (
    Rule(
        id="message-shape",
        level="reject",
        wording=(
            "messages.{i}.role: Field required",
            "messages.{i}.content: Field required",
            "messages.{i}.content: Input should be a valid array",
            "messages.{i}: Input does not match the expected shape.",
        ),
        fix='send {{"role": "user" or "assistant", "content": a string or a list of content blocks}}',
        rank=FIELD["messages"],
        message=_message_shape,
        ordinary=False,
    ),
    Rule(
        id="message-role-enum",
        level="reject",
        wording=(
            'messages: Unexpected role "{role}". Allowed roles are "user" or "assistant"',
            "messages.{i}.role: Input should be 'user' or 'assistant'",
        ),
        fix="give the message the role `user` or `assistant`; a tool's result is a tool_result block of a user message",
        rank=FIELD["messages"],
        message=_role_known,
        ordinary=False,
    ),
    Rule(
        id="system-role-model-gated",
        level="reject",
        wording=(
            'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" '
            "as an input message role.",
            "role 'system' is not supported on this model",
        ),
        fix="put the text into the `system` parameter or a user message, or ask a model that takes system messages",
        rank=FIELD["messages"],
        message=_system_taken,
        roles=("system",),
    ),
    Rule(
        id="system-role-placement",
        level="reject",
        wording=(
            "messages.{i}: use the top-level 'system' parameter for the initial system prompt; the directive-only form "
            "(content: [] with output_config) is accepted at any position",
            "messages.{i}: role 'system' must follow a 'user' message or an 'assistant' message ending in a server "
            "tool result; the directive-only form (content: [] with output_config) is accepted at any position",
            "messages.{i}: role 'system' must precede an 'assistant' message or end the array; the directive-only form "
            "(content: [] with output_config) is accepted at any position",
        ),
        fix="move the system message behind the user message (and the results) it goes with",
        rank=CONVERSATION,
        message=_system_placed,
        roles=("system", "user"),
        ordinary=False,
    ),
    Rule(
        id="system-role-content",
        level="reject",
        wording=(
            "messages.{i}: system content must contain at least one block",
            "messages.{i}: role 'system' supports text, tool_addition, and tool_removal blocks only",
            "messages.{i}: system text blocks must contain non-whitespace text",
        ),
        fix="give the system message a text, and nothing but text and changes of tools",
        rank=CONVERSATION,
        message=_system_content,
        roles=("system",),
    ),
    Rule(
        id="content-block-shape",
        level="reject",
        wording=("{api}: Input should be an object", "{api}.type: Field required"),
        fix='send content blocks as objects with a type, a text as {{"type": "text", "text": ...}}',
        rank=FIELD["messages"],
        message=_block_shape,
        ordinary=False,
    ),
    Rule(
        id="content-block-type-unknown",
        level="reject",
        wording=("{api}: Input tag '{type}' found using 'type' does not match any of the expected tags: {list}",),
        fix="send a block of one of the API's own types: {list}",
        rank=FIELD["messages"],
        message=_block_type,
        ordinary=False,
    ),
    Rule(
        id="fallback-block-needs-beta",
        level="reject",
        wording=("{api}: Input tag 'fallback' found using 'type' does not match any of the expected tags",),
        fix="send the beta header of server-side fallback as before, or leave the `fallback` block out",
        rank=FIELD["messages"],
        block=_fallback_without_beta,
        types=("fallback",),
    ),
    Rule(
        id="block-role-tool-use",
        level="reject",
        wording=("messages.{i}: `{type}` blocks can only be in `assistant` messages",),
        fix="send the {type} block back in the assistant message that it came in",
        rank=CONVERSATION,
        block=_of_the_assistant,
        types=("tool_use", "thinking", "redacted_thinking"),
        ordinary=False,
    ),
    Rule(
        id="block-role-tool-result",
        level="reject",
        wording=("messages.{i}: `{type}` blocks can only be in `user` messages",),
        fix="send the results in a user message of their own, right after the assistant message with the calls",
        rank=CONVERSATION,
        block=_of_the_user,
        types=("tool_result",),
        ordinary=False,
    ),
)

"""Rules on the members of `tool_use` and `tool_result` blocks: ids, names, inputs, what a result may hold.

Law: pure checks. Whether each call has its result is the matter of `pairing`; here each block is looked at by itself,
or beside its partner. Faults of form are reported before those of pairing (measured on claude-haiku-4-5, 2026-08).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from playhead.rules.block_search import blocks_of_types
from playhead.rules.json_words import shown
from playhead.rules.order import CONVERSATION, FIELD, PAIRING
from playhead.rules.rule import BlockView, Finding, RequestView, Rule
from playhead.wire.turns import MergedTurn

_ID = re.compile(r"[a-zA-Z0-9_-]+")
_LONGEST_NAME = 200

_REFERRING = ("tool_reference", "tool_search_tool_result")

_ID_MEMBER = {"tool_use": "id", "tool_result": "tool_use_id"}


def _found(block: BlockView, member: str, what: str, wording: int = 0) -> Finding:
    """A finding on a member that is there, or on the block that lacks it."""
    return Finding(
        path=f"{block.path}.{member}" if member in block.data else block.path,
        what=what,
        values={"api": block.api, "type": block.type, "member": member},
        place=block.place,
        wording=wording,
    )


def _id_unique(view: RequestView) -> Iterator[Finding]:
    for turn in view.turns:
        seen: set[str] = set()
        for call in turn.of_type("tool_use") if turn.role == "assistant" else ():
            identifier = call.data.get("id")
            if not isinstance(identifier, str):
                continue
            if identifier in seen:
                yield Finding(
                    path=f"{call.path}.id",
                    what=f"{identifier} is the id of an earlier tool_use of the same turn",
                    values={"i": turn.number, "j": call.position, "id": identifier},
                    place=(turn.number, call.position),
                )
            seen.add(identifier)


def _id_pattern(view: RequestView, block: BlockView) -> Iterator[Finding]:
    if block.within is not None:
        return
    member = _ID_MEMBER[str(block.type)]
    if member not in block.data:
        if block.type == "tool_use":  # that of a result has a rule of its own
            yield _found(block, member, "the tool_use has no `id`", 2)
        return
    value = block.data[member]
    if not isinstance(value, str):
        yield _found(block, member, f"`{member}` is {shown(value)}; it is a string", 1)
    elif not _ID.fullmatch(value):
        what = f"`{member}` is {shown(value)}; ids are made of letters, digits, `_` and `-`, at least one"
        yield _found(block, member, what)


def _result_id(view: RequestView, block: BlockView) -> Iterator[Finding]:
    if block.within is None and "tool_use_id" not in block.data:
        yield _found(block, "tool_use_id", "the tool_result does not say which call it answers: no `tool_use_id`")


def _input_object(view: RequestView, block: BlockView) -> Iterator[Finding]:
    if block.within is None and "input" in block.data and not isinstance(block.data["input"], dict):
        value = block.data["input"]
        what = f"`input` is {shown(value)}; it is an object, an empty one where the tool takes nothing"
        yield _found(block, "input", what)


def _input_there(view: RequestView, block: BlockView) -> Iterator[Finding]:
    if block.within is None and "input" not in block.data:
        yield _found(block, "input", "the tool_use has no `input`")


def _name_limits(view: RequestView, block: BlockView) -> Iterator[Finding]:
    if block.within is not None:
        return
    name = block.data.get("name")
    if "name" not in block.data:
        yield _found(block, "name", "the tool_use has no `name`", 3)
    elif not isinstance(name, str):
        yield _found(block, "name", f"`name` is {shown(name)}; it is a string", 2)
    elif not name:
        yield _found(block, "name", "`name` is empty", 1)
    elif len(name) > _LONGEST_NAME:
        yield _found(block, "name", f"`name` has {len(name)} characters, {_LONGEST_NAME} are allowed")


def _error_is_text(view: RequestView, block: BlockView) -> Iterator[Finding]:
    content = block.data.get("content")
    if block.within is not None or block.data.get("is_error") is not True or not isinstance(content, list):
        return
    for number, one in enumerate(content):
        kind = one.get("type") if isinstance(one, dict) else None
        if isinstance(kind, str) and kind != "text":
            yield Finding(
                path=f"{block.path}.content[{number}]",
                what=f"a result with `is_error` holds a block of type {kind:.60}",
                place=(*block.place, number),
            )
            return


def _references(view: RequestView) -> Iterator[tuple[str, str, tuple[int, ...]]]:
    """The names that `tool_reference` blocks refer to, each with path and place; those that a tool search found too."""
    for block in blocks_of_types(view, _REFERRING):
        if block.type == "tool_reference":
            found: object = [block.data]
            path = block.path
        else:
            content = block.data.get("content")
            found = content.get("tool_references") if isinstance(content, dict) else None
            path = f"{block.path}.content.tool_references"
        for number, one in enumerate(found if isinstance(found, list) else ()):
            name = one.get("tool_name") if isinstance(one, dict) else None
            if isinstance(name, str):
                where = path if one is block.data else f"{path}[{number}]"
                yield name, f"{where}.tool_name", (*block.place, number)


def _reference_known(view: RequestView) -> Iterator[Finding]:
    if view.held or not view.knows("tools"):
        return  # a thread's tools are on the server
    references = list(_references(view))
    known = _tool_names(view) if references else None
    if known is None:
        return
    for name, path, place in references:
        if name not in known:
            what = f"the reference names the tool {shown(name)}, which is not among `tools`"
            yield Finding(path=path, what=what, values={"name": name}, place=place)


def _tool_names(view: RequestView) -> frozenset[str] | None:
    """The names of the tools; None where a server, a toolset or a message brings in tools that are not named here."""
    tools = view.body.get("tools")
    names = frozenset(tool["name"] for tool in view.tools if isinstance(tool.get("name"), str))
    unnamed = any(not isinstance(tool.get("name"), str) for tool in view.tools)
    if unnamed or view.body.get("mcp_servers") or not isinstance(tools, (list, type(None))):
        return None
    return None if next(blocks_of_types(view, ("tool_addition",)), None) is not None else names


def _toolset_echo(view: RequestView) -> Iterator[Finding]:
    before: MergedTurn | None = None
    for turn in view.turns:
        calls = before.of_type("tool_use") if before is not None and turn.role == "user" else ()
        toolsets = {
            call.data["id"]: call.data.get("toolset_name") for call in calls if isinstance(call.data.get("id"), str)
        }
        for result in turn.of_type("tool_result") if toolsets else ():
            identifier, sent = result.data.get("tool_use_id"), result.data.get("toolset_name")
            if not isinstance(identifier, str) or identifier not in toolsets or sent == toolsets[identifier]:
                continue
            expected = _said(toolsets[identifier])
            yield Finding(
                path=f"{result.path}.toolset_name" if "toolset_name" in result.data else result.path,
                what=f"the result's `toolset_name` is {_said(sent)}, that of its call {expected}",
                values={"toolset": expected},
                place=(turn.number, result.position),
            )
        before = turn


def _said(toolset: object) -> str:
    return "absent" if toolset is None else shown(toolset)


RULES = (
    Rule(
        id="tool-use-id-unique-in-turn",
        level="reject",
        wording=("messages.{i}.content.{j}: `tool_use` ids must be unique",),
        fix="send each tool_use of a turn once, under the id that it came with",
        rank=PAIRING,
        request=_id_unique,
        recent=("tool_use",),
        ordinary=False,
    ),
    Rule(
        id="tool-use-id-pattern",
        level="reject",
        wording=(
            "{api}.{type}.{member}: String should match pattern '^[a-zA-Z0-9_-]+$'",
            "{api}.{type}.{member}: Input should be a valid string",
            "{api}.{type}.{member}: Field required",
        ),
        fix="send the id that the call came with; rename ids of another provider the same way in call and result",
        rank=FIELD["messages"],
        block=_id_pattern,
        types=("tool_use", "tool_result"),
        ordinary=False,
    ),
    Rule(
        id="tool-use-input-dict",
        level="reject",
        wording=("{api}.{type}.input: Input should be a valid dictionary",),
        fix="send `input` as the object that it came as, not as JSON text; {{}} for a call without arguments",
        rank=FIELD["messages"],
        block=_input_object,
        types=("tool_use", "server_tool_use"),
        ordinary=False,
    ),
    Rule(
        id="tool-use-input-required",
        level="reject",
        wording=("{api}.{type}.input: Field required",),
        fix='add "input": {{}} to a call without arguments',
        rank=FIELD["messages"],
        block=_input_there,
        types=("tool_use",),
        ordinary=False,
    ),
    Rule(
        id="tool-use-name-limits",
        level="reject",
        wording=(
            "{api}.{type}.name: String should have at most 200 characters",
            "{api}.{type}.name: String should have at least 1 character",
            "{api}.{type}.name: Input should be a valid string",
            "{api}.{type}.name: Field required",
        ),
        fix="send the name that the call came with",
        rank=FIELD["messages"],
        block=_name_limits,
        types=("tool_use",),
        ordinary=False,
    ),
    Rule(
        id="tool-result-is-error-text-only",
        level="reject",
        wording=("all content must be type `text` if `is_error` is true",),
        fix="describe the error in text, or send the other blocks in a result without `is_error`",
        rank=CONVERSATION,
        block=_error_is_text,
        types=("tool_result",),
        ordinary=False,
    ),
    Rule(
        id="tool-reference-unknown",
        level="reject",
        wording=("Tool reference '{name}' not found in available tools",),
        fix='define {name} in `tools`, with "defer_loading": true if it is to be loaded on reference only',
        rank=PAIRING,
        request=_reference_known,
        holding=_REFERRING,
    ),
    Rule(
        id="toolset-name-echo",
        level="reject",
        fix="give the result the `toolset_name` of its call: {toolset}",
        rank=PAIRING,
        request=_toolset_echo,
        recent=("tool_result",),
        ordinary=False,
    ),
    Rule(
        id="tool-result-id-required",
        level="reject",
        wording=("{api}.{type}.tool_use_id: Field required",),
        fix="copy `tool_use_id` from the call's `id`",
        rank=FIELD["messages"],
        block=_result_id,
        types=("tool_result",),
        ordinary=False,
    ),
)

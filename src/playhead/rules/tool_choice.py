"""Rules on `tool_choice`: its shape, and whether there is what it chooses from.

Law: pure checks on the envelope of a request. Tools whose names only the server knows (those of MCP servers) are
taken to be there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from playhead.rules.json_words import kind_of, shown
from playhead.rules.order import CAPABILITY, FIELD
from playhead.rules.rule import Finding, RequestView, Rule
from playhead.rules.thinking_config import FORCING
from playhead.wire.codec import JsonObject

_PATH = "$.tool_choice"
_RANK = FIELD["tool_choice"]

_MEMBERS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "auto": ("disable_parallel_tool_use",),
        "any": ("disable_parallel_tool_use",),
        "tool": ("name", "disable_parallel_tool_use"),
        "none": (),
    }
)
"""What may stand beside each `type` (anthropic 2.14.0, `types/tool_choice_*_param.py`)."""

_PLACED = ("name", "disable_parallel_tool_use")
"""The members that belong to some types only; keys that belong to none are a fault of another kind."""


def _type(view: RequestView) -> str | None:
    """The type of the choice, None where there is none that exists."""
    given = view.member("tool_choice").get("type")
    return given if isinstance(given, str) and given in _MEMBERS else None


def _shape(view: RequestView) -> Iterator[Finding]:
    if "tool_choice" not in view.body:
        return
    choice = view.body["tool_choice"]
    if not isinstance(choice, dict):
        yield Finding(path=_PATH, what=f"tool_choice is {kind_of(choice)} where an object is expected: {shown(choice)}")
    elif "type" not in choice:
        yield Finding(path=_PATH, what="tool_choice has no `type`", wording=1)


def _members(view: RequestView) -> Iterator[Finding]:
    """A type that does not exist, or members that do not go with it."""
    choice = view.member("tool_choice")
    if "type" not in choice:
        return
    its_type = _type(view)
    if its_type is None:
        given = choice["type"]
        yield Finding(
            path=f"{_PATH}.type",
            what=f"tool_choice has type {shown(given)}; it is one of {', '.join(_MEMBERS)}",
            values={"type": given if isinstance(given, str) else shown(given)},
        )
        return
    for member in _PLACED:
        if member in choice and member not in _MEMBERS[its_type]:
            yield Finding(
                path=f"{_PATH}.{member}",
                what=f'`{member}` does not go with tool_choice "{its_type}"',
                values={"type": its_type, "member": member},
                wording=1,
            )
    if its_type == "tool":
        yield from _name(choice)


def _name(choice: JsonObject) -> Iterator[Finding]:
    if "name" not in choice:
        yield Finding(path=_PATH, what='tool_choice "tool" has no `name`', wording=2)
    elif not isinstance(choice["name"], str):
        what = f"the name in tool_choice is {shown(choice['name'])} where a string is expected"
        yield Finding(path=f"{_PATH}.name", what=what, wording=3)


def _names(view: RequestView) -> frozenset[str] | None:
    """The names of the tools, None where they cannot all be known."""
    tools = view.body.get("tools", [])
    if not view.knows("tools") or not isinstance(tools, list) or view.body.get("mcp_servers") or view.held:
        return None
    names = [tool.get("name") if isinstance(tool, dict) else None for tool in tools]
    return frozenset(map(str, names)) if all(isinstance(name, str) for name in names) else None


def _no_tools(view: RequestView) -> Iterator[Finding]:
    """With `tool` the API reports the name instead; `none` was not tried."""
    its_type = _type(view)
    if its_type in ("any", "auto") and _names(view) == frozenset():
        yield Finding(
            path=_PATH,
            what=f'tool_choice is "{its_type}", and there are no tools',
            wording=0 if its_type == "any" else 1,
        )


def _unknown_name(view: RequestView) -> Iterator[Finding]:
    name, names = view.member("tool_choice").get("name"), _names(view)
    if _type(view) != "tool" or not isinstance(name, str) or names is None or name in names:
        return
    there = f"the tools are {', '.join(sorted(names))}" if names else "there are no tools"
    yield Finding(path=f"{_PATH}.name", what=f"tool_choice names {shown(name)}; {there}", values={"name": name})


def _forced(view: RequestView) -> Iterator[Finding]:
    if _type(view) in FORCING and view.model.forced_tool_choice is False:
        yield Finding(
            path=f"{_PATH}.type",
            what=f'{view.model.name} does not take tool_choice "{_type(view)}", only "auto" and "none"',
        )


RULES = (
    Rule(
        id="tool-choice-shape",
        level="reject",
        wording=("tool_choice: Input should be an object", "tool_choice.type: Field required"),
        fix='send an object, such as {{"type": "auto"}}',
        rank=_RANK,
        envelope=_shape,
    ),
    Rule(
        id="tool-choice-type-enum",
        level="reject",
        wording=(
            "tool_choice: Input tag '{type}' found using 'type' does not match any of the expected tags: 'auto', "
            "'any', 'tool', 'none'",
            "tool_choice.{type}.{member}: Extra inputs are not permitted",
            "tool_choice.tool.name: Field required",
            "tool_choice.tool.name: Input should be a valid string",
        ),
        fix=(
            'send {{"type": "auto"}}, {{"type": "any"}}, {{"type": "tool", "name": ...}} or {{"type": "none"}}; '
            "`disable_parallel_tool_use` goes with the first three"
        ),
        rank=_RANK,
        envelope=_members,
    ),
    Rule(
        id="tool-choice-needs-tools",
        level="reject",
        wording=(
            "tool_choice.any may only be specified while providing tools",
            "tool_choice may only be specified while providing tools.",
        ),
        fix="send the tools with every request that has a tool_choice, or leave tool_choice out",
        rank=_RANK,
        envelope=_no_tools,
    ),
    Rule(
        id="tool-choice-unknown-name",
        level="reject",
        wording=("Tool '{name}' not found in provided tools",),
        fix="name one of the tools, or send the tool {name}",
        rank=_RANK,
        envelope=_unknown_name,
    ),
    Rule(
        id="forced-tool-choice-unsupported",
        level="reject",
        wording=('tool_choice: type "tool" and "any" are not supported for this model.',),
        fix='use {{"type": "auto"}} and ask for the call in the prompt',
        rank=CAPABILITY,
        envelope=_forced,
    ),
)

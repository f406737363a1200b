"""Rules on how tools are offered: deferred, as a set, to code, with an advisor.

Law: pure checks on `tools` and `tool_choice`; what a single tool must be is the matter of `tool_definitions`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from playhead.rules.json_schemas import circle
from playhead.rules.models import UNKNOWN, Model
from playhead.rules.order import FIELD
from playhead.rules.rule import Finding, RequestView, Rule
from playhead.rules.tool_types import TOOLSETS, called_by_code, callers, entries, kind
from playhead.wire.codec import JsonObject

_OURS = "{path}: {said}"
"""Stands for a wording of the API that is not known, in rules that have a known one too."""


def _ours(path: str, said: str, **values: object) -> dict[str, object]:
    return {"path": path, "said": said, **values}


def _all_deferred(view: RequestView) -> Iterator[Finding]:
    tools = view.body.get("tools")
    if not isinstance(tools, list) or not tools:
        return
    if all(isinstance(tool, dict) and tool.get("defer_loading") is True for tool in tools):
        yield Finding(path="$.tools", what=f"every tool has defer_loading true ({len(tools)} of {len(tools)})")
        return
    for index, tool in entries(view):
        if kind(tool).startswith("tool_search_tool_") and tool.get("defer_loading") is True:
            path = f"$.tools[{index}].defer_loading"
            said = f"the search tool {kind(tool)} is deferred itself, so that nothing could find it"
            yield Finding(path=path, what=said, values=_ours(path, said), place=(index, 2), wording=1)


def _deferred_with_cache(view: RequestView) -> Iterator[Finding]:
    for index, tool in entries(view):
        if tool.get("defer_loading") is True and tool.get("cache_control") is not None:
            yield Finding(
                path=f"$.tools[{index}].cache_control",
                what=f"the tool {tool.get('name')} is deferred, so it is not in the prefix that could be cached",
                values={"i": index},
                place=(index, 2),
            )


_NOT_IN_TOOLSETS = ("name", "strict", "input_examples", "defer_loading")


def _toolset_options(view: RequestView) -> Iterator[Finding]:
    sets = {TOOLSETS[kind(tool)]: kind(tool) for _, tool in entries(view) if kind(tool) in TOOLSETS}
    if not sets:
        return
    for index, tool in entries(view):
        if kind(tool) in TOOLSETS:
            yield from _on_toolset(index, tool)
        elif isinstance(tool.get("name"), str) and tool["name"] in sets:
            yield Finding(
                path=f"$.tools[{index}].name",
                what=f"a tool is called {tool['name']}, which is the name of the {sets[tool['name']]} beside it",
                values={"fix": "rename that tool"},
                place=(index, 2),
            )
    choice = view.member("tool_choice")
    name = choice.get("name")
    if choice.get("type") == "tool" and isinstance(name, str) and name in sets:
        yield Finding(
            path="$.tool_choice.name",
            what=f"tool_choice names {name}, the whole {sets[name]}",
            values={"fix": "leave the choice to Claude; a toolset cannot be forced"},
            place=(len(view.tools),),
        )


def _on_toolset(index: int, tool: JsonObject) -> Iterator[Finding]:
    found = [option for option in _NOT_IN_TOOLSETS if tool.get(option) is not None]
    found += ["allowed_callers"] if called_by_code(tool) else []
    for option in found:
        yield Finding(
            path=f"$.tools[{index}].{option}",
            what=f"a {kind(tool)} takes no `{option}`",
            values={"fix": f"drop `{option}`; a toolset has only type, configs and cache_control"},
            place=(index, 2),
        )


_CIRCULAR, _UNKNOWN_TEXT = range(2)


def _programmatic(view: RequestView) -> Iterator[Finding]:
    by_code = [(index, tool) for index, tool in entries(view) if called_by_code(tool)]
    for index, tool in by_code:
        if tool.get("strict") is True:
            yield _against_code(f"$.tools[{index}].strict", f"the tool {tool.get('name')} is strict", "drop `strict`")
        schema = tool.get("input_schema")
        round_ = circle(schema) if isinstance(schema, dict) else None
        if round_:
            path, said = f"$.tools[{index}].input_schema", f"the schema refers to itself: {' -> '.join(round_)}"
            yield _against_code(path, said, "write the nesting out to a fixed depth", _CIRCULAR)
    if by_code:
        yield from _choice_against_code(view, [tool for _, tool in by_code])


def _choice_against_code(view: RequestView, by_code: list[JsonObject]) -> Iterator[Finding]:
    choice = view.member("tool_choice")
    forced = choice.get("name") if choice.get("type") == "tool" else None
    for tool in by_code:
        if isinstance(forced, str) and tool.get("name") == forced and "direct" not in callers(tool):
            said = f"tool_choice forces {forced}, which only code may call"
            yield _against_code("$.tool_choice.name", said, 'add "direct" to allowed_callers, or do not force the tool')
    if choice.get("disable_parallel_tool_use") is True:
        said = f"parallel use is disabled, but code may call {', '.join(str(tool.get('name')) for tool in by_code)}"
        yield _against_code("$.tool_choice.disable_parallel_tool_use", said, "drop `disable_parallel_tool_use`")


def _against_code(path: str, said: str, fix: str, wording: int = _UNKNOWN_TEXT) -> Finding:
    said = f"{said}; tools for programmatic calling cannot be used so"
    return Finding(path=path, what=said, values=_ours(path, said, fix=fix), wording=wording)


_LINE = re.compile(r"claude-(?P<tier>haiku|sonnet|opus|fable|mythos)-(?P<major>\d+)(?:-(?P<minor>\d+))?\Z")
_TIERS: Mapping[str, int] = MappingProxyType({"haiku": 0, "sonnet": 1, "opus": 2, "fable": 3, "mythos": 3})
_REFUSED_ADVISORS: Mapping[str, frozenset[str]] = MappingProxyType(
    {"claude-sonnet-5-5": frozenset({"claude-opus-4-7", "claude-opus-4-8"})}
)
_ONLY_ADVISORS: Mapping[str, frozenset[str]] = MappingProxyType(
    {"claude-fable-5-2": frozenset({"claude-fable-5-2", "claude-mythos-5-2"})}
)
_LEAST_ADVICE = 1024


def _advisor(view: RequestView) -> Iterator[Finding]:
    for index, tool in entries(view):
        if not kind(tool).startswith("advisor_"):
            continue
        advisor = view.models.find(tool.get("model"))
        if _is_no_advisor(view.model, advisor):
            yield Finding(
                path=f"$.tools[{index}].model",
                what=f"{advisor.name} does not advise {view.model.name}",
                values={"fix": f"choose a stronger model than {view.model.name} as advisor"},
                place=(index, 2),
            )
        most = tool.get("max_tokens")
        if isinstance(most, int) and not isinstance(most, bool) and most < _LEAST_ADVICE:
            yield Finding(
                path=f"$.tools[{index}].max_tokens",
                what=f"the advisor may write {most} tokens; {_LEAST_ADVICE} is the least that can be set",
                values={"fix": f"set max_tokens to {_LEAST_ADVICE} or more, or leave it out"},
                place=(index, 2),
            )


def _is_no_advisor(executor: Model, advisor: Model) -> bool:
    """Whether the pair is known to be refused: an advisor is no weaker and no older than whom it advises."""
    if executor.name in _ONLY_ADVISORS:
        return advisor is not UNKNOWN and advisor.name not in _ONLY_ADVISORS[executor.name]
    if advisor.name in _REFUSED_ADVISORS.get(executor.name, ()):
        return True
    worker, adviser = _LINE.match(executor.name), _LINE.match(advisor.name)
    if not worker or not adviser or executor.name == advisor.name:
        return False
    no_stronger = _TIERS[adviser["tier"]] <= _TIERS[worker["tier"]]
    no_newer = _generation(adviser) <= _generation(worker)
    same = _TIERS[adviser["tier"]] == _TIERS[worker["tier"]] and _generation(adviser) == _generation(worker)
    return no_stronger and no_newer and not same


def _generation(line: re.Match[str]) -> tuple[int, int]:
    return int(line["major"]), int(line["minor"] or 0)


RULES = (
    Rule(
        id="defer-loading-not-all",
        level="reject",
        wording=("At least one tool must have defer_loading=false. All tools cannot be deferred.", _OURS),
        fix="leave `defer_loading` off for the search tool and for the tools that are needed most",
        rank=FIELD["tools"],
        envelope=_all_deferred,
    ),
    Rule(
        id="defer-loading-cache-control",
        level="reject",
        fix="move `cache_control` to the last tool that is not deferred",
        rank=FIELD["tools"],
        envelope=_deferred_with_cache,
    ),
    Rule(
        id="toolset-entry-options",
        level="reject",
        fix="{fix}",
        rank=FIELD["tools"],
        envelope=_toolset_options,
    ),
    Rule(
        id="ptc-restrictions",
        level="reject",
        wording=("Circular $ref detected", _OURS),
        fix="{fix}",
        rank=FIELD["tools"],
        envelope=_programmatic,
    ),
    Rule(
        id="advisor-pairing",
        level="reject",
        fix="{fix}",
        rank=FIELD["tools"],
        envelope=_advisor,
    ),
)

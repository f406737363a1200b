"""Rules on tools that Anthropic runs: each call has its result, and what a waiting call needs is sent along.

Law: pure checks on merged turns, and on what a waiting call needs of the rest of the request. How a single block must
look is the matter of `server_blocks`, what a tool may say of itself that of `server_tool_options`.

A turn may pause with a call still open (`pause_turn`), or stop for the client's tools first: then the result comes in a
later turn. So an open call is no fault by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from playhead.rules.order import CONTAINER, PAIRING
from playhead.rules.rule import Finding, RequestView, Rule
from playhead.rules.tool_types import ADVISOR, CODE_NAMES, SERVER_TOOL_NAMES, entries, may_hide_tools, runs_code
from playhead.wire.tables import SERVER_CALLS, SERVER_RESULTS
from playhead.wire.turns import MergedTurn, PlacedBlock, blocks_of

_REDACTED = "REDACTED"  # recordings have it in place of ids, which then tell nothing
_KNOWN = frozenset({*SERVER_TOOL_NAMES, ADVISOR})
_OPEN = "`{name}` tool use with id `{id}` was found without a corresponding `{name}_tool_result` block"


def _is_server_result(block: PlacedBlock) -> bool:
    type_ = block.type
    return isinstance(type_, str) and type_.endswith("_tool_result")


def _is_server_call(block: PlacedBlock) -> bool:
    type_ = block.type
    return isinstance(type_, str) and type_ in SERVER_CALLS


def _text(block: PlacedBlock, member: str) -> str:
    """A member that is a string; empty where it is absent or something else."""
    value = block.data.get(member)
    return value if isinstance(value, str) else ""


def _code_caller(block: PlacedBlock) -> str | None:
    """The id of the code execution that made this call; None where Claude made it itself."""
    caller = block.data.get("caller")
    if not isinstance(caller, dict) or not str(caller.get("type")).startswith("code_execution"):
        return None
    return str(caller.get("tool_id"))


def _answered(turn: MergedTurn) -> set[str]:
    """The ids of the server's calls that have their result in the same turn."""
    return {_text(block, "tool_use_id") for block in turn.blocks if _is_server_result(block)}


def _open_calls(turn: MergedTurn) -> list[PlacedBlock]:
    """The calls of known server tools in a turn that have no result there."""
    calls = [call for call in turn.of_type("server_tool_use") if _text(call, "name") in _KNOWN and _text(call, "id")]
    answered = _answered(turn) if calls else set()
    if any(_REDACTED in identifier for identifier in answered):
        return []
    return [call for call in calls if _text(call, "id") not in answered]


def _code_calls(turn: MergedTurn) -> list[PlacedBlock]:
    """The calls that code made and that it still waits for."""
    answered = _answered(turn)
    return [
        call
        for call in turn.of_type("tool_use", "server_tool_use")
        if (code := _code_caller(call)) is not None and code not in answered and _text(call, "id") not in answered
    ]


def _others(turn: MergedTurn) -> list[PlacedBlock]:
    """The blocks of a user turn besides its results."""
    return [block for block in turn.blocks if block.type != "tool_result"]


def _steps(view: RequestView) -> Iterator[tuple[MergedTurn, MergedTurn]]:
    """Each assistant turn and the user turn after it."""
    return ((turn, after) for turn, after in pairwise(view.turns) if turn.role == "assistant")


def _last_reply(view: RequestView) -> tuple[MergedTurn | None, MergedTurn | None]:
    """The assistant turn that the request goes on from, and the user turn after it, if there is one."""
    for back, turn in enumerate(reversed(view.turns[-2:])):
        if turn.role == "assistant":
            return turn, view.turns[-1] if back else None
    return None, None


def _unpaired(view: RequestView) -> Iterator[Finding]:
    for turn, after in _steps(view):
        others = _others(after)
        for call in _open_calls(turn) if others else ():
            name, identifier = _text(call, "name"), _text(call, "id")
            yield Finding(
                path=call.path,
                what=f"{identifier} ({name}) has no {name}_tool_result, and the {others[0].type} block at "
                f"{others[0].path} ends the turn in which it could still come",
                values={"name": name, "id": identifier},
                place=(turn.number, call.position),
            )


def _missing_tool(view: RequestView) -> Iterator[Finding]:
    turn, after = _last_reply(view)
    calls = _open_calls(turn) if turn and not (after and _others(after)) else []
    if not turn or not calls or may_hide_tools(view):
        return
    tools = [tool for _, tool in entries(view)]
    names = {tool.get("name") for tool in tools if isinstance(tool.get("name"), str)}
    names |= CODE_NAMES if any(map(runs_code, tools)) else set()
    for call in calls:
        name, identifier = _text(call, "name"), _text(call, "id")
        if name not in names:
            yield Finding(
                path=call.path,
                what=f"{identifier} waits for {name}, which is not among the tools",
                values={"name": name, "id": identifier},
                place=(turn.number, call.position),
            )


def _ids_before(view: RequestView) -> set[str]:
    """The ids of the server's calls in the messages before the view's turns; looked up only where one is missed."""
    placed = (
        block
        for index in range(view.turns[0].messages[0])
        for block in blocks_of(view.messages[index], index)
        if _is_server_call(block)
    )
    return {_text(block, "id") for block in placed}


def _orphan(view: RequestView) -> Iterator[Finding]:
    if view.held:
        return  # the call may be in the part of the history that the server holds
    called: set[str] = set()
    for turn in view.turns:
        for block in turn.blocks if turn.role == "assistant" else ():
            if _is_server_call(block):
                called.add(_text(block, "id"))
            identifier = _text(block, "tool_use_id")
            if not identifier or not _is_server_result(block) or identifier in called or _REDACTED in identifier:
                continue
            called |= _ids_before(view)
            if identifier not in called:
                yield _orphaned(turn, block, identifier)


def _orphaned(turn: MergedTurn, block: PlacedBlock, identifier: str) -> Finding:
    caller = "mcp_tool_use" if block.type == "mcp_tool_result" else "server_tool_use"
    return Finding(
        path=f"{block.path}.tool_use_id",
        what=f"a {block.type} answers {identifier}, but no {caller} with that id stands before it",
        values={"i": turn.number, "j": block.position, "id": identifier, "type": block.type, "caller": caller},
        place=(turn.number, block.position),
    )


def _client_answers(view: RequestView) -> Iterator[Finding]:
    called: set[str] = set()
    own: set[str] = set()
    for turn in view.turns:
        if turn.role == "assistant":
            called |= {_text(call, "id") for call in turn.of_type(*SERVER_CALLS)}
            own = {_text(call, "id") for call in turn.of_type("tool_use")}
            continue
        for result in turn.of_type("tool_result"):
            identifier = _text(result, "tool_use_id")
            if not identifier or identifier in own:
                continue
            called |= _ids_before(view)
            if identifier in called:
                yield Finding(
                    path=f"{result.path}.tool_use_id",
                    what=f"a tool_result answers {identifier}, a call that Anthropic runs",
                    values={"i": turn.number, "j": result.position, "id": identifier},
                    place=(turn.number, result.position),
                )


def _only_results(view: RequestView) -> Iterator[Finding]:
    for turn, after in _steps(view):
        calls = {_text(call, "id"): call for call in _code_calls(turn) if call.type == "tool_use"}
        if not calls:
            continue
        for other in _others(after):
            what = f"a {other.type} block stands beside the results of {', '.join(calls)}, which code waits for"
            yield Finding(path=other.path, what=what, place=(after.number, other.position))
        for result in after.of_type("tool_result"):
            if _text(result, "tool_use_id") in calls:
                yield from _no_text(after, result)


def _no_text(turn: MergedTurn, result: PlacedBlock) -> Iterator[Finding]:
    content = result.data.get("content")
    for number, part in enumerate(content if isinstance(content, list) else ()):
        if isinstance(part, dict) and part.get("type") != "text":
            yield Finding(
                path=f"{result.path}.content[{number}]",
                what=f"the result of {_text(result, 'tool_use_id')}, which code waits for, holds a block of type "
                f"{part.get('type')}; code can be given text only",
                place=(turn.number, result.position),
            )


def _no_container(view: RequestView) -> Iterator[Finding]:
    turn, _ = _last_reply(view)
    calls = _code_calls(turn) if turn else []
    if not turn or not calls or view.counting or not view.knows("container"):
        return
    container = view.body.get("container")
    if container is None or (isinstance(container, dict) and container.get("id") is None):
        yield Finding(
            path="$.container" if "container" in view.body else "$",
            what=f"code in a container waits for {_text(calls[0], 'id')}, but the request names no container",
            place=(turn.number, calls[0].position),
        )


def _container_alone(view: RequestView) -> Iterator[Finding]:
    container = view.body.get("container")
    if not isinstance(container, str | dict) or view.counting or may_hide_tools(view):
        return
    if not any(runs_code(tool) for _, tool in entries(view)):
        tools = "none of the tools runs code" if view.tools else "there are no tools"
        yield Finding(path="$.container", what=f"the request names the container {container!r:.80}, but {tools}")


RULES = (
    Rule(
        id="server-tool-use-unpaired",
        level="reject",
        wording=(_OPEN,),
        fix="send only the tool_results now and the rest after Claude's next turn; or drop the open call {id}",
        rank=PAIRING,
        request=_unpaired,
        recent=("server_tool_use",),
    ),
    Rule(
        id="server-tool-missing-on-resume",
        level="reject",
        wording=(_OPEN + ", but no `{name}` tool was provided",),
        fix="send the same tools as before the pause, {name} among them",
        rank=PAIRING,
        request=_missing_tool,
        recent=("server_tool_use",),
    ),
    Rule(
        id="server-result-orphan",
        level="reject",
        wording=(
            "messages.{i}.content.{j}: unexpected `tool_use_id` found in `{type}` blocks: {id}. Each `{type}` block "
            "must have a corresponding `{caller}` block before it.",
        ),
        fix="keep the {caller} block of {id} before its result; they come and go together",
        rank=PAIRING,
        request=_orphan,
        recent=SERVER_RESULTS,
    ),
    Rule(
        id="client-result-for-server-tool",
        level="reject",
        wording=(
            "messages.{i}.content.{j}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each "
            "`tool_result` block must have a corresponding `tool_use` block in the previous message.",
        ),
        fix="do not run or answer {id}: run only blocks of type tool_use, and send the reply back as it is",
        rank=PAIRING,
        request=_client_answers,
        recent=("tool_result",),
        ordinary=False,
    ),
    Rule(
        id="programmatic-result-only-tool-results",
        level="reject",
        fix="answer calls from code with a user message of tool_result blocks alone, each a string or text",
        rank=PAIRING,
        request=_only_results,
        recent=("tool_use", "server_tool_use"),
        ordinary=False,
    ),
    Rule(
        id="container-required-when-pending",
        level="reject",
        wording=("container_id is required when there are pending tool uses generated by code execution with tools.",),
        fix="send the `container.id` of the reply that made the call as `container`",
        rank=PAIRING,
        request=_no_container,
        recent=("tool_use", "server_tool_use"),
        ordinary=False,
    ),
    Rule(
        id="container-needs-code-execution",
        level="reject",
        wording=("container: Container identifier can only be provided when using the code execution tool",),
        fix="drop `container`, or send the code execution tool with it as before",
        rank=CONTAINER,
        envelope=_container_alone,
    ),
)

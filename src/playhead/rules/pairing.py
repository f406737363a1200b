"""Rules on `tool_use` and `tool_result`: every call is answered once, by the next user turn.

Law: pure checks on the merged turns of one request.
"""

from __future__ import annotations

from collections.abc import Iterator

from playhead.rules.order import PAIRING
from playhead.rules.rule import Finding, RequestView, Rule
from playhead.wire.turns import MergedTurn, PlacedBlock

_UNANSWERED = (
    "messages.{i}: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}. Each `tool_use` "
    "block must have a corresponding `tool_result` block in the next message."
)


def _pairs(view: RequestView) -> Iterator[tuple[MergedTurn, MergedTurn | None]]:
    """Each assistant turn with the user turn after it."""
    for position, turn in enumerate(view.turns):
        if turn.role == "assistant":
            yield turn, view.turns[position + 1] if position + 1 < len(view.turns) else None


def _id(block: PlacedBlock, member: str) -> str:
    return str(block.data.get(member))


def _named(calls: list[PlacedBlock]) -> str:
    return ", ".join(f"{_id(call, 'id')} ({call.data.get('name')})" for call in calls)


def _ids_missing(turn: MergedTurn, answer: MergedTurn | None) -> str:
    """The ids that the API names: the calls without a result among the leading blocks of the next turn."""
    leading = {_id(result, "tool_use_id") for result in answer.leading_results} if answer else set()
    ids = [_id(call, "id") for call in turn.of_type("tool_use")]
    return ", ".join(identifier for identifier in ids if identifier not in leading)


def _unanswered(view: RequestView) -> Iterator[Finding]:
    for turn, answer in _pairs(view):
        calls = turn.of_type("tool_use")
        results = answer.of_type("tool_result") if calls and answer is not None else ()
        answered = {_id(result, "tool_use_id") for result in results}
        open_calls = [call for call in calls if _id(call, "id") not in answered]
        if not open_calls:
            continue
        has = "has" if len(open_calls) == 1 else "have"
        where = "the next user message" if answer else "a next user message: the history ends with the call"
        yield Finding(
            path=open_calls[0].path,
            what=f"{_named(open_calls)} {has} no tool_result in {where}",
            values={
                "i": turn.number,
                "ids": _ids_missing(turn, answer),
                "id": _id(open_calls[0], "id"),
            },
            place=(turn.number, 0),
        )


def _not_first(view: RequestView) -> Iterator[Finding]:
    for turn, answer in _pairs(view):
        if answer is None:
            continue
        ids = {_id(call, "id") for call in turn.of_type("tool_use")}
        if not ids:
            continue
        leading = {_id(result, "tool_use_id") for result in answer.leading_results}
        late = [
            result
            for result in answer.of_type("tool_result")
            if _id(result, "tool_use_id") in ids and _id(result, "tool_use_id") not in leading
        ]
        if late:
            before = answer.blocks[len(answer.leading_results)]
            yield Finding(
                path=late[0].path,
                what=f"a {before.type} block stands before the result of {_id(late[0], 'tool_use_id')}",
                values={"i": turn.number, "ids": _ids_missing(turn, answer)},
                place=(turn.number, 0),
            )


def _orphan(view: RequestView) -> Iterator[Finding]:
    if view.held:
        return  # the call may be in the part of the history that the server holds
    before: MergedTurn | None = None
    for turn in view.turns:
        ids = {_id(call, "id") for call in before.of_type("tool_use")} if before else set()
        for result in turn.of_type("tool_result") if turn.role == "user" else ():
            if "tool_use_id" in result.data and _id(result, "tool_use_id") not in ids:
                yield _orphaned(turn, result, ids)
        before = turn


def _orphaned(turn: MergedTurn, result: PlacedBlock, ids: set[str]) -> Finding:
    identifier = _id(result, "tool_use_id")
    called = f"the turn before calls {', '.join(sorted(ids))}" if ids else "the turn before calls no tool"
    return Finding(
        path=f"{result.path}.tool_use_id",
        what=f"a result answers {identifier}; {called if turn.number else 'no turn stands before it'}",
        values={"i": turn.number, "j": result.position, "id": identifier},
        place=(turn.number, result.position),
    )


def _duplicate(view: RequestView) -> Iterator[Finding]:
    for turn in view.turns:
        seen: set[str] = set()
        for result in turn.of_type("tool_result") if turn.role == "user" else ():
            identifier = _id(result, "tool_use_id")
            if "tool_use_id" in result.data and identifier in seen:
                yield Finding(
                    path=result.path,
                    what=f"{identifier} is answered a second time in the same turn",
                    values={"i": turn.number, "j": result.position, "id": identifier},
                    place=(turn.number, result.position),
                )
            seen.add(identifier)


def _between(view: RequestView) -> Iterator[Finding]:
    """A result that comes, but too late: another turn stands between the call and it."""
    open_calls: dict[str, MergedTurn] = {}
    for turn in view.turns:
        if turn.role == "assistant":
            open_calls.update((_id(call, "id"), turn) for call in turn.of_type("tool_use"))
            continue
        for result in turn.of_type("tool_result"):
            called = open_calls.pop(_id(result, "tool_use_id"), None)
            if called is not None and called.number != turn.number - 1:
                late = turn.number - called.number
                yield Finding(
                    path=result.path,
                    what=f"the result of {_id(result, 'tool_use_id')} comes {late} turns after its call",
                    place=(turn.number, result.position),
                )


RULES = (
    Rule(
        id="tool-use-unanswered",
        level="reject",
        wording=(_UNANSWERED,),
        fix=(
            "send one tool_result per tool_use in the next user message; add "
            '{{"type": "tool_result", "tool_use_id": "{id}", "content": ...}}'
        ),
        rank=PAIRING,
        request=_unanswered,
        recent=("tool_use",),
        ordinary=False,
    ),
    Rule(
        id="tool-result-not-first",
        level="reject",
        wording=(_UNANSWERED,),
        fix="put all tool_result blocks before any other block of the user message",
        rank=PAIRING,
        request=_not_first,
        recent=("tool_result",),
        ordinary=False,
    ),
    Rule(
        id="tool-result-orphan",
        level="reject",
        wording=(
            "messages.{i}.content.{j}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each "
            "`tool_result` block must have a corresponding `tool_use` block in the previous message.",
        ),
        fix="copy `tool_use_id` from the call's `id`, and keep the assistant message with the call before the results",
        rank=PAIRING,
        request=_orphan,
        recent=("tool_result",),
        ordinary=False,
    ),
    Rule(
        id="tool-result-duplicate",
        level="reject",
        wording=(
            "messages.{i}.content.{j}: each tool_use must have a single result. Found multiple `tool_result` blocks "
            "with id: {id}",
        ),
        fix="send exactly one tool_result for {id}",
        rank=PAIRING,
        request=_duplicate,
        recent=("tool_result",),
        ordinary=False,
    ),
    Rule(
        id="nothing-between-call-and-result",
        level="broken",
        fix="send the results in the user message right after the call; put reminders and questions after them",
        rank=PAIRING,
        request=_between,
        recent=("tool_result",),
        ordinary=False,
    ),
)

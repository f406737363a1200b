"""Tool loops with one bug each, and the rules of which one must catch it. Not tests themselves."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import anthropic

Messages = list[dict[str, Any]]
LIMIT = 12


@dataclass(frozen=True)
class Bug:
    """Where a loop goes wrong: what it stores of a reply, which results it sends, what it sends next."""

    name: str
    rules: tuple[str, ...]
    store: Callable[[Any], Any] = lambda reply: reply.content
    results: Callable[[list[dict[str, Any]]], list[dict[str, Any]]] = lambda results: results
    history: Callable[[Messages, int], Messages] = lambda messages, turn: messages
    settings: Callable[[dict[str, Any], int], dict[str, Any]] = lambda settings, turn: settings
    runs_when: tuple[str, ...] = ("tool_use",)
    limit: int = LIMIT


def run(bug: Bug, client: anthropic.Anthropic, tools: list[dict[str, Any]]) -> None:
    """The loop, with the bug in it. It swallows what the API says, as many loops do."""
    messages: Messages = [{"role": "user", "content": "go on"}]
    settings: dict[str, Any] = {"tools": tools, "system": "You help."}
    try:
        for number in range(bug.limit):
            sent = bug.history(messages, number)
            reply = client.messages.create(
                model="claude-opus-5-5", max_tokens=64, messages=sent, **bug.settings(settings, number)
            )
            messages.append({"role": "assistant", "content": bug.store(reply)})
            if reply.stop_reason not in bug.runs_when:
                return
            results = [
                {"type": "tool_result", "tool_use_id": block.id, "content": "done"}
                for block in reply.content
                if block.type == "tool_use"
            ]
            messages.append({"role": "user", "content": bug.results(results)})
    except anthropic.APIError:
        return


def _renamed(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**result, "tool_use_id": f"{result['tool_use_id']}x"} for result in results]


def _after_text(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"type": "text", "text": "here:"}, *results]


def _edited(messages: Messages, turn: int) -> Messages:
    edited = copy.copy(messages)
    edited[0] = {"role": "user", "content": f"go on ({turn})"}
    return edited


def _without(name: str) -> Callable[[dict[str, Any], int], dict[str, Any]]:
    return lambda settings, turn: {key: value for key, value in settings.items() if key != name or turn == 0}


def _text_only(reply: Any) -> list[Any]:
    return [block for block in reply.content if block.type == "text"] or [{"type": "text", "text": "..."}]


BUGS = (
    Bug("the first result only", ("tool-use-unanswered",), results=lambda results: results[:1]),
    Bug("no results", ("tool-use-unanswered",), results=lambda results: [{"type": "text", "text": "done"}]),
    Bug("an id of its own", ("tool-result-orphan",), results=_renamed),
    Bug("every result twice", ("tool-result-duplicate",), results=lambda results: [*results, *results]),
    Bug("text before the results", ("tool-result-not-first",), results=_after_text),
    Bug("only the text of a reply", ("assistant-content-verbatim", "tool-result-orphan"), store=_text_only),
    Bug(
        "thinking left out",
        ("assistant-content-verbatim",),
        store=lambda reply: [block for block in reply.content if block.type != "thinking"],
    ),
    Bug("the last message only", ("history-resent-in-full",), history=lambda messages, turn: messages[-1:]),
    Bug(
        "the first message dropped",
        ("history-resent-in-full",),
        history=lambda messages, turn: messages[1:] or messages,
    ),
    Bug("the first message edited", ("history-append-only",), history=_edited),
    Bug("tools sent once", ("tools-resent-every-call",), settings=_without("tools")),
    Bug("system prompt sent once", ("system-stable",), settings=_without("system")),
    Bug("runs tools of a cut reply", ("max-tokens-no-tool-execution",), runs_when=("tool_use", "max_tokens")),
    Bug("an empty message", ("content-nonempty-message", "tool-use-unanswered"), results=lambda results: []),
    Bug("no limit", ("loop-bounded",), limit=10**9),
)

"""The kit's own rules, and how a violation is told that only who calls the loop can see.

Law: words and values; what was seen is judged elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from playhead.rules.rule import Violation
from playhead.wire.codec import JsonObject, canonical, encode_text

LONGEST = 80
"""How much of a value is shown, in characters."""


class OwnRule(NamedTuple):
    """A rule that is judged here, as what breaks it is not in the requests. `why` says what becomes of it."""

    statement: str
    why: str
    fix: str


OWN_RULES: Mapping[str, OwnRule] = MappingProxyType(
    {
        "caller-data-unchanged": OwnRule(
            "A loop does not change the lists and dicts that it is given.",
            "The caller's next conversation begins with what this one left behind, and its tools with what was added.",
            "copy what you are given: `history = [*messages]`, and make new dicts where something changes",
        ),
        "tool-input-passed-on": OwnRule(
            "A tool gets the arguments that Claude gave, each with its value and its type.",
            "What Claude asked for and what is done differ, and nobody can see it in the conversation.",
            "call the tool with the block's `input` as it is: `function(**block.input)`",
        ),
        "calls-are-run": OwnRule(
            "A call that could be run is run before it is answered, unless its result says with `is_error` that it was "
            "not.",
            "Claude goes on with a result that no tool gave, or with a refusal that nobody decided on.",
            "run the function for each `tool_use`, and answer with what it returned; a call that must not run is "
            "answered with `is_error: true` and the reason",
        ),
        "loop-takes-every-reply": OwnRule(
            "A loop does not fall over a reply, or over what a tool returned.",
            "The caller gets a TypeError or a KeyError out of the loop's own code, and the conversation is lost.",
            "expect any blocks in any order, none too, and results of any type; what cannot go on raises an error "
            "of the loop's own",
        ),
    }
)
"""Rules of the kit's own, by id."""

_FIXES: Mapping[str, str] = MappingProxyType(
    {
        "assistant-content-verbatim": "send the block's `input` back as it came; do not parse, round or rebuild it",
        "unknown-tool-as-error-result": "answer a call of an unknown tool with `is_error: true` and the reason",
        "invalid-input-as-error-result": "answer the call with `is_error: true` and what is wrong with its input",
        "answer-every-tool-use-once": "send a tool_result for each call, and ask again, until Claude asks for no more",
        "results-match-ids": "keep results by the id of their call, not by the tool's name, and run each call",
        "tool-result-tells-value": "send all that the tool returned, as text, and is_error only where it raised",
        "no-reexecution-on-retry": "try the failed request again, with all that it had, and not the whole conversation",
        "empty-end-turn-handled": "take a reply without blocks for an answer that says nothing",
        "skipped-calls-still-answered": "run the call, or answer it with `is_error: true` and why it was not run",
        "stop-after-end-turn": "return the reply: Claude is done, and what comes next is for the caller to say",
        "tool-error-as-result": "send the error's text: a tool_result with `is_error: true` that says what went wrong",
        "api-error-surfaced": "let the error through, or tell the caller in what is returned that the request failed",
        "sse-error-event-fails-turn": "raise, or say in what is returned that the turn failed",
        "sse-missing-message-stop": "raise, or say in what is returned that the reply is not whole",
        "nothing-between-call-and-result": "append the results right after the turn with the calls, and the rest later",
        "retry-same-body": "send the same request again after an error; nobody has said anything since",
        "history-resent-in-full": "begin the first request's messages with all that the loop was given",
        "tools-resent-every-call": "offer in every request all the tools that the loop was given",
        "conversation-starts-clean": (
            "keep the history in the call, not in the module, the class or a default argument; begin with "
            "`history = [*messages]`"
        ),
        "loop-bounded": "give every wait an end, and the loop a limit of turns",
        **{rule: own.fix for rule, own in OWN_RULES.items()},
    }
)
"""What to do, for each rule that is judged here."""


def own_rules_table() -> str:
    """The kit's own rules as a Markdown table."""
    rows = ["| rule | says | since otherwise |", "|---|---|---|"]
    return "\n".join(rows + [f"| `{name}` | {its.statement} | {its.why} |" for name, its in OWN_RULES.items()])


def broken(rule: str, path: str, message: str, exchange: int | None) -> Violation:
    """A violation of a rule that is judged here."""
    return Violation(rule=rule, level="broken", path=path, message=message, fix=_FIXES[rule], exchange=exchange)


def shown(value: object) -> str:
    """A value as a message shows it."""
    try:
        text = encode_text(value)
    except (TypeError, ValueError):
        text = repr(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def same_call(one: JsonObject, other: JsonObject) -> bool:
    """Whether two calls are of one tool with one input."""
    return one.get("name") == other.get("name") and canonical(one.get("input")) == canonical(other.get("input"))

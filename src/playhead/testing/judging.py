"""What was wrong in a trial: the violations that the fake saw, and what only they see who called the loop.

Law: pure questions on a `Run`. The fake compares numbers by value; here, where client and tools are ours, types count.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

from playhead.rules.calls import id_of, is_error, named, raised_text, result_text
from playhead.rules.json_schemas import value_fault
from playhead.rules.retries import is_transient
from playhead.rules.rule import LEVELS, Violation, told_once
from playhead.testing.stage import Execution, Run
from playhead.testing.trial import FIRST, SECOND
from playhead.wire.codec import JsonObject, canonical, encode_text
from playhead.wire.equality import same
from playhead.wire.exchange import Exchange
from playhead.wire.turns import PlacedBlock, blocks_of


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
            "Every call of a tool that is offered, with an input that its schema allows, is run before it is answered.",
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

_STRICTER = frozenset({"tool-error-as-result"})
"""Rules of which a warning counts as well: that a tool raised is certain here, and so is it that `is_error` is due."""

_FIXES: Mapping[str, str] = MappingProxyType(
    {
        "assistant-content-verbatim": "send the block's `input` back as it came; do not parse, round or rebuild it",
        "unknown-tool-as-error-result": "answer a call of an unknown tool with `is_error: true` and the reason",
        "invalid-input-as-error-result": "answer the call with `is_error: true` and what is wrong with its input",
        "results-match-ids": "keep results by the id of their call, not by the tool's name, and run each call",
        "tool-result-tells-value": "send all that the tool returned, as text, and is_error only where it raised",
        "no-reexecution-on-retry": "try the failed request again, with all that it had, and not the whole conversation",
        "empty-end-turn-handled": "take a reply without blocks for an answer that says nothing",
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


def judge(run: Run) -> list[Violation]:
    """The violations of a trial that fail it, in their order; what only follows from a refusal is left out."""
    failing = LEVELS[: LEVELS.index("broken") + 1]
    seen = [replace(its, level="broken") if its.rule in _STRICTER else its for its in told_once(run.violations)]
    for check in _CHECKS:
        seen += check(run)
    if not any(its.level in failing for its in seen):
        seen += _crashed(run)
    refused = min((its.exchange or 0 for its in seen if its.level == "reject"), default=None)
    found = [its for its in seen if its.level in failing and (refused is None or (its.exchange or 0) <= refused)]
    # of one exchange, what the API says first
    found.sort(key=lambda its: (its.exchange or 0, its.level != "reject"))
    return found


def told_otherwise(run: Run, violations: Sequence[Violation]) -> list[Violation]:
    """What other rules say of the same faults."""
    places = {(violation.rule, violation.exchange) for violation in violations}
    told = [its for its in run.violations if its.level != "warn" and (its.same_as, its.exchange) in places]
    return told + [its for violation in violations for its in _message_between(run, violation)]


def _message_between(run: Run, violation: Violation) -> Iterator[Violation]:
    """A whole message, not just a block, that stands between calls and their results."""
    number = violation.exchange
    exchange = next((its for its in run.exchanges if its.number == number), None)
    if violation.rule not in ("tool-result-not-first", "tool-use-unanswered") or exchange is None:
        return
    for index, message in enumerate(exchange.messages[:-2]):
        calls = {id_of(block.data) for block in blocks_of(message) if block.type == "tool_use"}
        after, later = ({b.data.get("tool_use_id") for b in blocks_of(exchange.messages[index + n])} for n in (1, 2))
        if calls & later and not calls & after:
            what = "a message stands between the calls and their results"
            made = _broken("nothing-between-call-and-result", f"$.messages[{index + 1}]", what, number)
            yield replace(made, same_as=violation.rule)
            return


def _broken(rule: str, path: str, message: str, exchange: int | None) -> Violation:
    return Violation(rule=rule, level="broken", path=path, message=message, fix=_FIXES[rule], exchange=exchange)


def _types_kept(run: Run) -> Iterator[Violation]:
    """Inputs that came back equal in value, and of another type: 3 for 3.0."""
    issued = {str(call.get("id")): call for exchange in run.exchanges for call in exchange.calls()}
    for exchange in run.exchanges:
        start = max(0, len(exchange.messages) - 2)
        for index, message in enumerate(exchange.messages[start:], start):
            for block in blocks_of(message) if isinstance(message, dict) else ():
                sent = block.data.get("input")
                call = issued.get(str(block.data.get("id"))) if block.type == "tool_use" else None
                if call is None or canonical(sent) == canonical(call.get("input")) or not same(sent, call.get("input")):
                    continue
                yield _broken(
                    "assistant-content-verbatim",
                    f"$.messages[{index}].content[{block.position}].input",
                    f"the input of {named(call)} is sent back as {_shown(sent)}; it came as {_shown(call['input'])}",
                    exchange.number,
                )
                return


def _arguments_kept(run: Run) -> Iterator[Violation]:
    """Tools that were run with other arguments than Claude gave."""
    calls = [(exchange, call) for exchange in run.exchanges for call in exchange.calls()]
    for execution in run.executions:
        its = [(exchange, call) for exchange, call in calls if call.get("name") == execution.name]
        if not its or any(_given(execution, call) for _, call in its):
            continue
        exchange, call = its[-1]
        yield _broken(
            "tool-input-passed-on",
            f"$response.content[{exchange.content.index(call)}].input",
            f"{execution.name} was run with {_shown(execution.arguments)}; "
            f"Claude asked for {_shown(call.get('input'))}",
            exchange.number,
        )
        return


def _given(execution: Execution, call: JsonObject) -> bool:
    """Whether the arguments are those of the call; what a loop adds, as defaults, is its own affair."""
    asked = call.get("input")
    if not isinstance(asked, dict):
        return True
    given = {key: value for key, value in execution.arguments.items() if key in asked}
    try:
        return canonical(given) == canonical(asked)
    except (TypeError, ValueError):
        return False


def _results_told(run: Run) -> Iterator[Violation]:
    """Results that tell what another call returned, or not all that their own did, or of a failure that was none."""
    calls = {id_of(call): call for exchange in run.exchanges for call in exchange.calls()}
    values = {name: value for exchange in run.exchanges for name, value in exchange.results.items() if name in calls}
    fixed = run.trial.outcomes.keys()  # they say the same whatever the call
    owners = {
        value: call
        for name, value in values.items()
        for call in (calls[name],)
        if isinstance(value, str) and value and call.get("name") not in fixed
    }
    for exchange in run.exchanges:
        message = exchange.messages[-1] if exchange.messages else None
        for block in blocks_of(message, len(exchange.messages) - 1) if isinstance(message, dict) else ():
            call = calls.get(str(block.data.get("tool_use_id"))) if block.type == "tool_result" else None
            if call is None:
                continue
            text, own = result_text(block), values.get(id_of(call))
            told = id_of(call) in values and _tells(text, own)
            if raised_text(own) is not None or (told and not is_error(block)):
                continue
            other = owners.get(text.strip())
            if other is not None and other is not call and not is_error(block) and not _same_call(other, call):
                what = f"the result for {named(call)} is what {named(other)} returned"
                yield _broken("results-match-ids", f"{block.path}.content", what, exchange.number)
                return
            if id_of(call) in values:
                flag = ", with is_error" if is_error(block) else ""
                what = f"{named(call)} returned {_shown(own)}, and its result says {_shown(text)}{flag}"
                yield _broken("tool-result-tells-value", f"{block.path}.content", what, exchange.number)
                return


def _calls_run(run: Run) -> Iterator[Violation]:
    """Results of calls that were never run, though they could be.

    A loop may leave out some calls of a turn and say so; it may answer a call with what the same one returned; and at
    its limit it runs nothing more, so only its first turns are looked at.
    """
    if not run.counted or run.trial.conversations != "one" or not run.endings:
        return
    schemas = {str(tool.get("name")): tool.get("input_schema") for tool in run.endings[0].given[1]}
    asked = [exchange for exchange in run.exchanges if exchange.is_message]
    before: list[JsonObject] = []
    for exchange in asked[:_FIRST_TURNS]:
        calls, done = exchange.calls(), exchange.tools_run or ()
        before += [call for call in calls if id_of(call) in done]
        left = [call for call in calls if id_of(call) not in done and not any(_same_call(call, its) for its in before)]
        if exchange.failed or exchange.stop_reason != "tool_use" or not all(_can_run(call, schemas) for call in left):
            continue
        for call in left:
            answer = _answer_to(call, asked)
            if answer is not None and not (done and is_error(answer[1])):
                number, block = answer
                what = f"{named(call)} is answered with {_shown(result_text(block))}, and the tool was never run"
                yield _broken("calls-are-run", block.path, what, number)
                return


def _refused_as_errors(run: Run) -> Iterator[Violation]:
    """Results of calls that could not be run, which do not say so."""
    if not run.counted or not run.endings:
        return
    schemas = {str(tool.get("name")): tool.get("input_schema") for tool in run.endings[0].given[1]}
    asked = [exchange for exchange in run.exchanges if exchange.is_message]
    for exchange in asked:
        for call in exchange.calls():
            if id_of(call) in (exchange.tools_run or ()) or _can_run(call, schemas):
                continue
            answer = _answer_to(call, asked)
            if answer is not None and not is_error(answer[1]):
                number, block = answer
                known = str(call.get("name")) in schemas
                rule = "invalid-input-as-error-result" if known else "unknown-tool-as-error-result"
                why = "has an input that its schema does not allow" if known else "asks for a tool that there is not"
                what = f"{named(call)} {why}; it is answered with {_shown(result_text(block))} and no is_error"
                yield _broken(rule, block.path, what, number)
                return


def _can_run(call: JsonObject, schemas: Mapping[str, object]) -> bool:
    schema = schemas.get(str(call.get("name")))
    return isinstance(schema, dict) and value_fault(schema, call.get("input")) is None


def _answer_to(call: JsonObject, asked: Sequence[Exchange]) -> tuple[int, PlacedBlock] | None:
    """The number of the first exchange with a result for a call, and that result."""
    for exchange in asked:
        for index, message in enumerate(exchange.messages):
            for block in blocks_of(message, index):
                if block.type == "tool_result" and block.data.get("tool_use_id") == call.get("id"):
                    return exchange.number, block
    return None


def _same_call(one: JsonObject, other: JsonObject) -> bool:
    return one.get("name") == other.get("name") and canonical(one.get("input")) == canonical(other.get("input"))


def _tells(text: str, value: object) -> bool:
    """Whether a text holds each part of a value, in whatever notation; of what is long or empty nothing is asked."""
    if isinstance(value, dict | list | tuple):
        return all(_tells(text, part) for part in (value.values() if isinstance(value, dict) else value))
    if isinstance(value, bool):
        return str(value).lower() in text.lower()
    if isinstance(value, str):
        said = value.strip()
        forms = (said, json.dumps(said)[1:-1], json.dumps(said, ensure_ascii=False)[1:-1])
        return len(said) > _LONGEST or any(form.replace("\\", "") in text.replace("\\", "") for form in forms)
    return not isinstance(value, int | float) or str(value) in text


def _nothing_said_since(run: Run) -> Iterator[Violation]:
    """A request that failed goes on with more than it had: in a trial nobody says anything meanwhile."""
    if run.trial.conversations != "one":
        return
    asked = [exchange for exchange in run.exchanges if exchange.is_message]
    for before, after in pairwise(asked):
        count = len(before.messages)
        lost = before.failed and before.response is None and is_transient(before)
        if lost and len(after.messages) > count and same([*after.messages[:count]], [*before.messages]):
            what = f"exchange {before.number} failed, and the conversation goes on with more after its last message"
            yield _broken("retry-same-body", f"$.messages[{count}]", what, after.number)
            return


def _begun_anew(run: Run) -> Iterator[Violation]:
    """A request fails, and the loop begins again before turns whose tools it has run."""
    for before, after in pairwise(run.exchanges):
        if not before.failed or run.trial.conversations != "one" or len(after.messages) >= len(before.messages):
            continue
        for earlier in run.exchanges:
            if earlier.tools_run and len(earlier.messages) == len(after.messages) and _same_words(earlier, after):
                what = (
                    f"exchange {before.number} failed, and the loop asks anew what exchange {earlier.number} had "
                    "answered; its tools had been run"
                )
                yield _broken("no-reexecution-on-retry", "$.messages", what, after.number)
                return


def _same_words(one: Exchange, other: Exchange) -> bool:
    return same([*one.messages], [*other.messages])


_CRASHES = (
    AttributeError,
    IndexError,
    KeyError,
    NameError,
    TypeError,
    UnboundLocalError,
    UnicodeDecodeError,
    UnicodeEncodeError,
    json.JSONDecodeError,
)
"""What Python raises where code did not expect what it met; a loop that stops on purpose raises an error of its own."""


def _crashed(run: Run) -> Iterator[Violation]:
    """A loop that met a whole reply and fell over it, or over what its tools returned."""
    last = next((exchange for exchange in reversed(run.exchanges) if exchange.is_message), None)
    for ending in run.endings:
        if ending.how == "raised" and type(ending.value) in _CRASHES and last is not None and not last.failed:
            what = f"the loop ended with {type(ending.value).__name__}: {ending.value}"
            empty = last.content == [] and last.stop_reason == "end_turn"
            yield _broken(
                "empty-end-turn-handled" if empty else "loop-takes-every-reply", "$response", what, last.number
            )
            return


def _nothing_changed(run: Run) -> Iterator[Violation]:
    """The caller's messages and tools, before and after."""
    for ending in run.endings:
        for name, before, after in zip(("messages", "tools"), ending.given, ending.left, strict=True):
            if before != after:
                length = len(after) - len(before) if isinstance(after, Sequence) else 0
                what = f"it is {abs(length)} longer" if length > 0 else "its content differs"
                last = run.exchanges[-1].number if run.exchanges else None
                yield _broken(
                    "caller-data-unchanged", f"${name}", f"the loop changed the caller's `{name}`: {what}", last
                )


def _begins_with_all(run: Run) -> Iterator[Violation]:
    """The first request has what the loop was given, in its order, and offers its tools."""
    first = next((exchange for exchange in run.exchanges if exchange.is_message), None)
    if first is None or not run.endings or run.trial.conversations != "one":
        return
    messages, tools = run.endings[0].given
    sent = [*_words(first.messages)]
    for index, message in enumerate(messages):
        for words in _words([message]):
            place = next((place for place, text in enumerate(sent) if words in text), None)
            if place is None:
                yield _broken(
                    "history-resent-in-full",
                    "$.messages",
                    f"message {index} of those that the loop was given is not in its first request: {_shown(words)}",
                    first.number,
                )
                return
            sent = sent[place:]
    offered = {str(tool.get("name")) for tool in (first.request or {}).get("tools") or () if isinstance(tool, dict)}
    missing = [str(tool.get("name")) for tool in tools if str(tool.get("name")) not in offered]
    if missing:
        what = f"the first request does not offer {', '.join(missing)}, which the loop was given"
        yield _broken("tools-resent-every-call", "$.tools", what, first.number)


def _words(messages: Sequence[object]) -> Iterator[str]:
    """The texts and ids of messages, in their order."""
    for message in messages:
        content = message.get("content") if isinstance(message, dict) else None
        if isinstance(content, str):
            yield content
        for block in blocks_of(message) if isinstance(message, dict) and isinstance(content, list) else ():
            for member in ("text", "id", "tool_use_id"):
                if isinstance(block.data.get(member), str):
                    yield block.data[member]


def _kept_apart(run: Run) -> Iterator[Violation]:
    """Nothing of one conversation stands in another."""
    if run.trial.conversations == "one":
        return
    last = run.exchanges[-1].number if run.exchanges else None
    mine = {FIRST: 0, SECOND: 0}
    for exchange in run.exchanges:
        text = encode_text(exchange.messages)
        held = [prompt for prompt in mine if prompt in text]
        for prompt in held:
            mine[prompt] += 1
        if len(held) == 2:
            what = f"the request of one conversation holds what another began with: {held[0]!r} and {held[1]!r}"
            yield _broken("conversation-starts-clean", "$.messages", what, exchange.number)
            return
    for prompt, count in mine.items():
        # the second of two at once begins with the first one's second request, if there is one
        if not count and run.exchanges and len(run.endings) == len(mine):
            what = f"the conversation that begins with {prompt!r} was never sent"
            yield _broken("conversation-starts-clean", "$.messages", what, last)


def _ends(run: Run) -> Iterator[Violation]:
    """A loop that neither ended nor asked for anything."""
    if run.silent:
        last = run.exchanges[-1].number if run.exchanges else None
        yield _broken("loop-bounded", "$", "the loop neither ended nor sent a request, and was left behind", last)


def _shown(value: object) -> str:
    try:
        text = encode_text(value)
    except (TypeError, ValueError):
        text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


_LONGEST = 80
_FIRST_TURNS = 3
_CHECKS: Sequence[Callable[[Run], Iterator[Violation]]] = (
    _types_kept,
    _arguments_kept,
    _results_told,
    _calls_run,
    _refused_as_errors,
    _nothing_said_since,
    _begun_anew,
    _nothing_changed,
    _begins_with_all,
    _kept_apart,
    _ends,
)


def leftovers(run: Run, extra: int) -> Violation | None:
    """What a conversation that should begin afresh begins with, where that is more than it was: `extra` messages."""
    first = next((exchange for exchange in run.exchanges if exchange.is_message), None)
    if first is None or extra_messages(run, first) <= extra:
        return None
    what = f"a new conversation begins with {len(first.messages)} messages; it was given {len(run.trial.messages)}"
    return _broken("conversation-starts-clean", "$.messages", what, first.number)


def extra_messages(run: Run, first: Exchange) -> int:
    """How many messages more than it was given the loop's first request has."""
    given = run.endings[0].given[0] if run.endings else ()
    return len(first.messages) - len(given or run.trial.messages)  # what was left behind has no end that says it

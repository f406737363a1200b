"""What was wrong in a trial: the violations that the fake saw, and what only they see who called the loop.

Law: pure questions on a `Run`. The fake compares numbers by value; here, where client and tools are ours, types count.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from playhead.rules.calls import id_of, is_error, named, raised_text, result_text
from playhead.rules.retries import is_transient
from playhead.rules.rule import LEVELS, Violation, told_once
from playhead.testing.hidden import failures_told
from playhead.testing.own_rules import LONGEST, broken, same_call, shown
from playhead.testing.stage import Execution, Run
from playhead.testing.trial import FIRST, SECOND
from playhead.testing.unrun import answers_as_done, calls_run, never_answered, refused_as_errors
from playhead.wire.codec import JsonObject, canonical, encode_text
from playhead.wire.equality import same
from playhead.wire.exchange import Exchange
from playhead.wire.turns import PlacedBlock, blocks_of


def _level(run: Run, violation: Violation) -> Violation:
    """A violation, and no warning where it is certain here.

    That a tool raised is, and so is it that `is_error` is due. A call that is demanded each time is a fault where no
    tool is the loop's own: one that it ends with.
    """
    certain = violation.rule == "tool-error-as-result"
    if violation.rule == "forced-tool-choice-reset" and run.endings:
        given = {tool.get("name") for tool in run.endings[0].given[1]}
        request = next((its.request for its in run.exchanges if its.number == violation.exchange), None) or {}
        certain = all(tool.get("name") in given for tool in request.get("tools") or () if isinstance(tool, dict))
    return replace(violation, level="broken") if certain else violation


def judge(run: Run) -> list[Violation]:
    """The violations of a trial that fail it, in their order; what only follows from a refusal is left out."""
    failing = LEVELS[: LEVELS.index("broken") + 1]
    seen = [_level(run, its) for its in told_once(run.violations)]
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
    made = [(violation, its) for violation in violations for check in _SAME for its in check(run, violation)]
    return told + [replace(its, same_as=violation.rule) for violation, its in made]


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
            yield broken("nothing-between-call-and-result", f"$.messages[{index + 1}]", what, number)
            return


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
                yield broken(
                    "assistant-content-verbatim",
                    f"$.messages[{index}].content[{block.position}].input",
                    f"the input of {named(call)} is sent back as {shown(sent)}; it came as {shown(call['input'])}",
                    exchange.number,
                )
                return


def _citations_kept(run: Run) -> Iterator[Violation]:
    """Text that came back without the references of a search, which belong to it for the next turn as well."""
    cited = {
        str(block["text"]): block
        for exchange in run.exchanges
        for block in exchange.content
        if isinstance(block, dict) and block.get("type") == "text" and _references(block)
    }
    for exchange in run.exchanges if cited else ():
        for index, message in enumerate(exchange.messages):
            for block in blocks_of(message, index) if isinstance(message, dict) else ():
                came = cited.get(str(block.data.get("text"))) if block.type == "text" else None
                if came is not None and not _references(came) <= _references(block.data):
                    what = "a text is sent back without the citations that came with it (`encrypted_index`)"
                    yield broken("assistant-content-verbatim", f"{block.path}.citations", what, exchange.number)
                    return


def _references(block: JsonObject) -> set[str]:
    given = block.get("citations")
    return {
        str(citation["encrypted_index"])
        for citation in (given if isinstance(given, list) else ())
        if isinstance(citation, dict) and "encrypted_index" in citation
    }


def _arguments_kept(run: Run) -> Iterator[Violation]:
    """Tools that were run with other arguments than Claude gave."""
    calls = [(exchange, call) for exchange in run.exchanges for call in exchange.calls()]
    for execution in run.executions:
        its = [(exchange, call) for exchange, call in calls if call.get("name") == execution.name]
        if not its or any(_given(execution, call) for _, call in its):
            continue
        exchange, call = its[-1]
        yield broken(
            "tool-input-passed-on",
            f"$response.content[{exchange.content.index(call)}].input",
            f"{execution.name} was run with {shown(execution.arguments)}; Claude asked for {shown(call.get('input'))}",
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
        results = [*blocks_of(message, len(exchange.messages) - 1)] if isinstance(message, dict) else []
        for block in results:
            call = calls.get(str(block.data.get("tool_use_id"))) if block.type == "tool_result" else None
            if call is None or _left_to_another(block, call, results, calls, values):
                continue
            text, own = result_text(block), values.get(id_of(call))
            told = id_of(call) in values and _tells(text, own)
            raised = raised_text(own)
            if raised and is_error(block) and not text.strip():
                what = f"{named(call)} raised {shown(raised)}, and its result says nothing of it"
                yield broken("tool-error-as-result", f"{block.path}.content", what, exchange.number)
                return
            if raised is not None or (told and not is_error(block)):
                continue
            other = owners.get(text.strip())
            if other is not None and other is not call and not is_error(block) and not same_call(other, call):
                what = f"the result for {named(call)} is what {named(other)} returned"
                yield broken("results-match-ids", f"{block.path}.content", what, exchange.number)
                return
            if id_of(call) in values:
                flag = ", with is_error" if is_error(block) else ""
                what = f"{named(call)} returned {shown(own)}, and its result says {shown(text)}{flag}"
                yield broken("tool-result-tells-value", f"{block.path}.content", what, exchange.number)
                return


def _left_to_another(
    block: PlacedBlock,
    call: JsonObject,
    results: Sequence[PlacedBlock],
    calls: Mapping[str, JsonObject],
    values: Mapping[str, object],
) -> bool:
    """Whether a call was refused and the same one beside it run: which of the two it was, no execution tells."""
    if not is_error(block):
        return False
    for other in results:
        its = calls.get(str(other.data.get("tool_use_id")))
        if its is None or its is call or is_error(other) or not same_call(its, call):
            continue
        if _tells(result_text(other), values.get(id_of(its), values.get(id_of(call)))):
            return True
    return False


def _tells(text: str, value: object) -> bool:
    """Whether a text holds each part of a value, in whatever notation; of what is long or empty nothing is asked."""
    if isinstance(value, dict | list | tuple):
        return all(_tells(text, part) for part in (value.values() if isinstance(value, dict) else value))
    if isinstance(value, bool):
        return str(value).lower() in text.lower()
    if isinstance(value, str):
        said = value.strip()
        forms = (said, json.dumps(said)[1:-1], json.dumps(said, ensure_ascii=False)[1:-1])
        return len(said) > LONGEST or any(form.replace("\\", "") in text.replace("\\", "") for form in forms)
    return not isinstance(value, int | float) or str(value) in text


def _same_request_again(run: Run) -> Iterator[Violation]:
    """A request that failed in passing is followed by another: in a trial nobody says anything meanwhile.

    Another model may be asked instead. What begins anew is told by `_begun_anew`.
    """
    asked = [exchange for exchange in run.exchanges if exchange.is_message]
    for number, (before, after) in enumerate(pairwise(asked)):
        lost = before.failed and before.response is None and is_transient(before)
        ours, theirs = after.request or {}, before.request or {}
        if not lost or run.trial.conversations != "one" or ours.get("model") != theirs.get("model"):
            continue
        count = len(before.messages)
        if not any(_same_words(earlier, after) for earlier in asked[: number + 1]):
            grown = same([*after.messages[:count]], [*before.messages])
            goes_on = "the conversation goes on with more after its last message"
            what = (
                f"exchange {before.number} failed, and {goes_on if grown else 'other messages are sent in its place'}"
            )
            path = f"$.messages[{count}]" if grown else "$.messages"
        elif (
            before.status is not None
            and _same_words(before, after)
            and ours.get("max_tokens") != theirs.get("max_tokens")
        ):
            what = f"exchange {before.number} failed, and the request is sent again with another max_tokens"
            path = "$.max_tokens"
        else:
            continue
        yield broken("retry-same-body", path, what, after.number)
        return


def _words_of_its_own(run: Run) -> Iterator[Violation]:
    """Claude is done, and the loop goes on with words that nobody gave it; once may be a question about the answer."""
    if run.trial.conversations != "one":
        return
    times = 0
    for before, after in pairwise([exchange for exchange in run.exchanges if exchange.is_message]):
        count = len(before.messages)
        answered = before.stop_reason == "end_turn" and any(text.strip() for text in _words([before.response]))
        last = after.messages[-1] if len(after.messages) > count else None
        if not before.failed and answered and canonical(after.request) == canonical(before.request):
            what = f"Claude ended its turn in exchange {before.number}, and the same is asked again"
            yield broken("stop-after-end-turn", "$", what, after.number)
            return
        if before.failed or not answered or not isinstance(last, dict) or last.get("role") != "user":
            continue
        if same([*after.messages[:count]], [*before.messages]):
            times += 1
        if times == _TIMES:
            what = f"Claude ended its turn {times} times, and each time the loop went on with words of its own"
            yield broken("stop-after-end-turn", f"$.messages[{len(after.messages) - 1}]", what, after.number)
            return


_TIMES = 2


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
                yield broken("no-reexecution-on-retry", "$.messages", what, after.number)
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
            yield broken(
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
                yield broken(
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
                yield broken(
                    "history-resent-in-full",
                    "$.messages",
                    f"message {index} of those that the loop was given is not in its first request: {shown(words)}",
                    first.number,
                )
                return
            sent = sent[place:]
    offered = {str(tool.get("name")) for tool in (first.request or {}).get("tools") or () if isinstance(tool, dict)}
    missing = [str(tool.get("name")) for tool in tools if str(tool.get("name")) not in offered]
    if missing:
        what = f"the first request does not offer {', '.join(missing)}, which the loop was given"
        yield broken("tools-resent-every-call", "$.tools", what, first.number)


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
            yield broken("conversation-starts-clean", "$.messages", what, exchange.number)
            return
    for prompt, count in mine.items():
        # the second of two at once begins with the first one's second request, if there is one
        if not count and run.exchanges and len(run.endings) == len(mine):
            what = f"the conversation that begins with {prompt!r} was never sent"
            yield broken("conversation-starts-clean", "$.messages", what, last)


def _ends(run: Run) -> Iterator[Violation]:
    """A loop that neither ended nor asked for anything."""
    if run.silent:
        last = run.exchanges[-1].number if run.exchanges else None
        yield broken("loop-bounded", "$", "the loop neither ended nor sent a request, and was left behind", last)


_SAME: Sequence[Callable[[Run, Violation], Iterator[Violation]]] = (_message_between, answers_as_done)
_CHECKS: Sequence[Callable[[Run], Iterator[Violation]]] = (
    _types_kept,
    _citations_kept,
    _arguments_kept,
    _results_told,
    calls_run,
    refused_as_errors,
    never_answered,
    _same_request_again,
    _words_of_its_own,
    _begun_anew,
    failures_told,
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
    return broken("conversation-starts-clean", "$.messages", what, first.number)


def extra_messages(run: Run, first: Exchange) -> int:
    """How many messages more than it was given the loop's first request has."""
    given = run.endings[0].given[0] if run.endings else ()
    return len(first.messages) - len(given or run.trial.messages)  # what was left behind has no end that says it

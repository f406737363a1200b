"""Calls that are answered and were never run, those that could be and those that could not; and calls that are run and
never answered.

Law: pure questions on a `Run`. Which call is run is the loop's affair, if it says so: a refusal with `is_error` is a
decision, unless no tool is ever run, or what it says of the tool is not so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from playhead.rules.calls import choice_kind, id_of, is_error, named, raised_text, result_text
from playhead.rules.json_schemas import value_fault
from playhead.rules.rule import Violation
from playhead.testing.own_rules import broken, same_call, shown
from playhead.testing.stage import Run
from playhead.wire.codec import JsonObject
from playhead.wire.exchange import Exchange
from playhead.wire.turns import PlacedBlock, blocks_of

_FIRST_TURNS = 3
"""At its limit a loop runs nothing more, so that only its first turns are looked at."""
_PYTHON = re.compile(r"\b(?:Attribute|Index|JSONDecode|Key|Name|Type|UnboundLocal)Error\b")
_UNKNOWN = r"(?:unknown|unrecogni[sz]ed|undefined|no such|no) (?:tool|function)s?(?: (?:named|called))?:?\W*{name}\b"
_MISSING = r"\b{name}\W* (?:is |was )?(?:unknown|undefined|not (?:found|known|defined|registered)|does not exist)"


def calls_run(run: Run) -> Iterator[Violation]:
    """Results of calls that were never run, though they could be, and nobody decided that they should not."""
    if not run.counted or run.trial.conversations != "one" or not run.endings:
        return
    schemas, asked = _schemas(run), _asked(run)
    before: list[JsonObject] = []
    trouble = False
    for exchange in asked[:_FIRST_TURNS]:
        calls, done = exchange.calls(), exchange.tools_run or ()
        trouble = trouble or any(raised_text(outcome) is not None for outcome in exchange.results.values())
        before += [call for call in calls if id_of(call) in done]
        left = [call for call in calls if id_of(call) not in done and not any(same_call(call, its) for its in before)]
        if exchange.failed or exchange.stop_reason != "tool_use" or not all(_can_run(call, schemas) for call in left):
            trouble = True
            continue
        for call in left:
            answer = _answer_to(call, asked)
            if answer is not None and not _is_decided(run, call, answer, trouble):
                number, block = answer[0].number, answer[1]
                what = f"{named(call)} is answered with {shown(result_text(block))}, and the tool was never run"
                yield broken("calls-are-run", block.path, what, number)
                return


def answers_as_done(run: Run, violation: Violation) -> Iterator[Violation]:
    """The catalogue's word for a call that is not run and whose result does not say so."""
    if violation.rule != "calls-are-run":
        return
    for exchange in run.exchanges:
        for index, message in enumerate(exchange.messages if exchange.number == violation.exchange else ()):
            for block in blocks_of(message, index):
                if block.path == violation.path and not is_error(block):
                    what = "a call that was not run is answered, and its result has no is_error"
                    yield broken("skipped-calls-still-answered", block.path, what, violation.exchange)


def refused_as_errors(run: Run) -> Iterator[Violation]:
    """Results of calls that could not be run, which do not say so."""
    if not run.counted or not run.endings:
        return
    schemas, asked = _schemas(run), _asked(run)
    for exchange in asked:
        for call in exchange.calls():
            if id_of(call) in (exchange.tools_run or ()) or _can_run(call, schemas):
                continue
            answer = _answer_to(call, asked)
            if answer is None or is_error(answer[1]) or _is_last(answer[0]):
                continue
            known = str(call.get("name")) in schemas
            rule = "invalid-input-as-error-result" if known else "unknown-tool-as-error-result"
            why = "has an input that its schema does not allow" if known else "asks for a tool that there is not"
            what = f"{named(call)} {why}; it is answered with {shown(result_text(answer[1]))} and no is_error"
            yield broken(rule, answer[1].path, what, answer[0].number)
            return


def never_answered(run: Run) -> Iterator[Violation]:
    """Calls that a loop ran and ended with, and it has never sent a result: that is no limit but the loop's way."""
    asked = _asked(run)
    if not run.counted or run.answers_calls or not run.endings or run.trial.conversations != "one" or not asked:
        return
    last, ending = asked[-1], run.endings[0]
    for call in last.calls() if not last.failed and last.stop_reason == "tool_use" and ending.how != "running" else ():
        if id_of(call) in (last.tools_run or ()):
            told = f" with {shown(str(ending.value))}" if ending.how == "raised" else ""
            what = f"{named(call)} was run, and the loop ended{told} before its result was sent; it never sends one"
            yield broken("answer-every-tool-use-once", "$response", what, last.number)
            return


def _schemas(run: Run) -> Mapping[str, object]:
    """The schemas of the tools that the loop was given, by name."""
    return {str(tool.get("name")): tool.get("input_schema") for tool in run.endings[0].given[1]}


def _asked(run: Run) -> Sequence[Exchange]:
    """The exchanges that ask for a message."""
    return [exchange for exchange in run.exchanges if exchange.is_message]


def _is_last(exchange: Exchange) -> bool:
    """Whether a request asks for an answer without calls, as loops do at their limit."""
    return choice_kind(exchange) == "none"


def _is_decided(run: Run, call: JsonObject, answer: tuple[Exchange, PlacedBlock], trouble: bool) -> bool:
    """Whether a call was left out on purpose. After trouble nobody can tell what a refusal's words are about."""
    exchange, block = answer
    if not is_error(block):
        return False
    if _is_last(exchange):
        return True
    return run.runs_tools and (trouble or not _is_untrue(result_text(block), str(call.get("name"))))


def _is_untrue(text: str, name: str) -> bool:
    """Whether a refusal says of a tool that is offered that there is none, or that the loop's own code fell over."""
    claims = (pattern.format(name=re.escape(name)) for pattern in (_UNKNOWN, _MISSING))
    return bool(_PYTHON.search(text)) or any(re.search(claim, text, re.IGNORECASE) for claim in claims)


def _can_run(call: JsonObject, schemas: Mapping[str, object]) -> bool:
    schema = schemas.get(str(call.get("name")))
    return isinstance(schema, dict) and value_fault(schema, call.get("input")) is None


def _answer_to(call: JsonObject, asked: Sequence[Exchange]) -> tuple[Exchange, PlacedBlock] | None:
    """The first exchange with a result for a call, and that result."""
    for exchange in asked:
        for index, message in enumerate(exchange.messages):
            for block in blocks_of(message, index):
                if block.type == "tool_result" and block.data.get("tool_use_id") == call.get("id"):
                    return exchange, block
    return None

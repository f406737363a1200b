"""The `usage` of a reply: what it cost, in every field that the API fills.

Law: pure. Where several attempts made one reply, `iterations` tells what each of them cost, and the counts at the top
are those of the attempts that Claude itself made: a compaction or an advisor does not count there, nor does an attempt
that was refused where another model served.

Source: the types of the Python SDK 2.14.0 (`types/usage.py`, `types/beta/beta_usage.py`,
`types/beta/beta_*_iteration_usage.py`) and public recordings of 2026.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import NamedTuple

from msgspec import structs

from playhead.engine.prompt import InputTokens
from playhead.engine.tokens import Rates, blocks_tokens, rates_of, reply_tokens
from playhead.wire.codec import JsonObject

_TYPE = itemgetter("type")
_THOUGHTS = frozenset({"thinking", "redacted_thinking"})


class _Attempt(NamedTuple):
    """One sampling that a reply came from."""

    type: str
    input: InputTokens
    output: int
    model: str | None = None


def usage_of(
    content: Sequence[JsonObject],
    tokens: InputTokens,
    body: JsonObject,
    stop_reason: object = None,
    kinds: frozenset[str] | None = None,
) -> JsonObject:
    """The usage of a reply with this content to this request. A reply that `max_tokens` cut has used them all.

    `kinds` are the types of its blocks, where somebody has looked.
    """
    rates = rates_of(str(body.get("model")))
    kinds = frozenset(map(_TYPE, content)) if kinds is None else kinds
    attempts: Sequence[_Attempt] = ()
    if kinds.isdisjoint(_DIVIDED):
        whole, output = tokens, reply_tokens(content, rates)
    else:
        attempts = [*_attempts(content, tokens, body, rates)]
        whole, output = _paid(attempts)
    if stop_reason == "max_tokens" and isinstance(body.get("max_tokens"), int):
        output = body["max_tokens"]
    usage: JsonObject = {
        **_input(whole),
        "output_tokens": output,
        "service_tier": "standard",
        "inference_geo": body.get("inference_geo") or "global",
        "output_tokens_details": {"thinking_tokens": 0 if kinds.isdisjoint(_THOUGHTS) else _thinking(content, rates)},
    }
    if "server_tool_use" in kinds:
        usage["server_tool_use"] = {f"{name}_requests": _count(content, name) for name in ("web_search", "web_fetch")}
    if "speed" in body and isinstance(body["speed"], str):
        usage["speed"] = body["speed"]
    if attempts and (len(attempts) > 1 or attempts[0].type != "message"):
        usage["iterations"] = [_iteration(attempt) for attempt in attempts]
    return usage


def _paid(attempts: Sequence[_Attempt]) -> tuple[InputTokens, int]:
    """The input and the output that count at the top."""
    if len(attempts) == 1 and attempts[0].type == "message":
        return attempts[0].input, attempts[0].output
    served = [attempt for attempt in attempts if attempt.type == "fallback_message"]
    paid = served or [attempt for attempt in attempts if attempt.type == "message"]
    whole = (
        InputTokens(*map(sum, zip(*(structs.astuple(attempt.input) for attempt in paid), strict=True)))
        if paid
        else InputTokens(0)
    )
    return whole, sum(attempt.output for attempt in paid)


def _input(tokens: InputTokens) -> JsonObject:
    return {
        "input_tokens": tokens.fresh,
        "cache_creation_input_tokens": tokens.stored_5m + tokens.stored_1h,
        "cache_read_input_tokens": tokens.read,
        "cache_creation": {
            "ephemeral_5m_input_tokens": tokens.stored_5m,
            "ephemeral_1h_input_tokens": tokens.stored_1h,
        },
    }


def _iteration(attempt: _Attempt) -> JsonObject:
    named = {} if attempt.model is None else {"model": attempt.model}
    return {"type": attempt.type, **_input(attempt.input), "output_tokens": attempt.output, **named}


def _count(content: Sequence[JsonObject], name: str) -> int:
    return sum(1 for block in content if block.get("type") == "server_tool_use" and block.get("name") == name)


def _thinking(content: Sequence[JsonObject], rates: Rates) -> int:
    return blocks_tokens((block for block in content if block.get("type") in _THOUGHTS), rates)


def _attempts(content: Sequence[JsonObject], tokens: InputTokens, body: JsonObject, rates: Rates) -> Iterator[_Attempt]:
    """The samplings that a reply came from, of which the first block of such a kind tells."""
    at = next(at for at, block in enumerate(content) if block.get("type") in _DIVIDED)
    return _DIVIDED[str(content[at]["type"])](content, at, tokens, body, rates)


def _compacted(
    content: Sequence[JsonObject], at: int, tokens: InputTokens, body: JsonObject, rates: Rates
) -> Iterator[_Attempt]:
    """The summary is made first; what follows is said to the summary alone."""
    summary = reply_tokens(content[at : at + 1], rates)
    yield _Attempt("compaction", tokens, summary)
    if len(content) > at + 1:
        yield _Attempt("message", InputTokens(summary), reply_tokens(content[at + 1 :], rates))


def _advised(
    content: Sequence[JsonObject], at: int, tokens: InputTokens, body: JsonObject, rates: Rates
) -> Iterator[_Attempt]:
    """Claude stops to ask, the advisor reads all of it, and Claude goes on with the advice."""
    asked, advice = reply_tokens(content[:at], rates), blocks_tokens(content[at : at + 1], rates)
    yield _Attempt("message", tokens, asked)
    yield _Attempt("advisor_message", InputTokens(tokens.total + asked), advice, _advisor(body))
    yield _Attempt("message", InputTokens(tokens.total + asked + advice), reply_tokens(content[at + 1 :], rates))


def _advisor(body: JsonObject) -> str | None:
    tools = body.get("tools")
    named = (tool for tool in (tools if isinstance(tools, list) else ()) if isinstance(tool, dict))
    return next((str(tool.get("model")) for tool in named if tool.get("name") == "advisor"), None)


def _handed_on(
    content: Sequence[JsonObject], at: int, tokens: InputTokens, body: JsonObject, rates: Rates
) -> Iterator[_Attempt]:
    """One model refuses and the next reads the same prompt, the cache of another model being of no use to it."""
    hop = content[at]
    yield _Attempt("message", tokens, reply_tokens(content[:at], rates), str(hop["from"]["model"]))
    to = str(hop["to"]["model"])
    yield _Attempt("fallback_message", InputTokens(tokens.total), reply_tokens(content[at + 1 :], rates), to)


_DIVIDED: Mapping[str, Callable[[Sequence[JsonObject], int, InputTokens, JsonObject, Rates], Iterator[_Attempt]]] = {
    "compaction": _compacted,
    "advisor_tool_result": _advised,
    "fallback": _handed_on,
}

"""Usage: every field that the API fills, against the SDK's type, and what divided replies cost."""

from __future__ import annotations

from typing import Any

import pytest
from anthropic.types.beta import BetaUsage

from playhead.engine.prompt import InputTokens
from playhead.engine.tokens import rates_of, reply_tokens
from playhead.engine.usage import usage_of

BODY: dict[str, Any] = {"model": "claude-opus-5-5", "max_tokens": 500}
TEXT = {"type": "text", "text": "word " * 30}
CALL = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "q"}}
RATES = rates_of("claude-opus-5-5")
TOKENS = InputTokens(10, 20, 30, 40)


def test_every_field_is_filled() -> None:
    """The input as given, the output as counted, and the SDK's type takes it strictly."""
    usage = usage_of([TEXT], TOKENS, BODY)
    assert usage == {
        "input_tokens": 10,
        "cache_creation_input_tokens": 70,
        "cache_read_input_tokens": 20,
        "cache_creation": {"ephemeral_5m_input_tokens": 30, "ephemeral_1h_input_tokens": 40},
        "output_tokens": reply_tokens([TEXT], RATES),
        "service_tier": "standard",
        "inference_geo": "global",
        "output_tokens_details": {"thinking_tokens": 0},
    }
    BetaUsage.model_validate(usage, strict=True)


def test_the_request_shows_in_the_usage() -> None:
    """Where it ran, how fast, and the tokens that were all used up."""
    usage = usage_of([TEXT], TOKENS, {**BODY, "inference_geo": "us", "speed": "fast"}, "max_tokens")
    assert (usage["inference_geo"], usage["speed"], usage["output_tokens"]) == ("us", "fast", 500)
    assert usage_of([TEXT], TOKENS, {"model": "m", "max_tokens": None}, "max_tokens")["output_tokens"] < 100


def test_thinking_is_told_apart() -> None:
    """It is part of the output, redacted or not."""
    thought = {"type": "thinking", "thinking": "word " * 30, "signature": "s"}
    usage = usage_of([thought, TEXT], TOKENS, BODY)
    assert 40 < usage["output_tokens_details"]["thinking_tokens"] < usage["output_tokens"]
    redacted = usage_of([{"type": "redacted_thinking", "data": "E" * 200}], TOKENS, BODY)
    assert redacted["output_tokens_details"]["thinking_tokens"] > 0


@pytest.mark.parametrize(
    ("names", "counts"),
    [
        (["web_search", "web_search", "web_fetch"], {"web_search_requests": 2, "web_fetch_requests": 1}),
        (["code_execution"], {"web_search_requests": 0, "web_fetch_requests": 0}),
    ],
    ids=["the web", "code"],
)
def test_server_tools_are_counted(names: list[str], counts: dict[str, int]) -> None:
    """Where any ran, searches and fetches are counted; the API counts no others."""
    usage = usage_of([{**CALL, "name": name} for name in names], TOKENS, BODY)
    assert usage["server_tool_use"] == counts
    assert "server_tool_use" not in usage_of([TEXT], TOKENS, BODY)


def test_a_compaction_is_paid_apart() -> None:
    """The summary cost the whole prompt; what follows reads the summary alone, and only that is at the top."""
    summary = {"type": "compaction", "content": "word " * 20}
    usage = usage_of([summary, TEXT], TOKENS, BODY)
    first, second = usage["iterations"]
    assert (first["type"], first["input_tokens"], first["cache_read_input_tokens"]) == ("compaction", 10, 20)
    assert (second["type"], second["input_tokens"]) == ("message", first["output_tokens"])
    assert (usage["input_tokens"], usage["output_tokens"]) == (second["input_tokens"], second["output_tokens"])
    alone = usage_of([summary], TOKENS, BODY)
    assert [part["type"] for part in alone["iterations"]] == ["compaction"]
    assert (alone["input_tokens"], alone["output_tokens"]) == (0, 0)
    for made in (usage, alone):
        BetaUsage.model_validate(made, strict=True)


def test_an_advisor_is_paid_apart() -> None:
    """Claude before and after it are at the top, the advisor is an iteration with its model."""
    advice = {
        "type": "advisor_tool_result",
        "tool_use_id": "s",
        "content": {"type": "advisor_result", "text": "x" * 99},
    }
    body = {**BODY, "tools": [None, {"name": "advisor", "model": "claude-fable-5"}]}
    usage = usage_of([{**CALL, "name": "advisor"}, advice, TEXT], TOKENS, body)
    before, advisor, after = usage["iterations"]
    assert [part["type"] for part in usage["iterations"]] == ["message", "advisor_message", "message"]
    assert advisor["model"] == "claude-fable-5"
    assert after["input_tokens"] > advisor["input_tokens"] > TOKENS.total
    assert usage["output_tokens"] == before["output_tokens"] + after["output_tokens"]
    assert usage["input_tokens"] == before["input_tokens"] + after["input_tokens"]
    BetaUsage.model_validate(usage, strict=True)


def test_a_fallback_is_paid_by_who_served() -> None:
    """The refused attempt is an iteration, the one that served is at the top."""
    hop = {"type": "fallback", "from": {"model": "a"}, "to": {"model": "b"}, "trigger": {"type": "refusal"}}
    usage = usage_of([TEXT, hop, TEXT, TEXT], TOKENS, BODY)
    refused, served = usage["iterations"]
    assert (refused["type"], refused["model"], served["type"], served["model"]) == (
        "message",
        "a",
        "fallback_message",
        "b",
    )
    assert (usage["input_tokens"], usage["output_tokens"]) == (TOKENS.total, served["output_tokens"])
    assert served["output_tokens"] > refused["output_tokens"]
    BetaUsage.model_validate(usage, strict=True)

"""The rules on how much of everything."""

from __future__ import annotations

from typing import Any

import pytest

from playhead.rules.checker import Checker, api_error, check_request
from playhead.rules.field_ranges import MOST_BYTES, MOST_MESSAGES, RULES
from playhead.wire.exchange import Exchange
from playhead.wire.tables import COUNT_TOKENS_PATH

Json = dict[str, Any]
Fault = tuple[str, str, str | None]
HI = {"role": "user", "content": "hi"}
PAIR = "`temperature` and `top_p` cannot both be specified for this model. Please use only one."
NEWEST = {"anthropic-version": "2026-10-21"}


def body(model: str = "claude-haiku-4-5", **more: object) -> Json:
    return {"model": model, "max_tokens": 9, "messages": [HI], **more}


def cap(asked: int, most: int, model: str) -> Fault:
    told = f"max_tokens: {asked} > {most}, which is the maximum allowed number of output tokens for {model}"
    return "max-tokens-model-cap", "$.max_tokens", told


def judged(request: Json, headers: dict[str, str] | None = None) -> list[Fault]:
    return [(v.rule, v.path, v.api) for v in check_request(request, headers, only=RULES)]


def zero(member: str) -> Fault:
    return "max-tokens-zero-combinations", f"$.{member}", None


def removed(field: str) -> Fault:
    return "sampling-removed-on-model", f"$.{field}", f"`{field}` is deprecated for this model."


FAILING: dict[str, tuple[Json, list[Fault]]] = {
    "cap-64k": (body(max_tokens=64001), [cap(64001, 64000, "claude-haiku-4-5")]),
    "cap-64k-dated": (
        body("claude-sonnet-4-5-20250929", max_tokens=200_000),
        [cap(200_000, 64000, "claude-sonnet-4-5-20250929")],
    ),
    "cap-128k": (body("claude-opus-5", max_tokens=128_001), [cap(128_001, 128_000, "claude-opus-5")]),
    "cap-32k": (body("claude-opus-4-1", max_tokens=32_001), [cap(32_001, 32_000, "claude-opus-4-1")]),
    "zero-streamed": (body(max_tokens=0, stream=True), [zero("stream")]),
    "zero-thinking": (body(max_tokens=0, thinking={"type": "enabled", "budget_tokens": 1024}), [zero("thinking")]),
    "zero-format": (
        body(max_tokens=0, output_config={"format": {"type": "json_schema", "schema": {}}}),
        [zero("output_config.format")],
    ),
    "zero-any-tool": (body(max_tokens=0, tool_choice={"type": "any"}), [zero("tool_choice")]),
    "zero-one-tool": (body(max_tokens=0, tool_choice={"type": "tool", "name": "f"}), [zero("tool_choice")]),
    "hot": (body(temperature=1.2), [("temperature-range", "$.temperature", "temperature: range: 0..1")]),
    "cold": (body(temperature=-5), [("temperature-range", "$.temperature", "temperature: range: 0..1")]),
    "not-a-number": (
        body(temperature=float("nan")),
        [("temperature-range", "$.temperature", "temperature: range: 0..1")],
    ),
    "hot-on-a-model-without": (
        body("claude-sonnet-5", temperature=2),
        [("temperature-range", "$.temperature", "temperature: range: 0..1"), removed("temperature")],
    ),
    "hot-on-an-unknown-model": (
        body("my-model", temperature=2),
        [("temperature-range", "$.temperature", "temperature: range: 0..1")],
    ),
    "top-p-above": (body(top_p=1.01), [("top-p-range", "$.top_p", "top_p: range: 0..1")]),
    "top-p-below": (body(top_p=-1), [("top-p-range", "$.top_p", "top_p: range: 0..1")]),
    "pair-4-5": (body(temperature=0.5, top_p=0.9), [("temperature-and-top-p", "$.top_p", PAIR)]),
    "pair-4-6": (body("claude-opus-4-6", temperature=1, top_p=1), [("temperature-and-top-p", "$.top_p", PAIR)]),
    "removed-temperature": (body("claude-opus-4-7", temperature=0), [removed("temperature")]),
    "removed-top-p": (body("claude-opus-4-8", top_p=0.9), [removed("top_p")]),
    "removed-top-k": (body("claude-opus-5-5", top_k=40), [removed("top_k")]),
    "removed-all": (
        body("claude-sonnet-5-5", temperature=0.1, top_p=0.5, top_k=5),
        [removed("temperature"), removed("top_p"), removed("top_k")],
    ),
}


@pytest.mark.parametrize(("request_body", "faults"), FAILING.values(), ids=FAILING.keys())
def test_what_is_refused(request_body: Json, faults: list[Fault]) -> None:
    """Each fault is found once, at its place, with the API's text where that is known."""
    assert judged(request_body) == faults
    refusal = api_error(request_body, only=RULES)
    assert refusal is not None
    assert refusal.status == 400


PASSING: dict[str, Json] = {
    "at-the-cap": body(max_tokens=64000),
    "cap-of-an-unknown-model": body("my-model", max_tokens=10**9),
    "cap-and-a-string": body(max_tokens="64001"),
    "zero": body(max_tokens=0),
    "zero-not-streamed": body(max_tokens=0, stream=False),
    "zero-adaptive": body("claude-opus-5", max_tokens=0, thinking={"type": "adaptive"}),
    "zero-effort": body("claude-opus-5", max_tokens=0, output_config={"effort": "low"}),
    "zero-auto": body(max_tokens=0, tool_choice={"type": "auto"}),
    "false-is-not-zero": body(max_tokens=False, stream=True),
    "coldest": body(temperature=0),
    "hottest": body(temperature=1.0),
    "top-p-ends": body(top_p=0.0),
    "temperature-string": body(temperature="2"),
    "pair-on-an-older-model": body("claude-3-5-haiku-latest", temperature=0.5, top_p=0.9),
    "pair-on-sonnet-4": body("claude-sonnet-4-0", temperature=0.5, top_p=0.9),
    "pair-with-null": body(temperature=0.5, top_p=None),
    "not-set-on-an-older-model": body("claude-3-5-sonnet-20241022", temperature=1, top_p=-1, top_k=-1),
    "defaults-where-removed": body("claude-opus-4-8", temperature=1, top_p=0.99, top_k=-1),
    "top-k-on-4-6": body("claude-sonnet-4-6", top_k=40),
}


@pytest.mark.parametrize("request_body", PASSING.values(), ids=PASSING.keys())
def test_what_is_taken(request_body: Json) -> None:
    """Nothing is found in what the API takes, nor in what another rule describes."""
    assert judged(request_body) == []


def test_the_newest_version_has_another_rule_for_sampling() -> None:
    """Under it the parameters are wrong as such; range, pair and model are not looked at."""
    assert judged(body(temperature=3, top_p=0.5), NEWEST) == []
    assert judged(body("claude-opus-4-8", temperature=0.5), NEWEST) == []


def test_a_beta_raises_the_cap() -> None:
    """With the beta for long outputs up to 300,000 tokens may be asked for."""
    headers = {"anthropic-version": "2023-06-01", "anthropic-beta": "output-300k-2026-03-24"}
    assert judged(body(max_tokens=300_000), headers) == []
    assert judged(body(max_tokens=300_001), headers) == [cap(300_001, 64000, "claude-haiku-4-5")]


def test_counting_writes_nothing() -> None:
    """No cap is judged where tokens are only counted."""
    exchange = Exchange(request=body(max_tokens=10**6), path=COUNT_TOKENS_PATH)
    assert Checker(RULES).ask(exchange).violations == ()


def test_many_messages() -> None:
    """One more than the limit is refused, in our words: the API's are not known."""
    assert judged(body(messages=[HI] * MOST_MESSAGES)) == []
    (violation,) = check_request(body(messages=[HI] * (MOST_MESSAGES + 1)), only=RULES)
    assert (violation.rule, violation.path, violation.api) == ("req-messages-max-count", "$.messages", None)


LARGE = "x" * (MOST_BYTES + 1)
LARGE_BLOCKS: dict[str, object] = {
    "text": {"type": "text", "text": LARGE},
    "image": {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": LARGE}},
    "document": {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": LARGE}},
    "result": {"type": "tool_result", "tool_use_id": "toolu_1", "content": LARGE},
}


@pytest.mark.parametrize("block", LARGE_BLOCKS.values(), ids=LARGE_BLOCKS.keys())
def test_a_body_that_is_too_large(block: object) -> None:
    """It is answered with a 413, whatever makes it large."""
    request = body(messages=[{"role": "user", "content": [block]}])
    assert ("req-too-large", "$", "Request exceeds the maximum size") in judged(request)
    refusal = api_error(request, only=RULES)
    assert refusal is not None
    assert (refusal.status, refusal.type) == (413, "request_too_large")


def test_a_body_that_just_fits() -> None:
    """A text a little smaller than the limit is taken."""
    assert judged(body(messages=[{"role": "user", "content": LARGE[: MOST_BYTES - 1000]}])) == []

"""The rules on kinds and choices of the top-level fields."""

from __future__ import annotations

from typing import Any

import pytest

from playhead.rules.api_version import VERSION_2026
from playhead.rules.checker import api_error, check_request
from playhead.rules.field_types import RULES

Json = dict[str, Any]
Fault = tuple[str, str, str]
SHAPE = "Input does not match the expected shape."


def body(**more: object) -> Json:
    return {"model": "claude-opus-5-5", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}], **more}


def judged(request: Json) -> list[Fault]:
    return [(v.rule, v.path, str(v.api)) for v in check_request(request, only=RULES)]


# field, value, what the API answers
WRONG_KINDS: dict[str, tuple[str, object, str]] = {
    "model-null": ("model", None, "model: Input should be a valid string"),
    "model-number": ("model", 7, "model: Input should be a valid string"),
    "tool-choice-string": ("tool_choice", "auto", "tool_choice: Input should be an object"),
    "tool-choice-null": ("tool_choice", None, "tool_choice: Input should be an object"),
    "tools-object": ("tools", {"name": "f"}, "tools: Input should be a valid array"),
    "tools-null": ("tools", None, "tools: Input should be a valid array"),
    "messages-string": ("messages", "hi", "messages: Input should be a valid array"),
    "messages-object": ("messages", {"role": "user", "content": "hi"}, "messages: Input should be a valid array"),
    "messages-null": ("messages", None, "messages: Input should be a valid array"),
    "thinking-boolean": ("thinking", True, "thinking: Input should be an object"),
    "thinking-null": ("thinking", None, "thinking: Input should be an object"),
    "output-config-string": ("output_config", "low", f"output_config: {SHAPE}"),
    "output-config-null": ("output_config", None, f"output_config: {SHAPE}"),
    "cache-control-string": ("cache_control", "ephemeral", "cache_control: Input should be an object"),
    "metadata-string": ("metadata", "me", f"metadata: {SHAPE}"),
    "metadata-array": ("metadata", [], f"metadata: {SHAPE}"),
    "stop-sequences-string": ("stop_sequences", "END", "stop_sequences: Input should be a valid array"),
    "temperature-string": ("temperature", "0.5", "temperature: Input should be a valid number"),
    "temperature-boolean": ("temperature", True, "temperature: Input should be a valid number"),
    "temperature-null": ("temperature", None, "temperature: Input should be a valid number"),
    "top-k-fraction": ("top_k", 1.5, "top_k: Input should be a valid integer"),
    "top-k-float": ("top_k", 5.0, "top_k: Input should be a valid integer"),
    "top-p-string": ("top_p", "0.9", "top_p: Input should be a valid number"),
    "stream-string": ("stream", "true", "stream: Input should be a valid boolean"),
    "stream-number": ("stream", 1, "stream: Input should be a valid boolean"),
    "stream-null": ("stream", None, "stream: Input should be a valid boolean"),
    "container-number": ("container", 7, f"container.ContainerParams: {SHAPE}"),
    "container-array": ("container", ["c_1"], f"container.ContainerParams: {SHAPE}"),
    "inference-geo-number": ("inference_geo", 1, "inference_geo: Input should be a valid string"),
}


@pytest.mark.parametrize(("field", "value", "answer"), WRONG_KINDS.values(), ids=WRONG_KINDS.keys())
def test_a_value_of_the_wrong_kind(field: str, value: object, answer: str) -> None:
    """Each field has its own text, and the rules on ranges and choices are silent."""
    assert judged(body(**{field: value})) == [("req-field-types", f"$.{field}", answer)]


# two rules describe the same fault, and the API's text is the same
SHARED: dict[str, tuple[str, object, list[Fault]]] = {
    "max-tokens-string": (
        "max_tokens",
        "9",
        [
            ("req-field-types", "$.max_tokens", "max_tokens: Input should be a valid integer"),
            ("max-tokens-integer", "$.max_tokens", "max_tokens: Input should be a valid integer"),
        ],
    ),
    "system-null": (
        "system",
        None,
        [
            ("req-field-types", "$.system", "system: Input should be a valid array"),
            ("system-shape", "$.system", "system: Input should be a valid array"),
        ],
    ),
}


@pytest.mark.parametrize(("field", "value", "faults"), SHARED.values(), ids=SHARED.keys())
def test_fields_with_a_rule_of_their_own_on_kinds(field: str, value: object, faults: list[Fault]) -> None:
    """The general rule and the field's own agree."""
    assert judged(body(**{field: value})) == faults


FAILING: dict[str, tuple[Json, list[Fault]]] = {
    "model-empty": (
        body(model=""),
        [("model-nonempty", "$.model", "model: String should have at least 1 character")],
    ),
    "max-tokens-negative": (
        body(max_tokens=-1),
        [("max-tokens-integer", "$.max_tokens", "max_tokens: must be greater than or equal to 0")],
    ),
    "service-tier-other": (
        body(service_tier="priority"),
        [("service-tier-enum", "$.service_tier", "service_tier: Input should be 'auto' or 'standard_only'")],
    ),
    "service-tier-null": (
        body(service_tier=None),
        [("service-tier-enum", "$.service_tier", "service_tier: Input should be 'auto' or 'standard_only'")],
    ),
    "service-tier-object": (
        body(service_tier={}),
        [("service-tier-enum", "$.service_tier", "service_tier: Input should be 'auto' or 'standard_only'")],
    ),
    "inference-geo-other": (
        body(inference_geo="eu"),
        [("inference-geo-enum", "$.inference_geo", "inference_geo: must be one of ['global', 'us']")],
    ),
    "inference-geo-upper-case": (
        body(inference_geo="US"),
        [("inference-geo-enum", "$.inference_geo", "inference_geo: must be one of ['global', 'us']")],
    ),
    "stop-sequence-blank": (
        body(stop_sequences=["END", " \t\n"]),
        [
            (
                "stop-sequences-nonwhitespace",
                "$.stop_sequences[1]",
                "stop_sequences: each stop sequence must contain non-whitespace",
            )
        ],
    ),
    "stop-sequence-empty": (
        body(stop_sequences=[""]),
        [
            (
                "stop-sequences-nonwhitespace",
                "$.stop_sequences[0]",
                "stop_sequences: each stop sequence must contain non-whitespace",
            )
        ],
    ),
    "stop-sequence-number": (
        body(stop_sequences=["END", 7]),
        [
            (
                "stop-sequences-nonwhitespace",
                "$.stop_sequences[1]",
                "stop_sequences.1: Input should be a valid string",
            )
        ],
    ),
    "metadata-other-key": (
        body(metadata={"team": "blue"}),
        [("metadata-shape", "$.metadata.team", "metadata.team: Extra inputs are not permitted")],
    ),
    "metadata-other-key-null": (
        body(metadata={"user_id": "u", "session_id": None}),
        [("metadata-shape", "$.metadata.session_id", "metadata.session_id: Extra inputs are not permitted")],
    ),
    "metadata-user-id-number": (
        body(metadata={"user_id": 7}),
        [("metadata-shape", "$.metadata.user_id", "metadata.user_id: Input should be a valid string")],
    ),
    "system-of-strings": (
        body(system=["be brief"]),
        [("system-shape", "$.system[0]", f"system.0: {SHAPE}")],
    ),
    "system-with-null": (
        body(system=[{"type": "text", "text": "a"}, None]),
        [("system-shape", "$.system[1]", f"system.1: {SHAPE}")],
    ),
    "system-with-an-image": (
        body(system=[{"type": "image", "source": {}}]),
        [("system-shape", "$.system[0]", f"system.0: {SHAPE}")],
    ),
    "system-text-without-text": (
        body(system=[{"type": "text", "content": "a"}]),
        [("system-shape", "$.system[0]", f"system.0: {SHAPE}")],
    ),
    "in-the-order-of-the-api": (
        body(stream="no", tools={}, model=1),
        [
            ("req-field-types", "$.model", "model: Input should be a valid string"),
            ("req-field-types", "$.tools", "tools: Input should be a valid array"),
            ("req-field-types", "$.stream", "stream: Input should be a valid boolean"),
        ],
    ),
}


@pytest.mark.parametrize(("request_body", "faults"), FAILING.values(), ids=FAILING.keys())
def test_what_is_refused(request_body: Json, faults: list[Fault]) -> None:
    """Each fault is found once, at its place, with the API's text; all of them are refusals."""
    assert judged(request_body) == faults
    assert {v.level for v in check_request(request_body, only=RULES)} == {"reject"}
    refusal = api_error(request_body, only=RULES)
    assert refusal is not None
    assert (refusal.status, refusal.type, refusal.message) == (400, "invalid_request_error", faults[0][2])


PASSING: dict[str, Json] = {
    "plain": body(),
    "null-where-it-is-absence": body(
        metadata=None, inference_geo=None, stop_sequences=None, cache_control=None, container=None
    ),
    "nothing-at-all": {},
    "no-tokens": body(max_tokens=0),
    "integers-are-numbers": body(temperature=1, top_p=0),
    "no-stop-sequences": body(stop_sequences=[]),
    "stop-sequences": body(stop_sequences=["END", "\n\nHuman:"]),
    "tiers": body(service_tier="auto", inference_geo="global"),
    "empty-metadata": body(metadata={}),
    "null-user": body(metadata={"user_id": None}),
    "system-string": body(system=""),
    "system-empty": body(system=[]),
    "system-blocks": body(system=[{"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}]),
    "container-id": body(container="container_1"),
    "container-object": body(container={"id": None}),
}


@pytest.mark.parametrize("request_body", PASSING.values(), ids=PASSING.keys())
def test_what_is_taken(request_body: Json) -> None:
    """Nothing is found in what the API takes."""
    assert judged(request_body) == []


def test_under_the_newest_version_a_sampling_field_has_one_fault() -> None:
    """There the field is wrong whatever it holds, so its kind is not looked at."""
    headers = {"anthropic-version": VERSION_2026}
    assert check_request(body(temperature="hot"), headers, only=RULES) == ()
    assert check_request(body(temperature="hot"), {"anthropic-version": "2023-06-01"}, only=RULES) != ()


@pytest.mark.parametrize("model", ["claude-does-not-exist", "  ", "claude-2.1", "gpt-5"])
def test_an_unknown_model_is_a_warning(model: str) -> None:
    """It may be newer than the table; the API's words are told, but nothing is refused."""
    (violation,) = check_request(body(model=model), only=RULES)
    assert (violation.rule, violation.level, violation.path) == ("req-model-unknown", "warn", "$.model")
    assert (violation.api, violation.status) == (f"model: {model}", None)
    assert api_error(body(model=model), only=RULES) is None


@pytest.mark.parametrize(
    "model",
    [
        "claude-opus-5-5",
        "claude-haiku-4-5-20251001",
        "claude-3-7-sonnet-latest",
        "claude-sonnet-4-0",
        "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "claude-3-7-sonnet@20250219",
        "arn:aws:bedrock:us-east-1:1:application-inference-profile/x",
    ],
)
def test_the_names_of_known_models(model: str) -> None:
    """Dates, versions and what clouds put around a name make no difference; what cannot be looked up is let be."""
    assert judged(body(model=model)) == []

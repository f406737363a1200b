"""The table of models: names found whatever stands around them, and what a user adds."""

from __future__ import annotations

from typing import Any

import pytest

from playhead.rules.checker import api_error, check_request
from playhead.rules.models import MODELS, UNKNOWN, Model, Models, models_with, short_name

BODY: dict[str, Any] = {"max_tokens": 64, "messages": [{"role": "user", "content": "How high is the tide?"}]}
PREFILLED = [*BODY["messages"], {"role": "assistant", "content": "It is"}]

NAMES = {
    "claude-opus-4-5-20251101": "claude-opus-4-5",
    "claude-haiku-4-5": "claude-haiku-4-5",
    "claude-3-5-sonnet-latest": "claude-3-5-sonnet",
    "us.anthropic.claude-sonnet-4-5-20250929-v1:0": "claude-sonnet-4-5",
    "claude-sonnet-4-5@20250929": "claude-sonnet-4-5",
    "claude-opus-4-6@default": "claude-opus-4-6",
    "claude-3-5-sonnet-v2@20241022": "claude-3-5-sonnet",
    "anthropic.claude-3-5-sonnet-20241022-v2:0": "claude-3-5-sonnet",
    "anthropic.claude-3-haiku-20240307-v1:0:200k": "claude-3-haiku",
    "arn:aws:bedrock:us-east-1:1:inference-profile/global.anthropic.claude-opus-5-5-v1:0": "claude-opus-5-5",
    "claude-sonnet-4-0": "claude-sonnet-4",
    "anthropic/claude-opus-5-5": "claude-opus-5-5",
    "claude-fable-5-2": "claude-fable-5-2",
}


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_found(name: str) -> None:
    """Dates, versions and the clouds' prefixes are no part of a model's name."""
    assert short_name(name) == NAMES[name]
    assert Models().find(name) is MODELS[NAMES[name]]


@pytest.mark.parametrize("name", ["gpt-4", "claude-2.1", "claude-opus-9", "", None, 5])
def test_an_unknown_name_is_unknown(name: object) -> None:
    """What is not in the table has no properties, and nothing is refused on its account."""
    assert Models().find(name) is UNKNOWN


def test_an_unknown_model_is_judged_leniently() -> None:
    """A warning, unless the known models are said to be all there are: then it is the API's 404."""
    body = {"model": "claude-next-1", **BODY, "messages": PREFILLED, "temperature": 0.5}
    assert [(v.rule, v.level) for v in check_request(body)] == [("req-model-unknown", "warn")]
    error = api_error(body, models=Models(complete=True))
    assert error is not None
    assert (error.status, error.type, error.message) == (404, "not_found_error", "model: claude-next-1")


def test_a_model_of_ones_own() -> None:
    """What is told of a model is judged; one of the same name takes the table's place."""
    body = {"model": "claude-next-1", **BODY, "messages": PREFILLED}
    told = [Model(name="claude-next-1", prefill=False)]
    assert [v.rule for v in check_request(body, models=told)] == ["prefill-unsupported"]
    old = {**body, "model": "claude-haiku-4-5"}
    assert check_request(old) == ()
    assert [v.rule for v in check_request(old, models=[Model(name="claude-haiku-4-5", prefill=False)])] == [
        "prefill-unsupported"
    ]
    assert models_with(told).find("claude-next-1-20270101") is told[0]


def test_the_api_has_finer_codes() -> None:
    """Where the API tells its errors apart by a code, so does the answer."""
    summary = {"type": "compaction", "content": "so far", "signature": "s"}
    messages = [*BODY["messages"], {"role": "assistant", "content": [summary]}, {"role": "user", "content": "So?"}]
    error = api_error({"model": "claude-opus-5-5", "max_tokens": 64, "messages": messages})
    assert error is not None
    assert (error.rule, error.error_code) == ("compaction-block-rules", "compaction_block_misplaced")
    assert error.body["error"]["details"] == {"error_code": "compaction_block_misplaced"}

"""The clouds' URLs and bodies: what they lead to on the API."""

from __future__ import annotations

from typing import Any

import pytest

from playhead.wire.cloud import Cloud, as_the_api_has_it, cloud_of
from playhead.wire.exchange import endpoint_of

VERTEX = "/v1/projects/acme/locations/global/publishers/anthropic/models/"
ARN = "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-opus-5-5-v1:0"

PATHS: dict[str, tuple[str, str, str | None, bool]] = {
    f"{VERTEX}claude-opus-5-5:rawPredict": ("vertex", "/v1/messages", "claude-opus-5-5", False),
    f"{VERTEX}claude-opus-4-5@20251101:streamRawPredict": ("vertex", "/v1/messages", "claude-opus-4-5@20251101", True),
    f"{VERTEX}claude-opus-4-5%4020251101%3ArawPredict": ("vertex", "/v1/messages", "claude-opus-4-5@20251101", False),
    f"{VERTEX}claude-opus-4-5@default%3astreamRawPredict": ("vertex", "/v1/messages", "claude-opus-4-5@default", True),
    f"{VERTEX}count-tokens:rawPredict": ("vertex", "/v1/messages/count_tokens", None, False),
    f"/gateway{VERTEX}claude-opus-5-5:rawPredict": ("vertex", "/v1/messages", "claude-opus-5-5", False),
    "/model/anthropic.claude-opus-4-5-20251101-v1:0/invoke": (
        "bedrock",
        "/v1/messages",
        "anthropic.claude-opus-4-5-20251101-v1:0",
        False,
    ),
    "/model/us.anthropic.claude-opus-5-5-v1%3A0/invoke-with-response-stream": (
        "bedrock",
        "/v1/messages",
        "us.anthropic.claude-opus-5-5-v1:0",
        True,
    ),
    f"/model/{ARN.replace('/', '%2F')}/invoke": ("bedrock", "/v1/messages", ARN, False),
    "/eu/model/eu.anthropic.claude-haiku-5-5/invoke": (
        "bedrock",
        "/v1/messages",
        "eu.anthropic.claude-haiku-5-5",
        False,
    ),
}


@pytest.mark.parametrize("path", PATHS)
def test_a_clouds_url(path: str) -> None:
    """It tells the vendor, the API's endpoint, the model and whether a stream is wanted."""
    vendor, endpoint, model, stream = PATHS[path]
    assert cloud_of(path) == Cloud(vendor=vendor, endpoint=endpoint, model=model, stream=stream)
    assert endpoint_of(f"{path}?alt=sse") == endpoint


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/v1/messages",
        "/v1/messages/count_tokens",
        "/model//invoke",
        "/model/a/b/invoke",
        "/model/anthropic.claude-opus-5-5/converse",
        "/model/anthropic.claude-opus-5-5/invoke/more",
        f"{VERTEX}claude-opus-5-5",
        f"{VERTEX}claude-opus-5-5:predict",
        f"{VERTEX}claude-opus-5-5:rawPredictions",
        "/v1/projects/p/locations/l/publishers/google/models/gemini:rawPredict",
    ],
)
def test_what_is_no_clouds_url(path: str) -> None:
    """The API's own paths, other endpoints of the clouds and other vendors' models are none."""
    assert cloud_of(path) is None


def of(path: str, body: dict[str, Any], **headers: str) -> Any:
    cloud = cloud_of(path)
    assert cloud is not None
    return as_the_api_has_it(cloud, body, headers)


def test_the_body_as_the_api_has_it() -> None:
    """The model and the wish for a stream come from the URL, version and betas go to the headers; the rest stays."""
    messages = [{"role": "user", "content": "hi"}]
    body = {
        "anthropic_version": "vertex-2023-10-16",
        "anthropic_beta": ["context-1m-2025-08-07", "files-api-2025-04-14"],
        "max_tokens": 9,
        "messages": messages,
    }
    plain, headers = of(f"{VERTEX}claude-opus-4-5@20251101:streamRawPredict", body, authorization="Bearer t")
    assert plain == {"model": "claude-opus-4-5@20251101", "stream": True, "max_tokens": 9, "messages": messages}
    assert plain["messages"] is messages
    assert headers == {
        "anthropic-version": "2023-06-01",
        "authorization": "Bearer t",
        "anthropic-beta": "context-1m-2025-08-07,files-api-2025-04-14",
    }
    assert set(body) == {"anthropic_version", "anthropic_beta", "max_tokens", "messages"}


def test_what_the_body_says_itself() -> None:
    """Where the URL names no model, as when tokens are counted, the body's stays; so does a stream it asks for."""
    counted, _ = of(f"{VERTEX}count-tokens:rawPredict", {"model": "claude-opus-5-5", "messages": []})
    assert counted == {"model": "claude-opus-5-5", "messages": []}
    asked, _ = of(f"{VERTEX}claude-opus-5-5:rawPredict", {"stream": True, "model": "another"})
    assert asked == {"stream": True, "model": "claude-opus-5-5"}


@pytest.mark.parametrize("betas", [None, "context-1m-2025-08-07", {}], ids=repr)
def test_headers_that_are_there_already(betas: object) -> None:
    """A version and betas in the headers stay where the body has none that can be read."""
    _, headers = of(
        "/model/anthropic.claude-opus-5-5/invoke",
        {"anthropic_beta": betas},
        **{"anthropic-version": "2026-10-21", "anthropic-beta": "files-api-2025-04-14"},
    )
    assert headers == {"anthropic-version": "2026-10-21", "anthropic-beta": "files-api-2025-04-14"}

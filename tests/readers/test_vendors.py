"""Which calls are Claude's."""

from __future__ import annotations

import pytest

from playhead.readers.call import Call
from playhead.readers.vendors import Endpoint, endpoint, split_url
from readers.samples import ERROR, MESSAGE, REQUEST

API = "https://api.anthropic.com"
CLAUDE = {
    "the API": Call(url=f"{API}/v1/messages"),
    "its other endpoints": Call(url=f"{API}/v1/files/file_1?beta=true"),
    "a gateway": Call(url="https://gateway.test/anthropic/v1/messages"),
    "a path without a host": Call(url="/v1/messages/count_tokens"),
    "a header": Call(url="http://127.0.0.1:80/v1/models", request_headers={"anthropic-version": "2023-06-01"}),
    "an answer's header": Call(url="/v1/files", response_headers={"anthropic-organization-id": "x"}),
    "a redacted URL": Call(url="**REDACTED**"),
    "no URL": Call(),
}
OTHERS = {
    "https://api.openai.com/v1/chat/completions": "calls to api.openai.com",
    "https://api.openai.com/v1/messages/completions": "calls to api.openai.com",
    f"{API}/v1/chat/completions": "calls to api.anthropic.com",
    f"{API}/api/event_logging/batch": "calls to api.anthropic.com",
    "https://gemini.googleapis.com/v1beta/models/g:generateContent": "calls to gemini.googleapis.com",
    "https://bedrock-runtime.us-east-1.amazonaws.com/model/anthropic.claude-x/converse": (
        "calls to bedrock-runtime.us-east-1.amazonaws.com"
    ),
    "https://bedrock-runtime.us-east-1.amazonaws.com/model/amazon.nova/invoke": (
        "calls to bedrock-runtime.us-east-1.amazonaws.com"
    ),
    "http://[::1]:11434/api/chat": "calls to [::1]",
    "/v1/chat/completions": "calls to an unknown host",
}


@pytest.mark.parametrize("name", CLAUDE)
def test_calls_of_claude(name: str) -> None:
    """Host, path, headers, and the bodies where the URL is redacted: each shows a Claude call."""
    assert isinstance(endpoint(CLAUDE[name], REQUEST, MESSAGE), Endpoint)


@pytest.mark.parametrize("url", OTHERS)
def test_calls_of_others(url: str) -> None:
    """Other vendors' endpoints are passed over, by host, even for a Claude model."""
    assert endpoint(Call(url=url), {"model": "claude-haiku-4-5", "messages": []}, None) == OTHERS[url]


def test_evidence_without_a_url() -> None:
    """Where the URL is redacted, a message, an error, a stream's start or a Claude model with messages is needed."""
    call = Call(url="**REDACTED**")
    for answer in (MESSAGE, ERROR, {"type": "message_start"}):
        assert isinstance(endpoint(call, None, answer), Endpoint)
    assert isinstance(endpoint(call, REQUEST, None), Endpoint)
    assert endpoint(call, {**REQUEST, "model": "gpt-9"}, {"object": "chat.completion"}) == "calls to an unknown host"


@pytest.mark.parametrize(
    ("url", "parts"),
    [
        ("https://API.anthropic.com:443/v1/messages?beta=true#x", ("api.anthropic.com", "/v1/messages?beta=true")),
        ("https://user:pw@host.test", ("host.test", "/")),
        ("//host.test/a", ("host.test", "/a")),
        ("/v1/messages", ("", "/v1/messages")),
        ("**REDACTED**", ("", "")),
        ("http://[::1", ("", "")),
        ("https://bedrock-runtime.<REGION>.amazonaws.com/x", ("bedrock-runtime.<region>.amazonaws.com", "/x")),
    ],
)
def test_split_url(url: str, parts: tuple[str, str]) -> None:
    """Host and path of any URL, redacted ones and nonsense included."""
    assert split_url(url) == parts

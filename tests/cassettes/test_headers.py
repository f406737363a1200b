"""Allow-lists for headers, and what becomes of credentials."""

from __future__ import annotations

import base64

import pytest

from cassettes.planted import SECRETS
from playhead import check_request
from playhead.cassettes.headers import credentials, kept_request_headers, kept_response_headers

KEY = SECRETS["anthropic api03"]

KEPT = {
    "anthropic-version": "2023-06-01",
    "anthropic-beta": "files-api-2025-04-14,message-threads-2026-08-12",
    "content-type": "application/json; charset=utf-8",
    "accept": "text/event-stream, */*;q=0.8",
    "x-stainless-retry-count": "1",
    "x-stainless-helper": "BetaToolRunner, mcp:tools/list",
    "x-stainless-helper-method": "stream",
    "x-stainless-stream-helper": "beta.messages",
}


@pytest.mark.parametrize(("name", "value"), KEPT.items(), ids=KEPT)
def test_what_a_replay_or_a_rule_needs_is_kept(name: str, value: str) -> None:
    """As it is, with its name in lower case."""
    assert kept_request_headers({name.title(): value}) == {name: value}


CLIENTS = [
    ("Anthropic/Python 2.14.0", "Anthropic/Python 2.14.0"),
    ("AsyncAnthropicBedrock/Python 0.70.0", "AsyncAnthropicBedrock/Python 0.70.0"),
    ("Anthropic/JS 0.71.2", "Anthropic/JS 0.71.2"),
    ("claude-cli/2.1.197 (external, sdk-cli, agent-sdk/0.1 on build-7.acme.internal)", "claude-cli/2.1.197"),
    ("python-httpx/0.28 (runner-3.acme.internal)", None),
    ("acme-agent/1.0 (+https://tools.acme.internal)", None),
]


@pytest.mark.parametrize(("agent", "kept"), CLIENTS, ids=[agent.partition(" ")[0] for agent, _ in CLIENTS])
def test_of_a_user_agent_only_the_sdk_and_its_version_are_kept(agent: str, kept: str | None) -> None:
    """Which SDK asked helps a reader; whatever else stands there may name a machine or a company."""
    assert kept_request_headers({"user-agent": agent}).get("user-agent") == kept


DROPPED = {
    "host": "gateway.acme.internal",
    "cookie": "_cfuvid=" + "a1" * 20,
    "proxy-authorization": "Basic " + base64.b64encode(b"user:password12").decode(),
    "x-amz-security-token": "IQoJb3JpZ2luX2VjE" + "x1" * 50,
    "x-amz-date": "20240327T230808Z",
    "x-goog-api-key": SECRETS["google api key"],
    "x-goog-user-project": "acme-prod",
    "x-stainless-os": "Linux",
    "x-stainless-runtime-version": "3.11.7",
    "x-claude-code-session-id": "eba7676d-4c5a-4e8a-8f82-9fc2c50cf6e1",
    "traceparent": "00-75c1a803ef6b4f92f13c54ae89f07e25-a2248baea3a4f9cf-01",
    "x-forwarded-for": "10.0.0.7",
    "content-length": "1047",
    "acme-secret": "hunter2",
}


def test_everything_else_is_dropped() -> None:
    """An allow-list: a header nobody thought of does not pass."""
    assert kept_request_headers(DROPPED) == {}


CREDENTIALS = [
    ("x-api-key", KEY, "redacted"),
    ("authorization", f"Bearer {KEY}", "redacted"),
    ("authorization", "AWS4-HMAC-SHA256 Credential=AKIA/20240327, Signature=00ff", "redacted"),
    ("api-key", "0123456789", "redacted"),
    ("x-api-key", "k", "redacted"),
    ("x-api-key", "", ""),
    ("x-api-key", "  ", ""),
    ("authorization", "Bearer ", "Bearer"),
]


@pytest.mark.parametrize(("name", "value", "kept"), CREDENTIALS, ids=lambda value: repr(value)[:20])
def test_of_a_key_only_this_is_kept_that_there_was_one(name: str, value: str, kept: str) -> None:
    """A missing key is judged by a rule, so that a recording must tell whether there was one."""
    headers = kept_request_headers({name: value})
    assert headers == {name: kept}
    body = {"model": "claude-opus-5-5", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]}
    version = {"anthropic-version": "2023-06-01"}
    was = [violation.rule for violation in check_request(body, {**version, name: value})]
    assert [violation.rule for violation in check_request(body, {**version, **headers})] == was


MISUSED = {
    "a key as a beta": ("anthropic-beta", KEY),
    "a key among betas": ("anthropic-beta", f"files-api-2025-04-14,{KEY}"),
    "a key as the version": ("anthropic-version", KEY),
    "a key as a helper": ("x-stainless-helper", SECRETS["github personal"]),
    "a password in a media type": ("accept", "https://admin:hunter2@db.example.com"),
}


@pytest.mark.parametrize(("name", "value"), MISUSED.values(), ids=MISUSED)
def test_a_secret_in_a_header_that_is_kept_does_not_pass(name: str, value: str) -> None:
    """The value is taken for what it should be only where it looks so; rules take `redacted` as unknown."""
    assert kept_request_headers({name: value}) == {name: "redacted"}


RESPONSE = {
    "content-type": "text/event-stream; charset=utf-8",
    "retry-after": "13",
    "retry-after-ms": "250",
    "x-should-retry": "false",
    "request-id": "req_011CSHoEeqs5C35K2UUqR7Fy",
    "anthropic-ratelimit-requests-remaining": "3999",
    "anthropic-ratelimit-tokens-reset": "2026-10-30T16:17:36Z",
}


@pytest.mark.parametrize(("name", "value"), RESPONSE.items(), ids=RESPONSE)
def test_what_a_client_acts_on_is_kept_of_an_answer(name: str, value: str) -> None:
    """Content type, retries, rate limits, and the id that the SDK shows."""
    assert kept_response_headers({name.upper(): value}) == {name: value}


def test_the_rest_of_an_answer_is_dropped() -> None:
    """Accounts, cookies, traces, the way the answer took."""
    dropped = {
        "anthropic-organization-id": "217a607f-ed5e-40af-8a7d-f83ed52d59d6",
        "anthropic-workspace-id": "wrkspc_01MZW3YzUeytZsFc9LHFxP78",
        "set-cookie": "__cf_bm=" + "a1" * 30,
        "cf-ray": "97ff1a2b3c4d5e6f-FRA",
        "x-amzn-requestid": "90d78b28-0041-4c86-a776-55ac9e8cddc6",
        "x-cloud-trace-context": "35c62374de27fdf8dc2fe68a12494c9e",
        "server": "cloudflare",
        "content-encoding": "gzip",
        "transfer-encoding": "chunked",
    }
    assert kept_response_headers(dropped) == {}


def test_of_amazons_error_type_the_type_is_kept() -> None:
    """On Bedrock it tells the kind of error; the address behind it is internal to Amazon."""
    headers = {"x-amzn-errortype": "ValidationException:http://internal.amazon.com/coral/com.amazon.bedrock/"}
    assert kept_response_headers(headers) == {"x-amzn-errortype": "ValidationException"}


BROUGHT = {
    "a key": ({"X-Api-Key": KEY}, [KEY]),
    "a bearer token": ({"authorization": f"Bearer {KEY}"}, [KEY]),
    "a gateway's key": ({"helicone-auth": "Bearer hunter2-hunter2"}, ["hunter2-hunter2"]),
    "user and password": ({"proxy-authorization": "Basic bm9ib2R5Omh1bnRlcjJodW50ZXIy"}, ["hunter2hunter2"]),
    "an organisation": ({"anthropic-organization-id": "217a607f-ed5e"}, ["217a607f-ed5e"]),
    "a word": ({"x-api-key": "dummy", "authorization": "Bearer testing"}, []),
    "a masked key": ({"x-api-key": "**REDACTED**", "authorization": "<your-api-key>"}, []),
    "a signed request": ({"authorization": "AWS4-HMAC-SHA256 Credential=AKIA/20240327/us, Signature=00ff"}, []),
    "no credentials": ({"anthropic-beta": "oauth-2025-04-20", "anthropic-ratelimit-tokens-limit": "12000000"}, []),
}


@pytest.mark.parametrize(("headers", "secrets"), BROUGHT.values(), ids=BROUGHT)
def test_secrets_that_headers_bring_are_known(headers: dict[str, str], secrets: list[str]) -> None:
    """They may stand in bodies as well; words that stand everywhere are none."""
    found = [credential.secret for credential in credentials(headers)]
    assert found[-len(secrets) :] == secrets if secrets else found == []

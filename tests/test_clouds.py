"""Claude as clouds offer it: their URLs and the SDK's clients for them, over one fake, as strictly as anywhere."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import anthropic
import httpx2
import pytest

from playhead import FakeClaude, Models, RuleViolations, ScriptError, SeveralFailures, call, cut, deliver, fail, say
from playhead.wire.sse import decode_events
from playhead.wire.stream import accumulate, event_data
from sdk_outcomes import ASK, REPLY

VERTEX = "https://aiplatform.googleapis.com/v1/projects/acme/locations/global/publishers/anthropic/models/"
BEDROCK = "https://bedrock-runtime.us-east-1.amazonaws.com/model/"
HEADERS = {"authorization": "Bearer token"}
BODY = {name: value for name, value in ASK.items() if name != "model"}
ON_VERTEX = {"anthropic_version": "vertex-2023-10-16", **BODY}
ON_BEDROCK = {"anthropic_version": "bedrock-2023-05-31", **BODY}

MODELS = [
    f"{VERTEX}claude-opus-5-5:rawPredict",
    f"{VERTEX}claude-opus-4-5@20251101:rawPredict",
    f"{VERTEX}claude-opus-4-5%4020251101%3ArawPredict",
    f"{VERTEX}claude-opus-4-6@default:rawPredict",
    f"{BEDROCK}anthropic.claude-opus-5-5/invoke",
    f"{BEDROCK}us.anthropic.claude-opus-4-5-20251101-v1:0/invoke",
    f"{BEDROCK}global.anthropic.claude-haiku-5-5-v1%3A0/invoke",
    f"{BEDROCK}arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Fus.anthropic.claude-opus-5-5-v1%3A0/invoke",
]


def post(fake: FakeClaude, url: str, body: object, **headers: str) -> httpx2.Response:
    """Sends a request as a client that knows nothing of the SDK."""
    with httpx2.Client(transport=fake.transport, headers={**HEADERS, **headers}) as client:
        return client.post(url, content=body if isinstance(body, bytes) else json.dumps(body))


@pytest.mark.parametrize("url", MODELS, ids=lambda url: url.rpartition("/model")[2])
def test_a_request_to_a_cloud(url: str) -> None:
    """The reply names the model of the URL; no rule says a word, not even where the known models are all there are."""
    body = ON_VERTEX if url.startswith(VERTEX) else ON_BEDROCK
    with FakeClaude([REPLY], models=Models(complete=True)) as fake:
        answer = post(fake, url, body)
    assert answer.status_code == 200
    assert answer.json()["content"][0] == {"type": "text", "text": "Let me look."}
    assert answer.json()["model"] in httpx2.URL(url).path
    assert fake.violations == ()
    (exchange,) = fake.session.exchanges
    assert exchange.endpoint == "/v1/messages"
    assert exchange.request == {**BODY, "model": answer.json()["model"]}


def test_a_stream_of_vertex() -> None:
    """`streamRawPredict` answers with server-sent events, whether or not the body asks for them as well."""
    url = f"{VERTEX}claude-opus-4-5@20251101:streamRawPredict"
    for body in (ON_VERTEX, {**ON_VERTEX, "stream": True}):
        with FakeClaude([deliver(REPLY, chunks=9)]) as fake:
            answer = post(fake, url, body)
        assert answer.headers["content-type"].startswith("text/event-stream")
        message = accumulate(map(event_data, decode_events(answer.content))).message
        assert message is not None
        assert message["model"] == "claude-opus-4-5@20251101"
        assert message["content"] == fake.session.exchanges[0].content


def test_counting_tokens_on_vertex() -> None:
    """The body names the model there, and no step is played."""
    fake = FakeClaude([say("a")])
    counted = post(fake, f"{VERTEX}count-tokens:rawPredict", {"model": "claude-opus-5-5", "messages": BODY["messages"]})
    assert counted.status_code == 200
    assert counted.json()["input_tokens"] > 0
    assert fake.session.exchanges[0].endpoint == "/v1/messages/count_tokens"
    assert fake.session.turns == ()


def test_betas_of_the_body() -> None:
    """Clouds take betas in the body; they count as asked for."""
    thread = {**ON_VERTEX, "context_management": {"edits": []}}
    assert post(FakeClaude([say("a")]), MODELS[0], thread).status_code == 400
    asked = {**thread, "anthropic_beta": ["context-management-2025-06-27"]}
    with FakeClaude([say("a")]) as fake:
        assert post(fake, MODELS[0], asked).status_code == 200


@pytest.mark.parametrize("url", [MODELS[1], MODELS[5]], ids=["vertex", "bedrock"])
def test_a_cloud_is_as_strict(url: str) -> None:
    """A call left without its result is refused as ever, with the API's words, and kept."""
    fake = FakeClaude([call("get_tide", port="Brest"), say("never")])
    first = post(fake, url, ON_VERTEX).json()
    history = [*BODY["messages"], {"role": "assistant", "content": first["content"]}, *BODY["messages"]]
    answer = post(fake, url, {**ON_VERTEX, "messages": history})
    assert answer.status_code == 400
    assert answer.json()["error"]["message"].startswith("messages.1: `tool_use` ids were found without `tool_result`")
    with pytest.raises(RuleViolations, match="tool-use-unanswered"):
        fake.assert_ok()


@pytest.mark.parametrize("url", [MODELS[1], MODELS[5]], ids=["vertex", "bedrock"])
def test_a_conversation_over_a_cloud(url: str) -> None:
    """Its turns are followed like any others, and a fault in between is another attempt."""
    with FakeClaude([call("get_tide", port="Brest"), fail(529), say("done")]) as fake:
        first = post(fake, url, ON_VERTEX).json()
        result = {"type": "tool_result", "tool_use_id": first["content"][0]["id"], "content": "4.1 m"}
        history = [
            *BODY["messages"],
            {"role": "assistant", "content": first["content"]},
            {"role": "user", "content": [result]},
        ]
        assert post(fake, url, {**ON_VERTEX, "messages": history}).status_code == 529
        assert post(fake, url, {**ON_VERTEX, "messages": history}).json()["content"][0]["text"] == "done"
    assert [len(turn.attempts) for turn in fake.session.turns] == [1, 2]
    assert fake.violations == ()


def test_what_is_not_played() -> None:
    """Bedrock's binary streams and bodies that are no JSON are told as such, to the loop and to the test."""
    fake = FakeClaude([say("a")])
    answer = post(fake, f"{BEDROCK}anthropic.claude-opus-5-5/invoke-with-response-stream", ON_BEDROCK)
    assert answer.status_code == 400
    assert answer.headers["x-should-retry"] == "false"
    assert "not its binary event streams: ask without streaming" in answer.json()["error"]["message"]
    assert post(fake, MODELS[4], b"{").status_code == 400
    failure = fake.failure()
    assert failure is not None
    assert "request 1: the fake plays Bedrock's JSON answers" in str(failure)
    assert "request 2 cannot be read" in str(failure)
    assert fake.session.turns[0].exchange.number == 1


def test_other_vendors_are_not_found() -> None:
    """A 404, and the test hears of it."""
    fake = FakeClaude([])
    assert post(fake, f"{BEDROCK}anthropic.claude-opus-5-5/converse", ON_BEDROCK).status_code == 404
    assert post(fake, VERTEX.replace("anthropic", "google") + "gemini:generateContent", {}).status_code == 404
    with pytest.raises(
        SeveralFailures, match=r"request 2 is POST .*gemini:generateContent, and the fake plays"
    ) as both:
        fake.assert_ok()
    assert [type(failure) for failure in both.value.failures] == [ScriptError, ScriptError]


# The SDK's own clients


def http(fake: FakeClaude) -> Any:
    return anthropic.DefaultHttpxClient(transport=fake.transport)


CLIENTS: dict[str, tuple[str, dict[str, Any], str]] = {
    "Vertex": (
        "AnthropicVertex",
        {"region": "global", "project_id": "acme", "access_token": "token"},
        "claude-opus-4-5@20251101",
    ),
    "Bedrock": (
        "AnthropicBedrock",
        {"aws_region": "us-east-1", "api_key": "token"},
        "us.anthropic.claude-opus-4-5-20251101-v1:0",
    ),
    "Bedrock Mantle": (
        "AnthropicBedrockMantle",
        {"aws_region": "us-east-1", "api_key": "token"},
        "anthropic.claude-opus-5-5",
    ),
    "AWS": (
        "AnthropicAWS",
        {"aws_region": "us-east-1", "api_key": "token", "workspace_id": "wrkspc_1"},
        "claude-opus-5-5",
    ),
    "Foundry": ("AnthropicFoundry", {"resource": "acme", "api_key": "token"}, "claude-opus-5-5"),
    "Google Cloud": (
        "AnthropicGoogleCloud",
        {"project": "acme", "location": "global", "workspace_id": "wrkspc_1", "token_provider": lambda: "token"},
        "claude-opus-5-5",
    ),
}
clouds = pytest.mark.parametrize("cloud", CLIENTS)


def client_of(cloud: str, fake: FakeClaude, *, later: bool = False, **more: Any) -> Any:
    """The SDK's client for a cloud, with credentials that are none."""
    name, options, _ = CLIENTS[cloud]
    build: Callable[..., Any] | None = getattr(anthropic, f"Async{name}" if later else name, None)
    if build is None:
        pytest.skip(f"this anthropic has no client for {cloud}")
    door = anthropic.DefaultAsyncHttpxClient if later else anthropic.DefaultHttpxClient
    try:
        return build(**options, **more, http_client=door(transport=fake.transport))
    except ImportError as error:
        pytest.skip(f"the client for {cloud} cannot be built here: {error}")


def asked(cloud: str, messages: list[Any]) -> dict[str, Any]:
    return {**ASK, "model": CLIENTS[cloud][2], "messages": messages}


def answered(message: Any) -> list[Any]:
    results = [
        {"type": "tool_result", "tool_use_id": block.id, "content": "4.1 m"}
        for block in message.content
        if block.type == "tool_use"
    ]
    return [{"role": "assistant", "content": message.content}, {"role": "user", "content": results}]


@clouds
def test_a_tool_loop(cloud: str) -> None:
    """Two turns with a tool and a failure between, through the SDK's client for the cloud: no rule says a word."""
    with FakeClaude([REPLY, fail(529), say("done")], models=Models(complete=True)) as fake:
        client = client_of(cloud, fake)
        first = client.messages.create(**asked(cloud, ASK["messages"]))
        last = client.messages.create(**asked(cloud, [*ASK["messages"], *answered(first)]))
    assert last.content[0].text == "done"
    assert fake.violations == ()
    assert [exchange.retry_of for exchange in fake.session.exchanges] == [None, None, 2]
    assert {(exchange.request or {})["model"] for exchange in fake.session.exchanges} == {CLIENTS[cloud][2]}


@clouds
def test_an_async_tool_loop(cloud: str) -> None:
    """The same, async."""

    async def main(client: Any) -> Any:
        first = await client.messages.create(**asked(cloud, ASK["messages"]))
        return await client.messages.create(**asked(cloud, [*ASK["messages"], *answered(first)]))

    with FakeClaude([REPLY, fail(529), say("done")]) as fake:
        assert asyncio.run(main(client_of(cloud, fake, later=True))).content[0].text == "done"
    assert fake.violations == ()


@clouds
def test_streams(cloud: str) -> None:
    """They come as on the API, whole or broken; Bedrock's binary ones are refused in words."""
    fake = FakeClaude([deliver(REPLY, chunks=9), cut(REPLY, how="error")], conversations="any")
    client = client_of(cloud, fake)
    if cloud == "Bedrock":
        with pytest.raises(anthropic.BadRequestError, match="not its binary event streams"):
            client.messages.create(**asked(cloud, ASK["messages"]), stream=True)
        return
    with client.messages.stream(**asked(cloud, ASK["messages"])) as stream:
        assert stream.get_final_message().content[1].input == {"port": "Brest", "days": 25}
    events = client.messages.create(**asked(cloud, ASK["messages"]), stream=True)
    with pytest.raises(anthropic.APIStatusError, match="Overloaded"):
        for _ in events:
            pass
    fake.assert_ok()


@clouds
def test_a_refusal(cloud: str) -> None:
    """A broken conversation is refused once, with the SDK's typed error."""
    fake = FakeClaude([REPLY])
    client = client_of(cloud, fake, max_retries=5)
    with pytest.raises(anthropic.BadRequestError, match="at least one message is required"):
        client.messages.create(**asked(cloud, []))
    assert [violation.rule for violation in fake.violations] == ["req-messages-nonempty"]
    assert len(fake.session.exchanges) == 1


def test_counting_through_vertex() -> None:
    """The client's own way of counting."""
    fake = FakeClaude([])
    messages = ASK["messages"]
    assert client_of("Vertex", fake).messages.count_tokens(model="claude-opus-5-5", messages=messages).input_tokens > 0
    assert fake.failure() is None


def test_sampling_parameters_of_older_models() -> None:
    """Of a version named in a cloud's body nothing is concluded: temperature is taken where the model takes it."""
    with FakeClaude([say("a")]) as fake:
        client_of("Vertex", fake).messages.create(**asked("Vertex", ASK["messages"]), extra_body={"temperature": 0.5})
    assert fake.violations == ()


def test_bedrock_with_keys() -> None:
    """Requests signed with AWS keys are no different; signing needs botocore."""
    pytest.importorskip("botocore", reason="botocore signs Bedrock's requests, and is not installed")
    fake = FakeClaude([REPLY])
    client = anthropic.AnthropicBedrock(
        aws_region="us-east-1", aws_access_key="key", aws_secret_key="secret", http_client=http(fake)
    )
    client.messages.create(**asked("Bedrock", ASK["messages"]))
    fake.assert_ok()

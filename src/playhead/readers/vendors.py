"""Whose call is it? Which recorded HTTP calls are Claude's, and where on the Claude API they went.

Law: decides from a call's URL, headers and bodies; gives the endpoint, or the reason to pass the call over.

Recorders redact hosts, and gateways have hosts of their own, so the host is only one piece of evidence. A call to
another protocol is not Claude's even where the model is a Claude (OpenAI's chat completions, Bedrock's Converse).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from playhead.readers.call import Call
from playhead.wire.cloud import cloud_of
from playhead.wire.codec import JsonObject
from playhead.wire.tables import MESSAGES_PATH


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where on the Claude API a call went.

    On a cloud, `model` and `streams` are what its URL says in place of the body.
    """

    path: str
    model: str | None = None
    streams: bool = False
    cloud: bool = False

    @property
    def messages(self) -> bool:
        """Whether this is a call for a message."""
        return self.path.partition("?")[0].rstrip("/").endswith(MESSAGES_PATH)


_URL = re.compile(r"(?:[a-zA-Z][a-zA-Z0-9+.-]*:)?//(?:[^/?#@]*@)?(\[[^\]]*\]|[^/:?#\[]+)(?::\d*)?([/?][^#]*)?")
_FOREIGN = re.compile(
    r"/(?:chat/completions|completions|responses|embeddings|converse|converse-stream|api/generate|api/chat)\Z"
    r"|:(?:generateContent|streamGenerateContent|countTokens|embedContent|predict)\Z"
)
_MESSAGES = re.compile(r"/v1/messages(?:/count_tokens|/batches(?:/.*)?)?\Z")


def split_url(url: str) -> tuple[str, str]:
    """Host and path with query of a URL; the host is empty where the URL is a path, both where it is redacted."""
    match = _URL.match(url)
    if match:
        return match.group(1).lower(), match.group(2) or "/"
    return "", url if url.startswith("/") else ""


def endpoint(call: Call, request: object, answer: object) -> Endpoint | str:
    """The endpoint of a Claude call, or the reason why the call is none: `"calls to api.openai.com"`.

    `request` and `answer` are the decoded bodies; of a streamed answer, its first event.
    """
    host, path = split_url(call.url)
    plain = path.partition("?")[0].rstrip("/")
    if (cloud := _cloud(plain, request)) is not None:
        return cloud
    if not _FOREIGN.search(plain) and _is_claude(call, host, plain, request, answer):
        return Endpoint(path=path or MESSAGES_PATH)
    return f"calls to {host}" if host else "calls to an unknown host"


def _cloud(path: str, request: object) -> Endpoint | None:
    """The endpoint of Bedrock's and Vertex's URLs, which carry the model and whether the answer is streamed."""
    cloud = cloud_of(path)
    if cloud is None:
        return None
    if (
        cloud.vendor == "bedrock"
        and not _is_claude_model(cloud.model or "")
        and "anthropic_version" not in _object(request)
    ):
        return None
    return Endpoint(path=cloud.endpoint, model=cloud.model, streams=cloud.stream, cloud=True)


def _is_claude(call: Call, host: str, path: str, request: object, answer: object) -> bool:
    if "anthropic.com" in host:
        return path.startswith("/v1/")
    if _says_anthropic(call.request_headers or {}) or _says_anthropic(call.response_headers):
        return True
    if _MESSAGES.search(path):
        return _asks_claude(request) or _is_claude_answer(answer)
    if "bedrock" in host and "anthropic" in path:
        return True
    redacted = not path.strip("/")
    return redacted and (_is_claude_answer(answer) or (_asks_claude(request) and _is_claude_model(_model(request))))


def _says_anthropic(headers: Mapping[str, str]) -> bool:
    return any(name.startswith("anthropic-") for name in headers)


def _asks_claude(request: object) -> bool:
    body = _object(request)
    return isinstance(body.get("messages"), list) and "model" in body


def _is_claude_answer(answer: object) -> bool:
    body = _object(answer)
    kind = body.get("type")
    if kind == "message":
        return body.get("role") == "assistant"
    return kind == "message_start" or (kind == "error" and isinstance(body.get("error"), dict))


def _model(request: object) -> str:
    model = _object(request).get("model")
    return model if isinstance(model, str) else ""


def _is_claude_model(model: str) -> bool:
    return "claude" in model or "anthropic" in model


def _object(value: object) -> JsonObject:
    return value if isinstance(value, dict) else {}

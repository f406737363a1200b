"""The Messages API's words as tables: blocks, stop reasons, stream events, errors, endpoints.

Law: data only. Whatever these tables do not list passes through unchanged elsewhere; they say what is known, never
what is allowed.

Sources: the API reference of `POST /v1/messages` (platform.claude.com/docs/en/api/messages/create) and the types of
the Python SDK 2.14.0 (`types/*_block.py`, `types/beta/*_block.py`, `types/raw_*_event.py`, `_exceptions.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockType:
    """What is known of one type of content block.

    `required` are the members without which the block means nothing. `streamed` maps each member that a stream
    delivers in pieces to the type of the deltas, in their order; everything else arrives in `content_block_start`.
    """

    name: str
    replies: bool = False
    requests: bool = False
    beta: bool = False
    required: tuple[str, ...] = ()
    streamed: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    called: Literal["client", "server"] | None = None
    answers: bool = False


_INPUT = MappingProxyType({"input": "input_json_delta"})
_CALL = ("id", "name", "input")
_ANSWER = ("tool_use_id", "content")


def _server_result(name: str, *, beta: bool = False) -> BlockType:
    return BlockType(name=name, replies=True, requests=True, beta=beta, required=_ANSWER, answers=True)


_BLOCKS = (
    BlockType(
        name="text",
        replies=True,
        requests=True,
        required=("text",),
        # what a text cites comes before it
        streamed=MappingProxyType({"citations": "citations_delta", "text": "text_delta"}),
    ),
    BlockType(
        name="thinking",
        replies=True,
        requests=True,
        required=("thinking", "signature"),
        streamed=MappingProxyType({"thinking": "thinking_delta", "signature": "signature_delta"}),
    ),
    BlockType(name="redacted_thinking", replies=True, requests=True, required=("data",)),
    BlockType(name="tool_use", replies=True, requests=True, required=_CALL, streamed=_INPUT, called="client"),
    BlockType(name="server_tool_use", replies=True, requests=True, required=_CALL, streamed=_INPUT, called="server"),
    _server_result("web_search_tool_result"),
    _server_result("web_fetch_tool_result"),
    _server_result("code_execution_tool_result"),
    _server_result("bash_code_execution_tool_result"),
    _server_result("text_editor_code_execution_tool_result"),
    _server_result("tool_search_tool_result"),
    BlockType(name="container_upload", replies=True, requests=True, required=("file_id",)),
    _server_result("advisor_tool_result", beta=True),
    BlockType(
        name="mcp_tool_use",
        replies=True,
        requests=True,
        beta=True,
        required=(*_CALL, "server_name"),
        streamed=_INPUT,
        called="server",
    ),
    BlockType(name="mcp_tool_result", replies=True, requests=True, beta=True, required=_ANSWER, answers=True),
    BlockType(name="mcp_tool_listing", replies=True, requests=True, beta=True, required=("mcp_server_name", "tools")),
    BlockType(
        name="compaction",
        replies=True,
        requests=True,
        beta=True,
        required=("content",),
        streamed=MappingProxyType({"content": "compaction_delta", "encrypted_content": "compaction_delta"}),
    ),
    BlockType(name="fallback", replies=True, requests=True, beta=True, required=("from", "to", "trigger")),
    BlockType(name="image", requests=True, required=("source",)),
    BlockType(name="document", requests=True, required=("source",)),
    BlockType(name="search_result", requests=True, required=("source", "title", "content")),
    BlockType(name="tool_result", requests=True, required=("tool_use_id",), answers=True),
    BlockType(name="tool_addition", requests=True, beta=True),
    BlockType(name="tool_removal", requests=True, beta=True),
)

BLOCKS: Mapping[str, BlockType] = MappingProxyType({block.name: block for block in _BLOCKS})
"""Every known block type by its name."""

SERVER_CALLS = frozenset(block.name for block in _BLOCKS if block.called == "server")
"""The block types of calls that Anthropic runs; the client must neither run nor answer them."""


SERVER_RESULTS = tuple(block.name for block in _BLOCKS if block.answers and block.replies)
"""The block types of what Anthropic's own tools answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StopReason:
    """What a correct loop does next: run the tools, send the reply back to go on, or stop.

    `whole` is False where the reply may have been cut, so that its last tool call must not be run.
    """

    name: str
    then: Literal["run tools", "resume", "stop"]
    whole: bool = True
    beta: bool = False


_STOP_REASONS = (
    StopReason(name="end_turn", then="stop"),
    StopReason(name="max_tokens", then="stop", whole=False),
    StopReason(name="stop_sequence", then="stop"),
    StopReason(name="tool_use", then="run tools"),
    StopReason(name="pause_turn", then="resume"),
    StopReason(name="refusal", then="stop", whole=False),
    StopReason(name="model_context_window_exceeded", then="stop", whole=False),
    StopReason(name="compaction", then="resume", beta=True),
)

STOP_REASONS: Mapping[str, StopReason] = MappingProxyType({reason.name: reason for reason in _STOP_REASONS})
"""Every known stop reason. The actions are the SDK tool runner's (anthropic 2.14.0, `lib/tools/_beta_runner.py`)."""

REFUSAL_CATEGORIES = ("cyber", "bio", "frontier_llm", "reasoning_extraction", "general_harms")
"""What `stop_details.category` of a refusal may be; null where none fits."""

EVENTS = (
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
    "ping",
    "error",
)
"""The event names of a stream, each the same as its data's `type`."""

DELTAS: Mapping[str, str] = MappingProxyType(
    {
        "text_delta": "text",
        "input_json_delta": "partial_json",
        "citations_delta": "citation",
        "thinking_delta": "thinking",
        "signature_delta": "signature",
        "compaction_delta": "content",
    }
)
"""Each type of delta and the member that carries its piece."""

USAGE_COUNTS = ("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
"""The counters of `usage` that are plain numbers; in a `message_delta` they are cumulative."""

USAGE_AT_START = ("cache_creation", "inference_geo", "service_tier", "speed")
USAGE_AT_END = ("iterations", "output_tokens_details", "server_tool_use", "fallback_credit")
"""The members of `usage` that a stream tells in `message_start` only, and in `message_delta` only."""

ERROR_STATUS: Mapping[str, int] = MappingProxyType(
    {
        "invalid_request_error": 400,
        "authentication_error": 401,
        "billing_error": 402,
        "permission_error": 403,
        "not_found_error": 404,
        "conflict_error": 409,
        "request_too_large": 413,
        "rate_limit_error": 429,
        "api_error": 500,
        "timeout_error": 504,
        "overloaded_error": 529,
    }
)
"""The HTTP status of each `error.type` (platform.claude.com/docs/en/api/errors)."""

MESSAGES_PATH = "/v1/messages"
COUNT_TOKENS_PATH = "/v1/messages/count_tokens"

"""How many tokens a request or a reply is taken for.

Law: pure, deterministic, and additive: what is added to a conversation adds to its count, so that only new messages
are looked at. An estimate: the real tokenizer is not public. `docs/tokens.md` says how near it comes.

The rates were fitted to the `usage` of public recordings of 2024 to 2026, by generation of model; the tool counts agree
with the API's page on tool use pricing (platform.claude.com/docs/en/agents-and-tools/tool-use/overview). Images: width
times height by 750 (platform.claude.com/docs/en/build-with-claude/vision).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from playhead.rules.media_bytes import Encoded, image_size
from playhead.rules.models import short_name
from playhead.wire.codec import JsonObject, encode
from playhead.wire.tables import BLOCKS

_IMAGE, _PIXELS_PER_TOKEN = 1600, 750
_BYTES_PER_PDF_TOKEN = 25
"""A page of a PDF is some 2,000 tokens as text and as picture, and some 50 KB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """What a generation of models makes of text: bytes a token of prose and of JSON, and what else costs tokens.

    `tools` is what the first tool adds to the prompt, `forced` what a tool choice that forces a call adds to that,
    `tool` what each tool adds besides its definition; `schema` what structured output adds.
    """

    prose: float
    json: float
    tools: int
    forced: int
    tool: int
    schema: int
    message: int = 4
    call: int = 30
    result: int = 20
    thinking: int = 0


_EARLY = Rates(prose=4.2, json=3.7, tools=302, forced=14, tool=14, schema=85, thinking=28)
_MIDDLE = Rates(prose=4.4, json=3.8, tools=500, forced=98, tool=9, schema=85, thinking=28)
_LATE = Rates(prose=3.0, json=3.0, tools=280, forced=170, tool=38, schema=85)
_FIRST_LATE = Rates(prose=3.0, json=3.0, tools=640, forced=130, tool=25, schema=150)

_BY_GENERATION: Mapping[str, Rates] = MappingProxyType(
    {
        "claude-3": _EARLY,
        "claude-opus-4": _EARLY,
        "claude-opus-4-1": _EARLY,
        "claude-sonnet-4": _EARLY,
        "claude-haiku-4-5": _MIDDLE,
        "claude-sonnet-4-5": _MIDDLE,
        "claude-opus-4-5": _MIDDLE,
        "claude-opus-4-6": _MIDDLE,
        "claude-sonnet-4-6": _MIDDLE,
        "claude-opus-4-7": _FIRST_LATE,
    }
)


@lru_cache(maxsize=256)
def rates_of(model: str) -> Rates:
    """The rates of a model; those of the newest generation where it is not known."""
    name = short_name(model)
    return _BY_GENERATION.get("claude-3" if name.startswith("claude-3-") else name, _LATE)


def message_tokens(message: object, rates: Rates) -> int:
    """What one message adds to a prompt."""
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return rates.message + _prose(content, rates)
    count = rates.message
    for block in content if isinstance(content, list) else ():
        count += block_tokens(block, rates)
    return count


def reply_tokens(content: Iterable[object], rates: Rates) -> int:
    """What a reply with this content comes to; one without content is counted too, as the API counts it.

    What Anthropic's tools put into it was not written by the model and does not count.
    """
    count = rates.message
    for block in content:
        if isinstance(block, dict) and block.get("type") not in _PUT_IN:
            count += block_tokens(block, rates)
    return count


_PUT_IN = frozenset({name for name, block in BLOCKS.items() if block.answers}).union(
    ("mcp_tool_listing", "container_upload", "fallback")
)
"""Types of block that the model did not write."""


def blocks_tokens(blocks: Iterable[object], rates: Rates) -> int:
    """What these content blocks come to."""
    count = 0
    for block in blocks:
        count += block_tokens(block, rates)
    return count


def block_tokens(block: object, rates: Rates) -> int:
    """What one content block comes to; a block of another kind counts as its JSON does."""
    if not isinstance(block, dict):
        return 0
    kind = str(block.get("type"))
    if kind in _PROSE:
        return _prose(block.get(_PROSE[kind]), rates)
    count = _COUNTS.get(kind)
    return _json(block, rates) if count is None else count(block, rates)


def envelope_tokens(body: JsonObject, rates: Rates) -> int:
    """What stands before the messages: system prompt, tools, and what they and structured output bring with them."""
    system, tools = body.get("system"), body.get("tools")
    count = _prose(system, rates) if isinstance(system, str) else 0
    if isinstance(system, list):
        count = blocks_tokens(system, rates)
    if isinstance(tools, list) and tools:
        choice = body.get("tool_choice")
        forced = isinstance(choice, dict) and choice.get("type") in ("any", "tool")
        count += rates.tools + forced * rates.forced + sum(rates.tool + _json(tool, rates) for tool in tools)
    thinking = body.get("thinking")
    if isinstance(thinking, dict) and thinking.get("type") in ("enabled", "adaptive"):
        count += rates.thinking
    schema = schema_of(body)
    return count + (rates.schema + _json(schema, rates) if schema else 0) + rates.message


def schema_of(body: JsonObject) -> object:
    """What a request says of the form of the output, if anything."""
    config = body.get("output_config")
    return (config.get("format") if isinstance(config, dict) else None) or body.get("output_format")


def _prose(text: object, rates: Rates) -> int:
    if not isinstance(text, str):
        return 0
    size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    return math.ceil(size / rates.prose)


def _json(value: object, rates: Rates) -> int:
    return math.ceil(len(encode(value)) / rates.json)


def _sealed(block: JsonObject, rates: Rates) -> int:
    return _prose(block.get("data"), rates) // 2


def _call(block: JsonObject, rates: Rates) -> int:
    return rates.call + _prose(block.get("name"), rates) + _json(block.get("input"), rates)


def _result(block: JsonObject, rates: Rates) -> int:
    content = block.get("content")
    if isinstance(content, str):
        return rates.result + _prose(content, rates)
    return rates.result + blocks_tokens(content if isinstance(content, list) else (), rates)


def _image(block: JsonObject, rates: Rates) -> int:
    source = block.get("source")
    data = source.get("data") if isinstance(source, dict) else None
    size = image_size(Encoded.of(data)) if isinstance(data, str) else None
    return min(_IMAGE, math.ceil(size[0] * size[1] / _PIXELS_PER_TOKEN)) if size else _IMAGE


def _document(block: JsonObject, rates: Rates) -> int:
    source = block.get("source")
    if not isinstance(source, dict):
        return 0
    data, content = source.get("data"), source.get("content")
    if source.get("type") == "text":
        return _prose(data, rates)
    if isinstance(data, str):
        return math.ceil(len(data) / _BYTES_PER_PDF_TOKEN)
    if isinstance(content, list):
        return blocks_tokens(content, rates)
    return _prose(content, rates) or _IMAGE


_PROSE: Mapping[str, str] = {"text": "text", "thinking": "thinking", "compaction": "content"}
"""Types of block that come to what one of their members does, and which."""

_COUNTS: Mapping[str, Callable[[JsonObject, Rates], int]] = {
    "redacted_thinking": _sealed,
    "tool_use": _call,
    "server_tool_use": _call,
    "mcp_tool_use": _call,
    "tool_result": _result,
    "mcp_tool_result": _result,
    "image": _image,
    "document": _document,
}

"""How near the token estimate comes to what the API counted in real recordings.

Run `PLAYHEAD_SHARED=FOLDER PYTHONPATH=src python bench/token_estimate.py`; it reads `$PLAYHEAD_SHARED/corpus`, a set of
real recordings. A request counts once, if its usage was recorded and it holds no images or documents and no words that
a recorder put in the place of secrets; requests for which Anthropic's own tools ran, or history was compacted, are left
out, since their usage counts what is not in the request. For comparison: a token for every four bytes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from playhead.engine.tokens import envelope_tokens, message_tokens, rates_of, reply_tokens
from playhead.errors import RecordingError
from playhead.readers.table import load
from playhead.wire.codec import JsonObject, encode
from playhead.wire.exchange import Exchange
from playhead.wire.tables import SERVER_CALLS
from playhead.wire.turns import blocks_of

FACTORS = (1.1, 1.25, 1.5, 2.0)
NO_RECORDINGS = {".md", ".tsv"}
_INPUT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
_LEAST = 5


@dataclass(frozen=True, slots=True)
class Sample:
    """A request and its reply, and what the API counted."""

    request: JsonObject
    content: list[object]
    counted: int
    written: int


def samples(folder: Path) -> Iterator[Sample]:
    """Every request of the recordings below a folder that can be compared."""
    seen: set[bytes] = set()
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.suffix in NO_RECORDINGS:
            continue
        try:
            exchanges = load(path).exchanges
        except RecordingError:
            continue
        for exchange in exchanges:
            sample = sample_of(exchange)
            key = encode([sample.request, sample.counted]) if sample else b""
            if sample and key not in seen:
                seen.add(key)
                yield sample


def sample_of(exchange: Exchange) -> Sample | None:
    """The sample that an exchange gives, if it can be compared."""
    request, usage = exchange.request, (exchange.response or {}).get("usage")
    if not exchange.is_message or request is None or exchange.known is not None or not isinstance(usage, dict):
        return None
    counted = sum(usage.get(name) or 0 for name in _INPUT)
    if counted < _LEAST or b"REDACTED" in encode(request) or served(exchange):
        return None
    return Sample(request, exchange.content, counted, usage.get("output_tokens") or 0)


def served(exchange: Exchange) -> bool:
    """Whether the usage counts more than the request, or the request holds what is not text."""
    request, usage = exchange.request or {}, (exchange.response or {})["usage"]
    if any(part.get("type") != "message" for part in usage.get("iterations") or []) or request.get("mcp_servers"):
        return True
    if any(isinstance(tool, dict) and tool.get("type") not in (None, "custom") for tool in request.get("tools") or []):
        return True
    blocks = [*(block for message in exchange.messages for block in blocks_of(message))]
    made = [block.get("type") for block in exchange.content if isinstance(block, dict)]
    return bool(SERVER_CALLS & {*made, *(str(block.type) for block in blocks)}) or any(map(holds_media, blocks))


def holds_media(block: object) -> bool:
    text = encode(getattr(block, "data", {}))
    return b'"type":"image"' in text or b'"type":"document"' in text or b'"type":"compaction"' in text


def estimate(sample: Sample) -> int:
    """Our estimate of a request."""
    rates = rates_of(str(sample.request.get("model")))
    messages = sample.request.get("messages") or []
    return envelope_tokens(sample.request, rates) + sum(message_tokens(message, rates) for message in messages)


def quarter(sample: Sample) -> int:
    """The estimate that is usually made: four bytes are a token."""
    return sum(len(encode(sample.request.get(name))) for name in ("system", "tools", "messages")) // 4


def written(sample: Sample) -> int:
    """Our estimate of a reply."""
    return reply_tokens(sample.content, rates_of(str(sample.request.get("model"))))


def line(name: str, group: list[Sample], guess: Callable[[Sample], int], truth: Callable[[Sample], int]) -> str:
    """The shares of a group that lie within each factor, and the median."""
    ratios = sorted(max(guess(sample), 1) / truth(sample) for sample in group)
    within = [sum(1 / factor <= ratio <= factor for ratio in ratios) / len(ratios) for factor in FACTORS]
    shares = "  ".join(f"{share:6.0%}" for share in within)
    return f"{name:<38}{len(group):>6}   {shares}   {ratios[len(ratios) // 2]:.2f}"


def main() -> int:
    shared = os.environ.get("PLAYHEAD_SHARED")
    if not shared:
        print("set PLAYHEAD_SHARED to a folder that holds a `corpus` of recordings", file=sys.stderr)
        return 2
    known = [*samples(Path(shared) / "corpus")]
    plain = [sample for sample in known if not sample.request.get("tools")]
    tools = [sample for sample in known if sample.request.get("tools")]
    replies = [sample for sample in known if sample.written > _LEAST and all(map(is_plain, sample.content))]
    factors = "  ".join(f"<={factor:>4}" for factor in FACTORS)
    print(f"{'share of requests within a factor':<38}{'':>6}   {factors}   median")
    for name, group in (("all", known), ("without tools", plain), ("with tools", tools)):
        print(line(name, group, estimate, lambda sample: sample.counted))
        print(line("    four bytes a token", group, quarter, lambda sample: sample.counted))
    print(line("replies (text and calls)", replies, written, lambda sample: sample.written))
    return 0


def is_plain(block: object) -> bool:
    return isinstance(block, dict) and block.get("type") in ("text", "tool_use")


if __name__ == "__main__":
    sys.exit(main())

"""Long recordings take little memory."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from playhead.readers import streams
from scripts import loaded

BENCH = Path(__file__).resolve().parents[2] / "bench" / "memory_readers.py"
MEGABYTE = 1_000_000


@pytest.fixture(scope="module")
def measuring() -> ModuleType:
    if not BENCH.is_file():
        pytest.skip("bench/ is not part of this checkout")
    return loaded(BENCH)


@pytest.mark.parametrize("kind", ["raw-sse", "event-json-lines", "claude-code-stream-json"])
def test_streams(kind: str, measuring: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """A long stream takes less than its own size, in which its messages are: its events would take five times that."""
    monkeypatch.setattr(streams, "MAX_KEPT", MEGABYTE // 2)
    monkeypatch.setattr(measuring, "DELTA", 60)  # fewer events, which is quicker
    peak, session = measuring.peak_memory(kind, 5 * MEGABYTE, zipped=kind == "raw-sse")
    assert peak < 5 * MEGABYTE
    assert session.format == kind
    assert {(exchange.complete, exchange.events) for exchange in session.exchanges} == {(True, None)}
    assert all(len(exchange.content[0]["text"]) > 1000 for exchange in session.exchanges)


@pytest.mark.parametrize("kind", ["claude-code-jsonl", "pi-session-jsonl"])
def test_logs(kind: str, measuring: ModuleType) -> None:
    """Of a log only its messages are kept, not what else is in it."""
    peak, session = measuring.peak_memory(kind, 24 * MEGABYTE)
    assert peak < 4 * MEGABYTE
    assert session.format == kind
    assert len(session.exchanges) > 100

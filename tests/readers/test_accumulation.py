"""Our accumulation against the SDK's, over recorded streams."""

from __future__ import annotations

import csv
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import anthropic
import httpx2
import pytest

from playhead.errors import RecordingError
from playhead.readers.table import load
from playhead.wire.exchange import Exchange
from playhead.wire.stream import accumulate, stream_bytes

BODY = {"model": "claude-sonnet-5", "max_tokens": 9, "messages": [{"role": "user", "content": "Tides?"}]}


class Recorded(httpx2.BaseTransport):
    """Answers with the bytes of one stream."""

    def __init__(self) -> None:
        self.stream = b""

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=self.stream)


@pytest.fixture(scope="module")
def transport() -> Recorded:
    return Recorded()


@pytest.fixture(scope="module")
def client(transport: Recorded) -> Iterator[anthropic.Anthropic]:
    with anthropic.Anthropic(
        api_key="test", max_retries=0, http_client=anthropic.DefaultHttpxClient(transport=transport)
    ) as client:
        yield client


def plain(value: object) -> object:
    """A value without nulls, and without what only the SDK adds (`parsed_output`)."""
    if isinstance(value, dict):
        return {
            key: plain(member) for key, member in value.items() if member is not None and not key.startswith("parsed_")
        }
    return [plain(item) for item in value] if isinstance(value, list) else value


def files() -> Iterator[tuple[str, Path, str]]:
    """Every file of the corpus with its name and format."""
    root = os.environ.get("PLAYHEAD_SHARED")
    if not root:
        pytest.skip("PLAYHEAD_SHARED names no corpus")
    corpus = Path(root) / "corpus"
    with (corpus / "manifest.tsv").open() as manifest:
        for row in csv.DictReader(manifest, delimiter="\t"):
            yield row["id"], corpus / row["repo"].replace("/", "+") / row["path"], row["format"]


def streams() -> Iterator[tuple[str, Exchange]]:
    """Every stream of the corpus, whatever its format."""
    for name, path, _ in files():
        try:
            session = load(path)
        except RecordingError:
            continue  # what must load is another test's
        for exchange in session.exchanges:
            if exchange.events:
                yield f"{name} exchange {exchange.number}", exchange


def raw_streams() -> Iterator[tuple[str, Exchange, bytes]]:
    """Each file of the corpus that is one raw stream, with its bytes."""
    for name, path, form in files():
        if form == "raw-sse":
            session = load(path)
            if len(session.exchanges) == 1:
                yield name, session.exchanges[0], path.read_bytes()


def is_beta(message: object) -> bool:
    """Whether the message has what only the SDK's beta client accumulates."""
    if not isinstance(message, dict):
        return False
    usage = message.get("usage") or {}
    blocks = {block.get("type") for block in message.get("content") or []}
    return bool(
        message.get("context_management")
        or {"iterations", "fallback_credit"} & usage.keys()
        or blocks & {"compaction", "fallback", "mcp_tool_use"}
    )


SDK_CANNOT = (AssertionError, IndexError, KeyError, ValueError, AttributeError, TypeError, anthropic.AnthropicError)


@pytest.mark.parametrize("beta", [True, False], ids=["beta", "plain"])
def test_the_sdk_makes_the_same_message(client: anthropic.Anthropic, transport: Recorded, beta: bool):
    """Each recorded stream that ends well and that the SDK reads makes the same message here, nulls aside."""
    messages = client.beta.messages if beta else client.messages
    counts: Counter[str] = Counter()
    different: list[str] = []
    for name, exchange in streams():
        transport.stream = stream_bytes(exchange.events or ())
        made = accumulate(exchange.events or ())
        assert plain(exchange.response) == plain(made.message), name
        if not beta and is_beta(made.message):
            counts["only the beta client reads"] += 1
            continue
        try:
            with messages.stream(**BODY) as stream:
                theirs = stream.get_final_message().to_dict(mode="json", warnings=False)
        except SDK_CANNOT as error:
            counts["the SDK cannot read"] += 1
            if made.complete and not made.problems and not made.unparsed:
                different.append(f"{name}: only the SDK refuses it, {type(error).__name__}: {error}")
            continue
        if not made.complete:
            counts["damaged"] += 1  # the SDK shows a tool input that was cut as if it were whole
            continue
        counts["compared"] += 1
        if plain(theirs) != plain(made.message):
            different.append(name)
    print(dict(counts))  # noqa: T201 - `pytest -s` shows what was compared and what was skipped
    assert not different, f"{dict(counts)}: {different}"
    assert counts["compared"] > counts.total() * 0.8, dict(counts)


def test_the_bytes_as_recorded_make_the_same_message(client: anthropic.Anthropic, transport: Recorded):
    """The corpus's raw streams, unchanged, make the message that is read from them."""
    compared = 0
    for name, exchange, data in raw_streams():
        transport.stream = data
        with client.beta.messages.stream(**BODY) as stream:
            theirs = stream.get_final_message().to_dict(mode="json", warnings=False)
        if exchange.complete:
            compared += 1
            assert plain(theirs) == plain(exchange.response), name
    assert compared

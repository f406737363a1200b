"""The token estimate: additive, monotone, sensible for every kind of block, and near the real counts."""

from __future__ import annotations

import base64
import os
import runpy
import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.engine.tokens import (
    block_tokens,
    blocks_tokens,
    envelope_tokens,
    message_tokens,
    rates_of,
    reply_tokens,
)
from playhead.rules.models import MODELS
from playhead.wire.tables import BLOCKS

RATES = rates_of("claude-opus-5-5")
BENCH = Path(__file__).resolve().parent.parent.parent / "bench" / "token_estimate.py"


def text(content: str) -> dict[str, Any]:
    return {"type": "text", "text": content}


@pytest.mark.parametrize(
    ("model", "like"),
    [
        ("claude-3-5-haiku-20241022", "claude-3-opus"),
        ("claude-sonnet-4-20250514", "claude-3-opus"),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-haiku-4-5"),
        ("claude-sonnet-4-6", "claude-haiku-4-5"),
        ("claude-opus-4-8", "claude-opus-5-5"),
        ("something-new", "claude-opus-5-5"),
    ],
)
def test_rates_go_by_generation(model: str, like: str) -> None:
    """Dates and the names that clouds give make no difference; what is not known counts as new."""
    assert rates_of(model) is rates_of(like)


def test_generations_differ() -> None:
    """The same text costs more with the newer tokenizers, tools cost more with some."""
    models = ("claude-sonnet-4", "claude-sonnet-4-5", "claude-opus-4-7", "claude-opus-5-5")
    prose = [message_tokens({"content": "word " * 1000}, rates_of(model)) for model in models]
    assert prose[1] < prose[0] < prose[2] == prose[3]
    tools = [envelope_tokens({"tools": [{"name": "a"}]}, rates_of(model)) for model in models]
    assert len({*tools}) == len(models)


@given(st.text(), st.text())
def test_more_text_never_counts_less(left: str, right: str) -> None:
    """Monotone, and the parts of a text never count less than the whole."""
    parts = [block_tokens(text(part), RATES) for part in (left, right, left + right)]
    assert max(parts[:2]) <= parts[2] <= parts[0] + parts[1]


@given(st.lists(st.text(max_size=20).map(text), max_size=5), st.integers(0, 5))
def test_counts_add_up(blocks: list[dict[str, Any]], cut: int) -> None:
    """A message is its blocks and what any message costs, so that only what is new need be looked at."""
    assert blocks_tokens(blocks, RATES) == blocks_tokens(blocks[:cut], RATES) + blocks_tokens(blocks[cut:], RATES)
    message = {"role": "user", "content": blocks}
    assert message_tokens(message, RATES) == blocks_tokens(blocks, RATES) + message_tokens({"content": []}, RATES)


def test_a_string_counts_as_its_text_block() -> None:
    """The two ways to write the same content cost the same."""
    assert message_tokens({"content": "Hello there"}, RATES) == message_tokens(
        {"content": [text("Hello there")]}, RATES
    )


@pytest.mark.parametrize(
    "odd", [None, 5, "x", [], {}, {"content": None}, {"content": 5}, {"content": [None, 5]}], ids=repr
)
def test_what_is_no_message_costs_what_any_message_does(odd: object) -> None:
    """Nothing a request can hold makes the count fail."""
    assert message_tokens(odd, RATES) == RATES.message


@pytest.mark.parametrize("name", BLOCKS)
def test_every_block_type_counts(name: str) -> None:
    """A block of any type is counted, with members of the wrong kind too, and one that nobody knows as its JSON."""
    for value in (None, 5, "text", [], {}, [{"type": "text", "text": "a"}]):
        members = ("text", "thinking", "data", "content", "input", "source", "name")
        assert block_tokens({"type": name, **dict.fromkeys(members, value)}, RATES) >= 0
    assert block_tokens({"type": "hologram", "x": "y" * 300}, RATES) > 100


def png(width: int, height: int) -> str:
    head = b"\x89PNG\r\n\x1a\n" + b"\x00\x00\x00\rIHDR" + struct.pack(">II", width, height)
    return base64.b64encode(head + b"\x00" * 3000).decode()


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ({"type": "base64", "media_type": "image/png", "data": png(150, 100)}, 20),
        ({"type": "base64", "media_type": "image/png", "data": png(4000, 3000)}, 1600),
        ({"type": "base64", "media_type": "image/png", "data": "AAAA"}, 1600),
        ({"type": "url", "url": "https://a.example/x.png"}, 1600),
        (None, 1600),
    ],
    ids=["small", "large", "unreadable", "elsewhere", "none"],
)
def test_an_image_counts_by_its_size(source: object, count: int) -> None:
    """By its pixels where its first bytes tell them, never by the length of its base64."""
    assert block_tokens({"type": "image", "source": source}, RATES) == count


@pytest.mark.parametrize(
    ("source", "least", "most"),
    [
        ({"type": "text", "media_type": "text/plain", "data": "word " * 300}, 450, 550),
        ({"type": "content", "content": [text("word " * 300)]}, 450, 550),
        ({"type": "content", "content": "word " * 300}, 450, 550),
        ({"type": "base64", "media_type": "application/pdf", "data": "A" * 100_000}, 3000, 5000),
        ({"type": "file", "file_id": "f"}, 1000, 2000),
        (None, 0, 0),
    ],
    ids=["text", "blocks", "a string", "PDF", "a file", "none"],
)
def test_a_document_counts_by_what_it_is(source: object, least: int, most: int) -> None:
    """Text as text, a PDF by its pages."""
    assert least <= block_tokens({"type": "document", "source": source}, RATES) <= most


def test_results_count_what_they_hold() -> None:
    """A string and blocks alike, images within them too."""
    as_text = block_tokens({"type": "tool_result", "content": "a" * 300}, RATES)
    assert block_tokens({"type": "tool_result", "content": [text("a" * 300)]}, RATES) == as_text
    image = {"type": "image", "source": {"type": "url", "url": "u"}}
    assert block_tokens({"type": "tool_result", "content": [text("a" * 300), image]}, RATES) == as_text + 1600


@pytest.mark.parametrize(
    "more",
    [
        {"system": "be brief"},
        {"system": [text("be brief")]},
        {"tools": [{"name": "a", "input_schema": {}}]},
        {"output_config": {"format": {"type": "json_schema", "schema": {}}}},
        {"output_format": {"type": "json_schema", "schema": {}}},
    ],
    ids=lambda more: next(iter(more)),
)
def test_what_stands_before_the_messages_counts(more: dict[str, Any]) -> None:
    """System prompt, tools, structured output; other parameters cost nothing."""
    assert envelope_tokens(more, RATES) > envelope_tokens({}, RATES)
    assert envelope_tokens({"metadata": {"user_id": "u" * 99}, "temperature": 1}, RATES) == envelope_tokens({}, RATES)


def test_forced_tools_and_more_tools_cost_more() -> None:
    """A forced call, and every further tool, add something."""
    one: dict[str, Any] = {"tools": [{"name": "a"}]}
    count = envelope_tokens(one, RATES)
    for type_ in ("any", "tool"):
        assert envelope_tokens({**one, "tool_choice": {"type": type_}}, RATES) > count
    assert envelope_tokens({**one, "tool_choice": {"type": "auto"}}, RATES) == count
    assert envelope_tokens({"tools": [{"name": "a"}, {"name": "b"}]}, RATES) > count


def test_thinking_costs_something_with_models_that_are_asked_for_it() -> None:
    """Up to the generation of Claude 4.6."""
    rates = rates_of("claude-sonnet-4-5")
    asked = {"thinking": {"type": "enabled", "budget_tokens": 1024}}
    assert envelope_tokens(asked, rates) > envelope_tokens({}, rates)


def test_a_reply_counts_what_the_model_wrote() -> None:
    """Not what Anthropic's tools put into it."""
    call = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "q"}}
    result = {"type": "web_search_tool_result", "tool_use_id": "s", "content": [{"encrypted_content": "E" * 1000}]}
    assert reply_tokens([call, result], RATES) == reply_tokens([call], RATES)
    assert reply_tokens([], RATES) > 0
    assert reply_tokens([{"type": "compaction", "content": "a" * 300, "encrypted_content": "E" * 999}], RATES) < 150


@pytest.mark.parametrize("model", MODELS)
def test_every_model_has_rates(model: str) -> None:
    """Positive ones, whatever its generation."""
    rates = rates_of(model)
    assert min(rates.prose, rates.json) > 1
    assert min(rates.tools, rates.forced, rates.tool, rates.schema, rates.message) > 0


def test_it_comes_near_the_real_counts() -> None:
    """Against what the API counted in real recordings: nearly all within half as much again."""
    shared = os.environ.get("PLAYHEAD_SHARED")
    if not shared or not (Path(shared) / "corpus").is_dir():
        pytest.skip("needs real recordings: set PLAYHEAD_SHARED to the folder that holds them")
    bench = runpy.run_path(str(BENCH))
    samples = [*bench["samples"](Path(shared) / "corpus")]
    assert len(samples) > 500
    ratios = [bench["estimate"](sample) / sample.counted for sample in samples]

    def within(factor: float) -> float:
        return sum(1 / factor <= ratio <= factor for ratio in ratios) / len(ratios)

    assert (within(1.25) > 0.85, within(1.5) > 0.94, within(2) > 0.98) == (True, True, True)
    quarters = [bench["quarter"](sample) / sample.counted for sample in samples]
    assert sum(0.5 <= ratio <= 2 for ratio in quarters) / len(quarters) < 0.6

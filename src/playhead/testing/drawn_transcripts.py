"""Hypothesis strategies for requests that carry a whole history, right by construction.

Law: imports hypothesis. Each request is one that the API takes and a correct loop makes; `drawn_wrong_transcripts`
seeds faults in them.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence

from hypothesis import strategies as st

from playhead.errors import SetupError
from playhead.rules.signatures import seal
from playhead.script.steps import Block
from playhead.testing.drawn_scripts import Tool, calls
from playhead.testing.drawn_tools import tool_schemas
from playhead.testing.values import SAID
from playhead.wire.codec import Json, JsonObject

_WAYS = (
    ("claude-opus-5-5", False),
    ("claude-opus-5-5", True),
    ("claude-sonnet-4-5", False),
    ("claude-haiku-4-5", False),
)
"""A model, and whether it thinks where one can see it."""

_RESULTS: st.SearchStrategy[Json] = st.one_of(
    st.just(""),
    SAID,
    st.lists(SAID.map(lambda text: {"type": "text", "text": text}), min_size=1, max_size=2),
    st.sampled_from((None, '{"a": [1, null]}', "007", " padded ", "2025-04-14")),
)
"""What a tool returned, as the content of its result; None leaves the content out."""

_SETTINGS: st.SearchStrategy[JsonObject] = st.fixed_dictionaries(
    {},
    optional={
        "system": SAID | st.lists(SAID.map(lambda text: {"type": "text", "text": text}), min_size=1, max_size=2),
        "stream": st.booleans(),
        "metadata": st.just({"user_id": "u1"}),
        "stop_sequences": st.just(["END"]),
        "tool_choice": st.sampled_from(({"type": "auto"}, {"type": "auto", "disable_parallel_tool_use": False})),
    },
)


def transcripts(
    tools: Sequence[Tool] | None = None,
    *,
    min_turns: int = 0,
    max_turns: int = 4,
    min_calls: int = 0,
    max_calls: int = 3,
    thinking: bool | None = None,
) -> st.SearchStrategy[JsonObject]:
    """Bodies of requests that a correct loop makes: all that was said, the calls, each with its result, the tools.

    `tools` are definitions as `tools` of a request has them, drawn where not given. A turn is what Claude said and what
    the user answered; with calls in it, their results. `thinking` says whether Claude thinks before it speaks, None
    that it may. `check_request` finds nothing in any of them but advice. Raises `SetupError` for sizes that make no
    sense, and as `calls` does.
    """
    for what, least, most in (("turns", min_turns, max_turns), ("calls", min_calls, max_calls)):
        if not 0 <= least <= most:
            raise SetupError(f"min_{what} is from 0 to max_{what}, which is {most}, not {least}")
    if tools is not None:
        calls(tools)  # what is wrong with them is told at once
    offered = tool_schemas(max_size=2) if tools is None else st.just(_definitions(tools))
    return _bodies(offered, thinking, (min_turns, max_turns), (min_calls, max_calls))


@st.composite
def _bodies(
    draw: st.DrawFn,
    offered: st.SearchStrategy[list[JsonObject]],
    thinking: bool | None,
    turns: tuple[int, int],
    calls: tuple[int, int],
) -> JsonObject:
    tools = draw(offered)
    model, thinks = draw(st.sampled_from([way for way in _WAYS if thinking in (None, way[1])]))
    messages: list[JsonObject] = [{"role": "user", "content": draw(_CONTENT)}]
    for number, pair in enumerate(draw(st.lists(_turns(tools, thinks, calls), min_size=turns[0], max_size=turns[1]))):
        messages += _named(pair, number)
    body: JsonObject = {"model": model, "max_tokens": 1024, "messages": messages, "tools": copy.deepcopy(tools)}
    if thinks:
        body["thinking"] = {"type": "adaptive"}
    return body | copy.deepcopy(draw(_SETTINGS))


def _definitions(tools: Sequence[Tool]) -> list[JsonObject]:
    return [{"name": tool, "input_schema": {"type": "object"}} if isinstance(tool, str) else {**tool} for tool in tools]


_CONTENT: st.SearchStrategy[Json] = SAID | st.lists(
    SAID.map(lambda text: {"type": "text", "text": text}), min_size=1, max_size=2
)


def _turns(
    tools: Sequence[Tool], thinks: bool, sizes: tuple[int, int]
) -> st.SearchStrategy[tuple[JsonObject, JsonObject]]:
    """What Claude said, and what the user answered. Calls are still without ids."""
    answered = st.tuples(calls(tools), _RESULTS, st.booleans())
    return _turn(st.lists(answered, min_size=sizes[0], max_size=sizes[1]), thinks)


@st.composite
def _turn(
    draw: st.DrawFn, several: st.SearchStrategy[list[tuple[Block, Json, bool]]], thinks: bool
) -> tuple[JsonObject, JsonObject]:
    made, has = draw(several), draw(st.booleans())
    said: list[JsonObject] = []
    if thinks:
        thought = draw(SAID)
        said.append({"type": "thinking", "thinking": thought, "signature": seal(thought)})
    if has or not made:
        said.append({"type": "text", "text": draw(SAID)})
    said += [dict(block.data) for block, _, _ in made]
    answer = [_result(content, failed) for _, content, failed in made] if made else draw(_CONTENT)
    return {"role": "assistant", "content": said}, {"role": "user", "content": answer}


def _result(content: Json, failed: bool) -> JsonObject:
    result: JsonObject = {"type": "tool_result"}
    if content is not None:
        result["content"] = content
    return {**result, "is_error": True} if failed else result


def _named(pair: tuple[JsonObject, JsonObject], number: int) -> list[JsonObject]:
    """The two messages with ids: the calls' own, and each result under that of its call."""
    said, answered = pair
    asked = [block for block in said["content"] if block["type"] == "tool_use"]
    for place, (asking, result) in enumerate(zip(asked, answered["content"] if asked else (), strict=True)):
        asking["id"] = result["tool_use_id"] = f"toolu_{number}_{place}"
    return [said, answered]

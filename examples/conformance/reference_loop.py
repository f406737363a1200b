"""Playhead's own reference loop, as the search calls it: `playhead conform reference_loop:loop`, or `:aloop`."""

from __future__ import annotations

from typing import Any

from playhead.loop import Tools, arun_conversation, run_conversation

MODEL = "claude-opus-5-5"


def loop(client: Any, messages: Any, tools: Any, functions: Any) -> Any:
    """With the sync client."""
    return run_conversation(client, [*messages], Tools(tools, functions=functions), model=MODEL)


def streaming(client: Any, messages: Any, tools: Any, functions: Any) -> Any:
    """With replies that are streamed."""
    own = Tools(tools, functions=functions)
    return run_conversation(client, [*messages], own, model=MODEL, on_text=lambda text: None)


async def aloop(client: Any, messages: Any, tools: Any, functions: Any) -> Any:
    """With the async client."""
    return await arun_conversation(client, [*messages], Tools(tools, functions=functions), model=MODEL)

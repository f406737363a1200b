"""The reference loop under the search, whole, streaming and async: one test for each capability. mutmut runs it."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings

from playhead.loop import Tools, arun_conversation, run_conversation
from playhead.testing import check_loop
from playhead.testing.capabilities import CAPABILITIES

settings.register_profile("mutation", derandomize=True, database=None)
settings.load_profile("mutation")

EXAMPLES = int(os.environ["PLAYHEAD_EXAMPLES"])
PATIENCE = 2.0
"""Seconds; many a mutant waits for ever."""


def whole(client: Any, messages: Any, tools: Any, functions: Any) -> Any:
    """With whole messages."""
    return run_conversation(client, [*messages], Tools(tools, functions=functions))


def streaming(client: Any, messages: Any, tools: Any, functions: Any) -> Any:
    """With streams."""
    return run_conversation(client, [*messages], Tools(tools, functions=functions), on_text=lambda text: None)


async def awaiting(client: Any, messages: Any, tools: Any, functions: Any) -> Any:
    """With an async client."""
    return await arun_conversation(client, [*messages], Tools(tools, functions=functions))


async def awaiting_streams(client: Any, messages: Any, tools: Any, functions: Any) -> Any:
    """With an async client and streams."""
    own = Tools(tools, functions=functions)
    return await arun_conversation(client, [*messages], own, on_event=lambda event: None)


LOOPS: dict[Callable[..., Any], bool] = {whole: False, streaming: False, awaiting: False, awaiting_streams: True}
"""The loops, and whether they get async tools."""


@pytest.mark.parametrize("capability", CAPABILITIES)
@pytest.mark.parametrize(("loop", "awaits"), LOOPS.items())
def test_the_search_finds_nothing(loop: Callable[..., Any], awaits: bool, capability: str) -> None:
    """Nothing in the loop as it stands; what it finds in a changed one kills that mutant."""
    report = check_loop(loop, only=[capability], max_examples=EXAMPLES, patience=PATIENCE, async_functions=awaits)
    report.assert_ok()

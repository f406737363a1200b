"""Running what Claude asked for: one tool, or every `tool_use` of a reply.

One tool's failure is one result among the others.  Only `Exception` counts: an interrupt passes through.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Generator
from typing import TYPE_CHECKING

from playhead.loop.blocks import Block, client_calls, field, has_field
from playhead.loop.drive import adrive, drive
from playhead.loop.entry import Call
from playhead.loop.errors import SyncAsyncMismatch, ToolCallError
from playhead.loop.results import content_of_failure, content_of_result, result_block
from playhead.loop.tools import Tools, as_tools

if TYPE_CHECKING:
    from anthropic.types import Message

    from playhead.loop.tools import Source

_log = logging.getLogger("playhead.loop")

# After these the last call may be cut short and still parse, so none of the reply's calls is run.  None is
# what the SDK's `messages.stream` leaves when the stream ended early.
NEVER_RUN = frozenset({"max_tokens", "model_context_window_exceeded", "refusal", None})


def run_tool(name: str, input: object, tools: Source) -> object:
    """Run one tool with its input (a dict) as keyword arguments and return its value.

    Raises UnknownTool, InvalidInput, SyncAsyncMismatch for an async tool, and whatever the tool raises.
    """
    return as_tools(tools).run(name, input)


def run_tools(message: Message | object, tools: Source) -> list[Block]:
    """Run every `tool_use` of a reply and return one `tool_result` block for each, in order.

    A result's content is a string (JSON for what is not one) or, from a tool that returns them, content
    blocks.  A tool that raises, is unknown, or whose input does not fit its schema gives a result with
    `is_error: true` and a text that says why.  Calls of a reply that was cut (`max_tokens`, a broken stream,
    ...) are answered so as well, without being run.  Server tools are left alone.  Raises SyncAsyncMismatch
    when a tool is async.
    """
    registry = as_tools(tools)
    if not _may_run(message):
        return not_run(message)
    registry.expect_sync(field(call, "name") for call in client_calls(message))
    return [drive(_answer(call, registry), Call.run) for call in client_calls(message)]


async def arun_tools(message: Message | object, tools: Source) -> list[Block]:
    """The same for async tools, which run concurrently; sync ones are called in the event loop's thread."""
    registry = as_tools(tools)
    if not _may_run(message):
        return not_run(message)
    answers = (_answer(call, registry) for call in client_calls(message))
    calls = [asyncio.ensure_future(adrive(answer, Call.arun)) for answer in answers]
    try:
        return list(await asyncio.gather(*calls))
    except BaseException:
        # Cancelled, or a tool raised what is no Exception: leave none running behind the caller's back.
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        raise


def not_run(message: Message | object, why: str | None = None) -> list[Block]:
    """A result with `is_error` for every `tool_use` of a reply, none of which was run."""
    cut = f"the reply was cut (stop_reason {field(message, 'stop_reason')!r}), so the call may be incomplete"
    return [result_block(call, f"Not run: {why or cut}.", is_error=True) for call in client_calls(message)]


def _may_run(message: Message | object) -> bool:
    """A list of blocks has no stop_reason: then the caller knows what it is doing."""
    if isinstance(message, list | tuple) or not has_field(message, "stop_reason"):
        return True
    return field(message, "stop_reason") not in NEVER_RUN


def _answer(call: object, registry: Tools) -> Generator[Call, object, Block]:
    """One call: what to run, and what becomes of it."""
    name = field(call, "name")
    try:
        value = yield registry.bind(name, field(call, "input"))
    except SyncAsyncMismatch:  # the program's mistake, not the tool's: Claude could do nothing about it
        raise
    except ToolCallError as error:
        return result_block(call, content_of_failure(error), is_error=True)
    except Exception as error:  # noqa: BLE001  # whatever a tool raises is an answer
        _log.info("tool %r failed; Claude is told so", name, exc_info=error)
        return result_block(call, content_of_failure(error), is_error=True)
    try:
        return result_block(call, content_of_result(value))
    except Exception as error:  # noqa: BLE001  # a value that contains itself, for one
        text = f"The tool ran, but what it returned cannot be sent. {content_of_failure(error)}"
        return result_block(call, text, is_error=True)

"""The loop: send, look at `stop_reason`, run tools, send again, until there is an answer or a reason to stop.

Every decision is in the generator `_conversation`, which does no I/O: it yields what it wants done.  The two
public functions only drive it.  What each stop_reason means is the table NEXT.
Source: docs, build-with-claude/handling-stop-reasons.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Unpack

from playhead.loop.blocks import Block, History, client_calls, field
from playhead.loop.chat import ChatOptions, Client, asend, request_body, send
from playhead.loop.drive import adrive, drive
from playhead.loop.errors import (
    ConversationStopped,
    Refused,
    ReplyTruncated,
    StreamIncomplete,
    TurnLimitReached,
    UnknownStopReason,
)
from playhead.loop.history import add_assistant_message, add_user_message
from playhead.loop.run import arun_tools, not_run, run_tools
from playhead.loop.tools import Tools, as_tools

if TYPE_CHECKING:
    from anthropic.types import Message

    from playhead.loop.stream import OnEvent, OnText
    from playhead.loop.tools import Source

DEFAULT_MAX_TURNS = 25

Next = Literal["run tools", "resume", "finish"] | type[ConversationStopped]

NEXT: Mapping[str, Next] = {
    "tool_use": "run tools",
    "pause_turn": "resume",
    "compaction": "resume",
    "end_turn": "finish",
    "stop_sequence": "finish",
    "max_tokens": ReplyTruncated,
    "model_context_window_exceeded": ReplyTruncated,
    "refusal": Refused,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """The loop wants this request sent and its message back."""

    body: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """The loop wants the calls of this reply run and their results back."""

    reply: Message


def run_conversation(
    client: Client,
    messages: History,
    tools: Source = None,
    *,
    max_turns: int = DEFAULT_MAX_TURNS,
    on_text: OnText | None = None,
    on_event: OnEvent | None = None,
    **options: Unpack[ChatOptions],
) -> Message:
    """Talk to Claude until it has answered, running the tools it calls; returns the last message, whole.

    `messages` is extended in place: each reply as Claude gave it, each set of results in one user message,
    and the answer.  Nothing else in it is touched, and whenever this function ends, also by an error, it can
    be sent again.  Every request carries the whole list and the same tools, options and, once there is one,
    container.  A forced `tool_choice` becomes `auto` after the first call, or Claude could never answer.

    At most `max_turns` requests are sent.  With `on_text` or `on_event` the replies are streamed.  Options as
    for `chat`.

    Raises ReplyTruncated, Refused, UnknownStopReason (the reply is in `.message`, not in the history),
    TurnLimitReached, StreamIncomplete; SyncAsyncMismatch and ToolDefinitionError before anything is sent; and
    what the SDK raises.
    """
    registry = as_tools(tools)
    registry.expect_sync()

    def perform(wish: Ask | Act) -> object:
        if isinstance(wish, Ask):
            return send(client, wish.body, on_text, on_event)
        return run_tools(wish.reply, registry)

    return drive(_conversation(messages, registry, max_turns, options), perform)


async def arun_conversation(
    client: Client,
    messages: History,
    tools: Source = None,
    *,
    max_turns: int = DEFAULT_MAX_TURNS,
    on_text: OnText | None = None,
    on_event: OnEvent | None = None,
    **options: Unpack[ChatOptions],
) -> Message:
    """`run_conversation` for an `AsyncAnthropic` client.

    The async tools of one reply run concurrently; sync ones work too, in the event loop's thread.
    """
    registry = as_tools(tools)

    async def perform(wish: Ask | Act) -> object:
        if isinstance(wish, Ask):
            return await asend(client, wish.body, on_text, on_event)
        return await arun_tools(wish.reply, registry)

    return await adrive(_conversation(messages, registry, max_turns, options), perform)


def _conversation(
    messages: History, tools: Tools, max_turns: int, options: Mapping[str, Any]
) -> Generator[Ask | Act, Any, Message]:
    """The loop itself.  A reply is stored together with its answers, so history is valid at each yield."""
    if type(max_turns) is not int or max_turns < 1:
        raise ValueError(f"max_turns is the number of requests allowed, at least 1; got {max_turns!r}")
    schemas = tools.schemas  # once: what a tool does to the registry must not change what is sent
    reply: Message
    for turn in range(1, max_turns + 1):
        try:
            reply = yield Ask(body=request_body(messages, schemas, options))
        except StreamIncomplete as broken:
            raise StreamIncomplete(message=broken.message, messages=messages) from None
        options = _carried_over(options, reply)
        following = _next(reply)
        if following == "finish":
            _store(messages, reply, not_run(reply, "the reply ended with this call and no more is sent"))
            return reply
        if following == "resume":
            _store(messages, reply, not_run(reply, "the turn was paused, not stopped for it"))
        elif following != "run tools":
            raise following(message=reply, messages=messages)
        elif turn < max_turns:
            _store(messages, reply, (yield Act(reply=reply)))
        else:
            _store(messages, reply, not_run(reply, f"the limit of {max_turns} turns was reached"))
    raise TurnLimitReached(message=reply, messages=messages, turns=max_turns)


def _next(reply: Message) -> Next:
    """What to do with a reply.  A tool_use stop without a call for us is an end: there is nothing to send."""
    stop_reason = field(reply, "stop_reason")
    following = NEXT.get(stop_reason, UnknownStopReason)
    return "finish" if following == "run tools" and not client_calls(reply) else following


def _store(messages: History, reply: Message, results: list[Block]) -> None:
    """Append a reply and the results that answer it, together or not at all."""
    said: History = []
    add_assistant_message(said, reply)
    if results:
        add_user_message(said, results)
    messages.extend(said)


def _carried_over(options: Mapping[str, Any], reply: Message) -> Mapping[str, Any]:
    """The options of the next request: with the reply's container, without a tool_choice that was obeyed."""
    container = field(field(reply, "container"), "id")
    if container:
        given = options.get("container")
        options = {
            **options,
            "container": {**given, "id": container} if isinstance(given, Mapping) else container,
        }
    choice: Any = options.get("tool_choice")
    if field(choice, "type") in ("any", "tool") and client_calls(reply):
        kept = {name: choice[name] for name in ("disable_parallel_tool_use",) if name in choice}
        options = {**options, "tool_choice": {"type": "auto", **kept}}
    return options

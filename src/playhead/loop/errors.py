"""Everything the reference loop raises, by whose fault it is.  Fields plus a sentence; knows no other module.

    LoopError
    ├── ToolDefinitionError      (ValueError)   a tool was declared in a way that cannot work
    ├── SyncAsyncMismatch        (TypeError)    something async in the sync loop, or the reverse
    ├── ToolCallError                           a call that cannot be run; the loop answers it with is_error
    │   ├── UnknownTool          (LookupError)
    │   └── InvalidInput         (ValueError)
    └── ConversationStopped                     no complete answer; carries .message and .messages
        ├── ReplyTruncated       max_tokens, model_context_window_exceeded
        ├── Refused              refusal
        ├── UnknownStopReason    a stop_reason that no table of ours knows, or none
        ├── TurnLimitReached     the loop asked max_turns times
        └── StreamIncomplete     the stream ended before message_stop

What the SDK raises (`anthropic.APIStatusError` and so on) passes through unchanged.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anthropic.types import Message


class LoopError(Exception):
    """The root of what `playhead.loop` raises."""


class ToolDefinitionError(LoopError, ValueError):
    """A tool was declared in a way that cannot work; raised when it is registered."""


class SyncAsyncMismatch(LoopError, TypeError):
    """Something async was given to a sync function of this room, or something sync to an async one."""


class ToolCallError(LoopError):
    """Claude asked for something that cannot be run.  `.name` is the tool's name as Claude wrote it."""

    name: str


class UnknownTool(ToolCallError, LookupError):
    """No tool of that name can be run here.  `.known` are the names that can."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name = name
        self.known = tuple(known)
        super().__init__(name, self.known)

    def __str__(self) -> str:
        close = difflib.get_close_matches(self.name, self.known, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        known = f"Known tools: {', '.join(self.known)}." if self.known else "No tool can be run here."
        return f"There is no tool named {self.name!r}.{hint} {known}"


class InvalidInput(ToolCallError, ValueError):
    """The input does not fit the tool's schema.  `.problems` are phrases, each beginning with a JSON path."""

    def __init__(self, name: str, problems: Sequence[str]) -> None:
        self.name = name
        self.problems = tuple(problems)
        super().__init__(name, self.problems)

    def __str__(self) -> str:
        return f"The input does not fit the schema of tool {self.name!r}: {'; '.join(self.problems)}."


class ConversationStopped(LoopError):
    """The conversation ended without a complete answer.

    `.message` is the reply that ended it, whole (None when a stream broke before it began); `.messages` is
    the history, the caller's own list, valid for the API as it stands; `.stop_reason` is the reply's.
    """

    advice = ""

    def __init__(self, *, message: Message | None, messages: list[Any], turns: int | None = None) -> None:
        self.message = message
        self.messages = messages
        self.turns = turns
        super().__init__(message, messages, turns)

    @property
    def stop_reason(self) -> str | None:
        """The reply's stop_reason; None when it has none."""
        return getattr(self.message, "stop_reason", None)

    def __str__(self) -> str:
        return self.advice.format(stop_reason=self.stop_reason, turns=self.turns, details=self._details())

    def _details(self) -> str:
        """Why Claude refused, in the API's words (`stop_details` of a refusal), when it says so."""
        details = getattr(self.message, "stop_details", None)
        said = [getattr(details, name, None) for name in ("category", "explanation")]
        return "".join(f" ({text})" for text in said if text)


class ReplyTruncated(ConversationStopped):
    """The reply was cut (`max_tokens` or `model_context_window_exceeded`); none of its tool calls ran.

    The history is as it was sent: run again with a higher `max_tokens`, or keep what was said (`.message`)
    yourself.  Source: docs, build-with-claude/handling-stop-reasons.
    """

    advice = (
        "The reply is not complete: stop_reason {stop_reason!r}. None of its tool calls was run and the "
        "history is as it was sent. Run again with a higher max_tokens, or shorten the history if the "
        "context window is full; the partial reply is in .message."
    )


class Refused(ConversationStopped):
    """Claude refused (stop_reason `refusal`).  The refused reply is in `.message`, never in the history.

    Source: docs, build-with-claude/refusals-and-fallback.
    """

    advice = (
        "Claude refused to go on: stop_reason 'refusal'{details}. None of the reply's tool calls was run and "
        "the reply is not in the history. Change or remove the last user message before you send again."
    )


class UnknownStopReason(ConversationStopped):
    """The reply's stop_reason is none that this loop knows; nothing was done with it."""

    advice = (
        "The reply has stop_reason {stop_reason!r}, which this loop does not know, so nothing was done with "
        "it: no tool was run and the history is as it was sent. Look at .message and decide how to go on."
    )


class TurnLimitReached(ConversationStopped):
    """`max_turns` replies and no final answer.

    The last calls were not run; the history answers each with `is_error`.
    """

    advice = (
        "No final answer after {turns} replies (max_turns). Tool calls of the last reply were not run; the "
        "history answers each of them with is_error, so it can be sent again. Raise max_turns if the task "
        "needs more, or look in .messages for a call that is made again and again."
    )


class StreamIncomplete(ConversationStopped):
    """The stream ended before message_stop, so the reply is only a part of one; no tool was run.

    The SDK's `messages.stream` returns such a part as if it were whole, with stop_reason None.
    """

    advice = (
        "The stream ended before message_stop: the reply is incomplete. No tool was run and the history is "
        "as it was sent, so the same request can be sent again; what arrived is in .message."
    )

"""The reference loop: one correct way to talk to Claude with tools, sync and async.

It knows the SDK client it is handed and no other room of this package.  Imports and names only.
"""

from playhead.loop.chat import DEFAULT_MAX_TOKENS, DEFAULT_MODEL, ChatOptions, achat, chat
from playhead.loop.conversation import DEFAULT_MAX_TURNS, arun_conversation, run_conversation
from playhead.loop.dates import add_duration_to_datetime, date_tools, get_current_datetime
from playhead.loop.errors import (
    ConversationStopped,
    InvalidInput,
    LoopError,
    Refused,
    ReplyTruncated,
    StreamIncomplete,
    SyncAsyncMismatch,
    ToolCallError,
    ToolDefinitionError,
    TurnLimitReached,
    UnknownStopReason,
    UnknownTool,
)
from playhead.loop.history import add_assistant_message, add_user_message, text_from_message
from playhead.loop.run import arun_tools, run_tool, run_tools
from playhead.loop.tools import Tools

__all__ = [
    "DEFAULT_MAX_TOKENS",
    "DEFAULT_MAX_TURNS",
    "DEFAULT_MODEL",
    "ChatOptions",
    "ConversationStopped",
    "InvalidInput",
    "LoopError",
    "Refused",
    "ReplyTruncated",
    "StreamIncomplete",
    "SyncAsyncMismatch",
    "ToolCallError",
    "ToolDefinitionError",
    "Tools",
    "TurnLimitReached",
    "UnknownStopReason",
    "UnknownTool",
    "achat",
    "add_assistant_message",
    "add_duration_to_datetime",
    "add_user_message",
    "arun_conversation",
    "arun_tools",
    "chat",
    "date_tools",
    "get_current_datetime",
    "run_conversation",
    "run_tool",
    "run_tools",
    "text_from_message",
]

"""Every error says what came, where, and what to do; its fields say it to programs."""

from __future__ import annotations

import anthropic.types
import pytest

from playhead.loop import (
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

from .conftest import reply


def message(stop_reason: str | None, **fields: object) -> anthropic.types.Message:
    return anthropic.types.Message.construct(**reply(stop_reason=stop_reason, **fields))


DETAILS = anthropic.types.RefusalStopDetails.construct(
    type="refusal",
    category="cyber",
    explanation="No malware.",
)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        pytest.param(
            ReplyTruncated(message=message("max_tokens"), messages=[]),
            ["not complete", "'max_tokens'", "higher max_tokens", ".message"],
            id="max-tokens",
        ),
        pytest.param(
            ReplyTruncated(message=message("model_context_window_exceeded"), messages=[]),
            ["'model_context_window_exceeded'", "shorten the history"],
            id="context-window",
        ),
        pytest.param(
            Refused(message=message("refusal", stop_details=DETAILS), messages=[]),
            ["refused", "(cyber)", "(No malware.)", "last user message"],
            id="refusal",
        ),
        pytest.param(
            Refused(message=message("refusal"), messages=[]),
            ["'refusal'."],
            id="refusal-without-details",
        ),
        pytest.param(
            UnknownStopReason(message=message("tea_break"), messages=[]),
            ["'tea_break'", "does not know"],
            id="unknown",
        ),
        pytest.param(
            TurnLimitReached(message=message("tool_use"), messages=[], turns=25),
            ["25 replies", "max_turns"],
            id="limit",
        ),
        pytest.param(
            StreamIncomplete(message=None, messages=[]),
            ["message_stop", "sent again"],
            id="stream",
        ),
    ],
)
def test_texts_of_stopped_conversations(error: ConversationStopped, words: list[str]) -> None:
    """The cause and the way on."""
    assert all(word in str(error) for word in words), str(error)
    assert isinstance(error, LoopError)
    assert error.stop_reason == getattr(error.message, "stop_reason", None)


@pytest.mark.parametrize(
    ("error", "parents"),
    [
        pytest.param(ToolDefinitionError, (LoopError, ValueError), id="definition"),
        pytest.param(SyncAsyncMismatch, (LoopError, TypeError), id="mismatch"),
        pytest.param(UnknownTool, (ToolCallError, LookupError), id="unknown-tool"),
        pytest.param(InvalidInput, (ToolCallError, ValueError), id="invalid-input"),
        pytest.param(ToolCallError, (LoopError,), id="tool-call"),
        pytest.param(StreamIncomplete, (ConversationStopped,), id="stream"),
    ],
)
def test_the_tree(error: type[Exception], parents: tuple[type[Exception], ...]) -> None:
    """As drawn in the module."""
    assert issubclass(error, parents[0])
    assert all(issubclass(error, parent) for parent in parents)

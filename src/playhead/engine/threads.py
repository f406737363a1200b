"""Conversations that the server holds: which replies a request may continue from.

Law: pure state and decisions; what is said on a thread is the checker's, which knows every exchange.

A request with `thread: {"type": "create"}` has its conversation held under the id of its reply; one with
`{"type": "continue", "previous_message_id": ...}` goes on from there and sends only what is new. A reply can be
continued once. The error codes are those from which the SDK recovers (anthropic 2.14.0,
`lib/threads/_thread_state.py`); the sentences are ours, the API's are not documented.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType

from playhead.wire.codec import JsonObject
from playhead.wire.follow import CREATE_ONLY


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadError:
    """Why a request on a thread is not answered. `details` go into the error beside its code."""

    status: int
    type: str
    message: str
    code: str | None = None
    details: MappingProxyType[str, object] = field(default_factory=lambda: MappingProxyType({}))


class Threads:
    """The replies under whose ids a conversation is held, and whether each has been continued."""

    def __init__(self, *, enabled: bool = True) -> None:
        self._enabled = enabled
        self._continued: dict[str, bool] = {}

    def refuse(self, body: JsonObject) -> ThreadError | None:
        """Why this request cannot be answered; None where it has no thread, or may go on."""
        thread = body.get("thread")
        if not isinstance(thread, dict):
            return None
        if not self._enabled:
            return ThreadError(
                status=400,
                type="invalid_request_error",
                message="Playhead: this fake holds no threads; send the full conversation without `thread`",
                code="thread_unsupported_request",
                details=MappingProxyType({"unsupported": ["thread"]}),
            )
        if thread.get("type") != "continue":
            return None
        for name in CREATE_ONLY:
            if body.get(name) is not None:
                return ThreadError(
                    status=400,
                    type="invalid_request_error",
                    message=f"{name}: a thread keeps what it was created with; leave it out when you continue",
                )
        return self._unknown(str(thread.get("previous_message_id")))

    def _unknown(self, previous: str) -> ThreadError | None:
        continued = self._continued.get(previous)
        if continued is None:
            return ThreadError(
                status=404,
                type="not_found_error",
                message=f"thread.previous_message_id: no thread is held under {previous}",
                code="thread_not_found",
            )
        if continued:
            return ThreadError(
                status=400,
                type="invalid_request_error",
                message=f"thread.previous_message_id: the thread was already continued from {previous}",
                code="thread_already_continued",
            )
        return None

    def hold(self, body: JsonObject, message: JsonObject) -> None:
        """Takes in a reply: the conversation is now held under its id, and no longer under the one before."""
        thread, identifier = body.get("thread"), message.get("id")
        if not isinstance(thread, dict) or not isinstance(identifier, str):
            return
        if thread.get("type") == "continue":
            self._continued[str(thread.get("previous_message_id"))] = True
        self._continued[identifier] = False

    def expire(self) -> None:
        """Forgets every thread, as the server does after a time."""
        self._continued.clear()

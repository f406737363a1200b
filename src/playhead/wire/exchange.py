"""An exchange: one HTTP request and its answer.

Law: a plain value. Parts that a recording does not know are None, and a rule is silent about them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from msgspec import Struct

from playhead.wire.cloud import cloud_of
from playhead.wire.codec import JsonObject
from playhead.wire.history import History, Sent
from playhead.wire.tables import COUNT_TOKENS_PATH, MESSAGES_PATH

NOTHING: Mapping[str, object] = MappingProxyType({})
NO_HEADERS: Mapping[str, str] = MappingProxyType({})


class Exchange(Struct, frozen=True, kw_only=True):
    """One request and its answer, any endpoint.

    `number` counts a session's exchanges from 1. `request` is the plain body as sent (None where only the response
    was recorded); treat it as read-only, resent messages are shared between exchanges. `response` is the message of
    the answer, accumulated where it was streamed; `complete` says whether it ended as it should. `error` is the
    `error` object of an error answer or of an error event. `tools_run` are the ids of the calls that the client ran
    after this answer, `results` what each of them returned (`{"raised": text}` where it raised).

    `retry_of` is the number of the exchange that this one attempts again, None for a first attempt. `sent_at` and
    `answered_at` are seconds on one clock, None where nobody took the time. `user_event` is what the user did after
    the answer: `"stop"` interrupts the loop, `"new"` begins another conversation. `sent` is set by who made exchanges
    whose messages are the same objects, so that nobody need compare them again.
    """

    number: int = 1
    method: str = "POST"
    path: str = MESSAGES_PATH
    headers: Mapping[str, str] | None = None
    request: JsonObject | None = None
    status: int | None = None
    response_headers: Mapping[str, str] = NO_HEADERS
    response: JsonObject | None = None
    complete: bool = True
    error: JsonObject | None = None
    events: tuple[JsonObject, ...] | None = None
    tools_run: tuple[str, ...] | None = None
    results: Mapping[str, object] = NOTHING
    user_event: str | None = None
    retry_of: int | None = None
    sent_at: float | None = None
    answered_at: float | None = None
    known: frozenset[str] | None = None
    sent: Sent | None = None

    def __eq__(self, other: object) -> bool:
        """Equal by all fields but `sent`, which says nothing of what was sent."""
        if not isinstance(other, Exchange):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in _SAID)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Exchange({', '.join(f'{name}={getattr(self, name)!r}' for name in _SAID)})"

    @property
    def history(self) -> History | None:
        """The messages as a chain that is shared with earlier exchanges; None where nothing of the kind is known."""
        if self.sent is None or self.request is None:
            return None
        return self.sent.history_of(self.request.get("messages"))

    @property
    def messages(self) -> list[object]:
        """The messages sent; empty where there are none."""
        messages = (self.request or {}).get("messages")
        return messages if isinstance(messages, list) else []

    @property
    def endpoint(self) -> str:
        """The path without host-specific parts and query: `/v1/messages`, `/v1/messages/count_tokens`, ..."""
        return endpoint_of(self.path)

    @property
    def is_message(self) -> bool:
        """Whether this is a call for a message, and so a part of a conversation."""
        return self.endpoint == MESSAGES_PATH

    @property
    def failed(self) -> bool:
        """Whether the client did not get a whole message: an HTTP error, an error event, a broken stream."""
        return self.error is not None or (self.status or 200) >= 400 or not self.complete

    @property
    def stop_reason(self) -> str | None:
        """The reply's stop reason, None where there is no reply or it does not say."""
        reason = (self.response or {}).get("stop_reason")
        return reason if isinstance(reason, str) else None

    @property
    def content(self) -> list[object]:
        """The reply's content blocks; empty where there is no reply."""
        content = (self.response or {}).get("content")
        return content if isinstance(content, list) else []

    def knows(self, member: str) -> bool:
        """Whether the recording tells this member of the request, or its absence."""
        return self.request is not None and (self.known is None or member in self.known)

    def calls(self) -> list[JsonObject]:
        """The `tool_use` blocks of the reply."""
        return [block for block in self.content if isinstance(block, dict) and block.get("type") == "tool_use"]


_SAID = tuple(name for name in Exchange.__struct_fields__ if name != "sent")


@lru_cache(maxsize=256)
def endpoint_of(path: str) -> str:
    """A path without query and without what a gateway puts before the API's own part; a cloud's as the API's."""
    if path == MESSAGES_PATH:
        return path
    path = path.partition("?")[0].rstrip("/")
    for known in (COUNT_TOKENS_PATH, MESSAGES_PATH):
        if path.endswith(known):
            return known
    cloud = cloud_of(path)
    return cloud.endpoint if cloud is not None else path

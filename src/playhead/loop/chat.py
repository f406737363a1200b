"""One request: the whole history and the tool schemas go out, the whole message comes back.

What is sent is decided in `request_body`; the rest only calls the client it is handed, known by a Protocol.
No retries here: the SDK has them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypedDict, Unpack

from playhead.loop.blocks import History
from playhead.loop.entry import discard
from playhead.loop.errors import SyncAsyncMismatch
from playhead.loop.stream import OnEvent, OnText, Reception
from playhead.loop.tools import schemas_of

if TYPE_CHECKING:
    from anthropic.types import Message

    from playhead.loop.tools import Source

DEFAULT_MODEL = "claude-opus-5-5"
# The most that every model takes and that the SDK sends without streaming.
DEFAULT_MAX_TOKENS = 8192

# Newer SDKs have no such parameters and newer models refuse them: they go into the body, when asked for.
_SAMPLING = ("temperature", "top_p", "top_k")


class Messages(Protocol):
    """`client.messages`: the two methods that are used of it."""

    @property
    def create(self) -> Callable[..., Any]: ...
    @property
    def stream(self) -> Callable[..., Any]: ...


class Client(Protocol):
    """`anthropic.Anthropic`, `AsyncAnthropic`, or their `.beta`, or whatever looks like one of them."""

    @property
    def messages(self) -> Messages: ...


class ChatOptions(TypedDict, total=False):
    """What `chat` and `run_conversation` take beside history and tools; absent (or None) is not sent.

    Any other keyword goes to the SDK as it is; the ones below are those it is known to take.
    """

    model: str  # default DEFAULT_MODEL
    max_tokens: int  # default DEFAULT_MAX_TOKENS; counts thinking as well
    system: str | Iterable[Any] | None
    stop_sequences: list[str] | None
    temperature: float | None  # 0 to 1; newer models refuse it
    top_p: float | None
    top_k: int | None
    thinking: Any
    tool_choice: Any
    metadata: Any
    container: Any
    output_config: Any
    cache_control: Any
    service_tier: str | None
    context_management: Any
    mcp_servers: Any
    betas: list[str] | None  # with client.beta
    extra_headers: Mapping[str, str] | None
    extra_query: Mapping[str, object] | None
    extra_body: Mapping[str, object] | None
    timeout: Any


def chat(
    client: Client,
    messages: History,
    tools: Source = None,
    *,
    on_text: OnText | None = None,
    on_event: OnEvent | None = None,
    **options: Unpack[ChatOptions],
) -> Message:
    """Send the history and the tool schemas once and return the whole SDK message.

    `messages` is sent as it is and not changed.  `tools` are schema dicts, a `Tools` registry, SDK tool
    objects or typed functions; only their schemas are used.  With `on_text` (each piece of text) or
    `on_event` (each SDK event) the reply is streamed.  Options: see `ChatOptions`.  Raises StreamIncomplete,
    SyncAsyncMismatch, and what the SDK raises.
    """
    return send(client, request_body(messages, tools, options), on_text, on_event)


async def achat(
    client: Client,
    messages: History,
    tools: Source = None,
    *,
    on_text: OnText | None = None,
    on_event: OnEvent | None = None,
    **options: Unpack[ChatOptions],
) -> Message:
    """`chat` for an `AsyncAnthropic` client; the callbacks may be async."""
    return await asend(client, request_body(messages, tools, options), on_text, on_event)


def request_body(messages: History, tools: Source, options: Mapping[str, Any]) -> dict[str, Any]:
    """The keyword arguments for the SDK's `create` or `stream`.  Raises TypeError for mixed-up arguments."""
    if not isinstance(messages, list):
        raise TypeError(
            f"messages is a list of messages, got {type(messages).__name__}; build it with "
            "add_user_message(messages, 'Hello')"
        )
    if "stream" in options:
        raise TypeError("stream= is not taken here: pass on_text= or on_event=, and the reply is streamed")
    given = {name: value for name, value in options.items() if value is not None}
    sampling = {name: given.pop(name) for name in _SAMPLING if name in given}
    if sampling:
        given["extra_body"] = {**sampling, **given.get("extra_body", {})}
    body = {"model": DEFAULT_MODEL, "max_tokens": DEFAULT_MAX_TOKENS, **given, "messages": list(messages)}
    schemas = schemas_of(tools)
    return {**body, "tools": schemas} if schemas else body


def send(client: Client, body: dict[str, Any], on_text: OnText | None, on_event: OnEvent | None) -> Message:
    """Send one request with a sync client; streamed if anybody listens."""
    if inspect.iscoroutinefunction(inspect.unwrap(client.messages.create)):
        raise _wrong_client(wanted=False)  # before the client starts what nobody would await
    for callback in filter(inspect.iscoroutinefunction, (on_text, on_event)):
        raise SyncAsyncMismatch(
            f"{callback.__name__!r} is async and this is the sync loop: give a plain function",
        )
    if on_text is None and on_event is None:
        message: Message = _expect(client.messages.create(**body), "__await__", wanted=False)
        return message
    reception = Reception(on_text, on_event)
    with _expect(client.messages.stream(**body), "__aenter__", wanted=False) as stream:
        for event in stream:
            for callback, argument in reception.take(event):
                callback(argument)
        return reception.result(lambda: stream.current_message_snapshot, body["messages"])


async def asend(
    client: Client,
    body: dict[str, Any],
    on_text: OnText | None,
    on_event: OnEvent | None,
) -> Message:
    """Send one request with an async client; streamed if anybody listens."""
    if on_text is None and on_event is None:
        message: Message = await _expect(client.messages.create(**body), "__await__", wanted=True)
        return message
    reception = Reception(on_text, on_event)
    async with _expect(client.messages.stream(**body), "__aenter__", wanted=True) as stream:
        async for event in stream:
            for callback, argument in reception.take(event):
                answer = callback(argument)
                if inspect.isawaitable(answer):
                    await answer
        return reception.result(lambda: stream.current_message_snapshot, body["messages"])


def _expect(value: Any, mark: str, *, wanted: bool) -> Any:
    """What the client gave, if it is of the right kind: `mark` is what only an async client's has."""
    if hasattr(value, mark) == wanted:
        return value
    discard(value)
    raise _wrong_client(wanted)


def _wrong_client(wanted: bool) -> SyncAsyncMismatch:
    if wanted:
        return SyncAsyncMismatch(
            "this is the async loop and the client is a sync one: pass an AsyncAnthropic",
        )
    return SyncAsyncMismatch(
        "this is the sync loop and the client is an async one: pass an Anthropic or use the async twin"
    )

"""A tool loop made of parts, each of which a test may put a bug into. No tests themselves."""

from __future__ import annotations

import copy
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import anthropic

Message = Any
LIMIT = 20
GO_ON = ("pause_turn", "compaction")


class TooManyTurns(Exception):
    """The loop's own limit."""


def create(client: Any, **request: Any) -> Message:
    """Asks for a whole message."""
    return client.messages.create(**request)


def stream(client: Any, **request: Any) -> Message:
    """Asks for a stream, and refuses one that breaks off."""
    with client.messages.stream(**request) as events:
        ended = "message_stop" in [event.type for event in events]
        if not ended:
            raise RuntimeError("the stream broke off")
        return events.get_final_message()


def kept(message: Message) -> list[Any]:
    """What is sent back of a reply: all of it, but for blank text, which the API does not take."""
    return [block for block in message.content if block.type != "text" or block.text.strip()]


def text_of(value: object) -> str:
    """A tool's value as the text of a result."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def answer(call: Any, functions: Mapping[str, Callable[..., Any]]) -> dict[str, Any]:
    """The result of a call."""
    result = {"type": "tool_result", "tool_use_id": call.id}
    try:
        return {**result, "content": text_of(functions[call.name](**copy.deepcopy(call.input)))}
    except Exception as error:  # noqa: BLE001 - whatever a tool raises is its result
        return {**result, "content": f"{type(error).__name__}: {error}", "is_error": True}


def answers(calls: Sequence[Any], functions: Mapping[str, Callable[..., Any]]) -> list[dict[str, Any]]:
    """The results of all calls of a reply."""
    return [answer(call, functions) for call in calls]


def ended(message: Message, history: list[Any]) -> object:
    """What the caller gets."""
    return message


@dataclass(frozen=True)
class Loop:
    """A loop; each part is a function of its own."""

    ask: Callable[..., Message] = create
    begin: Callable[[Any], list[Any]] = list
    store: Callable[[Message], list[Any]] = kept
    results: Callable[[Sequence[Any], Mapping[str, Callable[..., Any]]], list[dict[str, Any]]] = answers
    sent: Callable[[list[Any]], list[Any]] = lambda history: history
    settings: Callable[[Sequence[Any], int], dict[str, Any]] = lambda tools, number: {"tools": tools}
    runs: Callable[[Message], bool] = lambda message: message.stop_reason == "tool_use"
    goes_on: Callable[[Message], bool] = lambda message: message.stop_reason in GO_ON
    end: Callable[[Message, list[Any]], object] = ended
    limit: int = LIMIT

    def __call__(
        self, client: Any, messages: list[Any], tools: list[Any], functions: Mapping[str, Callable[..., Any]]
    ) -> object:
        history, container = self.begin(messages), {}
        for number in range(self.limit):
            message = self.ask(
                client,
                model="claude-opus-5-5",
                max_tokens=1024,
                messages=self.sent(history),
                **self.settings(tools, number),
                **container,
            )
            if getattr(message, "container", None):
                container = {"container": message.container.id}
            calls = [block for block in message.content if block.type == "tool_use"]
            if self.goes_on(message):
                history.append({"role": "assistant", "content": self.store(message)})
                continue
            if not self.runs(message) or not calls:
                return self.end(message, history)
            if number + 1 < self.limit:
                history.append({"role": "assistant", "content": self.store(message)})
                history.append({"role": "user", "content": self.results(calls, functions)})
        raise TooManyTurns(f"no answer after {self.limit} requests")


def again_on_error(client: Any, **request: Any) -> Message:
    """Tries again whatever it was, at most five times."""
    for _ in range(4):
        try:
            return client.with_options(max_retries=0).messages.create(**request)
        except anthropic.APIStatusError:
            continue
    return client.messages.create(**request)


def asynchronous(contents: Callable[[Sequence[Any], Mapping[str, Callable[..., Any]]], Awaitable[list[Any]]]) -> Any:
    """An async loop; `contents` runs the tools of a reply's calls and gives what stands in their results, in order."""

    async def loop(client: Any, messages: Any, tools: Any, functions: Any) -> Any:
        history = list(messages)
        for _ in range(LIMIT):
            message = await client.messages.create(model="claude-opus-5-5", max_tokens=9, messages=history, tools=tools)
            calls = [block for block in message.content if block.type == "tool_use"]
            if message.stop_reason != "tool_use":
                return message
            results = [
                {"type": "tool_result", "tool_use_id": one.id, "content": content}
                for one, content in zip(calls, await contents(calls, functions), strict=True)
            ]
            history += [{"role": "assistant", "content": message.content}, {"role": "user", "content": results}]
        raise TooManyTurns(f"no answer after {LIMIT} requests")

    return loop

"""The loop under test, called: sync or async, once or twice, its client over whatever fake plays now.

Law: calls and hands over; what is right or wrong is said by others.
"""

from __future__ import annotations

import asyncio
import copy
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from msgspec import structs

from playhead.doors.sdk import Transport
from playhead.engine.http import Incoming, Outgoing, json_answer
from playhead.errors import RequestLimitReached, SetupError
from playhead.fake import FakeClaude
from playhead.rules.checker import error_body
from playhead.script.script import is_async
from playhead.serving import KEY
from playhead.testing.served import FOR_EVER
from playhead.testing.worker import Worker
from playhead.wire.codec import JsonObject

Loop = Callable[..., Any]
"""`loop(client, messages, tools, functions)`, or a coroutine function of the same."""

_SWALLOWED = 3
"""How often a loop may swallow the cap on requests before it is left where it is."""

_OTHERS = 1.0
"""Seconds that the first conversation waits for the second, which may wait for the first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a call of the loop ended, and what became of what it was given."""

    how: Literal["returned", "raised", "running"]
    value: object = None
    given: tuple[Sequence[JsonObject], Sequence[JsonObject]] = ((), ())
    left: tuple[object, object] = ((), ())


@dataclass(slots=True, kw_only=True)
class Scene:
    """What is on while one trial is played: the fake, tools, functions, and what is to happen on the second request."""

    fake: FakeClaude
    tools: Sequence[JsonObject]
    functions: Mapping[str, Callable[..., Any]]
    turn_begins: Callable[[], None]
    meanwhile: Sequence[JsonObject] | None = None
    endings: list[Ending] = field(default_factory=list)
    other: Any = None
    requests: int = 0


class Actor:
    """Calls a loop, with an SDK client whose requests the fake of the scene answers."""

    def __init__(self, loop: Loop, worker: Worker[list[Ending]], url: str | None = None) -> None:
        self._loop = loop
        self._url = url
        self._worker = worker
        self._async = is_async(loop)
        self._scene: Scene | None = None
        self._client: Any = None
        self._runner: asyncio.Runner | None = None
        self._swallowed = 0
        self.thread = 0
        self.requests = 0

    def play(self, scene: Scene, messages: Sequence[Sequence[JsonObject]]) -> list[Ending]:
        """Calls the loop with each of these messages in turn; how each call ended, that made meanwhile as the last."""
        self._scene, self._swallowed = scene, 0
        self.thread = threading.get_ident()
        if self._async:
            self._runner = self._runner or asyncio.Runner()
            self._runner.run(self._play_async(scene, messages))
        else:
            for given in messages:
                scene.endings.append(self._call(scene, given))
            if scene.other is not None:
                scene.other.join(_OTHERS)
        return scene.endings

    async def _play_async(self, scene: Scene, messages: Sequence[Sequence[JsonObject]]) -> None:
        for given in messages:
            scene.endings.append(await self._call_async(scene, given))
        if scene.other is not None:
            await asyncio.wait({scene.other}, timeout=_OTHERS)
        # what a loop left running must not speak in the next trial
        rest = asyncio.all_tasks() - {asyncio.current_task()}
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)

    def _call(self, scene: Scene, messages: Sequence[JsonObject]) -> Ending:
        given, left = _arguments(scene, messages)
        try:
            value = self._loop(self._open_client(), *left, scene.functions)
        except BaseException as error:  # noqa: BLE001 - how a loop ends is what is looked at
            return _raised(error, given, left)
        if isinstance(value, Awaitable):
            getattr(value, "close", lambda: None)()
            raise SetupError("the loop returned an awaitable: define it with `async def`, and it gets an async client")
        return Ending(how="returned", value=value, given=given, left=left)

    async def _call_async(self, scene: Scene, messages: Sequence[JsonObject]) -> Ending:
        given, left = _arguments(scene, messages)
        try:
            value = await self._loop(self._open_client(), *left, scene.functions)
        except BaseException as error:  # noqa: BLE001
            return _raised(error, given, left)
        return Ending(how="returned", value=value, given=given, left=left)

    def _open_client(self) -> Any:
        if self._client is None or self._client.is_closed():
            transport = None if self._url is not None else _Door(self)
            self._client = (async_client if self._async else client)(transport, self._url)
        return self._client

    def close(self) -> None:
        """Closes the client and the event loop."""
        if self._runner is None:
            if self._client is not None:
                self._client.close()
            return
        if self._client is not None:
            self._runner.run(self._client.close())
        self._runner.close()

    def answer(self, incoming: Incoming) -> Outgoing:
        """The answer of the fake that plays now."""
        assert self._scene is not None
        self.requests += 1
        self._scene.turn_begins()
        try:
            return self._scene.fake.answer(incoming)
        except RequestLimitReached as reached:
            self._swallowed += 1
            if self._url is None:
                raise
            return self._refused(reached)

    def _refused(self, reached: RequestLimitReached) -> Outgoing:
        """The cap behind a base URL, where nothing can be raised: a refusal, and then no answer at all."""
        told = error_body("invalid_request_error", f"Playhead: {reached}", "req_limit")
        refusal = json_answer(400, told, "req_limit", **{"x-should-retry": "false"})
        if not self.hopeless:
            return refusal
        if self._swallowed == _SWALLOWED:
            self._worker.give_up()
        return structs.replace(refusal, delay=FOR_EVER)

    @property
    def hopeless(self) -> bool:
        """Whether the loop has swallowed the cap, a `BaseException`, again and again."""
        return self._swallowed >= _SWALLOWED

    def before(self) -> None:
        """What happens before a request is answered, for a sync client."""
        if self.hopeless:
            self._worker.wait_for_ever()
        given = self._due()
        if given is not None and self._scene is not None:
            scene = self._scene
            scene.other = threading.Thread(target=lambda: scene.endings.append(self._call(scene, given)), daemon=True)
            scene.other.start()
            scene.other.join(_OTHERS)

    async def before_async(self) -> None:
        """The same for an async client."""
        if self.hopeless:
            self._worker.give_up()
            await asyncio.Event().wait()
        given = self._due()
        if given is not None and self._scene is not None:
            scene = self._scene

            async def meanwhile() -> None:
                scene.endings.append(await self._call_async(scene, given))

            scene.other = asyncio.create_task(meanwhile())
            await asyncio.wait({scene.other}, timeout=_OTHERS)

    def _due(self) -> Sequence[JsonObject] | None:
        """The messages of the conversation that is to begin now: before the second request, once."""
        scene = self._scene
        if scene is None:
            return None
        scene.requests += 1
        if scene.requests != 2 or scene.meanwhile is None:
            return None
        given, scene.meanwhile = scene.meanwhile, None
        return given


def _arguments(scene: Scene, messages: Sequence[JsonObject]) -> tuple[Any, Any]:
    """What the loop is given, twice: as it was, and the lists that it gets and may change."""
    given = (copy.deepcopy([*messages]), copy.deepcopy([*scene.tools]))
    return given, (copy.deepcopy([*messages]), copy.deepcopy([*scene.tools]))


def _raised(error: BaseException, given: Any, left: Any) -> Ending:
    how: Literal["raised", "running"] = "running" if isinstance(error, RequestLimitReached) else "raised"
    return Ending(how=how, value=error, given=given, left=left)


class _Door(Transport):
    """The transport under the loop's client: whichever fake plays answers."""

    def __init__(self, actor: Actor) -> None:
        super().__init__(actor.answer)
        self._actor = actor

    def handle_request(self, request: Any) -> Any:
        self._actor.before()
        return super().handle_request(request)

    async def handle_async_request(self, request: Any) -> Any:
        await self._actor.before_async()
        return await super().handle_async_request(request)


class _AtOnce:
    """Does not wait before it tries again. Should the SDK name this otherwise, a search only takes longer."""

    def _calculate_retry_timeout(self, *given: Any, **options: Any) -> float:
        return 0.0


def client(transport: Transport | None, url: str | None = None) -> Any:
    """An `anthropic.Anthropic` over a transport, or for a base URL, which tries again at once."""
    import anthropic

    class Client(_AtOnce, anthropic.Anthropic):
        """The SDK's own, but for that."""

    own = None if transport is None else anthropic.DefaultHttpxClient(transport=transport)
    return Client(api_key=KEY, base_url=url, http_client=own)


def async_client(transport: Transport | None, url: str | None = None) -> Any:
    """An `anthropic.AsyncAnthropic`, likewise."""
    import anthropic

    class AsyncClient(_AtOnce, anthropic.AsyncAnthropic):
        """The SDK's own, but for that."""

    own = None if transport is None else anthropic.DefaultAsyncHttpxClient(transport=transport)
    return AsyncClient(api_key=KEY, base_url=url, http_client=own)

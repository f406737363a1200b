"""The SDK's door: a transport for httpx and httpx2 clients, sync and async.

Law: imports neither of them, since it cannot know which one a client uses (the SDK's 0.x speaks through httpx, 1.0 and
later through httpx2); the module is taken from each request. Bytes only: decisions are the engine's.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from playhead.engine.http import Incoming, Outgoing
from playhead.errors import SetupError

if TYPE_CHECKING:
    import httpx2

    class _Base(httpx2.BaseTransport, httpx2.AsyncBaseTransport):
        """For type checkers only: at run time the two interfaces are met without a base class."""
else:
    _Base = object

Self = TypeVar("Self", bound="Transport")


class Transport(_Base):
    """Give it to a client as `transport=`: `httpx2.Client(transport=fake.transport)`, or the SDK's own
    `DefaultHttpxClient(transport=fake.transport)`. One transport serves sync and async clients, from any thread.
    """

    def __init__(self, answer: Callable[[Incoming], Outgoing]) -> None:
        self._answer = answer

    def handle_request(self, request: Any) -> Any:
        """The transport interface of a sync client."""
        module = _module_of(request)
        return _response(module, request, self._answer(_incoming(request, request.read())))

    async def handle_async_request(self, request: Any) -> Any:
        """The transport interface of an async client. Never waits: the answer is there at once."""
        module = _module_of(request)
        return _response(module, request, self._answer(_incoming(request, await request.aread())))

    def close(self) -> None:
        """Nothing is held open."""

    async def aclose(self) -> None:
        """Nothing is held open."""

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None = None,
        exc_value: BaseException | None = None,
        traceback: TracebackType | None = None,
    ) -> None:
        self.close()

    async def __aenter__(self: Self) -> Self:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None = None,
        exc_value: BaseException | None = None,
        traceback: TracebackType | None = None,
    ) -> None:
        await self.aclose()


def _module_of(request: object) -> ModuleType:
    name = type(request).__module__.partition(".")[0]
    module = sys.modules.get(name)
    if module is None or not hasattr(module, "ByteStream") or not hasattr(module, "Response"):
        raise SetupError(
            f"the fake's transport got a request of {name or 'no module'}; it serves clients of httpx and httpx2: "
            "use fake.client(), or anthropic.DefaultHttpxClient(transport=fake.transport)"
        )
    return module


def _incoming(request: Any, body: bytes) -> Incoming:
    # raw pairs: building the module's Headers mapping costs more than all that follows
    headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in request.headers.raw}
    return Incoming(
        method=request.method,
        path=request.url.raw_path.decode("ascii"),
        headers=headers,
        body=body,
    )


def _response(module: Any, request: Any, answer: Outgoing) -> Any:
    # a stream, not `content=`: a response that is closed before it is read has no `elapsed`, and the SDK asks for it
    return module.Response(
        answer.status, headers=dict(answer.headers), stream=module.ByteStream(answer.body), request=request
    )

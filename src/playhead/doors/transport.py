"""What the doors under an SDK share: the transport interface, and a request as the engine takes it.

Law: imports neither httpx nor httpx2, since it cannot know which one a client uses (the SDK's 0.x speaks through httpx,
1.0 and later through httpx2); the module is taken from each request.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from playhead.engine.http import Incoming, Timeouts
from playhead.errors import SetupError

if TYPE_CHECKING:
    import httpx2

    class _Base(httpx2.BaseTransport, httpx2.AsyncBaseTransport):
        """For type checkers only: at run time the two interfaces are met without a base class."""
else:
    _Base = object

Self = TypeVar("Self", bound="TransportBase")
_Pairs: TypeAlias = Sequence[tuple[bytes, bytes]]


class _HeaderReader:
    """Reads headers of requests: a client sends the same ones each time, but for the length of the body, the last."""

    def __init__(self) -> None:
        self._latest: tuple[_Pairs, Mapping[str, str]] = (), {}

    def read(self, pairs: _Pairs) -> dict[str, str]:
        """Headers by their names in lower case."""
        most = pairs[:-1]
        known, read = self._latest  # one value: clients come from any thread
        if most != known:
            read = _decoded(most)
            self._latest = most, read
        if not pairs:
            return {}
        name, value = pairs[-1]
        return {**read, name.decode("latin-1").lower(): value.decode("latin-1")}


def _decoded(pairs: _Pairs) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in pairs}


class TransportBase(_Base):
    """A transport for sync and async clients that holds nothing open."""

    def __init__(self) -> None:
        self._headers = _HeaderReader()

    def incoming(self, request: Any, body: bytes) -> Incoming:
        """A client's request, its body read."""
        seconds = request.extensions.get("timeout", {})
        return Incoming(
            method=request.method,
            path=request.url.raw_path.decode("ascii"),
            headers=self._headers.read(request.headers.raw),  # the mapping of the client's module is slower by far
            body=body,
            timeouts=Timeouts(seconds.get("connect"), seconds.get("read"), seconds.get("write")),
        )

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


@lru_cache(maxsize=16)
def module_of(kind: type) -> ModuleType:
    """The HTTP library whose requests are of this type. Raises `SetupError` for any other."""
    name = kind.__module__.partition(".")[0]
    module = sys.modules.get(name)
    if module is None or not hasattr(module, "ByteStream") or not hasattr(module, "Response"):
        raise SetupError(
            f"the fake's transport got a request of {name or 'no module'}; it serves clients of httpx and httpx2: "
            "use fake.client(), or anthropic.DefaultHttpxClient(transport=fake.transport)"
        )
    return module

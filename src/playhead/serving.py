"""A fake Claude behind a base URL, or the real one with a recorder before it: for clients that are built elsewhere.

Law: a fake or a recording, a server and a door. What the fake answers the engine knows, how bytes pass the door.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Mapping
from types import MappingProxyType, TracebackType
from typing import Any, TypeVar

from playhead.doors.asgi import Door
from playhead.doors.control import Control
from playhead.doors.proxy import API, Proxy
from playhead.doors.server import LOOPBACK, Server
from playhead.engine.http import Incoming, Outgoing
from playhead.errors import SetupError
from playhead.fake import FakeClaude, annotate
from playhead.recording import Recording
from playhead.wire.codec import JsonObject
from playhead.wire.exchange import Exchange

KEY = "sk-ant-playhead"
"""The key that clients get: any will do, and this one opens nothing."""

Own = TypeVar("Own", bound="Serving")
Passing = TypeVar("Passing", bound="RecordingProxy")
Make = Callable[[], FakeClaude]


class Serving:
    """A fake that is served: `with serve([say("Hello")]) as server: run_my_loop(base_url=server.url)`.

    `fake` is what is served now; where it is given as a function that makes one, it can begin anew. Leaving the block
    stops the server and, with `judge`, calls the fake's `assert_ok()`, unless the body raised.
    """

    def __init__(self, fake: FakeClaude | Make, *, host: str = LOOPBACK, port: int = 0, judge: bool = True) -> None:
        self._make = None if isinstance(fake, FakeClaude) else fake
        self._judge = judge
        self.fake = fake if isinstance(fake, FakeClaude) else fake()
        self._server = Server(Door(self._answer, self._pause, Control(self), self._breaks), host=host, port=port)

    @property
    def url(self) -> str:
        """The base URL, `http://127.0.0.1:PORT`, once it is started."""
        return self._server.url

    @property
    def env(self) -> Mapping[str, str]:
        """The variables by which SDKs and tools find the server: `ANTHROPIC_BASE_URL`, `ANTHROPIC_API_KEY`, and
        `NO_PROXY`, so that what is on this machine is not looked for elsewhere.
        """
        return MappingProxyType(environment(self.url))

    def verdict(self) -> JsonObject:
        """Whether all is well so far, as plain data: `ok`, `failures` (type and message), `violations`, `requests`."""
        failure = self.fake.failure()
        return {
            "ok": failure is None,
            "failures": [] if failure is None else [{"type": type(failure).__name__, "message": str(failure)}],
            "violations": [violation.to_dict() for violation in self.fake.violations],
            "requests": len(self.fake.session.exchanges),
        }

    def session(self) -> JsonObject:
        """What was seen so far, as plain data: `exchanges`, in their order."""
        return {"exchanges": [_plain(exchange) for exchange in self.fake.session.exchanges]}

    def reset(self) -> None:
        """Begins anew, as if nothing had been asked. Raises `SetupError` for a fake that was made elsewhere."""
        if self._make is None:
            raise SetupError("a fake that was made elsewhere cannot begin anew; give serve() its script")
        self.fake = self._make()

    def load(self, text: bytes) -> None:
        """Plays another script from now on, the text of a script file, with its options alone. Raises `ScriptError`."""
        from playhead.script.reading import read

        found = read(text, "the script")

        def make(options: Mapping[str, Any] = found.options) -> FakeClaude:
            return FakeClaude(found.script, **{"sleep": asyncio.sleep, **options})

        try:
            self.fake = make()
        except SetupError:
            found.blame(make, given=())
            raise
        self._make = make

    def _answer(self, incoming: Incoming) -> Outgoing:
        return self.fake.answer(incoming)

    def _pause(self, seconds: float, awaits: bool) -> Any:
        return self.fake.pause(seconds, awaits)

    async def _breaks(self, scope: Any, reset: bool) -> None:
        await self._server.breaks(scope, reset)

    def __enter__(self: Own) -> Own:
        self._server.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.__exit__(kind, error, trace)
        if not self._judge:
            return
        if error is None:
            self.fake.assert_ok()
        else:
            annotate(error, self.fake)


class RecordingProxy:
    """The API behind a base URL of one's own, all of it recorded: `with RecordingProxy(record("session.yaml")) as it:`.

    `upstream` is the API's base URL. Leaving the block stops the server, and finishes the recording unless the body
    raised. Raises what `Recording` raises, and `SetupError` as `serve` does.
    """

    def __init__(self, recording: Recording, upstream: str = API, *, host: str = LOOPBACK, port: int = 0) -> None:
        self.recording = recording
        self._server = Server(Proxy(upstream, recording.transport, self._breaks), host=host, port=port)

    @property
    def url(self) -> str:
        """The base URL, `http://127.0.0.1:PORT`, once it is started."""
        return self._server.url

    @property
    def env(self) -> Mapping[str, str]:
        """The variables by which SDKs and tools find it; the key stays the caller's own."""
        return MappingProxyType(_found_at(self.url))

    async def _breaks(self, scope: Any, reset: bool) -> None:
        await self._server.breaks(scope, reset)

    def __enter__(self: Passing) -> Passing:
        self.recording.__enter__()
        try:
            self._server.__enter__()
        except BaseException:
            self.recording.__exit__(*sys.exc_info())
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.__exit__(kind, error, trace)
        self.recording.__exit__(kind, error, trace)


def environment(url: str) -> dict[str, str]:
    """The variables by which SDKs and tools find a fake that is served there."""
    return {**_found_at(url), "ANTHROPIC_API_KEY": KEY}


def _found_at(url: str) -> dict[str, str]:
    own = "127.0.0.1,localhost"
    given = os.environ.get("NO_PROXY") or os.environ.get("no_proxy")
    known = f"{given},{own}" if given else own
    return {"ANTHROPIC_BASE_URL": url, "NO_PROXY": known, "no_proxy": known}


def serve(script: Any, *, host: str = LOOPBACK, port: int = 0, **options: Any) -> Serving:
    """A fake behind a base URL, in a thread of its own.

    `script` is what `FakeClaude` takes, with its `options`, or a fake that is made already. Pauses of answers take
    their time (`sleep=asyncio.sleep`), unless `sleep=None` is given. Needs the extra `serve`. Raises what `FakeClaude`
    raises, and `SetupError` where the port is taken or uvicorn is missing.
    """
    if isinstance(script, FakeClaude):
        if options:
            raise SetupError(f"the fake is made already: give {', '.join(options)} to FakeClaude")
        return Serving(script, host=host, port=port)
    return Serving(lambda: FakeClaude(script, **{"sleep": asyncio.sleep, **options}), host=host, port=port)


def _plain(exchange: Exchange) -> JsonObject:
    return {
        "number": exchange.number,
        "method": exchange.method,
        "path": exchange.path,
        "request": exchange.request,
        "status": exchange.status,
        "response": exchange.response,
        "error": exchange.error,
        "complete": exchange.complete,
    }

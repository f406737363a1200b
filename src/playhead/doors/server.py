"""A server on this machine that runs an ASGI application: uvicorn, in a thread of its own or in this one.

Law: all that is known of uvicorn is here. It listens before it is announced, so that nobody need ask whether it is
there; it speaks to this machine alone unless told otherwise, and logs nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
import threading
from typing import TYPE_CHECKING, Any, TypeVar

from playhead.doors.asgi import Application, BrokenConnection, Scope
from playhead.errors import SetupError

if TYPE_CHECKING:
    from types import TracebackType

    import uvicorn

LOOPBACK = "127.0.0.1"
_NEEDED = "the server needs uvicorn: pip install 'playhead[serve]'"
_GRACE = 1
"""Seconds that open answers have when the server stops."""

_HEAD = 64 * 1024
"""Bytes that the head of a request may have beyond what the first read brings."""

_IDLE = 75
"""Seconds for which an idle connection is kept: SDKs keep theirs for up to a minute."""

Own = TypeVar("Own", bound="Server")


class Server:
    """A server for one application; `with Server(application) as server: server.url`.

    `port` 0 takes any that is free. Raises `SetupError` where the port is taken, or uvicorn is missing.
    """

    def __init__(self, application: Application, *, host: str = LOOPBACK, port: int = 0) -> None:
        self._application = application
        self._host, self._asked = host, port
        self._socket: socket.socket | None = None
        self._server: uvicorn.Server | None = None
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """The base URL, once it listens."""
        if self._socket is None:
            raise SetupError("the server has no address before it is started: with serve(...) as server: server.url")
        host = self._socket.getsockname()[0]
        shown = LOOPBACK if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host
        return f"http://{shown}:{self._socket.getsockname()[1]}"

    def bind(self) -> None:
        """Listens. What connects from now on is answered as soon as the server runs."""
        uvicorn = _uvicorn()
        self._socket = _listening(self._host, self._asked)
        config = uvicorn.Config(
            self._application,
            http=_protocol(),
            log_config=None,
            log_level="critical",
            access_log=False,
            lifespan="on",
            ws="none",
            proxy_headers=False,
            server_header=False,
            date_header=False,
            timeout_keep_alive=_IDLE,
            timeout_graceful_shutdown=_GRACE,
        )
        self._server = uvicorn.Server(config)

    def run(self) -> None:
        """Serves until it is stopped."""
        assert self._server is not None
        assert self._socket is not None
        self._server.run(sockets=[self._socket])

    def stop(self) -> None:
        """Ends `run`, from any thread."""
        if self._server is not None:
            self._server.should_exit = True

    def __enter__(self: Own) -> Own:
        self.bind()
        self._thread = threading.Thread(target=self.run, name="playhead-server", daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None = None,
        error: BaseException | None = None,
        trace: TracebackType | None = None,
    ) -> None:
        self.stop()
        if self._thread is not None:
            self._thread.join()
        if self._socket is not None:
            self._socket.close()

    async def breaks(self, scope: Scope, reset: bool) -> None:
        """Breaks the connection on which a request came: with a reset, or by closing it as it is."""
        transport = self._transport(scope.get("client"))
        if transport is None:
            raise BrokenConnection("this answer breaks off, as the script says")
        while transport.get_write_buffer_size() and not transport.is_closing():
            await asyncio.sleep(0.001)  # what was sent before is to arrive
        raw = transport.get_extra_info("socket")
        if reset and raw is not None:
            with contextlib.suppress(OSError):
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        transport.abort()

    def _transport(self, client: Any) -> Any:
        """The transport of a client's connection; None where uvicorn does not tell it."""
        state = getattr(self._server, "server_state", None)
        for connection in [*getattr(state, "connections", ())]:
            if getattr(connection, "client", None) == client and client is not None:
                return getattr(connection, "transport", None)
        return None


def _uvicorn() -> Any:
    try:
        import uvicorn
    except ImportError:
        raise SetupError(_NEEDED) from None
    return uvicorn


def _protocol() -> Any:
    """The class that speaks HTTP: over httptools where that is installed, which would gather up a head without end."""
    try:
        from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
    except ImportError:
        return "h11"  # it has a limit of its own

    class Bounded(HttpToolsProtocol):
        beyond = 0
        within_head = False

        def on_message_begin(self) -> None:
            super().on_message_begin()
            self.beyond, self.within_head = 0, True

        def on_headers_complete(self) -> None:
            self.within_head = False
            super().on_headers_complete()

        def data_received(self, data: bytes) -> None:
            if self.within_head:
                self.beyond += len(data)
                if self.beyond > _HEAD:
                    self.send_400_response("The head of the request is too large.")
                    return
            super().data_received(data)

    return Bounded


def _listening(host: str, port: int) -> socket.socket:
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        # the protocol is named since asyncio switches Nagle's algorithm off only where it is; 40 ms for every answer
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    except OSError as error:
        raise SetupError(f"there is no address {host!r} to listen on: {error}") from None
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(1024)
    except OSError as error:
        listening.close()
        raise SetupError(f"{host}:{port} cannot be listened on: {error.strerror or error}") from None
    return listening

"""The recording proxy: an ASGI application that passes requests on to the API through a transport, and answers back.

Law: bytes pass as they come, in both directions, and nothing of them is kept here: what records is the transport. What
concerns one connection only (RFC 9110, 7.6.1) is not passed on; all else is, keys too.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from playhead.doors.asgi import (
    Breaks,
    Receive,
    Scope,
    Send,
    answer_with,
    body_of,
    headers_of,
    lifespan,
    raise_to_server,
    refuse,
)
from playhead.engine.http import Outgoing, json_answer
from playhead.errors import SetupError
from playhead.rules.checker import error_body

API = "https://api.anthropic.com"
_OF_THE_CONNECTION = frozenset(
    b"connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding "
    b"upgrade host expect".split()
)
_SECONDS: Mapping[str, float] = MappingProxyType({"connect": 30.0, "read": 600.0, "write": 600.0, "pool": 30.0})
"""How long the API may take; the read time is the SDK's own."""


class Proxy:
    """Passes everything on to `upstream`, a base URL, through a transport of the HTTP library that is installed.

    Raises `SetupError` for what is no base URL.
    """

    def __init__(self, upstream: str, transport: Any, breaks: Breaks = raise_to_server) -> None:
        self._base = base_url(upstream)
        self._transport = transport
        self._breaks = breaks
        self._module = http_module()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await lifespan(receive, send, self._transport.aclose)
            return
        if scope["type"] != "http":
            return
        body = await body_of(scope, headers_of(scope["headers"]), receive)
        if body is None:
            return
        if not isinstance(body, bytes):
            await refuse(body, scope, receive, send)
            return
        try:
            response = await self._transport.handle_async_request(self._request(scope, body))
        except Exception as error:  # noqa: BLE001  # whatever went wrong between here and the API
            await answer_with(_unreachable(self._base, error), scope, send)
            return
        await self._pass_back(response, scope, receive, send)

    def _request(self, scope: Scope, body: bytes) -> Any:
        path = (scope.get("raw_path") or scope["path"].encode()).partition(b"?")[0].decode("latin-1")
        query = scope.get("query_string", b"").decode("latin-1")
        url = f"{self._base}{path}{'?' + query if query else ''}"
        headers = [*_passed(scope["headers"])]
        return self._module.Request(
            scope["method"], url, headers=headers, content=body, extensions={"timeout": dict(_SECONDS)}
        )

    async def _pass_back(self, response: Any, scope: Scope, receive: Receive, send: Send) -> None:
        """The answer, each piece as it comes, until it ends, breaks, or the client goes away."""
        gone = asyncio.ensure_future(_gone(receive))
        try:
            headers = [*_passed(response.headers.raw)]
            await send({"type": "http.response.start", "status": response.status_code, "headers": headers})
            async for piece in response.stream:
                await send({"type": "http.response.body", "body": piece, "more_body": True})
                if gone.done():
                    return
        except Exception:  # noqa: BLE001  # the connection to the API broke: so does this one
            await self._breaks(scope, True)
            return
        finally:
            gone.cancel()
            await response.aclose()
        await send({"type": "http.response.body", "body": b"", "more_body": False})


def base_url(upstream: str) -> str:
    """A base URL without the slash at its end. Raises `SetupError`."""
    try:
        parts = urlsplit(upstream)
        known = parts.scheme in ("http", "https") and bool(parts.hostname) and not parts.query and not parts.fragment
    except ValueError:
        known = False
    if not known:
        raise SetupError(f"upstream is a base URL such as {API}, not {upstream!r}")
    return upstream.rstrip("/")


def http_module() -> Any:
    """The HTTP library that the installed SDK brings: httpx2, or httpx before it."""
    for name in ("httpx2", "httpx"):
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    raise SetupError("neither httpx2 nor httpx is installed; the anthropic package brings one of them")


def _passed(headers: Iterable[tuple[bytes, bytes]]) -> Iterable[tuple[bytes, bytes]]:
    pairs = [(name.lower(), value) for name, value in headers]
    named = {token.strip().lower() for name, value in pairs if name == b"connection" for token in value.split(b",")}
    return ((name, value) for name, value in pairs if name not in _OF_THE_CONNECTION and name not in named)


def _unreachable(base: str, error: Exception) -> Outgoing:
    """What a gateway says when it gets no answer; the client tries again, as it would have."""
    late = "Timeout" in type(error).__name__
    status, kind = (504, "timeout_error") if late else (502, "api_error")
    what = "did not answer in time" if late else f"cannot be reached: {str(error) or type(error).__name__}"
    body = error_body(kind, f"Playhead: {base} {what}", "req_proxy")
    return json_answer(status, body, "req_proxy")


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass

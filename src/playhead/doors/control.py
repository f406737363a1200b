"""The control path of a served fake: its verdict, its session, a reset, another script; for programs on this machine.

Law: looks and hands on. It answers this machine alone, and no page in a browser: nothing says who asks but the address
he comes from, the host he names and the origin that a browser adds.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

from playhead.doors.asgi import Scope, headers_of
from playhead.engine.http import Outgoing, json_answer
from playhead.errors import PlayheadError
from playhead.rules.checker import error_body
from playhead.wire.codec import JsonObject

PREFIX = "/_playhead/"
_ID = "req_control"


class Controlled(Protocol):
    """What the control path needs of a fake that is served."""

    def verdict(self) -> JsonObject: ...

    def session(self) -> JsonObject: ...

    def reset(self) -> None: ...

    def load(self, text: bytes) -> None: ...


class _Command(NamedTuple):
    method: str
    run: Callable[[Controlled, bytes], JsonObject | None]


def _reset(served: Controlled, body: bytes) -> None:
    served.reset()


def _load(served: Controlled, body: bytes) -> None:
    served.load(body)


COMMANDS: Mapping[str, _Command] = {
    "verdict": _Command("GET", lambda served, body: served.verdict()),
    "session": _Command("GET", lambda served, body: served.session()),
    "reset": _Command("POST", _reset),
    "script": _Command("POST", _load),
}
"""What can be asked for below `/_playhead/`."""


class Control:
    """Answers what stands below `/_playhead/`, and nothing else."""

    def __init__(self, served: Controlled) -> None:
        self._served = served

    def __call__(self, scope: Scope, body: bytes) -> Outgoing | None:
        path = str(scope["path"])
        if not path.startswith(PREFIX):
            return None
        stranger = _stranger(scope)
        if stranger is not None:
            return _error(403, "permission_error", f"Playhead: {stranger}")
        name = path.removeprefix(PREFIX)
        command = COMMANDS.get(name)
        if command is None:
            return _error(404, "not_found_error", f"Playhead: there is no {name!r} here, only {', '.join(COMMANDS)}")
        if scope["method"] != command.method:
            return _error(405, "invalid_request_error", f"Playhead: {path} is asked for with {command.method}")
        try:
            return json_answer(200, command.run(self._served, body) or {"ok": True}, _ID)
        except PlayheadError as error:
            return _error(400, "invalid_request_error", f"Playhead: {error}")


def _stranger(scope: Scope) -> str | None:
    """Why a request is none from a program on this machine; None where it is one."""
    client = scope.get("client")
    if client is None or not _is_loopback(str(client[0])):
        return "the control path answers this machine only"
    headers = headers_of(scope["headers"])
    if "origin" in headers or headers.get("sec-fetch-site", "none") != "none":
        return "the control path does not answer pages in a browser"
    host = _name(headers.get("host", ""))
    if host != "localhost" and not _is_loopback(host):
        return f"the control path is not at {host!r}: name it by 127.0.0.1 or localhost"
    return None


def _name(host: str) -> str:
    """The name or address in a host header, without its port."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0].lower()


def _is_loopback(host: str) -> bool:
    try:
        address = ipaddress.ip_address(host)
        # a server on :: sees clients of IPv4 under such addresses
        return (getattr(address, "ipv4_mapped", None) or address).is_loopback
    except ValueError:
        return False


def _error(status: int, kind: str, message: str) -> Outgoing:
    headers: dict[str, Any] = {"x-should-retry": "false"}
    return json_answer(status, error_body(kind, message, _ID), _ID, **headers)

"""A base URL under the loops that build their own client.

Law: a server and a door over whoever answers; the environment is changed while it is open, and then as it was.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from msgspec import structs

from playhead.doors.asgi import Door
from playhead.doors.server import Server
from playhead.engine.http import Incoming, Outgoing
from playhead.serving import environment

FOR_EVER = 10.0**6
"""The delay in seconds of an answer that never comes."""


@contextmanager
def served(answer: Callable[[Incoming], Outgoing]) -> Iterator[str]:
    """Serves what `answer` answers, and sets `ANTHROPIC_BASE_URL` and a key. Raises `SetupError` without uvicorn."""

    async def breaks(scope: object, reset: bool) -> None:
        await server.breaks(scope, reset)  # type: ignore[arg-type]

    server = Server(Door(lambda incoming: _broken_off(answer(incoming)), _pause, breaks=breaks))
    with server:
        variables = environment(server.url)
        before = {name: os.environ.get(name) for name in variables}
        os.environ.update(variables)
        try:
            yield server.url
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value


def _broken_off(answer: Outgoing) -> Outgoing:
    """The answer, with a connection that breaks where it would let the client wait: how long one waits behind a base
    URL is its own affair (the SDK's clients ten minutes), and no search waits for it.
    """
    return structs.replace(answer, fault="read") if answer.fault in _ENDLESS else answer


_ENDLESS = ("timeout", "connect_timeout", "write_timeout")


def _pause(seconds: float, awaits: bool) -> Awaitable[object] | None:
    """Pauses cost no time, but for those that are to have no end."""
    return asyncio.sleep(seconds) if seconds >= FOR_EVER else None

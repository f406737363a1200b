"""Answers from a cassette for a client that may ask somebody else as well: nothing is judged, nothing fails.

Law: pure, as the engine is; a request comes in, the recorded answer goes out, None where there is none.
"""

from __future__ import annotations

from playhead.engine.http import Incoming, Outgoing
from playhead.engine.sending import Asked
from playhead.engine.tape import Tape
from playhead.wire.codec import JsonError
from playhead.wire.exchange import Exchange
from playhead.wire.reading import Bodies


class Played:
    """A tape, and the requests that were put to it."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self._bodies = Bodies()
        self._asked = 0

    def answer(self, incoming: Incoming) -> Outgoing | None:
        """The recorded answer to a request, each played once. Raises `SetupError` where a volatile function fails."""
        self._asked += 1
        try:
            body = self._bodies.read(incoming.body).body if incoming.body else None
        except JsonError:
            body = None
        exchange = Exchange(
            number=self._asked, method=incoming.method, path=incoming.path, headers=incoming.headers, request=body
        )
        found = self.tape.find(exchange, incoming.body)
        if found.position is None:
            return None
        stream = body is not None and body.get("stream") is True
        asked = Asked(f"req_{self._asked:04d}", stream=stream, timeouts=incoming.timeouts)
        return self.tape.play(found.position, asked).outgoing

"""One recorded call: what was sent and what came back, to the byte.

Law: plain values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from types import MappingProxyType

from playhead.cassettes.bodies import Body
from playhead.wire.tables import MESSAGES_PATH

FAULTS = ("connect", "read", "write", "timeout", "connect_timeout", "write_timeout", "close", "abandoned")
"""How a connection can have failed, in the words of a script's `drop`; `abandoned` is a client that read no further."""

_NONE: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back: the content decoded, in the pieces in which it came.

    `status` is 0 where nothing came. `ends` are the offsets at which pieces end, the last one left out; `times` the
    milliseconds after the request at which each piece came, empty where they are not known. `fault` is how the
    connection broke, None where the answer came to its end.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: _NONE)
    body: bytes = b""
    ends: tuple[int, ...] = ()
    times: tuple[int, ...] = ()
    fault: str | None = None

    @property
    def chunks(self) -> tuple[bytes, ...]:
        """The pieces."""
        places = [0, *self.ends, len(self.body)]
        return tuple(self.body[start:end] for start, end in pairwise(places)) if self.body else ()

    @property
    def streamed(self) -> bool:
        """Whether it is a stream of events."""
        return self.headers.get("content-type", "").startswith("text/event-stream")


@dataclass(frozen=True, slots=True, kw_only=True)
class Interaction:
    """A request and its answer. Header names are in lower case; `headers` are those that are kept."""

    method: str = "POST"
    path: str = MESSAGES_PATH
    headers: Mapping[str, str] = field(default_factory=lambda: _NONE)
    body: Body = field(default_factory=lambda: Body(raw=b""))
    answer: Answer = field(default_factory=Answer)

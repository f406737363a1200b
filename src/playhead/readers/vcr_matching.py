"""vcrpy's requests compared by what they mean: the key of each, worked out once.

Law: knows vcrpy's requests by their public attributes only. What may differ between two requests to Claude is said by
cassettes/normal.py; requests to others are the same where method and URL are, which is vcrpy's own default.

vcrpy compares each request with every recorded one, several times over, so that a comparison must cost nothing but
looking at two keys. It calls from whatever thread a client is in: hence the lock.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit
from weakref import WeakKeyDictionary

from playhead.cassettes.bodies import Body, Shelf
from playhead.cassettes.departure import departure
from playhead.cassettes.hosts import is_claudes, written_url
from playhead.cassettes.interaction import Interaction
from playhead.cassettes.matching import NO_MESSAGES, Asked, Chains, Key, Recorded
from playhead.cassettes.normal import Rules
from playhead.readers.vcr_requests import to_bytes
from playhead.wire.codec import JsonError

NAME = "playhead"
_PORTS = {"http": 80, "https": 443}


class Desk:
    """Where requests are read while a cassette is open, each sharing what it can with those before."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._shelf, self._chains = Shelf(), Chains(rules)

    def shelved(self, request: Any) -> Body:
        """The request's body."""
        body: Body | None = getattr(request, "shelved", None)
        return body if body is not None else self._shelf.put(to_bytes(request.body))

    def asked(self, request: Any) -> Asked:
        """The request as it is matched. Raises `SetupError` where a volatile function or a scrubber does."""
        path = written_url(request.uri)
        headers = {name.lower(): str(value) for name, value in request.headers.items()}
        if not is_claudes(path, headers):
            return Asked(_key_of_another(request.method, path), NO_MESSAGES)
        self.rules.mask.learn(headers)
        return self._chains.of_interaction(Interaction(method=request.method, path=path, body=self.shelved(request)))


def _key_of_another(method: str, url: str) -> Key:
    parts = urlsplit(url)
    place = (parts.scheme, parts.hostname, parts.port or _PORTS.get(parts.scheme), parts.path or "/")
    return Key(method, repr((place, sorted(parse_qsl(parts.query)))), b"", b"")


class Departed(NamedTuple):
    """A request that no recorded one fits, and the nearest: its number (from 1), and where they first differ.

    `path` is empty where the request was recorded, and has been played.
    """

    number: int
    path: str
    recorded: str
    today: str
    likely: str
    volatile: tuple[str, ...]


class Matcher:
    """Compares two requests; registered with vcrpy under its `__name__`."""

    def __init__(self, rules: Callable[[], Rules]) -> None:
        self.__name__ = NAME
        self._rules = rules
        self._desk = Desk(rules())
        self._keys: WeakKeyDictionary[Any, Key] = WeakKeyDictionary()
        self._lock = threading.Lock()

    def open(self) -> None:
        """A cassette is opened: what was kept of requests to others before may go with them."""
        with self._lock:
            self._desk = Desk(self._rules())

    def __call__(self, today: Any, recorded: Any) -> None:
        """Raises `AssertionError` where they do not mean the same, as vcrpy's own matchers do."""
        if self.key(today) != self.key(recorded):
            raise AssertionError("they do not say the same (playhead.readers.vcr.explain tells where)")

    def key(self, request: Any) -> Key:
        """What the request has in common with those that mean the same."""
        key = self._keys.get(request)
        if key is None:
            with self._lock:
                key = self._keys[request] = self._desk.asked(request).key
        return key

    def departed(self, request: Any, recorded: Iterable[Any], played: Iterable[int]) -> Departed | None:
        """Where a request leaves the nearest of the recorded ones; None where nothing of its kind was recorded.

        `played` are the positions of those that have been played.
        """
        desk = Desk(self._rules())
        requests = [*recorded]
        known = Recorded([desk.asked(one) for one in requests])
        known.played.update(played)
        asked = desk.asked(request)
        nearest = known.nearest(asked)
        if nearest is None:
            return None
        if known.knows(asked.key):
            return Departed(nearest.position + 1, "", "", "", "it is sent once more than it was recorded", ())
        try:
            theirs, ours = desk.shelved(requests[nearest.position]).values(), desk.shelved(request).values()
        except JsonError:
            return None
        left = departure(theirs, ours, desk.rules)
        if left is None:
            return None
        return Departed(nearest.position + 1, left.path, left.recorded, left.today, left.likely, left.volatile)

"""Which recorded request does this one mean? Found by conversation and content, whatever came between or at once.

Law: pure and incremental; finds, and explains nothing. In what two requests may differ is said by normal.py.

A request's key is its method, its endpoint, a digest of its envelope (all but the messages) and one of its messages,
chained message by message. A chain is shared by all that begin with the same messages, so a request that extends an
earlier one costs only what it adds: recorded bodies are walked along what each adds to the one before, live ones along
the messages that their reading shares with earlier ones.
"""

from __future__ import annotations

import hashlib
import operator
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode

from playhead.cassettes.bodies import MESSAGES, Body
from playhead.cassettes.interaction import Interaction
from playhead.cassettes.normal import Rules, normal_envelope, normal_message
from playhead.wire.cloud import as_the_api_has_it, cloud_of
from playhead.wire.codec import JsonError, JsonObject, canonical, decode_object
from playhead.wire.exchange import endpoint_of
from playhead.wire.tables import COUNT_TOKENS_PATH, MESSAGES_PATH

_REMEMBERED = 16
"""How many envelopes are known again by the objects they hold; another one is made normal anew."""


class Key(NamedTuple):
    """What two requests have in common that mean the same."""

    method: str
    endpoint: str
    envelope: bytes
    messages: bytes


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """Messages up to one of them: the digest of all, of this one alone, and how many they are."""

    digest: bytes
    own: bytes
    before: Node | None = field(repr=False)
    count: int

    def back(self) -> Iterator[Node]:
        """This one and those before it, without the empty one."""
        node = self
        while node.before is not None:
            yield node
            node = node.before

    def at(self, count: int) -> Node:
        """The first so many of these messages."""
        node = self
        while node.count > count and node.before is not None:
            node = node.before
        return node


NO_MESSAGES = Node(b"", b"", None, 0)


class Asked(NamedTuple):
    """A request as it is matched."""

    key: Key
    node: Node = NO_MESSAGES


class Chains:
    """Digests of requests, live and recorded, each part worked out once."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._by_last: dict[int, tuple[Sequence[object], Node]] = {}
        self._by_body: dict[int, tuple[Body, Node]] = {}
        self._own: dict[int, tuple[object, int, bytes]] = {}
        self._envelopes: deque[tuple[JsonObject, bytes]] = deque(maxlen=_REMEMBERED)

    def ask(self, method: str, path: str, body: JsonObject | None, raw: bytes = b"") -> Asked:
        """A request as it is matched; `raw` is looked at where `body` is None. Raises what a volatile function does."""
        endpoint = self._endpoint(path)
        if body is None:
            try:
                body = decode_object(raw)
            except JsonError:
                return Asked(Key(method, endpoint, _hashed(self._plain(raw)), b""))
        messages = body.get(MESSAGES)
        node = self._node(messages) if isinstance(messages, list) else NO_MESSAGES
        return Asked(Key(method, endpoint, self._envelope(path, body), node.digest), node)

    def of_interaction(self, interaction: Interaction) -> Asked:
        """A recorded request as it is matched."""
        method, path, body = interaction.method, interaction.path, interaction.body
        if body.raw is not None:
            return self.ask(method, path, None, body.raw)
        node = self._of_body(body)
        members = {name: kept.value for name, kept in body.envelope.items() if name != MESSAGES}
        return Asked(Key(method, self._endpoint(path), self._envelope(path, members), node.digest), node)

    def _endpoint(self, path: str) -> str:
        return endpoint_key(path if path == MESSAGES_PATH else self.rules.mask.url(path))

    def _plain(self, raw: bytes) -> bytes:
        """A body that is no JSON object, without its secrets and what clients make anew each time."""
        text = _without_boundary(raw).decode("utf-8", "surrogateescape")
        return self.rules.mask.text(text).encode("utf-8", "surrogateescape")

    def _of_body(self, body: Body) -> Node:
        # most often only the body itself is new; in a cassette in which answers came in another order, more may be
        new: list[Body] = []
        before: Body | None = body
        while before is not None and id(before) not in self._by_body:
            new.append(before)
            before = before.before
        node = NO_MESSAGES if before is None else self._by_body[id(before)][1]
        for body in reversed(new):
            node = node.at(body.kept)
            for message in body.added:
                node = self._child(node, message.value)
            self._by_body[id(body)] = body, node
        return node

    def _envelope(self, path: str, body: JsonObject) -> bytes:
        """The digest of all but the messages."""
        cloud = cloud_of(path)
        if cloud is not None:
            body, _ = as_the_api_has_it(cloud, body, {})
        members = {name: value for name, value in body.items() if name != MESSAGES or not isinstance(value, list)}
        for known, digest in self._envelopes:
            if _is_same_envelope(known, members):
                return digest
        digest = _hashed(canonical(normal_envelope(members, self.rules)))
        self._envelopes.appendleft((members, digest))
        return digest

    def _node(self, messages: Sequence[object]) -> Node:
        node = self._known(messages)
        for message in messages[node.count :]:
            node = self._child(node, message)
        if messages:
            self._by_last[id(messages[-1])] = messages, node
        return node

    def _known(self, messages: Sequence[object]) -> Node:
        """The longest beginning of these messages that is, object by object, the messages of an earlier request."""
        for count in range(len(messages), 0, -1):
            theirs, node = self._by_last.get(id(messages[count - 1]), ((), NO_MESSAGES))
            if len(theirs) == count and all(map(operator.is_, theirs, messages)):
                return node
        return NO_MESSAGES

    def _child(self, node: Node, message: object) -> Node:
        # the same object in the same place: only what stands before it may be another
        known = self._own.get(id(message))
        if known is None or known[0] is not message or known[1] != node.count:
            own = _hashed(canonical(normal_message(message, node.count, self.rules)))
            known = self._own[id(message)] = message, node.count, own
        own = known[2]
        return Node(_hashed(node.digest + own), own, node, node.count + 1)


class Nearest(NamedTuple):
    """The recorded request that comes nearest to one that fits none; `shared` messages they begin with alike."""

    position: int
    shared: int


class Recorded:
    """Recorded requests in their order, and which of them have been played."""

    def __init__(self, requests: Iterable[Asked]) -> None:
        self.requests = tuple(requests)
        self.played: set[int] = set()
        self._waiting: dict[Key, deque[int]] = {}
        self._digests: set[bytes] = set()
        for position, asked in enumerate(self.requests):
            self._waiting.setdefault(asked.key, deque()).append(position)
            for node in asked.node.back():
                if node.digest in self._digests:
                    break
                self._digests.add(node.digest)

    def next(self, key: Key) -> int | None:
        """The position of the first request of this key that is not played yet; None where there is none."""
        waiting = self._waiting.get(key)
        return waiting[0] if waiting else None

    def take(self, position: int) -> None:
        """Plays the first request of its key: each is played once, in the order of recording."""
        waiting = self._waiting[self.requests[position].key]
        assert waiting[0] == position
        self.played.add(waiting.popleft())

    def knows(self, key: Key) -> bool:
        """Whether such a request was recorded, played or not."""
        return key in self._waiting

    @property
    def unplayed(self) -> tuple[int, ...]:
        """The positions of the requests that were not played."""
        return tuple(position for position in range(len(self.requests)) if position not in self.played)

    def nearest(self, asked: Asked) -> Nearest | None:
        """The recorded request that is nearest to this one; None where its endpoint was not recorded.

        Of those that are equally near, one not yet played comes first, then one with the same envelope, then the
        first recorded. Where none begins alike, the one that holds most of the messages is near: the history may have
        been cut in front.
        """
        common = next((node for node in asked.node.back() if node.digest in self._digests), NO_MESSAGES)
        loose = {node.own for node in asked.node.back()} if not common.count else set()
        best: tuple[tuple[int, int, bool, bool], int] | None = None
        for position, known in enumerate(self.requests):
            if known.key[:2] != asked.key[:2]:
                continue
            shared = common.count if known.node.at(common.count).digest == common.digest else 0
            held = sum(node.own in loose for node in known.node.back()) if loose else 0
            near = (shared, held, position not in self.played, known.key.envelope == asked.key.envelope)
            if best is None or near > best[0]:
                best = near, position
        return None if best is None else Nearest(best[1], best[0][0])


def endpoint_key(path: str) -> str:
    """The endpoint as it is matched: without host-specific parts, a cloud named in front.

    Of `/v1/messages` and its token count the query says nothing; elsewhere it is part of what is asked for.
    """
    plain, _, query = path.partition("?")
    endpoint = endpoint_of(path)
    cloud = cloud_of(plain)
    if cloud is not None:
        return f"{cloud.vendor}:{endpoint}"
    if endpoint in (MESSAGES_PATH, COUNT_TOKENS_PATH):
        return endpoint
    start = endpoint.find("/v1/")
    asked = urlencode(sorted(parse_qsl(query, keep_blank_values=True)))
    return f"{endpoint[max(start, 0) :]}{'?' if asked else ''}{asked}"


def _is_same_envelope(known: JsonObject, members: JsonObject) -> bool:
    """Whether they hold the same objects: nothing need be compared then. What is equal all the same is found later."""
    return len(known) == len(members) and all(
        name in known and (known[name] is value or (type(value) is str and known[name] == value))
        for name, value in members.items()
    )


def _without_boundary(raw: bytes) -> bytes:
    """A form's bytes without the boundary between its parts, which clients make anew each time."""
    if not raw.startswith(b"--"):
        return raw
    boundary = raw[2:].partition(b"\r\n")[0]
    return raw.replace(boundary, b"") if boundary else raw


def _hashed(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()

"""Which recorded request is meant: by conversation and content, in the order of recording, at a cost of what is new."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playhead.cassettes.bodies import Body, Shelf
from playhead.cassettes.interaction import Interaction
from playhead.cassettes.matching import Asked, Chains, Nearest, Recorded, endpoint_key
from playhead.cassettes.normal import Rules
from playhead.cassettes.style import Kept
from playhead.wire.codec import decode_object
from playhead.wire.tables import COUNT_TOKENS_PATH, MESSAGES_PATH


def body(*messages: str, **members: object) -> dict[str, Any]:
    """User and assistant in turns, each with a text."""
    said = [{"role": ("user", "assistant")[at % 2], "content": text} for at, text in enumerate(messages)]
    return {"model": "claude-opus-5-5", "max_tokens": 64, "messages": said, **members}


def recorded(*bodies: dict[str, Any], path: str = MESSAGES_PATH) -> tuple[Chains, Recorded]:
    shelf, chains = Shelf(), Chains(Rules.of())
    calls = [Interaction(path=path, body=shelf.put(json.dumps(one).encode())) for one in bodies]
    return chains, Recorded(map(chains.of_interaction, calls))


def ask(chains: Chains, request: dict[str, Any], path: str = MESSAGES_PATH) -> Asked:
    return chains.ask("POST", path, request)


def play(chains: Chains, tape: Recorded, request: dict[str, Any]) -> int | None:
    position = tape.next(ask(chains, request).key)
    if position is not None:
        tape.take(position)
    return position


def test_requests_are_found_in_any_order() -> None:
    """Two conversations that were recorded in turns are played one after the other."""
    bodies = [body("a"), body("b"), body("a", "x", "c"), body("b", "y", "c")]
    chains, tape = recorded(*bodies)
    assert [play(chains, tape, bodies[at]) for at in (1, 3, 0, 2)] == [1, 3, 0, 2]
    assert tape.unplayed == ()


def test_identical_requests_are_played_in_the_order_of_recording() -> None:
    """A retry is an exchange of its own; each is played once, and then there is none."""
    chains, tape = recorded(body("a"), body("b"), body("a"))
    assert [play(chains, tape, body("a")) for _ in range(3)] == [0, 2, None]
    assert tape.knows(ask(chains, body("a")).key)
    assert tape.unplayed == (1,)


def test_a_conversation_is_told_by_all_that_came_before() -> None:
    """The same last message after another history is another request."""
    chains, tape = recorded(body("a", "x", "go on"), body("b", "x", "go on"))
    assert play(chains, tape, body("b", "x", "go on")) == 1
    assert play(chains, tape, body("c", "x", "go on")) is None


HISTORIES: dict[str, list[dict[str, Any]]] = {
    "grown": [body("a"), body("a", "x", "b"), body("a", "x", "b", "y", "c")],
    "cut in front": [body("a", "x", "b"), body("b", "y", "c")],
    "cut at the end": [body("a", "x", "b"), body("a", "x"), body("a")],
    "edited": [body("a", "x", "b"), body("a", "z", "b", "y", "c")],
    "a fork": [body("a"), body("a", "x", "b"), body("a", "x", "c"), body("a", "x", "b", "y", "d")],
    "another envelope": [body("a"), body("a", "x", "b", system="s"), body("a", "x", "b", "y", "c", system="s")],
    "none": [body(), body("a")],
}


@pytest.mark.parametrize("bodies", HISTORIES.values(), ids=HISTORIES)
def test_recorded_bodies_and_live_ones_have_the_same_keys(bodies: list[dict[str, Any]]) -> None:
    """Whether they share their history on the shelf, as live objects, or not at all."""
    chains, tape = recorded(*bodies)
    shared: list[Any] = []
    for request, known in zip(bodies, tape.requests, strict=True):
        messages = request["messages"]
        same = [one for one, other in zip(shared, messages, strict=False) if one == other]
        shared = [*same, *messages[len(same) :]] if same == messages[: len(same)] else messages
        assert ask(chains, {**request, "messages": shared}).key == known.key
        assert ask(Chains(Rules.of()), request).key == known.key


def counted(chains_rules: list[int]) -> Rules:
    """Rules that count the characters they see."""

    def count(text: str) -> str:
        chains_rules.append(len(text))
        return text

    return Rules.of(count)


def test_a_recording_and_a_replay_cost_what_is_new() -> None:
    """A conversation of n turns is read once, recorded and live: twice as long costs twice as much."""

    def cost(turns: int) -> tuple[int, int]:
        seen: list[int] = []
        chains, shelf = Chains(counted(seen)), Shelf()
        texts = [f"text {number:06}" for number in range(2 * turns + 1)]
        bodies = [body(*texts[: 2 * turn + 1], system="s" * 500) for turn in range(turns)]
        calls = [Interaction(body=shelf.put(json.dumps(one).encode())) for one in bodies]
        tape = Recorded(map(chains.of_interaction, calls))
        building = sum(seen)
        seen.clear()
        live: list[Any] = []
        system = bodies[0]["system"]
        for request in bodies:
            live = [*live, *request["messages"][len(live) :]]
            assert play(chains, tape, {**request, "messages": live, "system": system}) is not None
        return building, sum(seen)

    (once, once_live), (twice, twice_live) = cost(100), cost(200)
    assert once > 1000
    assert once_live > 1000
    assert twice < 2.1 * once
    assert twice_live < 2.1 * once_live


def test_messages_that_are_known_are_not_read_again() -> None:
    """Where only their mark in the middle moved, as a cache mark does, the objects around it are known."""
    seen: list[int] = []
    chains = Chains(counted(seen))
    first = [{"role": "user", "content": f"text {number:06}"} for number in range(100)]
    one = ask(chains, {"messages": first})
    seen.clear()
    second = [*first[:50], {**first[50], "extra": "x"}, *first[51:]]
    other = ask(chains, {"messages": second})
    assert one.node.at(50).digest == other.node.at(50).digest
    assert one.key != other.key
    assert sum(seen) < 50
    assert ask(Chains(Rules.of()), {"messages": json.loads(json.dumps(second))}).key == other.key


TEXT = st.text(max_size=5)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
MESSAGE = st.fixed_dictionaries({"role": st.sampled_from(["user", "assistant"]), "content": JSON})


def rewritten(value: Any) -> Any:
    """The same JSON value in another order, with whole numbers as floats."""
    if isinstance(value, dict):
        return {name: rewritten(value[name]) for name in reversed(value)}
    if isinstance(value, list):
        return [rewritten(item) for item in value]
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return value


@settings(deadline=None, max_examples=100)
@given(
    st.lists(st.tuples(st.integers(0, 4), st.lists(MESSAGE, max_size=3), JSON), min_size=1, max_size=6),
    st.randoms(use_true_random=False),
)
def test_any_session_is_found_again(turns: list[tuple[int, list[Any], Any]], chance: Any) -> None:
    """In whatever order it is asked for and however it is written; every recorded request is played once."""
    bodies, history = [], []
    for kept, added, value in turns:
        history = [*history[:kept], *added]
        bodies.append({"messages": history, "system": value})
    chains, tape = recorded(*bodies)
    order = list(range(len(bodies)))
    chance.shuffle(order)
    for at in order:
        asked = ask(chains, rewritten(bodies[at]))
        assert asked.key == tape.requests[at].key
        position = tape.next(asked.key)
        assert position is not None
        assert tape.requests[position].key == tape.requests[at].key
        tape.take(position)
    assert tape.unplayed == ()
    assert all(tape.next(known.key) is None for known in tape.requests)


def test_a_body_may_go_on_from_one_that_comes_later() -> None:
    """Answers that came in another order than they were asked for; however many bodies lie between."""
    bodies: list[Body] = []
    for number in range(2000):
        before = bodies[-1] if bodies else None
        bodies.append(Body(before=before, kept=number, added=(Kept({"role": "user", "content": str(number)}),)))
    forwards, backwards = Chains(Rules.of()), Chains(Rules.of())
    keys = [forwards.of_interaction(Interaction(body=one)).key for one in bodies]
    assert [backwards.of_interaction(Interaction(body=one)).key for one in reversed(bodies)] == keys[::-1]
    assert len(set(keys)) == len(keys)


def test_an_envelope_of_new_objects_is_the_same_envelope() -> None:
    """What is remembered by its objects is only a short cut."""
    chains, tape = recorded(*(body("a", system=f"s{number}") for number in range(40)))
    for number in (39, 0, 20):
        again = decode_object(json.dumps(body("a", system=f"s{number}")))
        assert play(chains, tape, again) == number


def test_null_members_are_not_mistaken() -> None:
    """An envelope of as many members, null in another place, is told apart."""
    chains, _ = recorded()
    one = ask(chains, {**body("a"), "system": None, "top_k": 5}).key
    assert one != ask(chains, {**body("a"), "top_p": None, "top_k": None}).key
    assert one == ask(chains, {**body("a"), "top_k": 5}).key


NEAREST: dict[str, tuple[list[dict[str, Any]], list[int], dict[str, Any], Nearest]] = {
    "the longest beginning": (
        [body("a"), body("a", "x", "b"), body("c")],
        [],
        body("a", "x", "z"),
        Nearest(1, 2),
    ),
    "not yet played first": ([body("a"), body("b"), body("c")], [0], body("z"), Nearest(1, 0)),
    "the one that goes on from there": (
        [body("a"), body("a", "x", "b"), body("a", "x", "b", "y", "c")],
        [0, 1],
        body("a", "x", "b", "y", "z"),
        Nearest(2, 4),
    ),
    "the same envelope": ([body("a", system="s"), body("a", system="t")], [], body("b", system="t"), Nearest(1, 0)),
    "another envelope, the same messages": (
        [body("b"), body("a", system="s")],
        [],
        body("a", system="t"),
        Nearest(1, 1),
    ),
    "cut in front": (
        [body("a", "x", "b"), body("c", "y", "d", "z", "e"), body("f")],
        [],
        body("d", "z", "e"),
        Nearest(1, 0),
    ),
    "all played": ([body("a")], [0], body("b"), Nearest(0, 0)),
}


@pytest.mark.parametrize(("bodies", "played", "request_body", "expected"), NEAREST.values(), ids=NEAREST)
def test_the_nearest(
    bodies: list[dict[str, Any]], played: Sequence[int], request_body: dict[str, Any], expected: Nearest
) -> None:
    """The one that says most of where today's request leaves the recording."""
    chains, tape = recorded(*bodies)
    for position in played:
        assert play(chains, tape, bodies[position]) == position
    assert tape.nearest(ask(chains, request_body)) == expected


def test_nothing_is_near_on_another_endpoint() -> None:
    """A token count is no message, whatever its messages are."""
    chains, tape = recorded(body("a"))
    assert tape.nearest(ask(chains, body("a"), COUNT_TOKENS_PATH)) is None
    assert tape.next(ask(chains, body("a"), COUNT_TOKENS_PATH).key) is None


ENDPOINTS: list[tuple[str, str]] = [
    ("/v1/messages", "/v1/messages"),
    ("/v1/messages?beta=true", "/v1/messages"),
    ("/gateway/anthropic/v1/messages", "/v1/messages"),
    ("/v1/messages/count_tokens?beta=true", "/v1/messages/count_tokens"),
    ("/v1/models", "/v1/models"),
    ("/gateway/v1/models?limit=5&after_id=a", "/v1/models?after_id=a&limit=5"),
    ("/v1/models?after_id=a&limit=5", "/v1/models?after_id=a&limit=5"),
    ("/v1/models/claude-opus-5-5", "/v1/models/claude-opus-5-5"),
    ("/model/claude-opus-5-5/invoke", "bedrock:/v1/messages"),
    ("/", ""),
]


@pytest.mark.parametrize(("path", "key"), ENDPOINTS, ids=[path for path, _ in ENDPOINTS])
def test_an_endpoint_is_told_without_host_and_gateway(path: str, key: str) -> None:
    """A query counts where it says what is asked for."""
    assert endpoint_key(path) == key


def test_a_clouds_model_stands_in_its_url() -> None:
    """Two requests that differ in it are two; another cloud's is another."""
    chains, _ = recorded()
    plain = {"anthropic_version": "bedrock-2023-05-31", "max_tokens": 5, "messages": []}
    one, same, other, vertex = (
        chains.ask("POST", path, dict(plain)).key
        for path in (
            "/model/a/invoke",
            "/model/a/invoke",
            "/model/b/invoke",
            "/v1/projects/p/locations/l/publishers/anthropic/models/a:rawPredict",
        )
    )
    assert one == same
    assert len({one, other, vertex}) == 3


def test_what_is_no_json_is_compared_as_bytes() -> None:
    """A form's boundary, which is made anew each time, aside."""
    chains, _ = recorded()

    def form(boundary: str, content: str) -> Asked:
        raw = f'--{boundary}\r\nContent-Disposition: form-data; name="file"\r\n\r\n{content}\r\n--{boundary}--\r\n'
        return chains.ask("POST", "/v1/files", None, raw.encode())

    assert form("abc", "x").key == form("def", "x").key
    assert form("abc", "x").key != form("abc", "y").key
    assert chains.ask("GET", "/v1/models", None, b"").key == chains.ask("GET", "/v1/models", None).key
    assert chains.ask("POST", "/v1/x", None, b'{"a": 1}').key == chains.ask("POST", "/v1/x", {"a": 1.0}).key

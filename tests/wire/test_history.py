"""Histories as chains."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.wire.exchange import Exchange
from playhead.wire.history import History, Positions, Sent, back_to, digest, grown, resent

A: dict[str, Any] = {"role": "user", "content": "one"}
B: dict[str, Any] = {"role": "assistant", "content": [{"type": "text", "text": "two"}]}
MARKED = {"role": "user", "content": [{"type": "text", "text": "one", "cache_control": {"type": "ephemeral"}}]}


def chain(*messages: object) -> History:
    history = grown(None, messages)
    assert history is not None
    return history


def test_a_history_grows_by_a_message() -> None:
    """Each part knows the one before it; what two histories share is one object."""
    short = grown(None, [A])
    assert short is not None
    long, other = grown(short, [B, A]), grown(short, [B])
    assert long is not None
    assert other is not None
    assert (short.count, long.count, other.count) == (1, 3, 2)
    assert back_to(long, 1) is back_to(other, 1) is short
    assert back_to(long, 2) is not other
    assert back_to(long, 7) is long
    assert back_to(long, 0) is None
    assert grown(short, []) is short
    assert grown(None, []) is None
    assert repr(long) == "<History of 3 messages>"


def test_digests_are_equal_where_the_messages_say_the_same() -> None:
    """Whatever objects they are, and wherever a cache mark stands."""
    histories = [grown(None, messages) for messages in ([A, B, A], [MARKED, B, dict(A)])]
    assert histories[0] is not None
    assert histories[1] is not None
    assert histories[0].digest == histories[1].digest
    assert histories[0].digest == digest(digest(digest(b"", A), B), A)
    for messages in ([A, B], [A, B, B], [B, A, A], [A, A, B]):
        other = grown(None, messages)
        assert other is not None
        assert other.digest != histories[0].digest


def test_a_digest_is_made_once_for_all() -> None:
    """A message is looked at once, however many histories it begins, and however long they are."""
    looked = 0

    class Counting(dict[str, Any]):
        def get(self, *given: Any) -> Any:
            nonlocal looked
            looked += given[0] == "role"
            return super().get(*given)

    base = grown(None, [Counting(A) for _ in range(5_000)])
    for end in ([B], [A], [B, A]):
        history = grown(base, end)
        assert history is not None
        assert len(history.digest) == 16
    assert looked == 5_000


def test_long_chains_end_like_short_ones() -> None:
    """A hundred thousand messages, the most that a request may have, are dropped without ado."""
    counts: list[int] = []

    def make() -> None:
        history = grown(None, [A] * 100_000)
        counts.append(0 if history is None else history.count)
        del history

    before = threading.stack_size(64 * 1024)  # threads have little on some systems
    try:
        thread = threading.Thread(target=make)
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    assert counts == [100_000]


def test_sent_messages_have_their_history() -> None:
    """As long as they are what was sent."""
    sent = resent(None, [A, B])
    assert sent is not None
    more = resent(sent, [A])
    cut = resent(sent, [A], 1)
    assert more is not None
    assert cut is not None
    assert (more.messages, cut.messages) == ([A, B, A], [A, A])
    assert back_to(more.last, 2) is sent.last
    assert back_to(cut.last, 1) is back_to(sent.last, 1)
    assert resent(None, []) is resent(sent, [], 0) is None
    exchange = Exchange(request={"messages": more.messages}, sent=more)
    assert exchange.history is more.last
    assert "sent=" not in repr(exchange)
    assert exchange == Exchange(request={"messages": [A, B, A]})


CHANGED = {
    "another-list": lambda messages: [*messages],
    "longer": lambda messages: messages.append(A) or messages,
    "shorter": lambda messages: messages.pop() and messages,
    "another-end": lambda messages: messages.__setitem__(-1, dict(B)) or messages,
    "none": lambda messages: [],
}


@pytest.mark.parametrize("change", CHANGED)
def test_what_was_changed_has_another_history(change: str) -> None:
    """Nothing is said of messages that are not the ones that were sent."""
    sent = Sent([A, B], chain(A, B))
    messages = CHANGED[change](sent.messages)
    assert sent.history_of(messages) is None
    assert Exchange(request={"messages": messages}, sent=sent).history is None
    assert Exchange(request={}, sent=sent).history is None
    assert Exchange(sent=sent).history is None
    assert Exchange(request={"messages": [A, B]}).history is None
    twice = Sent([A, A], chain(A, A))
    twice.messages.pop()
    assert twice.history_of(twice.messages) is None


@given(st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=4), max_size=12), st.booleans())
def test_positions(sent: list[list[int]], shared: bool) -> None:
    """Law: each history has the position at which one that says the same was put last, whoever made the objects."""
    positions, by_value, chains = Positions(), dict[tuple[int, ...], int](), dict[tuple[int, ...], History]()
    for position, numbers in enumerate(sent):
        made = grown(None, [{"role": "user", "content": str(number)} for number in numbers])
        assert made is not None
        history = chains.setdefault(tuple(numbers), made) if shared else made
        assert positions.get(history) == by_value.get(tuple(numbers))
        positions.put(history, position)
        by_value[tuple(numbers)] = position
        assert positions.get(made) == position
        kinds = [(len(one), one[0]) for one in sent[: position + 1]]
        assert positions.is_single(history) is (kinds.count((len(numbers), numbers[0])) == 1)


def test_a_conversation_that_goes_on_needs_no_digest() -> None:
    """Where no two histories have one length, each is known without."""
    positions, history = Positions(), None
    for position in range(5):
        history = grown(history, [{"role": "user", "content": str(position)}])
        assert history is not None
        assert positions.get(history) is None
        positions.put(history, position)
    while history is not None:
        assert positions.get(history) == history.count - 1
        assert history._digest == b""
        history = history.before

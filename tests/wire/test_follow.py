"""Exchanges followed into conversations."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from playhead.wire.exchange import Exchange
from playhead.wire.follow import Follower, Link
from playhead.wire.history import resent

Json = dict[str, Any]


def user(words: str) -> Json:
    return {"role": "user", "content": words}


def said(*content: object) -> Json:
    return {"role": "assistant", "content": list(content)}


def text(words: str) -> Json:
    return {"type": "text", "text": words}


def call(identifier: str, **arguments: object) -> Json:
    return {"type": "tool_use", "id": identifier, "name": "add", "input": arguments}


def result(*identifiers: str) -> Json:
    content = [{"type": "tool_result", "tool_use_id": name, "content": "3"} for name in identifiers]
    return {"role": "user", "content": content}


def asked(messages: list[Json], *content: Json, **fields: Any) -> Exchange:
    """An exchange with these messages, answered with these blocks."""
    identifier = fields.pop("id", None)
    request = {"messages": copy.deepcopy(messages), **fields.pop("request", {})}
    response = {"content": list(content), "stop_reason": "end_turn", **({"id": identifier} if identifier else {})}
    return Exchange(request=request, response=response, status=200, **fields)


def broke(messages: list[Json], status: int = 529) -> Exchange:
    return Exchange(request={"messages": copy.deepcopy(messages)}, status=status, error={"type": "overloaded_error"})


def follow(*exchanges: Exchange, alone: bool = False, each: bool = False) -> list[Link]:
    follower = Follower(each=each)
    links = []
    for position, exchange in enumerate(exchanges):
        links.append(follower.place(follower.whole(exchange), alone=alone))
        follower.settle(position, exchange)
    return links


def shape(links: list[Link]) -> list[tuple[str, int, int, int | None, int]]:
    """Kind, conversation, turn, parent and shared messages of each link."""
    return [(link.kind, link.conversation, link.turn, link.parent, link.shared) for link in links]


U1, U2, U3 = user("one"), user("two"), user("three")
A1, A2 = text("first"), text("second")

CASES: dict[str, tuple[list[Exchange], list[tuple[str, int, int, int | None, int]]]] = {
    "a-conversation": (
        [
            asked([U1], call("t1")),
            asked([U1, said(call("t1")), result("t1")], A1),
            asked([U1, said(call("t1")), result("t1"), said(A1), U2], A2),
        ],
        [("start", 1, 1, None, 0), ("continues", 1, 2, 0, 1), ("continues", 1, 3, 1, 3)],
    ),
    "a-retry": (
        [broke([U1]), asked([U1], A1), asked([U1, said(A1), U2], A2)],
        [("start", 1, 1, None, 0), ("repeats", 1, 1, 0, 1), ("continues", 1, 2, 1, 1)],
    ),
    "two-conversations-interleaved": (
        [
            asked([U1], A1),
            asked([U2], A2),
            asked([U1, said(A1), U3], text("x")),
            asked([U2, said(A2), U3], text("y")),
        ],
        [("start", 1, 1, None, 0), ("start", 2, 1, None, 0), ("continues", 1, 2, 0, 1), ("continues", 2, 2, 1, 1)],
    ),
    "a-fork": (
        [
            asked([U1], A1),
            asked([U1, said(A1), U2], A2),
            asked([U1, said(A1), U3], text("x")),
            asked([U1, said(A1), U2, said(A2), U3], text("y")),
        ],
        [
            ("start", 1, 1, None, 0),
            ("continues", 1, 2, 0, 1),
            ("continues", 1, 2, 0, 1),
            ("continues", 1, 3, 1, 3),
        ],
    ),
    "the-sampled-reply-that-came-back": (
        [asked([U1], A1), asked([U1], A2), asked([U1, said(A1), U2], text("x"))],
        [("start", 1, 1, None, 0), ("repeats", 1, 1, 0, 1), ("continues", 1, 2, 0, 1)],
    ),
    "cache-mark-moved-and-string-for-a-block": (
        [
            asked([{"role": "user", "content": [{**text("one"), "cache_control": {"type": "ephemeral"}}]}], A1),
            asked([U1, said(A1), U2], A2),
        ],
        [("start", 1, 1, None, 0), ("continues", 1, 2, 0, 1)],
    ),
    "a-whole-float-that-lost-its-point": (
        [
            asked([U1, said(call("t1", a=1.0)), result("t1")], A1),
            asked([U1, said(call("t1", a=1)), result("t1"), said(A1), U2], A2),
        ],
        [("start", 1, 1, None, 0), ("continues", 1, 2, 0, 3)],
    ),
    "history-dropped-but-the-result": (
        [asked([U1], call("t1")), asked([result("t1")], A1)],
        [("start", 1, 1, None, 0), ("departs", 1, 2, 0, 0)],
    ),
    "first-message-dropped": (
        [asked([U1], call("t1")), asked([said(call("t1")), result("t1")], A1)],
        [("start", 1, 1, None, 0), ("departs", 1, 2, 0, 0)],
    ),
    "first-message-edited": (
        [
            asked([U1, said(A1), U2], call("t1")),
            asked([U1, said(text("edited")), U2, said(call("t1")), result("t1")], A2),
        ],
        [("start", 1, 1, None, 0), ("departs", 1, 2, 0, 1)],
    ),
    "a-reply-of-text-is-evidence-in-its-place": (
        [asked([U1], A1), asked([user("edited"), said(A1), U2], A2)],
        [("start", 1, 1, None, 0), ("departs", 1, 2, 0, 0)],
    ),
    "a-reply-of-text-elsewhere-is-none": (
        [asked([U1], A1), asked([U2, U3, said(A1), U1], A2)],
        [("start", 1, 1, None, 0), ("start", 2, 1, None, 0)],
    ),
    "parallel-conversations-that-say-the-same": (
        [
            asked([U1], A1),
            asked([U1], A1),
            asked([U1], A1),
            asked([U1, said(A1), U2], A2),
            asked([U1, said(A1), U3], A2),
            asked([U1, said(A1), user("four")], A2),
            asked([U1, said(A1), user("five")], A2),
        ],
        [
            ("start", 1, 1, None, 0),
            ("repeats", 1, 1, 0, 1),
            ("repeats", 1, 1, 1, 1),
            ("continues", 1, 2, 2, 1),
            ("continues", 1, 2, 1, 1),
            ("continues", 1, 2, 0, 1),
            ("continues", 1, 2, 2, 1),
        ],
    ),
    "parallel-conversations-with-other-replies-between": (
        [
            asked([U1], A1),
            asked([U1], A2),
            asked([U1], A1),
            asked([U1, said(A1), U2], A2),
            asked([U1, said(A2), U2], A2),
            asked([U1, said(A1), U3], A2),
            asked([U1, said(text("edited")), U3], A2),
        ],
        [
            ("start", 1, 1, None, 0),
            ("repeats", 1, 1, 0, 1),
            ("repeats", 1, 1, 1, 1),
            ("continues", 1, 2, 2, 1),
            ("continues", 1, 2, 1, 1),
            ("continues", 1, 2, 0, 1),
            ("continues", 1, 2, 2, 1),
        ],
    ),
    "the-latest-that-did-not-fail": (
        [asked([U1], A1), broke([U1]), broke([U1]), asked([U1, said(text("edited")), U2], A2)],
        [("start", 1, 1, None, 0), ("repeats", 1, 1, 0, 1), ("repeats", 1, 1, 1, 1), ("continues", 1, 2, 0, 1)],
    ),
    "what-two-replies-share-is-no-evidence": (
        [asked([U1], call("t1")), asked([U2], call("t1")), asked([result("t1")], A1)],
        [("start", 1, 1, None, 0), ("start", 2, 1, None, 0), ("start", 3, 1, None, 0)],
    ),
    "ids-used-again-in-a-later-turn": (
        [
            asked([U1], call("t1")),
            asked([U1, said(call("t1")), result("t1")], call("t1")),
            asked([U1, said(call("t1")), result("t1"), said(call("t1")), result("t1")], A1),
        ],
        [("start", 1, 1, None, 0), ("continues", 1, 2, 0, 1), ("continues", 1, 3, 1, 3)],
    ),
    "resent-history-that-lacks-the-last-turns": (
        [
            asked([U1], call("t1")),
            asked([U1, said(call("t1")), result("t1")], call("t2")),
            asked([U1, said(call("t2")), result("t2")], A1),
        ],
        [("start", 1, 1, None, 0), ("continues", 1, 2, 0, 1), ("departs", 1, 3, 1, 1)],
    ),
    "a-failed-answer-is-no-evidence": (
        [
            Exchange(
                request={"messages": [U1]},
                response={"content": [call("t1")]},
                error={"type": "overloaded_error"},
                status=200,
            ),
            asked([result("t1")], A1),
        ],
        [("start", 1, 1, None, 0), ("start", 2, 1, None, 0)],
    ),
    "no-messages": (
        [Exchange(request={}), Exchange(request={"messages": []}), asked([U1], A1)],
        [("start", 1, 1, None, 0), ("start", 2, 1, None, 0), ("start", 3, 1, None, 0)],
    ),
}


@pytest.mark.parametrize(("exchanges", "links"), CASES.values(), ids=CASES)
def test_links(exchanges: list[Exchange], links: list[tuple[str, int, int, int | None, int]]) -> None:
    """Each request is placed at the one that it continues, repeats or departs from."""
    assert shape(follow(*exchanges)) == links


def test_threads() -> None:
    """Where the server holds the history, a request follows the answer that it names."""
    first = asked([U1], call("t1"), id="msg_1", request={"thread": {"type": "create"}})
    goes_on = {"thread": {"type": "continue", "previous_message_id": "msg_1"}}
    second = asked([result("t1")], A1, id="msg_2", request=goes_on)
    unknown = asked(
        [result("t9")], A1, request={"thread": {"type": "continue", "previous_message_id": "msg_of_another_day"}}
    )
    links = follow(first, second, unknown)
    assert shape(links) == [("start", 1, 1, None, 0), ("continues", 1, 2, 0, 1), ("start", 2, 1, None, 0)]
    assert [link.held for link in links] == [False, False, True]


def test_a_thread_is_whole_with_what_the_server_holds() -> None:
    """The messages, the reply and what only the first request sends stand before and beside what was sent."""
    follower = Follower()
    tools = [{"name": "add"}]
    first = asked([U1], call("t1"), id="msg_1", request={"thread": {"type": "create"}, "tools": tools, "system": "s"})
    follower.place(first)
    follower.settle(0, first)
    goes_on = {"thread": {"type": "continue", "previous_message_id": "msg_1"}}
    whole = follower.whole(asked([result("t1")], A1, id="msg_2", request=goes_on))
    assert whole.messages == [U1, said(call("t1")), result("t1")]
    assert whole.request is not None
    assert (whole.request["tools"], whole.request["system"]) == (tools, "s")
    follower.place(whole)
    follower.settle(1, asked([result("t1")], A1, id="msg_2", request=goes_on))
    again = {"thread": {"type": "continue", "previous_message_id": "msg_2"}}
    assert len(follower.whole(asked([U2], A2, request=again)).messages) == 5


@pytest.mark.parametrize(
    ("exchanges", "links"),
    [
        (
            [asked([U1], A1), asked([U2], A2)],
            [("start", 1, 1, None, 0), ("departs", 1, 2, 0, 0)],
        ),
        (
            [asked([U1], A1), asked([U1, said(A1), U2], A2), asked([U1, U3], A1)],
            [("start", 1, 1, None, 0), ("continues", 1, 2, 0, 1), ("continues", 1, 2, 0, 1)],
        ),
        (
            [broke([U1]), asked([U2], A2)],
            [("start", 1, 1, None, 0), ("start", 2, 1, None, 0)],
        ),
        (
            [asked([U1], A1), broke([U2]), asked([U2], A2)],
            [("start", 1, 1, None, 0), ("departs", 1, 2, 0, 0), ("repeats", 1, 2, 1, 1)],
        ),
    ],
    ids=["fresh-start", "fork", "after-a-failure-only", "a-fresh-start-tried-again"],
)
def test_one_conversation_by_declaration(
    exchanges: list[Exchange], links: list[tuple[str, int, int, int | None, int]]
) -> None:
    """With `alone`, a request that extends nothing departs from the latest that was answered."""
    assert shape(follow(*exchanges, alone=True)) == links


EACH: dict[str, tuple[list[Exchange], list[tuple[str, int, int, int | None, int]]]] = {
    "conversations-that-begin-alike": (
        [
            asked([U1], A1),
            asked([U1], A1),
            asked([U1, said(A1), U2], A2),
            asked([U1, said(A1), U2], A2),
            asked([U1, said(A1), U2, said(A2), U3], A1),
            asked([U1, said(A1), U2, said(A2), U1], A1),
        ],
        [
            ("start", 1, 1, None, 0),
            ("start", 2, 1, None, 0),
            ("continues", 2, 2, 1, 1),
            ("continues", 1, 2, 0, 1),
            ("continues", 1, 3, 3, 3),
            ("continues", 2, 3, 2, 3),
        ],
    ),
    "a-retry-is-none": (
        [broke([U1]), asked([U1], A1), asked([U1, said(A1), U2], A2)],
        [("start", 1, 1, None, 0), ("repeats", 1, 1, 0, 1), ("continues", 1, 2, 1, 1)],
    ),
    "asked-again-where-nobody-waits": (
        [asked([U1], A1), asked([U1, said(A1), U2], A2), asked([U1, said(A1), U2], A2)],
        [("start", 1, 1, None, 0), ("continues", 1, 2, 0, 1), ("repeats", 1, 2, 1, 3)],
    ),
    "other-words": (
        [asked([U1], A1), asked([U2], A2), asked([U1, said(A1), U2], A2)],
        [("start", 1, 1, None, 0), ("start", 2, 1, None, 0), ("continues", 1, 2, 0, 1)],
    ),
}


@pytest.mark.parametrize(("exchanges", "links"), EACH.values(), ids=EACH)
def test_conversations_that_begin_with_the_same_words(
    exchanges: list[Exchange], links: list[tuple[str, int, int, int | None, int]]
) -> None:
    """With `each`, what was answered well and comes again is another conversation, and each goes its way."""
    assert shape(follow(*exchanges, each=True)) == links


def test_many_conversations_that_begin_alike_cost_no_more() -> None:
    """Two thousand of them: each reply is read once, and each request finds a parent of its own."""
    asked_first = [asked([U1], A1) for _ in range(2_000)]
    exchanges = [*asked_first, *(asked([U1, said(A1), user(str(number))], A2) for number in range(2_000))]
    compared = 0

    class Counting(list[object]):
        def __iter__(self) -> Iterator[object]:
            nonlocal compared
            compared += 1
            return super().__iter__()

    for exchange in asked_first:
        assert exchange.response is not None
        exchange.response["content"] = Counting(exchange.response["content"])
    links = follow(*exchanges, each=True)
    assert {link.parent for link in links[2_000:]} == {*range(2_000)}
    assert compared <= 4 * 2_000


def test_a_follower_remembers() -> None:
    """Exchanges and links are found by position, with the answer once it is settled."""
    follower = Follower()
    exchange = asked([U1], A1)
    link = follower.place(Exchange(request=exchange.request))
    assert follower.exchange(0).response is None
    follower.settle(0, exchange)
    assert follower.exchange(0) is exchange
    assert follower.link(0) is link


def test_the_very_same_messages_need_no_comparison() -> None:
    """Messages shared with an earlier exchange are recognised as objects, and only as a whole."""
    follower = Follower()
    one: list[object] = [U1, said(A1)]
    follower.place(Exchange(request={"messages": one}))
    assert follower.begins([*one, U2]) == 0
    assert follower.begins(one) == 0
    assert follower.begins([*copy.deepcopy(one), U2]) is None
    assert follower.begins([U2, *one]) is None
    assert follower.begins(one[:1]) is None
    assert follower.begins([]) is None
    longer = follower.history(Exchange(request={"messages": [*one, U2]}))
    assert longer is not None
    assert longer.before is follower.history_at(0)


def test_an_empty_reply_that_comes_back_is_that_of_its_own_conversation() -> None:
    """Another conversation had one that says as little."""
    first, other = asked([user("a")]), asked([user("b")], text(" "))
    links = follow(first, other, asked([user("a"), said(), user("and?")]))
    assert shape(links)[2] == ("continues", 1, 2, 0, 1)


def test_a_history_that_is_known_is_taken_as_it_is() -> None:
    """Who made an exchange may have said what its messages share; then nobody looks at them."""
    follower = Follower()
    first = resent(None, [U1, said(A1)])
    assert first is not None
    second = resent(first, [U2])
    assert second is not None
    follower.place(Exchange(request={"messages": first.messages}, sent=first))
    follower.place(Exchange(request={"messages": second.messages}, sent=second))
    assert follower.history_at(0) is first.last
    assert follower.history_at(1) is second.last
    assert shape([follower.link(0), follower.link(1)]) == [("start", 1, 1, None, 0), ("continues", 1, 2, 0, 2)]
    stranger = follower.history(Exchange(request={"messages": [U1, said(A1), U2]}, sent=second))
    assert stranger is not second.last


# a conversation as a tree: each step extends an earlier exchange, repeats it, or starts, drops or edits

STEPS = st.lists(
    st.tuples(
        st.sampled_from(["extend", "extend", "repeat", "start", "drop", "edit", "mark"]),
        st.integers(0, 3),
        st.sampled_from(["text", "call", "fail"]),
        st.sampled_from(["one", "two"]),
    ),
    min_size=1,
    max_size=7,
)


def play(steps: list[tuple[str, int, str, str]]) -> list[tuple[Exchange, int | None]]:
    """Exchanges made by the steps, each with the position of one whose messages begin it byte for byte."""
    made: list[tuple[Exchange, int | None]] = []
    messages: list[Any]
    for number, (how, back, answer, words) in enumerate(steps):
        before = made[max(len(made) - 1 - back, 0)][0] if made else None
        base = max(len(made) - 1 - back, 0) if made else None
        like: int | None = None
        if before is None or how == "start":
            messages = [user(words)]
        elif how == "repeat":
            messages, like = list(before.messages), base
        else:
            calls = [str(block["id"]) for block in before.calls()]
            messages = [*before.messages, said(*before.content), result(*calls) if calls else user(words)]
            like = base
            if how == "drop":
                messages, like = messages[1:], None
            elif how == "edit":
                messages, like = [user("edited"), *messages[1:]], None
            elif how == "mark":
                marked = {**messages[0], "content": [{**text("x"), "cache_control": {"type": "ephemeral"}}]}
                messages, like = [marked, *messages[1:]], None
        block = text(words) if answer == "text" else call(f"t{number % 3}")
        exchange = broke(messages) if answer == "fail" else asked(messages, block, id=f"msg_{number}")
        made.append((exchange, like))
    return made


@given(STEPS, st.booleans())
def test_bytes_known_to_be_the_same_change_nothing(steps: list[tuple[str, int, str, str]], alone: bool) -> None:
    """Law: a link is the same with `like`, without it, and where the messages are shared objects."""
    told, untold, shared = Follower(), Follower(), Follower()
    lists: list[list[object]] = []
    for position, (exchange, like) in enumerate(play(steps)):
        messages = exchange.messages
        if like is not None:
            messages = [*lists[like], *messages[len(lists[like]) :]]
        lists.append(messages)
        same = Exchange(
            request={"messages": messages}, response=exchange.response, error=exchange.error, status=exchange.status
        )
        link = untold.place(exchange, alone=alone)
        assert told.place(exchange, like=like, alone=alone) == link
        assert shared.place(same, alone=alone) == link
        for follower, settled in ((told, exchange), (untold, exchange), (shared, same)):
            follower.settle(position, settled)


@given(STEPS)
def test_links_hold_together(steps: list[tuple[str, int, str, str]]) -> None:
    """Law: a parent comes before, shares what the link says, and stands in the same conversation."""
    exchanges = [exchange for exchange, _ in play(steps)]
    links = follow(*exchanges)
    for position, link in enumerate(links):
        if link.parent is None:
            assert link.kind == "start"
            assert link.turn == 1
            continue
        assert link.parent < position
        parent = links[link.parent]
        assert link.conversation == parent.conversation
        assert link.turn == parent.turn + (link.kind != "repeats")
        theirs = len(exchanges[link.parent].messages)
        if link.kind == "continues":
            assert link.shared == theirs < len(exchanges[position].messages)
        elif link.kind == "repeats":
            assert link.shared == theirs == len(exchanges[position].messages)
        else:
            assert link.shared <= min(theirs, len(exchanges[position].messages))


def test_what_follows_what() -> None:
    """From an exchange back to the first, and on to those that follow it; leaves are followed by none."""
    first, fork = asked([user("a")], text("b")), asked([user("a"), said(text("b")), user("other")], text("e"))
    second = asked([user("a"), said(text("b")), user("c")], text("d"))
    follower = Follower()
    for position, exchange in enumerate((first, second, fork)):
        follower.place(exchange)
        follower.settle(position, exchange)
    assert [exchange for exchange, _ in follower.line(1)] == [second, first]
    assert list(follower.line(None)) == []
    assert [exchange for exchange, _ in follower.followers(0)] == [second, fork]
    assert follower.followers(1) == []
    assert [(position, link.parent) for position, _, link in follower.all()] == [(0, None), (1, 0), (2, 0)]
    assert [exchange for exchange, _ in follower.leaves()] == [second, fork]
    assert list(follower.replies()) == [fork, second, first]
    assert (follower.newest, Follower().newest) == (2, None)
    assert [follower.known(position) for position in range(3)] == [0, 1, 1]


def test_how_much_of_a_request_was_known() -> None:
    """What any earlier request began with, even where it departs from a later one."""
    turn = [user("a"), said(call("t1")), result("t1")]
    exchanges = [
        asked([user("a")], call("t1")),
        asked(turn, call("t2")),
        asked([user("a"), said(call("t2")), result("t2")], text("b")),
        asked(turn, text("b")),
    ]
    follower = Follower()
    for position, exchange in enumerate(exchanges):
        follower.place(exchange)
        follower.settle(position, exchange)
    assert follower.link(2).kind == "departs"
    assert [follower.known(position) for position in range(4)] == [0, 1, 1, 3]


def test_what_becomes_known_later() -> None:
    """An exchange may be told again, with the tools that were run on it; where it stands does not change."""
    exchange = asked([user("a")], call("t1"))
    follower = Follower()
    link = follower.place(exchange)
    follower.settle(0, exchange)
    ran = structs.replace(exchange, tools_run=("t1",))
    follower.amend(0, ran)
    assert (follower.exchange(0), follower.link(0)) == (ran, link)


@pytest.mark.parametrize("identifier", ["toolu_REDACTED_1", "toolu_***", "<scrubbed>", "toolu_xxxxxxxx"])
def test_an_id_that_a_recorder_replaced_is_no_evidence(identifier: str) -> None:
    """Two that are equal need not have been; a real one is evidence enough."""
    turns = [user("other"), said(text("hm"), call(identifier)), result(identifier)]
    assert follow(asked([user("a")], call(identifier)), asked(turns, text("b")))[1].kind == "start"
    real = [user("other"), said(text("hm"), call("toolu_01")), result("toolu_01")]
    assert follow(asked([user("a")], call("toolu_01")), asked(real, text("b")))[1].kind == "departs"

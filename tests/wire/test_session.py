"""A session: exchanges in order, and the conversations in them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from playhead.wire.exchange import Exchange
from playhead.wire.history import back_to
from playhead.wire.session import Session, lower_names, number_exchanges, with_retries
from playhead.wire.stream import events_of

Json = dict[str, Any]

ASKED = {"model": "claude-opus-5-5", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]}
REPLY = {"content": [{"type": "text", "text": "ho"}], "stop_reason": "end_turn"}
WHOLE: Json = {
    "id": "m",
    "type": "message",
    "role": "assistant",
    "model": "x",
    "stop_sequence": None,
    "usage": {},
    **REPLY,
}
EVENTS = list(events_of(WHOLE))
BUSY = {"type": "overloaded_error", "message": "Overloaded"}


def answer(response: object) -> Exchange:
    (exchange,) = Session.from_exchanges([{"request": ASKED, "response": response}]).exchanges
    return exchange


def test_a_plain_message() -> None:
    """A response may lack id, type, role and usage."""
    exchange = answer(REPLY)
    assert (exchange.number, exchange.path, exchange.status) == (1, "/v1/messages", 200)
    assert exchange.request == ASKED
    assert exchange.response == REPLY
    assert exchange.failed is False
    assert (exchange.headers, exchange.tools_run, exchange.user_event) == (None, None, None)


@pytest.mark.parametrize(
    ("response", "status", "error"),
    [
        ({"status": 529, "error": BUSY}, 529, BUSY),
        ({"status": 529}, 529, None),
        ({"error": BUSY}, None, BUSY),
        ({"type": "error", "error": BUSY, "request_id": "req_1"}, None, BUSY),
        ({"status": 500, "error": "no"}, 500, {"type": "api_error", "message": "no"}),
    ],
    ids=["status-and-error", "status-alone", "error-alone", "error-body", "error-as-text"],
)
def test_an_error(response: Json, status: int | None, error: Json | None) -> None:
    """An answer without content and with a status or an error is an error, not a message."""
    exchange = answer(response)
    assert (exchange.status, exchange.error, exchange.response) == (status, error, None)
    assert exchange.failed is True


@pytest.mark.parametrize(
    "events",
    [
        EVENTS,
        [{"event": event["type"], "data": event} for event in EVENTS],
        [{"data": json.dumps(event)} for event in EVENTS],
    ],
    ids=["data", "event-and-data", "data-as-text"],
)
def test_the_events_of_a_stream(events: list[Json]) -> None:
    """Events are accumulated, and kept."""
    exchange = answer({"events": events})
    assert exchange.response == {**WHOLE, "usage": {"output_tokens": 0}}
    assert exchange.complete is True
    assert exchange.events == tuple(EVENTS)
    assert answer({"events": events[:-1]}).complete is False
    assert answer({"events": events[:-1]}).failed is True


def test_an_error_event() -> None:
    """An error in a stream is the exchange's error."""
    exchange = answer({"events": [*EVENTS[:3], {"type": "error", "error": BUSY}]})
    assert (exchange.status, exchange.error, exchange.complete) == (200, BUSY, False)


def test_parts_may_be_unknown() -> None:
    """A recording of responses only, and a request that was never answered."""
    session = Session.from_exchanges([{"response": REPLY}, {"request": ASKED}])
    assert session.exchanges[0].request is None
    assert session.exchanges[1].response is None
    assert session.exchanges[1].failed is False
    assert session.links[0] is None


def test_everything_an_exchange_may_tell() -> None:
    """The other members, and headers for all or for one, whose names are not case-sensitive."""
    session = Session.from_exchanges(
        [
            {"request": ASKED, "response": REPLY, "tools_run": ["t1"], "results": {"t1": 3}, "user_event": "stop"},
            {"request": ASKED, "response": REPLY, "path": "/v1/messages/count_tokens", "headers": {"X-A": "1"}},
        ],
        headers={"Anthropic-Version": "2023-06-01"},
        end={"how": "returned"},
    )
    first, second = session.exchanges
    assert (first.tools_run, dict(first.results), first.user_event) == (("t1",), {"t1": 3}, "stop")
    assert first.headers == {"anthropic-version": "2023-06-01"}
    assert (second.path, second.headers, second.number) == ("/v1/messages/count_tokens", {"x-a": "1"}, 2)
    assert session.end == {"how": "returned"}


ASKED_AS = {
    "data": lambda body: body,
    "bytes": lambda body: json.dumps(body).encode(),
    "text": json.dumps,
    "text-with-a-surrogate": lambda body: json.dumps(body, ensure_ascii=False),
}


@pytest.mark.parametrize("how", ASKED_AS)
def test_a_request_may_be_its_json(how: str) -> None:
    """As bytes, as text or as data: the request is the same, and what it resends is the same objects."""
    bodies = [turn_of(*words) for words in (["a"], ["a", "b\ud83d"], ["a", "b\ud83d", "c"])]
    session = Session.from_exchanges({"request": ASKED_AS[how](body), "response": REPLY} for body in bodies)
    assert [exchange.request for exchange in session.exchanges] == bodies
    first, second, third = session.exchanges
    assert second.messages[0] is first.messages[0]
    assert all(one is other for one, other in zip(second.messages, third.messages, strict=False))
    assert third.history is not None
    assert back_to(third.history, 3) is second.history
    assert [turn.number for turn in session.turns] == [1, 2, 3]


def test_exchanges_are_taken_one_at_a_time() -> None:
    """A generator may make a body when it is asked for, and forget it."""
    alive = []

    class Body(bytes):
        def __del__(self) -> None:
            alive.pop()

    def exchanges() -> Iterator[Json]:
        words = []
        for number in range(50):
            words.append(str(number))
            alive.append(number)
            assert len(alive) < 4
            yield {"request": Body(json.dumps(turn_of(*words)).encode()), "response": REPLY}

    assert len(Session.from_exchanges(exchanges()).turns) == 50


BAD: dict[str, tuple[object, str]] = {
    "no-dict": ("x", "exchange 2 must be a dict with request and response, not a string"),
    "list": ([1], "exchange 2 must be a dict with request and response, not an array"),
    "request": ({"request": [1], "response": REPLY}, "request of exchange 2 must be a dict, not an array"),
    "response": ({"request": ASKED, "response": "ho"}, "response of exchange 2 must be a dict, not a string"),
    "response-list": ({"request": ASKED, "response": [REPLY]}, "response of exchange 2 must be a dict, not an array"),
    "request-that-is-no-json": ({"request": b"{", "response": REPLY}, "the request of exchange 2 cannot be read: "),
    "request-that-is-no-object": ({"request": "[1]"}, "the request of exchange 2 cannot be read: a JSON object"),
    "headers": ({"request": ASKED, "headers": "x: 1"}, "headers of exchange 2 must be a dict, not a string"),
    "results": ({"request": ASKED, "results": ["3"]}, "results of exchange 2 must be a dict, not an array"),
    "tools-run": ({"request": ASKED, "tools_run": "t1"}, "tools_run of exchange 2 must be a list of ids, not a string"),
    "event-data": (
        {"request": ASKED, "response": {"events": [{"event": "ping", "data": "{"}]}},
        "the response of exchange 2 cannot be read: ",
    ),
}


@pytest.mark.parametrize(("given", "sentence"), BAD.values(), ids=BAD)
def test_bad_input(given: object, sentence: str) -> None:
    """What is something else is named by its place, not passed over."""
    with pytest.raises(ValueError, match=r"exchange 2") as caught:
        Session.from_exchanges([{"request": ASKED, "response": REPLY}, given])  # type: ignore[list-item]
    assert str(caught.value).startswith(sentence)


def turn_of(*words: str) -> Json:
    """A request that has heard `ho` to every word but the last."""
    messages: list[Json] = []
    for word in words:
        messages += [{"role": "user", "content": word}, {"role": "assistant", "content": "ho"}]
    return {**ASKED, "messages": messages[:-1]}


def test_conversations_and_turns() -> None:
    """Interleaved conversations are told apart; attempts of a step are one turn; other endpoints take no part."""
    session = Session.from_exchanges(
        [
            {"request": turn_of("a"), "response": {"status": 529, "error": BUSY}},
            {"request": turn_of("a"), "response": REPLY},
            {"request": turn_of("b"), "response": REPLY},
            {"request": turn_of("a"), "response": {"input_tokens": 3}, "path": "/v1/messages/count_tokens"},
            {"request": turn_of("a", "c"), "response": REPLY},
            {"request": turn_of("b", "d"), "response": REPLY},
        ]
    )
    told = [
        (conversation.number, [(turn.number, [e.number for e in turn.attempts]) for turn in conversation.turns])
        for conversation in session.conversations
    ]
    assert told == [(1, [(1, [1, 2]), (2, [5])]), (2, [(1, [3]), (2, [6])])]
    assert [exchange.retry_of for exchange in session.exchanges] == [None, 1, None, None, None, None]
    assert [turn.exchange.number for turn in session.turns] == [2, 5, 3, 6]
    assert [exchange.number for exchange in session.conversations[0].exchanges] == [1, 2, 5]
    assert session.links[3] is None


def test_a_retry_is_told_from_asking_again() -> None:
    """Only a repeat of a request that failed is a retry, a broken stream's included; each names the latest attempt."""
    broken = {"events": EVENTS[:-1]}
    session = Session.from_exchanges(
        [{"request": ASKED, "response": response} for response in (broken, {"status": 500}, REPLY, REPLY)]
    )
    assert [exchange.retry_of for exchange in session.exchanges] == [None, 1, 2, None]


def test_numbers_of_retries_are_those_of_the_exchanges() -> None:
    """`retry_of` is a number of the session, whatever stands between that is no message."""
    counting = Exchange(path="/v1/messages/count_tokens", request=ASKED, status=200)
    failed = Exchange(request=ASKED, status=529, error=BUSY)
    exchanges = with_retries(number_exchanges([counting, failed, counting, Exchange(request=ASKED, status=200)]))
    assert [(e.number, e.retry_of) for e in exchanges] == [(1, None), (2, None), (3, None), (4, 2)]


def test_one_conversation_by_declaration() -> None:
    """`alone` makes a fresh start a departure, so that it is a turn of the same conversation."""
    exchanges = Session.from_exchanges([{"request": turn_of(word), "response": REPLY} for word in ("a", "b")]).exchanges
    assert len(Session(exchanges=exchanges).conversations) == 2
    assert len(Session(exchanges=exchanges, alone=True).conversations) == 1


def test_an_empty_session() -> None:
    """Nothing seen is a session as well."""
    session = Session.from_exchanges([])
    assert (session.exchanges, session.links, session.conversations, session.turns) == ((), (), (), ())
    assert (session.end, dict(session.skipped)) == (None, {})


def test_header_names() -> None:
    """Names are lower-cased, values are text, and unknown stays unknown."""
    assert lower_names({"X-Api-Key": "k", "n": 3}) == {"x-api-key": "k", "n": "3"}
    assert lower_names(None) is None
    assert lower_names({}) == {}


def test_headers_and_times() -> None:
    """An error may tell its headers, and an exchange when it was sent and answered; booleans are no times."""
    made = Session.from_exchanges(
        [
            {
                "request": ASKED,
                "response": {"status": 429, "error": {"type": "rate_limit_error"}, "headers": {"Retry-After": 7}},
                "sent_at": 1,
                "answered_at": 2.5,
            },
            {"request": ASKED, "response": {"status": 500, "headers": None}, "sent_at": True, "answered_at": "3"},
        ]
    )
    limited, failed = made.exchanges
    assert dict(limited.response_headers) == {"retry-after": "7"}
    assert (limited.sent_at, limited.answered_at) == (1.0, 2.5)
    assert (dict(failed.response_headers), failed.sent_at, failed.answered_at) == ({}, None, None)

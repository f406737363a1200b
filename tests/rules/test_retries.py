"""The rules on what a loop does when a request fails."""

from __future__ import annotations

import pytest
from msgspec import structs

from made_sessions import (
    DONE,
    INVALID,
    NOW,
    OVERLOADED,
    Q2,
    RETURNED,
    Found,
    Json,
    Q,
    call,
    call_block,
    error,
    errors,
    exchange,
    finish,
    of_rule,
    raised,
    reply,
    result,
    said,
    sent,
    session,
    showed,
    start,
    stream,
    text,
    text_block,
    user,
)
from playhead.rules.checker import check
from playhead.rules.retries import is_transient
from playhead.wire.exchange import Exchange
from playhead.wire.session import Session

C = call()
TURN = [Q, said("It is 3."), Q2]
ANSWERED = [Q, said(C), user(result())]
SPENT = error(429, "rate_limit_error", "You have reached your specified API usage limits.")
SPENT_BY_CODE = {
    "status": 429,
    "error": {"type": "rate_limit_error", "message": "no", "details": {"error_code": "enforced_spend_limit_reached"}},
}
BUSY = error(429, "rate_limit_error", "slow down", headers={"Retry-After": "10"})
FORBIDDEN, UNKNOWN = error(403, "permission_error"), error(404, "not_found_error")
BIG = error(413, "request_too_large")
PNG = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}
PDF = {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}}
TOO_BIG = error(400, "invalid_request_error", "messages.0.content.0.image: image exceeds 5 MB maximum")
KEY = {"x-api-key": "one", "anthropic-version": "2023-06-01"}
ENDED = raised("APIStatusError")


def again(answer: Json, *, times: int = 2, end: Json | None = ENDED, messages: list[Json] | None = None) -> Session:
    """The same request so many times, each with this answer."""
    return session(*(exchange(messages or [Q], answer) for _ in range(times)), end=end)


def two(first: Json, second: Json, end: Json | None = None) -> Session:
    return session(first, second, end=end)


def delivery(failure: Json, *after: Json, ran: list[str] | None = None) -> Session:
    """Results that fail to arrive, what was run then, and the requests after."""
    return session(
        exchange([Q], reply(C), tools_run=["t1"]),
        exchange(ANSWERED, failure, tools_run=ran),
        *after,
    )


FAILING: dict[str, dict[str, tuple[Session, list[Found]]]] = {
    "poisoned-history-not-resent": {
        "again": (again(INVALID), [("broken", "$", 2)]),
        "again-and-again": (again(INVALID, times=3), [("broken", "$", 2), ("broken", "$", 3)]),
        "with-a-history": (again(INVALID, end=None, messages=TURN), [("broken", "$", 2)]),
        "the-status-is-not-known": (again(error(None, "invalid_request_error")), [("broken", "$", 2)]),
        "with-more": (
            two(exchange(TURN, INVALID), exchange([*TURN, user("Hello?")], INVALID)),
            [("broken", "$.messages[3]", 2)],
        ),
        "after-other-conversations": (
            session(exchange(TURN, INVALID), exchange([Q], DONE), exchange(TURN, INVALID)),
            [("broken", "$", 3)],
        ),
    },
    "retry-transient-only": {
        "invalid": (again(INVALID), [("broken", "$", 2)]),
        "forbidden": (again(FORBIDDEN), [("broken", "$", 2)]),
        "unknown": (again(UNKNOWN), [("broken", "$", 2)]),
        "too-large": (again(BIG, end=None, messages=TURN), [("broken", "$", 2)]),
        "without-a-key": (again(error(401, "authentication_error")), [("broken", "$", 2)]),
        "by-type-alone": (again(error(None, "permission_error")), [("broken", "$", 2)]),
        "against-the-servers-wish": (again(error(500, headers={"x-should-retry": "false"})), [("broken", "$", 2)]),
        "given-up-at-the-first-529": (again(OVERLOADED, times=1), [("broken", "$response", 1)]),
        "given-up-at-the-first-500": (
            session(exchange([Q], DONE), exchange(TURN, error(500)), end=RETURNED),
            [("broken", "$response", 2)],
        ),
        "given-up-at-a-conflict-that-may-be-tried-again": (
            again(error(400, "invalid_request_error", headers={"x-should-retry": "true"}), times=1),
            [("broken", "$response", 1)],
        ),
    },
    "retry-same-body": {
        "the-question-twice": (
            two(exchange([Q], OVERLOADED), exchange([Q, Q], DONE)),
            [("broken", "$.messages[1]", 2)],
        ),
        "the-results-twice": (
            delivery(OVERLOADED, exchange([*ANSWERED, user(result())], INVALID)),
            [("broken", "$.messages[3]", 3)],
        ),
        "the-results-twice-in-other-words": (
            delivery(error(500), exchange([*ANSWERED, user(result("t1", "4"))], INVALID)),
            [("broken", "$.messages[3]", 3)],
        ),
        "tools-left-out": (
            two(exchange([Q], OVERLOADED), exchange(sent(Q, tools=None), DONE)),
            [("broken", "$.tools", 2)],
        ),
        "another-system-prompt": (
            two(exchange(sent(Q, system="It is 9:00."), error(500)), exchange(sent(Q, system="It is 9:01."), DONE)),
            [("broken", "$.system", 2)],
        ),
        "another-result": (
            delivery(OVERLOADED, exchange([Q, said(C), user(result("t1", "4"))], DONE)),
            [("broken", "$.messages[2].content[0].content", 3)],
        ),
    },
    "no-reexecution-on-retry": {
        "after-a-500": (delivery(error(500), exchange(ANSWERED, DONE), ran=["t1"]), [("broken", "$response", 2)]),
        "after-each-of-two": (
            delivery(
                OVERLOADED, exchange(ANSWERED, OVERLOADED, tools_run=["t1"]), exchange(ANSWERED, DONE), ran=["t1"]
            ),
            [("broken", "$response", 2), ("broken", "$response", 3)],
        ),
        "after-a-broken-stream": (
            delivery(stream(start(), text_block(0, "It")), exchange(ANSWERED, DONE), ran=["t1"]),
            [("broken", "$response", 2)],
        ),
        "after-a-refusal": (delivery(INVALID, ran=["t1"]), [("broken", "$response", 2)]),
    },
    "spend-cap-429-not-retried": {
        "again": (again(SPENT), [("broken", "$", 2)]),
        "again-and-again": (again(SPENT, times=3), [("broken", "$", 2), ("broken", "$", 3)]),
        "by-code": (again(SPENT_BY_CODE, end=None, messages=TURN), [("broken", "$", 2)]),
        "and-then-it-works": (
            two(exchange(TURN, SPENT_BY_CODE), exchange(TURN, DONE)),
            [("broken", "$", 2)],
        ),
    },
    "retry-after-honoured": {
        "at-once": (
            two(exchange([Q], BUSY, sent_at=0, answered_at=1), exchange([Q], DONE, sent_at=1.5)),
            [("broken", "$", 2)],
        ),
        "too-soon": (two(exchange([Q], BUSY, answered_at=1), exchange([Q], DONE, sent_at=9)), [("broken", "$", 2)]),
        "milliseconds": (
            two(
                exchange([Q], error(529, headers={"retry-after-ms": "2000", "retry-after": "0"}), answered_at=1),
                exchange([Q], DONE, sent_at=1.2),
            ),
            [("broken", "$", 2)],
        ),
        "the-second-time": (
            session(
                exchange([Q], BUSY, answered_at=0),
                exchange([Q], BUSY, sent_at=11, answered_at=12),
                exchange([Q], DONE, sent_at=13),
            ),
            [("broken", "$", 3)],
        ),
    },
    "api-error-surfaced": {
        "nothing-shown": (again(OVERLOADED, end=RETURNED), [("broken", "$response", 2)]),
        "an-empty-text": (again(OVERLOADED, end=showed(text="")), [("broken", "$response", 2)]),
        "the-last-text-there-was": (
            session(exchange([Q], DONE), exchange(TURN, INVALID), end=showed(text="It is 3.")),
            [("broken", "$response", 2)],
        ),
        "after-tools": (
            delivery(FORBIDDEN).__class__(exchanges=delivery(FORBIDDEN).exchanges, end=RETURNED),
            [("broken", "$response", 2)],
        ),
    },
    "images-poison-history": {
        "again": (again(TOO_BIG, messages=[user(PNG, text("?"))]), [("warn", "$.messages[0].content[0]", 2)]),
        "with-the-next-question": (
            two(exchange([user(PNG, text("?"))], TOO_BIG), exchange([user(PNG, text("?")), Q2], TOO_BIG)),
            [("warn", "$.messages[0].content[0]", 2)],
        ),
        "in-a-result": (
            two(
                exchange([Q, said(C), user(result("t1", [PNG]))], TOO_BIG),
                exchange([Q, said(C), user(result("t1", [PNG])), Q2], TOO_BIG),
            ),
            [("warn", "$.messages[2].content[0]", 2)],
        ),
        "a-document": (
            again(BIG | {"error": {"message": "document too large"}}, messages=[user(PDF)]),
            [("warn", "$.messages[0].content[0]", 2)],
        ),
    },
}
CASES = [(rule, case) for rule, cases in FAILING.items() for case in cases]


@pytest.mark.parametrize(("rule", "case"), CASES, ids=[f"{rule}-{case}" for rule, case in CASES])
def test_what_a_correct_loop_does_not_do(rule: str, case: str) -> None:
    """Each fault is found by its rule, at its place, in the exchange that commits it."""
    made, expected = FAILING[rule][case]
    assert of_rule(rule, made) == expected


SDK_RETRY = {**KEY, "x-stainless-retry-count": "1"}
PASSING: dict[str, Session] = {
    "overloaded-and-then-well": two(exchange([Q], OVERLOADED), exchange([Q], DONE), RETURNED),
    "overloaded-three-times-and-raised": again(OVERLOADED, times=3),
    "overloaded-and-told": again(OVERLOADED, end=showed(text="", error="overloaded_error")),
    "overloaded-and-said-so": again(OVERLOADED, end=showed(text="Sorry, Claude is not available. Try again later.")),
    "invalid-and-raised": again(INVALID, times=1),
    "invalid-and-mended": two(exchange([Q, said(C), Q2], INVALID), exchange([Q, said(C), user(result()), Q2], DONE)),
    "invalid-and-mended-beside-the-messages": two(
        exchange(sent(Q, max_tokens=10**6), INVALID), exchange([Q], DONE), RETURNED
    ),
    "invalid-and-another-question": two(exchange([Q], INVALID), exchange([Q2], DONE), RETURNED),
    "equal-calls-that-have-nothing-to-do-with-each-other": again(INVALID, end=None),
    "with-another-key": two(
        exchange(TURN, error(401, "authentication_error"), headers=KEY),
        exchange(TURN, DONE, headers={**KEY, "x-api-key": "two"}),
    ),
    "without-the-beta-that-was-refused": two(
        exchange(TURN, INVALID, headers={**KEY, "anthropic-beta": "x-2020-01-01"}), exchange(TURN, DONE, headers=KEY)
    ),
    "invalid-and-mended-by-what-was-missing": two(
        exchange([Q, said(C)], error(400, "invalid_request_error", "messages.1: no result")),
        exchange([Q, said(C), user(result())], DONE),
    ),
    "invalid-in-another-way": two(
        exchange(TURN, INVALID), exchange([*TURN, user("")], error(400, "invalid_request_error", "messages.3: empty"))
    ),
    "the-server-wishes-it": again(error(400, "invalid_request_error", headers={"x-should-retry": "true"}), end=None),
    "the-fakes-own-refusals": again(error(400, "invalid_request_error", "Playhead: the script is over")),
    "the-spending-limit-raised": again(SPENT, times=1),
    "the-spending-limit-by-code-raised": again(SPENT_BY_CODE, times=1),
    "the-spending-limit-and-the-sdk-itself": two(
        exchange([Q], SPENT, headers=KEY), exchange([Q], SPENT, headers=SDK_RETRY), ENDED
    ),
    "a-rate-limit-tried-again": two(exchange([Q], BUSY), exchange([Q], DONE), RETURNED),
    "waited-as-long-as-asked": two(exchange([Q], BUSY, answered_at=1), exchange([Q], DONE, sent_at=11)),
    "waited-nearly-as-long": two(exchange([Q], BUSY, answered_at=1), exchange([Q], DONE, sent_at=10.2)),
    "waited-a-moment": two(
        exchange([Q], error(529, headers={"retry-after-ms": "1"}), answered_at=1), exchange([Q], DONE, sent_at=1.01)
    ),
    "a-date-to-wait-for": two(
        exchange([Q], error(503, headers={"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT"}), answered_at=1),
        exchange([Q], DONE, sent_at=2),
    ),
    "nobody-took-the-time": two(exchange([Q], BUSY, sent_at=0), exchange([Q], DONE, sent_at=1)),
    "another-question-at-once": two(exchange([Q], BUSY, answered_at=1), exchange([Q2], DONE, sent_at=1.1)),
    "the-same-results": delivery(OVERLOADED, exchange(ANSWERED, DONE, tools_run=[]), ran=[]),
    "the-same-results-marked-for-the-cache": delivery(
        OVERLOADED, exchange([Q, said(C), user(result(cache_control={"type": "ephemeral"}))], DONE)
    ),
    "shorter-results-for-a-smaller-request": delivery(BIG, exchange([Q, said(C), user(result("t1", "…"))], DONE)),
    "results-and-a-question-after-them": delivery(
        OVERLOADED, exchange([Q, said(C), user(result(), text("Be brief."))], DONE)
    ),
    "a-fork-with-other-results": session(
        exchange([Q], reply(C)), exchange(ANSWERED, DONE), exchange([Q, said(C), user(result("t1", "4"))], DONE)
    ),
    "another-model-for-the-next-attempt": two(
        exchange([Q], OVERLOADED), exchange(sent(Q, model="claude-sonnet-5"), DONE), RETURNED
    ),
    "a-stream-that-broke-and-was-asked-again": two(
        exchange([Q], stream(start(), call_block(0, C, '{"a": 1}')), tools_run=[]),
        exchange([Q], reply(C), tools_run=["t1"]),
    ),
    "a-stream-that-broke-and-was-taken-up": two(
        exchange([Q], stream(start(), text_block(0, "It is"))),
        exchange([Q, said("It is"), user("Go on.")], DONE),
    ),
    "a-stream-that-broke-and-was-raised": session(
        exchange([Q], stream(start(), text_block(0, "It is"))), end=raised("incomplete")
    ),
    "the-question-once-more-after-an-answer": two(exchange([Q], DONE), exchange([Q, said("It is 3."), Q], DONE)),
    "a-smaller-image": two(
        exchange([user(PNG, text("?"))], TOO_BIG), exchange([user(text("(image left out)"), text("?"))], DONE)
    ),
    "an-image-and-another-fault": again(INVALID, messages=[user(PNG)], end=None),
    "an-image-and-an-overloaded-api": again(OVERLOADED, messages=[user(PNG)], end=None),
    "an-answer-after-an-error": session(exchange([Q], OVERLOADED), exchange([Q], DONE), end=showed(text="It is 3.")),
    "still-running": session(exchange([Q], OVERLOADED), end={"how": "running"}),
    "no-end-known": again(OVERLOADED, times=1, end=None),
    "streamed-and-whole": session(
        exchange([Q], stream(start(), text_block(0, "It is 3."), finish())), end=showed(text="It is 3.")
    ),
}


@pytest.mark.parametrize("made", PASSING.values(), ids=PASSING)
def test_what_a_correct_loop_may_do(made: Session) -> None:
    """None of the rules of this topic has a word on it, not even a warning."""
    assert [str(violation) for violation in check(made) if violation.rule in FAILING] == []


TRANSIENT: dict[str, tuple[Exchange, bool]] = {
    **{str(status): (Exchange(status=status), True) for status in (408, 409, 429, 500, 502, 503, 504, 529)},
    **{str(status): (Exchange(status=status), False) for status in (400, 401, 402, 403, 404, 413, 422)},
    "a-broken-connection": (Exchange(complete=False), True),
    "a-stream-that-broke": (Exchange(status=200, response={"content": []}, complete=False), False),
    "an-answer-that-was-cut": (Exchange(status=200, complete=False), False),
    "an-error-event": (Exchange(status=200, response={"content": []}, error={"type": "overloaded_error"}), False),
    "by-type": (Exchange(error={"type": "overloaded_error"}), True),
    "by-an-unknown-type": (Exchange(error={"type": "novel_error"}), False),
    "a-wish-for-it": (Exchange(status=400, response_headers={"x-should-retry": "true"}), True),
    "a-wish-against-it": (Exchange(status=529, response_headers={"x-should-retry": "false"}), False),
}


@pytest.mark.parametrize(("failed", "transient"), TRANSIENT.values(), ids=TRANSIENT)
def test_what_may_be_tried_again(failed: Exchange, transient: bool) -> None:
    """The SDK's own table: 408, 409, 429, 500 and above, connections, and the server's wish before all."""
    assert is_transient(failed) is transient


def test_a_broken_connection_that_is_given_up() -> None:
    """A connection that failed before any answer is tried again, like a 529; hiding it is a fault as well."""
    (first,) = session(exchange([Q], None)).exchanges
    broken = structs.replace(first, complete=False)
    made = Session(exchanges=(broken,), end=raised("APIConnectionError"))
    assert of_rule("retry-transient-only", made) == [("broken", "$response", 1)]
    hidden = Session(exchanges=(broken, structs.replace(broken, number=2)), end=RETURNED)
    assert [(v.rule, v.message) for v in errors(hidden)] == [
        (
            "api-error-surfaced",
            "the last request failed with a broken connection, and the loop returned as if nothing had happened",
        )
    ]


def test_sentences() -> None:
    """What is told names the exchange that failed, its status and what was asked for."""
    soon = FAILING["retry-after-honoured"]["too-soon"][0]
    assert [v.message for v in errors(soon)] == ["exchange 1 asked to wait 10 s; the request is sent again after 8 s"]
    refused = again(error(400, "invalid_request_error", "x" * 99))
    assert [v.message for v in check(refused) if v.same_as is None] == [
        f"the body that exchange 1 was refused for is sent again as it was ({'x' * 79}…)"
    ]
    assert NOW

"""The secrets in a recording, each told once and none shown."""

from __future__ import annotations

from typing import Any

import pytest

from cassettes.planted import PRIVATE_KEY, SECRETS
from playhead.cli.leaks import Leak, leaks
from playhead.wire.exchange import Exchange
from playhead.wire.session import Session

KEY, GITHUB = SECRETS["anthropic api03"], SECRETS["github personal"]


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def test_a_secret_is_told_at_its_first_place() -> None:
    """In requests, answers, errors, paths and headers; what is resent is not told again, what comes anew is counted."""
    history = [user("hi"), user(KEY)]
    session = Session(
        exchanges=(
            Exchange(number=1, request={"system": "s", "messages": history}, response={"content": [{"text": GITHUB}]}),
            Exchange(number=2, request={"system": "s", "messages": [*history, user("ok"), user(f"{GITHUB} {KEY}")]}),
            Exchange(number=3, path="/v1/messages?key=0123k3y456789abcd", error={"message": PRIVATE_KEY}),
            Exchange(number=4, headers={"x-api-key": "0123456789abcdef0123456789abcdef"}),
        )
    )
    assert leaks(session, ()) == (
        Leak(pattern="anthropic-key", shown="sk-a...", exchange=1, path="$.messages[1].content", places=2),
        Leak(pattern="github-token", shown="ghp_...", exchange=1, path="$response.content[0].text", places=2),
        Leak(pattern="url-parameter", shown="0123...", exchange=3, path="$path"),
        Leak(pattern="private-key", shown="----...", exchange=3, path="$error.message"),
        Leak(pattern="secret-key", shown="0123...", exchange=4, path="$headers.x-api-key"),
    )


HEADERS = {
    "a key": ({"x-api-key": KEY}, "anthropic-key"),
    "a bearer token": ({"authorization": "Bearer 0123456789abcdefghij"}, "bearer-token"),
    "a cookie": ({"cookie": "session=0123456789abcdefghij; b=1"}, "cookie"),
    "a masked key": ({"x-api-key": "**REDACTED**", "authorization": "Bearer <token>", "cookie": "[FILTERED]"}, None),
    "ids": ({"request-id": "req_011CSHoEeqs5C35K2UUqR7Fy", "cf-ray": "97ff1a2b3c4d5e6f-FRA"}, None),
}


@pytest.mark.parametrize(("headers", "pattern"), HEADERS.values(), ids=HEADERS)
def test_headers_are_read_as_they_stand_in_a_message(headers: dict[str, str], pattern: str | None) -> None:
    """What a recorder should have left out; what it masked is fine."""
    for field in ("headers", "response_headers"):
        found = leaks(Session(exchanges=(Exchange(**{field: headers}),)), ())  # type: ignore[arg-type]
        assert [leak.pattern for leak in found] == ([pattern] if pattern else [])


def test_what_a_session_leaves_out_is_searched_in_its_file() -> None:
    """Other vendors' calls, and lines of a transcript: told by line, once, and not what is told already."""
    exchange = Exchange(request={"messages": [user(KEY)]})
    data = f"one\n{KEY}\n{GITHUB} {GITHUB}\n".encode()
    assert leaks(Session(exchanges=(exchange,)), [data])[1:] == ()
    for session in (
        Session(exchanges=(exchange,), skipped={"calls to api.openai.com": 1}),
        Session(exchanges=(Exchange(request={"messages": [user(KEY)]}, known=frozenset({"messages"})),)),
    ):
        assert leaks(session, [data])[1:] == (Leak(pattern="github-token", shown="ghp_...", line=3),)
    assert [leak.line for leak in leaks(Session(), [data])] == [2, 3]


@pytest.mark.parametrize("size", [1, 1000, 1 << 20, 1 << 30])
def test_a_secret_may_stand_where_the_file_is_cut(size: int) -> None:
    """In whatever pieces it is read, and however long it is, lines are counted from its beginning."""
    lines = [f"line {number} of a log without secrets" for number in range(1, 160_001)]
    for number in (1, 70_000, 140_000, 160_000):
        lines[number - 1] = f"key {KEY.replace('api03', f'api{number % 89:02}')}"
    data = "\n".join(lines).encode()
    step = min(size, len(data)) if size > 1 else 4_194_304 // 3
    found = leaks(Session(), [data[at : at + step] for at in range(0, len(data), step)])
    assert [leak.line for leak in found] == [1, 70_000, 140_000, 160_000]


def test_a_place_in_words() -> None:
    """An exchange with a path, or a line, and how many more there are."""
    leak = Leak(pattern="a", shown="b", exchange=2, path="$.system")
    assert leak.place == "exchange 2 at $.system"
    assert Leak(pattern="a", shown="b", line=7, places=3).place == "line 7, and 2 more"

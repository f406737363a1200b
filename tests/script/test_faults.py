"""The steps of a script that go wrong: what they take, what they refuse, how a report shows them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields
from typing import Any

import pytest

from playhead import (
    Delivery,
    ScriptError,
    call,
    cut,
    damage,
    deliver,
    drop,
    fail,
    raw,
    reply,
    say,
    think,
    turn,
)
from playhead.script.faults import Break, Drop, Fail, Raw, Sent, usual_message
from playhead.script.script import as_item
from playhead.wire.damage import DAMAGES
from playhead.wire.tables import ERROR_STATUS

HI: Any = say("Hi")

REFUSED: list[tuple[Callable[[], object], str]] = [
    (lambda: fail(200), "fail() takes an HTTP status from 400 to 599, not 200"),
    (lambda: fail(600), "fail() takes an HTTP status from 400 to 599, not 600"),
    (lambda: fail(True), "fail() takes an HTTP status from 400 to 599, not True"),
    (lambda: fail("529"), "fail() takes an HTTP status from 400 to 599, not '529'"),  # type: ignore[arg-type]
    (lambda: fail(429.0), "fail() takes an HTTP status from 400 to 599, not 429.0"),  # type: ignore[arg-type]
    (lambda: fail(400, error_code=5), "error_code of fail() is a string, not a number"),  # type: ignore[arg-type]
    (lambda: fail(400, message=b"x"), "message of fail() is a string, not a Python bytes"),  # type: ignore[arg-type]
    (
        lambda: fail(429, retry_after_ms=-1),
        "retry_after_ms of fail() is a number of milliseconds, or None, not -1",
    ),
    (
        lambda: fail(429, retry_after_ms=0.5),  # type: ignore[arg-type]
        "retry_after_ms of fail() is a number of milliseconds, or None, not 0.5",
    ),
    (lambda: fail(429, times=0), "times of fail() is at least 1, not 0"),
    (lambda: fail(429, times=True), "times of fail() is at least 1, not True"),
    (
        lambda: fail(429, headers={"retry-after": 7}),  # type: ignore[dict-item]
        "headers of fail() are a mapping of strings, not {'retry-after': 7}",
    ),
    (
        lambda: fail(429, headers=[("a", "b")]),  # type: ignore[arg-type]
        "headers of fail() are a mapping of strings, not [('a', 'b')]",
    ),
    (
        lambda: fail(429, headers={"x-größe": "1"}),
        "headers of fail() must be ASCII text without line breaks: 'x-größe': '1' is not",
    ),
    (
        lambda: fail(429, headers={"x-a": "1\r\nset-cookie: b"}),
        r"headers of fail() must be ASCII text without line breaks: 'x-a': '1\r\nset-cookie: b' is not",
    ),
    (
        lambda: fail(429, headers={"": "1"}),
        "headers of fail() must be ASCII text without line breaks: '': '1' is not",
    ),
    (
        lambda: drop("conect"),  # type: ignore[arg-type]
        "drop() takes one of 'connect', 'read', 'write', 'timeout', 'connect_timeout', 'write_timeout', 'close', "
        "not 'conect'",
    ),
    (lambda: drop(times=-1), "times of drop() is at least 1, not -1"),
    (
        lambda: cut("Hi"),  # type: ignore[arg-type]
        "cut() takes a reply first: say(...), call(...), turn(...) or reply(...), not 'Hi'",
    ),
    (
        lambda: cut(cut),  # type: ignore[arg-type]
        f"cut() takes a reply first: say(...), call(...), turn(...) or reply(...), not {cut!r}",
    ),
    (lambda: cut(HI, events=1, bytes=2), "cut() takes events or bytes, not both"),
    (lambda: cut(HI, events=-1), "events of cut() is a number, 0 or more, not -1"),
    (lambda: cut(HI, bytes=1.5), "bytes of cut() is a number, 0 or more, not 1.5"),  # type: ignore[arg-type]
    (
        lambda: cut(HI, how="slam"),  # type: ignore[arg-type]
        "how of cut() is one of 'reset', 'close', 'timeout', 'end', 'error', not 'slam'",
    ),
    (
        lambda: cut(HI, how="error", error="overloaded"),
        f"error of cut() is one of the API's error types ({', '.join(ERROR_STATUS)}), not 'overloaded'",
    ),
    (
        lambda: cut(HI, how="error", bytes=9),
        "cut(..., how='error') takes events, not bytes: an error event comes after whole events",
    ),
    (lambda: damage(HI, "rust"), f"damage() takes one of {', '.join(DAMAGES)}, not 'rust'"),
    (lambda: damage(HI, None), f"damage() takes one of {', '.join(DAMAGES)}, not None"),  # type: ignore[arg-type]
    (lambda: damage(HI, "malformed_json", at=-1), "at of damage() is the position of an event, not -1"),
    (lambda: damage(HI, "html", at=1), "at of damage() means nothing for 'html'"),
    (
        lambda: damage(fail(500), "html"),
        f"damage() takes a reply first: say(...), call(...), turn(...) or reply(...), not {fail(500)!r}",
    ),
    (lambda: deliver(HI, pieces=-1), "pieces is a number of characters, or None, not -1"),
    (lambda: deliver(HI, pieces=True), "pieces is a number of characters, or None, not True"),
    (
        lambda: deliver(HI, chunks=0),
        "chunks is 'whole', 'event', 'byte', a number of bytes, or a tuple of rising offsets, not 0",
    ),
    (
        lambda: deliver(HI, chunks="line"),  # type: ignore[arg-type]
        "chunks is 'whole', 'event', 'byte', a number of bytes, or a tuple of rising offsets, not 'line'",
    ),
    (
        lambda: deliver(HI, chunks=(3, 1)),
        "chunks is 'whole', 'event', 'byte', a number of bytes, or a tuple of rising offsets, not (3, 1)",
    ),
    (
        lambda: deliver(HI, chunks=(1, "2")),  # type: ignore[arg-type]
        "chunks is 'whole', 'event', 'byte', a number of bytes, or a tuple of rising offsets, not (1, '2')",
    ),
    (lambda: deliver(HI, delay=-0.1), "delay is a time in seconds, 0 or more, not -0.1"),
    (lambda: deliver(HI, delay=math.inf), "delay is a time in seconds, 0 or more, not inf"),
    (lambda: deliver(HI, delay=math.nan), "delay is a time in seconds, 0 or more, not nan"),
    (lambda: deliver(HI, pace="1"), "pace is a time in seconds, 0 or more, not '1'"),  # type: ignore[arg-type]
    (lambda: deliver(HI, pace=True), "pace is a time in seconds, 0 or more, not True"),
    (lambda: deliver(HI, newline="\n\n"), r"newline is one of '\n', '\r\n', '\r', not '\n\n'"),
    (
        lambda: deliver(HI, headers={"a": None}),  # type: ignore[dict-item]
        "headers of deliver() are a mapping of strings, not {'a': None}",
    ),
    (
        lambda: deliver(HI, headers=[("a", "b")]),  # type: ignore[arg-type]
        "headers of deliver() are a mapping of strings, not [('a', 'b')]",
    ),
    (
        lambda: Delivery(chunks=-1),
        "chunks is 'whole', 'event', 'byte', a number of bytes, or a tuple of rising offsets, not -1",
    ),
    (lambda: raw(None), "raw() takes bytes, a string, or a list of bytes, not null"),  # type: ignore[arg-type]
    (lambda: raw({"a": 1}), "raw() takes bytes, a string, or a list of bytes, not an object"),  # type: ignore[arg-type]
    (lambda: raw([b"a", "b"]), "item 2 of raw([...]) is a string, and the list holds bytes"),  # type: ignore[list-item]
    (lambda: raw(b"", status=199), "raw() takes an HTTP status from 200 to 599, not 199"),
    (lambda: raw(b"", content_type=5), "content_type of raw() is a string, not a number"),  # type: ignore[arg-type]
    (
        lambda: raw(b"", content_type="text/größe"),
        "content_type of raw() must be ASCII text without line breaks: 'content-type': 'text/größe' is not",
    ),
]


@pytest.mark.parametrize(("make", "sentence"), REFUSED, ids=[sentence[:70] for _, sentence in REFUSED])
def test_what_is_refused(make: Callable[[], object], sentence: str) -> None:
    """A step that makes no sense is refused when it is made, in a sentence that says what is taken."""
    with pytest.raises(ScriptError) as caught:
        make()
    assert str(caught.value) == sentence


SHOWN: list[tuple[Any, str]] = [
    (fail(529), "fail(529)"),
    (fail(429, times=3), "fail(429, times=3)"),
    (fail(400, error_code="tool_name_conflict"), "fail(400, error_code='tool_name_conflict')"),
    (fail(500, message="Oh"), "fail(500, message='Oh')"),
    (fail(418, message="Invalid request"), "fail(418)"),
    (drop(), "drop('connect')"),
    (drop("timeout", times=2), "drop('timeout', times=2)"),
    (raw(b'{"ok":true}'), "raw(b'{\"ok\":true}', status=200)"),
    (raw("event: x\n\n", status=502), "raw(b'event: x\\n\\n', status=502)"),
    (raw([b"a" * 20, b"b" * 21]), "raw(41 bytes, status=200)"),
    (cut(HI), "cut(say(\"Hi\"), how='reset')"),
    (cut(HI, events=0, how="end"), "cut(say(\"Hi\"), events=0, how='end')"),
    (cut(call("add", a=1), bytes=7, how="timeout"), "cut(call(\"add\", a=1), bytes=7, how='timeout')"),
    (cut(HI, how="error", error="api_error"), "cut(say(\"Hi\"), how='error', error='api_error')"),
    (damage(HI, "html"), "damage(say(\"Hi\"), 'html')"),
    (damage(HI, "invalid_utf8", at=3), "damage(say(\"Hi\"), 'invalid_utf8', at=3)"),
    (deliver(HI), 'deliver(say("Hi"))'),
    (
        deliver(HI, pieces=0, chunks=[5, 9], delay=1, pace=0.5, newline="\r\n", headers={"X-A": "b"}),  # type: ignore[arg-type]
        "deliver(say(\"Hi\"), pieces=0, chunks=(5, 9), delay=1, pace=0.5, newline='\\r\\n', headers={'x-a': 'b'})",
    ),
    (
        cut(damage(deliver(turn(say("a"), call("b")), chunks="byte"), "html"), bytes=3),
        "cut(damage(deliver(turn(say(\"a\"), call(\"b\")), chunks='byte'), 'html'), bytes=3, how='reset')",
    ),
]


@pytest.mark.parametrize(("step", "shown"), SHOWN, ids=[shown for _, shown in SHOWN])
def test_how_a_report_shows_a_step(step: object, shown: str) -> None:
    """A step reads as the call that makes it; what has its usual value is left out."""
    assert str(step) == shown


@pytest.mark.parametrize("step", [step for step, _ in SHOWN], ids=str)
def test_a_fault_is_a_step(step: Any) -> None:
    """A script takes each of them as it is, and none of them can be changed."""
    assert as_item(step, "step 1") is step
    with pytest.raises(FrozenInstanceError):
        setattr(step, fields(step)[0].name, None)


@pytest.mark.parametrize("block", [HI, call("add", a=1), think("hm")], ids=str)
@pytest.mark.parametrize("wrapped", [cut, deliver, lambda step: damage(step, "html")], ids=["cut", "deliver", "damage"])
def test_a_lone_block_becomes_a_turn(wrapped: Callable[[Any], Sent], block: Any) -> None:
    """`cut(say("Hi"))` is `cut(turn(say("Hi")))`."""
    assert wrapped(block) == wrapped(turn(block))
    assert wrapped(block).reply == turn(block)


def test_what_is_said_of_a_reply_adds_up() -> None:
    """Delivery, damage and cut are kept side by side in any order; saying one again takes the place of the first."""
    message = reply({"content": []})
    one = cut(damage(deliver(message, chunks="byte"), "malformed_json"), events=2)
    other = deliver(damage(cut(message, events=2), "malformed_json"), chunks="byte")
    assert one == other
    assert one.broken == Break(events=2)
    assert cut(one, bytes=5, how="end").broken == Break(bytes=5, how="end")
    assert damage(one, "html").damage == "html"
    assert deliver(one).delivery == Delivery()
    assert one.reply is message


TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    408: "timeout_error",
    409: "conflict_error",
    413: "request_too_large",
    418: "invalid_request_error",
    422: "invalid_request_error",
    429: "rate_limit_error",
    500: "api_error",
    502: "api_error",
    503: "api_error",
    504: "timeout_error",
    529: "overloaded_error",
    599: "api_error",
}


@pytest.mark.parametrize(("status", "type_"), TYPES.items())
def test_each_status_has_its_error(status: int, type_: str) -> None:
    """The error object is the API's: its type, a message, and no details unless they are asked for."""
    error = fail(status).error
    assert error["type"] == type_
    assert error["message"].strip()
    assert set(error) == {"type", "message"}
    assert fail(status, error_code="x", message="m").error == {
        "type": type_,
        "message": "m",
        "details": {"error_code": "x"},
    }


@pytest.mark.parametrize("error", ERROR_STATUS)
def test_each_error_type_has_its_message(error: str) -> None:
    """The one that comes with its status."""
    assert usual_message(error) == fail(ERROR_STATUS[error]).error["message"]
    assert fail(ERROR_STATUS[error]).error["type"] == error


def test_the_headers_of_a_failure() -> None:
    """A millisecond to wait, unless it is said otherwise; names in lower case; the limits where they are exceeded."""
    assert dict(fail(500).headers) == {"retry-after-ms": "1"}
    assert dict(fail(500, retry_after_ms=None).headers) == {}
    assert dict(fail(500, retry_after_ms=0).headers) == {"retry-after-ms": "0"}
    assert dict(fail(500, headers={"Retry-After": "7", "retry-AFTER-ms": "9"}).headers) == {
        "retry-after": "7",
        "retry-after-ms": "9",
    }
    limited = fail(429, headers={"anthropic-ratelimit-tokens-limit": "1"}).headers
    assert limited["anthropic-ratelimit-tokens-limit"] == "1"
    names = {name for name in limited if name.startswith("anthropic-ratelimit-")}
    assert names == {
        f"anthropic-ratelimit-{what}-{part}"
        for what in ("requests", "tokens", "input-tokens", "output-tokens")
        for part in ("limit", "remaining", "reset")
    }
    assert all(limited[name] == "0" for name in names if name.endswith("remaining"))
    assert not any(name.startswith("anthropic-ratelimit-") for name in fail(529).headers)


def test_a_caller_may_change_what_it_gave() -> None:
    """Headers are copied, so that a later change of the caller's dict changes no script."""
    headers = {"x-a": "1"}
    steps = (fail(500, headers=headers), raw(b"", headers=headers), deliver(HI, headers=headers))
    headers["x-a"] = "2"
    assert steps[0].headers["x-a"] == "1"
    assert steps[1].headers["x-a"] == "1"
    assert steps[2].delivery is not None
    assert steps[2].delivery.headers["x-a"] == "1"


@pytest.mark.parametrize(
    ("body", "chunks", "content_type"),
    [
        (b'{"a":1}', (b'{"a":1}',), "application/json"),
        ("größe", ("größe".encode(),), "application/json"),
        (b"", (), "application/json"),
        ([], (), "application/json"),
        ([b"event: a\n", b"", b"\n"], (b"event: a\n", b"\n"), "text/event-stream; charset=utf-8"),
        ((b"\n", b"data: 1\n\n"), (b"\n", b"data: 1\n\n"), "text/event-stream; charset=utf-8"),
        (b": keep-alive\n\n", (b": keep-alive\n\n",), "text/event-stream; charset=utf-8"),
    ],
    ids=["bytes", "text", "nothing", "no pieces", "a stream in pieces", "a stream", "a comment"],
)
def test_raw_bodies(body: Any, chunks: tuple[bytes, ...], content_type: str) -> None:
    """The pieces are kept but for empty ones, and the content type is what the body looks like, unless it is given."""
    step = raw(body)
    assert (step.chunks, step.status, dict(step.headers)) == (chunks, 200, {"content-type": content_type})
    told = raw(body, content_type="text/html", headers={"X-Cache": "MISS"}).headers
    assert dict(told) == {"content-type": "text/html", "x-cache": "MISS"}


def test_the_kinds_of_steps() -> None:
    """Each function makes its own kind."""
    assert isinstance(fail(500), Fail)
    assert isinstance(drop(), Drop)
    assert isinstance(raw(b""), Raw)
    assert all(isinstance(step, Sent) for step in (cut(HI), damage(HI, "html"), deliver(HI)))
    assert deliver(HI, delay=2).delivery == Delivery(delay=2)
    assert Delivery(chunks=[1, 1, 4]).chunks == (1, 1, 4)  # type: ignore[arg-type]

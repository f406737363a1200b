"""Every fault through the real SDK: what it makes of each, and what the fake says of it.

The tables state what the Python SDK 2.14.0 does. `whole` is the whole reply; `(2 requests)` says that the SDK tried
again by itself, without a word to its caller. What the fake says of the first exchange stands at the end of each row.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
import time
from typing import Any, get_args

import anthropic
import anyio
import httpx2
import pytest

from playhead import Delivery, FakeClaude, call, cut, damage, deliver, drop, fail, raw, say, turn
from playhead.script.faults import Connection, Drop, Ending, Sent
from playhead.wire.damage import DAMAGES
from playhead.wire.sse import decode_events
from playhead.wire.stream import accumulate
from sdk_outcomes import ASK, REPLY, WAYS, outcome, seen

SMALL = deliver(REPLY, pieces=4)
"""The reply in 19 events: 0 message_start, 1 start of the text, 2 ping, 3 to 5 text, 6 its stop, 7 start of the call,
8 to 15 its input (`""`, `{"po`, `rt":`, `"Bre`, `st",`, `"day`, `s":2`, `5}`), 16 its stop, 17 message_delta, 18
message_stop."""

GREETING = turn(say("Größe"))


def body_of(step: Any) -> bytes:
    """The bytes of a stream."""
    fake = FakeClaude([step])
    with fake.client().messages.with_streaming_response.create(**ASK, stream=True) as response:
        return bytes(response.read())


INSIDE_A_CHARACTER = body_of(GREETING).index("ö".encode()) + 1
INSIDE_AN_EVENT = body_of(SMALL).index(b'"ook."')


@pytest.fixture(autouse=True)
def naps(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds for which the SDK backs off, which take no time here: only faults of a connection make it wait."""
    taken: list[float] = []

    async def nap(seconds: float) -> None:
        taken.append(seconds)

    monkeypatch.setattr(time, "sleep", taken.append)
    monkeypatch.setattr(anyio, "sleep", nap)
    return taken


def name_of(step: object) -> str:
    return str(step).replace(str(SMALL), "SMALL").replace(str(REPLY), "REPLY")


later = pytest.mark.parametrize("later", [False, True], ids=["sync", "async"])

# the fault, what becomes of each way to ask, what the fake says
BEFORE: list[tuple[Any, str, str]] = [
    # HTTP errors: tried again or not, then the typed error with the API's words
    (fail(400), "BadRequestError: Invalid request", "400 invalid_request_error"),
    (fail(401), "AuthenticationError: invalid x-api-key", "401 authentication_error"),
    (fail(402), "PaymentRequiredError: There is an issue with your billing or payment …", "402 billing_error"),
    (fail(403), "PermissionDeniedError: Your API key does not have permission to use th…", "403 permission_error"),
    (fail(404), "NotFoundError: Not Found", "404 not_found_error"),
    (fail(408), "whole (2 requests)", "408 timeout_error"),
    (fail(409), "whole (2 requests)", "409 conflict_error"),
    (fail(413), "ContentTooLargeError: Request exceeds the maximum size", "413 request_too_large"),
    (fail(429), "whole (2 requests)", "429 rate_limit_error"),
    (fail(500), "whole (2 requests)", "500 api_error"),
    (fail(502), "whole (2 requests)", "502 api_error"),
    (fail(503), "whole (2 requests)", "503 api_error"),
    (fail(504), "whole (2 requests)", "504 timeout_error"),
    (fail(529), "whole (2 requests)", "529 overloaded_error"),
    (fail(529, times=2), "whole (3 requests)", "529 overloaded_error"),
    (fail(529, times=3), "OverloadedError: Overloaded (3 requests)", "529 overloaded_error"),
    (
        fail(429, times=3),
        "RateLimitError: This request would exceed your account's rate l… (3 requests)",
        "429 rate_limit_error",
    ),
    (fail(529, headers={"x-should-retry": "false"}), "OverloadedError: Overloaded", "529 overloaded_error"),
    (fail(400, headers={"x-should-retry": "true"}), "whole (2 requests)", "400 invalid_request_error"),
    (fail(400, error_code="tool_name_conflict"), "ToolNameConflictError: Invalid request", "400 invalid_request_error"),
    (raw("<html>", status=502, content_type="text/html"), "whole (2 requests)", "502 incomplete"),
    (raw("", status=500), "whole (2 requests)", "500 incomplete"),
    # connections that fail before there is an answer
    (drop("connect"), "whole (2 requests)", "no answer"),
    (drop("connect", times=3), "APIConnectionError (3 requests)", "no answer"),
    (drop("read", times=3), "APIConnectionError (3 requests)", "no answer"),
    (drop("write", times=3), "APIConnectionError (3 requests)", "no answer"),
    (drop("close", times=3), "APIConnectionError (3 requests)", "no answer"),
    (drop("timeout", times=3), "APITimeoutError (3 requests)", "no answer"),
    (drop("connect_timeout", times=3), "APITimeoutError (3 requests)", "no answer"),
    (drop("write_timeout", times=3), "APITimeoutError (3 requests)", "no answer"),
    # too slow for the client, or just not
    (deliver(SMALL, delay=600.1), "whole (2 requests)", "no answer"),
]

# the fault, events, the helper's message, what the fake says
STREAMS: list[tuple[Any, str, str, str]] = [
    # a clean end in the middle
    (cut(SMALL, events=0, how="end"), "0 events, no end", "AssertionError", "200 incomplete"),
    (cut(SMALL, events=1, how="end"), "1 events, no end", "[] None", "200 [] None incomplete"),
    (cut(SMALL, events=2, how="end"), "2 events, no end", "[''] None", "200 [''] None incomplete"),
    (cut(SMALL, events=5, how="end"), "4 events, no end", "['Let me l'] None", "200 ['Let me l'] None incomplete"),
    (
        cut(SMALL, events=7, how="end"),
        "6 events, no end",
        "['Let me look.'] None",
        "200 ['Let me look.'] None incomplete",
    ),
    (
        cut(SMALL, events=12, how="end"),
        "11 events, no end",
        "['Let me look.', ('get_tide', {})] None",
        "200 ['Let me look.', ('get_tide', {})] None incomplete",
    ),
    (
        cut(SMALL, events=13, how="end"),
        "12 events, no end",
        "['Let me look.', ('get_tide', {'port': 'Brest'})] None",
        "200 ['Let me look.', ('get_tide', {})] None incomplete",
    ),
    (
        cut(SMALL, events=15, how="end"),
        "14 events, no end",
        "['Let me look.', ('get_tide', {'port': 'Brest', 'days': 2})] None",
        "200 ['Let me look.', ('get_tide', {})] None incomplete",
    ),
    (
        cut(SMALL, events=17, how="end"),
        "16 events, no end",
        "['Let me look.', ('get_tide', {'port': 'Brest', 'days': 25})] None",
        "200 ['Let me look.', ('get_tide', {'port': 'Brest', 'days': 25})] None incomplete",
    ),
    (cut(SMALL, events=18, how="end"), "17 events, no end", "whole", "200 whole incomplete"),
    (cut(SMALL, events=19, how="end"), "18 events", "whole", "200 whole"),
    (cut(SMALL, bytes=0, how="end"), "0 events, no end", "AssertionError", "200 incomplete"),
    (cut(SMALL, bytes=1, how="end"), "0 events, no end", "AssertionError", "200 incomplete"),
    (cut(SMALL, bytes=290, how="end"), "0 events, no end", "AssertionError", "200 incomplete"),
    (
        cut(SMALL, bytes=INSIDE_AN_EVENT, how="end"),
        "4 events, no end",
        "['Let me l'] None",
        "200 ['Let me l'] None incomplete",
    ),
    (
        cut(turn(say("Größe")), bytes=INSIDE_A_CHARACTER, how="end"),
        "2 events, UnicodeDecodeError",
        "UnicodeDecodeError",
        "200 [''] None incomplete",
    ),
    (cut(turn(say("Größe")), bytes=INSIDE_A_CHARACTER), "2 events, ReadError", "ReadError", "200 [''] None incomplete"),
    # the same, and the connection breaks
    (cut(SMALL), "8 events, ReadError", "ReadError", "200 ['Let me look.', ('get_tide', {})] None incomplete"),
    (cut(SMALL, events=0), "0 events, ReadError", "ReadError", "200 incomplete"),
    (
        cut(SMALL, events=15),
        "14 events, ReadError",
        "ReadError",
        "200 ['Let me look.', ('get_tide', {})] None incomplete",
    ),
    (cut(SMALL, events=19), "18 events, ReadError", "ReadError", "200 whole incomplete"),
    (cut(SMALL, bytes=INSIDE_AN_EVENT), "4 events, ReadError", "ReadError", "200 ['Let me l'] None incomplete"),
    (cut(SMALL, events=0, how="close"), "0 events, RemoteProtocolError", "RemoteProtocolError", "200 incomplete"),
    (
        cut(SMALL, events=15, how="close"),
        "14 events, RemoteProtocolError",
        "RemoteProtocolError",
        "200 ['Let me look.', ('get_tide', {})] None incomplete",
    ),
    (cut(SMALL, events=0, how="timeout"), "0 events, ReadTimeout", "ReadTimeout", "200 incomplete"),
    (
        cut(SMALL, events=15, how="timeout"),
        "14 events, ReadTimeout",
        "ReadTimeout",
        "200 ['Let me look.', ('get_tide', {})] None incomplete",
    ),
    # an error event
    (
        cut(SMALL, events=0, how="error"),
        "0 events, APIStatusError: Overloaded",
        "APIStatusError: Overloaded",
        "200 overloaded_error incomplete",
    ),
    (
        cut(SMALL, events=15, how="error"),
        "14 events, APIStatusError: Overloaded",
        "APIStatusError: Overloaded",
        "200 overloaded_error ['Let me look.', ('get_tide', {})] None incomplete",
    ),
    (
        cut(SMALL, events=19, how="error"),
        "18 events, APIStatusError: Overloaded",
        "APIStatusError: Overloaded",
        "200 overloaded_error whole incomplete",
    ),
    (
        cut(SMALL, events=15, how="error", error="api_error"),
        "14 events, APIStatusError: Internal server error",
        "APIStatusError: Internal server error",
        "200 api_error ['Let me look.', ('get_tide', {})] None incomplete",
    ),
    (
        cut(SMALL, events=15, how="error", error="invalid_request_error"),
        "14 events, APIStatusError: Invalid request",
        "APIStatusError: Invalid request",
        "200 invalid_request_error ['Let me look.', ('get_tide', {})] None incomplete",
    ),
    # too slow for the client, or just not
    (deliver(SMALL, delay=600), "12 events", "whole", "200 whole"),
    (
        deliver(turn(say("Größe 🎉")), pieces=1, chunks="byte", newline="\r\n"),
        "12 events",
        "['Größe 🎉'] end_turn",
        "200 ['Größe 🎉'] end_turn",
    ),
    (deliver(SMALL, chunks="event", pace=600.1), "1 events, ReadTimeout", "ReadTimeout", "200 [] None incomplete"),
    (deliver(SMALL, chunks=100, pace=600.1), "0 events, ReadTimeout", "ReadTimeout", "200 incomplete"),
    (deliver(SMALL, chunks="byte", delay=600, pace=600), "12 events", "whole", "200 whole"),
    (deliver(SMALL, chunks=7, newline="\r\n", headers={"x-cache": "HIT"}), "12 events", "whole", "200 whole"),
    (deliver(SMALL, chunks="byte", newline="\r"), "12 events", "whole", "200 whole"),
    # 200, and wrong
    (damage(REPLY, "malformed_json"), "2 events, JSONDecodeError", "JSONDecodeError", "200 [''] None incomplete"),
    (damage(REPLY, "malformed_json", at=0), "0 events, JSONDecodeError", "JSONDecodeError", "200 incomplete"),
    (damage(REPLY, "malformed_json", at=2), "12 events", "whole", "200 whole"),
    (damage(REPLY, "invalid_utf8"), "2 events, UnicodeDecodeError", "UnicodeDecodeError", "200 [''] None incomplete"),
    (
        damage(REPLY, "invalid_utf8", at=2),
        "2 events, UnicodeDecodeError",
        "UnicodeDecodeError",
        "200 [''] None incomplete",
    ),
    (
        damage(REPLY, "empty_data"),
        "11 events",
        "['', ('get_tide', {'port': 'Brest', 'days': 25})] tool_use",
        "200 ['', ('get_tide', {'port': 'Brest', 'days': 25})] tool_use",
    ),
    (damage(REPLY, "empty_data", at=0), "11 events", "AssertionError", "200 incomplete"),
    (damage(REPLY, "unknown_event"), "13 events", "whole", "200 whole"),
    (damage(REPLY, "unknown_event", at=0), "13 events", "whole", "200 whole"),
    (damage(REPLY, "unknown_delta"), "13 events", "whole", "200 whole"),
    (
        damage(REPLY, "unknown_block"),
        "14 events",
        "['Let me look.', ('get_tide', {'port': 'Brest', 'days': 25}), 'future_block'] tool_use",
        "200 ['Let me look.', ('get_tide', {'port': 'Brest', 'days': 25}), 'future_block'] tool_use",
    ),
    (damage(REPLY, "missing_message_start"), "11 events", "AssertionError", "200 incomplete"),
    (damage(REPLY, "missing_block_start"), "11 events", "IndexError", "200 [('get_tide', {})] tool_use incomplete"),
    (damage(REPLY, "missing_block_stop"), "11 events", "whole", "200 whole"),
    (
        damage(turn(call("get_tide", port="Brest")), "missing_block_stop"),
        "7 events",
        "[('get_tide', {'port': 'Brest'})] tool_use",
        "200 [('get_tide', {'port': 'Brest'})] tool_use",
    ),
    (
        damage(REPLY, "missing_message_delta"),
        "11 events",
        "['Let me look.', ('get_tide', {'port': 'Brest', 'days': 25})] None",
        "200 ['Let me look.', ('get_tide', {'port': 'Brest', 'days': 25})] None",
    ),
    (damage(REPLY, "missing_message_stop"), "11 events, no end", "whole", "200 whole incomplete"),
    (damage(REPLY, "duplicate_message_start"), "13 events", "whole", "200 whole"),
    (
        damage(REPLY, "events_after_end"),
        "21 events",
        "['Let me look.Let me look.', ('get_tide', {'port': 'Brest', 'days': 25}), '', ('get_tide', {})] tool_use",
        "200 ['Let me look.Let me look.', ('get_tide', {'port': 'Brest', 'days': 25}), '', ('get_tide', {})] tool_use",
    ),
    (damage(REPLY, "index_gap"), "12 events", "IndexError", "200 ['', ('get_tide', {})] tool_use incomplete"),
    (damage(REPLY, "unnamed_events"), "0 events, no end", "AssertionError", "200 incomplete"),
    (damage(REPLY, "wrong_content_type"), "12 events", "whole", "200 whole"),
    (damage(REPLY, "empty_body"), "0 events, no end", "AssertionError", "200 incomplete"),
    (damage(REPLY, "html"), "0 events, no end", "AssertionError", "200 incomplete"),
    (damage(REPLY, "wrong_shape"), "0 events, no end", "AssertionError", "200 incomplete"),
    (damage(REPLY, "json_for_stream"), "0 events, no end", "AssertionError", "200 incomplete"),
    (
        damage(REPLY, "stream_for_json"),
        "0 events, BadRequestError: Playhead: damage('stream_for_json') is one of a…",
        "BadRequestError: Playhead: damage('stream_for_json') is one of a…",
        "400 invalid_request_error",
    ),
    # bytes as they stand
    (raw(""), "0 events, no end", "AssertionError", "200 incomplete"),
    (
        raw('{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'),
        "0 events, no end",
        "AssertionError",
        "200 incomplete",
    ),
    (
        raw(b"no gzip", headers={"content-encoding": "gzip"}),
        "0 events, DecodingError",
        "DecodingError",
        "200 incomplete",
    ),
    (raw(": keep-alive\n\n"), "0 events, no end", "AssertionError", "200 incomplete"),
    (raw("event: error\ndata: it broke\n\n"), "0 events, APIStatusError", "APIStatusError", "200 incomplete"),
]

# the fault, the message, what the fake says
AS_JSON: list[tuple[Any, str, str]] = [
    # a clean end in the middle
    (cut(SMALL, events=0, how="end"), "JSONDecodeError", "200 incomplete"),
    (cut(SMALL, events=1, how="end"), "JSONDecodeError", "200 incomplete"),
    (cut(SMALL, events=15, how="end"), "JSONDecodeError", "200 incomplete"),
    (cut(SMALL, events=18, how="end"), "JSONDecodeError", "200 incomplete"),
    (cut(SMALL, events=19, how="end"), "whole", "200 whole"),
    (cut(SMALL, bytes=0, how="end"), "JSONDecodeError", "200 incomplete"),
    (cut(SMALL, bytes=1, how="end"), "JSONDecodeError", "200 incomplete"),
    (cut(SMALL, bytes=INSIDE_AN_EVENT, how="end"), "whole", "200 whole"),
    (cut(turn(say("Größe")), bytes=INSIDE_A_CHARACTER, how="end"), "['Größe'] end_turn", "200 ['Größe'] end_turn"),
    (cut(turn(say("Größe")), bytes=INSIDE_A_CHARACTER), "whole (2 requests)", "200 ['Größe'] end_turn incomplete"),
    # the same, and the connection breaks
    (cut(SMALL), "whole (2 requests)", "200 incomplete"),
    (cut(SMALL, events=0), "whole (2 requests)", "200 incomplete"),
    (cut(SMALL, events=15), "whole (2 requests)", "200 incomplete"),
    (cut(SMALL, events=19), "whole (2 requests)", "200 whole incomplete"),
    (cut(SMALL, bytes=INSIDE_AN_EVENT), "whole (2 requests)", "200 whole incomplete"),
    (cut(SMALL, events=15, how="close"), "whole (2 requests)", "200 incomplete"),
    (cut(SMALL, events=0, how="timeout"), "whole (2 requests)", "200 incomplete"),
    (cut(SMALL, events=15, how="timeout"), "whole (2 requests)", "200 incomplete"),
    # an error event
    (cut(SMALL, events=0, how="error"), "whole (2 requests)", "529 overloaded_error"),
    (cut(SMALL, events=15, how="error"), "whole (2 requests)", "529 overloaded_error"),
    (cut(SMALL, events=19, how="error"), "whole (2 requests)", "529 overloaded_error"),
    (cut(SMALL, events=15, how="error", error="api_error"), "whole (2 requests)", "500 api_error"),
    (
        cut(SMALL, events=15, how="error", error="invalid_request_error"),
        "BadRequestError: Invalid request",
        "400 invalid_request_error",
    ),
    # too slow for the client, or just not
    (deliver(SMALL, delay=600), "whole", "200 whole"),
    (
        deliver(turn(say("Größe 🎉")), pieces=1, chunks="byte", newline="\r\n"),
        "['Größe 🎉'] end_turn",
        "200 ['Größe 🎉'] end_turn",
    ),
    (deliver(SMALL, chunks="event", pace=600.1), "whole", "200 whole"),
    (deliver(SMALL, chunks=100, pace=600.1), "whole (2 requests)", "200 incomplete"),
    (deliver(SMALL, chunks="byte", delay=600, pace=600), "whole", "200 whole"),
    (deliver(SMALL, chunks=7, newline="\r\n", headers={"x-cache": "HIT"}), "whole", "200 whole"),
    (deliver(SMALL, chunks="byte", newline="\r"), "whole", "200 whole"),
    # 200, and wrong
    (damage(REPLY, "malformed_json"), "JSONDecodeError", "200 incomplete"),
    (damage(REPLY, "invalid_utf8"), "UnicodeDecodeError", "200 incomplete"),
    (
        damage(REPLY, "unnamed_events"),
        "BadRequestError: Playhead: damage('unnamed_events') is one of a …",
        "400 invalid_request_error",
    ),
    (damage(REPLY, "wrong_content_type"), "whole", "200 whole"),
    (damage(REPLY, "empty_body"), "JSONDecodeError", "200 incomplete"),
    (damage(REPLY, "html"), "str '<html><head><t'", "200 incomplete"),
    (damage(REPLY, "wrong_shape"), "a message without content", "200 None None incomplete"),
    (damage(REPLY, "stream_for_json"), "str 'event: message'", "200 incomplete"),
    # bytes as they stand
    (raw(""), "JSONDecodeError", "200 incomplete"),
    (
        raw('{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'),
        "a message without content",
        "200 overloaded_error",
    ),
    (raw(b"no gzip", headers={"content-encoding": "gzip"}), "whole (2 requests)", "200 incomplete"),
    (raw(": keep-alive\n\n"), "str ': keep-alive\\n\\n'", "200 incomplete"),
    (raw("event: error\ndata: it broke\n\n"), "str 'event: error\\nd'", "200 incomplete"),
]


def ids(rows: list[Any]) -> list[str]:
    return [name_of(row[0]) for row in rows]


of_this_sdk = pytest.mark.skipif(
    anthropic.__version__ != "2.14.0", reason=f"the tables are of anthropic 2.14.0, this is {anthropic.__version__}"
)


@of_this_sdk
@later
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("step", "told", "said"), BEFORE, ids=ids(BEFORE))
def test_what_goes_wrong_before_an_answer(step: Any, told: str, said: str, way: str, later: bool) -> None:
    """JSON or stream, sync or async: the SDK tries again where that helps, and raises the same error otherwise."""
    fake = FakeClaude([step, REPLY])
    if way == "raw":
        told = told.replace("whole", "12 events") if told.startswith("whole") else f"0 events, {told}"
    assert outcome(fake, way, later=later) == told
    first, *others = fake.session.exchanges
    assert seen(first) == said
    for exchange in others:
        assert exchange.retry_of == exchange.number - 1
    assert len(fake.session.turns) == 1
    assert fake.violations == ()


@of_this_sdk
@later
@pytest.mark.parametrize(("step", "events", "told", "said"), STREAMS, ids=ids(STREAMS))
def test_what_goes_wrong_in_a_stream(step: Any, events: str, told: str, said: str, later: bool) -> None:
    """What a raw stream hands out, what the helper makes of it, and that the fake says the same. Nobody tries again."""
    for way, expected in (("raw", events), ("helper", told)):
        fake = FakeClaude([step])
        assert outcome(fake, way, later=later) == expected
        assert seen(fake.session.exchanges[0]) == said
        assert fake.violations == ()


@of_this_sdk
@later
@pytest.mark.parametrize(("step", "told", "said"), AS_JSON, ids=ids(AS_JSON))
def test_what_goes_wrong_in_a_json_answer(step: Any, told: str, said: str, later: bool) -> None:
    """A broken connection is tried again; what is complete and wrong is not, and is rarely an error of the SDK's."""
    fake = FakeClaude([step, REPLY])
    assert outcome(fake, "create", later=later) == told
    assert seen(fake.session.exchanges[0]) == said


def test_what_a_careful_loop_catches() -> None:
    """These are all the errors there are, whatever goes wrong: docs/faults.md says so."""
    known = (anthropic.APIError, httpx2.RequestError, ValueError, AssertionError, IndexError)
    asked = [(row[0], way) for table in (BEFORE, STREAMS) for row in table for way in ("raw", "helper")]
    asked += [(row[0], "create") for table in (BEFORE, AS_JSON) for row in table]
    raised = 0
    for step, way in asked:
        client = FakeClaude([step]).client(max_retries=0)
        try:
            if way == "create":
                client.messages.create(**ASK)
            elif way == "helper":
                with client.messages.stream(**ASK) as stream:
                    stream.get_final_message()
            else:
                for _ in client.messages.create(**ASK, stream=True):
                    pass
        except known:
            raised += 1
    assert raised > 100


def test_every_damage_stands_in_a_table() -> None:
    """So does every way for a connection to fail, and every way for a cut to end."""
    steps = [row[0] for table in (BEFORE, STREAMS, AS_JSON) for row in table]
    assert {step.damage for step in steps if isinstance(step, Sent) and step.damage} == set(DAMAGES)
    assert {step.how for step in steps if isinstance(step, Drop)} == set(get_args(Connection))
    assert {step.broken.how for step in steps if isinstance(step, Sent) and step.broken} == set(get_args(Ending))


# Errors


CLASSES = {
    400: "BadRequestError",
    401: "AuthenticationError",
    402: "PaymentRequiredError",
    403: "PermissionDeniedError",
    404: "NotFoundError",
    408: "RequestTimeoutError",
    409: "ConflictError",
    412: "PreconditionFailedError",
    413: "ContentTooLargeError",
    422: "UnprocessableEntityError",
    429: "RateLimitError",
    431: "RequestHeaderFieldsTooLargeError",
    499: "ClientClosedRequestError",
    501: "HTTPNotImplementedError",
    503: "ServiceUnavailableError",
    504: "GatewayTimeoutError",
    529: "OverloadedError",
}


def refusals(steps: list[Any], *, later: bool = False) -> list[anthropic.APIStatusError]:
    """The errors that a client without retries gets, one after the other; each exchange tells the same."""
    fake = FakeClaude(steps, conversations="any", max_requests=len(steps))

    async def ask(client: anthropic.AsyncAnthropic) -> list[Any]:
        return [await asyncio.gather(client.messages.create(**ASK), return_exceptions=True) for _ in steps]

    errors: list[Any] = []
    if later:
        errors = [error for (error,) in asyncio.run(ask(fake.async_client(max_retries=0)))]
    else:
        client = fake.client(max_retries=0)
        for _ in steps:
            with pytest.raises(anthropic.APIStatusError) as caught:
                client.messages.create(**ASK)
            errors.append(caught.value)
    for error, exchange in zip(errors, fake.session.exchanges, strict=True):
        assert isinstance(error, anthropic.APIStatusError)
        assert (exchange.status, exchange.error) == (error.status_code, error.body["error"])  # type: ignore[index]
        assert error.request_id == f"req_{exchange.number:04d}"
    return errors


def refusal(step: Any, *, later: bool = False) -> anthropic.APIStatusError:
    """The error of one step."""
    (error,) = refusals([step], later=later)
    return error


@of_this_sdk
@later
def test_every_status_is_its_error(later: bool) -> None:
    """From 400 to 529: the class that the SDK has for it, with the API's body, type, message and request id."""
    for error in refusals([fail(status) for status in range(400, 530)], later=later):
        status, step = error.status_code, fail(error.status_code)
        assert type(error).__name__ == CLASSES.get(status, "APIStatusError" if status < 500 else "InternalServerError")
        assert error.body == {"type": "error", "error": step.error, "request_id": error.request_id}
        assert (error.type, error.api_message, error.error_code) == (step.error["type"], step.error["message"], None)


def error_classes() -> dict[tuple[int, str], Any]:
    """The SDK's table of finer errors; empty where a version has none."""
    classes = getattr(sys.modules.get("anthropic._error_classes"), "ERROR_CLASSES", {})
    return {key: its for key, its in classes.items() if key[1] is not None}


@pytest.mark.skipif(not error_classes(), reason="this anthropic has no finer error classes")
def test_every_finer_error() -> None:
    """Each error code that the SDK knows gives its own class."""
    known = error_classes()
    errors = refusals([fail(status, error_code=code, message="m") for status, code in known])
    assert [type(error) for error in errors] == [*known.values()]
    assert [(error.status_code, error.error_code) for error in errors] == [*known]
    assert all(error.api_message == "m" and error.details is not None for error in errors)
    assert len(known) > 100


@later
def test_a_code_that_nobody_knows(later: bool) -> None:
    """Any other code leaves the class of the status, and can be read."""
    error = refusal(fail(429, error_code="from_the_future"), later=later)
    assert type(error) is anthropic.RateLimitError
    assert error.error_code == "from_the_future"


@later
def test_the_headers_of_a_rate_limit(later: bool) -> None:
    """A loop that paces itself finds what it looks for: how long to wait, and what is left."""
    headers = {"retry-after": "17", "anthropic-ratelimit-tokens-remaining": "12"}
    found = refusal(fail(429, headers=headers), later=later).response.headers
    assert (found["retry-after"], found["retry-after-ms"]) == ("17", "1")
    assert found["anthropic-ratelimit-tokens-remaining"] == "12"
    assert found["anthropic-ratelimit-requests-remaining"] == "0"
    assert found["anthropic-ratelimit-requests-reset"] == "2026-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (fail(529, times=2), [0.001, 0.001]),
        (fail(529, retry_after_ms=1500), [1.5]),
        (fail(429, retry_after_ms=None, headers={"retry-after": "7"}), [7.0]),
        (fail(429, headers={"retry-after": "7"}), [0.001]),
        (cut(REPLY, how="error"), [0.001]),
    ],
    ids=name_of,
)
@later
def test_how_long_the_sdk_backs_off(step: Any, expected: list[float], later: bool, naps: list[float]) -> None:
    """A millisecond, unless the step says otherwise."""
    assert outcome(FakeClaude([step, REPLY]), "create", later=later).startswith("whole")
    assert naps == expected


@later
def test_a_broken_connection_makes_the_sdk_wait(later: bool, naps: list[float]) -> None:
    """Nothing that a fake could send shortens it: about half a second, then one; `max_retries=0` does without."""
    assert outcome(FakeClaude([drop(times=2), REPLY]), "create", later=later) == "whole (3 requests)"
    assert 0.37 <= naps[0] <= 0.5
    assert 0.75 <= naps[1] <= 1.0
    assert outcome(FakeClaude([drop()]), "create", later=later, max_retries=0) == "APIConnectionError"
    assert len(naps) == 2


@pytest.mark.parametrize(
    ("step", "cause"),
    [
        (drop("connect"), httpx2.ConnectError),
        (drop("read"), httpx2.ReadError),
        (drop("write"), httpx2.WriteError),
        (drop("close"), httpx2.RemoteProtocolError),
        (drop("timeout"), httpx2.ReadTimeout),
        (drop("connect_timeout"), httpx2.ConnectTimeout),
        (drop("write_timeout"), httpx2.WriteTimeout),
        (cut(REPLY), httpx2.ReadError),
        (cut(REPLY, how="close"), httpx2.RemoteProtocolError),
        (cut(REPLY, how="timeout"), httpx2.ReadTimeout),
    ],
    ids=name_of,
)
def test_the_cause_of_a_connection_error(step: Any, cause: type[Exception]) -> None:
    """The SDK's error says little; its cause is the HTTP library's own."""
    with pytest.raises(anthropic.APIConnectionError) as caught:
        FakeClaude([step]).client(max_retries=0).messages.create(**ASK)
    assert type(caught.value.__cause__) is cause


@pytest.mark.parametrize(
    ("step", "asked", "waited"),
    [
        (drop("timeout"), {}, 600.0),
        (drop("connect_timeout"), {}, 5.0),
        (drop("write_timeout"), {}, 600.0),
        (drop("timeout"), {"timeout": 3.0}, 3.0),
        (drop("timeout"), {"timeout": None}, 0.0),
        (drop("connect"), {}, 0.0),
        (deliver(REPLY, delay=2), {"timeout": 3.0}, 2.0),
        (deliver(REPLY, delay=4), {"timeout": 3.0}, 3.0),
        (cut(REPLY, how="timeout"), {"timeout": 3.0}, 3.0),
        (deliver(REPLY, chunks=(1, 2, 3), pace=0.25), {}, 0.75),
        (deliver(REPLY, chunks=(1, 2, 3), pace=2, delay=1), {"timeout": 1.5}, 2.5),
    ],
    ids=lambda value: name_of(value) if not isinstance(value, dict | float) else str(value),
)
@later
def test_how_long_it_would_have_taken(step: Any, asked: dict[str, Any], waited: float, later: bool) -> None:
    """`waited` counts delays, pauses, and the timeouts that the client would have sat through."""
    fake = FakeClaude([step])
    outcome(fake, "create", later=later, max_retries=0, **asked)
    assert fake.waited == waited


# The fake and the SDK, side by side


def agree(steps: list[Any]) -> None:
    """Whatever the helper makes of each stream, the fake says the same of its exchange."""
    fake = FakeClaude(steps, conversations="any")
    client = fake.client()
    for number, step in enumerate(steps):
        reply: Any = None
        with contextlib.suppress(Exception), client.messages.stream(**ASK) as stream:
            reply = stream.get_final_message()
        exchange = fake.session.exchanges[number]
        made: Any = exchange.response
        # of a piece lost inside a tool's input the SDK makes what it can, and the fake nothing
        lost = bool(accumulate(exchange.events or ()).unparsed)
        if reply is None:
            assert not exchange.complete or lost, str(step)
            continue
        assert made is not None, str(step)
        assert made["stop_reason"] == reply.stop_reason, str(step)
        assert [block["type"] for block in made["content"]] == [block.type for block in reply.content], str(step)
        for ours, theirs in zip(made["content"], reply.content, strict=True):
            if ours["type"] == "text":
                assert ours["text"] == theirs.text, str(step)
            elif ours["type"] == "tool_use" and exchange.complete and not lost:
                assert ours["input"] == theirs.input, str(step)


@pytest.mark.parametrize(("newline", "how"), [("\n", "end"), ("\r\n", "end"), ("\r", "end"), ("\n", "reset")])
def test_they_agree_wherever_a_stream_is_cut(newline: str, how: Any) -> None:
    """At every event; at every byte of a character, of a line end and of the end; and at bytes all along."""
    step = deliver(turn(say("ö🎉"), call("get_tide", port="Brest")), pieces=4, newline=newline)
    body = body_of(step)
    events = decode_events(body)
    character, last = body.index("🎉".encode()), len(body)
    places = {*range(0, last, 97), *range(character - 1, character + 6), *range(last - 5, last + 1)}
    agree([cut(step, events=count, how=how) for count in range(len(events) + 1)])
    agree([cut(step, bytes=at, how=how) for at in sorted(places)])


def test_they_agree_wherever_an_error_comes() -> None:
    """An error event in the place of each event, and after the last."""
    agree([cut(REPLY, events=count, how="error") for count in range(len(decode_events(body_of(REPLY))) + 1)])


@pytest.mark.parametrize(
    "damaged", [damage for damage in DAMAGES.values() if damage.on_stream], ids=lambda its: str(its.name)
)
def test_they_agree_whatever_is_damaged(damaged: Any) -> None:
    """Each damage, at each place that it can have, and cut off after it."""
    places = range(len(decode_events(body_of(REPLY)))) if damaged.placed else [None]
    steps = [damage(REPLY, damaged.name, at=at) for at in places]
    agree([*steps, cut(steps[0], events=5, how="end"), deliver(steps[-1], newline="\r", chunks=9)])


@pytest.mark.parametrize("at", [0, 1, 100, 300, -2, -1, None])
@pytest.mark.parametrize("how", ["end", "reset"])
def test_they_agree_on_json_that_is_cut(at: int | None, how: Any) -> None:
    """A JSON answer is read or it is not: whole, or nothing."""
    size = len(FakeClaude([REPLY]).client().messages.with_raw_response.create(**ASK).http_response.content)
    count = size if at is None else at % size
    fake = FakeClaude([cut(REPLY, bytes=count, how=how)])
    whole = outcome(fake, "create", max_retries=0) == "whole"
    assert whole == (at is None and how == "end") == fake.session.exchanges[0].complete


@later
@pytest.mark.parametrize("chunks", ["whole", "event", "byte", 3, (1, 400)], ids=str)
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"], ids=repr)
@pytest.mark.parametrize("way", WAYS)
def test_a_whole_reply_arrives_however_it_travels(way: str, newline: str, chunks: Any, later: bool) -> None:
    """In any writes, with any line ends, by any way of asking; said of the step or of the fake."""
    expected = "18 events" if way == "raw" else "whole"
    assert outcome(FakeClaude([deliver(REPLY, pieces=4, chunks=chunks, newline=newline)]), way, later=later) == expected
    fake = FakeClaude([REPLY], delivery=Delivery(pieces=4, chunks=chunks, newline=newline, pace=0.01))
    assert outcome(fake, way, later=later) == expected
    assert seen(fake.session.exchanges[0]) == "200 whole"


@later
def test_the_headers_that_a_client_sees(later: bool) -> None:
    """They are those that the exchange tells, for replies, errors and raw answers alike."""
    steps = [deliver(REPLY, headers={"x-a": "1"}), fail(400, headers={"x-a": "2"}), raw("{}", headers={"x-a": "3"})]
    for number, step in enumerate(steps, 1):
        fake = FakeClaude([step])

        async def ask(fake: FakeClaude = fake) -> Any:
            return (await fake.async_client().messages.with_raw_response.create(**ASK)).headers

        try:
            headers = asyncio.run(ask()) if later else fake.client().messages.with_raw_response.create(**ASK).headers
        except anthropic.APIStatusError as error:
            headers = error.response.headers
        assert headers["x-a"] == str(number)
        assert dict(headers) == fake.session.exchanges[0].response_headers

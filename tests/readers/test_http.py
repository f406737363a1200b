"""A recorded call becomes an exchange, or a reason to pass it over."""

from __future__ import annotations

import base64
import gzip
import json

import pytest

from playhead.readers.call import Call, Unreadable
from playhead.readers.http import exchange_of
from playhead.wire.exchange import Exchange
from playhead.wire.history import back_to
from playhead.wire.reading import Bodies
from readers.samples import ANSWER, ERROR, EVENTS, FRAMES, MESSAGE, OTHER_URL, REQUEST, SENT, STREAM, URL

GZIPPED = gzip.compress(ANSWER.encode())
BODIES = {
    "text": ANSWER,
    "bytes": ANSWER.encode(),
    "data": MESSAGE,
    "gzip": GZIPPED,
    "base64 of gzip": base64.b64encode(GZIPPED).decode(),
    "events": STREAM,
    "events as bytes": STREAM.encode(),
    "events with CR LF": STREAM.replace("\n", "\r\n"),
    "events without the last blank line": STREAM.removesuffix("\n"),
    "padded events": STREAM.replace("}\n\n", "}          \n\n"),
    "events and [DONE]": STREAM + "data: [DONE]\n\n",
    "an event of two lines": STREAM.replace('data: {"type":"ping"}', 'data: {"type":\ndata: "ping"}'),
    "AWS event stream": FRAMES,
}


def exchange(**fields: object) -> Exchange:
    found = exchange_of(Call(**{"url": URL, "request_body": SENT, "status": 200, "place": "calls[0]", **fields}))
    assert isinstance(found, Exchange)
    return found


@pytest.mark.parametrize("body", BODIES)
def test_one_message_out_of_every_kind_of_body(body: str) -> None:
    """However the answer was kept, the message is the same; the header's content-encoding is often wrong."""
    for encoding in ("gzip", "br", ""):
        if body == "base64 of gzip" and not encoding:
            continue
        found = exchange(response_body=BODIES[body], response_headers={"content-encoding": encoding})
        assert (found.response, found.complete, found.error) == (MESSAGE, True, None)
        assert (found.events is not None) == ("event" in body.lower())


def test_the_request_is_the_body_as_sent() -> None:
    """The request is the plain dict, the path keeps its query, header names are as the format gave them."""
    found = exchange(method="post", request_headers={"anthropic-version": "2023-06-01"}, response_body=ANSWER)
    assert (found.request, found.path, found.method) == (REQUEST, "/v1/messages?beta=true", "POST")
    assert found.headers == {"anthropic-version": "2023-06-01"}


def test_what_a_request_resends_is_the_same_objects() -> None:
    """In whatever way the bodies were kept: text, bytes, data, compressed; with cache marks that move."""
    bodies, earlier = Bodies(), []
    mark = {"cache_control": {"type": "ephemeral"}}
    messages: list[object] = [*REQUEST["messages"]]  # type: ignore[misc]
    for number, kind in enumerate(("text", "bytes", "gzip", "text")):
        messages += [{"role": "assistant", "content": "ho"}, {"role": "user", "content": f"and {number}?"}]
        marked = [*messages[:-1], {**messages[-1], **mark}]  # type: ignore[dict-item]
        text = json.dumps({**REQUEST, "messages": marked})
        body = {"text": text, "bytes": text.encode(), "gzip": gzip.compress(text.encode())}[kind]
        found = exchange_of(Call(url=URL, request_body=body, status=200, response_body=ANSWER), number + 1, bodies)
        assert isinstance(found, Exchange)
        assert found.request == json.loads(text)
        assert found.history is not None
        for before in earlier:
            shared = len(before.messages) - 1  # the last was marked
            assert back_to(found.history, shared) is back_to(before.history, shared)
        earlier.append(found)


def test_data_that_a_request_resends_is_the_same_objects() -> None:
    """A format that keeps bodies as data has nothing to compare but what they would be written as."""
    bodies = Bodies()
    first, second = (
        exchange_of(Call(url=URL, request_body=json.loads(SENT), response_body=ANSWER), number, bodies)
        for number in (1, 2)
    )
    assert isinstance(first, Exchange)
    assert isinstance(second, Exchange)
    assert first.history is second.history is not None


CUTS = {
    "before an event": STREAM[: STREAM.index("event: message_stop")],
    "within an event": STREAM[: STREAM.index("event: message_delta") + 40],
    "frames cut": FRAMES[:-7],
}


@pytest.mark.parametrize("cut", CUTS)
def test_a_cut_stream_is_not_complete(cut: str) -> None:
    """What came before the break is kept, and `complete` is False."""
    body = CUTS[cut]
    found = exchange(response_body=body)
    assert not found.complete
    assert found.failed
    assert found.response is not None
    assert found.response["id"] == MESSAGE["id"]


def test_damage_within_a_stream_is_an_error() -> None:
    """An unreadable event that others follow was not cut: the file is damaged, and the error says which event."""
    body = STREAM.replace('data: {"type":"ping"}', "data: {ping")
    with pytest.raises(Unreadable, match="event 3 is no JSON") as raised:
        exchange(response_body=body)
    assert raised.value.place == "calls[0].response.body"


def test_two_values_in_one_event_are_damage() -> None:
    """Events are decoded together for speed; one that holds two values does not pass as two events."""
    body = STREAM.replace('data: {"type":"ping"}', 'data: {"type":"ping"},{"type":"ping"}')
    with pytest.raises(Unreadable, match="event 3"):
        exchange(response_body=body)


@pytest.mark.parametrize("side", ["request_body", "response_body"])
def test_a_damaged_body_is_an_error(side: str) -> None:
    """A body that begins as JSON and is none is damage, not an unknown body."""
    with pytest.raises(Unreadable, match="the body is no JSON") as raised:
        exchange(**{"response_body": ANSWER, side: ANSWER[:-9]})
    assert raised.value.place == f"calls[0].{side.removesuffix('_body')}.body"


@pytest.mark.parametrize(
    "body", ["<REDACTED>", "[REDACTED]", "", None, b"\xff\xfe\x00", "{REDACTED}", "--form\r\n\r\n%PDF"]
)
def test_a_body_that_tells_nothing_is_unknown(body: object) -> None:
    """Redacted, empty and binary request bodies are None: the recording does not tell them."""
    assert exchange(request_body=body, response_body=ANSWER).request is None


def test_an_event_stream_of_another_endpoint_has_its_own_end() -> None:
    """The old `/v1/complete` streams no `message_stop`; that does not make it broken."""
    body = 'event: completion\ndata: {"type":"completion","completion":" Tide"}\n\n'
    found = exchange(url="https://api.anthropic.com/v1/complete", response_body=body)
    assert (found.complete, found.is_message, len(found.events or ())) == (True, False, 1)


ERRORS = {
    "error body": (429, json.dumps(ERROR), ERROR["error"]),
    "error body with 200": (200, json.dumps(ERROR), ERROR["error"]),
    "page of a proxy": (502, "<html>Bad gateway", {"type": "api_error", "message": "<html>Bad gateway"}),
    "no body": (529, "", {"type": "overloaded_error", "message": ""}),
    "Bedrock": (403, '{"message":"no access"}', {"type": "permission_error", "message": "no access"}),
    "text": (400, '{"error":"bad"}', {"type": "invalid_request_error", "message": "bad"}),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name: str) -> None:
    """An error answer has its `error` object, or one with its text, and no message."""
    status, body, error = ERRORS[name]
    found = exchange(status=status, response_body=body)
    assert (found.status, found.error, found.response) == (status, error, None)


def test_an_error_event_in_a_stream() -> None:
    """A stream that ends with an error event has that error and is not complete."""
    body = STREAM[: STREAM.index("event: message_delta")] + f"event: error\ndata: {json.dumps(ERROR)}\n\n"
    found = exchange(response_body=body)
    assert (found.error, found.complete) == (ERROR["error"], False)


BEDROCK = "https://bedrock-runtime.eu-west-1.amazonaws.com/model"
VERTEX = "https://eu-aiplatform.googleapis.com/v1/projects/p/locations/eu/publishers/anthropic/models"
CLOUDS = {
    f"{BEDROCK}/eu.anthropic.claude-x%3A0/invoke": False,
    f"{BEDROCK}/anthropic.claude-x:0/invoke-with-response-stream": True,
    f"{VERTEX}/claude-x@1:rawPredict": False,
    f"{VERTEX}/claude-x@1:streamRawPredict": True,
}


@pytest.mark.parametrize("url", CLOUDS)
def test_clouds_are_told_as_the_call_they_stand_for(url: str) -> None:
    """Model and streaming come from the URL, version and betas go to the headers, as the SDK translates, undone."""
    sent = {"anthropic_version": "bedrock-2023-05-31", "anthropic_beta": ["a", "b"], "messages": [], "max_tokens": 1}
    found = exchange(url=url, request_body=sent, request_headers={}, response_body=ANSWER)
    assert found.is_message
    assert found.request is not None
    assert found.request.pop("model") in ("eu.anthropic.claude-x:0", "anthropic.claude-x:0", "claude-x@1")
    assert found.request == {"messages": [], "max_tokens": 1} | ({"stream": True} if CLOUDS[url] else {})
    assert found.headers == {"anthropic-version": "bedrock-2023-05-31", "anthropic-beta": "a,b"}


def test_another_vendors_call_is_passed_over_even_if_damaged() -> None:
    """Bodies of calls that are not Claude's need not be readable."""
    assert exchange_of(Call(url=OTHER_URL, request_body="{", response_body=b"\x1f\x8b")) == "calls to api.openai.com"


def test_events_are_kept() -> None:
    """The events of a stream are kept in order, as they came."""
    assert list(exchange(response_body=STREAM).events or ()) == EVENTS

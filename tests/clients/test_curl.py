"""curl as a client: what the documentation of the API shows, pointed at the server."""

from __future__ import annotations

import json
import os

from clients.installed import needs_program, run
from playhead import api_error, call, say, serve
from playhead.serving import Serving
from playhead.wire.sse import decode_events
from playhead.wire.stream import accumulate, event_data

pytestmark = needs_program("curl")

ASK = {"model": "claude-opus-5-5", "max_tokens": 64, "messages": [{"role": "user", "content": "How high is the tide?"}]}


def curl(server: Serving, path: str, *options: str) -> tuple[int, str, str]:
    """The status, the content type and the body of an answer."""
    told = ("-w", "\n%{http_code} %{content_type}", "-H", "x-api-key: any", "-H", "anthropic-version: 2023-06-01")
    done = run(["curl", "-sS", *told, *options, server.url + path], {**os.environ, **server.env})
    assert done.stderr == ""
    answer, _, end = done.stdout.rpartition("\n")
    status, _, kind = end.partition(" ")
    return int(status), kind, answer


def posted(body: object) -> tuple[str, ...]:
    return ("-H", "content-type: application/json", "-d", json.dumps(body))


def test_a_message() -> None:
    """A request gets the reply as JSON."""
    with serve([say("4.1 m")]) as server:
        status, kind, answer = curl(server, "/v1/messages", *posted(ASK))
    assert (status, kind) == (200, "application/json")
    assert json.loads(answer)["content"] == [{"type": "text", "text": "4.1 m"}]


def test_a_stream() -> None:
    """With `-N` a stream comes as events, which add up to the message that the JSON would have been."""
    tool = {"name": "get_tide", "input_schema": {"type": "object"}}
    with serve([call("get_tide", port="Brest")], ignore=["tool-use-unanswered"]) as server:
        status, kind, answer = curl(server, "/v1/messages", "-N", *posted({**ASK, "tools": [tool], "stream": True}))
    events = decode_events(answer.encode())
    assert (status, kind.partition(";")[0]) == (200, "text/event-stream")
    assert (events[0].name, events[-1].name) == ("message_start", "message_stop")
    message = accumulate(map(event_data, events)).message
    assert message is not None
    assert [(block["name"], block["input"]) for block in message["content"]] == [("get_tide", {"port": "Brest"})]


def test_a_refusal_shows_the_error_of_the_api() -> None:
    """What the API would refuse is answered with its status and body, and stands in the verdict."""
    wrong = {**ASK, "messages": [{"role": "user", "content": ""}]}
    with serve([say("4.1 m")]) as server:
        status, kind, answer = curl(server, "/v1/messages", *posted(wrong))
        expected = api_error(wrong, {"x-api-key": "any", "anthropic-version": "2023-06-01"})
        assert expected is not None
        assert (status, kind) == (expected.status, "application/json")
        assert json.loads(answer)["error"] == expected.body["error"]
        _, _, verdict = curl(server, "/_playhead/verdict")
        assert [violation["rule"] for violation in json.loads(verdict)["violations"]] == ["content-nonempty-message"]
        curl(server, "/_playhead/reset", "-X", "POST")
        curl(server, "/v1/messages", *posted(ASK))


def test_what_is_no_json_and_what_is_nowhere() -> None:
    """A broken body and an unknown path get errors of the API's shape, and the test is told of both."""
    with serve([say("4.1 m")]) as server:
        broken = curl(server, "/v1/messages", "-H", "content-type: application/json", "-d", "{")
        nowhere = curl(server, "/v1/tides")
        curl(server, "/v1/messages", *posted(ASK))
        told = server.verdict()["failures"][0]["message"]
        server.reset()
        curl(server, "/v1/messages", *posted(ASK))
    assert (broken[0], json.loads(broken[2])["error"]["type"]) == (400, "invalid_request_error")
    assert (nowhere[0], json.loads(nowhere[2])["error"]["type"]) == (404, "not_found_error")
    assert "request 1 cannot be read" in told
    assert "request 2 is GET /v1/tides" in told

"""What no client should send: the server refuses it, forgets it, and goes on."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from hostile import (
    Answer,
    Answers,
    answer_on,
    answered,
    asking,
    connected,
    hosted,
    nothing_leaks,
    request,
    seen,
    still_good,
    until,
)
from playhead.doors.asgi import LARGEST
from playhead.serving import Serving, serve

pytest.importorskip("uvicorn", reason="the server needs uvicorn: pip install 'playhead[serve]'")

DROPPED = 300
"""Connections opened and dropped; bench/hostile_server.py does thousands."""

CHUNKED = {"transfer_encoding": "chunked", "content_length": ""}


@pytest.fixture(scope="module")
def hosting() -> Iterator[Serving]:
    with hosted() as server:
        still_good(server)
        yield server


@pytest.fixture
def server(hosting: Serving) -> Iterator[Serving]:
    """A server that holds nothing when the test is over, and still answers."""
    hosting.reset()
    with nothing_leaks(hosting):
        yield hosting
        still_good(hosting)


def unseen(server: Serving, *pieces: bytes) -> Answer:
    """The answer to what never became a request: the verdict and the session do not know of it."""
    before, verdict = seen(server), server.fake.failure()
    answer = answered(server, *pieces)
    assert seen(server) == before
    assert str(server.fake.failure()) == str(verdict)
    return answer


def test_half_sent_requests_are_held_while_others_are_served(server: Serving) -> None:
    """Whoever sends slowly keeps nobody waiting; who has sent all is answered, who goes is forgotten."""
    whole = request(asking(), connection="keep-alive")
    slow = [connected(server, whole[: 1 + number % (len(whole) - 1)]) for number in range(100)]
    before = seen(server)
    for _ in range(5):
        still_good(server)
    assert seen(server) == before + 5
    slow[0].sendall(whole[1:])
    assert answer_on(slow[0]).status == 200
    for connection in slow:
        connection.close()


TOO_LARGE = "Request exceeds the maximum size"


def test_a_body_that_is_too_large_by_its_length(server: Serving) -> None:
    """The API's refusal, at once, whether or not any of it comes; and a client that sends it all reads it too."""
    for sent in (0, 1, 1000):
        head = request(content_length=str(LARGEST + 1))
        assert_too_large(unseen(server, head, b"x" * sent))
    assert_too_large(unseen(server, request(content_length=str(LARGEST + 1)), b"x" * (LARGEST + 1)))
    assert_too_large(unseen(server, request(content_length=str(10**15))))


def test_a_body_that_is_too_large_in_chunks(server: Serving) -> None:
    """The same, once more has come than may."""
    piece = b"%x\r\n%s\r\n" % (2**20, b"x" * 2**20)
    pieces = [piece] * (LARGEST // 2**20 + 1)
    assert_too_large(unseen(server, request(**CHUNKED), *pieces, b"0\r\n\r\n"))


def test_the_largest_body_is_taken(server: Serving) -> None:
    """One byte less is read: it is no JSON, which is another matter."""
    answer = answered(server, request(b" " * LARGEST))
    assert answer.status == 400
    assert "not valid JSON" in answer.error["message"]


def assert_too_large(answer: Answer) -> None:
    assert answer.status == 413
    assert answer.error == {"type": "request_too_large", "message": TOO_LARGE}


GARBAGE: dict[str, bytes] = {
    "noise": bytes(range(256)) * 4,
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 64,
    "zeros": b"\0" * 2000,
    "words": b"please play\r\n\r\n",
    "no version": b"POST /v1/messages\r\n\r\n",
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "a header without a name": b"POST /v1/messages HTTP/1.1\r\n: x\r\n\r\n",
    "a header with spaces": b"POST /v1/messages HTTP/1.1\r\nhost: a\r\nx y: z\r\n\r\n",
    "a NUL in a header": b"POST /v1/messages HTTP/1.1\r\nhost: a\r\nx: \0\r\n\r\n",
    "a length that is none": request(content_length="many"),
    "a negative length": request(content_length="-1"),
    "two lengths": request(b"{}", headers=["content-length: 5"]),
    "a chunk size that is none": request(**CHUNKED) + b"zz\r\nabc\r\n",
    "a negative chunk size": request(**CHUNKED) + b"-1\r\nabc\r\n",
    "a chunk size without end": request(**CHUNKED) + b"f" * 100 + b"\r\n",
    "a NUL in the path": request(path=b"/v1/\0messages"),
    "a raw space in the path": request(path=b"/v1/ messages"),
}


@pytest.mark.parametrize("bytes_", GARBAGE.values(), ids=GARBAGE)
def test_what_is_no_http(server: Serving, bytes_: bytes) -> None:
    """It is refused or the connection is closed, and nothing of it is a request."""
    assert unseen(server, bytes_).status in (0, 400, 505)


LONG: dict[str, list[bytes]] = {
    "request line": [b"POST /" + b"x" * 2**20, b"x" * 2**20],
    "header": [b"POST /v1/messages HTTP/1.1\r\nhost: a\r\nx: " + b"x" * 2**20, b"x" * 2**20],
    "headers": [b"POST /v1/messages HTTP/1.1\r\nhost: a\r\n", b"x: y\r\n" * 2**18, b"x: y\r\n" * 2**18],
    "whole": [b"POST /v1/messages HTTP/1.1\r\nhost: a\r\nx: " + b"x" * 2**20 + b"\r\ncontent-length: 2\r\n\r\n{}"],
}


@pytest.mark.parametrize("pieces", LONG.values(), ids=LONG)
def test_a_head_without_end(server: Serving, pieces: list[bytes]) -> None:
    """It is not gathered up: the connection is closed after some 64 KB."""
    assert unseen(server, *pieces).status in (0, 400, 431)


def test_long_headers_that_are_still_ones(server: Serving) -> None:
    """What a program with many betas and metadata sends is taken."""
    answer = answered(server, request(asking(), headers=[f"x-{number}: {'y' * 400}" for number in range(50)]))
    assert answer.status == 200


BROKEN = {
    "no end": b"5\r\nabcde\r\n",
    "cut in a chunk": b"ff\r\nabcde",
    "a wrong size": b"2\r\nabcdefgh\r\n0\r\n\r\n",
    "cut in a size": b"5",
}


@pytest.mark.parametrize("body", BROKEN.values(), ids=BROKEN)
def test_chunked_bodies_that_are_broken(server: Serving, body: bytes) -> None:
    """A client that goes in the middle, or loses count, has asked for nothing."""
    before = seen(server)
    connection = connected(server, request(**CHUNKED), body)
    still_good(server)
    connection.close()
    still_good(server)
    assert seen(server) == before + 2


def test_requests_sent_together(server: Serving) -> None:
    """Ten requests in one write get ten answers, in their order."""
    numbers = seen(server)
    with connected(server, request(asking(), connection="keep-alive") * 10) as connection:
        answers = Answers(connection)
        told = [answer_on(answers).headers["request-id"] for _ in range(10)]
        answers.close()
    assert told == [f"req_{numbers + number:04d}" for number in range(1, 11)]


def test_a_client_that_sends_together_and_goes(server: Serving) -> None:
    """What it asked for before it went may be answered or not; the server goes on."""
    for _ in range(20):
        connected(server, request(asking(), connection="keep-alive") * 10).close()


PATHS: dict[str, bytes] = {
    "two slashes": b"/v1//messages",
    "dots": b"/v1/../v1/models/../nothing",
    "percent dots": b"/v1/%2e%2e/%2e%2e/etc/passwd",
    "percent slash": b"/v1%2fmessages",
    "percent NUL": b"/v1/messages%00",
    "half a percent": b"/v1/messages%",
    "percent not UTF-8": b"/v1/messages%ff%fe",
    "not ASCII": "/v1/messages/é☃".encode(),
    "control path by dots": b"/v1/../_playhead/verdict",
    "control path after two slashes": b"//_playhead/verdict",
    "control path without end": b"/_playhead",
    "long": b"/v1/" + b"x" * 20_000,
    "all URL": b"http://other.example/v1/nothing",
    "semicolons": b"/v1/messages;a=b",
}


@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_paths_that_lead_nowhere(server: Serving, method: str, path: bytes) -> None:
    """They are looked at as they stand: a 404 of the API's shape, or no HTTP at all."""
    answer = answered(server, request(asking(), method=method, path=path))
    if answer.status not in (0, 400):
        assert answer.status == 404
        assert answer.error["type"] == "not_found_error"


@pytest.mark.parametrize(
    ("method", "status"), [("GET", 404), ("PUT", 404), ("DELETE", 404), ("OPTIONS", 404), ("HEAD", 404)]
)
def test_other_methods(server: Serving, method: str, status: int) -> None:
    """Nothing plays; a HEAD gets no body, and no answer invites a browser."""
    before = seen(server)
    answer = answered(server, request(asking(), method=method), method=method)
    assert (answer.status, seen(server)) == (status, before + 1)
    assert answer.body == b"" if method == "HEAD" else answer.error["type"] == "not_found_error"
    assert not any(name.startswith("access-control") for name in answer.headers)


BODIES: dict[str, bytes] = {
    "none": b"",
    "no JSON": b"{",
    "words": b"hello",
    "an array": b"[]",
    "not UTF-8": b'{"model": "\xff\xfe"}',
    "UTF-16": '{"model": "x"}'.encode("utf-16"),
    "half a surrogate": b'{"model": "\\ud800", "max_tokens": 1, "messages": []}',
    "deep arrays": b"[" * 200_000,
    "deep arrays, closed": b"[" * 100_000 + b"]" * 100_000,
    "deep objects": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "deep inside": b'{"messages": ' + b"[" * 900 + b"]" * 900 + b"}",
    "a number of many digits": b'{"max_tokens": ' + b"9" * 100_000 + b"}",
    "an exponent": b'{"max_tokens": 1e999999}',
    "a fraction": b'{"max_tokens": 0.' + b"1" * 100_000 + b"}",
    "NaN": b'{"max_tokens": NaN}',
    "one member many times": b"{" + b'"model": "x",' * 20_000 + b'"model": "y"}',
    "many members": b"{" + b",".join(b'"k%d": 1' % number for number in range(2000)) + b"}",
    "NULs": b"\0" * 1000,
    "a mark of bytes": b"\xef\xbb\xbf{}",
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_bodies_that_are_no_request(server: Serving, body: bytes) -> None:
    """A 400 in the API's shape, whatever it is, on the path of messages and of tokens."""
    for path in (b"/v1/messages", b"/v1/messages/count_tokens"):
        answer = answered(server, request(body, path=path))
        assert answer.status == 400, answer
        assert answer.error["type"] == "invalid_request_error"
        assert len(answer.error["message"]) < 2000


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "é", ""])
def test_content_types_that_are_wrong(server: Serving, kind: str) -> None:
    """They get an answer, and a refusal has the API's shape."""
    answer = answered(server, request(asking(), content_type=kind))
    if answer.status != 200:
        assert answer.status in (400, 415)
        assert answer.error["type"] == "invalid_request_error"


def test_connections_that_are_dropped(server: Serving) -> None:
    """At every moment: before a byte, in the middle, before the answer, with a reset."""
    whole = request(asking(), connection="keep-alive")
    for number in range(DROPPED):
        connection = connected(server, whole[: number % (len(whole) + 1)])
        if number % 3 == 0:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        connection.close()


def test_clients_that_go_while_they_wait() -> None:
    """An answer that never comes ends with its client, and holds nothing."""
    from playhead import FakeClaude, drop

    fake = FakeClaude(lambda request: drop("timeout"), conversations="any", max_requests=1000)
    with Serving(fake, judge=False) as server, nothing_leaks(server):
        waiting = [connected(server, request(asking())) for _ in range(30)]
        until(lambda: seen(server) == 30, "30 requests were sent")
        for connection in waiting:
            connection.close()


def test_the_end_does_not_wait_for_slow_clients() -> None:
    """Half-sent requests do not keep the server from stopping."""
    held: list[socket.socket] = []
    with hosted() as server:
        held += [connected(server, request(asking())[:50]) for _ in range(20)]
        held += [connected(server, request(content_length="50")) for _ in range(20)]
        still_good(server)
    for connection in held:
        with connection, contextlib.suppress(ConnectionResetError):
            while connection.recv(1000):
                pass  # an answer that says so, at most, and then the end


HOSTS = ["127.0.0.2.example.com", "example.com", "playhead.example:80", "", "0x7f.1", "127.0.0.1.nip.example"]


@pytest.mark.parametrize("host", HOSTS)
def test_the_control_path_under_other_names(server: Serving, host: str) -> None:
    """A name that leads to this machine from elsewhere is refused, and the answer is no request of the loop's."""
    head = request(method="GET", path=b"/_playhead/verdict", host=host, headers=[] if host else ["host: "])
    answer = unseen(server, head)
    assert answer.status == 403
    assert answer.error["type"] == "permission_error"
    assert not any(name.startswith("access-control") for name in answer.headers)


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.0.0.2", "127.0.0.2:80", "localhost:1", "[::1]:80", "[::1]", "LOCALHOST"]
)
def test_the_control_path_under_its_own_names(server: Serving, host: str) -> None:
    """Every name of the loopback is this machine's."""
    assert unseen(server, request(method="GET", path=b"/_playhead/verdict", host=host)).status == 200


CLIENTS: dict[Any, int] = {
    ("192.0.2.7", 5): 403,
    ("::ffff:192.0.2.7", 5): 403,
    ("localhost", 5): 403,
    None: 403,
    ("127.0.0.2", 5): 200,
    ("::1", 5): 200,
    ("::ffff:127.0.0.1", 5): 200,
}


@pytest.mark.parametrize(("client", "status"), CLIENTS.items())
def test_the_control_path_is_for_this_machine(server: Serving, client: Any, status: int) -> None:
    """Whoever asks from elsewhere is refused, whatever host he names."""
    told: list[Any] = []

    async def send(message: Any) -> None:
        told.append(message)

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    scope = {
        "type": "http",
        "method": "GET",
        "path": "/_playhead/verdict",
        "raw_path": b"/_playhead/verdict",
        "query_string": b"",
        "headers": [(b"host", b"127.0.0.1")],
        "client": client,
    }
    asyncio.run(server._server._application(scope, receive, send))
    assert told[0]["status"] == status
    assert (b"this machine only" in told[1]["body"]) is (status == 403)


def test_the_control_path_has_no_cors(server: Serving) -> None:
    """A browser that asks beforehand is refused."""
    asked = request(
        method="OPTIONS",
        path=b"/_playhead/reset",
        headers=["origin: http://127.0.0.1", "access-control-request-method: POST"],
    )
    answer = unseen(server, asked)
    assert answer.status == 403
    assert not any(name.startswith("access-control") for name in answer.headers)


SCRIPTS: dict[str, bytes] = {
    "deep": b"[" * 100_000,
    "not UTF-8": b"\xff\xfe\x00",
    "anchors": b"a: &a [x,x]\n" + b"".join(b"b%d: &b%d [*a,*a]\n" % (n, n) for n in range(50)),
    "objects": b"!!python/object/apply:os.system ['false']",
    "nothing": b"",
}


@pytest.mark.parametrize("text", SCRIPTS.values(), ids=SCRIPTS)
def test_scripts_that_are_none(server: Serving, text: bytes) -> None:
    """One sentence, and the script that is played stays."""
    answer = unseen(server, request(text, path=b"/_playhead/script"))
    assert answer.status == 400
    assert answer.error["message"].startswith("Playhead: ")


def test_it_binds_to_this_machine_alone() -> None:
    """Unless it is told otherwise."""
    with serve([], sleep=None) as server:
        (address, _) = server._server._socket.getsockname()  # type: ignore[union-attr]
        assert address == "127.0.0.1"


def test_answers_leave_at_once(server: Serving) -> None:
    """No write waits until the one before it is acknowledged."""
    running = server._server._server
    assert running is not None
    with connected(server, request(asking(), connection="keep-alive")) as connection:
        assert answer_on(connection).status == 200
        (held,) = running.server_state.connections
        assert held.transport.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_a_number_and_words_for_every_one(server: Serving) -> None:
    """Answers in parallel connections do not mix: each is to its own question."""

    def told(connection: socket.socket) -> Any:
        return json.loads(answer_on(connection).body)

    asked = [connected(server, request(asking(), connection="keep-alive")) for _ in range(50)]
    identifiers = {told(connection)["id"] for connection in asked}
    assert len(identifiers) == 50
    for connection in asked:
        connection.close()

"""What a served fake costs, side by side on loopback: a bare ASGI app, the fake with all its checks, and aimock.

usage: server.py [--big] [--memory] [--unchecked] [--limit SHARE]; prints the requests a second of the fake over those
of each other, and the same by the processor time that each server spent, which a busy machine disturbs least. The
cases: JSON of 2 KB that a request of 0.1 KB asks for; the same where the request has 2 KB, with tools, as a tool loop
sends it; a stream of 60 events in one write, as the fake sends it unless told otherwise (aimock writes each event); the
same in a write for each event; a history of 257 KB that is sent again with every turn. The bare app runs under the same
uvicorn, reads the body and sends the very bytes that the fake sends. aimock is taken from `AIMOCK`, a folder with
`node_modules/@copilotkit/aimock`, and left out where there is none. With `--unchecked` there is a fourth: the fake's
door with nothing behind it but JSON, which decodes each request, keeps it, and encodes the reply: what a fake would
cost that judges, places and counts nothing. Each round is a session of its own: what a server keeps is reset before it
(the fake keeps all of a session, aimock its newest 1,000 requests).

Then: the time from starting a server's process to its first answer, and 200 conversations at once of which each tenth
breaks a rule: every one must get what is its own, and the verdict must name those and no others. `--memory` sends
50,000 requests and tells what the server's memory grew by, and the same where the session is reset now and then. With
a limit the exit code is 1 where JSON has less than that share of the bare app. The client is this process, over raw
sockets; each server has a process of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

CONNECTIONS = 16
MODEL = "claude-opus-5-5"
TEXT = "word " * 330
PIECE = -(-len(TEXT) // 54)
"""Characters of one delta: 54 of them and six other events."""

HISTORY = 257 * 1024
AIMOCK = Path(os.environ.get("AIMOCK", "/nonexistent"))
NODE = """
const { LLMock } = require(process.argv[1]);
const mock = new LLMock({ port: 0, logLevel: "silent", chunkSize: Number(process.argv[2]) });
mock.on({}, { content: process.argv[3] });
mock.start().then(() => console.log(mock.url));
process.stdin.on("end", () => process.exit()).resume();
"""


class Subject(NamedTuple):
    """A server under load, and its process."""

    name: str
    port: int
    process: subprocess.Popen[str]
    started: float

    def spent(self) -> float:
        """The processor time that it spent, in seconds."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self) -> int:
        """Its resident memory in bytes."""
        return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def serve_fake() -> None:
    """The fake, as `playhead serve` serves it; a first message that begins with "loop" plays a tool loop."""
    from playhead import Delivery, call, deliver, say, serve
    from playhead.cli.serve import rarely_collecting

    def play(request: Any) -> Any:
        words = request.body["messages"][0]["content"]
        if words.startswith("events"):
            return deliver(say(TEXT), pieces=PIECE, chunks="event")
        if not words.startswith("loop"):
            return say(TEXT)
        return call("look", key=words) if request.turn == 1 else say(f"found {words}")

    delivery = Delivery(pieces=PIECE)
    with rarely_collecting(), serve(play, conversations="any", max_requests=10**9, delivery=delivery) as server:
        print(server.url, flush=True)
        sys.stdin.read()
        server.fake._engine.refused.clear()
        os._exit(0)  # the verdict was asked for on the control path


def serve_bare() -> None:
    """An app that reads and sends, under the server that the fake has."""
    from playhead import Delivery, FakeClaude, say
    from playhead.doors.server import Server
    from playhead.engine.http import Incoming

    fake = FakeClaude([say(TEXT), say(TEXT)], conversations="any", delivery=Delivery(pieces=PIECE, chunks="event"))
    headers = {"x-api-key": "k", "anthropic-version": "2023-06-01", "content-type": "application/json"}
    made = {
        stream: fake.answer(Incoming(method="POST", path="/v1/messages", headers=headers, body=asking("hi", stream)))
        for stream in (False, True)
    }
    whole = made[True].body
    json_headers = [(b"content-type", b"application/json"), (b"content-length", str(len(made[False].body)).encode())]
    event_headers = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-cache")]

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            while True:
                message = await receive()
                await send({"type": f"{message['type']}.complete"})
                if message["type"] == "lifespan.shutdown":
                    return
        pieces, more = [], True
        while more:
            message = await receive()
            pieces.append(message["body"])
            more = message["more_body"]
        if b'"stream": true' not in pieces[-1]:
            await send({"type": "http.response.start", "status": 200, "headers": json_headers})
            await send({"type": "http.response.body", "body": made[False].body, "more_body": False})
            return
        await send({"type": "http.response.start", "status": 200, "headers": event_headers})
        for chunk in made[True].chunks if b"events " in pieces[-1] else [whole]:
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    with Server(app) as server:
        print(server.url, flush=True)
        sys.stdin.read()


def serve_unchecked() -> None:
    """The fake's door, and behind it only what reads a request as JSON and writes the reply as JSON."""
    from playhead import FakeClaude, say
    from playhead.cli.serve import rarely_collecting
    from playhead.doors.asgi import Door
    from playhead.doors.server import Server
    from playhead.engine.http import Incoming, Outgoing
    from playhead.wire.codec import decode, encode
    from playhead.wire.stream import events_of, pieces_of

    headers = {"x-api-key": "k", "anthropic-version": "2023-06-01"}
    first = Incoming(method="POST", path="/v1/messages", headers=headers, body=asking("hi"))
    message = decode(FakeClaude([say(TEXT)]).answer(first).body)
    kept: list[object] = []

    def control(scope: Any, body: bytes) -> Outgoing | None:
        if scope["path"] != RESETS["unchecked"]:
            return None
        kept.clear()
        return Outgoing(status=200, headers={"content-type": "application/json"}, chunks=(b"{}",))

    def answer(incoming: Incoming) -> Outgoing:
        body = decode(incoming.body)
        kept.append(body)
        if not body.get("stream"):
            return Outgoing(status=200, headers={"content-type": "application/json"}, chunks=(encode(message),))
        pieces = tuple(pieces_of([*events_of(message, piece=PIECE)]))
        whole = pieces if body["messages"][0]["content"].startswith("events") else (b"".join(pieces),)
        return Outgoing(status=200, headers={"content-type": "text/event-stream"}, chunks=whole)

    with rarely_collecting(), Server(Door(answer, lambda seconds, awaits: None, control)) as server:
        print(server.url, flush=True)
        sys.stdin.read()
        os._exit(0)


def asking(words: str, stream: bool = False, **more: Any) -> bytes:
    """A short request, each with words of its own."""
    messages = [{"role": "user", "content": words}]
    return json.dumps({"model": MODEL, "max_tokens": 4096, **more, "messages": messages, "stream": stream}).encode()


def tool(name: str) -> dict[str, Any]:
    """A tool as people describe theirs."""
    place = {"type": "string", "description": "The place as people there write it, without the country: Roscoff."}
    unit = {"type": "string", "enum": ["metric", "imperial"], "description": "In which units the answer is to be."}
    return {
        "name": name,
        "description": "Looks up what is known of a place today. Ask for one place at a time, and again for others. "
        "Where nothing is known of it the answer says so; it may be that the name is written otherwise.",
        "input_schema": {"type": "object", "properties": {"place": place, "unit": unit}, "required": ["place"]},
    }


USUAL = {
    "system": "You answer questions about the coast, in a sentence or two. Use the tools, and guess nothing. " * 3,
    "tools": [tool("get_tide"), tool("get_weather"), tool("get_sunset")],
}
"""What a tool loop sends with each request, some 2 KB."""


def post(body: bytes, path: str = "/v1/messages") -> bytes:
    """A request's bytes."""
    return (
        f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: k\r\nanthropic-version: 2023-06-01\r\n"
        f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    ).encode() + body


class Connection(asyncio.Protocol):
    """Asks one thing after the other on a connection that stays; looks no further than where an answer ends."""

    def __init__(self) -> None:
        self._got = bytearray()
        self._answer: asyncio.Future[bytes] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: Any = transport

    def connection_lost(self, exc: Exception | None) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(ConnectionError("the server closed the connection"))

    def data_received(self, data: bytes) -> None:
        self._got += data
        if self._answer is not None and not self._answer.done() and self._whole():
            self._answer.set_result(bytes(self._got))

    def _whole(self) -> bool:
        head = self._got.find(b"\r\n\r\n")
        if head < 0:
            return False
        at = self._got.lower().find(b"content-length: ", 0, head)
        if at < 0:
            return self._got.endswith(b"0\r\n\r\n")
        return len(self._got) >= head + 4 + int(self._got[at + 16 : self._got.find(b"\r", at)])

    async def ask(self, sent: bytes) -> bytes:
        """The answer, head and all. Raises `ConnectionError`."""
        self._got.clear()
        self._answer = asyncio.get_running_loop().create_future()
        self._transport.write(sent)
        return await self._answer

    def close(self) -> None:
        self._transport.close()


async def connect(port: int) -> Connection:
    _, made = await asyncio.get_running_loop().create_connection(Connection, "127.0.0.1", port)
    return made


_TOLD = iter(range(10**12))


def short(case: str, count: int) -> list[bytes]:
    """Requests that have nothing to do with each other."""
    usual = USUAL if case == "tools" else {}
    return [post(asking(f"{case} {next(_TOLD)}", case in STREAMS, **usual)) for _ in range(count)]


def growing(count: int) -> list[bytes]:
    """The requests of one conversation, each of which sends 257 KB and the turns so far again."""

    def said(role: str, content: str) -> str:
        return json.dumps({"role": role, "content": content})

    asked = [said("user", f"question {next(_TOLD)}")]
    while sum(map(len, asked)) < HISTORY:
        asked += [said("assistant", TEXT), said("user", "and more? " * 200)]
    made = []
    for _ in range(count):
        body = f'{{"model": "{MODEL}", "max_tokens": 4096, "messages": [{", ".join(asked)}]}}'
        made.append(post(body.encode()))
        asked += [said("assistant", TEXT), said("user", "and then?")]
    return made


def requests_of(case: str, count: int) -> list[list[bytes]]:
    """What each connection asks for."""
    each = count // CONNECTIONS
    if case == "history":
        return [growing(each) for _ in range(CONNECTIONS)]
    return [short(case, each) for _ in range(CONNECTIONS)]


async def rate(subject: Subject, asked: list[list[bytes]]) -> tuple[float, float]:
    """Requests a second, and the server's processor seconds for one."""

    async def run(connection: Connection, sent: Sequence[bytes]) -> None:
        for one in sent:
            answer = await connection.ask(one)
            if not answer.startswith(b"HTTP/1.1 200"):
                raise SystemExit(f"{subject.name} answered {answer[:600]!r}")

    connections = [await connect(subject.port) for _ in asked]
    total = sum(map(len, asked))
    started, spent = time.perf_counter(), subject.spent()
    await asyncio.gather(*map(run, connections, asked))
    ended, now = time.perf_counter(), subject.spent()
    for connection in connections:
        connection.close()
    return total / (ended - started), (now - spent) / total


@contextmanager
def running(name: str) -> Iterator[Subject]:
    """A server in a process of its own."""
    if name == "aimock":
        command = ["node", "-e", NODE, str(AIMOCK / "node_modules/@copilotkit/aimock"), str(PIECE), TEXT]
    else:
        command = [sys.executable, "-W", "ignore", __file__, "--serve", name]
    began = time.perf_counter()
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        if not line.startswith("http"):
            raise SystemExit(f"{name} does not start: {line!r}")
        subject = Subject(name, int(line.rpartition(":")[2]), process, 0.0)
        asyncio.run(first_answer(subject))
        yield subject._replace(started=time.perf_counter() - began)
    finally:
        process.kill()
        process.communicate()


async def first_answer(subject: Subject) -> None:
    connection = await connect(subject.port)
    answer = await connection.ask(short("json", 1)[0])
    assert answer.startswith(b"HTTP/1.1 200"), answer
    events = (await connection.ask(short("stream", 1)[0])).count(b"event: ")
    assert 55 <= events <= 65, f"a stream of {subject.name} has {events} events"
    connection.close()


STREAMS = ("stream", "events")
CASES = {"json": 1600, "tools": 1600, "stream": 480, "events": 480, "history": 160}
"""Requests of a round: of each as many as take a moment."""


def compare(subjects: Sequence[Subject], rounds: int, times: int) -> dict[tuple[str, str], float]:
    """Prints the ratios of each case; gives the fake's share of each other's requests a second."""
    shares = {}
    for case, count in CASES.items():
        rates: dict[str, list[float]] = {subject.name: [] for subject in subjects}
        costs: dict[str, list[float]] = {subject.name: [] for subject in subjects}
        for number in range(rounds + 1):
            order = subjects if number % 2 else subjects[::-1]
            for subject in order:
                asked = requests_of(case, count * times)
                asyncio.run(reset(subject))
                found, cost = asyncio.run(rate(subject, asked))
                if number:  # the first round fills caches
                    rates[subject.name].append(found)
                    costs[subject.name].append(cost)
        told = []
        for name in [subject.name for subject in subjects if subject.name != "fake"]:
            share = statistics.median(mine / its for mine, its in zip(rates["fake"], rates[name], strict=True))
            cost = statistics.median(its / mine for mine, its in zip(costs["fake"], costs[name], strict=True))
            shares[case, name] = share
            told.append(f"{share:.2f}x of {name} (by processor time {cost:.2f}x)")
        speeds = ", ".join(f"{name} {statistics.median(found):,.0f}/s" for name, found in rates.items())
        print(f"{case}: the fake does {', '.join(told)}; {speeds}", flush=True)
    return shares


async def loops(subject: Subject, count: int) -> str:
    """Tool loops at once, of which each tenth answers a call that nobody made."""
    tools = [{"name": "look", "description": "Looks.", "input_schema": {"type": "object"}}]

    async def loop(number: int) -> int:
        words, connection = f"loop {number}", await connect(subject.port)
        body: Any = {"model": MODEL, "max_tokens": 99, "tools": tools, "messages": [{"role": "user", "content": words}]}
        first = value_of(await connection.ask(post(json.dumps(body).encode())))
        (call,) = first["content"]
        assert call["input"] == {"key": words}, first
        broken = number % 10 == 0
        result = {"type": "tool_result", "tool_use_id": "nobody" if broken else call["id"], "content": words}
        body["messages"] += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
        answer = await connection.ask(post(json.dumps(body).encode()))
        connection.close()
        if broken:
            assert value_of(answer)["type"] == "error", answer
            return int(value_of(answer)["request_id"].removeprefix("req_"))
        assert value_of(answer)["content"][0]["text"] == f"found {words}", answer
        return 0

    refused = {number for number in await asyncio.gather(*map(loop, range(count))) if number}
    connection = await connect(subject.port)
    verdict = value_of(await connection.ask(b"GET /_playhead/verdict HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n"))
    connection.close()
    named = {violation["exchange"] for violation in verdict["violations"] if violation["level"] == "reject"}
    assert named == refused, (named, refused)
    return f"{count} conversations at once: every one got its own, {len(refused)} were refused, as the verdict says"


def value_of(answer: bytes) -> Any:
    return json.loads(answer.partition(b"\r\n\r\n")[2])


def memory(subject: Subject, count: int, *, between: int | None = None) -> None:
    """Prints how the server's memory grows by requests that have nothing to do with each other.

    With `between` the session is reset after so many of them.
    """
    asyncio.run(rate(subject, requests_of("json", 1600)))
    before, step = subject.memory(), count // 5
    for number in range(1, 6):
        speeds = []
        for _ in range(1 if between is None else step // between):
            speeds.append(asyncio.run(rate(subject, requests_of("json", between or step)))[0])
            if between is not None:
                asyncio.run(reset(subject))
        grown = subject.memory() - before
        told = f"{grown / (number * step):,.0f} bytes each; " if between is None else ""
        print(f"{number * step:,} requests: {grown / 2**20:,.0f} MB more, {told}{statistics.median(speeds):,.0f}/s")


RESETS = {"fake": "/_playhead/reset", "unchecked": "/_playhead/reset", "aimock": "/__aimock/reset/journal"}
"""Where a server is told to begin anew, of those that keep anything."""


async def reset(subject: Subject) -> None:
    if subject.name not in RESETS:
        return
    connection = await connect(subject.port)
    answer = await connection.ask(
        f"POST {RESETS[subject.name]} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 0\r\n\r\n".encode()
    )
    assert answer.startswith(b"HTTP/1.1 200"), answer
    connection.close()


def main() -> int:
    parser = argparse.ArgumentParser(description="What a served fake costs.")
    parser.add_argument("--serve", choices=["fake", "bare", "unchecked"], help=argparse.SUPPRESS)
    parser.add_argument("--big", action="store_true", help="more rounds of more requests")
    parser.add_argument("--memory", action="store_true", help="50,000 requests, and what memory they take")
    parser.add_argument("--unchecked", action="store_true", help="compare with a fake's door that judges nothing, too")
    parser.add_argument("--limit", type=float, metavar="SHARE", help="fail where JSON is below this share of the bare")
    options = parser.parse_args()
    if options.serve:
        {"fake": serve_fake, "bare": serve_bare, "unchecked": serve_unchecked}[options.serve]()
        return 0
    with suppress(ImportError):
        import uvloop

        asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
    if options.memory:
        with running("fake") as fake:
            memory(fake, 50_000)
        print("with a reset after every 2,000:")
        with running("fake") as fake:
            memory(fake, 50_000, between=2_000)
        return 0
    names = ["bare", "fake", *(["unchecked"] if options.unchecked else [])]
    if (AIMOCK / "node_modules/@copilotkit/aimock").is_dir():
        names.append("aimock")
    else:
        print("aimock is left out: AIMOCK names no folder with node_modules/@copilotkit/aimock")
    with ExitStack() as stack:
        subjects = [stack.enter_context(running(name)) for name in names]
        shares = compare(subjects, rounds=5 if options.big else 3, times=2 if options.big else 1)
    starts = {name: statistics.median(started(name) for _ in range(5 if options.big else 3)) for name in names}
    print("start to first answer:", ", ".join(f"{name} {seconds:.2f} s" for name, seconds in starts.items()))
    with running("fake") as fake:
        print(asyncio.run(loops(fake, 200)))
    return 1 if options.limit is not None and shares["json", "bare"] < options.limit else 0


def started(name: str) -> float:
    with running(name) as subject:
        return subject.started


if __name__ == "__main__":
    sys.exit(main())

"""Small sessions, built in few words, for the tests of the rules across exchanges. Not tests themselves."""

from __future__ import annotations

from typing import Any

from playhead.rules.checker import check
from playhead.rules.rule import Violation
from playhead.wire.session import Session

Json = dict[str, Any]

MODEL = "claude-opus-5-5"
ADD = {
    "name": "add",
    "description": "Adds.",
    "input_schema": {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": ["integer", "null"]}},
        "required": ["a"],
    },
}
NOW = {"name": "now", "description": "Tells the time.", "input_schema": {"type": "object"}}
TOOLS = [ADD, NOW]


def text(words: str, **more: object) -> Json:
    return {"type": "text", "text": words, **more}


def call(identifier: str = "t1", name: str = "add", /, **arguments: object) -> Json:
    return {"type": "tool_use", "id": identifier, "name": name, "input": arguments or {"a": 1}}


def result(identifier: str = "t1", content: object = "3", **more: object) -> Json:
    return {"type": "tool_result", "tool_use_id": identifier, "content": content, **more}


def thought(words: str = "hm", signature: str = "EqQBCkYIBxgC") -> Json:
    return {"type": "thinking", "thinking": words, "signature": signature}


def user(*content: str | Json) -> Json:
    return {"role": "user", "content": content[0] if isinstance(content[0], str) else list(content)}


def said(*content: str | Json) -> Json:
    return {
        "role": "assistant",
        "content": content[0] if content and isinstance(content[0], str) else list(content),
    }


Q, Q2, Q3 = user("What is 1 + 2?"), user("And 3 + 4?"), user("Thanks.")


def reply(*content: Json, stop: str | None = None, **more: object) -> Json:
    calls = any(block["type"] == "tool_use" for block in content)
    return {"content": list(content), "stop_reason": stop or ("tool_use" if calls else "end_turn"), **more}


DONE = reply(text("It is 3."))


def error(status: int | None, kind: str = "api_error", message: str = "...", **more: object) -> Json:
    return {"status": status, "error": {"type": kind, "message": message}, **more}


OVERLOADED = error(529, "overloaded_error", "Overloaded")
INVALID = error(400, "invalid_request_error", "messages.1: no")


def sent(*messages: Json, **members: object) -> Json:
    """A request with two tools; `tools=None` leaves them out."""
    body = {"model": MODEL, "max_tokens": 99, "tools": TOOLS, **members, "messages": list(messages)}
    return {name: value for name, value in body.items() if value is not None}


def exchange(request: Json | list[Json], response: Json | None, **more: object) -> Json:
    """A request (or its messages) and its answer, with what is known beside them."""
    body = sent(*request) if isinstance(request, list) else request
    return {"request": body, "response": response, **more}


def session(*exchanges: Json, end: Json | None = None, alone: bool = False) -> Session:
    made = Session.from_exchanges(exchanges, end=end)
    return Session(exchanges=made.exchanges, end=made.end, alone=alone)


RETURNED: Json = {"how": "returned"}
RUNNING: Json = {"how": "running"}


def raised(error: str | None = None) -> Json:
    return {"how": "raised", "error": error}


def showed(**shown: object) -> Json:
    return {"how": "returned", "shown": shown}


def start(**usage: int) -> Json:
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": MODEL, "content": []}
    return {"type": "message_start", "message": {**message, "usage": usage or {"input_tokens": 9, "output_tokens": 1}}}


def block(index: int, block: Json, *deltas: Json, stop: bool = True) -> list[Json]:
    """The events of one block; its deltas are given without their frame."""
    return [
        {"type": "content_block_start", "index": index, "content_block": block},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        *([{"type": "content_block_stop", "index": index}] if stop else []),
    ]


def text_block(index: int, words: str) -> list[Json]:
    return block(index, text(""), {"type": "text_delta", "text": words})


def call_block(index: int, call: Json, *pieces: str, stop: bool = True) -> list[Json]:
    deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in ("", *pieces)]
    return block(index, {**call, "input": {}}, *deltas, stop=stop)


def finish(reason: str = "end_turn", **usage: int) -> list[Json]:
    delta = {"stop_reason": reason, "stop_sequence": None}
    return [
        {"type": "message_delta", "delta": delta, "usage": usage or {"output_tokens": 9}},
        {"type": "message_stop"},
    ]


def stream(*groups: Json | list[Json]) -> Json:
    events: list[Json] = []
    for group in groups:
        events += group if isinstance(group, list) else [group]
    return {"events": events}


Found = tuple[str, str, int | None]
"""Level, path and exchange of a violation."""


def of_rule(rule: str, made: Session) -> list[Found]:
    """What one rule finds in a session, whatever the others do."""
    return [(its.level, its.path, its.exchange) for its in check(made) if its.rule == rule]


def errors(made: Session) -> list[Violation]:
    """What fails a session: every violation that is more than a warning."""
    return [violation for violation in check(made) if violation.level != "warn"]

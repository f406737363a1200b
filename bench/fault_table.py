"""What the Python SDK makes of each fault: the tables of docs/faults.md, made by running them.

`python bench/fault_table.py` prints them; the first line names the SDK's version. Each step is asked for three times,
by `create()`, `create(stream=True)` and `stream()`, with the SDK's usual two retries, and a whole reply is played after
it. Connections that fail make the SDK wait for a second or two, so all rows are asked for at the same time.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import anthropic

import playhead
from playhead import FakeClaude, ScriptError, call, deliver, say, turn
from playhead.wire.damage import DAMAGES

REPLY = turn(say("Let me look."), call("get_tide", port="Brest", days=25))
SMALL = deliver(REPLY, pieces=4)
NAMES = {name: getattr(playhead, name) for name in ("fail", "drop", "cut", "damage", "deliver", "raw")}
NAMES |= {"reply": REPLY, "small": SMALL}

ASK: dict[str, Any] = {
    "model": "claude-opus-5-5",
    "max_tokens": 64,
    "tools": [{"name": "get_tide", "description": "The tide.", "input_schema": {"type": "object"}}],
    "messages": [{"role": "user", "content": "How high is the tide?"}],
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A table: its heading, a sentence, and steps as one would type them."""

    heading: str
    about: str
    steps: tuple[str, ...]


def _steps(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.strip().splitlines())


SECTIONS = (
    Section(
        heading="The API answers with an error",
        about="401, 402 and 403 are like 400; 408, 409, 502, 503 and 504 like 500. `fail(...)` lets the SDK wait for a "
        "millisecond only.",
        steps=_steps(
            """
            fail(400)
            fail(400, error_code="tool_name_conflict")
            fail(404)
            fail(413)
            fail(429)
            fail(429, times=3)
            fail(500)
            fail(529)
            fail(529, times=3)
            fail(529, headers={"x-should-retry": "false"})
            raw("<html>", status=502, content_type="text/html")
            """
        ),
    ),
    Section(
        heading="No answer comes",
        about="The SDK waits for half a second, then a whole one, before it tries again, and no header can shorten "
        "that: give the client `max_retries=0` where it matters.",
        steps=_steps(
            """
            drop("connect")
            drop("connect", times=3)
            drop("read", times=3)
            drop("write", times=3)
            drop("close", times=3)
            drop("timeout", times=3)
            drop("connect_timeout", times=3)
            drop("write_timeout", times=3)
            deliver(reply, delay=601)
            """
        ),
    ),
    Section(
        heading="The answer ends as if it were whole",
        about="`small` is the reply in 19 events: 0 message_start, 1 to 6 the text, 7 to 16 the call, whose input "
        "comes as eight pieces, 17 message_delta, 18 message_stop.",
        steps=_steps(
            """
            cut(small, events=0, how="end")
            cut(small, events=1, how="end")
            cut(small, events=5, how="end")
            cut(small, events=7, how="end")
            cut(small, events=12, how="end")
            cut(small, events=13, how="end")
            cut(small, events=15, how="end")
            cut(small, events=17, how="end")
            cut(small, events=18, how="end")
            """
        ),
    ),
    Section(
        heading="The answer breaks off",
        about="Nothing of a stream is tried again, since its beginning has been handed out.",
        steps=_steps(
            """
            cut(small, events=0)
            cut(small, events=15)
            cut(small, events=19)
            cut(small, events=15, how="close")
            cut(small, events=15, how="timeout")
            cut(small, events=0, how="error")
            cut(small, events=15, how="error")
            cut(small, events=15, how="error", error="api_error")
            deliver(small, chunks="event", pace=601)
            """
        ),
    ),
    Section(
        heading="The answer says 200 and is wrong",
        about="A cell is empty where the answer cannot have the damage. `at=` puts it at another event than the first "
        "piece of content.",
        steps=tuple(f'damage(reply, "{name}")' for name in DAMAGES),
    ),
    Section(
        heading="Bytes as they stand",
        about="`raw(...)` sends what no other step does.",
        steps=_steps(
            """
            raw('{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}')
            raw("not gzip", headers={"content-encoding": "gzip"})
            raw("event: error\\ndata: it broke\\n\\n")
            """
        ),
    ),
)


def create(client: anthropic.Anthropic) -> str:
    """`create()`."""
    return _message(client.messages.create(**ASK))


def raw_stream(client: anthropic.Anthropic) -> str:
    """`create(stream=True)`."""
    seen: list[str] = []
    try:
        for event in client.messages.create(**ASK, stream=True):
            seen.append(event.type)
    except Exception as error:
        if not seen:
            raise
        return f"{_events(seen)}, then {_error(error)}"
    return _events(seen) if "message_stop" in seen else f"**{_events(seen)}, no error**"


def helper(client: anthropic.Anthropic) -> str:
    """`stream()`."""
    with client.messages.stream(**ASK) as stream:
        return _message(stream.get_final_message())


WAYS: tuple[Callable[[anthropic.Anthropic], str], ...] = (create, raw_stream, helper)


def _events(seen: list[str]) -> str:
    return f"{len(seen)} event{'s' if len(seen) != 1 else ''}"


def _message(value: Any) -> str:
    if not isinstance(value, anthropic.types.Message):
        return f"**a string**: `{str(value)[:16]}…`"
    content: Any = value.content
    if content is None:
        return "**a message without content**"
    shown = [_block(block) for block in content]
    if (shown, value.stop_reason) == ([_block(block) for block in _WHOLE], "tool_use"):
        return "the reply"
    return f"**no error**: {', '.join(shown) or 'no content'}; stop_reason {value.stop_reason}"


def _block(block: Any) -> str:
    if block.type == "tool_use":
        arguments = ", ".join(f"{name}={value!r}" for name, value in block.input.items())
        return f"`{block.name}({arguments})`"
    return f'"{block.text}"' if block.type == "text" else f"a `{block.type}` block"


_WHOLE = FakeClaude([REPLY]).client().messages.create(**ASK).content


def _error(error: Exception) -> str:
    words = error.api_message if isinstance(error, anthropic.APIStatusError) else ""
    return f"`{type(error).__name__}`{f': {_short(words)}' if words else ''}"


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:39]}…"


def cell(step: str, way: Callable[[anthropic.Anthropic], str]) -> str:
    """What becomes of a step, asked for in one way; empty where it cannot be had that way."""
    fake = FakeClaude([eval(step, {"__builtins__": {}}, NAMES), REPLY])
    try:
        told = way(fake.client())
    except Exception as error:  # noqa: BLE001  # whatever it is, it is what is asked
        told = _error(error)
    if isinstance(fake.failure(), ScriptError):
        return ""  # an answer of this kind cannot be had so
    requests = len(fake.session.exchanges)
    return f"{told}; {requests} requests" if requests > 1 else told


def tables() -> str:
    """All tables as markdown."""
    with ThreadPoolExecutor(32) as pool:
        rows = {step: [pool.submit(cell, step, way) for way in WAYS] for section in SECTIONS for step in section.steps}
        lines = [f"What the Python SDK anthropic {anthropic.__version__} makes of each step:"]
        for section in SECTIONS:
            lines += ["", f"### {section.heading}", "", section.about, ""]
            lines += ["| step | `create()` | `create(stream=True)` | `stream()` |", "|---|---|---|---|"]
            for step in section.steps:
                cells = [f"`{step}`{_WHAT.get(step, '')}", *(_escaped(future.result()) for future in rows[step])]
                lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


_WHAT = {f'damage(reply, "{name}")': f": {its.what}" for name, its in DAMAGES.items()}


def _escaped(text: str) -> str:
    return text.replace("|", r"\|").replace("\n", " ")


if __name__ == "__main__":
    print(tables())
